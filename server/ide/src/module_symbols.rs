//! The names that a file shares with others: those it declares for the whole file, and those another file must define.

use smol_str::SmolStr;
use text_size::TextSize;
use warplens_hir::ptx::{DeclarationKind, FunctionKind, Linkage};
use warplens_ide_db::answer::{SymbolKind, Target};
use warplens_ide_db::db::{Database, File, items, ptx_header};
use warplens_ide_db::languages::Known;
use warplens_ide_db::names::{Namespace, Subject};
use warplens_ide_db::position::FilePosition;
use warplens_ide_db::{declared, names};

use crate::symbols;

/// A name that is declared for the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its position.
    pub target: Target,
    /// Whether this is the definition, rather than a declaration.
    pub is_definition: bool,
}

pub(crate) fn module_symbols(db: &Database, file: File) -> Vec<ModuleSymbol> {
    match Known::of(file.language(db)) {
        Known::Ptx => declarations(db, file),
        Known::Wave => {
            let of_file = file.id(db);
            let symbols = symbols::symbols(db, file).into_iter();
            let symbol = |symbol: warplens_ide_db::answer::Symbol| ModuleSymbol {
                name: symbol.name,
                kind: symbol.kind,
                target: Target { file: of_file, full: symbol.range, focus: symbol.focus },
                is_definition: true,
            };
            symbols.map(symbol).collect()
        }
    }
}

fn declarations(db: &Database, file: File) -> Vec<ModuleSymbol> {
    let list = file.document(db).items();
    let mut found = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let start = list.start_of(index);
        let header = ptx_header(db, *item);
        if header.declarations.is_empty() {
            continue;
        }
        let tree = item.parse(db).syntax();
        for declaration in &header.declarations {
            let Some((kind, is_definition)) = kind(&declaration.kind) else { continue };
            let focus = declaration.name_range;
            let full = declared::ptx::declaration(&tree, focus).map_or(focus, |node| node.text_range());
            let target = Target { file: file.id(db), full: full + start, focus: focus + start };
            found.push(ModuleSymbol { name: declaration.name.to_string(), kind, target, is_definition });
        }
    }
    found
}

/// The kind of a declaration, and whether it is a definition; `None` for names that only debug information uses.
fn kind(kind: &DeclarationKind) -> Option<(SymbolKind, bool)> {
    Some(match kind {
        DeclarationKind::Variable(variable) => {
            (SymbolKind::Variable, variable.linkage != Some(Linkage::Extern))
        }
        DeclarationKind::Function { kind: FunctionKind::Entry, has_body, .. } => {
            (SymbolKind::Kernel, *has_body)
        }
        DeclarationKind::Function { has_body, .. } => (SymbolKind::Function, *has_body),
        DeclarationKind::Alias { .. } => (SymbolKind::Function, true),
        DeclarationKind::SectionLabel => return None,
    })
}

pub(crate) fn linked_name(db: &Database, file: File, offset: TextSize) -> Option<String> {
    let position = FilePosition::new(db, file, offset)?;
    match names::named(db, &position)?.subject {
        Subject::Module(Namespace::Module, name) => Some(SmolStr::to_string(&name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, open};

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let symbols = analysis.module_symbols(FILE).unwrap();
        let show = |symbol: &super::ModuleSymbol| {
            let what = if symbol.is_definition { "defined" } else { "declared" };
            format!("{} {:?} {what} {}\n", symbol.name, symbol.kind, fixture.show(symbol.target.focus))
        };
        expect.assert_eq(&symbols.iter().map(show).collect::<String>());
    }

    #[test]
    fn of_a_module() {
        check(
            "
.extern .func f();
.extern .global .u32 x;
.global .u32 y, z;
.func g() { .reg .u32 a; L: ret; }
.alias f, g;
.entry k() { ret; }
.section .debug_str { l: .b8 0 }
",
            expect![[r#"
                f Function declared 2:`f`
                x Variable declared 3:`x`
                y Variable defined 4:`y`
                z Variable defined 4:`z`
                g Function defined 5:`g`
                f Function defined 6:`f`
                k Kernel defined 7:`k`
            "#]],
        );
    }

    #[test]
    fn of_a_wave_file() {
        check(
            ".kernel a\n  halt\n.end\n.kernel b\n  halt\n.end\n",
            expect![[r#"
            a Kernel defined 1:`a`
            b Kernel defined 4:`b`
        "#]],
        );
    }

    #[test]
    fn only_names_of_the_module_are_linked() {
        let name = |source: &str| {
            let (fixture, analysis) = open(source);
            analysis.linked_name(FILE, fixture.cursor()).unwrap()
        };
        assert_eq!(name(".extern .func f();\n              |\n"), Some("f".into()));
        assert_eq!(name(".entry k() { call f; }\n                  |\n"), Some("f".into()));
        assert_eq!(
            name(".entry k() { .reg .u32 a; mov.u32 a, 1; }\n                                  |\n"),
            None
        );
    }
}
