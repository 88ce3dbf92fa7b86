//! The platform of a PTX module: its `.version`, `.target` and `.address_size`.
//!
//! It is a query over headers, so edits in bodies invalidate neither the target nor the checks that depend on
//! it. After a change of the target, only checks that read the target run again.

use smol_str::SmolStr;
use warplens_hir::ptx;
use warplens_hir::ptx::AddressSize;
use warplens_isa::Version;
use warplens_syntax::{ItemKind, SyntaxKind};

use crate::db::{Database, Db, File, items, placed_items};
use crate::problem::TargetRanges;
use crate::profile::version;
use crate::ptx::lowered::ptx_header;

/// Missing or unreadable parts are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleTarget {
    pub version: Option<Version>,
    /// The architecture as written, such as `sm_90a`; for lookup in `warplens_isa::ptx::target`.
    pub architecture: Option<SmolStr>,
    /// Such as `texmode_independent` or `debug`.
    pub options: Box<[SmolStr]>,
    pub address_size: Option<AddressSize>,
}

/// The platform that a file is written for or checked against. If a directive is repeated, the first one
/// wins.
#[salsa::tracked]
pub fn module_target(db: &dyn Db, file: File) -> ModuleTarget {
    let mut found = ModuleTarget::default();
    if file.language(db) != warplens_syntax::ptx::LANGUAGE {
        return found;
    }
    for item in items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Directive) {
        match &ptx_header(db, *item).directive {
            Some(ptx::Directive::Version(written)) => {
                let written = written.map(|written| version(written.major, written.minor));
                found.version = found.version.or(written);
            }
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

/// The ranges of a file's version and architecture. This is not a query, because only fixes of the target
/// need them.
pub fn target_ranges(db: &Database, file: File) -> TargetRanges {
    let mut found = TargetRanges::default();
    for (item, start) in placed_items(db, file).filter(|(item, _)| item.kind(db) == ItemKind::Directive) {
        match &ptx_header(db, item).directive {
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
