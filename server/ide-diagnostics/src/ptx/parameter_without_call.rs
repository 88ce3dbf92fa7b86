//! `parameter-access` for a load of a result that no call has written. Like the assembler, it looks for the call in the text before the
//! load, not on the paths to it.

use rustc_hash::FxHashSet;
use warplens_hir::ptx::{Function, Mnemonic, Operand, ReferentId, Space, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::symbols;

pub(super) fn check(function: &Function, problems: &mut Vec<Problem>) {
    let is_load = |mnemonic: &Mnemonic| {
        let first = mnemonic.modifiers.first();
        mnemonic.opcode == "ld"
            && first.is_some_and(|space| matches!(space.as_str(), "param" | "param::func"))
    };
    let loads: Vec<bool> = function.mnemonics().iter().map(is_load).collect();
    if !loads.contains(&true) {
        return;
    }
    let mut results = FxHashSet::default();
    for instruction in function.instructions() {
        if instruction.opcode() == "call"
            && let Some(Operand::Arguments(list)) = instruction.operands().first()
        {
            results.extend(function.operands(*list).iter().filter_map(|result| parameter(function, *result)));
        }
        if !loads[instruction.mnemonic_id().index()] {
            continue;
        }
        let address = instruction.operands().get(1).and_then(|address| function.address(*address));
        let Some(loaded) = address.and_then(|address| parameter(function, address.base)) else { continue };
        if !results.contains(&loaded) {
            let name = function.referent_text(loaded);
            let message = format!(
                "`{name}` is not the result of a call before this `{}`; load it after the call that writes it",
                instruction.mnemonic()
            );
            problems.push(Problem::error(instruction.range(), codes::PARAMETER_ACCESS, message));
        }
    }
}

/// A `.param` variable of the body.
fn parameter(function: &Function, operand: Operand) -> Option<ReferentId> {
    let Operand::Symbol(name) = operand else { return None };
    let SymbolKind::Variable(variable) = symbols::local(function, name)? else { return None };
    (variable.space == Space::Param).then(|| function.referent(name))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::tests::check;

    #[track_caller]
    fn check_body(statements: &str, expect: Expect) {
        let head = ".version 8.0\n.target sm_90\n.func (.param .b32 r) f(.param .b32 a);\n.entry k() {\n.reg .b32 %r; .param .b32 a; .param .b32 b;\nmov.b32 %r, 1;\n";
        check(&format!("{head}{statements}\nret;\n}}\n"), expect);
    }

    #[test]
    fn loads_without_a_call() {
        check_body(
            "ld.param.b32 %r, [b];",
            expect![[r#"
                7:`ld.param.b32 %r, [b];` Error parameter-access: `b` is not the result of a call before this `ld.param.b32`; load it after the call that writes it
            "#]],
        );
        check_body(
            "st.param.b32 [a], %r;\nld.param.b32 %r, [b];\ncall (b), f, (a);\nld.param::func.b32 %r, [a];",
            expect![[r#"
                8:`ld.param.b32 %r, [b];` Error parameter-access: `b` is not the result of a call before this `ld.param.b32`; load it after the call that writes it
                10:`ld.param::func.b32 %r, [a];` Error parameter-access: `a` is not the result of a call before this `ld.param::func.b32`; load it after the call that writes it
                10:`.param::func` Error needs-version: `.param::func` of `ld.param::func.b32` needs PTX 8.3 or later; this module is of PTX 8.0
            "#]],
        );
    }

    #[test]
    fn loads_of_results() {
        check_body("st.param.b32 [a], %r;", expect![""]);
        check_body("st.param.b32 [a], %r;\ncall (b), f, (a);\nld.param.b32 %r, [b+0];", expect![""]);
    }
}
