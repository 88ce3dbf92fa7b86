//! An open host file.

use warplens_host::{Host, Statement};
use warplens_ide_db::{File, FileId};
use warplens_ide_diagnostics::inline::{Module, modules};

/// A host file at one version.
pub(crate) struct HostDocument {
    pub(crate) id: FileId,
    pub(crate) host: &'static Host,
    pub(crate) text: String,
    pub(super) statements: Vec<Statement>,
    /// For each statement, its module and its function.
    pub(super) places: Vec<(usize, usize)>,
    pub(super) embedded: Vec<Embedded>,
}

/// A PTX document of a host file.
pub(crate) struct Embedded {
    pub(crate) module: Module,
    pub(crate) file: File,
}

impl HostDocument {
    /// Reads a host file. `target` is that of statements that are not behind a condition about it, `input` makes the input of the database for a module.
    pub(crate) fn new(
        id: FileId,
        host: &'static Host,
        target: Option<&str>,
        text: String,
        mut input: impl FnMut(&Module) -> File,
    ) -> HostDocument {
        let statements = host.statements(&text);
        let modules = modules(&statements, target).into_iter();
        let embedded: Vec<_> = modules.map(|module| Embedded { file: input(&module), module }).collect();
        let mut places = vec![(0, 0); statements.len()];
        for (index, embedded) in embedded.iter().enumerate() {
            for (number, function) in embedded.module.functions.iter().enumerate() {
                places[function.statement] = (index, number);
            }
        }
        HostDocument { id, host, text, statements, places, embedded }
    }

    pub(crate) fn embedded(&self) -> &[Embedded] {
        &self.embedded
    }
}
