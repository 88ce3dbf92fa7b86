//! Edits: after an edit the item list equals the list of the edited text, and little text was scanned for it.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use warplens_syntax::{
    EditSummary, ItemGroup, ItemList, Language, Parse, SyntaxKind, TextRange, TextSize, parse_file,
    parse_item, reparse_item,
};

const REDUCE: &str = include_str!("fixtures/reduce.ptx");
const WAVE: &str = include_str!("fixtures/scan.wave");
const LISTING: &str = include_str!("fixtures/listing.sass");

const LANGUAGES: [Language; 3] =
    [warplens_syntax::ptx::LANGUAGE, warplens_syntax::wave::LANGUAGE, warplens_syntax::sass::LANGUAGE];

/// Text that changes where things end.
const SNIPPETS: &[&str] = &[
    "",
    "x",
    "\n",
    ";",
    "{",
    "}",
    "\"",
    "/*",
    "*/",
    "/",
    "*",
    "//",
    "#",
    "# 5 \"a\"",
    "\n//--------------------- .text.f   -----\n",
    ".section .text.k,\"ax\"\n",
    "Function : f\n",
    "\n/*0040*/ ",
    "> ",
    " /* 0x000fe40000000f00 */\n",
    "IADD R1, R2 ",
    ".",
    ".entry",
    ".visible",
    ".visible .entry k() {",
    "\n.entry k() { ret; }\n",
    "\n.func f",
    "\n.version 8.0",
    ".target",
    ".loc 1 2 3\n{",
    ".section .debug_str {",
    "@@DWARF x\n",
    "(",
    ")",
    ":",
    ",",
    "= {",
    "L:",
    "{%r1,",
    ".reg .u32 x;",
    ".pragma \"a\";",
    ".kernel k\n",
    ".end\n",
    "é",
    "\r\n",
    "%r1",
    " ",
];

/// Applies an edit and checks that the list equals a fresh one of the same text, and that all other items
/// kept their allocation.
fn check_edit(language: Language, list: &mut ItemList, range: TextRange, insert: &str) -> EditSummary {
    let before = list.clone();
    let mut text = list.text();
    text.replace_range(usize::from(range.start())..usize::from(range.end()), insert);

    let summary = list.edit(range, insert);

    assert_eq!(list.text(), text);
    let fresh = ItemList::new(language, &text);
    assert!(list.iter().eq(fresh.iter()), "{text:?}");
    if (summary.removed, summary.inserted) == (1, 1) {
        assert!(before.range_of(summary.first).contains_range(range), "the edit is in the one item");
    }
    for index in 0..=list.len() {
        assert_eq!(list.start_of(index), fresh.start_of(index));
    }
    let (first, removed, inserted) = (summary.first, summary.removed, summary.inserted);
    let kept = before.iter().take(first).chain(before.iter_from(first + removed));
    let keeps = list.iter().take(first).chain(list.iter_from(first + inserted));
    assert!(kept.zip(keeps).all(|(old, new)| Arc::ptr_eq(&old.text, &new.text)));
    check_groups(&before, list, summary);
    summary
}

/// Checks that the groups hold the items, each group has its own number, and groups that the edit does not
/// touch are unchanged.
fn check_groups(before: &ItemList, list: &ItemList, summary: EditSummary) {
    assert!(list.groups().iter().flat_map(|group| &*group.items).eq(list.iter()));
    let mut ids: Vec<u32> = list.groups().iter().map(|group| group.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), list.groups().len());
    assert!(list.groups().iter().all(|group| !group.items.is_empty()));
    assert!((0..list.len()).all(|index| list.iter_from(index).next() == list.get(index)));
    assert_eq!(list.get(list.len()), None);
    let is_kept = |group: &ItemGroup| {
        list.groups().iter().any(|other| other.id == group.id && Arc::ptr_eq(&other.items, &group.items))
    };
    let replaced = before.groups().iter().filter(|group| !is_kept(group));
    // The groups of the first and the last replaced item, and those between.
    assert!(replaced.count() <= summary.removed.max(1) + 1);
}

/// Checks that parsing the whole file gives the same as parsing each item.
fn check_parse(language: Language, list: &ItemList) {
    let whole = parse_file(language, &list.text());
    assert_eq!(whole.green().to_string(), list.text());
    let children: Vec<_> = whole.syntax().children().collect();
    assert_eq!(children.len(), list.len());
    let mut errors = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let parse = parse_item(language, &item.text);
        assert!(*children[index].green() == **parse.green());
        errors.extend(
            parse.errors().iter().map(|error| (error.range + list.start_of(index), error.message.clone())),
        );
    }
    let expected: Vec<_> = whole.errors().iter().map(|error| (error.range, error.message.clone())).collect();
    assert_eq!(errors, expected);
}

/// The offset in `text` at this fraction of its length, moved back to the start of a character.
fn place(text: &str, fraction: f64) -> usize {
    let mut place = (text.len() as f64 * fraction) as usize;
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

fn edits() -> impl Strategy<Value = Vec<(f64, usize, usize)>> {
    prop::collection::vec(
        (0.0..1.0f64, 0..SNIPPETS.len(), prop_oneof![4 => Just(0usize), 2 => 1..4usize, 1 => 4..400usize]),
        1..12,
    )
}

fn check_edits(language: Language, source: &str, edits: &[(f64, usize, usize)]) {
    let mut list = ItemList::new(language, source);
    for (fraction, snippet, length) in edits {
        let text = list.text();
        let start = place(&text, *fraction);
        let mut end = (start + length).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let range = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        check_edit(language, &mut list, range, SNIPPETS[*snippet]);
    }
    check_parse(language, &list);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_of_ptx_without_block_comments(edits in edits()) {
        check_edits(warplens_syntax::ptx::LANGUAGE, &without_block_comments(REDUCE), &edits);
    }

    #[test]
    fn random_edits_of_ptx(edits in edits()) {
        check_edits(warplens_syntax::ptx::LANGUAGE, REDUCE, &edits);
    }

    #[test]
    fn random_edits_of_a_long_body(edits in edits()) {
        check_edits(warplens_syntax::ptx::LANGUAGE, &long_kernel(), &edits);
    }

    #[test]
    fn random_edits_of_wave(edits in edits()) {
        check_edits(warplens_syntax::wave::LANGUAGE, WAVE, &edits);
    }

    #[test]
    fn random_edits_of_a_listing(edits in edits()) {
        check_edits(warplens_syntax::sass::LANGUAGE, LISTING, &edits);
    }

    #[test]
    fn files_made_of_snippets(pieces in prop::collection::vec((0..SNIPPETS.len(), any::<bool>()), 0..40), edits in edits()) {
        let joined = pieces.iter().map(|(piece, line)| SNIPPETS[*piece].to_owned() + if *line { "\n" } else { " " });
        let text: String = joined.collect();
        for language in LANGUAGES {
            check_parse(language, &ItemList::new(language, &text));
            check_edits(language, &text, &edits);
        }
    }

    #[test]
    fn any_text_is_kept(text in "\\PC*", edits in edits()) {
        for language in LANGUAGES {
            check_parse(language, &ItemList::new(language, &text));
            check_edits(language, &text, &edits);
        }
    }

    #[test]
    fn random_edits_of_many_items(count in 100..600usize, edits in edits(), pasted in 0..300usize) {
        let declarations = |name: &str, count: usize| -> String {
            (0..count).map(|index| format!(".global .b32 {name}{index};\n")).collect()
        };
        let text = declarations("g", count);
        check_edits(warplens_syntax::ptx::LANGUAGE, &text, &edits);
        let mut list = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
        for (fraction, _, length) in &edits {
            let from = list.start_of((fraction * list.len() as f64) as usize);
            let end = (from + TextSize::new(10 * *length as u32)).min(list.text_len());
            check_edit(warplens_syntax::ptx::LANGUAGE, &mut list, TextRange::new(from, end), &declarations("p", pasted));
        }
    }

    #[test]
    fn any_ascii_is_kept(text in "[ -~\\n\\t]{0,200}") {
        for language in LANGUAGES {
            check_parse(language, &ItemList::new(language, &text));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(40), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_of_corpus_files(file in any::<prop::sample::Index>(), edits in edits()) {
        let text = std::fs::read(file.get(&corpus_files())).unwrap();
        check_edits(warplens_syntax::ptx::LANGUAGE, &String::from_utf8_lossy(&text), &edits);
    }
}

/// Small files of the corpora.
fn corpus_files() -> Vec<PathBuf> {
    let folders = ["generated", "llc", "public"];
    let folders =
        warplens_test_support::corpora("ptx").into_iter().flat_map(|root| folders.map(|it| root.join(it)));
    let entries = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> =
        paths.filter(|path| path.metadata().is_ok_and(|data| data.len() < 60_000)).collect();
    files.sort();
    files
}

fn without_block_comments(text: &str) -> String {
    text.split("/*")
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once("*/").unwrap().1 })
        .collect()
}

/// Fifty kernels, and the summary of inserting `insert` in the middle of the 25th.
fn edit_in_the_middle(insert: &str) -> (ItemList, EditSummary) {
    let kernel = &REDUCE[REDUCE.find(".visible .entry").unwrap()..];
    let kernels = |number: usize| kernel.replace("reduce(", &format!("reduce_{number}("));
    let text: String = (0..50).map(kernels).collect();
    let mut list = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
    let at = text.find(".entry reduce_25(").unwrap();
    let at = at + text[at..].find("mov.f32").unwrap();
    let summary = check_edit(
        warplens_syntax::ptx::LANGUAGE,
        &mut list,
        TextRange::empty(TextSize::new(at as u32)),
        insert,
    );
    (list, summary)
}

#[test]
fn an_edit_in_a_body_looks_at_one_item() {
    for insert in ["x", "\n", ";", "{", "\"", ".reg .u32 x;", "// "] {
        let (list, summary) = edit_in_the_middle(insert);
        assert_eq!((summary.removed, summary.inserted), (1, 1), "{insert:?}");
        let length = list[summary.first].text.len();
        assert!(
            summary.relexed_bytes <= 3 * length + 64,
            "{insert:?}: {} of {length}",
            summary.relexed_bytes
        );
    }
}

#[test]
fn a_comment_that_loses_its_end_extends_to_the_next_one() {
    let statements = "mov.u32 %r1, 0;\n".repeat(300);
    let text = format!(".entry a()\n{{\n{statements}// x */\n}}\n.entry b()\n{{\n/* y */ ret;\n}}\n");
    let mut list = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
    let mut edit = |at: usize, length: u32, insert: &str| {
        let range = TextRange::at(TextSize::new(at as u32), length.into());
        check_edit(warplens_syntax::ptx::LANGUAGE, &mut list, range, insert)
    };
    let open = text.find("mov").unwrap() + 16;
    let close = text.find("*/").unwrap();
    edit(open, 0, "/*");
    // Without its end, the comment extends to the end of the next one.
    let summary = edit(close + 2, 2, "");
    assert_eq!(summary.removed, 2);
}

#[test]
fn an_edit_that_ends_a_body_looks_at_few_items() {
    for insert in ["}", "\n.entry k() { ret; }\n", "\n.version 8.0\n"] {
        let (list, summary) = edit_in_the_middle(insert);
        assert!(summary.removed <= 2 && summary.inserted <= 4, "{insert:?}: {summary:?}");
        let length = list[25].text.len().max(REDUCE.len());
        assert!(summary.relexed_bytes <= 4 * length, "{insert:?}: {} of {length}", summary.relexed_bytes);
    }
}

#[test]
fn a_comment_without_end_stays_on_its_line() {
    let text = "// a\n.entry a() {\n ret;\n}\n.entry b() {\n ret;\n}\n";
    let mut list = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    let names = |list: &ItemList| -> Vec<_> { list.iter().map(|item| item.name.clone()).collect() };
    let before = names(&list);
    let open = TextRange::empty(TextSize::new(text.find(" ret").unwrap() as u32));
    check_edit(warplens_syntax::ptx::LANGUAGE, &mut list, open, "/*");
    assert_eq!(names(&list), before);
    let close = TextRange::empty(list.text_len());
    check_edit(warplens_syntax::ptx::LANGUAGE, &mut list, close, "*/");
    assert_eq!(list[0].name.as_deref(), Some("a"));
    assert!(list[0].text.ends_with("*/"), "the comment now takes what follows");
}

#[test]
fn edits_out_of_range_are_moved_into_it() {
    let mut list = ItemList::new(warplens_syntax::ptx::LANGUAGE, ".version 8.5 // é\n");
    list.edit(TextRange::new(TextSize::new(500), TextSize::new(600)), ".target sm_90");
    assert_eq!(list.text(), ".version 8.5 // é\n.target sm_90");
    let inside = TextSize::new(17);
    list.edit(TextRange::empty(inside), "x");
    assert_eq!(list.text(), ".version 8.5 // xé\n.target sm_90");
}

/// The number of cases to try; `PROPTEST_CASES` overrides it.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// A kernel of more than 64 KB whose statements differ.
fn long_kernel() -> String {
    let body = REDUCE.split_once("{\n\t.reg .pred \t%p<4>;").unwrap().1.rsplit_once('}').unwrap().0;
    let part =
        |number: usize| body.replace("%r", &format!("%r{number}")).replace("$L", &format!("$L{number}"));
    let body: String = (0..75).map(part).collect();
    format!("// A long one.\n.entry long(.param .u64 values) {{\n.reg .pred %p<4>;{body}}}\n")
}

fn check_reparse(old_text: &str, range: std::ops::Range<usize>, insert: &str) -> bool {
    let old = parse_item(warplens_syntax::ptx::LANGUAGE, old_text);
    let chunks = |parse: &Parse| -> Vec<_> {
        let chunks = parse.syntax().descendants().filter(|node| node.kind() == SyntaxKind::CHUNK);
        chunks.map(|chunk| std::ptr::from_ref::<rowan::GreenNodeData>(chunk.green())).collect()
    };
    // An editor has requested it, so it is kept up to date.
    let (_kept, old_chunks) = (old.green().clone(), chunks(&old));
    let mut text = old_text.to_owned();
    text.replace_range(range.clone(), insert);
    // If something else holds the parse, its tree is copied.
    let held = text.len().is_multiple_of(2).then(|| old.clone());
    let reparsed = reparse_item(warplens_syntax::ptx::LANGUAGE, old, &text.as_str().into(), None);
    drop(held);
    let fresh = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
    assert_eq!(reparsed.errors(), fresh.errors(), "{range:?} {insert:?}");
    assert!(reparsed.green() == fresh.green(), "{range:?} {insert:?}");
    let (old, new) = (old_chunks, chunks(&reparsed));
    old.len() == new.len() && old.iter().zip(&new).filter(|(old, new)| old != new).count() <= 1
}

#[test]
fn an_edit_in_a_long_body_parses_one_chunk() {
    let text = long_kernel();
    assert!(text.len() > 64 * 1024);
    let places: Vec<_> = text.match_indices("setp.ne").map(|(place, _)| place).collect();
    let local = places.iter().filter(|place| check_reparse(&text, **place..**place + 4, "set")).count();
    assert!(local * 10 > places.len() * 9, "{local} of {} edits stayed in their chunk", places.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(40), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_in_a_long_body(fraction in 0.0..1.0f64, snippet in 0..SNIPPETS.len(), length in 0..30usize) {
        let text = long_kernel();
        let start = place(&text, fraction);
        let end = (start + length).min(text.len());
        check_reparse(&text, start..end, SNIPPETS[snippet]);
    }

    #[test]
    fn successive_edits_in_a_long_body(edits in prop::collection::vec((0.0..1.0f64, 0..SNIPPETS.len(), 0..30usize), 2..6)) {
        let mut text = long_kernel();
        let mut parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
        for (fraction, snippet, length) in edits {
            let start = place(&text, fraction);
            let end = (start + length).min(text.len());
            text.replace_range(start..end, SNIPPETS[snippet]);
            parse = reparse_item(warplens_syntax::ptx::LANGUAGE, parse, &text.as_str().into(), None);
            let fresh = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
            prop_assert_eq!(parse.errors(), fresh.errors(), "{}..{} {:?}", start, end, SNIPPETS[snippet]);
            prop_assert!(parse.green() == fresh.green(), "{}..{} {:?}", start, end, SNIPPETS[snippet]);
        }
    }

    #[test]
    fn random_edits_of_the_name_of_a_long_item(start in 0..8usize, length in 0..6usize, inserted in "[a-z0-9_$%.(){ /]{0,2}") {
        let text = long_kernel();
        let start = text.find("long(").unwrap() - 2 + start;
        check_reparse(&text, start..start + length, &inserted);
    }
}

/// Edits statements in a function with an unclosed block. The error is found at the end of the body, but points
/// at a `{` that may be outside the edited chunk.
#[test]
fn a_missing_brace_is_reported_after_edits_of_other_statements() {
    let text = long_kernel();
    let statements: Vec<_> = text.match_indices("\tsetp.ne").map(|(place, _)| place).collect();
    for (open, edited) in [(2, 70), (60, 62), (72, 73), (73, 10)] {
        let mut text = text.clone();
        text.insert(statements[open], '{');
        let mut parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
        for _ in 0..2 {
            text.insert(statements[edited] + 3, 'q');
            parse = reparse_item(warplens_syntax::ptx::LANGUAGE, parse, &text.as_str().into(), None);
            let messages: Vec<_> = parse.errors().iter().map(|error| error.message.as_str()).collect();
            assert!(messages.iter().any(|message| message.starts_with("missing `}`")), "{messages:?}");
        }
    }
}
