//! How users call the forms of PTX instructions, and what the forms accept.

use warplens_isa::ptx::{Instruction, OperandKind};

pub fn accepts(entry: &Instruction, modifier: &str) -> bool {
    entry.accepts(modifier) || entry.types.iter().any(|ty| Some(*ty) == modifier.strip_prefix('.'))
}

pub fn kind_name(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Register => "register",
        OperandKind::Predicate => "predicate",
        OperandKind::NotPredicate => "negated predicate `!p`",
        OperandKind::SpecialRegister => "special register",
        OperandKind::Immediate => "constant",
        OperandKind::Address => "address `[…]`",
        OperandKind::Vector => "vector `{…}`",
        OperandKind::Sink => "`_`",
        OperandKind::Symbol => "variable or function",
        OperandKind::Parameter => "parameter",
        OperandKind::Label => "label",
        OperandKind::LabelAddress => "address of a label",
        OperandKind::Texture => "texture",
        OperandKind::Sampler => "sampler",
        OperandKind::Surface => "surface",
    }
}
