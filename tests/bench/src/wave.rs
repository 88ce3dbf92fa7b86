//! Active-lane instructions per second of the WAVE machine and of the reference emulator, on one kernel, alternately.
//!
//! Both are called as libraries, with the program already assembled and decoded. Times are the processor time of this
//! thread.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use warplens_hir::wave as hir;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, Limits, RunOptions, RunResult, Status};
use warplens_sim_wave::{Program, decode, device_memory, launch_config, run as simulate};
use warplens_syntax::parse_file;
use wave_emu::{Emulator, EmulatorConfig};

use crate::processor;

const KERNEL: &str = include_str!("../kernels/divergent_loop.wave");

const WORKGROUPS: u32 = 1024;
const THREADS: u32 = 256;
const WIDTH: u32 = 32;
const DEVICE_BYTES: u32 = WORKGROUPS * THREADS * 4;

pub(crate) fn run(rounds: usize) -> Result<()> {
    let binary =
        wave_asm::assemble(KERNEL, "divergent_loop.wave").map_err(|error| anyhow::anyhow!("{error}"))?;
    let program = decoded()?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut lanes = 0;
    for _ in 0..rounds.max(1) {
        let (result, took) = warplens_once(&program)?;
        ours.push(took);
        lanes = result.totals.thread_instructions;
        let (memory, took) = emulator_once(&binary.binary)?;
        theirs.push(took);
        let same = result.memory.bytes(0, DEVICE_BYTES.into()).is_some_and(|bytes| bytes == memory);
        ensure!(same, "the two machines compute different memory");
    }
    let rates = [&mut ours, &mut theirs].map(|times| rate(times, lanes));
    for (machine, (best, median)) in ["warplens", "wave-emu 0.1.2"].into_iter().zip(rates) {
        println!("{machine:<16} best {best:7.0} M, median {median:7.0} M active-lane instructions/s");
    }
    println!(
        "ratio            best {:7.1}x, median {:7.1}x",
        rates[0].0 / rates[1].0,
        rates[0].1 / rates[1].1
    );
    Ok(())
}

/// Best and median, in millions per second. Both machines use the number of instructions that Warplens
/// counts.
fn rate(times: &mut [Duration], lanes: u64) -> (f64, f64) {
    times.sort();
    let of = |time: Duration| lanes as f64 / time.as_secs_f64() / 1e6;
    (of(times[0]), of(times[times.len() / 2]))
}

fn decoded() -> Result<Program> {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, KERNEL);
    let codes = file.items().map(hir::lower);
    let code = codes.into_iter().find(|code| code.kernel.is_some()).context("the kernel is there")?;
    Ok(decode(&code))
}

fn warplens_once(program: &Program) -> Result<(RunResult, Duration)> {
    let launch = LaunchConfig {
        memory: device_memory(DEVICE_BYTES),
        ..launch_config([WORKGROUPS, 1, 1], [THREADS, 1, 1], WIDTH)
    };
    let limits = Limits { max_steps: u64::MAX, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let start = processor::time()?;
    let Ok(result) = simulate(program, launch, &options, Control::none()) else {
        bail!("the run was cancelled")
    };
    let took = processor::time()? - start;
    ensure!(result.status == Status::Finished, "{:?}", result.findings);
    Ok((result, took))
}

fn emulator_once(binary: &[u8]) -> Result<(Vec<u8>, Duration)> {
    let config = EmulatorConfig {
        grid_dim: [WORKGROUPS, 1, 1],
        workgroup_dim: [THREADS, 1, 1],
        device_memory_size: DEVICE_BYTES as usize,
        wave_width: WIDTH,
        max_instructions: 0,
        ..EmulatorConfig::default()
    };
    let mut emulator = Emulator::new(config);
    emulator.load_binary(binary)?;
    let start = processor::time()?;
    emulator.run()?;
    let took = processor::time()? - start;
    Ok((emulator.read_device_memory(0, DEVICE_BYTES as usize)?, took))
}
