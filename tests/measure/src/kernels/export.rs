//! Exports the kernels as cases for `tests/gpu/record.py`: a GPU must compute what the simulator computes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use warplens_ide::lanes::Prepared;
use warplens_sim_launch::{Argument, Contents, Passed};
use warplens_sim_warp::RunResult;

use super::generate::{BYTES, THREADS};
use super::module::{Module, head, name};
use super::options::Options;

/// Writes the kernels of all modules and a `cases.json` to a folder.
pub(super) fn write(folder: &Path, options: &Options) -> Result<()> {
    fs::create_dir_all(folder)?;
    let target = options.targets.first().context("no target")?;
    let size = options.module.max(1);
    let mut cases = Vec::new();
    for index in 0..options.count.div_ceil(size) {
        let seed = options.seed + index as u64;
        let module = Module::new(seed, options.style(), size.min(options.count - index * size));
        for (number, run) in module.ptx_runs(target)?.iter().enumerate() {
            let file = format!("{seed}_{}.ptx", name(number));
            fs::write(folder.join(&file), format!("{}{}", head(target), module.text(number)))?;
            cases.push(case(&file, &name(number), module.input(), run)?);
        }
    }
    fs::write(folder.join("cases.json"), serde_json::to_string(&cases)?)?;
    println!("{} cases in {}", cases.len(), folder.display());
    Ok(())
}

fn case(file: &str, kernel: &str, input: &[Argument], run: &(Prepared, RunResult)) -> Result<Value> {
    let count = THREADS * BYTES / 4;
    let mut parameters = vec![json!({"kind": "buffer", "type": "u32", "count": count})];
    for argument in input {
        parameters.push(parameter(argument)?);
    }
    let (prepared, result) = run;
    let buffer = prepared.resolved.buffers.first().context("no buffer of results")?;
    let results = buffer.bytes(result);
    Ok(json!({
        "id": file,
        "ptx": file,
        "kernel": kernel,
        "grid": [1, 1, 1],
        "block": [THREADS, 1, 1],
        "params": parameters,
        "expect": [{"param": 0, "type": "u32", "count": count, "hex": hex(results), "compare": "bits"}],
    }))
}

fn parameter(argument: &Argument) -> Result<Value> {
    Ok(match &argument.passed {
        Passed::Scalar(kind, bits) => {
            json!({"kind": "scalar", "hex": hex(&bits.to_le_bytes()[..kind.bytes()])})
        }
        Passed::Buffer(buffer) => {
            let Contents::Values(values) = &buffer.contents else { bail!("contents without values") };
            let words = values.iter().flat_map(|value| (*value as u32).to_le_bytes());
            let bytes: Vec<u8> = words.collect();
            json!({"kind": "buffer", "type": "u32", "count": values.len(), "init_hex": hex(&bytes)})
        }
        _ => bail!("an argument that random kernels do not have"),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
