//! The nearest forms of a mnemonic that matches none.

use warplens_isa::ptx as isa;

use super::form_match::Near;
use super::modifiers::{Modifiers, has_word, is_type};
use crate::ptx::Mnemonic;

/// A left-over modifier belongs to the class of a slot that is still empty, so it has the wrong value.
const REPLACED: u32 = 3;
const EXTRA: u32 = 2;
const MISSING: u32 = 2;
/// Modifiers that would have to swap positions: `cvt.u32.f32` is not `cvt.rn.f32.u32` without a modifier.
const DISORDER: u32 = 3;

impl Mnemonic {
    pub fn forms_with(&self, modifier: usize) -> Vec<Near> {
        let Some(word) = self.modifiers.get(modifier) else { return Vec::new() };
        let has_place = |form: &isa::Form| form.slots.iter().any(|slot| has_word(slot, word));
        let mut found = search(self, isa::by_opcode(&self.opcode), has_place);
        found.retain(|near| !near.extra.contains(&modifier));
        found
    }
}

/// The closest forms, all at equal distance.
pub(super) fn search(
    mnemonic: &Mnemonic,
    entries: &[&'static isa::Instruction],
    is_wanted: impl Fn(&isa::Form) -> bool,
) -> Vec<Near> {
    let mut best = u32::MAX;
    let mut found: Vec<Near> = Vec::new();
    for entry in entries {
        let Some(modifiers) = Modifiers::of(mnemonic, entry) else { continue };
        for form in entry.forms.iter().filter(|form| is_wanted(form)) {
            let mut search = Search { modifiers, form, chosen: Vec::new(), best, near: None, steps: 0 };
            search.fill(modifiers.name, 0);
            let Some(near) = search.near else { continue };
            if search.best < best {
                found.clear();
            }
            best = search.best;
            found.push(near);
        }
    }
    found
}

struct Search<'m> {
    modifiers: Modifiers<'m>,
    form: &'static isa::Form,
    /// The value of each slot so far, and the positions of its words.
    chosen: Vec<(Option<&'static isa::Value>, u32)>,
    best: u32,
    near: Option<Near>,
    steps: u32,
}

impl Search<'_> {
    const STEPS: u32 = 400;

    fn fill(&mut self, used: u32, cost: u32) {
        self.steps += 1;
        if self.steps > Self::STEPS || cost > self.best {
            return;
        }
        let Some(slot) = self.form.slots.get(self.chosen.len()) else {
            return self.finish(used);
        };
        for value in slot.values {
            if let Some(mask) = self.modifiers.place(value, used) {
                self.chosen.push((Some(value), mask));
                self.fill(used | mask, cost);
                self.chosen.pop();
            }
        }
        self.chosen.push((None, 0));
        self.fill(used, if slot.optional { cost } else { cost + REPLACED - EXTRA });
        self.chosen.pop();
    }

    fn finish(&mut self, used: u32) {
        let slots = self.form.slots.iter().zip(&self.chosen).enumerate();
        let missing = slots.filter(|(_, (slot, (value, _)))| !slot.optional && value.is_none());
        let near = Near {
            entry: self.modifiers.entry,
            form: self.form,
            chosen: self.chosen.iter().map(|(value, _)| *value).collect(),
            extra: self.modifiers.unused(used).collect(),
            missing: missing.map(|(at, _)| at).collect(),
        };
        let (extra, missing) = (near.extra.len() as u32, near.missing.len() as u32);
        let is_replaced = |at: &&usize| near.replaced(&self.modifiers.words[**at]).is_some();
        let replaced = (near.extra.iter().filter(is_replaced).count() as u32).min(missing);
        let cost = REPLACED * replaced
            + EXTRA * (extra - replaced)
            + MISSING * (missing - replaced)
            + DISORDER * u32::from(self.modifiers.order(self.form, &self.chosen).is_none());
        if cost < self.best || cost == self.best && self.near.is_none() {
            (self.best, self.near) = (cost, Some(near));
        }
    }
}

/// Whether a modifier is a value of a slot's class, even if the form does not accept that value.
fn is_of_class(entry: &isa::Instruction, slot: &isa::Slot, modifier: &str) -> bool {
    let class = entry.modifiers.iter().find(|class| class.name == slot.class);
    let mut values = class.into_iter().flat_map(|class| class.values);
    values.any(|value| value.name.strip_prefix('.') == Some(modifier))
        || has_word(slot, modifier)
        || is_type(modifier)
            && slot.values.iter().flat_map(|value| value.words).any(|word| is_type(&word[1..]))
}

impl Near {
    /// The missing slot that a modifier of [`extra`](Near::extra) was meant for.
    pub fn replaced(&self, modifier: &str) -> Option<usize> {
        self.missing.iter().copied().find(|slot| is_of_class(self.entry, &self.form.slots[*slot], modifier))
    }

    /// The slot for a modifier, if another modifier or the same one repeated already fills it.
    pub fn taken(&self, modifier: &str) -> Option<usize> {
        let mut slots = self.form.slots.iter().zip(&self.chosen);
        slots.position(|(slot, value)| value.is_some() && has_word(slot, modifier))
    }
}
