//! Why a lane holds a value: the chain of writes behind a register or an element of a buffer, without a debugger.

use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use warplens_sim_warp::WarpId;
use warplens_sim_warp::recording::{Place, Space};

use super::error::PanelError;
use super::moment::MomentRequest;
use super::run::PanelQuery;
use crate::run::Replay;
use crate::why::{Link, LinkOperand, Question};

/// The limit of the recording that answers questions, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// The most links of an answer.
const MAX_LINKS: usize = 1000;

/// What is asked: a register of a lane around a step, or an element of a buffer after the run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct WhyRequest {
    pub lane: u32,
    pub register: Option<String>,
    /// Whether the value after the step is meant.
    pub after: bool,
    pub buffer: Option<String>,
    pub element: u64,
    /// Whether copies are listed.
    pub copies: bool,
}

/// A chain of writes, the newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Why"))]
pub struct Why {
    chain: Vec<JsonLink>,
    /// Whether the chain has more links.
    truncated: bool,
}

/// A write that a value came through.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WhyLink"))]
struct JsonLink {
    cta: [u32; 3],
    warp: u32,
    lane: u32,
    /// The step of the warp.
    step: u64,
    /// `None` if the statement was removed from the text.
    line: Option<u32>,
    text: String,
    value: String,
    operands: Vec<JsonOperand>,
}

/// A source of a statement. It has no value if it is not a register, or was never written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "WhyOperand"))]
struct JsonOperand {
    name: String,
    value: Option<String>,
}

impl PanelQuery<'_> {
    /// The chain behind a value. `moment` is the step that a question about a register names.
    pub fn why(&self, request: &WhyRequest, moment: Option<MomentRequest>) -> Result<Why, PanelError> {
        let PanelQuery { panel, control, .. } = *self;
        let step = match (&request.register, moment) {
            (Some(_), Some(moment)) => Some(self.find(moment)?.step),
            (Some(_), None) => return Err(PanelError::Refused("`step` or `line` is required".to_owned())),
            (None, _) => None,
        };
        let mut kept = panel.replay.lock().unwrap_or_else(PoisonError::into_inner);
        let replay = match &mut *kept {
            Some(replay) => replay,
            None => {
                let (prepared, result) = (panel.prepared.clone(), Arc::clone(&panel.result));
                kept.insert(Replay::new(prepared, result, MAX_BYTES))
            }
        };
        let question = match step {
            Some(step) => self.about_register(replay, request, step)?,
            None => self.about_element(replay, request)?,
        };
        let mut links = replay.why(question, request.copies, self.text, control)?;
        let truncated = links.len() > MAX_LINKS;
        links.truncate(MAX_LINKS);
        let steps = self.warp_steps(replay, &links)?;
        let chain = links.iter().map(|link| self.link(link, steps.get(&link.step).copied().unwrap_or(0)));
        Ok(Why { chain: chain.collect(), truncated })
    }

    fn about_register(
        &self,
        replay: &mut Replay,
        WhyRequest { lane, register, after, .. }: &WhyRequest,
        step: u64,
    ) -> Result<Question, PanelError> {
        let name = register.as_deref().unwrap_or_default();
        let warp = replay.number(self.warp);
        let mut left = step;
        let found = replay.forward_of(warp, 0, self.control, |event| match left.checked_sub(1) {
            Some(fewer) => {
                left = fewer;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break((event.step, event.statement, event.depth)),
        })?;
        let refused = || PanelError::Refused(format!("the kernel has no register `{name}` at this step"));
        let (before, statement, depth) = found.ok_or_else(refused)?;
        let layout = replay.layout();
        let cell = layout.find(layout.function(statement), name).ok_or_else(refused)?;
        let cell = layout.at_depth(cell, depth);
        let place = Place::Register { warp, lane: *lane, cell };
        Ok(Question { place, before: before + u64::from(*after) })
    }

    fn about_element(&self, replay: &Replay, request: &WhyRequest) -> Result<Question, PanelError> {
        let name = request.buffer.as_deref().unwrap_or_default();
        let buffer = self.panel.prepared.resolved.buffer(name);
        let refused =
            || PanelError::Refused(format!("the launch has no element {} of `{name}`", request.element));
        let buffer = buffer.ok_or_else(refused)?;
        let size = buffer.element.bytes().max(1) as u64;
        if request.element >= buffer.len / size {
            return Err(refused());
        }
        let address = buffer.address + request.element * size;
        let place = Place::Byte { space: Space::Global, owner: 0, address };
        Ok(Question { place, before: replay.steps() })
    }

    /// The steps of their warps, by steps of the launch.
    fn warp_steps(&self, replay: &mut Replay, links: &[Link]) -> Result<FxHashMap<u64, u64>, PanelError> {
        let mut wanted: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for link in links {
            wanted.entry(link.warp).or_default().push(link.step);
        }
        let mut found = FxHashMap::default();
        for (warp, mut steps) in wanted {
            steps.sort_unstable();
            steps.dedup();
            let (mut next, mut count) = (steps.iter().peekable(), 0);
            replay.forward_of(warp, 0, self.control, |event| {
                if next.next_if(|step| **step == event.step).is_some() {
                    found.insert(event.step, count);
                }
                count += 1;
                if next.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
        }
        Ok(found)
    }

    fn link(&self, link: &Link, step: u64) -> JsonLink {
        let WarpId { cta, warp } = self.panel.prepared.warp_at(link.warp);
        let operand = |operand: &LinkOperand| JsonOperand {
            name: operand.name.to_string(),
            value: operand.value.map(|value| digits(value, operand.bits)),
        };
        JsonLink {
            cta,
            warp,
            lane: link.lane,
            step,
            line: (self.at)(link.statement).map(|position| position.line),
            text: (self.text)(link.statement),
            value: digits(link.value, link.bits),
            operands: link.operands.iter().map(operand).collect(),
        }
    }
}

/// A value in hexadecimal digits of its width.
fn digits(value: u128, bits: u16) -> String {
    let digits = usize::from(bits.div_ceil(4).max(1));
    format!("{value:0digits$x}")
}
