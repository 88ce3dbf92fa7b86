//! Which parameters of an entry are tensor maps: those whose address a tensor copy uses.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, Operand};
use warplens_sim_launch::body::MapUse;

use super::flow::{self, Origin, Origins};
use super::nodes::node_of;

/// The uses of an entry's parameters as tensor maps, by parameter.
pub(super) fn maps(entry: &Function, origins: &FxHashMap<usize, Origins>) -> Vec<Option<MapUse>> {
    let mut maps: Vec<Option<MapUse>> = vec![None; entry.signature.params.len()];
    let copies: Vec<_> = entry.instructions().filter_map(|it| Some((it, map_operand(entry, it)?))).collect();
    let loads = copies.iter().filter(|(copy, _)| copy.has("mbarrier::complete_tx::bytes")).count() as u64;
    for (copy, base) in &copies {
        // The maps of other modes have other keys.
        let is_tile =
            !copy.modifiers().iter().any(|word| word.starts_with("im2col") || word.contains("gather"));
        let rank = (1..=5u8).find(|rank| copy.has(&format!("{rank}d"))).filter(|_| is_tile);
        let (Some(rank), Some(param)) = (rank, param_of(entry, *base, origins)) else { continue };
        let Some(map) = maps.get_mut(param) else { continue };
        let is_load = copy.has("mbarrier::complete_tx::bytes");
        // Several copies usually share the bytes that one statement announces.
        let bytes = expected_bytes(entry).filter(|_| is_load).map(|bytes| bytes / loads.max(1));
        let known = map.get_or_insert(MapUse { rank, bytes: None, loaded: false });
        known.loaded |= is_load;
        known.bytes = known.bytes.or(bytes);
    }
    maps
}

fn map_operand(entry: &Function, instruction: Instruction<'_>) -> Option<Operand> {
    if instruction.opcode() != "cp" || !instruction.has("tensor") {
        return None;
    }
    let addresses = instruction.operands().iter().filter_map(|operand| entry.address(*operand));
    // The coordinates follow the map's address.
    addresses.into_iter().find(|address| !address.rest.is_empty()).map(|address| address.base)
}

/// The parameter whose address this operand is.
fn param_of(entry: &Function, base: Operand, origins: &FxHashMap<usize, Origins>) -> Option<usize> {
    if let Operand::Symbol(_) = base {
        return flow::param_of(entry, base);
    }
    let origins = origins.get(&node_of(entry, base)?)?;
    origins.iter().find_map(|origin| match origin {
        Origin::Address(param) => Some(*param),
        Origin::Param(..) | Origin::Dynamic => None,
    })
}

/// The number of bytes that the entry announces at mbarriers, if it is a constant and the only one.
fn expected_bytes(entry: &Function) -> Option<u64> {
    let expecting = entry.instructions().filter(|it| it.opcode() == "mbarrier" && it.has("expect_tx"));
    let mut bytes = expecting.filter_map(|it| match it.operands().last() {
        Some(Operand::Constant(id)) => entry.constant(*id).as_integer(),
        _ => None,
    });
    let first = bytes.next()?;
    bytes.all(|other| other == first).then_some(first)
}
