//! A field of a descriptor: some of its bits, with a name.

/// Some bits of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// The lowest one.
    pub first: u32,
    /// How many.
    pub bits: u32,
    /// What they are.
    pub name: &'static str,
}

impl BitField {
    /// Their value in a descriptor.
    pub fn of(self, descriptor: u64) -> u64 {
        descriptor >> self.first & ((1 << self.bits) - 1)
    }

    /// Where they are: `bits 0-13`.
    pub fn place(self) -> String {
        match self.bits {
            1 => format!("bit {}", self.first),
            bits => format!("bits {}-{}", self.first, self.first + bits - 1),
        }
    }

    /// A line of a table of fields: where it is, its name, its value, and what is wrong with that.
    pub fn line(self, value: &str, problem: Option<&str>) -> String {
        let mark = problem.map(|problem| format!(" INVALID: {problem}")).unwrap_or_default();
        format!("{:<11} {:<20} {value}{mark}\n", self.place(), self.name)
    }
}
