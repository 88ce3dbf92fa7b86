//! How many CTAs a multiprocessor holds at once, by the rules of the occupancy calculator (`cuda_occupancy.h` of the CUDA toolkit).

use crate::schema::ptx_module::{Gpu, Limits, Target};

const WARP: u64 = 32;

/// What a CTA needs of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CtaDemand {
    pub threads: u64,
    /// Registers of a thread, if known.
    pub registers: Option<u64>,
    /// Bytes of shared memory, without those that the system reserves.
    pub shared: u64,
}

/// How many CTAs run at once on the largest GPU with a chip.
#[derive(Debug, Clone, Copy)]
pub struct Residency {
    pub gpu: &'static Gpu,
    pub ctas_per_multiprocessor: u64,
}

impl Target {
    /// How many CTAs of this demand the largest GPU of the target holds at once. `None` if its limits are unknown, or if a CTA
    /// exceeds them.
    pub fn residency(&self, demand: CtaDemand) -> Option<Residency> {
        let (limits, gpu) = self.limits.zip(self.gpu)?;
        let ctas_per_multiprocessor = limits.resident_ctas(demand);
        (ctas_per_multiprocessor > 0).then_some(Residency { gpu, ctas_per_multiprocessor })
    }
}

impl Limits {
    /// How many CTAs of this demand a multiprocessor holds at once; 0 if it holds none.
    pub fn resident_ctas(&self, demand: CtaDemand) -> u64 {
        let CtaDemand { threads, registers, shared } = demand;
        let by_registers = registers.map_or(u64::MAX, |registers| self.ctas_by_registers(threads, registers));
        self.ctas_by_threads(threads).min(by_registers).min(self.ctas_by_shared(shared))
    }

    /// How many CTAs with this many threads fit, ignoring registers and shared memory.
    pub fn ctas_by_threads(&self, threads: u64) -> u64 {
        if threads > u64::from(self.threads_per_cta) {
            return 0;
        }
        (u64::from(self.warps_per_sm) / warps(threads)).min(u64::from(self.ctas_per_sm))
    }

    /// How many CTAs fit if each thread has this many registers, ignoring shared memory.
    pub fn ctas_by_registers(&self, threads: u64, registers: u64) -> u64 {
        // A launch is checked as if the warps of a CTA were spread evenly over the partitions.
        let spread = warps(threads).next_multiple_of(self.partitions.into());
        let of_cta = self.registers_of_warp(registers).saturating_mul(spread);
        if of_cta > u64::from(self.registers_per_cta) {
            return 0;
        }
        (self.warps_by_registers(registers) / warps(threads)).min(self.ctas_by_threads(threads))
    }

    /// How many warps fit if each thread has this many registers. Each partition allocates its own.
    pub fn warps_by_registers(&self, registers: u64) -> u64 {
        let partitions = u64::from(self.partitions);
        let of_partition = u64::from(self.registers_per_sm) / partitions;
        let warps = of_partition / self.registers_of_warp(registers) * partitions;
        warps.min(self.warps_per_sm.into())
    }

    fn ctas_by_shared(&self, shared: u64) -> u64 {
        if shared > u64::from(self.shared_per_cta) {
            return 0;
        }
        let of_cta = (shared + u64::from(self.shared_reserved)).next_multiple_of(self.shared_unit.into());
        u64::from(self.shared_per_sm).checked_div(of_cta).unwrap_or(u64::MAX)
    }

    /// The registers that a warp takes, in whole units.
    fn registers_of_warp(&self, registers: u64) -> u64 {
        let unit = u64::from(self.register_unit);
        registers.max(1).saturating_mul(WARP).checked_next_multiple_of(unit).unwrap_or(u64::MAX)
    }
}

fn warps(threads: u64) -> u64 {
    threads.div_ceil(WARP).max(1)
}
