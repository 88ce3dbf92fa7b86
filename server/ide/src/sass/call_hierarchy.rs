//! Calls in SASS. A callee has a section of its own, or is listed inside its caller.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{Destination, Function, flow};
use warplens_ide_db::sass::{SYMBOLS, names, sass_code};
use warplens_ide_db::{CallItem, Calls, Database, File, Namespace, SymbolKind, Target, placed_items};
use warplens_isa::sass::Flow;

use crate::call_hierarchy::{add_call, by_callee};

pub(super) fn item_of(db: &Database, file: File, namespace: Namespace, name: &str) -> Option<CallItem> {
    if namespace != SYMBOLS {
        return None;
    }
    placed_items(db, file).find_map(|(item, start)| {
        let code = sass_code(db, item);
        code.functions.iter().find_map(|function| call_item(db, file, function, name, start))
    })
}

fn call_item(
    db: &Database,
    file: File,
    function: &Function,
    name: &str,
    start: TextSize,
) -> Option<CallItem> {
    let own = function.name.as_ref().filter(|known| known.text == name);
    let (focus, full, kind, detail) = if let Some(own) = own {
        let is_kernel = function.is_kernel != Some(false);
        let (kind, detail) =
            if is_kernel { (SymbolKind::Kernel, "kernel") } else { (SymbolKind::Function, "function") };
        (own.range, function.range.cover(own.range), kind, detail.to_owned())
    } else {
        let label = function.label(name).filter(|label| label.is_function)?;
        let inside = function.name.as_ref().map_or("a function", |name| name.text.as_str());
        (label.range, label.range, SymbolKind::Function, format!("function in {inside}"))
    };
    let target = Target { file: file.id(db), full: full + start, focus: focus + start };
    Some(CallItem { name: name.to_owned(), kind, detail, target })
}

/// The calls in a function: the callee, the function around the call, and the range of the callee's name.
fn calls(function: &Function) -> impl Iterator<Item = (String, &str, TextRange)> {
    function.instructions.iter().enumerate().filter_map(|(index, instruction)| {
        if flow(instruction) != Flow::Call {
            return None;
        }
        let operand = function.operands(instruction).last()?;
        let callee = match names::symbol(operand) {
            Some(symbol) => symbol.name.to_string(),
            None => {
                let Destination::Instruction(target) = instruction.destination else { return None };
                function.enclosing(target as usize)?.to_owned()
            }
        };
        Some((callee, function.enclosing(index)?, operand.range))
    })
}

pub(super) fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let mut callers: Vec<Calls> = Vec::new();
    for (item, start) in placed_items(db, file) {
        for function in &sass_code(db, item).functions {
            for (_, around, range) in calls(function).filter(|(callee, ..)| callee == name) {
                let Some(caller) = call_item(db, file, function, around, start) else { continue };
                add_call(&mut callers, caller, range + start);
            }
        }
    }
    callers
}

pub(super) fn outgoing(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let mut all = Vec::new();
    for (item, start) in placed_items(db, file) {
        for function in &sass_code(db, item).functions {
            let here = calls(function).filter(|(_, around, _)| *around == name);
            all.extend(here.map(|(callee, _, range)| (callee, range + start)));
        }
    }
    by_callee(all.iter().map(|(callee, range)| (callee.as_str(), *range)), |callee| {
        item_of(db, file, SYMBOLS, callee)
    })
}
