//! `asm-unused-operand`: an operand that the template does not use.

use rustc_hash::FxHashSet;
use warplens_host::{Dialect, Direction, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::diagnostic;
use crate::codes;

/// A statement with more than this many times the operands that it uses leaves the others unused on purpose.
const MANY: usize = 4;

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    if !statement.knows_operands || statement.template.holes() > 0 {
        return;
    }
    let parts = parts(statement);
    // The wrong number is meant for the operand that seems unused.
    if parts.iter().any(|part| part.kind == PartKind::Operand(None)) {
        return;
    }
    let used: FxHashSet<usize> = parts
        .into_iter()
        .filter_map(|part| if let PartKind::Operand(index) = part.kind { index } else { None })
        .collect();
    let tied: FxHashSet<usize> = statement.operands.iter().filter_map(|operand| operand.tied()).collect();
    // A template without any of its operands, or with few of many, has them for their dependencies.
    if used.is_empty() || statement.operands.len() > MANY * used.len() {
        return;
    }
    for (index, operand) in statement.operands.iter().enumerate() {
        // An operand that is read and written may be there for its dependency alone.
        let is_idle =
            operand.direction == Direction::Both || operand.tied().is_some() || tied.contains(&index);
        if used.contains(&index) || is_idle || is_asked_for(statement, index, &used) {
            continue;
        }
        let what = if operand.direction == Direction::Input { "input" } else { "output" };
        let effect = if operand.direction == Direction::Input {
            "has no effect on the result"
        } else {
            "is never written, so the variable gets an undefined value"
        };
        let message = format!("the template never uses {what} {index}, which {effect}; use it or remove it");
        found.push(diagnostic(&operand.range, Severity::Warning, codes::ASM_UNUSED_OPERAND, message));
    }
}

/// Whether the host asks for the operand: Triton needs a result, arguments that give the shape, and copies for `pack`.
fn is_asked_for(statement: &Statement, index: usize, used: &FxHashSet<usize>) -> bool {
    let uses_an_input = || used.iter().any(|index| statement.operands[*index].direction == Direction::Input);
    match statement.dialect {
        Dialect::Triton => {
            let is_output = statement.operands[index].direction == Direction::Output;
            let is_single = statement.pack.is_some_and(|pack| pack.elements == 1);
            is_output || !is_single || !uses_an_input()
        }
        _ => false,
    }
}
