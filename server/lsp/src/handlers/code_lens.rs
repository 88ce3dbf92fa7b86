//! `textDocument/codeLens`: the launches of each kernel, and its resources according to ptxas or the text.

use ls_types::{CodeLens, Command};
use serde_json::{Value, json};
use warplens_ide::TryLens;
use warplens_ide::lanes::{Click, Lens, LensRank, LensStyle, LensTarget};

use crate::documents::snapshot::{Failure, NullableAnswer, Snapshot};
use crate::files::launch_files::readable_launch_files;
use crate::handlers::commands::{EDIT_LAUNCH, PICK_LAUNCH, SELECT_LAUNCH, TRY_STATEMENT};
use crate::handlers::ptxas;

/// The most lenses above a kernel in the extension: a window of 1,024 pixels with a side bar shows them all.
const MOST_LENSES: usize = 5;

pub(crate) fn lenses(snapshot: &Snapshot) -> NullableAnswer<Vec<CodeLens>> {
    let lens = |lens: Lens| {
        let (range, rank) = (snapshot.range(lens.range), lens.rank);
        (rank, CodeLens { range, command: Some(command(snapshot, lens)), data: None })
    };
    let mut lenses: Vec<_> = launches(snapshot)?.into_iter().map(lens).collect();
    let rank = LensRank::MachineCode;
    lenses.extend(ptxas::lenses::lenses(snapshot)?.into_iter().map(|lens| (rank, lens)));
    let summaries = snapshot.analysis.summaries(snapshot.file)?.into_iter();
    lenses.extend(summaries.map(|(range, title)| lens(Lens { range, title, click: Click::Nothing, rank })));
    lenses.extend(
        snapshot
            .analysis
            .try_lenses(snapshot.file)
            .into_iter()
            .map(|it| (LensRank::Run, try_lens(snapshot, it))),
    );
    if snapshot.capabilities.extension_lenses {
        keep_first(&mut lenses);
    }
    Ok(Some(lenses.into_iter().map(|(_, lens)| lens).collect()))
}

/// The lens that runs a statement of inline PTX.
fn try_lens(snapshot: &Snapshot, TryLens { range, title }: TryLens) -> CodeLens {
    let range = snapshot.range(range);
    let argument = json!({ "uri": snapshot.uri.as_str(), "position": range.start });
    let command = Command { title, command: TRY_STATEMENT.into(), arguments: Some(vec![argument]) };
    CodeLens { range, command: Some(command), data: None }
}

/// Keeps at most `MOST_LENSES` above each kernel, by their rank.
fn keep_first(lenses: &mut Vec<(LensRank, CodeLens)>) {
    lenses.sort_by_key(|(rank, lens)| (lens.range.start, *rank));
    let (mut kernel, mut above) = (None, 0);
    lenses.retain(|(_, lens)| {
        above = if kernel == Some(lens.range.start) { above + 1 } else { 1 };
        kernel = Some(lens.range.start);
        above <= MOST_LENSES
    });
}

/// The lenses of the launches of each kernel.
pub(super) fn launches(snapshot: &Snapshot) -> Result<Vec<Lens>, Failure> {
    // An unreadable launch file has no lenses. Running a launch reports the error.
    let files = readable_launch_files(snapshot)?;
    let style = if snapshot.capabilities.extension_lenses { LensStyle::Extension } else { LensStyle::Plain };
    let lanes = snapshot.lanes();
    let shown = lanes.as_ref().map(|lanes| &*lanes.shown);
    Ok(snapshot.analysis.lenses(snapshot.file, Some(&files), shown, style)?)
}

/// The lenses of launches that are not in the launch file.
pub(super) fn inferred(snapshot: &Snapshot) -> Result<Vec<Lens>, Failure> {
    Ok(snapshot.analysis.lenses(snapshot.file, None, None, LensStyle::Plain)?)
}

/// The command of the extension that goes to a part of the shown run, and its arguments.
fn target_command(target: LensTarget) -> (&'static str, Vec<Value>) {
    match target {
        LensTarget::Divergence => ("warplens.nextDivergence", vec![]),
        LensTarget::Finding => ("warplens.nextFinding", vec![]),
        LensTarget::Unexpected => ("warplens.showUnexpected", vec![]),
        LensTarget::Warp => ("warplens.pickWarp", vec![]),
        LensTarget::Panel => ("warplens.showPanel", vec![]),
        LensTarget::Output => ("warplens.showPanel", vec![json!("output")]),
    }
}

pub(super) fn command(snapshot: &Snapshot, lens: Lens) -> Command {
    let uri = snapshot.uri.as_str();
    let (command, arguments) = match lens.click {
        Click::Select { entry, launch } => {
            (SELECT_LAUNCH, vec![json!({ "uri": uri, "entry": entry, "launch": launch })])
        }
        Click::Stop => (SELECT_LAUNCH, vec![json!({ "uri": uri, "launch": null })]),
        Click::Pick { entry } => (PICK_LAUNCH, vec![json!(uri), json!(entry)]),
        Click::Edit { entry } => (EDIT_LAUNCH, vec![json!(uri), json!(entry)]),
        Click::GoTo(target) => target_command(target),
        Click::Nothing => ("", vec![]),
    };
    Command { title: lens.title, command: command.into(), arguments: Some(arguments) }
}
