//! Typing in one item runs no query about another item.

mod declarations;
mod long_functions;
mod workers;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use text_size::{TextRange, TextSize};
use warplens_syntax::Language;

use crate::analysis::{Analysis, AnalysisHost};
use crate::fixture::FILE;

/// A host that records every query it runs.
struct Observed {
    host: AnalysisHost,
    runs: Arc<Mutex<Vec<String>>>,
}

impl Observed {
    fn new(language: Language, text: &str) -> Observed {
        let runs = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&runs);
        let mut host = AnalysisHost::observed(move |event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                log.lock().unwrap().push(format!("{database_key:?}"));
            }
        });
        host.open(FILE, language, text);
        Observed { host, runs }
    }

    /// Requests everything, and returns how often each query ran.
    fn ask_everything(&mut self) -> String {
        self.runs.lock().unwrap().clear();
        let analysis = self.host.snapshot();
        everything(&analysis);
        let mut counts = BTreeMap::new();
        for run in self.runs.lock().unwrap().iter() {
            let name = run.split('(').next().unwrap_or(run).to_owned();
            *counts.entry(name).or_insert(0) += 1;
        }
        counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect()
    }

    fn edit(&mut self, find: &str, replace: &str) {
        let text = self.host.text(FILE).unwrap();
        let start = TextSize::try_from(text.find(find).unwrap()).unwrap();
        self.host.edit(FILE, TextRange::at(start, TextSize::of(find)), replace).unwrap();
    }
}

/// The results of all features that look at the whole file.
fn everything(analysis: &Analysis) -> String {
    let diagnostics = analysis.diagnostics(FILE).unwrap();
    let symbols = analysis.symbols(FILE).unwrap();
    let folds = analysis.folds(FILE).unwrap();
    let tokens = analysis.tokens(FILE).unwrap();
    format!("{diagnostics:#?}\n{symbols:#?}\n{folds:#?}\n{tokens:#?}")
}

/// Nine items: two directives, a variable, three functions, and three kernels that call them.
const MODULE: &str = "
.version 8.0
.target sm_80
.global .u32 total;
.func f() { ret; }
.func g() { call f; ret; }
.func h() { call g; ret; }
.entry a() { .reg .b32 %r<4>; call f; ld.global.u32 %r1, [total]; ret; }
.entry b() { .reg .b32 %r<4>; mov.u32 %r1, 1; ret; }
.entry c() { .reg .b32 %r<4>; call h; ret; }
";

/// How often each query runs after edits.
fn runs_after(language: Language, text: &str, edits: &[(&str, &str)]) -> String {
    let mut observed = Observed::new(language, text);
    observed.ask_everything();
    for (find, replace) in edits {
        observed.edit(find, replace);
    }
    observed.ask_everything()
}

fn check_edit(find: &str, replace: &str, expect: Expect) {
    expect.assert_eq(&runs_after(warplens_syntax::ptx::LANGUAGE, MODULE, &[(find, replace)]));
}

/// An edit inside a body: the queries about its item and about the group of items run once.
fn check_body_edit(find: &str, replace: &str) {
    check_edit(
        find,
        replace,
        expect![[r#"
            cross_item_uses 1
            group_headers 1
            group_lints 1
            group_problems 1
            group_uses 1
            item_folds 1
            item_groups 1
            item_symbols 1
            items_of 1
        "#]],
    );
}

/// An edit of a declaration, after which there are `items` items. The queries about the module run too, and of the queries about other
/// items only those that take their headers from the group.
fn check_header_edit(find: &str, replace: &str, items: usize) {
    let ran = runs_after(warplens_syntax::ptx::LANGUAGE, MODULE, &[(find, replace)])
        .replace(&format!("ptx_header {items}"), "ptx_header of every item");
    let expected = expect![[r#"
        cross_item_uses 1
        group_headers 1
        group_lints 1
        group_problems 1
        group_uses 1
        item_folds 1
        item_groups 1
        item_symbols 1
        items 1
        items_of 1
        items_that_use_names 1
        module_names 1
        module_problems 1
        module_target 1
        module_variable 4
        never_returns 1
        ptx_header of every item
        symbol_group 1
    "#]];
    expected.assert_eq(&ran);
}

#[test]
fn at_first_every_query_runs_once_for_each_item_or_group() {
    let mut observed = Observed::new(warplens_syntax::ptx::LANGUAGE, MODULE);
    expect![[r#"
        cross_item_uses 1
        group_headers 1
        group_lints 1
        group_problems 1
        group_uses 1
        item_folds 10
        item_groups 1
        item_symbols 10
        items 1
        items_of 1
        items_that_use_names 1
        module_names 1
        module_problems 1
        module_target 1
        module_variable 4
        never_returns 1
        ptx_header 10
        symbol_group 1
    "#]]
    .assert_eq(&observed.ask_everything());
    assert_eq!(observed.ask_everything(), "", "and then none");
}

#[test]
fn typing_in_a_body_runs_the_queries_of_its_item_only() {
    check_body_edit("mov.u32 %r1, 1;", "mov.u32 %r1, 12;");
    check_body_edit("mov.u32 %r1, 1;", "movv.u32 %r1, 1;");
    check_body_edit("mov.u32 %r1, 1;", "\n\n// longer\n mov.u32 %r1, 1;");
    check_body_edit("mov.u32 %r1, 1;", "mov.u32 %r1, [;");
}

#[test]
fn typing_in_one_group_checks_no_other() {
    let kernels: String = (0..300).map(|number| format!(".entry k{number}() {{ ret; }}\n")).collect();
    let mut observed = Observed::new(warplens_syntax::ptx::LANGUAGE, &format!("{MODULE}{kernels}"));
    let groups = |ran: &str| -> String {
        ran.lines().filter(|line| line.contains("group")).map(|line| format!("{line}\n")).collect()
    };
    expect![[r#"
        group_headers 5
        group_lints 5
        group_problems 5
        group_uses 5
        item_groups 1
        symbol_group 5
    "#]]
    .assert_eq(&groups(&observed.ask_everything()));
    observed.edit("mov.u32 %r1, 1;", "mov.u32 %r1, 12;");
    expect![[r#"
        group_headers 1
        group_lints 1
        group_problems 1
        group_uses 1
        item_groups 1
    "#]]
    .assert_eq(&groups(&observed.ask_everything()));
    observed.edit(".entry k200()", ".entry k_200()");
    expect![[r#"
        group_headers 1
        group_lints 1
        group_problems 1
        group_uses 1
        item_groups 1
        symbol_group 1
    "#]]
    .assert_eq(&groups(&observed.ask_everything()));
}

#[test]
fn renaming_a_kernel_runs_no_query_of_other_items() {
    check_header_edit(".entry b()", ".entry b2()", 10);
}

#[test]
fn renaming_a_function_that_others_call_runs_no_query_of_theirs() {
    check_header_edit(".func f()", ".func f2()", 10);
}

#[test]
fn a_new_item_runs_only_its_own() {
    check_header_edit(".entry b()", ".entry n() { ret; }\n.entry b()", 11);
}

#[test]
fn open_braces_quotes_and_comments_stay_inside() {
    check_body_edit("mov.u32 %r1, 1;", "{ mov.u32 %r1, 1;");
    check_body_edit("mov.u32 %r1, 1;", "\" mov.u32 %r1, 1;");
    check_edit(
        "mov.u32 %r1, 1;",
        "/* mov.u32 %r1, 1;",
        expect![[r#"
            cross_item_uses 1
            group_headers 1
            group_lints 1
            group_problems 1
            group_uses 1
            item_folds 2
            item_groups 1
            item_symbols 2
            items_of 1
            items_that_use_names 1
            module_problems 1
            ptx_header 10
            symbol_group 1
        "#]],
    );
}

#[test]
fn wave_kernels_are_apart_too() {
    let file = "
.kernel a
    mov_imm r1, 1
    halt
.end
.kernel b
    mov_imm r2, 2
    halt
.end
";
    // Renaming a kernel creates a new item.
    for (edit, items) in
        [(("mov_imm r1, 1", "mov_imm r1, 17"), ""), ((".kernel a", ".kernel c"), "items 1\n")]
    {
        let ran = runs_after(warplens_syntax::wave::LANGUAGE, file, &[edit]);
        let of_group = "group_lints 1\ngroup_problems 1\ngroup_uses 1\n";
        let of_item = "item_folds 1\nitem_groups 1\nitem_symbols 1\n";
        assert_eq!(ran, format!("{of_group}{of_item}{items}items_of 1\n"));
    }
}

#[test]
fn a_closed_file_is_forgotten_and_its_place_used_again() {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, MODULE);
    host.close(FILE);
    assert_eq!(host.snapshot().diagnostics(FILE).unwrap(), Vec::new());
    assert_eq!(host.text(FILE), None);
    host.open(warplens_ide_db::FileId(7), warplens_syntax::wave::LANGUAGE, ".kernel k\nnope\n.end\n");
    let found = host.snapshot().diagnostics(warplens_ide_db::FileId(7)).unwrap();
    assert_eq!(found.iter().map(|found| found.code).collect::<Vec<_>>(), ["unknown-instruction"]);
}

/// Items with nothing to report are not checked again, unless something that their checks read has changed.
#[test]
fn checks_follow_the_rest_of_the_file() {
    const TEXT: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 v;
.visible .entry first() {\n\t.reg .b32 %r<2>;\n\tld.global.u32 %r1, [v];\n\tredux.sync.add.s32 %r1, %r1, -1;\n\tst.global.u32 [v], %r1;\n\tret;\n}
.visible .entry second() {\n\tret;\n}\n";
    let mut observed = Observed::new(warplens_syntax::ptx::LANGUAGE, TEXT);
    let codes = |host: &AnalysisHost| -> Vec<_> {
        host.snapshot().diagnostics(FILE).unwrap().iter().map(|found| found.code).collect()
    };
    assert_eq!(codes(&observed.host), [""; 0]);
    for (find, replace) in [
        (".u32 v;", ".u32 w;"),
        (".global .u32 v;", ".const .u32 v;"),
        ("sm_80", "sm_70"),
        ("8.0", "6.0"),
        (".global .u32 v;\n", "\n"),
    ] {
        observed.edit(find, replace);
        let after = codes(&observed.host);
        let mut fresh = AnalysisHost::new();
        fresh.open(FILE, warplens_syntax::ptx::LANGUAGE, &observed.host.text(FILE).unwrap());
        assert_eq!(after, codes(&fresh), "{find} {replace}");
        assert!(!after.is_empty(), "{find} {replace}");
        let whole = TextRange::up_to(TextSize::of(observed.host.text(FILE).unwrap().as_str()));
        observed.host.edit(FILE, whole, TEXT).unwrap();
        assert_eq!(codes(&observed.host), [""; 0]);
        // After a keystroke in another item, the first item is not checked again.
        observed.edit("second() {\n", "second() {\n\n");
        observed.runs.lock().unwrap().clear();
        assert_eq!(codes(&observed.host), [""; 0]);
        let runs =
            observed.runs.lock().unwrap().iter().filter(|run| run.starts_with("group_problems")).count();
        assert_eq!(runs, 1);
        observed.edit("second() {\n\n", "second() {\n");
    }
}

#[test]
fn edits_out_of_range_change_nothing() {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, "// é\n");
    for range in [TextRange::new(4.into(), 5.into()), TextRange::new(2.into(), 99.into())] {
        assert!(host.edit(FILE, range, "x").is_err(), "{range:?}");
        assert_eq!(host.text(FILE).unwrap(), "// é\n");
    }
    assert!(host.edit(warplens_ide_db::FileId(3), TextRange::default(), "x").is_err());
    host.edit(FILE, TextRange::new(3.into(), 5.into()), "e").unwrap();
    assert_eq!(host.text(FILE).unwrap(), "// e\n");
}

#[test]
fn a_cancelled_query_returns_cancelled() {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, MODULE);
    let analysis = host.snapshot();
    analysis.canceller().cancel();
    assert_eq!(analysis.diagnostics(FILE), Err(crate::analysis::Cancelled::ByCaller));
    assert!(analysis.diagnostics(FILE).is_ok(), "the next question is answered");
}

#[test]
fn long_bodies_are_answered_the_same_after_edits() {
    let body = "    add.s32 %r1, %r2, 3;\n".repeat(8000);
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, &format!(".entry k() {{\n.reg .b32 %r<4>;\n{body}}}\n"));
    host.snapshot().diagnostics(FILE).unwrap();
    for (offset, insert) in [(90_000, "x"), (90_001, "\n"), (120_000, "bra L;"), (60_000, "{"), (60_001, "}")]
    {
        let edited = host.edit(FILE, TextRange::empty(offset.into()), insert).unwrap();
        assert!(edited.largest_item > body.len());
        let mut fresh = AnalysisHost::new();
        fresh.open(FILE, warplens_syntax::ptx::LANGUAGE, &host.text(FILE).unwrap());
        assert_eq!(host.snapshot().diagnostics(FILE), fresh.snapshot().diagnostics(FILE));
    }
}

#[test]
fn edits_end_the_questions_of_other_threads() {
    let body = "    add.s32 %r1, %r2, 3;\n".repeat(50);
    let kernel = |number: usize| format!(".entry k{number}() {{\n.reg .b32 %r<4>;\n{body}    ret;\n}}\n");
    let kernels: String = (0..200).map(kernel).collect();
    let text = format!(".version 8.0\n.target sm_90\n{kernels}");
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, &text);
    for number in 0..20 {
        let analysis = host.snapshot();
        let worker = std::thread::spawn(move || analysis.diagnostics(FILE));
        host.edit(FILE, TextRange::empty(TextSize::new(0)), "\n").unwrap();
        let answer = worker.join().expect("a cancelled query does not panic");
        assert!(matches!(answer, Ok(_) | Err(crate::analysis::Cancelled::ByEdit)), "{number}: {answer:?}");
    }
    assert_eq!(host.snapshot().diagnostics(FILE).unwrap(), []);
}

/// Pieces of text that complete or break the structure of a file.
const PIECES: &[&str] = &[
    "",
    "x",
    " ",
    "\n",
    "{",
    "}",
    "(",
    "\"",
    "/*",
    "*/",
    "//",
    ";",
    ",",
    ".entry z() {",
    ".func f();",
    ".global .u32 q;",
    "bra L;",
    "L:",
    "add.s32 %r1, %r2, 3;",
    ".reg .b32 %r<9>;",
    ".visible",
    "@%p",
    "0x",
    ".version 8.0\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// After any edits, the results equal those for a newly opened document with this text.
    #[test]
    fn incremental_answers_equal_fresh_ones(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, 0..PIECES.len()), 1..8)
    ) {
        let mut host = AnalysisHost::new();
        host.open(FILE, warplens_syntax::ptx::LANGUAGE, MODULE);
        for (at, length, piece) in edits {
            let text = host.text(FILE).unwrap();
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            let range = TextRange::new((start as u32).into(), (end as u32).into());
            host.edit(FILE, range, PIECES[piece]).unwrap();
            let incremental = everything(&host.snapshot());
            let mut fresh = AnalysisHost::new();
            fresh.open(FILE, warplens_syntax::ptx::LANGUAGE, &host.text(FILE).unwrap());
            prop_assert_eq!(incremental, everything(&fresh.snapshot()));
        }
    }

    /// No request at any offset of a broken file panics.
    #[test]
    fn no_place_of_a_broken_file_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, 0..PIECES.len()), 1..5),
        place in any::<prop::sample::Index>(),
        is_wave in any::<bool>(),
    ) {
        const WAVE: &str = ".kernel k\n.registers 8\nx: icmp.lt p1, r0, 5\nif !p1\n loop\n break p1\n endloop\nelse\n call x\nendif\nhalt\n.end\n";
        let mut host = AnalysisHost::new();
        let (language, text) = if is_wave { (warplens_syntax::wave::LANGUAGE, WAVE) } else { (warplens_syntax::ptx::LANGUAGE, MODULE) };
        host.open(FILE, language, text);
        for (at, length, piece) in edits {
            let text = host.text(FILE).unwrap();
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            host.edit(FILE, TextRange::new((start as u32).into(), (end as u32).into()), PIECES[piece]).unwrap();
        }
        let offset = TextSize::try_from(place.index(host.text(FILE).unwrap().len() + 1)).unwrap();
        let analysis = host.snapshot();
        everything(&analysis);
        analysis.hover(FILE, offset).unwrap();
        analysis.completions(FILE, offset).unwrap();
        analysis.definition(FILE, offset).unwrap();
        analysis.occurrences(FILE, offset).unwrap();
        let _ = analysis.prepare_rename(FILE, offset).unwrap();
        let _ = analysis.rename(FILE, offset, "name").unwrap();
        analysis.selection(FILE, offset).unwrap();
        analysis.tokens_in(FILE, TextRange::new(offset, offset + TextSize::new(9))).unwrap();
    }
}
