//! An open host file.

use std::sync::OnceLock;

use text_size::{TextRange, TextSize};
use warplens_host::{Host, Statement};
use warplens_ide_db::{File, FileId};
use warplens_ide_diagnostics::inline::{Module, modules};
use warplens_ide_diagnostics::rules::Rules;

use super::try_it::Tried;

/// A host file at one version.
pub(crate) struct HostDocument {
    pub(crate) id: FileId,
    pub(crate) host: &'static Host,
    pub(crate) text: String,
    pub(super) statements: Vec<Statement>,
    /// For each statement, its module and its function.
    pub(super) places: Vec<(usize, usize)>,
    pub(super) embedded: Vec<Embedded>,
    /// The statements that the user tries.
    tries: Vec<Try>,
}

/// A statement that the user tries, and its run, which is made when it is first asked for.
struct Try {
    statement: usize,
    run: OnceLock<Result<Tried, String>>,
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
        tried: &[TextSize],
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
        let of_keyword = |at: &TextSize| {
            statements.binary_search_by_key(&usize::from(*at), |statement| statement.keyword.start).ok()
        };
        let tries = tried.iter().filter_map(of_keyword);
        let tries = tries.map(|statement| Try { statement, run: OnceLock::new() }).collect();
        HostDocument { id, host, text, statements, places, embedded, tries }
    }

    /// The positions of the statements that the user tries: their keywords.
    pub(crate) fn tried(&self) -> Vec<TextSize> {
        let keyword = |tried: &Try| self.statements[tried.statement].keyword.start;
        self.tries.iter().filter_map(|tried| TextSize::try_from(keyword(tried)).ok()).collect()
    }

    /// The positions of those that are left or new after the statement at an offset is tried, or no longer. `None` if there is none.
    pub(crate) fn tried_after(&self, offset: TextSize) -> Option<Vec<TextSize>> {
        let statement = self.statement_at(offset)?.statement;
        let keyword = TextSize::try_from(statement.keyword.start).ok()?;
        let mut tried = self.tried();
        match tried.iter().position(|at| *at == keyword) {
            Some(index) => {
                tried.remove(index);
            }
            None => tried.push(keyword),
        }
        Some(tried)
    }

    /// The positions after a range of the text was replaced.
    pub(crate) fn tried_after_edit(&self, range: TextRange, inserted: TextSize) -> Vec<TextSize> {
        let moved = |at: TextSize| match () {
            () if at >= range.end() => Some(at - range.len() + inserted),
            () if at < range.start() => Some(at),
            () => None,
        };
        self.tried().into_iter().filter_map(moved).collect()
    }

    /// The run of a statement; `None` if the user does not try it.
    pub(super) fn run(&self, statement: usize, rules: &Rules) -> Option<&Result<Tried, String>> {
        let tried = self.tries.iter().find(|tried| tried.statement == statement)?;
        Some(tried.run.get_or_init(|| {
            let module = &self.embedded[self.places[statement].0].module;
            Tried::new(&self.text, &self.statements[statement], module, self.id, rules)
        }))
    }

    pub(crate) fn embedded(&self) -> &[Embedded] {
        &self.embedded
    }
}
