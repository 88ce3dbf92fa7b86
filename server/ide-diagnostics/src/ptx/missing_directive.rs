//! `missing-directive`: a module without `.version` or `.target`.

use text_size::TextRange;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::{Version, ptx as isa};

use crate::codes;
use crate::ptx::prologue_state::{Part, Prologue};

/// Reports a missing `.version` at the first item, a missing `.target` at the next one.
pub(super) fn check(prologue: &Prologue<'_>, range: TextRange, part: Part) -> Option<Problem> {
    match prologue.seen {
        0 if !prologue.has_version => Some(version(range)),
        1 if prologue.has_version && !prologue.has_target && part != Part::Version => {
            let fix = ItemFix::new("Insert `.target sm_80`").insert(range.start(), ".target sm_80\n");
            Some(target(range).with_fix(fix))
        }
        _ => None,
    }
}

fn version(range: TextRange) -> Problem {
    let newest = isa::versions().last().map_or(Version::new(9, 0), |release| release.version);
    let message = format!("missing `.version`; a module must start with it, such as `.version {newest}`");
    let fix = ItemFix::new(format!("Insert `.version {newest}`"));
    let fix = fix.insert(range.start(), format!(".version {newest}\n"));
    Problem::error(range, codes::MISSING_DIRECTIVE, message).with_fix(fix)
}

/// A module with nothing but a `.version`, which has this range.
pub(super) fn target_at_end(version: TextRange) -> Problem {
    let fix = ItemFix::new("Insert `.target sm_80`").insert(version.end(), "\n.target sm_80");
    target(version).with_fix(fix)
}

fn target(range: TextRange) -> Problem {
    let message = "missing `.target` after `.version`, such as `.target sm_80`";
    Problem::error(range, codes::MISSING_DIRECTIVE, message)
}
