//! What a PTX module is written for: its `.version`, its `.target`, its `.address_size`.
//!
//! A query over headers, so edits inside bodies leave it valid, and with it all that was judged by it. Checks of an
//! item ask it with the file they are given; what they ask for no item has to be computed again when a target changes
//! that it did not look at.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{self, AddressSize};
use warplens_isa::Version;
use warplens_isa::ptx as isa;
use warplens_syntax::{ItemKind, SyntaxKind};

use crate::db::{Database, Db, File, items, ptx_header};

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

/// What a module is written for. What it does not say, or says in a way that cannot be read, is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ModuleTarget {
    /// The version of the language.
    pub(crate) version: Option<Version>,
    /// The architecture as it is written, `sm_90a`; `warplens_isa::ptx::target` knows it, if it exists.
    pub(crate) architecture: Option<SmolStr>,
    /// `texmode_independent`, `debug` …
    pub(crate) options: Box<[SmolStr]>,
    /// How wide pointers are.
    pub(crate) address_size: Option<AddressSize>,
}

/// What a file is written for, or what it is to be checked against. Of several directives the first counts.
#[salsa::tracked]
pub(crate) fn module_target(db: &dyn Db, file: File) -> ModuleTarget {
    let mut found = ModuleTarget::default();
    if file.language(db) != warplens_syntax::ptx::LANGUAGE {
        return found;
    }
    for item in items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Directive) {
        match &ptx_header(db, *item).directive {
            Some(ptx::Directive::Version(version)) => found.version = found.version.or(version.map(known)),
            Some(ptx::Directive::Target(target)) if found.architecture.is_none() => {
                found.architecture = target.architecture.as_ref().map(|(name, _)| name.clone());
                found.options = target.options.iter().map(|(name, _)| name.clone()).collect();
            }
            Some(ptx::Directive::AddressSize(size)) => found.address_size = found.address_size.or(*size),
            _ => {}
        }
    }
    let profile = file.profile(db);
    found.version = profile.version.map(|(major, minor)| version(major, minor)).or(found.version);
    found.architecture = profile.architecture.as_ref().map(SmolStr::from).or(found.architecture);
    found
}

fn known(written: ptx::Version) -> Version {
    version(written.major, written.minor)
}

/// No version comes near the limits of the type; one beyond them is newer than all.
fn version(major: u32, minor: u32) -> Version {
    let part = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    Version::new(part(major), part(minor))
}

/// Where a file says its version and its architecture: `8.5` and `sm_90`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TargetRanges {
    pub(crate) version: Option<TextRange>,
    pub(crate) architecture: Option<TextRange>,
}

/// Where a file says what it is written for. No query: it is asked only for a fix that changes it.
pub(crate) fn target_ranges(db: &Database, file: File) -> TargetRanges {
    let mut found = TargetRanges::default();
    let list = file.document(db).items();
    for (index, item) in items(db, file).iter().enumerate() {
        if item.kind(db) != ItemKind::Directive {
            continue;
        }
        let start = list.start_of(index);
        match &ptx_header(db, *item).directive {
            Some(ptx::Directive::Version(Some(_))) if found.version.is_none() => {
                let tokens = item.parse(db).syntax().descendants_with_tokens();
                let number = tokens.into_iter().find(|token| token.kind() == SyntaxKind::FLOAT_NUMBER);
                found.version = number.map(|number| number.text_range() + start);
            }
            Some(ptx::Directive::Target(target)) if found.architecture.is_none() => {
                found.architecture = target.architecture.as_ref().map(|(_, range)| *range + start);
            }
            _ => {}
        }
    }
    found
}
