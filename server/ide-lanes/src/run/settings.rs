//! The options of a run that users set.

use warplens_sim_warp::{Checks, Limits, RunOptions, WarpId};

/// The options of a run that users set.
#[derive(Debug, Clone, Copy)]
pub struct RunSettings {
    /// The limit of warp instructions.
    pub max_steps: u64,
    /// The limit in megabytes of the trace and of shadow memory together.
    pub memory: u64,
    pub counters: bool,
    /// Checks for data races, uninitialized reads and divisions by zero.
    pub checks: bool,
    /// Completes asynchronous operations at issue, instead of as late as the waits of the program allow.
    pub eager: bool,
    /// Records the final values of registers.
    pub registers: bool,
    /// The warp that is recorded even when the trace is truncated.
    pub warp: Option<WarpId>,
    /// Records no other warp than that.
    pub one_warp: bool,
}

impl Default for RunSettings {
    fn default() -> RunSettings {
        RunSettings {
            max_steps: Limits::default().max_steps,
            memory: Limits::RECORDS >> 20,
            counters: false,
            checks: true,
            eager: false,
            registers: false,
            warp: None,
            one_warp: false,
        }
    }
}

impl RunSettings {
    pub fn options(self) -> RunOptions {
        let limits = Limits { max_steps: self.max_steps, ..Limits::default() };
        RunOptions {
            limits: limits.with_records(self.memory.saturating_mul(1 << 20)),
            eager: self.eager,
            registers: self.registers,
            warp: self.warp,
            one_warp: self.one_warp,
            checks: if self.checks { Checks::ALL } else { Checks::default() },
            counters: self.counters,
            coverage: true,
            ..RunOptions::default()
        }
    }
}
