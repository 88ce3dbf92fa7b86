//! `unused-label`, `unused-register`, `unused-variable`: symbols of a function that are never used.

use warplens_hir::ptx::{Function, ReferentId, Role, Symbol, SymbolKind};
use warplens_ide_db::ptx::debug_names;
use warplens_ide_db::{Db, File, Item, Problem, Tag};

use crate::codes;
use crate::ptx::broken;

/// The maximum number reported for a function, so that they do not crowd out errors.
const MOST: usize = 50;

pub(super) fn check<'db>(
    db: &'db dyn Db,
    file: File,
    item: Item<'db>,
    function: &Function,
    problems: &mut Vec<Problem>,
) {
    let Some(body) = function.body else { return };
    let mut is_used = vec![false; function.referent_count()];
    for (referent, role) in function.accesses() {
        is_used[referent.index()] |= !matches!(role, Role::Declaration | Role::Debug);
    }
    let mut used = vec![false; function.symbols().len()];
    for (index, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
        if let Some(symbol) = function.resolution(ReferentId::new(index)).symbol() {
            used[symbol.index()] = true;
        }
    }
    let symbols = function.symbols().iter().zip(used);
    let unused = symbols.filter(|(symbol, used)| !used && symbol.range.start() > body.start());
    let unused = unused.map(|(symbol, _)| symbol).filter(|symbol| !is_habit(&symbol.name));
    let mut found = unused.filter_map(|symbol| Some((symbol, problem(symbol)?))).peekable();
    if found.peek().is_none() {
        return;
    }
    let parse = item.parse(db);
    let Some(doubtful) = broken::names(&parse) else { return };
    let found = found.filter(|(symbol, _)| !doubtful.contains(symbol.name.as_str()));
    // Debug information names labels and variables of functions.
    let found = found.filter(|(symbol, _)| !debug_names(db, file).contains(&symbol.name));
    problems.extend(found.take(MOST).map(|(_, problem)| problem));
}

fn problem(symbol: &Symbol) -> Option<Problem> {
    let (code, kind) = match symbol.kind {
        SymbolKind::Label { .. } => (codes::UNUSED_LABEL, "label"),
        SymbolKind::Table { .. } => (codes::UNUSED_LABEL, "table"),
        SymbolKind::Prototype(_) => (codes::UNUSED_LABEL, "prototype"),
        SymbolKind::Register { .. } => (codes::UNUSED_REGISTER, "register"),
        SymbolKind::Variable(_) => (codes::UNUSED_VARIABLE, "variable"),
        // The registers of a range such as `%r<100>` are not reported.
        _ => return None,
    };
    let message = format!("unused {kind} `{}`; remove it", symbol.name);
    Some(Problem::hint(symbol.range, code, message).with_tag(Tag::Unnecessary))
}

/// Names that compilers declare whether or not they need them: labels for debug information, the stack pointers, a
/// register for each call.
fn is_habit(name: &str) -> bool {
    let stem = name.trim_start_matches(['$', '_', '.', 'L']).trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(name, "%SP" | "%SPL" | "temp_param_reg") || matches!(stem, "tmp" | "func_begin" | "func_end")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::{check, check_body};

    #[test]
    fn names_that_nothing_uses() {
        check_body(
            "\
.reg .b32 a, b;
.local .b32 c;
.shared .b32 d;
P: .callprototype _ ();
T: .branchtargets L;
L: mov.u32 b, d;
M: ret;",
            expect![[r#"
                3:`a` Hint unused-register: unused register `a`; remove it
                4:`c` Hint unused-variable: unused variable `c`; remove it
                6:`P` Hint unused-label: unused prototype `P`; remove it
                7:`T` Hint unused-label: unused table `T`; remove it
                9:`M` Hint unused-label: unused label `M`; remove it
            "#]],
        );
    }

    #[test]
    fn names_of_debug_information() {
        check(
            "\
.entry k() {
.local .b32 depot;
Lfunc_begin0: ret;
Ltmp1:
Ltmp2:
}
.section .debug_info { .b64 Lfunc_begin0
.b64 Ltmp1-depot
}
",
            expect![""],
        );
    }
}
