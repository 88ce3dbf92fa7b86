//! Memory counters of a statement: sectors of global memory, wavefronts of shared memory.
//!
//! Kept are the sums over visits and the worst visit. Lane utilization is not stored: it is computed from the masks.

/// Memory counters of one statement, if [`super::RunOptions::counters`] is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub global: Sectors,
    pub shared: Wavefronts,
}

/// Requests to global memory, which moves sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Visits that accessed global memory.
    pub requests: u64,
    /// Accessed sectors.
    pub sectors: u64,
    /// Sectors that the same number of contiguous bytes would occupy.
    pub ideal: u64,
    /// Sectors of the request with the largest excess over its ideal.
    pub worst: u32,
    /// The ideal number of sectors of that request.
    pub worst_ideal: u32,
}

/// Requests to shared memory. Each of its 32 banks, 4 bytes wide, serves one word per wavefront.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Visits that accessed shared memory.
    pub requests: u64,
    /// Wavefronts of these requests.
    pub wavefronts: u64,
    /// Wavefronts that would suffice without bank conflicts.
    pub ideal: u64,
    /// The most distinct words of one bank that a single request needs: 2 is a two-way conflict.
    pub worst_ways: u32,
}

impl Counters {
    /// Adds the counters of another warp or visit.
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

impl Wavefronts {
    fn add(&mut self, other: &Wavefronts) {
        self.requests += other.requests;
        self.wavefronts += other.wavefronts;
        self.ideal += other.ideal;
        self.worst_ways = self.worst_ways.max(other.worst_ways);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_request_has_the_largest_excess() {
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
