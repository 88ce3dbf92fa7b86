//! Finds the symbols of a function that are never used. Each kind is a diagnostic of its own.

use warplens_hir::ptx::{Function, ReferentId, Role, Symbol};
use warplens_ide_db::ptx::debug_names;
use warplens_ide_db::{Db, File, Item, Problem};

use crate::ptx::{broken, unused_label, unused_register, unused_variable};

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
    unused_label::problem(symbol)
        .or_else(|| unused_register::problem(symbol))
        .or_else(|| unused_variable::problem(symbol))
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
            ".reg .b32 a, b;\n.local .b32 c;\n.shared .b32 d;\nP: .callprototype _ ();\nT: .branchtargets L;\nL: mov.u32 b, d;\nM: ret;",
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
            ".entry k() {\n.local .b32 depot;\nLfunc_begin0: ret;\nLtmp1:\nLtmp2:\n}\n.section .debug_info { .b64 Lfunc_begin0\n.b64 Ltmp1-depot\n}\n",
            expect![""],
        );
    }
}
