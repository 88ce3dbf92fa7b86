//! Fixes of findings, each checked by a run before it is offered.
//!
//! The program and the language of a finding propose edits: statements to insert, operands to change. A proposal is a guess. It is offered
//! only if the edited text, run with the launch under which the finding occurs, finishes without it and has nothing new.

mod insertion;
mod trial;
mod version;

use warplens_ide_db::{Database, Diagnostic, File, Fix, Origin};
use warplens_ide_diagnostics::rules::Rules;
use warplens_sim_launch::resolve;
use warplens_sim_warp::{Finding, GuessedLaunch, Severity};

use crate::run::Prepared;
use crate::simulator::{FindingInText, Simulator};
use crate::view::LaneView;
pub use trial::{Budget, Trial};
pub use version::Version;

/// The size of a text, in bytes, beyond which no fixes are checked.
const MAX_TEXT: usize = 1 << 18;

/// The edits that may fix a finding.
pub struct ProposedFixes {
    pub text: String,
    /// The most likely one first.
    pub fixes: Vec<Fix>,
    pub trial: Trial,
}

/// The edits that may fix a finding of the run that is shown, which `ran`. `None` if there are none, or if the text has changed since.
pub fn proposed_fixes(
    db: &Database,
    file: File,
    simulator: &dyn Simulator,
    rules: &Rules,
    (shown, ran): (&LaneView, &Prepared),
    diagnostic: &Diagnostic,
) -> Option<ProposedFixes> {
    let document = file.document(db).items();
    if shown.partial || usize::from(document.text_len()) > MAX_TEXT {
        return None;
    }
    let finding = reported(shown, diagnostic)?;
    // Information is no mistake, unless an inferred launch is the reason why it is not a warning.
    if finding.severity == Severity::Information && finding.guess.is_none() {
        return None;
    }
    let original = Version::of(db, file, simulator, rules, ran)?;
    if !original.is_program_of(ran) {
        return None;
    }
    let text = document.text();
    let found =
        FindingInText { finding, result: &shown.result, text: &text, statements: original.statements() };
    let corrections = original.program().corrections(finding);
    let mut fixes: Vec<Fix> =
        corrections.iter().filter_map(|correction| insertion::insert(correction, found)).collect();
    fixes.extend(simulator.fixes(found));
    let trial =
        (!fixes.is_empty()).then(|| Trial::new(under_launch_of(finding, ran)?, finding, original))??;
    Some(ProposedFixes { text, fixes, trial })
}

fn reported<'s>(shown: &'s LaneView, diagnostic: &Diagnostic) -> Option<&'s Finding> {
    let is_shown = |finding: &Finding| {
        let place = finding.statement.and_then(|statement| shown.place(statement));
        finding.kind.name() == diagnostic.code && place == Some(diagnostic.range)
    };
    let findings = shown.findings().into_iter().map(|reported| reported.finding);
    findings.into_iter().find(|finding| diagnostic.origin == Origin::Run && is_shown(finding))
}

/// The run with the launch under which a finding occurs.
fn under_launch_of(finding: &Finding, ran: &Prepared) -> Option<Prepared> {
    let Some(GuessedLaunch::Tried(_)) = finding.guess else { return Some(ran.clone()) };
    let (launch, guess) = (ran.resolved.guessed(finding.guess?)?, ran.guess.as_ref()?);
    let no_files = |_: &str| Err("an inferred launch has no files".into());
    let resolved = resolve(launch, &guess.kernel, guess.max_memory, &no_files).ok()?;
    Some(Prepared { resolved: resolved.into(), ..ran.clone() })
}
