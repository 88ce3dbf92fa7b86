//! Side tables: the operands that do not fit into slots.

use smol_str::SmolStr;
use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::semantics::compare::Combine;
use warplens_sim_cuda::semantics::convert::Convert;
use warplens_sim_cuda::semantics::fragments::Matrix;
use warplens_sim_cuda::semantics::matrix::Product;
use warplens_sim_cuda::semantics::mixed::Mixed;
use warplens_sim_cuda::semantics::narrow::PackedConvert;
use warplens_sim_cuda::semantics::replicas::ReplicaReduction;
use warplens_sim_cuda::semantics::video::{Video, VideoMad};
use warplens_sim_cuda::slot::{Formal, RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::asynchronous::{BulkCopy, Completion, Fill, Mbarrier};
use super::guard::Guard;
use super::tensor::TensorOp;

/// Side tables of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tables {
    /// Of `Op::Unsupported`.
    pub notes: Vec<Note>,
    /// Of `Op::Video`.
    pub videos: Vec<Video>,
    /// Of `Op::Mixed`.
    pub mixed: Vec<MixedOperands>,
    /// Of `Op::VideoMad`.
    pub video_mads: Vec<VideoMad>,
    /// Of `Op::ConvertPacked`.
    pub packed_converts: Vec<PackedSources>,
    /// Of `Op::Copy`.
    pub copies: Vec<Copy>,
    /// Of `Op::BulkCopy`.
    pub bulk_copies: Vec<BulkCopy>,
    /// Of `Op::Tensor`.
    pub tensors: Vec<TensorOp>,
    /// Of `Op::Fill`.
    pub fills: Vec<Fill>,
    /// Of `Op::Mbarrier`.
    pub mbarriers: Vec<Mbarrier>,
    /// Of the asynchronous stores and reductions.
    pub completions: Vec<Completion>,
    /// Of `Op::MatrixProduct`.
    pub products: Vec<MatrixProduct>,
    /// Of `Op::FragmentAccess`.
    pub fragments: Vec<FragmentAccess>,
    /// Of `Op::MatrixAccess`.
    pub matrix_accesses: Vec<MatrixAccess>,
    /// Of `Op::Convert`.
    pub converts: Vec<Convert>,
    /// Of `Op::Pack`.
    pub packs: Vec<Pack>,
    /// Of `Op::MoveEach`: destinations and sources.
    pub moves: Vec<Vec<(RegisterSlot, RegisterSlot)>>,
    /// Of `Op::Lop3Predicate`.
    pub lop3: Vec<Lop3Predicate>,
    /// Of `Op::Load` and `Op::Store`.
    pub accesses: Vec<Access>,
    /// Of `multimem.ld_reduce`.
    pub replica_reductions: Vec<ReplicaReduction>,
    /// Of `Op::Atomic`.
    pub atomics: Vec<Atomic>,
    /// Of the operations between lanes.
    pub exchanges: Vec<Exchange>,
    /// Of `Op::Switch`.
    pub switches: Vec<Switch>,
    /// Of `Op::Call`.
    pub calls: Vec<Call>,
    /// Of `Op::Barrier`.
    pub barriers: Vec<Barrier>,
}

/// The reason why an instruction is not simulated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The instruction.
    pub name: SmolStr,
    /// A clause.
    pub why: SmolStr,
}

/// Arithmetic on several float formats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MixedOperands {
    /// The operation.
    pub mixed: Mixed,
    /// The result.
    pub d: RegisterSlot,
    /// The operands.
    pub operands: Vec<RegisterSlot>,
}

/// A conversion of several numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedSources {
    /// The conversion of each.
    pub convert: PackedConvert,
    /// The numbers, the uppermost first; or one register with two.
    pub sources: Vec<Slot>,
    /// Random bits.
    pub random: Option<Slot>,
    /// Powers of two.
    pub scales: Option<Slot>,
}

/// `lop3` with predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lop3Predicate {
    /// Its truth table.
    pub table: u8,
    /// The third source.
    pub c: Slot,
    /// `.or` or `.and`.
    pub combine: Combine,
    /// The predicate that the result is combined with.
    pub with: Guard,
}

/// A `mov` between one register and several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pack {
    /// The wide register.
    pub whole: RegisterSlot,
    /// The parts, lowest first; `None` for `_`.
    pub parts: Vec<Option<RegisterSlot>>,
    /// Bits of a part.
    pub bits: u32,
    /// Whether the parts are the destination.
    pub unpack: bool,
}

/// A load or a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The state space.
    pub space: Space,
    /// Bytes of an element.
    pub size: u32,
    /// Whether narrow elements are sign-extended.
    pub signed: bool,
    /// The address of the first element.
    pub address: Address,
    /// The registers, an element each; `None` for `_`.
    pub elements: Vec<Option<Element>>,
}

/// One register of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// The register.
    pub place: RegisterSlot,
    /// Its width, which a narrower element is extended to.
    pub bits: u32,
}

/// A product of matrices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    /// Shape and types.
    pub product: Product,
    /// The registers of A, B, C and D.
    pub registers: [Vec<RegisterSlot>; 4],
    /// Where its scales are, if it has any.
    pub scales: Option<ProductScales>,
    /// The metadata of a sparse A.
    pub sparse: Option<SparseFactor>,
}

/// The metadata of a sparse A, which holds half of its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseFactor {
    /// The register with the indices.
    pub metadata: RegisterSlot,
    /// Which lanes of a quad supply them.
    pub selector: RegisterSlot,
    /// Whether the indices of a chunk must ascend.
    pub ordered: bool,
}

/// Where the scales of a product are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductScales {
    /// The words of A and of B.
    pub words: [RegisterSlot; 2],
    /// The byte and the lanes to take, of A and of B.
    pub selectors: [[RegisterSlot; 2]; 2],
}

/// A load or store of a fragment of `wmma`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FragmentAccess {
    /// The distribution of the matrix over the warp.
    pub matrix: Matrix,
    /// The state space.
    pub space: Space,
    /// The address of the first element.
    pub address: Address,
    /// Elements from one line to the next in memory, if specified.
    pub stride: Option<Slot>,
    /// Whether lines in memory are the lines of [`Matrix`], or are across them.
    pub along: bool,
    /// The registers.
    pub registers: Vec<RegisterSlot>,
    /// Whether it stores.
    pub store: bool,
}

/// The rows in memory of the matrices that `ldmatrix` and `stmatrix` move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rows {
    /// Eight rows of eight elements of 16 bits.
    Halves,
    /// Eight or sixteen rows of sixteen bytes.
    Bytes,
    /// Sixteen elements of 6 bits, then 32 unused bits.
    Sixes,
    /// Sixteen elements of 4 bits, then 64 unused bits.
    Fours,
}

/// A load or store of small matrices; a lane has the address of one row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixAccess {
    /// The format of the rows.
    pub rows: Rows,
    /// The state space.
    pub space: Space,
    /// The address of a row.
    pub address: Address,
    /// One register a matrix; two of a matrix of 16 x 16.
    pub registers: Vec<RegisterSlot>,
    /// Whether rows and columns are exchanged.
    pub transposed: bool,
    /// Whether it stores.
    pub store: bool,
}

/// A copy from global to shared memory, done at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// The destination.
    pub to: Address,
    /// The state space of `to`.
    pub to_space: Space,
    /// The source.
    pub from: Address,
    /// The state space of `from`.
    pub from_space: Space,
    /// Bytes written.
    pub size: u32,
    /// Bytes read, the rest being zeros; defaults to all.
    pub source_size: Option<Slot>,
    /// Where it is true, nothing is read and zeros are written.
    pub ignore: Option<Guard>,
}

/// An atomic operation on memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The operation.
    pub op: AtomicOp,
    /// The type of the elements.
    pub ty: ScalarType,
    /// The state space.
    pub space: Space,
    /// The address of the first element.
    pub address: Address,
    /// The old values, an element each; empty for `red`.
    pub old: Vec<Option<RegisterSlot>>,
    /// The operands, an element each.
    pub b: Vec<RegisterSlot>,
    /// The second operand of `cas`.
    pub c: Option<RegisterSlot>,
}

/// An operation between lanes, with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    /// The operation.
    pub kind: ExchangeKind,
    /// The result, unless it is discarded.
    pub d: Option<RegisterSlot>,
    /// The predicate beside it, if there is one.
    pub p: Option<Slot>,
    /// The value of each lane; for a vote, a predicate.
    pub a: Option<RegisterSlot>,
    /// Whether predicate `a` is complemented.
    pub negated: bool,
    /// The lane or offset of a shuffle.
    pub b: Slot,
    /// The clamp of a shuffle.
    pub c: Slot,
    /// The mask of members; `None` for the forms without `.sync`.
    pub members: Option<Slot>,
}

impl Exchange {
    /// An exchange without operands.
    pub fn new(kind: ExchangeKind) -> Exchange {
        Exchange { kind, d: None, p: None, a: None, negated: false, b: 0, c: 0, members: None }
    }
}

/// An operation between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExchangeKind {
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    ShuffleIndex,
    VoteAll,
    VoteAny,
    VoteUniform,
    VoteBallot,
    MatchAny,
    MatchAll,
    ReduceAdd,
    ReduceMinSigned,
    ReduceMaxSigned,
    ReduceMinUnsigned,
    ReduceMaxUnsigned,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
    ReduceFloat { max: bool, abs: bool, nan: bool },
    Elect,
}

/// The targets of a `brx.idx`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    /// The register that selects the target.
    pub index: Slot,
    /// Instructions.
    pub targets: Vec<u32>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The callee.
    pub callee: Callee,
    /// Arguments, in order.
    pub arguments: Vec<Formal>,
    /// The destinations of the results, in order.
    pub results: Vec<Formal>,
    /// What the prototype or the table of an indirect call promises about its callees.
    pub promise: Option<Promise>,
}

/// The functions that an indirect call may reach.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Promise {
    /// The name of the prototype or of the table.
    pub name: SmolStr,
    /// Their signature.
    pub signature: SignatureShape,
    /// The functions that the table lists; `None` for a prototype.
    pub targets: Option<Vec<u32>>,
}

/// The sizes in bytes of the parameters that a caller and a callee must agree on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignatureShape {
    /// Of the parameters, in order.
    pub params: Vec<u64>,
    /// Of the return parameters, in order.
    pub returns: Vec<u64>,
}

/// The callee of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the program.
    Direct(u32),
    /// The function whose address the register holds.
    Indirect(RegisterSlot),
    /// A function of the device runtime.
    System(System),
}

/// A function of the device runtime, whose body is in no module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum System {
    /// `vprintf`
    Print,
    /// `malloc`
    Allocate,
    /// `free`
    Free,
    /// `__assertfail`
    AssertFail,
}

impl System {
    /// The function with this name.
    pub fn from_name(name: &str) -> Option<System> {
        Some(match name {
            "vprintf" => System::Print,
            "malloc" => System::Allocate,
            "free" => System::Free,
            "__assertfail" => System::AssertFail,
            _ => return None,
        })
    }
}

/// A barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// The operation.
    pub kind: BarrierKind,
    /// Whether all lanes of a warp must execute it together.
    pub aligned: bool,
    /// The barrier's number.
    pub id: Slot,
    /// The number of threads; defaults to all of the block.
    pub count: Option<Slot>,
    /// The predicate of a reduction.
    pub predicate: Guard,
    /// The result of a reduction.
    pub d: Option<RegisterSlot>,
}

/// An operation at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// Wait.
    Sync,
    /// Arrive without waiting.
    Arrive,
    /// Wait; the result is whether all predicates are true.
    ReduceAnd,
    /// Wait; the result is whether any predicate is true.
    ReduceOr,
    /// Wait; the result is the number of true predicates.
    ReduceCount,
    /// Arrive at the cluster's barrier without waiting.
    ClusterArrive,
    /// Wait for the threads that have not arrived at the cluster's barrier.
    ClusterWait,
}
