//! Edits of declarations that other items use: only those items are checked again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use text_size::{TextRange, TextSize};
use warplens_syntax::ptx::LANGUAGE;

use crate::analysis::AnalysisHost;
use crate::fixture::FILE;

/// Items that use each other in every possible way: calls, tables of functions, aliases, addresses, ranges of variables,
/// branches.
const ITEMS: [&str; 14] = [
    ".global .u32 total;",
    ".const .u32 part<3>;",
    ".shared .b8 tile[40000];",
    ".func f(.param .b32 x) { ret; }",
    ".func g(.param .b32 x);",
    ".func (.param .b32 r) h() { st.param.b32 [r], 1; ret; }",
    ".func i(.param .b32 x); .alias i, f;",
    ".global .u64 table[2] = { f, f };",
    ".func dead() .noreturn { trap; }",
    ".func sums() { .reg .b32 %r<4>; ld.const.u32 %r1, [part1]; ld.const.u32 %r2, [part2]; ret; }",
    ".entry calls() { .param .b32 a; call f, (a); call g, (a); call i, (a); ret; }",
    ".entry jumps() { .param .b32 a; .reg .b64 %rd; mov.u64 %rd, f; call %rd, (a), table; ret; }",
    ".entry reads() { .reg .b32 %r<4>; ld.global.u32 %r1, [total]; ld.shared.u32 %r2, [tile]; ret; }",
    ".entry ends() { call dead; }",
];

/// Words that occur in declarations, which replace each other.
const WORDS: [&str; 18] = [
    "total",
    "part",
    "tile",
    "f",
    "g",
    "h",
    "i",
    "table",
    "dead",
    "sums",
    "calls",
    "reads",
    "part1",
    "<3>",
    "<1>",
    ".noreturn",
    ".b32",
    ".u64",
];

/// An edit of one item.
#[derive(Debug, Clone)]
enum Step {
    /// Replaces the first occurrence of a word with another word.
    Word(usize, usize, usize),
    /// Removes the item.
    Remove(usize),
    /// Inserts one of `ITEMS` before the item.
    Insert(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let line = 0..ITEMS.len() + 4;
    prop_oneof![
        4 => (line.clone(), 0..WORDS.len(), 0..WORDS.len()).prop_map(|(at, old, new)| Step::Word(at, old, new)),
        1 => line.clone().prop_map(Step::Remove),
        1 => (line, 0..ITEMS.len()).prop_map(|(at, item)| Step::Insert(at, item)),
    ]
}

fn apply(step: &Step, lines: &mut Vec<String>) {
    match *step {
        Step::Word(at, old, new) => {
            let Some(line) = lines.get_mut(at) else { return };
            *line = line.replacen(WORDS[old], WORDS[new], 1);
        }
        Step::Remove(at) if at < lines.len() => drop(lines.remove(at)),
        Step::Insert(at, item) if at <= lines.len() => lines.insert(at, ITEMS[item].into()),
        Step::Remove(_) | Step::Insert(..) => {}
    }
}

fn text_of(lines: &[String]) -> String {
    format!(".version 8.0\n.target sm_80\n.address_size 64\n{}\n", lines.join("\n"))
}

/// Gives the document another text by editing only the part that differs.
fn edit_to(host: &mut AnalysisHost, new: &str) {
    let old = host.text(FILE).unwrap();
    let before = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let most = old.len().min(new.len()) - before;
    let after =
        old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(old, new)| old == new).count();
    let size = |bytes: usize| TextSize::try_from(bytes).unwrap();
    let range = TextRange::new(size(before), size(old.len() - after));
    host.edit(FILE, range, &new[before..new.len() - after]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn edits_of_declarations_are_found_by_all_that_use_them(steps in prop::collection::vec(step(), 1..12)) {
        let mut lines = ITEMS.map(String::from).to_vec();
        let mut host = AnalysisHost::new();
        host.open(FILE, LANGUAGE, &text_of(&lines));
        host.snapshot().diagnostics(FILE).unwrap();
        for step in &steps {
            apply(step, &mut lines);
            edit_to(&mut host, &text_of(&lines));
            let mut fresh = AnalysisHost::new();
            fresh.open(FILE, LANGUAGE, &text_of(&lines));
            prop_assert_eq!(
                host.snapshot().diagnostics(FILE).unwrap(),
                fresh.snapshot().diagnostics(FILE).unwrap(),
                "after {:?}", step
            );
        }
    }
}

#[test]
fn the_items_are_valid() {
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &text_of(&ITEMS.map(String::from)));
    assert_eq!(host.snapshot().diagnostics(FILE).unwrap(), Vec::new());
}

/// How many values the diagnostics validate or compute after an edit of a header, in a file with `kernels` kernels.
fn work_after(edit: (&str, &str), kernels: usize) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let mut host = AnalysisHost::observed(move |event| {
        if matches!(
            event.kind,
            salsa::EventKind::WillExecute { .. } | salsa::EventKind::DidValidateMemoizedValue { .. }
        ) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    let lines: Vec<String> =
        (0..kernels).map(|index| format!(".entry k{index}() {{ ret; }} // one of many\n")).collect();
    host.open(FILE, LANGUAGE, &text_of(&lines));
    host.snapshot().diagnostics(FILE).unwrap();
    let text = host.text(FILE).unwrap().replacen(edit.0, edit.1, 1);
    edit_to(&mut host, &text);
    count.store(0, Ordering::Relaxed);
    host.snapshot().diagnostics(FILE).unwrap();
    count.load(Ordering::Relaxed)
}

#[test]
fn other_groups_of_kernels_are_only_validated() {
    for edit in
        [("k70()", "k70z()"), ("k70()", "k70(.param .b32 x)"), ("k70()", "z() { ret; }\n.entry k70()")]
    {
        let (few, many) = (work_after(edit, 1 << 10), work_after(edit, 1 << 12));
        // A group has 64 kernels and a few queries.
        assert!(many - few < (3 << 10) / 64 * 10, "{edit:?}: {few} and {many}");
    }
}
