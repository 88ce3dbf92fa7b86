//! `unused-label`: a label, table or prototype that is never used. `unused` finds the symbols.

use warplens_hir::ptx::{Symbol, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::unused_symbol::hint;

/// The problem of an unused symbol, if it is a label, a table or a prototype.
pub(super) fn problem(symbol: &Symbol) -> Option<Problem> {
    let kind = match symbol.kind {
        SymbolKind::Label { .. } => "label",
        SymbolKind::Table { .. } => "table",
        SymbolKind::Prototype(_) => "prototype",
        _ => return None,
    };
    Some(hint(symbol, codes::UNUSED_LABEL, kind))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check_body;

    #[test]
    fn labels_tables_and_prototypes() {
        check_body(
            "P: .callprototype _ ();\nT: .branchtargets L;\nL: mov.u32 %r1, 1;\nM: ret;",
            expect![[r#"
                3:`P` Hint unused-label: unused prototype `P`; remove it
                4:`T` Hint unused-label: unused table `T`; remove it
                6:`M` Hint unused-label: unused label `M`; remove it
            "#]],
        );
    }
}
