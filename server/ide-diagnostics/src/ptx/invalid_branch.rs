//! `invalid-branch`: a branch, or a branch table, with a target that is not a label. [`targets`] has the targets that
//! are names of the module.

pub(super) mod targets;

use text_size::TextRange;
use warplens_hir::ptx::{
    Function, Instruction, InstructionId, NameId, Operand, Resolution, Symbol, SymbolKind, TableKind,
};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::symbols::local;

pub(super) fn table(function: &Function, symbol: &Symbol) -> Option<Problem> {
    let SymbolKind::Table { kind, targets } = &symbol.kind else { return None };
    let is_branch = *kind == TableKind::Branch;
    let is_wrong = |target: &&NameId| match local(function, **target) {
        None => false,
        Some(found) if std::ptr::eq(found, &symbol.kind) => false,
        Some(found) => !(is_branch && matches!(found, SymbolKind::Label { .. })),
    };
    let target = function.name(*targets.iter().find(is_wrong)?);
    let text = function.referent_text(target.referent);
    let message = match is_branch {
        true => format!("`{text}` is not a label; `.branchtargets` lists labels of this function"),
        false => format!("`{text}` is not a function; `.calltargets` lists functions of the module"),
    };
    error(target.range, message)
}

/// A branch to something that is not a label. The checks of forms report operands without a name, those of the module
/// its names.
pub(super) fn branch(function: &Function, instruction: Instruction<'_>) -> Option<Problem> {
    let [Operand::Symbol(name), ..] = instruction.operands() else { return None };
    let found = function.name(*name);
    let is = match (found.resolution, local(function, *name)) {
        (Resolution::Special(_), _) => "is a special register",
        (_, None | Some(SymbolKind::Label { .. })) => return None,
        (_, Some(SymbolKind::Table { kind: TableKind::Branch, .. })) => {
            return error(found.range, "`bra` jumps to a label; use `brx.idx` for a table");
        }
        (_, Some(SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. })) => "is a register",
        (_, Some(SymbolKind::Variable(_) | SymbolKind::Param { .. })) => "is a variable",
        (_, Some(SymbolKind::Table { .. } | SymbolKind::Prototype(_))) => "is a table for calls",
    };
    let text = function.referent_text(found.referent);
    error(found.range, format!("`{text}` {is}; `bra` jumps to a label, `brx.idx` through a `.branchtargets`"))
}

/// A `brx.idx` through something that is not a table, or with an index that the table does not have.
pub(super) fn through(function: &Function, instruction: Instruction<'_>) -> Option<Problem> {
    let [_, Operand::Symbol(name), ..] = instruction.operands() else { return None };
    let range = function.name(*name).range;
    let SymbolKind::Table { kind: TableKind::Branch, targets } = local(function, *name)? else {
        return error(range, "`brx.idx` takes a `.branchtargets`, which lists labels");
    };
    let message = |index: u64| format!("index {index} is out of range for a table of size {}", targets.len());
    match *instruction.operands().first()? {
        index @ Operand::Constant(_) => {
            let index = function.integer(index).filter(|index| *index >= targets.len() as u64)?;
            Some(Problem::warning(range, codes::INVALID_BRANCH, message(index)))
        }
        Operand::Register { name: register, component: None } if instruction.guard().is_none() => {
            let (index, set) = known_value(function, instruction, register)?;
            if u64::from(index) < targets.len() as u64 {
                return None;
            }
            let register = function.name(register);
            let text = function.referent_text(register.referent);
            let problem = Problem::warning(register.range, codes::INVALID_BRANCH, message(index.into()));
            Some(problem.with_related(set.range(), format!("`{text}` is set to {index} here")))
        }
        _ => None,
    }
}

/// The constant that a register of 32 bits holds at an instruction, and the `mov` that sets it. Only the straight line of
/// instructions before is searched: after a branch the condition may exclude the value.
fn known_value<'f>(
    function: &'f Function,
    at: Instruction<'f>,
    register: NameId,
) -> Option<(u32, Instruction<'f>)> {
    let referent = function.name(register).referent;
    let is_set = |instruction: &Instruction<'_>| {
        function.names_of(*instruction).any(|name| name.referent == referent && name.role.writes())
    };
    let at = at.id().index();
    let labels = function.labels().map(|label| label.target.index());
    let start = labels.filter(|label| *label <= at).max().unwrap_or(0);
    let line = (start..at).rev().map(|index| function.instruction(InstructionId::new(index)));
    let is_branch = |instruction: &Instruction<'_>| {
        matches!(instruction.opcode(), "bra" | "brx" | "ret" | "exit" | "trap")
    };
    let set = line.take_while(|instruction| !is_branch(instruction)).find(is_set)?;
    let [_, value] = set.operands() else { return None };
    let is_plain = set.opcode() == "mov" && set.guard().is_none();
    Some((function.integer(*value).filter(|_| is_plain)? as u32, set))
}

fn error(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Option<Problem> {
    Some(Problem::error(range, codes::INVALID_BRANCH, message))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn an_index_that_is_known() {
        check(
            "\
.version 8.0
.target sm_90
.entry k() {
    .reg .b32 %r<4>;
    .reg .pred %p;
table: .branchtargets L0, L1, L2;
    mov.u32 %r1, 2;
    brx.idx %r1, table;
L0: mov.u32 %r2, 3;
    mov.u32 %r1, 0;
    brx.idx %r2, table;
L1: mov.b32 %r2, 3;
    add.u32 %r2, %r2, 1;
    brx.idx %r2, table;
L2: mov.s32 %r3, -1;
    setp.ne.s32 %p, %r3, 3;
    @%p bra OUT;
    brx.idx %r3, table;
OUT: mov.u32 %r3, 4;
L3: brx.idx %r3, table;
L4: mov.u32 %r3, 5;
    @%p brx.idx %r3, table;
    mov.s32 %r3, -1;
    brx.idx %r3, table;
}
",
            expect![[r#"
                11:`%r2` Warning invalid-branch: index 3 is out of range for a table of size 3
                    9:`mov.u32 %r2, 3;` `%r2` is set to 3 here
                24:`%r3` Warning invalid-branch: index 4294967295 is out of range for a table of size 3
                    23:`mov.s32 %r3, -1;` `%r3` is set to 4294967295 here
            "#]],
        );
    }
}
