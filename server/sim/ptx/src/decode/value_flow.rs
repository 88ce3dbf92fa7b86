//! The uses of a loaded value: directly, through copies, and as an operand of arithmetic.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::cfg::{BlockId, Cfg};
use warplens_sim_cuda::semantics::bits::Logic;

use crate::program::{
    Address, Atomic, AtomicOp, Function, Guard, Mixing, Op, Passing, ReadKind, RegisterSlot,
};

/// Maximum number of instructions that one search visits; beyond it, every use counts as [`UseKind::Other`].
const PATIENCE: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Use {
    pub(super) pc: u32,
    pub(super) kind: UseKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum UseKind {
    /// The unchanged value is the compare operand of an `atom.cas` on the loaded address.
    Compare,
    /// The value, or a value computed from it, is the new value of such an `atom.cas`.
    Swap,
    /// A value computed from it controls which lanes run an instruction.
    Control,
    Other,
}

/// What a register may hold: the loaded value, or a value computed from it.
const VALUE: u8 = 1;
const RESULT: u8 = 2;

/// Replaces the address of the load once the address register may have changed.
const CHANGED_ADDRESS: u32 = u32::MAX;

type Holders = FxHashMap<u32, u8>;

/// The search for the uses of one load.
pub(super) struct ValueFlow<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    load: u32,
    address: Address,
    uses: FxHashSet<Use>,
}

impl<'f> ValueFlow<'f> {
    /// The uses of the value that the load at `load` writes.
    pub(super) fn uses(function: &'f Function, cfg: &'f Cfg, load: u32) -> FxHashSet<Use> {
        let Op::Load(access) = function.code[load as usize].op else { return FxHashSet::default() };
        let address = function.tables[access].address;
        let mut flow = ValueFlow { function, cfg, load, address, uses: FxHashSet::default() };
        flow.search();
        flow.uses
    }

    fn search(&mut self) {
        let first = self.cfg.block_of(self.load);
        let mut holders = Holders::default();
        self.transfer(self.load, &mut holders);
        let mut entries: Vec<Holders> = vec![Holders::default(); self.cfg.blocks().len()];
        let mut work = vec![(first, self.load + 1, holders)];
        let mut visited = 0;
        while let Some((block, from, mut holders)) = work.pop() {
            let end = self.cfg.block(block).instructions.end;
            visited += (end - from) as usize;
            if visited > PATIENCE {
                self.used(self.load, UseKind::Other);
                return;
            }
            for pc in from..end {
                self.transfer(pc, &mut holders);
            }
            if holders.keys().all(|register| *register == CHANGED_ADDRESS) {
                continue;
            }
            for next in self.cfg.successors(block) {
                let entry = &mut entries[next.index()];
                if join(entry, &holders) {
                    work.push((next, self.cfg.block(next).instructions.start, entry.clone()));
                }
            }
        }
    }

    fn used(&mut self, pc: u32, kind: UseKind) {
        self.uses.insert(Use { pc, kind });
    }

    /// Applies an instruction's effect to what registers hold, and records the instruction's uses of the value.
    fn transfer(&mut self, pc: u32, holders: &mut Holders) {
        let function = self.function;
        let instruction = &function.code[pc as usize];
        let gained = if pc == self.load { VALUE } else { self.gained(pc, holders) };
        for &register in function.writes_of(pc) {
            let place = function.frame.registers[register as usize].place;
            if pc != self.load && Some(place) == self.address.base {
                holders.insert(CHANGED_ADDRESS, VALUE);
            }
            if instruction.guard == Guard::ALWAYS {
                holders.remove(&register);
            }
            if gained != 0 {
                *holders.entry(register).or_default() |= gained;
            }
        }
        if pc == self.load {
            holders.remove(&CHANGED_ADDRESS);
        }
    }

    /// What the instruction's destinations may hold. Records the instruction's uses of the value.
    fn gained(&mut self, pc: u32, holders: &Holders) -> u8 {
        let function = self.function;
        let op = function.code[pc as usize].op;
        let held = |part: fn(ReadKind) -> bool| {
            let reads = function.flow.reads_of(pc).iter().filter(|read| part(read.part));
            reads.filter_map(|read| holders.get(&read.register)).fold(0, |all, held| all | held)
        };
        let controls = held(|part| part == ReadKind::Guard) != 0;
        let sources = held(|part| part != ReadKind::Guard);
        if matches!(op, Op::Call(..)) && function.registers_of(pc).iter().any(|at| holders.contains_key(at)) {
            self.used(pc, UseKind::Other);
        }
        if matches!(op, Op::Return(_)) && self.is_returned(holders) {
            self.used(pc, UseKind::Other);
        }
        if controls && function.flow.mixing_of(pc) == Mixing::Defined {
            self.used(pc, UseKind::Control);
        }
        match op {
            Op::Atomic(id) if sources != 0 => self.swapped(pc, &function.tables[id], holders),
            Op::Logic(Logic::Copy, _) => return sources | if controls { RESULT } else { 0 },
            _ if function.flow.mixing_of(pc) != Mixing::Defined => {
                return if controls || sources != 0 { RESULT } else { 0 };
            }
            _ if sources != 0 => self.used(pc, UseKind::Other),
            _ => {}
        }
        if controls { RESULT } else { 0 }
    }

    /// Records an atomic's use of the value: as one of the two operands of a compare-and-swap, or otherwise.
    fn swapped(&mut self, pc: u32, atomic: &Atomic, holders: &Holders) {
        let function = self.function;
        let held = |place: Option<&RegisterSlot>| {
            let reads = function
                .flow
                .reads_of(pc)
                .iter()
                .filter(|read| Some(&function.frame.registers[read.register as usize].place) == place);
            reads.filter_map(|read| holders.get(&read.register)).fold(0, |all, held| all | held)
        };
        let in_address = held(atomic.address.base.as_ref()) != 0;
        let same_address = atomic.address == self.address && !holders.contains_key(&CHANGED_ADDRESS);
        let (compare, swap) = (held(atomic.b.first()), held(atomic.c.as_ref()));
        if atomic.op != AtomicOp::CompareSwap || in_address || !same_address || compare & RESULT != 0 {
            return self.used(pc, UseKind::Other);
        }
        if compare != 0 {
            self.used(pc, UseKind::Compare);
        }
        if swap != 0 {
            self.used(pc, UseKind::Swap);
        }
    }

    fn is_returned(&self, holders: &Holders) -> bool {
        let returns = self.function.returns.iter();
        let places: Vec<_> = returns
            .filter_map(|formal| match formal.at {
                Passing::Register(place) => Some(place),
                _ => None,
            })
            .collect();
        let place =
            |register: &u32| self.function.frame.registers.get(*register as usize).map(|one| one.place);
        holders.keys().filter_map(place).any(|place| places.contains(&place))
    }
}

/// Adds what registers hold on another path; returns whether anything changed.
fn join(into: &mut Holders, other: &Holders) -> bool {
    let mut changed = false;
    for (&register, &held) in other {
        let have = into.entry(register).or_default();
        changed |= *have | held != *have;
        *have |= held;
    }
    changed
}

/// The blocks from which control can reach one of `targets` without passing the start of block `barrier` again.
pub(super) fn blocks_before(
    cfg: &Cfg,
    targets: impl Iterator<Item = BlockId>,
    barrier: BlockId,
) -> Vec<bool> {
    let mut before = vec![false; cfg.blocks().len()];
    let mut work: Vec<BlockId> = targets.collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut before[block.index()], true) && block != barrier {
            work.extend(cfg.predecessors(block));
        }
    }
    before
}
