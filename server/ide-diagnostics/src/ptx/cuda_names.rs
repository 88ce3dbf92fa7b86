//! Functions of CUDA C++ that are one instruction of PTX, written as if they were opcodes.

/// The instruction that a function is compiled to.
pub(super) fn ptx(function: &str) -> Option<&'static str> {
    STATEMENTS.iter().chain(OPCODES).find(|(name, _)| *name == function).map(|(_, ptx)| *ptx)
}

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
    ("__ldg", "ld.global.nc"),
    ("__ldcg", "ld.global.cg"),
    ("__ldcs", "ld.global.cs"),
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
    ("__dp4a", "dp4a"),
    ("__fmaf_rn", "fma.rn.f32"),
    ("__funnelshift_l", "shf.l.wrap.b32"),
    ("__funnelshift_r", "shf.r.wrap.b32"),
    ("__fadd_rn", "add.rn.f32"),
    ("__fdiv_rn", "div.rn.f32"),
    ("__fmul_rn", "mul.rn.f32"),
    ("__frcp_rn", "rcp.rn.f32"),
    ("__fsqrt_rn", "sqrt.rn.f32"),
    ("__mul24", "mul24.lo.s32"),
    ("__mulhi", "mul.hi.s32"),
    ("__popc", "popc.b32"),
    ("__popcll", "popc.b64"),
    ("__sad", "sad.s32"),
    ("__umul24", "mul24.lo.u32"),
    ("__umulhi", "mul.hi.u32"),
    ("__usad", "sad.u32"),
];
