//! The registers around a step of a warp.

use rustc_hash::FxHashMap;
use serde::Serialize;
use smol_str::SmolStr;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::{Mask, RegisterValues, ScalarType, TracedRegister};

use super::error::PanelError;
use super::moment::{JsonMoment, MomentRequest};
use super::run::PanelQuery;
use crate::json::hex;
use crate::program::{AddressRegister, Statement};
use crate::view::buffer_object;
use crate::view::values::Reading;

/// The most registers that a client may add.
pub(super) const MAX_PINS: usize = 64;

/// The most registers that the statement does not name.
const MAX_OTHERS: usize = 512;

/// The registers around a step.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Registers {
    cta: [u32; 3],
    warp: u32,
    width: u32,
    #[serde(flatten)]
    #[cfg_attr(test, ts(skip))]
    moment: Option<JsonMoment>,
    rows: Vec<Row>,
    /// The names of all registers, for a client that lets users choose.
    names: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RegisterRow"))]
struct Row {
    name: String,
    role: RowRole,
    #[serde(rename = "type")]
    kind: &'static str,
    /// The values as a function of the lane, if they have one.
    form: Option<String>,
    /// By lane; `null` where the lane never wrote it.
    values: Vec<Option<String>>,
    /// The values as hexadecimal digits, as in `warplens sim --registers`.
    bits: Vec<Option<String>>,
    /// The lanes whose value this step changed.
    changed: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
enum RowRole {
    After,
    Before,
    Pinned,
    Other,
}

impl PanelQuery<'_> {
    /// The registers of a statement around one of its visits, and those that the client pins; with `all`, every register that holds a value.
    pub fn registers(
        &self,
        place: MomentRequest,
        pins: &[String],
        all: bool,
    ) -> Result<Registers, PanelError> {
        let found = self.find(place)?;
        let moment = self.moment(found.step)?;
        let prepared = &self.panel.prepared;
        let statement = prepared.statements.get(found.statement.index());
        let named = statement.map_or(&[][..], |statement| &statement.registers);
        let width = self.width();
        let kinds: FxHashMap<&str, ScalarType> = self.kinds(named);
        let objects =
            Addresses { buffers: prepared.resolved.buffers.iter().map(buffer_object).collect(), statement };
        let row = |register: &RegisterValues, role: RowRole, other: Option<&RegisterValues>| {
            let kind = kinds.get(register.name.as_str()).copied().unwrap_or(ScalarType::B32);
            Row::new(register, role, kind, other, width, &objects)
        };
        let of = |registers: &[RegisterValues], name: &str| {
            registers.iter().find(|register| register.name == name).cloned()
        };
        let is_named = |name: &str| named.iter().any(|(named, _)| named == name);
        let writes = prepared.program.writes(found.statement);
        let written =
            |name: &SmolStr| writes.contains(name) || of(&moment.after, name) != of(&moment.before, name);
        let mut rows = Vec::new();
        for (name, _) in named.iter().filter(|(name, _)| written(name)) {
            if let Some(after) = of(&moment.after, name) {
                rows.push(row(&after, RowRole::After, of(&moment.before, name).as_ref()));
            }
        }
        for (name, _) in named {
            rows.extend(of(&moment.before, name).map(|before| row(&before, RowRole::Before, None)));
        }
        for name in pins.iter().take(MAX_PINS).filter(|name| !is_named(name)) {
            rows.extend(
                of(&moment.after, name)
                    .map(|after| row(&after, RowRole::Pinned, of(&moment.before, name).as_ref())),
            );
        }
        if all {
            let is_listed = |name: &str| is_named(name) || pins.iter().any(|pin| pin == name);
            let holds = |register: &RegisterValues| register.lanes.iter().any(Option::is_some);
            let others = moment.after.iter().filter(|after| holds(after) && !is_listed(&after.name));
            let before = |after: &RegisterValues| of(&moment.before, &after.name);
            rows.extend(
                others.take(MAX_OTHERS).map(|after| row(after, RowRole::Other, before(after).as_ref())),
            );
        }
        let names = moment.after.iter().map(|register| register.name.to_string()).collect();
        let moment = found.to_json(width, self.at);
        Ok(Registers { cta: self.warp.cta, warp: self.warp.warp, width, moment, rows, names })
    }

    /// The types of registers: those at the statement first, then those of other statements.
    fn kinds<'s>(&'s self, named: &'s [(SmolStr, ScalarType)]) -> FxHashMap<&'s str, ScalarType> {
        let statements = self.panel.prepared.statements.iter().flat_map(|statement| &statement.registers);
        let mut kinds = FxHashMap::default();
        for (name, kind) in named.iter().chain(statements) {
            kinds.entry(name.as_str()).or_insert(*kind);
        }
        kinds
    }
}

impl Row {
    fn new(
        register: &RegisterValues,
        role: RowRole,
        kind: ScalarType,
        other: Option<&RegisterValues>,
        width: u32,
        addresses: &Addresses<'_>,
    ) -> Row {
        let held = traced(register);
        let reading = Reading { held: &held, kind, lanes: held.known };
        let lanes = 0..width;
        let digits = usize::from(register.bits.div_ceil(4)).max(1);
        let bits = |value: &Option<u128>| value.map(|value| format!("{value:0digits$x}"));
        let changed = lanes.clone().filter(|lane| {
            let at = *lane as usize;
            other.is_some_and(|other| other.lanes.get(at) != register.lanes.get(at))
        });
        let changed = changed.fold(0, |mask: Mask, lane| mask | 1 << lane);
        let is_predicate = register.bits == 1;
        Row {
            name: register.name.to_string(),
            role,
            kind: if is_predicate { "pred" } else { kind.name() },
            form: match is_predicate {
                true => None,
                false => addresses.form(&reading).or_else(|| reading.function()),
            },
            values: lanes.map(|lane| reading.in_lane(lane)).collect(),
            bits: register.lanes.iter().take(width as usize).map(bits).collect(),
            changed: hex(changed, width),
        }
    }
}

/// The objects that registers may point into.
struct Addresses<'s> {
    buffers: Vec<Object>,
    statement: Option<&'s Statement>,
}

impl Addresses<'_> {
    /// `= in+4*lane`, if all values are in one object: in the state space that the statement accesses, or in a buffer.
    fn form(&self, reading: &Reading<'_>) -> Option<String> {
        let named = self.statement.and_then(|statement| statement.address.as_ref());
        match named.filter(|address| address.name == reading.held.name) {
            Some(AddressRegister { objects: Some(objects), .. }) => reading.address(objects),
            Some(_) => reading.address(&self.buffers),
            None => (reading.held.bits == 64).then(|| reading.address(&self.buffers))?,
        }
    }
}

/// The register in the form that hovers read.
fn traced(register: &RegisterValues) -> TracedRegister {
    let value = |lane: &Option<u128>| lane.unwrap_or_default();
    let known = register.lanes.iter().enumerate().filter(|(_, value)| value.is_some());
    TracedRegister {
        name: register.name.clone(),
        bits: register.bits,
        written: false,
        known: known.fold(0, |mask, (lane, _)| mask | 1 << lane),
        low: register.lanes.iter().map(|lane| value(lane) as u64).collect(),
        high: match register.bits {
            0..=64 => Box::default(),
            _ => register.lanes.iter().map(|lane| (value(lane) >> 64) as u64).collect(),
        },
    }
}
