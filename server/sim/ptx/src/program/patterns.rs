//! Patterns of memory accesses that the sanitizer's reports mention.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_cuda::sanitizer::used_lanes::UsedLanes;
use warplens_sim_warp::scalar_type::ScalarType;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Patterns {
    /// Plain loads whose value is used only by compare-and-swap loops on the same address.
    pub cas_loads: Vec<u32>,
    /// Loads that are volatile, relaxed or stronger and whose value may control which lanes run.
    pub polls: Vec<u32>,
    /// Sequences of a load, an operation and a store on one address.
    pub updates: Vec<Update>,
    /// Plain loads whose value only memory accesses use, with those accesses.
    pub passed_on: Vec<(u32, Vec<(u32, UsedLanes)>)>,
    /// Accesses whose address depends on the contents of buffers, or on arguments that decide which threads share it.
    pub computed_addresses: Vec<u32>,
    /// Stores of floats that a warp has reduced by exchanging values, with the type of the floats.
    pub rounded_stores: Vec<(u32, ScalarType)>,
}

/// A store of an operation's result on a loaded value, to the address of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    pub store: u32,
    pub load: u32,
    /// The atomic that does the same.
    pub op: AtomicOp,
}
