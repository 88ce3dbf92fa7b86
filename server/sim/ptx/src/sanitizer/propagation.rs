//! Propagation of undefined values by instructions.

use warplens_sim_cuda::inactive_sources::InactiveSources;
use warplens_sim_cuda::sanitizer::undefined_use::{Cause, UndefinedOrigin, UndefinedUse};
use warplens_sim_cuda::semantics::bits::Logic;
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_cuda::slot::RegisterSlot;

use super::exchange::{undefined_parts, undefined_results};
use super::undefined::UndefinedValues;
use super::undefined_bits::result_bits;
use super::undefined_use::{StatementVisit, UndefinedInput, UndefinedUses};
use crate::engine::exec::warp_collectives::exchange_of;
use crate::program::{Function, Mixing, Op, ReadKind};

struct Sources {
    uses: UndefinedUses,
    all: u32,
    source: Option<UndefinedOrigin>,
}

impl UndefinedValues {
    /// Propagates undefined values when lanes execute a statement; returns the uses of undefined values.
    pub(crate) fn step(&mut self, visit: &StatementVisit<'_>) -> UndefinedUses {
        let &StatementVisit { function, pc, executed, .. } = visit;
        let instruction = &function.code[pc as usize];
        let carry = if let Op::Carry(carry) = instruction.op { Some(carry) } else { None };
        let Sources { mut uses, all, mut source } = self.sources(visit);
        if carry.is_some_and(|carry| carry.takes)
            && let Some((lanes, root)) = self.carry(function.first_statement + pc, executed)
        {
            uses.sources |= lanes;
            source.get_or_insert(root);
        }
        uses.root = source.or(uses.stored.map(|stored| stored.root));
        if source.is_some() && instruction.op.exchange().is_some() {
            self.exchange(visit, executed, &self.input(function, pc, executed));
            return uses;
        }
        if let Some(root) = &mut source
            && matches!(instruction.op, Op::MatrixProduct(_) | Op::Tensor(_))
        {
            root.through.get_or_insert(function.first_statement + pc);
        }
        let is_whole = source.is_some() && self.passes_whole_values_on(function, pc);
        if source.is_some()
            && !is_whole
            && let Some(written) = result_bits(visit, self)
        {
            for (register, bits) in written {
                self.set_bits(register, executed, &bits, source);
            }
            return uses;
        }
        let undefined = match function.flow.mixing_of(pc) {
            _ if source.is_none() => 0,
            _ if is_whole => uses.sources,
            Mixing::Defined => 0,
            Mixing::Any => uses.sources,
            Mixing::All => all,
        };
        for &register in function.writes_of(pc) {
            self.set(register, executed, undefined, source);
        }
        if carry.is_some_and(|carry| carry.gives) {
            self.set_carry(executed, undefined, source);
        }
        uses
    }

    /// Whether undefined sources, which are undefined as a whole, make the result undefined as a whole. [`result_bits`] would find
    /// the same, more slowly.
    fn passes_whole_values_on(&self, function: &Function, pc: u32) -> bool {
        let passes_on = matches!(
            function.code[pc as usize].op,
            Op::Logic(Logic::Copy | Logic::Not | Logic::Xor, _)
                | Op::Int(IntOp::Add | IntOp::Sub | IntOp::Neg, _)
        );
        passes_on && !function.flow.reads_of(pc).iter().any(|read| self.is_partial(read.register))
    }

    fn sources(&mut self, visit: &StatementVisit<'_>) -> Sources {
        let &StatementVisit { function, pc, active, executed, .. } = visit;
        let statement = function.first_statement + pc;
        let is_store = matches!(function.code[pc as usize].op, Op::Store(_));
        let mut uses = UndefinedUses::default();
        let (mut all, mut source) = (executed, None);
        for read in function.flow.reads_of(pc) {
            let lanes =
                self.lanes_of(read.register) & if read.part == ReadKind::Guard { active } else { executed };
            if read.part == ReadKind::Source {
                uses.sources |= lanes;
                all &= lanes;
            }
            if lanes == 0 {
                continue;
            }
            let root = self.root(read.register, statement, lanes);
            let used = UndefinedUse { root, statement, part: read.part, lanes };
            match read.part {
                ReadKind::Source => _ = source.get_or_insert(root),
                ReadKind::Stored if is_store => uses.stored = Some(used),
                _ => _ = uses.used.get_or_insert(used),
            }
        }
        Sources { uses, all, source }
    }

    /// The origin of a register's undefined value, which a statement reads in these lanes.
    pub(super) fn root(&self, register: u32, statement: u32, lanes: u32) -> UndefinedOrigin {
        let unwritten = UndefinedOrigin { statement, cause: Cause::Register(register), lanes, through: None };
        self.origin(register).unwrap_or(unwritten)
    }

    /// Propagates undefined values through a warp-wide operation with the other lanes of `mask`.
    pub(crate) fn exchange(&mut self, visit: &StatementVisit<'_>, mask: u32, input: &UndefinedInput) {
        let &StatementVisit { function, pc, executed, registers, .. } = visit;
        let Some(exchange) = exchange_of(&function.code[pc as usize], function) else { return };
        let (value, predicate) = undefined_results(exchange, registers, mask, input);
        let parts = undefined_parts(exchange, registers, mask, input);
        if value | predicate != 0 {
            self.grow(function);
        } else if self.is_empty() {
            return;
        }
        for &register in function.writes_of(pc) {
            let place = function.frame.registers[register as usize].place;
            let is_predicate = exchange.p.map(RegisterSlot::Predicate) == Some(place);
            if let Some(bits) = parts.as_ref().filter(|_| !is_predicate) {
                self.set_bits(register, executed, bits, input.root);
                continue;
            }
            self.set(register, executed, if is_predicate { predicate } else { value }, input.root);
        }
    }

    /// The undefined inputs of the warp-wide operation at `pc`, in the lanes of `mask`.
    pub(crate) fn input(&self, function: &Function, pc: u32, mask: u32) -> UndefinedInput {
        let mut input = UndefinedInput::default();
        let Some(exchange) = exchange_of(&function.code[pc as usize], function) else { return input };
        let statement = function.first_statement + pc;
        for read in function.flow.reads_of(pc).iter().filter(|read| read.part == ReadKind::Source) {
            let lanes = self.lanes_of(read.register) & mask;
            if lanes == 0 {
                continue;
            }
            let mut root = self.root(read.register, statement, lanes);
            if Some(function.frame.registers[read.register as usize].place) == exchange.a {
                input.value |= lanes;
                input.bits = self.is_partial(read.register).then(|| self.bits_of(read.register));
                root.through.get_or_insert(statement);
            } else {
                input.selector |= lanes;
            }
            input.root.get_or_insert(root);
        }
        input
    }

    pub(crate) fn divided(&mut self, function: &Function, pc: u32, lanes: u32) {
        let statement = function.first_statement + pc;
        let root = UndefinedOrigin { statement, cause: Cause::Division, lanes, through: None };
        self.grow(function);
        for &register in function.writes_of(pc) {
            self.set(register, lanes, lanes, Some(root));
        }
    }

    /// Makes the results of a shuffle undefined in lanes that read lanes which do not participate.
    pub(crate) fn shuffled(&mut self, function: &Function, pc: u32, inactive: InactiveSources) {
        let lanes = inactive.readers;
        let cause = Cause::Shuffle(inactive);
        let root = UndefinedOrigin { statement: function.first_statement + pc, cause, lanes, through: None };
        let Some(exchange) = exchange_of(&function.code[pc as usize], function) else { return };
        self.grow(function);
        for &register in function.writes_of(pc) {
            if exchange.d == Some(function.frame.registers[register as usize].place) {
                self.set(register, lanes, lanes, Some(root));
            }
        }
    }
}
