//! How far the prologue of a module has been read: `.version`, `.target` and `.address_size`.

use text_size::TextSize;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{Database, File, Item, Problem};

pub(super) struct Prologue<'db> {
    pub(super) db: &'db Database,
    pub(super) file: File,
    pub(super) module: &'db ModuleTarget,
    /// Which of the three directives are in the file.
    pub(super) has_version: bool,
    pub(super) has_target: bool,
    /// The number of items with text so far, and the position and kind of the last one.
    pub(super) seen: usize,
    pub(super) last_item: Option<(TextSize, Item<'db>)>,
    pub(super) last: Part,
    pub(super) had_version: bool,
    pub(super) had_target: bool,
    pub(super) had_size: bool,
    pub(super) problems: Vec<Problem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Nothing,
    Version,
    Target,
    AddressSize,
    Rest,
}
