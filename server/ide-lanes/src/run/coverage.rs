//! How much of a kernel and of its buffers a run reached.

use std::sync::Arc;

use serde::Serialize;
use smol_str::SmolStr;
use warplens_sim_launch::body::Part;
use warplens_sim_launch::{Body, Fill, PlacedBuffer, Resolved};
use warplens_sim_warp::accessed_bytes::AccessedBytes;
use warplens_sim_warp::{LineTrace, RunResult};

use super::explored::Explored;
use super::prepared::Prepared;

/// How much of a kernel and of its buffers a run reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Statements that a lane executed, and all.
    pub executed: usize,
    pub statements: usize,
    #[serde(flatten)]
    pub explored: Explored,
    /// Empty if the simulator does not record accesses.
    pub buffers: Vec<BufferCoverage>,
}

/// The bytes of a buffer that a run read and wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferCoverage {
    pub name: String,
    pub bytes: u64,
    pub read: u64,
    pub written: u64,
    /// Elements that the run should have written and has not; 0 if it is no output.
    #[serde(rename = "unwritten")]
    pub missing: u64,
    pub elements: u64,
}

/// The buffers of a launch that its kernel may store to, and whose contents the launch does not give.
pub(super) fn outputs(resolved: &Resolved, body: &Body) -> Arc<[SmolStr]> {
    let may_store = |part: &Part| part.access.is_none_or(|access| access.stored);
    let arguments = resolved.launch.args.iter().zip(&body.params);
    let stored = arguments.filter(|(_, parts)| parts.iter().any(may_store));
    let names = stored.filter_map(|(argument, _)| argument.name.as_deref());
    let is_open =
        |name: &&str| resolved.buffer(name).is_some_and(|buffer| buffer.deferred.is_some_and(Fill::is_open));
    names.filter(is_open).map(SmolStr::from).collect()
}

impl Prepared {
    /// How much the run of this reached.
    pub fn coverage(&self, result: &RunResult) -> Coverage {
        let is_executed = |line: &&LineTrace| line.executed != 0;
        let buffers = result.accessed.as_ref().map(|accessed| {
            // A run whose results nobody can see has no outputs yet.
            let is_without_result = !accessed.writes() && result.output.text.is_empty();
            self.covered_buffers(accessed, is_without_result)
        });
        Coverage {
            executed: result.summed.iter().filter(is_executed).count(),
            statements: self.statements.len(),
            explored: Explored::default(),
            buffers: buffers.unwrap_or_default(),
        }
    }

    fn covered_buffers(&self, accessed: &AccessedBytes, is_without_result: bool) -> Vec<BufferCoverage> {
        let expect = &self.resolved.launch.expect;
        let of = |buffer: &PlacedBuffer| {
            let PlacedBuffer { name, element, address, len, deferred } = buffer;
            let written = accessed.written(*address, *len);
            let is_expected = || expect.iter().any(|expected| expected.name == *name);
            let is_output = self.outputs.contains(name)
                || deferred.is_some_and(Fill::is_open) && (is_without_result || is_expected());
            let size = element.bytes() as u64;
            BufferCoverage {
                name: name.to_string(),
                bytes: *len,
                read: accessed.read(*address, *len),
                written,
                missing: if is_output { (len - written).div_ceil(size) } else { 0 },
                elements: len / size,
            }
        };
        self.resolved.buffers.iter().map(of).collect()
    }
}
