//! Which modifier of a mnemonic fills which slot of a form.
//!
//! The assembler accepts modifiers in nearly any order, except among modifiers that could be mistaken for
//! each other: types, state spaces, and the values of classes that share a word (the layouts of two
//! matrices). A leading slot must come before all others.

use smol_str::SmolStr;
use warplens_isa::ptx as isa;

use super::form_match::{FormMatch, Order};
use super::rule;
use crate::ptx::Mnemonic;

/// A mnemonic with more modifiers than this matches no form.
const MAX: usize = 32;

/// The modifiers of a mnemonic as an entry sees them.
#[derive(Clone, Copy)]
pub(super) struct Modifiers<'m> {
    pub(super) entry: &'static isa::Instruction,
    pub(super) words: &'m [SmolStr],
    /// The modifiers that are words of the entry's name, as a bit set.
    pub(super) name: u32,
    types: u32,
    spaces: u32,
}

impl<'m> Modifiers<'m> {
    /// `None` if a word of the entry's name is missing.
    pub(super) fn of(mnemonic: &'m Mnemonic, entry: &'static isa::Instruction) -> Option<Modifiers<'m>> {
        let words = &mnemonic.modifiers;
        if words.len() > MAX {
            return None;
        }
        let mut name = 0;
        for (at, word) in entry.words.iter().enumerate() {
            let direct = words.get(at).is_some_and(|modifier| same(word, modifier));
            let at = match direct && name & bit(at) == 0 {
                true => at,
                false if isa::is_movable(word) => position(word, words, name)?,
                false => return None,
            };
            name |= bit(at);
        }
        let mask = |is: fn(&str) -> bool| {
            let found = words.iter().enumerate().filter(|(_, word)| is(word));
            found.fold(0, |mask, (at, _)| mask | bit(at))
        };
        Some(Modifiers { entry, words, name, types: mask(is_type) & !name, spaces: mask(is_space) & !name })
    }

    /// The form with all modifiers in its slots, if the modifiers match it exactly.
    pub(super) fn fit(&self, form: &'static isa::Form) -> Option<FormMatch> {
        let written = self.words.len() - self.name.count_ones() as usize;
        let longest = |slot: &isa::Slot| slot.values.iter().map(|value| value.words.len()).max().unwrap_or(0);
        let longest: usize = form.slots.iter().map(longest).sum();
        let required = form.slots.iter().filter(|slot| !slot.optional).count();
        if !(required..=longest).contains(&written) {
            return None;
        }
        let known = |at: usize| form.slots.iter().any(|slot| has_word(slot, &self.words[at]));
        if !self.unused(self.name).all(known) {
            return None;
        }
        let mut search =
            Search { modifiers: *self, form, chosen: Vec::with_capacity(form.slots.len()), steps: 0 };
        let order = search.fill(self.name)?;
        let chosen: Box<[_]> = search.chosen.iter().map(|(value, _)| *value).collect();
        let (operands, parts) = rule::operands(self.entry, form, &chosen);
        Some(FormMatch { entry: self.entry, form, chosen, order, operands, parts })
    }

    /// The indices of the words without a bit in `used`.
    pub(super) fn unused(&self, used: u32) -> impl Iterator<Item = usize> + use<> {
        (0..self.words.len()).filter(move |at| used & bit(*at) == 0)
    }

    /// The bits of the first unused words that make up a value.
    pub(super) fn place(&self, value: &isa::Value, used: u32) -> Option<u32> {
        let mut mask = 0;
        for word in value.words {
            mask |= bit(position(word, self.words, used | mask)?);
        }
        Some(mask)
    }

    /// The order of the modifiers; `None` if the form does not allow it.
    pub(super) fn order(
        &self,
        form: &isa::Form,
        places: &[(Option<&'static isa::Value>, u32)],
    ) -> Option<Order> {
        let mut order = Order::Documented;
        for (later, (_, after)) in places.iter().enumerate() {
            for (earlier, (_, before)) in places[..later].iter().enumerate() {
                if *after == 0 || *before == 0 || before.trailing_zeros() < after.trailing_zeros() {
                    continue;
                }
                let slots = [&form.slots[earlier], &form.slots[later]];
                if self.is_bound(slots, *before, *after) {
                    return None;
                }
                order = Order::Free;
            }
        }
        let all = places.iter().fold(0, |all, (_, mask)| all | mask);
        let is_late = all != 0 && self.name.trailing_ones() != self.name.count_ones();
        Some(if is_late { Order::Free } else { order })
    }

    /// Whether two slots, filled in the wrong order, must keep the documented order.
    fn is_bound(&self, [earlier, later]: [&isa::Slot; 2], before: u32, after: u32) -> bool {
        let both = |mask: u32| before & mask != 0 && after & mask != 0;
        if earlier.leads || both(self.types) || both(self.spaces) {
            return true;
        }
        let values = |slot: &isa::Slot| {
            self.entry.modifiers.iter().find(|class| class.name == slot.class).map(|class| class.values)
        };
        let (Some(first), Some(second)) = (values(earlier), values(later)) else { return false };
        first.iter().any(|value| second.iter().any(|other| value.name == other.name))
    }
}

struct Search<'m> {
    modifiers: Modifiers<'m>,
    form: &'static isa::Form,
    /// The value of each slot so far, and the positions of its words.
    chosen: Vec<(Option<&'static isa::Value>, u32)>,
    steps: u32,
}

impl Search<'_> {
    /// Stops the search on mnemonics that nobody would write.
    const STEPS: u32 = 20_000;

    fn fill(&mut self, used: u32) -> Option<Order> {
        self.steps += 1;
        if self.steps > Self::STEPS {
            return None;
        }
        let Some(slot) = self.form.slots.get(self.chosen.len()) else {
            let is_whole = used.count_ones() as usize == self.modifiers.words.len();
            return is_whole.then(|| self.modifiers.order(self.form, &self.chosen)).flatten();
        };
        for value in slot.values {
            if let Some(mask) = self.modifiers.place(value, used)
                && let Some(order) = self.try_with(Some(value), mask, used | mask)
            {
                return Some(order);
            }
        }
        if slot.optional { self.try_with(None, 0, used) } else { None }
    }

    fn try_with(&mut self, value: Option<&'static isa::Value>, mask: u32, used: u32) -> Option<Order> {
        self.chosen.push((value, mask));
        let found = self.fill(used);
        if found.is_none() {
            self.chosen.pop();
        }
        found
    }
}

fn bit(at: usize) -> u32 {
    1 << at
}

/// Compares a word of the tables, which has a dot, with a modifier of a mnemonic, which has none.
fn same(word: &str, modifier: &str) -> bool {
    word.len() == modifier.len() + 1 && &word[1..] == modifier
}

fn position(word: &str, words: &[SmolStr], used: u32) -> Option<usize> {
    words.iter().enumerate().position(|(at, modifier)| used & bit(at) == 0 && same(word, modifier))
}

pub(super) fn has_word(slot: &isa::Slot, modifier: &str) -> bool {
    slot.values.iter().flat_map(|value| value.words).any(|word| same(word, modifier))
}

pub(super) fn is_type(word: &str) -> bool {
    crate::ptx::Type::from_name(word).is_some()
}

fn is_space(word: &str) -> bool {
    let space = word.split("::").next().unwrap_or_default();
    matches!(space, "global" | "shared" | "local" | "const" | "param")
}
