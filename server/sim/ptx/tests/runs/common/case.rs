//! A case of the executable corpus, from its description to the bytes that a launch leaves in its buffers.

use std::path::Path;

use serde_json::Value;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Checks, Control, Finding, RunOptions, Status};

use super::Source;
use warplens_cases::{element_size, hex};

/// A launch as described in `cases.json`.
pub(crate) struct Case<'a> {
    json: &'a Value,
}

/// A device buffer's address and length.
type Buffer = (u64, u64);

pub(crate) struct Outcome {
    result: warplens_sim_warp::RunResult,
    /// By parameter.
    buffers: Vec<Option<Buffer>>,
    /// Without aliases, in the order of the parameters.
    own: Vec<Buffer>,
}

impl Outcome {
    /// The bytes of a parameter's buffer.
    pub(crate) fn parameter(&self, number: usize) -> &[u8] {
        self.bytes(self.buffers[number].expect("a buffer"))
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.result.findings
    }

    /// The buffers without duplicates, in the order of the parameters.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        self.own.iter().map(|&buffer| self.bytes(buffer))
    }

    fn bytes(&self, (address, len): Buffer) -> &[u8] {
        self.result.memory.bytes(address, len).expect("the buffer")
    }
}

impl<'a> Case<'a> {
    pub(crate) fn new(json: &'a Value) -> Self {
        Case { json }
    }

    pub(crate) fn id(&self) -> &'a str {
        self.json["id"].as_str().expect("a name")
    }

    /// The case's name in a recording of a GPU: one PTX text has a listing for each target.
    pub(crate) fn recorded_name(&self) -> &'a str {
        if self.json["sass"].is_null() {
            return self.id();
        }
        Path::new(self.path()).file_stem().and_then(|stem| stem.to_str()).expect("a file")
    }

    /// The path of the case's file in the corpus.
    pub(crate) fn path(&self) -> &'a str {
        self.json["ptx"].as_str().expect("a path")
    }

    /// Runs the case. The error describes any end other than success.
    pub(crate) fn run(&self, text: &str, model: Model) -> Result<Outcome, String> {
        let source = Source::new(text);
        let program = source.program(self.json["kernel"].as_str().expect("a name"));
        let mut config = launch_config(self.extents("grid"), self.extents("block"));
        config.shared_memory = self.json["dynamic_shared_bytes"].as_u64().unwrap_or(0) as u32;
        let (mut values, mut buffers, mut own): (Vec<Vec<u8>>, Vec<Option<Buffer>>, Vec<Buffer>) =
            Default::default();
        for parameter in self.json["params"].as_array().expect("a list") {
            let (value, buffer) = match parameter["kind"].as_str().unwrap_or_default() {
                "scalar" => (hex(parameter["hex"].as_str().expect("bytes")), None),
                "alias" => {
                    let of = parameter["of"].as_u64().expect("a parameter") as usize;
                    (values[of].clone(), buffers[of])
                }
                _ => {
                    let buffer = allocate(parameter, &mut config)?;
                    own.push(buffer);
                    let pointer = self.json["address_size"].as_u64().unwrap_or(64) as usize / 8;
                    (buffer.0.to_le_bytes()[..pointer].to_vec(), Some(buffer))
                }
            };
            values.push(value);
            buffers.push(buffer);
        }
        config.params = vec![0; program.params_size as usize];
        for (layout, value) in program.params.iter().zip(&values) {
            let at = layout.offset as usize;
            config.params[at..at + value.len()].copy_from_slice(value);
        }
        let options = RunOptions { checks: Checks::ALL, counters: true, ..RunOptions::default() };
        let result = run(&program, config, model, &options, Control::none()).expect("not cancelled");
        if result.status != Status::Finished {
            let finding = result.findings.last().map(|finding| finding.message.clone()).unwrap_or_default();
            return Err(format!("{:?}: {finding}", result.status));
        }
        Ok(Outcome { result, buffers, own })
    }

    fn extents(&self, name: &str) -> [u32; 3] {
        let list = self.json[name].as_array().expect("a list");
        std::array::from_fn(|index| list[index].as_u64().expect("a number") as u32)
    }
}

fn allocate(parameter: &Value, config: &mut LaunchConfig) -> Result<Buffer, String> {
    let size = element_size(parameter["type"].as_str().unwrap_or_default());
    let len = parameter["count"].as_u64().expect("a count") * size;
    let mut contents = parameter["init_hex"].as_str().map(hex).unwrap_or_default();
    contents.resize(len as usize, 0);
    let name = parameter["name"].as_str().unwrap_or_default();
    let address = config.memory.allocate_with(name, &contents).map_err(|_| "out of memory")?;
    Ok((address, len))
}
