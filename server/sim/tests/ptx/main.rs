//! PTX kernels, run: one file for each subject.

mod common;
mod completion;
#[path = "../support/mod.rs"]
mod support;

mod addresses;
mod asynchronous;
mod atomics;
mod calls;
mod cas_loops;
mod claims;
mod clusters;
mod computing_loops;
mod copies;
mod corpus;
mod device_functions;
mod divergence;
mod exec;
mod findings;
mod gpu;
mod independent;
mod inferred;
mod last_store;
mod limits;
mod matrices;
mod models;
mod multimem;
mod objects;
mod parallel_blocks;
mod progress;
mod properties;
mod proxies;
mod quick;
mod race_advice;
mod races;
mod robust;
mod scheduling;
mod shapes;
mod tensor_maps;
mod undefined_memory;
mod uniformity;
mod uninitialized;
mod values;
mod vectors;
mod warp_operations;
mod warp_synchronous;
