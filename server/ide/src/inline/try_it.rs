//! *Try it*: runs a statement for one warp, or for the warps that a comment asks for.

use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_hir::wave::Accepts;
use warplens_host::Statement;
use warplens_ide_db::{Database, Diagnostic, Document, File, FileId, Hover, Profile, Related};
use warplens_ide_diagnostics::inline::{Module, placeholder, register, with_placeholders};
use warplens_ide_diagnostics::rules::Rules;
use warplens_ide_lanes::{Choice, LaneView, RunRequest, findings_of, hover, prepare};
use warplens_sim_launch::{Format, Launch, launch_text};
use warplens_sim_warp::{Checks, Control, Limits, RunOptions, TraceRequest};
use warplens_syntax::ItemList;

use super::ranges::text_range;
use super::try_kernel::Kernel;
use super::try_values::given;
use crate::ptx::PTX;

/// Warp instructions of a run.
const MAX_STEPS: u64 = 200_000;

/// Values of an operand that a line of text has.
const SHOWN: usize = 8;

/// A statement that was run.
pub(super) struct Tried {
    kernel: Kernel,
    warps: usize,
    view: LaneView,
    pub(super) findings: Vec<Diagnostic>,
}

impl Tried {
    /// Runs a statement of a host file.
    ///
    /// # Errors
    /// If a comment gives values that do not fit, or the statement cannot be run.
    pub(super) fn new(
        text: &str,
        statement: &Statement,
        module: &Module,
        file: FileId,
        rules: &Rules,
    ) -> Result<Tried, String> {
        let given = given(text, statement)?;
        let kernel = Kernel::new(statement, &module.target, &given)?;
        let launch = launch_text(&kernel.launch, Format::Toml).map_err(|problem| problem.message)?;
        let db = Database::new([(PTX.info, PTX.queries)].into(), None);
        let document = Document::new(ItemList::new(PTX.info, &kernel.text.text));
        let accepts = Accepts::default();
        let file = File::new(&db, file, PTX.info, document, Profile::default(), accepts, Arc::default());
        let (view, found) = salsa::attach(&db, || run(&db, file, launch, rules))?;
        let found = found.into_iter().filter_map(|found| in_host(&kernel, statement, found));
        let findings = found.collect();
        Ok(Tried { kernel, warps: given.warps, view, findings })
    }

    /// The outputs of the shown warp and the number of findings in a line of text.
    pub(super) fn title(&self, statement: &Statement) -> String {
        let outputs = self.kernel.outputs.iter().map(|(index, at)| {
            let name = &statement.operands[*index].expression;
            let name = name.clone().unwrap_or_else(|| placeholder(statement, *index));
            match self.values_at(*at, &register(statement, *index)) {
                Some(values) => format!("{name} {values}"),
                None => format!("{name} is not written"),
            }
        });
        let mut parts: Vec<_> = outputs.collect();
        match self.findings.len() {
            0 => {}
            1 => parts.push("1 finding".to_owned()),
            count => parts.push(format!("{count} findings")),
        }
        if parts.is_empty() {
            parts.push("ran, without outputs".to_owned());
        }
        let warp = match self.warps {
            1 => String::new(),
            warps => format!("warp {} of {warps}: ", self.view.warp.warp),
        };
        format!("▽ {warp}{}", parts.join(", "))
    }

    fn values_at(&self, offset: usize, register: &str) -> Option<String> {
        let offset = TextSize::try_from(offset).ok()?;
        let mut statements = self.view.statements();
        let read = statements.find(|statement| statement.range.contains(offset))?;
        read.values_in_line(register, SHOWN)
    }

    /// The lanes that executed the instruction at an offset of the host file, and the values of its registers.
    pub(super) fn hover(&self, text: &str, statement: &Statement, offset: TextSize) -> Option<Hover> {
        let offset = usize::from(offset);
        let pieces = self.kernel.text.pieces.iter();
        let piece =
            pieces.clone().find(|piece| piece.host.contains(&offset) && self.is_in_body(&piece.template))?;
        let at = piece.template.start + (offset - piece.host.start).min(piece.template.len() - 1);
        let document = &self.kernel.text.text;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$');
        let start = document[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        let end = document[at..].find(|c| !is_name(c)).map_or(document.len(), |length| at + length);
        let line_of = |offset: TextSize| self.line_of(text, offset);
        let found = hover(&self.view, TextSize::try_from(at).ok()?, document.get(start..end)?, &line_of)?;
        let markdown = with_placeholders(statement, found.markdown);
        let range = usize::from(found.range.start())..usize::from(found.range.end());
        let range =
            self.kernel.text.to_host(range).map_or(TextRange::empty((offset as u32).into()), text_range);
        Some(Hover { range, markdown })
    }

    fn is_in_body(&self, part: &std::ops::Range<usize>) -> bool {
        self.kernel.body.start <= part.start && part.end <= self.kernel.body.end
    }

    /// The line of the host file that an offset of the kernel comes from.
    fn line_of(&self, text: &str, offset: TextSize) -> u32 {
        let at = self.kernel.text.to_host(usize::from(offset)..usize::from(offset));
        at.map_or(0, |at| text[..at.start].matches('\n').count() as u32)
    }
}

fn cancelled(_: impl Sized) -> String {
    "the run was cancelled".to_owned()
}

/// Runs the only kernel of a file. Returns its lanes and its findings.
fn run(
    db: &Database,
    file: File,
    launch: Launch,
    rules: &Rules,
) -> Result<(LaneView, Vec<Diagnostic>), String> {
    let limits = Limits { max_steps: MAX_STEPS, ..Limits::default() };
    let options = RunOptions { limits, checks: Checks::ALL, ..RunOptions::default() };
    let request = RunRequest { launch: Choice::Given(Box::new(launch)), ..RunRequest::first(options) };
    let read = |_: &str| Err("a statement reads no files".into());
    let simulators: Vec<_> = PTX.simulator.into_iter().collect();
    let prepared = prepare(db, file, PTX.simulator, &simulators, &request, None, &read);
    let prepared = prepared.map_err(|problem| problem.to_string())?;
    // Nobody cancels this run.
    let result = prepared.run(Control::none()).map_err(cancelled)?;
    let view = prepared.show(Arc::new(result), None);
    let values = prepared.trace_warp(TraceRequest::at(view.warp), Control::none()).map_err(cancelled)?;
    let view = view.with_values(values.map(Arc::new), None);
    let found = findings_of(db, file, PTX.simulator, &view, rules);
    Ok((view, found))
}

/// A finding in the host file: at its instruction, or else at the keyword of the statement. `None` if it is about what is around the
/// template.
fn in_host(kernel: &Kernel, statement: &Statement, found: Diagnostic) -> Option<Diagnostic> {
    let host = |range: TextRange| {
        let part = usize::from(range.start())..usize::from(range.end());
        let is_inside = kernel.body.start <= part.start && part.end <= kernel.body.end;
        is_inside.then(|| kernel.text.to_host(part)).flatten().map(text_range)
    };
    let is_of_kernel = usize::from(found.range.end()) <= kernel.body.start;
    let range = match host(found.range) {
        Some(range) => range,
        None if is_of_kernel => text_range(statement.keyword.clone()),
        None => return None,
    };
    let related = found
        .related
        .iter()
        .filter_map(|related| Some(Related { range: host(related.range)?, ..related.clone() }));
    Some(Diagnostic { range, related: related.collect(), fixes: Vec::new(), ..found })
}
