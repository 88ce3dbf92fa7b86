//! The rewrites of WAVE lints keep the semantics: random kernels leave equal values in memory, and in every register that
//! they name, before and after.

mod variants;

use std::fmt::Write;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use warplens_hir::wave::{Code, lower};
use warplens_ide::{AnalysisHost, FileId, Fix};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, Limits, RunOptions, Status};
use warplens_sim_wave::{decode, device_memory, launch_config, run};
use warplens_syntax::parse_file;

const LINTS: [&str; 4] = ["branch-for-select", "branch-for-break", "branch-for-continue", "nested-branch"];

/// The number of registers that kernels name, apart from those that rewrites use.
const NAMED: usize = 9;

/// The fixes that lints offer for a text.
fn offers(text: &str) -> Vec<(&'static str, Fix)> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::wave::LANGUAGE, text);
    let found = host.snapshot().diagnostics(FileId(0)).expect("not edited");
    let lints = found.into_iter().filter(|found| LINTS.contains(&found.code));
    lints.flat_map(|found| found.fixes.into_iter().map(move |fix| (found.code, fix))).collect()
}

/// Messages with their severity. Hints are not mistakes.
fn mistakes(text: &str) -> Vec<String> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::wave::LANGUAGE, text);
    let found = host.snapshot().diagnostics(FileId(0)).expect("not edited");
    let is_mistake = |found: &warplens_ide::Diagnostic| found.severity < warplens_ide::Severity::Hint;
    let mut messages: Vec<String> = found.into_iter().filter(is_mistake).map(|found| found.message).collect();
    messages.sort();
    messages
}

fn code(text: &str) -> Code {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    assert!(file.errors().is_empty(), "{:?}\n{text}", file.errors());
    lower(file.items().next().expect("a kernel"))
}

/// The value of a register in each lane.
type Lanes = Vec<Option<u128>>;

/// The final memory and the values of the named registers; `None` if the kernel does not finish.
fn outcome(text: &str, width: u32) -> Option<(Vec<u8>, Vec<Lanes>)> {
    let launch = LaunchConfig {
        registers: vec![(0, 3), (2, 40)],
        memory: device_memory(256),
        ..launch_config([2, 1, 1], [width + 3, 1, 1], width)
    };
    let limits = Limits { max_steps: 20_000, ..Limits::default() };
    let options = RunOptions { limits, registers: true, ..RunOptions::default() };
    let result = run(&decode(&code(text)), launch, &options, Control::none()).expect("not cancelled");
    let named = |name: &str| (0..NAMED).any(|index| name == format!("r{index}"));
    let registers = result.warps.iter().flat_map(|warp| warp.registers.iter().flatten());
    let registers = registers.filter(|register| named(&register.name)).map(|register| register.lanes.clone());
    let memory = result.memory.bytes(0, 256).expect("that much was asked for").to_vec();
    (result.status == Status::Finished).then(|| (memory, registers.collect()))
}

/// The comments of a text, in order.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(line.split_once(';')?.1.trim())).collect()
}

/// Applies all fixes that are offered, one after another. Also applies each alone, and checks the result.
/// Returns the number of fixes.
fn hold(text: &str, width: u32) -> usize {
    let Some(before) = outcome(text, width) else { return 0 };
    let mut last = text.to_owned();
    let mistakes_before = mistakes(text);
    let mut count = 0;
    while let Some((lint, fix)) = offers(&last).into_iter().next() {
        for (lint, fix) in offers(&last) {
            let now = fix.applied(&last);
            assert!(outcome(&now, width).as_ref() == Some(&before), "{lint}\n{last}\n=>\n{now}");
            assert_eq!(comments(&now), comments(&last), "{lint} lost a comment\n{last}\n=>\n{now}");
            let mut new = mistakes(&now);
            new.retain(|messages| !mistakes_before.contains(messages));
            assert!(new.is_empty(), "{lint}: {new:?}\n{last}\n=>\n{now}");
        }
        last = fix.applied(&last);
        count += 1;
        assert!(count < 200, "{lint} has no end\n{last}");
    }
    count
}

#[derive(Clone, Debug)]
enum Statement {
    Plain(String),
    If(String, Vec<Statement>, Option<Vec<Statement>>),
    Loop(Vec<Statement>),
    /// Only occurs in a loop.
    Leave(String),
}

fn register() -> impl Strategy<Value = String> {
    (3..8u32).prop_map(|index| format!("r{index}"))
}

/// Instructions that both dialects have, with the guide's dots.
fn plain() -> impl Strategy<Value = String> {
    let r = register;
    let p = || (0..4u32).prop_map(|index| format!("p{index}"));
    let two = prop::sample::select(&["iadd", "isub", "xor", "imin"][..]);
    let compare = prop::sample::select(&["icmp.lt", "icmp.eq", "ucmp.lt", "fcmp.lt", "fcmp.eq"][..]);
    prop_oneof![
        3 => (r(), 0..4u32).prop_map(|(d, value)| format!("mov_imm {d}, {value}")),
        3 => (r(), r()).prop_map(|(d, a)| format!("mov {d}, {a}")),
        4 => (two, r(), r(), r()).prop_map(|(op, d, a, b)| format!("{op} {d}, {a}, {b}")),
        6 => (compare, p(), r(), r()).prop_map(|(op, d, a, b)| format!("{op} {d}, {a}, {b}")),
        1 => (r(), p(), r(), r()).prop_map(|(d, p, a, b)| format!("select {d}, {p}, {a}, {b}")),
        1 => (r(), r(), r()).prop_map(|(d, a, b)| format!("wave_shuffle {d}, {a}, {b}")),
        1 => (r(), p()).prop_map(|(d, a)| format!("wave_ballot {d}, {a}")),
        1 => (r(), r()).prop_map(|(v, a)| format!("and r8, {a}, r0\nlocal_atomic_add {v}, r8, {v}")),
        1 => (p(), r()).prop_map(|(p, d)| format!("@!{p} mov_imm {d}, 5")),
    ]
}

fn statements(predicate: BoxedStrategy<String>) -> BoxedStrategy<Vec<Statement>> {
    let leave = (prop::sample::select(&["break", "continue"][..]), predicate.clone());
    let leave = leave.prop_map(|(word, p)| Statement::Leave(format!("{word} {p}")));
    // The patterns that lints look for, which would be rare by chance.
    let p = predicate.clone();
    let alone =
        (prop::sample::select(&["break", "continue"][..]), predicate.clone()).prop_map(|(word, p)| {
            let leave = Statement::Leave(format!("{word} {p}"));
            Statement::If(p, vec![leave], None)
        });
    let cheap = |d: String, value: bool, a: String| {
        vec![Statement::Plain(if value { format!("mov_imm {d}, 2") } else { format!("iadd {d}, {a}, {d}") })]
    };
    let sides =
        (predicate.clone(), register(), any::<[bool; 2]>(), register()).prop_map(move |(p, d, [x, y], a)| {
            Statement::If(p, cheap(d.clone(), x, a.clone()), Some(cheap(d, y, a)))
        });
    let leaf = prop_oneof![6 => plain().prop_map(Statement::Plain), 1 => leave, 1 => alone, 2 => sides];
    let statement = leaf.prop_recursive(4, 30, 4, move |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..4);
        let nested =
            (p.clone(), p.clone(), block(), prop::option::of(plain())).prop_map(|(p, q, body, first)| {
                let inner = Statement::If(q, body, None);
                Statement::If(p, first.map(Statement::Plain).into_iter().chain([inner]).collect(), None)
            });
        let wrapped = (block(), p.clone(), block()).prop_map(|(mut first, p, rest)| {
            first.push(Statement::If(p, rest, None));
            Statement::Loop(first)
        });
        prop_oneof![
            2 => (p.clone(), block(), prop::option::of(block()))
                .prop_map(|(p, then, otherwise)| Statement::If(p, then, otherwise)),
            1 => block().prop_map(Statement::Loop),
            1 => nested,
            2 => wrapped,
        ]
    });
    prop::collection::vec(statement, 1..8).boxed()
}

struct Writer {
    out: String,
    loops: usize,
    lines: usize,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        for text in text.lines() {
            self.lines += 1;
            let comment =
                if self.lines.is_multiple_of(3) { format!("   ; {}", self.lines) } else { String::new() };
            writeln!(self.out, "{:indent$}{text}{comment}", "", indent = 4 * (depth + 1))
                .expect("a string takes text");
        }
    }

    fn all(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            match statement {
                Statement::Plain(text) => self.line(depth, text),
                Statement::Leave(_) if self.loops == 0 => {}
                Statement::Leave(text) => self.line(depth, text),
                Statement::If(p, then, otherwise) => {
                    self.line(depth, &format!("if {p}"));
                    self.all(then, depth + 1);
                    if let Some(otherwise) = otherwise {
                        self.line(depth, "else");
                        self.all(otherwise, depth + 1);
                    }
                    self.line(depth, "endif");
                }
                Statement::Loop(body) if self.loops == 2 => self.all(body, depth),
                Statement::Loop(body) => {
                    // A few iterations, counted by a register that no statement writes.
                    let counter = 1 + self.loops;
                    let first = format!(
                        "mov r{counter}, r0\nloop\nisub r{counter}, r{counter}, r30\nicmp.lt p0, r{counter}, r31\nbreak p0"
                    );
                    self.line(depth, &first);
                    self.loops += 1;
                    self.all(body, depth + 1);
                    self.loops -= 1;
                    self.line(depth, "endloop");
                }
            }
        }
    }
}

fn kernel(negated: bool) -> impl Strategy<Value = String> {
    let predicate = (0..4u32, prop::bool::weighted(if negated { 0.25 } else { 0.0 }));
    let predicate = predicate.prop_map(|(p, not)| format!("{}p{p}", if not { "!" } else { "" })).boxed();
    statements(predicate).prop_map(|statements| {
        let mut writer = Writer { out: ".kernel k\n    .registers 32\n".to_owned(), loops: 0, lines: 0 };
        let start = "mov_imm r30, 1\nmov_imm r31, 0\nmov_imm r0, 3\nmov r1, r0\nmov r2, r0\nmov r8, r0\nmov_sr r3, sr_lane_id\nmov_imm r4, 5\nmov r5, r3\nmov r6, r4\nmov r7, r3\n\
                     icmp.lt p0, r3, r4\nicmp.eq p1, r3, r30\nicmp.lt p2, r0, r3\nicmp.lt p3, r30, r3";
        writer.line(0, start);
        writer.all(&statements, 0);
        writer.line(0, "device_store.u32 r4, r0\nhalt");
        writer.out + ".end\n"
    })
}

/// The text with the toolchain's mnemonics.
fn underscored(text: &str) -> String {
    text.replace("cmp.", "cmp_").replace("device_store.u32 r4, r0", "device_store_u32 r0, r4")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_guides_words(text in kernel(true), width in prop::sample::select(&[1u32, 8, 32, 64][..])) {
        hold(&text, width);
    }

    #[test]
    fn the_toolchains_words(text in kernel(false), width in prop::sample::select(&[4u32, 32][..])) {
        hold(&underscored(&text), width);
    }
}

/// Random kernels contain enough of each pattern for the tests above to be meaningful.
#[test]
fn every_lint_is_tried() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = [0; LINTS.len()];
    for _ in 0..150 {
        let text = kernel(true).new_tree(&mut runner).expect("a kernel").current();
        for (lint, _) in offers(&text) {
            seen[LINTS.iter().position(|name| *name == lint).expect("one of them")] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 5), "{LINTS:?}: {seen:?}");
}
