//! Runs with all checks enabled, and their findings.

use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, Program, run};
use warplens_sim_warp::{Checks, Control, RunOptions, RunResult};

use super::{Source, kernel};

/// Runs kernel `k` of a text with all checks enabled, in a cooperative launch. The buffer `out` has 4096 bytes.
pub(crate) fn watched(text: &str, grid: u32, block: u32) -> (Source, Program, RunResult) {
    watched_under(text, grid, block, Model::Stack)
}

fn watched_under(text: &str, grid: u32, block: u32, model: Model) -> (Source, Program, RunResult) {
    let source = Source::new(text);
    let program = source.program("k");
    let mut config = launch_config([grid, 1, 1], [block, 1, 1]);
    config.shared_memory = 4096;
    let out = config.memory.allocate("out", 4096).expect("space");
    config.params = out.to_le_bytes().to_vec();
    config.workspace = Some(out);
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = run(&program, config, model, &options, Control::none()).expect("not cancelled");
    (source, program, result)
}

/// The findings of a body, each with its line and the related line. `%r1` is the thread, `%r2` the block, `%rd1` the buffer,
/// `%rd2` the thread's word in the buffer, and `%r3` the thread's word in `tile`.
pub(crate) fn findings(target: &str, grid: u32, block: u32, body: &str) -> String {
    findings_of(target, grid, block, body, Model::Stack)
}

/// Like [`findings`], under any divergence model.
pub(crate) fn findings_of(target: &str, grid: u32, block: u32, body: &str, model: Model) -> String {
    let text = kernel(&format!(
        ".shared .align 16 .b8 tile[4096];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nshl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\n\
         add.u32 %r3, %r3, %r4;\n{body}"
    ))
    .replace("sm_90", target);
    rendered(&text, &watched_under(&text, grid, block, model))
}

/// The findings of an entire text that one warp runs.
pub(crate) fn findings_of_text(text: &str) -> String {
    rendered(text, &watched(text, 1, 32))
}

fn rendered(text: &str, (source, program, result): &(Source, Program, RunResult)) -> String {
    let line =
        |statement| text.lines().nth(source.line(program, statement)).unwrap_or_default().trim().to_owned();
    let mut out = String::new();
    for finding in &result.findings {
        let at = finding.statement.map(line).unwrap_or_default();
        out += &format!(
            "{} {} warp {} lanes {:08x}: {at}\n",
            finding.severity.as_str(),
            finding.kind,
            finding.warp,
            finding.lanes
        );
        out += &format!("  {}\n", finding.message.replace('\n', "\n  "));
        for related in &finding.related {
            out += &format!("  {}: {}\n", related.message, line(related.statement));
        }
    }
    assert_eq!(result.status.as_str(), "finished", "{out}");
    out
}
