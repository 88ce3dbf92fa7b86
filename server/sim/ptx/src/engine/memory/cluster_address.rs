//! `mapa` and `getctarank`: addresses in other blocks of the cluster.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::registers::{PerLane, Registers, filter_lanes};
use warplens_sim_warp::finding_kind::FindingKind;

use crate::program::{Op, Slots, Space, Width};

pub(crate) fn execute(op: Op, s: &Slots, r: &mut Registers, window: ClusterWindow, mask: u32) -> Result {
    let (Op::MapRank(width) | Op::RankOf(width)) = op else { return Ok(()) };
    let space = if s.c == 0 { Space::Generic } else { Space::Shared };
    let addresses: PerLane<u64> = match width {
        Width::W64 => *r.get::<u64>(s.a),
        Width::W32 => r.get::<u32>(s.a).map(u64::from),
    };
    if let Op::RankOf(_) = op {
        let rank = |address| window.block_at(space, address).map_or(0, |(rank, _)| rank as u32);
        let ranks: PerLane<u32> = addresses.map(rank);
        r.set(s.d, mask, &ranks);
        return Ok(());
    }
    let ranks = *r.get::<u32>(s.b);
    let invalid = filter_lanes(mask, |lane| ranks[lane] >= window.blocks);
    if invalid != 0 {
        let (rank, blocks) = (ranks[invalid.trailing_zeros() as usize], window.blocks);
        let message = match blocks {
            1 => format!("{rank}, the cluster has one block, of rank 0"),
            _ => {
                format!("{rank}, the ranks of the cluster are 0 to {}", blocks - 1)
            }
        };
        return Err(Fault::new(FindingKind::ClusterRank, message, invalid));
    }
    let mapped: PerLane<u64> = std::array::from_fn(|lane| match mask >> lane & 1 {
        1 => window.mapped(space, addresses[lane], ranks[lane]),
        _ => 0,
    });
    match width {
        Width::W64 => r.set(s.d, mask, &mapped),
        Width::W32 => r.set(s.d, mask, &mapped.map(|address| address as u32)),
    }
    Ok(())
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
