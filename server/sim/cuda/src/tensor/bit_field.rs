//! A named bit field of a descriptor.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    pub first: u32,
    pub bits: u32,
    pub name: &'static str,
}

impl BitField {
    pub fn of(self, descriptor: u64) -> u64 {
        descriptor >> self.first & ((1 << self.bits) - 1)
    }

    /// The field's position: `bits 0-13`.
    pub fn place(self) -> String {
        match self.bits {
            1 => format!("bit {}", self.first),
            bits => format!("bits {}-{}", self.first, self.first + bits - 1),
        }
    }

    /// A line in a table of fields: position, name, value, and why the value is invalid.
    pub fn line(self, value: &str, problem: Option<&str>) -> String {
        let mark = problem.map(|problem| format!(" INVALID: {problem}")).unwrap_or_default();
        format!("{:<11} {:<20} {value}{mark}\n", self.place(), self.name)
    }
}
