//! Runs the WAVE programs of the shared corpus as the manifest did: the hash of device memory must equal the
//! one from the newest state of the reference toolchain, and no check may report a mistake, whatever the schedule.

use std::path::Path;

use warplens_hir::wave as hir;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Checks, Control, RunOptions, RunResult, Schedule, Severity, Status};
use warplens_sim_wave::{decode, device_memory, launch_config, run};
use warplens_syntax::parse_file;
use warplens_test_support::corpora;

/// The size of device memory in the manifest's runs.
const DEVICE: u32 = 65_536;
/// The other schedules under which each program also runs.
const SCHEDULES: u32 = 8;

fn simulate(text: &str, schedule: Option<Schedule>) -> RunResult {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    let codes = file.items().map(hir::lower);
    let program =
        codes.into_iter().find(|code| code.kernel.is_some()).map(|code| decode(&code)).expect("a kernel");
    let launch = LaunchConfig {
        memory: device_memory(DEVICE),
        ..launch_config([1; 3], program.workgroup_size.unwrap_or([4, 1, 1]), 4)
    };
    let options = RunOptions { checks: Checks::ALL, schedule, ..RunOptions::default() };
    run(&program, launch, &options, Control::none()).expect("not cancelled")
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn memory_ends_as_the_toolchain_leaves_it() {
    corpora("wave").iter().for_each(|corpus| check_memory(corpus));
}

fn check_memory(corpus: &Path) {
    let manifest = std::fs::read_to_string(corpus.join("manifest.json")).expect("the corpus has a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("the manifest is JSON");
    let (mut compared, programs) = (0, manifest.as_array().expect("the manifest is a list"));
    for program in programs {
        let file = program["file"].as_str().expect("a program has a file");
        let outcomes = ["head_4a8bbec", "model"].map(|by| program[by]["run"].as_str().unwrap_or_default());
        let Some((_, expected)) = outcomes.iter().find_map(|outcome| outcome.split_once("mem=")) else {
            continue;
        };
        let text = std::fs::read_to_string(corpus.join(file)).expect("the file is there");
        let expected = u64::from_str_radix(expected.trim(), 16).expect("a hash is hexadecimal");
        let others = (0..SCHEDULES).map(|index| Some(Schedule { seed: 1, index }));
        for schedule in std::iter::once(None).chain(others) {
            let result = simulate(&text, schedule);
            assert_eq!(result.status, Status::Finished, "{file}: {:?}", result.findings);
            let mistakes = result.findings.iter().filter(|finding| finding.severity == Severity::Error);
            assert_eq!(mistakes.count(), 0, "{file} under {schedule:?}: {:?}", result.findings);
            let memory = result.memory.bytes(0, u64::from(DEVICE)).expect("that much was asked for");
            assert_eq!(fnv(memory), expected, "{file} under {schedule:?}");
        }
        compared += 1;
    }
    assert!(
        compared * 100 >= programs.len() * 72,
        "only {compared} of {} programs were compared",
        programs.len()
    );
}
