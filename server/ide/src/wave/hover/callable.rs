//! The resources of a kernel or a function: registers, waves, memory, the divergence stack, instructions, calls.

use std::collections::BTreeSet;
use std::fmt::Write;

use indexmap::IndexMap;
use warplens_hir::wave::{Cell, Code, Instruction, Label, MAX_DEPTH};
use warplens_ide_db::wave::{LABELS, wave_code};
use warplens_ide_db::{Access, FilePosition, Item, count, items, module_uses};

use crate::lines::Lines;
use crate::wave::call_hierarchy::calls;

/// The default number of lanes of a wave.
const WAVE: u32 = 32;
/// The size in bytes of the smallest register file of any machine.
const REGISTER_FILE: u64 = 16_384;
const SHOWN: usize = 6;

pub(super) fn kernel(position: &FilePosition<'_>, name: &str) -> String {
    let code = wave_code(position.db, position.item);
    let mut page = format!("**`{name}`** · kernel\n");
    line(&mut page, "registers", &registers(&code));
    line(&mut page, "at a time", &at_a_time(&code));
    line(&mut page, "workgroup", &workgroup(&code));
    let local = code.resources.local_memory.map_or(0, |memory| memory.value);
    let local =
        if local > 0 { count(local as usize, "byte", "bytes") } else { "set by the launch".to_owned() };
    line(&mut page, "local memory", &local);
    body(&mut page, &code, 0..code.instructions.len(), code.nesting().entries);
    page.trim_end().to_owned()
}

/// What a directive requests for its kernel.
pub(super) fn asked_for(code: &Code, directive: &str) -> Option<String> {
    code.kernel.as_ref()?;
    match directive {
        ".registers" => Some(format!("**Here.** Uses {}: {}.", registers(code), at_a_time(code))),
        ".workgroup_size" => Some(format!("**Here.** {}.", workgroup(code))),
        _ => None,
    }
}

/// How many registers a kernel uses, and how many it has.
fn registers(code: &Code) -> String {
    let used = listed(code.instructions.iter().flat_map(|one| one.reads().chain(one.writes())));
    let declared = if code.resources.registers.is_some() { "" } else { ", the default without `.registers`" };
    format!("{} of {}{declared}", either(&used, "none"), code.resources.register_count())
}

/// The number of waves that fit into the smallest register file.
fn at_a_time(code: &Code) -> String {
    let registers = u64::from(code.resources.register_count());
    let fit = REGISTER_FILE / (registers.max(1) * u64::from(WAVE) * 4);
    let waves = count(fit as usize, "wave", "waves");
    format!(
        "{waves} of {WAVE} lanes with {registers} registers each in the 16,384 bytes that every machine has"
    )
}

pub(super) fn function(position: &FilePosition<'_>, name: &str) -> Option<String> {
    let declares = |item: &Item<'_>| {
        let code = wave_code(position.db, *item);
        code.labels.iter().any(|label| label.name == name).then_some(code)
    };
    let Some(code) = items(position.db, position.file).iter().find_map(declares) else {
        return Some(format!("**`{name}`** · undeclared label"));
    };
    let label: &Label = code.labels.iter().find(|label| label.name == name)?;
    let first = label.before as usize;
    let extent = code.extent(first);
    let inside = || code.instructions[extent.clone()].iter();
    let mut page = match code.kernel_name() {
        Some((kernel, _)) => format!("**`{name}`** · function of `{kernel}`\n"),
        None => format!("**`{name}`** · label outside of a kernel\n"),
    };
    line(&mut page, "called", &callers(position, name));
    line(&mut page, "reads", &either(&listed(inside().flat_map(Instruction::reads)), "no register"));
    line(&mut page, "writes", &either(&listed(inside().flat_map(Instruction::writes)), "no register"));
    body(&mut page, &code, extent, code.stack_entries(first));
    Some(page.trim_end().to_owned())
}

fn line(page: &mut String, what: &str, text: &str) {
    let _ = write!(page, "\n- {what}: {text}");
}

fn either(text: &str, nothing: &str) -> String {
    if text.is_empty() { nothing.to_owned() } else { text.to_owned() }
}

fn workgroup(code: &Code) -> String {
    let Some([x, y, z]) = code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0)
    else {
        return "set by the launch".to_owned();
    };
    let threads = [x, y, z].map(|extent| u64::from(extent.max(1))).into_iter().fold(1, u64::saturating_mul);
    let waves = threads.div_ceil(u64::from(WAVE));
    let threads = count(threads as usize, "thread", "threads");
    format!("{x} x {y} x {z}: {threads}, {} of {WAVE} lanes", count(waves as usize, "wave", "waves"))
}

/// The parts that kernels and functions share: the divergence stack, instructions, and callees.
fn body(page: &mut String, code: &Code, extent: std::ops::Range<usize>, entries: usize) {
    let stack = match entries {
        0 => "not used".to_owned(),
        _ => format!("at most {entries} of {MAX_DEPTH} entries, including callees"),
    };
    line(page, "divergence stack", &stack);
    let of = |kind: fn(&str) -> bool| {
        code.instructions[extent.clone()].iter().filter(|one| kind(one.name())).count()
    };
    let kinds = [
        (of(|name| name.starts_with("device_")), "on device memory"),
        (of(|name| name.starts_with("local_")), "on local memory"),
        (of(|name| name.starts_with("atomic_")), "atomic on device memory"),
        (of(|name| name == "barrier"), "at barriers"),
    ];
    let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(count, kind)| format!("{count} {kind}")).collect();
    let among = if kinds.is_empty() { String::new() } else { format!(", of which {}", kinds.join(", ")) };
    line(page, "instructions", &format!("{}{among}", extent.len()));
    let callees = callees(code, extent);
    if !callees.is_empty() {
        line(page, "calls", &callees);
    }
}

/// `r0 to r3, r7, p1`
fn listed(cells: impl Iterator<Item = Cell>) -> String {
    let numbered = |cell: Cell| match cell {
        Cell::General(index) => ("r", index),
        Cell::Predicate(index) => ("p", index),
    };
    let mut runs: Vec<(&str, u8, u8)> = Vec::new();
    for (class, index) in cells.collect::<BTreeSet<Cell>>().into_iter().map(numbered) {
        match runs.last_mut() {
            Some((known, _, last)) if *known == class && last.checked_add(1) == Some(index) => *last = index,
            _ => runs.push((class, index, index)),
        }
    }
    let shown = |(class, first, last): (&str, u8, u8)| match last - first {
        0 => format!("`{class}{first}`"),
        1 => format!("`{class}{first}`, `{class}{last}`"),
        _ => format!("`{class}{first}` to `{class}{last}`"),
    };
    runs.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The callees of some instructions, in text order.
fn callees(code: &Code, extent: std::ops::Range<usize>) -> String {
    let mut found: IndexMap<&str, usize> = IndexMap::new();
    calls(code, extent).for_each(|(callee, ..)| *found.entry(callee).or_default() += 1);
    let shown = found.iter().take(SHOWN).map(|(callee, times)| match times {
        1 => format!("`{callee}`"),
        times => format!("`{callee}` {times} times"),
    });
    let more = if found.len() > SHOWN { " and others" } else { "" };
    shown.collect::<Vec<_>>().join(", ") + more
}

/// The callers of a function, grouped by kernel.
fn callers(position: &FilePosition<'_>, name: &str) -> String {
    let mut shown = Vec::new();
    let mut total = 0;
    for (index, item) in items(position.db, position.file).iter().enumerate() {
        let mut uses = module_uses(position.db, *item).iter();
        let found = uses.find(|found| found.namespace == LABELS && found.name == name);
        let uses = found.into_iter().flat_map(|found| &found.uses);
        let places: Vec<_> = uses.filter(|place| place.access == Access::Read).collect();
        if places.is_empty() {
            continue;
        }
        total += places.len();
        let lines = Lines::of_item(position.db, position.file, index);
        let code = wave_code(position.db, *item);
        for position in places.iter().take(SHOWN.saturating_sub(shown.len())) {
            let caller = code.instruction_at(position.range.start()).and_then(|at| code.function_at(at));
            let name = caller.map(|label| &label.name).or(code.kernel_name().map(|(name, _)| name));
            let caller = name.map_or_else(String::new, |name| format!("`{name}` in "));
            shown.push(format!("{caller}line {}", lines.number(position.range.start())));
        }
    }
    match total {
        0 => "not called in this file".to_owned(),
        _ => format!("{}: {}", count(total, "time", "times"), shown.join(", ")),
    }
}
