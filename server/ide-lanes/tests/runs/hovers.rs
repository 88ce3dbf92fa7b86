//! The hover of a statement after a run.

use std::sync::Arc;

use text_size::TextSize;
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{RunRequest, hover};
use warplens_sim_warp::{Control, RunOptions, TraceRequest, WarpId};

/// Runs the first launch of `text`, which has no findings; the hover of `word` at the first `place`, in the first warp.
pub(crate) fn after_run(text: &str, place: &str, word: &str, options: RunOptions) -> String {
    after_run_of(0, text, place, word, options)
}

/// The same in a warp of the first block.
pub(crate) fn after_run_of(warp: u32, text: &str, place: &str, word: &str, options: RunOptions) -> String {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest::first(options);
    let prepared = host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.unwrap().unwrap();
    let warp = WarpId { cta: [0; 3], warp };
    let look = TraceRequest::at(warp);
    let values = prepared.look(look, Control::none()).unwrap();
    let result = Arc::new(prepared.run(Control::none()).unwrap());
    assert!(result.findings.is_empty(), "{:?}", result.findings);
    let shown = prepared.show(result, Some(warp)).with_values(values.map(Arc::new), None);
    let at = TextSize::try_from(text.find(place).unwrap()).unwrap();
    let line_of = |offset: TextSize| text[..offset.into()].matches('\n').count() as u32;
    hover(&shown, at, word, &line_of).unwrap().markdown
}
