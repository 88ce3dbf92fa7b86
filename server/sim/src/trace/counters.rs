//! What the accesses of a statement cost memory: sectors of global memory, passes over the banks of shared memory.
//!
//! Sums over visits, and the worst visit beside them. How lanes were used follows from the masks and is computed, not kept.

use super::LineTrace;

/// What the requests of one statement cost, where the run was asked to count ([`super::RunOptions::counters`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests to global memory.
    pub global: Sectors,
    /// Requests to shared memory.
    pub shared: Passes,
}

/// Requests to global memory, which moves sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Visits that came to global memory.
    pub requests: u64,
    /// Sectors that they touched.
    pub sectors: u64,
    /// Sectors that as many bytes fill when they lie side by side.
    pub ideal: u64,
    /// Sectors of the request that was furthest above its ideal …
    pub worst: u32,
    /// … and what would have been ideal for it.
    pub worst_ideal: u32,
}

/// Requests to shared memory, whose 32 banks of 4 bytes each give one word a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// Visits that came to shared memory.
    pub requests: u64,
    /// Passes that they took.
    pub passes: u64,
    /// Passes without any conflict.
    pub ideal: u64,
    /// The most different words that one pass wanted of one bank: 2 is a two-way conflict.
    pub worst_ways: u32,
}

impl Counters {
    /// Adds what another warp, or another visit, cost.
    pub fn add(&mut self, other: &Counters) {
        self.global.add(&other.global);
        self.shared.add(&other.shared);
    }
}

impl Sectors {
    fn add(&mut self, other: &Sectors) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.ideal += other.ideal;
        let above = |sectors: &Sectors| sectors.worst.saturating_sub(sectors.worst_ideal);
        if above(other) > above(self) || self.worst == 0 {
            (self.worst, self.worst_ideal) = (other.worst, other.worst_ideal);
        }
    }
}

impl Passes {
    fn add(&mut self, other: &Passes) {
        self.requests += other.requests;
        self.passes += other.passes;
        self.ideal += other.ideal;
        self.worst_ways = self.worst_ways.max(other.worst_ways);
    }
}

impl LineTrace {
    /// Active lanes over all that the visits could have had: 1 where no lane was ever elsewhere. `width` is the warp's.
    pub fn efficiency(&self, width: u32) -> f64 {
        let most = self.count * u64::from(width);
        if most == 0 { 1.0 } else { self.active_lanes as f64 / most as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_request_is_the_furthest_above_its_ideal() {
        let request = |worst: u32, worst_ideal: u32| Sectors {
            requests: 1,
            sectors: worst.into(),
            ideal: worst_ideal.into(),
            worst,
            worst_ideal,
        };
        let mut sum = Counters::default();
        for global in [request(4, 4), request(8, 4), request(16, 16)] {
            sum.add(&Counters { global, ..Counters::default() });
        }
        assert_eq!((sum.global.requests, sum.global.sectors, sum.global.ideal), (3, 28, 24));
        assert_eq!((sum.global.worst, sum.global.worst_ideal), (8, 4));
    }
}
