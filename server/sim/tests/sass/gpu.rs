//! The machine code of the lane-mask probes against recordings of a GPU.

use std::fs;

use crate::common;
use crate::support::recording::{LOG_BYTES, Recording, entries, files, stem};
use warplens_sim::{RunOptions, Status, sass};

/// The listings in `tests/gpu/probes/sm_90` are those of ptxas 13.5.37 `-O3`, which the recording was made with: the same machine code
/// logs the same lanes at the same points, groups of one point in the same order.
#[test]
fn machine_code_of_probes_logs_what_the_device_logs() {
    let listings = files("tests/gpu/probes/sm_90", "sass");
    assert!(!listings.is_empty());
    for recording in Recording::all() {
        for path in &listings {
            let name = stem(path);
            let text = fs::read_to_string(path).expect("readable");
            let program = common::program(&text, name);
            let mut config = sass::launch_config(program.target, 8, [1, 1, 1], [32, 1, 1]);
            let log = config.memory.allocate("log", LOG_BYTES).expect("space");
            config.params = log.to_le_bytes().to_vec();
            let result = common::run(&program, config, &RunOptions::default());
            assert_eq!(result.status, Status::Finished, "{name}: {:?}", result.findings);
            let ours = entries(result.memory.bytes(log, LOG_BYTES).expect("the log"));
            let device = recording.device();
            assert_eq!(ours, recording.probe(name), "{name}: the simulator and {device}");
        }
    }
}
