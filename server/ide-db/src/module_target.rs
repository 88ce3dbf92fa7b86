//! What a PTX module is written for: its `.version`, its `.target`, its `.address_size`.
//!
//! A query over headers, so edits inside bodies leave it valid, and with it all that was judged by it. Checks of an
//! item ask it with the file they are given; what they ask for no item has to be computed again when a target changes
//! that it did not look at.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx;
use warplens_hir::ptx::AddressSize;
use warplens_isa::Version;
use warplens_syntax::{ItemKind, SyntaxKind};

use crate::db::{Database, Db, File, items, ptx_header};
use crate::profile::version;

/// What a module is written for. What it does not say, or says in a way that cannot be read, is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleTarget {
    /// The version of the language.
    pub version: Option<Version>,
    /// The architecture as it is written, `sm_90a`; `warplens_isa::ptx::target` knows it, if it exists.
    pub architecture: Option<SmolStr>,
    /// `texmode_independent`, `debug` …
    pub options: Box<[SmolStr]>,
    /// How wide pointers are.
    pub address_size: Option<AddressSize>,
}

/// What a file is written for, or what it is to be checked against. Of several directives the first counts.
#[salsa::tracked]
pub fn module_target(db: &dyn Db, file: File) -> ModuleTarget {
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

/// Where a file says its version and its architecture: `8.5` and `sm_90`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TargetRanges {
    pub version: Option<TextRange>,
    pub architecture: Option<TextRange>,
}

/// Where a file says what it is written for. No query: it is asked only for a fix that changes it.
pub fn target_ranges(db: &Database, file: File) -> TargetRanges {
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
