//! WAVE in another of its spellings: one instruction, for a quick fix, and whole files.
//!
//! The meaning stays what the guide gives it. Which order of operands is meant is told by the name: a store with a dot has the value
//! first, as the guide writes it, one with an underscore the address, as the toolchain does; hovers, checks, the simulator
//! and this go by the same tables.

mod guide;
mod line;
mod logic;
mod names;
mod toolchain;

use text_size::TextRange;
use warplens_hir::wave::Code;

use crate::answer::TextEdit;
use crate::db::{Database, File, items, wave_code};
pub(crate) use guide::{instruction as in_guide, size as size_in_guide};
use names::Names;
pub(crate) use names::{other_guard, other_register};
pub(crate) use toolchain::{Rewriter, size as size_in_toolchain};

/// The two spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `icmp.lt p0, r0, 5`
    Guide,
    /// `icmp_lt p0, r0, r1`
    Toolchain,
}

/// Edits of an item's text; none of them touch each other.
pub(crate) type Edits = Vec<(TextRange, String)>;

/// The edits that write a whole file in a spelling, as far as it can be written so.
pub(crate) fn respell(db: &Database, file: File, spelling: Spelling) -> Vec<TextEdit> {
    let list = file.document(db).items();
    let mut found = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let start = list.start_of(index);
        let code = wave_code(db, *item);
        let text = &item.text(db).0;
        let edits = match spelling {
            Spelling::Guide => item_in_guide(text, &code),
            Spelling::Toolchain => item_in_toolchain(text, &code),
        };
        let edits = edits.into_iter().map(|(range, insert)| TextEdit { range: range + start, insert });
        found.extend(edits);
    }
    found
}

fn item_in_guide(text: &str, code: &Code) -> Edits {
    let sizes = (0..code.sizes.len()).filter_map(|at| size_in_guide(text, code, at));
    let instructions = (0..code.instructions.len()).filter_map(|at| in_guide(text, code, at));
    in_order(sizes.chain(instructions.flatten()))
}

fn item_in_toolchain(text: &str, code: &Code) -> Edits {
    let rewriter = Rewriter::new(text, code).renaming(Names::new(code));
    let sizes = (0..code.sizes.len()).filter_map(|at| size_in_toolchain(code, at));
    let instructions = (0..code.instructions.len()).flat_map(|at| rewriter.instruction_or_names(at));
    in_order(sizes.chain(instructions))
}

/// In the order of the text, and what several instructions want once.
fn in_order(edits: impl Iterator<Item = (TextRange, String)>) -> Edits {
    let mut edits: Edits = edits.collect();
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    edits.dedup();
    edits
}
