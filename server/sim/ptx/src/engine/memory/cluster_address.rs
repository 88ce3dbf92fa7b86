//! `mapa` and `getctarank`: addresses in other blocks of the cluster.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::memory::spaces::RankBeyond;
use warplens_sim_cuda::registers::{PerLane, Registers, filter_lanes, lanes};

use crate::engine::exec::context::ExecContext;
use crate::program::{Op, Slots, Space, Width};

pub(crate) fn execute(op: Op, s: &Slots, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) {
    let (Op::MapRank(width) | Op::RankOf(width)) = op else { return };
    let window = ctx.spaces.window;
    let space = if s.c == 0 { Space::Generic } else { Space::Shared };
    let addresses: PerLane<u64> = match width {
        Width::W64 => *r.get::<u64>(s.a),
        Width::W32 => r.get::<u32>(s.a).map(u64::from),
    };
    if let Op::RankOf(_) = op {
        let rank = |address| window.block_at(space, address).map_or(0, |(rank, _)| rank as u32);
        let ranks: PerLane<u32> = addresses.map(rank);
        r.set(s.d, mask, &ranks);
        return;
    }
    let ranks = *r.get::<u32>(s.b);
    let mapped: PerLane<u64> = std::array::from_fn(|lane| match mask >> lane & 1 {
        1 => window.mapped(space, addresses[lane], ranks[lane]),
        _ => 0,
    });
    // The result may be unused: compilers may move `mapa` above a guard. So the access is what is reported.
    for lane in lanes(mask).filter(|&lane| ranks[lane] >= window.blocks) {
        let statement = ctx.sanitizer.as_ref().map(|sanitizer| sanitizer.report.visit.statement);
        let beyond = RankBeyond { rank: ranks[lane], statement };
        ctx.spaces.ranks_beyond.extend(window.block_at(space, mapped[lane]).map(|(rank, _)| (rank, beyond)));
    }
    match width {
        Width::W64 => r.set(s.d, mask, &mapped),
        Width::W32 => r.set(s.d, mask, &mapped.map(|address| address as u32)),
    }
}

/// The blocks that a lane's multicast mask names.
pub(crate) fn ranks(blocks: u32, lane: usize, window: ClusterWindow) -> Result<impl Iterator<Item = u32>> {
    let ranks = lanes(blocks).map(|rank| rank as u32);
    if let Some(rank) = ranks.clone().find(|rank| *rank >= window.blocks) {
        let details = format!("the mask of blocks is {blocks:#x}; clear the bits beyond the cluster");
        return Err(Fault::beyond_cluster(rank, window.blocks, &details, 1 << lane));
    }
    Ok(ranks)
}

/// `isspacep.shared`: addresses in the shared memory of other blocks are only in `shared::cluster`.
pub(crate) fn is_own_shared(width: Width, s: &Slots, r: &mut Registers, window: ClusterWindow, mask: u32) {
    let own = window.own_generic();
    let is_own = |lane: usize| match width {
        Width::W64 => own.contains(&r.get::<u64>(s.a)[lane]),
        Width::W32 => own.contains(&r.get::<u32>(s.a)[lane].into()),
    };
    r.set_predicate(s.d, mask, filter_lanes(mask, is_own));
}

/// `cvta` between the shared and the generic space.
pub(crate) fn convert(
    width: Width,
    to_shared: bool,
    s: &Slots,
    r: &mut Registers,
    window: ClusterWindow,
    mask: u32,
) {
    match width {
        Width::W64 => r.map1(s, mask, |a: u64| window.converted(a, to_shared)),
        Width::W32 => r.map1(s, mask, |a: u32| window.converted(a.into(), to_shared) as u32),
    }
}
