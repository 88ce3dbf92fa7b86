//! `unused-variable`: a variable of a function that is never used. `unused` finds the symbols.

use warplens_hir::ptx::{Symbol, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::unused_symbol::hint;

/// The problem of an unused symbol, if it is a variable.
pub(super) fn problem(symbol: &Symbol) -> Option<Problem> {
    let is_variable = matches!(symbol.kind, SymbolKind::Variable(_));
    is_variable.then(|| hint(symbol, codes::UNUSED_VARIABLE, "variable"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check_body;

    #[test]
    fn one_that_nothing_names() {
        check_body(
            ".local .b32 c;\n.shared .b32 d;\nmov.u32 %r1, d;\nret;",
            expect![[r#"
                3:`c` Hint unused-variable: unused variable `c`; remove it
            "#]],
        );
    }
}
