//! The names that link a file with others: those that it declares for the whole module, and those that another file
//! must define.

use warplens_ide_db::{Database, File, FilePosition, ModuleSymbol, Subject, Symbol, Target, names};

use crate::language::LanguageSupport;
use crate::symbols;

/// The names that the file declares for the whole module, in text order.
pub(crate) fn module_symbols(db: &Database, file: File, support: &LanguageSupport) -> Vec<ModuleSymbol> {
    if let Some(module_symbols) = support.module_symbols {
        return module_symbols(db, file);
    }
    let symbol = |symbol: Symbol| ModuleSymbol {
        name: symbol.name,
        kind: symbol.kind,
        target: Target { file: file.id(db), full: symbol.range, focus: symbol.focus },
        is_definition: true,
    };
    symbols::symbols(db, file).into_iter().map(symbol).collect()
}

/// The name at a position, if another file may define it.
pub(crate) fn linked_name(position: &FilePosition<'_>, support: &LanguageSupport) -> Option<String> {
    match names::named(position)?.subject {
        Subject::Module(_, name) if support.links_names => Some(name.to_string()),
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
