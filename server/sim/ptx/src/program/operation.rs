//! Operations: the work of one instruction, as a small value.

use warplens_sim_cuda::sanitizer::copies::CopyFamily;
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

use super::choices::{Beyond, Sign, Signedness, Subnormals, Uniformity, Width};
use super::guard::Guard;
use super::quick::Quick;
use super::tables::{
    AccessId, AsyncAtomicId, AsyncStoreId, AtomicId, BarrierId, BulkCopyId, CallId, ConvertId, CopyId,
    ExchangeId, FillId, FragmentId, Lop3Id, MatrixAccessId, MbarrierId, MixedId, MovesId, NoteId, PackId,
    PackedConvertId, ProductId, ReplicaLoadId, SwitchId, TensorId, VideoId, VideoMadId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The predicate that decides which lanes execute the instruction.
    pub guard: Guard,
    pub op: Op,
    /// The operands. Control flow keeps targets here; see `Op`.
    pub s: Slots,
    /// The frequent operation that this is, whatever its guard.
    pub quick: Quick,
}

/// An operation. The discriminant is a single byte, so dispatch is one jump.
///
/// The comments name the mnemonic; `a` to `e` are the operand slots, which hold registers or numbers. An id is the entry of a
/// side table that has the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// An instruction without an effect that a simulator could show.
    Nop,
    Unsupported(NoteId),
    Logic(Logic, ScalarType),
    /// `lop3` with its truth table.
    Lop3(u8),
    /// `lop3` with a predicate `e`
    Lop3Predicate(Lop3Id),
    Int(IntOp, ScalarType),
    MulWide(ScalarType),
    MadWide(ScalarType),
    Mul24(Mul24, Signedness),
    Carry(Carry),
    Count(Count, Width),
    /// `brev`
    Reverse(Width),
    /// `bfe`
    ExtractField(Signedness, Width),
    /// `bfi`: inserts `a` into `b` at position `c`, `e` bits long
    InsertField(Width),
    /// `fns`
    FindNth,
    /// `bmsk`
    BitMask(Beyond),
    /// `szext`
    Extend(Beyond, Signedness),
    /// `prmt`
    Permute(Permute),
    /// `shl`, `shr`
    Shift(Shift, ScalarType),
    /// `shf`: to the left or to the right
    Funnel(Shift, Beyond),
    /// `dp4a`, `dp2a`: of `a` and of `b`
    Dot(DotProduct, Signedness, Signedness),
    /// `setp`: `d` and, if present, `e` = the comparison, combined with predicate `c`.
    SetPredicate(Compare, Combining),
    /// `set`: `d` = the comparison as a number, combined with predicate `c`.
    Set(Compare, Combining, SetTo),
    /// `selp`: predicate `c`
    Select(Width),
    /// `slct` by the sign of an integer `c`
    SelectSigned(Width),
    /// `slct` by the sign of a float `c`
    SelectFloat(Width, Subnormals),
    /// `testp`
    TestClass(FloatClass, Width),
    Float32(FloatOp, FloatMode),
    /// `min`, `max` of three singles
    Extremum3(FloatOp, Subnormals, Sign),
    Float64(FloatOp, Rounding),
    Half(Half),
    Approximate(Approximation, Subnormals),
    /// `cvt`
    Convert(ConvertId),
    /// `mov` between several registers and one
    Pack(PackId),
    /// `mov` of several registers to as many others
    MoveEach(MovesId),
    /// `clmad.lo`
    CarrylessMadLow,
    /// `clmad.hi`
    CarrylessMadHigh,
    /// `add`, `sub`, `neg`, `min`, `max` on halves or bytes
    Packed(IntOp, Division),
    /// `set` on halves or bytes
    SetPacked(Comparison, Division),
    FloatPair(FloatOp, FloatMode),
    /// `setp` on pairs of halves: like `SetPredicate`, but `d` and `e` belong to the lower and the upper half.
    SetPredicatePair(Compare, Combining),
    /// `set` on pairs of halves.
    SetPair(Compare, Combining, SetTo),
    Mixed(MixedId),
    /// `cvt` of several numbers
    ConvertPacked(PackedConvertId),
    /// `cvt.pack`: bits and sign of the narrow type
    PackSaturated(u8, Signedness),
    /// `mma`
    MatrixProduct(ProductId),
    /// `ldmatrix`, `stmatrix`
    MatrixAccess(MatrixAccessId),
    /// `wmma.load`, `wmma.store`
    FragmentAccess(FragmentId),
    /// `movmatrix`
    MatrixTranspose,
    /// `cp.async`
    Copy(CopyId),
    /// `cp.async.commit_group`, `cp.async.wait_group` …: number `a` of groups that may stay in flight
    CopyGroup(CopyGroup),
    /// `cp.async.bulk`
    BulkCopy(BulkCopyId),
    Tensor(TensorId),
    /// `st.bulk`
    Fill(FillId),
    Mbarrier(MbarrierId),
    /// `mbarrier.pending_count`: `d` = the pending arrivals of token `a`
    PendingCount,
    StoreAsync(AsyncStoreId),
    /// `red.async`
    AtomicAsync(AsyncAtomicId),
    /// `mapa`: `d` = address `a` in the block of rank `b`
    MapRank(Width),
    /// `getctarank`: `d` = the rank of the block that address `a` belongs to
    RankOf(Width),
    /// `alloca`, `stacksave`, `stackrestore`
    Stack(StackAction),
    Video(VideoId),
    /// `vmad`
    VideoMad(VideoMadId),
    /// `d` = the address of a local variable whose offset is the number `a`
    LocalAddress(Width),
    /// `cvta`: adds the signed number `b` to register `a`
    AddressAdd(Width),
    /// `cvta` from shared to generic addresses
    SharedToGeneric(Width),
    /// `cvta` from generic to shared addresses
    GenericToShared(Width),
    /// `isspacep`: predicate `d` = whether register `a` is at least the number `b` and below the number `c`
    InWindow(Width),
    /// Whether a generic address is in the shared memory of the block itself.
    InOwnShared(Width),
    Clock(Width),
    /// `setmaxnreg`
    RegisterCount {
        count: u16,
        increases: bool,
    },
    /// `nanosleep`: other warps run next
    Sleep,
    ActiveMask,
    /// `ld`
    Load(AccessId),
    /// `st`
    Store(AccessId),
    /// `atom`, `red`
    Atomic(AtomicId),
    /// `multimem`: an access through an address that stands for several buffers
    Multimem(Multimem),
    /// `shfl`
    Shuffle(ExchangeId),
    Vote(ExchangeId),
    Match(ExchangeId),
    /// `redux`
    Reduce(ExchangeId),
    /// `elect`
    Elect(ExchangeId),
    /// `bar.warp.sync`: members `a`
    WarpSync,
    /// `bra`: to `a`; lanes reconverge at `b`, under the model `ipdom` at `c`; hammock `e`
    Branch(Uniformity),
    /// `brx.idx`; `b` and `c` as in `Branch`
    Switch(SwitchId, Uniformity),
    Call(CallId, Uniformity),
    /// `ret`
    Return(Uniformity),
    Exit,
    Trap,
    /// `bar.sync`, `barrier.arrive` …
    Barrier(BarrierId),
}

impl Op {
    /// Whether the result may depend on other threads.
    pub fn reads(self) -> bool {
        matches!(
            self,
            Op::Load(_)
                | Op::Atomic(_)
                | Op::Copy(_)
                | Op::BulkCopy(_)
                | Op::Multimem(_)
                | Op::MatrixAccess(_)
                | Op::Mbarrier(_)
                | Op::Call(..)
                | Op::Clock(_)
        )
    }

    /// Whether the operation decides which lanes run next. If so, it is visited even when no lane executes it.
    #[inline(always)]
    pub fn is_control(self) -> bool {
        matches!(
            self,
            Op::Branch(_)
                | Op::Switch(..)
                | Op::Call(..)
                | Op::Return(_)
                | Op::Exit
                | Op::Trap
                | Op::Barrier(_)
                | Op::Stack(_)
                | Op::Unsupported(_)
        )
    }

    /// Whether this is a load, a store or an atomic.
    pub(crate) fn is_access(self) -> bool {
        matches!(self, Op::Load(_) | Op::Store(_) | Op::Atomic(_))
    }

    pub(crate) fn load(self) -> Option<AccessId> {
        if let Op::Load(id) = self { Some(id) } else { None }
    }

    pub(crate) fn store(self) -> Option<AccessId> {
        if let Op::Store(id) = self { Some(id) } else { None }
    }

    /// Whether all it does is to compute registers of a lane from registers of the lane.
    pub(crate) fn only_computes(self) -> bool {
        use Op::{
            Approximate, BitMask, CarrylessMadHigh, CarrylessMadLow, Convert, ConvertPacked, Count, Dot,
            Extend, ExtractField, Extremum3, FindNth, Float32, Float64, FloatPair, Funnel, Half, InsertField,
            Int, Logic, Lop3, Lop3Predicate, MadWide, Mixed, MoveEach, Mul24, MulWide, Nop, Pack,
            PackSaturated, Packed, Permute, Reverse, Select, SelectFloat, SelectSigned, Set, SetPacked,
            SetPair, SetPredicate, SetPredicatePair, Shift, TestClass,
        };
        matches!(
            self,
            Nop | Lop3(_)
                | Lop3Predicate(_)
                | Logic(..)
                | Int(..)
                | MulWide(_)
                | MadWide(_)
                | Mul24(..)
                | Dot(..)
                | CarrylessMadLow
                | CarrylessMadHigh
                | Count(..)
                | Reverse(_)
                | ExtractField(..)
                | InsertField(_)
                | FindNth
                | BitMask(_)
                | Extend(..)
                | Permute(_)
                | Shift(..)
                | Funnel(..)
                | Pack(_)
                | MoveEach(_)
                | SetPredicate(..)
                | SetPredicatePair(..)
                | Set(..)
                | SetPair(..)
                | SetPacked(..)
                | Select(_)
                | SelectSigned(_)
                | SelectFloat(..)
                | TestClass(..)
                | Float32(..)
                | Float64(..)
                | FloatPair(..)
                | Extremum3(..)
                | Half(_)
                | Mixed(_)
                | Approximate(..)
                | Convert(_)
                | ConvertPacked(_)
                | PackSaturated(..)
                | Packed(..)
        )
    }

    /// Whether the operation is on a matrix that the lanes of a warp hold together, so that all of them must execute it.
    pub(crate) fn is_of_whole_warp(self) -> bool {
        matches!(
            self,
            Op::MatrixProduct(_) | Op::MatrixTranspose | Op::MatrixAccess(_) | Op::FragmentAccess(_)
        )
    }

    pub(crate) fn exchange(self) -> Option<ExchangeId> {
        match self {
            Op::Shuffle(id) | Op::Vote(id) | Op::Match(id) | Op::Reduce(id) | Op::Elect(id) => Some(id),
            _ => None,
        }
    }
}

/// An operation on each thread's stack, with the width of its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackAction {
    /// `alloca`: `d` = a new range of `a` bytes, aligned to the number `b`
    Allocate(Width),
    /// `stacksave`: `d` = the address of the next range
    Save(Width),
    /// `stackrestore`: back to `a`
    Restore(Width),
}

/// `cp.async.commit_group` and the other operations on each thread's groups of asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyGroup {
    Commit(CopyFamily),
    /// Until at most `a` groups are in flight, or all copies are complete; with `read`, until their sources are read.
    Wait {
        family: CopyFamily,
        all: bool,
        read: bool,
    },
}

/// An access to all buffers behind a multimem address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multimem {
    /// `ld_reduce`
    LoadReduce(ReplicaLoadId),
    /// `st`
    Store(AccessId),
    /// `red`
    Reduce(AtomicId),
}

/// How `setp` and `set` combine the comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combining {
    No,
    With(Combine),
    WithNot(Combine),
}

/// The value that `set` writes for true; it writes 0 for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetTo {
    /// All ones in 32 bits
    Ones,
    /// All ones in 16 bits
    Ones16,
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
