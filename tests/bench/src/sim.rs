//! Active-lane instructions per second of the interpreter, from `warplens sim` as a user runs it, including
//! start-up.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::sample;

/// The kernels that are measured, their launches in [`LAUNCHES`], and whether the sanitizer is on.
const KERNELS: [(&str, &str, bool); 4] = [
    ("examples/collatz.ptx", "bench", false),
    ("examples/alu.ptx", "bench alu", false),
    ("examples/matmul.ptx", "bench matmul", false),
    ("examples/matmul.ptx", "bench matmul", true),
];

const LAUNCHES: &str = "tests/bench/launches.toml";

/// Runs of each; the best is reported.
const RUNS: usize = 5;

pub(crate) fn run() -> Result<()> {
    for (file, name, checks) in KERNELS {
        let launch = Launch { file: Path::new(file), launches: Path::new(LAUNCHES), name, checks };
        let mut rates: Vec<(f64, f64)> = (0..RUNS).map(|_| measure(&launch)).collect::<Result<_>>()?;
        rates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (lanes, warps) = rates[0];
        println!(
            "{file:<24} {} best {lanes:7.0} M, median {:7.0} M active-lane instructions/s ({warps:.0} M warp instructions/s, {:.1} lanes)",
            if checks { "checked  " } else { "unchecked" },
            rates[RUNS / 2].0,
            lanes / warps
        );
    }
    Ok(())
}

pub(crate) struct Launch<'a> {
    pub(crate) file: &'a Path,
    pub(crate) launches: &'a Path,
    pub(crate) name: &'a str,
    pub(crate) checks: bool,
}

/// Millions per second of (active-lane instructions, warp instructions), in terms of the processor time of the whole
/// process.
pub(crate) fn measure(launch: &Launch<'_>) -> Result<(f64, f64)> {
    let mut command = Command::new(sample::server()?);
    command.current_dir(sample::root()).arg("sim").arg(launch.file);
    command.arg("--launches").arg(launch.launches).args(["--launch", launch.name]);
    // Statistics are recorded for every warp, so printing a single warp is enough.
    command.args(["--format", "json", "--warp", "0,0,0:0", "--max-steps", "1000000000"]);
    if !launch.checks {
        command.arg("--no-checks");
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut output = Vec::new();
    child.stdout.take().context("the simulator has no output")?.read_to_end(&mut output)?;
    let seconds = processor_seconds(child.id())?;
    let file = launch.file.display();
    let ended = child.wait()?;
    let report: Value = serde_json::from_slice(&output).with_context(|| format!("{file}: {ended}"))?;
    ensure!(report["status"] == "finished", "{file}: the run did not finish");
    let total = |key: &str| report["totals"][key].as_f64().with_context(|| format!("{file}: no total {key}"));
    Ok((total("thread_instructions")? / seconds / 1e6, total("warp_instructions")? / seconds / 1e6))
}

/// The processor time of a process, including after its exit until it is waited for. Unlike elapsed time, it excludes
/// other work on the machine.
fn processor_seconds(process: u32) -> Result<f64> {
    /// Clock ticks per second in `/proc`, which is 100 on every Linux.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))
        .context("processor time is read from /proc, so on Linux only")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    // User and system time are fields 14 and 15; the name, which may contain spaces, is field 2.
    let ticks =
        after_name.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().unwrap_or(0.0));
    Ok(ticks.sum::<f64>() / TICKS)
}
