//! The records of `.nv.info` sections, and the facts about functions in them.

use smol_str::SmolStr;
use text_size::TextRange;

use super::section::{Datum, DatumValue, Section};

/// A record: an attribute with its data.
#[derive(Debug, Clone)]
pub struct Record<'s> {
    /// `EIATTR_REGCOUNT`
    pub attribute: &'s str,
    pub range: TextRange,
    /// The data after the two bytes for format and kind.
    pub data: &'s [Datum],
}

/// The facts about a function from sections other than its code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub parameters: Vec<Parameter>,
    /// The offset of the parameters in bank 0.
    pub parameter_base: Option<u32>,
    pub parameter_bytes: Option<u32>,
    pub registers: Option<u32>,
    pub frame_bytes: Option<u32>,
    /// The stack that the function needs in bytes, including the functions that it calls.
    pub stack_bytes: Option<u32>,
    /// The size of static shared memory in bytes.
    pub shared_bytes: Option<u32>,
    pub barriers: Option<u32>,
    /// Blocks of a cluster in x, y, z, if the kernel requires them.
    pub cluster: Option<[u32; 3]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Counted from 0.
    pub ordinal: u32,
    /// In bytes from the first parameter.
    pub offset: u32,
    /// In bytes.
    pub size: u32,
}

pub fn records(section: &Section) -> impl Iterator<Item = Record<'_>> {
    section.attributes.iter().enumerate().map(|(index, (name, range, first))| {
        let end = section.attributes.get(index + 1).map_or(section.data.len(), |(_, _, next)| *next as usize);
        Record { attribute: name, range: *range, data: &section.data[*first as usize..end] }
    })
}

/// The facts in the sections of a file, by function name.
pub fn facts<'s>(sections: impl Iterator<Item = &'s Section>) -> Vec<(SmolStr, Facts)> {
    let mut all: Vec<(SmolStr, Facts)> = Vec::new();
    for section in sections {
        let Some(rest) = section.name.strip_prefix(".nv.") else { continue };
        if rest == "info" {
            for record in records(section) {
                if let Some(name) = record.subject() {
                    of(&mut all, name).add_of_module(&record);
                }
            }
        } else if let Some(name) = rest.strip_prefix("info.") {
            let facts = of(&mut all, name);
            records(section).for_each(|record| facts.add(&record));
            facts.parameters.sort_by_key(|parameter| parameter.ordinal);
        } else if let Some(name) = rest.strip_prefix("shared.") {
            of(&mut all, name).shared_bytes = Some(section.size);
        }
    }
    all
}

fn of<'a>(all: &'a mut Vec<(SmolStr, Facts)>, name: &str) -> &'a mut Facts {
    let index = all.iter().position(|(known, _)| known == name);
    let index = index.unwrap_or_else(|| {
        all.push((name.into(), Facts::default()));
        all.len() - 1
    });
    &mut all[index].1
}

impl Record<'_> {
    /// The numbers in the data, starting with the bytes for format and kind. Symbols are left out.
    fn numbers(&self) -> Vec<u64> {
        self.data.iter().filter_map(Datum::number).collect()
    }

    /// The function that a record of the module is about: `k` in `index@(k)`.
    pub fn subject(&self) -> Option<&SmolStr> {
        self.data.iter().find_map(|datum| match &datum.value {
            DatumValue::Expression(expression) if expression.operator == "index" => Some(&expression.symbol),
            _ => None,
        })
    }

    /// The last number of the record, which is its value if it has one.
    pub fn value(&self) -> Option<u32> {
        u32::try_from(self.data.last()?.number()?).ok()
    }
}

impl Facts {
    pub fn add(&mut self, record: &Record<'_>) {
        match record.attribute {
            "EIATTR_KPARAM_INFO" => self.parameters.extend(parameter(record)),
            "EIATTR_PARAM_CBANK" => {
                let shorts: Vec<u32> = numbers_of_size(record, 2);
                if let [.., base, size] = shorts[..] {
                    (self.parameter_base, self.parameter_bytes) = (Some(base), Some(size));
                }
            }
            "EIATTR_CTA_PER_CLUSTER" => {
                let words: Vec<u32> = numbers_of_size(record, 4);
                self.cluster = words.try_into().ok();
            }
            _ => {}
        }
    }

    /// Adds the facts in a module record about the function.
    pub fn add_of_module(&mut self, record: &Record<'_>) {
        let field = match record.attribute {
            "EIATTR_REGCOUNT" => &mut self.registers,
            "EIATTR_FRAME_SIZE" => &mut self.frame_bytes,
            "EIATTR_MIN_STACK_SIZE" => &mut self.stack_bytes,
            "EIATTR_NUM_BARRIERS" => &mut self.barriers,
            _ => return,
        };
        *field = record.value();
    }

    /// The parameter that contains the byte at an offset of bank 0.
    pub fn parameter_at(&self, base: u32, offset: u32) -> Option<Parameter> {
        let inside = offset.checked_sub(base)?;
        let has = |parameter: &&Parameter| {
            (parameter.offset..parameter.offset + parameter.size.max(1)).contains(&inside)
        };
        self.parameters.iter().find(has).copied()
    }
}

/// The numbers in the data that have this many bytes.
fn numbers_of_size(record: &Record<'_>, bytes: u32) -> Vec<u32> {
    let data = record.data.iter().filter(|datum| datum.size == bytes);
    data.filter_map(Datum::number).map(|number| number as u32).collect()
}

/// The largest size of a constant bank. Bank 0 holds the parameters.
pub const BANK_BYTES: u32 = 64 << 10;

/// Layout: two bytes for format and kind, then index, ordinal and offset, then a word whose upper bits are
/// the size. `None` if the parameter is outside the bank.
fn parameter(record: &Record<'_>) -> Option<Parameter> {
    let numbers = record.numbers();
    let [_, _, _index, ordinal, offset, a, b, c, d] = numbers[..] else { return None };
    let word = u32::from_le_bytes([a, b, c, d].map(|byte| byte as u8));
    let (offset, size) = (offset as u32, word >> 18);
    let is_in_bank = offset.checked_add(size).is_some_and(|end| end <= BANK_BYTES);
    is_in_bank.then_some(Parameter { ordinal: ordinal as u32, offset, size })
}
