//! Forms that the module's version or target does not support.

use warplens_hir::ptx::UnmetRequirement;
use warplens_ide_db::{ItemFix, Problem, Tag, all_of, any_of};
use warplens_isa::ptx::{Requirement, TargetRequirement};
use warplens_isa::{Version, ptx as isa};

use crate::codes;
use crate::ptx::forms::reporter::{Comparison, Reporter};
use crate::ptx::forms::words;

impl Comparison<'_> {
    pub(super) fn unmet(&self, missing: UnmetRequirement) -> Option<Problem> {
        match missing {
            UnmetRequirement::Needs(needs, slot) => self.needed(needs, slot),
            UnmetRequirement::Removed(removed) => self.removed(removed),
        }
    }

    fn needed(&self, needs: &[Requirement], slot: Option<usize>) -> Option<Problem> {
        let Comparison { report, instruction, form } = *self;
        // Raising a version is the smaller change.
        let need = *needs.iter().min_by_key(|need| (lacks(report, **need), need.since))?;
        let value = slot.and_then(|slot| form.chosen[slot]);
        let at = value.and_then(|value| {
            let is_it =
                |modifier: &smol_str::SmolStr| value.words[0].strip_prefix('.') == Some(modifier.as_str());
            instruction.modifiers().iter().position(is_it)
        });
        let range = match at {
            Some(at) => report.ranges.modifier(instruction, at)?,
            None => report.ranges.mnemonic(instruction)?,
        };
        let subject = match value {
            Some(value) => format!("`{}` of `{}`", words::value(value), instruction.mnemonic()),
            None => format!("`{}`", instruction.mnemonic()),
        };
        let (lacks_target, lacks_version) = lacks(report, need);
        let version = lacks_version.then(|| format!("PTX {} or later", need.since));
        let parts: Vec<String> =
            version.into_iter().chain(lacks_target.then(|| target_words(need.target))).collect();
        let others: Vec<String> =
            needs.iter().filter(|other| **other != need).map(|other| need_words(*other)).collect();
        let or = if others.is_empty() { String::new() } else { format!(" (or {})", any_of(&others)) };
        let message = format!(
            "{subject} needs {}{or}; this module is {}",
            all_of(&parts),
            module(report, lacks_version, lacks_target)
        );
        let code = if lacks_target { codes::NEEDS_TARGET } else { codes::NEEDS_VERSION };
        Some(Problem::error(range, code, message).with_fix(raise(report, need, lacks_version, lacks_target)))
    }

    fn removed(&self, removed: Requirement) -> Option<Problem> {
        let Comparison { report, instruction, .. } = *self;
        let name = instruction.mnemonic();
        let on = match removed.target {
            TargetRequirement::Any => String::new(),
            TargetRequirement::AtLeast(number) => format!(" on `sm_{number}` and later"),
            TargetRequirement::Family(number) => format!(" on the family of `sm_{number}`"),
            TargetRequirement::Exactly(number) => format!(" on `sm_{number}a`"),
        };
        let message = format!("`{name}` was removed in PTX {}{on}{}", removed.since, self.instead());
        let range = report.ranges.mnemonic(instruction)?;
        Some(Problem::error(range, codes::REMOVED_FORM, message).with_fix(self.with_mask()))
    }

    /// A form that a newer one replaces.
    pub(super) fn deprecated(&self) -> Option<Problem> {
        let Comparison { report, instruction, .. } = *self;
        let range = report.ranges.mnemonic(instruction)?;
        let message = format!("`{}` is deprecated{}", instruction.mnemonic(), self.instead());
        let problem = Problem::hint(range, codes::DEPRECATED_FORM, message).with_tag(Tag::Deprecated);
        Some(problem.with_fix(self.with_mask()))
    }

    /// The name with `.sync`, if it is another entry.
    fn sync(&self) -> Option<String> {
        let form = self.form;
        let sync = format!("{}.sync", form.entry.opcode);
        let has_sync = isa::by_opcode(form.entry.opcode).iter().any(|entry| entry.name == sync);
        has_sync.then_some(sync)
    }

    fn instead(&self) -> String {
        let hint = |sync| format!("; use `{sync}` with a mask of the participating lanes");
        self.sync().map(hint).unwrap_or_default()
    }

    /// A replacement by the form with `.sync` and a mask of all lanes.
    fn with_mask(&self) -> Option<ItemFix> {
        let Comparison { report, instruction, .. } = *self;
        let sync = self.sync()?;
        let operands = report.ranges.operands_from(instruction, 0)?;
        let fix = ItemFix::new(format!("Replace with `{sync}` for all lanes"));
        Some(fix.replace(instruction.opcode_range(), sync).insert(operands.end(), ", 0xffffffff"))
    }
}

/// The module's version or target that is too low.
fn module(report: &Reporter<'_>, version: bool, target: bool) -> String {
    let version = report.platform.version.filter(|_| version).map(|have| format!("of PTX {have}"));
    let target = report.platform.target.filter(|_| target).map(|have| format!("for `{}`", have.name));
    version.into_iter().chain(target).collect::<Vec<_>>().join(" ")
}

/// Raises the version and the target as little as possible.
fn raise(report: &Reporter<'_>, need: Requirement, version: bool, target: bool) -> Option<ItemFix> {
    let architecture = target.then(|| architecture(need.target)).flatten();
    if target && architecture.is_none() {
        return None;
    }
    let since = architecture.and_then(isa::target).map_or(need.since, |target| target.since.max(need.since));
    let version = version || report.platform.version.is_some_and(|have| have < since);
    let since = version.then(|| since.to_string());
    let titles = since.iter().map(|since| format!("`.version {since}`"));
    let titles: Vec<String> =
        titles.chain(architecture.map(|architecture| format!("`.target {architecture}`"))).collect();
    let mut fix = ItemFix::new(format!("Raise to {}", all_of(&titles)));
    if let Some(since) = since {
        fix = fix.version(&since);
    }
    if let Some(architecture) = architecture {
        fix = fix.architecture(architecture);
    }
    Some(fix)
}

fn architecture(need: TargetRequirement) -> Option<&'static str> {
    let (number, suffix) = match need {
        TargetRequirement::Any => return None,
        TargetRequirement::AtLeast(number) => (number, ""),
        TargetRequirement::Family(number) => (number, "f"),
        TargetRequirement::Exactly(number) => (number, "a"),
    };
    Some(isa::target(&format!("sm_{number}{suffix}"))?.name)
}

fn target_words(need: TargetRequirement) -> String {
    match need {
        TargetRequirement::Any => "any target".into(),
        TargetRequirement::AtLeast(number) => format!("target `sm_{number}` or later"),
        TargetRequirement::Family(number) => {
            format!("target `sm_{number}f` or a later one of its family with `f` or `a`")
        }
        TargetRequirement::Exactly(number) => format!("exactly target `sm_{number}a`"),
    }
}

fn need_words(need: Requirement) -> String {
    match need.target {
        TargetRequirement::Any => format!("PTX {}", need.since),
        target => format!("{} from PTX {}", target_words(target).trim_start_matches("exactly "), need.since),
    }
}

/// Whether the module's target and version are too low.
fn lacks(report: &Reporter<'_>, need: Requirement) -> (bool, bool) {
    let version = report.platform.version.is_some_and(|version| version < need.since);
    let target = !report.platform.satisfies(Requirement { since: Version::new(0, 0), ..need });
    (target, version)
}
