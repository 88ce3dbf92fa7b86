//! The platform to check against instead of the one that a file declares.

use thiserror::Error;
use warplens_isa::{Version, ptx as isa};

/// The platform to check against instead of the file's: `warplens check --target sm_90 --ptx-version 8.5`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// Instead of `.version`.
    pub version: Option<(u32, u32)>,
    /// Instead of the architecture of `.target`, such as `sm_90a`.
    pub architecture: Option<String>,
}

/// A profile names a platform that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownPlatform {
    #[error("unknown PTX version {0}.{1}")]
    Version(u32, u32),
    #[error("unknown target `{0}`")]
    Target(String),
}

impl Profile {
    /// Checks that the version and the target exist.
    ///
    /// # Errors
    /// When one of them does not.
    pub fn check(&self) -> Result<(), UnknownPlatform> {
        if let Some((major, minor)) = self.version
            && !isa::versions().iter().any(|release| release.version == version(major, minor))
        {
            return Err(UnknownPlatform::Version(major, minor));
        }
        match &self.architecture {
            Some(name) if isa::target(name).is_none() => Err(UnknownPlatform::Target(name.clone())),
            _ => Ok(()),
        }
    }
}

/// No version is near the limits of the type; one beyond them is newer than all.
pub(crate) fn version(major: u32, minor: u32) -> Version {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Version::new(part(major), part(minor))
}
