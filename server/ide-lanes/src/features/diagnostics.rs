//! Findings of a run as diagnostics at their current positions in the document.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, Diagnostic, File, FileId, Fix, Origin, Related, Severity, TextEdit};
use warplens_ide_diagnostics::file::filter_reported;
use warplens_ide_diagnostics::rules::Rules;
use warplens_sim_launch::{Launch, in_comments, launch_comment, launch_name};
use warplens_sim_warp::{Finding, FindingKind, Severity as Weight};
use warplens_syntax::Language;

use crate::findings::{ReportedFinding, Unexpected};
use crate::launches::kernels_of;
use crate::simulator::Simulator;
use crate::view::LaneView;

/// The maximum number of related positions of a finding.
const MOST_RELATED: usize = 8;

/// The findings of the run that is shown in a document, except those that rules or comments switch off. Findings about
/// statements that were edited since are dropped. Fixes that change the kernel are [proposed](super::fixes) separately.
pub fn findings_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    shown: &LaneView,
    rules: &Rules,
) -> Vec<Diagnostic> {
    let kernel =
        kernels_of(db, file, simulator).into_iter().find(|kernel| kernel.kernel.name == shown.entry());
    let kernel = kernel.map(|kernel| kernel.name);
    let text = || file.document(db).items().text();
    let place = Place { file: file.id(db), language: file.language(db), kernel, text: &text };
    let found = findings(shown, &place);
    filter_reported(db, file, rules, found)
}

/// The document of findings.
struct Place<'d> {
    file: FileId,
    language: Language,
    /// The name of the kernel, where findings about the launch as a whole are.
    kernel: Option<TextRange>,
    text: &'d dyn Fn() -> String,
}

/// The fix that writes the launch of a run as a comment above its kernel.
fn write_launch(launch: &Launch, text: &str, language: Language, kernel: TextRange) -> Fix {
    let before = text.get(..usize::from(kernel.start())).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let written = in_comments(text, language.line_comments);
    let name = launch_name(launch, |name| written.iter().any(|written| written.listed.launch.name == name));
    let comment = launch_comment(launch, &name);
    let insert = format!("{} {comment}\n", language.line_comment());
    let range = TextRange::empty(TextSize::new(line as u32));
    Fix { title: "Write a launch".to_owned(), edits: vec![TextEdit { range, insert }], preferred: false }
}

fn findings(shown: &LaneView, place: &Place<'_>) -> Vec<Diagnostic> {
    let reported = shown.findings();
    let described = |reported: &ReportedFinding<'_>| {
        let mut found = diagnostic(reported, shown, place)?;
        if let (Some(kernel), Some(launch)) = (place.kernel, shown.guessed(reported.finding)) {
            found.fixes.push(write_launch(launch, &(place.text)(), place.language, kernel));
        }
        Some(found)
    };
    let mut found: Vec<Diagnostic> = reported.iter().filter_map(described).collect();
    found.extend(shown.failures.iter().filter_map(|failure| unexpected(failure, shown, place)));
    found.sort_by_key(|found| (found.range.start(), found.severity));
    found
}

/// A failed check of the launch: at the statement that stored the first wrong element, or else at the kernel.
fn unexpected(failure: &Unexpected, shown: &LaneView, place: &Place<'_>) -> Option<Diagnostic> {
    let kind = FindingKind::ExpectFailed;
    let writer = failure.writer.map(|store| store.statement).filter(|writer| shown.is_unedited(*writer));
    let range = writer.and_then(|writer| shown.place(writer)).or(place.kernel)?;
    let message = kind.with_term(&failure.described(shown.reporter()));
    Some(Diagnostic { origin: Origin::Run, ..Diagnostic::new(range, Severity::Error, kind.name(), message) })
}

fn diagnostic(reported: &ReportedFinding<'_>, shown: &LaneView, place: &Place<'_>) -> Option<Diagnostic> {
    let finding = reported.finding;
    let range = match finding.statement {
        // The diagnostic of the text explains why the run ended there.
        Some(statement) if finding.kind == FindingKind::Unsupported && shown.has_error(statement) => {
            return None;
        }
        Some(statement) => shown.place(statement).filter(|_| shown.is_unedited(statement))?,
        None => place.kernel?,
    };
    let file = place.file;
    let related = finding.related.iter().filter_map(|related| {
        Some(Related { file, range: shown.place(related.statement)?, message: related.message.clone() })
    });
    Some(Diagnostic {
        origin: Origin::Run,
        related: related.take(MOST_RELATED).collect(),
        ..Diagnostic::new(range, severity(finding), finding.kind.name(), reported.message())
    })
}

fn severity(finding: &Finding) -> Severity {
    match finding.severity {
        _ if finding.kind == FindingKind::Unsupported => Severity::Information,
        Weight::Error => Severity::Error,
        Weight::Warning => Severity::Warning,
        Weight::Information => Severity::Information,
    }
}

#[cfg(test)]
mod tests;
