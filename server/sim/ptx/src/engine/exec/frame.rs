//! One call of a function by a group of lanes: registers, local memory and caller.

use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::registers::{PerLane, Registers, Row, WIDTH, blend, filter_lanes};
use warplens_sim_cuda::windows;
use warplens_sim_warp::trace::Mask;

use super::operand::put;
use super::unknown_values::UnknownValues;
use crate::engine::launch::Threads;
use crate::program::{CallId, Formal, Function, Passing, RegisterSlot, Slot, Special};
use crate::sanitizer::undefined::UndefinedValues;

#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    pub(crate) registers: Registers,
    pub(crate) local_base: u32,
    /// The caller's frame and the call; `None` for the entry.
    pub(crate) caller: Option<(Slot, CallId)>,
    /// How many callers, direct or not, are in the same function; counted for recordings only.
    pub(crate) depth: u32,
    /// The stack pointer of each lane, after the first dynamic allocation.
    pub(crate) dynamic: Option<Box<PerLane<u32>>>,
    /// The lanes that wrote each named register, if this is recorded.
    pub(crate) written: Option<Vec<u32>>,
    pub(crate) undefined: Option<Box<UndefinedValues>>,
    /// The values that depend on skipped accesses, once there are any.
    pub(crate) unknown: Option<Box<UnknownValues>>,
}

impl Frame {
    /// A frame with its constants and special registers filled; all other registers are 0.
    pub(crate) fn new(index: u32, function: &Function, local_base: u32, threads: &Threads) -> Frame {
        let layout = &function.frame;
        let registers = Registers {
            words: vec![Row::all(0); layout.words as usize],
            doubles: vec![Row::all(0); layout.doubles as usize],
            predicates: vec![0; layout.predicates as usize],
        };
        let mut frame = Frame { function: index, registers, local_base, ..Frame::default() };
        frame.fill_constants(function, threads);
        frame
    }

    pub(crate) fn renew(&mut self, function: &Function, threads: &Threads) {
        self.registers.words.fill(Row::all(0));
        self.registers.doubles.fill(Row::all(0));
        self.registers.predicates.fill(0);
        self.fill_constants(function, threads);
        self.dynamic = None;
        self.written = None;
        self.undefined = None;
        self.unknown = None;
    }

    /// Sets a register of the function in some lanes.
    pub(crate) fn set_register(&mut self, function: &Function, name: &str, values: &[(u32, u128)]) {
        let named = &function.frame.registers;
        let Some(number) = named.iter().position(|register| register.name == name) else { return };
        for &(lane, value) in values {
            put(named[number].place, &mut self.registers, lane as usize, value);
            if let Some(written) = &mut self.written {
                written[number] |= 1 << lane;
            }
            if let Some(undefined) = &mut self.undefined {
                undefined.set(number as u32, 1 << lane, 0, None);
            }
            if let Some(unknown) = &mut self.unknown {
                unknown.set(number as u32, 1 << lane, 0);
            }
        }
    }

    fn fill_constants(&mut self, function: &Function, threads: &Threads) {
        let (layout, registers) = (&function.frame, &mut self.registers);
        for &(slot, value) in &layout.word_constants {
            registers.words[slot as usize] = Row::all(value);
        }
        for &(slot, value) in &layout.double_constants {
            registers.doubles[slot as usize] = Row::all(value);
        }
        for &slot in &layout.true_predicates {
            registers.predicates[slot as usize] = u32::MAX;
        }
        for &(special, place) in &layout.specials {
            let values = special_values(special, threads);
            match place {
                RegisterSlot::Word(slot) => *registers.words[slot as usize] = values,
                RegisterSlot::Double(slot) => *registers.doubles[slot as usize] = values.map(u64::from),
                RegisterSlot::Predicate(slot) => {
                    registers.predicates[slot as usize] = filter_lanes(u32::MAX, |lane| values[lane] != 0);
                }
                RegisterSlot::Quad(_) => {}
            }
        }
    }

    /// Whether any register depends on a skipped access.
    pub(crate) fn has_unknown(&self) -> bool {
        self.unknown.as_ref().is_some_and(|unknown| unknown.has_any())
    }

    /// Bytes of host memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.registers.bytes() + size_of::<Frame>() as u64
    }

    /// Records that the lanes received values in the registers of `formals`.
    pub(crate) fn note_passed(&mut self, function: &Function, formals: &[Formal], mask: u32) {
        if let Some(written) = &mut self.written {
            mark_passed(written, function, formals, mask);
        }
    }

    /// The lanes that wrote each register, of those in `lanes`, if the warp has executed each statement in these lanes.
    pub(crate) fn written_before(&self, function: &Function, executed: &[Mask], lanes: u32) -> Vec<u32> {
        let mut written = vec![0; function.frame.registers.len()];
        for pc in 0..function.code.len() as u32 {
            let executed = executed[(function.first_statement + pc) as usize] as u32 & lanes;
            function.writes_of(pc).iter().for_each(|register| written[*register as usize] |= executed);
        }
        if self.caller.is_some() {
            mark_passed(&mut written, function, &function.params, lanes);
        }
        written
    }
}

fn mark_passed(written: &mut [u32], function: &Function, formals: &[Formal], mask: u32) {
    for formal in formals {
        let Passing::Register(place) = formal.at else { continue };
        let registers = function.frame.registers.iter().zip(written.iter_mut());
        for (_, written) in registers.filter(|(register, _)| register.place == place) {
            *written |= mask;
        }
    }
}

fn special_values(special: Special, threads: &Threads) -> PerLane<u32> {
    let mask = |f: fn(u32) -> u32| std::array::from_fn(|lane| f(1 << lane));
    let all = |value: u32| [value; WIDTH];
    match special {
        Special::ThreadId(dimension) => threads.ids[usize::from(dimension)],
        Special::BlockSize(dimension) => all(threads.block[usize::from(dimension)]),
        Special::BlockId(dimension) => all(threads.cta[usize::from(dimension)]),
        Special::GridSize(dimension) => all(threads.grid[usize::from(dimension)]),
        Special::ClusterId(axis) => all(threads.cta[usize::from(axis)] / threads.cluster[usize::from(axis)]),
        Special::Clusters(axis) => all(threads.grid[usize::from(axis)] / threads.cluster[usize::from(axis)]),
        Special::BlockInCluster(axis) => all(threads.in_cluster()[usize::from(axis)]),
        Special::ClusterSize(axis) => all(threads.cluster[usize::from(axis)]),
        Special::ClusterRank => all(threads.rank_in_cluster()),
        Special::SharedAddress(offset) => {
            all(offset.wrapping_add(threads.rank_in_cluster() * windows::SHARED_RANK as u32))
        }
        Special::ClusterBlocks => all(threads.cluster.iter().product()),
        Special::IsClustered => all(threads.is_clustered.into()),
        Special::Lane => std::array::from_fn(|lane| lane as u32),
        Special::Warp => all(threads.warp),
        Special::Warps => all(threads.block.iter().product::<u32>().div_ceil(WIDTH as u32)),
        Special::MaskEqual => mask(|bit| bit),
        Special::MaskLess => mask(|bit| bit - 1),
        Special::MaskLessEqual => mask(|bit| bit | (bit - 1)),
        Special::MaskGreater => mask(|bit| !(bit | (bit - 1))),
        Special::MaskGreaterEqual => mask(|bit| !(bit - 1)),
        Special::DynamicShared => all(threads.dynamic_shared),
        Special::TotalShared => all(threads.total_shared),
        Special::WorkspaceHigh => all((threads.workspace >> 32) as u32),
        Special::WorkspaceLow => all(threads.workspace as u32),
        Special::Number(value) => all(value),
    }
}

/// Copies an argument or a result from one frame to another, in the lanes of `mask`.
pub(crate) fn pass(
    from: (&Formal, &Registers, u32),
    to: (&Formal, &mut Registers, u32),
    local: &mut Local,
    mask: u32,
) {
    let size = from.0.size.min(to.0.size);
    for word in 0..size.div_ceil(4) {
        let values = fetch(from.0, from.1, from.2, local, word);
        match to.0.at {
            Passing::Local(offset) => local.set_row(u64::from(to.2 + offset + 4 * word), mask, &values),
            Passing::Register(place) => deliver(place, to.1, word, mask, &values),
            Passing::Nowhere => {}
        }
    }
}

pub(crate) fn argument(formal: &Formal, frame: &Frame, local: &Local, lane: usize) -> u64 {
    let word = |word| u64::from(fetch(formal, &frame.registers, frame.local_base, local, word)[lane]);
    if formal.size > 4 { word(0) | word(1) << 32 } else { word(0) }
}

pub(crate) fn result(formal: &Formal, frame: &mut Frame, local: &mut Local, lane: usize, value: u64) {
    for word in 0..formal.size.div_ceil(4).min(2) {
        let values = [(value >> (32 * word)) as u32; WIDTH];
        match formal.at {
            Passing::Local(offset) => {
                local.set_row(u64::from(frame.local_base + offset + 4 * word), 1 << lane, &values);
            }
            Passing::Register(place) => deliver(place, &mut frame.registers, word, 1 << lane, &values),
            Passing::Nowhere => {}
        }
    }
}

fn fetch(formal: &Formal, registers: &Registers, base: u32, local: &Local, word: u32) -> PerLane<u32> {
    match formal.at {
        Passing::Local(offset) => *local.row(u64::from(base + offset + 4 * word)),
        Passing::Register(RegisterSlot::Word(slot)) => *registers.get::<u32>(slot),
        Passing::Register(RegisterSlot::Double(slot) | RegisterSlot::Quad(slot)) => {
            registers.get::<u64>(slot + word / 2).map(|value| (value >> (32 * (word % 2))) as u32)
        }
        Passing::Register(RegisterSlot::Predicate(slot)) => {
            let predicate = registers.predicates[slot as usize];
            std::array::from_fn(|lane| predicate >> lane & 1)
        }
        Passing::Nowhere => [0; WIDTH],
    }
}

fn deliver(place: RegisterSlot, registers: &mut Registers, word: u32, mask: u32, values: &PerLane<u32>) {
    match place {
        RegisterSlot::Word(slot) => registers.set(slot, mask, values),
        RegisterSlot::Double(slot) | RegisterSlot::Quad(slot) => {
            let register = &mut registers.doubles[(slot + word / 2) as usize];
            let (old, shift) = (*register, 32 * (word % 2));
            let kept = !(0xffff_ffff << shift);
            blend(register, mask, |lane| old[lane] & kept | u64::from(values[lane]) << shift);
        }
        RegisterSlot::Predicate(slot) => {
            let bits = (0..WIDTH).fold(0, |bits, lane| bits | (values[lane] & 1) << lane);
            registers.set_predicate(slot, mask, bits);
        }
    }
}
