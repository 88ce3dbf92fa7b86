//! Names of the module where a label, a table or a function is required: in branches, in tables, in `brx.idx`.
//!
//! [`find`] finds these names in a function; [`check`] looks them up in the module later.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{
    Function, Instruction, Mnemonic, ModuleKind, ModuleNames, NameId, Operand, Resolution, SymbolKind,
    TableKind,
};
use warplens_ide_db::Problem;

use crate::codes;

/// A name that the function does not declare, where one of these kinds is required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetName {
    name: SmolStr,
    range: TextRange,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// `bra`
    Label,
    /// `.branchtargets`
    LabelOfTable,
    /// `.calltargets`
    Function,
    /// `brx.idx`
    Table,
}

/// Checks these names of item `index`. The checks of names report the ones that the module does not declare.
pub(crate) fn check(names: &ModuleNames, targets: &[TargetName], index: u32, problems: &mut Vec<Problem>) {
    for target in targets.iter().filter(|target| names.is_visible(&target.name, index)) {
        let Some(symbol) = names.definition(&target.name) else { continue };
        problems.extend(target.problem(symbol.kind));
    }
}

impl TargetName {
    fn problem(&self, found: ModuleKind) -> Option<Problem> {
        let name = &self.name;
        let is = match found {
            ModuleKind::Variable { .. } => "a variable",
            ModuleKind::Function { .. } | ModuleKind::Alias => "a function",
            ModuleKind::SectionLabel => "a label of a section",
        };
        let message = match self.what {
            What::Label => format!("`{name}` is {is}; `bra` jumps to a label of this function"),
            What::LabelOfTable => format!("`{name}` is {is}; `.branchtargets` lists labels of this function"),
            What::Table => format!("`{name}` is {is}; `brx.idx` takes a `.branchtargets`"),
            What::Function if matches!(found, ModuleKind::Function { .. } | ModuleKind::Alias) => {
                return None;
            }
            What::Function => format!("`{name}` is {is}; `.calltargets` lists functions"),
        };
        Some(Problem::error(self.range, codes::INVALID_BRANCH, message))
    }
}

pub(crate) fn find(function: &Function) -> Box<[TargetName]> {
    if function.externals().next().is_none() {
        return Box::default();
    }
    let mut found = Vec::new();
    for symbol in function.symbols() {
        let SymbolKind::Table { kind, targets } = &symbol.kind else { continue };
        let what = match kind {
            TableKind::Branch => What::LabelOfTable,
            TableKind::Call => What::Function,
        };
        found.extend(targets.iter().filter_map(|target| of_module(function, *target, what)));
    }
    let what = |mnemonic: &Mnemonic| match &*mnemonic.opcode {
        "bra" => Some(What::Label),
        "brx" => Some(What::Table),
        _ => None,
    };
    let opcodes: Vec<Option<What>> = function.mnemonics().iter().map(what).collect();
    if opcodes.iter().any(Option::is_some) {
        let wants = |instruction: &Instruction<'_>| opcodes[instruction.mnemonic_id().index()];
        let branches = function.instructions().filter_map(|branch| Some((wants(&branch)?, branch)));
        found.extend(branches.filter_map(|(what, branch)| {
            let place = if what == What::Table { 1 } else { 0 };
            let Operand::Symbol(name) = branch.operands().get(place)? else { return None };
            of_module(function, *name, what)
        }));
    }
    found.into()
}

fn of_module(function: &Function, name: NameId, what: What) -> Option<TargetName> {
    let name = function.name(name);
    match name.resolution {
        Resolution::External(text) => Some(TargetName { name: text.into(), range: name.range, what }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn names_of_the_module() {
        check(
            "\
.version 8.0
.target sm_90
.global .b32 variable;
.func function() { ret; }
.entry kernel() {
    .reg .b32 %r1;
    mov.b32 %r1, 0;
table: .branchtargets L0, variable;
list: .calltargets function, kernel, variable;
    bra function;
    bra kernel;
    brx.idx %r1, variable;
L0: brx.idx %r1, table;
}
",
            expect![[r#"
                8:`variable` Error invalid-branch: `variable` is a variable; `.branchtargets` lists labels of this function
                9:`variable` Error invalid-branch: `variable` is a variable; `.calltargets` lists functions
                10:`function` Error invalid-branch: `function` is a function; `bra` jumps to a label of this function
                11:`kernel` Error invalid-branch: `kernel` is a function; `bra` jumps to a label of this function
                12:`variable` Error invalid-branch: `variable` is a variable; `brx.idx` takes a `.branchtargets`
            "#]],
        );
    }
}
