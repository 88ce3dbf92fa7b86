//! Calls in WAVE. A function starts at a label, and any kernel of the file may call it.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Code, Label, Name, Role};
use warplens_ide_db::wave::{KERNELS, LABELS, wave_code};
use warplens_ide_db::{
    CallItem, Calls, Database, File, ModuleUse, Namespace, SymbolKind, Target, items, module_uses,
    placed_items,
};

use crate::call_hierarchy::{add_call, by_callee};

pub(super) fn item_of(db: &Database, file: File, namespace: Namespace, name: &str) -> Option<CallItem> {
    let (index, code) = declared(db, file, namespace, name)?;
    let start = file.document(db).items().start_of(index);
    match namespace {
        KERNELS => kernel(db, file, &code, start),
        _ => function(db, file, &code, code.labels.iter().find(|label| label.name == name)?, start),
    }
}

fn declared(db: &Database, file: File, namespace: Namespace, name: &str) -> Option<(usize, Arc<Code>)> {
    let is_it = |found: &ModuleUse| found.namespace == namespace && found.name == name && found.declares();
    let index = items(db, file).iter().position(|item| module_uses(db, *item).iter().any(is_it))?;
    Some((index, wave_code(db, items(db, file)[index])))
}

fn kernel(db: &Database, file: File, code: &Code, start: TextSize) -> Option<CallItem> {
    let kernel = code.kernel.as_ref()?;
    let (name, focus) = kernel.name.as_ref()?;
    let full = kernel.end.map_or(kernel.range, |end| kernel.range.cover(end));
    Some(CallItem {
        name: name.to_string(),
        kind: SymbolKind::Kernel,
        detail: "kernel".to_owned(),
        target: Target { file: file.id(db), full: full + start, focus: *focus + start },
    })
}

fn function(db: &Database, file: File, code: &Code, label: &Label, start: TextSize) -> Option<CallItem> {
    let last = code.extent(label.before as usize).last();
    let full = last.map_or(label.range, |last| label.range.cover(code.instructions[last].range));
    let kernel = code.kernel_name();
    Some(CallItem {
        name: label.name.to_string(),
        kind: SymbolKind::Function,
        detail: kernel.map_or("function".to_owned(), |(kernel, _)| format!("function in {kernel}")),
        target: Target { file: file.id(db), full: full + start, focus: label.range + start },
    })
}

/// The callers of the function with this name. Kernels have none, because only launches call them.
pub(super) fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let mut callers: Vec<Calls> = Vec::new();
    for (item, start) in placed_items(db, file) {
        if !module_uses(db, item).iter().any(|found| found.namespace == LABELS && found.name == name) {
            continue;
        }
        let code = wave_code(db, item);
        let calls = calls(&code, 0..code.instructions.len());
        for (_, at, range) in calls.filter(|(callee, ..)| *callee == name) {
            let caller = match code.function_at(at) {
                Some(label) => function(db, file, &code, label, start),
                None => kernel(db, file, &code, start),
            };
            let Some(caller) = caller else { continue };
            add_call(&mut callers, caller, range + start);
        }
    }
    callers
}

/// The callees of the function with this name, or else of the kernel.
pub(super) fn outgoing(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let of_label = declared(db, file, LABELS, name);
    let Some((index, code)) = of_label.or_else(|| declared(db, file, KERNELS, name)) else {
        return Vec::new();
    };
    let label = code.labels.iter().find(|label| label.name == name);
    let extent = code.extent(label.map_or(0, |label| label.before as usize));
    let start = file.document(db).items().start_of(index);
    let calls = calls(&code, extent).map(|(callee, _, range)| (callee.as_str(), range + start));
    by_callee(calls, |callee| item_of(db, file, LABELS, callee))
}

/// The calls among some instructions: the callee, the instruction, and the range of the callee's name.
pub(super) fn calls(
    code: &Code,
    extent: std::ops::Range<usize>,
) -> impl Iterator<Item = (&SmolStr, usize, TextRange)> {
    code.names().iter().filter_map(move |found| match (&found.name, found.role) {
        (Name::Label(callee), Role::Call) => {
            let at = code.instruction_at(found.range.start())?;
            extent.contains(&at).then_some((callee, at, found.range))
        }
        _ => None,
    })
}
