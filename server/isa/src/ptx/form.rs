//! Lengths of operands, and the shared tables of forms.

use crate::generated::ptx as tables;
use crate::schema::ptx_form::{FormOperand, Product, Slot, Value};

accessors! {
    shared Slot = SLOT;
    shared Value = VAL;
    shared FormOperand = ARG;
}

impl Product {
    /// The number of registers for the chosen values of the form's slots; `None` if a slot that it depends on is
    /// empty.
    pub fn count(self, chosen: &[Option<&Value>]) -> Option<u32> {
        let mut count = u32::from(self.factor);
        for &(slot, which) in self.slots {
            let numbers = chosen.get(slot).copied().flatten()?.numbers;
            let number = which.map_or(numbers.last(), |which| numbers.get(which))?;
            count = count.saturating_mul(u32::from(*number));
        }
        Some(count.div_ceil(self.divisor.into()).saturating_sub(self.less.into()))
    }

    /// Whether one of the chosen modifiers makes the first register an index.
    pub fn indexes(self, chosen: &[Option<&Value>]) -> bool {
        let value = |(slot, _): &(usize, _)| chosen.get(*slot).copied().flatten();
        self.slots.iter().filter_map(value).any(|value| value.indexes)
    }
}
