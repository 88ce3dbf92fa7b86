//! Who calls whom, within a module.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, Resolution, Role};

use crate::answer::{FileId, SymbolKind, Target};
use crate::db::{Database, File, items, ptx_function, ptx_header};
use crate::module::module_names;
use crate::names::{self, Namespace, Subject};
use crate::place::Place;
use crate::{Analysis, Answer, declared};

/// A function that calls or is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// Its name.
    pub name: String,
    /// A kernel or a function.
    pub kind: SymbolKind,
    /// A few words about it.
    pub detail: String,
    /// Where it is defined, or else declared.
    pub target: Target,
}

/// Calls between two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The other function.
    pub item: CallItem,
    /// Where the callee is named in the body of the caller.
    pub places: Vec<TextRange>,
}

impl Analysis {
    /// The function that is named at a place.
    pub fn call_item(&self, file: FileId, offset: TextSize) -> Answer<Option<CallItem>> {
        self.ask(file, |db, file| call_item(db, file, offset))
    }

    /// Who calls the function of this name.
    pub fn incoming_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.ask(file, |db, file| incoming(db, file, name))
    }

    /// Whom the function of this name calls.
    pub fn outgoing_calls(&self, file: FileId, name: &str) -> Answer<Vec<Calls>> {
        self.ask(file, |db, file| outgoing(db, file, name))
    }
}

fn call_item(db: &Database, file: File, offset: TextSize) -> Option<CallItem> {
    let place = Place::new(db, file, offset)?;
    match names::named(db, &place)?.subject {
        Subject::Module(Namespace::Module, name) => item_of(db, file, &name),
        _ => None,
    }
}

/// The function of this name: its definition, else its first declaration.
fn item_of(db: &Database, file: File, name: &str) -> Option<CallItem> {
    let names = module_names(db, file);
    let symbol = names.definition(name).or_else(|| names.declarations(name).next())?;
    item_at(db, file, symbol.item as usize, symbol.declaration as usize)
}

fn item_at(db: &Database, file: File, index: usize, declaration: usize) -> Option<CallItem> {
    use warplens_hir::ptx::{DeclarationKind, FunctionKind};
    let item = items(db, file)[index];
    let declaration = &ptx_header(db, item).declarations[declaration];
    let kind = match &declaration.kind {
        DeclarationKind::Function { kind: FunctionKind::Entry, .. } => SymbolKind::Kernel,
        DeclarationKind::Function { .. } | DeclarationKind::Alias { .. } => SymbolKind::Function,
        DeclarationKind::Variable(_) | DeclarationKind::SectionLabel => return None,
    };
    let start = file.document(db).items().start_of(index);
    let focus = declaration.name_range;
    let full = declared::ptx::declaration(&item.parse(db).syntax(), focus);
    let full = full.map_or(focus, |node| node.text_range());
    Some(CallItem {
        name: declaration.name.to_string(),
        kind,
        detail: declared::ptx::module_kind(&declaration.kind).replace('`', ""),
        target: Target { file: file.id(db), full: full + start, focus: focus + start },
    })
}

fn incoming(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let list = file.document(db).items();
    let mut callers = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        // What is known of all items tells which few have to be looked into.
        if !names::module_uses(db, *item).iter().any(|found| found.name == name) {
            continue;
        }
        let Some(function) = ptx_function(db, *item) else { continue };
        let start = list.start_of(index);
        let places: Vec<TextRange> =
            calls(&function).filter(|(callee, _)| *callee == name).map(|(_, range)| range + start).collect();
        if !places.is_empty()
            && let Some(item) = item_at(db, file, index, 0)
        {
            callers.push(Calls { item, places });
        }
    }
    callers
}

fn outgoing(db: &Database, file: File, name: &str) -> Vec<Calls> {
    let Some(symbol) = module_names(db, file).definition(name) else { return Vec::new() };
    let index = symbol.item as usize;
    let Some(function) = ptx_function(db, items(db, file)[index]) else { return Vec::new() };
    let start = file.document(db).items().start_of(index);
    let mut order: Vec<(SmolStr, Vec<TextRange>)> = Vec::new();
    let mut known: FxHashMap<SmolStr, usize> = FxHashMap::default();
    for (callee, range) in calls(&function) {
        let at = *known.entry(callee.into()).or_insert_with(|| {
            order.push((callee.into(), Vec::new()));
            order.len() - 1
        });
        order[at].1.push(range + start);
    }
    let calls = |(callee, places): (SmolStr, Vec<TextRange>)| {
        Some(Calls { item: item_of(db, file, &callee)?, places })
    };
    order.into_iter().filter_map(calls).collect()
}

/// The functions that a body calls by name, and where.
fn calls(function: &Function) -> impl Iterator<Item = (&str, TextRange)> {
    function.names().filter_map(|name| match (name.role, name.resolution) {
        (Role::Call, Resolution::External(callee)) => Some((callee, name.range)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{FILE, Fixture, open};

    const MODULE: &str = "
.extern .func e();
.func f();
.func g() { call f; ret; }
.func f() { call g; call e; call.uni g; ret; }
.visible .entry k() { call f; call f; ret; }
";

    fn show(fixture: &Fixture, calls: &[Calls]) -> String {
        let line = |calls: &Calls| {
            let places: Vec<String> = calls.places.iter().map(|place| fixture.show(*place)).collect();
            let CallItem { name, kind, detail, target } = &calls.item;
            format!("{name} {kind:?} ({detail}) {} by {}\n", fixture.show(target.focus), places.join(" "))
        };
        calls.iter().map(line).collect()
    }

    fn check(question: impl Fn(&Analysis) -> Answer<Vec<Calls>>, expect: Expect) {
        let (fixture, analysis) = open(MODULE);
        expect.assert_eq(&show(&fixture, &question(&analysis).unwrap()));
    }

    #[test]
    fn callers() {
        check(
            |analysis| analysis.incoming_calls(FILE, "f"),
            expect![[r#"
            g Function (function with 0 parameters) 4:`g` by 4:`f`
            k Kernel (kernel with 0 parameters) 6:`k` by 6:`f` 6:`f`
        "#]],
        );
        check(|analysis| analysis.incoming_calls(FILE, "k"), expect![""]);
    }

    #[test]
    fn callees() {
        check(
            |analysis| analysis.outgoing_calls(FILE, "f"),
            expect![[r#"
            g Function (function with 0 parameters) 4:`g` by 5:`g` 5:`g`
            e Function (function with 0 parameters, declared only) 2:`e` by 5:`e`
        "#]],
        );
        check(|analysis| analysis.outgoing_calls(FILE, "e"), expect![""]);
    }

    #[test]
    fn a_name_of_a_function_is_where_one_begins() {
        let name = |source: &str| {
            let (fixture, analysis) = open(source);
            analysis.call_item(FILE, fixture.cursor()).unwrap().map(|item| item.name)
        };
        let marked = |line: &str, marker: &str| MODULE.replace(line, &format!("{line}\n{marker}"));
        let line = ".func g() { call f; ret; }";
        assert_eq!(name(&marked(line, "                 |")), Some("f".into()));
        assert_eq!(name(&marked(line, "      |")), Some("g".into()));
        assert_eq!(name(&marked(line, "             |")), None);
    }
}
