//! Merges the problems at the uses of one wrong declaration into one problem.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::{Function, Instruction, InstructionId, SymbolId, SymbolKind};

use crate::codes;
use warplens_ide_db::Problem;

/// The number of statements with a problem about one register from which its declaration is assumed to be wrong.
const MOST: usize = 3;
const RELATED: usize = 5;

/// Of the problems since `from`, keeps only the first about each register or variable that fits almost nowhere: its
/// declaration is the mistake.
pub(super) fn by_declaration(function: &Function, problems: &mut Vec<Problem>, from: usize) {
    if problems.len() - from <= MOST {
        return;
    }
    let mut of: FxHashMap<SymbolId, Vec<(usize, InstructionId)>> = FxHashMap::default();
    for (index, problem) in problems.iter().enumerate().skip(from) {
        if let Some((symbol, instruction)) = blamed(function, problem, &of) {
            of.entry(symbol).or_default().push((index, instruction));
        }
    }
    let mut merged: Vec<(usize, Vec<usize>, SymbolId)> = Vec::new();
    for (symbol, found) in of {
        let statements: FxHashSet<InstructionId> =
            found.iter().map(|(_, instruction)| *instruction).collect();
        if statements.len() > MOST && 2 * statements.len() >= statements_with(function, symbol) {
            let rest = found[1..].iter().map(|(index, _)| *index).collect();
            merged.push((found[0].0, rest, symbol));
        }
    }
    let dropped: FxHashSet<usize> = merged.iter().flat_map(|(_, rest, _)| rest.iter().copied()).collect();
    for (first, rest, symbol) in merged {
        let places = rest.iter().take(RELATED).map(|index| problems[*index].range);
        let places: Vec<_> = places.filter(|range| *range != problems[first].range).collect();
        let declared = function.symbol(symbol);
        let mut problem = problems[first].clone();
        for place in places {
            problem = problem.with_related(place, "does not fit here either");
        }
        problem.message =
            format!("{}; {} more uses of `{}` do not fit either", problem.message, rest.len(), declared.name)
                .into();
        problems[first] = problem;
    }
    let mut index = 0..;
    problems.retain(|_| index.next().is_some_and(|index| !dropped.contains(&index)));
}

/// The register or variable to blame for a problem, and the statement. If every register of the statement has the wrong type, one
/// that other problems also blame is preferred.
fn blamed(
    function: &Function,
    problem: &Problem,
    known: &FxHashMap<SymbolId, Vec<(usize, InstructionId)>>,
) -> Option<(SymbolId, InstructionId)> {
    if ![codes::OPERAND_TYPE, codes::OPERAND_KIND, codes::VECTOR_LENGTH].contains(&problem.code) {
        return None;
    }
    let instruction = function.instruction_at(problem.range.start())?;
    let start = problem.range.start();
    let at = function.name_at(start).filter(|name| name.range.start() == start);
    let named = at.and_then(|name| name.resolution.symbol());
    let symbol = named.or_else(|| {
        let symbols = symbols_of(function, instruction);
        symbols.iter().copied().find(|symbol| known.contains_key(symbol)).or(symbols.first().copied())
    })?;
    use SymbolKind::{Register, RegisterRange, Variable};
    let holds = |kind| matches!(kind, &(Register { .. } | RegisterRange { .. } | Variable(_)));
    holds(&function.symbol(symbol).kind).then_some((symbol, instruction.id()))
}

fn symbols_of(function: &Function, instruction: Instruction<'_>) -> Vec<SymbolId> {
    function.names_of(instruction).filter_map(|name| name.resolution.symbol()).collect()
}

fn statements_with(function: &Function, symbol: SymbolId) -> usize {
    let names_it = |instruction: &Instruction<'_>| symbols_of(function, *instruction).contains(&symbol);
    function.instructions().filter(names_it).count()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn a_register_of_the_wrong_type_is_one_mistake() {
        check(
            "\
.version 8.0
.target sm_90
.entry k() {
    .reg .b16 %x;
    .reg .b32 %r<4>;
    mov.b32 %r1, 1;
    add.s32 %x, %r1, %r1;
    add.s32 %r2, %x, %r1;
    sub.s32 %r3, %r1, %x;
    and.b32 %r3, %r3, %x;
    add.s16 %r2, %x, %x;
    ret;
}
",
            expect![[r#"
                7:`%x` Error operand-type: `%x` is `.b16`; `add.s32` takes `.u32`, `.s32` or `.b32` here; 3 more uses of `%x` do not fit either
                    4:`%x` declared here
                    8:`%x` does not fit here either
                    9:`%x` does not fit here either
                    10:`%x` does not fit here either
                11:`%r2` Error operand-type: `%r2` is `.b32`; `add.s16` takes `.u16`, `.s16` or `.b16` here
                    5:`%r` declared here
            "#]],
        );
    }
}
