//! Values that a function keeps in its stack frame, as builds without optimization do: `st.u64 [%SP+8], %rd1`, and later
//! `ld.u64 %rd5, [%SP+8]`.
//!
//! A slot is a base and an offset. The base is a register or a variable, whose address is followed through `mov`, `cvta` and
//! `add` of a constant as far as registers are written only once. Stores through other registers are missed, which is
//! acceptable because an inferred launch is a guess.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::{Function, Instruction, Operand, Type};

use super::nodes::{Flow, From, node_of};

const ADDRESS: [usize; 2] = [4, 8];

#[derive(Default)]
pub(super) struct Slots {
    /// How registers that are written once are computed: another node plus a constant.
    made_of: FxHashMap<usize, (usize, i64)>,
    /// The numbers of slots, which start after all referents.
    numbers: FxHashMap<(usize, i64), usize>,
    first: usize,
}

impl Slots {
    pub(super) fn new(entry: &Function) -> Slots {
        let mut slots = Slots::default();
        let mut written = FxHashSet::default();
        for instruction in entry.instructions() {
            let Some(to) = instruction.operands().first().and_then(|operand| node_of(entry, *operand)) else {
                continue;
            };
            if !written.insert(to) {
                slots.made_of.remove(&to);
            } else if let Some(from) = moved(entry, instruction) {
                slots.made_of.insert(to, from);
            }
        }
        slots.first = entry.names().map(|name| name.referent.index() + 1).max().unwrap_or(0);
        slots
    }

    /// The flow between a register and a slot, if the instruction loads or stores an address there.
    pub(super) fn flow(&mut self, entry: &Function, instruction: Instruction<'_>) -> Option<Flow> {
        let ty = instruction.modifiers().iter().rev().find_map(|word| Type::from_name(word))?;
        if !ADDRESS.contains(&(ty.bytes() as usize)) {
            return None;
        }
        let &[one, other] = instruction.operands() else { return None };
        let loads = instruction.opcode() == "ld";
        let (address, value) = if loads { (other, one) } else { (one, other) };
        let slot = self.slot(entry, address)?;
        let value = node_of(entry, value)?;
        Some(match loads {
            true => Flow { from: From::Node(slot), to: value },
            false => Flow { from: From::Node(value), to: slot },
        })
    }

    fn slot(&mut self, entry: &Function, address: Operand) -> Option<usize> {
        let address = entry.address(address).filter(|address| address.index.is_none())?;
        let mut place = (node_of(entry, address.base)?, address.offset);
        // In unreachable code, registers can be computed from each other in a circle, so the number of steps is limited.
        for _ in 0..self.made_of.len() {
            let Some((base, offset)) = self.made_of.get(&place.0) else { break };
            place = (*base, place.1.wrapping_add(*offset));
        }
        let next = self.first + self.numbers.len();
        Some(*self.numbers.entry(place).or_insert(next))
    }
}

/// The node and the constant from which `mov`, `cvta` or `add` of a constant computes its first operand.
fn moved(entry: &Function, instruction: Instruction<'_>) -> Option<(usize, i64)> {
    match (instruction.opcode(), instruction.operands()) {
        ("mov" | "cvta", &[_, from]) => Some((node_of(entry, from)?, 0)),
        ("add", &[_, from, Operand::Constant(constant)]) => {
            let added = entry.constant(constant).as_integer()?;
            Some((node_of(entry, from)?, i64::try_from(added).ok()?))
        }
        _ => None,
    }
}
