//! The platform to check against, instead of the one that a file declares.

use thiserror::Error;
use warplens_isa::{Version, ptx as isa};

/// What `warplens check --target sm_90 --ptx-version 8.5` asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Profile {
    /// Replaces `.version`.
    pub version: Option<(u32, u32)>,
    /// Replaces the architecture of `.target`, such as `sm_90a`.
    pub architecture: Option<String>,
}

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

/// A number beyond the limits of the type counts as newer than every version; real versions are far below.
pub(crate) fn version(major: u32, minor: u32) -> Version {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Version::new(part(major), part(minor))
}
