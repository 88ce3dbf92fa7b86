//! Findings of a run as diagnostics of its document: where they stand now, who they are about, and once for all warps
//! that they are alike in.

mod codes;

use std::fmt::Write;

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_sim::{Finding, Severity as Weight, StatementId, WarpId};

use super::kernels::kernels;
use super::shown::Shown;
use super::text::ranges;
use crate::analysis::{Analysis, Answer};
use crate::answer::{Diagnostic, FileId, Origin, Related, Severity};
use crate::diagnostics::let_through;

pub use codes::{FindingCode, finding_code, finding_codes};

/// More places beside a finding are not told.
const MOST_RELATED: usize = 8;

/// More ranges of lanes are not told.
const MOST_RANGES: usize = 4;

/// What stops a run without anything being wrong with the program.
const UNSUPPORTED: &str = "unsupported";

impl Analysis {
    /// What the run that is shown in a document found, as far as rules and comments let it through. A finding about a
    /// statement that was edited since is gone with what it was about.
    pub fn findings(&self, file: FileId, shown: &Shown) -> Answer<Vec<Diagnostic>> {
        self.ask(file, |db, source| {
            let kernel = kernels(db, source).into_iter().find(|kernel| kernel.kernel.name == shown.entry());
            let found = findings(shown, file, kernel.map(|kernel| kernel.name));
            let_through(db, source, self.rules(), found)
        })
    }
}

/// The findings in the order of the text; those about the launch as a whole stand at `kernel`.
fn findings(shown: &Shown, file: FileId, kernel: Option<TextRange>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> =
        alike(shown).into_iter().filter_map(|alike| diagnostic(&alike, shown, file, kernel)).collect();
    found.sort_by_key(|found| (found.range.start(), found.severity));
    found
}

/// Findings that say the same of one statement, in several warps.
struct Alike<'s> {
    /// The one that is told: of the warp that is shown, else the first.
    told: &'s Finding,
    warps: Vec<WarpId>,
}

fn alike(shown: &Shown) -> Vec<Alike<'_>> {
    let mut all: Vec<Alike<'_>> = Vec::new();
    let mut known: FxHashMap<(&str, Option<StatementId>), usize> = FxHashMap::default();
    for finding in &shown.result().findings {
        let at = *known.entry((finding.code, finding.statement)).or_insert_with(|| {
            all.push(Alike { told: finding, warps: Vec::new() });
            all.len() - 1
        });
        let warp = warp_of(finding);
        if !all[at].warps.contains(&warp) {
            all[at].warps.push(warp);
        }
        if warp == shown.warp() && warp_of(all[at].told) != warp {
            all[at].told = finding;
        }
    }
    all
}

fn warp_of(finding: &Finding) -> WarpId {
    WarpId { cta: finding.cta, warp: finding.warp }
}

fn diagnostic(
    alike: &Alike<'_>,
    shown: &Shown,
    file: FileId,
    kernel: Option<TextRange>,
) -> Option<Diagnostic> {
    let finding = alike.told;
    let range = match finding.statement {
        // The text's own error says why the run ended there.
        Some(statement) if finding.code == UNSUPPORTED && shown.has_error(statement) => return None,
        Some(statement) => shown.place(statement).filter(|_| shown.is_unedited(statement))?,
        None => kernel?,
    };
    let related = finding.related.iter().filter_map(|related| {
        Some(Related { file, range: shown.place(related.statement)?, message: related.message.clone() })
    });
    Some(Diagnostic {
        origin: Origin::Run,
        related: related.take(MOST_RELATED).collect(),
        ..Diagnostic::new(
            range,
            severity(finding),
            finding.code,
            finding.message.clone() + &who(alike, shown),
        )
    })
}

fn severity(finding: &Finding) -> Severity {
    match finding.severity {
        _ if finding.code == UNSUPPORTED => Severity::Information,
        Weight::Error => Severity::Error,
        Weight::Warning => Severity::Warning,
        Weight::Information => Severity::Information,
    }
}

/// ` (lanes 0-7 of block 0,0,0, warp 1, and in 3 more warps)`
fn who(alike: &Alike<'_>, shown: &Shown) -> String {
    let Finding { lanes, cta: [x, y, z], warp, .. } = alike.told;
    let result = shown.result();
    let mut who = Vec::new();
    let mut place = String::new();
    if *lanes != 0 {
        let ranges = ranges(*lanes);
        let word = if lanes.count_ones() == 1 { "lane" } else { "lanes" };
        let more = if ranges.len() > MOST_RANGES { ".." } else { "" };
        place = format!("{word} {}{more}", ranges[..ranges.len().min(MOST_RANGES)].join(","));
    }
    if alike.told.statement.is_some() && (result.warps.len() > 1 || result.warps_truncated) {
        let of = if place.is_empty() { "" } else { " of " };
        let _ = write!(place, "{of}block {x},{y},{z}, warp {warp}");
    }
    if !place.is_empty() {
        who.push(place);
    }
    match alike.warps.len() - 1 {
        0 => {}
        1 => who.push("and in 1 more warp".to_owned()),
        more => who.push(format!("and in {more} more warps")),
    }
    if who.is_empty() { String::new() } else { format!(" ({})", who.join(", ")) }
}

#[cfg(test)]
mod tests;
