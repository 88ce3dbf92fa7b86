//! The file around the items whose problems are listed.

use std::cell::OnceCell;

use warplens_ide_db::answer::FileId;
use warplens_ide_db::db::{Database, Db, File};
use warplens_ide_db::problem::{FixContext, TargetRanges};

/// The file of the items whose problems are listed.
pub(crate) struct FileContext<'db> {
    db: &'db Database,
    file: File,
    target_ranges: OnceCell<TargetRanges>,
}

impl<'db> FileContext<'db> {
    pub(crate) fn new(db: &'db Database, file: File) -> FileContext<'db> {
        FileContext { db, file, target_ranges: OnceCell::new() }
    }
}

impl FixContext for FileContext<'_> {
    fn file(&self) -> FileId {
        self.file.id(self.db)
    }

    fn target_ranges(&self) -> &TargetRanges {
        self.target_ranges
            .get_or_init(|| (self.db.language(self.file.language(self.db)).target_ranges)(self.db, self.file))
    }
}
