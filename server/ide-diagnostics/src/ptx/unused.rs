//! Labels, registers and variables of a function that are never used.

use warplens_hir::ptx::{Function, ReferentId, Role, Symbol, SymbolKind};
use warplens_ide_db::ptx::debug_names;
use warplens_ide_db::{Db, File, Item, Problem, Tag};

use crate::codes;
use crate::ptx::broken;

/// The maximum number reported for a function, so that they do not crowd out errors.
const MOST: usize = 50;

pub(super) fn check<'db>(
    db: &'db dyn Db,
    file: File,
    item: Item<'db>,
    function: &Function,
    problems: &mut Vec<Problem>,
) {
    let Some(body) = function.body else { return };
    let mut is_used = vec![false; function.referent_count()];
    for (referent, role) in function.accesses() {
        is_used[referent.index()] |= !matches!(role, Role::Declaration | Role::Debug);
    }
    let mut used = vec![false; function.symbols().len()];
    for (index, _) in is_used.iter().enumerate().filter(|(_, is_used)| **is_used) {
        if let Some(symbol) = function.resolution(ReferentId::new(index)).symbol() {
            used[symbol.index()] = true;
        }
    }
    let symbols = function.symbols().iter().zip(used);
    let unused = symbols.filter(|(symbol, used)| !used && symbol.range.start() > body.start());
    let mut found = unused.filter_map(|(symbol, _)| Some((symbol, what(symbol)?))).peekable();
    if found.peek().is_none() {
        return;
    }
    let parse = item.parse(db);
    let Some(doubtful) = broken::names(&parse) else { return };
    let found = found.filter(|(symbol, _)| !doubtful.contains(symbol.name.as_str()));
    // Debug information names labels and variables of functions.
    let found = found.filter(|(symbol, _)| !debug_names(db, file).contains(&symbol.name));
    problems.extend(found.take(MOST).map(|(symbol, (code, what))| {
        let message = format!("unused {what} `{}`; remove it", symbol.name);
        Problem::hint(symbol.range, code, message).with_tag(Tag::Unnecessary)
    }));
}

/// Unused registers of a range `%r<100>` are not reported.
fn what(symbol: &Symbol) -> Option<(&'static str, &'static str)> {
    if is_habit(&symbol.name) {
        return None;
    }
    match symbol.kind {
        SymbolKind::Label { .. } => Some((codes::UNUSED_LABEL, "label")),
        SymbolKind::Table { .. } => Some((codes::UNUSED_LABEL, "table")),
        SymbolKind::Prototype(_) => Some((codes::UNUSED_LABEL, "prototype")),
        SymbolKind::Register { .. } => Some((codes::UNUSED_REGISTER, "register")),
        SymbolKind::Variable(_) => Some((codes::UNUSED_VARIABLE, "variable")),
        SymbolKind::RegisterRange { .. } | SymbolKind::Param { .. } => None,
    }
}

/// Names that compilers declare whether they need them or not: marks for debug information, the stack pointers, a register
/// for each call.
fn is_habit(name: &str) -> bool {
    let stem = name.trim_start_matches(['$', '_', '.', 'L']).trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(name, "%SP" | "%SPL" | "temp_param_reg") || matches!(stem, "tmp" | "func_begin" | "func_end")
}
