//! Checks between the items of a module, except names: calls, repeated declarations, aliases, addresses as initial values. The checks of
//! headers are one query, which stays valid while a body is edited. Few bodies use other items in a way that is checked here.

use warplens_hir::ptx::{DeclarationKind, Header, Initializer, Linkage};
use warplens_ide_db::ptx::{checked_headers, module_names, module_target};
use warplens_ide_db::{Database, Db, Diagnostic, File, Fixes, Problem, item_groups, items};

use crate::context::fix_context;
use crate::ptx::cross_item::{CrossItemUses, cross_item_uses};
use crate::ptx::invalid_branch::targets;
use crate::ptx::memory_limits::{ConstBytes, SharedBytes};
use crate::ptx::module_scope::ModuleScope;
use crate::ptx::symbols::first_token;
use crate::ptx::{
    callee_barriers, declarations, invalid_alias, invalid_call, invalid_debug_information,
    invalid_declaration, invalid_initializer, linkage_clash, mixed_cta_groups, needs, prototype_mismatch,
};

/// Checks the items of a file together, except names and the prologue.
pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let context = fix_context(db, file, Fixes::Included);
    let list = file.document(db).items();
    let module = module_problems(db, file);
    let bodies = body_problems(db, file, module);
    let found = module.of_headers.iter().chain(&bodies).chain(&module.repeated);
    found.map(|(item, problem)| problem.in_file(&context, list.start_of(*item as usize))).collect()
}

type ItemProblem = (u32, Problem);

/// What the headers of a module show.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ModuleProblems {
    of_headers: Box<[ItemProblem]>,
    /// Declarations that differ from an earlier one.
    repeated: Box<[ItemProblem]>,
    shared_bytes: SharedBytes,
}

fn body_problems(db: &Database, file: File, module: &ModuleProblems) -> Vec<ItemProblem> {
    let names = module_names(db, file);
    let of_items = item_groups(db, file).iter().flat_map(|group| cross_item_uses(db, *group));
    let of_items: Vec<Option<&CrossItemUses>> = of_items.map(Option::as_deref).collect();
    let mut found = mixed_cta_groups::check(db, file, names, &of_items);
    found.extend(callee_barriers::check(db, file, names, &of_items));
    for (index, uses) in (0..).zip(of_items) {
        let Some(uses) = uses else { continue };
        let mut problems = Vec::new();
        problems.extend(uses.shared.iter().filter_map(|shared| module.shared_bytes.check_kernel(shared)));
        invalid_call::check(db, file, names, &uses.calls, &mut problems);
        targets::check(names, &uses.targets, index, &mut problems);
        found.extend(problems.into_iter().map(|problem| (index, problem)));
    }
    found
}

#[salsa::tracked]
fn module_problems(db: &dyn Db, file: File) -> ModuleProblems {
    let names = module_names(db, file);
    let module = module_target(db, file);
    let mut found = Vec::new();
    let mut files = Vec::new();
    // The index after the last misplaced item.
    let mut after_misplaced = None;
    let mut const_bytes = ConstBytes::default();
    for (index, header) in checked_headers(db, file) {
        let mut problems = Vec::new();
        ModuleScope { db, file, names, module }.header(header, &mut problems);
        // Several misplaced items in a row belong to one function whose header is missing.
        if let Some(misplaced) = declarations::misplaced(header, module) {
            let goes_on = after_misplaced.replace(index + 1) == Some(index);
            problems.extend(Some(misplaced).filter(|_| !goes_on));
        }
        problems.extend(invalid_debug_information::file_number(header, &mut files, || {
            first_token(db, items(db, file)[index])
        }));
        const_bytes.add(header, &mut problems);
        found.extend(problems.into_iter().map(|problem| (index as u32, problem)));
    }
    if module.options.iter().any(|option| option == "debug") {
        let differences = invalid_debug_information::differences(db, file, names);
        found.extend(differences.into_iter().map(|(index, problem)| (index as u32, problem)));
    }
    let scope = ModuleScope { db, file, names, module };
    let repeated =
        names.repeated().filter_map(|(index, symbol)| prototype_mismatch::check(&scope, index, symbol));
    ModuleProblems {
        of_headers: found.into(),
        repeated: repeated.collect(),
        shared_bytes: SharedBytes::new(db, file),
    }
}

impl ModuleScope<'_> {
    fn header(&self, header: &Header, problems: &mut Vec<Problem>) {
        for declaration in &header.declarations {
            match &declaration.kind {
                DeclarationKind::Alias { target } => {
                    invalid_alias::check(self, declaration, target, problems);
                }
                DeclarationKind::Variable(variable) => {
                    problems.extend(invalid_declaration::defined_elsewhere(self, declaration, variable));
                    let mut values: Vec<&Initializer> = variable.initializer.iter().collect();
                    while let Some(value) = values.pop() {
                        match value {
                            Initializer::List(list) => values.extend(list.iter()),
                            value => {
                                if let Some(problem) = invalid_initializer::address(self, header, value) {
                                    problems.push(problem);
                                    break;
                                }
                            }
                        }
                    }
                }
                DeclarationKind::Function { linkage: Some(Linkage::Extern), has_body: true, .. } => {
                    problems.push(linkage_clash::extern_with_body(declaration.name_range));
                }
                DeclarationKind::Function { linkage: Some(Linkage::Weak), .. } => {
                    problems.extend(needs::check_directive(declaration.name_range, ".weak", self.module));
                }
                DeclarationKind::Function { linkage: Some(Linkage::Common), .. } => {
                    problems.push(invalid_declaration::common_function(declaration.name_range));
                }
                _ => {}
            }
        }
    }
}
