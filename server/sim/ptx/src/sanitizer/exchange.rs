//! Undefined values in warp-wide operations: which lanes receive an undefined result.

use warplens_sim_cuda::registers::{PerLane, Registers, filter_lanes, lanes};
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;

use super::undefined_use::{UndefinedBits, UndefinedInput};
use crate::engine::exec::operand::get;
use crate::engine::exec::warp_collectives::members_of;
use crate::program::{Exchange, ExchangeKind};

/// The lanes in which the value and the predicate are undefined, ignoring source lanes that do not participate.
pub(crate) fn undefined_results(
    exchange: &Exchange,
    registers: &Registers,
    mask: u32,
    input: &UndefinedInput,
) -> (u32, u32) {
    let members = members_of(exchange, registers, mask);
    let each = |is_undefined: &dyn Fn(usize, u32) -> bool| {
        filter_lanes(mask, |lane| is_undefined(lane, mask & members[lane]))
    };
    match exchange.kind {
        ExchangeKind::Shuffle(mode) => {
            let selector = input.selector & mask;
            let source = |lane, peers| shuffle_source(mode, exchange, registers, peers, lane);
            let value = each(&|lane, peers| input.value >> source(lane, peers) & 1 == 1);
            (value | selector, selector)
        }
        ExchangeKind::VoteAll
        | ExchangeKind::VoteAny
        | ExchangeKind::VoteUniform
        | ExchangeKind::VoteBallot => {
            let holds =
                exchange.a.map_or(0, |place| filter_lanes(mask, |lane| get(place, registers, lane) & 1 == 1));
            let holds = if exchange.negated { !holds } else { holds };
            let undefined = each(&|_, voters| vote_is_undefined(exchange.kind, holds, voters, input.value));
            (undefined, undefined)
        }
        ExchangeKind::MatchAny => {
            let undefined = each(&|_, peers| peers & input.value != 0);
            (undefined, undefined)
        }
        ExchangeKind::MatchAll => {
            let values: PerLane<u128> =
                std::array::from_fn(|lane| exchange.a.map_or(0, |place| get(place, registers, lane)));
            let undefined = each(&|_, peers| {
                let mut defined = lanes(peers & !input.value).map(|peer| values[peer]);
                let first = defined.next();
                peers & input.value != 0 && defined.all(|value| Some(value) == first)
            });
            (undefined, undefined)
        }
        ExchangeKind::Elect => (0, 0),
        _ => (each(&|_, peers| peers & input.value != 0), 0),
    }
}

/// The undefined bits of a result; `None` if it is entirely undefined.
pub(crate) fn undefined_parts(
    exchange: &Exchange,
    registers: &Registers,
    mask: u32,
    input: &UndefinedInput,
) -> Option<UndefinedBits> {
    let members = members_of(exchange, registers, mask);
    let peers = |lane: usize| u64::from(mask & members[lane] & input.value);
    match exchange.kind {
        ExchangeKind::VoteBallot => Some(UndefinedBits { bits: std::array::from_fn(peers), copied: 0 }),
        ExchangeKind::MatchAny => {
            let own = |lane: usize| if input.value >> lane & 1 == 1 { u64::MAX } else { peers(lane) };
            Some(UndefinedBits { bits: std::array::from_fn(own), copied: 0 })
        }
        ExchangeKind::Shuffle(mode) => {
            let UndefinedBits { bits, copied } = input.bits?;
            let source = |lane: usize| shuffle_source(mode, exchange, registers, mask & members[lane], lane);
            let shuffled = |lane: usize| match input.selector >> lane & 1 {
                0 => bits[source(lane)],
                _ => u64::MAX,
            };
            let copied = filter_lanes(mask, |lane| copied >> source(lane) & 1 == 1);
            Some(UndefinedBits { bits: std::array::from_fn(shuffled), copied })
        }
        _ => None,
    }
}

/// The lane whose value a lane receives: its own if the source does not participate.
fn shuffle_source(
    mode: ShuffleMode,
    exchange: &Exchange,
    registers: &Registers,
    peers: u32,
    lane: usize,
) -> usize {
    let (b, c) = (registers.get::<u32>(exchange.b), registers.get::<u32>(exchange.c));
    let (source, _) = mode.source(lane, b[lane], c[lane]);
    if peers >> source & 1 == 1 { source } else { lane }
}

/// Whether a vote depends on undefined predicates. It does not if the defined ones decide it.
fn vote_is_undefined(kind: ExchangeKind, holds: u32, voters: u32, undefined: u32) -> bool {
    let (unknown, yes, no) = (voters & undefined, voters & holds & !undefined, voters & !holds & !undefined);
    unknown != 0
        && match kind {
            ExchangeKind::VoteAll => no == 0,
            ExchangeKind::VoteAny => yes == 0,
            ExchangeKind::VoteUniform => yes == 0 || no == 0,
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defined_predicates_may_decide_a_vote() {
        let (any, all) = (ExchangeKind::VoteAny, ExchangeKind::VoteAll);
        assert!(!vote_is_undefined(any, 0b001, 0b111, 0b100));
        assert!(vote_is_undefined(any, 0b000, 0b111, 0b100));
        assert!(!vote_is_undefined(all, 0b001, 0b111, 0b100));
        assert!(vote_is_undefined(all, 0b011, 0b111, 0b100));
        assert!(!vote_is_undefined(ExchangeKind::VoteUniform, 0b001, 0b111, 0b100));
        assert!(vote_is_undefined(ExchangeKind::VoteBallot, 0b001, 0b111, 0b100));
        assert!(!vote_is_undefined(ExchangeKind::VoteBallot, 0b001, 0b011, 0b100));
    }
}
