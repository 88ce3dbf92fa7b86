//! The memory accesses of an operation, for a recording.

use warplens_sim_warp::recording::{Access, Space as RecordedSpace};
use warplens_sim_warp::trace::Mask;

use super::lanes::lanes;
use super::memory::Memory;
use super::op::{self, Action, Matrix, Row, Space};
use super::state::State;

/// Bytes of a row of a tile.
const TILE_ROW: u64 = 16;
const TILE_ROWS: u32 = 4;

/// The accesses of an operation that is about to run in the lanes of `executed`; `block` is the number of its workgroup.
pub(crate) fn accesses<const W: usize>(
    action: &Action,
    state: &State<W>,
    executed: Mask,
    block: u64,
) -> Vec<Access> {
    if executed == 0 {
        return Vec::new();
    }
    let at = |row: Row| state.rows.get(row);
    let access = |space: Space, bytes: u64, (reads, writes): (bool, bool), address: &dyn Fn(usize) -> u32| {
        let (space, owner) = match space {
            Space::Local => (RecordedSpace::Shared, block),
            Space::Device => (RecordedSpace::Global, 0),
        };
        let lanes = lanes(executed).map(|lane| (lane as u32, u64::from(address(lane)))).collect();
        Access { space, owner, reads, writes, bytes, lanes, data: Vec::new() }
    };
    if let Some(op::Access { space, bytes, address, reads, writes }) = action.access() {
        return vec![access(space, bytes.into(), (reads, writes), &|lane| at(address)[lane])];
    }
    match *action {
        Action::Matrix(
            op @ (Matrix::LoadA { address, stride, .. }
            | Matrix::LoadB { address, stride, .. }
            | Matrix::StoreC { address, stride, .. }),
        ) => {
            let stores = matches!(op, Matrix::StoreC { .. });
            let row = |row: u32| {
                access(Space::Local, TILE_ROW, (!stores, stores), &|lane| {
                    at(address)[lane].wrapping_add(at(stride)[lane].wrapping_mul(row))
                })
            };
            (0..TILE_ROWS).map(row).collect()
        }
        _ => Vec::new(),
    }
}

/// Adds what the operation has left in memory.
pub(crate) fn complete(accesses: &mut [Access], memory: &Memory<'_>) {
    for access in accesses.iter_mut().filter(|access| access.writes) {
        let bytes: &[u8] = match access.space {
            RecordedSpace::Shared => memory.local,
            _ => memory.device,
        };
        let len = access.bytes as usize;
        access.lanes.retain(|(_, address)| bytes.len() as u64 >= address + len as u64);
        let stored = access.lanes.iter().map(|(_, address)| &bytes[*address as usize..][..len]);
        access.data = stored.collect::<Vec<_>>().concat();
    }
}
