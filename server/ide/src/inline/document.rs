//! An open host file.

use std::sync::OnceLock;

use text_size::{TextRange, TextSize};
use warplens_host::{Edit, Host, HostLaunch, Statement};
use warplens_ide_db::{File, FileId};
use warplens_ide_diagnostics::inline::{Found, Module};
use warplens_ide_diagnostics::rules::Rules;

use super::InlineOptions;
use super::try_it::Tried;

/// A host file at one version.
pub(crate) struct HostDocument {
    pub(crate) id: FileId,
    pub(crate) host: &'static Host,
    pub(crate) text: String,
    pub(super) statements: Vec<Statement>,
    /// For each statement, its PTX document; then those of their other readings, in order.
    pub(super) embedded: Vec<Embedded>,
    /// The launches of the file, once they are asked for.
    launches: OnceLock<Vec<HostLaunch>>,
    /// The statements that the user tries.
    tries: Vec<Try>,
}

/// The PTX document of a statement.
pub(crate) struct Embedded {
    pub(crate) module: Module,
    pub(crate) file: File,
    /// The problems of the statement by itself, once they are asked for.
    pub(super) found: OnceLock<Vec<Found>>,
}

/// A statement that the user tries, and its run, which is made when it is first asked for.
struct Try {
    statement: usize,
    run: OnceLock<Result<Tried, String>>,
}

impl HostDocument {
    /// Reads a host file. `input` makes the input of the database for a module.
    pub(crate) fn new(
        id: FileId,
        host: &'static Host,
        options: &InlineOptions,
        text: String,
        tried: &[TextSize],
        mut input: impl FnMut(&Module) -> File,
    ) -> HostDocument {
        let statements = if options.enabled { host.statements(&text) } else { Vec::new() };
        let embed = |statement| {
            let module = Module::new(statement, options.target.as_deref());
            Embedded { file: input(&module), module, found: OnceLock::new() }
        };
        let readings = statements.iter().flat_map(|statement| statement.readings.iter().flatten());
        let embedded =
            statements.iter().chain(readings.map(|reading| &reading.statement)).map(embed).collect();
        let launches = OnceLock::new();
        let mut document = HostDocument { id, host, text, statements, embedded, launches, tries: Vec::new() };
        document.set_tried(tried);
        document
    }

    /// Applies an edit inside a literal, and returns the numbers of the statements whose template changed, with their former modules.
    /// `None`, with nothing changed, if the file must be read again.
    pub(crate) fn edit(
        &mut self,
        range: TextRange,
        insert: &str,
        options: &InlineOptions,
    ) -> Option<Vec<(usize, Module)>> {
        let removed = usize::from(range.start())..usize::from(range.end());
        let edit = Edit { removed: removed.clone(), inserted: insert };
        let tried = self.tried_after_edit(range, TextSize::of(insert));
        let changed = self.host.edit(&mut self.statements, &self.text, &edit)?;
        self.text.replace_range(removed, insert);
        self.launches = OnceLock::new();
        let mut former = Vec::new();
        for (index, embedded) in self.embedded.iter_mut().enumerate() {
            if changed.contains(&index) {
                let module = Module::new(&self.statements[index], options.target.as_deref());
                former.push((index, std::mem::replace(&mut embedded.module, module)));
                embedded.found = OnceLock::new();
            } else if embedded
                .module
                .text
                .pieces
                .last()
                .is_some_and(|last| last.host.end >= edit.removed.start)
            {
                embedded.module.text.move_after(&edit);
                embedded.found.get_mut().into_iter().flatten().for_each(|found| found.move_after(&edit));
            }
        }
        self.set_tried(&tried);
        Some(former)
    }

    fn set_tried(&mut self, tried: &[TextSize]) {
        let of_keyword = |at: &TextSize| {
            self.statements.binary_search_by_key(&usize::from(*at), |statement| statement.keyword.start).ok()
        };
        let tries = tried.iter().filter_map(of_keyword);
        self.tries = tries.map(|statement| Try { statement, run: OnceLock::new() }).collect();
    }

    /// The launches whose sizes the file says.
    pub(super) fn launches(&self) -> &[HostLaunch] {
        self.launches.get_or_init(|| self.host.launches(&self.text))
    }

    pub(crate) fn embedded(&self) -> &[Embedded] {
        &self.embedded
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
            let module = &self.embedded[statement].module;
            Tried::new(&self.text, &self.statements[statement], module, self.id, rules)
        }))
    }
}
