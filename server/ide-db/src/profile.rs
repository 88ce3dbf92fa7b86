//! What checks look at in place of what a file says of itself.

use warplens_isa::{Version, ptx as isa};

/// The platform to check against instead of the file's: `warplens check --target sm_90 --ptx-version 8.5`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// Instead of `.version`.
    pub version: Option<(u32, u32)>,
    /// Instead of the architecture of `.target`, such as `sm_90a`.
    pub architecture: Option<String>,
}

impl Profile {
    /// Checks that the version and the target exist.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        if let Some((major, minor)) = self.version
            && !isa::versions().iter().any(|release| release.version == version(major, minor))
        {
            return Err(format!("unknown PTX version {major}.{minor}"));
        }
        match &self.architecture {
            Some(name) if isa::target(name).is_none() => Err(format!("unknown target `{name}`")),
            _ => Ok(()),
        }
    }
}

/// No version is near the limits of the type; one beyond them is newer than all.
pub fn version(major: u32, minor: u32) -> Version {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Version::new(part(major), part(minor))
}
