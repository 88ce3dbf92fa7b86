//! `unresolved-name`: a name that is not declared. Reports one problem per missing declaration, however often it is used.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, FunctionKind, ModuleKind, ModuleNames, ModuleSymbol};
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{
    Database, Diagnostic, File, Fix, Item, NameUse, Related, Requirement, Severity, TextEdit, all_of,
    did_you_mean, items, module_uses,
};
use warplens_isa::ptx as isa;
use warplens_syntax::{ItemKind, SyntaxKind, SyntaxNode, SyntaxToken};

use crate::codes;
use crate::item::item_problems;
use crate::ptx::cuda_names;
use crate::ptx::names::missing::Missing;
use crate::ptx::names::wanted::Wanted;
use crate::ptx::names::{declare, local};
use crate::ptx::symbols::name_range;

/// The number of unexplained names of an item that are reported one by one. The others are reported together: one missing line may have
/// declared all of them.
const MOST: usize = 2;
/// The number of names of an item that an explanation is looked for.
const EXPLAINED: usize = 32;
const RELATED: usize = 5;

/// Reports the names of an item that must be declared before it, and are not.
pub(super) fn check(
    db: &Database,
    file: File,
    names: &ModuleNames,
    index: usize,
    found: &mut Vec<Diagnostic>,
) {
    let item = items(db, file)[index];
    let mut missing: BTreeMap<SmolStr, Missing> = BTreeMap::new();
    for used in module_uses(db, item).iter().filter(|used| !names.is_visible(&used.name, index as u32)) {
        let is_missing = |place: &&NameUse| match place.requirement {
            Requirement::Declared => true,
            Requirement::DeclaredIfBalanced => is_balanced(db, file, index),
            Requirement::Nothing => false,
        };
        let places: Vec<TextRange> = used.uses.iter().filter(is_missing).map(|place| place.range).collect();
        if !places.is_empty() {
            let stem = stem(&used.name);
            let new = || Missing { stem: stem.into(), names: Vec::new(), places: Vec::new() };
            let missing = missing.entry(stem.into()).or_insert_with(new);
            missing.names.push(used.name.clone());
            missing.places.extend(places);
        }
    }
    // This needs the tree, so it comes after the check that most items pass.
    if missing.is_empty() || has_broken_head(db, item) {
        return;
    }
    let mut missing: Vec<Missing> = missing.into_values().collect();
    missing.iter_mut().for_each(|missing| missing.places.sort_by_key(|place| place.start()));
    missing.sort_by_key(|missing| missing.places[0].start());
    let place = ItemContext { db, file, names, index, function: ptx_function(db, item) };
    let mut shown = 0;
    let is_alone = |missing: &Missing| {
        let is_later = names.declarations(&missing.names[0]).next().is_some();
        shown += usize::from(!is_later);
        is_later || shown <= EXPLAINED && place.is_explained(missing)
    };
    let (explained, mut missing): (Vec<Missing>, Vec<Missing>) = missing.into_iter().partition(is_alone);
    let others = missing.split_off(missing.len().min(MOST));
    found.extend(explained.iter().chain(&missing).map(|missing| place.diagnostic(missing)));
    match others.as_slice() {
        [] => {}
        [one] => found.push(place.diagnostic(one)),
        others => found.push(place.together(others)),
    }
}

/// Whether a function's parameters are not all known, because something before its body did not parse.
fn has_broken_head(db: &Database, item: Item<'_>) -> bool {
    let parse = item.parse(db);
    let Some(first) = parse.errors().iter().map(|error| error.range.start()).min() else { return false };
    let body = ptx_function(db, item).and_then(|function| function.body);
    body.is_some_and(|body| first < body.start())
}

/// The name without its number, for registers that are declared as a range.
fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() > 1 && stem.starts_with('%') { stem } else { name }
}

/// Whether the body of a function ends with a brace, and no code follows it.
fn is_balanced(db: &Database, file: File, index: usize) -> bool {
    let items = items(db, file);
    let tree = items[index].parse(db).syntax();
    let body = tree.descendants().find(|node| node.kind() == SyntaxKind::BLOCK);
    // The last brace of a block with a missing brace belongs to a nested block.
    let end = body.and_then(|body| body.last_child_or_token());
    let is_closed = end.is_none_or(|element| element.kind() == SyntaxKind::R_BRACE);
    let next = items.get(index + 1);
    let is_stray =
        |item: &Item<'_>| item.kind(db) == ItemKind::Other && !item_problems(db, *item).listed.is_empty();
    is_closed && !next.is_some_and(is_stray)
}

struct ItemContext<'a> {
    db: &'a Database,
    file: File,
    names: &'a ModuleNames,
    index: usize,
    function: Option<Arc<Function>>,
}

impl ItemContext<'_> {
    /// Whether the name deserves its own message: a declaration does not reach it, or it is misspelled.
    fn is_explained(&self, missing: &Missing) -> bool {
        let function = self.function.as_deref();
        function.is_some_and(|function| {
            local::unreached(function, missing).is_some()
                || declare::short_range(function, &missing.stem).is_some()
        }) || self.meant(missing, function).is_some()
    }

    /// The kind of name that the first use requires.
    fn wanted(missing: &Missing, function: Option<&Function>) -> Wanted {
        function.map_or(Wanted::Any, |function| Wanted::at(function, missing.places[0]))
    }

    fn meant<'f>(&'f self, missing: &Missing, function: Option<&'f Function>) -> Option<&'f str> {
        let [name] = missing.names.as_slice() else { return None };
        if let Some(special) = cuda_names::variable(name) {
            return Some(special);
        }
        Self::wanted(missing, function).nearest(name, function, self.names)
    }

    fn diagnostic(&self, missing: &Missing) -> Diagnostic {
        let start = self.file.document(self.db).items().start_of(self.index);
        let first = missing.places[0] + start;
        let item = items(self.db, self.file)[self.index];
        let name = missing.names[0].as_str();
        let function = self.function.as_deref();
        let text = &item.text(self.db).0;
        let unreached = || local::unreached(function?, missing);
        let short = || declare::short_range(function?, &missing.stem).filter(|_| missing.stem != name);
        let mut found = if let Some(later) = self.names.declarations(name).next() {
            self.too_late(first, later)
        } else if let Some(unreached) = unreached() {
            unreached.diagnostic(first, self.file.id(self.db), start)
        } else if let Some(range) = short() {
            too_few(first, missing, range, text, start)
        } else {
            self.nothing(first, missing, function, text, start)
        };
        let others = missing.places[1..].iter().filter(|place| *place + start != first).take(RELATED);
        found.related.extend(others.map(|place| self.related(*place + start, "used here too")));
        found
    }

    fn related(&self, range: TextRange, message: impl Into<String>) -> Related {
        Related { file: self.file.id(self.db), range, message: message.into() }
    }

    /// Several names in one diagnostic, with related ranges from each to the next.
    fn together(&self, missing: &[Missing]) -> Diagnostic {
        let start = self.file.document(self.db).items().start_of(self.index);
        let names: Vec<SmolStr> = missing.iter().flat_map(|missing| missing.names.iter().cloned()).collect();
        let message = format!("undeclared names: {}", listed(&names));
        let first = missing[0].places[0] + start;
        let mut found = Diagnostic::new(first, Severity::Error, codes::UNRESOLVED_NAME, message);
        found.related.extend(missing[1..].iter().take(RELATED).map(|missing| {
            self.related(missing.places[0] + start, format!("{} here", listed(&missing.names)))
        }));
        found
    }

    fn too_late(&self, range: TextRange, later: &ModuleSymbol) -> Diagnostic {
        let hint = match later.kind {
            ModuleKind::Function { .. } => "insert a prototype before the use, or move the function up",
            _ => "move the declaration up",
        };
        let message = format!("`{}` is declared after its use; {hint}", later.name);
        let mut found = Diagnostic::new(range, Severity::Error, codes::USE_BEFORE_DECLARATION, message);
        found.related.push(self.related(name_range(self.db, self.file, later), "declared here"));
        found.fixes.extend(self.prototype(later));
        found
    }

    /// Inserts a prototype of a function before the item that uses it.
    fn prototype(&self, later: &ModuleSymbol) -> Option<Fix> {
        let ModuleKind::Function { kind: FunctionKind::Func, .. } = later.kind else { return None };
        let items = items(self.db, self.file);
        let outside = outside(&items[later.item as usize].parse(self.db).syntax())?;
        let tree = items[self.index].parse(self.db).syntax();
        let start = self.file.document(self.db).items().start_of(self.index);
        let at = TextRange::empty(significant(&tree).next()?.text_range().start() + start);
        let edits = vec![TextEdit { range: at, insert: format!("{outside};\n") }];
        Some(Fix { title: format!("Insert a prototype of `{}`", later.name), edits, preferred: false })
    }

    fn nothing(
        &self,
        range: TextRange,
        missing: &Missing,
        function: Option<&Function>,
        text: &str,
        start: TextSize,
    ) -> Diagnostic {
        let meant = self.meant(missing, function);
        let message = match missing.names.as_slice() {
            [name] => undeclared(name, Self::wanted(missing, function).noun(name), meant),
            names => format!("undeclared names: {}", listed(names)),
        };
        let mut found = Diagnostic::new(range, Severity::Error, codes::UNRESOLVED_NAME, message);
        found.fixes.extend(meant.map(|meant| Fix::replacement(range, meant)));
        found
            .fixes
            .extend(function.and_then(|function| declare::declaration(function, text, missing, start)));
        found
    }
}

fn undeclared(name: &str, noun: &str, meant: Option<&str>) -> String {
    let function = cuda_names::ptx(name).filter(|_| noun == "function");
    if let Some(ptx) = function.or_else(|| cuda_names::variable(name).map(Cow::Borrowed)) {
        return format!("undeclared {noun} `{name}`, which is CUDA C++; in PTX it is `{ptx}`");
    }
    match meant {
        Some(lower) if isa::special_register(lower).is_some() && name.eq_ignore_ascii_case(lower) => {
            format!("undeclared register `{name}`; special registers are lower case: write `{lower}`")
        }
        _ => format!("undeclared {noun} `{name}`{}", did_you_mean(meant)),
    }
}

fn outside(item: &SyntaxNode) -> Option<String> {
    let body = item.descendants().find(|node| node.kind() == SyntaxKind::BLOCK)?;
    let first = significant(item).next()?.text_range().start();
    let before = significant(item).take_while(|token| token.text_range().end() <= body.text_range().start());
    let last = before.last()?.text_range().end();
    Some(item.text().slice(first..last).to_string())
}

/// The tokens that are neither white space nor comments.
fn significant(item: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    let tokens = item.descendants_with_tokens().filter_map(|element| element.into_token());
    tokens.filter(|token| !matches!(token.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT))
}

/// `%r105` where `%r<100>` is declared.
fn too_few(
    place: TextRange,
    missing: &Missing,
    range: declare::ShortRange,
    text: &str,
    start: TextSize,
) -> Diagnostic {
    let stem = &missing.stem;
    let is = if missing.names.len() == 1 { "is" } else { "are" };
    let there = match range.count {
        0 => format!("`{stem}<0>` declares no registers"),
        count => format!("`{stem}<{count}>` declares `{stem}0` to `{stem}{}`", count - 1),
    };
    let message = format!("{} {is} not declared: {there}", listed(&missing.names));
    let found = Diagnostic::new(place, Severity::Error, codes::UNRESOLVED_NAME, message);
    let needed = declare::count_for(stem, &missing.names);
    match (needed, range.number(text)) {
        (Some(needed), Some(number)) => {
            let edits = vec![TextEdit { range: number + start, insert: needed.to_string() }];
            found.with_fix(Fix { title: format!("Declare `{stem}<{needed}>`"), edits, preferred: true })
        }
        _ => found,
    }
}

/// `%r1`, `%r2` and 3 more.
fn listed(names: &[SmolStr]) -> String {
    let quoted = names.iter().take(2).map(|name| format!("`{name}`"));
    let more = names.len().saturating_sub(2);
    let more = (more > 0).then(|| format!("{more} more"));
    all_of(quoted.chain(more))
}
