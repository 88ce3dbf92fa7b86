//! Calls, branch targets and `.shared` variables of a function that other items may declare, and whether it waits at a barrier.
//!
//! They are collected while the function is cached: the first check of a large file does not keep all functions.
//! [`module_rules`](super::module_rules) compares them with the other items, so an edit there does not lower the function again.

use warplens_hir::ptx::FunctionKind;
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Db, Item, ItemGroup, items_of};

use crate::ptx::cta_groups::CtaGroups;
use crate::ptx::flow::divergence::waits_at_barrier;
use crate::ptx::invalid_branch::targets::{self, TargetName};
use crate::ptx::invalid_call::{self, Call};
use crate::ptx::memory_limits::{self, SharedVariables};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CrossItemUses {
    pub(super) calls: Box<[Call]>,
    pub(super) targets: Box<[TargetName]>,
    pub(super) shared: Option<SharedVariables>,
    pub(super) cta_groups: Option<CtaGroups>,
    /// Whether it is a function that waits at a barrier of the CTA.
    pub(super) waits: bool,
}

/// The uses of each item of a group; `None` for an item without any.
#[salsa::tracked(returns(deref))]
pub(super) fn cross_item_uses<'db>(
    db: &'db dyn Db,
    group: ItemGroup<'db>,
) -> Box<[Option<Box<CrossItemUses>>]> {
    items_of(db, group).iter().map(|item| uses_of(db, *item).map(Box::new)).collect()
}

fn uses_of(db: &dyn Db, item: Item<'_>) -> Option<CrossItemUses> {
    let function = ptx_function(db, item)?;
    let calls = invalid_call::find(db, item, &function);
    let targets = targets::find(&function);
    let shared = memory_limits::shared_variables(&function);
    let cta_groups = CtaGroups::of(&function);
    let waits = function.kind == FunctionKind::Func && waits_at_barrier(&function);
    let is_empty =
        calls.is_empty() && targets.is_empty() && shared.is_none() && cta_groups.is_none() && !waits;
    (!is_empty).then_some(CrossItemUses { calls, targets, shared, cta_groups, waits })
}
