//! Floats of all widths, and conversions.

use warplens_sim_cuda::semantics::convert::{Clamp, Convert};
use warplens_sim_cuda::semantics::narrow::{E4M3, E5M2, Element, PackedConvert};
use warplens_sim_warp::scalar_type::{Class, ScalarType};
use warplens_sim_warp::soft_float::{BF16, F16, Rounding};

use super::compare::{bool_of, relation, set_to};
use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::Kind;
use super::unsupported::{Decoded, Unsupported};
use crate::exec::half_result;
use crate::program::{Angle, Arithmetic, FloatCompare, FloatMode, HalfMode, Mufu, Op, Operation, Relation};
use crate::registers::{DROPPED, Part, Source};

const FLOAT: [Kind; 3] = [Kind::Float; 3];
const DOUBLE: [Kind; 3] = [Kind::Double; 3];

/// Without a modifier, instructions round to nearest.
fn rounding(inst: &Inst<'_>) -> Rounding {
    inst.find(|word| match word {
        "RM" | "FLOOR" => Some(Rounding::Down),
        "RP" | "CEIL" => Some(Rounding::Up),
        "RZ" | "TRUNC" => Some(Rounding::Zero),
        _ => None,
    })
    .unwrap_or(Rounding::Nearest)
}

/// The operation that an opcode such as `FADD`, `DMUL` or `HFMA2` names.
fn arithmetic(inst: &Inst<'_>) -> Arithmetic {
    match () {
        () if inst.ins.opcode.contains("ADD") => Arithmetic::Add,
        () if inst.ins.opcode.contains("MUL") => Arithmetic::Mul,
        () => Arithmetic::Fma,
    }
}

fn mode(inst: &Inst<'_>) -> FloatMode {
    let scale = inst.find(|word| match word {
        "D2" => Some(-1),
        "D4" => Some(-2),
        "D8" => Some(-3),
        "M2" => Some(1),
        "M4" => Some(2),
        "M8" => Some(3),
        _ => None,
    });
    FloatMode {
        rounding: rounding(inst),
        flush: inst.has("FTZ"),
        saturate: inst.has("SAT"),
        scale: scale.unwrap_or(0),
    }
}

fn float_compare_of(inst: &Inst<'_>) -> Result<FloatCompare, Unsupported> {
    let relation = relation(inst)?;
    Ok(FloatCompare { relation, flush: inst.has("FTZ"), nan: false, xor_sign: false })
}

/// The modifiers of a minimum or maximum.
fn extremum_of(inst: &Inst<'_>) -> FloatCompare {
    FloatCompare {
        relation: Relation::Never,
        flush: inst.has("FTZ"),
        nan: inst.has("NAN"),
        xor_sign: inst.has("XORSIGN"),
    }
}

impl Decoder<'_> {
    pub(super) fn float(&mut self, inst: &Inst<'_>) -> Decoded {
        if inst.has("FMZ") {
            return Err("modifier `.FMZ` is not simulated".into());
        }
        self.assemble(Op::Float(arithmetic(inst), mode(inst)), inst, &inst.shape(), FLOAT)
    }

    pub(super) fn float_pair(&mut self, inst: &Inst<'_>) -> Decoded {
        let op = Op::FloatPair(arithmetic(inst), mode(inst));
        let mut operation = self.plain(inst, op, [Kind::Int64; 3])?;
        for (source, operand) in operation.s.iter_mut().zip(inst.shape().sources) {
            source.part = match inst.suffix(operand) {
                Some("F32") => Part::Single,
                _ => Part::Whole,
            };
        }
        Ok(operation)
    }

    pub(super) fn float_extremum(&mut self, inst: &Inst<'_>) -> Decoded {
        let compare = extremum_of(inst);
        let (op, kinds) = match inst.ins.opcode.trim_start_matches('U') {
            "FMNMX3" => (Op::FloatMinMax3(compare), FLOAT),
            "DMNMX" => (Op::DoubleMinMax, DOUBLE),
            _ => (Op::FloatMinMax(compare), FLOAT),
        };
        let mut operation = self.plain(inst, op, kinds)?;
        operation.q = [DROPPED; 2];
        Ok(operation)
    }

    pub(super) fn float_compare(&mut self, inst: &Inst<'_>) -> Decoded {
        let opcode = inst.ins.opcode.trim_start_matches('U');
        if opcode == "DSETP" && (inst.has("MIN") || inst.has("MAX")) {
            let op = Op::DoublePick { maximum: inst.has("MAX") };
            return self.assemble(op, inst, &inst.predicate_shape(), DOUBLE);
        }
        let (compare, combine, to) = (float_compare_of(inst)?, bool_of(inst), set_to(inst));
        match opcode {
            "FSETP" => self.assemble(Op::FloatSetp(compare, combine), inst, &inst.predicate_shape(), FLOAT),
            "DSETP" => self.assemble(Op::DoubleSetp(compare, combine), inst, &inst.predicate_shape(), DOUBLE),
            "FCMP" => self.plain(inst, Op::FloatSelect(compare), FLOAT),
            "FSET" => self.plain(inst, Op::FloatSet(compare, combine, to), FLOAT),
            _ => self.plain(inst, Op::DoubleSet(compare, combine, to), DOUBLE),
        }
    }

    pub(super) fn float_check(&mut self, inst: &Inst<'_>) -> Decoded {
        let mut shape = inst.predicate_shape();
        shape.q.truncate(1);
        self.assemble(Op::FloatCheck, inst, &shape, FLOAT)
    }

    pub(super) fn mufu(&mut self, inst: &Inst<'_>) -> Decoded {
        let angle = if self.target.has_barriers() { Angle::Turns } else { Angle::Radians };
        let function = inst.find(|word| {
            Some(match word {
                "RCP" => Mufu::Rcp,
                "RSQ" => Mufu::Rsq,
                "SQRT" => Mufu::Sqrt,
                "EX2" => Mufu::Ex2,
                "LG2" => Mufu::Lg2,
                "SIN" => Mufu::Sin(angle),
                "COS" => Mufu::Cos(angle),
                "RCP64H" => Mufu::Rcp64High,
                "RSQ64H" => Mufu::Rsq64High,
                "TANH" => Mufu::Tanh,
                _ => return None,
            })
        });
        match function {
            Some(function) if inst.mods.len() == 1 => {
                let kind = match function {
                    Mufu::Rcp64High | Mufu::Rsq64High => Kind::DoubleHigh,
                    _ => Kind::Float,
                };
                self.plain(inst, Op::Mufu(function), [kind; 3])
            }
            _ => Err("its function is not simulated".into()),
        }
    }

    pub(super) fn double(&mut self, inst: &Inst<'_>) -> Decoded {
        self.plain(inst, Op::Double(arithmetic(inst), rounding(inst)), DOUBLE)
    }

    fn assemble_halves(&mut self, op: Op, inst: &Inst<'_>, has_register: bool) -> Decoded {
        let mut shape = if has_register { inst.shape() } else { inst.predicate_shape() };
        let sources = std::mem::take(&mut shape.sources);
        let mut operation = self.assemble(op, inst, &shape, FLOAT)?;
        operation.s = self.half_sources(inst, &sources, inst.has("BF16_V2") || inst.has("BF16"))?;
        Ok(operation)
    }

    pub(super) fn half(&mut self, inst: &Inst<'_>) -> Decoded {
        if inst.has("MRG_H0") || inst.has("MRG_H1") {
            return Err("merging into a half is not simulated".into());
        }
        let (arithmetic, mode) = (arithmetic(inst), half_mode(inst));
        let operation = self.assemble_halves(Op::Half(arithmetic, mode), inst, true)?;
        // Compilers set registers to constants this way.
        let [a, b, c] = operation.s.map(|source| self.pool.value(source.row));
        let Some(((a, b), c)) = a.zip(b).zip(c) else { return Ok(operation) };
        let value = half_result(arithmetic, mode, operation.s, [a, b, c]);
        let zero = Source::of(self.pool.zero());
        let sources = [Source::of(self.pool.immediate(value)), zero, zero];
        Ok(Operation { op: Op::Move, s: sources, ..operation })
    }

    pub(super) fn half_extremum(&mut self, inst: &Inst<'_>) -> Decoded {
        let (compare, mode) = (extremum_of(inst), half_mode(inst));
        let op = match inst.ins.opcode.as_str() {
            "VHMNMX" if compare.xor_sign => return Err("modifier `.XORSIGN` is not simulated".into()),
            "VHMNMX" => Op::HalfMinMax3(compare, mode),
            _ => Op::HalfMinMax(compare, mode),
        };
        self.assemble_halves(op, inst, true)
    }

    pub(super) fn half_compare(&mut self, inst: &Inst<'_>) -> Decoded {
        let (compare, combine, mode) = (float_compare_of(inst)?, bool_of(inst), half_mode(inst));
        match inst.ins.opcode.as_str() {
            "HSETP2" => {
                let op = Op::HalfSetp { compare, combine, mode, both: inst.has("H_AND") };
                self.assemble_halves(op, inst, false)
            }
            _ => self.assemble_halves(Op::HalfSet(compare, combine, mode, set_to(inst)), inst, true),
        }
    }

    pub(super) fn int_to_float(&mut self, inst: &Inst<'_>) -> Decoded {
        let from = inst.find(int_type).unwrap_or(ScalarType::S32);
        let to = inst.find(float_type).unwrap_or(ScalarType::F32);
        self.conversion(inst, from, to, rounding(inst), false)
    }

    pub(super) fn float_to_int(&mut self, inst: &Inst<'_>) -> Decoded {
        let from = inst.find(float_type).unwrap_or(ScalarType::F32);
        let to = inst.find(int_type).unwrap_or(ScalarType::S32);
        self.conversion(inst, from, to, rounding(inst), inst.has("FTZ"))
    }

    pub(super) fn float_to_float(&mut self, inst: &Inst<'_>) -> Decoded {
        let types: Vec<ScalarType> = inst.mods.iter().filter_map(|word| float_type(word)).collect();
        let (to, from) = match types[..] {
            [to, from] => (to, from),
            [only] => (only, only),
            _ => (ScalarType::F32, ScalarType::F32),
        };
        let mut operation = self.conversion(inst, from, to, rounding(inst), inst.has("FTZ"))?;
        let rounds = ["ROUND", "TRUNC", "FLOOR", "CEIL"].into_iter().any(|word| inst.has(word));
        if let Op::Convert(convert) = &mut operation.op {
            convert.integral = rounds || inst.ins.opcode.ends_with("FRND");
            if inst.has("SAT") {
                convert.clamp = Clamp::Saturate;
            }
        }
        Ok(operation)
    }

    fn conversion(
        &mut self,
        inst: &Inst<'_>,
        from: ScalarType,
        to: ScalarType,
        rounding: Rounding,
        flush: bool,
    ) -> Decoded {
        let (wide_from, wide_to) = (from.bits() == 64, to.bits() == 64);
        let convert = Convert {
            from,
            to,
            rounding,
            integral: false,
            flush,
            clamp: Clamp::None,
            positive_zero: false,
            register_bits: if wide_to { 64 } else { 32 },
            source_bits: if wide_from { 64 } else { 32 },
        };
        let kind = match (wide_from, from.format().is_some()) {
            // An immediate is the upper word, even for integers.
            (true, _) => Kind::Double,
            (false, true) => Kind::Float,
            (false, false) => Kind::Int,
        };
        self.plain(inst, Op::Convert(convert), [kind; 3])
    }

    /// Such as `F2FP.F16.F32.PACK_AB R0, R1, R2` or `F2FP.F16.E4M3.UNPACK_B R0, R1`.
    pub(super) fn pack_floats(&mut self, inst: &Inst<'_>) -> Decoded {
        let packed = inst.has("UNPACK_B") || inst.has("UNPACK_B_MERGE_C");
        let merges = inst.has("PACK_AB_MERGE_C") || inst.has("UNPACK_B_MERGE_C");
        let mut types = inst.mods.iter().filter_map(|word| element(word));
        let to = types.next().filter(|to| *to != Element::Single).unwrap_or(Element::Half(F16));
        let from = types.next().unwrap_or(if packed { Element::Half(F16) } else { Element::Single });
        let shape = inst.shape();
        let merged = shape.sources.get(if packed { 1 } else { 2 });
        if merges && merged.and_then(|operand| operand.register()).is_none_or(|it| !it.is_constant()) {
            return Err("merging into a register is not simulated".into());
        }
        if let (Element::Half(_), Element::Single, false, false) = (to, from, packed, inst.has("SATFINITE")) {
            let (brain, relu) = (inst.has("BF16"), inst.has("RELU"));
            return self.assemble(
                Op::PackHalves { brain, rounding: rounding(inst), relu },
                inst,
                &shape,
                FLOAT,
            );
        }
        let clamp = match (inst.has("SATFINITE"), inst.has("RELU")) {
            (true, true) => Clamp::FiniteRelu,
            (true, false) => Clamp::Finite,
            (false, true) => Clamp::Relu,
            (false, false) => Clamp::None,
        };
        let convert = PackedConvert { from, to, rounding: rounding(inst), clamp, positive_zero: false };
        let conversion = self.program.conversions.alloc(convert);
        let operation = self.assemble(Op::ConvertPair { conversion, packed }, inst, &shape, FLOAT)?;
        if packed && operation.s[0].part != Part::Whole {
            return Err("a part of its source is not simulated".into());
        }
        Ok(operation)
    }
}

fn element(word: &str) -> Option<Element> {
    Some(match word {
        "F32" => Element::Single,
        "F16" => Element::Half(F16),
        "BF16" => Element::Half(BF16),
        "E4M3" => Element::Narrow(E4M3),
        "E5M2" => Element::Narrow(E5M2),
        _ => return None,
    })
}

fn half_mode(inst: &Inst<'_>) -> HalfMode {
    HalfMode {
        brain: inst.has("BF16_V2"),
        flush: inst.has("FTZ"),
        saturate: inst.has("SAT"),
        relu: inst.has("RELU"),
        single: inst.has("F32"),
    }
}

/// The type that a modifier names, if it has one of these classes.
fn type_of(word: &str, classes: &[Class]) -> Option<ScalarType> {
    ScalarType::from_name(&word.to_ascii_lowercase()).filter(|ty| classes.contains(&ty.class()))
}

fn int_type(word: &str) -> Option<ScalarType> {
    type_of(word, &[Class::Signed, Class::Unsigned])
}

fn float_type(word: &str) -> Option<ScalarType> {
    type_of(word, &[Class::Float])
}
