//! Simulates SASS listings: machine code of Fermi to Blackwell.
//!
//! [`decode`] turns a lowered listing into a [`Program`], and [`run`] runs it. The target determines the
//! divergence machine: tokens on a stack before `sm_70` (model `tokens`), convergence barriers since (model
//! `barriers`); `machine` implements both. Memory, access checks and counters are shared with PTX.

mod branching;
mod control;
mod deadlock;
mod decode;
mod edits;
mod exec;
mod executable;
mod executing;
mod grid_warp;
mod interpreter_loop;
mod launch;
pub mod launch_config;
pub mod launch_rules;
mod lone_lane;
mod machine;
mod observer;
mod order_points;
mod pause;
pub mod program;
mod quick_control;
mod register_values;
pub mod registers;
mod run;
mod running;
mod skipped_accesses;
mod spin;
mod target;
mod undefined;
mod value_tracer;
mod warp;
mod written_registers;

pub use decode::{DecodeError, InstructionIndices, UNNAMED, decode, decode_at, function_name};
pub use executable::{BARRIERS, Kernel, MODELS, TOKENS};
pub use launch_config::{device_memory, launch_config};
pub use program::Program;
pub use run::run;
pub use target::{LaunchConstants, Target};
