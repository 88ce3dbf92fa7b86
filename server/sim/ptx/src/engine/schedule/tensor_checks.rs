//! Checks after a cluster's blocks have exited: bytes that no phase accounts for, warpgroups whose warps disagree, and
//! tensor memory that was not freed.

use warplens_sim_cuda::grid::cluster::Cluster;
use warplens_sim_cuda::memory::mbarrier_object::Object;
use warplens_sim_cuda::memory::spaces::{Spaces, read};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Related, WarpId};

use crate::engine::exec::warp::Warp;

type Block = warplens_sim_cuda::grid::block::Block<Warp>;

const WARPS: usize = 4;

/// Findings about asynchronous operations of a cluster whose blocks have exited.
pub(super) fn findings(cluster: &Cluster<Warp>, spaces: &Spaces, checks_races: bool) -> Vec<Finding> {
    let blocks = &cluster.blocks;
    let mut findings = Vec::new();
    if checks_races {
        findings.extend(unbalanced_phases(blocks, spaces));
        findings.extend(blocks.iter().flat_map(different_products));
    }
    findings.extend(leaks(blocks, spaces));
    findings
}

/// Findings about mbarriers whose last phase has bytes left, or too many bytes.
fn unbalanced_phases(blocks: &[Block], spaces: &Spaces) -> Vec<Finding> {
    let size = spaces.shared.len() / blocks.len().max(1);
    let mut findings = Vec::new();
    for (object, phases) in spaces.asynchronous.phases.all() {
        let bits = spaces.shared.get(object..object + 8).map_or(0, |bytes| read(bytes, 0, 8));
        let Some(bytes) = Object::of_bits(bits).map(|object| object.bytes).filter(|bytes| *bytes != 0) else {
            continue;
        };
        let at = phases.announced.or(phases.copies().next().map(|(statement, _)| statement));
        let Some(statement) = at else { continue };
        let cta = blocks.get(object / size.max(1)).and_then(|block| block.warps.first());
        let warp = cta.map_or(WarpId { cta: [0; 3], warp: 0 }, |warp| warp.id);
        let (count, balance) = (bytes.unsigned_abs(), if bytes > 0 { "fewer" } else { "more" });
        let message = format!(
            "copies completed {count} bytes {balance} than a phase expects\nthe phase completes too early or never. \
             Announce with `expect_tx` exactly the bytes of all copies of the phase; a tensor copy counts its whole box"
        );
        let related = phases.copies().map(|(statement, bytes)| {
            Related::new(statement, format!("copies of {bytes} bytes complete at the mbarrier here"))
        });
        findings.push(warp.finding(FindingKind::TransactionBytes, message, statement, 0u32).with(related));
    }
    findings
}

/// Findings about warps of a warpgroup that executed different products.
fn different_products(block: &Block) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in block.warps.chunks(WARPS) {
        let Some((first, others)) = group.split_first() else { continue };
        for other in others {
            let (one, two) = (&first.products.issued, &other.products.issued);
            let differs = one.iter().zip(two).position(|(one, two)| one != two);
            let at = differs.or((one.len() != two.len()).then_some(one.len().min(two.len())));
            let Some(at) = at else { continue };
            let (owner, product) = match (two.get(at), one.get(at)) {
                (Some(product), _) => (other, product),
                (None, Some(product)) => (first, product),
                (None, None) => continue,
            };
            let same_statement = one.get(at).map(|product| product.0) == two.get(at).map(|product| product.0);
            let (kind, message) = match same_statement {
                true => (
                    FindingKind::MatrixDescriptor,
                    format!(
                        "warps {} and {} give a product different descriptors\nthe result is undefined; compute \
                         the descriptors from values that are the same in all four warps",
                        first.id.warp, other.id.warp
                    ),
                ),
                false => (
                    FindingKind::Warpgroup,
                    format!(
                        "warps {} and {} of a warpgroup execute different `wgmma` instructions\nall 128 threads of a warpgroup must execute \
                         the same `wgmma` instructions",
                        first.id.warp, other.id.warp
                    ),
                ),
            };
            let lanes = owner.threads.launched();
            findings.push(owner.id.finding(kind, message, product.0, lanes));
            break;
        }
    }
    findings
}

/// Findings about tensor memory that blocks have not freed.
fn leaks(blocks: &[Block], spaces: &Spaces) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (block, cells) in blocks.iter().zip(spaces.tensor_memory.blocks()) {
        for leak in &cells.allocations {
            let Some(warp) = block.warps.get(leak.warp as usize) else { continue };
            let message = format!(
                "{} columns are not freed before the block exits\nother blocks may wait for them forever: execute \
                 `tcgen05.dealloc` with the address and the number of the allocation before the exit",
                leak.count
            );
            findings.push(warp.id.finding(
                FindingKind::TensorMemoryLeak,
                message,
                leak.statement,
                warp.threads.launched(),
            ));
        }
    }
    findings
}
