//! Operands: assigns registers, immediates and constants to rows of the register file.

use warplens_hir::sass::{Immediate, Operand, Part as SymbolPart, Symbol, Value};
use warplens_sim_warp::soft_float::{BF16, F16, F32, F64, Rounding};

use super::decoder::Decoder;
use super::instruction::Inst;
use super::unsupported::Unsupported;
use crate::program::Constant;
use crate::registers::{ABSOLUTE, INVERT, NEGATE, Part, Row, Source};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Int64,
    Float,
    Double,
    /// The upper word of a double: a register holds that word, but an immediate is the whole double.
    DoubleHigh,
}

pub(super) const INT: [Kind; 3] = [Kind::Int; 3];

/// The kinds of integer sources of 32 or 64 bits.
pub(super) fn int_kinds(wide: bool) -> [Kind; 3] {
    if wide { [Kind::Int64; 3] } else { INT }
}

fn signs(operand: &Operand) -> u8 {
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    flag(operand.negated, NEGATE) | flag(operand.inverted, INVERT) | flag(operand.absolute, ABSOLUTE)
}

/// The part of a register that a suffix selects.
fn part(suffix: &str) -> Option<Part> {
    Some(match suffix {
        "H0" => Part::Half(0),
        "H1" => Part::Half(1),
        "B0" => Part::Byte(0),
        "B1" => Part::Byte(1),
        "B2" => Part::Byte(2),
        "B3" => Part::Byte(3),
        "H0_H0" => Part::LowTwice,
        "H1_H1" => Part::HighTwice,
        "H0_NH1" => Part::HighNegated,
        "F32" => Part::Single,
        _ => return None,
    })
}

impl Decoder<'_> {
    pub(super) fn destination(&self, operand: Option<&Operand>) -> Result<Row, Unsupported> {
        let operand = operand.ok_or("the destination is missing")?;
        match operand.register() {
            Some(register) if register.is_constant() => Ok(self.pool.dropped()),
            Some(register) if !register.is_predicate() => Ok(self.pool.row(register)),
            _ => Err("its destination is not a register".into()),
        }
    }

    pub(super) fn source(
        &mut self,
        inst: &Inst<'_>,
        operand: &Operand,
        kind: Kind,
    ) -> Result<Source, Unsupported> {
        let suffix = inst.suffix(operand);
        let part = suffix.and_then(part).unwrap_or_default();
        let row = match &operand.value {
            Value::Register(register) if !register.is_predicate() => self.pool.row(*register),
            Value::Special(name) if name == "SRZ" => self.pool.zero(),
            Value::Immediate(immediate) => self.immediate(inst, *immediate, kind)?,
            Value::Constant(constant) => {
                let (Some(bank), None, None) = (constant.bank, constant.register, &constant.symbol) else {
                    return Err("its constant has a register or a symbol".into());
                };
                let bank = bank_number(bank)?;
                let offset = u16::try_from(constant.offset)
                    .map_err(|_| "the offset of its constant is not in 0 to 65535")?;
                let word = |index: u32| Constant::InBank(bank, u32::from(offset) + 4 * index);
                let words = if matches!(kind, Kind::Int64 | Kind::Double) { 2 } else { 1 };
                if !self.has_bank(bank, offset.into(), words) {
                    return Err(missing_bank(bank.into()));
                }
                self.pool.constants((0..words).map(word).collect())
            }
            Value::Symbol(symbol) => {
                let constant = self.symbol(symbol)?;
                self.pool.constants(vec![constant])
            }
            _ => return Err("an operand is not simulated".into()),
        };
        Ok(Source { row, sign: signs(operand), part })
    }

    /// The sources of an instruction, with their kinds. Missing ones are zeros.
    pub(super) fn sources(
        &mut self,
        inst: &Inst<'_>,
        operands: &[&Operand],
        kinds: [Kind; 3],
    ) -> Result<[Source; 3], Unsupported> {
        let mut sources = [Source::of(self.pool.zero()); 3];
        for (index, operand) in operands.iter().enumerate().take(3) {
            sources[index] = self.source(inst, operand, kinds[index])?;
        }
        Ok(sources)
    }

    fn immediate(&mut self, inst: &Inst<'_>, immediate: Immediate, kind: Kind) -> Result<Row, Unsupported> {
        let words = |low: u32, high: u32| vec![Constant::Immediate(low), Constant::Immediate(high)];
        let word = |value: u32| vec![Constant::Immediate(value)];
        let constants = match (immediate, kind) {
            (Immediate::Integer(value), Kind::Int | Kind::Float | Kind::DoubleHigh) => {
                return Ok(self.pool.immediate(value as u32));
            }
            (Immediate::Integer(value), Kind::Int64) => words(value as u32, (value >> 32) as u32),
            (Immediate::Integer(value), Kind::Double) => words(0, value as u32),
            (Immediate::Float(value), Kind::Int | Kind::Float) => word((value as f32).to_bits()),
            (Immediate::Float(value), Kind::Int64) => words(0, (value.to_bits() >> 32) as u32),
            (Immediate::Float(value), Kind::DoubleHigh) => word((value.to_bits() >> 32) as u32),
            (Immediate::Float(value), Kind::Double) => {
                let bits = value.to_bits();
                words(bits as u32, (bits >> 32) as u32)
            }
            // As NaN, these instructions have the same bits in a single and in the upper word of a double.
            (Immediate::NotANumber { .. }, Kind::Float | Kind::DoubleHigh)
                if drops_payloads(&inst.ins.opcode) =>
            {
                word(F32.nan() as u32)
            }
            (Immediate::NotANumber { .. }, _) => {
                let bits = encoded_immediate(inst).ok_or("the text does not have the bits of its NaN")?;
                if kind == Kind::Double { words(0, bits) } else { word(bits) }
            }
        };
        Ok(self.pool.constants(constants))
    }

    /// The value of a symbol: the address of an instruction or of a device variable.
    pub(super) fn symbol(&self, symbol: &Symbol) -> Result<Constant, Unsupported> {
        let is_high = symbol.part == SymbolPart::High;
        if let Some(statement) = self.label(&symbol.name) {
            let address = self.program.address_of(statement).wrapping_add_signed(symbol.addend);
            return Ok(Constant::Immediate(if is_high { (address >> 32) as u32 } else { address as u32 }));
        }
        match self.variables.get(&symbol.name) {
            Some(variable) => {
                Ok(Constant::Symbol { variable: *variable, addend: symbol.addend, high: is_high })
            }
            None => Err(format!("`{}` is not in the listing", symbol.name).into()),
        }
    }

    /// The sources of an instruction on pairs of halves. Two immediates are the upper and the lower half of
    /// one source.
    pub(super) fn half_sources(
        &mut self,
        inst: &Inst<'_>,
        operands: &[&Operand],
        brain: bool,
    ) -> Result<[Source; 3], Unsupported> {
        let mut sources = [Source::of(self.pool.zero()); 3];
        let (mut index, mut at) = (0, 0);
        while let Some(operand) = operands.get(at).filter(|_| index < 3) {
            let next = operands.get(at + 1).map(|operand| &operand.value);
            match (&operand.value, next) {
                (Value::Immediate(high), Some(Value::Immediate(low))) => {
                    let format = if brain { BF16 } else { F16 };
                    let half = |immediate: Immediate| match immediate {
                        Immediate::Float(value) => {
                            format.pack(F64.unpack(value.to_bits()), Rounding::Nearest) as u32
                        }
                        Immediate::Integer(value) => value as u32 & 0xffff,
                        Immediate::NotANumber { negative, .. } => {
                            (format.nan() | if negative { format.sign_bit() } else { 0 }) as u32
                        }
                    };
                    let bits = match (high, low) {
                        (Immediate::NotANumber { .. }, _) | (_, Immediate::NotANumber { .. }) => {
                            encoded_immediate(inst).unwrap_or(half(*high) << 16 | half(*low))
                        }
                        _ => half(*high) << 16 | half(*low),
                    };
                    sources[index] = Source::of(self.pool.immediate(bits));
                    at += 2;
                }
                _ => {
                    sources[index] = self.source(inst, operand, Kind::Int)?;
                    at += 1;
                }
            }
            index += 1;
        }
        Ok(sources)
    }
}

/// The number of a constant bank: there are 32 at most.
pub(super) fn bank_number(bank: u32) -> Result<u8, Unsupported> {
    u8::try_from(bank).map_err(|_| missing_bank(bank))
}

pub(super) fn missing_bank(bank: u32) -> Unsupported {
    let reason = format!(
        "the listing does not have the contents of constant bank {bank:#x}; print it with its data sections, as `nvdisasm` does"
    );
    reason.into()
}

/// Whether an instruction gives the same result for every NaN.
fn drops_payloads(opcode: &str) -> bool {
    const OPCODES: [&str; 11] =
        ["MUFU", "FADD", "FMUL", "FFMA", "FSETP", "FSET", "FCHK", "FMNMX", "FMNMX3", "F2I", "F2FP"];
    OPCODES.contains(&opcode)
}

/// The immediate in the encoding of an instruction, since Volta.
fn encoded_immediate(inst: &Inst<'_>) -> Option<u32> {
    let encoding = inst.ins.encoding.as_ref()?;
    encoding.high.is_some().then_some((encoding.low >> 32) as u32)
}
