//! The rule as specified, compared with the implementation on small graphs.

use proptest::prelude::*;

use super::PostDominators;
use crate::cfg::{BasicBlock, BlockEnd, BlockId, Cfg};

/// Blocks of one instruction each: a block with two edges diverges, with one continues, with none exits or
/// traps.
fn graph(blocks: &[(u8, u32, u32)]) -> Cfg {
    let len = blocks.len() as u32;
    let mut edges = Vec::new();
    let mut built = Vec::new();
    for (&(shape, a, b), index) in blocks.iter().zip(0..) {
        let (end, targets): (_, &[u32]) = match shape {
            0 => (BlockEnd::Exits, &[]),
            1 => (BlockEnd::Traps, &[]),
            2 | 3 => (BlockEnd::Continues, &[a]),
            _ => (BlockEnd::Diverges, &[a, b]),
        };
        edges.extend(targets.iter().map(|target| (BlockId(index), BlockId(target % len))));
        built.push(BasicBlock { instructions: index..index + 1, end });
    }
    Cfg::new(built, edges)
}

/// Whether `to` can be reached from `from` without passing through `without`.
fn reaches(cfg: &Cfg, from: BlockId, to: BlockId, without: Option<BlockId>) -> bool {
    let mut seen = vec![false; cfg.blocks().len()];
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if Some(block) == without || std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        open.extend(cfg.successors(block));
    }
    seen[to.index()]
}

/// The closest block that every path from `block` to `end` passes through, other than `block` itself.
fn post_dominator(cfg: &Cfg, block: BlockId, end: BlockId) -> Option<BlockId> {
    if block == end || !reaches(cfg, block, end, None) {
        return None;
    }
    let on_all_paths =
        |from: BlockId, through: BlockId| through == end || !reaches(cfg, from, end, Some(through));
    let candidates: Vec<_> =
        cfg.ids().filter(|&other| other != block && on_all_paths(block, other)).collect();
    let is_closest =
        |this: &&BlockId| candidates.iter().all(|&other| other == **this || on_all_paths(**this, other));
    candidates.iter().find(is_closest).copied()
}

/// The primary end by counting, with post-dominators computed one by one.
fn primary(cfg: &Cfg, is_uniform: impl Fn(BlockId) -> bool) -> Option<BlockId> {
    let entry = BlockId(0);
    let reachable = |id: &BlockId| reaches(cfg, entry, *id, None);
    let ends = cfg.ids().filter(reachable).filter(|id| cfg.block(*id).end == BlockEnd::Exits);
    ends.max_by_key(|&end| {
        let reconverges = |block: &BlockId| {
            let place = post_dominator(cfg, *block, end);
            let from = |place| cfg.successors(*block).filter(|next| reaches(cfg, *next, place, None)).count();
            place.is_some_and(|place| from(place) >= 2)
        };
        let diverging = || {
            cfg.ids()
                .filter(reachable)
                .filter(|id| cfg.block(*id).end == BlockEnd::Diverges)
                .filter(reconverges)
        };
        (diverging().filter(|block| !is_uniform(*block)).count(), diverging().count(), end)
    })
}

proptest! {
    #[test]
    fn the_primary_end_is_the_one_that_counting_finds(
        blocks in prop::collection::vec((0u8..7, 0u32..10, 0u32..10), 1..10),
        uniform in 0u32..1024,
    ) {
        let cfg = graph(&blocks);
        let is_uniform = |block: BlockId| uniform >> block.0 & 1 != 0;
        let joins = PostDominators::by_primary_end(&cfg, is_uniform);
        let reachable = cfg.reachable();
        if let Some(end) = primary(&cfg, is_uniform) {
            for block in cfg.ids().filter(|block| reachable[block.index()]) {
                if block == end || reaches(&cfg, block, end, None) {
                    prop_assert_eq!(joins.immediate(block), post_dominator(&cfg, block, end));
                }
            }
        }
    }

    #[test]
    fn post_dominators_are_reachable(blocks in prop::collection::vec((0u8..7, 0u32..10, 0u32..10), 1..10)) {
        let cfg = graph(&blocks);
        for joins in [PostDominators::by_primary_end(&cfg, |_| false), PostDominators::plain(&cfg)] {
            for block in cfg.ids() {
                if let Some(place) = joins.immediate(block) {
                    prop_assert!(reaches(&cfg, block, place, None));
                    prop_assert!(place != block);
                }
            }
        }
    }
}
