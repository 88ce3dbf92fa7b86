//! The static analysis of WAVE is sound: where it reports uniformity, no run diverges and no register differs
//! between lanes. The kernels come from the corpus or are random, with loops, `continue`, lanes that exit,
//! guards, calls and wave operations.

use std::fmt::Write;

use proptest::prelude::*;
use warplens_hir::Variance;
use warplens_hir::wave::{Cell, Code, Link, Uniformity, lower};
use warplens_sim_warp::{Control, Limits, Mask, RunOptions, RunResult, TraceRequest, WarpId};
use warplens_sim_wave::{decode, launch_config, run};
use warplens_syntax::parse_file;

const FIRST: WarpId = WarpId { cta: [0; 3], warp: 0 };

fn kernels(text: &str) -> Vec<Code> {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    file.items().map(lower).filter(|code| code.kernel.is_some()).collect()
}

fn simulate(code: &Code, width: u32) -> Option<RunResult> {
    let program = decode(code);
    let workgroup = code.resources.workgroup_size.map_or([2 * width - 1, 1, 1], |size| size.value);
    let memory = (0..64u32).flat_map(|word| (word * 7 % 5).to_le_bytes()).collect::<Vec<u8>>();
    let mut launch = launch_config([2, 1, 1], workgroup.map(|extent| extent.max(1)), width);
    launch.memory.bytes_mut(0, 256)?.copy_from_slice(&memory);
    launch.registers = vec![(0, 3), (1, 0), (2, 40)];
    let limits = Limits { max_steps: 3_000, ..Limits::default() };
    let options = RunOptions { limits, trace: Some(TraceRequest::at(FIRST)), ..RunOptions::default() };
    Some(run(&program, launch, &options, Control::none()).expect("not cancelled"))
}

/// What the analysis calls uniform although the run shows otherwise.
fn contradictions(code: &Code, width: u32) -> Vec<String> {
    let analysis = Uniformity::of(code);
    let Some(result) = simulate(code, width) else { return Vec::new() };
    let mut found = Vec::new();
    for line in result.warps.iter().flat_map(|warp| &warp.lines) {
        let at = line.statement.index();
        let is_branch = matches!(code.links[at], Some(Link::If { .. } | Link::Leave { .. }));
        let parts = line.visits.iter().any(|visit| visit.executed != 0 && visit.executed != visit.active);
        if is_branch && parts && analysis.branch(at) == Variance::Uniform {
            found.push(format!("{at}: {:?}", code.instructions[at].mnemonic));
        }
    }
    for seen in result.values.iter().flat_map(|values| &values.visits) {
        let at = seen.statement.index();
        for held in &seen.registers {
            let Some(cell) = cell(&held.name) else { continue };
            if analysis.register(at, cell, true) == Variance::Uniform && differs(seen.active, &held.low) {
                found.push(format!("{} after {at}: {:?}", held.name, code.instructions[at].mnemonic));
            }
        }
    }
    found
}

fn cell(name: &str) -> Option<Cell> {
    let (class, number) = name.split_at_checked(1)?;
    let number = number.parse().ok()?;
    match class {
        "r" => Some(Cell::General(number)),
        "p" => Some(Cell::Predicate(number)),
        _ => None,
    }
}

fn differs(lanes: Mask, values: &[u64]) -> bool {
    let mut held = values.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 == 1);
    let first = held.next();
    held.any(|(_, value)| Some(value) != first.map(|(_, value)| value))
}

#[test]
fn kernels_of_the_corpus() {
    let folders =
        ["wave/from-registry", "wave/from-repository"].into_iter().flat_map(warplens_test_support::corpora);
    for folder in folders {
        for file in std::fs::read_dir(folder).expect("a folder") {
            let path = file.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("readable");
            for code in kernels(&text) {
                let found = contradictions(&code, 8);
                assert!(found.is_empty(), "{}: {found:?}", path.display());
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Statement {
    Plain(String),
    If(String, Vec<Statement>, Option<Vec<Statement>>),
    Loop(Vec<Statement>),
    /// Only inside a loop.
    Leave(String),
}

/// Functions that kernels may call: one handwritten, two random.
fn function() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["helper", "first", "second"][..])
}

fn plain() -> impl Strategy<Value = String> {
    let r = || (0..6usize).prop_map(|index| format!("r{index}"));
    let p = || (0..4usize).prop_map(|index| format!("p{index}"));
    let source = || prop_oneof![2 => r(), 1 => (0..4u32).prop_map(|value| value.to_string())];
    let two = prop::sample::select(&["iadd", "isub", "xor", "and", "imin", "shr"][..]);
    let compare = prop::sample::select(&["icmp.lt", "icmp.eq", "ucmp.ge"][..]);
    let of_wave = prop::sample::select(&["wave_reduce_add", "wave_prefix_sum"][..]);
    let shuffle =
        prop::sample::select(&["wave_shuffle", "wave_shuffle_up", "wave_shuffle_xor", "wave_broadcast"][..]);
    let special = prop::sample::select(
        &["sr_lane_id", "sr_thread_id_x", "sr_workgroup_id_x", "sr_wave_id", "sr_num_waves"][..],
    );
    let guard = prop_oneof![4 => Just(String::new()), 1 => p().prop_map(|p| format!("@!{p} ")), 1 => p().prop_map(|p| format!("@{p} "))];
    let statement = prop_oneof![
        2 => (r(), 0..4u32).prop_map(|(d, value)| format!("mov_imm {d}, {value}")),
        2 => (r(), r()).prop_map(|(d, a)| format!("mov {d}, {a}")),
        4 => (two, r(), source(), source()).prop_map(|(op, d, a, b)| format!("{op} {d}, {a}, {b}")),
        4 => (compare, p(), source(), source()).prop_map(|(op, d, a, b)| format!("{op} {d}, {a}, {b}")),
        1 => (p(), p(), p()).prop_map(|(d, a, b)| format!("and {d}, {a}, !{b}")),
        2 => (r(), special).prop_map(|(d, sr)| format!("mov_sr {d}, {sr}")),
        1 => (r(), p(), source(), source()).prop_map(|(d, p, a, b)| format!("select {d}, {p}, {a}, {b}")),
        1 => (of_wave, r(), r()).prop_map(|(op, d, a)| format!("{op} {d}, {a}")),
        1 => (shuffle, r(), r(), source()).prop_map(|(op, d, a, b)| format!("{op} {d}, {a}, {b}")),
        1 => (p(), p()).prop_map(|(d, a)| format!("wave_any {d}, {a}")),
        1 => (r(), p()).prop_map(|(d, a)| format!("wave_ballot {d}, {a}")),
        1 => (r(), r()).prop_map(|(d, a)| format!("and {a}, {a}, 60\ndevice_load.u32 {d}, {a}")),
        1 => (r(), r()).prop_map(|(d, a)| format!("and {a}, {a}, 60\nlocal_load.u32 {d}, {a}")),
        1 => (r(), r()).prop_map(|(v, a)| format!("and {a}, {a}, 60\nlocal_store.u32 {v}, {a}")),
        1 => (r(), r(), r()).prop_map(|(d, v, a)| format!("and {a}, {a}, 60\nlocal_atomic_add {d}, {a}, {v}")),
    ];
    let early = p().prop_map(|p| format!("if {p}\nreturn\nendif"));
    let odd = prop_oneof![1 => early, 1 => p().prop_map(|p| format!("@{p} halt")), 3 => function().prop_map(|name| format!("call {name}"))];
    let guarded = (guard, statement).prop_map(|(guard, text)| match text.rsplit_once('\n') {
        Some((before, last)) => format!("{before}\n{guard}{last}"),
        None => guard + &text,
    });
    prop_oneof![16 => guarded, 1 => odd]
}

fn predicate() -> impl Strategy<Value = String> {
    (0..4u32, any::<bool>()).prop_map(|(p, not)| format!("{}p{p}", if not { "!" } else { "" }))
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let leave = (prop::sample::select(&["break", "continue"][..]), predicate());
    let leave = leave.prop_map(|(word, p)| Statement::Leave(format!("{word} {p}")));
    let leaf = prop_oneof![5 => plain().prop_map(Statement::Plain), 1 => leave];
    let statement = leaf.prop_recursive(4, 40, 6, |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            (predicate(), block(), prop::option::of(block()))
                .prop_map(|(p, then, otherwise)| Statement::If(p, then, otherwise)),
            block().prop_map(Statement::Loop),
        ]
    });
    prop::collection::vec(statement, 1..12)
}

fn write_all(out: &mut String, statements: &[Statement], loops: usize) {
    for statement in statements {
        match statement {
            Statement::Plain(text) => writeln!(out, "{text}").expect("a string takes text"),
            Statement::Leave(_) if loops == 0 => {}
            Statement::Leave(text) => writeln!(out, "{text}").expect("a string takes text"),
            Statement::If(p, then, otherwise) => {
                writeln!(out, "if {p}").expect("a string takes text");
                write_all(out, then, loops);
                if let Some(otherwise) = otherwise {
                    out.push_str("else\n");
                    write_all(out, otherwise, loops);
                }
                out.push_str("endif\n");
            }
            Statement::Loop(body) => {
                out.push_str("loop\n");
                write_all(out, body, loops + 1);
                out.push_str("break p3\nendloop\n");
            }
        }
    }
}

fn kernel() -> impl Strategy<Value = String> {
    let functions = (statements(), statements());
    (statements(), statements(), functions).prop_map(|(first, second, functions)| {
        let mut text =
            String::from(".kernel k\nmov_sr r3, sr_lane_id\nicmp.lt p0, r3, 3\nicmp.lt p1, r0, 4\n");
        write_all(&mut text, &first, 0);
        text.push_str("mov_imm r5, 2\nicmp.gt p2, r3, 2\n");
        write_all(&mut text, &second, 0);
        text.push_str("halt\nhelper:\nmov_sr r4, sr_lane_id\nicmp.lt p1, r4, r0\nreturn\nfirst:\n");
        write_all(&mut text, &functions.0, 0);
        text.push_str("second:\n");
        write_all(&mut text, &functions.1, 0);
        text + "return\n.end\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn kernels_at_random(text in kernel(), width in prop::sample::select(&[1u32, 5, 32, 64][..])) {
        for code in kernels(&text) {
            let found = contradictions(&code, width);
            prop_assert!(found.is_empty(), "{found:?}\n{text}");
        }
    }
}
