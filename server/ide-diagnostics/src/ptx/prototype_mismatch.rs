//! `prototype-mismatch`: two declarations of a name that differ.

use warplens_hir::ptx::{DeclarationKind, ModuleSymbol, Parameter, Signature, Variable};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::module_scope::ModuleScope;
use crate::ptx::symbols::declaration;

/// Checks that declarations of a name agree. The checks of names report those that clash.
pub(super) fn check(scope: &ModuleScope<'_>, index: u32, symbol: &ModuleSymbol) -> Option<(u32, Problem)> {
    let first =
        scope.names.declarations(&symbol.name).next().filter(|first| !std::ptr::eq(*first, symbol))?;
    if scope.names.is_clashing(index) {
        return None;
    }
    let (one, other) = (declaration(scope.db, scope.file, first), declaration(scope.db, scope.file, symbol));
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
    let message = format!("this declaration of `{}` differs from the one above in {differs}", symbol.name);
    let problem = Problem::error(other.name_range, codes::PROTOTYPE_MISMATCH, message);
    Some((symbol.item, problem))
}

pub(super) fn differences(one: &Signature, other: &Signature) -> Option<&'static str> {
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
}
