//! Sections of data and notes.

use smol_str::SmolStr;
use text_size::TextRange;

/// A section without code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its name: `.nv.constant0.k`.
    pub name: SmolStr,
    /// The range of its name.
    pub name_range: TextRange,
    /// Its lines.
    pub range: TextRange,
    /// The data, by offset. Sections of debug information have none: nothing reads them.
    pub data: Vec<Datum>,
    /// The labels with their offsets.
    pub labels: Vec<(SmolStr, TextRange, u32)>,
    /// The starts of the nvinfo records: the name of the attribute, its range, and the datum after it.
    pub attributes: Vec<(SmolStr, TextRange, u32)>,
    /// The bytes of the section.
    pub size: u32,
}

/// A datum.
#[derive(Debug, Clone, PartialEq)]
pub struct Datum {
    /// Its offset in the section.
    pub offset: u32,
    /// Its bytes; of zeros all of them.
    pub size: u32,
    /// Its value.
    pub value: DatumValue,
    /// Its range.
    pub range: TextRange,
}

/// The value of a datum.
#[derive(Debug, Clone, PartialEq)]
pub enum DatumValue {
    /// A number.
    Number(u64),
    /// A symbol, or the difference of two.
    Expression(Expression),
    /// `.zero 16`
    Zeros,
    /// `.string "..."`
    Text(SmolStr),
}

/// A value that a linker computes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expression {
    /// The symbol: `.L_x_4` of `.L_x_4@srel`, `k` of `index@(k)`.
    pub symbol: SmolStr,
    /// The symbol that is subtracted: `.L_16` of `(.L_17 - .L_16)`.
    pub minus: Option<SmolStr>,
    /// The number that is added.
    pub addend: i64,
    /// The words that say how: `index`, `srel`, `fun fdesc`; mostly empty.
    pub operator: SmolStr,
}

impl Section {
    /// The bytes, with zeros for the values that a linker computes; and those.
    #[must_use]
    pub fn bytes(&self) -> (Vec<u8>, Vec<&Datum>) {
        let mut bytes = vec![0; self.size as usize];
        let mut unresolved = Vec::new();
        for datum in &self.data {
            let (start, size) = (datum.offset as usize, datum.size as usize);
            match &datum.value {
                DatumValue::Number(number) => {
                    let little = number.to_le_bytes();
                    bytes[start..start + size].copy_from_slice(&little[..size]);
                }
                DatumValue::Text(text) => {
                    let length = text.len().min(size);
                    bytes[start..start + length].copy_from_slice(&text.as_bytes()[..length]);
                }
                DatumValue::Expression(_) => unresolved.push(datum),
                DatumValue::Zeros => {}
            }
        }
        (bytes, unresolved)
    }
}
