//! Targets and their generations.

use std::fmt;

use smol_str::SmolStr;

/// A target: `sm_90a`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// `90` of `sm_90a`.
    pub number: u16,
    /// `a` of `sm_90a`; mostly empty.
    pub suffix: SmolStr,
}

impl Target {
    /// Reads `sm_90a`, or `SM90a` of a header flag.
    #[must_use]
    pub fn parse(text: &str) -> Option<Target> {
        let rest = text.strip_prefix("sm_").or_else(|| text.strip_prefix("SM"))?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        let suffix = &rest[digits..];
        suffix.bytes().all(|byte| byte.is_ascii_lowercase()).then(|| Target { number, suffix: suffix.into() })
    }

    /// The generation that it belongs to.
    #[must_use]
    pub fn generation(&self) -> Generation {
        match self.number {
            ..30 => Generation::Fermi,
            30..50 => Generation::Kepler,
            50..70 => Generation::Maxwell,
            70..75 => Generation::Volta,
            75..80 => Generation::Turing,
            80..90 => Generation::Ampere,
            90..100 => Generation::Hopper,
            _ => Generation::Blackwell,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.number, self.suffix)
    }
}

/// The generations of instruction sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// sm_20, sm_21
    Fermi,
    /// sm_30 to sm_37
    Kepler,
    /// sm_50 to sm_62: Maxwell and Pascal
    Maxwell,
    /// sm_70, sm_72
    Volta,
    /// sm_75
    Turing,
    /// sm_80 to sm_89: Ampere and Ada
    Ampere,
    /// sm_90
    Hopper,
    /// sm_100 to sm_121
    Blackwell,
}

impl Generation {
    /// Whether divergence is managed by convergence barriers rather than by tokens on a stack.
    #[must_use]
    pub const fn has_convergence_barriers(self) -> bool {
        self as u8 >= Generation::Volta as u8
    }

    /// The bytes of an instruction.
    #[must_use]
    pub const fn instruction_bytes(self) -> u32 {
        if self.has_convergence_barriers() { 16 } else { 8 }
    }

    /// Its name in the data of the instruction set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Generation::Fermi => "fermi",
            Generation::Kepler => "kepler",
            Generation::Maxwell => "maxwell",
            Generation::Volta => "volta",
            Generation::Turing => "turing",
            Generation::Ampere => "ampere",
            Generation::Hopper => "hopper",
            Generation::Blackwell => "blackwell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Generation, Target};

    #[test]
    fn targets() {
        let target = Target::parse("sm_90a").unwrap();
        assert_eq!(
            (target.number, target.suffix.as_str(), target.generation()),
            (90, "a", Generation::Hopper)
        );
        assert_eq!(Target::parse("SM61").map(|target| target.to_string()).as_deref(), Some("sm_61"));
        assert_eq!(Target::parse("compute_80"), None);
    }
}
