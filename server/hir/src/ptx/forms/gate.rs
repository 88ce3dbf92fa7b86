//! Which versions and targets have a form.

use warplens_isa::Version;
use warplens_isa::ptx as isa;

use super::FormMatch;

/// What a module is written for. What it does not say is not judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Platform {
    /// Its version.
    pub version: Option<Version>,
    /// Its target.
    pub target: Option<&'static isa::Target>,
}

/// Why a module cannot use a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmet {
    /// One of these is needed, for the whole form or for the value in this slot.
    Needs(&'static [isa::Need], Option<usize>),
    /// It is gone from this version on these targets.
    Removed(isa::Need),
}

impl Platform {
    /// What keeps the module from using a form.
    pub fn unmet(self, found: &FormMatch) -> Option<Unmet> {
        if let Some(removed) = found.form.removed
            && self.version.is_some_and(|version| version >= removed.since)
            && self.target.is_some_and(|target| is_met(removed.target, target))
        {
            return Some(Unmet::Removed(removed));
        }
        if !self.meets(found.form.gate) {
            return Some(Unmet::Needs(found.form.gate.0, None));
        }
        let values = found.chosen.iter().enumerate();
        let mut values = values.filter_map(|(slot, value)| value.map(|value| (slot, value.gate)));
        values.find(|(_, gate)| !self.meets(*gate)).map(|(slot, gate)| Unmet::Needs(gate.0, Some(slot)))
    }

    fn meets(self, gate: isa::Gate) -> bool {
        gate.0.is_empty() || gate.0.iter().any(|need| self.meets_one(*need))
    }

    /// Whether the version and the target will do, as far as they are known.
    pub fn meets_one(self, need: isa::Need) -> bool {
        self.version.is_none_or(|version| version >= need.since)
            && self.target.is_none_or(|target| is_met(need.target, target))
    }
}

fn is_met(need: isa::TargetNeed, target: &isa::Target) -> bool {
    let suffix = target.name.trim_start_matches("sm_").trim_start_matches(|c: char| c.is_ascii_digit());
    match need {
        isa::TargetNeed::Any => true,
        isa::TargetNeed::AtLeast(number) => target.number >= number,
        isa::TargetNeed::Exactly(number) => target.number == number && suffix == "a",
        isa::TargetNeed::Family(number) => {
            let family = isa::targets().iter().find(|target| target.number == number);
            let family = family.and_then(|target| target.family);
            !suffix.is_empty() && target.number >= number && family.is_some() && target.family == family
        }
    }
}
