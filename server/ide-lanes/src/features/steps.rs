//! The steps of a warp in order of execution, with the values that each wrote: `warplens sim --trace`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use warplens_sim_warp::{
    Cancelled, Control, LaneSet, Mask, TraceRequest, TracedRegister, TracedVisit, WarpId,
};

use crate::json::{Position, Positions, hex};
use crate::program::Statement;
use crate::run::Prepared;
use crate::view::values::Reading;

#[derive(Debug)]
pub struct Steps {
    pub warp: WarpId,
    /// In order of execution.
    pub(crate) visits: Vec<TracedVisit>,
    /// Whether later steps are missing because of the limit.
    pub truncated: bool,
}

/// A step of a warp: a visit of a statement.
#[derive(Debug, Clone, Copy)]
pub struct Step<'s> {
    /// Its number in the warp; the first is 1.
    pub number: usize,
    pub statement: &'s Statement,
    visit: &'s TracedVisit,
}

impl Prepared {
    /// Runs again on this thread to record the steps of a warp, which take at most `max_bytes`. `None` if the run does not
    /// reach the warp.
    pub fn steps(
        &self,
        warp: WarpId,
        max_bytes: usize,
        control: Control<'_>,
    ) -> Result<Option<Steps>, Cancelled> {
        let request = TraceRequest { steps: true, max_bytes, ..TraceRequest::at(warp) };
        let values = self.trace_warp(request, control)?;
        Ok(values.map(|values| Steps { warp, visits: values.steps, truncated: values.truncated }))
    }
}

impl Steps {
    /// The steps with their statements; `prepared` is the run that recorded them.
    pub fn iter<'s>(&'s self, prepared: &'s Prepared) -> impl Iterator<Item = Step<'s>> {
        let step = |(index, visit): (usize, &'s TracedVisit)| {
            let statement = prepared.statements.get(visit.statement.index())?;
            Some(Step { number: index + 1, statement, visit })
        };
        self.visits.iter().enumerate().filter_map(step)
    }
}

impl<'s> Step<'s> {
    /// The lanes that executed it, and the active lanes if some were predicated off: `0-7 of 0-31`.
    pub fn lanes(&self) -> String {
        let TracedVisit { active, executed, .. } = *self.visit;
        let lanes = |mask: Mask| LaneSet(mask).to_string();
        match (active == executed, executed) {
            (true, _) => lanes(active),
            (false, 0) => format!("none of {}", lanes(active)),
            (false, _) => format!("{} of {}", lanes(executed), lanes(active)),
        }
    }

    /// The registers that it wrote, with their values in the lanes that executed it: `%r1 = lane`.
    pub fn written(&self) -> Vec<String> {
        let registers = self.visit.registers.iter();
        let lanes = self.visit.executed;
        let words =
            |held: &TracedRegister| Reading { held, kind: self.statement.type_of(&held.name), lanes }.words();
        registers.filter_map(words).collect()
    }

    /// The step as JSON; `None` if the statement has no position.
    pub fn to_json(self, warp: WarpId, prepared: &Prepared, at: Positions<'_>) -> Option<JsonStep<'s>> {
        let Position { line, character } = at(self.visit.statement)?;
        let width = prepared.width();
        Some(JsonStep {
            step: self.number,
            cta: warp.cta,
            warp: warp.warp,
            line,
            character,
            visit: self.visit.visit,
            active: hex(self.visit.active, width),
            executed: hex(self.visit.executed, width),
            written: Written { visit: self.visit, width },
        })
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonStep<'s> {
    step: usize,
    cta: [u32; 3],
    warp: u32,
    line: u32,
    character: u32,
    visit: u64,
    active: String,
    executed: String,
    #[schemars(with = "BTreeMap<String, Vec<Option<String>>>")]
    written: Written<'s>,
}

/// The written registers: a hexadecimal value for each lane, `null` in lanes that did not execute the step.
#[derive(Debug)]
struct Written<'s> {
    visit: &'s TracedVisit,
    width: u32,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.visit.registers.iter().map(|held| {
            let digits = usize::from(held.bits.div_ceil(4));
            let value = |lane: u32| {
                let executed = self.visit.executed >> lane & 1 == 1;
                held.value(lane).filter(|_| executed).map(|value| format!("{value:0digits$x}"))
            };
            (held.name.as_str(), (0..self.width).map(value).collect::<Vec<_>>())
        }))
    }
}
