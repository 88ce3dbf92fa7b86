//! The nearest forms of a mnemonic that matches none.

use warplens_isa::ptx as isa;

use super::form_match::{MnemonicForms, Near};
use super::modifiers::{Modifiers, bit, has_word};
use crate::ptx::Mnemonic;

/// A left-over modifier belongs to the class of a slot that is still empty, so it has the wrong value.
const REPLACED: u32 = 3;
const EXTRA: u32 = 2;
const MISSING: u32 = 2;
/// Modifiers that would have to swap positions: `cvt.u32.f32` is not `cvt.rn.f32.u32` without a modifier.
const DISORDER: u32 = 3;

/// The closest forms, all at equal distance, with one form for each distinct answer.
pub(super) fn nearest(mnemonic: &Mnemonic, entries: &[&'static isa::Instruction]) -> MnemonicForms {
    MnemonicForms::NoMatch(search(mnemonic, entries, |_| true).into())
}

impl Mnemonic {
    /// The closest forms among those with a slot for one of the modifiers.
    pub fn forms_with(&self, modifier: usize) -> Vec<Near> {
        let Some(word) = self.modifiers.get(modifier) else { return Vec::new() };
        let has_place = |form: &isa::Form| form.slots.iter().any(|slot| has_word(slot, word));
        let mut found = search(self, isa::by_opcode(&self.opcode), has_place);
        found.retain(|near| !near.extra.contains(&modifier));
        found
    }
}

fn search(
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
        let slots = || self.form.slots.iter().zip(&self.chosen).enumerate();
        let missing: Vec<usize> = slots()
            .filter(|(_, (slot, (value, _)))| !slot.optional && value.is_none())
            .map(|(at, _)| at)
            .collect();
        let extra: Vec<usize> = (0..self.modifiers.words.len()).filter(|at| used & bit(*at) == 0).collect();
        let replaced = extra.iter().filter(|at| self.replaces(**at, &missing).is_some()).count() as u32;
        let replaced = replaced.min(missing.len() as u32);
        let cost = REPLACED * replaced
            + EXTRA * (extra.len() as u32 - replaced)
            + MISSING * (missing.len() as u32 - replaced)
            + DISORDER * u32::from(self.modifiers.order(self.form, &self.chosen).is_none());
        if cost < self.best || cost == self.best && self.near.is_none() {
            self.best = cost;
            self.near = Some(Near {
                entry: self.modifiers.entry,
                form: self.form,
                chosen: self.chosen.iter().map(|(value, _)| *value).collect(),
                extra: extra.into(),
                missing: missing.into(),
            });
        }
    }

    /// The missing slot that a modifier was meant for, which is one whose class contains it in this entry.
    fn replaces(&self, at: usize, missing: &[usize]) -> Option<usize> {
        let word = &self.modifiers.words[at];
        missing.iter().copied().find(|slot| is_of_class(self.modifiers.entry, &self.form.slots[*slot], word))
    }
}

/// Whether a modifier is a value of a slot's class, even if the form does not accept that value.
fn is_of_class(entry: &isa::Instruction, slot: &isa::Slot, modifier: &str) -> bool {
    let class = entry.modifiers.iter().find(|class| class.name == slot.class);
    let mut values = class.into_iter().flat_map(|class| class.values);
    values.any(|value| value.name.strip_prefix('.') == Some(modifier))
        || has_word(slot, modifier)
        || (super::modifiers::is_type(modifier)
            && slot
                .values
                .iter()
                .any(|value| value.words.iter().any(|word| super::modifiers::is_type(&word[1..]))))
}

impl Near {
    /// The missing slot that a modifier of [`extra`](Near::extra) was meant for.
    pub fn replaced(&self, modifier: &str) -> Option<usize> {
        self.missing.iter().copied().find(|slot| is_of_class(self.entry, &self.form.slots[*slot], modifier))
    }

    /// The slot for a modifier, if another modifier or the same one repeated already fills it.
    pub fn taken(&self, modifier: &str) -> Option<usize> {
        let slots = self.form.slots.iter().enumerate();
        let mut taken = slots.filter(|(at, slot)| self.chosen[*at].is_some() && has_word(slot, modifier));
        taken.next().map(|(at, _)| at)
    }
}
