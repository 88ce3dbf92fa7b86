//! Operands as they are printed.

use smol_str::SmolStr;
use text_size::TextRange;

use super::register::Register;

/// An operand: a value, with what is written before and after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// Its range.
    pub range: TextRange,
    /// `-R3`. The sign of a number is a part of the number.
    pub negated: bool,
    /// `~R3`
    pub inverted: bool,
    /// `!P0`
    pub not: bool,
    /// `|R3|`
    pub absolute: bool,
    /// `R3.reuse`
    pub reuse: bool,
    /// The value.
    pub value: Value,
    /// The words after dots, `reuse` aside, in order: `H0_H0`, `CC`, `F32x2`; the first of them in the words of the function.
    pub first_suffix: u32,
    /// How many.
    pub suffix_count: u8,
}

impl Operand {
    /// The register that the operand is, if it is one.
    #[must_use]
    pub fn register(&self) -> Option<Register> {
        match self.value {
            Value::Register(register) => Some(register),
            _ => None,
        }
    }

    /// Whether it has a sign or another operator.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !(self.negated || self.inverted || self.not || self.absolute)
    }
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `R3`, `UP0`, `B2`
    Register(Register),
    /// `SR_TID.X`, `SRZ`
    Special(SmolStr),
    /// A number.
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
    /// `CC`: all flags
    Flags,
    /// `{0,2}`: a bit each
    Set(u32),
    /// Any other word: `PR`, `2D`, `MACTIVE`, `ATEXIT_PC`
    Word(SmolStr),
    /// Tokens that form no operand.
    Unknown,
}

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Immediate {
    /// `-0x1`, with its sign
    Integer(i64),
    /// `1.5`, `-INF`; `0` and `1` without `0x` too
    Float(f64),
    /// `+QNAN`, `-SNAN`: a NaN whose bits the text does not have
    NotANumber {
        /// Its sign.
        negative: bool,
        /// Whether it is a signalling one.
        signalling: bool,
    },
}

/// A place in a constant bank.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The bank. None where a symbol stands for it, or a register does.
    pub bank: Option<u32>,
    /// `UR4` of `cx[UR4][0x10]`
    pub descriptor: Option<Register>,
    /// The register that is added to the offset.
    pub register: Option<Register>,
    /// The offset in bytes.
    pub offset: i64,
    /// `` `(sym) `` of ``c[0x3][`(sym)]``
    pub symbol: Option<Symbol>,
}

/// An address in memory: the sum of its terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Address {
    /// The word before the brackets: `desc`, `gdesc`, `idesc`, `tmem`, `a`; mostly empty.
    pub prefix: SmolStr,
    /// `UR4` of `desc[UR4][R2.64]`
    pub descriptor: Option<Register>,
    /// The registers, in order.
    pub terms: Vec<AddressTerm>,
    /// The sum of the numbers.
    pub offset: i64,
    /// `` `(sym) ``
    pub symbol: Option<Symbol>,
}

/// A register of an address.
#[derive(Debug, Clone, PartialEq)]
pub struct AddressTerm {
    /// The register.
    pub register: Register,
    /// Its range.
    pub range: TextRange,
    /// Whether it is subtracted.
    pub negated: bool,
    /// Whether it is a pair: `R2.64`.
    pub is_wide: bool,
    /// Whether it is extended with zeros: `R2.U32`.
    pub is_unsigned: bool,
    /// Its factor: 4 of `R2.X4`.
    pub scale: u8,
}

/// A symbol, or an expression with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// `.L_x_0`, `k`
    pub name: SmolStr,
    /// Its range, without the backquote and parentheses.
    pub range: TextRange,
    /// The number that is added.
    pub addend: i64,
    /// Which part of the value.
    pub part: Part,
    /// The function of `(fn + .L_x_0@srel)`.
    pub base: Option<SmolStr>,
}

/// The part of a symbol's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// `32@lo(...)`
    Low,
    /// `32@hi(...)`
    High,
    /// `fun@fdesc(...)`: the descriptor of a function
    Descriptor,
}

/// A target that a register has a part in.
#[derive(Debug, Clone, PartialEq)]
pub struct RegisterTarget {
    /// The register.
    pub register: Register,
    /// Its range.
    pub range: TextRange,
    /// The number that is added.
    pub offset: i64,
    /// The function or label that is added.
    pub symbol: Option<Symbol>,
}

/// A test of the condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Condition(pub u8);

impl Condition {
    /// The names of the tests, by their numbers.
    pub const NAMES: [&'static str; 32] = [
        "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
        "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT", "CSM_TA", "CSM_TR", "CSM_MX", "FCSM_TA",
        "FCSM_TR", "FCSM_MX", "RLE", "RGT",
    ];

    /// The test with a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Condition> {
        let number = Condition::NAMES.iter().position(|known| *known == name)?;
        Some(Condition(number as u8))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Condition::NAMES[usize::from(self.0) % 32]
    }

    /// Whether it depends on the state of graphics.
    #[must_use]
    pub const fn is_of_graphics(self) -> bool {
        self.0 >= 24
    }
}
