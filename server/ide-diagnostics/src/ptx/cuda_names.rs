//! Functions of CUDA C++ that are one instruction of PTX, written as if they were opcodes or functions of PTX, and its variables.

use std::borrow::Cow;

use warplens_isa::ptx::{self as isa, CudaNameKind};

/// The instruction that a function is compiled to.
pub(super) fn ptx(function: &str) -> Option<Cow<'static, str>> {
    let listed = statement(function).or_else(|| of_kind(function, CudaNameKind::Function)).map(Cow::Borrowed);
    listed.or_else(|| {
        scoped(function).or_else(|| converted(function)).or_else(|| rounded(function)).map(Cow::Owned)
    })
}

/// The instruction and its operands, if the function has neither arguments nor a result.
pub(super) fn statement(function: &str) -> Option<&'static str> {
    of_kind(function, CudaNameKind::Statement)
}

/// The special register or constant of a variable.
pub(super) fn variable(name: &str) -> Option<&'static str> {
    of_kind(name, CudaNameKind::Variable)
}

fn of_kind(name: &str, kind: CudaNameKind) -> Option<&'static str> {
    isa::cuda_name(name).filter(|entry| entry.kind == kind).map(|entry| entry.ptx)
}

/// `atomicAdd_block` is `atom.cta.add`.
fn scoped(function: &str) -> Option<String> {
    let (atomic, scope) = match function.strip_suffix("_block") {
        Some(atomic) => (atomic, "cta"),
        None => (function.strip_suffix("_system")?, "sys"),
    };
    let ptx = of_kind(atomic, CudaNameKind::Function)?;
    Some(format!("atom.{scope}.{}", ptx.strip_prefix("atom.")?))
}

/// `__float2int_rz` is `cvt.rzi.s32.f32`.
fn converted(function: &str) -> Option<String> {
    let (from, to) = function.strip_prefix("__")?.split_once('2')?;
    let (to, rounding) = to.split_once('_').unwrap_or((to, ""));
    let ty = |name: &str| TYPES.iter().find(|(word, _)| *word == name).map(|(_, ty)| *ty);
    let (from, to) = (ty(from)?, ty(to)?);
    let is_float = |ty: &str| ty.starts_with('f');
    let rounding = match (rounding, is_float(from), is_float(to)) {
        // These are exact.
        ("", true, true) if from < to || from == "f16" => return Some(format!("cvt.{to}.{from}")),
        ("", true, true) => "rn".to_owned(),
        ("", ..) => return None,
        (word, true, false) => format!("{}i", rounding_of(word)?),
        (word, _, true) => rounding_of(word)?.to_owned(),
        _ => return None,
    };
    Some(format!("cvt.{rounding}.{to}.{from}"))
}

/// `__dadd_ru` is `add.rp.f64`.
fn rounded(function: &str) -> Option<String> {
    let (operation, rounding) = function.strip_prefix("__")?.rsplit_once('_')?;
    let (operation, ty) = match operation {
        "fmaf" => ("fma", "f32"),
        "fma" => ("fma", "f64"),
        _ => match operation.split_at_checked(1)? {
            ("f", operation) => (operation, "f32"),
            ("d", operation) => (operation, "f64"),
            _ => return None,
        },
    };
    matches!(operation, "add" | "sub" | "mul" | "div" | "rcp" | "sqrt" | "fma")
        .then_some(())
        .and_then(|()| Some(format!("{operation}.{}.{ty}", rounding_of(rounding)?)))
}

/// The rounding of CUDA's suffix: down is toward minus infinity.
fn rounding_of(suffix: &str) -> Option<&'static str> {
    Some(match suffix {
        "rn" => "rn",
        "rz" => "rz",
        "rd" => "rm",
        "ru" => "rp",
        _ => return None,
    })
}

const TYPES: &[(&str, &str)] = &[
    ("half", "f16"),
    ("float", "f32"),
    ("double", "f64"),
    ("int", "s32"),
    ("uint", "u32"),
    ("ll", "s64"),
    ("ull", "u64"),
];

#[cfg(test)]
mod tests {
    use super::ptx;

    #[test]
    fn functions_that_a_rule_names() {
        for (function, instruction) in [
            ("__dadd_rn", "add.rn.f64"),
            ("__fmul_rz", "mul.rz.f32"),
            ("__fmaf_ru", "fma.rp.f32"),
            ("__fma_rd", "fma.rm.f64"),
            ("__float2int_rz", "cvt.rzi.s32.f32"),
            ("__ull2double_rn", "cvt.rn.f64.u64"),
            ("__double2float_rn", "cvt.rn.f32.f64"),
            ("__half2float", "cvt.f32.f16"),
            ("__float2half", "cvt.rn.f16.f32"),
            ("atomicCAS_system", "atom.sys.cas.b32"),
        ] {
            assert_eq!(ptx(function).as_deref(), Some(instruction), "{function}");
        }
        for none in ["__fadd", "__float2int", "__int2uint_rn", "__dabs_rn", "my2float_rn"] {
            assert_eq!(ptx(none), None);
        }
    }
}
