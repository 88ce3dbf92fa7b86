//! The constants that an operand of a form accepts: `0..15`, `32..1024/32`, `32..512/2^n`, `0..total-size`.

use anyhow::{Context, Result};

use crate::codegen::isa::schema::ptx_form::{Bound, Range, Step};

/// Reads a range. `operand` finds an operand of the entry by name.
pub(super) fn range(text: &str, operand: impl Fn(&str) -> Result<usize>) -> Result<Range> {
    let (bounds, step) = text.split_once('/').unwrap_or((text, "1"));
    let (low, high) = bounds.split_once("..").with_context(|| format!("`{text}` is not a range"))?;
    Ok(Range {
        low: low.parse().with_context(|| format!("`{low}` is not a number"))?,
        high: match high.parse() {
            Ok(number) => Bound::Number(number),
            Err(_) => Bound::Operand(operand(high)?),
        },
        step: match step {
            "2^n" => Step::PowerOfTwo,
            step => Step::Multiple(step.parse().with_context(|| format!("`{step}` is not a step"))?),
        },
    })
}
