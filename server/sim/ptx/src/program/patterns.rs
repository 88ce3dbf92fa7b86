//! Patterns of memory accesses that the reports of the sanitizer name.

use warplens_sim_cuda::address::AtomicOp;

/// The patterns of a function, by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Patterns {
    /// Plain loads whose value only compare-and-swap loops on the same address use.
    pub cas_loads: Vec<u32>,
    /// Volatile, relaxed and stronger loads whose value may control which lanes run.
    pub polls: Vec<u32>,
    /// Loads, operations and stores of one address.
    pub updates: Vec<Update>,
}

/// A store to the address of a load, of an operation's result on the loaded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// The store.
    pub store: u32,
    /// The load.
    pub load: u32,
    /// The atomic that does the same.
    pub op: AtomicOp,
}
