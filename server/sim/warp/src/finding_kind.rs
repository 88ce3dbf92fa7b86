//! The kinds of findings, which are the problems that a simulation reports. Once released, a name keeps its meaning.
//!
//! To add a kind, add a line below and its page, `docs/findings/<name>.md`; without the page it does not compile.
//! `tests/ide/findings.rs` of `ide` runs the examples of the page.

use std::fmt;

use crate::severity::Severity;

#[derive(Debug)]
struct Entry {
    kind: FindingKind,
    name: &'static str,
    term: Option<&'static str>,
    severity: Severity,
    summary: &'static str,
    page: &'static str,
}

macro_rules! finding_kinds {
    (@term) => { None };
    (@term $term:literal) => { Some($term) };
    ($(#[doc = $summary:literal] $kind:ident = $name:literal, $($term:literal,)? $severity:ident;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind {
            $(#[doc = $summary] $kind,)*
        }

        /// In the order of the variants.
        const TABLE: &[Entry] = &[$(Entry {
            kind: FindingKind::$kind,
            name: $name,
            term: finding_kinds!(@term $($term)?),
            severity: Severity::$severity,
            summary: $summary.trim_ascii(),
            page: warplens_docs::finding($name),
        }),*];
    };
}

// Each kind has its name in kebab case, the term that starts its messages, and its usual severity. A kind has no term
// if the term depends on the memory or on why threads wait; its messages then start with one of their own.
finding_kinds! {
    /// The launch is invalid or cannot be simulated.
    Launch = "launch", "Invalid launch", Error;
    /// The run reached an unsupported instruction.
    Unsupported = "unsupported", "Unsupported instruction", Error;
    /// The run reached a statement whose behavior is not specified.
    NoMeaning = "no-meaning", "Undefined behavior", Error;
    /// Lanes access memory outside of every allocation.
    OutOfBounds = "out-of-bounds", "Out of bounds", Error;
    /// Lanes access memory through an address near zero.
    NullPointer = "null-pointer", "Null pointer", Error;
    /// An address is not a multiple of the size of the access.
    Misaligned = "misaligned", "Misaligned access", Error;
    /// A store to read-only memory, or a load by `ld.global.nc` or `ldu` of data that the launch has written.
    ReadOnly = "read-only", "Read-only memory", Error;
    /// Calls need more local memory than a thread has.
    StackOverflow = "stack-overflow", "Stack overflow", Error;
    /// An access to memory of the device heap that was freed.
    UseAfterFree = "use-after-free", "Use after free", Error;
    /// A block of the device heap is freed twice.
    DoubleFree = "double-free", "Double free", Error;
    /// `free` is called with an address that `malloc` did not return.
    BadFree = "bad-free", "Invalid free", Error;
    /// An `assert` of the program failed.
    Assertion = "assertion", "Assertion failed", Error;
    /// An mbarrier object is used incorrectly.
    Mbarrier = "mbarrier", "Invalid mbarrier use", Error;
    /// A thread does not alternate arrive and wait at the cluster barrier.
    ClusterBarrier = "cluster-barrier", "Invalid cluster barrier use", Error;
    /// A block rank outside of the cluster.
    ClusterRank = "cluster-rank", "Invalid block rank", Error;
    /// An access to the shared memory of a block that has exited.
    ClusterExit = "cluster-exit", "Access to exited block", Error;
    /// `stackrestore` with a value that `stacksave` did not return.
    StackPointer = "stack-pointer", "Invalid stack pointer", Error;
    /// A bulk copy larger than the limit, or of a size that is not a multiple of 16.
    BulkSize = "bulk-size", "Invalid bulk copy size", Error;
    /// An indirect call of an address that is not a function, or of a function that the call does not allow.
    CallTarget = "call-target", "Invalid call target", Error;
    /// A function that is marked `.noreturn` returns.
    Noreturn = "noreturn", "Unexpected return", Error;
    /// `setmaxnreg` requests registers that the block does not have, or is used against its rules.
    RegisterPool = "register-pool", "Register pool", Error;
    /// Calls nested deeper than the limit.
    CallDepth = "call-depth", "Call depth", Error;
    /// A `brx.idx` with an index outside of its table.
    BranchIndex = "branch-index", "Branch index out of range", Error;
    /// A divergent branch, call or return that is marked `.uni`.
    DivergentUniform = "divergent-uniform", "Divergent `.uni`", Error;
    /// A barrier at which only some lanes of a warp arrived together.
    DivergentBarrier = "divergent-barrier", "Divergent barrier", Error;
    /// Threads arrive at one barrier with different counts.
    BarrierMismatch = "barrier-mismatch", "Barrier mismatch", Error;
    /// An arrival at a barrier may be counted in another generation than the one it is meant for.
    BarrierReuse = "barrier-reuse", "Barrier reuse", Error;
    /// An invalid barrier number.
    BarrierNumber = "barrier-number", "Invalid barrier number", Error;
    /// Waves wait at a barrier that others did not reach before they exited.
    BarrierDeadlock = "barrier-deadlock", "Deadlock", Error;
    /// Threads wait for a condition that no thread can satisfy.
    NoProgress = "no-progress", Error;
    /// The kernel finishes only where each lane of a warp makes progress.
    IndependentScheduling = "independent-scheduling", Information;
    /// Blocks wait for blocks that cannot start.
    Residency = "residency", "Residency", Error;
    /// The run reached the step limit.
    StepLimit = "step-limit", "Step limit", Warning;
    /// A lane executes a `.sync` instruction whose member mask does not include it.
    WrongMembermask = "wrong-membermask", "Invalid member mask", Error;
    /// A member mask includes lanes that did not arrive.
    AbsentMembers = "absent-members", "Missing lanes", Warning;
    /// A shuffle reads a lane that does not participate.
    ShuffleInactive = "shuffle-inactive", "Shuffle of inactive lanes", Warning;
    /// A ballot of a wave of more than 32 lanes, whose result has 32 bits.
    BallotWidth = "ballot-width", "Ballot of more than 32 lanes", Warning;
    /// Two threads access the same bytes, at least one writes, and no synchronization orders them.
    DataRace = "data-race", Error;
    /// A race whose result does not depend on the order, because the same value is stored.
    SameValueRace = "same-value-race", "Same-value race", Information;
    /// Lanes of one warp exchange a value through shared memory, and only lockstep execution orders the accesses.
    WarpSynchronous = "warp-synchronous", "Warp-synchronous access", Warning;
    /// The result differs between two schedules, without a data race.
    OrderDependent = "order-dependent", "Order-dependent result", Warning;
    /// A copy reads or overwrites through the async proxy what threads wrote through the generic proxy, without a proxy fence.
    ProxyFence = "proxy-fence", "Missing proxy fence", Warning;
    /// An access to the destination of an asynchronous operation that may still be in flight.
    AsyncResult = "async-result", Error;
    /// A write to the source of an asynchronous operation that may still be in flight.
    AsyncSource = "async-source", Error;
    /// Copies complete more or fewer bytes at an mbarrier than its phase expects.
    TransactionBytes = "transaction-bytes", "Transaction count mismatch", Error;
    /// A thread uses an mbarrier that another thread has initialized, without synchronization between them.
    MbarrierInit = "mbarrier-init", "Mbarrier race", Error;
    /// An arrival or a wait at an mbarrier may belong to another phase than the one it is meant for.
    MbarrierPhase = "mbarrier-phase", "Mbarrier phase", Error;
    /// A copy uses a tensor map that is invalid, has another rank, or was changed without a fence of its proxy.
    TensorMap = "tensor-map", "Invalid tensor map use", Error;
    /// A matrix descriptor is invalid, leads to memory that holds no matrix, or differs between the warps of a warpgroup.
    MatrixDescriptor = "matrix-descriptor", "Invalid matrix descriptor", Error;
    /// A register that a warpgroup product uses was written after the last `wgmma.fence`.
    WgmmaFence = "wgmma-fence", "Missing `wgmma.fence`", Warning;
    /// A warpgroup instruction is not executed by all 128 threads of a warpgroup together.
    Warpgroup = "warpgroup", "Divergent warpgroup", Error;
    /// The instruction descriptor of a `tcgen05.mma` has reserved or impossible fields.
    InstructionDescriptor = "instruction-descriptor", "Instruction descriptor", Error;
    /// Tensor memory that a block has not freed when it exits.
    TensorMemoryLeak = "tensor-memory-leak", "Tensor memory leak", Error;
    /// Tensor memory is allocated or freed against the rules.
    TensorMemoryAllocation = "tensor-memory-allocation", "Tensor memory allocation", Error;
    /// A warp accesses lanes of tensor memory that belong to another warp.
    TensorMemoryLanes = "tensor-memory-lanes", "Tensor memory lanes", Error;
    /// An access to columns of tensor memory that are not allocated, or to lanes beyond the last.
    TensorMemoryBounds = "tensor-memory-bounds", "Out of bounds", Error;
    /// Instructions on tensor memory mix groups, or use a pair of blocks that the cluster does not have.
    TensorMemoryGroup = "tensor-memory-group", "Tensor memory group", Error;
    /// An operation on tensor memory follows relaxed synchronization without a `tcgen05.fence`.
    Tcgen05Order = "tcgen05-order", "Tensor memory order", Warning;
    /// The metadata of a sparse matrix have indices that do not ascend.
    SparseMetadata = "sparse-metadata", "Sparse metadata", Error;
    /// An access to what the prerequisite grid writes, before `griddepcontrol.wait`.
    PrerequisiteGrid = "prerequisite-grid", "Prerequisite grid", Error;
    /// A read of memory or of a register that was never written.
    UninitializedRead = "uninitialized-read", "Uninitialized read", Warning;
    /// An integer division or remainder by zero.
    DivisionByZero = "division-by-zero", "Division by zero", Information;
    /// A position or a length of a 64-bit field above 255, which assembled code reads differently.
    BitField = "bit-field", "Bit field out of range", Warning;
    /// The run leaves elements of an output unwritten.
    CheckCoverage = "check-coverage", "Coverage", Information;
    /// The limit of the shadow memory for race checks was reached.
    ShadowLimit = "shadow-limit", "Shadow memory limit", Information;
    /// The program trapped.
    Trap = "trap", "Trap", Error;
    /// The run needs more memory than the limit.
    MemoryLimit = "memory-limit", "Memory limit", Error;
    /// `if` and `loop` and their ends, or tokens and barriers of machine code, do not match at run time.
    ControlFlow = "control-flow", "Invalid control flow", Error;
    /// `if` and `loop` nested deeper than the limit.
    NestingDepth = "nesting-depth", "Nesting depth", Error;
    /// Lanes ran past the end of the kernel.
    MissingHalt = "missing-halt", "Missing `halt`", Warning;
    /// A statement that toolchain 0.1.2 rejects, in a run under the model `wave-emu`.
    NotAssembled = "not-assembled", "Not assembled", Error;
    /// The reference emulator reads a word that is not an instruction.
    NoInstruction = "no-instruction", "Invalid instruction", Error;
    /// The reference emulator crashes here.
    EmulatorCrash = "emulator-crash", "Emulator crash", Error;
    /// Most iterations of a WAVE loop ran for less than half of the lanes that entered it.
    ScatteredBreak = "scattered-break", "Scattered `break`", Information;
    /// After the run, a buffer does not hold what its launch expects.
    ExpectFailed = "expect-failed", "Unexpected result", Error;
}

impl FindingKind {
    pub fn all() -> impl Iterator<Item = FindingKind> {
        TABLE.iter().map(|entry| entry.kind)
    }

    pub fn named(name: &str) -> Option<FindingKind> {
        TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.kind)
    }

    /// The stable name in JSON, settings and comments, in kebab case.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The usual severity; the simulator may override it.
    pub fn severity(self) -> Severity {
        self.entry().severity
    }

    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// The documentation page, as markdown.
    pub fn page(self) -> &'static str {
        self.entry().page
    }

    /// The message, prefixed with the term of the kind.
    pub fn with_term(self, message: &str) -> String {
        match self.entry().term {
            Some(term) => format!("{term}: {message}"),
            None => message.to_owned(),
        }
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
