//! Memory accesses: the sectors and banks of one visit, and the accesses of the kernel that exceed the ideal most.

use serde::Serialize;
use warplens_sim_warp::{AccessSpace, LaneAccesses, LineTrace};

use super::cost::{Cost, Part};
use super::error::PanelError;
use super::moment::{JsonMoment, MomentRequest};
use super::run::PanelQuery;
use crate::json::{Position, hex};

/// The most accesses of the kernel that are listed.
const MAX_WORST: usize = 200;

/// The accesses of a visit and of the kernel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Accesses {
    cta: [u32; 3],
    warp: u32,
    width: u32,
    #[serde(flatten)]
    #[cfg_attr(test, ts(skip))]
    moment: Option<JsonMoment>,
    /// The accesses of the visit; most statements have one.
    requests: Vec<JsonRequest>,
    worst: Vec<Worst>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    truncated: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AccessRequest"))]
struct JsonRequest {
    #[cfg_attr(test, ts(type = "'global' | 'shared'"))]
    space: &'static str,
    /// Bytes of a lane.
    bytes: u64,
    /// By lane; `null` for a lane that does not access memory.
    addresses: Vec<Option<String>>,
    /// By lane, the element of the buffer: `in[352]`.
    elements: Vec<Option<String>>,
    parts: Vec<JsonPart>,
    /// Sectors of 32 bytes, or wavefronts.
    cost: u64,
    ideal: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AccessPart", optional_fields))]
struct JsonPart {
    at: String,
    lanes: String,
    bytes: u64,
    /// In shared memory, the bank and the wavefront.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wavefront: Option<u64>,
}

/// A statement that accesses memory, over all warps.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WorstAccess"))]
struct Worst {
    line: u32,
    character: u32,
    #[cfg_attr(test, ts(type = "'global' | 'shared'"))]
    space: &'static str,
    requests: u64,
    cost: u64,
    ideal: u64,
}

impl PanelQuery<'_> {
    /// The accesses of a visit, if a visit is requested, and of the kernel, the largest excess first.
    pub fn accesses(&self, place: Option<MomentRequest>) -> Result<Accesses, PanelError> {
        let width = self.width();
        let (mut moment, mut requests) = (None, Vec::new());
        if let Some(place) = place {
            let found = self.find(place)?;
            moment = found.to_json(width, self.at);
            requests = self.moment(found.step)?.accesses;
        }
        let mut worst = self.worst()?;
        let truncated = worst.len() > MAX_WORST;
        worst.truncate(MAX_WORST);
        let requests = requests.iter().map(|access| self.request(access)).collect();
        Ok(Accesses { cta: self.warp.cta, warp: self.warp.warp, width, moment, requests, worst, truncated })
    }

    fn worst(&self) -> Result<Vec<Worst>, PanelError> {
        let counted = self.counted()?;
        let of = |line: &LineTrace| {
            let (counters, position) = (line.counters.as_deref()?, (self.at)(line.statement)?);
            let Position { line, character } = position;
            let worst = |space, requests, cost, ideal| {
                (requests > 0).then_some(Worst { line, character, space, requests, cost, ideal })
            };
            let (global, shared) = (counters.global, counters.shared);
            Some([
                worst("global", global.requests, global.sectors, global.ideal),
                worst("shared", shared.requests, shared.wavefronts, shared.ideal),
            ])
        };
        let mut worst: Vec<Worst> = counted.summed.iter().filter_map(of).flatten().flatten().collect();
        worst.sort_by_key(|access| {
            let excess = access.cost - access.ideal.min(access.cost);
            (access.space, std::cmp::Reverse(excess), access.line, access.character)
        });
        Ok(worst)
    }

    fn request(&self, access: &LaneAccesses) -> JsonRequest {
        let Cost { parts, cost, ideal } = Cost::of(access);
        let width = self.width();
        let is_shared = access.space == AccessSpace::Shared;
        let part = |part: &Part| JsonPart {
            at: format!("0x{:x}", part.address),
            lanes: hex(part.lanes, width),
            bytes: part.bytes,
            bank: is_shared.then_some(part.address / 4 % 32),
            wavefront: is_shared.then_some(part.wavefront),
        };
        let mut addresses = vec![None; width as usize];
        let mut elements = vec![None; width as usize];
        for &(lane, address) in &access.lanes {
            if let (Some(text), Some(element)) =
                (addresses.get_mut(lane as usize), elements.get_mut(lane as usize))
            {
                *text = Some(format!("0x{address:x}"));
                *element = if is_shared { None } else { self.element(address) };
            }
        }
        JsonRequest {
            space: if is_shared { "shared" } else { "global" },
            bytes: access.bytes,
            addresses,
            elements,
            parts: parts.iter().map(part).collect(),
            cost,
            ideal,
        }
    }

    /// The element of a buffer at an address: `in[352]`.
    fn element(&self, address: u64) -> Option<String> {
        let buffers = &self.panel.prepared.resolved.buffers;
        let buffer = buffers
            .iter()
            .find(|buffer| address.checked_sub(buffer.address).is_some_and(|offset| offset < buffer.len))?;
        Some(format!("{}[{}]", buffer.name, (address - buffer.address) / buffer.element.bytes() as u64))
    }
}
