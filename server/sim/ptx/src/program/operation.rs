//! Operations: the work of one instruction, as a small value.

use warplens_sim_cuda::semantics::bits::{Count, DotProduct, Logic, Permute, Shift};
use warplens_sim_cuda::semantics::carry::Carry;
use warplens_sim_cuda::semantics::compare::{Combine, Compare, Comparison, FloatClass};
use warplens_sim_cuda::semantics::float::{Approximation, FloatMode, FloatOp};
use warplens_sim_cuda::semantics::half::Half;
use warplens_sim_cuda::semantics::integer::{IntOp, Mul24};
use warplens_sim_cuda::semantics::packed::Division;
use warplens_sim_cuda::slot::Slots;
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::Rounding;

use super::guard::Guard;
use super::quick::Quick;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The predicate that decides which lanes execute the instruction.
    pub guard: Guard,
    pub op: Op,
    /// The operands. Control flow and operations with side tables keep targets and table indices here; see `Op`.
    pub s: Slots,
    /// The frequent operation that this is, whatever its guard.
    pub quick: Quick,
}

/// An operation. The discriminant is a single byte, so dispatch is one jump.
///
/// The comments name the mnemonic, then the flags of the variant in their order; `a` to `e` are the operand slots, which hold
/// registers, numbers or indices of side tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// An instruction without an effect that a simulator could show.
    Nop,
    /// An unsupported instruction: note `a`.
    Unsupported,
    /// Bitwise operations and moves.
    Logic(Logic, ScalarType),
    /// `lop3` with its truth table.
    Lop3(u8),
    /// `lop3` with a predicate `e`: the other operands are entry `c` of the side table
    Lop3Predicate,
    Int(IntOp, ScalarType),
    /// `mul.wide`
    MulWide(ScalarType),
    /// `mad.wide`
    MadWide(ScalarType),
    /// `mul24`, `mad24`; signed
    Mul24(Mul24, bool),
    Carry(Carry),
    /// Counting bits; in 64 bits
    Count(Count, bool),
    /// `brev`; in 64 bits
    Reverse(bool),
    /// `bfe`: signed, in 64 bits
    ExtractField(bool, bool),
    /// `bfi`: inserts `a` into `b` at position `c`, `e` bits long; in 64 bits
    InsertField(bool),
    /// `fns`
    FindNth,
    /// `bmsk`: wrap
    BitMask(bool),
    /// `szext`: wrap, signed
    Extend(bool, bool),
    /// `prmt`
    Permute(Permute),
    /// `shl`, `shr`
    Shift(Shift, ScalarType),
    /// `shf`: left, wrap
    Funnel(bool, bool),
    /// `dp4a`, `dp2a`: whether `a` and `b` are signed
    Dot(DotProduct, bool, bool),
    /// `setp`: `d` and, if present, `e` = the comparison, combined with predicate `c`.
    SetPredicate(Compare, Combining),
    /// `set`: `d` = the comparison as a number, combined with predicate `c`.
    Set(Compare, Combining, SetTo),
    /// `selp`: in 64 bits; predicate `c`
    Select(bool),
    /// `slct` by the sign of an integer `c`: in 64 bits
    SelectSigned(bool),
    /// `slct` by the sign of a float `c`: in 64 bits, flushing
    SelectFloat(bool, bool),
    /// `testp`: in 64 bits
    TestClass(FloatClass, bool),
    Float32(FloatOp, FloatMode),
    /// `min`, `max` of three singles: flushing, of magnitudes
    Extremum3(FloatOp, bool, bool),
    Float64(FloatOp, Rounding),
    Half(Half),
    /// Approximations: flushing
    Approximate(Approximation, bool),
    /// `cvt`: conversion `b`
    Convert,
    /// `mov` between several registers and one: pack `a`
    Pack,
    /// `mov` of several registers to as many others: moves `a`
    MoveEach,
    /// `clmad`: the high half
    CarrylessMad(bool),
    /// `add`, `sub`, `neg`, `min`, `max` on halves or bytes
    Packed(IntOp, Division),
    /// `set` on halves or bytes
    SetPacked(Comparison, Division),
    /// Single-precision operations on pairs.
    FloatPair(FloatOp, FloatMode),
    /// `setp` on pairs of halves: like `SetPredicate`, but `d` and `e` belong to the lower and the upper half.
    SetPredicatePair(Compare, Combining),
    /// `set` on pairs of halves.
    SetPair(Compare, Combining, SetTo),
    /// Arithmetic on several float formats: mixed operation `a`
    Mixed,
    /// `cvt` of several numbers: packed conversion `c`
    ConvertPacked,
    /// `cvt.pack`: bits and sign of the narrow type
    PackSaturated(u8, bool),
    /// `mma`: product `a`
    MatrixProduct,
    /// `ldmatrix`, `stmatrix`: matrix access `a`
    MatrixAccess,
    /// `wmma.load`, `wmma.store`: fragment `a`
    FragmentAccess,
    /// `movmatrix`
    MatrixTranspose,
    /// `cp.async`: copy `a`
    Copy,
    /// `cp.async.commit_group`, `cp.async.wait_group` …: number `a` of groups that may stay in flight
    CopyGroup(CopyGroup),
    /// `cp.async.bulk`: bulk copy `a`
    BulkCopy,
    /// A tensor instruction: entry `a` of its table
    Tensor,
    /// `st.bulk`: fill `a`
    Fill,
    /// `mbarrier`: entry `a` of its table
    Mbarrier,
    /// `mbarrier.pending_count`: `d` = the pending arrivals of token `a`
    PendingCount,
    /// `st.async`: access `a`, completion `b`
    StoreAsync,
    /// `red.async`: atomic `a`, completion `b`
    AtomicAsync,
    /// `mapa`: `d` = address `a` in the block of rank `b`; in 64 bits
    MapRank(bool),
    /// `getctarank`: `d` = the rank of the block that address `a` belongs to; in 64 bits
    RankOf(bool),
    /// `alloca`, `stacksave`, `stackrestore`
    Stack(StackAction),
    /// Video instructions: entry `e` of their table
    Video,
    /// `vmad`: entry `e` of its table
    VideoMad,
    /// `d` = the address of a local variable whose offset is the number `a`; in 64 bits
    LocalAddress(bool),
    /// `cvta`: adds the signed number `b` to register `a`; in 64 bits
    AddressAdd(bool),
    /// `cvta` between shared and generic addresses: in 64 bits, to shared
    SharedAddress(bool, bool),
    /// `isspacep`: predicate `d` = whether register `a` is at least the number `b` and below the number `c`; in 64 bits
    InWindow(bool),
    /// The step counter: in 64 bits
    Clock(bool),
    /// `nanosleep`: other warps run next
    Sleep,
    /// `activemask`
    ActiveMask,
    /// `ld`: access `a`
    Load,
    /// `st`: access `a`
    Store,
    /// `atom`, `red`: atomic `a`
    Atomic,
    /// `multimem`: access or atomic `a`, through an address that stands for several buffers
    Multimem(Multimem),
    /// `shfl`: exchange `a`
    Shuffle,
    /// `vote`: exchange `a`
    Vote,
    /// `match`: exchange `a`
    Match,
    /// `redux`: exchange `a`
    Reduce,
    /// `elect`: exchange `a`
    Elect,
    /// `bar.warp.sync`: members `a`
    WarpSync,
    /// `bra`: to `a`; lanes reconverge at `b`, under the model `ipdom` at `c`; hammock `e`. The flag tells whether it is
    /// `.uni`.
    Branch(bool),
    /// `brx.idx`: switch `a`; `b` and `c` as in `Branch`. The flag tells whether it is `.uni`.
    Switch(bool),
    /// `call`: call `a`
    Call(bool),
    /// `ret`
    Return(bool),
    /// `exit`
    Exit,
    /// `trap`
    Trap,
    /// `bar.sync`, `barrier.arrive` …: barrier `a`
    Barrier,
}

impl Op {
    /// Whether the result may depend on other threads.
    pub fn reads(self) -> bool {
        matches!(
            self,
            Op::Load
                | Op::Atomic
                | Op::Copy
                | Op::BulkCopy
                | Op::Multimem(_)
                | Op::MatrixAccess
                | Op::Mbarrier
                | Op::Call(_)
                | Op::Clock(_)
        )
    }

    /// Whether the operation decides which lanes run next. If so, it is visited even when no lane executes it.
    #[inline(always)]
    pub fn is_control(self) -> bool {
        matches!(
            self,
            Op::Branch(_)
                | Op::Switch(_)
                | Op::Call(_)
                | Op::Return(_)
                | Op::Exit
                | Op::Trap
                | Op::Barrier
                | Op::Stack(_)
                | Op::Unsupported
        )
    }
}

/// An operation on each thread's stack; the flag tells whether addresses have 64 bits instead of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackAction {
    /// `alloca`: `d` = a new range of `a` bytes, aligned to the number `b`
    Allocate(bool),
    /// `stacksave`: `d` = the address of the next range
    Save(bool),
    /// `stackrestore`: back to `a`
    Restore(bool),
}

/// An operation on each thread's groups of asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyGroup {
    /// `cp.async.commit_group`
    Close,
    /// `cp.async.wait_group`
    Wait,
    /// `cp.async.wait_all`
    WaitAll,
    /// `cp.async.bulk.commit_group`
    CloseBulk,
    /// `cp.async.bulk.wait_group`
    WaitBulk,
    /// `cp.async.bulk.wait_group.read`
    WaitBulkRead,
}

/// An access to all buffers behind a multimem address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multimem {
    /// `ld_reduce`: access `a`, reduction `b`
    LoadReduce,
    /// `st`: access `a`
    Store,
    /// `red`: atomic `a`
    Reduce,
}

/// How `setp` and `set` combine the comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combining {
    No,
    /// With the predicate.
    With(Combine),
    /// With the complement of the predicate.
    WithNot(Combine),
}

/// The value that `set` writes for true; it writes 0 for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetTo {
    /// All ones in 32 bits
    Ones,
    /// All ones in 16 bits
    Ones16,
    /// 1.0
    Float,
    /// 1.0 as `f16`
    Half,
    /// 1.0 as `bf16`
    Brain,
}

impl SetTo {
    /// The value for true.
    pub fn bits(self) -> u32 {
        match self {
            SetTo::Ones => u32::MAX,
            SetTo::Ones16 => 0xffff,
            SetTo::Float => 1f32.to_bits(),
            SetTo::Half => 0x3c00,
            SetTo::Brain => 0x3f80,
        }
    }
}
