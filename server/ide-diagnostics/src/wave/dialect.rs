//! Rewrites WAVE in another dialect: one instruction, for a quick fix, and whole files.
//!
//! The semantics are those of the guide and do not change. The name determines the order of operands: a store with a dot
//! has the value first, as in the guide, one with an underscore the address, as in the toolchain. Hovers, checks, the
//! simulator and this module use the same tables.

mod constants;
mod edits;
mod guide;
mod item;
mod line;
mod lines;
mod logic;
mod names;
mod registers;
mod structure;
mod toolchain;

use warplens_hir::wave::Code;
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Database, File, TextEdit, placed_items};
use warplens_syntax::ItemKind;

pub(crate) use crate::wave::dialect::edits::Edits;
use crate::wave::dialect::edits::in_order;
pub(crate) use crate::wave::dialect::guide::{instruction as in_guide, size as size_in_guide};
use crate::wave::dialect::item::Written;
pub(crate) use crate::wave::dialect::names::{fewer_registers, other_guard, other_register};
pub(crate) use crate::wave::dialect::toolchain::{Rewriter, size as size_in_toolchain};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `icmp.lt p0, r0, 5`
    Guide,
    /// `icmp_lt p0, r0, r1`
    Toolchain,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    pub edits: Vec<TextEdit>,
    /// The code without an equivalent, in text order.
    pub left: Vec<NotRewritten>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRewritten {
    /// Its line, from 0, in the file after the edits.
    pub line: u32,
    /// The reason, and a workaround.
    pub message: String,
}

pub fn rewrite_in_dialect(db: &Database, file: File, dialect: Dialect) -> Rewritten {
    let mut rewritten = Rewritten::default();
    let (mut lines, mut kernels) = (0, 0);
    for (item, start) in placed_items(db, file) {
        let code = wave_code(db, item);
        let text = &item.text(db).0;
        let edits = match dialect {
            Dialect::Guide => item_in_guide(text, &code),
            Dialect::Toolchain => {
                let written = Written::new(text, &code);
                let is_kernel = item.kind(db) == ItemKind::Kernel;
                kernels += usize::from(is_kernel);
                let left = written.left(is_kernel && kernels > 1).into_iter();
                rewritten.left.extend(
                    left.map(|(line, message)| NotRewritten { line: (lines + line) as u32, message }),
                );
                lines += written.text.matches('\n').count();
                written.edits
            }
        };
        let edits = edits.into_iter().map(|(range, insert)| TextEdit { range: range + start, insert });
        rewritten.edits.extend(edits);
    }
    rewritten
}

/// The edits that rewrite a whole item for the toolchain; `None` if its exits of single lanes cannot be rewritten.
pub fn structure_in_toolchain(text: &str, code: &Code) -> Option<Edits> {
    let written = Written::new(text, code);
    written.is_restructured.then_some(written.edits)
}

fn item_in_guide(text: &str, code: &Code) -> Edits {
    let sizes = (0..code.sizes.len()).filter_map(|at| size_in_guide(text, code, at));
    let instructions = (0..code.instructions.len()).filter_map(|at| in_guide(text, code, at));
    in_order(sizes.chain(instructions.flatten()))
}
