//! Checks the module's version and target against the requirements of directives and declarations.

use text_size::TextRange;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx::{Requirement, TargetRequirement};
use warplens_isa::{Version, ptx as isa};

use crate::codes;

/// Checks a requirement of `what`, a phrase for the middle of a sentence.
pub(super) fn check(
    range: TextRange,
    what: &str,
    need: Requirement,
    module: &ModuleTarget,
) -> Option<Problem> {
    version(range, what, need, module).or_else(|| target(range, what, need, module))
}

/// Checks the requirement of a directive, named with its dot. One that does not exist has none.
pub(super) fn check_directive(range: TextRange, name: &str, module: &ModuleTarget) -> Option<Problem> {
    check(range, &format!("`{name}`"), isa::directive(name)?.requirement, module)
}

pub(super) fn check_feature(range: TextRange, name: &str, module: &ModuleTarget) -> Option<Problem> {
    let feature = isa::feature(name)?;
    check(range, feature.what, feature.requirement, module)
}

fn version(range: TextRange, what: &str, need: Requirement, module: &ModuleTarget) -> Option<Problem> {
    let have = module.version.filter(|have| *have < need.since)?;
    // A version older than the target is reported at the target; then nothing else is compatible with it either.
    if module.architecture.as_deref().and_then(isa::target).is_some_and(|target| target.since > have) {
        return None;
    }
    Some(too_old(range, what, need.since, have))
}

/// `what` needs a newer version than that of the module.
pub(super) fn too_old(range: TextRange, what: &str, since: Version, have: Version) -> Problem {
    let message = format!("{what} needs PTX {since} or later; this module is written in PTX {have}");
    let fix = ItemFix::new(format!("Raise `.version` to {since}")).version(&since.to_string());
    Problem::error(range, codes::NEEDS_VERSION, message).with_fix(fix)
}

fn target(range: TextRange, what: &str, need: Requirement, module: &ModuleTarget) -> Option<Problem> {
    let TargetRequirement::AtLeast(number) = need.target else { return None };
    let have = module.architecture.as_deref().and_then(isa::target).filter(|have| have.number < number)?;
    let message = format!("{what} needs sm_{number} or later; this module is for {}", have.name);
    let fix = ItemFix::new(format!("Raise `.target` to sm_{number}")).architecture(&format!("sm_{number}"));
    Some(Problem::error(range, codes::NEEDS_TARGET, message).with_fix(fix))
}
