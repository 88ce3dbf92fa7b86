//! Messages about undefined values. `what` is the predicate of the sentence: `controls a branch`.

use warplens_sim_warp::lanes::LaneSet;

use crate::inactive_sources::{Absence, InactiveSources};

pub fn register(name: &str, lanes: u32, what: &str) -> String {
    format!(
        "`{name}` in {}, before it is written\nthe value {what}; write it on every path to this statement",
        LaneSet(lanes.into())
    )
}

pub fn carry(lanes: u32, what: &str) -> String {
    format!(
        "the carry flag in {}, before an instruction with `.cc` writes it\nthe value {what}; execute the instruction with `.cc` in \
         these lanes, too",
        LaneSet(lanes.into())
    )
}

pub fn shuffle(inactive: &InactiveSources, lanes: u32, what: &str) -> String {
    let InactiveSources { sources, why, .. } = *inactive;
    let one_source = sources.count_ones() == 1;
    let why = match why {
        Absence::Exited if one_source => "the source has exited or is beyond the last thread",
        Absence::Exited => "the sources have exited or are beyond the last thread",
        Absence::Unnamed => "the member mask does not include them",
        Absence::Elsewhere if one_source => "the source does not execute the shuffle",
        Absence::Elsewhere => "the sources do not execute the shuffle",
    };
    format!(
        "{} {} {}\n{why}: the value is undefined (the simulator uses the reading lane's own); it {what}. Make the source lanes execute \
         the shuffle and include them in the member mask, or do not use the result",
        LaneSet(lanes.into()),
        LaneSet(lanes.into()).verb("reads", "read"),
        LaneSet(sources.into())
    )
}
