//! The stable names of findings: the problems that a simulation reports. A name, once released, keeps its meaning.
//!
//! The simulator uses the names; their summaries for users are here. To add one, add a line below and its page,
//! `docs/findings/<name>.md`, without which it does not compile; `tests/ide/findings.rs` of `ide` checks the first lines of a page.

/// A kind of finding.
#[derive(Debug)]
pub struct FindingCode {
    /// Its stable name, in kebab case.
    pub name: &'static str,
    /// A one-sentence summary.
    pub summary: &'static str,
    /// Its page, as markdown.
    pub page: &'static str,
}

macro_rules! findings {
    ($(#[doc = $summary:literal] $name:literal;)*) => {
        const TABLE: &[FindingCode] = &[$(FindingCode {
            name: $name,
            summary: $summary.trim_ascii(),
            page: include_str!(concat!("../../../docs/findings/", $name, ".md")),
        }),*];
    };
}

findings! {
    /// The launch is invalid or cannot be simulated.
    "launch";
    /// The run reached an unsupported instruction.
    "unsupported";
    /// The run reached a statement whose behavior is not specified.
    "no-meaning";
    /// Lanes access memory outside of every allocation.
    "out-of-bounds";
    /// Lanes access memory through an address near zero.
    "null-pointer";
    /// An address is not a multiple of the size of the access.
    "misaligned";
    /// A store to read-only memory.
    "read-only";
    /// Calls need more local memory than a thread has.
    "stack-overflow";
    /// An access to memory of the device heap that was freed.
    "use-after-free";
    /// A block of the device heap is freed twice.
    "double-free";
    /// `free` is called with an address that `malloc` did not return.
    "bad-free";
    /// An `assert` of the program failed.
    "assertion";
    /// An mbarrier object is used incorrectly.
    "mbarrier";
    /// A thread does not alternate arrive and wait at the cluster barrier.
    "cluster-barrier";
    /// A block rank outside of the cluster.
    "cluster-rank";
    /// An access to the shared memory of a block that has exited.
    "cluster-exit";
    /// `stackrestore` with a value that `stacksave` did not return.
    "stack-pointer";
    /// A bulk copy larger than the limit, or of a size that is not a multiple of 16.
    "bulk-size";
    /// An indirect call of an address that is not a function, or of a function that the call does not allow.
    "call-target";
    /// A function that is marked `.noreturn` returns.
    "noreturn";
    /// Calls nested deeper than the limit.
    "call-depth";
    /// A `brx.idx` with an index outside of its table.
    "branch-index";
    /// A divergent branch, call or return that is marked `.uni`.
    "divergent-uniform";
    /// A barrier at which only some lanes of a warp arrived together.
    "divergent-barrier";
    /// Threads arrive at one barrier with different counts.
    "barrier-mismatch";
    /// An invalid barrier number.
    "barrier-number";
    /// Waves wait at a barrier that others did not reach before they exited.
    "barrier-deadlock";
    /// Threads wait for a condition that no thread can satisfy.
    "no-progress";
    /// The kernel finishes only where each lane of a warp makes progress.
    "independent-scheduling";
    /// The run reached the step limit.
    "step-limit";
    /// A lane executes a `.sync` instruction whose member mask does not include it.
    "wrong-membermask";
    /// A member mask includes lanes that did not arrive.
    "absent-members";
    /// A shuffle reads a lane that does not participate.
    "shuffle-inactive";
    /// A ballot of a wave of more than 32 lanes, whose result has 32 bits.
    "ballot-width";
    /// Two threads access the same bytes, at least one writes, and no synchronization orders them.
    "data-race";
    /// A race whose result does not depend on the order, because the same value is stored.
    "same-value-race";
    /// Lanes of one warp exchange a value through shared memory, and only lockstep execution orders the accesses.
    "warp-synchronous";
    /// A copy reads through the async proxy what threads wrote through the generic proxy, without a proxy fence.
    "proxy-fence";
    /// An access to the destination of an asynchronous operation that may still be in flight.
    "async-result";
    /// A write to the source of an asynchronous operation that may still be in flight.
    "async-source";
    /// Copies complete more or fewer bytes at an mbarrier than its phase expects.
    "transaction-bytes";
    /// A thread uses an mbarrier that another thread has initialized, without synchronization between them.
    "mbarrier-init";
    /// A copy uses a tensor map that is invalid, has another rank, or was changed without a fence of its proxy.
    "tensor-map";
    /// A matrix descriptor is invalid, leads to memory that holds no matrix, or differs between the warps of a warpgroup.
    "matrix-descriptor";
    /// A register that a warpgroup product uses was written after the last `wgmma.fence`.
    "wgmma-fence";
    /// A warpgroup instruction is not executed by all 128 threads of a warpgroup together.
    "warpgroup";
    /// The instruction descriptor of a `tcgen05.mma` has reserved or impossible fields.
    "instruction-descriptor";
    /// Tensor memory that a block has not freed when it exits.
    "tensor-memory-leak";
    /// Tensor memory is allocated or freed against the rules.
    "tensor-memory-allocation";
    /// A warp accesses lanes of tensor memory that belong to another warp.
    "tensor-memory-lanes";
    /// An access to columns of tensor memory that are not allocated, or to lanes beyond the last.
    "tensor-memory-bounds";
    /// Instructions on tensor memory mix groups, or use a pair of blocks that the cluster does not have.
    "tensor-memory-group";
    /// An operation on tensor memory follows relaxed synchronization without a `tcgen05.fence`.
    "tcgen05-order";
    /// The metadata of a sparse matrix have indices that do not ascend.
    "sparse-metadata";
    /// An access to what the prerequisite grid writes, before `griddepcontrol.wait`.
    "prerequisite-grid";
    /// A read of memory or of a register that was never written.
    "uninitialized-read";
    /// An integer division or remainder by zero.
    "division-by-zero";
    /// A position or a length of a 64-bit field above 255, which assembled code reads differently.
    "bit-field";
    /// The limit of the shadow memory for race checks was reached.
    "shadow-limit";
    /// The program trapped.
    "trap";
    /// The run needs more memory than the limit.
    "memory-limit";
    /// `if` and `loop` and their ends, or tokens and barriers of machine code, do not match at run time.
    "control-flow";
    /// `if` and `loop` nested deeper than the limit.
    "nesting-depth";
    /// Lanes ran past the end of the kernel.
    "missing-halt";
    /// A statement that toolchain 0.1.2 rejects, in a run under the model `wave-emu`.
    "not-assembled";
    /// The reference emulator reads a word that is not an instruction.
    "no-instruction";
    /// The reference emulator crashes here.
    "emulator-crash";
    /// Most iterations of a WAVE loop ran for less than half of the lanes that entered it.
    "scattered-break";
}

/// Every finding.
#[must_use]
pub fn finding_codes() -> &'static [FindingCode] {
    TABLE
}

/// The finding of this name.
#[must_use]
pub fn finding_code(name: &str) -> Option<&'static FindingCode> {
    TABLE.iter().find(|code| code.name == name)
}
