//! What an instruction does with each of its operands: the one place that says which names are read, written, called or
//! branched to. The tables of isa say it, except for control flow, whose operands are no values.

use warplens_isa::ptx as isa;

use super::{Mnemonic, Role};

/// The roles of the operands of one instruction.
#[derive(Debug, Clone, Copy)]
pub enum Roles {
    /// `bra`: the operand is a label.
    Branch,
    /// `call`: the callee comes first, or second after the results.
    Call {
        /// Whether results stand in front.
        has_results: bool,
    },
    /// What the entry of the instruction set says.
    Entry(&'static isa::Instruction),
    /// Not an instruction: everything counts as read.
    Unknown,
}

impl Roles {
    /// The roles for an instruction with so many operands, the first of which may be a list in parentheses.
    pub fn of(mnemonic: &Mnemonic, operands: usize, first_is_list: bool) -> Roles {
        match &*mnemonic.opcode {
            "bra" => Roles::Branch,
            "call" => Roles::Call { has_results: first_is_list },
            _ => entry(mnemonic, operands).map_or(Roles::Unknown, Roles::Entry),
        }
    }

    /// What happens to the registers of an operand that stand outside brackets. Registers in an address are read; a
    /// variable in an address takes the role of the operand, since it is that memory which is read or written.
    pub fn role(self, operand: usize) -> Role {
        match self {
            Roles::Branch => Role::Target,
            Roles::Call { has_results: true } if operand == 0 => Role::Write,
            Roles::Call { has_results } if operand == usize::from(has_results) => Role::Call,
            Roles::Call { .. } | Roles::Unknown => Role::Read,
            Roles::Entry(entry) => match entry.operands.get(operand).map(|operand| operand.role) {
                Some(warplens_isa::Role::Write) => Role::Write,
                Some(warplens_isa::Role::Both) => Role::ReadWrite,
                Some(warplens_isa::Role::Read) | None => Role::Read,
            },
        }
    }
}

/// The entry that fits best: the most words in common, then a fitting number of operands, then the modifiers it knows.
pub fn entry(mnemonic: &Mnemonic, operands: usize) -> Option<&'static isa::Instruction> {
    let fitting = isa::by_opcode(&mnemonic.opcode).iter().filter(|entry| {
        let words = entry.words.iter().map(|word| word.trim_start_matches('.'));
        words.clone().count() <= mnemonic.modifiers.len()
            && words.zip(&mnemonic.modifiers).all(|(word, modifier)| word == modifier)
    });
    let known = |entry: &isa::Instruction| {
        let known = |modifier: &&smol_str::SmolStr| {
            entry.vocabulary.binary_search_by(|word| word.trim_start_matches('.').cmp(modifier)).is_ok()
        };
        mnemonic.modifiers.iter().filter(known).count()
    };
    let takes = |entry: &isa::Instruction| {
        let required = entry.operands.iter().filter(|operand| !operand.optional).count();
        (required..=entry.operands.len()).contains(&operands)
    };
    // The first of equals, so that the order of the tables decides.
    fitting.copied().rev().max_by_key(|entry| (entry.words.len(), takes(entry), known(entry)))
}
