//! The values of registers as a graph, made on demand from their uses back (after Braun and others, "Simple and Efficient
//! Construction of Static Single Assignment Form", without recursion). Nothing here knows what varies.

use rustc_hash::FxHashMap;

use super::cause::{Cause, ValueId};
use super::results::{self, Transfer};
use crate::Variance;
use crate::cfg::{BlockId, Cfg};
use crate::graph::strong_components;
use crate::ptx::{ConstantId, Function, InstructionId, Operand, ReferentId, Resolution, Role, SymbolKind};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// An instruction writes it.
    Written { instruction: InstructionId, register: ReferentId },
    /// Values from several blocks are merged at the start of this one.
    Merged { block: BlockId, register: ReferentId },
    /// It was there before the first instruction: a parameter in `.reg`, or nothing.
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

/// The source of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    /// Never written.
    Unset,
    /// This constant.
    Constant(ConstantId),
    /// This value, perhaps itself.
    Value(ValueId),
}

/// A value as another one uses it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) value: ValueId,
    /// The block that uses it; of merged values, the block at whose start they are merged.
    pub(super) block: BlockId,
    pub(super) kind: UseKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseKind {
    /// A source, or a merged value.
    Data,
    /// The guard of the instruction.
    Guard,
    /// The previous value of the register, which remains in part or in some lanes.
    Previous,
}

struct Value {
    origin: Origin,
    /// Where it begins; `None` for what was there before the first instruction.
    block: Option<BlockId>,
    uses: std::ops::Range<u32>,
    result: Transfer,
    same: Same,
    variance: Variance,
    cause: Cause,
}

pub(super) struct Values<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    reachable: Vec<bool>,
    definitions: Definitions,
    values: Vec<Value>,
    uses: Vec<Use>,
    known: FxHashMap<(u32, ReferentId), ValueId>,
    merged: FxHashMap<(BlockId, ReferentId), ValueId>,
    before: FxHashMap<ReferentId, ValueId>,
    /// Values before this one have their uses.
    complete: usize,
}

impl<'f> Values<'f> {
    pub(super) fn new(function: &'f Function, cfg: &'f Cfg) -> Values<'f> {
        Values {
            function,
            cfg,
            reachable: cfg.reachable(),
            definitions: Definitions::of(function),
            values: Vec::new(),
            uses: Vec::new(),
            known: FxHashMap::default(),
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

    pub(super) fn origin(&self, value: ValueId) -> Origin {
        self.values[value as usize].origin
    }

    pub(super) fn uses(&self, value: ValueId) -> &[Use] {
        let range = &self.values[value as usize].uses;
        &self.uses[range.start as usize..range.end as usize]
    }

    pub(super) fn result(&self, value: ValueId) -> Transfer {
        self.values[value as usize].result
    }

    pub(super) fn same(&self, value: ValueId) -> Same {
        self.values[value as usize].same
    }

    pub(super) fn variance(&self, value: ValueId) -> Variance {
        self.values[value as usize].variance
    }

    pub(super) fn cause(&self, value: ValueId) -> Cause {
        self.values[value as usize].cause
    }

    /// Whether no instruction, on whatever way, has written the value.
    pub(super) fn is_undefined(&self, value: ValueId) -> bool {
        self.same(value) == Same::Unset
    }

    /// Whether the value is the initial content of a register that is not a parameter.
    pub(super) fn is_never_written(&self, value: ValueId) -> bool {
        let origin = self.origin(value);
        matches!(origin, Origin::Before { register } if !is_parameter(self.function, register))
    }

    /// The block in which a value begins; `None` for what was there before the first instruction.
    pub(super) fn block(&self, value: ValueId) -> Option<BlockId> {
        self.values[value as usize].block
    }

    /// The block in which the value begins that a value is a copy of, if it is a copy of one.
    pub(super) fn original_block(&self, value: ValueId) -> Option<BlockId> {
        match self.same(value) {
            Same::Value(original) => self.block(original),
            _ => None,
        }
    }

    /// Records that a value varies; `true` if that is new. The first cause of a degree is kept, so that causes are acyclic.
    pub(super) fn raise(&mut self, value: ValueId, variance: Variance, cause: Cause) -> bool {
        let value = &mut self.values[value as usize];
        let is_new = variance > value.variance;
        if is_new {
            (value.variance, value.cause) = (variance, cause);
        }
        is_new
    }

    /// Marks comparisons and differences of values that both vary, since they may vary in the same way. If there are any,
    /// forgets what varies and is `true`.
    pub(super) fn doubt_differences(&mut self) -> bool {
        let varies =
            |used: &&Use| used.kind == UseKind::Data && self.variance(used.value) == Variance::Varies;
        let is_doubtful = |value: &ValueId| {
            self.result(*value).cancels() && self.uses(*value).iter().filter(varies).count() > 1
        };
        let doubtful: Vec<ValueId> = self.ids().filter(is_doubtful).collect();
        for value in &doubtful {
            let value = &mut self.values[*value as usize];
            value.result = value.result.doubted();
        }
        if !doubtful.is_empty() {
            let known = self.values.iter_mut().filter(|value| value.cause != Cause::Parameter);
            known.for_each(|value| (value.variance, value.cause) = (Variance::Uniform, Cause::Nothing));
        }
        !doubtful.is_empty()
    }

    /// A register as an instruction finds it.
    pub(super) fn used_at(&mut self, instruction: InstructionId, register: ReferentId) -> Use {
        let value = self.before(instruction, register);
        Use { value, block: self.cfg.block_of(instruction.index() as u32), kind: UseKind::Data }
    }

    /// A register as an instruction leaves it.
    pub(super) fn used_after(&mut self, instruction: InstructionId, register: ReferentId) -> Use {
        let value = self.after(instruction, register);
        Use { value, block: self.cfg.block_of(instruction.index() as u32), kind: UseKind::Data }
    }

    /// The value that an instruction leaves in a register.
    fn after(&mut self, instruction: InstructionId, register: ReferentId) -> ValueId {
        if self.definitions.of_register(register).binary_search(&(instruction.index() as u32)).is_ok() {
            self.written(instruction.index() as u32, register)
        } else {
            self.before(instruction, register)
        }
    }

    /// The value that an instruction finds in a register.
    fn before(&mut self, instruction: InstructionId, register: ReferentId) -> ValueId {
        let instruction = instruction.index() as u32;
        let block = self.cfg.block_of(instruction);
        let start = self.cfg.block(block).instructions.start;
        match self.definitions.last_in(register, start..instruction) {
            Some(definition) => self.written(definition, register),
            None => self.at_start(block, register),
        }
    }

    /// Makes all values that those known so far are made from.
    pub(super) fn complete(&mut self) {
        while self.complete < self.values.len() {
            let index = self.complete;
            self.complete += 1;
            let uses = match self.values[index].origin {
                Origin::Written { instruction, register } => self.sources(instruction, register),
                Origin::Merged { block, register } => self.incoming(block, register),
                Origin::Before { .. } => Vec::new(),
            };
            let start = self.uses.len() as u32;
            self.uses.extend(uses);
            self.values[index].uses = start..self.uses.len() as u32;
        }
    }

    fn sources(&mut self, id: InstructionId, register: ReferentId) -> Vec<Use> {
        let instruction = self.function.instruction(id);
        let block = self.cfg.block_of(id.index() as u32);
        let guard = instruction.guard().map(|guard| self.function.name(guard.name).range.start());
        let mut uses = Vec::new();
        for name in self.function.names_of(instruction) {
            if is_register(self.function, name.resolution)
                && matches!(name.role, Role::Read | Role::ReadWrite)
            {
                let kind = if Some(name.range.start()) == guard { UseKind::Guard } else { UseKind::Data };
                uses.push(Use { value: self.before(id, name.referent), block, kind });
            }
        }
        // Of a register that is written nowhere else there is nothing to keep.
        let is_only =
            self.definitions.of_register(register).len() == 1 && !is_parameter(self.function, register);
        if !is_only && (guard.is_some() || is_vector(self.function, register)) {
            uses.push(Use { value: self.before(id, register), block, kind: UseKind::Previous });
        }
        uses
    }

    fn incoming(&mut self, block: BlockId, register: ReferentId) -> Vec<Use> {
        let cfg = self.cfg;
        let from_outside = (block.index() == 0).then(|| self.existing(register));
        let mut uses: Vec<Use> =
            from_outside.map(|value| Use { value, block, kind: UseKind::Data }).into_iter().collect();
        for from in cfg.predecessors(block) {
            if self.reachable[from.index()] {
                uses.push(Use { value: self.at_end(from, register), block, kind: UseKind::Data });
            }
        }
        uses
    }

    fn at_end(&mut self, block: BlockId, register: ReferentId) -> ValueId {
        match self.definitions.last_in(register, self.cfg.block(block).instructions.clone()) {
            Some(definition) => self.written(definition, register),
            None => self.at_start(block, register),
        }
    }

    /// Goes up while there is one way to come; a register that is written once needs no search.
    fn at_start(&mut self, mut block: BlockId, register: ReferentId) -> ValueId {
        match *self.definitions.of_register(register) {
            [] => return self.existing(register),
            [only] if !is_parameter(self.function, register) => return self.written(only, register),
            _ => {}
        }
        // Unreachable blocks may form a circle.
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

    fn written(&mut self, instruction: u32, register: ReferentId) -> ValueId {
        if let Some(&value) = self.known.get(&(instruction, register)) {
            return value;
        }
        let id = InstructionId::new(instruction as usize);
        let result = results::transfer(self.function, self.function.instruction(id), register);
        let value = self.push(Origin::Written { instruction: id, register }, result);
        self.known.insert((instruction, register), value);
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
        if is_parameter(self.function, register) {
            self.raise(value, Variance::Unknown, Cause::Parameter);
        }
        self.before.insert(register, value);
        value
    }

    fn push(&mut self, origin: Origin, result: Transfer) -> ValueId {
        let id = self.values.len() as ValueId;
        let block = match origin {
            Origin::Written { instruction, .. } => Some(self.cfg.block_of(instruction.index() as u32)),
            Origin::Merged { block, .. } => Some(block),
            Origin::Before { .. } => None,
        };
        let (variance, cause) = (Variance::Uniform, Cause::Nothing);
        self.values.push(Value { origin, block, uses: 0..0, result, same: Same::Unset, variance, cause });
        id
    }

    /// Sets what a value is a copy of.
    pub(super) fn set_same(&mut self, value: ValueId, same: Same) {
        self.values[value as usize].same = same;
    }

    /// The values that a value is a copy of, if it computes nothing: the merged ones, or the source of a `mov`.
    pub(super) fn passed_on(&self, value: ValueId) -> Option<&[Use]> {
        match self.origin(value) {
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
        let Origin::Written { instruction, .. } = self.origin(value) else { return None };
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

    /// Whether a value can differ between iterations of a loop: it depends on a value merged inside or on itself, or the analysis
    /// does not know what it is made from.
    pub(super) fn changes_in(&self, value: ValueId, in_loop: &dyn Fn(BlockId) -> bool) -> bool {
        const FAR: usize = 256;
        let origin = |value: ValueId| match self.same(value) {
            Same::Value(origin) if self.block(origin).is_some_and(in_loop) => Some(origin),
            _ => None,
        };
        let mut seen: Vec<ValueId> = origin(value).into_iter().collect();
        let mut next = 0;
        while let Some(&value) = seen.get(next) {
            next += 1;
            if matches!(self.origin(value), Origin::Merged { .. }) || next > FAR {
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

fn symbol_kind<'f>(function: &'f Function, resolution: Resolution<'_>) -> Option<&'f SymbolKind> {
    resolution.symbol().map(|symbol| &function.symbol(symbol).kind)
}

fn is_register(function: &Function, resolution: Resolution<'_>) -> bool {
    let kind = symbol_kind(function, resolution);
    matches!(kind, Some(SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. }))
}

fn is_vector(function: &Function, register: ReferentId) -> bool {
    matches!(
        symbol_kind(function, function.resolution(register)),
        Some(
            SymbolKind::Register { vector: Some(_), .. } | SymbolKind::RegisterRange { vector: Some(_), .. }
        )
    )
}

/// Whether a register is a parameter: it is declared before the body.
fn is_parameter(function: &Function, register: ReferentId) -> bool {
    let symbol = function.resolution(register).symbol().map(|symbol| function.symbol(symbol));
    symbol.zip(function.body).is_some_and(|(symbol, body)| symbol.range.start() < body.start())
}

/// By register, the instructions that write it, in the order of the text.
struct Definitions {
    starts: Vec<u32>,
    instructions: Vec<u32>,
}

impl Definitions {
    fn of(function: &Function) -> Definitions {
        let is_register = |index| is_register(function, function.resolution(ReferentId::new(index)));
        let is_register: Vec<bool> = (0..function.referent_count()).map(is_register).collect();
        let writes: Vec<(InstructionId, ReferentId)> =
            function.writes().filter(|(_, register)| is_register[register.index()]).collect();
        let mut starts = vec![0u32; function.referent_count() + 1];
        for (_, register) in &writes {
            starts[register.index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut instructions = vec![0; writes.len()];
        for (instruction, register) in writes {
            let slot = &mut next[register.index()];
            instructions[*slot as usize] = instruction.index() as u32;
            *slot += 1;
        }
        Definitions { starts, instructions }
    }

    fn of_register(&self, register: ReferentId) -> &[u32] {
        let index = register.index();
        &self.instructions[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    fn last_in(&self, register: ReferentId, range: std::ops::Range<u32>) -> Option<u32> {
        let all = self.of_register(register);
        let before = all[..all.partition_point(|&instruction| instruction < range.end)].last();
        before.copied().filter(|instruction| *instruction >= range.start)
    }
}
