//! The PTX versions and targets in which a form is available.

use warplens_isa::Version;
use warplens_isa::ptx as isa;

use super::form_match::FormMatch;

/// The version and target of a module. Whatever is `None` is not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Platform {
    pub version: Option<Version>,
    pub target: Option<&'static isa::Target>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmetRequirement {
    /// One of these is required, for the whole form or for the value in this slot.
    Needs(&'static [isa::Requirement], Option<usize>),
    /// The form was removed in this version for these targets.
    Removed(isa::Requirement),
}

impl Platform {
    /// The first requirement of a form that the module does not satisfy.
    pub fn unmet_requirement(self, found: &FormMatch) -> Option<UnmetRequirement> {
        if let Some(removed) = found.form.removed
            && self.version.is_some_and(|version| version >= removed.since)
            && self.target.is_some_and(|target| target_satisfies(removed.target, target))
        {
            return Some(UnmetRequirement::Removed(removed));
        }
        if !self.satisfies_any(found.form.availability) {
            return Some(UnmetRequirement::Needs(found.form.availability.0, None));
        }
        let values = found.chosen.iter().enumerate();
        let mut values = values.filter_map(|(slot, value)| value.map(|value| (slot, value.availability)));
        values
            .find(|(_, gate)| !self.satisfies_any(*gate))
            .map(|(slot, gate)| UnmetRequirement::Needs(gate.0, Some(slot)))
    }

    fn satisfies_any(self, gate: isa::Availability) -> bool {
        gate.0.is_empty() || gate.0.iter().any(|need| self.satisfies(*need))
    }

    /// Whether the version and the target satisfy a requirement, as far as they are known.
    pub fn satisfies(self, need: isa::Requirement) -> bool {
        self.version.is_none_or(|version| version >= need.since)
            && self.target.is_none_or(|target| target_satisfies(need.target, target))
    }
}

fn target_satisfies(need: isa::TargetRequirement, target: &isa::Target) -> bool {
    let suffix = target.name.trim_start_matches("sm_").trim_start_matches(|c: char| c.is_ascii_digit());
    match need {
        isa::TargetRequirement::Any => true,
        isa::TargetRequirement::AtLeast(number) => target.number >= number,
        isa::TargetRequirement::Exactly(number) => target.number == number && suffix == "a",
        isa::TargetRequirement::Family(number) => {
            let family = isa::targets().iter().find(|target| target.number == number);
            let family = family.and_then(|target| target.family);
            !suffix.is_empty() && target.number >= number && family.is_some() && target.family == family
        }
    }
}
