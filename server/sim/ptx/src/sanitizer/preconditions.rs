//! Operands for which an instruction's behavior is undefined, although the simulator executes it.

use warplens_sim_cuda::fault::Fault;
use warplens_sim_cuda::memory::spaces::{Bases, Spaces, addresses};
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH, filter_lanes};
use warplens_sim_cuda::windows;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::Severity;

use crate::engine::exec::operand::get;
use crate::program::{Address, LaneOperand, Precondition, RegisterSlot, Requirement, Space, Window};

/// What an instruction's operands are computed from.
pub(crate) struct Operands<'a> {
    pub(crate) registers: &'a Registers,
    pub(crate) bases: Bases,
    pub(crate) spaces: &'a Spaces,
    pub(crate) executed: u32,
}

/// The finding about lanes for which the precondition does not hold, and its severity.
pub(crate) fn check(
    Precondition { name, requires }: &Precondition,
    operands: &Operands<'_>,
) -> Option<(Fault, Severity)> {
    let fault = match requires {
        Requirement::In(address, space, window) => outside(name, (address, *space), *window, operands)?,
        Requirement::Same { what, operand } => differing(name, what, *operand, operands)?,
        &Requirement::AtMost { what, operand, limit } => {
            let rule = format!("at most {limit}");
            value(name, what, operand, &rule, |value| value <= limit, operands)?
        }
        &Requirement::MultipleOf { what, operand, unit, positive } => {
            let rule = format!("a {}multiple of {unit}", if positive { "positive " } else { "" });
            let holds = |value: u32| value.is_multiple_of(unit) && !(positive && value == 0);
            value(name, what, operand, &rule, holds, operands)?
        }
        Requirement::Aligned { .. } => {
            return Some((misaligned(name, requires, operands)?, Severity::Warning));
        }
        &Requirement::OneBlock { data, mbarrier, elsewhere } => {
            return apart(name, [data, mbarrier], elsewhere, operands);
        }
    };
    let severity = fault.kind.severity();
    Some((fault, severity))
}

/// The memory to which an address belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Area {
    Own,
    OtherBlock(u64),
    In(Space),
}

/// `None` if the address is in no memory, which the access itself reports.
fn area(space: Space, address: u64, spaces: &Spaces) -> Option<Area> {
    Some(match (space, address) {
        (Space::Shared, _) | (Space::Generic, windows::SHARED..windows::LOCAL) => {
            let (rank, _) = spaces.window.block_at(space, address)?;
            match rank {
                rank if rank == u64::from(spaces.window.rank) => Area::Own,
                rank if rank < spaces.window.blocks.into() => Area::OtherBlock(rank),
                _ => return None,
            }
        }
        (Space::Generic, ..windows::SHARED) => return None,
        (Space::Generic, windows::MODULE..) => Area::In(Space::Global),
        (Space::Generic, windows::CONST..) => Area::In(Space::Const),
        (Space::Generic, windows::PARAM..) => Area::In(Space::Param),
        (Space::Generic, _) => Area::In(Space::Local),
        (space, _) => Area::In(space),
    })
}

impl Window {
    fn has(self, area: Area) -> bool {
        match self {
            Window::OwnShared => area == Area::Own,
            Window::Global => area == Area::In(Space::Global),
            Window::GlobalOrShared => {
                matches!(area, Area::Own | Area::OtherBlock(_) | Area::In(Space::Global))
            }
            Window::TensorMap => matches!(area, Area::In(Space::Global | Space::Const | Space::Param)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Window::OwnShared => "the shared memory of its own block",
            Window::Global => "global memory",
            Window::GlobalOrShared => "global and shared memory",
            Window::TensorMap => "global, constant and parameter memory",
        }
    }
}

fn outside(
    name: &str,
    (operand, space): (&Address, Space),
    window: Window,
    Operands { registers, bases, spaces, executed }: &Operands<'_>,
) -> Option<Fault> {
    if space == Space::Shared && spaces.window.blocks <= 1 {
        return None;
    }
    let addresses = addresses(operand, registers, *bases);
    let wrong = |lane: usize| area(space, addresses[lane], spaces).filter(|area| !window.has(*area));
    let lanes = filter_lanes(*executed, |lane| wrong(lane).is_some());
    let area = wrong(lanes.trailing_zeros() as usize % 32).filter(|_| lanes != 0)?;
    let place = match area {
        Area::OtherBlock(rank) => format!("shared memory of block {rank} of the cluster"),
        Area::Own => "shared memory".to_owned(),
        Area::In(space) => format!("{} memory", space.name()),
    };
    let fix = match area {
        Area::OtherBlock(_) if space == Space::Shared => {
            "use a form with `.shared::cluster` if there is one, or the block's own address"
        }
        _ => "pass an address of that memory, or use another instruction",
    };
    let message = format!(
        "`{name}` with an address in {place}\nit works on {}, and behavior is undefined elsewhere; {fix}",
        window.name()
    );
    Some(Fault::new(FindingKind::OutOfBounds, message, lanes))
}

fn differing(
    name: &str,
    what: &str,
    operand: LaneOperand,
    Operands { registers, bases, executed, .. }: &Operands<'_>,
) -> Option<Fault> {
    let values: PerLane<u128> = match operand {
        LaneOperand::Register(place) => std::array::from_fn(|lane| get(place, registers, lane)),
        LaneOperand::Address(address) => addresses(&address, registers, *bases).map(u128::from),
    };
    let first = executed.trailing_zeros() as usize;
    let others = filter_lanes(*executed, |lane| values[lane] != values[first]);
    if others == 0 {
        return None;
    }
    let other = others.trailing_zeros() as usize;
    let message = format!(
        "`{name}`: the {what} differs between {}\nit is {:#x} in lane {first} and {:#x} in lane {other}; behavior is \
         undefined unless all lanes of a warp give the same",
        LaneSet(u64::from(others | 1 << first)),
        values[first],
        values[other],
    );
    Some(Fault::new(kind(name), message, *executed))
}

fn kind(name: &str) -> FindingKind {
    if name.starts_with("bar") { FindingKind::BarrierMismatch } else { FindingKind::NoMeaning }
}

fn value(
    name: &str,
    what: &str,
    operand: RegisterSlot,
    rule: &str,
    holds: impl Fn(u32) -> bool,
    Operands { registers, executed, .. }: &Operands<'_>,
) -> Option<Fault> {
    let value = |lane: usize| get(operand, registers, lane) as u32;
    let lanes = filter_lanes(*executed, |lane| !holds(value(lane)));
    if lanes == 0 {
        return None;
    }
    let first = lanes.trailing_zeros() as usize;
    let message = format!(
        "`{name}`: the {what} is {}\nit must be {rule}; behavior is undefined otherwise, so correct the value",
        value(first)
    );
    Some(Fault::new(kind(name), message, lanes))
}

fn misaligned(name: &str, requires: &Requirement, operands: &Operands<'_>) -> Option<Fault> {
    let Operands { registers, bases, executed, .. } = operands;
    let Requirement::Aligned { address, start, line, stride, element_bits } = requires else { return None };
    let addresses = addresses(address, registers, *bases);
    let lane = executed.trailing_zeros() as usize % WIDTH;
    let stride = stride.map(|slot| u64::from(registers.get::<u32>(slot)[lane]) * u64::from(*element_bits));
    let (what, have, unit) = match stride {
        _ if !addresses[lane].is_multiple_of((*start).into()) => ("address", addresses[lane], start),
        Some(bits) if !bits.is_multiple_of(u64::from(8 * line)) => ("stride in bytes", bits / 8, line),
        _ => return None,
    };
    let message = format!(
        "`{name}`: the {what} is {have:#x}\nit must be a multiple of {unit}, and behavior is undefined otherwise: align the matrix, \
         or pad its lines",
    );
    Some(Fault::new(FindingKind::Misaligned, message, *executed))
}

/// Data and an mbarrier that are not in one block, or in the running block although they must be elsewhere.
fn apart(
    name: &str,
    operands: [(Address, Space); 2],
    elsewhere: bool,
    Operands { registers, bases, spaces, executed }: &Operands<'_>,
) -> Option<(Fault, Severity)> {
    if spaces.window.blocks <= 1 {
        return None;
    }
    let areas = operands
        .map(|(address, space)| addresses(&address, registers, *bases).map(|at| area(space, at, spaces)));
    let [data, mbarrier] = areas;
    let are_apart =
        |lane: usize| data[lane].is_some() && mbarrier[lane].is_some() && data[lane] != mbarrier[lane];
    let lanes = filter_lanes(*executed, are_apart);
    if lanes != 0 {
        let message = format!(
            "`{name}`: the mbarrier is not in the block of the data\nit must be in the same block of the cluster, and behavior is \
             undefined otherwise: map both addresses to one rank"
        );
        return Some((Fault::new(FindingKind::NoMeaning, message, lanes), Severity::Error));
    }
    let lanes = filter_lanes(*executed, |lane| elsewhere && data[lane] == Some(Area::Own));
    if lanes == 0 {
        return None;
    }
    let message = format!(
        "`{name}` to the running block\nthe data must be in another block of the cluster, and behavior is undefined otherwise: use an \
         ordinary store, or map the address to another rank"
    );
    Some((Fault::new(FindingKind::NoMeaning, message, lanes), Severity::Warning))
}
