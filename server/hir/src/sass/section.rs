//! Sections of data and notes.

use smol_str::SmolStr;
use text_size::TextRange;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// The name, such as `.nv.constant0.k`.
    pub name: SmolStr,
    pub name_range: TextRange,
    /// The range of its lines.
    pub range: TextRange,
    /// The data by offset. Debug sections have none, because nothing reads it.
    pub data: Vec<Datum>,
    pub labels: Vec<(SmolStr, TextRange, u32)>,
    /// The starts of the nvinfo records: the name of the attribute, its range, and the index of the datum
    /// after it.
    pub attributes: Vec<(SmolStr, TextRange, u32)>,
    /// In bytes.
    pub size: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Datum {
    /// In bytes from the start of the section.
    pub offset: u32,
    /// In bytes; for `.zero`, the total.
    pub size: u32,
    pub value: DatumValue,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DatumValue {
    Number(u64),
    /// A symbol, or the difference of two.
    Expression(Expression),
    /// `.zero 16`
    Zeros,
    /// `.string "..."`
    Text(SmolStr),
}

/// A value that the linker computes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expression {
    /// The symbol: `.L_x_4` in `.L_x_4@srel`, `k` in `index@(k)`.
    pub symbol: SmolStr,
    /// The symbol that is subtracted: `.L_16` in `(.L_17 - .L_16)`.
    pub minus: Option<SmolStr>,
    pub addend: i64,
    /// The operator words: `index`, `srel`, `fun fdesc`; usually empty.
    pub operator: SmolStr,
}

impl Datum {
    pub fn number(&self) -> Option<u64> {
        if let DatumValue::Number(number) = self.value { Some(number) } else { None }
    }
}

impl Section {
    /// The bytes, with zeros in place of the values that the linker computes, and those values.
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
