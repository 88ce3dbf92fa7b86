//! Side tables: the operands that do not fit into slots.

use std::ops::Index;

use smol_str::SmolStr;
use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::grid::pause::ClusterAction;
use warplens_sim_cuda::semantics::compare::Combine;
use warplens_sim_cuda::semantics::convert::Convert;
use warplens_sim_cuda::semantics::fragments::Matrix;
use warplens_sim_cuda::semantics::matrix::Product;
use warplens_sim_cuda::semantics::mixed::Mixed;
use warplens_sim_cuda::semantics::narrow::PackedConvert;
use warplens_sim_cuda::semantics::replicas::ReplicaReduction;
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;
use warplens_sim_cuda::semantics::video::{Video, VideoMad};
use warplens_sim_cuda::slot::{Formal, RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::asynchronous::{BulkCopy, Completion, Fill, Mbarrier};
use super::guard::Guard;
use super::tensor::TensorOp;

/// Declares the side tables of a function, and an id for the entries of each.
macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident[$id:ident]: $entry:ty;)*) => {
        /// The side tables of a function. `tables[id]` is the entry that an operation refers to.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Tables {
            $($(#[$doc])* pub $table: Vec<$entry>,)*
        }

        $(
            /// The index of an entry. Packed, because padding would make an instruction larger than half a cache line.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[repr(Rust, packed)]
            pub struct $id(u32);

            impl Index<$id> for Tables {
                type Output = $entry;

                #[inline(always)]
                fn index(&self, $id(index): $id) -> &$entry {
                    &self.$table[index as usize]
                }
            }

            impl Entry for $entry {
                type Id = $id;

                fn add_to(self, tables: &mut Tables) -> $id {
                    tables.$table.push(self);
                    $id(tables.$table.len() as u32 - 1)
                }
            }
        )*
    };
}

tables! {
    notes[NoteId]: Note;
    videos[VideoId]: Video;
    mixed[MixedId]: MixedOperands;
    video_mads[VideoMadId]: VideoMad;
    packed_converts[PackedConvertId]: PackedSources;
    copies[CopyId]: Copy;
    bulk_copies[BulkCopyId]: BulkCopy;
    tensors[TensorId]: TensorOp;
    fills[FillId]: Fill;
    mbarriers[MbarrierId]: Mbarrier;
    async_stores[AsyncStoreId]: (Access, Completion);
    async_atomics[AsyncAtomicId]: (Atomic, Completion);
    products[ProductId]: MatrixProduct;
    fragments[FragmentId]: FragmentAccess;
    matrix_accesses[MatrixAccessId]: MatrixAccess;
    converts[ConvertId]: Convert;
    packs[PackId]: Pack;
    /// Pairs of destination and source.
    moves[MovesId]: Vec<(RegisterSlot, RegisterSlot)>;
    lop3[Lop3Id]: Lop3Predicate;
    accesses[AccessId]: Access;
    replica_loads[ReplicaLoadId]: (Access, ReplicaReduction);
    atomics[AtomicId]: Atomic;
    exchanges[ExchangeId]: Exchange;
    switches[SwitchId]: Switch;
    calls[CallId]: Call;
    barriers[BarrierId]: Barrier;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    pub name: SmolStr,
    /// The reason, as a clause of a sentence.
    pub why: SmolStr,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MixedOperands {
    pub mixed: Mixed,
    pub d: RegisterSlot,
    pub operands: Vec<RegisterSlot>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedSources {
    pub convert: PackedConvert,
    /// The numbers, uppermost first, or a single register with two numbers.
    pub sources: Vec<Slot>,
    pub random: Option<Slot>,
    /// Scales that are powers of two.
    pub scales: Option<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lop3Predicate {
    pub table: u8,
    pub c: Slot,
    pub combine: Combine,
    pub with: Guard,
}

/// A `mov` between one register and several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pack {
    pub whole: RegisterSlot,
    /// Lowest part first; `None` for `_`.
    pub parts: Vec<Option<RegisterSlot>>,
    pub bits: u32,
    /// Whether the parts are the destination.
    pub unpack: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub space: Space,
    /// Bytes of an element.
    pub size: u32,
    pub signed: bool,
    pub address: Address,
    /// One register per element; `None` for `_`.
    pub elements: Vec<Option<Element>>,
}

impl Access {
    /// The bytes that a lane accesses.
    pub(crate) fn span(&self) -> u32 {
        self.size * self.elements.len() as u32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    pub place: RegisterSlot,
    /// The register's width; narrower elements are extended to it.
    pub bits: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    pub product: Product,
    /// The registers of A, B, C and D.
    pub registers: [Vec<RegisterSlot>; 4],
    pub scales: Option<ProductScales>,
    /// The metadata of a sparse A.
    pub sparse: Option<SparseFactor>,
}

/// The metadata of a sparse A, which stores half of its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SparseFactor {
    pub metadata: RegisterSlot,
    /// Selects the lanes of a quad that supply the indices.
    pub selector: RegisterSlot,
    pub ordered: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductScales {
    pub words: [RegisterSlot; 2],
    /// Which byte and which lanes supply the scales, for A and B.
    pub selectors: [[RegisterSlot; 2]; 2],
}

/// A load or store of a `wmma` fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FragmentAccess {
    pub matrix: Matrix,
    pub space: Space,
    pub address: Address,
    /// Elements between the starts of two lines in memory, if specified.
    pub stride: Option<Slot>,
    /// Whether the lines in memory are the lines of [`Matrix`]; if not, they run across them.
    pub along: bool,
    pub registers: Vec<RegisterSlot>,
    pub store: bool,
}

/// The memory format of the rows that `ldmatrix` and `stmatrix` move.
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

/// A load or store of small matrices. Each lane has the address of one row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixAccess {
    pub rows: Rows,
    pub space: Space,
    pub address: Address,
    /// One register per matrix, or two for a 16 x 16 matrix.
    pub registers: Vec<RegisterSlot>,
    pub transposed: bool,
    pub store: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    pub to: (Address, Space),
    pub from: (Address, Space),
    /// Bytes written.
    pub size: u32,
    /// Bytes read, if fewer; the rest is filled with zeros.
    pub source_size: Option<Slot>,
    /// Lanes in which this is true read nothing and write zeros.
    pub ignore: Option<Guard>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    pub op: AtomicOp,
    pub ty: ScalarType,
    pub space: Space,
    pub address: Address,
    /// Receives the old values, one register per element; empty for `red`.
    pub old: Vec<Option<RegisterSlot>>,
    pub b: Vec<RegisterSlot>,
    /// The second operand of `cas`.
    pub c: Option<RegisterSlot>,
}

impl Atomic {
    /// The bytes that a lane accesses.
    pub(crate) fn span(&self) -> u32 {
        (self.ty.bytes() * self.b.len()) as u32
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    pub kind: ExchangeKind,
    /// The result, unless it is discarded.
    pub d: Option<RegisterSlot>,
    pub p: Option<Slot>,
    /// Each lane's value; a predicate for a vote.
    pub a: Option<RegisterSlot>,
    /// Whether predicate `a` is complemented.
    pub negated: bool,
    pub b: Slot,
    pub c: Slot,
    /// The member mask; `None` for the forms without `.sync`.
    pub members: Option<Slot>,
}

impl Exchange {
    pub fn new(kind: ExchangeKind) -> Exchange {
        Exchange { kind, d: None, p: None, a: None, negated: false, b: 0, c: 0, members: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExchangeKind {
    Shuffle(ShuffleMode),
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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Switch {
    pub index: Slot,
    /// Indices of instructions.
    pub targets: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    pub callee: Callee,
    pub arguments: Vec<Formal>,
    pub results: Vec<Formal>,
    /// What the prototype or the table of an indirect call promises about the callees.
    pub promise: Option<Promise>,
}

/// The functions that an indirect call may reach.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Promise {
    pub name: SmolStr,
    pub signature: SignatureShape,
    /// The functions that the table lists; `None` for a prototype.
    pub targets: Option<Vec<u32>>,
}

/// The parameter sizes in bytes, on which a caller and a callee must agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignatureShape {
    pub params: Vec<u64>,
    pub returns: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    Direct(u32),
    Indirect(RegisterSlot),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    pub kind: BarrierKind,
    /// Whether all lanes of a warp must execute it together.
    pub aligned: bool,
    pub id: Slot,
    /// Number of threads; `None` is all threads of the block.
    pub count: Option<Slot>,
    pub predicate: Guard,
    pub d: Option<RegisterSlot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    Sync,
    Arrive,
    /// Waits; the result is whether all predicates are true.
    ReduceAnd,
    /// Waits; the result is whether any predicate is true.
    ReduceOr,
    /// Waits; the result is the number of true predicates.
    ReduceCount,
    /// Arrives at the cluster's barrier without waiting.
    ClusterArrive,
    /// The same, without ordering memory accesses.
    ClusterArriveRelaxed,
    /// Waits for the threads that have not arrived at the cluster's barrier.
    ClusterWait,
}

impl BarrierKind {
    /// What it does at the cluster's barrier; `None` for a barrier of the block.
    pub(crate) fn cluster_action(self) -> Option<ClusterAction> {
        match self {
            BarrierKind::ClusterArrive => Some(ClusterAction::Arrive),
            BarrierKind::ClusterArriveRelaxed => Some(ClusterAction::ArriveRelaxed),
            BarrierKind::ClusterWait => Some(ClusterAction::Wait),
            _ => None,
        }
    }

    pub(crate) fn is_of_cluster(self) -> bool {
        self.cluster_action().is_some()
    }
}

pub(crate) trait Entry {
    type Id;

    fn add_to(self, tables: &mut Tables) -> Self::Id;
}
