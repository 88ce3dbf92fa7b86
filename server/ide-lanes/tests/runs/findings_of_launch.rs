//! Runs the launch in a comment of a PTX text, for tests about findings.

use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{Prepared, Reporter, RunRequest};
use warplens_sim_warp::{Checks, Control, RunOptions, RunResult};

/// The first launch of a text, and its run.
pub(crate) fn run(text: &str) -> (Prepared, RunResult) {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest::first(RunOptions { checks: Checks::ALL, ..RunOptions::default() });
    let prepared = host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.expect("it is not cancelled").expect("the launch fits the kernel");
    let result = prepared.run(Control::none()).expect("it is not cancelled");
    (prepared, result)
}

/// The findings of the first launch: severity, code, the statement, and the first line of the message.
pub(crate) fn findings(text: &str) -> String {
    let (prepared, result) = run(text);
    let reporter = Reporter::new(&prepared.resolved, prepared.width());
    let found = reporter.findings(&result, None, &|_| None);
    let line = |reported: &warplens_ide_lanes::ReportedFinding<'_>| {
        let finding = reported.finding;
        let at = finding.statement.and_then(|statement| prepared.statements.get(statement.index()));
        let statement = at.map(|at| {
            let rest = &text[usize::from(at.opcode.start())..];
            rest.split(';').next().unwrap_or_default()
        });
        let title = reported.message().lines().next().unwrap_or_default().to_owned();
        format!(
            "{}[{}] {}: {title}\n",
            finding.severity.as_str(),
            finding.kind.name(),
            statement.unwrap_or("launch")
        )
    };
    found.iter().map(line).collect()
}

/// A module with one kernel.
pub(crate) fn kernel(target: &str, launch: &str, parameters: &str, body: &str) -> String {
    format!(
        ".version 8.7\n.target {target}\n.address_size 64\n// @launch {{ {launch} }}\n\
         .visible .entry k({parameters})\n{{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<20>;\n\
         {body}\n}}\n"
    )
}
