//! Runs kernels and checks what their lanes do.

mod any_program;
mod atomics;
mod control;
mod formats;
mod groups;
mod reconvergences;
mod sanitizer;
mod values;
mod wave_ops;

use std::fmt::Write;

use expect_test::Expect;
use warplens_hir::wave as hir;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::trace::{Control, Limits, RunOptions, RunResult, WarpTrace};
use warplens_syntax::parse_file;

use super::{Program, decode, device_memory, launch_config, run};

fn program(text: &str) -> (Program, hir::Code) {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    assert!(file.errors().is_empty(), "{:?}", file.errors());
    let items = file.items();
    let code = items.map(hir::lower).find(|code| code.kernel.is_some()).expect("a kernel");
    (decode(&code), code)
}

fn options() -> RunOptions {
    RunOptions { registers: true, ..RunOptions::default() }
}

fn launch_text(text: &str, launch: LaunchConfig, options: &RunOptions) -> (RunResult, hir::Code) {
    let (program, code) = program(text);
    let launch = LaunchConfig { block: program.workgroup_size.unwrap_or(launch.block), ..launch };
    (run(&program, launch, options, Control::none()).expect("not cancelled"), code)
}

/// Runs statements in one wave; `halt` is appended.
fn run_wave(statements: &str, width: u32) -> (RunResult, String) {
    let text = format!(".kernel k\n{statements}\nhalt\n.end\n");
    let (result, code) = launch_text(&text, launch_config([1; 3], [width, 1, 1], width), &options());
    let listing = listing(&text, &code, &result, &result.warps[0]);
    (result, listing)
}

/// Each instruction that was reached, with its visits: the active lanes, and after a slash the executing
/// lanes if they differ.
fn listing(text: &str, code: &hir::Code, result: &RunResult, warp: &WarpTrace) -> String {
    let mut out = String::new();
    for line in &warp.lines {
        let instruction = &code.instructions[line.statement.index()];
        write!(out, "{:24}", text[instruction.range].trim()).expect("a string takes text");
        for visit in line.visits.iter() {
            write!(out, " {:x}", visit.active).expect("a string takes text");
            if visit.executed != visit.active {
                write!(out, "/{:x}", visit.executed).expect("a string takes text");
            }
            if visit.repeat > 1 {
                write!(out, "*{}", visit.repeat).expect("a string takes text");
            }
        }
        out.push('\n');
    }
    out + &ending(text, code, result)
}

fn ending(text: &str, code: &hir::Code, result: &RunResult) -> String {
    let mut out = format!("{}\n", result.status.as_str());
    for finding in &result.findings {
        let place = finding.statement.and_then(|statement| code.instructions.get(statement.index()));
        let place = place.map_or("", |instruction| text[instruction.range].trim());
        let (code, lanes, message) = (finding.kind, finding.lanes, &finding.message);
        writeln!(out, "{code} at `{place}`, lanes {lanes:x}: {message}").expect("a string takes text");
    }
    out
}

/// Checks the masks of statements run by one wave.
fn check_lanes(statements: &str, width: u32, expected: Expect) {
    expected.assert_eq(&run_wave(statements, width).1);
}

/// The final values of a register.
fn register(result: &RunResult, warp: usize, name: &str) -> Vec<u32> {
    let registers = result.warps[warp].registers.as_ref().expect("registers were asked for");
    let register = registers.iter().find(|register| register.name == name).expect("the register is there");
    register.lanes.iter().map(|value| value.map_or(u32::MAX, |value| value as u32)).collect()
}

/// The value that statements leave in `r1` of lane 0.
fn value(statements: &str) -> u32 {
    let (result, listing) = run_wave(statements, 4);
    assert_eq!(result.status, warplens_sim_warp::Status::Finished, "{listing}");
    register(&result, 0, "r1")[0]
}

fn device_words(result: &RunResult, count: usize) -> Vec<u32> {
    let bytes = result.memory.bytes(0, 4 * count as u64).expect("the memory is that large");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn limited(max_steps: u64) -> RunOptions {
    RunOptions { limits: Limits { max_steps, ..Limits::default() }, ..options() }
}

/// The tables say which instructions the simulator runs: the example of every entry runs, or is refused,
/// accordingly.
#[test]
fn the_tables_know_what_is_simulated() {
    use super::op::{Action, Control};
    for entry in warplens_isa::wave::instructions() {
        for example in [entry.example, entry.toolchain_example] {
            if matches!(entry.category.id, "control") || example.is_empty() {
                continue;
            }
            let text = format!(".kernel k\n.registers 64\n{example}\nhalt\n.end");
            let (program, code) = program(&text);
            let refused =
                program.ops.iter().any(|op| matches!(op.action, Action::Control(Control::Refused { .. })));
            let simulated = !matches!(entry.simulation, warplens_isa::Simulation::Unsupported(_));
            assert_eq!(refused, !simulated, "{example}: {:?}, {:?}", program.refusals, code.problems);
        }
    }
}
