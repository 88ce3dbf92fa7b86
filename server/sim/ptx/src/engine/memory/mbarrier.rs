//! Operations on mbarrier objects in shared memory.

use warplens_sim_cuda::async_ops::operation::{Effect, Operation, Signal};
use warplens_sim_cuda::async_ops::phase_log::PhaseAction;
use warplens_sim_cuda::fault::{ExecError, Fault, PendingBarriers, Result};
use warplens_sim_cuda::memory::mbarrier_object::{MAX_ARRIVALS, Object, PHASE, Token};
use warplens_sim_cuda::memory::polled::PolledValue;
use warplens_sim_cuda::memory::region::{AccessMode, MemoryRegion};
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::sanitizer::mbarrier_phases::PhaseEvent;
use warplens_sim_cuda::windows;
use warplens_sim_warp::finding_kind::FindingKind;

use super::cluster_address;
use super::lane_address::LaneAddress;
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::{get, put};
use crate::program::{Mbarrier, MbarrierAction, Space};

enum ActionResult {
    Nothing,
    /// An arrival, which returns a token.
    Arrived,
    Token(u64),
    Holds(bool),
}

/// Runs an action on the objects that the lanes of `mask` address, lowest lane first.
pub(crate) fn execute(
    mbarrier: &Mbarrier,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    let at = addresses(&mbarrier.address, r, ctx.bases);
    let mut pending = PendingBarriers::new();
    for lane in lanes(mask) {
        let operand = mbarrier.operand.map(|place| get(place, r, lane) as u64);
        let object = LaneAddress { space: mbarrier.space, address: at[lane], lane };
        let Some(blocks) = mbarrier.blocks else {
            let result = run_action(mbarrier.action, operand, object, ctx)?;
            if deliver(mbarrier, result, object, r) {
                let failed = object.polled(ctx)?;
                if pending.iter().all(|value| value.index != failed.index) {
                    pending.push(failed);
                }
            }
            continue;
        };
        for rank in cluster_address::ranks(r.get::<u32>(blocks)[lane], lane, ctx.spaces.window)? {
            run_action(mbarrier.action, operand, object.in_block(rank, ctx), ctx)?;
        }
    }
    if pending.is_empty() { Ok(()) } else { Err(Box::new(ExecError::Yield(Some(pending)))) }
}

/// Runs an action on one object, and reports its effect on copies to the sanitizer.
fn run_action(
    action: MbarrierAction,
    operand: Option<u64>,
    at: LaneAddress,
    ctx: &mut ExecContext<'_>,
) -> Result<ActionResult> {
    if ctx.sanitizer.is_some() && matches!(action, MbarrierAction::ArriveCopies { .. }) {
        let (object, parity) = at.object(ctx)?;
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.arrive_on_copies(at.lane, CopyFamily::Single, object, parity);
        }
    }
    let result = act(action, operand, at, ctx)?;
    if ctx.sanitizer.is_some() && action.waits() && matches!(result, ActionResult::Holds(true)) {
        let (object, _) = at.object(ctx)?;
        let tested = operand.unwrap_or(0);
        let parity = match action {
            MbarrierAction::TestToken => Token::of_bits(tested).map_or(0, |token| token.parity),
            _ => tested & 1,
        };
        let statement = ctx.statement();
        let thread = ctx.issuer(1 << at.lane);
        ctx.spaces.asynchronous.phases.waited(object as usize, statement, thread);
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.phase_completed(object, parity);
        }
    }
    Ok(result)
}

/// Writes the result to the lane's destination; returns whether a test failed.
fn deliver(mbarrier: &Mbarrier, result: ActionResult, at: LaneAddress, r: &mut Registers) -> bool {
    let value = match result {
        ActionResult::Nothing | ActionResult::Arrived => None,
        ActionResult::Token(token) => Some(token),
        ActionResult::Holds(holds) => Some(holds.into()),
    };
    if let Some((value, d)) = value.zip(mbarrier.d) {
        put(d, r, at.lane, value.into());
    }
    // Only failed copies between devices write a report.
    for place in mbarrier.reports.into_iter().flatten() {
        put(place, r, at.lane, 0);
    }
    mbarrier.action.waits() && matches!(result, ActionResult::Holds(false))
}

impl LaneAddress {
    /// The phase to which a copy that starts now belongs.
    pub(crate) fn phase(self, ctx: &mut ExecContext<'_>) -> Result<CopyCompletion> {
        let (object, parity) = self.object(ctx)?;
        Ok(CopyCompletion::Phase { object, parity })
    }

    /// Announces an operation's completion at the object: everything its thread did before becomes visible to threads that
    /// observe the completion. Returns the object's offset in the cluster's shared memory.
    pub(crate) fn announce(self, event: PhaseEvent, ctx: &mut ExecContext<'_>) -> Result<usize> {
        let bits = bits_of(self, ctx)?;
        self.note(event, ctx)?;
        self.report(AccessKind::Completion, 8, 0, ctx)?;
        if Object::of_bits(bits).is_none() {
            return Err(uninitialized(self));
        }
        Ok(self.object(ctx)?.0 as usize)
    }

    /// Arrives at the object once the thread's tensor memory operations so far are complete.
    pub(crate) fn arrive_after_tensor_operations(self, ctx: &mut ExecContext<'_>) -> Result {
        let (object, parity) = self.object(ctx)?;
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.commit_operations(self.lane, object, parity);
        }
        let signal = Signal::Arrive(self.announce(PhaseEvent::Commit, ctx)?);
        let (issuer, statement) = (ctx.issuer(1 << self.lane), ctx.statement());
        ctx.spaces.issue(Operation { issuer, statement, group: None, effect: Effect::Nothing, signal });
        Ok(())
    }

    /// Reports to the sanitizer what the lane does at the object.
    fn note(self, event: PhaseEvent, ctx: &mut ExecContext<'_>) -> Result {
        if ctx.sanitizer.is_some() {
            let index = self.index(ctx)?;
            if let Some(sanitizer) = &mut ctx.sanitizer {
                sanitizer.at_mbarrier(self.lane, index, event, ctx.spaces);
            }
        }
        Ok(())
    }

    fn polled(self, ctx: &mut ExecContext<'_>) -> Result<PolledValue> {
        let value = self.get(8, ctx)? & PHASE;
        let (index, _) = self.object(ctx)?;
        Ok(PolledValue { region: MemoryRegion::Shared, index: index as usize, size: 8, mask: PHASE, value })
    }

    /// The object's offset in the cluster's shared memory, and the parity of its phase.
    fn object(self, ctx: &mut ExecContext<'_>) -> Result<(u64, u64)> {
        let parity = Object::of_bits(bits_of(self, ctx)?).map_or(0, |object| object.parity);
        Ok((self.index(ctx)?, parity))
    }

    /// The object's offset in the cluster's shared memory.
    fn index(self, ctx: &mut ExecContext<'_>) -> Result<u64> {
        let checked = self.check(8, AccessMode::Load, ctx)?;
        Ok(checked.of(self.lane).map_or(0, |extent| extent.index(self.address) as u64))
    }
}

fn act(
    action: MbarrierAction,
    operand: Option<u64>,
    at: LaneAddress,
    ctx: &mut ExecContext<'_>,
) -> Result<ActionResult> {
    let bits = bits_of(at, ctx)?;
    // A failed test orders nothing, so waiting costs no more than loads.
    if !fails(action, operand, bits) {
        if let Some(event) = event(action) {
            at.note(event, ctx)?;
        }
        at.report(kind_of(action), 8, 0, ctx)?;
    }
    if let MbarrierAction::Initialize { layout } = action {
        let count = operand.unwrap_or(1);
        let new = Object { expected: count, pending: count, bytes: 0, parity: 0, layout: layout.into() };
        return initialize(new, at, ctx);
    }
    let Some(before) = Object::of_bits(bits) else {
        return Err(uninitialized(at));
    };
    if action == MbarrierAction::TestToken {
        check_token(operand.unwrap_or(0), at, ctx)?;
    }
    let mut object = before;
    let result = match change(action, operand, &mut object) {
        Ok(result) => result,
        Err(_) if before.pending == 0 && arrives_again(at, ctx)? => return Err(early_arrival(at, ctx)),
        Err(message) => return Err(misuse(message, at)),
    };
    let result = match result {
        ActionResult::Arrived => {
            let place = at.index(ctx)?;
            let completed = ctx.spaces.asynchronous.phases.completed(place as usize);
            ActionResult::Token(Token::new(before, place, completed).bits())
        }
        result => result,
    };
    note_phase(action, operand, at, (before, object), ctx)?;
    let after = if action == MbarrierAction::Invalidate { 0 } else { object.bits() };
    if action == MbarrierAction::Invalidate {
        let place = at.place(8, AccessMode::Store, ctx)?.index;
        ctx.spaces.asynchronous.phases.invalidated(place);
    }
    if after != bits {
        at.put(8, after, ctx)?;
    }
    if let MbarrierAction::ArriveCopies { counted } = action {
        if !counted {
            let place = at.place(8, AccessMode::Store, ctx)?.index;
            ctx.spaces.asynchronous.phases.raised(place);
        }
        arrive_later(at, ctx)?;
    }
    Ok(result)
}

fn kind_of(action: MbarrierAction) -> AccessKind {
    match action {
        MbarrierAction::CompleteBytes | MbarrierAction::ArriveCopies { .. } => AccessKind::Completion,
        MbarrierAction::TestToken | MbarrierAction::TestParity => AccessKind::Read,
        MbarrierAction::Initialize { .. } | MbarrierAction::Invalidate => AccessKind::Store,
        _ => AccessKind::Atomic,
    }
}

fn initialize(new: Object, at: LaneAddress, ctx: &mut ExecContext<'_>) -> Result<ActionResult> {
    let count = new.expected;
    if count == 0 || count > MAX_ARRIVALS {
        return Err(misuse(format!("the count must be from 1 to {MAX_ARRIVALS}, not {count}"), at));
    }
    at.put(8, new.bits(), ctx)?;
    let (place, statement) = (at.place(8, AccessMode::Store, ctx)?.index, ctx.statement());
    ctx.spaces.asynchronous.phases.note(place, statement, PhaseAction::Initialize, count);
    Ok(ActionResult::Nothing)
}

/// What an action means for the phases of an object.
fn event(action: MbarrierAction) -> Option<PhaseEvent> {
    Some(match action {
        MbarrierAction::Initialize { .. } => PhaseEvent::Initialize,
        MbarrierAction::ExpectBytes => PhaseEvent::Expect,
        MbarrierAction::CompleteBytes => PhaseEvent::Copy,
        MbarrierAction::Arrive { .. } => PhaseEvent::Arrive,
        MbarrierAction::ArriveCopies { counted } => PhaseEvent::ArriveAfterCopies { counted },
        MbarrierAction::TestToken => PhaseEvent::Wait { by_parity: false },
        MbarrierAction::TestParity => PhaseEvent::Wait { by_parity: true },
        MbarrierAction::Invalidate => PhaseEvent::Invalidate,
        MbarrierAction::CheckLayout(_) => return None,
    })
}

/// Records arrivals, announced and completed bytes, and the end of a phase.
fn note_phase(
    action: MbarrierAction,
    operand: Option<u64>,
    at: LaneAddress,
    (before, after): (Object, Object),
    ctx: &mut ExecContext<'_>,
) -> Result {
    let count = operand.unwrap_or(1);
    let [arrivals, expected, completed] = match action {
        MbarrierAction::ExpectBytes => [0, count, 0],
        MbarrierAction::CompleteBytes => [0, 0, count],
        MbarrierAction::Arrive { expects: true, .. } => [1, operand.unwrap_or(0), 0],
        MbarrierAction::Arrive { .. } => [count, 0, 0],
        _ => [0; 3],
    };
    if [arrivals, expected, completed] == [0; 3] && before.parity == after.parity {
        return Ok(());
    }
    let place = at.place(8, AccessMode::Store, ctx)?.index;
    let statement = ctx.statement();
    let actions = [PhaseAction::Arrive, PhaseAction::Expect, PhaseAction::Complete];
    for (action, count) in actions.into_iter().zip([arrivals, expected, completed]) {
        if count != 0 {
            ctx.spaces.asynchronous.phases.note(place, statement, action, count);
        }
    }
    if arrivals != 0 {
        let thread = ctx.issuer(1 << at.lane);
        ctx.spaces.asynchronous.phases.arrived(place, thread);
    }
    if before.parity != after.parity {
        ctx.spaces.asynchronous.phases.advance(place);
    }
    Ok(())
}

fn fails(action: MbarrierAction, operand: Option<u64>, bits: u64) -> bool {
    let object = Object::of_bits(bits).filter(|_| action.waits());
    let result = object.map(|mut object| change(action, operand, &mut object));
    matches!(result, Some(Ok(ActionResult::Holds(false))))
}

fn change(action: MbarrierAction, operand: Option<u64>, object: &mut Object) -> Result<ActionResult, String> {
    let count = operand.unwrap_or(1);
    match action {
        MbarrierAction::Initialize { .. } | MbarrierAction::Invalidate => return Ok(ActionResult::Nothing),
        MbarrierAction::ExpectBytes => object.expect(count as u32 as i64)?,
        MbarrierAction::CompleteBytes => object.expect(-(count as u32 as i64))?,
        MbarrierAction::Arrive { expects, drops, completes } => {
            let count = if expects { 1 } else { count };
            if expects {
                object.expect(operand.unwrap_or(0) as u32 as i64)?;
            }
            if drops {
                object.expected = object.expected.saturating_sub(count);
            }
            object.arrive(count)?;
            if !completes && object.pending == 0 && object.bytes == 0 {
                return Err(
                    "an arrival with `.noComplete` completes the phase\nremove `.noComplete`".to_owned()
                );
            }
        }
        // The arrival itself comes later, after the copies.
        MbarrierAction::ArriveCopies { counted } => {
            object.pending = (object.pending + u64::from(!counted)).min(MAX_ARRIVALS);
            return Ok(ActionResult::Arrived);
        }
        MbarrierAction::TestToken => {
            let token = Token::of_bits(count);
            let token = token.ok_or_else(|| format!("{count:#x} is not a token that an arrival returned"))?;
            return Ok(ActionResult::Holds(token.parity != object.parity));
        }
        MbarrierAction::TestParity => return Ok(ActionResult::Holds(count & 1 != object.parity)),
        MbarrierAction::CheckLayout(layout) => {
            return Ok(ActionResult::Holds(object.layout == u64::from(layout)));
        }
    }
    object.advance();
    Ok(ActionResult::Arrived)
}

/// The pending arrivals when a token was returned.
pub(crate) fn pending_of(token: u64) -> u32 {
    Token::of_bits(token).map_or(0, |token| token.pending as u32)
}

/// The bits of an object, which must be in shared memory.
fn bits_of(at: LaneAddress, ctx: &mut ExecContext<'_>) -> Result<u64> {
    let LaneAddress { space, address, lane } = at;
    let shared = windows::SHARED..windows::LOCAL;
    if space != Space::Shared && !(space == Space::Generic && shared.contains(&address)) {
        let message = format!("address {address:#x} is not in shared memory");
        return Err(Fault::new(FindingKind::Mbarrier, message, 1 << lane));
    }
    at.get(8, ctx)
}

/// Arrives at the object once the thread's copies so far are complete.
fn arrive_later(at: LaneAddress, ctx: &mut ExecContext<'_>) -> Result {
    let (object, _) = at.object(ctx)?;
    let issuer = ctx.issuer(1 << at.lane);
    let group = Some(ctx.spaces.asynchronous.group(issuer, CopyFamily::Single));
    let (statement, signal) = (ctx.statement(), Signal::Arrive(object as usize));
    ctx.spaces.issue(Operation { issuer, statement, group, effect: Effect::Nothing, signal });
    Ok(())
}

/// Checks that a token is of this object, and of its current phase or the one before (PTX ISA, `mbarrier.test_wait`).
fn check_token(bits: u64, at: LaneAddress, ctx: &mut ExecContext<'_>) -> Result {
    let Some(token) = Token::of_bits(bits) else { return Ok(()) };
    let place = at.index(ctx)?;
    if !token.is_of(place) {
        let message = "the token was returned by an arrival at another object\nbehavior is undefined; wait with the token of an arrival \
                       at this object";
        return Err(misuse(message, at));
    }
    let age = token.age(ctx.spaces.asynchronous.phases.completed(place as usize));
    if age > 1 {
        let message = format!(
            "{age} phases have ended since the arrival that returned the token\nbehavior is undefined unless the token is of the current \
             phase or the one before; wait with the token of the last arrival"
        );
        return Err(misuse(message, at));
    }
    Ok(())
}

fn uninitialized(at: LaneAddress) -> Fault {
    let message = "the address has no initialized mbarrier object\ninitialize it with `mbarrier.init`";
    misuse(message, at)
}

/// Whether the lane has already arrived in the running phase, so that it means the next one.
fn arrives_again(at: LaneAddress, ctx: &mut ExecContext<'_>) -> Result<bool> {
    let index = at.index(ctx)?;
    Ok(ctx.sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.arrived_again(at.lane, index)))
}

/// An arrival in a phase that has all arrivals, and waits for bytes.
fn early_arrival(at: LaneAddress, ctx: &ExecContext<'_>) -> Fault {
    let object = ctx.spaces.element(at.space, at.address, 8, ctx.local);
    let message = format!(
        "a second arrival of a thread in a phase of {object}\nthe phase waits for bytes of copies in flight, so this arrival is meant for the \
         next one and comes too early. Wait before it until the phase is complete, as with an mbarrier for empty slots"
    );
    misuse(message, at)
}

fn misuse(message: impl Into<String>, at: LaneAddress) -> Fault {
    Fault::new(FindingKind::Mbarrier, message, 1 << at.lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(expected: u64) -> Object {
        Object { expected, pending: expected, bytes: 0, parity: 0, layout: 0 }
    }

    const ARRIVE: MbarrierAction = MbarrierAction::Arrive { expects: false, drops: false, completes: true };

    #[test]
    fn a_phase_completes_with_its_last_arrival_and_byte() {
        let mut object = object(2);
        let expects = MbarrierAction::Arrive { expects: true, drops: false, completes: true };
        change(expects, Some(16), &mut object).expect("one arrival");
        change(ARRIVE, None, &mut object).expect("the other");
        assert_eq!((object.parity, object.pending, object.bytes), (0, 0, 16));
        change(MbarrierAction::CompleteBytes, Some(16), &mut object).expect("the bytes");
        assert_eq!((object.parity, object.pending, object.bytes), (1, 2, 0));
    }

    #[test]
    fn bytes_may_complete_before_they_are_expected() {
        let mut object = object(1);
        change(MbarrierAction::CompleteBytes, Some(16), &mut object).expect("early");
        change(MbarrierAction::ExpectBytes, Some(16), &mut object).expect("late");
        assert_eq!((object.parity, object.bytes), (0, 0));
        change(ARRIVE, None, &mut object).expect("the arrival");
        assert_eq!(object.parity, 1);
    }

    #[test]
    fn a_dropped_arrival_is_not_expected_again() {
        let mut object = object(2);
        let drops = MbarrierAction::Arrive { expects: false, drops: true, completes: true };
        change(drops, None, &mut object).expect("dropped");
        change(ARRIVE, None, &mut object).expect("arrived");
        assert_eq!((object.parity, object.expected, object.pending), (1, 1, 1));
    }

    #[test]
    fn misuse() {
        assert!(change(ARRIVE, Some(3), &mut object(2)).is_err());
        let stays = MbarrierAction::Arrive { expects: false, drops: false, completes: false };
        assert!(change(stays, Some(2), &mut object(2)).is_err());
        assert!(change(MbarrierAction::ExpectBytes, Some(1 << 20), &mut object(2)).is_err());
        assert!(change(MbarrierAction::TestToken, Some(0), &mut object(2)).is_err());
    }
}
