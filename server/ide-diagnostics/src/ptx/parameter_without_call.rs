//! `parameter-access` for a variable that a call passes: a load of a result that no call has written, and a guarded load or store. Like the
//! assembler, it looks for the call in the text before the load, not on the paths to it.

use rustc_hash::FxHashSet;
use warplens_hir::ptx::{Function, Mnemonic, Operand, ReferentId, Space, SymbolKind};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::symbols;

pub(super) fn check(function: &Function, problems: &mut Vec<Problem>) {
    let accesses: Vec<Option<Access>> = function.mnemonics().iter().map(access).collect();
    if accesses.iter().all(Option::is_none) {
        return;
    }
    let mut results = FxHashSet::default();
    for instruction in function.instructions() {
        if instruction.opcode() == "call"
            && let Some(Operand::Arguments(list)) = instruction.operands().first()
        {
            results.extend(function.operands(*list).iter().filter_map(|result| parameter(function, *result)));
        }
        let Some(access) = accesses[instruction.mnemonic_id().index()] else { continue };
        let address = instruction.operands().get(access as usize);
        let address = address.and_then(|address| function.address(*address));
        let Some(accessed) = address.and_then(|address| parameter(function, address.base)) else { continue };
        let name = function.referent_text(accessed);
        let mnemonic = instruction.mnemonic();
        let message = if instruction.guard().is_some() {
            format!("`{mnemonic}` of `{name}`, which a call passes, takes no guard; branch around it instead")
        } else if access == Access::Load && !results.contains(&accessed) {
            format!(
                "`{name}` is not the result of a call before this `{mnemonic}`; load it after the call that writes it"
            )
        } else {
            continue;
        };
        problems.push(Problem::error(instruction.range(), codes::PARAMETER_ACCESS, message));
    }
}

/// An access to parameters, with the index of its address among the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Store = 0,
    Load = 1,
}

fn access(mnemonic: &Mnemonic) -> Option<Access> {
    let space = mnemonic.modifiers.first()?;
    match mnemonic.opcode.as_str() {
        "ld" if matches!(space.as_str(), "param" | "param::func") => Some(Access::Load),
        "st" if matches!(space.as_str(), "param" | "param::func") => Some(Access::Store),
        _ => None,
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
        let head = ".version 8.0\n.target sm_90\n.func (.param .b32 r) f(.param .b32 a);\n.entry k() {\n.reg .b32 %r; .reg .pred %p; .param .b32 a; .param .b32 b;\nmov.b32 %r, 1;\n";
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
    fn guarded_accesses() {
        let statements = "@%p st.param.b32 [a], %r;\ncall (b), f, (a);\n@!%p ld.param.b32 %r, [b];";
        check_body(
            statements,
            expect![[r#"
            7:`@%p st.param.b32 [a], %r;` Error parameter-access: `st.param.b32` of `a`, which a call passes, takes no guard; branch around it instead
            9:`@!%p ld.param.b32 %r, [b];` Error parameter-access: `ld.param.b32` of `b`, which a call passes, takes no guard; branch around it instead
        "#]],
        );
        // A guarded call and a branch around the load are accepted.
        let statements =
            "st.param.b32 [a], %r;\n@%p call (b), f, (a);\n@%p bra E;\nld.param.b32 %r, [b];\nE:";
        check_body(statements, expect![""]);
    }

    #[test]
    fn loads_of_results() {
        check_body("st.param.b32 [a], %r;", expect![""]);
        check_body("st.param.b32 [a], %r;\ncall (b), f, (a);\nld.param.b32 %r, [b+0];", expect![""]);
    }
}
