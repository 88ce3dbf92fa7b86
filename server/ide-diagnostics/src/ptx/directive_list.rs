//! The performance directives of a function or a prototype.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{PerformanceDirective, Signature};
use warplens_ide_db::ptx::ModuleTarget;
use warplens_isa::ptx::{Directive, Holder};

pub(super) struct List<'f> {
    pub(super) signature: &'f Signature,
    pub(super) holder: Holder,
    pub(super) has_body: bool,
    pub(super) text: &'f str,
    pub(super) module: &'f ModuleTarget,
}

impl List<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.signature.directive(name.trim_start_matches('.')).is_some()
    }

    /// The directives that one requires and that are missing, as part of a message.
    pub(super) fn missing(&self, known: &Directive) -> Option<String> {
        let is_missing = |names: &&&str| !names.split(" or ").any(|name| self.has(name));
        let missing: Vec<&str> = known.requires.iter().filter(is_missing).copied().collect();
        (!missing.is_empty()).then(|| missing.join("` and `").replace(" or ", "` or `"))
    }
}

/// The range of a directive without its values.
pub(super) fn word(written: &PerformanceDirective) -> TextRange {
    TextRange::at(written.range.start(), TextSize::of('.') + TextSize::of(written.name.as_str()))
}
