//! Which of the threads that wait would contribute to a phase of an mbarrier if they went on.
//!
//! The program is searched from where each thread waits. A statement contributes to the mbarriers in the variables from which its address is
//! computed; if that is not known, to any.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::trace::StatementId;

use crate::program::{
    Address, Callee, Function, Guard, MbarrierAction, Op, Program, RegisterSlot, Slot, Special,
    TensorMemoryOp, TensorOp,
};

/// A part of what completes a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Arrivals,
    /// Copies that complete bytes.
    Bytes,
    /// Of bytes that copies complete.
    Announcement,
}

/// A statement that contributes to phases.
pub(super) struct Contribution {
    pub(super) part: Part,
    /// The offsets in the block's shared memory where the mbarrier may be; `None` if that is not known.
    within: Option<Vec<Range<u64>>>,
    /// Whether the mbarrier may be in another block of the cluster.
    pub(super) in_cluster: bool,
}

impl Contribution {
    pub(super) fn may_be_at(&self, offset: u64) -> bool {
        self.within.as_ref().is_none_or(|within| within.iter().any(|range| range.contains(&offset)))
    }
}

/// The statements of a program that contribute to phases, by function and instruction.
pub(super) struct Contributions<'p> {
    program: &'p Program,
    by_statement: FxHashMap<(usize, u32), Vec<Contribution>>,
}

impl<'p> Contributions<'p> {
    pub(super) fn of(program: &'p Program) -> Contributions<'p> {
        let mut by_statement = FxHashMap::default();
        for (number, function) in program.functions.iter().enumerate() {
            let mut sources = Sources { program, function, writers: None };
            for (pc, instruction) in (0..).zip(&function.code) {
                let parts = parts(instruction.op, function).into_iter();
                let found: Vec<Contribution> = parts
                    .map(|(part, address, multicast)| {
                        let (within, is_mapped) = sources.of_address(address);
                        Contribution { part, within, in_cluster: multicast || is_mapped }
                    })
                    .collect();
                if !found.is_empty() {
                    by_statement.insert((number, pc), found);
                }
            }
        }
        Contributions { program, by_statement }
    }

    /// The contributions that a thread may make from a statement on.
    pub(super) fn from(&self, statement: u32) -> Vec<&Contribution> {
        let Some(start) = self.program.locate(StatementId(statement)) else { return Vec::new() };
        let mut work = vec![start];
        if start.0 != 0 {
            // After its return, a function may go on anywhere.
            work.extend((0..self.program.functions.len()).map(|function| (function, 0)));
        }
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some((number, pc)) = work.pop() {
            let function = &self.program.functions[number];
            let Some(instruction) = function.code.get(pc as usize).filter(|_| seen.insert((number, pc)))
            else {
                continue;
            };
            found.extend(self.by_statement.get(&(number, pc)).into_iter().flatten());
            if let Op::Call(id, _) = instruction.op {
                match function.tables[id].callee {
                    Callee::Direct(callee) => work.push((callee as usize, 0)),
                    Callee::Indirect(_) => work.extend((0..self.program.functions.len()).map(|all| (all, 0))),
                    Callee::System(_) => {}
                }
            }
            let targets = function.targets_of(instruction);
            let continues = targets.is_none() || instruction.guard != Guard::ALWAYS;
            work.extend(targets.into_iter().flatten().map(|target| (number, target)));
            work.extend(continues.then_some((number, pc + 1)));
        }
        found
    }
}

/// What an operation contributes, to the mbarrier at which address, and whether to those of several blocks.
fn parts(op: Op, function: &Function) -> Vec<(Part, &Address, bool)> {
    let tables = &function.tables;
    match op {
        Op::Mbarrier(id) => {
            let mbarrier = &tables[id];
            let parts: &[Part] = match mbarrier.action {
                MbarrierAction::Arrive { expects: true, .. } => &[Part::Arrivals, Part::Announcement],
                // Without `.noinc` the arrival is one that the phase did not need before.
                MbarrierAction::Arrive { .. } | MbarrierAction::ArriveCopies { counted: true } => {
                    &[Part::Arrivals]
                }
                MbarrierAction::ExpectBytes => &[Part::Announcement],
                MbarrierAction::CompleteBytes => &[Part::Bytes],
                _ => &[],
            };
            parts.iter().map(|part| (*part, &mbarrier.address, mbarrier.blocks.is_some())).collect()
        }
        Op::BulkCopy(id) => {
            let copy = &tables[id];
            copy.completion.iter().map(|(address, _)| (Part::Bytes, address, copy.blocks.is_some())).collect()
        }
        Op::Fill(id) => {
            tables[id].completion.iter().map(|(address, _)| (Part::Bytes, address, false)).collect()
        }
        Op::StoreAsync(id) => vec![(Part::Bytes, &tables[id].1.0, false)],
        Op::AtomicAsync(id) => vec![(Part::Bytes, &tables[id].1.0, false)],
        Op::Tensor(id) => match &tables[id] {
            TensorOp::Copy(copy) => {
                let several = copy.blocks.is_some() || copy.pairs;
                copy.completion.iter().map(|(address, _)| (Part::Bytes, address, several)).collect()
            }
            TensorOp::Memory(TensorMemoryOp::Commit { mbarrier: (address, _), blocks, pair }) => {
                vec![(Part::Arrivals, address, blocks.is_some() || *pair)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The search for the variables from which addresses are computed.
struct Sources<'p> {
    program: &'p Program,
    function: &'p Function,
    /// By register: the instructions that write it.
    writers: Option<FxHashMap<u32, Vec<u32>>>,
}

impl Sources<'_> {
    /// The ranges of the variables, if any is known, and whether the address is mapped to another block.
    fn of_address(&mut self, address: &Address) -> (Option<Vec<Range<u64>>>, bool) {
        let (mut starts, mut is_mapped) = (Vec::new(), false);
        let mut work = Vec::new();
        match address.base {
            None => starts.push(address.offset as u64),
            Some(base) => {
                starts.extend(self.constant(base));
                work.extend(self.register(base));
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(register) = work.pop() {
            if !seen.insert(register) {
                continue;
            }
            for pc in self.writers().get(&register).cloned().unwrap_or_default() {
                let instruction = &self.function.code[pc as usize];
                is_mapped |= matches!(instruction.op, Op::MapRank(_));
                if instruction.op.is_access() {
                    continue;
                }
                let s = &instruction.s;
                let places = [s.a, s.b, s.c].into_iter().flat_map(both);
                starts.extend(places.filter_map(|place| self.constant(place)));
                let reads = self.function.flow.reads_of(pc).iter().map(|read| read.register);
                work.extend(reads);
            }
        }
        let ranges = starts.into_iter().map(|start| self.variable(start)).collect::<Vec<_>>();
        ((!ranges.is_empty()).then_some(ranges), is_mapped)
    }

    fn register(&self, place: RegisterSlot) -> Option<u32> {
        let registers = &self.function.frame.registers;
        registers.iter().position(|register| register.place == place).map(|index| index as u32)
    }

    /// The offset of the variable whose address a slot holds.
    fn constant(&self, place: RegisterSlot) -> Option<u64> {
        self.function.frame.specials.iter().find_map(|(special, at)| match special {
            Special::SharedAddress(offset) if *at == place => Some(u64::from(*offset)),
            _ => None,
        })
    }

    /// The range of the variable at an offset of shared memory.
    fn variable(&self, start: u64) -> Range<u64> {
        let objects = &self.program.objects;
        let fixed = objects.shared.iter().find(|object| (object.start..object.end()).contains(&start));
        match (fixed, &objects.dynamic_shared) {
            (Some(object), _) => object.start..object.end(),
            (None, Some(dynamic)) if start >= dynamic.start => dynamic.start..u64::MAX,
            _ => start..start + 8,
        }
    }

    fn writers(&mut self) -> &FxHashMap<u32, Vec<u32>> {
        let function = self.function;
        self.writers.get_or_insert_with(|| {
            let mut writers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
            for pc in 0..function.code.len() as u32 {
                function
                    .writes_of(pc)
                    .iter()
                    .for_each(|register| writers.entry(*register).or_default().push(pc));
            }
            writers
        })
    }
}

fn both(slot: Slot) -> [RegisterSlot; 2] {
    [RegisterSlot::Word(slot), RegisterSlot::Double(slot)]
}
