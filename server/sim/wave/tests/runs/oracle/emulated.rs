//! Runs a kernel of a file here, under the model `wave-emu`.

use warplens_hir::wave as hir;
use warplens_isa::wave::Availability;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, Limits, RunOptions, RunResult};
use warplens_sim_wave::{device_memory, launch_config, reference};
use warplens_syntax::parse_file;

use super::emulator::Outcome;
use super::generator::Launch;
use super::ours::wave;
use super::stepped::Setting;

pub(crate) fn items(text: &str) -> Vec<hir::Code> {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    file.items().map(hir::lower).collect()
}

/// The item of the kernel with this number.
pub(crate) fn item_of(items: &[hir::Code], kernel: usize) -> usize {
    let kernels = items.iter().enumerate().filter(|(_, code)| code.kernel.is_some());
    kernels.map(|(at, _)| at).nth(kernel).expect("there is such a kernel")
}

/// The number of words of each statement.
pub(crate) fn sizes(code: &hir::Code) -> Vec<u32> {
    let size = |instruction: &hir::Instruction| {
        let entry = instruction.entry.filter(|entry| entry.available == Availability::Crates);
        1 + u32::from(entry.and_then(|entry| entry.encoding).is_some_and(|encoding| encoding.wide))
    };
    code.instructions.iter().map(size).collect()
}

pub(crate) fn run(items: &[hir::Code], launch: &Launch, setting: &Setting) -> (RunResult, Outcome) {
    let all: Vec<&hir::Code> = items.iter().collect();
    let item = item_of(items, setting.kernel);
    let program = reference::decode(&all, item, &|_| String::new());
    let config = LaunchConfig {
        memory: device_memory(setting.device as u32),
        shared_memory: setting.local as u32,
        ..launch_config(launch.grid, launch.workgroup, launch.width)
    };
    let groups = u64::from(launch.grid.iter().product::<u32>());
    let limits =
        Limits { max_visits: usize::MAX, max_steps: setting.max_steps * groups, ..Limits::default() };
    let options = RunOptions { registers: true, limits, ..RunOptions::default() };
    let result = reference::run(&program, config, &options, Control::none(), None).expect("not cancelled");
    let statements = items[item].instructions.len();
    let waves = result.warps.iter().map(|warp| wave(warp, statements, launch.width)).collect();
    let memory = result.memory.bytes(0, setting.device as u64).expect("that much was asked for").to_vec();
    (result, Outcome { waves, memory })
}
