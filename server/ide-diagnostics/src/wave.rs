//! Checks of WAVE: `hir` finds the problems of an item; labels and kernels across items are checked here.

mod departures;
pub mod dialect;
mod lints;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::wave;
use warplens_hir::wave::{Accepts, ProblemKind};
use warplens_ide_db::wave::{KERNELS, wave_code};
use warplens_ide_db::{
    Access, Database, Db, Diagnostic, File, Fix, Item, ItemFix, Namespace, Problem, Related, Requirement,
    Severity, Tag, module_uses, nearest, placed_items,
};
use warplens_syntax::ItemKind;

use crate::codes;
use crate::wave::departures::Departures;
use crate::wave_messages;

pub fn check_item<'db>(db: &'db dyn Db, file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    let code = wave_code(db, item);
    let accepts = file.accepts(db);
    let departures = Departures::new(&item.text(db).0, &code, accepts);
    problems.extend(code.problems.iter().filter_map(|found| {
        let grade = found.severity_in(accepts)?;
        let problem = Problem::new(found.range, grade, found.code(), wave_messages::problem(&found.kind));
        let problem = problem.with_fix(fix(found).or_else(|| departures.fix_of(found)));
        Some(match (&found.kind, related(&found.kind)) {
            (ProblemKind::Unreachable, _) => problem.with_tag(Tag::Unnecessary),
            (_, Some((range, message))) => problem.with_related(range, message),
            (_, None) => problem,
        })
    }));
    problems.extend(departures.problems());
}

pub fn check_lints<'db>(db: &'db dyn Db, file: File, item: Item<'db>, found: &mut Vec<Problem>) {
    lints::check(&wave_code(db, item), &item.text(db).0, file.accepts(db), found);
}

fn related(kind: &ProblemKind) -> Option<(TextRange, &'static str)> {
    match kind {
        ProblemKind::DuplicateLabel { first: Some(first), .. } => Some((*first, "first declared here")),
        ProblemKind::SecondElse { first } => Some((*first, "the first `else`")),
        ProblemKind::Crossed { open, .. } => Some((*open, "still open")),
        ProblemKind::DivergentBarrier { diverges_at } => Some((*diverges_at, "lanes diverge here")),
        ProblemKind::RegisterBeyond { declared: Some(declared), .. } => {
            Some((*declared, "the number of registers"))
        }
        _ => None,
    }
}

fn fix(problem: &wave::Problem) -> Option<ItemFix> {
    match &problem.kind {
        ProblemKind::UnknownInstruction { write: Some(write), .. }
        | ProblemKind::UnknownDirective { write: Some(write), .. }
            if !write.contains(['*', ' ']) =>
        {
            Some(ItemFix::replacement(problem.range, write))
        }
        ProblemKind::MissingHalt => {
            Some(ItemFix::new("Insert `halt`").insert(problem.range.start(), "    halt\n").preferred())
        }
        _ => None,
    }
}

/// Checks the items of a file together: duplicate labels and kernels, calls of undeclared labels.
pub fn check_module(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut check = ModuleCheck { db, file, declared: FxHashMap::default(), found: Vec::new() };
    check.declarations();
    check.calls();
    if file.accepts(db) == Accepts::Toolchain {
        check.stray_calls();
    }
    check.found
}

struct ModuleCheck<'db> {
    db: &'db Database,
    file: File,
    /// The first declaration of each name: its item, and its range in the file.
    declared: FxHashMap<(Namespace, &'db SmolStr), (Item<'db>, TextRange)>,
    found: Vec<Diagnostic>,
}

impl<'db> ModuleCheck<'db> {
    /// Names that two items declare; duplicates in one item are problems of that item.
    fn declarations(&mut self) {
        for (item, start) in placed_items(self.db, self.file) {
            for name in module_uses(self.db, item) {
                for place in name.uses.iter().filter(|place| place.access == Access::Declaration) {
                    let range = place.range + start;
                    let key = (name.namespace, &name.name);
                    let (first, place) = *self.declared.entry(key).or_insert((item, range));
                    if first != item {
                        let file = self.file.id(self.db);
                        let related = Related { file, range: place, message: "first declared here".into() };
                        self.found.push(duplicate(name.namespace, &name.name, range).with_related(related));
                    }
                }
            }
        }
    }

    fn calls(&mut self) {
        for (item, start) in placed_items(self.db, self.file) {
            for name in module_uses(self.db, item) {
                if self.declared.contains_key(&(name.namespace, &name.name)) {
                    continue;
                }
                let mut places =
                    name.uses.iter().filter(|place| place.requirement == Requirement::Declared).peekable();
                if places.peek().is_none() {
                    continue;
                }
                let meant = self.meant(name.namespace, &name.name);
                for place in places {
                    let range = place.range + start;
                    let message = wave_messages::undefined_label(&name.name, meant);
                    let mut found = Diagnostic::new(range, Severity::Error, codes::UNRESOLVED_NAME, message);
                    found.fixes.extend(meant.map(|meant| Fix::replacement(range, meant)));
                    self.found.push(found);
                }
            }
        }
    }

    /// Toolchain 0.1.2 stores label offsets from the start of the file, and adds them to the start of the kernel.
    fn stray_calls(&mut self) {
        let items = placed_items(self.db, self.file);
        for (item, start) in items.filter(|(item, _)| item.kind(self.db) == ItemKind::Kernel).skip(1) {
            let calls = module_uses(self.db, item).iter().flat_map(|name| &name.uses);
            for place in calls.filter(|place| place.requirement == Requirement::Declared) {
                let range = place.range + start;
                let message = wave_messages::LATER_CALL;
                self.found.push(Diagnostic::new(range, Severity::Warning, codes::TOOLCHAIN_FAULT, message));
            }
        }
    }

    /// The declared name that is most similar; of equals the first of the file.
    fn meant(&self, namespace: Namespace, name: &str) -> Option<&'db str> {
        let declared = self.declared.iter().filter(|((of, _), _)| *of == namespace);
        let mut declared: Vec<(TextRange, &'db str)> =
            declared.map(|((_, name), (_, range))| (*range, name.as_str())).collect();
        declared.sort_by_key(|(range, _)| range.start());
        nearest(name, declared.into_iter().map(|(_, name)| name))
    }
}

fn duplicate(namespace: Namespace, name: &SmolStr, range: TextRange) -> Diagnostic {
    let kind = match namespace {
        KERNELS => ProblemKind::DuplicateKernel(name.clone()),
        _ => ProblemKind::DuplicateLabel { name: name.clone(), first: None },
    };
    let problem = wave::Problem { range, kind };
    Diagnostic::new(range, problem.severity(), problem.code(), wave_messages::problem(&problem.kind))
}
