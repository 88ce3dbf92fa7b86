//! Registers and register files.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegisterFile {
    /// `R0` to `R254`, and `RZ`.
    General,
    /// `UR0` and higher, and `URZ`.
    Uniform,
    /// `P0` to `P6`, and `PT`.
    Predicate,
    /// `UP0` to `UP6`, and `UPT`.
    UniformPredicate,
    /// `B0` to `B15`, convergence barriers.
    Barrier,
    /// `SB0` to `SB5`, scoreboards.
    Scoreboard,
}

impl RegisterFile {
    /// The letters before the number.
    pub const fn prefix(self) -> &'static str {
        match self {
            RegisterFile::General => "R",
            RegisterFile::Uniform => "UR",
            RegisterFile::Predicate => "P",
            RegisterFile::UniformPredicate => "UP",
            RegisterFile::Barrier => "B",
            RegisterFile::Scoreboard => "SB",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    pub file: RegisterFile,
    /// The number; [`Register::CONSTANT`] for `RZ`, `URZ`, `PT` and `UPT`.
    pub number: u8,
}

impl Register {
    /// The number of the register in each file that is always zero or true.
    pub const CONSTANT: u8 = 255;

    pub const fn new(file: RegisterFile, number: u8) -> Register {
        Register { file, number }
    }

    /// Whether this is `RZ`, `URZ`, `PT` or `UPT`, which read as zero or true and ignore writes.
    pub const fn is_constant(self) -> bool {
        self.number == Register::CONSTANT
    }

    /// Whether this is a predicate, of a lane or of the warp.
    pub const fn is_predicate(self) -> bool {
        matches!(self.file, RegisterFile::Predicate | RegisterFile::UniformPredicate)
    }

    /// Whether the register has a single value for the whole warp.
    pub const fn is_uniform(self) -> bool {
        matches!(self.file, RegisterFile::Uniform | RegisterFile::UniformPredicate)
    }

    /// Parses `R12`, `URZ`, `pt`.
    pub fn parse(text: &str) -> Option<Register> {
        use RegisterFile::{Barrier, General, Predicate, Scoreboard, Uniform, UniformPredicate};
        let (file, rest) = match text.as_bytes() {
            [b'R', ..] => (General, &text[1..]),
            [b'U', b'R', ..] => (Uniform, &text[2..]),
            [b'U', b'P', ..] => (UniformPredicate, &text[2..]),
            [b'P' | b'p', ..] => (Predicate, &text[1..]),
            [b'B', ..] => (Barrier, &text[1..]),
            [b'S', b'B', ..] => (Scoreboard, &text[2..]),
            _ => return None,
        };
        let constant = match file {
            General | Uniform => rest == "Z",
            Predicate | UniformPredicate => rest == "T" || rest == "t",
            Barrier | Scoreboard => false,
        };
        if constant {
            return Some(Register::new(file, Register::CONSTANT));
        }
        let digits = !rest.is_empty() && rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || text.starts_with('p') {
            return None;
        }
        let number = rest.parse::<u8>().ok().filter(|number| *number != Register::CONSTANT)?;
        Some(Register::new(file, number))
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.file.prefix();
        match (self.is_constant(), self.is_predicate()) {
            (true, true) => write!(f, "{prefix}T"),
            (true, false) => write!(f, "{prefix}Z"),
            (false, _) => write!(f, "{prefix}{}", self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Register;

    #[test]
    fn names() {
        for name in ["R0", "R254", "RZ", "UR63", "URZ", "P6", "PT", "UP0", "UPT", "B15", "SB5"] {
            assert_eq!(Register::parse(name).map(|register| register.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Register::parse("pt").map(|register| register.to_string()).as_deref(), Some("PT"));
        for other in ["R", "R2x", "PR", "BZ", "SR_TID", "p0", "R255", "R1000", "UPR"] {
            assert_eq!(Register::parse(other), None, "{other}");
        }
    }
}
