//! The time from text to complete trees, in this process.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use warplens_syntax::{ItemList, parse_file};

use crate::sample;

/// Runs of each measurement. The best one is reported, because other load disturbed it least.
const RUNS: usize = 9;

pub(crate) fn run(file: Option<PathBuf>) -> Result<()> {
    let Some(text) = sample::text(file)? else { return Ok(()) };
    report("split into items", &text, || {
        let start = Instant::now();
        let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
        let time = start.elapsed();
        drop(items);
        time
    });
    report("parse to lossless trees", &text, || {
        let start = Instant::now();
        let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &text);
        let time = start.elapsed();
        drop(parse);
        time
    });
    report("with rowan's trees", &text, || {
        let start = Instant::now();
        let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &text);
        parse.green();
        let time = start.elapsed();
        drop(parse);
        time
    });
    Ok(())
}

fn report(name: &str, text: &str, measure: impl Fn() -> Duration) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| measure()).collect();
    times.sort_unstable();
    let rate = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{name:<26} {:.1} MB: best {:6.1} MB/s, median {:6.1} MB/s",
        text.len() as f64 / 1e6,
        rate(times[0]),
        rate(times[RUNS / 2])
    );
}
