//! The hover of a statement after a run.

use std::sync::Arc;

use text_size::TextSize;
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{RunRequest, hover};
use warplens_sim_warp::{Control, RunOptions, TraceRequest, WarpId};

use crate::findings_of_launch::kernel;

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
    let values = prepared.trace_warp(look, Control::none()).unwrap();
    let result = Arc::new(prepared.run(Control::none()).unwrap());
    assert!(result.findings.is_empty(), "{:?}", result.findings);
    let shown = prepared.show(result, Some(warp)).with_values(values.map(Arc::new), None);
    let at = TextSize::try_from(text.find(place).unwrap()).unwrap();
    let line_of = |offset: TextSize| text[..offset.into()].matches('\n').count() as u32;
    hover(&shown, at, word, &line_of).unwrap().markdown
}

#[test]
fn costs_are_those_of_the_warp_and_of_all_warps() {
    let text = |threads: u32| {
        let launch = format!("block = [{threads}], args = [{{ buffer = 'u32', len = {} }}]", threads * 8);
        let body = "ld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 32;\nadd.u64 %rd3, %rd1, %rd2;\n\
                    st.global.u32 [%rd3], %r1;\nret;";
        kernel("sm_90", &launch, ".param .u64 x", body)
    };
    let hover = |threads: u32| {
        let options = RunOptions { counters: true, ..RunOptions::default() };
        after_run(&text(threads), "st.global", "st", options)
    };
    let one = "Global memory: 1 request, 32 sectors of 32 bytes, ideal 4";
    let four = "All warps, 4 visits: Active lanes: 100%. Global memory: 4 requests, 128 sectors of 32 bytes, ideal 16";
    assert!(hover(128).contains(one) && hover(128).contains(four), "{}", hover(128));
    assert!(hover(32).contains(one) && !hover(32).contains("All warps"), "{}", hover(32));
}
