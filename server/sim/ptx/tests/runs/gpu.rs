//! Compares the simulator with recordings of a GPU, and the recorded kernels with the simulator's own trace.
//!
//! `tests/gpu/record.py` runs the launches on a device and writes a recording to `tests/fixtures/gpu`. The probes also run
//! without a recording: their log of `activemask` must agree with the trace.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;

use crate::common::Source;
use crate::common::case::Case;
use crate::exec::BEYOND_THE_TEXT;
use expect_test::expect;
use serde_json::Value;
use warplens_cases::recording::{Entry, LOG_BYTES, Recording, entries, files, stem};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions, RunResult, Status};
use warplens_test_support::shared;

/// The corpora whose cases are recorded.
pub(crate) const CASES: [&str; 2] = ["corpus/ptx-exec", "corpus/sass-exec"];

/// Cases with approximate results, which the simulator rounds correctly but a device does not.
pub(crate) const APPROXIMATE: &[&str] = &["mufu_exact"];

/// A kernel that logs which lanes reach which point.
struct LaneProbe {
    name: String,
    text: String,
}

impl LaneProbe {
    fn all() -> Vec<LaneProbe> {
        let probe = |path: std::path::PathBuf| LaneProbe {
            name: stem(&path).to_owned(),
            text: fs::read_to_string(path).expect("readable"),
        };
        files("tests/gpu/probes", "ptx").into_iter().map(probe).collect()
    }

    /// Runs the probe with one warp; returns its log, and the same data from the trace.
    fn run(&self, model: Model) -> (Vec<Entry>, Vec<Entry>) {
        let source = Source::new(&self.text);
        let program = source.program(&self.name);
        let mut config = launch_config([1, 1, 1], [32, 1, 1]);
        let log = config.memory.allocate("log", LOG_BYTES).expect("space");
        config.params = log.to_le_bytes().to_vec();
        let result =
            run(&program, config, model, &RunOptions::default(), Control::none()).expect("not cancelled");
        assert_eq!(result.status, Status::Finished, "{}: {:?}", self.name, result.findings);
        let written = by_point(entries(result.memory.bytes(log, LOG_BYTES).expect("the log")));
        (written, self.traced(&source, &program, &result))
    }

    /// The visits of the lines that are points (`/* 3 */ …`), by point.
    fn traced(&self, source: &Source, program: &warplens_sim_ptx::Program, result: &RunResult) -> Vec<Entry> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut entries = Vec::new();
        let mut seen = None;
        for line in &result.warps[0].lines {
            let number = source.line(program, line.statement);
            let point =
                lines[number].trim_start().strip_prefix("/* ").and_then(|rest| rest.split(' ').next());
            // The first statement of the line represents the others.
            if let Some(point) = point.filter(|_| seen.replace(number) != Some(number)) {
                let point = point.parse().expect("a number");
                let visits = line.visits.iter();
                entries.extend(visits.flat_map(|visit| {
                    std::iter::repeat_n((point, visit.active as u32), visit.repeat as usize)
                }));
            }
        }
        by_point(entries)
    }
}

/// Sorts the entries by point. Entries of one point keep the order in which they were written.
fn by_point(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|(point, _)| *point);
    entries
}

#[test]
fn the_log_of_a_probe_equals_its_trace() {
    let probes = LaneProbe::all();
    assert!(!probes.is_empty());
    for probe in &probes {
        for model in Model::ALL {
            let (written, traced) = probe.run(model);
            assert_eq!(written, traced, "{} under {}", probe.name, model.name());
        }
    }
}

/// The models under which a probe logs the same as a device. ptxas decides where paths reconverge: earlier than `stack` at
/// the entry into one side of a branch, and nowhere in an irreducible loop.
#[test]
fn models_that_agree_with_a_device() {
    let mut text = String::new();
    for recording in Recording::all() {
        let _ = writeln!(text, "{}", recording.device());
        for probe in LaneProbe::all() {
            let device = by_point(recording.probe(&probe.name));
            let models = Model::ALL.into_iter().filter(|model| probe.run(*model).0 == device);
            let models: Vec<_> = models.map(Model::name).collect();
            let models = if models.is_empty() { "none".to_owned() } else { models.join(" ") };
            let _ = writeln!(text, "  {}: {models}", probe.name);
        }
    }
    expect![[r#"
        NVIDIA H200
          break_out_of_two_loops: frontier
          calls_in_branches: none
          exit_in_branch: stack frontier its
          exit_in_loop: stack ipdom frontier its
          fall_through: stack ipdom its
          if_and: stack frontier its
          if_else: stack ipdom frontier its
          if_or: stack frontier its
          indirect_branch: frontier
          indirect_calls: stack ipdom frontier its
          irreducible: none
          loop: stack ipdom frontier its
          loop_with_break: stack frontier
          loop_with_continue: stack ipdom frontier its
          nested: stack ipdom frontier its
          nested_loops: stack ipdom frontier its
          recursion: none
          side_entry: frontier
          warp_barriers: stack ipdom frontier its
    "#]]
    .assert_eq(&text);
}

#[test]
fn cases_leave_the_bytes_that_a_device_leaves() {
    let mut wrong = Vec::new();
    for recording in Recording::all() {
        let compared: usize = CASES.iter().map(|folder| compare_cases(folder, &recording, &mut wrong)).sum();
        eprintln!("{}: {compared} cases", recording.device());
    }
    assert!(wrong.is_empty(), "{} launches differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Compares the PTX of the cases in a folder of the corpora; returns how many were recorded.
fn compare_cases(folder: &str, recording: &Recording, wrong: &mut Vec<String>) -> usize {
    let Some(root) = shared(folder) else { return 0 };
    let cases = fs::read_to_string(root.join("cases.json")).expect("readable");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    let mut compared = HashSet::new();
    for case in cases.iter().filter(|case| case["ptx"].is_string()).map(Case::new) {
        let name = case.recorded_name();
        let is_known = APPROXIMATE.contains(&name) || BEYOND_THE_TEXT.contains(&case.path());
        let Some(device) = recording.buffers(name).filter(|_| !is_known && compared.insert(name)) else {
            continue;
        };
        let text = fs::read_to_string(root.join(case.path())).expect("readable");
        let same =
            |ours: &[u8], device: &Option<Vec<u8>>| device.as_ref().is_none_or(|device| device == ours);
        match case.run(&text, Model::default()) {
            Ok(outcome) if outcome.buffers().zip(&device).all(|(ours, device)| same(ours, device)) => {}
            Ok(_) => wrong.push(format!("{name}: other bytes than the device's")),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    compared.len()
}
