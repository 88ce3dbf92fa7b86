//! Integer and float arithmetic.

use warplens_hir::ptx::{Instruction, Type, TypeKind};
use warplens_sim_cuda::semantics::bits::DotProduct;
use warplens_sim_cuda::semantics::carry::{Carry, CarryOp};
use warplens_sim_cuda::semantics::convert::Clamp;
use warplens_sim_cuda::semantics::float::{Approximation, FloatMode, FloatOp};
use warplens_sim_cuda::semantics::half::{Half, HalfOp};
use warplens_sim_cuda::semantics::integer::{IntOp, Mul24};
use warplens_sim_cuda::semantics::packed::Division;
use warplens_sim_warp::scalar_type::{Class, ScalarType};
use warplens_sim_warp::soft_float::Rounding;

use super::function::FunctionDecoder;
use super::instruction::Decoded;
use super::mixed::is_mixed;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{Op, Sign, Signedness, Subnormals};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn arithmetic(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let opcode = instruction.opcode();
        match opcode {
            "mul24" | "mad24" => return self.multiply_24(instruction, m),
            "dp4a" | "dp2a" => return self.dot_product(instruction, m),
            "addc" | "subc" | "madc" => return self.carry(instruction, m, true),
            "add" | "sub" | "mul" | "fma" if is_mixed(instruction) => return self.mixed(instruction, m),
            "add" | "sub" | "mad" if instruction.has("cc") => return self.carry(instruction, m, false),
            _ => {}
        }
        let ty = m.ty()?;
        match (ty.kind(), ty) {
            (TypeKind::Float, Type::F32) => self.single(instruction, m),
            (TypeKind::Float, Type::F64) => self.double(instruction, m),
            (TypeKind::Float, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2) => {
                self.half(instruction, m, ty)
            }
            (TypeKind::Float, Type::F32x2) => self.single_pair(instruction, m),
            (_, Type::U16x2 | Type::S16x2 | Type::U8x4 | Type::S8x4) => self.packed(instruction, m, ty),
            (TypeKind::Signed | TypeKind::Unsigned, _) => self.integer(instruction, m, ty),
            _ => Err(Why::form()),
        }
    }

    fn integer(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>, ty: Type) -> Decoded {
        let operands = instruction.operands();
        let int = int_type(ty)?;
        if m.take("wide") {
            return self.wide(instruction, ty);
        }
        let op = int_op(instruction.opcode(), m)?;
        Ok((Op::Int(op, int), self.uniform_slots(operands, ty, op.operands())?))
    }

    fn packed(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>, ty: Type) -> Decoded {
        let parts = division(ty).ok_or_else(Why::form)?;
        let op = int_op(instruction.opcode(), m)?;
        use IntOp::{Add, AddSaturate, Max, MaxRelu, Min, MinRelu, Neg, Sub, SubSaturate};
        match op {
            Add | AddSaturate | Sub | SubSaturate | Neg | Min | Max | MinRelu | MaxRelu => {
                let s = self.uniform_slots(instruction.operands(), ty, op.operands())?;
                Ok((Op::Packed(op, parts), s))
            }
            _ => Err(Why::form()),
        }
    }

    fn single_pair(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let mode = FloatMode {
            rounding: m.rounding().unwrap_or(Rounding::Nearest),
            flush: m.take("ftz"),
            saturate: false,
        };
        let (op, sources) = float_op(instruction.opcode(), m).ok_or_else(Why::form)?;
        if !matches!(op, FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Fma) {
            return Err(Why::form());
        }
        Ok((Op::FloatPair(op, mode), self.uniform_slots(instruction.operands(), Type::F32x2, sources)?))
    }

    fn wide(&mut self, instruction: Instruction<'l>, ty: Type) -> Decoded {
        let (wide, product) = match ty {
            Type::U16 | Type::S16 => (int_type(ty)?, Type::U32),
            Type::U32 | Type::S32 => (int_type(ty)?, Type::U64),
            _ => return Err(Why::form()),
        };
        let operands = instruction.operands();
        match instruction.opcode() {
            "mul" => Ok((Op::MulWide(wide), self.typed_slots(operands, &[product, ty, ty])?)),
            "mad" => Ok((Op::MadWide(wide), self.typed_slots(operands, &[product, ty, ty, product])?)),
            _ => Err(Why::operands()),
        }
    }

    fn multiply_24(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let (high, saturate) = (m.take("hi"), m.take("sat"));
        let _ = m.take("lo");
        let ty = m.ty()?;
        let (op, sources) = match (instruction.opcode(), high, saturate) {
            ("mul24", false, false) => (Mul24::Low, 2),
            ("mul24", true, false) => (Mul24::High, 2),
            ("mad24", false, false) => (Mul24::AddLow, 3),
            ("mad24", true, false) => (Mul24::AddHigh, 3),
            ("mad24", true, true) => (Mul24::AddHighSaturate, 3),
            _ => return Err(Why::form()),
        };
        let s = self.uniform_slots(instruction.operands(), ty, sources)?;
        Ok((Op::Mul24(op, signedness(ty)), s))
    }

    fn dot_product(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let op = match (instruction.opcode(), m.take("hi"), m.take("lo")) {
            ("dp4a", false, false) => DotProduct::Bytes,
            ("dp2a", true, false) => DotProduct::High,
            ("dp2a", false, true) => DotProduct::Low,
            _ => return Err(Why::form()),
        };
        let (a, b) = (m.ty()?, m.ty()?);
        let s = self.uniform_slots(instruction.operands(), Type::B32, 3)?;
        Ok((Op::Dot(op, signedness(a), signedness(b)), s))
    }

    fn carry(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>, takes: bool) -> Decoded {
        let (gives, high, saturate) = (m.take("cc"), m.take("hi"), m.take("sat"));
        let _ = m.take("lo");
        let ty = m.ty()?;
        let (op, sources) = match instruction.opcode() {
            "add" | "addc" => (CarryOp::Add, 2),
            "sub" | "subc" => (CarryOp::Sub, 2),
            _ if high => (CarryOp::MadHigh, 3),
            _ => (CarryOp::MadLow, 3),
        };
        let s = self.uniform_slots(instruction.operands(), ty, sources)?;
        Ok((Op::Carry(Carry { op, ty: int_type(ty)?, takes, gives, saturate }), s))
    }

    fn single(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        let subnormals = subnormals(m);
        if let Some((op, sources)) = approximation(instruction.opcode(), m) {
            return Ok((Op::Approximate(op, subnormals), self.uniform_slots(operands, Type::F32, sources)?));
        }
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let mode = FloatMode { rounding, flush: subnormals.are_flushed(), saturate: m.take("sat") };
        let (op, sources) = float_op(instruction.opcode(), m).ok_or_else(Why::form)?;
        if matches!(instruction.opcode(), "min" | "max") && operands.len() == 4 {
            let sign = if m.take("abs") { Sign::Dropped } else { Sign::Kept };
            return Ok((Op::Extremum3(op, subnormals, sign), self.uniform_slots(operands, Type::F32, 3)?));
        }
        Ok((Op::Float32(op, mode), self.uniform_slots(operands, Type::F32, sources)?))
    }

    fn double(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let operands = instruction.operands();
        if instruction.has("approx") || instruction.opcode() == "rsqrt" {
            let (_, subnormals) = (m.take("approx"), subnormals(m));
            let op = match instruction.opcode() {
                "rcp" => Approximation::Reciprocal64,
                "rsqrt" => Approximation::ReciprocalSqrt64,
                _ => return Err(Why::form()),
            };
            return Ok((Op::Approximate(op, subnormals), self.uniform_slots(operands, Type::F64, 1)?));
        }
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (op, sources) = float_op(instruction.opcode(), m).ok_or_else(Why::form)?;
        if op == FloatOp::Reciprocal {
            // Accepted, but without effect: the assembler generates the same code with and without it.
            let _ = m.take("ftz");
        }
        Ok((Op::Float64(op, rounding), self.uniform_slots(operands, Type::F64, sources)?))
    }

    fn half(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>, ty: Type) -> Decoded {
        let brain = matches!(ty, Type::Bf16 | Type::Bf16x2);
        let packed = ty.bits() == 32;
        let flush = m.take("ftz");
        let clamp = match (m.take("sat"), m.take("relu")) {
            (false, false) => Clamp::None,
            (true, false) => Clamp::Saturate,
            (false, true) => Clamp::Relu,
            _ => return Err(Why::form()),
        };
        // Only copies by tensor map produce out-of-bounds NaNs, and no such NaNs exist here.
        let _ = m.take("oob");
        let rounding = m.rounding().unwrap_or(Rounding::Nearest);
        let (op, sources) = match instruction.opcode() {
            "ex2" if m.take("approx") => (HalfOp::Exp2, 1),
            "tanh" if m.take("approx") => (HalfOp::Tanh, 1),
            opcode => {
                let (op, sources) = float_op(opcode, m).ok_or_else(Why::form)?;
                if matches!(op, FloatOp::Div | FloatOp::Sqrt | FloatOp::Reciprocal | FloatOp::CopySign) {
                    return Err(Why::form());
                }
                (HalfOp::Common(op), sources)
            }
        };
        let s = self.uniform_slots(instruction.operands(), ty, sources)?;
        Ok((Op::Half(Half { op, brain, packed, flush, rounding, clamp }), s))
    }
}

fn int_op(opcode: &str, m: &mut Modifiers<'_>) -> Result<IntOp> {
    let (high, saturate, relu) = (m.take("hi"), m.take("sat"), m.take("relu"));
    let _ = m.take("lo");
    Ok(match (opcode, high, saturate, relu) {
        ("add", false, false, false) => IntOp::Add,
        ("add", false, true, false) => IntOp::AddSaturate,
        ("sub", false, false, false) => IntOp::Sub,
        ("sub", false, true, false) => IntOp::SubSaturate,
        ("mul", false, false, false) => IntOp::Mul,
        ("mul", true, false, false) => IntOp::MulHigh,
        ("mad", false, false, false) => IntOp::Mad,
        ("mad", true, false, false) => IntOp::MadHigh,
        ("mad", true, true, false) => IntOp::MadHighSaturate,
        ("div", false, false, false) => IntOp::Div,
        ("rem", false, false, false) => IntOp::Rem,
        ("abs", false, false, false) => IntOp::Abs,
        ("neg", false, false, false) => IntOp::Neg,
        ("min", false, false, false) => IntOp::Min,
        ("max", false, false, false) => IntOp::Max,
        ("min", false, false, true) => IntOp::MinRelu,
        ("max", false, false, true) => IntOp::MaxRelu,
        ("sad", false, false, false) => IntOp::Sad,
        _ => return Err(Why::form()),
    })
}

fn float_op(opcode: &str, m: &mut Modifiers<'_>) -> Option<(FloatOp, usize)> {
    Some(match opcode {
        "add" => (FloatOp::Add, 2),
        "sub" => (FloatOp::Sub, 2),
        "mul" => (FloatOp::Mul, 2),
        "fma" | "mad" => (FloatOp::Fma, 3),
        "div" => (FloatOp::Div, 2),
        "rcp" => (FloatOp::Reciprocal, 1),
        "sqrt" => (FloatOp::Sqrt, 1),
        "abs" => (FloatOp::Abs, 1),
        "neg" => (FloatOp::Neg, 1),
        "copysign" => (FloatOp::CopySign, 2),
        "min" | "max" => {
            // With three operands, `.abs` is allowed without `.xorsign`.
            let (nan, xor) = (m.take("NaN"), m.take("xorsign") && m.take("abs"));
            let op = match (opcode, nan, xor) {
                ("min", false, false) => FloatOp::Min,
                ("min", true, false) => FloatOp::MinNan,
                ("min", false, true) => FloatOp::MinXorSign,
                ("min", true, true) => FloatOp::MinNanXorSign,
                (_, false, false) => FloatOp::Max,
                (_, true, false) => FloatOp::MaxNan,
                (_, false, true) => FloatOp::MaxXorSign,
                (_, true, true) => FloatOp::MaxNanXorSign,
            };
            (op, 2)
        }
        _ => return None,
    })
}

/// Takes `.approx` or `.full` if the opcode is an approximation.
fn approximation(opcode: &str, m: &mut Modifiers<'_>) -> Option<(Approximation, usize)> {
    if m.take("full") {
        return (opcode == "div").then_some((Approximation::DivFull, 2));
    }
    // Opcodes without an exact form could once be written without `.approx`.
    let only = matches!(opcode, "rsqrt" | "sin" | "cos" | "lg2" | "ex2");
    if !m.take("approx") && !only {
        return None;
    }
    Some(match opcode {
        "rcp" => (Approximation::Reciprocal, 1),
        "sqrt" => (Approximation::Sqrt, 1),
        "rsqrt" => (Approximation::ReciprocalSqrt, 1),
        "sin" => (Approximation::Sin, 1),
        "cos" => (Approximation::Cos, 1),
        "lg2" => (Approximation::Log2, 1),
        "ex2" => (Approximation::Exp2, 1),
        "tanh" => (Approximation::Tanh, 1),
        "div" => (Approximation::Div, 2),
        _ => return None,
    })
}

/// `.ftz`
pub(super) fn subnormals(m: &mut Modifiers<'_>) -> Subnormals {
    if m.take("ftz") { Subnormals::Flushed } else { Subnormals::Kept }
}

pub(super) fn signedness(ty: Type) -> Signedness {
    if ty.kind() == TypeKind::Signed { Signedness::Signed } else { Signedness::Unsigned }
}

pub(super) fn division(ty: Type) -> Option<Division> {
    Some(match ty {
        Type::U8x4 => Division { bytes: true, signed: false },
        Type::S8x4 => Division { bytes: true, signed: true },
        Type::U16x2 => Division { bytes: false, signed: false },
        Type::S16x2 => Division { bytes: false, signed: true },
        _ => return None,
    })
}

fn int_type(ty: Type) -> Result<ScalarType> {
    let is_integer = |ty: &ScalarType| ty.class() != Class::Float && matches!(ty.bits(), 16 | 32 | 64);
    let scalar = ScalarType::from_name(ty.name()).filter(is_integer);
    scalar.ok_or_else(|| Why(smol_str::format_smolstr!("`.{}` arithmetic is not simulated", ty.name())))
}
