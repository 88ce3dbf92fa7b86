//! Which values are equal in all lanes of a warp, and why the others differ.
//!
//! The values of registers form a graph: the results of instructions, and the merged values at the start of
//! blocks. There are three reasons why a value differs. The *data* it is computed from differs; or lanes
//! *diverged* at a branch, wrote different values on its paths, and reconverged; or they exited a loop in
//! different iterations. All three are tracked together, because a branch diverges only if its guard differs.
//! Only values that a branch or a query depends on are computed.

mod cause;
mod copies;
mod joins;
mod pending;
mod reason;
mod results;
#[cfg(test)]
mod tests;
mod values;

pub use reason::{Link, LinkKind};
pub use values::RegisterQuery;

use super::{Function, InstructionId, Operand};
use crate::Variance;
use crate::cfg::{BlockEnd, BlockId, Cfg};
use cause::{Cause, Raised, ValueId};
use joins::Joins;
use pending::Pending;
use values::{Origin, Same, Use, UseKind, Values};

/// The maximum cost of the analysis in value visits. Beyond it, every result is unknown.
const BUDGET: usize = 20_000_000;

/// The result of the analysis of one function.
pub struct Uniformity<'f> {
    values: Values<'f>,
    branches: Vec<Branch>,
    joins: Joins<'f>,
    pending: Pending,
    asked: Vec<Use>,
    /// Whether the analysis finished within its budget.
    done: bool,
}

struct Branch {
    block: BlockId,
    /// The guard, and the index operand of `brx`.
    control: Vec<Use>,
    /// Whether `.uni` promises that the branch does not diverge.
    is_promised: bool,
    variance: Variance,
}

impl<'f> Uniformity<'f> {
    /// Analyzes the branches of a function and the registers in `queries`.
    pub fn of(function: &'f Function, cfg: &'f Cfg, queries: &[RegisterQuery]) -> Uniformity<'f> {
        let mut values = Values::new(function, cfg);
        let branches: Vec<Branch> =
            cfg.ids().filter_map(|block| Branch::of(function, cfg, block, &mut values)).collect();
        let asked = queries.iter().map(|query| values.used(*query, UseKind::Data)).collect();
        values.complete();
        copies::find(&mut values);
        let joins = Joins::new(cfg);
        let controls: Vec<&[Use]> = branches.iter().map(|branch| &*branch.control).collect();
        let pending = Pending::new(&values, &controls);
        let mut analysis = Uniformity { values, branches, joins, pending, asked, done: false };
        analysis.done = analysis.run_all_models();
        // Differences that may cancel out can be recognized only once it is known what varies. Then the
        // analysis runs again.
        if analysis.done && analysis.values.doubt_differences() {
            analysis.branches.iter_mut().for_each(|branch| branch.variance = Variance::Uniform);
            analysis.joins.forget();
            analysis.pending.add_all();
            analysis.done = analysis.run_all_models();
        }
        analysis
    }

    /// The answer to the query with this index.
    pub fn answer(&self, query: usize) -> Variance {
        self.settled(self.used(&self.asked[query]).0)
    }

    /// Whether the branch at the end of a block can diverge. The promise of `.uni` is ignored.
    pub fn branch(&self, block: BlockId) -> Variance {
        self.settled(branch_at(&self.branches, block).map_or(Variance::Uniform, |branch| branch.variance))
    }

    /// Whether the branch at the end of this block is proven or promised to send all lanes of a warp that
    /// reach it the same way.
    pub fn is_uniform_branch(&self, block: BlockId) -> bool {
        branch_at(&self.branches, block)
            .is_none_or(|branch| branch.is_promised || self.done && branch.is_uniform())
    }

    fn settled(&self, variance: Variance) -> Variance {
        if self.done { variance } else { Variance::Unknown }
    }

    /// Runs to a fixed point, adding the reconvergence points that follow from the results as a further model
    /// until there are no new ones.
    fn run_all_models(&mut self) -> bool {
        let mut budget = BUDGET;
        while self.run(&mut budget) {
            let branches = &self.branches;
            let is_uniform = |block| branch_at(branches, block).is_none_or(Branch::is_uniform);
            if !self.joins.add_model(is_uniform) {
                return true;
            }
            for index in 0..self.branches.len() {
                if !self.branches[index].is_uniform() {
                    self.diverge(index);
                }
            }
        }
        false
    }

    /// Raises variances until nothing changes. Returns `false` if that exceeds the budget.
    fn run(&mut self, budget: &mut usize) -> bool {
        loop {
            let mut changed = false;
            // Values were found by following uses backwards, so the last ones come first in the control flow.
            let mut end = self.values.len() as ValueId;
            while let Some(value) = self.pending.take_value_before(end) {
                if self.raise(value) {
                    self.pending.add_users(value);
                    changed = true;
                }
                end = value;
            }
            let mut start = 0;
            while let Some(index) = self.pending.take_branch_from(start) {
                changed |= self.raise_branch(index);
                start = index + 1;
            }
            if !changed {
                return true;
            }
            let cost = self.values.len() + self.branches.len() + self.joins.take_cost();
            let Some(rest) = budget.checked_sub(cost) else { return false };
            *budget = rest;
        }
    }

    /// Reevaluates a value. Returns whether it varies more than known before.
    fn raise(&mut self, value: ValueId) -> bool {
        let (variance, cause) = match self.values[value].origin {
            Origin::Before { .. } => return false,
            Origin::Written { .. } => self.written(value),
            Origin::Merged { block, .. } => self.merged(value, block),
        };
        self.values.raise(value, variance, cause)
    }

    fn written(&self, value: ValueId) -> (Variance, Cause) {
        let mut data = Raised::default();
        let mut control = Raised::default();
        let uses = self.values.uses(value);
        let keeps_old =
            uses.iter().any(|used| used.kind == UseKind::Previous && !self.values.is_undefined(used.value));
        for used in uses {
            let (variance, cause) = self.used(used);
            match used.kind {
                UseKind::Data => data.by(variance, cause),
                UseKind::Guard if keeps_old => control.by(variance, Cause::Guard(used.value)),
                UseKind::Guard => {}
                UseKind::Previous => control.by(variance, cause),
            }
        }
        let data = self.values[value].result.of(data);
        control.by(data.variance, data.cause);
        (control.variance, control.cause)
    }

    fn merged(&self, value: ValueId, block: BlockId) -> (Variance, Cause) {
        let mut raised = Raised::default();
        let merges = self.values[value].same == Same::Value(value);
        for used in self.values.uses(value) {
            // If different values are merged, diverged lanes count anyway, whichever iterations their values
            // come from.
            let (variance, cause) = if merges { self.left(used) } else { self.used(used) };
            raised.by(variance, cause);
        }
        if merges {
            if let Some((variance, branch)) = self.joins.divergence(block) {
                raised.by(variance, Cause::Diverged(branch));
            }
            if self.joins.is_irreducible {
                raised.by(Variance::Unknown, Cause::Opaque);
            }
        }
        (raised.variance, raised.cause)
    }

    /// How a value varies where it is used. It may vary more than at its definition, if lanes hold instances
    /// from different iterations.
    fn used(&self, used: &Use) -> (Variance, Cause) {
        let (variance, cause) = self.left(used);
        let mut raised = Raised { variance, cause };
        if raised.variance < Variance::Unknown
            && let Same::Value(origin) = self.values[used.value].same
            && let Some((block, made)) = self.values[used.value].block.zip(self.values[origin].block)
            && let Some((branch, _)) = self.joins.skipped(block, made, used.block)
            && self.values.changes_in(origin, &|other| self.joins.in_cycle(block, other))
        {
            raised.by(Variance::Unknown, Cause::Diverged(branch));
        }
        (raised.variance, raised.cause)
    }

    /// How a value varies where it is used, considering only loop exits. Outside a loop that lanes exit in
    /// different iterations, it may vary more than inside.
    fn left(&self, used: &Use) -> (Variance, Cause) {
        let mut raised =
            Raised { variance: self.values[used.value].variance, cause: Cause::Value(used.value) };
        if let Same::Value(origin) = self.values[used.value].same
            && let Some(block) = self.values[origin].block
        {
            for (variance, branch, region) in self.joins.left(block, used.block) {
                let in_loop = |block| self.joins.in_loop(region, block);
                let variance =
                    if self.values.changes_in(origin, &in_loop) { variance } else { Variance::Uniform };
                raised.by(variance, Cause::Left(branch));
            }
        }
        (raised.variance, raised.cause)
    }

    fn raise_branch(&mut self, index: usize) -> bool {
        let branch = &self.branches[index];
        let variance = branch.control.iter().map(|used| self.used(used).0).max();
        let variance = variance.unwrap_or(Variance::Unknown);
        if variance <= branch.variance {
            return false;
        }
        self.branches[index].variance = variance;
        if !self.branches[index].is_promised {
            self.diverge(index);
        }
        true
    }

    /// Records that lanes diverge at a branch, and queues everything that depends on that.
    fn diverge(&mut self, index: usize) {
        let Branch { block, variance, .. } = self.branches[index];
        for block in self.joins.diverge(block, variance) {
            self.pending.add_watchers(block);
        }
    }
}

fn branch_at(branches: &[Branch], block: BlockId) -> Option<&Branch> {
    let index = branches.binary_search_by_key(&block, |branch| branch.block).ok()?;
    Some(&branches[index])
}

impl Branch {
    fn of(function: &Function, cfg: &Cfg, block: BlockId, values: &mut Values<'_>) -> Option<Branch> {
        if cfg.block(block).end != BlockEnd::Diverges {
            return None;
        }
        let last = cfg.block(block).instructions.clone().next_back()?;
        let instruction = function.instruction(InstructionId::new(last as usize));
        let guard = instruction.guard().map(|guard| guard.name);
        let index = match (instruction.opcode(), instruction.operands().first()) {
            ("brx", Some(Operand::Register { name, .. })) => Some(*name),
            _ => None,
        };
        let registers = [guard, index].into_iter().flatten().map(|name| function.referent(name));
        let before = |register| RegisterQuery { instruction: instruction.id(), register, after: false };
        let control = registers.map(|register| values.used(before(register), UseKind::Data)).collect();
        let is_promised = instruction.has("uni");
        Some(Branch { block, control, is_promised, variance: Variance::Uniform })
    }

    /// Whether the branch is, so far, proven or promised not to diverge.
    fn is_uniform(&self) -> bool {
        self.is_promised || self.variance == Variance::Uniform
    }
}
