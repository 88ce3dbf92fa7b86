//! Launches and programs that exceed limits or request nothing.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::common::{Source, kernel};
use expect_test::expect;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{
    Cancelled, Checks, Control, FindingKind, Limits, Progress, RunOptions, RunResult, Status,
};

fn launch(text: &str, config: LaunchConfig, limits: Limits) -> RunResult {
    let options = RunOptions { limits, ..RunOptions::default() };
    let program = Source::new(text).program("k");
    run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled")
}

/// The message of a rejected launch.
fn refusal(text: &str, config: LaunchConfig) -> String {
    let result = launch(text, config, Limits::default());
    assert_eq!(result.status, Status::Faulted);
    assert!(result.warps.is_empty());
    result.findings[0].message.clone()
}

#[test]
fn invalid_launches() {
    let text = kernel("ret;");
    let message = |grid, block| refusal(&text, launch_config(grid, block));
    assert_eq!(
        message([1; 3], [1025, 1, 1]),
        "Invalid launch: a block must have 1 to 1024 threads, not 1025"
    );
    assert_eq!(message([1; 3], [0, 1, 1]), "Invalid launch: a block must have 1 to 1024 threads, not 0");
    assert_eq!(message([1, 0, 1], [1; 3]), "Invalid launch: a grid must have at least one block");
    assert!(
        message([1; 3], [u32::MAX; 3]).starts_with("Invalid launch: a block must have 1 to 1024 threads")
    );
    let config = LaunchConfig { shared_memory: u32::MAX, ..launch_config([1; 3], [32, 1, 1]) };
    assert!(refusal(&text, config).contains("shared memory"));
    let config = LaunchConfig { shared_memory: 232_449, ..launch_config([1; 3], [32, 1, 1]) };
    assert_eq!(
        refusal(&text, config),
        "Invalid launch: a block requires 232449 bytes of dynamic shared memory, the limit of every device is 232448 or less"
    );
    let largest = LaunchConfig { shared_memory: 232_448, ..launch_config([1; 3], [32, 1, 1]) };
    assert_eq!(launch(&text, largest, Limits::default()).status, Status::Finished);
    let greedy = kernel(".local .b8 big[1000000000];\nret;");
    assert!(refusal(&greedy, launch_config([1; 3], [1; 3])).contains("local memory"));
}

#[test]
fn huge_grids_of_empty_blocks_reach_the_limit() {
    let limits = Limits { max_steps: 1_000, ..Limits::default() };
    let result = launch(&kernel(""), launch_config([u32::MAX; 3], [1; 3]), limits);
    assert_eq!(result.status, Status::StepLimit);
}

#[test]
fn the_step_limit_is_exact() {
    let limits = Limits { max_steps: 1_000, ..Limits::default() };
    let text = kernel("mov.u32 %r1, 0;\nNEXT:\nadd.u32 %r1, %r1, 1;\nbra NEXT;");
    let result = launch(&text, launch_config([1; 3], [64, 1, 1]), limits);
    assert_eq!((result.status, result.totals.warp_instructions), (Status::StepLimit, 1_000));
}

#[test]
fn a_bounded_trace_has_correct_counts() {
    let limits = Limits { max_visits: 4, max_warps: 1, ..Limits::default() };
    let body = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nNEXT:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n\
                @%p1 bra NEXT;\nret;";
    let result = launch(&kernel(body), launch_config([2, 1, 1], [32, 1, 1]), limits);
    assert_eq!((result.warps.len(), result.warps_truncated), (1, true));
    let add = &result.warps[0].lines[2];
    assert_eq!((add.visits.len(), add.count, add.truncated), (4, 31, true));
    assert_eq!(result.summed[2].count, 62);
}

#[test]
fn a_run_can_be_cancelled_and_reports_progress() {
    let text = kernel("mov.u32 %r1, 0;\nNEXT:\nadd.u32 %r1, %r1, 1;\nbra NEXT;");
    let program = Source::new(&text).program("k");
    let reported = AtomicU64::new(0);
    let control = Control {
        cancelled: &|| reported.load(Relaxed) > 50_000,
        progress: &|progress: Progress| reported.store(progress.steps, Relaxed),
        ..Control::none()
    };
    let config = launch_config([1; 3], [32, 1, 1]);
    let result = run(&program, config, Model::Stack, &RunOptions::default(), control);
    assert_eq!(result.err(), Some(Cancelled));
    assert!(reported.load(Relaxed) < 100_000);
}

#[test]
fn final_registers_record_their_writers() {
    let text = kernel("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 add.u32 %r2, %r1, 7;\nret;");
    let program = Source::new(&text).program("k");
    let options = RunOptions { registers: true, ..RunOptions::default() };
    let config = launch_config([1; 3], [4, 1, 1]);
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let registers = result.warps[0].registers.as_ref().expect("asked for");
    let values = |name: &str| {
        let register = registers.iter().find(|register| register.name == name).expect("it is there");
        register.lanes[..5].to_vec()
    };
    assert_eq!(values("%r1"), [Some(0), Some(1), Some(2), Some(3), None]);
    assert_eq!(values("%r2"), [Some(7), Some(8), None, None, None]);
    assert_eq!(values("%p1"), [Some(1), Some(1), Some(0), Some(0), None]);
}

/// Each block waits for a block that never runs, and is suspended.
#[test]
fn suspended_blocks_are_bounded() {
    let text = kernel(
        ".shared .b8 tile[16384];\nld.param.u64 %rd1, [out];\nWAIT:\nld.volatile.global.u32 %r2, [%rd1];\n\
         setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nret;",
    );
    let mut config = launch_config([1000, 1, 1], [32, 1, 1]);
    let out = config.memory.allocate("out", 16).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let result = launch(&text, config, Limits { max_memory: 1 << 20, ..Limits::default() });
    assert_eq!((result.status, result.findings[0].kind), (Status::Faulted, FindingKind::MemoryLimit));
    assert!(result.warps.len() < 100, "{}", result.warps.len());
}

/// The local memory of a thread counts where it was written.
#[test]
fn local_memory_of_a_block_is_bounded() {
    let limits = Limits { max_block_bytes: 1 << 20, ..Limits::default() };
    let run = |code: &str| {
        let text = kernel(&format!(".local .align 8 .b8 big[400000];\nmov.u64 %rd1, big;\n{code}\nret;"));
        launch(&text, launch_config([8, 1, 1], [256, 1, 1]), limits)
    };
    assert_eq!(run("").status, Status::Finished);
    assert_eq!(run("st.local.u64 [%rd1+399992], %rd1;").status, Status::Finished);
    let loops = "mov.u32 %r1, 0;\nL:\nst.local.u64 [%rd1], %rd1;\nadd.u64 %rd1, %rd1, 64;\nadd.u32 %r1, %r1, 1;\n\
                 setp.lt.u32 %p1, %r1, 6000;\n@%p1 bra L;";
    let result = run(loops);
    assert_eq!((result.status, result.findings[0].kind), (Status::Faulted, FindingKind::MemoryLimit));
}

/// A block of many statements may be large; what its warps record counts apart.
#[test]
fn records_of_unfinished_blocks_are_bounded() {
    let limits = Limits { max_block_bytes: 1 << 20, ..Limits::default() };
    let run = |statements: usize| {
        let text = kernel(&format!("{}ret;", "add.u32 %r1, %r1, 1;\n".repeat(statements)));
        launch(&text, launch_config([2, 1, 1], [256, 1, 1]), limits)
    };
    assert_eq!(run(3000).status, Status::Finished);
    let result = run(5000);
    let finding = &result.findings[0];
    assert_eq!((result.status, finding.kind), (Status::Faulted, FindingKind::MemoryLimit));
    expect![[r#"
        Memory limit: 1 unfinished block requires 2560512 bytes, the limit is 2097152
        to count the visits of 5001 statements in 8 warps; launch fewer threads, or raise the limit"#]]
    .assert_eq(&finding.message);
}

/// Copies that have completed take no memory, however many a block has issued.
#[test]
fn completed_copies_do_not_count() {
    let text = kernel(
        ".shared .align 16 .b8 tile[64];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, 0;\nmov.u32 %r3, tile;\nL:\n\
         cp.async.ca.shared.global [%r3], [%rd1], 16;\ncp.async.wait_all;\nadd.u32 %r1, %r1, 1;\n\
         setp.lt.u32 %p1, %r1, 400;\n@%p1 bra L;\natom.global.add.u32 %r2, [%rd1], 1;\nWAIT:\n\
         ld.volatile.global.u32 %r2, [%rd1];\nsetp.lt.u32 %p1, %r2, 128;\n@%p1 bra WAIT;\nret;",
    );
    let mut config = launch_config([4, 1, 1], [32, 1, 1]);
    let out = config.memory.allocate("out", 16).expect("space");
    config.params = out.to_le_bytes().to_vec();
    config.workspace = Some(out);
    let result = launch(&text, config, Limits { max_block_bytes: 1 << 18, ..Limits::default() });
    assert_eq!((result.status, &result.findings[..]), (Status::Finished, &[][..]));
}

#[test]
fn one_limit_bounds_trace_and_shadow_memory() {
    let limits = Limits::default().with_records(8 << 20);
    assert_eq!((limits.max_trace, limits.max_shadow), (2 << 20, 6 << 20));
}

/// Zeroes 32,768 bytes of shared memory in each lane, again and again.
fn fills() -> String {
    ".version 8.6\n.target sm_100a\n.address_size 64\n.shared .align 128 .b8 s[32768];\n.visible .entry k()\n{\n\
     .reg .b64 %d<2>;\nmov.u64 %d1, s;\nL: st.bulk.weak.shared::cta [%d1], 32768, 0;\nbra L;\n}\n"
        .to_owned()
}

#[test]
fn the_bytes_of_a_statement_count_as_steps() {
    let limits = Limits { max_steps: 1_000, ..Limits::default() };
    let result = launch(&fills(), launch_config([1; 3], [32, 1, 1]), limits);
    assert_eq!(result.status, Status::StepLimit);
    assert!(result.totals.warp_instructions < 10, "{}", result.totals.warp_instructions);
    let message = &result.findings[0].message;
    assert!(message.contains(" of them are charged for statements that do more work"), "{message}");
}

/// The steps that a statement in 32 lanes counts as besides one: a loop of three statements runs that much less within the limit.
fn charged_steps(statement: &str) -> u64 {
    let limits = Limits { max_steps: 10_000, ..Limits::default() };
    let text = kernel(&format!("mov.u32 %r1, 0;\nL:\n{statement}\nadd.u32 %r1, %r1, 1;\nbra L;"));
    let options = RunOptions { limits, checks: Checks::ALL, ..RunOptions::default() };
    let config = launch_config([1; 3], [32, 1, 1]);
    let result = run(&Source::new(&text).program("k"), config, Model::Stack, &options, Control::none());
    let result = result.expect("not cancelled");
    assert_eq!(result.status, Status::StepLimit, "{statement}");
    let executed = result.totals.warp_instructions;
    let iterations = executed / 3;
    (limits.max_steps - executed + iterations / 2) / iterations
}

#[test]
fn costly_statements_count_as_several_steps() {
    for (statement, charged) in [
        ("add.u32 %r2, %r1, 1;", 0),
        ("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", 8),
        ("fma.rn.f16x2 %r2, %r1, %r1, %r1;", 14),
        ("cvt.rn.f16.f32 %h1, 0f3F800000;", 14),
        ("vset4.u32.u32.ge %r2, %r1, %r1, %r1;", 28),
        ("membar.gl;", 40),
    ] {
        assert_eq!(charged_steps(statement), charged, "{statement}");
    }
}

#[test]
fn a_statement_can_be_cancelled() {
    let program = Source::new(&fills()).program("k");
    let asked = AtomicU64::new(0);
    let control = Control { cancelled: &|| asked.fetch_add(1, Relaxed) > 3, ..Control::none() };
    let config = launch_config([1; 3], [32, 1, 1]);
    let result = run(&program, config, Model::Stack, &RunOptions::default(), control);
    assert_eq!(result.err(), Some(Cancelled));
    // The first statement alone would ask more often.
    assert!(asked.load(Relaxed) <= 6, "{asked:?}");
}

#[test]
fn undefined_registers_are_not_followed_forever() {
    let codes = |iterations: u32| {
        let text = kernel(&format!(
            "mov.u32 %r1, 0;\nL:\nand.b32 %r3, %r2, 255;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, {iterations};\n@%p1 bra L;\n\
             setp.eq.u32 %p1, %r3, 1;\n@%p1 trap;"
        ));
        let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
        let config = launch_config([1; 3], [32, 1, 1]);
        let result = run(&Source::new(&text).program("k"), config, Model::Stack, &options, Control::none());
        let findings = result.expect("not cancelled").findings;
        findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert_eq!(codes(1_000), [FindingKind::UninitializedRead]);
    assert_eq!(codes(100_000), [FindingKind::ShadowLimit]);
}
