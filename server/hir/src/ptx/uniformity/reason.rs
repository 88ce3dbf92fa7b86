//! Explains, link by link, why a value differs between lanes.

use super::cause::{Cause, ValueId};
use super::values::{Origin, Use};
use super::{Uniformity, branch_at};
use crate::Variance;
use crate::cfg::BlockId;
use crate::ptx::{InstructionId, ReferentId};

/// A link of the chain from a register back to the origin of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The register that differs; `None` if the chain starts at a branch without a known guard.
    pub register: Option<ReferentId>,
    /// The instruction at which the difference arises.
    pub instruction: InstructionId,
    pub kind: LinkKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// The instruction computes it from the register of the next link.
    Made,
    /// Lanes where the guard of the instruction is false keep the old value; the next link explains the
    /// guard.
    Guarded,
    /// Lanes diverge at this branch and reconverge with different values; the next link explains its guard.
    Diverged,
    /// Lanes exit a loop at this branch in different iterations; the next link explains its guard.
    Left,
    /// The instruction reads a special register that differs between lanes.
    Special,
    /// The instruction selects a lane.
    Picks,
    /// The instruction reads a source that the analysis does not track: memory, a call, other lanes.
    Opaque,
    /// The instruction computes it from a value that differs between threads, but may be equal within a warp.
    Aligned,
    /// It is a parameter in `.reg`; the instruction is the first one of the function.
    Parameter,
}

/// Longer chains are cut off.
const LONGEST: usize = 64;

impl Uniformity<'_> {
    /// Why the answer to the query with this index is not *uniform*: the chain from the register back to the
    /// origin of the difference.
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
    branch_at(&analysis.branches, block)?.control.iter().rev().max_by_key(|used| analysis.used(used).0)
}

fn of_use(analysis: &Uniformity<'_>, used: &Use) -> Vec<Link> {
    let (_, Cause::Left(branch)) = analysis.used(used) else { return of_value(analysis, used.value) };
    let register = Some(analysis.values[used.value].origin.register());
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
        && analysis.values[value].variance > Variance::Uniform
    {
        let (kind, instruction, after) = link(analysis, value);
        let register = analysis.values[value].origin.register();
        links.extend(kind.map(|kind| Link { register: Some(register), instruction, kind }));
        next = after;
    }
    links
}

/// The link for a value, and the next value in the chain. Merged values have no link.
fn link(analysis: &Uniformity<'_>, value: ValueId) -> (Option<LinkKind>, InstructionId, Option<ValueId>) {
    let here = match analysis.values[value].origin {
        Origin::Written { instruction, .. } => instruction,
        Origin::Merged { block, .. } => first(analysis, block),
        Origin::Before { .. } => InstructionId::FIRST,
    };
    let is_written = matches!(analysis.values[value].origin, Origin::Written { .. });
    let control = |block: BlockId| control(analysis, block).map(|used| used.value);
    match analysis.values[value].cause {
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

fn last(analysis: &Uniformity<'_>, block: BlockId) -> InstructionId {
    let last = analysis.values.cfg().block(block).instructions.end.saturating_sub(1);
    InstructionId::new(last as usize)
}

fn first(analysis: &Uniformity<'_>, block: BlockId) -> InstructionId {
    InstructionId::new(analysis.values.cfg().block(block).instructions.start as usize)
}
