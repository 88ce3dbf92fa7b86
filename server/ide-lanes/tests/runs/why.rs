//! Chains behind values against slices that are carried along with each value through the whole run.

use std::fmt::Write;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::why::Question;
use warplens_ide_lanes::{MAX_RECORDING, Replay, RunRequest};
use warplens_sim_warp::recording::Place;
use warplens_sim_warp::{Control, RunOptions};

const FILE: FileId = FileId(0);
const REGISTERS: usize = 6;
const LANES: usize = 32;

/// A statement of a kernel without branches, on registers by number.
#[derive(Debug, Clone, Copy)]
enum Op {
    Constant(usize, u32),
    Lane(usize),
    Move(usize, usize),
    AddConstant(usize, usize, u32),
    Add(usize, usize, usize),
    Shuffle(usize, usize, u32),
    /// Stores to the word of the lane with some bits flipped.
    Store(usize, u32),
    Load(usize, u32),
    Exchange(usize, usize, u32),
    Count(usize, usize),
}

/// A statement, and the number of lanes from 0 that execute it.
type Statement = (Op, usize);

fn statement() -> impl Strategy<Value = Statement> {
    let register = || 0..REGISTERS;
    let op = prop_oneof![
        (register(), any::<u32>()).prop_map(|(d, value)| Op::Constant(d, value)),
        register().prop_map(Op::Lane),
        (register(), register()).prop_map(|(d, a)| Op::Move(d, a)),
        (register(), register(), 0u32..9).prop_map(|(d, a, value)| Op::AddConstant(d, a, value)),
        (register(), register(), register()).prop_map(|(d, a, b)| Op::Add(d, a, b)),
        (register(), register(), 1u32..32).prop_map(|(d, a, lanes)| Op::Shuffle(d, a, lanes)),
        (register(), 0u32..32).prop_map(|(a, flipped)| Op::Store(a, flipped)),
        (register(), 0u32..32).prop_map(|(d, flipped)| Op::Load(d, flipped)),
        (register(), register(), 0u32..32).prop_map(|(d, a, flipped)| Op::Exchange(d, a, flipped)),
        (register(), register()).prop_map(|(d, a)| Op::Count(d, a)),
    ];
    (op, prop_oneof![3 => Just(LANES), 1 => 0..LANES])
}

/// The address of a lane's word with some bits of its number flipped, in `%a`, and what the statement does.
fn text(statements: &[Statement]) -> String {
    let mut text = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'slice', block = [32], args = [] }
.visible .entry k()
{
.shared .align 4 .b32 tile[32];
.shared .align 4 .b32 sum;
.reg .pred %p;
.reg .b32 %r<6>, %a, %l, %t;
mov.u32 %l, %laneid;
mov.u32 %t, tile;
"
    .to_owned();
    for &(op, lanes) in statements {
        let address =
            |flipped| format!("xor.b32 %a, %l, {flipped};\nshl.b32 %a, %a, 2;\nadd.u32 %a, %a, %t;\n");
        let (before, statement) = match op {
            Op::Constant(d, value) => (String::new(), format!("mov.u32 %r{d}, {value};")),
            Op::Lane(d) => (String::new(), format!("mov.u32 %r{d}, %laneid;")),
            Op::Move(d, a) => (String::new(), format!("mov.b32 %r{d}, %r{a};")),
            Op::AddConstant(d, a, value) => (String::new(), format!("add.u32 %r{d}, %r{a}, {value};")),
            Op::Add(d, a, b) => (String::new(), format!("add.u32 %r{d}, %r{a}, %r{b};")),
            Op::Shuffle(d, a, lanes) => {
                (String::new(), format!("shfl.sync.bfly.b32 %r{d}, %r{a}, {lanes}, 31, -1;"))
            }
            Op::Store(a, flipped) => (address(flipped), format!("st.shared.b32 [%a], %r{a};")),
            Op::Load(d, flipped) => (address(flipped), format!("ld.shared.b32 %r{d}, [%a];")),
            Op::Exchange(d, a, flipped) => {
                (address(flipped), format!("atom.shared.exch.b32 %r{d}, [%a], %r{a};"))
            }
            Op::Count(d, a) => (String::new(), format!("atom.shared.add.u32 %r{d}, [sum], %r{a};")),
        };
        let lanes = if matches!(op, Op::Shuffle(..)) { LANES } else { lanes };
        write!(text, "setp.lt.u32 %p, %l, {lanes};\n{before}@%p {statement}\n").expect("memory");
    }
    text + "ret;\n}\n"
}

/// The step and the lane of each link, the newest first. `None`: never written.
type Slice = Option<Arc<Link>>;

#[derive(Debug)]
struct Link {
    at: (u64, u32),
    then: Slice,
}

fn link(step: u64, lane: usize, then: Slice) -> Slice {
    Some(Arc::new(Link { at: (step, lane as u32), then }))
}

fn flat(mut slice: &Slice) -> Vec<(u64, u32)> {
    let mut all = Vec::new();
    while let Some(link) = slice {
        all.push(link.at);
        slice = &link.then;
    }
    all
}

/// The slices of the registers of each lane at the end.
fn slices(statements: &[Statement]) -> Vec<[Slice; LANES]> {
    let none = || std::array::from_fn(|_| None);
    let mut registers: Vec<[Slice; LANES]> = (0..REGISTERS).map(|_| none()).collect();
    let (mut tile, mut sum): ([Slice; LANES], Slice) = (none(), None);
    let mut step = 2;
    for &(op, lanes) in statements {
        let has_address = matches!(op, Op::Store(..) | Op::Load(..) | Op::Exchange(..));
        step += if has_address { 4 } else { 1 };
        let lanes = if matches!(op, Op::Shuffle(..)) { LANES } else { lanes };
        let before = registers.clone();
        let tile_before = tile.clone();
        for lane in 0..lanes {
            let word = |flipped: u32| lane ^ flipped as usize;
            let loaded = |slice: &Slice| slice.clone().or_else(|| link(step, lane, None));
            match op {
                Op::Constant(d, _) | Op::Lane(d) => registers[d][lane] = link(step, lane, None),
                Op::Move(d, a) => registers[d][lane] = before[a][lane].clone(),
                Op::AddConstant(d, a, _) => registers[d][lane] = link(step, lane, before[a][lane].clone()),
                Op::Add(d, a, b) => {
                    let then = if a == b { before[a][lane].clone() } else { None };
                    registers[d][lane] = link(step, lane, then);
                }
                Op::Shuffle(d, a, flipped) => registers[d][lane] = before[a][word(flipped)].clone(),
                Op::Store(a, flipped) => tile[word(flipped)] = before[a][lane].clone(),
                Op::Load(d, flipped) => registers[d][lane] = loaded(&tile_before[word(flipped)]),
                Op::Exchange(d, a, flipped) => {
                    registers[d][lane] = loaded(&tile_before[word(flipped)]);
                    tile[word(flipped)] = before[a][lane].clone();
                }
                Op::Count(d, a) => {
                    registers[d][lane] = loaded(&sum);
                    sum = link(step, lane, before[a][lane].clone());
                }
            }
        }
        step += 1;
    }
    registers
}

/// Whether a store puts a value without a slice into memory, which a load cannot tell from initial contents here.
fn stores_unwritten(statements: &[Statement]) -> bool {
    let mut written = [0usize; REGISTERS];
    statements.iter().any(|&(op, lanes)| {
        let wrong = match op {
            Op::Store(a, _) | Op::Exchange(_, a, _) | Op::Move(_, a) => written[a] < LANES,
            Op::Shuffle(_, a, _) => written[a] < LANES,
            _ => false,
        };
        let executed = if matches!(op, Op::Shuffle(..)) { LANES } else { lanes };
        let target = match op {
            Op::Constant(d, _)
            | Op::Lane(d)
            | Op::Move(d, _)
            | Op::AddConstant(d, ..)
            | Op::Add(d, ..)
            | Op::Shuffle(d, ..)
            | Op::Load(d, _)
            | Op::Exchange(d, ..)
            | Op::Count(d, _) => Some(d),
            Op::Store(..) => None,
        };
        target.into_iter().for_each(|d| written[d] = written[d].max(executed));
        wrong
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn chains_are_the_slices_of_the_run(statements in vec(statement(), 1..40)) {
        // Every register starts with a value.
        let mut all: Vec<Statement> = (0..REGISTERS).map(|d| (Op::Constant(d, d as u32), LANES)).collect();
        all.extend(statements);
        prop_assert!(!stores_unwritten(&all));
        let text = text(&all);
        let mut host = AnalysisHost::new();
        host.open(FILE, warplens_syntax::ptx::LANGUAGE, &text);
        let request = RunRequest::first(RunOptions::default());
        let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
        let prepared = prepared.expect("not cancelled").expect("it can run");
        let result = Arc::new(prepared.run(Control::none()).expect("not cancelled"));
        let ranges: Vec<_> = prepared.statements.iter().map(|statement| statement.range).collect();
        let mut replay = Replay::new(prepared, result, MAX_RECORDING).in_windows_of(64);
        let before = replay.steps();
        for (number, expected) in slices(&all).iter().enumerate() {
            let cell = replay.layout().find(0, &format!("%r{number}")).expect("a register");
            for lane in 0..LANES as u32 {
                let question = Question { place: Place::Register { warp: 0, lane, cell }, before };
                let of = |statement: warplens_sim_warp::StatementId| text[ranges[statement.index()]].to_owned();
                let links = replay.why(question, false, &of, Control::none()).expect("not cancelled");
                let found: Vec<_> = links.iter().map(|link| (link.step, link.lane)).collect();
                prop_assert_eq!(&found, &flat(&expected[lane as usize]), "%r{} in lane {}\n{}", number, lane, text);
            }
        }
    }
}
