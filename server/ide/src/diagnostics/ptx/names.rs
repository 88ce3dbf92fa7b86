//! Names between items: what nothing declares, what is declared too late, what is declared twice.

use text_size::TextRange;
use warplens_hir::ptx::{
    Clash, ClashKind, Function, ModuleKind, ModuleNames, ModuleSymbol, Symbol, SymbolKind,
};
use warplens_syntax::{ItemKind, SyntaxKind};

use super::super::{codes, item_problems};
use crate::answer::{Diagnostic, Fix, Related, Severity};
use crate::db::{Database, File, Item, items, ptx_function, ptx_header};
use crate::module::module_names;
use crate::names::{ModuleUse, Need, UsePlace, module_uses};
use crate::similar::{did_you_mean, nearest};

pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let names = module_names(db, file);
    for (index, item) in items(db, file).iter().enumerate() {
        for name in module_uses(db, *item) {
            if !names.is_visible(&name.name, index as u32) {
                unresolved(db, file, names, index, name, &mut found);
            }
        }
    }
    found.extend(names.clashes().iter().map(|clash| clashing(db, file, names, *clash)));
    found
}

/// What is wrong with all uses of a name in an item.
struct Verdict {
    code: &'static str,
    message: String,
    related: Option<Related>,
    /// The name that was probably meant.
    meant: Option<String>,
}

impl Verdict {
    fn at(&self, range: TextRange) -> Diagnostic {
        let mut found = Diagnostic::new(range, Severity::Error, self.code, self.message.as_str());
        found.related.extend(self.related.clone());
        match &self.meant {
            Some(name) => found.with_fix(Fix::replacement(range, name)),
            None => found,
        }
    }
}

fn unresolved(
    db: &Database,
    file: File,
    names: &ModuleNames,
    index: usize,
    name: &ModuleUse,
    found: &mut Vec<Diagnostic>,
) {
    let is_missing = |place: &&UsePlace| match place.need {
        Need::Declared => true,
        Need::DeclaredIfBalanced => is_balanced(db, file, index),
        Need::Nothing => false,
    };
    let mut places = name.places.iter().filter(is_missing).peekable();
    if places.peek().is_none() {
        return;
    }
    let start = file.document(db).items().start_of(index);
    let verdict = match names.declarations(&name.name).next() {
        Some(later) => too_late(db, file, later),
        None => nothing_declares(db, file, names, index, &name.name),
    };
    found.extend(places.map(|place| verdict.at(place.range + start)));
}

/// Whether the body of a function ends where it should: with a brace, and with no code behind it.
fn is_balanced(db: &Database, file: File, index: usize) -> bool {
    let items = items(db, file);
    let tree = items[index].parse(db).syntax();
    let body = tree.descendants().find(|node| node.kind() == SyntaxKind::BLOCK);
    // The last brace of a block that lacks one is that of a block inside.
    let end = body.and_then(|body| body.last_child_or_token());
    let is_closed = end.is_none_or(|element| element.kind() == SyntaxKind::R_BRACE);
    let next = items.get(index + 1);
    let is_stray = |item: &Item<'_>| {
        item.kind(db) == ItemKind::Other && !item_problems(db, file, *item).listed.is_empty()
    };
    is_closed && !next.is_some_and(is_stray)
}

fn too_late(db: &Database, file: File, later: &ModuleSymbol) -> Verdict {
    let mend = match later.kind {
        ModuleKind::Function { .. } => "declare it above with a prototype, or move it up",
        _ => "move its declaration up",
    };
    let message = format!("`{}` is declared only further down; {mend}", later.name);
    let related =
        Related { file: file.id(db), range: place_of(db, file, later), message: "declared here".into() };
    Verdict { code: codes::USE_BEFORE_DECLARATION, message, related: Some(related), meant: None }
}

/// Where a declaration has its name, in the file.
fn place_of(db: &Database, file: File, symbol: &ModuleSymbol) -> TextRange {
    let item = items(db, file)[symbol.item as usize];
    let declaration = &ptx_header(db, item).declarations[symbol.declaration as usize];
    declaration.name_range + file.document(db).items().start_of(symbol.item as usize)
}

fn nothing_declares(db: &Database, file: File, names: &ModuleNames, index: usize, name: &str) -> Verdict {
    let verdict = |message, meant| Verdict { code: codes::UNRESOLVED_NAME, message, related: None, meant };
    let function = ptx_function(db, items(db, file)[index]);
    if let Some(function) = &function
        && let Some(range) = too_small_range(function, name)
    {
        return verdict(format!("`{name}` is not declared: {range}"), None);
    }
    let is_one_name = |symbol: &&Symbol| !matches!(symbol.kind, SymbolKind::RegisterRange { .. });
    let local = function.iter().flat_map(|function| function.symbols()).filter(is_one_name);
    let local = local.map(|symbol| symbol.name.as_str());
    let module = names.symbols().iter().map(|symbol| symbol.name.as_str());
    let special = warplens_isa::ptx::special_register_names().iter().copied();
    let special = special.filter(|_| name.starts_with('%'));
    let meant = nearest(name, local.chain(module).chain(special));
    let what = if name.starts_with('%') { "register or special register" } else { "name" };
    verdict(format!("no {what} `{name}` is declared here{}", did_you_mean(meant)), meant.map(str::to_owned))
}

/// `%r105` where `%r<100>` is declared: which registers there are.
fn too_small_range(function: &Function, name: &str) -> Option<String> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if prefix.len() == name.len() {
        return None;
    }
    function.symbols().iter().find_map(|symbol| match symbol.kind {
        SymbolKind::RegisterRange { count, .. } if symbol.name == prefix => Some(match count {
            0 => format!("`{prefix}<0>` declares no registers"),
            count => format!("`{prefix}<{count}>` declares `{prefix}0` to `{prefix}{}`", count - 1),
        }),
        _ => None,
    })
}

fn linkage_message(name: &str, first: ModuleKind) -> String {
    if first.is_extern() {
        return format!(
            "`{name}` is declared `.extern`, so another module defines it; declare it without `.extern` to define it here"
        );
    }
    format!(
        "the declarations of `{name}` differ in linkage; repeat the linkage word of the first, or leave it out"
    )
}

fn clashing(db: &Database, file: File, names: &ModuleNames, clash: Clash) -> Diagnostic {
    let (first, second) = (&names.symbols()[clash.first as usize], &names.symbols()[clash.symbol as usize]);
    let name = &second.name;
    let (code, message) = match clash.kind {
        ClashKind::Duplicate => {
            let message = format!("`{name}` is declared a second time in this module; give it another name");
            (codes::DUPLICATE_NAME, message)
        }
        ClashKind::Linkage => (codes::LINKAGE_CLASH, linkage_message(name, first.kind)),
    };
    let range = place_of(db, file, first);
    let related = Related { file: file.id(db), range, message: "first declared here".into() };
    Diagnostic::new(place_of(db, file, second), Severity::Error, code, message).with_related(related)
}
