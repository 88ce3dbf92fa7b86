//! The matching keywords of a construct, with their lines.

use warplens_hir::wave::{Code, Link};
use warplens_ide_db::FilePosition;

use crate::lines::Lines;

/// The maximum number of `break`s and `continue`s of a loop that are listed.
const MAX_LEAVES: usize = 6;

/// The matching keywords of the instruction at `index`; `None` if the instruction belongs to no construct.
pub(super) fn joined(position: &FilePosition<'_>, code: &Code, index: usize) -> Option<String> {
    let lines = Lines::before(position);
    let at = |index: u32| lines.quoted(code.instructions[index as usize].range);
    let open = |open: u32, end: Option<u32>| {
        let end = end.map_or_else(String::new, |end| format!(", up to {}", at(end)));
        format!("{}{end}", at(open))
    };
    Some(match code.links.get(index).copied().flatten()? {
        Link::If { otherwise: Some(otherwise), end: Some(end) } => {
            format!("*matches* {} *and* {}", at(otherwise), at(end))
        }
        Link::If { otherwise, end } => format!("*matches* {}", at(otherwise.or(end)?)),
        Link::Else { open: opener, end } => format!("*other path of* {}", open(opener, end)),
        Link::EndIf { open: opener } | Link::EndLoop { open: opener } => format!("*closes* {}", at(opener)),
        Link::Loop { end } => format!("*ends at* {}{}", at(end?), leaves(code, index, at)),
        Link::Leave { open: opener } => {
            let end = match code.links[opener as usize] {
                Some(Link::Loop { end }) => end,
                _ => None,
            };
            format!("*in* {}", open(opener, end))
        }
    })
}

/// The instructions that make lanes exit a loop, or continue at its start.
fn leaves(code: &Code, opener: usize, at: impl Fn(u32) -> String) -> String {
    let belongs = Some(Link::Leave { open: opener as u32 });
    let found = code.links.iter().enumerate().filter(|(_, link)| **link == belongs);
    let found: Vec<u32> = found.map(|(index, _)| index as u32).collect();
    let shown: Vec<String> = found.iter().take(MAX_LEAVES).map(|index| at(*index)).collect();
    let more = match found.len().saturating_sub(MAX_LEAVES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if shown.is_empty() { String::new() } else { format!("; {}{more}", shown.join(", ")) }
}
