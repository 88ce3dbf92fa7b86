//! Targets and their generations.

use std::fmt;

use smol_str::SmolStr;
pub use warplens_isa::sass::Generation;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// `90` in `sm_90a`.
    pub number: u16,
    /// `a` in `sm_90a`; usually empty.
    pub suffix: SmolStr,
}

impl Target {
    /// Parses `sm_90a`, or `SM90a` in a header flag.
    pub fn parse(text: &str) -> Option<Target> {
        let rest = text.strip_prefix("sm_").or_else(|| text.strip_prefix("SM"))?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        let suffix = &rest[digits..];
        suffix.bytes().all(|byte| byte.is_ascii_lowercase()).then(|| Target { number, suffix: suffix.into() })
    }

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
