//! `unknown-instruction`: an opcode that no instruction has.

use warplens_ide_db::{did_you_mean, nearest};
use warplens_isa::ptx as isa;

use crate::ptx::verdict::Verdict;

pub(super) fn verdict(opcode: &str) -> Verdict {
    let lower = opcode.to_ascii_lowercase();
    if lower != opcode && !isa::by_opcode(&lower).is_empty() {
        let message = format!("unknown instruction `{opcode}`; opcodes are lower case: write `{lower}`");
        return Verdict { modifier: None, message, meant: Some(lower) };
    }
    let meant = nearest(opcode, isa::opcodes().iter().copied());
    let message = format!("unknown instruction `{opcode}`{}", did_you_mean(meant));
    Verdict { modifier: None, message, meant: meant.map(str::to_owned) }
}
