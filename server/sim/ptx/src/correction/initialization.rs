//! The first value of a register that is read before it is written.

use warplens_sim_warp::Correction;
use warplens_sim_warp::trace::{Finding, StatementId};

use super::paths;
use crate::program::{Function, Guard, Program, Register, RegisterSlot};

/// How many registers are tried.
const MOST: usize = 4;

/// A `mov` of zero at the start of the function, for each register that the statement or its related ones may find unwritten.
pub(super) fn corrections(program: &Program, finding: &Finding) -> Vec<Correction> {
    let related = finding.related.iter().map(|related| related.statement);
    let mut found: Vec<Correction> = Vec::new();
    for at in finding.statement.into_iter().chain(related) {
        let Some((number, pc)) = program.locate(at) else { continue };
        let function = &program.functions[number];
        let registers =
            function.registers_of(pc).iter().filter(|register| is_unwritten(function, pc, **register));
        for register in registers {
            let Some(text) = zero(&function.frame.registers[*register as usize]) else { continue };
            let correction = Correction::insertion(&text, StatementId(function.first_statement), false);
            if !found.contains(&correction) {
                found.push(correction);
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Whether a path leads to a statement on which no statement surely writes a register.
fn is_unwritten(function: &Function, pc: u32, register: u32) -> bool {
    let writes = |at: u32| {
        let is_sure = function.code[at as usize].guard == Guard::ALWAYS;
        is_sure && function.writes_of(at).contains(&register)
    };
    let next = |at: u32| match (at as usize) < function.code.len() && !writes(at) {
        true => paths::successors(function, at),
        false => Vec::new(),
    };
    paths::reaches(function, vec![0], &next, &|at| at == pc)
}

fn zero(register: &Register) -> Option<String> {
    let ty = match (register.place, register.bits) {
        (RegisterSlot::Predicate(_), _) => "pred",
        (_, 16) => "b16",
        (_, 32) => "b32",
        (_, 64) => "b64",
        _ => return None,
    };
    Some(format!("mov.{ty} {}, 0;", register.name))
}
