//! The removable parts of PTX.

mod addresses;
mod alternatives;
mod renumbered;
mod unused;

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, FunctionKind, Instruction, NameRef, Role, SymbolId};
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Database, File, Item, TextEdit, items};
use warplens_syntax::{ItemKind, SyntaxKind, SyntaxNode};

use crate::reduce::{Alternative, Reducible, ReducibleParameter, ReducibleStatement};
use alternatives::Uses;

/// The removable parts of a kernel and its module; `None` if the file has no kernel with this name and a
/// body.
pub(super) fn reducible(db: &Database, file: File, kernel: &str) -> Option<Reducible> {
    let list = items(db, file);
    let (index, function) = list.iter().enumerate().find_map(|(index, item)| {
        let function = ptx_function(db, *item)?;
        let is_it = function.kind == FunctionKind::Entry
            && function.body.is_some()
            && function.name.as_deref() == Some(kernel);
        is_it.then_some((index, function))
    })?;
    let starts = |index| file.document(db).items().start_of(index);
    let mut declarations = Vec::new();
    for (other, item) in list.iter().enumerate() {
        let is_removable =
            matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel | ItemKind::Variable);
        if other != index && is_removable {
            declarations.push(TextRange::at(starts(other), TextSize::of(&*item.text(db).0)));
        }
    }
    let in_item = of_function(db, list[index], &function);
    Some(Reducible { declarations, ..moved(in_item, starts(index)) })
}

/// The removable parts of a function, relative to its item.
fn of_function(db: &Database, item: Item<'_>, function: &Function) -> Reducible {
    let tree = item.parse(db).syntax();
    let uses = Uses::new(function);
    let last = function.instructions().next_back().map(Instruction::id);
    let statement = |instruction: Instruction<'_>| ReducibleStatement {
        range: instruction.range(),
        is_dead: is_dead(function, instruction, &uses),
        is_final: Some(instruction.id()) == last
            && instruction.guard().is_none()
            && matches!(instruction.opcode(), "ret" | "exit"),
        alternatives: alternatives::of(function, instruction, &uses),
    };
    Reducible {
        declarations: Vec::new(),
        statements: function.instructions().map(statement).collect(),
        parameters: parameters(&tree, function),
        unused: unused::edits(&tree, function),
        renumbered: renumbered::edits(&tree, function),
        notes: notes(&tree),
        undefined: uses.undefined(),
    }
}

/// Whether an instruction has no effect except to write registers that are never read.
fn is_dead(function: &Function, instruction: Instruction<'_>, uses: &Uses<'_>) -> bool {
    let mut writes = false;
    for name in function.names_of(instruction) {
        match name.role {
            Role::Write if uses.reads(name.referent) == 0 => writes = true,
            Role::Write | Role::ReadWrite | Role::Target | Role::Implied | Role::Call => return false,
            Role::Read | Role::Declaration | Role::Debug => {}
        }
    }
    writes && !matches!(instruction.opcode(), "atom" | "red" | "call" | "barrier" | "bar" | "mbarrier")
}

fn parameters(tree: &SyntaxNode, function: &Function) -> Vec<ReducibleParameter> {
    let list = tree.descendants().find(|node| node.kind() == SyntaxKind::PARAM_LIST);
    let Some(list) = list else { return Vec::new() };
    let nodes: Vec<_> = list.children().filter(|node| node.kind() == SyntaxKind::PARAM).collect();
    let is_used = |symbol: SymbolId| {
        let is_it =
            |name: NameRef<'_>| name.role != Role::Declaration && name.resolution.symbol() == Some(symbol);
        function.names().any(is_it)
    };
    let range = |index: usize| {
        let own = nodes[index].text_range();
        match (nodes.get(index + 1), index.checked_sub(1)) {
            (Some(next), _) => TextRange::new(own.start(), next.text_range().start()),
            (None, Some(before)) => TextRange::new(nodes[before].text_range().end(), own.end()),
            (None, None) => own,
        }
    };
    let known = function.signature.params.iter().take(nodes.len()).enumerate();
    known
        .map(|(index, parameter)| {
            let symbol = function.param_symbol(parameter);
            ReducibleParameter {
                range: range(index),
                is_used: symbol.is_some_and(is_used),
                is_stored: symbol.is_some_and(|symbol| addresses::is_stored(function, symbol)),
            }
        })
        .collect()
}

fn notes(tree: &SyntaxNode) -> Vec<TextRange> {
    use SyntaxKind::{COMMENT, LOC_DIRECTIVE, PRAGMA_DIRECTIVE};
    let is_note = |kind| matches!(kind, COMMENT | LOC_DIRECTIVE | PRAGMA_DIRECTIVE);
    let notes = tree.descendants_with_tokens().filter(|element| is_note(element.kind()));
    notes.map(|element| element.text_range()).collect()
}

/// Shifts the ranges from the item to the file.
fn moved(found: Reducible, start: TextSize) -> Reducible {
    let edit = |edit: TextEdit| TextEdit { range: edit.range + start, ..edit };
    let edits = |found: Vec<TextEdit>| found.into_iter().map(edit).collect();
    let alternative = |found: Alternative| Alternative { edits: edits(found.edits), ..found };
    let statement = |found: ReducibleStatement| ReducibleStatement {
        range: found.range + start,
        alternatives: found.alternatives.into_iter().map(alternative).collect(),
        ..found
    };
    let parameter = |found: ReducibleParameter| ReducibleParameter { range: found.range + start, ..found };
    Reducible {
        statements: found.statements.into_iter().map(statement).collect(),
        parameters: found.parameters.into_iter().map(parameter).collect(),
        unused: edits(found.unused),
        renumbered: edits(found.renumbered),
        notes: found.notes.into_iter().map(|range| range + start).collect(),
        ..found
    }
}

#[cfg(test)]
mod tests;
