//! Whether a kernel stores values that it computes from a parameter itself, for example from an address.

use rustc_hash::FxHashSet;
use warplens_hir::ptx::{Function, Instruction, NameRef, Operand, ReferentId, Role, SymbolId};

/// Whether the value of a parameter is stored in memory, rather than only used as the address of an access. Values that are
/// loaded from there do not count, nor do branches.
pub(super) fn is_stored(function: &Function, parameter: SymbolId) -> bool {
    let mut registers: FxHashSet<ReferentId> = FxHashSet::default();
    loop {
        let before = registers.len();
        for instruction in function.instructions() {
            let uses = |name: &NameRef<'_>| {
                registers.contains(&name.referent) || name.resolution.symbol() == Some(parameter)
            };
            if !reads(function, instruction).any(|name| uses(&name)) {
                continue;
            }
            match instruction.opcode() {
                "st" | "red" | "atom" if stores(function, instruction, &registers) => return true,
                "ld" if !instruction.has("param") => {}
                "st" | "red" | "atom" | "ldu" | "setp" => {}
                _ => {
                    let written = function.names_of(instruction).filter(|name| name.role.writes());
                    registers.extend(written.map(|name| name.referent).collect::<Vec<_>>());
                }
            }
        }
        if registers.len() == before {
            return false;
        }
    }
}

/// The names that an instruction reads, except in its guard.
fn reads<'f>(
    function: &'f Function,
    instruction: Instruction<'f>,
) -> impl Iterator<Item = NameRef<'f>> + use<'f> {
    let start = instruction.opcode_range().start();
    let names = function.names_of(instruction).filter(move |name| name.range.start() >= start);
    names.filter(|name| matches!(name.role, Role::Read | Role::ReadWrite))
}

/// Whether an operand of a store, other than its address, is one of the registers.
fn stores(function: &Function, instruction: Instruction<'_>, registers: &FxHashSet<ReferentId>) -> bool {
    let is_register = |operand: &Operand| matches!(operand, Operand::Register { name, .. } if registers.contains(&function.referent(*name)));
    let is_one = |operand: &Operand| match operand {
        Operand::Vector(list) => function.operands(*list).iter().any(is_register),
        operand => is_register(operand),
    };
    let is_address = |operand: &&Operand| matches!(operand, Operand::Address { .. });
    instruction.operands().iter().filter(|operand| !is_address(operand)).any(is_one)
}
