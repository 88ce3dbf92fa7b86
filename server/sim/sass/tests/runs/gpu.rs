//! Compares the machine code of the lane-mask probes with recordings of a GPU.

use std::fs;

use crate::common;
use warplens_cases::recording::{LOG_BYTES, Recording, entries, files, stem};
use warplens_sim_sass as sass;
use warplens_sim_warp::{RunOptions, Status};

/// Probes that the simulator runs in a different order than a device. After a function, lanes return in
/// groups that a device joins if other lanes use the same barrier as their caller. And where functions save
/// barriers, a device lets a path continue when another path clears the barrier at which it waits.
const OTHERWISE: [&str; 2] = ["calls_in_branches", "recursion"];

/// The listings in `tests/gpu/probes/sm_90` come from ptxas 13.5.37 `-O3`, like the code of the recording:
/// the same machine code must log the same lanes at the same points, in the same order.
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
            let is_equal = ours == recording.probe(name);
            assert_eq!(is_equal, !OTHERWISE.contains(&name), "{name}: the simulator and {device}");
        }
    }
}
