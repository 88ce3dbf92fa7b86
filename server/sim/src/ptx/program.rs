//! A decoded kernel: everything a run needs to know of the text, and nothing of where it stands in it.
//!
//! A program compares by value, so an edit of a comment or of the layout gives an equal one. Instruction `pc` of a function is
//! statement `first_statement + pc`; where that is in a file, whoever decoded the program knows.

use smol_str::SmolStr;

use super::registers::Slots;
use super::semantics::bits::{Count, DotProduct, Logic, Permute, Shift, Width};
use super::semantics::carry::Carry;
use super::semantics::compare::{Combine, CompareType, Comparison, FloatClass};
use super::semantics::convert::Convert;
use super::semantics::float::{Approximation, FloatMode, FloatOp};
use super::semantics::half::Half;
use super::semantics::integer::{IntOp, IntType, Mul24, WideType};
use super::semantics::matrix::Product;
use super::semantics::narrow::PairConvert;
use super::semantics::video::Video;
use crate::memory::DeviceMemory;
use crate::soft_float::Rounding;
use crate::trace::StatementId;

/// A register's place in its file.
pub type Slot = u32;

/// Stands for a register that is not there (`_`, or an operand left out).
pub const NO_SLOT: Slot = u32::MAX;

/// An entry and all functions that it can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The entry's name.
    pub name: SmolStr,
    /// The entry first, then the others as they were found.
    pub functions: Vec<Function>,
    /// The entry's parameters.
    pub params: Vec<ParamLayout>,
    /// Bytes of the parameter block.
    pub params_size: u32,
    /// `.global` variables with their initial contents.
    pub globals: DeviceMemory,
    /// `.const` variables with their contents.
    pub constants: DeviceMemory,
    /// Bytes of `.shared` variables; the dynamic arrays begin behind them.
    pub shared_size: u32,
    /// Whether pointers have 64 bits.
    pub wide_addresses: bool,
}

impl Program {
    /// Statements of all functions.
    pub fn statements(&self) -> usize {
        self.functions.iter().map(|function| function.code.len()).sum()
    }

    /// The function that holds a statement, and the statement's number in it.
    pub fn locate(&self, statement: StatementId) -> Option<(usize, u32)> {
        let after = self.functions.partition_point(|function| function.first_statement <= statement.0);
        let function = after.checked_sub(1)?;
        let pc = statement.0 - self.functions[function].first_statement;
        ((pc as usize) < self.functions[function].code.len()).then_some((function, pc))
    }
}

/// Where a kernel parameter lies in the parameter block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParamLayout {
    /// Its name.
    pub name: SmolStr,
    /// Its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// One function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: SmolStr,
    /// The statement that `code[0]` is.
    pub first_statement: u32,
    /// The instructions in text order; one a statement.
    pub code: Vec<Instruction>,
    /// Its registers.
    pub frame: FrameLayout,
    /// Formal parameters, in order.
    pub params: Vec<Formal>,
    /// Formal return parameters, in order.
    pub returns: Vec<Formal>,
    /// Side tables of the operations that need more than five slots.
    pub tables: Tables,
    /// Which registers each instruction writes: `written[writes[pc] .. writes[pc + 1]]`, numbers of `frame.registers`.
    pub writes: Vec<u32>,
    /// See `writes`.
    pub written: Vec<u32>,
}

impl Function {
    /// The registers that the instruction at `pc` writes, as numbers of `frame.registers`.
    pub fn writes_of(&self, pc: u32) -> &[u32] {
        let pc = pc as usize;
        &self.written[self.writes[pc] as usize..self.writes[pc + 1] as usize]
    }
}

/// What a call of a function needs: registers, constants in them, stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameLayout {
    /// Slots of up to 32 bits.
    pub words: u32,
    /// 64-bit slots.
    pub doubles: u32,
    /// Predicate slots.
    pub predicates: u32,
    /// Constants, by slot.
    pub word_constants: Vec<(Slot, u32)>,
    /// Constants, by slot.
    pub double_constants: Vec<(Slot, u64)>,
    /// Constant predicates, by slot; the others start false.
    pub true_predicates: Vec<Slot>,
    /// Special registers that never change, by slot; 64-bit ones are marked.
    pub specials: Vec<(Special, Place)>,
    /// The registers that have names.
    pub registers: Vec<Register>,
    /// Bytes of `.local` and `.param` variables, a multiple of 16.
    pub local_size: u32,
}

/// Which file a slot is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Up to 32 bits.
    Word(Slot),
    /// 64 bits.
    Double(Slot),
    /// 128 bits: this slot and the next.
    Quad(Slot),
    /// A predicate.
    Predicate(Slot),
}

/// A register with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// As written.
    pub name: SmolStr,
    /// Width in bits.
    pub bits: u16,
    /// Where it is.
    pub place: Place,
}

/// A special register whose value a warp knows when it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `%tid`, by dimension
    ThreadId(u8),
    /// `%ntid`
    BlockSize(u8),
    /// `%ctaid`
    BlockId(u8),
    /// `%nctaid`
    GridSize(u8),
    /// `%laneid`
    Lane,
    /// `%warpid`
    Warp,
    /// `%nwarpid`
    Warps,
    /// `%lanemask_eq`
    MaskEqual,
    /// `%lanemask_lt`
    MaskLess,
    /// `%lanemask_le`
    MaskLessEqual,
    /// `%lanemask_gt`
    MaskGreater,
    /// `%lanemask_ge`
    MaskGreaterEqual,
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`
    TotalShared,
    /// A fixed number: `%smid`, `%gridid`, cluster registers of a cluster of one …
    Number(u32),
}

/// A formal parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formal {
    /// Where it is.
    pub at: Passing,
    /// Its size in bytes.
    pub size: u32,
}

/// Where an argument or a formal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// In the frame's local memory, from this byte on.
    Local(u32),
    /// In a register.
    Register(Place),
    /// Nowhere (`_`).
    Nowhere,
}

/// The predicate in front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard(u32);

impl Guard {
    /// No predicate.
    pub const ALWAYS: Guard = Guard(u32::MAX);

    /// `@p`, or `@!p`.
    pub fn new(slot: Slot, negated: bool) -> Guard {
        Guard(slot << 1 | u32::from(negated))
    }

    /// The lanes of `mask` in which it is true.
    #[inline(always)]
    pub fn of(self, predicates: &[u32], mask: u32) -> u32 {
        if self == Guard::ALWAYS {
            return mask;
        }
        let value = predicates[(self.0 >> 1) as usize];
        mask & if self.0 & 1 == 1 { !value } else { value }
    }
}

/// One operation with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Which lanes act.
    pub guard: Guard,
    /// What is done.
    pub op: Op,
    /// To what. Control flow and operations with tables keep their targets and table indices here, as their `Op` says.
    pub s: Slots,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Nothing that a simulator shows.
    Nop,
    /// Something that is not simulated: note `a`.
    Unsupported,
    /// Bitwise, and moves.
    Logic(Logic, Width),
    /// `lop3` with its table.
    Lop3(u8),
    /// `lop3` with a predicate `e`: the rest is entry `c` of its table
    Lop3Predicate,
    /// Integer arithmetic.
    Int(IntOp, IntType),
    /// `mul.wide`
    MulWide(WideType),
    /// `mad.wide`
    MadWide(WideType),
    /// `mul24`, `mad24`; signed
    Mul24(Mul24, bool),
    /// The carry chain.
    Carry(Carry),
    /// Counting bits; of 64 bits
    Count(Count, bool),
    /// `brev`; of 64 bits
    Reverse(bool),
    /// `bfe`: signed, of 64 bits
    ExtractField(bool, bool),
    /// `bfi`: `a` into `b` from `c`, `e` bits; of 64 bits
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
    Shift(Shift, Width),
    /// `shf`: left, wrap
    Funnel(bool, bool),
    /// `dp4a`, `dp2a`: whether `a` and `b` are signed
    Dot(DotProduct, bool, bool),
    /// `setp`: `d` and, if there, `e` = the comparison, combined with predicate `c`.
    SetPredicate(Comparison, CompareType, Combining),
    /// `set`: `d` = a number for the comparison, combined with predicate `c`.
    Set(Comparison, CompareType, Combining, SetTo),
    /// `selp`: of 64 bits; predicate `c`
    Select(bool),
    /// `slct` by the sign of an integer `c`: of 64 bits
    SelectSigned(bool),
    /// `slct` by the sign of a float `c`: of 64 bits, flushing
    SelectFloat(bool, bool),
    /// `testp`: of 64 bits
    TestClass(FloatClass, bool),
    /// Single precision.
    Float32(FloatOp, FloatMode),
    /// Double precision.
    Float64(FloatOp, Rounding),
    /// Half precision.
    Half(Half),
    /// Approximations: flushing
    Approximate(Approximation, bool),
    /// `cvt`: conversion `b`
    Convert,
    /// `mov` of several registers to or from one: pack `a`
    Pack,
    /// `mov` of several registers to as many others: moves `a`
    MoveEach,
    /// `clmad`: the high half
    CarrylessMad(bool),
    /// `add`, `min`, `max` on halves; signed
    Packed(IntOp, bool),
    /// `cvt` of pairs: pair `c`
    ConvertPair,
    /// `cvt.pack`: bits and sign of the narrow type
    PackSaturated(u8, bool),
    /// `mma`: product `a`
    MatrixProduct,
    /// `ldmatrix`, `stmatrix`: matrix access `a`
    MatrixAccess,
    /// `movmatrix`
    MatrixTranspose,
    /// `cp.async`: copy `a`
    Copy,
    /// Video instructions: entry `e` of their table
    Video,
    /// `d` = the address of a local variable: its offset is the number `a`; in 64 bits
    LocalAddress(bool),
    /// `cvta`: adds the signed number `b` to register `a`; in 64 bits
    AddressAdd(bool),
    /// `isspacep`: predicate `d` = register `a` is from the number `b` up to, not including, the number `c`; in 64 bits
    InWindow(bool),
    /// The step counter: in 64 bits
    Clock(bool),
    /// `activemask`
    ActiveMask,
    /// `ld`: access `a`
    Load,
    /// `st`: access `a`
    Store,
    /// `atom`, `red`: atomic `a`
    Atomic,
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
    /// `bra`: to `a`; lanes meet at `b`, by the textbook at `c`. Whether all lanes are said to agree.
    Branch(bool),
    /// `brx.idx`: switch `a`; `b` and `c` as in `Branch`.
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
    /// Whether the operation decides which lanes run next, so that it must be asked even when no lane executes it.
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
                | Op::Unsupported
        )
    }
}

/// How `setp` and `set` combine their comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combining {
    /// Not at all.
    No,
    /// With the predicate.
    With(Combine),
    /// With the predicate's complement.
    WithNot(Combine),
}

/// What `set` writes for true; 0 for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetTo {
    /// All ones in 32 bits
    Ones,
    /// All ones in 16 bits
    Ones16,
    /// 1.0
    Float,
    /// 1.0 in half precision
    Half,
    /// 1.0 in the other half precision
    Brain,
}

/// Side tables of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tables {
    /// Of `Op::Unsupported`.
    pub notes: Vec<Note>,
    /// Of `Op::Video`.
    pub videos: Vec<Video>,
    /// Of `Op::ConvertPair`.
    pub pairs: Vec<PairConvert>,
    /// Of `Op::Copy`.
    pub copies: Vec<Copy>,
    /// Of `Op::MatrixProduct`.
    pub products: Vec<MatrixProduct>,
    /// Of `Op::MatrixAccess`.
    pub matrix_accesses: Vec<MatrixAccess>,
    /// Of `Op::Convert`.
    pub converts: Vec<Convert>,
    /// Of `Op::Pack`.
    pub packs: Vec<Pack>,
    /// Of `Op::MoveEach`: destinations and sources.
    pub moves: Vec<Vec<(Place, Place)>>,
    /// Of `Op::Lop3Predicate`.
    pub lop3: Vec<Lop3Predicate>,
    /// Of `Op::Load` and `Op::Store`.
    pub accesses: Vec<Access>,
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

/// Why an instruction is not simulated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The instruction.
    pub name: SmolStr,
    /// A clause.
    pub why: SmolStr,
}

/// `lop3` with predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lop3Predicate {
    /// Its table.
    pub table: u8,
    /// The third source.
    pub c: Slot,
    /// `.or` or `.and`.
    pub combine: Combine,
    /// What is combined.
    pub with: Guard,
}

/// A `mov` between one register and several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pack {
    /// The one, lowest bits first where it is 128 wide.
    pub whole: Place,
    /// The several, lowest first; `None` for `_`.
    pub parts: Vec<Option<Place>>,
    /// Bits of a part.
    pub bits: u32,
    /// Whether the parts are the destination.
    pub unpack: bool,
}

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Decided by the address.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`, and `.param` of functions
    Local,
    /// `.const`
    Const,
    /// Kernel parameters
    Param,
}

impl Space {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "constant",
            Space::Param => "parameter",
        }
    }
}

/// An address: a register (or none), and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The register.
    pub base: Option<Place>,
    /// What the register counts, in bytes.
    pub scale: u32,
    /// Whether the offset counts from the frame's local memory.
    pub frame: bool,
    /// Added.
    pub offset: i64,
}

/// A load or a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where.
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
    pub place: Place,
    /// Its width, which a narrower element is extended to.
    pub bits: u32,
}

/// A product of matrices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    /// Shape and types.
    pub product: Product,
    /// The registers of A, B, C and D.
    pub registers: [Vec<Place>; 4],
}

/// A load or store of 8 x 8 matrices of 16-bit elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixAccess {
    /// Where.
    pub space: Space,
    /// The address of the row that a lane names.
    pub address: Address,
    /// One register a matrix.
    pub registers: Vec<Place>,
    /// Whether rows and columns change places.
    pub transposed: bool,
    /// Whether it stores.
    pub store: bool,
}

/// A copy from global to shared memory, done at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// Where to.
    pub to: Address,
    /// The space of `to`.
    pub to_space: Space,
    /// Where from.
    pub from: Address,
    /// The space of `from`.
    pub from_space: Space,
    /// Bytes written.
    pub size: u32,
    /// Bytes read, the rest being zeros; all where left out.
    pub source_size: Option<Slot>,
    /// Where it is true, nothing is read and zeros are written.
    pub ignore: Option<Guard>,
}

/// An operation on memory that nothing comes between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// What is done.
    pub op: AtomicOp,
    /// To what.
    pub ty: AtomicType,
    /// Where.
    pub space: Space,
    /// The address of the first element.
    pub address: Address,
    /// The old values, an element each; empty for `red`.
    pub old: Vec<Option<Place>>,
    /// The operands, an element each.
    pub b: Vec<Place>,
    /// The second operand of `cas`.
    pub c: Option<Place>,
}

/// What an atomic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the operations")]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Increment,
    Decrement,
}

/// The type of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the types")]
pub enum AtomicType {
    B16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F64,
    B128,
}

impl AtomicType {
    /// Bytes of an element.
    pub fn size(self) -> u32 {
        match self {
            AtomicType::B16 | AtomicType::F16 | AtomicType::Bf16 => 2,
            AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            AtomicType::B128 => 16,
            _ => 4,
        }
    }
}

/// An operation between lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    /// What is done.
    pub kind: ExchangeKind,
    /// The result, if it is wanted.
    pub d: Option<Place>,
    /// The predicate beside it, if there is one.
    pub p: Option<Slot>,
    /// What lanes give; of a vote, a predicate.
    pub a: Option<Place>,
    /// Whether predicate `a` is complemented.
    pub negated: bool,
    /// The lane or offset of a shuffle.
    pub b: Slot,
    /// The clamp of a shuffle.
    pub c: Slot,
    /// The mask of members; `None` for the forms without `.sync`.
    pub members: Option<Slot>,
}

/// What lanes do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the modifiers of the instructions")]
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
    /// The register that chooses.
    pub index: Slot,
    /// Instructions.
    pub targets: Vec<u32>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Whom.
    pub callee: Callee,
    /// Arguments, in order.
    pub arguments: Vec<Formal>,
    /// Where results go, in order.
    pub results: Vec<Formal>,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the program.
    Direct(u32),
    /// The function whose address the register holds.
    Indirect(Place),
}

/// A barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// What is done there.
    pub kind: BarrierKind,
    /// Whether all lanes of a warp must come together.
    pub aligned: bool,
    /// The barrier's number.
    pub id: Slot,
    /// How many threads; all of the block where left out.
    pub count: Option<Slot>,
    /// The predicate of a reduction.
    pub predicate: Guard,
    /// The result of a reduction.
    pub d: Option<Place>,
}

/// What is done at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// Wait.
    Sync,
    /// Count, and go on.
    Arrive,
    /// Wait; all are told whether all predicates are true.
    ReduceAnd,
    /// Wait; all are told whether any predicate is true.
    ReduceOr,
    /// Wait; all are told how many predicates are true.
    ReduceCount,
}
