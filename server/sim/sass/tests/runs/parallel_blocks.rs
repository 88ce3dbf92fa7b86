//! Running blocks on several threads gives the same result as a sequential run, whatever memory the blocks share.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use warplens_sim_sass::{launch_config, run};
use warplens_sim_warp::{Checks, Control, Limits, RunOptions, RunResult, Status, Workers};

/// Threads that take over at the first opportunity.
struct Eager {
    called: AtomicU64,
}

impl Workers for Eager {
    fn count(&self) -> usize {
        3
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        self.called.fetch_add(1, Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(work);
            }
        });
    }

    fn worth(&self) -> u64 {
        0
    }
}

/// `R0` is the number of the thread in the grid, `R3` the block, `R4` the address of the thread's word.
const START: &str = "S2R R0, SR_TID.X
    S2R R3, SR_CTAID.X
    IMAD R0, R3, c[0x0][0x0], R0
    MOV R4, 0x4
    IMAD.WIDE R4, R0, R4, c[0x0][0x160]";

/// Runs a body with and without threads, which must give the same result. Returns that result, and how many blocks had
/// exited when the last one that a thread ran exited; `None` if no thread ran.
fn same(body: &str, limits: Limits) -> (RunResult, Option<u64>) {
    let program = crate::common::program(&crate::machines::listing(80, &format!("{START}\n{body}")), "k");
    let mut config = launch_config(program.target, 8, [23, 1, 1], [40, 1, 1]);
    let out = config.memory.allocate("out", 4096).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options =
        RunOptions { limits, checks: Checks::ALL, registers: true, coverage: true, ..RunOptions::default() };
    let workers = Eager { called: AtomicU64::new(0) };
    let done = AtomicU64::new(0);
    let controls = [
        Control {
            workers: Some(&workers),
            progress: &|progress| {
                done.fetch_max(progress.blocks_done, Relaxed);
            },
            ..Control::none()
        },
        Control::none(),
    ];
    let [together, alone] = controls
        .map(|control| run(&program, config.clone(), true, &options, control).expect("not cancelled"));
    assert_eq!(format!("{together:?}"), format!("{alone:?}"), "{body}");
    let called = workers.called.load(Relaxed);
    assert!(called <= 1, "threads took over {called} times");
    (alone, (called == 1).then(|| done.load(Relaxed)))
}

fn finishes(body: &str) -> Option<u64> {
    let (result, done) = same(body, Limits::default());
    assert_eq!(result.status, Status::Finished, "{body}: {:?}", result.findings);
    done
}

#[test]
fn independent_blocks() {
    // Each of three threads may not have counted its last block yet.
    assert!(finishes("STG.E [R4.64], R0\nEXIT").is_some_and(|done| done >= 20));
    let paths = "ISETP.GT.AND P0, PT, R0, R3, PT
        BSSY B0, 0x90
        @P0 BRA 0x90
        IADD3 R0, R0, 0x7, RZ
        BSYNC B0
        STG.E [R4.64], R0
        EXIT";
    same(paths, Limits::default());
    let barrier = "STS [R0], R3\nBAR.SYNC 0x0\nSTG.E [R4.64], R0\nEXIT";
    same(barrier, Limits::default());
}

#[test]
fn blocks_that_share_memory() {
    finishes("LDG.E R6, [R4.64]\nIADD3 R6, R6, 0x1, RZ\nSTG.E [R4.64+0xa0], R6\nEXIT");
    let counter = "MOV R8, c[0x0][0x160]
        MOV R9, c[0x0][0x164]
        MOV R7, 0x1
        ATOMG.E.ADD.STRONG.GPU PT, R6, [R8.64], R7
        STG.E [R4.64+0x4], R6
        EXIT";
    finishes(counter);
}

#[test]
fn a_run_stops_at_the_same_step() {
    let fault = "ISETP.GT.AND P0, PT, R3, 0x9, PT\n@P0 LDG.E R6, [R4.64+0x4000]\nSTG.E [R4.64], R0\nEXIT";
    assert_eq!(same(fault, Limits::default()).0.status, Status::Faulted);
    let limits = Limits { max_steps: 300, ..Limits::default() };
    assert_eq!(same("STG.E [R4.64], R0\nEXIT", limits).0.status, Status::StepLimit);
    let waits = "MOV R8, c[0x0][0x160]
        MOV R9, c[0x0][0x164]
        ISETP.GT.AND P1, PT, R3, 0x15, PT
        @P1 BRA 0xc0
        LDG.E.STRONG.SYS R6, [R8.64+0xf00]
        ISETP.EQ.AND P0, PT, R6, RZ, PT
        @P0 BRA 0x90
        STG.E [R4.64], R0
        EXIT";
    same(waits, Limits { max_steps: 20_000, ..Limits::default() });
}

#[test]
fn what_blocks_share_besides_memory() {
    assert_eq!(finishes("CS2R R6, SR_CLOCKLO\nSTG.E [R4.64], R6\nEXIT"), None);
    // An unknown value in memory makes the result unknown, whichever block stores it.
    let unknown =
        "MOV R6, R0\nISETP.GT.AND P0, PT, R3, 0x9, PT\n@P0 MUFU.EX2.F16 R6, R0\nSTG.E [R4.64], R6\nEXIT";
    assert_eq!(same(unknown, Limits::default()).0.status, Status::Unsupported);
    // A register that only later blocks read before they write it.
    let unwritten = "ISETP.GT.AND P0, PT, R3, 0x9, PT\n@P0 STG.E [R4.64], R12\nEXIT";
    assert_eq!(same(unwritten, Limits::default()).0.status, Status::Finished);
}

#[test]
fn traces_and_findings_are_bounded_alike() {
    let body = "MOV R6, RZ
        IADD3 R6, R6, 0x1, RZ
        ISETP.LT.AND P0, PT, R6, R3, PT
        @P0 BRA 0x60
        STG.E [R4.64], R12
        EXIT";
    for limits in [
        Limits { max_trace: 20_000, ..Limits::default() },
        Limits { max_warps: 5, max_visits: 7, max_findings: 4, ..Limits::default() },
    ] {
        same(body, limits);
    }
}
