//! Running blocks on several threads gives the same result as a sequential run, whatever memory the blocks share.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::common::{Source, kernel};
use proptest::prelude::*;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, Program, run};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Cancelled, Checks, Control, Limits, RunOptions, RunResult, Status, Workers};

/// Threads that take over at the first opportunity.
struct Eager {
    threads: usize,
    called: AtomicU64,
}

impl Eager {
    fn new(threads: usize) -> Eager {
        Eager { threads, called: AtomicU64::new(0) }
    }
}

impl Workers for Eager {
    fn count(&self) -> usize {
        self.threads
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        self.called.fetch_add(1, Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(work);
            }
        });
    }

    fn worth(&self) -> u64 {
        0
    }
}

fn with(program: &Program, config: &LaunchConfig, options: &RunOptions, workers: &Eager) -> RunResult {
    let control = Control { workers: Some(workers), ..Control::none() };
    run(program, config.clone(), Model::Stack, options, control).expect("not cancelled")
}

fn alone(program: &Program, config: &LaunchConfig, options: &RunOptions) -> RunResult {
    run(program, config.clone(), Model::Stack, options, Control::none()).expect("not cancelled")
}

/// Kernel `k` with a zeroed buffer.
fn launch(body: &str, blocks: u32, bytes: u64) -> (Program, LaunchConfig) {
    let start = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n\
                 mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd1, %rd2;\n";
    let program = Source::new(&kernel(&format!("{start}{body}"))).program("k");
    let mut config = launch_config([blocks, 1, 1], [40, 1, 1]);
    let out = config.memory.allocate("out", bytes).expect("space");
    config.params = out.to_le_bytes().to_vec();
    (program, config)
}

/// Runs a body with and without threads, which must give the same result. Returns that result, and whether the threads did
/// the work.
fn same(body: &str, limits: Limits) -> (RunResult, bool) {
    let (program, config) = launch(body, 23, 4096);
    let options =
        RunOptions { limits, checks: Checks::ALL, registers: true, coverage: true, ..RunOptions::default() };
    let workers = Eager::new(3);
    let (together, single) =
        (with(&program, &config, &options, &workers), alone(&program, &config, &options));
    assert_eq!(format!("{together:?}"), format!("{single:?}"), "{body}");
    (single, workers.called.load(Relaxed) == 1)
}

#[test]
fn independent_blocks() {
    let (result, together) = same("st.global.u32 [%rd2], %r4;\nret;", Limits::default());
    assert_eq!((result.status, together), (Status::Finished, true));
}

#[test]
fn a_counter_that_all_blocks_increment() {
    let (result, _) =
        same("atom.global.add.u32 %r5, [%rd1], 1;\nst.global.u32 [%rd2+4], %r5;\nret;", Limits::default());
    assert_eq!(result.status, Status::Finished);
}

#[test]
fn a_block_that_reads_what_the_one_before_it_wrote() {
    let body = "ld.global.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd2+160], %r5;\nret;";
    assert_eq!(same(body, Limits::default()).0.status, Status::Finished);
}

#[test]
fn a_run_stops_at_the_same_step() {
    let fault =
        "setp.ge.u32 %p1, %r2, 9;\n@%p1 ld.global.u32 %r5, [%rd2+4000];\nst.global.u32 [%rd2], %r4;\nret;";
    assert_eq!(same(fault, Limits::default()).0.status, Status::Faulted);
    let limits = Limits { max_steps: 300, ..Limits::default() };
    assert_eq!(same("st.global.u32 [%rd2], %r4;\nret;", limits).0.status, Status::StepLimit);
    let waits = "WAIT:\nld.volatile.global.u32 %r5, [%rd1+3800];\nsetp.eq.u32 %p1, %r5, 0;\nsetp.lt.u32 %p2, %r2, 22;\n\
                 and.pred %p1, %p1, %p2;\n@%p1 bra WAIT;\nst.global.u32 [%rd2], 1;\nret;";
    same(waits, Limits::default());
}

#[test]
fn the_clock_counts_all_blocks() {
    let (_, together) = same("mov.u32 %r5, %clock;\nst.global.u32 [%rd2], %r5;\nret;", Limits::default());
    assert!(!together);
}

#[test]
fn traces_and_findings_are_bounded_alike() {
    let body = "mov.u32 %r5, 0;\nNEXT:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n@%p1 bra NEXT;\n\
                shfl.sync.idx.b32 %r6, %r5, 3, 31, 0xff;\nst.global.u32 [%rd2], %r6;\nret;";
    for limits in [
        Limits { max_trace: 20_000, ..Limits::default() },
        Limits { max_warps: 5, max_visits: 7, max_findings: 4, ..Limits::default() },
    ] {
        same(body, limits);
    }
}

#[test]
fn a_run_on_threads_can_be_cancelled() {
    let (program, config) = launch("NEXT:\nadd.u32 %r5, %r5, 1;\nbra NEXT;", 1000, 4096);
    let (asked, workers) = (AtomicU64::new(0), Eager::new(2));
    let control = Control {
        cancelled: &|| asked.fetch_add(1, Relaxed) > 20,
        workers: Some(&workers),
        ..Control::none()
    };
    let result = run(&program, config, Model::Stack, &RunOptions::default(), control);
    assert_eq!(result.err(), Some(Cancelled));
}

/// How a block uses the buffer; `%rd2` is the thread's word.
fn step() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0..3u32).prop_map(|n| format!("add.u32 %r5, %r5, {n};\nst.global.u32 [%rd2], %r5;\n")),
        4 => Just("ld.global.u32 %r5, [%rd2];\n".to_owned()),
        1 => (0..64u32).prop_map(|n| format!("ld.global.u32 %r6, [%rd1+{}];\nadd.u32 %r5, %r5, %r6;\n", 4 * n)),
        1 => (0..64u32).prop_map(|n| format!("setp.eq.u32 %p1, %r2, {n};\n@%p1 st.global.u32 [%rd1+{}], %r4;\n", 16 * n)),
        1 => Just("red.global.add.u32 [%rd1+3900], %r5;\n".to_owned()),
        1 => (0..23u32).prop_map(|n| format!("setp.gt.u32 %p1, %r2, {n};\n@%p1 ld.global.u32 %r5, [%rd2+-160];\n")),
        2 => Just("setp.gt.u32 %p1, %r1, %r2;\n@%p1 add.u32 %r5, %r5, %r1;\n".to_owned()),
        1 => Just("@%p1 exit;\n".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_blocks(steps in prop::collection::vec(step(), 1..8), max_steps in 20..4000u64) {
        let body = format!("mov.u32 %r5, %r4;\n{}ret;", steps.concat());
        same(&body, Limits { max_steps, ..Limits::default() });
        same(&body, Limits::default());
    }
}
