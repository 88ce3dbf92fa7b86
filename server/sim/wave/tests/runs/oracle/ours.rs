//! Runs the same program here.

use warplens_hir::wave as hir;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, Limits, RegisterValues, RunOptions, Status, WarpTrace};
use warplens_sim_wave::{decode, device_memory, launch_config, run as simulate};
use warplens_syntax::parse_file;

use super::emulator::{Outcome, WaveOutcome, same_nan};
use super::generator::Launch;

pub(crate) fn run(text: &str, launch: &Launch) -> Outcome {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    let code = file.items().next().map(hir::lower).expect("a kernel");
    let config = LaunchConfig {
        memory: device_memory(launch.device()),
        ..launch_config(launch.grid, launch.workgroup, launch.width)
    };
    let limits = Limits { max_visits: usize::MAX, ..Limits::default() };
    let options = RunOptions { registers: true, limits, ..RunOptions::default() };
    let result = simulate(&decode(&code), config, &options, Control::none()).expect("not cancelled");
    assert_eq!(result.status, Status::Finished, "{:?}\n{text}", result.findings);
    let memory = result.memory.bytes(0, launch.device().into()).expect("that much was asked for").to_vec();
    let statements = code.instructions.len();
    Outcome { waves: result.warps.iter().map(|warp| wave(warp, statements, launch.width)).collect(), memory }
}

/// The compared results of a wave.
pub(crate) fn wave(warp: &WarpTrace, statements: usize, width: u32) -> WaveOutcome {
    let mut visits = vec![Vec::new(); statements];
    for line in &warp.lines {
        let each = line.visits.iter();
        visits[line.statement.index()] =
            each.flat_map(|visit| (0..visit.repeat).map(|_| (visit.active, visit.executed))).collect();
    }
    let values = warp.registers.as_ref().expect("they were asked for");
    let lane = |lane: u32| {
        let value = |register: &RegisterValues| register.lanes[lane as usize].unwrap_or_default() as u32;
        values.iter().map(|register| same_nan(value(register))).collect()
    };
    WaveOutcome { visits, registers: (0..width).map(lane).collect() }
}
