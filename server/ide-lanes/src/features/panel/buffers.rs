//! The buffers of a launch before and after it, the unexpected elements, and the lane that wrote an element.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use warplens_sim_launch::{Element, PlacedBuffer, differences};
use warplens_sim_warp::{Class, Control, RunOptions, ScalarType, Status, TraceRequest};

use super::error::PanelError;
use super::run::PanelQuery;
use crate::json::Position;

/// The most elements of an answer.
pub(super) const MAX_COUNT: u64 = 1_024;

/// The most digits of a map.
const MAP: u64 = 256;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct BufferRequest {
    /// `None` for the list of buffers.
    pub name: Option<String>,
    pub from: u64,
    pub count: Option<u64>,
    /// The element whose writer is requested.
    pub element: Option<u64>,
}

/// The buffers of a launch.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Buffers {
    buffers: Vec<JsonBuffer>,
    /// What the program printed.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    output: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    output_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<JsonPage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<JsonElement>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "BufferInfo"))]
struct JsonBuffer {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    /// In elements.
    length: u64,
    changed: u64,
    /// Elements that are not a number, if they are floats.
    nan: u64,
    unexpected: u64,
    /// Whether the launch expects contents, and they were checked.
    checked: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "BufferPage"))]
struct JsonPage {
    name: String,
    from: u64,
    #[cfg_attr(test, ts(type = "(number | string | boolean | null)[]"))]
    after: Vec<Element>,
    #[cfg_attr(test, ts(type = "(number | string | boolean | null)[]"))]
    before: Vec<Element>,
    /// The expected values of unexpected elements.
    #[cfg_attr(test, ts(type = "Record<number, number | string | boolean | null>"))]
    expected: BTreeMap<u64, Option<Element>>,
    /// The whole buffer, a digit for each of at most 256 parts: 0 not changed, 1 changed, 2 unexpected.
    map: String,
    /// The unexpected elements of the whole buffer, at most 1,024.
    unexpected: Vec<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WrittenElement"))]
struct JsonElement {
    index: u64,
    /// The last lane that stored to it.
    writer: Option<Writer>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
struct Writer {
    cta: [u32; 3],
    warp: u32,
    lane: u32,
    line: u32,
    character: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
}

fn nan_count(kind: ScalarType, contents: &[u8]) -> u64 {
    if kind.class() != Class::Float {
        return 0;
    }
    let is_nan = |bytes: &&[u8]| kind.float_of_bits(kind.read(bytes)).is_nan();
    contents.chunks_exact(kind.bytes()).filter(is_nan).count() as u64
}

impl PanelQuery<'_> {
    /// The list of buffers, and a page of one of them or the writer of an element.
    pub fn buffers(&self, request: &BufferRequest) -> Result<Buffers, PanelError> {
        let resolved = &self.panel.prepared.resolved;
        let buffers = resolved.buffers.iter().map(|buffer| self.buffer(buffer)).collect();
        let unknown = |name: &str| PanelError::Refused(format!("unknown buffer `{name}`"));
        let find = |name: &String| resolved.buffer(name).ok_or_else(|| unknown(name));
        let wanted = request.name.as_ref().map(find).transpose()?;
        let element = match (wanted, request.element) {
            (Some(buffer), Some(index)) => Some(self.writer(buffer, index)?),
            _ => None,
        };
        let output = &self.panel.result.output;
        Ok(Buffers {
            buffers,
            output: output.text.clone(),
            output_truncated: output.truncated,
            page: wanted.filter(|_| request.element.is_none()).map(|buffer| self.page(buffer, request)),
            element,
        })
    }

    fn contents(&self, buffer: &PlacedBuffer) -> (Cow<'_, [u8]>, &[u8]) {
        let before = self.panel.prepared.resolved.initial_bytes(buffer);
        (before, buffer.bytes(&self.panel.result))
    }

    /// The unexpected elements with the expected bits.
    fn unexpected(&self, buffer: &PlacedBuffer) -> Vec<(u64, Option<u64>)> {
        if self.panel.result.status != Status::Finished {
            return Vec::new();
        }
        let expect = self.panel.prepared.resolved.launch.expect.iter();
        let mut all: Vec<_> = expect
            .filter(|expected| expected.name == buffer.name)
            .flat_map(|expected| differences(expected, buffer.element, buffer.bytes(&self.panel.result)))
            .collect();
        all.sort_unstable();
        all.dedup_by_key(|(index, _)| *index);
        all
    }

    fn buffer(&self, buffer: &PlacedBuffer) -> JsonBuffer {
        let size = buffer.element.bytes();
        let (before, after) = self.contents(buffer);
        let changed = before.chunks_exact(size).zip(after.chunks_exact(size));
        let mut expect = self.panel.prepared.resolved.launch.expect.iter();
        JsonBuffer {
            name: buffer.name.to_string(),
            kind: buffer.element.name(),
            length: buffer.len / size as u64,
            changed: changed.filter(|(before, after)| before != after).count() as u64,
            nan: nan_count(buffer.element, after),
            unexpected: self.unexpected(buffer).len() as u64,
            checked: self.panel.result.status == Status::Finished
                && expect.any(|expected| expected.name == buffer.name),
        }
    }

    fn page(&self, buffer: &PlacedBuffer, request: &BufferRequest) -> JsonPage {
        let (kind, size) = (buffer.element, buffer.element.bytes());
        let (before, after) = self.contents(buffer);
        let length = buffer.len / size as u64;
        let from = request.from.min(length);
        let to = length.min(from + request.count.unwrap_or(MAX_COUNT).min(MAX_COUNT));
        let elements = |bytes: &[u8]| {
            let part = bytes.get(from as usize * size..to as usize * size).unwrap_or_default();
            part.chunks_exact(size).map(|bytes| Element(kind, kind.read(bytes))).collect()
        };
        let unexpected = self.unexpected(buffer);
        let here = unexpected.iter().filter(|(index, _)| (from..to).contains(index));
        let expected = here.map(|(index, bits)| (*index, bits.map(|bits| Element(kind, bits))));
        let part = length.div_ceil(MAP).max(1);
        let mut map = vec![b'0'; length.div_ceil(part) as usize];
        let pairs = before.chunks_exact(size).zip(after.chunks_exact(size));
        for (index, _) in (0..).zip(pairs).filter(|(_, (before, after))| before != after) {
            map[(index / part) as usize] = b'1';
        }
        for (index, _) in &unexpected {
            map[(index / part) as usize] = b'2';
        }
        JsonPage {
            name: buffer.name.to_string(),
            from,
            after: elements(after),
            before: elements(&before),
            expected: expected.collect(),
            map: String::from_utf8(map).unwrap_or_default(),
            unexpected: unexpected.iter().take(MAX_COUNT as usize).map(|(index, _)| *index).collect(),
        }
    }

    /// Runs again to find the last store to an element, and once more to find its step.
    fn writer(&self, buffer: &PlacedBuffer, index: u64) -> Result<JsonElement, PanelError> {
        let size = buffer.element.bytes() as u64;
        if index >= buffer.len / size {
            let name = &buffer.name;
            return Err(PanelError::Refused(format!("`{name}` has {} elements", buffer.len / size)));
        }
        let control = Control { workers: None, ..self.control };
        let run = |trace: Option<TraceRequest>| {
            let watch = Some(buffer.address + index * size);
            self.panel.prepared.again(RunOptions { watch, trace, ..RunOptions::default() }, control)
        };
        let Some(store) = run(None)?.last_store else { return Ok(JsonElement { index, writer: None }) };
        // No step has this number, so the trace does not end before the store.
        let trace = TraceRequest { moment: Some(u64::MAX), ..TraceRequest::at(store.warp) };
        let step = run(Some(trace))?.values.and_then(|values| values.stored_at);
        let writer = (self.at)(store.statement).map(|Position { line, character }| Writer {
            cta: store.warp.cta,
            warp: store.warp.warp,
            lane: store.lane,
            line,
            character,
            step,
        });
        Ok(JsonElement { index, writer })
    }
}
