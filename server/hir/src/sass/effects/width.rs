//! How many registers an operand covers.

use crate::sass::model::{Function, Instruction};
use crate::sass::operand::{AddressTerm, Operand};
use crate::sass::register::Register;

/// The widths of an instruction's operands, as far as its modifiers determine them.
pub(super) struct Widths<'f> {
    function: &'f Function,
    instruction: &'f Instruction,
    /// One bit for each operand that is a destination.
    destinations: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    /// All operands cover this number of registers.
    All(u8),
    /// The data of a memory access covers this number of registers.
    Data(u8),
    /// The number of registers of the destination, and of each source.
    Conversion(u8, u8),
    /// The destination and the addend are pairs: `IMAD.WIDE`.
    Wide,
    /// The addend is a pair: `IMAD.HI` from Volta on.
    High,
    /// The sources are pairs.
    Sources,
    /// Matrix fragments: destination, `a`, `b`, `c`.
    Matrix([u8; 4]),
    /// Pairs of floats: the operands marked `.F32x2`, and the destination.
    Packed,
    /// A texture's result, and its handle in uniform registers. The text does not say how many registers of
    /// the result are written.
    Texture,
    /// Only the destination covers this number of registers.
    Destination(u8),
}

impl<'f> Widths<'f> {
    pub(super) fn new(function: &'f Function, instruction: &'f Instruction, destinations: u32) -> Widths<'f> {
        Widths { function, instruction, destinations, kind: kind(function, instruction) }
    }

    /// The number of registers that a register operand covers.
    pub(super) fn of_operand(&self, operand: &Operand, index: usize, is_write: bool) -> u8 {
        let written = |count, others| if is_write { count } else { others };
        match self.kind {
            // The handle of a texture.
            Kind::Texture if operand.register().is_some_and(Register::is_uniform) => 2,
            Kind::Texture => written(2, 1),
            Kind::Single => 1,
            Kind::All(count) | Kind::Data(count) => count,
            Kind::Conversion(to, from) => written(to, from),
            Kind::Wide | Kind::High => {
                let is_addend = !is_write && self.sources_before(index) == 2;
                if is_addend || is_write && self.kind == Kind::Wide { 2 } else { 1 }
            }
            Kind::Sources => written(1, 2),
            Kind::Matrix(counts) => {
                // After the fragments: the metadata of a sparse matrix, scale factors.
                let at = if is_write { 0 } else { 1 + self.sources_before(index) };
                counts.get(at).copied().unwrap_or(1)
            }
            Kind::Packed => {
                let suffixes = self.function.suffixes(operand);
                if is_write || suffixes.iter().any(|word| word.text.starts_with("F32x2")) { 2 } else { 1 }
            }
            Kind::Destination(count) => written(count, 1),
        }
    }

    /// The number of sources before an operand, not counting predicates.
    fn sources_before(&self, index: usize) -> usize {
        let operands = self.function.operands(self.instruction);
        let is_source = |at: &usize| {
            self.destinations >> at & 1 == 0 && !operands[*at].register().is_some_and(Register::is_predicate)
        };
        (0..index).filter(is_source).count()
    }

    /// The number of registers of an indirect target.
    pub(super) fn of_target(&self) -> u8 {
        if self.function.generation.has_convergence_barriers() { 2 } else { 1 }
    }

    pub(super) fn of_term(&self, term: &AddressTerm, index: usize) -> u8 {
        let has = |name| self.function.has_modifier(self.instruction, name);
        let opcode = self.instruction.opcode.as_str();
        let is_shared = match opcode {
            "LDGSTS" => index == 0,
            _ => !has("E"),
        };
        if term.is_wide || !is_shared && !term.is_unsigned { 2 } else { 1 }
    }
}

fn kind(function: &Function, instruction: &Instruction) -> Kind {
    let opcode = instruction.opcode.as_str();
    let has = |name: &str| function.has_modifier(instruction, name);
    let volta = function.generation.has_convergence_barriers();
    match opcode {
        "LDG" | "LD" | "LDS" | "LDL" | "LDC" | "ULDC" | "LDCU" | "STG" | "ST" | "STS" | "STL" | "LDT"
        | "STT" | "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" | "SULD" | "SUST" => {
            Kind::Data(if has("ENL2") { 4 } else { count_of(has, DATA) })
        }
        "DADD" | "DMUL" | "DFMA" | "DMNMX" => Kind::All(2),
        "DSETP" | "DSET" => Kind::Sources,
        "ISETP" | "UISETP" if has("S64") || has("U64") => Kind::Sources,
        "MATCH" if has("U64") => Kind::Sources,
        "IMNMX" | "VIMNMX" | "UIMNMX" if has("S64") || has("U64") => Kind::All(2),
        "MOV" | "UMOV" | "SEL" | "USEL" | "IADD" | "IADD3" | "UIADD3" | "LOP3" if has("64") => Kind::All(2),
        "IMAD" | "UIMAD" if has("WIDE") => Kind::Wide,
        "IMAD" | "UIMAD" if has("HI") && volta => Kind::High,
        "TEX" | "TLD" | "TLD4" | "TMML" | "TXD" if volta => Kind::Texture,
        "CS2R" => Kind::Destination(if volta && !has("32") { 2 } else { 1 }),
        "F2F" | "FRND" | "F2I" | "I2F" | "UF2I" | "UI2F" | "I2I" => conversion(function, instruction),
        "FADD2" | "FMUL2" | "FFMA2" => Kind::Packed,
        "LDSM" => Kind::Destination(count_of(has, &[("4", 4), ("2", 2)])),
        "HMMA" | "IMMA" | "DMMA" | "BMMA" | "QMMA" | "OMMA" => Kind::Matrix(matrix(function, instruction)),
        _ => Kind::Single,
    }
}

/// How many registers the data of a memory access covers, by modifier.
const DATA: &[(&str, u8)] = &[("128", 4), ("256", 8), ("64", 2), ("U64", 2), ("S64", 2), ("F64", 2)];

/// The count for the first of these modifiers that the instruction has; 1 if it has none.
fn count_of(has: impl Fn(&str) -> bool, counts: &[(&str, u8)]) -> u8 {
    counts.iter().find(|(modifier, _)| has(modifier)).map_or(1, |(_, count)| *count)
}

/// The destination has the first type of its kind, the source the last.
fn conversion(function: &Function, instruction: &Instruction) -> Kind {
    let is_float = |name: &str| matches!(name, "F16" | "BF16" | "F32" | "F64");
    let is_integer = |name: &str| matches!(name, "U8" | "S8" | "U16" | "S16" | "U32" | "S32" | "U64" | "S64");
    let words = || function.modifiers(instruction).iter().map(|word| word.text.as_str());
    let width = |name: Option<&str>| if name.is_some_and(|name| name.ends_with("64")) { 2 } else { 1 };
    let first_float = words().find(|name| is_float(name));
    let last_float = words().rfind(|name| is_float(name));
    match instruction.opcode.as_str() {
        "I2F" | "UI2F" => Kind::Conversion(width(first_float), width(words().find(|name| is_integer(name)))),
        "F2I" | "UF2I" => Kind::Conversion(width(words().find(|name| is_integer(name))), width(first_float)),
        "I2I" => Kind::Conversion(1, 1),
        _ => Kind::Conversion(width(first_float), width(last_float)),
    }
}

/// The numbers of registers of the fragments: destination, `a`, `b`, `c`. A fragment is distributed over 32 lanes, and a
/// sparse `a` has half of its columns.
fn matrix(function: &Function, instruction: &Instruction) -> [u8; 4] {
    let has = |name: &str| function.has_modifier(instruction, name);
    let words = || function.modifiers(instruction).iter().map(|word| word.text.as_str());
    let shape = words().find(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_digit()));
    if shape == Some("884") && instruction.opcode == "HMMA" {
        return [2; 4];
    }
    let bits = match instruction.opcode.as_str() {
        "HMMA" if has("TF32") => 32,
        "HMMA" => 16,
        "IMMA" if has("S4") || has("U4") => 4,
        "DMMA" => 64,
        "BMMA" => 1,
        "OMMA" => 4,
        _ => 8,
    };
    let sum = match instruction.opcode.as_str() {
        "DMMA" => 64,
        _ if has("F16") && !has("F32") => 16,
        _ => 32,
    };
    let (rows, columns) = match shape.unwrap_or("16832") {
        shape if shape.starts_with("168") => (16, &shape[3..]),
        shape => (8, shape.get(2..).unwrap_or_default()),
    };
    let columns = columns.parse().unwrap_or(8_u32);
    let registers = |rows: u32, columns: u32, bits: u32| {
        (rows * columns.min(1024) * bits).div_ceil(32 * 32).min(16) as u8
    };
    let of_a = if has("SP") { columns / 2 } else { columns };
    let sums = registers(rows, 8, sum);
    [sums, registers(rows, of_a, bits), registers(8, columns, bits), sums]
}
