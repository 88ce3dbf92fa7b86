//! Why a value differs between lanes, link by link.

use super::Uniformity;
use super::cause::{Cause, ValueId};
use super::values::{Origin, Use};
use crate::Variance;
use crate::cfg::BlockId;
use crate::ptx::{InstructionId, ReferentId};

/// One link of the chain from a register back to where a difference begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The register that differs; `None` where a branch of no known guard is the start.
    pub register: Option<ReferentId>,
    /// The instruction that shows it.
    pub instruction: InstructionId,
    /// How.
    pub kind: LinkKind,
}

/// The cause of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// The instruction makes it from the register of the next link.
    Made,
    /// Lanes where the guard of the instruction is false keep what was there; the next link is about the guard.
    Guarded,
    /// Lanes diverge at the instruction, a branch, and reconverge with different values; the next link is about its guard.
    Diverged,
    /// Lanes exit a loop at the instruction, a branch, in different iterations; the next link is about its guard.
    Left,
    /// The instruction reads a special register that differs from lane to lane.
    Special,
    /// The instruction picks a lane.
    Picks,
    /// The instruction takes it from where the analysis does not look: memory, a call, other lanes.
    Opaque,
    /// The instruction makes it from what differs between threads, perhaps not between those of a warp.
    Aligned,
    /// It is a parameter in `.reg`; the instruction is the first of the function.
    Parameter,
}

/// Chains are cut at this many links.
const LONGEST: usize = 64;

impl Uniformity<'_> {
    /// Why the answer to the query of this number is not *uniform*, from the register back to where the difference
    /// begins.
    pub fn reason(&self, query: usize) -> Vec<Link> {
        of_use(self, &self.asked[query])
    }

    /// Why the branch at the end of a block can diverge.
    pub fn branch_reason(&self, block: BlockId) -> Vec<Link> {
        control(self, block).map_or_else(Vec::new, |used| of_use(self, used))
    }
}

/// The register that makes a branch divergent.
fn control<'u>(analysis: &'u Uniformity<'_>, block: BlockId) -> Option<&'u Use> {
    analysis.branch_at(block)?.control.iter().rev().max_by_key(|used| analysis.used(used).0)
}

fn of_use(analysis: &Uniformity<'_>, used: &Use) -> Vec<Link> {
    let (_, Cause::Left(branch)) = analysis.used(used) else { return of_value(analysis, used.value) };
    let register = Some(analysis.values.origin(used.value).register());
    let left = Link { register, instruction: last(analysis, branch), kind: LinkKind::Left };
    let mut links = vec![left];
    links.extend(control(analysis, branch).into_iter().flat_map(|used| of_value(analysis, used.value)));
    links
}

fn of_value(analysis: &Uniformity<'_>, value: ValueId) -> Vec<Link> {
    let mut links = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next
        && links.len() < LONGEST
        && analysis.done
        && analysis.values.variance(value) > Variance::Uniform
    {
        let (kind, instruction, after) = link(analysis, value);
        let register = analysis.values.origin(value).register();
        links.extend(kind.map(|kind| Link { register: Some(register), instruction, kind }));
        next = after;
    }
    links
}

/// The link for a value, and the next value of the chain. Merged values have no link.
fn link(analysis: &Uniformity<'_>, value: ValueId) -> (Option<LinkKind>, InstructionId, Option<ValueId>) {
    let here = match analysis.values.origin(value) {
        Origin::Written { instruction, .. } => instruction,
        Origin::Merged { block, .. } => first(analysis, block),
        Origin::Before { .. } => InstructionId::FIRST,
    };
    let is_written = matches!(analysis.values.origin(value), Origin::Written { .. });
    let control = |block: BlockId| control(analysis, block).map(|used| used.value);
    match analysis.values.cause(value) {
        Cause::Nothing => (None, here, None),
        Cause::Value(source) => (is_written.then_some(LinkKind::Made), here, Some(source)),
        Cause::Guard(guard) => (Some(LinkKind::Guarded), here, Some(guard)),
        Cause::Diverged(block) => (Some(LinkKind::Diverged), last(analysis, block), control(block)),
        Cause::Left(block) => (Some(LinkKind::Left), last(analysis, block), control(block)),
        Cause::Special => (Some(LinkKind::Special), here, None),
        Cause::Picks => (Some(LinkKind::Picks), here, None),
        Cause::Opaque => (Some(LinkKind::Opaque), here, None),
        Cause::Aligned => (Some(LinkKind::Aligned), here, None),
        Cause::Parameter => (Some(LinkKind::Parameter), here, None),
    }
}

/// The branch at the end of a block.
fn last(analysis: &Uniformity<'_>, block: BlockId) -> InstructionId {
    let last = analysis.values.cfg().block(block).instructions.end.saturating_sub(1);
    InstructionId::new(last as usize)
}

fn first(analysis: &Uniformity<'_>, block: BlockId) -> InstructionId {
    InstructionId::new(analysis.values.cfg().block(block).instructions.start as usize)
}
