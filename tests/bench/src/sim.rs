//! Active-lane instructions a second of the interpreter, from `warplens sim` as a user runs it, start-up included.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::sample;

/// Kernels that are measured, with the launch that keeps them busy for about a second.
const KERNELS: [(&str, &str); 2] = [("examples/collatz.ptx", "bench"), ("examples/alu.ptx", "bench")];

/// Runs of each; the best counts.
const RUNS: usize = 5;

pub(crate) fn run() -> Result<()> {
    for (file, launch) in KERNELS {
        let mut rates: Vec<(f64, f64)> = (0..RUNS).map(|_| measure(file, launch)).collect::<Result<_>>()?;
        rates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (lanes, warps) = rates[0];
        println!(
            "{file:<24} best {lanes:7.0} M, median {:7.0} M active-lane instructions/s ({warps:.0} M warp instructions/s, {:.1} lanes)",
            rates[RUNS / 2].0,
            lanes / warps
        );
    }
    Ok(())
}

/// Millions a second of (active-lane instructions, warp instructions).
fn measure(file: &str, launch: &str) -> Result<(f64, f64)> {
    let mut command = Command::new(sample::server()?);
    command.current_dir(sample::root()).args(["sim", file, "--launch", launch, "--format", "json"]);
    command.args(["--max-steps", "1000000000"]);
    let start = Instant::now();
    let output = command.output()?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let total = |key: &str| report["totals"][key].as_f64().with_context(|| format!("{file}: no total {key}"));
    Ok((total("thread_instructions")? / seconds / 1e6, total("warp_instructions")? / seconds / 1e6))
}
