//! Warp-wide operations: shuffles, votes, matches, reductions, elections.

use warplens_sim_cuda::fault::Fault;
use warplens_sim_cuda::inactive_sources::{Absence, InactiveSources};
use warplens_sim_cuda::registers::{FULL, PerLane, Registers, WIDTH, filter_lanes, lanes};
use warplens_sim_cuda::semantics::float::{FloatOp, extremum_32};
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;

use super::operand::{get, put};
use crate::program::{Exchange, ExchangeKind, Function, Instruction, Op, Slot};

#[derive(Default)]
pub(crate) struct Outcome {
    /// A finding about incorrect use.
    pub(crate) warning: Option<Fault>,
    pub(crate) inactive: Option<InactiveSources>,
}

pub(crate) fn exchange_of<'f>(instruction: &Instruction, function: &'f Function) -> Option<&'f Exchange> {
    Some(&function.tables[instruction.op.exchange()?])
}

/// The register with the member mask of an instruction that has one.
pub(crate) fn members_slot(instruction: &Instruction, function: &Function) -> Option<Slot> {
    match instruction.op {
        Op::WarpSync => Some(instruction.s.a),
        _ => exchange_of(instruction, function)?.members,
    }
}

/// The lanes that the masks of these lanes name.
pub(crate) fn named(members: &PerLane<u32>, mask: u32) -> u32 {
    lanes(mask).fold(0, |all, lane| all | members[lane])
}

/// Lanes wait for those that execute the instruction with the same mask, so each mask is a barrier of its own: the parts of `mask` that
/// it separates.
pub(crate) fn barriers(members: Option<&PerLane<u32>>, mask: u32) -> impl Iterator<Item = u32> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let first = lanes(left).next()?;
        let together =
            members.map_or(left, |members| filter_lanes(left, |lane| members[lane] == members[first]));
        left &= !together;
        Some(together)
    })
}

pub(crate) fn members_of(exchange: &Exchange, r: &Registers, mask: u32) -> PerLane<u32> {
    exchange.members.map_or([mask; WIDTH], |slot| *r.get::<u32>(slot))
}

pub(crate) fn execute(exchange: &Exchange, r: &mut Registers, live: u32, mask: u32) -> Outcome {
    let members = members_of(exchange, r, mask);
    let warning = check_members(&members, live, mask);
    let mut inactive = None;
    match exchange.kind {
        ExchangeKind::Shuffle(mode) => {
            let (readers, sources) = shuffle(mode, exchange, &members, r, mask);
            let why = match () {
                () if sources & live == 0 => Absence::Exited,
                () if sources & !mask == 0 => Absence::Unnamed,
                () => Absence::Elsewhere,
            };
            inactive = (readers != 0).then_some(InactiveSources { readers, sources, why });
        }
        ExchangeKind::VoteAll
        | ExchangeKind::VoteAny
        | ExchangeKind::VoteUniform
        | ExchangeKind::VoteBallot => vote(exchange, &members, r, mask),
        ExchangeKind::MatchAny | ExchangeKind::MatchAll => match_values(exchange, &members, r, mask),
        ExchangeKind::Elect => elect(exchange, &members, r, mask),
        _ => reduce(exchange, &members, r, mask),
    }
    Outcome { warning, inactive }
}

/// Checks that each executing lane names itself, and that every live lane it names participates with the same mask.
pub(crate) fn check_members(members: &PerLane<u32>, live: u32, mask: u32) -> Option<Fault> {
    let unnamed = filter_lanes(mask, |lane| members[lane] >> lane & 1 == 0);
    if unnamed != 0 {
        let first = unnamed.trailing_zeros() as usize;
        let message = format!(
            "it does not include all lanes that execute the instruction\n\
             the mask of lane {first} is {:#x} and misses {}; include each of them",
            members[first],
            LaneSet((mask & !members[first]).into())
        );
        return Some(Fault::new(FindingKind::WrongMembermask, message, unnamed));
    }
    let disagreeing =
        |lane: usize| filter_lanes(mask & members[lane], |other| members[other] != members[lane]);
    if let Some((lane, others)) =
        lanes(mask).map(|lane| (lane, disagreeing(lane))).find(|(_, others)| *others != 0)
    {
        let other = others.trailing_zeros() as usize;
        let message = format!(
            "lanes that wait for each other give different masks\n\
             the mask of lane {lane} is {:#x} and includes lane {other}, whose mask is {:#x}: behavior is undefined; pass one mask",
            members[lane], members[other]
        );
        let waiting = filter_lanes(mask, |lane| disagreeing(lane) != 0);
        return Some(Fault::new(FindingKind::WrongMembermask, message, waiting));
    }
    let missing = named(members, mask) & live & !mask;
    if missing != 0 {
        let message = "the member mask includes lanes that do not execute the instruction\n\
         behavior is undefined; make them execute it too, or remove them from the mask";
        return Some(Fault::new(FindingKind::AbsentMembers, message, missing));
    }
    None
}

/// Checks that all 32 lanes execute an instruction on a matrix; the lanes of the fault are live ones that do not.
pub(crate) fn check_whole_warp(live: u32, mask: u32) -> Option<Fault> {
    (mask != 0 && mask != FULL).then(|| Fault::new(FindingKind::AbsentMembers, "", live & !mask))
}

/// Returns the lanes that read from lanes which do not participate, and the lanes they read from.
fn shuffle(
    mode: ShuffleMode,
    exchange: &Exchange,
    members: &PerLane<u32>,
    r: &mut Registers,
    mask: u32,
) -> (u32, u32) {
    let (b, c) = (*r.get::<u32>(exchange.b), *r.get::<u32>(exchange.c));
    let a: PerLane<u32> =
        std::array::from_fn(|lane| exchange.a.map_or(0, |place| get(place, r, lane) as u32));
    let (mut values, mut inside, mut readers, mut sources) = (a, 0, 0, 0);
    for lane in lanes(mask) {
        let (source, is_inside) = mode.source(lane, b[lane], c[lane]);
        inside |= u32::from(is_inside) << lane;
        if mask & members[lane] & 1 << source != 0 {
            values[lane] = a[source];
        } else {
            readers |= 1 << lane;
            sources |= 1 << source;
        }
    }
    for lane in lanes(mask) {
        deliver(exchange, r, lane, values[lane], inside >> lane & 1 == 1);
    }
    (readers, sources)
}

/// Writes a lane's result and predicate, if the exchange has these destinations.
fn deliver(exchange: &Exchange, r: &mut Registers, lane: usize, value: u32, holds: bool) {
    if let Some(d) = exchange.d {
        put(d, r, lane, value.into());
    }
    if let Some(p) = exchange.p {
        r.set_predicate(p, 1 << lane, u32::from(holds) << lane);
    }
}

fn vote(exchange: &Exchange, members: &PerLane<u32>, r: &mut Registers, mask: u32) {
    let mut holds = 0;
    for lane in lanes(mask) {
        let value = exchange.a.is_some_and(|place| get(place, r, lane) & 1 == 1);
        holds |= u32::from(value != exchange.negated) << lane;
    }
    for lane in lanes(mask) {
        let voters = mask & members[lane];
        let yes = holds & voters;
        let result = match exchange.kind {
            ExchangeKind::VoteAll => u32::from(yes == voters),
            ExchangeKind::VoteAny => u32::from(yes != 0),
            ExchangeKind::VoteUniform => u32::from(yes == voters || yes == 0),
            _ => yes,
        };
        deliver(exchange, r, lane, result, result & 1 == 1);
    }
}

fn match_values(exchange: &Exchange, members: &PerLane<u32>, r: &mut Registers, mask: u32) {
    let values: PerLane<u128> = std::array::from_fn(|lane| exchange.a.map_or(0, |place| get(place, r, lane)));
    for lane in lanes(mask) {
        let peers = mask & members[lane];
        let equal =
            lanes(peers).filter(|&peer| values[peer] == values[lane]).fold(0u32, |all, peer| all | 1 << peer);
        let all = equal == peers;
        let result = match exchange.kind {
            ExchangeKind::MatchAny => equal,
            _ if all => peers,
            _ => 0,
        };
        deliver(exchange, r, lane, result, all);
    }
}

fn elect(exchange: &Exchange, members: &PerLane<u32>, r: &mut Registers, mask: u32) {
    for lane in lanes(mask) {
        let leader = (mask & members[lane]).trailing_zeros();
        deliver(exchange, r, lane, leader, leader as usize == lane);
    }
}

fn reduce(exchange: &Exchange, members: &PerLane<u32>, r: &mut Registers, mask: u32) {
    let (Some(a), Some(d)) = (exchange.a, exchange.d) else { return };
    let values: PerLane<u32> = std::array::from_fn(|lane| get(a, r, lane) as u32);
    let signed = |f: fn(i32, i32) -> i32, a: u32, b: u32| f(a as i32, b as i32) as u32;
    for lane in lanes(mask) {
        let peers = lanes(mask & members[lane]).map(|peer| values[peer]);
        let result = match exchange.kind {
            ExchangeKind::ReduceFloat { max, abs, nan } => Some(reduce_float(max, abs, nan, peers)),
            kind => peers.reduce(|a, b| match kind {
                ExchangeKind::ReduceMinSigned => signed(i32::min, a, b),
                ExchangeKind::ReduceMaxSigned => signed(i32::max, a, b),
                ExchangeKind::ReduceMinUnsigned => a.min(b),
                ExchangeKind::ReduceMaxUnsigned => a.max(b),
                ExchangeKind::ReduceAnd => a & b,
                ExchangeKind::ReduceOr => a | b,
                ExchangeKind::ReduceXor => a ^ b,
                _ => a.wrapping_add(b),
            }),
        };
        put(d, r, lane, result.unwrap_or(0).into());
    }
}

fn reduce_float(max: bool, abs: bool, nan: bool, peers: impl Iterator<Item = u32>) -> u32 {
    let op = match (max, nan) {
        (true, true) => FloatOp::MaxNan,
        (true, false) => FloatOp::Max,
        (false, true) => FloatOp::MinNan,
        (false, false) => FloatOp::Min,
    };
    let value = |bits: u32| f32::from_bits(if abs { bits & 0x7fff_ffff } else { bits });
    let result = peers.map(value).reduce(|a, b| extremum_32(op, a, b)).unwrap_or(f32::NAN);
    if result.is_nan() { 0x7fff_ffff } else { result.to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_masks() {
        assert_eq!(check_members(&[u32::MAX; WIDTH], 0xff, 0xff), None);
        let unnamed = check_members(&[0x0f; WIDTH], 0xff, 0xff).expect("a warning");
        assert_eq!((unnamed.kind, unnamed.lanes), (FindingKind::WrongMembermask, 0xf0));
        let mut halves: PerLane<u32> = std::array::from_fn(|lane| if lane < 4 { 0x0f } else { 0xf0 });
        assert_eq!(check_members(&halves, 0xff, 0xff), None);
        assert_eq!(barriers(Some(&halves), 0xff).collect::<Vec<_>>(), [0x0f, 0xf0]);
        halves[..4].fill(0xff);
        let disagreeing = check_members(&halves, 0xff, 0xff).expect("a warning");
        assert_eq!((disagreeing.kind, disagreeing.lanes), (FindingKind::WrongMembermask, 0x0f));
        let absent = check_members(&[u32::MAX; WIDTH], 0xff, 0x0f).expect("a warning");
        assert_eq!((absent.kind, absent.lanes), (FindingKind::AbsentMembers, 0xf0));
    }
}
