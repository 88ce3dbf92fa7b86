//! Operands as they are printed.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_isa::sass as isa;

use super::register::Register;

/// An operand: a value with the operators before it and the suffixes after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    pub range: TextRange,
    /// `-R3`. The sign of a number is part of the number instead.
    pub negated: bool,
    /// `~R3`
    pub inverted: bool,
    /// `!P0`
    pub not: bool,
    /// `|R3|`
    pub absolute: bool,
    /// `R3.reuse`
    pub reuse: bool,
    pub value: Value,
    /// The index of the first suffix in the words of the function. Suffixes are the words after dots except
    /// `reuse`: `H0_H0`, `CC`, `F32x2`.
    pub first_suffix: u32,
    pub suffix_count: u8,
}

impl Operand {
    /// The register, if the operand is nothing else.
    pub fn register(&self) -> Option<Register> {
        match self.value {
            Value::Register(register) => Some(register),
            _ => None,
        }
    }

    /// Whether the operand has neither a sign nor another operator.
    pub fn is_plain(&self) -> bool {
        !(self.negated || self.inverted || self.not || self.absolute)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `R3`, `UP0`, `B2`
    Register(Register),
    /// `SR_TID.X`, `SRZ`
    Special(SmolStr),
    Immediate(Immediate),
    /// `c[0x0][0x160]`
    Constant(Constant),
    /// `[R2.64+0x10]`, `desc[UR4][R2.64]`
    Address(Box<Address>),
    /// `` `(.L_x_0) ``, `32@lo(...)`, a plain label
    Symbol(Symbol),
    /// `REL:0x28`, relative to the next instruction
    Relative(i64),
    /// `ABS:0xCA80`
    Absolute(i64),
    /// `R4 -0xb0`, `R20 0x0`, ``R20 `(votes)``
    RegisterTarget(Box<RegisterTarget>),
    /// `CC.EQ`
    Condition(Condition),
    /// `CC.FOO`, which is not a test
    UnknownTest(SmolStr),
    /// `CC`, which means all flags
    Flags,
    /// `{0,2}`, one bit for each element
    Set(u32),
    /// Any other word: `PR`, `2D`, `MACTIVE`, `ATEXIT_PC`
    Word(SmolStr),
    /// Tokens that form no operand.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Immediate {
    /// `-0x1`, including its sign
    Integer(i64),
    /// `1.5`, `-INF`; also `0` and `1` without `0x`, unless the instruction computes with integers
    Float(f64),
    /// `+QNAN`, `-SNAN`: a NaN whose bits are not in the text
    NotANumber { negative: bool, signaling: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The bank; `None` if a symbol or a register stands for it.
    pub bank: Option<u32>,
    /// `UR4` in `cx[UR4][0x10]`
    pub descriptor: Option<Register>,
    pub register: Option<Register>,
    pub offset: i64,
    /// `` `(sym) `` in ``c[0x3][`(sym)]``
    pub symbol: Option<Symbol>,
}

/// An address in memory: the sum of its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Address {
    /// The word before the brackets: `desc`, `gdesc`, `idesc`, `tmem`, `a`; usually empty.
    pub prefix: SmolStr,
    /// `UR4` in `desc[UR4][R2.64]`
    pub descriptor: Option<Register>,
    pub terms: Vec<AddressTerm>,
    /// The sum of the numbers.
    pub offset: i64,
    /// `` `(sym) ``
    pub symbol: Option<Symbol>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AddressTerm {
    pub register: Register,
    pub range: TextRange,
    pub negated: bool,
    /// Whether the register is a pair: `R2.64`.
    pub is_wide: bool,
    /// Whether the register is zero-extended: `R2.U32`.
    pub is_unsigned: bool,
    /// The factor, such as 4 in `R2.X4`.
    pub scale: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// `.L_x_0`, `k`
    pub name: SmolStr,
    /// The range without the backquote and parentheses.
    pub range: TextRange,
    pub addend: i64,
    pub part: Part,
    /// The function in `(fn + .L_x_0@srel)`.
    pub base: Option<SmolStr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// `32@lo(...)`
    Low,
    /// `32@hi(...)`
    High,
    /// `fun@fdesc(...)`, the descriptor of a function
    Descriptor,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RegisterTarget {
    pub register: Register,
    pub range: TextRange,
    pub offset: i64,
    pub symbol: Option<Symbol>,
}

/// A test of the condition code, by its number in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition(pub u8);

impl Condition {
    pub fn parse(name: &str) -> Option<Condition> {
        // Documents also write `CC.TRUE` and `CC.FALSE`.
        let name = match name {
            "TRUE" => "T",
            "FALSE" => "F",
            name => name,
        };
        let number = isa::conditions().iter().position(|test| test.name == name)?;
        Some(Condition(number as u8))
    }

    pub fn name(self) -> &'static str {
        isa::conditions()[usize::from(self.0)].name
    }

    /// Whether the test depends on graphics state.
    pub const fn is_of_graphics(self) -> bool {
        self.0 >= 24
    }
}
