//! Forms that the module's version or target does not support.

use text_size::TextRange;
use warplens_hir::ptx::{Mnemonic, MnemonicForms, Platform, UnmetRequirement};
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
        if lacks_target && is_of_variants(need.target) {
            return Some(self.other_variant(range, &subject, needs));
        }
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
        Some(Problem::error(range, code, message).with_fix(self.raise(need, lacks_version, lacks_target)))
    }

    /// Only some variants of some targets have the form: the module needs another variant of its own number, if one has it. Another
    /// number is another GPU.
    fn other_variant(&self, range: TextRange, subject: &str, needs: &[Requirement]) -> Problem {
        let platform = self.report.platform;
        let number = platform.target.map_or(0, |have| have.number);
        let own = isa::targets().iter().filter(|target| target.number == number);
        let found =
            own.flat_map(|target| needs.iter().map(move |need| (target, need.since.max(target.since))));
        let mut variants: Vec<(&isa::Target, Version)> = found
            .filter(|(target, since)| {
                let variant = Platform { version: Some(*since), target: Some(target) };
                needs.iter().any(|need| need.since <= *since && variant.satisfies(*need))
            })
            .collect();
        variants.sort_by_key(|(target, since)| (*since, target.name));
        variants.dedup_by_key(|(target, _)| target.name);
        let Some((target, since)) = variants.first().copied() else {
            let others = any_of(needs.iter().map(|need| target_words(need.target)));
            let message = format!("`sm_{number}` has no {subject}, which needs {others}");
            return Problem::error(range, codes::NEEDS_TARGET, message);
        };
        let lacks_version = platform.version.is_some_and(|have| have < since);
        let version = lacks_version.then(|| format!("PTX {since} or later"));
        let mut names: Vec<&str> = variants.iter().map(|(target, _)| target.name).collect();
        names.sort_unstable();
        names.dedup();
        let names = format!("target {}", any_of(names.iter().map(|name| format!("`{name}`"))));
        let message = format!(
            "{subject} needs {}; this module is {}",
            all_of(version.into_iter().chain([names])),
            module(self.report, lacks_version, true)
        );
        let fix = self.raise_to(lacks_version.then_some(since), Some(target));
        Problem::error(range, codes::NEEDS_TARGET, message).with_fix(fix)
    }

    /// Raises the version and the target as little as possible.
    fn raise(&self, need: Requirement, version: bool, target: bool) -> Option<ItemFix> {
        let platform = self.report.platform;
        let architecture = target.then(|| architecture(need.target)).flatten();
        if target && architecture.is_none() {
            return None;
        }
        // The version must also have the target.
        let since =
            architecture.or(platform.target).map_or(need.since, |target| target.since.max(need.since));
        let version = version || platform.version.is_some_and(|have| have < since);
        self.raise_to(version.then_some(since), architecture)
    }

    /// Raises the version, the target or both; `None` if the statement needs yet another one.
    fn raise_to(
        &self,
        since: Option<Version>,
        architecture: Option<&'static isa::Target>,
    ) -> Option<ItemFix> {
        let Platform { version, target } = self.report.platform;
        let raised = Platform { version: since.or(version), target: architecture.or(target) };
        raised.unmet_requirement(self.form).is_none().then(|| raised_to(since, architecture))
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
        let message = format!("`{name}` was removed in PTX {}{on}{}", removed.since, self.successor());
        let range = report.ranges.mnemonic(instruction)?;
        let problem = Problem::error(range, codes::REMOVED_FORM, message).with_fix(self.with_mask());
        let longer = self.longer().into_iter().map(|(_, mnemonic)| ItemFix::replacement(range, &mnemonic));
        Some(longer.take(MOST_FIXES).fold(problem, Problem::with_fix))
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

    /// What replaces a form that was removed.
    fn successor(&self) -> String {
        let longer = self.longer();
        if longer.is_empty() {
            return self.instead();
        }
        format!("; write {}", words::values(longer.iter().map(|(word, _)| word)))
    }

    /// The modifiers that make the statement a form which the module supports, with its mnemonic then.
    fn longer(&self) -> Vec<(&'static str, String)> {
        let Comparison { report, instruction, form } = *self;
        let Mnemonic { opcode, modifiers } = instruction.mnemonic();
        let with = |word: &'static str| {
            let mut modifiers = modifiers.to_vec();
            modifiers.insert(0, word.trim_start_matches('.').into());
            let MnemonicForms::Known(forms) =
                (Mnemonic { opcode: opcode.clone(), modifiers: modifiers.into() }).forms()
            else {
                return None;
            };
            let found = forms.iter().find(|form| report.platform.unmet_requirement(form).is_none())?;
            Some((word, words::documented(found.entry, &found.chosen)))
        };
        form.entry.vocabulary.iter().filter_map(|word| with(word)).collect()
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

/// The maximum number of replacements that are offered as fixes.
const MOST_FIXES: usize = 4;

/// The module's version or target that is too low.
fn module(report: &Reporter<'_>, version: bool, target: bool) -> String {
    let version = report.platform.version.filter(|_| version).map(|have| format!("of PTX {have}"));
    let target = report.platform.target.filter(|_| target).map(|have| format!("for `{}`", have.name));
    version.into_iter().chain(target).collect::<Vec<_>>().join(" ")
}

fn raised_to(since: Option<Version>, architecture: Option<&isa::Target>) -> ItemFix {
    let architecture = architecture.map(|target| target.name);
    let since = since.map(|since| since.to_string());
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
    fix
}

/// Whether only targets with `f` or `a` satisfy this.
fn is_of_variants(need: TargetRequirement) -> bool {
    matches!(need, TargetRequirement::Family(_) | TargetRequirement::Exactly(_))
}

fn architecture(need: TargetRequirement) -> Option<&'static isa::Target> {
    let (number, suffix) = match need {
        TargetRequirement::Any => return None,
        TargetRequirement::AtLeast(number) => (number, ""),
        TargetRequirement::Family(number) => (number, "f"),
        TargetRequirement::Exactly(number) => (number, "a"),
    };
    isa::target(&format!("sm_{number}{suffix}"))
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
