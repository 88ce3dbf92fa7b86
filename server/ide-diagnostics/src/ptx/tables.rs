//! Finds the tables of a function, and the branches and accesses that name labels, tables or parameters.

use warplens_hir::ptx::{Function, Instruction, Symbol, SymbolKind, TableKind};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;

use crate::ptx::{invalid_branch, needs, parameter_access};

type Check = fn(&Function, Instruction<'_>) -> Option<Problem>;

pub(super) fn check(function: &Function, module: &ModuleTarget, problems: &mut Vec<Problem>) {
    for symbol in function.symbols() {
        let missing = requirement(symbol, module);
        problems.extend(missing.or_else(|| invalid_branch::table(function, symbol)));
    }
    let checks: Vec<Option<Check>> =
        function.mnemonics().iter().map(|known| check_of(&known.opcode)).collect();
    if checks.iter().all(Option::is_none) {
        return;
    }
    for instruction in function.instructions() {
        let check = checks[instruction.mnemonic_id().index()];
        problems.extend(check.and_then(|check| check(function, instruction)));
    }
}

fn check_of(opcode: &str) -> Option<Check> {
    match opcode {
        "bra" => Some(invalid_branch::branch),
        "brx" => Some(invalid_branch::through),
        "ld" => Some(parameter_access::load),
        "st" => Some(parameter_access::store),
        _ => None,
    }
}

fn requirement(symbol: &Symbol, module: &ModuleTarget) -> Option<Problem> {
    let name = match &symbol.kind {
        SymbolKind::Table { kind: TableKind::Branch, .. } => ".branchtargets",
        SymbolKind::Table { kind: TableKind::Call, .. } => ".calltargets",
        SymbolKind::Prototype(_) => ".callprototype",
        _ => return None,
    };
    needs::check_directive(symbol.range, name, module)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn tables_and_parameters() {
        check(
            "\
.version 8.0
.target sm_90
.func (.param .b32 result) f(.param .b32 input) {
    .reg .b32 %r<2>;
    mov.b32 %r1, 0;
L0: mov.b32 %r0, 1;
table: .branchtargets L0;
wrong: .branchtargets table;
list: .calltargets f;
    brx.idx %r1, table;
    brx.idx %r1, list;
    bra table;
    brx.idx 1, table;
    st.param.b32 [input], %r0;
    ld.param.b32 %r0, [result];
    st.param.b32 [result], %r0;
    ret;
}
",
            expect![[r#"
                8:`table` Error invalid-branch: `table` is not a label; `.branchtargets` lists labels of this function
                11:`list` Error invalid-branch: `brx.idx` takes a `.branchtargets`, which lists labels
                12:`table` Error invalid-branch: `bra` jumps to a label; use `brx.idx` for a table
                13:`table` Warning invalid-branch: index 1 is out of range for a table of size 1
                14:`input` Error parameter-access: `input` is a parameter of this function and read-only; store to a local variable
                15:`result` Error parameter-access: `result` is the result of this function and write-only; keep the value in a register
            "#]],
        );
    }
}
