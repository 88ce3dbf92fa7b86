//! Calls in SASS. A callee has a section of its own, or is listed inside its caller.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{Function, flow};
use warplens_ide_db::sass::{SYMBOLS, names, sass_code};
use warplens_ide_db::{CallItem, Calls, Database, File, Namespace, SymbolKind, Target, items};
use warplens_isa::sass::Flow;

use crate::call_hierarchy::{add_call, by_callee};

pub(super) fn item_of(db: &Database, file: File, namespace: Namespace, name: &str) -> Option<CallItem> {
    if namespace != SYMBOLS {
        return None;
    }
    let list = file.document(db).items();
    items(db, file).iter().enumerate().find_map(|(index, item)| {
        let code = sass_code(db, *item);
        code.functions.iter().find_map(|function| call_item(db, file, function, name, list.start_of(index)))
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
        let kind = if is_kernel { SymbolKind::Kernel } else { SymbolKind::Function };
        let detail = if is_kernel { "kernel" } else { "function" };
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
            None => match instruction.destination {
                warplens_hir::sass::Destination::Instruction(target) => {
                    function.enclosing(target as usize)?.to_owned()
                }
                _ => return None,
            },
        };
        Some((callee, function.enclosing(index)?, operand.range))
    })
}

pub(super) fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let list = file.document(db).items();
    let mut callers: Vec<Calls> = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let (code, start) = (sass_code(db, *item), list.start_of(index));
        for function in &code.functions {
            for (callee, around, range) in calls(function) {
                if callee != name {
                    continue;
                }
                let Some(caller) = call_item(db, file, function, around, start) else { continue };
                add_call(&mut callers, caller, range + start);
            }
        }
    }
    callers
}

pub(super) fn outgoing(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let list = file.document(db).items();
    let mut all = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let (code, start) = (sass_code(db, *item), list.start_of(index));
        for function in &code.functions {
            let here = calls(function).filter(|(_, around, _)| *around == name);
            all.extend(here.map(|(callee, _, range)| (callee, range + start)));
        }
    }
    by_callee(all.iter().map(|(callee, range)| (callee.as_str(), *range)), |callee| {
        item_of(db, file, SYMBOLS, callee)
    })
}
