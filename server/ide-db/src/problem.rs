//! Problems of one item, relative to the item, with their fixes.
//!
//! [`Problem::error`], [`Problem::warning`] … make a problem and `with_…` completes it; an [`ItemFix`] is
//! made in the same way. They become ranges of the file only here.

use std::cell::LazyCell;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::Severity;

use crate::answer::{Diagnostic, FileId, Fix, Related, Tag, TextEdit};
use crate::similar::{did_you_mean, nearest};

/// A diagnostic relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub range: TextRange,
    pub severity: Severity,
    pub code: &'static str,
    pub message: SmolStr,
    /// Other ranges of the item that explain the problem.
    pub related: Vec<(TextRange, SmolStr)>,
    pub tags: Vec<Tag>,
    /// The most likely fix first.
    pub fixes: Vec<ItemFix>,
}

impl Problem {
    pub fn new(
        range: TextRange,
        severity: Severity,
        code: &'static str,
        message: impl Into<SmolStr>,
    ) -> Problem {
        let message = message.into();
        Problem { range, severity, code, message, related: vec![], tags: vec![], fixes: vec![] }
    }

    /// The assembler rejects the code.
    pub fn error(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Error, code, message)
    }

    /// An unknown word. The fix replaces it with the most similar of the `known` words.
    pub fn unknown<'c>(
        range: TextRange,
        code: &'static str,
        message: &str,
        word: &str,
        known: impl IntoIterator<Item = &'c str>,
    ) -> Problem {
        let meant = nearest(word, known);
        Problem::error(range, code, format!("{message}{}", did_you_mean(meant)))
            .with_fix(meant.map(|meant| ItemFix::replacement(range, meant)))
    }

    /// The assembler accepts the code, but it is most likely a mistake.
    pub fn warning(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Warning, code, message)
    }

    /// Editors show a hint faintly.
    pub fn hint(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Hint, code, message)
    }

    pub fn with_related(mut self, range: TextRange, message: impl Into<SmolStr>) -> Problem {
        self.related.push((range, message.into()));
        self
    }

    pub fn with_tag(mut self, tag: Tag) -> Problem {
        self.tags.push(tag);
        self
    }

    pub fn with_fix(mut self, fix: impl Into<Option<ItemFix>>) -> Problem {
        self.fixes.extend(fix.into());
        self
    }

    pub fn in_file(&self, context: &FixContext<'_>, start: TextSize) -> Diagnostic {
        let file = context.file;
        let related = self.related.iter().map(|(range, message)| Related {
            file,
            range: *range + start,
            message: message.to_string(),
        });
        Diagnostic {
            related: related.collect(),
            tags: self.tags.clone(),
            fixes: match context.fixes {
                Fixes::Included => self.fixes.iter().filter_map(|fix| fix.in_file(context, start)).collect(),
                Fixes::Omitted => Vec::new(),
            },
            ..Diagnostic::new(self.range + start, self.severity, self.code, self.message.as_str())
        }
    }
}

/// A fix of a problem, relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFix {
    title: SmolStr,
    edits: Vec<(Anchor, SmolStr)>,
    preferred: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Item(TextRange),
    /// The number after `.version`.
    Version,
    /// The architecture after `.target`.
    Architecture,
}

impl ItemFix {
    /// A fix without edits. The title is an imperative that names the result: ``Replace with `add` ``.
    pub fn new(title: impl Into<SmolStr>) -> ItemFix {
        ItemFix { title: title.into(), edits: Vec::new(), preferred: false }
    }

    /// The most common fix: replaces the range with another word.
    pub fn replacement(range: TextRange, word: &str) -> ItemFix {
        ItemFix::new(format!("Replace with `{word}`")).replace(range, word)
    }

    pub fn replace(self, range: TextRange, text: impl Into<SmolStr>) -> ItemFix {
        self.edit(Anchor::Item(range), text.into())
    }

    pub fn insert(self, at: TextSize, text: impl Into<SmolStr>) -> ItemFix {
        self.replace(TextRange::empty(at), text)
    }

    pub fn delete(self, range: TextRange) -> ItemFix {
        self.replace(range, "")
    }

    /// Writes this version after `.version`. The fix is not offered for a module without a version.
    pub fn version(self, version: &str) -> ItemFix {
        self.edit(Anchor::Version, version.into())
    }

    /// Writes this architecture after `.target`. The fix is not offered for a module without a target.
    pub fn architecture(self, architecture: &str) -> ItemFix {
        self.edit(Anchor::Architecture, architecture.into())
    }

    /// Marks the fix as safe, so that "fix all" applies it. A problem has at most one safe fix.
    pub fn preferred(mut self) -> ItemFix {
        self.preferred = true;
        self
    }

    fn edit(mut self, anchor: Anchor, text: SmolStr) -> ItemFix {
        self.edits.push((anchor, text));
        self
    }

    fn in_file(&self, context: &FixContext<'_>, start: TextSize) -> Option<Fix> {
        let edit = |(anchor, text): &(Anchor, SmolStr)| {
            let range = match anchor {
                Anchor::Item(range) => *range + start,
                Anchor::Version => context.target_ranges.version?,
                Anchor::Architecture => context.target_ranges.architecture?,
            };
            Some(TextEdit { range, insert: text.to_string() })
        };
        let edits = self.edits.iter().map(edit).collect::<Option<_>>()?;
        Some(Fix { title: self.title.to_string(), edits, preferred: self.preferred })
    }
}

/// The ranges of a file's version and architecture, such as `8.5` and `sm_90`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TargetRanges {
    pub version: Option<TextRange>,
    pub architecture: Option<TextRange>,
}

/// Whether diagnostics include their fixes or an editor requests them later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    Included,
    Omitted,
}

/// What fixes need to know about the file.
pub struct FixContext<'f> {
    pub file: FileId,
    pub fixes: Fixes,
    /// Computed for the first fix of the declared target.
    pub target_ranges: LazyCell<TargetRanges, Box<dyn FnOnce() -> TargetRanges + 'f>>,
}
