//! `invalid-alias`: an `.alias` that does not name two functions with the same signature.

use warplens_hir::ptx::{Declaration, DeclarationKind, FunctionKind, Linkage};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::module_scope::ModuleScope;
use crate::ptx::prototype_mismatch::differences;

pub(super) fn check(scope: &ModuleScope<'_>, alias: &Declaration, target: &str, problems: &mut Vec<Problem>) {
    let name = &alias.name;
    let mut error =
        |message: String| problems.push(Problem::error(alias.name_range, codes::INVALID_ALIAS, message));
    if name == target {
        return error(format!("`{name}` cannot be an alias of itself"));
    }
    let (own, declared) = (scope.found(name), scope.found(target));
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
            return error(format!("`{target}` is `.{}`; such a function cannot have an alias", word.name()));
        }
        if let Some(differs) = differences(one, other) {
            error(format!("`{name}` and `{target}` differ in {differs}; declare both the same way"));
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

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
}
