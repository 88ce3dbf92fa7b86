//! Integer arithmetic, logic, and predicates.

use super::decoder::Decoder;
use super::instruction::{Inst, Shape};
use super::operands::{INT, Kind, int_kinds};
use super::predicates::is_uniform;
use super::unsupported::{Decoded, Unsupported};
use crate::program::{Accumulate, AddendPart, MinMax, Op, Operation, Test, Xmad};
use crate::registers::{ABSOLUTE, CC_CARRY, CC_CARRY_2, Condition, DROPPED, NEGATE, Part, Source};
use warplens_hir::sass::{Immediate, Operand, Value};
use warplens_sim_cuda::semantics::bits::{DotProduct, Permute};

impl Decoder<'_> {
    /// An operation with the destinations, sources and predicates of a shape.
    pub(super) fn assemble(
        &mut self,
        op: Op,
        inst: &Inst<'_>,
        shape: &Shape<'_>,
        kinds: [Kind; 3],
    ) -> Decoded {
        if inst.ops.is_empty() {
            return Err("the operands are missing".into());
        }
        let mut operation = self.effect(op);
        operation.s = self.sources(inst, &shape.sources, kinds)?;
        if let Some(d) = shape.d {
            operation.d = self.destination(Some(d))?;
            operation.uniform = is_uniform(d);
            operation.sets_cc = inst.has_cc_suffix(d);
        }
        operation.uniform |= inst.ops.first().is_some_and(is_uniform);
        for (slot, q) in operation.q.iter_mut().zip(&shape.q) {
            *slot = *q;
        }
        for (slot, p) in operation.p.iter_mut().zip(&shape.p) {
            *slot = *p;
        }
        Ok(operation)
    }

    /// An operation without a destination.
    pub(super) fn effect(&self, op: Op) -> Operation {
        Operation { d: self.pool.dropped(), ..Operation::new(op) }
    }

    /// The source at an index, which must be an immediate.
    pub(super) fn number(&self, shape: &Shape<'_>, index: usize) -> Result<u32, Unsupported> {
        match shape.sources.get(index).map(|operand| &operand.value) {
            Some(Value::Immediate(Immediate::Integer(value))) => Ok(*value as u32),
            Some(Value::Immediate(Immediate::Float(value))) if *value == 0.0 => Ok(0),
            Some(Value::Register(register)) if register.is_constant() => Ok(0),
            _ => Err("an immediate operand is missing".into()),
        }
    }

    pub(super) fn mov(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let (op, kind) = if inst.has("64") { (Op::MoveWide, Kind::Int64) } else { (Op::Move, Kind::Int) };
        let mut operation = self.assemble(op, inst, &shape, [kind, Kind::Int, Kind::Int])?;
        operation.s[1] = Source::of(self.pool.zero());
        if let Ok(mask) = self.number(&shape, 1)
            && mask != 0xf
            && shape.sources.len() > 1
        {
            operation.op = Op::MoveBytes;
            operation.n = mask;
        }
        if inst.ops.iter().any(|operand| matches!(operand.value, Value::Word(_))) {
            return Err("an operand is not simulated".into());
        }
        Ok(operation)
    }

    pub(super) fn select(&mut self, inst: &Inst<'_>) -> Decoded {
        let wide = inst.has("64");
        self.plain(inst, if wide { Op::SelectWide } else { Op::Select }, int_kinds(wide))
    }

    pub(super) fn permute(&mut self, inst: &Inst<'_>) -> Decoded {
        let mode = match inst.mods[..] {
            [] => Permute::Selectors,
            ["F4E"] => Permute::Forward4,
            ["B4E"] => Permute::Backward4,
            ["RC8"] => Permute::Replicate8,
            ["ECL"] => Permute::EdgeLeft,
            ["ECR"] => Permute::EdgeRight,
            ["RC16"] => Permute::Replicate16,
            _ => return Err("".into()),
        };
        self.plain(inst, Op::Permute(mode), INT)
    }

    pub(super) fn add3(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        if inst.has("64") {
            return self.add_wide(inst, &shape);
        }
        let mut operation = self.assemble(Op::Add3, inst, &shape, INT)?;
        if !self.target.has_barriers() {
            self.extend_short_immediates(&shape, &mut operation);
            if inst.has("RS") || inst.has("LS") {
                operation.op = Op::Add3Shifted { left: inst.has("LS") };
            } else if inst.has("X") || operation.sets_cc {
                operation.op = Op::AddCc { extends: inst.has("X") };
            }
            return Ok(operation);
        }
        let carries = operation.q != [DROPPED; 2];
        if inst.has("X") || carries {
            operation.op = Op::Add3Carry { extends: inst.has("X") };
        }
        Ok(carried(operation, &shape))
    }

    fn add_wide(&mut self, inst: &Inst<'_>, shape: &Shape<'_>) -> Decoded {
        let op = Op::Add3Wide { extends: inst.has("X") };
        Ok(carried(self.assemble(op, inst, shape, int_kinds(true))?, shape))
    }

    /// Immediates of `IADD3` have 20 bits and are printed without a sign.
    fn extend_short_immediates(&mut self, shape: &Shape<'_>, operation: &mut Operation) {
        for (index, operand) in shape.sources.iter().enumerate().take(3) {
            if let Value::Immediate(Immediate::Integer(value @ 0x8_0000..=0xf_ffff)) = operand.value {
                let extended = (value - 0x10_0000) as u32;
                operation.s[index].row = self.pool.immediate(extended);
            }
        }
    }

    pub(super) fn add(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        if inst.has("64") {
            return self.add_wide(inst, &shape);
        }
        let mut operation = self.assemble(Op::Add3, inst, &shape, INT)?;
        let parts = inst.find(|word| match word {
            "U8x4" | "S8x4" => Some(8),
            "U16x2" | "S16x2" | "16x2" => Some(16),
            _ => None,
        });
        if let Some(bits) = parts {
            operation.op = Op::AddParts(bits);
        } else if inst.has("SAT") || inst.has("ISAT") {
            operation.op = Op::AddSaturated;
        } else if self.target.has_barriers() {
            if inst.has("X") || operation.q != [DROPPED; 2] {
                operation.op = Op::Add3Carry { extends: inst.has("X") };
                return Ok(carried(operation, &shape));
            }
        } else if inst.has("X") || operation.sets_cc {
            operation.op = Op::AddCc { extends: inst.has("X") };
        }
        if inst.has("PO") {
            operation.s[2].row = self.pool.immediate(1);
        }
        Ok(operation)
    }

    pub(super) fn multiply_add(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let signed = !inst.has("U32");
        let old = !self.target.has_barriers();
        let sets_cc = shape.d.is_some_and(|d| inst.has_cc_suffix(d));
        if old && !inst.has("SAT") && (sets_cc || inst.has("X")) {
            if inst.has("U32") && inst.has("S32") || inst.has("WIDE") {
                return Err("its combination of modifiers is not simulated".into());
            }
            let op = Op::MulAddCc { high: inst.has("HI"), signed, extends: inst.has("X") };
            return self.assemble(op, inst, &shape, INT);
        }
        if old && inst.has("HI") {
            return self.assemble(Op::MulHighAdd { signed, saturate: inst.has("SAT") }, inst, &shape, INT);
        }
        if inst.has("SAT") {
            return Err("modifier `.SAT` is not simulated".into());
        }
        let (op, kinds) = if inst.has("WIDE") {
            (Op::MulAddWide { signed }, [Kind::Int, Kind::Int, Kind::Int64])
        } else if inst.has("HI") {
            (Op::MulAddHigh { signed }, [Kind::Int, Kind::Int, Kind::Int64])
        } else {
            (Op::MulAdd, INT)
        };
        let operation = self.assemble(op, inst, &shape, kinds)?;
        // `IMAD.MOV` and similar forms are moves.
        let [a, b, c] = operation.s;
        let zero = self.pool.zero();
        if op == Op::MulAdd && shape.p.is_empty() && a == Source::of(zero) && b == Source::of(zero) {
            return Ok(Operation { op: Op::Move, s: [c, Source::of(zero), Source::of(zero)], ..operation });
        }
        Ok(carried(operation, &shape))
    }

    pub(super) fn multiply(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let signed = !inst.has("U32");
        if inst.has("HI") {
            return self.assemble(Op::MulHighAdd { signed, saturate: false }, inst, &shape, INT);
        }
        let operation = self.assemble(Op::MulAdd, inst, &shape, INT)?;
        Ok(carried(operation, &shape))
    }

    pub(super) fn xmad(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let mut operation = self.assemble(Op::Nop, inst, &shape, INT)?;
        let high = |source: Source| source.part == Part::Half(1);
        let xmad = Xmad {
            signed: factors_are_signed(inst),
            high: [high(operation.s[0]), high(operation.s[1])],
            shifted: inst.has("PSL"),
            merges: inst.has("MRG"),
            addend: inst
                .find(|word| match word {
                    "CLO" => Some(AddendPart::Low),
                    "CHI" => Some(AddendPart::High),
                    "CBCC" => Some(AddendPart::PlusB),
                    "CSFU" => Some(AddendPart::SignFix),
                    _ => None,
                })
                .unwrap_or_default(),
        };
        if operation.sets_cc {
            return Err("its condition code is not simulated".into());
        }
        operation.op = Op::Xmad(xmad);
        Ok(operation)
    }

    pub(super) fn scaled_add(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let mut operation = self.assemble(Op::ScaledAdd, inst, &shape, INT)?;
        operation.n = self.number(&shape, 2)?;
        operation.s[2] = Source::of(self.pool.zero());
        carry_in_cc(&mut operation);
        Ok(operation)
    }

    pub(super) fn lea(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let old = !self.target.has_barriers();
        let zero = Source::of(self.pool.zero());
        let mut operation = self.assemble(Op::ScaledAdd, inst, &shape, INT)?;
        let is_number = |operand: &&Operand| matches!(operand.value, Value::Immediate(Immediate::Integer(_)));
        // The shift is the last source, if that is a number.
        let shift_at = shape.sources.len().checked_sub(1);
        let shift_at = shift_at.filter(|at| *at >= 2 && is_number(&shape.sources[*at]));
        operation.n = match shift_at {
            Some(at) => self.number(&shape, at)?,
            None => 0,
        };
        if inst.has("HI") {
            operation.op =
                Op::ScaledAddHigh { extends: inst.has("SX32"), window: old && operation.q[0] != DROPPED };
            if inst.has("SX32") || shift_at == Some(2) {
                operation.s[2] = zero;
            }
        } else {
            if inst.has("X") {
                operation.op = Op::ScaledAddCarry;
            }
            operation.s[2] = zero;
        }
        operation.p[0] = match (inst.has("X"), old) {
            (false, _) => Condition::NEVER,
            (true, true) => Condition { predicate: CC_CARRY, negated: false },
            (true, false) => shape.p.first().copied().unwrap_or(Condition::NEVER),
        };
        carry_in_cc(&mut operation);
        Ok(operation)
    }

    pub(super) fn lop3(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let test = if inst.has("PAND") { Test::NonZeroAnd } else { Test::NonZeroOr };
        let mut operation = self.assemble(Op::Lop3(test), inst, &shape, INT)?;
        operation.n = self.number(&shape, shape.sources.len().saturating_sub(1))?;
        if shape.p.is_empty() {
            operation.p[0] = if test == Test::NonZeroAnd { Condition::ALWAYS } else { Condition::NEVER };
        }
        if inst.has("Z") {
            operation.op = Op::Lop3(Test::Zero);
        }
        Ok(operation)
    }

    pub(super) fn lop(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let test = if inst.has("Z") { Test::Zero } else { Test::NonZeroOr };
        let mut operation = self.assemble(Op::Lop3(test), inst, &shape, INT)?;
        operation.p[0] = Condition::NEVER;
        operation.n = inst
            .find(|word| match word {
                "AND" => Some(0xc0),
                "OR" => Some(0xfc),
                "XOR" => Some(0x3c),
                "PASS_B" => Some(0xcc),
                _ => None,
            })
            .ok_or("its operation is missing")?;
        Ok(operation)
    }

    pub(super) fn funnel(&mut self, inst: &Inst<'_>) -> Decoded {
        let left = inst.has("L");
        let op = Op::Funnel {
            left,
            wrap: inst.has("W"),
            wide: inst.has("U64") || inst.has("S64"),
            signed: inst.has("S32") || inst.has("S64"),
            high: inst.has("HI") || left && !self.target.has_barriers(),
        };
        self.plain(inst, op, INT)
    }

    pub(super) fn shift(&mut self, inst: &Inst<'_>) -> Decoded {
        let op = match inst.ins.opcode.as_str() {
            "SHL" => Op::ShiftLeft { wrap: inst.has("W") },
            _ => Op::ShiftRight { signed: !inst.has("U32"), wrap: inst.has("W") },
        };
        self.plain(inst, op, INT)
    }

    pub(super) fn absolute(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut operation = self.plain(inst, Op::Move, INT)?;
        operation.s[0].sign |= ABSOLUTE;
        operation.s[0].sign &= !NEGATE;
        Ok(operation)
    }

    pub(super) fn count_bits(&mut self, inst: &Inst<'_>) -> Decoded {
        let op = match inst.ins.opcode.trim_start_matches('U') {
            "POPC" => Op::PopCount,
            "BREV" => Op::Reverse,
            _ => Op::FindHigh { signed: !inst.has("U32"), from_top: inst.has("SH") },
        };
        let shape = inst.shape();
        let mut operation = self.assemble(op, inst, &shape, INT)?;
        // Before Volta, `POPC` counts the bits of the conjunction of two sources.
        if op == Op::PopCount && shape.sources.len() > 1 {
            return self.count_of_two(operation);
        }
        operation.s[1] = Source::of(self.pool.zero());
        Ok(operation)
    }

    fn count_of_two(&self, mut operation: Operation) -> Decoded {
        let zero = Source::of(self.pool.zero());
        if operation.s[1] != zero && operation.s[0] != operation.s[1] {
            return Err("two different sources are not simulated".into());
        }
        operation.s[1] = zero;
        Ok(operation)
    }

    pub(super) fn field(&mut self, inst: &Inst<'_>) -> Decoded {
        let signed = !inst.has("U32");
        let op = match inst.ins.opcode.trim_start_matches('U') {
            "SGXT" => Op::Extend { wrap: inst.has("W"), signed },
            "BMSK" => Op::BitMask { wrap: inst.has("W") },
            "BFE" => Op::ExtractField { signed, reversed: inst.has("BREV") },
            _ => Op::InsertField,
        };
        self.plain(inst, op, INT)
    }

    pub(super) fn extremum(&mut self, inst: &Inst<'_>) -> Decoded {
        let shape = inst.shape();
        let bits = inst
            .find(|word| match word {
                "U64" | "S64" => Some(64),
                "U8x4" | "S8x4" => Some(8),
                "U16x2" | "S16x2" => Some(16),
                _ => None,
            })
            .unwrap_or(32);
        let signed = !inst.mods.iter().any(|word| word.starts_with('U'));
        let kind = MinMax { signed, bits, relu: inst.has("RELU") };
        let op = match inst.ins.opcode.as_str() {
            "VIMNMX3" => Op::MinMax3(kind),
            "VIADDMNMX" => Op::AddMinMax(kind),
            _ if inst.has("XHI") => Op::MinMaxHigh { signed },
            _ if inst.has("XLO") => Op::MinMaxLow,
            _ => Op::MinMax(kind),
        };
        let mut operation = self.assemble(op, inst, &shape, int_kinds(bits == 64))?;
        if matches!(op, Op::MinMaxHigh { .. }) {
            // The operation sets the flags itself.
            operation.sets_cc = false;
        }
        operation.q = [DROPPED; 2];
        if op == Op::MinMax3(kind) && shape.p.len() < 2 {
            operation.p[1] = operation.p[0];
        }
        Ok(operation)
    }

    pub(super) fn dot(&mut self, inst: &Inst<'_>) -> Decoded {
        let product = match (inst.has("4A"), inst.has("HI")) {
            (true, _) => DotProduct::Bytes,
            (false, true) => DotProduct::High,
            (false, false) => DotProduct::Low,
        };
        let op = Op::Dot { product, signed: factors_are_signed(inst) };
        self.plain(inst, op, INT)
    }

    pub(super) fn difference(&mut self, inst: &Inst<'_>) -> Decoded {
        let op = match inst.ins.opcode.as_str() {
            "VABSDIFF4" => Op::AbsoluteDifferences { signed: !inst.has("U8"), summed: inst.has("ACC") },
            _ => Op::AbsoluteDifference { signed: !inst.has("U32") },
        };
        self.plain(inst, op, INT)
    }

    pub(super) fn video_extremum(&mut self, inst: &Inst<'_>) -> Decoded {
        let then = match () {
            () if inst.has("MAX") => Accumulate::Max,
            () if inst.has("MIN") => Accumulate::Min,
            () => Accumulate::Add,
        };
        let op = Op::VideoMinMax { first_max: inst.has("MX"), then, signed: !inst.has("U32") };
        self.plain(inst, op, INT)
    }

    pub(super) fn clamp(&mut self, inst: &Inst<'_>) -> Decoded {
        let types: Vec<&str> = inst.mods.iter().copied().filter(|word| *word != "SAT").collect();
        let [to, from] = types[..] else { return Err("its types are missing".into()) };
        let bits = |ty: &str| ty[1..].parse::<u8>().unwrap_or(32);
        let mut operation = self.plain(inst, Op::Nop, INT)?;
        let (from_signed, to_signed) = (from.starts_with('S'), to.starts_with('S'));
        let (from_bits, to_bits) = (bits(from), bits(to));
        let part = operation.s[0].part;
        operation.s[0].part = match (part, from_bits) {
            (Part::Whole, 8) => Part::Byte(0),
            (Part::Whole, 16) => Part::Half(0),
            _ => part,
        };
        // A narrow signed source is extended before it is clamped.
        if from_signed && from_bits < 32 {
            if to_signed && to_bits >= from_bits && operation.s[0].sign == 0 {
                operation.op = Op::Extend { wrap: false, signed: true };
                operation.s[1] = Source::of(self.pool.immediate(from_bits.into()));
                return Ok(operation);
            }
            return Err("a narrow signed source is not simulated".into());
        }
        operation.op = match inst.has("SAT") {
            true => Op::Clamp { from_signed, to_signed, bits: to_bits },
            false if to_bits < 32 => return Err("a narrow result is not simulated without `.SAT`".into()),
            false => Op::Move,
        };
        Ok(operation)
    }
}

/// Whether the narrow factors of a product are signed. Without a type, they are not.
fn factors_are_signed(inst: &Inst<'_>) -> [bool; 2] {
    let types = ["S8", "S16", "U8", "U16"];
    let mut signs = inst.mods.iter().filter(|word| types.contains(word)).map(|word| word.starts_with('S'));
    [signs.next().unwrap_or(false), signs.next().unwrap_or(false)]
}

/// Carry sources that are not printed are false.
fn carried(mut operation: Operation, shape: &Shape<'_>) -> Operation {
    operation.p.iter_mut().skip(shape.p.len()).for_each(|p| *p = Condition::NEVER);
    operation
}

/// A scaled sum that sets the condition code only sets the carry.
fn carry_in_cc(operation: &mut Operation) {
    if std::mem::take(&mut operation.sets_cc) {
        operation.q = [CC_CARRY, CC_CARRY_2];
    }
}
