//! The values of a register as text: uniform, affine in the lane, a few different ones, or many. Pure.

use std::collections::BTreeMap;

use warplens_ide_db::markdown;
use warplens_sim_launch::show;
use warplens_sim_warp::objects::Object;
use warplens_sim_warp::{Class, LaneSet, Mask, ScalarType, TracedRegister, lane_iter};

/// The maximum number of different values that are listed.
const FEW: usize = 3;

/// The smallest address or bit pattern that is written in hex in a sum.
const LARGE: u64 = 1 << 20;

/// 64-bit numbers from here on are most likely addresses.
const ADDRESS: u128 = 1 << 28;

pub(crate) struct Reading<'h> {
    pub(crate) held: &'h TracedRegister,
    pub(crate) kind: ScalarType,
    pub(crate) lanes: Mask,
}

/// The pattern of values over lanes.
enum Form {
    /// No lane has a value.
    Nothing,
    Uniform(u128),
    /// An affine function of the lane, as text: `4*lane + 100`.
    Affine(String),
    /// A few different values and their lanes, ordered by the first lane.
    Few(Vec<(u128, Mask)>),
    /// The number of different values.
    Many(usize),
}

impl Reading<'_> {
    fn known(&self) -> Mask {
        self.lanes & self.held.known
    }

    fn lanes(&self) -> impl Iterator<Item = u32> + use<> {
        lane_iter::lanes(self.known()).map(|lane| lane as u32)
    }

    fn is_predicate(&self) -> bool {
        self.held.bits == 1
    }

    /// One value, in the notation of its type.
    pub(crate) fn value(&self, value: u128) -> String {
        let bits = usize::from(self.held.bits);
        match self.kind.class() {
            _ if self.is_predicate() => value.to_string(),
            _ if bits > 64 => format!("0x{value:0width$x}", width = bits / 4),
            Class::Bits => format!("0x{value:0width$x}", width = bits.div_ceil(4)),
            Class::Unsigned | Class::Signed if bits == 64 && (ADDRESS..1 << 63).contains(&value) => {
                format!("0x{value:x}")
            }
            _ => show(self.kind, value as u64),
        }
    }

    /// The value in a lane, if it has one.
    pub(crate) fn in_lane(&self, lane: u32) -> Option<String> {
        self.held.value(lane).map(|value| self.value(value))
    }

    /// The value as a function of the lane: `= 7`, or `= 4*lane + 100`.
    pub(crate) fn function(&self) -> Option<String> {
        match self.form() {
            Form::Uniform(value) => Some(format!("= {}", self.value(value))),
            Form::Affine(affine) => Some(format!("= {affine}")),
            Form::Nothing | Form::Few(_) | Form::Many(_) => None,
        }
    }

    /// The values in a line of text: `= lane + 100`, or the first ones: `= 0 1 4 9 …`. `None` if no lane has written it.
    pub(crate) fn in_line(&self, most: usize) -> Option<String> {
        if self.known() == 0 {
            return None;
        }
        self.function().or_else(|| {
            let lanes: Vec<_> = self.lanes().collect();
            let values: Vec<_> = lanes.iter().take(most).filter_map(|lane| self.in_lane(*lane)).collect();
            let rest = if lanes.len() > most { " …" } else { "" };
            Some(format!("= {}{rest}", values.join(" ")))
        })
    }

    fn form(&self) -> Form {
        let mut classes: BTreeMap<u128, Mask> = BTreeMap::new();
        for lane in self.lanes() {
            *classes.entry(self.held.value(lane).unwrap_or_default()).or_default() |= 1 << lane;
        }
        match classes.len() {
            0 => return Form::Nothing,
            1 => return Form::Uniform(classes.into_keys().next().unwrap_or_default()),
            _ => {}
        }
        if let Some(affine) = self.affine().filter(|_| self.known().count_ones() > 2) {
            return Form::Affine(affine);
        }
        if classes.len() > FEW {
            return Form::Many(classes.len());
        }
        let mut few: Vec<_> = classes.into_iter().collect();
        few.sort_by_key(|(_, lanes)| lanes.trailing_zeros());
        Form::Few(few)
    }

    /// `4*lane + 100`, if the values are affine in the lane.
    fn affine(&self) -> Option<String> {
        match (self.kind.class(), self.held.bits) {
            (_, 1 | 65..) => None,
            (Class::Float, _) => self.affine_float(),
            _ => self.affine_integer(),
        }
    }

    fn affine_integer(&self) -> Option<String> {
        let unused = 64 - u32::from(self.held.bits);
        let signed = |value: u64| (value << unused) as i64 >> unused;
        let mut lanes = self.lanes().map(|lane| (lane, self.held.value(lane).unwrap_or_default() as u64));
        let ((first, start), (second, next)) = (lanes.next()?, lanes.next()?);
        let (rise, run) = (signed(next.wrapping_sub(start)), i64::from(second - first));
        let step = (rise % run == 0).then(|| rise / run).filter(|step| step.unsigned_abs() < LARGE)?;
        let at = |lane: u32| {
            signed((start as i64).wrapping_add(step.wrapping_mul(i64::from(lane) - i64::from(first))) as u64)
        };
        if !lanes.all(|(lane, value)| at(lane) == signed(value)) {
            return None;
        }
        let base = at(0);
        let pattern = base as u64 & u64::MAX >> unused;
        let sum = match (self.kind.class(), base) {
            (_, 0) => String::new(),
            (Class::Bits | Class::Unsigned, base) if base.unsigned_abs() >= LARGE => {
                format!(" + 0x{pattern:x}")
            }
            (_, base) if self.held.bits == 64 && base >= ADDRESS as i64 => format!(" + 0x{pattern:x}"),
            (_, ..0) => format!(" - {}", base.unsigned_abs()),
            _ => format!(" + {base}"),
        };
        Some(times(&step.to_string()) + &sum)
    }

    /// Floats count as affine only if the function gives every value exactly.
    fn affine_float(&self) -> Option<String> {
        let float = |lane: u32| self.kind.float_of_bits(self.held.value(lane).unwrap_or_default() as u64);
        let mut lanes = self.lanes();
        let (first, second) = (lanes.next()?, lanes.next()?);
        let step = (float(second) - float(first)) / f64::from(second - first);
        let base = float(first) - step * f64::from(first);
        let fits = |lane: u32| base + step * f64::from(lane) == float(lane);
        if !step.is_finite() || !base.is_finite() || !self.lanes().all(fits) {
            return None;
        }
        let sum = match base {
            0.0 => String::new(),
            ..0.0 => format!(" - {:?}", -base),
            _ => format!(" + {base:?}"),
        };
        Some(times(&format!("{step:?}")) + &sum)
    }

    /// Whether a later lane has a smaller value: the sequence wraps around.
    fn wraps(&self) -> bool {
        let end = |lane: Option<u32>| lane.and_then(|lane| self.held.value(lane));
        self.kind.class() == Class::Unsigned && end(self.lanes().next()) > end(self.lanes().last())
    }

    /// The text for the hover: `= 4*lane + 100`, and the lanes. `None` if the values need a grid.
    pub(crate) fn sentence(&self, launched: Mask) -> Option<String> {
        let what = match self.form() {
            Form::Nothing => return Some("never written in these lanes".to_owned()),
            _ if self.is_predicate() => return Some(self.predicate()),
            Form::Uniform(value) => format!("= {}", self.value(value)),
            Form::Affine(affine) => format!("= {affine}"),
            Form::Few(few) => {
                let class = |(value, lanes): &(u128, Mask)| {
                    format!("{} in {:#}", self.value(*value), LaneSet(*lanes))
                };
                return Some(format!(
                    "= {}{}",
                    few.iter().map(class).collect::<Vec<_>>().join(", "),
                    self.unwritten()
                ));
            }
            Form::Many(_) => return None,
        };
        let of =
            if self.known() == launched { String::new() } else { format!(" in {:#}", LaneSet(self.known())) };
        Some(what + &of + &self.unwritten())
    }

    /// The address in each lane relative to the object that contains all of them, in Markdown: `= tile+128*lane`.
    pub(crate) fn address(&self, objects: impl AsRef<[Object]>) -> Option<String> {
        let addresses = || self.lanes().filter_map(|lane| self.held.value(lane));
        let lowest = u64::try_from(addresses().min()?).ok()?;
        let highest = u64::try_from(addresses().max()?).ok()?;
        let object =
            objects.as_ref().iter().find(|object| object.start <= lowest && highest < object.end())?;
        let name = markdown::name(&object.display_name());
        if lowest == highest {
            let offset = match lowest - object.start {
                0 => String::new(),
                offset => format!("+{offset}"),
            };
            return Some(format!("= {name}{offset}") + &self.unwritten());
        }
        let low = self.held.low.iter().map(|address| address.wrapping_sub(object.start)).collect();
        let offsets = TracedRegister { low, high: Box::default(), ..self.held.clone() };
        let offsets = Reading { held: &offsets, kind: ScalarType::S64, lanes: self.lanes };
        let affine = offsets.affine()?.replace(' ', "");
        Some(format!("= {name}+{affine}") + &self.unwritten())
    }

    /// A predicate is a set of lanes.
    fn predicate(&self) -> String {
        let holds = self.lanes().filter(|lane| self.held.value(*lane) == Some(1));
        let holds = holds.fold(0, |mask: Mask, lane| mask | 1 << lane);
        let known = self.known();
        let what = match holds {
            0 => "= false".to_owned(),
            holds if holds == known => "= true".to_owned(),
            holds => format!("= true in {:#}", LaneSet(holds)),
        };
        what + &self.unwritten()
    }

    /// The selected lanes that never wrote it.
    fn unwritten(&self) -> String {
        match self.lanes & !self.held.known {
            0 => String::new(),
            lanes => format!("; never written in {:#}", LaneSet(lanes)),
        }
    }

    /// The text for the hint at the end of a line: `%r5 = 0..31`.
    pub(crate) fn words(&self) -> Option<String> {
        let what = match self.form() {
            Form::Nothing => return None,
            Form::Uniform(value) if self.is_predicate() => (value == 1).to_string(),
            Form::Uniform(value) => self.value(value),
            Form::Affine(affine) if affine.starts_with("lane") && !self.wraps() => {
                let end = |lane: Option<u32>| self.in_lane(lane?);
                format!("{}..{}", end(self.lanes().next())?, end(self.lanes().last())?)
            }
            Form::Affine(affine) => affine.replace(' ', ""),
            Form::Few(few) if self.is_predicate() => {
                let holds = few.iter().find(|(value, _)| *value == 1).map_or(0, |(_, lanes)| *lanes);
                format!("{} of {}", holds.count_ones(), self.known().count_ones())
            }
            Form::Few(few) => {
                let class =
                    |(value, lanes): &(u128, Mask)| format!("{} x{}", self.value(*value), lanes.count_ones());
                few.iter().map(class).collect::<Vec<_>>().join(", ")
            }
            Form::Many(many) => format!("{many} values"),
        };
        Some(format!("{} = {what}", self.held.name))
    }
}

fn times(step: &str) -> String {
    match step {
        "1" | "1.0" => "lane".to_owned(),
        "-1" | "-1.0" => "-lane".to_owned(),
        step => format!("{step}*lane"),
    }
}

#[cfg(test)]
mod tests;
