//! Warps and blocks that wait for each other.

use crate::common::{Source, kernel, words};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, FindingKind, RunOptions, RunResult, Severity, Status};

/// Runs a body in a cooperative launch and returns the words of its buffer. `%rd1` is a buffer of 64 words, `%r1` the thread.
fn launch(model: Model, body: &str, grid: u32, block: u32) -> (RunResult, Vec<u32>) {
    let declared = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n.shared .u32 flag;\n";
    let program = Source::new(&kernel(&format!("{declared}{body}"))).program("k");
    let mut config = launch_config([grid, 1, 1], [block, 1, 1]);
    let out = config.memory.allocate("out", 256).expect("space");
    config.params = out.to_le_bytes().to_vec();
    config.workspace = Some(out);
    let result =
        run(&program, config, model, &RunOptions::default(), Control::none()).expect("not cancelled");
    let values = words(result.memory.bytes(out, 256).expect("the buffer"));
    (result, values)
}

fn finished(body: &str, grid: u32, block: u32) -> Vec<u32> {
    let (result, values) = launch(Model::Stack, body, grid, block);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    assert!(result.findings.is_empty(), "{:?}", result.findings);
    values
}

#[test]
fn a_warp_may_wait_for_a_later_one() {
    let values = finished(
        "setp.ge.u32 %p1, %r1, 32;
@%p1 bra GIVE;
WAIT:
ld.volatile.shared.u32 %r2, [flag];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT;
st.global.u32 [%rd1], %r2;
ret;
GIVE:
st.volatile.shared.u32 [flag], 7;
ret;",
        1,
        64,
    );
    assert_eq!(values[0], 7);
}

#[test]
fn a_block_may_wait_for_a_later_one() {
    let values = finished(
        "mov.u32 %r2, %ctaid.x;
setp.eq.u32 %p1, %r2, 2;
@%p1 bra GIVE;
WAIT:
ld.acquire.gpu.global.u32 %r3, [%rd1];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra WAIT;
atom.global.add.u32 %r4, [%rd1+4], %r3;
ret;
GIVE:
st.release.gpu.global.u32 [%rd1], 5;
ret;",
        3,
        32,
    );
    assert_eq!(values[..2], [5, 2 * 32 * 5]);
}

#[test]
fn all_threads_get_the_result_of_a_barrier_reduction() {
    let values = finished(
        "setp.lt.u32 %p1, %r1, 40;
bar.red.popc.u32 %r2, 0, %p1;
bar.red.and.pred %p2, 0, %p1;
bar.red.or.pred %p3, 0, %p1;
selp.u32 %r3, 100, 0, %p2;
selp.u32 %r4, 1000, 0, %p3;
add.u32 %r2, %r2, %r3;
add.u32 %r2, %r2, %r4;
setp.eq.u32 %p4, %r1, 63;
@%p4 st.global.u32 [%rd1], %r2;
ret;",
        1,
        64,
    );
    assert_eq!(values[0], 1040);
}

#[test]
fn arrive_continues_and_sync_waits() {
    // The first warp waits for the second warp's flag at a barrier that both share; the second warp only arrives.
    let values = finished(
        "setp.ge.u32 %p1, %r1, 32;
@%p1 bra GIVE;
bar.sync 1, 64;
ld.shared.u32 %r2, [flag];
st.global.u32 [%rd1], %r2;
ret;
GIVE:
st.shared.u32 [flag], 9;
bar.arrive 1, 64;
ret;",
        1,
        64,
    );
    assert_eq!(values[0], 9);
}

#[test]
fn lanes_of_a_warp_may_reach_an_unaligned_barrier_separately() {
    let values = finished(
        "setp.lt.u32 %p1, %r1, 16;
@%p1 bra LOW;
barrier.sync 0;
bra DONE;
LOW:
st.shared.u32 [flag], 3;
barrier.sync 0;
DONE:
ld.shared.u32 %r2, [flag];
st.global.u32 [%rd1], %r2;
ret;",
        1,
        64,
    );
    assert_eq!(values[0], 3);
}

#[test]
fn exited_threads_do_not_block_a_barrier() {
    finished("setp.lt.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 0;\nret;", 1, 96);
}

#[test]
fn blocks_in_a_deadlock() {
    let (result, _) = launch(
        Model::Stack,
        "WAIT:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nret;",
        2,
        32,
    );
    assert_eq!(result.status, Status::NoProgress);
    let blocks: Vec<_> = result.findings.iter().map(|finding| (finding.kind, finding.cta[0])).collect();
    assert_eq!(blocks, [(FindingKind::NoProgress, 0), (FindingKind::NoProgress, 1)]);
    assert_eq!(result.warps.len(), 2);
}

/// A typical hand-written grid barrier: thread 0 of each block counts and waits, and the others wait at the block's barrier.
#[test]
fn one_lane_waits_for_other_blocks_and_the_other_lanes_for_it() {
    let body = "setp.ne.u32 %p1, %r1, 0;
@%p1 bra TOGETHER;
atom.global.add.u32 %r2, [%rd1], 1;
WAIT:
atom.global.add.u32 %r3, [%rd1], 0;
setp.lt.u32 %p2, %r3, 3;
@%p2 bra WAIT;
TOGETHER:
bar.sync 0;
atom.global.add.u32 %r4, [%rd1+4], 1;
ret;";
    for model in Model::ALL {
        let (result, values) = launch(model, body, 3, 64);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        assert!(result.findings.is_empty(), "{model:?} {:?}", result.findings);
        assert_eq!(values[..2], [3, 192], "{model:?}");
    }
}

/// Compiler output for `if (i >= n) return;` before a barrier.
#[test]
fn exiting_lanes_do_not_block_a_barrier() {
    let body = "setp.ge.u32 %p1, %r1, 40;
@%p1 bra DONE;
bar.sync 0;
atom.global.add.u32 %r4, [%rd1], 1;
DONE:
ret;";
    for model in Model::ALL {
        let (result, values) = launch(model, body, 1, 64);
        let errors = result.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        assert_eq!((result.status, errors), (Status::Finished, 0), "{model:?} {:?}", result.findings);
        assert_eq!(values[0], 40, "{model:?}");
    }
}

/// A loop that reads the clock never repeats a state, so only its sleep shows that it waits.
#[test]
fn sleeping_threads_yield() {
    let values = finished(
        "setp.ge.u32 %p1, %r1, 32;
@%p1 bra GIVE;
WAIT:
mov.u64 %rd3, %clock64;
ld.volatile.shared.u32 %r2, [flag];
setp.ne.u32 %p2, %r2, 0;
@%p2 bra GOT;
nanosleep.u32 20;
bra WAIT;
GOT:
st.global.u32 [%rd1], %r2;
ret;
GIVE:
st.volatile.shared.u32 [flag], 7;
ret;",
        1,
        64,
    );
    assert_eq!(values[0], 7);
}

#[test]
fn exited_threads_release_a_barrier_with_a_count() {
    for barrier in [
        "bar.sync 0, 64;",
        "bar.sync 3, 64;",
        "barrier.sync 1, 64;",
        "bar.red.popc.u32 %r2, 0, 64, %p1;",
        "barrier.red.or.pred %p2, 2, 64, %p1;",
    ] {
        finished(&format!("setp.ge.u32 %p1, %r1, 32;\n@%p1 exit;\n{barrier}\nret;"), 1, 64);
    }
    // The last thread exits while others wait.
    finished("setp.ge.u32 %p1, %r1, 32;\n@%p1 bra LATE;\nbar.sync 0, 64;\nLATE:\nret;", 1, 64);
    // The block never had so many threads.
    let (result, _) = launch(Model::Stack, "bar.sync 1, 96;\nret;", 1, 64);
    assert_eq!(result.status, Status::NoProgress);
    // A thread that waits elsewhere may still arrive.
    let elsewhere =
        "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\nbar.sync 1, 64;\nret;\nOTHER:\nbar.sync 2, 64;\nret;";
    let (result, _) = launch(Model::Stack, elsewhere, 1, 64);
    assert_eq!(result.status, Status::NoProgress);
}
