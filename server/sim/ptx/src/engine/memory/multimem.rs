//! Accesses through multimem addresses. Each of these addresses the same offset in several buffers.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::lane_elements::LaneElements;
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH, lanes};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::semantics::replicas::ReplicaReduction;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::objects::bytes;

use super::access::{deliver, store_at};
use super::atomic::execute_at;
use super::lane_address::LaneAddress;
use crate::engine::exec::context::{ExecContext, MemoryRequest};
use crate::program::{Access, Address, Multimem, Space, Tables};

/// The addresses of one replica. `mask` holds the lanes that have this many replicas.
struct Replica {
    addresses: PerLane<u64>,
    mask: u32,
}

pub(crate) fn execute(
    what: Multimem,
    tables: &Tables,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    match what {
        Multimem::LoadReduce(id) => load_reduce(&tables[id], r, ctx, mask),
        Multimem::Store(id) => {
            let access = &tables[id];
            for replica in replicas_of(&access.address, access.space, access.span(), r, ctx, mask)? {
                store_at(access, &replica.addresses, r, ctx, replica.mask)?;
            }
            Ok(())
        }
        Multimem::Reduce(id) => {
            let atomic = &tables[id];
            for replica in replicas_of(&atomic.address, atomic.space, atomic.span(), r, ctx, mask)? {
                execute_at(atomic, &replica.addresses, r, ctx, replica.mask)?;
            }
            Ok(())
        }
    }
}

fn load_reduce(
    (access, reduction): &(Access, ReplicaReduction),
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let replicas = replicas_of(&access.address, access.space, access.span(), r, ctx, mask)?;
    let count = access.elements.len();
    let mut loaded: Vec<[Vec<u64>; WIDTH]> = vec![std::array::from_fn(|_| Vec::new()); count];
    for Replica { addresses, mask } in &replicas {
        let elements = (access.size, count);
        let checked =
            ctx.resolve(&MemoryRequest::new(AccessKind::Load, access.space, addresses, elements, *mask))?;
        for (index, values) in loaded.iter_mut().enumerate() {
            let (offset, size) = (index as u64 * u64::from(access.size), access.size);
            let elements = LaneElements { checked: &checked, addresses, offset, size, mask: *mask };
            let fetched = elements.load(ctx.spaces, ctx.local, |value| value);
            lanes(*mask).for_each(|lane| values[lane].push(fetched[lane]));
        }
    }
    for (element, values) in access.elements.iter().zip(&loaded) {
        let Some(element) = element else { continue };
        let results = std::array::from_fn(|lane| reduction.of(8 * access.size, &values[lane]));
        deliver(access, element, &results, r, mask);
    }
    Ok(())
}

/// The addresses of each replica for an access of `span` bytes in each lane.
fn replicas_of(
    address: &Address,
    space: Space,
    span: u32,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<Vec<Replica>> {
    let all = addresses(address, r, ctx.bases);
    let mut found: Vec<Replica> = Vec::new();
    for lane in lanes(mask) {
        let at = LaneAddress { space, address: all[lane], lane };
        for (number, address) in replicas(at, span.into(), ctx)?.into_iter().enumerate() {
            if number == found.len() {
                found.push(Replica { addresses: [0; WIDTH], mask: 0 });
            }
            found[number].addresses[lane] = address;
            found[number].mask |= 1 << lane;
        }
    }
    Ok(found)
}

/// All addresses behind a multimem address, for an access of `span` bytes.
pub(super) fn replicas(at: LaneAddress, span: u64, ctx: &mut ExecContext<'_>) -> Result<Vec<u64>> {
    let name = || ctx.spaces.element(at.space, at.address, span.clamp(1, 4), ctx.local);
    let Some((multimem, offset)) = ctx.spaces.launch.multimem(at.address) else {
        let message = format!(
            "a `multimem` access to {}\nit is not a multimem address; pass one: {{ multimem = {{ buffer = \"u32\", \
             len = 64, replicas = [{{ fill = \"iota\" }}, {{ fill = \"zero\" }}] }} }}",
            name()
        );
        return Err(Fault::new(FindingKind::NoMeaning, message, 1 << at.lane));
    };
    if offset.saturating_add(span) > multimem.len {
        let message = format!(
            "a `multimem` access of {} to {}\neach replica has {}; guard the access, or make the replicas larger",
            bytes(span),
            name(),
            bytes(multimem.len)
        );
        return Err(Fault::new(FindingKind::OutOfBounds, message, 1 << at.lane));
    }
    // Each replica is accessed afterwards.
    ctx.meter.count(multimem.replicas.len() as u64)?;
    Ok(multimem.replicas.iter().map(|replica| replica + offset).collect())
}
