//! Reports undefined values where they matter.

use warplens_sim_cuda::sanitizer::undefined_use::{Cause, UndefinedOrigin, UndefinedUse};
use warplens_sim_cuda::sanitizer::{Sanitizer, undefined_messages};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Related, Severity};

use super::undefined::UndefinedValues;
use super::undefined_access::{note_loads, note_results, note_stores};
use super::undefined_use::StatementVisit;
use crate::program::{Function, Op, ReadKind};

/// Called before lanes execute a statement while some registers are undefined.
pub(crate) fn before(sanitizer: &mut Sanitizer, undefined: &mut UndefinedValues, visit: &StatementVisit<'_>) {
    let uses = undefined.step(visit);
    note_stores(sanitizer, undefined, visit, &uses);
    if let Some(used) = uses.used {
        report_undefined(sanitizer, used, visit.function);
    }
    if uses.root.is_some() && !sanitizer.follows_undefined() {
        *undefined = UndefinedValues::default();
    }
}

/// Called after the instruction at `pc`, whose destinations may now be undefined.
pub(crate) fn after(
    sanitizer: &mut Sanitizer,
    undefined: &mut UndefinedValues,
    function: &Function,
    pc: u32,
) {
    if !std::mem::take(&mut sanitizer.undefined.is_pending) {
        return;
    }
    match function.code[pc as usize].op {
        Op::Load(_) | Op::Atomic(_) => note_loads(sanitizer, undefined, function, pc),
        Op::MatrixAccess(_) | Op::FragmentAccess(_) | Op::Tensor(_) => {
            note_results(sanitizer, undefined, function, pc);
            if let Some(stored) = sanitizer.undefined.visible_store() {
                report_undefined(sanitizer, stored, function);
            }
        }
        Op::Store(_) => {
            if let Some(stored) = sanitizer.undefined.visible_store() {
                report_undefined(sanitizer, stored, function);
            }
        }
        Op::Int(..) => undefined.divided(function, pc, std::mem::take(&mut sanitizer.undefined.divided)),
        _ => {
            if let Some(inactive) = sanitizer.undefined.inactive.take() {
                undefined.shuffled(function, pc, inactive);
            }
        }
    }
}

#[cold]
fn report_undefined(sanitizer: &mut Sanitizer, used: UndefinedUse, function: &Function) {
    let UndefinedUse { root, statement, part, lanes } = used;
    let (kind, number) = match root.cause {
        Cause::Register(register) => (FindingKind::UninitializedRead, Some(register)),
        Cause::Carry | Cause::Memory | Cause::Cell => (FindingKind::UninitializedRead, None),
        Cause::Factor => (FindingKind::MatrixDescriptor, None),
        Cause::Shuffle(_) => (FindingKind::ShuffleInactive, None),
        Cause::Division => (FindingKind::DivisionByZero, Some(0)),
    };
    if !sanitizer.report.reported.insert((kind, root.statement, number)) {
        return;
    }
    let what = match part {
        ReadKind::Guard => "controls a predicate",
        ReadKind::Address => "is used as an address",
        ReadKind::Choice => "controls a branch",
        ReadKind::Members => "is used as a member mask",
        ReadKind::Stored | ReadKind::Source => "is stored",
    };
    // The value may be used in other lanes than it came from.
    let elsewhere = root.through.is_some() || matches!(root.cause, Cause::Shuffle(_));
    let lanes = if elsewhere { root.lanes } else { lanes };
    let memory = sanitizer.undefined.memory.get(&root.statement).map_or("", String::as_str);
    let message = undefined_message(&root, lanes, what, function, memory);
    let through = root.through.filter(|through| *through != statement);
    let through = through.map(|through| Related::new(through, "other lanes receive the value here"));
    let elsewhere =
        (root.statement != statement).then(|| Related::new(statement, format!("the value {what} here")));
    let warp = sanitizer.report.warp();
    let severity = match root.cause {
        Cause::Factor | Cause::Cell => Severity::Error,
        _ => Severity::Warning,
    };
    let finding = warp.finding(kind, message, root.statement, lanes).with_severity(severity);
    sanitizer.report.findings.push(finding.with(elsewhere.into_iter().chain(through)));
}

/// The message; `memory` describes the uninitialized memory that a load reads.
fn undefined_message(
    root: &UndefinedOrigin,
    lanes: u32,
    what: &str,
    function: &Function,
    memory: &str,
) -> String {
    let of = LaneSet(lanes.into());
    match root.cause {
        Cause::Register(register) => {
            let name = function.frame.registers.get(register as usize).map_or("", |register| &register.name);
            undefined_messages::register(name, lanes, what)
        }
        Cause::Carry => undefined_messages::carry(lanes, what),
        Cause::Memory => {
            format!(
                "{memory}\nthe value {what}; initialize it first, and synchronize with the threads that do"
            )
        }
        Cause::Factor => format!(
            "{memory}\nthe matrix descriptor leads there, and the value {what}; check its offsets, or write these rows and columns \
             of the matrix first"
        ),
        Cause::Cell => format!(
            "{memory}\nthe value {what}. The contents are undefined after `tcgen05.alloc`: write all cells first, with \
             `tcgen05.st`, `tcgen05.cp`, or a product that does not add D"
        ),
        Cause::Division => format!(
            "in {of}\nthe result is unspecified (all ones in the simulator); it {what}. Guard the \
             division, or do not use its result"
        ),
        Cause::Shuffle(inactive) => undefined_messages::shuffle(&inactive, lanes, what),
    }
}
