//! Renaming in PTX.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, ReferentId, Resolution, SymbolId, SymbolKind, Type};
use warplens_ide_db::ptx::{module_names, ptx_function};
use warplens_ide_db::{
    Access, Database, File, FilePosition, Named, Occurrence, Subject, TextEdit, items, module_uses, names,
};
use warplens_isa::ptx as isa;

use crate::rename_error::RenameError;

pub(super) fn rename(
    position: &FilePosition<'_>,
    named: &Named,
    name: &str,
) -> Result<Vec<TextEdit>, RenameError> {
    check_syntax(name)?;
    match &named.subject {
        Subject::Module(_, old) => {
            check_module(position.db, position.file, old, name)?;
            Ok(edit_all(position, named, name))
        }
        Subject::Local(referent) => {
            let function = ptx_function(position.db, position.item).ok_or(RenameError::Nothing)?;
            let resolution = function.resolution(ReferentId::new(*referent as usize));
            let count = match resolution {
                Resolution::Symbol(symbol) => count(&function.symbol(symbol).kind),
                _ => None,
            };
            check_local(position.db, position.file, &function, Declared { name, count })?;
            match resolution {
                Resolution::Indexed { symbol, .. } => Ok(take_out(position, named, name, &function, symbol)),
                Resolution::Symbol(symbol) => {
                    rename_symbol(position, named, name, &function.symbol(symbol).name)
                }
                Resolution::Special(_) | Resolution::External(_) => Ok(Vec::new()),
            }
        }
        Subject::Special(_) => Ok(Vec::new()),
    }
}

fn edit_all(position: &FilePosition<'_>, named: &Named, name: &str) -> Vec<TextEdit> {
    let found = names::occurrences(position, &named.subject);
    found.into_iter().map(|found| TextEdit { range: found.range, insert: name.to_owned() }).collect()
}

/// Replaces the name. For registers of a range, only the part before the number changes.
fn rename_symbol(
    position: &FilePosition<'_>,
    named: &Named,
    name: &str,
    old: &str,
) -> Result<Vec<TextEdit>, RenameError> {
    let found = names::occurrences(position, &named.subject);
    // A list such as `L<5>` names labels by number. Renaming one of these labels would invalidate the list.
    let has_name = |found: &Occurrence| position.text()[found.range - position.start].starts_with(old);
    if !found.iter().all(has_name) {
        return Err(RenameError::InList(old.to_owned()));
    }
    let prefix = |range: TextRange| TextRange::at(range.start(), TextSize::of(old));
    let edit = |found: Occurrence| TextEdit { range: prefix(found.range), insert: name.to_owned() };
    Ok(found.into_iter().map(edit).collect())
}

/// Gives a register of a range a new name and a declaration of its own, below the range.
fn take_out(
    position: &FilePosition<'_>,
    named: &Named,
    name: &str,
    function: &Function,
    range: SymbolId,
) -> Vec<TextEdit> {
    let uses = names::occurrences(position, &named.subject);
    let uses = uses.into_iter().filter(|found| found.access != Access::Declaration);
    let mut edits: Vec<TextEdit> =
        uses.map(|found| TextEdit { range: found.range, insert: name.to_owned() }).collect();
    let symbol = function.symbol(range);
    let tree = position.tree();
    if let Some(declaration) = warplens_ide_db::ptx::declared::declaration(&tree, symbol.range) {
        let text = position.text();
        let statement = declaration.text_range();
        let line_start = text[..usize::from(statement.start())].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &text[line_start..usize::from(statement.start())];
        let separator = if before.trim().is_empty() { format!("\n{before}") } else { " ".to_owned() };
        let insert = format!("{separator}.reg {}{name};", words(&symbol.kind));
        edits.push(TextEdit { range: position.in_file(TextRange::empty(statement.end())), insert });
    }
    edits
}

/// The vector and type of a register, each followed by a space.
fn words(kind: &SymbolKind) -> String {
    let SymbolKind::RegisterRange { ty, vector, .. } = kind else { return String::new() };
    let vector = vector.map_or_else(String::new, |length| format!(".v{} ", length.count()));
    format!("{vector}.{} ", ty.map_or("b32", Type::name))
}

fn check_syntax(name: &str) -> Result<(), RenameError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = name.chars();
    let well_formed = match rest.next() {
        Some(first) if first.is_ascii_alphabetic() => rest.all(is_word),
        Some('_' | '$' | '%') => name.len() > 1 && rest.all(is_word),
        _ => false,
    };
    if !well_formed {
        let rule = "consist of letters, digits, `_` and `$`, and start with a letter, or with `_`, `$` or `%` and one more character";
        return Err(RenameError::Invalid { name: name.to_owned(), rule });
    }
    if isa::special_register(name).is_some() {
        return Err(RenameError::Reserved { name: name.to_owned(), meaning: "a special register" });
    }
    Ok(())
}

fn check_module(db: &Database, file: File, old: &str, name: &str) -> Result<(), RenameError> {
    if old != name && module_names(db, file).declarations(name).next().is_some() {
        return Err(RenameError::Taken { scope: "module already declares", name: name.to_owned() });
    }
    for item in items(db, file) {
        if module_uses(db, *item).iter().all(|used| used.name != old) {
            continue;
        }
        if let Some(function) = ptx_function(db, *item)
            && shared_name(&function, Declared { name, count: None }).is_some()
        {
            let function = function.name.as_deref().unwrap_or_default().to_owned();
            return Err(RenameError::Hidden { function, name: name.to_owned() });
        }
    }
    Ok(())
}

fn check_local(
    db: &Database,
    file: File,
    function: &Function,
    declared: Declared<'_>,
) -> Result<(), RenameError> {
    if let Some(name) = shared_name(function, declared) {
        return Err(RenameError::Taken { scope: "function already declares", name });
    }
    let hides = |used: &str| declared.has(used) && module_names(db, file).declarations(used).next().is_some();
    match function.externals().find(|(_, used)| hides(used)) {
        Some((_, used)) => Err(RenameError::Hides(used.to_owned())),
        None => Ok(()),
    }
}

/// What a declaration declares: a name, or for a range of registers the name followed by each number below the count.
#[derive(Clone, Copy)]
struct Declared<'n> {
    name: &'n str,
    count: Option<u32>,
}

impl Declared<'_> {
    fn has(self, name: &str) -> bool {
        let Some(count) = self.count else { return name == self.name };
        let digits = name.strip_prefix(self.name).filter(|digits| *digits == "0" || !digits.starts_with('0'));
        digits.and_then(|digits| digits.parse().ok()).is_some_and(|number: u32| number < count)
    }

    /// A name that both declare.
    fn shared_with(self, other: Declared<'_>) -> Option<String> {
        let (short, long) = if self.name.len() <= other.name.len() { (self, other) } else { (other, self) };
        let Some(count) = long.count else { return short.has(long.name).then(|| long.name.to_owned()) };
        // The numbers after the longer name grow, so the first one that the shorter one does not have ends the search.
        let first = format!("{}0", long.name);
        (count > 0 && short.has(&first)).then_some(first)
    }
}

fn count(kind: &SymbolKind) -> Option<u32> {
    match kind {
        SymbolKind::RegisterRange { count, .. } => Some(*count),
        _ => None,
    }
}

/// A name that a declaration would share with one in any scope of a function.
fn shared_name(function: &Function, declared: Declared<'_>) -> Option<String> {
    let others = function.symbols().iter();
    let mut others = others.map(|symbol| Declared { name: &symbol.name, count: count(&symbol.kind) });
    others.find_map(|other| declared.shared_with(other))
}
