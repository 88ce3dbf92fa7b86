//! Which predicate registers are still read: what a rewrite may overwrite. Lane by lane, since each lane has its own and goes
//! its own way.

use super::Cell;
use super::model::{Code, Link};

/// Predicates, one bit each.
type Predicates = u8;

const ALL: Predicates = Predicates::MAX;

/// The predicates that are read later, for every place of a kernel whose constructs match.
pub struct LivePredicates {
    /// Before each instruction, and at the end.
    before: Vec<Predicates>,
}

impl LivePredicates {
    /// Follows all ways of lanes through a kernel.
    pub fn of(code: &Code) -> LivePredicates {
        let mut before = vec![0; code.instructions.len() + 1];
        let mut changed = true;
        // A loop carries back to its top what is read there: once for each that lies around it.
        while std::mem::take(&mut changed) {
            for at in (0..code.instructions.len()).rev() {
                let live = live_before(code, at, &before);
                changed |= live != std::mem::replace(&mut before[at], live);
            }
        }
        LivePredicates { before }
    }

    /// Whether what a predicate holds before an instruction may be read by it or after it.
    pub fn before(&self, at: usize, predicate: u8) -> bool {
        self.before.get(at).is_none_or(|live| live >> predicate & 1 == 1)
    }
}

fn live_before(code: &Code, at: usize, before: &[Predicates]) -> Predicates {
    let instruction = &code.instructions[at];
    let known = |at: Option<u32>| at.and_then(|at| before.get(at as usize)).copied();
    let behind = |at: Option<u32>| known(at.map(|at| at + 1)).unwrap_or(ALL);
    let next = before[at + 1];
    let after = match code.links[at] {
        Some(Link::If { otherwise: Some(otherwise), .. }) => next | behind(Some(otherwise)),
        Some(Link::If { otherwise: None, end }) => next | known(end).unwrap_or(ALL),
        Some(Link::Else { end, .. }) => known(end).unwrap_or(ALL),
        Some(Link::EndIf { .. } | Link::Loop { .. }) => next,
        Some(Link::EndLoop { open }) => behind(Some(open)),
        Some(Link::Leave { open }) if instruction.name() == "continue" => next | behind(Some(open)),
        Some(Link::Leave { open }) => match code.links[open as usize] {
            Some(Link::Loop { end }) => next | behind(end),
            _ => ALL,
        },
        None => match instruction.name() {
            "halt" if instruction.guard.is_none() => 0,
            // Whoever is called, or has called, may read all.
            "call" | "return" | "" => ALL,
            _ => next,
        },
    };
    let bits = |cells: &mut dyn Iterator<Item = Cell>| {
        cells.fold(0, |bits, cell| match cell {
            Cell::Predicate(index) => bits | 1 << index,
            Cell::General(_) => bits,
        })
    };
    // A guard leaves some lanes as they were.
    let written = if instruction.guard.is_none() { bits(&mut instruction.writes()) } else { 0 };
    let read = if instruction.complete { bits(&mut instruction.reads()) } else { ALL };
    after & !written | read
}

#[cfg(test)]
mod tests {
    use warplens_syntax::ast::AstNode;
    use warplens_syntax::wave::ast;
    use warplens_syntax::{Language, parse_file};

    use super::*;

    /// For each instruction the predicates that are read at it or later.
    fn live(statements: &str) -> Vec<String> {
        let file = parse_file(Language::Wave, &format!(".kernel k\n{statements}\n.end\n"));
        let item = file.syntax().children().find_map(ast::Item::cast).expect("a kernel");
        let code = super::super::lower(&item);
        let live = LivePredicates::of(&code);
        let at = |at: usize| (0..4).filter(|p| live.before(at, *p)).map(|p| format!("p{p}")).collect();
        (0..code.instructions.len()).map(at).collect()
    }

    #[test]
    fn sides_and_trips() {
        assert_eq!(
            live("loop\nif p0\nicmp.lt p1, r0, r1\nelse\nbreak p2\nendif\nendloop\nif p1\nnop\nendif\nhalt"),
            ["p0p1p2", "p0p1p2", "p0p2", "p0p1p2", "p0p1p2", "p0p1p2", "p0p1p2", "p1", "", "", ""]
        );
    }

    #[test]
    fn guards_keep_what_was_there() {
        assert_eq!(
            live("@p1 icmp.lt p0, r0, r1\nicmp.lt p1, r0, r1\nif p0\nendif\nhalt"),
            ["p0p1", "p0", "p0", "", ""]
        );
    }

    #[test]
    fn callers_and_callees_may_read_all() {
        assert_eq!(live("call f\nhalt\nf: nop\nreturn"), ["p0p1p2p3", "", "p0p1p2p3", "p0p1p2p3"]);
    }
}
