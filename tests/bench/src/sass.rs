//! Active-lane instructions per second of machine code, compared with the PTX that it was generated from: kernels of the corpus
//! with many times their blocks, run alternately.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::sample;
use crate::sim::{self, Launch};

/// Kernels with loops, in some of which lanes have different numbers of iterations, and the factor for their number of blocks.
const KERNELS: [(&str, u64); 8] = [
    ("matmul", 4000),
    ("horner", 50000),
    ("md5_rounds", 30000),
    ("hash_loop", 30000),
    ("collatz", 20000),
    ("escape_time", 60000),
    ("bitonic", 30000),
    ("if_else_nest", 60000),
];

/// Runs of each; the best is reported.
const RUNS: usize = 3;

pub(crate) fn run() -> Result<()> {
    let corpus = sample::root().join("../shared/corpus/sass-exec");
    let Ok(cases) = fs::read(corpus.join("cases.json")) else {
        println!("skipped: corpus not found");
        return Ok(());
    };
    let cases: Vec<Value> = serde_json::from_slice(&cases)?;
    let folder = sample::root().join("target/bench-sass");
    fs::create_dir_all(&folder)?;
    for (kernel, times) in KERNELS {
        let source = format!("ptx/{kernel}.ptx");
        let twins: Vec<&Value> = cases.iter().filter(|case| case["ptx"] == source.as_str()).collect();
        let Some(first) = twins.first() else { continue };
        let mut runs = vec![Run::prepare(&corpus, &folder, &source, first, times)?];
        for case in twins {
            let listing = case["sass"].as_str().context("a case without a listing")?;
            runs.push(Run::prepare(&corpus, &folder, listing, case, times)?);
        }
        for _ in 0..RUNS {
            runs.iter_mut().try_for_each(Run::measure)?;
        }
        print(&runs);
    }
    Ok(())
}

fn print(runs: &[Run]) {
    let Some(ptx) = runs.first() else { return };
    for run in runs {
        println!(
            "{:<28} best {:6.0} M active-lane instructions/s, {:.2} of PTX",
            run.name,
            run.best,
            run.best / ptx.best
        );
    }
}

/// A kernel in one language, with its launch.
struct Run {
    name: String,
    launches: PathBuf,
    /// Millions of active-lane instructions per second.
    best: f64,
}

impl Run {
    /// Writes the file and its launch to a folder.
    fn prepare(corpus: &Path, folder: &Path, file: &str, case: &Value, times: u64) -> Result<Run> {
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        fs::copy(corpus.join(file), folder.join(&name))?;
        let launches = folder.join(format!("{name}.toml"));
        fs::write(&launches, launch(folder, &name, case, times)?)?;
        Ok(Run { name, launches, best: 0.0 })
    }

    fn measure(&mut self) -> Result<()> {
        let file = self.launches.with_extension("");
        let launch = Launch { file: &file, launches: &self.launches, name: "bench", checks: false };
        self.best = self.best.max(sim::measure(&launch)?.0);
        Ok(())
    }
}

/// The launch of a case with `times` its blocks and data. The data is written to files, which take almost no time to
/// read.
fn launch(folder: &Path, file: &str, case: &Value, times: u64) -> Result<String> {
    let number = |value: &Value| value.as_u64().context("a case without a number");
    let grid = number(&case["grid"][0])? * times;
    let mut text = format!("[[launch]]\nname = \"bench\"\nfile = \"{file}\"\n");
    writeln!(text, "grid = [{grid}, {}, {}]\nblock = {}", case["grid"][1], case["grid"][2], case["block"])?;
    writeln!(text, "dynamic_shared = {}\nargs = [", case["dynamic_shared_bytes"])?;
    let parameters = case["params"].as_array().context("a case without parameters")?;
    for (index, parameter) in parameters.iter().enumerate() {
        let kind = parameter["type"].as_str().context("a parameter without a type")?;
        match (parameter["kind"].as_str(), parameter["init_hex"].as_str()) {
            (Some("buffer"), Some(bytes)) => {
                let data = format!("{file}.{index}.bin");
                fs::write(folder.join(&data), unhex(bytes)?.repeat(times as usize))?;
                writeln!(text, "  {{ buffer = \"{kind}\", file = \"{data}\" }},")?;
            }
            (Some("buffer"), None) => {
                writeln!(
                    text,
                    "  {{ buffer = \"{kind}\", len = {} }},",
                    number(&parameter["count"])? * times
                )?;
            }
            _ => writeln!(text, "  {{ {kind} = {} }},", parameter["value"])?,
        }
    }
    text.push_str("]\n");
    Ok(text)
}

fn unhex(digits: &str) -> Result<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).context("not hexadecimal");
    (0..digits.len()).step_by(2).map(byte).collect()
}
