//! Listings with known results: buffers, lanes and visits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use warplens_cases::{element_size, hex};
use warplens_sim_sass::Program;
use warplens_sim_warp::{Checks, LaunchConfig, Limits, RunOptions, RunResult, Schedule, Status, WarpTrace};
use warplens_test_support::corpora;

struct Case<'a>(&'a Value);

impl Case<'_> {
    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    fn extents(&self, key: &str) -> [u32; 3] {
        std::array::from_fn(|axis| self.0[key][axis].as_u64().expect("a number") as u32)
    }

    fn list(&self, key: &str) -> &[Value] {
        self.0[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// The launch, and the address and length of each buffer.
    fn launch(&self, program: &Program) -> (LaunchConfig, Vec<Option<(u64, u64)>>) {
        let address_bytes = self.0["address_size"].as_u64().unwrap_or(64) / 8;
        let mut config = warplens_sim_sass::launch_config(
            program.target,
            address_bytes,
            self.extents("grid"),
            self.extents("block"),
        );
        config.shared_memory = self.0["dynamic_shared_bytes"].as_u64().unwrap_or(0) as u32;
        let base = program.target.launch_constants().params;
        let mut buffers = Vec::new();
        for (index, parameter) in self.list("params").iter().enumerate() {
            let (bytes, align) = if parameter["kind"] == "buffer" {
                let size = element_size(parameter["type"].as_str().expect("a type"));
                let len = parameter["count"].as_u64().expect("a count") * size;
                let mut contents = parameter["init_hex"].as_str().map(hex).unwrap_or_default();
                contents.resize(len as usize, 0);
                let address = config.memory.allocate_with(&format!("p{index}"), &contents).expect("space");
                buffers.push(Some((address, len)));
                (address.to_le_bytes()[..address_bytes as usize].to_vec(), address_bytes as usize)
            } else {
                let bytes = hex(parameter["hex"].as_str().expect("bytes"));
                buffers.push(None);
                let align = if parameter["type"] == "b8" { 8 } else { bytes.len() };
                (bytes, align)
            };
            let stated = program.params.get(index).map(|(offset, _)| (offset - base) as usize);
            let at = stated.unwrap_or(config.params.len().next_multiple_of(align.max(1)));
            config.params.resize(config.params.len().max(at + bytes.len()), 0);
            config.params[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        (config, buffers)
    }
}

fn is_nan(ty: &str, bits: u64) -> bool {
    match ty {
        "f32" => f32::from_bits(bits as u32).is_nan(),
        "f64" => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

fn check_buffers(case: &Case<'_>, result: &RunResult, buffers: &[Option<(u64, u64)>]) -> Result<(), String> {
    for expect in case.list("expect") {
        let index = expect["param"].as_u64().expect("a parameter") as usize;
        let (address, len) = buffers[index].expect("a buffer");
        let found = result.memory.bytes(address, len).expect("the buffer");
        let wanted = hex(expect["hex"].as_str().expect("bytes"));
        let ty = expect["type"].as_str().unwrap_or_default();
        let size = element_size(ty) as usize;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
        let nans = expect["compare"] == "bits_or_both_nan";
        for (at, (wanted, found)) in wanted.chunks(size).zip(found.chunks(size)).enumerate() {
            let (wanted, found) = (number(wanted), number(found));
            if wanted != found && !(nans && is_nan(ty, wanted) && is_nan(ty, found)) {
                return Err(format!("buffer {index}[{at}]: wanted {wanted:#x}, got {found:#x}"));
            }
        }
    }
    Ok(())
}

fn warp_0(result: &RunResult) -> Option<&WarpTrace> {
    result.warp([0; 3], 0)
}

/// Checks the statements of the entry in the trace of warp 0, by address.
fn check_lanes(case: &Case<'_>, program: &Program, result: &RunResult) -> Result<(), String> {
    let Some(lanes) = case.0["lanes"].as_object() else { return Ok(()) };
    let trace = warp_0(result).ok_or("no trace")?;
    let end = program.functions[0].end;
    let mut found = BTreeMap::new();
    for line in trace.lines.iter().filter(|line| line.statement.0 < end) {
        let address = program.addresses[line.statement.index()];
        found.insert(address, (line.count, line.active, line.executed));
    }
    let mut wanted = BTreeMap::new();
    for (address, value) in lanes {
        let mask = |at: usize| u64::from_str_radix(value[at].as_str().expect("a mask"), 16).expect("a mask");
        let address = u32::from_str_radix(address, 16).expect("an address");
        wanted.insert(address, (value[0].as_u64().expect("a count"), mask(1), mask(2)));
    }
    for address in wanted.keys().chain(found.keys()) {
        let (wanted, found) = (wanted.get(address), found.get(address));
        if wanted != found {
            return Err(format!("{address:04x}: wanted {wanted:x?}, got {found:x?}"));
        }
    }
    Ok(())
}

fn check_visits(case: &Case<'_>, program: &Program, result: &RunResult) -> Result<(), String> {
    let Some(visits) = case.0["visits"].as_object() else { return Ok(()) };
    let trace = warp_0(result).ok_or("no trace")?;
    for (address, list) in visits {
        let address = u32::from_str_radix(address, 16).expect("an address");
        let mask = |value: &Value| u64::from_str_radix(value.as_str().expect("a mask"), 16).expect("a mask");
        let mut wanted = BTreeMap::new();
        for visit in list.as_array().expect("a list") {
            *wanted.entry((mask(&visit[0]), mask(&visit[1]))).or_insert(0) +=
                visit[2].as_u64().expect("a count");
        }
        let mut found = BTreeMap::new();
        let lines = trace.lines.iter().filter(|line| program.addresses[line.statement.index()] == address);
        for visit in lines.flat_map(|line| line.visits.iter()) {
            *found.entry((visit.active, visit.executed)).or_insert(0) += visit.repeat;
        }
        if wanted != found {
            return Err(format!("{address:04x}: wanted {wanted:x?}, got {found:x?}"));
        }
    }
    Ok(())
}

/// Passed cases, and all cases.
#[derive(Default)]
struct Count(usize, usize);

impl Count {
    fn add(&mut self, what: &str, id: &str, done: Result<(), String>) -> bool {
        self.1 += 1;
        match done {
            Ok(()) => {
                self.0 += 1;
                true
            }
            Err(error) => {
                eprintln!("{id}: {what}: {error}");
                false
            }
        }
    }
}

/// A corpus: the folder with its listings, and its cases.
type Corpus = (PathBuf, Vec<Value>);

fn cases() -> Vec<Corpus> {
    // Another folder of cases, for example for a new target.
    let given = std::env::var_os("SASS_CASES").map(|folder| vec![PathBuf::from(folder)]);
    let read = |root: PathBuf| {
        let cases = std::fs::read_to_string(root.join("cases.json")).expect("readable");
        (root, serde_json::from_str(&cases).expect("JSON"))
    };
    given.unwrap_or_else(|| corpora("sass-exec")).into_iter().map(read).collect()
}

/// What a kernel leaves does not depend on who comes first, and no order makes a finding of a right kernel.
#[test]
fn cases_leave_their_buffers_under_other_schedules() {
    cases().iter().for_each(check_schedules);
}

fn check_schedules((root, cases): &Corpus) {
    let mut same = Count::default();
    for json in cases.iter().filter(is_of_each_machine) {
        let case = Case(json);
        let id = case.text("id");
        let text = std::fs::read_to_string(root.join(case.text("sass"))).expect("readable");
        let program = crate::common::program(&text, case.text("kernel"));
        for index in [0, 2, 9, 30] {
            let (config, addresses) = case.launch(&program);
            let limits = Limits { max_steps: 1_000_000, ..Limits::default() };
            let schedule = Some(Schedule { seed: 5, index });
            let options = RunOptions { limits, checks: Checks::ALL, schedule, ..RunOptions::default() };
            let result = crate::common::run(&program, config, &options);
            let outcome = match (result.status, result.findings.first()) {
                (Status::Finished, None) => check_buffers(&case, &result, &addresses),
                (status, finding) => Err(format!("{status:?} {finding:?}")),
            };
            same.add(&format!("schedule 5:{index}"), id, outcome);
        }
    }
    eprintln!("buffers: {} of {}", same.0, same.1);
    assert_eq!(same.0, same.1);
}

/// Whether a case is of one of two targets, which stand for the machines, or has no others.
fn is_of_each_machine(case: &&Value) -> bool {
    let id = case["id"].as_str().unwrap_or_default();
    id.contains("__sm61") || id.contains("__sm80") || !id.contains("__sm")
}

/// Both models leave the same buffers: only locks and waits for lanes of other paths depend on the model.
#[test]
fn cases_leave_their_buffers_under_the_other_model() {
    cases().iter().for_each(check_other_model);
}

fn check_other_model((root, cases): &Corpus) {
    let (mut same, mut waits) = (Count::default(), Vec::new());
    for json in cases.iter().filter(is_of_each_machine) {
        let case = Case(json);
        let text = std::fs::read_to_string(root.join(case.text("sass"))).expect("readable");
        let program = crate::common::program(&text, case.text("kernel"));
        let (config, addresses) = case.launch(&program);
        let limits = Limits { max_steps: 1_000_000, ..Limits::default() };
        let options = RunOptions { limits, ..RunOptions::default() };
        let barriers = !program.target.has_barriers();
        let result = crate::common::run_under(&program, config, barriers, &options);
        match result.status {
            Status::NoProgress => waits.push(case.text("id").to_owned()),
            Status::Finished => {
                same.add("buffers", case.text("id"), check_buffers(&case, &result, &addresses));
            }
            status => {
                let finding = result.findings.first().map_or("", |finding| &finding.message);
                same.add("status", case.text("id"), Err(format!("{status:?} {finding}")));
            }
        }
    }
    eprintln!("buffers: {} of {}; lanes wait in {waits:?}", same.0, same.1);
    assert_eq!(same.0, same.1);
}

#[test]
fn cases_leave_their_buffers_and_lanes() {
    cases().iter().for_each(check_cases);
}

fn check_cases((root, cases): &Corpus) {
    let filter = std::env::var("SASS_CASE").unwrap_or_default();
    let (mut buffers, mut lanes, mut visits) = (Count::default(), Count::default(), Count::default());
    let mut findings: BTreeMap<&str, usize> = BTreeMap::new();
    for json in cases.iter().filter(|case| case["id"].as_str().is_some_and(|id| id.contains(&filter))) {
        let case = Case(json);
        let id = case.text("id");
        let text = std::fs::read_to_string(root.join(case.text("sass"))).expect("readable");
        let program = crate::common::program(&text, case.text("kernel"));
        let (config, addresses) = case.launch(&program);
        let limits = Limits { max_steps: 1_000_000, ..Limits::default() };
        let options = RunOptions { limits, checks: Checks::ALL, counters: true, ..RunOptions::default() };
        if !filter.is_empty() {
            eprintln!("{id}");
        }
        let result = crate::common::run(&program, config, &options);
        for finding in &result.findings {
            *findings.entry(finding.kind.name()).or_default() += 1;
            let at = finding.statement.map_or(0, |statement| program.addresses[statement.index()]);
            eprintln!("{id}: {at:04x}: {}: {}", finding.kind, finding.message.replace('\n', " / "));
        }
        let finished = match result.status {
            Status::Finished => Ok(()),
            status => Err(format!("{status:?}")),
        };
        buffers.add("buffers", id, finished.and_then(|()| check_buffers(&case, &result, &addresses)));
        if json["lanes"].is_object() {
            lanes.add("lanes", id, check_lanes(&case, &program, &result));
        }
        if json["visits"].is_object() {
            visits.add("visits", id, check_visits(&case, &program, &result));
        }
    }
    eprintln!("buffers: {} of {}", buffers.0, buffers.1);
    eprintln!("lanes: {} of {}", lanes.0, lanes.1);
    eprintln!("visits: {} of {}", visits.0, visits.1);
    eprintln!("findings: {findings:?}");
    assert_eq!(findings, BTreeMap::new(), "the kernels are correct");
    for count in [buffers, lanes, visits] {
        assert_eq!(count.0, count.1);
    }
}

#[test]
fn a_decimal_in_an_integer_instruction_is_an_integer() {
    for (statement, value) in [
        ("SHL R6, R0, 2", (|lane| lane * 4) as fn(u32) -> u32),
        ("LOP3.LUT R6, R0, 3, RZ, 0xc0, !PT", |lane| lane & 3),
        ("IADD3 R6, R0, -1, RZ", |lane| lane.wrapping_sub(1)),
        ("IMAD R6, R0, 4, RZ", |lane| lane * 4),
        ("MOV R6, 08", |_| 8),
        ("MOV R6, 10", |_| 10),
        ("SHFL.IDX PT, R6, R0, 5, 0x1f", |_| 5),
        ("FADD R6, RZ, 1", |_| 1_f32.to_bits()),
        ("FSEL R6, RZ, 2, !PT", |_| 2_f32.to_bits()),
        ("I2F R6, 3", |_| 3_f32.to_bits()),
        ("F2I R6, 3", |_| 3),
    ] {
        let expected: Vec<u32> = (0..32).map(value).collect();
        assert_eq!(crate::machines::values(80, statement), expected, "{statement}");
    }
}
