//! The source lines of instructions, from `.file` and `.loc`.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_hir::ptx::{Function, SourceLocation, SourcePosition};
use warplens_ide_db::ptx::source_paths;
use warplens_ide_db::{Db, File};

use crate::program::{FileLine, SourceLine};

/// The depth to which calls that are inlined into each other are followed.
const MAX_INLINED: usize = 64;

pub(super) struct SourceFiles<'db> {
    paths: &'db FxHashMap<u64, SmolStr>,
}

impl<'db> SourceFiles<'db> {
    pub(super) fn of(db: &'db dyn Db, file: File) -> SourceFiles<'db> {
        SourceFiles { paths: source_paths(db, file) }
    }

    pub(super) fn lines(&self, function: &Function) -> Vec<Option<Arc<SourceLine>>> {
        let mut lines = Vec::with_capacity(function.instructions().len());
        let mut known: FxHashMap<SourcePosition, SourceLocation> = FxHashMap::default();
        let mut current = None;
        for location in function.source_locations() {
            lines.resize(location.first.index(), current);
            known.insert(location.position, *location);
            current = self.line(location, &known).map(Arc::new);
        }
        lines.resize(function.instructions().len(), current);
        lines
    }

    /// The line of a location; `known` are those before it.
    fn line(
        &self,
        location: &SourceLocation,
        known: &FxHashMap<SourcePosition, SourceLocation>,
    ) -> Option<SourceLine> {
        let here = self.file_line(location.position)?;
        let caller = |location: &SourceLocation| {
            let position = location.inlined_at?;
            Some(known.get(&position).copied().unwrap_or(SourceLocation {
                position,
                inlined_at: None,
                ..*location
            }))
        };
        let chain = std::iter::successors(Some(*location), caller).take(MAX_INLINED);
        let outside =
            chain.filter_map(|location| self.file_line(location.position)).find(|line| !line.is_in_header());
        Some(SourceLine::new(here, outside, location.position.column))
    }

    fn file_line(&self, position: SourcePosition) -> Option<FileLine> {
        // Line 0 is code without a source line.
        let file = self.paths.get(&position.file)?.clone();
        (position.line != 0).then_some(FileLine { file, line: position.line })
    }
}
