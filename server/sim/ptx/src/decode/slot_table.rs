//! The slots that a function's registers, constants and special registers have.

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{self as hir, ReferentId};

use crate::program::{RegisterSlot, Slot, Special};

#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    /// The first element of a vector register, or the register itself.
    pub(super) place: RegisterSlot,
    pub(super) bits: u32,
    pub(super) elements: u32,
}

#[derive(Default)]
pub(super) struct SlotTable {
    pub(super) registers: FxHashMap<ReferentId, Declared>,
    /// Indices of `frame.registers`, by register and element.
    pub(super) numbers: FxHashMap<(ReferentId, u32), u32>,
    pub(super) words: FxHashMap<u32, Slot>,
    pub(super) doubles: FxHashMap<u64, Slot>,
    pub(super) predicates: [Option<Slot>; 2],
    /// By width in bits.
    pub(super) specials: FxHashMap<(Special, u32), RegisterSlot>,
}

impl SlotTable {
    /// The indices in `frame.registers` of a register that has been decoded: of one element, or of all.
    pub(super) fn numbers(
        &self,
        register: ReferentId,
        component: Option<hir::Component>,
    ) -> impl Iterator<Item = u32> {
        let chosen = component.and_then(hir::Component::element).map(|element| element as u32);
        let elements = self.registers.get(&register).map_or(0, |declared| declared.elements);
        let elements = (0..elements).filter(move |element| chosen.is_none_or(|chosen| chosen == *element));
        elements.filter_map(move |element| self.numbers.get(&(register, element)).copied())
    }
}
