//! Schedules: the order in which a run lets warps, blocks, lanes and asynchronous operations proceed.

mod lane_order;
mod scheduler;
mod turns;
mod unstarted;

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::split_mix::SplitMix64;

pub use lane_order::LaneOrder;
pub use scheduler::{Scheduler, Switch};
pub use turns::Turns;
pub use unstarted::{NextBlock, Suspended, Unstarted};

/// A schedule other than the default one: the number `index` of those that `seed` determines. Written `S:i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Schedule {
    pub seed: u64,
    pub index: u32,
}

impl Schedule {
    /// In how many of two cases a load sees an older value where the memory model allows one. Schedules whose number is a multiple of
    /// three execute accesses one after the other.
    pub fn older_reads_of_two(self) -> u64 {
        u64::from(self.index % 3)
    }

    /// Whether any load sees an older value.
    pub fn sees_older_values(self) -> bool {
        self.older_reads_of_two() != 0
    }

    /// Random numbers for choices that the [`Scheduler`] does not make.
    pub fn further_numbers(self) -> SplitMix64 {
        let mut numbers = SplitMix64(self.seed ^ u64::from(self.index).rotate_left(32));
        SplitMix64(numbers.next())
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seed, self.index)
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        let numbers = text
            .split_once(':')
            .and_then(|(seed, index)| Some((seed.trim().parse().ok()?, index.trim().parse().ok()?)));
        let (seed, index) = numbers.ok_or_else(|| {
            format!("`{text}` is not a schedule: use SEED:NUMBER, such as 1:3, as findings give it")
        })?;
        Ok(Schedule { seed, index })
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_as_text() {
        let schedule = Schedule { seed: 7, index: 12 };
        assert_eq!(schedule.to_string(), "7:12");
        assert_eq!("7:12".parse(), Ok(schedule));
        for invalid in ["", "7", ":", "7:", "-1:2", "7:12:1", "a:b"] {
            assert!(invalid.parse::<Schedule>().is_err(), "{invalid}");
        }
    }
}
