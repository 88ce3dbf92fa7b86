//! Checking WAVE compared with assembling it: all diagnostics of a synthetic file of 5 MB, and `wave-asm` 0.1.2 on the same text.
//! Both run in this process on one thread, alternately. Times are the processor time of this thread.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use warplens_ide::{Accepts, AnalysisHost, FileId};

use crate::processor;

/// Runs of each; the median is reported.
const RUNS: usize = 15;

/// Length of the synthetic text.
const BYTES: usize = 5_000_000;

pub(crate) fn run(file: Option<PathBuf>) -> Result<()> {
    let text = match file {
        Some(file) => std::fs::read_to_string(file)?,
        None => self::text(),
    };
    let (mut both, mut toolchain, mut assembled) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        both.push(check(&text, Accepts::Both)?);
        toolchain.push(check(&text, Accepts::Toolchain)?);
        let start = processor::time()?;
        wave_asm::assemble(&text, "sample.wave").map_err(|error| anyhow!("{error}"))?;
        assembled.push(processor::time()? - start);
    }
    println!("{} bytes, {} lines", text.len(), text.lines().count());
    report("warplens, all checks", &text, &both, &assembled);
    report("  checked as toolchain-0.1.2", &text, &toolchain, &assembled);
    report("wave-asm 0.1.2", &text, &assembled, &assembled);
    Ok(())
}

/// The time from the text to all its diagnostics.
fn check(text: &str, accepts: Accepts) -> Result<Duration> {
    let start = processor::time()?;
    let mut host = AnalysisHost::new();
    host.set_accepts(accepts);
    host.open(FileId(0), warplens_syntax::wave::LANGUAGE, text);
    let found = host.snapshot().diagnostics(FileId(0))?;
    let time = processor::time()? - start;
    ensure!(found.iter().all(|found| found.severity != warplens_ide::Severity::Error), "{:?}", found[0]);
    drop(host);
    Ok(time)
}

fn report(name: &str, text: &str, times: &[Duration], assembled: &[Duration]) {
    let rate = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
    let best = times.iter().min().copied().unwrap_or_default();
    let ratios = times.iter().zip(assembled).map(|(time, other)| other.as_secs_f64() / time.as_secs_f64());
    println!(
        "{name:<28} best {:6.1} MB/s, median {:6.1} MB/s, {:.2} times wave-asm (median of its runs)",
        rate(best),
        median(times.iter().map(|time| rate(*time))),
        median(ratios),
    );
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Kernels with loops, branches, memory and comments, in the toolchain's dialect.
pub(crate) fn text() -> String {
    let mut text = String::with_capacity(BYTES + 2000);
    let mut number = 0;
    while text.len() < BYTES {
        kernel(&mut text, number);
        number += 1;
    }
    text
}

fn kernel(text: &mut String, number: usize) {
    let _ = writeln!(
        text,
        "; Kernel {number}: sums what its lanes find, by halves.\n.kernel sum_{number}\n    .registers 24\n    \
         .workgroup_size 256, 1, 1\n    mov_sr r1, sr_thread_id_x\n    mov_sr r2, sr_workgroup_id_x\n    mov_imm r3, 256\n    \
         imad r4, r2, r3, r1\n    mov_imm r5, 2\n    shl r6, r4, r5            ; byte address\n    mov_imm r7, 0\n    \
         mov_imm r8, {}\n    mov_imm r9, 1\n    mov_imm r12, 0x3f800000\n    loop\n        icmp_ge p0, r7, r8\n        break p0",
        number % 64 + 1
    );
    for step in 0..12 {
        let _ = writeln!(
            text,
            "        device_load_u32 r10, r6\n        iadd r11, r10, r7\n        icmp_lt p1, r10, r11   ; step {step}\n        \
             if p1\n            fadd r12, r12, r10\n            @!p0 imul r13, r11, r9\n        else\n            \
             fma r12, r10, r11, r12\n            xor r13, r10, r11\n        endif\n        select r14, p1, r12, r13\n        \
             device_store_u32 r6, r14"
        );
    }
    text.push_str("        iadd r7, r7, r9\n    endloop\n    barrier\n    halt\n.end\n\n");
}
