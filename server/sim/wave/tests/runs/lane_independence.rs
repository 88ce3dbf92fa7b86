//! The results of a lane must not depend on the other lanes: random programs with every shape of control
//! flow, in waves of any width. The reference emulator cannot serve as the oracle: its `continue`, `break`
//! inside an `if` and `halt` under divergence are wrong.
//!
//! The result of each thread is compared with a single-thread interpreter, and its visits with a run in a
//! wave of one lane, which cannot diverge. The number of programs is the default of the tests; `--profile
//! long` of nextest runs 10,000.

mod program;
mod single_thread;

use program::{Program, Shape, program, shape};
use proptest::prelude::*;
use single_thread::Thread;
use warplens_hir::wave as hir;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Checks, Control, FindingKind, Limits, RunOptions, RunResult, Status, WarpTrace};
use warplens_sim_wave::{decode, device_memory, launch_config, run};
use warplens_syntax::parse_file;

/// How many statements the interpreter may execute for a launch.
const PATIENCE: u64 = 20_000;

fn simulate(text: &str, shape: Shape) -> RunResult {
    simulate_with(Checks::ALL, text, shape)
}

fn simulate_with(checks: Checks, text: &str, shape: Shape) -> RunResult {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    let program = decode(&hir::lower(file.items().next().expect("a kernel")));
    let launch = LaunchConfig {
        memory: device_memory(shape.device()),
        ..launch_config(shape.grid, shape.workgroup, shape.width)
    };
    let limits = Limits { max_steps: 100 * PATIENCE, max_warps: usize::MAX, ..Limits::default() };
    let options = RunOptions { checks, registers: true, limits, ..RunOptions::default() };
    run(&program, launch, &options, Control::none()).expect("not cancelled")
}

/// The final registers of a wave's threads.
fn threads(warp: &WarpTrace) -> impl Iterator<Item = Thread> {
    let value = |name: String, lane: usize| {
        let registers = warp.registers.as_ref().expect("registers were asked for");
        let register = registers.iter().find(|register| register.name == name).expect("it is there");
        register.lanes[lane].unwrap_or_default() as u32
    };
    (0..warp.launched.count_ones() as usize).map(move |lane| Thread {
        data: std::array::from_fn(|at| value(format!("r{}", at + 1), lane)),
        predicates: std::array::from_fn(|at| value(format!("p{at}"), lane) == 1),
    })
}

/// Findings that would be false positives: these programs have no race, and all lanes reach their barriers.
fn alarms(result: &RunResult) -> Vec<FindingKind> {
    let kinds = result.findings.iter().map(|finding| finding.kind);
    kinds
        .filter(|kind| !matches!(kind, FindingKind::UninitializedRead | FindingKind::ScatteredBreak))
        .collect()
}

fn every_thread_does_what_it_would_alone(program: &Program, shape: Shape) -> Result<(), TestCaseError> {
    let expected = single_thread::run(program, shape, PATIENCE);
    prop_assume!(expected.is_some());
    let expected = expected.expect("it was just seen");
    let text = program.text(shape);
    let result = simulate(&text, shape);
    let place = format!("{shape:?}\n{text}");
    prop_assert_eq!(result.status, Status::Finished, "{:?} {}", result.findings, place);
    prop_assert_eq!(alarms(&result), [], "{:?} {}", result.findings, place);
    for (group, expected) in result.warps.chunk_by(|a, b| a.cta == b.cta).zip(&expected.threads) {
        let found: Vec<_> = group.iter().flat_map(threads).collect();
        prop_assert_eq!(&found, expected, "workgroup {:?} of {}", group[0].cta, place);
    }
    let bytes = result.memory.bytes(0, shape.device().into()).expect("that much was asked for");
    let words: Vec<_> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    prop_assert_eq!(words, expected.device, "{}", place);
    Ok(())
}

proptest! {
    #![proptest_config(crate::long::config(10_000))]

    #[test]
    fn threads_do_what_they_would_alone(program in program(), shape in shape()) {
        every_thread_does_what_it_would_alone(&program, shape)?;
    }

    /// Without checks, most statements run in a separate loop.
    #[test]
    fn runs_do_not_depend_on_the_checks(program in program(), shape in shape()) {
        let text = program.text(shape);
        let [checked, unchecked] = [Checks::ALL, Checks::default()].map(|checks| simulate_with(checks, &text, shape));
        prop_assert_eq!(checked.status, unchecked.status, "{}", text);
        prop_assert_eq!(checked.totals, unchecked.totals, "{}", text);
        prop_assert_eq!(&checked.warps, &unchecked.warps, "{}", text);
        prop_assert_eq!(&checked.summed, &unchecked.summed, "{}", text);
        let bytes = |result: &RunResult| result.memory.bytes(0, shape.device().into()).map(<[u8]>::to_vec);
        prop_assert_eq!(bytes(&checked), bytes(&unchecked), "{}", text);
    }

    #[test]
    fn lanes_are_visited_as_if_they_were_alone(program in program(), threads in 1u32..=64) {
        let of_width = |width| Shape { grid: [1; 3], workgroup: [threads, 1, 1], width };
        let text = program.text(of_width(64));
        let (together, alone) = (simulate(&text, of_width(64)), simulate(&text, of_width(1)));
        prop_assume!(alone.status == Status::Finished);
        prop_assert_eq!(together.status, Status::Finished, "{:?}\n{}", together.findings, text);
        // Keywords of constructs are visited where lanes continue. Each lane visits every other statement as
        // often as if it ran alone.
        for line in &together.summed {
            let single = alone.summed.iter().find(|other| other.statement == line.statement);
            let lanes = single.map(|single| (single.active_lanes, single.executed_lanes));
            prop_assert_eq!(lanes, Some((line.active_lanes, line.executed_lanes)), "{:?} of\n{}", line.statement, text);
        }
    }
}
