//! The values of registers as a graph, built on demand by following uses backwards, after Braun et al.,
//! "Simple and Efficient Construction of Static Single Assignment Form", but without recursion. Nothing here
//! knows which values vary.

use std::ops::{Index, IndexMut, Range};

use rustc_hash::FxHashMap;

use super::cause::{Cause, ValueId};
use super::results::{self, Transfer};
use crate::Variance;
use crate::cfg::{BlockId, Cfg};
use crate::graph::strong_components;
use crate::lists::Lists;
use crate::ptx::{ConstantId, Function, InstructionId, Operand, ReferentId, Role, SymbolKind};

/// A query about a register at an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterQuery {
    pub instruction: InstructionId,
    pub register: ReferentId,
    /// Whether the query is about the value after the instruction rather than before it.
    pub after: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// An instruction writes the value.
    Written { instruction: InstructionId, register: ReferentId },
    /// Values from different blocks are merged at the start of this block.
    Merged { block: BlockId, register: ReferentId },
    /// The register has the value before the first instruction: it is a parameter in `.reg`, or undefined.
    Before { register: ReferentId },
}

impl Origin {
    pub(super) fn register(self) -> ReferentId {
        match self {
            Origin::Written { register, .. }
            | Origin::Merged { register, .. }
            | Origin::Before { register } => register,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    /// A register that is never written.
    Unset,
    Constant(ConstantId),
    /// A value, possibly the value itself.
    Value(ValueId),
}

/// A value as another value uses it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) value: ValueId,
    /// The block of the use; for merged values, the block in which they are merged.
    pub(super) block: BlockId,
    pub(super) kind: UseKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseKind {
    /// A source, or a value to merge.
    Data,
    Guard,
    /// The previous value of the register, which remains in part of it or in some lanes.
    Previous,
}

pub(super) struct Value {
    pub(super) origin: Origin,
    /// The block in which the value begins; `None` if it exists before the first instruction.
    pub(super) block: Option<BlockId>,
    uses: Range<u32>,
    pub(super) result: Transfer,
    /// The value that it is a copy of.
    pub(super) same: Same,
    pub(super) variance: Variance,
    pub(super) cause: Cause,
}

pub(super) struct Values<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    reachable: Vec<bool>,
    definitions: Definitions,
    /// For each instruction, its block and the index of the first name in it.
    places: Vec<(BlockId, u32)>,
    values: Vec<Value>,
    uses: Vec<Use>,
    /// The uses of the current value. The vector is kept to reuse its memory.
    collected: Vec<Use>,
    known: Vec<Option<ValueId>>,
    merged: FxHashMap<(BlockId, ReferentId), ValueId>,
    before: FxHashMap<ReferentId, ValueId>,
    /// All values before this one have their uses.
    complete: usize,
}

impl<'f> Values<'f> {
    pub(super) fn new(function: &'f Function, cfg: &'f Cfg) -> Values<'f> {
        let definitions = Definitions::of(function);
        Values {
            function,
            cfg,
            reachable: cfg.reachable(),
            places: places(function, cfg),
            values: Vec::new(),
            uses: Vec::new(),
            collected: Vec::new(),
            known: vec![None; definitions.writes.numbers.len()],
            definitions,
            merged: FxHashMap::default(),
            before: FxHashMap::default(),
            complete: 0,
        }
    }

    pub(super) fn cfg(&self) -> &'f Cfg {
        self.cfg
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = ValueId> + use<> {
        0..self.values.len() as ValueId
    }

    pub(super) fn uses(&self, value: ValueId) -> &[Use] {
        let range = &self[value].uses;
        &self.uses[range.start as usize..range.end as usize]
    }

    /// Whether no instruction has written the value on any path.
    pub(super) fn is_undefined(&self, value: ValueId) -> bool {
        self[value].same == Same::Unset
    }

    /// Whether the value is the initial content of a register that is not a parameter.
    pub(super) fn is_never_written(&self, value: ValueId) -> bool {
        let origin = self[value].origin;
        matches!(origin, Origin::Before { register } if !self.definitions.is(register, PARAMETER))
    }

    /// The block in which the original of a copy begins, if the value is a copy of a value.
    pub(super) fn original_block(&self, value: ValueId) -> Option<BlockId> {
        match self[value].same {
            Same::Value(original) => self[original].block,
            _ => None,
        }
    }

    /// Records that a value varies and returns whether that is new. Only the first cause of each degree is
    /// kept, so that causes are acyclic.
    pub(super) fn raise(&mut self, value: ValueId, variance: Variance, cause: Cause) -> bool {
        let value = &mut self[value];
        let is_new = variance > value.variance;
        if is_new {
            (value.variance, value.cause) = (variance, cause);
        }
        is_new
    }

    /// Marks comparisons and differences of values that both vary, because they may vary in the same way. If
    /// there are any, forgets all variances and returns `true`.
    pub(super) fn doubt_differences(&mut self) -> bool {
        let varies =
            |used: &&Use| used.kind == UseKind::Data && self[used.value].variance == Variance::Varies;
        let is_doubtful = |value: &ValueId| {
            self[*value].result.cancels() && self.uses(*value).iter().filter(varies).count() > 1
        };
        let doubtful: Vec<ValueId> = self.ids().filter(is_doubtful).collect();
        for value in &doubtful {
            let value = &mut self[*value];
            value.result = value.result.doubted();
        }
        if !doubtful.is_empty() {
            let known = self.values.iter_mut().filter(|value| value.cause != Cause::Parameter);
            known.for_each(|value| (value.variance, value.cause) = (Variance::Uniform, Cause::Nothing));
        }
        !doubtful.is_empty()
    }

    /// The use of a register before or after an instruction.
    pub(super) fn used(&mut self, at: RegisterQuery, kind: UseKind) -> Use {
        let block = self.places[at.instruction.index()].0;
        let start = self.cfg.block(block).instructions.start;
        let end = at.instruction.index() as u32 + u32::from(at.after);
        Use { value: self.reaching(block, start..end, at.register), block, kind }
    }

    /// The value of a register after these instructions from the start of a block.
    fn reaching(&mut self, block: BlockId, instructions: Range<u32>, register: ReferentId) -> ValueId {
        match self.definitions.last_in(register, instructions) {
            Some(definition) => self.written(definition, register),
            None => self.at_start(block, register),
        }
    }

    /// Builds all values that the known values are computed from.
    pub(super) fn complete(&mut self) {
        while self.complete < self.values.len() {
            let index = self.complete;
            self.complete += 1;
            let mut uses = std::mem::take(&mut self.collected);
            match self.values[index].origin {
                Origin::Written { instruction, register } => self.sources(instruction, register, &mut uses),
                Origin::Merged { block, register } => self.incoming(block, register, &mut uses),
                Origin::Before { .. } => {}
            }
            let start = self.uses.len() as u32;
            if self.compares_whole_warps(self.values[index].origin, &uses) {
                self.values[index].result = self.values[index].result.doubted();
            }
            self.uses.append(&mut uses);
            self.collected = uses;
            self.values[index].uses = start..self.uses.len() as u32;
        }
    }

    /// Whether a value compares a sum of a register and a constant in a way that may give whole warps the same result.
    fn compares_whole_warps(&self, origin: Origin, uses: &[Use]) -> bool {
        let (Origin::Written { instruction, .. }, [compared]) = (origin, uses) else { return false };
        let comparison = self.function.instruction(instruction);
        if !matches!(comparison.opcode(), "setp" | "set") {
            return false;
        }
        let offset = self.added_constant(compared.value);
        offset.is_some_and(|offset| results::keeps_warps_together(self.function, comparison, offset))
    }

    /// The constant that an unguarded `add` adds to a register.
    fn added_constant(&self, value: ValueId) -> Option<u64> {
        let Origin::Written { instruction, .. } = self[value].origin else { return None };
        let instruction = self.function.instruction(instruction);
        if instruction.opcode() != "add" || instruction.guard().is_some() {
            return None;
        }
        instruction.operands().iter().find_map(|operand| self.function.integer(*operand))
    }

    fn sources(&mut self, id: InstructionId, register: ReferentId, uses: &mut Vec<Use>) {
        let function = self.function;
        let instruction = function.instruction(id);
        let before = |register| RegisterQuery { instruction: id, register, after: false };
        let first = self.places[id.index()].1;
        let guard = instruction.guard().map(|guard| guard.name.index());
        let end = instruction.range().end();
        let names = function.parts.names.iter().enumerate().skip(first as usize);
        for (index, name) in names.take_while(|(_, name)| name.start < end) {
            let source = function.named(*name);
            if matches!(name.role(), Role::Read | Role::ReadWrite) && self.definitions.is(source, REGISTER) {
                let kind = if Some(index) == guard { UseKind::Guard } else { UseKind::Data };
                uses.push(self.used(before(source), kind));
            }
        }
        // If a register is written nowhere else, it has no previous value to keep.
        let is_only =
            self.definitions.slots(register).len() == 1 && !self.definitions.is(register, PARAMETER);
        if !is_only && (guard.is_some() || self.definitions.is(register, VECTOR)) {
            uses.push(self.used(before(register), UseKind::Previous));
        }
    }

    fn incoming(&mut self, block: BlockId, register: ReferentId, uses: &mut Vec<Use>) {
        let cfg = self.cfg;
        if block.index() == 0 {
            uses.push(Use { value: self.existing(register), block, kind: UseKind::Data });
        }
        for from in cfg.predecessors(block) {
            if self.reachable[from.index()] {
                let value = self.reaching(from, cfg.block(from).instructions.clone(), register);
                uses.push(Use { value, block, kind: UseKind::Data });
            }
        }
    }

    /// Walks up while there is a single predecessor. A register that is written once needs no search.
    fn at_start(&mut self, mut block: BlockId, register: ReferentId) -> ValueId {
        let definitions = self.definitions.slots(register);
        match definitions.len() {
            0 => return self.existing(register),
            1 if !self.definitions.is(register, PARAMETER) => {
                return self.written(definitions.start, register);
            }
            _ => {}
        }
        // Bounded, because unreachable blocks may form a cycle.
        for _ in 0..self.cfg.blocks().len() {
            let mut predecessors = self.cfg.predecessors(block).filter(|from| self.reachable[from.index()]);
            match (predecessors.next(), predecessors.next()) {
                (None, _) => break,
                (Some(only), None) if block.index() != 0 => {
                    let instructions = self.cfg.block(only).instructions.clone();
                    if let Some(definition) = self.definitions.last_in(register, instructions) {
                        return self.written(definition, register);
                    }
                    block = only;
                }
                _ => return self.merged(block, register),
            }
        }
        self.existing(register)
    }

    fn written(&mut self, definition: usize, register: ReferentId) -> ValueId {
        if let Some(value) = self.known[definition] {
            return value;
        }
        let id = self.definitions.instruction(definition);
        let result = results::transfer(self.function, self.function.instruction(id), register);
        let value = self.push(Origin::Written { instruction: id, register }, result);
        self.known[definition] = Some(value);
        value
    }

    fn merged(&mut self, block: BlockId, register: ReferentId) -> ValueId {
        if let Some(&value) = self.merged.get(&(block, register)) {
            return value;
        }
        let value = self.push(Origin::Merged { block, register }, Transfer::default());
        self.merged.insert((block, register), value);
        value
    }

    fn existing(&mut self, register: ReferentId) -> ValueId {
        if let Some(&value) = self.before.get(&register) {
            return value;
        }
        let value = self.push(Origin::Before { register }, Transfer::default());
        if self.definitions.is(register, PARAMETER) {
            self.raise(value, Variance::Unknown, Cause::Parameter);
        }
        self.before.insert(register, value);
        value
    }

    fn push(&mut self, origin: Origin, result: Transfer) -> ValueId {
        let id = self.values.len() as ValueId;
        let block = match origin {
            Origin::Written { instruction, .. } => Some(self.places[instruction.index()].0),
            Origin::Merged { block, .. } => Some(block),
            Origin::Before { .. } => None,
        };
        let (variance, cause) = (Variance::Uniform, Cause::Nothing);
        self.values.push(Value { origin, block, uses: 0..0, result, same: Same::Unset, variance, cause });
        id
    }

    /// The values that a value may be a copy of, if it computes nothing itself: the merged values, or the
    /// source of a `mov`.
    pub(super) fn passed_on(&self, value: ValueId) -> Option<&[Use]> {
        match self[value].origin {
            Origin::Before { .. } => None,
            Origin::Merged { .. } => Some(self.uses(value)),
            Origin::Written { instruction, .. } => {
                let instruction = self.function.instruction(instruction);
                let whole = |operand: &Operand| matches!(operand, Operand::Register { component: None, .. });
                let is_copy = instruction.opcode() == "mov" && instruction.guard().is_none();
                let is_copy = is_copy && instruction.operands().iter().all(whole);
                let uses = self.uses(value);
                (is_copy && uses.len() == 1).then_some(uses)
            }
        }
    }

    /// The constant that an unguarded `mov` writes.
    pub(super) fn constant(&self, value: ValueId) -> Option<ConstantId> {
        let Origin::Written { instruction, .. } = self[value].origin else { return None };
        let instruction = self.function.instruction(instruction);
        match instruction.operands() {
            [Operand::Register { component: None, .. }, Operand::Constant(constant)]
                if instruction.opcode() == "mov" && instruction.guard().is_none() =>
            {
                Some(*constant)
            }
            _ => None,
        }
    }

    /// Whether a value can differ between iterations of a loop, because it depends on a value merged inside
    /// the loop or on itself, or the analysis does not know its sources.
    pub(super) fn changes_in(&self, value: ValueId, in_loop: &dyn Fn(BlockId) -> bool) -> bool {
        const FAR: usize = 256;
        let origin = |value: ValueId| match self[value].same {
            Same::Value(origin) if self[origin].block.is_some_and(in_loop) => Some(origin),
            _ => None,
        };
        let mut seen: Vec<ValueId> = origin(value).into_iter().collect();
        let mut next = 0;
        while let Some(&value) = seen.get(next) {
            next += 1;
            if matches!(self[value].origin, Origin::Merged { .. }) || next > FAR {
                return true;
            }
            for used in self.uses(value).iter().filter_map(|used| origin(used.value)) {
                if !seen.contains(&used) {
                    seen.push(used);
                }
            }
        }
        let sources = |value: ValueId| -> Vec<ValueId> {
            self.uses(value).iter().filter_map(|used| origin(used.value)).collect()
        };
        let depends_on_itself =
            |component: Vec<ValueId>| component.len() > 1 || sources(component[0]).contains(&component[0]);
        strong_components(&seen, sources).into_iter().any(depends_on_itself)
    }
}

impl Index<ValueId> for Values<'_> {
    type Output = Value;

    fn index(&self, value: ValueId) -> &Value {
        &self.values[value as usize]
    }
}

impl IndexMut<ValueId> for Values<'_> {
    fn index_mut(&mut self, value: ValueId) -> &mut Value {
        &mut self.values[value as usize]
    }
}

/// For each instruction, its block and the index of the first name in it.
fn places(function: &Function, cfg: &Cfg) -> Vec<(BlockId, u32)> {
    let mut places = Vec::with_capacity(function.instructions().len());
    let mut name = 0;
    for block in cfg.ids() {
        for index in cfg.block(block).instructions.clone() {
            let start = function.instruction(InstructionId::new(index as usize)).range().start();
            while function.parts.names.get(name).is_some_and(|name| name.start < start) {
                name += 1;
            }
            places.push((block, name as u32));
        }
    }
    places
}

/// A bit set of facts about a referent.
type Facts = u8;
const REGISTER: Facts = 1;
const VECTOR: Facts = 2;
/// The referent is declared before the body, so a register is a parameter.
const PARAMETER: Facts = 4;

fn facts(function: &Function, referent: ReferentId) -> Facts {
    let Some(symbol) = function.resolution(referent).symbol() else { return 0 };
    let symbol = function.symbol(symbol);
    let kind = match symbol.kind {
        SymbolKind::Register { vector: None, .. } | SymbolKind::RegisterRange { vector: None, .. } => {
            REGISTER
        }
        SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => REGISTER | VECTOR,
        _ => 0,
    };
    let is_parameter = function.body.is_some_and(|body| symbol.range.start() < body.start());
    if is_parameter { kind | PARAMETER } else { kind }
}

/// For each register, the instructions that write it, in text order. A definition is identified by its index
/// in the table of all registers.
struct Definitions {
    writes: Lists,
    facts: Vec<Facts>,
}

impl Definitions {
    fn of(function: &Function) -> Definitions {
        let count = function.referent_count();
        let facts: Vec<Facts> = (0..count).map(|index| facts(function, ReferentId::new(index))).collect();
        let writes = function.writes().filter(|(_, register)| facts[register.index()] & REGISTER != 0);
        let writes: Vec<(u32, u32)> = writes
            .map(|(instruction, register)| (register.index() as u32, instruction.index() as u32))
            .collect();
        Definitions { writes: Lists::new(count, &writes), facts }
    }

    fn is(&self, register: ReferentId, fact: Facts) -> bool {
        self.facts[register.index()] & fact != 0
    }

    fn slots(&self, register: ReferentId) -> Range<usize> {
        self.writes.range(register.index())
    }

    fn instruction(&self, definition: usize) -> InstructionId {
        InstructionId::new(self.writes.numbers[definition] as usize)
    }

    fn last_in(&self, register: ReferentId, range: Range<u32>) -> Option<usize> {
        let slots = self.slots(register);
        let all = &self.writes.numbers[slots.clone()];
        let before = all.partition_point(|&instruction| instruction < range.end).checked_sub(1)?;
        (all[before] >= range.start).then(|| slots.start + before)
    }
}
