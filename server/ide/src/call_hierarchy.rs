//! The calls within a file.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use text_size::TextRange;
use warplens_ide_db::{CallItem, Calls, FilePosition, Subject, names};

use crate::language::LanguageSupport;

pub(crate) fn call_item(position: &FilePosition<'_>, support: &LanguageSupport) -> Option<CallItem> {
    match names::named(position)?.subject {
        Subject::Module(namespace, name) => (support.call_item)(position.db, position.file, namespace, &name),
        _ => None,
    }
}

/// Groups the calls of a function by callee, in the order of the first calls.
pub(crate) fn by_callee<'c>(
    calls: impl Iterator<Item = (&'c str, TextRange)>,
    item_of: impl Fn(&str) -> Option<CallItem>,
) -> Vec<Calls> {
    let mut callees: IndexMap<&str, Vec<TextRange>, FxBuildHasher> = IndexMap::default();
    for (callee, range) in calls {
        callees.entry(callee).or_default().push(range);
    }
    callees
        .into_iter()
        .filter_map(|(callee, places)| Some(Calls { item: item_of(callee)?, places }))
        .collect()
}

/// Adds a call at `place` by `caller`, whose calls are listed together.
pub(crate) fn add_call(callers: &mut Vec<Calls>, caller: CallItem, place: TextRange) {
    match callers.iter_mut().find(|known| known.item == caller) {
        Some(known) => known.places.push(place),
        None => callers.push(Calls { item: caller, places: vec![place] }),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::analysis::{Analysis, Answer};
    use crate::fixture::{FILE, Fixture, open};
    use warplens_ide_db::{CallItem, Calls, SymbolKind};

    const MODULE: &str = "
.extern .func e();
.func f();
.func g() { call f; ret; }
.func f() { call g; call e; call.uni g; ret; }
.visible .entry k() { call f; call f; ret; }
";

    fn show(fixture: &Fixture, calls: &[Calls]) -> String {
        let line = |calls: &Calls| {
            let places: Vec<String> = calls.places.iter().map(|position| fixture.show(*position)).collect();
            let CallItem { name, kind, detail, target } = &calls.item;
            format!("{name} {kind:?} ({detail}) {} by {}\n", fixture.show(target.focus), places.join(" "))
        };
        calls.iter().map(line).collect()
    }

    const KERNELS: &str = "
.kernel first
    call twice
    loop
        call twice
        break p0
    endloop
    halt
twice:
    call once
once:
    iadd r0, r0, r0
    return
.end
.kernel second
    call other
    call once
    halt
other: return
.end
";

    fn check(question: impl Fn(&Analysis) -> Answer<Vec<Calls>>, expect: Expect) {
        check_in(MODULE, question, expect);
    }

    fn check_in(source: &str, question: impl Fn(&Analysis) -> Answer<Vec<Calls>>, expect: Expect) {
        let (fixture, analysis) = open(source);
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
    fn functions_of_wave_are_labels() {
        check_in(
            KERNELS,
            |analysis| analysis.incoming_calls(FILE, "twice"),
            expect![[r#"
            first Kernel (kernel) 2:`first` by 3:`twice` 5:`twice`
        "#]],
        );
        check_in(
            KERNELS,
            |analysis| analysis.incoming_calls(FILE, "once"),
            expect![[r#"
            twice Function (function in first) 9:`twice` by 10:`once`
            second Kernel (kernel) 15:`second` by 17:`once`
        "#]],
        );
        check_in(
            KERNELS,
            |analysis| analysis.outgoing_calls(FILE, "first"),
            expect![[r#"
            twice Function (function in first) 9:`twice` by 3:`twice` 5:`twice`
        "#]],
        );
        check_in(
            KERNELS,
            |analysis| analysis.outgoing_calls(FILE, "second"),
            expect![[r#"
            other Function (function in second) 19:`other` by 16:`other`
            once Function (function in first) 11:`once` by 17:`once`
        "#]],
        );
        check_in(
            KERNELS,
            |analysis| analysis.outgoing_calls(FILE, "twice"),
            expect![[r#"
            once Function (function in first) 11:`once` by 10:`once`
        "#]],
        );
        let (fixture, analysis) = open(&KERNELS.replacen("call once", "call once\n          |", 1));
        let item = analysis.call_item(FILE, fixture.cursor()).unwrap().expect("a label");
        assert_eq!((item.name.as_str(), item.kind), ("once", SymbolKind::Function));
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
