//! The registers of ranges by their numbers. Most names of a function are such registers, and one that was found before is found here
//! without a hash of its text.

use crate::ptx::ReferentId;

/// The longest beginning in bytes of a name that has a table.
const LONGEST: usize = size_of::<u64>();

/// How many beginnings have a table.
const MOST_TABLES: usize = 16;

/// A text has at most a register in so many bytes, unless it numbers few registers high. These are found by their text.
const BYTES_A_REGISTER: usize = 16;

/// Numbers that are kept whatever the length of the text.
const ALWAYS_KEPT: usize = 256;

/// A name such as `%r12`: its beginning, and the number that all digits at its end make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered {
    beginning: u64,
    number: u32,
}

/// What these names mean.
#[derive(Default)]
pub(super) struct NumberedNames {
    tables: Vec<Table>,
    /// Numbers from here on are not kept: the length of the text, not a number in it, decides how much memory the tables take.
    limit: usize,
}

struct Table {
    beginning: u64,
    meanings: Vec<Meaning>,
}

/// The meaning of a name, and since which epoch it has that.
#[derive(Clone, Copy)]
struct Meaning {
    epoch: u32,
    referent: ReferentId,
}

const UNKNOWN: Meaning = Meaning { epoch: u32::MAX, referent: ReferentId::FIRST };

impl Numbered {
    /// `None` if a number of this value is written otherwise, or if the name is long.
    pub(super) fn of(text: &str) -> Option<Numbered> {
        let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (beginning, number) = text.as_bytes().split_at(text.len() - digits);
        let has_leading_zero = digits > 1 && number[0] == b'0';
        // Nine digits fit.
        if !(1..=9).contains(&digits) || has_leading_zero || !(1..=LONGEST).contains(&beginning.len()) {
            return None;
        }
        let beginning = beginning.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let number = number.iter().fold(0, |all, digit| all * 10 + u32::from(digit - b'0'));
        Some(Numbered { beginning, number })
    }
}

impl NumberedNames {
    /// For a text of so many bytes.
    pub(super) fn for_text(bytes: usize) -> NumberedNames {
        NumberedNames { tables: Vec::new(), limit: (bytes / BYTES_A_REGISTER).max(ALWAYS_KEPT) }
    }

    /// What a name means, if that was found in this epoch.
    pub(super) fn get(&self, name: Numbered, epoch: u32) -> Option<ReferentId> {
        let table = self.tables.iter().find(|table| table.beginning == name.beginning)?;
        let meaning = table.meanings.get(name.number as usize)?;
        (meaning.epoch == epoch).then_some(meaning.referent)
    }

    /// Keeps what a name means in this epoch.
    pub(super) fn insert(&mut self, name: Numbered, epoch: u32, referent: ReferentId) {
        let number = name.number as usize;
        if number >= self.limit {
            return;
        }
        let known = self.tables.iter().position(|table| table.beginning == name.beginning);
        let index = match known {
            Some(index) => index,
            None if self.tables.len() < MOST_TABLES => {
                self.tables.push(Table { beginning: name.beginning, meanings: Vec::new() });
                self.tables.len() - 1
            }
            None => return,
        };
        let meanings = &mut self.tables[index].meanings;
        if number >= meanings.len() {
            meanings.resize(number + 1, UNKNOWN);
        }
        meanings[number] = Meaning { epoch, referent };
    }

    /// A name has another meaning from now on.
    pub(super) fn forget(&mut self, name: Numbered) {
        let table = self.tables.iter_mut().find(|table| table.beginning == name.beginning);
        if let Some(meaning) = table.and_then(|table| table.meanings.get_mut(name.number as usize)) {
            *meaning = UNKNOWN;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_have_a_place() {
        let number = |text| Numbered::of(text).map(|name| name.number);
        assert_eq!(
            ["%r0", "%r12", "$L__BB0_7", "%rd999999999"].map(number),
            [Some(0), Some(12), Some(7), Some(999_999_999)]
        );
        let without = ["", "7", "%r", "%r01", "%r00", "%r1234567890", "a_long_name_1", "%p1x"];
        assert_eq!(without.map(number), [None; 8]);
        assert_ne!(Numbered::of("%r1"), Numbered::of("%f1"));
    }

    #[test]
    fn a_meaning_holds_for_its_epoch_until_it_is_forgotten() {
        let mut names = NumberedNames::for_text(100);
        let [one, other] = [ReferentId::new(3), ReferentId::new(4)];
        let name = |text| Numbered::of(text).expect("a number");
        names.insert(name("%r7"), 0, one);
        names.insert(name("%f7"), 0, other);
        assert_eq!(names.get(name("%r7"), 0), Some(one));
        assert_eq!(names.get(name("%f7"), 0), Some(other));
        assert_eq!(
            [names.get(name("%r7"), 1), names.get(name("%r6"), 0), names.get(name("%r8"), 0)],
            [None; 3]
        );
        names.forget(name("%r7"));
        assert_eq!(names.get(name("%r7"), 0), None);
    }

    #[test]
    fn numbers_that_are_high_for_the_text_are_not_kept() {
        let mut names = NumberedNames::for_text(16_000);
        let kept = ["%r999", "%r1000", "%r99999999"].map(|text| {
            let name = Numbered::of(text).expect("a number");
            names.insert(name, 0, ReferentId::new(1));
            names.get(name, 0).is_some()
        });
        assert_eq!(kept, [true, false, false]);
    }
}
