//! What checks look at in place of what a file says of itself.

use warplens_isa::{Version, ptx as isa};

/// What checks look at in place of what the file says: `warplens check --target sm_90 --ptx-version 8.5`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// In place of `.version`.
    pub version: Option<(u32, u32)>,
    /// In place of the architecture of `.target`, such as `sm_90a`.
    pub architecture: Option<String>,
}

impl Profile {
    /// Why this cannot be checked against: there is no such version or target.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        if let Some((major, minor)) = self.version
            && !isa::versions().iter().any(|release| release.version == version(major, minor))
        {
            return Err(format!("there is no PTX version {major}.{minor}"));
        }
        match &self.architecture {
            Some(name) if isa::target(name).is_none() => Err(format!("there is no target `{name}`")),
            _ => Ok(()),
        }
    }
}

/// No version comes near the limits of the type; one beyond them is newer than all.
pub fn version(major: u32, minor: u32) -> Version {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Version::new(part(major), part(minor))
}
