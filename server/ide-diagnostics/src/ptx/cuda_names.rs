//! Functions of CUDA C++ that are one instruction of PTX, written as if they were opcodes or functions of PTX, and its variables.

use std::borrow::Cow;

/// The instruction that a function is compiled to.
pub(super) fn ptx(function: &str) -> Option<Cow<'static, str>> {
    let found = STATEMENTS.iter().chain(OPCODES).find(|(name, _)| *name == function);
    let listed = found.map(|(_, ptx)| Cow::Borrowed(*ptx));
    listed.or_else(|| {
        scoped(function).or_else(|| converted(function)).or_else(|| rounded(function)).map(Cow::Owned)
    })
}

/// The special register or constant of a variable.
pub(super) fn variable(name: &str) -> Option<&'static str> {
    VARIABLES.iter().find(|(variable, _)| *variable == name).map(|(_, ptx)| *ptx)
}

/// `atomicAdd_block` is `atom.cta.add`.
fn scoped(function: &str) -> Option<String> {
    let (atomic, scope) = match function.strip_suffix("_block") {
        Some(atomic) => (atomic, "cta"),
        None => (function.strip_suffix("_system")?, "sys"),
    };
    let (_, ptx) = OPCODES.iter().find(|(name, _)| *name == atomic)?;
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

const VARIABLES: &[(&str, &str)] = &[
    ("threadIdx", "%tid"),
    ("blockIdx", "%ctaid"),
    ("blockDim", "%ntid"),
    ("gridDim", "%nctaid"),
    ("warpSize", "WARP_SZ"),
];

/// The same, if it is a whole statement.
pub(super) fn statement(function: &str) -> Option<&'static str> {
    STATEMENTS.iter().find(|(name, _)| *name == function).map(|(_, ptx)| *ptx)
}

/// Functions without a result, called without arguments.
const STATEMENTS: &[(&str, &str)] = &[
    ("__syncthreads", "bar.sync 0"),
    ("__syncwarp", "bar.warp.sync 0xffffffff"),
    ("__threadfence", "membar.gl"),
    ("__threadfence_block", "membar.cta"),
    ("__threadfence_system", "membar.sys"),
    ("__trap", "trap"),
    ("__brkpt", "brkpt"),
    ("__pipeline_commit", "cp.async.commit_group"),
    ("__cluster_barrier_arrive", "barrier.cluster.arrive"),
    ("__cluster_barrier_wait", "barrier.cluster.wait"),
];

const OPCODES: &[(&str, &str)] = &[
    ("__syncthreads_and", "bar.red.and.pred"),
    ("__syncthreads_or", "bar.red.or.pred"),
    ("__syncthreads_count", "bar.red.popc.u32"),
    ("__activemask", "activemask.b32"),
    ("__all_sync", "vote.sync.all.pred"),
    ("__any_sync", "vote.sync.any.pred"),
    ("__ballot_sync", "vote.sync.ballot.b32"),
    ("__match_all_sync", "match.all.sync.b32"),
    ("__match_any_sync", "match.any.sync.b32"),
    ("__reduce_add_sync", "redux.sync.add.s32"),
    ("__reduce_min_sync", "redux.sync.min.s32"),
    ("__reduce_max_sync", "redux.sync.max.s32"),
    ("__reduce_and_sync", "redux.sync.and.b32"),
    ("__reduce_or_sync", "redux.sync.or.b32"),
    ("__reduce_xor_sync", "redux.sync.xor.b32"),
    ("__shfl_sync", "shfl.sync.idx.b32"),
    ("__shfl_up_sync", "shfl.sync.up.b32"),
    ("__shfl_down_sync", "shfl.sync.down.b32"),
    ("__shfl_xor_sync", "shfl.sync.bfly.b32"),
    ("__nanosleep", "nanosleep.u32"),
    ("__all", "vote.sync.all.pred"),
    ("__any", "vote.sync.any.pred"),
    ("__ballot", "vote.sync.ballot.b32"),
    ("__shfl", "shfl.sync.idx.b32"),
    ("__shfl_up", "shfl.sync.up.b32"),
    ("__shfl_down", "shfl.sync.down.b32"),
    ("__shfl_xor", "shfl.sync.bfly.b32"),
    ("__pipeline_wait_prior", "cp.async.wait_group"),
    ("__pipeline_memcpy_async", "cp.async.ca.shared.global"),
    ("__prof_trigger", "pmevent"),
    ("clock", "mov.u32` from `%clock"),
    ("clock64", "mov.u64` from `%clock64"),
    ("__ldg", "ld.global.nc"),
    ("__ldca", "ld.global.ca"),
    ("__ldcg", "ld.global.cg"),
    ("__ldcs", "ld.global.cs"),
    ("__ldcv", "ld.global.cv"),
    ("__ldlu", "ld.global.lu"),
    ("__stcg", "st.global.cg"),
    ("__stcs", "st.global.cs"),
    ("__stwb", "st.global.wb"),
    ("__stwt", "st.global.wt"),
    ("__isConstant", "isspacep.const"),
    ("__isGlobal", "isspacep.global"),
    ("__isLocal", "isspacep.local"),
    ("__isShared", "isspacep.shared"),
    ("__cvta_generic_to_constant", "cvta.to.const.u64"),
    ("__cvta_generic_to_global", "cvta.to.global.u64"),
    ("__cvta_generic_to_local", "cvta.to.local.u64"),
    ("__cvta_generic_to_shared", "cvta.to.shared.u64"),
    ("__cvta_constant_to_generic", "cvta.const.u64"),
    ("__cvta_global_to_generic", "cvta.global.u64"),
    ("__cvta_local_to_generic", "cvta.local.u64"),
    ("__cvta_shared_to_generic", "cvta.shared.u64"),
    ("atomicAdd", "atom.add"),
    ("atomicAnd", "atom.and.b32"),
    ("atomicCAS", "atom.cas.b32"),
    ("atomicDec", "atom.dec.u32"),
    ("atomicExch", "atom.exch.b32"),
    ("atomicInc", "atom.inc.u32"),
    ("atomicMax", "atom.max"),
    ("atomicMin", "atom.min"),
    ("atomicOr", "atom.or.b32"),
    ("atomicXor", "atom.xor.b32"),
    ("__brev", "brev.b32"),
    ("__brevll", "brev.b64"),
    ("__byte_perm", "prmt.b32"),
    ("__clz", "clz.b32"),
    ("__clzll", "clz.b64"),
    ("__dp2a_hi", "dp2a.hi"),
    ("__dp2a_lo", "dp2a.lo"),
    ("__dp4a", "dp4a"),
    ("__double_as_longlong", "mov.b64"),
    ("__float_as_int", "mov.b32"),
    ("__float_as_uint", "mov.b32"),
    ("__int_as_float", "mov.b32"),
    ("__longlong_as_double", "mov.b64"),
    ("__uint_as_float", "mov.b32"),
    ("__cosf", "cos.approx.f32"),
    ("__fdividef", "div.approx.f32"),
    ("__log2f", "lg2.approx.f32"),
    ("__saturatef", "cvt.sat.f32.f32"),
    ("__sinf", "sin.approx.f32"),
    ("__tanhf", "tanh.approx.f32"),
    ("__fns", "fns.b32"),
    ("__hadd2", "add.f16x2"),
    ("__hfma", "fma.rn.f16"),
    ("__hfma2", "fma.rn.f16x2"),
    ("__hmul", "mul.f16"),
    ("__hmul2", "mul.f16x2"),
    ("__hsub", "sub.f16"),
    ("__hsub2", "sub.f16x2"),
    ("__funnelshift_l", "shf.l.wrap.b32"),
    ("__funnelshift_r", "shf.r.wrap.b32"),
    ("__mul24", "mul24.lo.s32"),
    ("__mulhi", "mul.hi.s32"),
    ("__mul64hi", "mul.hi.s64"),
    ("__popc", "popc.b32"),
    ("__popcll", "popc.b64"),
    ("__sad", "sad.s32"),
    ("__umul24", "mul24.lo.u32"),
    ("__umulhi", "mul.hi.u32"),
    ("__umul64hi", "mul.hi.u64"),
    ("__usad", "sad.u32"),
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
