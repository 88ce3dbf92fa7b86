//! The stable names of findings: what a simulation can say of a program. A name, once released, keeps its meaning.
//!
//! The simulator gives names; what each means to a user stands here. A new one is a line below and its page,
//! `docs/findings/<name>.md`, without which it does not compile; `tests/findings.rs` tells how a page begins.

/// A kind of finding.
#[derive(Debug)]
pub struct FindingCode {
    /// Its stable name, in kebab case.
    pub name: &'static str,
    /// What it finds, in a sentence.
    pub summary: &'static str,
    /// What to know about it, as markdown.
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
    /// The launch cannot be simulated as it is.
    "launch";
    /// An instruction that is not simulated was reached.
    "unsupported";
    /// A WAVE statement was reached of which no text says what it does.
    "no-meaning";
    /// Lanes reach for memory that is not theirs.
    "out-of-bounds";
    /// Lanes reach through an address near zero.
    "null-pointer";
    /// An address is not a multiple of the size of the access.
    "misaligned";
    /// A store to memory that cannot be written.
    "read-only";
    /// Calls need more local memory than a thread has.
    "stack-overflow";
    /// Memory is used that was given back to the device heap.
    "use-after-free";
    /// A block of the device heap is given back twice.
    "double-free";
    /// `free` is called with an address that `malloc` did not give.
    "bad-free";
    /// An `assert` of the program failed.
    "assertion";
    /// An mbarrier object is used in a way that means nothing.
    "mbarrier";
    /// A thread does not arrive and wait in turn at the cluster's barrier.
    "cluster-barrier";
    /// A block of the cluster is meant that is not there.
    "cluster-rank";
    /// The shared memory of a block is used that has ended.
    "cluster-exit";
    /// `stackrestore` is given what `stacksave` did not give.
    "stack-pointer";
    /// A bulk copy is larger than any can be.
    "bulk-size";
    /// An indirect call goes to what is no function.
    "call-target";
    /// Calls inside of each other beyond what the machine has room for.
    "call-depth";
    /// A `brx.idx` with an index beyond its table.
    "branch-index";
    /// A branch, call or return marked `.uni` that not all lanes take alike.
    "divergent-uniform";
    /// A barrier that only some lanes of a warp came to together.
    "divergent-barrier";
    /// Threads come to one barrier with different counts.
    "barrier-mismatch";
    /// A barrier that there is not.
    "barrier-number";
    /// Waves wait at a barrier that others have ended without.
    "barrier-deadlock";
    /// Threads wait for something that nobody can bring about any more.
    "no-progress";
    /// A lane executes a `.sync` instruction whose member mask does not name it.
    "wrong-membermask";
    /// A member mask names lanes that did not come.
    "absent-members";
    /// A shuffle reads a lane that does not take part.
    "shuffle-inactive";
    /// Two threads reach for the same bytes, one of them writes, and nothing orders the two.
    "data-race";
    /// A race whose outcome does not depend on who is first, because the store leaves the same value.
    "same-value-race";
    /// Something is read that was never written.
    "uninitialized-read";
    /// An integer division or remainder by zero.
    "division-by-zero";
    /// There was no more room to watch memory for races.
    "shadow-limit";
    /// The program trapped.
    "trap";
    /// The run needs more memory than it may take.
    "memory-limit";
    /// `if`, `loop` and their ends do not match at run time.
    "control-flow";
    /// More `if` and `loop` inside of each other than the machine has room for.
    "nesting-depth";
    /// Lanes ran past the end of the kernel.
    "missing-halt";
    /// A statement that toolchain 0.1.2 does not take, in a run under the model `wave-emu`.
    "not-assembled";
    /// What the reference emulator comes to is no instruction.
    "no-instruction";
    /// The reference emulator crashes here.
    "emulator-crash";
    /// Most trips of a WAVE loop ran for less than half of the lanes that came into it.
    "scattered-break";
}

/// Every finding that there is.
#[must_use]
pub fn finding_codes() -> &'static [FindingCode] {
    TABLE
}

/// The finding of this name.
#[must_use]
pub fn finding_code(name: &str) -> Option<&'static FindingCode> {
    TABLE.iter().find(|code| code.name == name)
}
