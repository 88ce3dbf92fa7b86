//! From a WAVE kernel to its decoded form and the places of its statements.

use text_size::TextSize;
use warplens_hir::wave::{Code, Link};
use warplens_sim::{StatementId, wave};

use super::statement::{Flow, Statement};

/// Decodes a kernel whose item starts at `start`.
pub(crate) fn decode_wave(code: &Code, start: TextSize) -> (wave::Program, Vec<Statement>) {
    let statement = |(index, instruction): (usize, &warplens_hir::wave::Instruction)| Statement {
        range: instruction.range + start,
        opcode: instruction.mnemonic_range + start,
        flow: flow(code, index),
        registers: Box::default(),
    };
    (wave::decode(code), code.instructions.iter().enumerate().map(statement).collect())
}

/// Lanes that an `if` parts meet at its `endif`; those that leave a loop meet the others behind its `endloop`.
fn flow(code: &Code, index: usize) -> Flow {
    let statement = |at: u32| ((at as usize) < code.instructions.len()).then_some(StatementId(at));
    match code.links.get(index).copied().flatten() {
        Some(Link::If { end, .. }) => Flow::Branch { meets: end.and_then(statement) },
        Some(Link::Leave { open }) => {
            let end = match code.links.get(open as usize).copied().flatten() {
                Some(Link::Loop { end }) => end,
                _ => None,
            };
            Flow::Branch { meets: end.and_then(|end| statement(end + 1)) }
        }
        _ => Flow::Plain,
    }
}
