//! Problems found by the checks of one item: relative to the item, with their fixes.
//!
//! A problem is made by [`Problem::error`], [`Problem::warning`] … and completed by `with_…`; an [`ItemFix`] is made in the
//! same way. Only here are they converted to ranges of the file.

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
    /// Other ranges of the same item that explain it.
    pub related: Vec<(TextRange, SmolStr)>,
    pub tags: Vec<Tag>,
    /// Its fixes, the most likely first.
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

    /// The assembler rejects it.
    pub fn error(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Error, code, message)
    }

    /// An unknown word. The most similar of the `known` words is offered as replacement.
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

    /// The assembler accepts it, but it is most likely a mistake.
    pub fn warning(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Warning, code, message)
    }

    /// Something that an editor shows faintly.
    pub fn hint(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Hint, code, message)
    }

    /// Adds another range of the item that explains it.
    pub fn with_related(mut self, range: TextRange, message: impl Into<SmolStr>) -> Problem {
        self.related.push((range, message.into()));
        self
    }

    /// Adds a tag that changes how editors draw it.
    pub fn with_tag(mut self, tag: Tag) -> Problem {
        self.tags.push(tag);
        self
    }

    /// Adds a fix.
    pub fn with_fix(mut self, fix: impl Into<Option<ItemFix>>) -> Problem {
        self.fixes.extend(fix.into());
        self
    }

    /// The diagnostic in the file, for an item that starts at `start`.
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

/// The text that an edit of a fix replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// A range of the item.
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

    /// The most common fix: another word in this range.
    pub fn replacement(range: TextRange, word: &str) -> ItemFix {
        ItemFix::new(format!("Replace with `{word}`")).replace(range, word)
    }

    /// Replaces a range of the item.
    pub fn replace(self, range: TextRange, text: impl Into<SmolStr>) -> ItemFix {
        self.edit(Anchor::Item(range), text.into())
    }

    /// Inserts text at an offset of the item.
    pub fn insert(self, at: TextSize, text: impl Into<SmolStr>) -> ItemFix {
        self.replace(TextRange::empty(at), text)
    }

    /// Deletes a range of the item.
    pub fn delete(self, range: TextRange) -> ItemFix {
        self.replace(range, "")
    }

    /// Writes this version after `.version`. In a module without one the fix is not offered.
    pub fn version(self, version: &str) -> ItemFix {
        self.edit(Anchor::Version, version.into())
    }

    /// Writes this architecture after `.target`. In a module without one the fix is not offered.
    pub fn architecture(self, architecture: &str) -> ItemFix {
        self.edit(Anchor::Architecture, architecture.into())
    }

    /// Marks it as safe, so that "fix all" applies it. At most one fix of a problem is safe.
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

/// The ranges of a file's version and architecture: `8.5` and `sm_90`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TargetRanges {
    pub version: Option<TextRange>,
    pub architecture: Option<TextRange>,
}

/// Whether diagnostics come with their fixes, which an editor requests later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixes {
    /// With their fixes.
    Included,
    /// Without.
    Omitted,
}

/// The file of the problems, as far as their fixes need it.
pub struct FixContext<'f> {
    pub file: FileId,
    pub fixes: Fixes,
    /// The ranges that fixes of the declared target replace, computed for the first such fix.
    pub target_ranges: LazyCell<TargetRanges, Box<dyn FnOnce() -> TargetRanges + 'f>>,
}
