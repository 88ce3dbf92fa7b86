//! Checks between the items of a module, except names: calls, repeated declarations, aliases, addresses as initial values. The checks of
//! headers are one query, which stays valid while a body is edited. Few bodies use other items in a way that is checked here.

use text_size::TextRange;
use warplens_hir::ptx::{
    Declaration, DeclarationKind, Dimension, Directive, FunctionKind, Header, Initializer, Linkage,
    ModuleNames, ModuleSymbol, Parameter, Signature, Space, Variable,
};
use warplens_ide_db::ptx::{ModuleTarget, checked_headers, module_names, module_target};
use warplens_ide_db::{Database, Db, Diagnostic, File, Fixes, Problem, Severity, item_groups, items};

use crate::codes;
use crate::context::fix_context;
use crate::ptx::cross_item::cross_item_uses;
use crate::ptx::invalid_branch::targets;
use crate::ptx::memory_limits::{ConstBytes, SharedBytes};
use crate::ptx::prologue::first_token;
use crate::ptx::symbols::declaration;
use crate::ptx::{declarations, invalid_call, needs};

/// Checks the items of a file together, except names and the prologue.
pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let context = fix_context(db, file, Fixes::Included);
    let list = file.document(db).items();
    let module = module_problems(db, file);
    let bodies = body_problems(db, file, module);
    let found = module.of_headers.iter().chain(&bodies).chain(&module.repeated);
    found.map(|(item, problem)| problem.in_file(&context, list.start_of(*item as usize))).collect()
}

/// A problem with the index of its item.
type ItemProblem = (u32, Problem);

/// What the headers of a module show.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ModuleProblems {
    of_headers: Box<[ItemProblem]>,
    /// Declarations that differ from an earlier one.
    repeated: Box<[ItemProblem]>,
    shared_bytes: SharedBytes,
}

/// The problems of bodies with other items.
fn body_problems(db: &Database, file: File, module: &ModuleProblems) -> Vec<ItemProblem> {
    let names = module_names(db, file);
    let mut found = Vec::new();
    let of_items = item_groups(db, file).iter().flat_map(|group| cross_item_uses(db, *group));
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
        Rules { db, file, names, module }.header(header, &mut problems);
        // Several misplaced items in a row belong to one function whose header is missing.
        if let Some(misplaced) = declarations::misplaced(header, module) {
            let goes_on = after_misplaced.replace(index + 1) == Some(index);
            problems.extend(Some(misplaced).filter(|_| !goes_on));
        }
        problems.extend(file_number(header, &mut files, || first_token(db, items(db, file)[index])));
        const_bytes.add(header, &mut problems);
        found.extend(problems.into_iter().map(|problem| (index as u32, problem)));
    }
    let rules = Rules { db, file, names, module };
    let repeated = names.repeated().filter_map(|(index, symbol)| rules.repeated(index, symbol));
    ModuleProblems {
        of_headers: found.into(),
        repeated: repeated.collect(),
        shared_bytes: SharedBytes::new(db, file),
    }
}

/// `.file 1` twice.
fn file_number(header: &Header, files: &mut Vec<u64>, range: impl FnOnce() -> TextRange) -> Option<Problem> {
    let Some(Directive::File { index: Some(index), .. }) = &header.directive else { return None };
    let message = if *index > u64::from(u32::MAX) {
        format!("the file number {index} does not fit into 32 bits")
    } else if files.contains(index) {
        format!("duplicate file number {index}; give each file its own")
    } else {
        files.push(*index);
        return None;
    };
    Some(Problem::error(range(), codes::INVALID_DEBUG, message))
}

struct Rules<'r> {
    db: &'r dyn Db,
    file: File,
    names: &'r ModuleNames,
    module: &'r ModuleTarget,
}

impl<'r> Rules<'r> {
    fn header(&self, header: &Header, problems: &mut Vec<Problem>) {
        for declaration in &header.declarations {
            match &declaration.kind {
                DeclarationKind::Alias { target } => self.alias(declaration, target, problems),
                DeclarationKind::Variable(variable) => {
                    problems.extend(self.elsewhere(declaration, variable));
                    let mut values: Vec<&Initializer> = variable.initializer.iter().collect();
                    while let Some(value) = values.pop() {
                        match value {
                            Initializer::List(list) => values.extend(list.iter()),
                            value => {
                                if let Some(problem) = self.value(header, value) {
                                    problems.push(problem);
                                    break;
                                }
                            }
                        }
                    }
                }
                DeclarationKind::Function { linkage: Some(Linkage::Extern), has_body: true, .. } => {
                    let message =
                        "an `.extern` function is defined in another module; remove `.extern`, or the body";
                    problems.push(Problem::error(declaration.name_range, codes::LINKAGE_CLASH, message));
                }
                DeclarationKind::Function { linkage: Some(Linkage::Weak), .. } => {
                    problems.extend(needs::check_directive(declaration.name_range, ".weak", self.module));
                }
                DeclarationKind::Function { linkage: Some(Linkage::Common), .. } => {
                    let message =
                        "`.common` is allowed on variables only; use `.visible` or `.weak` for a function";
                    problems.push(Problem::error(
                        declaration.name_range,
                        codes::INVALID_DECLARATION,
                        message,
                    ));
                }
                _ => {}
            }
        }
    }

    /// An `.extern` array without a size that this module does not define: the module cannot be assembled alone.
    fn elsewhere(&self, declaration: &Declaration, variable: &Variable) -> Option<Problem> {
        let is_open = matches!(variable.dimensions.first(), Some(Dimension(None)));
        let is_extern = |symbol: &ModuleSymbol| symbol.kind.is_extern();
        if !is_open
            || !matches!(variable.space, Space::Global | Space::Const)
            || !self.names.kinds(&declaration.name).all(is_extern)
        {
            return None;
        }
        let name = &declaration.name;
        let message = format!(
            "`{name}` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `{name}`"
        );
        let range = declaration.name_range;
        Some(Problem::new(range, Severity::Information, codes::INVALID_DECLARATION, message))
    }

    /// Checks that declarations of a name agree. The checks of names report those that clash.
    fn repeated(&self, index: u32, symbol: &ModuleSymbol) -> Option<(u32, Problem)> {
        let first =
            self.names.declarations(&symbol.name).next().filter(|first| !std::ptr::eq(*first, symbol))?;
        if self.names.is_clashing(index) {
            return None;
        }
        let (one, other) = (declaration(self.db, self.file, first), declaration(self.db, self.file, symbol));
        let differs = match (&one.kind, &other.kind) {
            (
                DeclarationKind::Function { signature: one, .. },
                DeclarationKind::Function { signature: other, .. },
            ) => differences(one, other)?,
            (DeclarationKind::Variable(one), DeclarationKind::Variable(other)) => {
                variable_differences(one, other)?
            }
            _ => return None,
        };
        let message =
            format!("this declaration of `{}` differs from the one above in {differs}", symbol.name);
        let problem = Problem::error(other.name_range, codes::PROTOTYPE_MISMATCH, message);
        Some((symbol.item, problem))
    }

    fn found(&self, name: &str) -> Option<&'r DeclarationKind> {
        let mut found = self.names.kinds(name).map(|symbol| &declaration(self.db, self.file, symbol).kind);
        found.find(|kind| !matches!(kind, DeclarationKind::Alias { .. } | DeclarationKind::SectionLabel))
    }

    fn alias(&self, alias: &Declaration, target: &str, problems: &mut Vec<Problem>) {
        let name = &alias.name;
        let mut error =
            |message: String| problems.push(Problem::error(alias.name_range, codes::INVALID_ALIAS, message));
        if name == target {
            return error(format!("`{name}` cannot be an alias of itself"));
        }
        let (own, declared) = (self.found(name), self.found(target));
        let Some(own) = own else {
            return error(format!("`{name}` must be declared before, as a function without a body"));
        };
        // The checks of names report an undeclared target.
        let Some(declared) = declared else { return };
        for (name, kind) in [(name.as_str(), own), (target, declared)] {
            match kind {
                DeclarationKind::Function { kind: FunctionKind::Entry, .. } => {
                    return error(format!("`{name}` is a kernel; only functions can have aliases"));
                }
                DeclarationKind::Variable(_) => {
                    return error(format!("`{name}` is a variable; only functions can have aliases"));
                }
                _ => {}
            }
        }
        if let (
            DeclarationKind::Function { signature: one, .. },
            DeclarationKind::Function { signature: other, linkage, .. },
        ) = (own, declared)
        {
            if let Some(word @ (Linkage::Extern | Linkage::Weak)) = linkage {
                return error(format!(
                    "`{target}` is `.{}`; such a function cannot have an alias",
                    word.name()
                ));
            }
            if let Some(differs) = differences(one, other) {
                error(format!("`{name}` and `{target}` differ in {differs}; declare both the same way"));
            }
        }
    }

    /// An address as initial value: of something that has an address when the module is loaded.
    fn value(&self, header: &Header, value: &Initializer) -> Option<Problem> {
        let Initializer::Address { symbol, offset, generic, .. } = value else { return None };
        let range = header.uses.iter().find(|used| used.name == *symbol)?.range;
        let error = |message: String| Some(Problem::error(range, codes::INVALID_INITIALIZER, message));
        match self.found(symbol)? {
            DeclarationKind::Variable(variable)
                if !matches!(variable.space, Space::Global | Space::Const) =>
            {
                let space = variable.space.name();
                error(format!(
                    "`{symbol}` is in `.{space}`; an initial value can be an address in `.global` or `.const`"
                ))
            }
            DeclarationKind::Function { .. } if *generic => {
                error(format!("`{symbol}` is a function, whose address is generic; remove `generic( )`"))
            }
            DeclarationKind::Function { .. } if *offset != 0 => {
                error(format!("`{symbol}` is a function; its address cannot have an offset"))
            }
            DeclarationKind::Function { .. } => {
                needs::check_feature(range, "function-initialiser", self.module)
            }
            _ => None,
        }
    }
}

/// The first difference of two signatures.
fn differences(one: &Signature, other: &Signature) -> Option<&'static str> {
    if one.params.len() != other.params.len() || one.returns.len() != other.returns.len() {
        return Some("the number of parameters or results");
    }
    let pairs = one.returns.iter().zip(&other.returns).chain(one.params.iter().zip(&other.params));
    for (one, other) in pairs {
        if one.space != other.space {
            return Some("the state space of a parameter");
        }
        if (one.ty, one.vector, &one.dimensions) != (other.ty, other.vector, &other.dimensions) {
            return Some("the type of a parameter");
        }
        let align = |param: &Parameter| param.alignment().max(param.element_bytes());
        if align(one) != align(other) {
            return Some("the alignment of a parameter");
        }
    }
    (one.is_noreturn() != other.is_noreturn()).then_some("`.noreturn`")
}

fn variable_differences(one: &Variable, other: &Variable) -> Option<&'static str> {
    if (one.ty, one.vector) != (other.ty, other.vector) {
        return Some("type");
    }
    let sizes = |variable: &Variable| variable.dimensions.iter().map(|size| size.0).collect::<Vec<_>>();
    let (one, other) = (sizes(one), sizes(other));
    let agree = one.len() == other.len()
        && one.iter().zip(&other).all(|(one, other)| one.is_none() || other.is_none() || one == other);
    (!agree).then_some("size")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn repeated_declarations() {
        check(
            "\
.version 8.0
.target sm_90
.func a(.param .b32 x); .func a(.param .b32 y) { ret; }
.func b(.param .b32 x); .func b(.param .u32 x) { ret; }
.func c(.param .b32 x); .func c() { ret; }
.func d(); .func d() .noreturn { trap; }
.extern .global .b32 e; .visible .global .b64 e;
.extern .global .b32 f[]; .visible .global .b32 f[4];
.extern .func g() { ret; }
.file 1 \"a.cu\"
.file 1 \"b.cu\"
",
            expect![[r#"
                4:`b` Error prototype-mismatch: this declaration of `b` differs from the one above in the type of a parameter
                5:`c` Error prototype-mismatch: this declaration of `c` differs from the one above in the number of parameters or results
                6:`d` Error prototype-mismatch: this declaration of `d` differs from the one above in `.noreturn`
                7:`e` Error prototype-mismatch: this declaration of `e` differs from the one above in type
                9:`g` Error linkage-clash: an `.extern` function is defined in another module; remove `.extern`, or the body
                11:`.file` Error invalid-debug-information: duplicate file number 1; give each file its own
            "#]],
        );
    }

    #[test]
    fn aliases() {
        check(
            "\
.version 8.0
.target sm_90
.func a() { ret; }
.func b(); .alias b, a;
.func c(.param .b32 x); .alias c, a;
.extern .func d(); .func e(); .alias e, d;
.entry f() { ret; } .func g(); .alias g, f;
.alias h, a;
.func i(); .alias i, i;
",
            expect![[r#"
                5:`c` Error invalid-alias: `c` and `a` differ in the number of parameters or results; declare both the same way
                6:`e` Error invalid-alias: `d` is `.extern`; such a function cannot have an alias
                7:`g` Error invalid-alias: `f` is a kernel; only functions can have aliases
                8:`h` Error invalid-alias: `h` must be declared before, as a function without a body
                9:`i` Error invalid-alias: `i` cannot be an alias of itself
            "#]],
        );
    }

    #[test]
    fn arrays_of_other_modules() {
        check(
            "\
.version 8.0
.target sm_90
.extern .global .b32 a[];
.extern .const .b32 b[][4];
.extern .global .b32 c[4];
.extern .global .b32 d;
.extern .shared .b32 e[];
.extern .global .b32 f[]; .visible .global .b32 f[4];
",
            expect![[r#"
                3:`a` Information invalid-declaration: `a` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `a`
                4:`b` Information invalid-declaration: `b` has no size and is defined in another module, so the assembler accepts this module only with `-c` (relocatable code); otherwise write the size of `b`
            "#]],
        );
    }
}
