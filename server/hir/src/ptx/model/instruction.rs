//! Mnemonics, guards and operands, and the stored form of instructions.

use std::ops::Range;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};

use super::{ConstantId, MnemonicId, NameId};

/// An opcode and its modifiers. Equal mnemonics share one entry of a function, so work that depends only on
/// the mnemonic can be done once per entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mnemonic {
    pub opcode: SmolStr,
    /// `global`, `v4`, `f32`, `shared::cluster` …: in text order, without dots.
    pub modifiers: Box<[SmolStr]>,
}

impl Mnemonic {
    /// Whether the mnemonic has this modifier, given without its dot.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|have| have == modifier)
    }
}

/// The mnemonic as written: `ld.global.v4.f32`.
impl std::fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.opcode)?;
        self.modifiers.iter().try_for_each(|modifier| write!(f, ".{modifier}"))
    }
}

/// The predicate in front of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    pub name: NameId,
    pub negated: bool,
}

/// The stored form of an instruction. There is one for every 30 to 50 bytes of text, so it is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InstructionData {
    pub(crate) range: TextRange,
    pub(crate) opcode_start: TextSize,
    pub(crate) mnemonic: MnemonicId,
    first_operand: u32,
    guard: NameId,
    operands: u16,
    guarded: Guarded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guarded {
    No,
    Yes,
    Negated,
}

impl InstructionData {
    pub(crate) fn new(
        range: TextRange,
        opcode_start: TextSize,
        mnemonic: MnemonicId,
        operands: Range<usize>,
        guard: Option<Guard>,
    ) -> InstructionData {
        InstructionData {
            range,
            opcode_start,
            mnemonic,
            first_operand: operands.start as u32,
            guard: guard.map_or(NameId::FIRST, |guard| guard.name),
            operands: clamped(operands.len()),
            guarded: match guard {
                None => Guarded::No,
                Some(Guard { negated: false, .. }) => Guarded::Yes,
                Some(Guard { negated: true, .. }) => Guarded::Negated,
            },
        }
    }

    pub(crate) fn operands(&self) -> Range<usize> {
        self.first_operand as usize..self.first_operand as usize + usize::from(self.operands)
    }

    pub(crate) fn guard(&self) -> Option<Guard> {
        match self.guarded {
            Guarded::No => None,
            Guarded::Yes => Some(Guard { name: self.guard, negated: false }),
            Guarded::Negated => Some(Guard { name: self.guard, negated: true }),
        }
    }
}

/// Longer lists are cut off, because no instruction accepts them. The names in them are recorded anyway.
fn clamped(len: usize) -> u16 {
    u16::try_from(len).unwrap_or(u16::MAX)
}

/// One operand, small and passed by value; nested operands are looked up in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register of the function: [`Resolution::Symbol`](super::Resolution::Symbol) or
    /// [`Indexed`](super::Resolution::Indexed).
    Register {
        name: NameId,
        /// `.x` of a vector register, or the byte or half selector in a video instruction.
        component: Option<Component>,
    },
    Special {
        name: NameId,
        /// `.x` of `%tid.x`.
        component: Option<Component>,
    },
    /// A variable, parameter, table, prototype, label or function, of this function or of the module, or an
    /// unknown name. The resolution of the occurrence tells which.
    Symbol(NameId),
    /// A literal or a constant expression, including `WARP_SZ`.
    Constant(ConstantId),
    /// `{a, b}`
    Vector(OperandList),
    /// `(a, b)` of a call.
    Arguments(OperandList),
    /// `p|q`, a list of two operands.
    Pair(OperandList),
    /// `!p`, a list of one operand.
    Not(OperandList),
    /// `-r`, a list of one operand.
    Negated(OperandList),
    /// `[a+4]`, `[a, {x, y}]`, `a[4]`, `a+4`: see [`Function::address`](super::Function::address).
    Address {
        form: AddressForm,
        /// The parts; read them with [`Function::address`](super::Function::address).
        parts: OperandList,
    },
    Sink,
    /// Text that did not parse; the tree has an error for it.
    Missing,
}

/// A list of operands inside another operand; see [`Function::operands`](super::Function::operands).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OperandList(pub(crate) u32);

/// The range of a list in the operand table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListData {
    start: u32,
    len: u16,
}

impl ListData {
    pub(crate) fn new(operands: Range<usize>) -> ListData {
        ListData { start: operands.start as u32, len: clamped(operands.len()) }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.len)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressForm {
    /// `[a+4]`
    Bracketed,
    /// `a+4`
    Sum,
    /// `a[4]`, `a[%r1+4]`
    Subscript,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address<'f> {
    /// `Register`, `Symbol`, or a `Constant` for an absolute address.
    pub base: Operand,
    /// The index register in `a[r+4]`.
    pub index: Option<Operand>,
    /// The sum of the constants.
    pub offset: i64,
    /// `a[4]`: index and offset count elements of the base instead of bytes.
    pub in_elements: bool,
    /// The operands after the first comma inside the brackets: coordinates of textures, surfaces and tensors,
    /// cache policies.
    pub rest: &'f [Operand],
}

/// A selector after a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Component {
    X,
    Y,
    Z,
    W,
    /// Byte selectors of the video instructions.
    B0,
    B1,
    B2,
    B3,
    /// Half selectors of the video instructions.
    H0,
    H1,
    /// Two to four bytes: `.b7210`.
    Bytes(Bytes),
    /// Two halves, a hexadecimal digit each: `.h32` is 0x32.
    Halves(u8),
    /// A word that is no selector.
    Other,
}

impl Component {
    /// Parses a selector, given without its dot. `.r .g .b .a` mean `.x .y .z .w`.
    pub fn from_name(name: &str) -> Component {
        match name {
            "x" | "r" => Component::X,
            "y" | "g" => Component::Y,
            "z" | "b" => Component::Z,
            "w" | "a" => Component::W,
            "b0" => Component::B0,
            "b1" => Component::B1,
            "b2" => Component::B2,
            "b3" => Component::B3,
            "h0" => Component::H0,
            "h1" => Component::H1,
            _ => Component::several(name).unwrap_or(Component::Other),
        }
    }

    fn several(name: &str) -> Option<Component> {
        let (kind, digits) = name.split_at_checked(1)?;
        let most = if kind == "b" { '7' } else { '3' };
        let value = u16::from_str_radix(digits, 16).ok()?;
        let all = digits.chars().all(|digit| ('0'..=most).contains(&digit));
        match (kind, digits.len()) {
            ("b", 2..=4) if all => Some(Component::Bytes(Bytes::new(value, digits.len()))),
            ("h", 2) if all => Some(Component::Halves(value as u8)),
            _ => None,
        }
    }

    /// The index of a vector element: 0 to 3 for `.x` to `.w`.
    pub fn element(self) -> Option<usize> {
        Some(match self {
            Component::X => 0,
            Component::Y => 1,
            Component::Z => 2,
            Component::W => 3,
            _ => return None,
        })
    }
}

/// The bytes of two words, numbered 0 to 7, in the order of a selector. Packed, because every operand can
/// contain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bytes([u8; 2]);

impl Bytes {
    /// Fills the leading digits if a selector has fewer than four.
    const NONE: u16 = 0xf;

    fn new(digits: u16, count: usize) -> Bytes {
        let none = (count..4).fold(0, |none, index| none | Self::NONE << (4 * index));
        Bytes((digits | none).to_le_bytes())
    }

    /// The byte numbers, for the lowest lane first.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        let digits = u16::from_le_bytes(self.0);
        (0..4)
            .map(move |index| digits >> (4 * index) & 0xf)
            .filter(|digit| *digit != Self::NONE)
            .map(|digit| digit as u8)
    }

    /// All four byte numbers as hexadecimal digits; `None` if there are fewer.
    pub fn all(self) -> Option<u16> {
        (self.numbers().count() == 4).then_some(u16::from_le_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_bytes() {
        let Component::Bytes(bytes) = Component::from_name("b7210") else { panic!("bytes") };
        assert_eq!((bytes.numbers().collect::<Vec<_>>(), bytes.all()), (vec![0, 1, 2, 7], Some(0x7210)));
        let Component::Bytes(bytes) = Component::from_name("b30") else { panic!("bytes") };
        assert_eq!((bytes.numbers().collect::<Vec<_>>(), bytes.all()), (vec![0, 3], None));
    }

    #[test]
    fn tables_stay_small() {
        assert_eq!(size_of::<Operand>(), 8);
        assert_eq!(size_of::<InstructionData>(), 28);
        assert_eq!(size_of::<crate::ptx::model::Name>(), 8);
        assert_eq!(size_of::<crate::ptx::model::Referent>(), 12);
    }
}
