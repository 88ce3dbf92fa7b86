//! Searches a path on which something is read before it is written.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::cfg::{BlockId, Cfg};
use warplens_hir::ptx::{Function, Guard, Instruction, InstructionId, ReferentId};

/// The maximum number of states of a search; a function that needs more is not checked.
const STATES: usize = 1 << 14;

pub(super) struct UnwrittenPath<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    writes: FxHashSet<u32>,
    reads: &'f FxHashSet<u32>,
    /// The predicates that guard several instructions: only their values can exclude a path.
    shared: FxHashSet<ReferentId>,
    guarded: GuardedWrite,
}

/// What a write under a guard that may not hold counts for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardedWrite {
    /// Another one may write in the other lanes.
    Writes,
    /// Nothing where the guard does not hold. Several ones with different predicates may exclude each other, so they write.
    WritesIfItHolds,
}

/// An instruction that is reached without a write, known values of predicates there, and the predicate of a write that was skipped.
type State = (u32, Vec<(ReferentId, bool)>, Option<ReferentId>);

impl<'f> UnwrittenPath<'f> {
    /// `writes` and `reads` are the numbers of instructions. One that does both reads first.
    pub(super) fn new(
        function: &'f Function,
        cfg: &'f Cfg,
        writes: FxHashSet<u32>,
        reads: &'f FxHashSet<u32>,
        guarded: GuardedWrite,
    ) -> UnwrittenPath<'f> {
        let mut guards: FxHashMap<ReferentId, usize> = FxHashMap::default();
        for guard in function.instructions().filter_map(Instruction::guard) {
            *guards.entry(function.name(guard.name).referent).or_default() += 1;
        }
        let shared =
            guards.into_iter().filter(|(_, count)| *count > 1).map(|(predicate, _)| predicate).collect();
        UnwrittenPath { function, cfg, writes, reads, shared, guarded }
    }

    /// The first read in text order that is reached from the start of the function without a write.
    pub(super) fn first_read(&self) -> Option<Instruction<'f>> {
        self.first_read_from(self.start_of(BlockId(0)))
    }

    /// The same, from the instruction with this number.
    pub(super) fn first_read_from(&self, start: u32) -> Option<Instruction<'f>> {
        let mut open: Vec<State> = vec![(start, Vec::new(), None)];
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut found = None;
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if seen.len() > STATES {
                return None;
            }
            found = found.into_iter().chain(self.run(state, &mut open)).min();
        }
        found.map(|index| self.instruction(index))
    }

    fn instruction(&self, index: u32) -> Instruction<'f> {
        self.function.instruction(InstructionId::new(index as usize))
    }

    fn start_of(&self, block: BlockId) -> u32 {
        self.cfg.block(block).instructions.start
    }

    /// Runs to the end of a block or to a write, and returns the first read before it.
    fn run(&self, (start, mut known, mut skipped): State, open: &mut Vec<State>) -> Option<u32> {
        let block = self.cfg.block_of(start);
        let mut read = None;
        for index in start..self.cfg.block(block).instructions.end {
            let instruction = self.instruction(index);
            let executes = instruction.guard().map_or(Some(true), |guard| self.holds(guard, &known));
            if executes != Some(false) && self.reads.contains(&index) {
                read = read.or(Some(index));
            }
            if executes != Some(false) && self.writes.contains(&index) {
                let guard = instruction.guard().filter(|_| executes.is_none());
                let predicate = guard.map(|guard| self.function.name(guard.name).referent);
                let is_other = skipped.is_some() && skipped != predicate;
                if predicate.is_none() || is_other || self.guarded == GuardedWrite::Writes {
                    return read;
                }
                skipped = predicate;
                known = self.learn(&known, guard, false);
            }
            if instruction.opcode() == "bra" {
                let mut states = Vec::new();
                self.branch(block, instruction.guard(), executes, &known, &mut states);
                open.extend(states.into_iter().map(|(start, known)| (start, known, skipped)));
                return read;
            }
            if matches!(instruction.opcode(), "ret" | "exit" | "trap") {
                if executes == Some(true) {
                    return read;
                }
                known = self.learn(&known, instruction.guard(), false);
            }
            for name in self.function.names_of(instruction).filter(|name| name.role.writes()) {
                known.retain(|(predicate, _)| *predicate != name.referent);
            }
        }
        open.extend(self.cfg.successors(block).map(|next| (self.start_of(next), known.clone(), skipped)));
        read
    }

    /// Continues at the target of a branch, after it, or both.
    fn branch(
        &self,
        block: BlockId,
        guard: Option<Guard>,
        executes: Option<bool>,
        known: &[(ReferentId, bool)],
        open: &mut Vec<(u32, Vec<(ReferentId, bool)>)>,
    ) {
        let mut successors = self.cfg.successors(block);
        // Both are the same block if only one is there.
        let Some(target) = successors.next() else { return };
        let after = successors.next();
        if executes != Some(false) || after.is_none() {
            open.push((self.start_of(target), self.learn(known, guard, true)));
        }
        if let Some(after) = after.filter(|_| executes != Some(true)) {
            open.push((self.start_of(after), self.learn(known, guard, false)));
        }
    }

    fn holds(&self, guard: Guard, known: &[(ReferentId, bool)]) -> Option<bool> {
        let predicate = self.function.name(guard.name).referent;
        let (_, value) = known.iter().find(|(known, _)| *known == predicate)?;
        Some(*value != guard.negated)
    }

    fn learn(
        &self,
        known: &[(ReferentId, bool)],
        guard: Option<Guard>,
        holds: bool,
    ) -> Vec<(ReferentId, bool)> {
        let mut known = known.to_vec();
        let Some(guard) = guard else { return known };
        let predicate = self.function.name(guard.name).referent;
        if self.shared.contains(&predicate) {
            known.retain(|(known, _)| *known != predicate);
            known.push((predicate, holds != guard.negated));
            known.sort_unstable_by_key(|(predicate, _)| predicate.index());
        }
        known
    }
}
