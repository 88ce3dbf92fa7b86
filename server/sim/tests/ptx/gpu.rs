//! The simulator against recordings of a GPU, and the kernels that are recorded against the simulator's own trace.
//!
//! `tests/gpu/record.py` runs the launches on a device and writes a recording into `tests/fixtures/gpu`. Without a recording
//! the probes run too: their log of `activemask` must agree with the trace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::case::Case;
use crate::common::{Source, words};
use crate::support::{hex, shared};
use serde_json::Value;
use warplens_sim::ptx::{Model, launch_config, run};
use warplens_sim::{Control, RunOptions, RunResult, Status};

/// Bytes of a probe's log, as the recorder gives it: a count, then entries of a point and a mask.
const LOG_BYTES: u64 = 8 + 8 * 511;

/// A point of a probe, and the lanes of a group that reached it.
type Entry = (u32, u32);

/// A kernel that logs which lanes reach which point.
struct LaneProbe {
    name: String,
    text: String,
}

impl LaneProbe {
    fn all() -> Vec<LaneProbe> {
        let folder = project().join("tests/gpu/probes");
        let mut probes: Vec<_> = files(&folder, "ptx")
            .into_iter()
            .map(|path| LaneProbe {
                name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
                text: fs::read_to_string(path).expect("readable"),
            })
            .collect();
        probes.sort_by(|a, b| a.name.cmp(&b.name));
        probes
    }

    /// Runs it for one warp; returns its log, and the same data from the trace.
    fn run(&self, model: Model) -> (Vec<Entry>, Vec<Entry>) {
        let source = Source::new(&self.text);
        let program = source.program(&self.name);
        let mut config = launch_config([1, 1, 1], [32, 1, 1]);
        let log = config.memory.allocate("log", LOG_BYTES).expect("space");
        config.params = log.to_le_bytes().to_vec();
        let result =
            run(&program, config, model, &RunOptions::default(), Control::none()).expect("not cancelled");
        assert_eq!(result.status, Status::Finished, "{}: {:?}", self.name, result.findings);
        let written = entries(result.memory.bytes(log, LOG_BYTES).expect("the log"));
        (written, self.traced(&source, &program, &result))
    }

    /// The visits of the lines that are points (`/* 3 */ …`), by point.
    fn traced(
        &self,
        source: &Source,
        program: &warplens_sim::ptx::Program,
        result: &RunResult,
    ) -> Vec<Entry> {
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
        entries
    }
}

/// The entries of a log, by point; those of one point in the order in which they were written.
fn entries(log: &[u8]) -> Vec<Entry> {
    let words = words(log);
    let count = words[0] as usize;
    let mut entries: Vec<Entry> =
        words[2..].chunks_exact(2).take(count).map(|entry| (entry[0], entry[1])).collect();
    entries.sort_by_key(|(point, _)| *point);
    entries
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let paths = listing.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
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

#[test]
fn recorded_devices_agree() {
    let recordings = files(&project().join("tests/fixtures/gpu"), "json");
    if recordings.is_empty() {
        eprintln!("skipped: nothing was recorded on a GPU yet (tests/gpu/record.py)");
    }
    let mut wrong = Vec::new();
    for path in &recordings {
        let recording: Value =
            serde_json::from_str(&fs::read_to_string(path).expect("readable")).expect("JSON");
        eprintln!("{}", recording["device"].as_str().expect("a name"));
        compare_probes(&recording["launches"], &mut wrong);
        compare_cases(&recording["launches"], &mut wrong);
    }
    assert!(wrong.is_empty(), "{} launches differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The bytes of a recorded launch's buffers, unless the device did not run it.
fn recorded(launches: &Value, name: &str) -> Option<Vec<Vec<u8>>> {
    let buffers = launches[name]["buffers"].as_array()?;
    Some(buffers.iter().map(|bytes| hex(bytes.as_str().expect("bytes"))).collect())
}

fn compare_probes(launches: &Value, wrong: &mut Vec<String>) {
    for probe in LaneProbe::all() {
        let Some(buffers) = recorded(launches, &format!("probe/{}", probe.name)) else { continue };
        let (device, (ours, _)) = (entries(&buffers[0]), probe.run(Model::default()));
        if device != ours {
            wrong.push(format!("{}: the device reached to {device:x?}, `stack` to {ours:x?}", probe.name));
        }
    }
}

fn compare_cases(launches: &Value, wrong: &mut Vec<String>) {
    let Some(root) = shared("corpus/ptx-exec") else {
        eprintln!("skipped: the cases are not here");
        return;
    };
    let cases = fs::read_to_string(root.join("cases.json")).expect("readable");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    for case in cases.iter().map(Case::new) {
        let Some(device) = recorded(launches, case.id()) else { continue };
        let text = fs::read_to_string(root.join(case.path())).expect("readable");
        match case.run(&text, Model::default()) {
            Ok(outcome) if outcome.buffers().eq(device.iter().map(Vec::as_slice)) => {}
            Ok(_) => wrong.push(format!("{}: other bytes than the device's", case.id())),
            Err(error) => wrong.push(format!("{}: {error}", case.id())),
        }
    }
}
