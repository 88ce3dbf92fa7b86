//! What a launch must fit: a kernel seen from outside, with what its body says about its parameters.
//!
//! Compares by value, so whoever caches it sees that an edit inside a body mostly changes nothing here.

use smol_str::SmolStr;

use super::scalar::ScalarKind;

/// A kernel as launches see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: SmolStr,
    /// What its language lets it say.
    pub kind: KernelKind,
}

/// What a kernel says of its launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelKind {
    /// A PTX entry.
    Ptx(PtxKernel),
    /// A WAVE kernel.
    Wave(WaveKernel),
}

/// What a PTX entry says of its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PtxKernel {
    /// In order.
    pub params: Vec<Parameter>,
    /// `.reqntid`
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`
    pub largest_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// Whether an `.extern .shared` array is used.
    pub dynamic_shared: bool,
    /// Bytes of an address.
    pub address_bytes: u64,
}

/// What a WAVE kernel says of its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaveKernel {
    /// `.workgroup_size`
    pub workgroup: Option<[u32; 3]>,
}

/// One parameter of a PTX entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: SmolStr,
    /// Its size.
    pub bytes: u64,
    /// Where it may start in the parameter block.
    pub align: u64,
    /// What it holds, if one number.
    pub scalar: Option<ScalarKind>,
    /// What it most likely stands for.
    pub guess: Guess,
}

/// What an inferred launch passes to a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// The address of a buffer: its elements, and whether they are loaded before anything is known to be stored.
    Buffer {
        /// What they are.
        element: ScalarKind,
        /// Filled with iota if so, with zero if not.
        loaded: bool,
    },
    /// The number of threads.
    Threads,
    /// 1.0
    One,
    /// Zero bytes: nothing is known of it.
    Nothing,
}
