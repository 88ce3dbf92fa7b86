//! The number of registers of an operand of a form: `4`, `vec`, `num*elemsize*spfactor.2/32`, `dim-1`,
//! `geom..`.

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::schema::ptx_form::{Length, Product};

impl Length {
    /// Whether the length depends on the numbers in a slot.
    pub(super) fn counts(&self, slot: usize) -> bool {
        let product = match self {
            Length::Product(product) | Length::OneOrBraced(product) => product,
            Length::One | Length::Exactly(_) | Length::Any => return false,
        };
        product.slots.iter().any(|(it, _)| *it == slot)
    }
}

/// Reads a length. `slot` returns the position of a class in the form; `None` if the entry has the class but
/// this form does not.
pub(super) fn length(text: &str, slot: impl Fn(&str) -> Result<Option<usize>>) -> Result<Length> {
    if text == "?" {
        return Ok(Length::Any);
    }
    if let Some(most) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return Ok(Length::OneOrBraced(product(most, &slot)?.0));
    }
    let (product, is_missing) = product(text, &slot)?;
    let is_plain = product.slots.is_empty() && product.divisor == 1 && product.less == 0 && !product.or_more;
    Ok(match () {
        () if is_missing => Length::One,
        () if is_plain => Length::Exactly(product.factor),
        () => Length::Product(product),
    })
}

/// Reads a product, and whether the form lacks one of its classes.
fn product(text: &str, slot: &impl Fn(&str) -> Result<Option<usize>>) -> Result<(Product, bool)> {
    let (text, or_more) = text.strip_suffix("..").map_or((text, false), |text| (text, true));
    let (text, less) = number_after(text, '-', 0)?;
    let (text, divisor) = number_after(text, '/', 1)?;
    ensure!(divisor > 0, "division by 0");
    let mut product = Product { slots: Vec::new(), factor: 1, divisor, less, or_more };
    let mut is_missing = false;
    for part in text.split('*') {
        if let Ok(number) = part.parse::<u16>() {
            product.factor *= number;
            continue;
        }
        let (class, which) = match part.split_once('.') {
            Some((class, which)) => (class, Some(which.parse::<usize>()?)),
            None => (part, None),
        };
        let which =
            which.map(|which| which.checked_sub(1).context("numbers are counted from 1")).transpose()?;
        match slot(class)? {
            Some(slot) => product.slots.push((slot, which)),
            None => is_missing = true,
        }
    }
    Ok((product, is_missing))
}

/// The text before a sign, and the number after it.
fn number_after(text: &str, sign: char, default: u16) -> Result<(&str, u16)> {
    Ok(match text.split_once(sign) {
        Some((before, number)) => {
            (before, number.parse().with_context(|| format!("`{number}` is not a number"))?)
        }
        None => (text, default),
    })
}
