//! Which parameters of an entry are tensor maps: those whose address a tensor copy uses.

use warplens_hir::ptx::{Function, Instruction, Operand};
use warplens_sim_launch::body::MapUse;

use super::flow::Bodies;
use super::places::Object;

/// The uses of an entry's parameters as tensor maps, by parameter.
pub(super) fn maps(bodies: &Bodies<'_>) -> Vec<Option<MapUse>> {
    let params = bodies.functions.first().map_or(0, |entry| entry.signature.params.len());
    let mut maps: Vec<Option<MapUse>> = vec![None; params];
    let copy = |(number, function, it)| Some((it, number, map_operand(function, it)?));
    let copies: Vec<_> = bodies.instructions().filter_map(copy).collect();
    let is_load = |copy: &Instruction<'_>| copy.has("mbarrier::complete_tx::bytes");
    let loads = copies.iter().filter(|(copy, ..)| is_load(copy)).count() as u64;
    // Several copies usually share the bytes that one statement announces.
    let expected = expected_bytes(bodies).map(|bytes| bytes / loads.max(1));
    for (copy, number, base) in &copies {
        // The maps of other modes have other keys.
        let is_tile =
            !copy.modifiers().iter().any(|word| word.starts_with("im2col") || word.contains("gather"));
        let rank = (1..=5u8).find(|rank| copy.has(&format!("{rank}d"))).filter(|_| is_tile);
        let (Some(rank), Some(param)) = (rank, param_of(bodies, *number, *base)) else { continue };
        let Some(map) = maps.get_mut(param) else { continue };
        let is_load = is_load(copy);
        let known = map.get_or_insert(MapUse { rank, bytes: None, loaded: false });
        known.loaded |= is_load;
        known.bytes = known.bytes.or(expected.filter(|_| is_load));
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
fn param_of(bodies: &Bodies<'_>, function: usize, base: Operand) -> Option<usize> {
    bodies.held(function, base).iter().find_map(|address| match address.object {
        Object::Param(param) => Some(param),
        _ => None,
    })
}

/// The number of bytes that the kernel announces at mbarriers, if it is a constant and the only one.
fn expected_bytes(bodies: &Bodies<'_>) -> Option<u64> {
    let expecting = bodies.instructions().filter(|(.., it)| it.opcode() == "mbarrier" && it.has("expect_tx"));
    let mut bytes = expecting.filter_map(|(_, function, it)| function.integer(*it.operands().last()?));
    let first = bytes.next()?;
    bytes.all(|other| other == first).then_some(first)
}
