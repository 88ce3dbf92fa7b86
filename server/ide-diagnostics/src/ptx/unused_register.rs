//! `unused-register`: a register that is never used. `unused` finds the symbols.

use warplens_hir::ptx::{Symbol, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::unused_symbol::hint;

/// The problem of an unused symbol, if it is a register. The registers of a range such as `%r<100>` are not reported.
pub(super) fn problem(symbol: &Symbol) -> Option<Problem> {
    let is_register = matches!(symbol.kind, SymbolKind::Register { .. });
    is_register.then(|| hint(symbol, codes::UNUSED_REGISTER, "register"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check_body;

    #[test]
    fn one_that_nothing_reads() {
        check_body(
            ".reg .b32 a, b;\nmov.u32 b, 1;\nret;",
            expect![[r#"
                3:`a` Hint unused-register: unused register `a`; remove it
            "#]],
        );
    }
}
