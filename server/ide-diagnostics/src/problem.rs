//! Problems as checks of one item find them: relative to the item, with what would fix them.
//!
//! A problem is made by [`Problem::error`], [`Problem::warning`] … and completed by `with_…`; a [`ItemFix`] is made in the
//! same way. Only here are they turned into places of the file.

use std::cell::OnceCell;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::{Diagnostic, Fix, Related, Severity, Tag, TextEdit};
use warplens_ide_db::db::{Database, File};
use warplens_ide_db::module_target::{TargetRanges, target_ranges};

/// A diagnostic relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub range: TextRange,
    pub severity: Severity,
    pub code: &'static str,
    pub message: SmolStr,
    /// Places in the same item.
    pub related: Vec<(TextRange, SmolStr)>,
    pub tags: Vec<Tag>,
    /// What would fix it, the likeliest first.
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

    /// It assembles, and is most likely a mistake.
    pub fn warning(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Warning, code, message)
    }

    /// Something that an editor shows faintly.
    pub fn hint(range: TextRange, code: &'static str, message: impl Into<SmolStr>) -> Problem {
        Problem::new(range, Severity::Hint, code, message)
    }

    /// A second place of the item that explains it.
    pub fn with_related(mut self, range: TextRange, message: impl Into<SmolStr>) -> Problem {
        self.related.push((range, message.into()));
        self
    }

    /// How to draw it.
    pub fn with_tag(mut self, tag: Tag) -> Problem {
        self.tags.push(tag);
        self
    }

    /// What would fix it.
    pub fn with_fix(mut self, fix: impl Into<Option<ItemFix>>) -> Problem {
        self.fixes.extend(fix.into());
        self
    }

    /// The diagnostic of an item that starts there.
    pub fn in_file(&self, context: &FileContext<'_>, start: TextSize) -> Diagnostic {
        let file = context.file.id(context.db);
        let related = self.related.iter().map(|(range, message)| Related {
            file,
            range: *range + start,
            message: message.to_string(),
        });
        Diagnostic {
            related: related.collect(),
            tags: self.tags.clone(),
            fixes: self.fixes.iter().filter_map(|fix| fix.in_file(context, start)).collect(),
            ..Diagnostic::new(self.range + start, self.severity, self.code, self.message.as_str())
        }
    }
}

/// What would fix a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFix {
    title: SmolStr,
    edits: Vec<(Anchor, SmolStr)>,
    preferred: bool,
}

/// What an edit of a fix replaces.
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
    /// A fix that does nothing yet. The title is a command that names the result: ``Replace with `add` ``.
    pub fn new(title: impl Into<SmolStr>) -> ItemFix {
        ItemFix { title: title.into(), edits: Vec::new(), preferred: false }
    }

    /// The commonest fix: another word in this place.
    pub fn replacement(range: TextRange, word: &str) -> ItemFix {
        ItemFix::new(format!("Replace with `{word}`")).replace(range, word)
    }

    /// Replaces a range of the item.
    pub fn replace(self, range: TextRange, text: impl Into<SmolStr>) -> ItemFix {
        self.edit(Anchor::Item(range), text.into())
    }

    /// Inserts text at a place of the item.
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

    /// It is certainly what was meant: "fix all" does it unasked. At most one fix of a problem is.
    pub fn preferred(mut self) -> ItemFix {
        self.preferred = true;
        self
    }

    fn edit(mut self, anchor: Anchor, text: SmolStr) -> ItemFix {
        self.edits.push((anchor, text));
        self
    }

    fn in_file(&self, context: &FileContext<'_>, start: TextSize) -> Option<Fix> {
        let edit = |(anchor, text): &(Anchor, SmolStr)| {
            let range = match anchor {
                Anchor::Item(range) => *range + start,
                Anchor::Version => context.target_ranges().version?,
                Anchor::Architecture => context.target_ranges().architecture?,
            };
            Some(TextEdit { range, insert: text.to_string() })
        };
        let edits = self.edits.iter().map(edit).collect::<Option<_>>()?;
        Some(Fix { title: self.title.to_string(), edits, preferred: self.preferred })
    }
}

/// The file around the items whose problems are listed.
pub struct FileContext<'db> {
    db: &'db Database,
    file: File,
    target_ranges: OnceCell<TargetRanges>,
}

impl<'db> FileContext<'db> {
    pub fn new(db: &'db Database, file: File) -> FileContext<'db> {
        FileContext { db, file, target_ranges: OnceCell::new() }
    }

    fn target_ranges(&self) -> &TargetRanges {
        self.target_ranges.get_or_init(|| target_ranges(self.db, self.file))
    }
}
