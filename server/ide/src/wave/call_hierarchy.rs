//! Calls in WAVE. A function starts at a label, and any kernel of the file may call it.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Code, Label, Name, Role};
use warplens_ide_db::wave::{KERNELS, LABELS, wave_code};
use warplens_ide_db::{
    Access, CallItem, Calls, Database, File, Namespace, SymbolKind, Target, items, module_uses,
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

type Declared = (usize, std::sync::Arc<Code>);

fn declared(db: &Database, file: File, namespace: Namespace, name: &str) -> Option<Declared> {
    let declares = |item| {
        module_uses(db, item).iter().any(|found| {
            let is_it = found.namespace == namespace && found.name == name;
            is_it && found.uses.iter().any(|place| place.access == Access::Declaration)
        })
    };
    let index = items(db, file).iter().position(|item| declares(*item))?;
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
    let kernel = code.kernel.as_ref().and_then(|kernel| kernel.name.as_ref());
    Some(CallItem {
        name: label.name.to_string(),
        kind: SymbolKind::Function,
        detail: kernel.map_or("function".to_owned(), |(kernel, _)| format!("function in {kernel}")),
        target: Target { file: file.id(db), full: full + start, focus: label.range + start },
    })
}

/// The callers of the function with this name. Kernels have none, because only launches call them.
pub(super) fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let list = file.document(db).items();
    let mut callers: Vec<Calls> = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let mut uses = module_uses(db, *item).iter();
        if !uses.any(|found| found.namespace == LABELS && found.name == name) {
            continue;
        }
        let (code, start) = (wave_code(db, *item), list.start_of(index));
        for (callee, at, range) in calls(&code, 0..code.instructions.len()) {
            if *callee != name {
                continue;
            }
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
fn calls(code: &Code, extent: std::ops::Range<usize>) -> impl Iterator<Item = (&SmolStr, usize, TextRange)> {
    code.names().iter().filter_map(move |found| match (&found.name, found.role) {
        (Name::Label(callee), Role::Call) => {
            let at = code.instruction_at(found.range.start())?;
            extent.contains(&at).then_some((callee, at, found.range))
        }
        _ => None,
    })
}
