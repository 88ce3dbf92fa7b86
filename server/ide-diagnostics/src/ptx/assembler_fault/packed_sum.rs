//! `add.s16x2` and `add.u16x2` of a constant: an assembler that sees that one half of the sum is not used adds 0 instead.

use warplens_hir::ptx::{Instruction, Mnemonic, Operand};

use super::values::{Value, Values};

pub(super) fn is_packed(mnemonic: &Mnemonic) -> bool {
    mnemonic.opcode == "add" && (*mnemonic.modifiers == ["s16x2"] || *mnemonic.modifiers == ["u16x2"])
}

pub(super) fn find(values: &mut Values<'_>, instruction: Instruction<'_>) -> bool {
    let (&[Operand::Register { name, component: None }, one, other], true) =
        (instruction.operands(), is_packed(instruction.mnemonic()))
    else {
        return false;
    };
    let constant = [one, other].into_iter().find_map(|operand| {
        let value = values.read(operand);
        if let Value::Constant(value) = values.get(value) { Some(value) } else { None }
    });
    let Some(constant) = constant else { return false };
    match values.used_halves(name) {
        Some([true, false]) => constant & 0xffff != 0,
        Some([false, true]) => constant >> 16 & 0xffff != 0,
        _ => false,
    }
}
