//! A recording against runs from the start: the same registers and the same memory before each step, the same masks as the run.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warplens_ide::{AnalysisHost, FileId, Language};
use warplens_ide_lanes::{Choice, Prepared, Replay, RunRequest};
use warplens_sim_warp::recording::{Access, Event, Space, State, Write};
use warplens_sim_warp::{Control, Limits, Mask, RunOptions, RunResult, StatementId, WarpId};
use warplens_syntax::{ptx, sass, wave};
use warplens_test_support::{corpora, sample};

const FILE: FileId = FileId(0);
/// Longer launches take long to run from the start for each position.
const MAX_STEPS: u64 = 4000;
const POSITIONS: u64 = 8;

fn prepare(language: Language, text: &str, model: &str) -> Option<Prepared> {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    let model = warplens_ide::model(language, model).ok();
    let limits = Limits { max_steps: MAX_STEPS, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let request = RunRequest { model, launch: Choice::First, ..RunRequest::first(options) };
    host.snapshot()
        .prepare_run(FILE, &request, None, &|_| Err("no files".into()))
        .expect("not cancelled")
        .ok()
}

fn run(prepared: &Prepared, options: &RunOptions) -> RunResult {
    let config = prepared.resolved.start(&|| false).expect("not cancelled");
    prepared.program.trace(config, options, Control::none()).expect("not cancelled")
}

/// The run from the start to a position.
fn run_to(prepared: &Prepared, step: u64) -> RunResult {
    let limits = Limits { max_steps: step, ..Limits::default() };
    run(prepared, &RunOptions { registers: true, limits, ends_at_fault: true, ..RunOptions::default() })
}

/// What differs between a state and the end of a run to its position.
fn difference(replay: &Replay, state: &State, result: &RunResult) -> Option<String> {
    for warp in &result.warps {
        let id = WarpId { cta: warp.cta, warp: warp.warp };
        let number = replay.number(id);
        for register in warp.registers.iter().flatten() {
            let Some(cell) = replay.layout().find(0, &register.name) else { continue };
            if replay.layout().get(cell).bits != register.bits {
                continue;
            }
            for (lane, expected) in (0..).zip(&register.lanes) {
                let found = state.cell(number, cell).and_then(|value| value.of(lane));
                // The registers of WAVE start as zeros.
                if found.or(Some(0)) != expected.or(Some(0)) {
                    let name = &register.name;
                    return Some(format!("{id:?} {name} lane {lane}: {found:x?}, expected {expected:x?}"));
                }
            }
        }
    }
    let initial = replay.prepared.resolved.start(&|| false).expect("not cancelled").memory;
    for buffer in result.memory.buffers() {
        let (before, after) =
            (initial.bytes(buffer.address, buffer.len), result.memory.bytes(buffer.address, buffer.len));
        let (Some(before), Some(after)) = (before, after) else { continue };
        for (address, (before, after)) in (buffer.address..).zip(before.iter().zip(after)) {
            let found = state.byte(Space::Global, 0, address).unwrap_or(*before);
            if found != *after {
                return Some(format!("byte {address:#x}: {found:x}, expected {after:x}"));
            }
        }
    }
    None
}

/// An event with everything that it did.
#[derive(Debug, PartialEq)]
struct Recorded {
    step: u64,
    is_late: bool,
    warp: u32,
    statement: StatementId,
    active: Mask,
    executed: Mask,
    writes: Vec<Write>,
    accesses: Vec<Access>,
}

fn events(replay: &mut Replay) -> Vec<Recorded> {
    let mut events = Vec::new();
    let _: Option<()> = replay
        .forward(0, Control::none(), false, |event, _| {
            let Event { step, is_late, warp, statement, active, executed, .. } = *event;
            let (writes, accesses) = (event.writes(), event.accesses());
            events.push(Recorded { step, is_late, warp, statement, active, executed, writes, accesses });
            ControlFlow::Continue(())
        })
        .expect("not cancelled");
    events
}

/// Compares a recording with runs from the start; returns the number of compared positions.
fn check(prepared: Prepared, what: &str) -> u64 {
    let result =
        Arc::new(run(&prepared, &RunOptions { limits: prepared.options.limits, ..RunOptions::default() }));
    let steps = result.totals.warp_instructions;
    if steps > MAX_STEPS {
        return 0;
    }
    let new = || Replay::new(prepared.clone(), Arc::clone(&result), 64 << 20);
    let (mut whole, mut replay) = (new(), new().in_windows_of((steps / 3).max(100)));
    let (events, in_windows) = (events(&mut whole), events(&mut replay));
    assert_eq!(in_windows.len(), events.len(), "{what}: events in windows");
    for (found, expected) in in_windows.iter().zip(&events) {
        assert_eq!(found, expected, "{what}: an event in windows");
    }
    let steps_of_events = events.iter().filter(|event| !event.is_late);
    assert_eq!(steps_of_events.clone().count() as u64, steps, "{what}: steps");
    let visits: Vec<(u32, StatementId, Mask, Mask)> =
        steps_of_events.map(|event| (event.warp, event.statement, event.active, event.executed)).collect();
    for warp in &result.warps {
        let number = replay.number(WarpId { cta: warp.cta, warp: warp.warp });
        for line in warp.lines.iter().filter(|line| !line.truncated) {
            let here = visits.iter().filter(|visit| (visit.0, visit.1) == (number, line.statement));
            let found: Vec<_> = here.map(|visit| (visit.2, visit.3)).collect();
            let folded = line.visits.iter();
            let expected: Vec<_> = folded
                .flat_map(|visit| std::iter::repeat_n((visit.active, visit.executed), visit.repeat as usize))
                .collect();
            assert_eq!(found, expected, "{what}: masks of {:?}", line.statement);
        }
    }
    let mut compared = 0;
    for number in 0..=POSITIONS.min(steps) {
        // Positions in both directions, and both ends.
        let step = if number % 2 == 0 {
            number * steps / POSITIONS.max(1)
        } else {
            steps - number * steps / POSITIONS
        };
        let expected = run_to(&replay.prepared, step);
        if expected.totals.warp_instructions != step {
            // Expensive statements are charged as several steps, so that the limit is reached earlier.
            continue;
        }
        let state = replay.state(step, Control::none()).expect("not cancelled");
        if let Some(difference) = difference(&replay, &state, &expected) {
            panic!("{what}, before step {step} of {steps}: {difference}");
        }
        compared += 1;
    }
    compared
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let each = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => {
            Some(path).filter(|path| path.extension().is_some_and(|it| it == extension)).into_iter().collect()
        }
    };
    paths.into_iter().flat_map(each).collect()
}

fn check_folder(language: Language, folder: &str, extension: &str, models: &[&str]) {
    let mut compared = 0;
    let all: Vec<_> = corpora(folder).iter().flat_map(|folder| files(folder, extension)).collect();
    let every = if std::env::var_os("WARPLENS_REPLAY_ALL").is_some() { 1 } else { (all.len() / 10).max(1) };
    for file in all.iter().step_by(every) {
        let text = std::fs::read_to_string(file).expect("it can be read");
        for model in models {
            let Some(prepared) = prepare(language, &text, model) else { continue };
            compared += check(prepared, &format!("{} under {model}", file.display()));
        }
    }
    assert!(compared > 50, "{folder}: only {compared} positions");
}

const PTX_MODELS: [&str; 4] = ["stack", "ipdom", "frontier", "its"];

#[test]
fn ptx_equals_runs_from_the_start() {
    check_folder(ptx::LANGUAGE, "ptx-exec/kernels", "ptx", &PTX_MODELS);
}

#[test]
fn sass_equals_runs_from_the_start() {
    check_folder(sass::LANGUAGE, "sass-exec/sass", "sass", &["barriers", "tokens"]);
}

#[test]
fn wave_equals_runs_from_the_start() {
    check_folder(wave::LANGUAGE, "wave", "wave", &["structured", "wave-emu"]);
}

#[test]
fn a_small_window_gives_every_position() {
    let text = std::fs::read_to_string(sample("ptx-exec/kernels/collatz.ptx")).expect("it can be read");
    let prepared = prepare(ptx::LANGUAGE, &text, "stack").expect("it can run");
    let result = Arc::new(run(&prepared, &RunOptions::default()));
    let steps = result.totals.warp_instructions;
    let new = |bytes| Replay::new(prepared.clone(), Arc::clone(&result), bytes).in_windows_of(5000);
    let (mut whole, mut small) = (new(64 << 20), new(1));
    for step in [steps, 0, steps / 2, steps / 3, steps - 1, 1, steps / 2 + 1] {
        let at = |replay: &mut Replay| replay.state(step, Control::none()).expect("not cancelled");
        let (whole, small, result) = (at(&mut whole), at(&mut small), run_to(&prepared, step));
        let replay = new(1);
        assert_eq!(difference(&replay, &whole, &result), None, "step {step}");
        assert_eq!(difference(&replay, &small, &result), None, "step {step}");
    }
}
