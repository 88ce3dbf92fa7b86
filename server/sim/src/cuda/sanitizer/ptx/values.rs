//! Reports of undefined values where they matter.

use super::undefined::UndefinedValues;
use super::undefined_use::{Cause, StatementVisit, UndefinedOrigin, UndefinedUse};
use crate::cuda::inactive_sources::InactiveSources;
use crate::cuda::sanitizer::{Sanitizer, undefined_messages};
use crate::lanes::Lanes;
use crate::ptx::program::{Function, Op, Part};
use crate::trace::{Related, Severity};
use crate::warp::finding_kind::FindingKind;

impl Sanitizer {
    /// Whether undefined values are propagated through registers.
    pub(crate) fn follows_values(&self) -> bool {
        self.checks.uninitialized
    }

    /// Lanes execute a statement while some registers are undefined.
    pub(crate) fn values(&mut self, undefined: &mut UndefinedValues, visit: &StatementVisit<'_>) {
        let uses = undefined.step(visit);
        self.stores(undefined, visit, &uses);
        if let Some(used) = uses.used {
            self.report_undefined(used, visit.function);
        }
    }

    /// A shuffle read lanes that do not take part in it.
    pub(crate) fn shuffled(&mut self, inactive: InactiveSources) {
        if self.checks.uninitialized {
            self.inactive = Some(inactive);
            self.made_undefined = true;
        }
    }

    /// The shuffle is reported for another reason.
    pub(crate) fn forget_shuffle(&mut self) {
        self.inactive = None;
    }

    /// After the instruction at `pc`: its destinations may be undefined.
    pub(crate) fn wrote(&mut self, undefined: &mut UndefinedValues, function: &Function, pc: u32) {
        if !std::mem::take(&mut self.made_undefined) {
            return;
        }
        match function.code[pc as usize].op {
            Op::Load => self.loaded(undefined, function, pc),
            Op::Store => {
                if let Some(stored) = self.visible_store() {
                    self.report_undefined(stored, function);
                }
            }
            Op::Int(..) => undefined.divided(function, pc, std::mem::take(&mut self.undefined.divided)),
            _ => {
                if let Some(inactive) = self.inactive.take() {
                    undefined.shuffled(function, pc, inactive);
                }
            }
        }
    }

    #[cold]
    fn report_undefined(&mut self, used: UndefinedUse, function: &Function) {
        let UndefinedUse { root, statement, part, lanes } = used;
        let (kind, number) = match root.cause {
            Cause::Register(register) => (FindingKind::UninitializedRead, register),
            Cause::Memory => (FindingKind::UninitializedRead, u32::MAX),
            Cause::Shuffle(_) => (FindingKind::ShuffleInactive, u32::MAX),
            Cause::Division => (FindingKind::DivisionByZero, 0),
        };
        if !self.reported.insert((kind, root.statement, number)) {
            return;
        }
        let what = match part {
            Part::Guard => "controls a predicate",
            Part::Address => "is used as an address",
            Part::Choice => "controls a branch",
            Part::Members => "is used as a member mask",
            Part::Stored | Part::Source => "is stored",
        };
        // Other lanes than those of the origin may use the value.
        let elsewhere = root.through.is_some() || matches!(root.cause, Cause::Shuffle(_));
        let lanes = if elsewhere { root.lanes } else { lanes };
        let memory = self.uninitialized_memory.get(&root.statement).map_or("", String::as_str);
        let message = undefined_message(&root, lanes, what, function, memory);
        let through = root.through.filter(|through| *through != statement);
        let through = through.map(|through| Related::new(through, "other lanes receive the value here"));
        let elsewhere =
            (root.statement != statement).then(|| Related::new(statement, format!("the value {what} here")));
        let warp = self.running_warp();
        let finding = warp.finding(kind, message, root.statement, lanes).with_severity(Severity::Warning);
        self.findings.push(finding.with(elsewhere.into_iter().chain(through)));
    }
}

/// The message; `memory` says which uninitialized memory a load reads.
fn undefined_message(
    root: &UndefinedOrigin,
    lanes: u32,
    what: &str,
    function: &Function,
    memory: &str,
) -> String {
    let of = Lanes(lanes.into());
    match root.cause {
        Cause::Register(register) => {
            let name = function.frame.registers.get(register as usize).map_or("", |register| &register.name);
            undefined_messages::register(name, lanes, what)
        }
        Cause::Memory => {
            format!(
                "{memory}\nthe value {what}; initialize it first, and synchronize with the threads that do"
            )
        }
        Cause::Division => format!(
            "in {of}\nthe result is unspecified (all ones in the simulator); it {what}. Guard the \
             division, or do not use its result"
        ),
        Cause::Shuffle(inactive) => undefined_messages::shuffle(&inactive, lanes, what),
    }
}
