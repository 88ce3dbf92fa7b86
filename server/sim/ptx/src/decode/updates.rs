//! Updates: a load, an operation and a store on one address, for which an atomic could be used.

use rustc_hash::FxHashMap;
use warplens_hir::cfg::Cfg;
use warplens_sim_cuda::semantics::bits::Logic;
use warplens_sim_cuda::semantics::float::FloatOp;
use warplens_sim_cuda::semantics::integer::IntOp;

use crate::program::{AtomicOp, Function, Guard, Instruction, Op, ReadKind, RegisterSlot, Slot, Update};

#[derive(Default)]
struct Block {
    /// By register: the load of its value, and the operation applied since.
    values: FxHashMap<u32, (u32, Option<AtomicOp>)>,
    written: FxHashMap<RegisterSlot, u32>,
}

/// The updates of a function. Each lies within one basic block.
pub(super) fn updates(function: &Function, cfg: &Cfg) -> Vec<Update> {
    let mut updates = Vec::new();
    for id in cfg.ids() {
        let mut block = Block::default();
        for pc in cfg.block(id).instructions.clone() {
            updates.extend(block.update(function, pc));
            block.execute(function, pc);
        }
    }
    updates
}

impl Block {
    fn update(&self, function: &Function, store: u32) -> Option<Update> {
        let access = function.plain_access(store, Op::store)?;
        let stored = function.flow.reads_of(store).iter().find(|read| is_value(read.part))?;
        let &(load, op) = self.values.get(&stored.register)?;
        let loaded = function.plain_access(load, Op::load)?;
        let same_place =
            (loaded.address, loaded.space, loaded.size) == (access.address, access.space, access.size);
        let base_written = access.address.base.and_then(|base| self.written.get(&base));
        let is_same = same_place && base_written.is_none_or(|&written| written < load);
        is_same.then_some(Update { store, load, op: op? })
    }

    fn execute(&mut self, function: &Function, pc: u32) {
        let instruction = &function.code[pc as usize];
        let value = match instruction.op {
            Op::Load(_) => function.plain_access(pc, Op::load).map(|_| (pc, None)),
            _ => self.operation(function, pc, instruction),
        };
        for &register in function.writes_of(pc) {
            self.written.insert(function.frame.registers[register as usize].place, pc);
            match value {
                Some(value) => self.values.insert(register, value),
                // Lanes that do not execute the instruction keep the value.
                None if instruction.guard != Guard::ALWAYS => continue,
                None => self.values.remove(&register),
            };
        }
    }

    /// The result of an operation on a loaded value, if an atomic has the operation.
    fn operation(
        &self,
        function: &Function,
        pc: u32,
        instruction: &Instruction,
    ) -> Option<(u32, Option<AtomicOp>)> {
        let reads = function.flow.reads_of(pc).iter().filter(|read| is_value(read.part));
        let mut loaded = reads.filter_map(|read| Some((read.register, *self.values.get(&read.register)?)));
        let (register, (load, before)) = loaded.next()?;
        if loaded.next().is_some() {
            return None;
        }
        if matches!(instruction.op, Op::Logic(Logic::Copy, _)) {
            return Some((load, before));
        }
        let slot = function.frame.registers[register as usize].place.slot();
        let op = atomic_op(instruction, slot).filter(|_| before.is_none())?;
        Some((load, Some(op)))
    }
}

/// The atomic that computes the same result, if the old value is in `slot`.
fn atomic_op(instruction: &Instruction, slot: Slot) -> Option<AtomicOp> {
    let s = instruction.s;
    Some(match instruction.op {
        Op::Int(IntOp::Add, _) | Op::Float32(FloatOp::Add, _) | Op::Float64(FloatOp::Add, _) => AtomicOp::Add,
        Op::Int(IntOp::Sub, _) | Op::Float32(FloatOp::Sub, _) | Op::Float64(FloatOp::Sub, _)
            if s.a == slot =>
        {
            AtomicOp::Add
        }
        Op::Int(IntOp::Mad, _) | Op::Float32(FloatOp::Fma, _) | Op::Float64(FloatOp::Fma, _)
            if s.c == slot =>
        {
            AtomicOp::Add
        }
        Op::Int(IntOp::Min, _) => AtomicOp::Min,
        Op::Int(IntOp::Max, _) => AtomicOp::Max,
        Op::Logic(Logic::And, _) => AtomicOp::And,
        Op::Logic(Logic::Or, _) => AtomicOp::Or,
        Op::Logic(Logic::Xor, _) => AtomicOp::Xor,
        _ => return None,
    })
}

fn is_value(part: ReadKind) -> bool {
    matches!(part, ReadKind::Source | ReadKind::Stored)
}
