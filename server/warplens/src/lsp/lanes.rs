//! What the lanes of a run look like in the protocol: hints, lenses, hovers, `warplens/laneMasks`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CodeLens, Command, Hover, InlayHint, InlayHintLabel, Position, TextDocumentIdentifier, Uri,
};
use warplens_ide::lanes::{
    Choice, Click, LaunchFile, LensStyle, Model, Offer, Prepared, RunRequest, Shown, report, text,
};
use warplens_ide::{Diagnostic, TextRange, TextSize};
use warplens_sim::{Checks, Limits, RunOptions, WarpId};

use super::commands::{PICK_LAUNCH, SELECT_LAUNCH};
use super::convert;
use super::document::Edit;
use super::job::{Done, Failure, Question, Urgency};
use super::requests::{Asked, to_value};
use super::simulation::Outcome;
use crate::launch_file;

/// The request for the masks of one warp.
pub(super) const LANE_MASKS: &str = "warplens/laneMasks";

/// Its parameters.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LaneMasksParams {
    pub(super) text_document: TextDocumentIdentifier,
    pub(super) cta: Option<[u32; 3]>,
    pub(super) warp: Option<u32>,
}

/// What is shown in a document: a result, and where its statements stand now.
#[derive(Clone)]
pub(super) struct Lanes {
    /// The selected warp.
    pub(super) shown: Arc<Shown>,
    pub(super) prepared: Arc<Prepared>,
    pub(super) outcome: Outcome,
    /// Edits of the text since it was prepared.
    edits: Arc<Vec<Edit>>,
}

impl Lanes {
    pub(super) fn new(prepared: Arc<Prepared>, outcome: Outcome, warp: Option<WarpId>) -> Lanes {
        let shown = prepared.show(Arc::clone(&outcome.result), warp);
        let shown = Arc::new(shown.with_values(outcome.values.clone(), outcome.look.until));
        Lanes { shown, prepared, outcome, edits: Arc::default() }
    }

    /// Follows the text.
    pub(super) fn edit(&mut self, edits: &[Edit]) {
        Arc::make_mut(&mut self.edits).extend_from_slice(edits);
        apply(Arc::make_mut(&mut self.shown), edits);
    }

    /// What is shown is of the past from now on; the answer is whether it was not before.
    pub(super) fn outdate(&mut self) -> bool {
        let news = !self.shown.is_outdated();
        Arc::make_mut(&mut self.shown).outdate();
        news
    }

    /// Whether a run that ended at an error of the text leaves these lanes there to be seen: they are of the same launch,
    /// and got further.
    pub(super) fn outlast(&self, prepared: &Prepared, outcome: &Outcome, warp: Option<WarpId>) -> bool {
        prepared.stopped_at_error(&outcome.result)
            && !self.prepared.stopped_at_error(&self.outcome.result)
            && self.prepared.same_launch(prepared)
            && warp.is_none_or(|warp| warp == self.shown.warp())
            && self.shown.has_places()
    }

    /// Whether the run found anything.
    pub(super) fn has_findings(&self) -> bool {
        !self.outcome.result.findings.is_empty()
    }

    /// Another warp of the same run; `None` where it is not listed.
    fn warp(&self, warp: WarpId) -> Option<Arc<Shown>> {
        if warp == self.shown.warp() {
            return Some(Arc::clone(&self.shown));
        }
        let result = &self.outcome.result;
        result.warp(warp.cta, warp.warp)?;
        let mut shown = self.prepared.show(Arc::clone(result), Some(warp));
        apply(&mut shown, &self.edits);
        if self.shown.is_outdated() {
            shown.outdate();
        }
        Some(Arc::new(shown))
    }
}

fn apply(shown: &mut Shown, edits: &[Edit]) {
    edits.iter().for_each(|edit| shown.edit(edit.range, edit.inserted));
}

/// What a user chose to see in a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selection {
    pub(super) entry: Option<String>,
    pub(super) launch: Choice,
    pub(super) warp: Option<WarpId>,
    /// The name of the model to run it under, whatever the launch and the settings say.
    pub(super) model: Option<String>,
}

impl Selection {
    fn model(&self, question: &Question) -> Result<Option<Model>, Failure> {
        let named = |name: &str| Model::named(question.language, name).map_err(Failure::Refused);
        self.model.as_deref().map(named).transpose()
    }
}

/// The explanation of what is at a place, and what the lanes did there.
pub(super) fn hover(question: &Question, at: TextSize) -> Result<Option<Hover>, Failure> {
    let documented = question.analysis.hover(question.file, at)?;
    let line_of = |offset: TextSize| question.range(TextRange::empty(offset)).start.line;
    let word = register(&question.text, at);
    let lanes = question.lanes.as_ref();
    let ran = lanes.and_then(|lanes| warplens_ide::lanes::hover(&lanes.shown, at, &word, &line_of));
    Ok(match (documented, ran) {
        (Some(mut documented), Some(ran)) => {
            documented.markdown = format!("{}\n\n---\n\n{}", ran.markdown, documented.markdown);
            Some(convert::hover(question, documented))
        }
        (one, other) => one.or(other).map(|hover| convert::hover(question, hover)),
    })
}

/// The name of a register at a place: what a name is made of, and the dot of a vector's element.
fn register(text: &Rope, at: TextSize) -> String {
    let is_name = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$' | '%');
    let at = text.byte_to_char(usize::from(at).min(text.len_bytes()));
    let mut before: Vec<char> = text.chars_at(at).reversed().take_while(is_name).collect();
    before.reverse();
    before.into_iter().chain(text.chars_at(at).take_while(is_name)).collect()
}

/// What the run that is shown found.
pub(super) fn findings(question: &Question) -> Result<Vec<Diagnostic>, Failure> {
    match &question.lanes {
        Some(lanes) if lanes.has_findings() => Ok(question.analysis.findings(question.file, &lanes.shown)?),
        _ => Ok(vec![]),
    }
}

/// The lanes at the ends of the lines in a range.
pub(super) fn hints(question: &Question, range: TextRange) -> Result<Vec<InlayHint>, Failure> {
    let Some(lanes) = &question.lanes else { return Ok(vec![]) };
    let lines = &question.settings.lanes;
    let style = text::Style { format: lines.format.into(), full: lines.show_full, values: lines.values };
    let line_end = |offset: TextSize| {
        let line = question.range(TextRange::empty(offset)).start.line;
        question.offset(Position { line, character: u32::MAX })
    };
    let start = question.range(range).start.line;
    let range =
        TextRange::new(question.offset(Position { line: start, character: 0 }), line_end(range.end()));
    let hints = lanes.shown.hints(range, style, &line_end).into_iter().map(|hint| InlayHint {
        position: question.range(TextRange::empty(hint.offset)).start,
        label: InlayHintLabel::String(hint.text),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    Ok(hints.collect())
}

/// The lenses over the kernels.
pub(super) fn lenses(question: &Question) -> Result<Vec<CodeLens>, Failure> {
    // A launch file that cannot be read has no lenses; whoever runs a launch hears why.
    let file = launch_file(question).unwrap_or_default();
    let style = if question.abilities.extension_lenses { LensStyle::Extension } else { LensStyle::Plain };
    let shown = question.lanes.as_ref().map(|lanes| &*lanes.shown);
    let lenses = question.analysis.lenses(question.file, file.as_ref(), shown, style)?;
    let uri = question.uri.as_str();
    let lens = |lens: warplens_ide::lanes::Lens| {
        let (command, arguments) = match lens.click {
            Click::Select { entry, launch } => {
                (SELECT_LAUNCH, vec![json!({ "uri": uri, "entry": entry, "launch": launch })])
            }
            Click::Stop => (SELECT_LAUNCH, vec![json!({ "uri": uri, "launch": null })]),
            Click::Pick { entry } => (PICK_LAUNCH, vec![json!(uri), json!(entry)]),
            Click::Nothing => ("", vec![]),
        };
        let command = Command { title: lens.title, command: command.into(), arguments: Some(arguments) };
        CodeLens { range: question.range(lens.range), command: Some(command), data: None }
    };
    Ok(lenses.into_iter().map(lens).collect())
}

/// The launches of the document, of one kernel if it is named.
pub(super) fn offers(question: &Question, entry: Option<&str>) -> Result<Value, Failure> {
    let file = launch_file(question).map_err(Failure::Refused)?;
    let offers = question.analysis.launches(question.file, file.as_ref())?;
    // A launch whose kernel cannot be told may be meant for any.
    let wanted = |offer: &&Offer| entry.is_none() || offer.entry.is_none() || offer.entry.as_deref() == entry;
    let wanted = offers.iter().filter(wanted);
    let listed = wanted.map(|offer| {
        let mut listed = json!({
            "name": offer.name,
            "entry": offer.entry,
            "grid": offer.grid,
            "block": offer.block,
            "source": offer.source.as_str(),
        });
        if let Some(problem) = &offer.problem {
            listed["problem"] = problem.to_string().into();
        }
        listed
    });
    Ok(listed.collect())
}

/// What would be run now; `listed` is a warp that must be kept even where not all are.
pub(super) fn prepare(
    question: &Question,
    selection: &Selection,
    listed: Option<WarpId>,
) -> Result<Box<Prepared>, Failure> {
    let file = match launch_file(question) {
        Ok(file) => file,
        // These need no launch file.
        Err(_) if matches!(selection.launch, Choice::Inferred | Choice::Given(_)) => None,
        Err(why) => return Err(Failure::Refused(why)),
    };
    let simulation = &question.settings.simulation;
    let limits = Limits { max_steps: simulation.max_steps, ..Limits::default() };
    let limits = limits.with_records(simulation.memory.saturating_mul(1 << 20));
    let request = RunRequest {
        entry: selection.entry.clone(),
        launch: selection.launch.clone(),
        model: selection.model(question)?,
        usual_model: Model::named(question.language, &simulation.model).ok(),
        wave_width: None,
        options: RunOptions {
            limits,
            warp: listed,
            checks: Checks::ALL,
            counters: simulation.counters,
            ..RunOptions::default()
        },
    };
    let document = path(&question.uri);
    let base = file.as_ref().map_or(document.as_path(), |file| Path::new(&file.path));
    let read_file = launch_file::contents(base);
    let prepared = question.analysis.prepare_run(question.file, &request, file.as_ref(), &read_file)?;
    let prepared = prepared.map_err(|problem| Failure::Refused(problem.to_string()))?;
    match selection.warp {
        Some(warp) if !has_warp(&prepared, warp) => Err(no_such_warp(warp)),
        _ => Ok(Box::new(prepared)),
    }
}

fn has_warp(prepared: &Prepared, WarpId { cta, warp }: WarpId) -> bool {
    cta.iter().zip(prepared.grid()).all(|(at, size)| *at < size) && u64::from(warp) < prepared.warps()
}

fn no_such_warp(WarpId { cta: [x, y, z], warp }: WarpId) -> Failure {
    Failure::Refused(format!("there is no warp {warp} of block {x},{y},{z} to show"))
}

/// The question behind `warplens/laneMasks`, when there is something to show.
pub(super) fn masks(uri: Uri, params: LaneMasksParams) -> Asked {
    let ask = Box::new(move |question: &Question| {
        let Some(lanes) = &question.lanes else { return Ok(Done::Answer(Value::Null)) };
        let selected = lanes.shown.warp();
        let warp =
            WarpId { cta: params.cta.unwrap_or(selected.cta), warp: params.warp.unwrap_or(selected.warp) };
        let Some(shown) = lanes.warp(warp) else { return Err(no_such_warp(warp)) };
        let at = |offset: TextSize| {
            let Position { line, character } = question.range(TextRange::empty(offset)).start;
            report::Position { line, character }
        };
        Ok(Done::Answer(to_value(shown.masks(question.version, &at))?))
    });
    Asked { uri, urgency: Urgency::Soon, ask }
}

/// The launch file that speaks of the document, if it lies on a disk.
fn launch_file(question: &Question) -> Result<Option<LaunchFile>, String> {
    if question.uri.scheme().as_str() != "file" {
        return Ok(None);
    }
    let document = path(&question.uri);
    launch_file::nearest(&document).map(|file| launch_file::read(&file, &document)).transpose()
}

fn path(uri: &Uri) -> PathBuf {
    uri.to_file_path().map_or_else(|| PathBuf::from(uri.path().as_str()), std::borrow::Cow::into_owned)
}
