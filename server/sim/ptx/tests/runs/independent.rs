//! Independent thread scheduling: every lane makes progress, and collectives wait for the lanes that they name.

use crate::common::{kernel, run_kernel, words};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

/// Runs a body with 64 threads under `its`, and returns the output words. `%r1` is the thread, `%rd1` an output buffer of
/// 128 words.
fn finished(body: &str) -> Vec<u32> {
    let text = kernel(&format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}"));
    let (_, _, result, bytes) = run_kernel(&text, 64, 512, Model::Its);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    assert!(result.findings.is_empty(), "{:?}", result.findings);
    words(&bytes)
}

/// Checks the listing of warp 0.
fn listing(body: &str, expected: Expect) {
    let text = kernel(&format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}"));
    let (source, program, result, _) = run_kernel(&text, 32, 512, Model::Its);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    let listing = source.listing(&program, &result, 0);
    expected.assert_eq(&listing.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_naive_lock_is_released() {
    let words = finished(
        "NEXT:
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra NEXT;
ld.volatile.global.u32 %r3, [%rd1+4];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd1+4], %r3;
atom.global.exch.b32 %r2, [%rd1], 0;
ret;",
    );
    assert_eq!(words[..2], [0, 64]);
}

#[test]
fn a_lock_whose_spinners_store() {
    // A waiting lane counts its tries in memory.
    let words = finished(
        "NEXT:
atom.global.add.u32 %r4, [%rd1+8], 1;
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra NEXT;
ld.volatile.global.u32 %r3, [%rd1+4];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd1+4], %r3;
atom.global.exch.b32 %r2, [%rd1], 0;
ret;",
    );
    assert_eq!(words[..2], [0, 64]);
}

#[test]
fn the_paths_of_a_branch_wait_for_each_other() {
    // The upper half signals the lower half, which signals back.
    let words = finished(
        "and.b32 %r9, %r1, 31;
setp.lt.u32 %p1, %r9, 16;
shr.u32 %r8, %r1, 5;
mul.wide.u32 %rd2, %r8, 8;
add.u64 %rd1, %rd1, %rd2;
@%p1 bra LOW;
st.volatile.global.u32 [%rd1], 1;
WAIT:
ld.volatile.global.u32 %r2, [%rd1+4];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra WAIT;
bra DONE;
LOW:
ld.volatile.global.u32 %r2, [%rd1];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra LOW;
st.volatile.global.u32 [%rd1+4], 2;
DONE:
ret;",
    );
    assert_eq!(words[..4], [1, 2, 1, 2]);
}

#[test]
fn an_ordinary_loop_reconverges() {
    listing(
        "and.b32 %r3, %r1, 1;
mul.lo.u32 %r3, %r3, 200;
NEXT:
sub.s32 %r3, %r3, 1;
setp.ge.s32 %p1, %r3, 0;
@%p1 bra NEXT;
ret;",
        expect![[r#"
            and.b32 %r3, %r1, 1;                     ffffffff
            mul.lo.u32 %r3, %r3, 200;                ffffffff
            sub.s32 %r3, %r3, 1;                     ffffffff aaaaaaaa*200
            setp.ge.s32 %p1, %r3, 0;                 ffffffff aaaaaaaa*200
            @%p1 bra NEXT;                           ffffffff/aaaaaaaa aaaaaaaa*199 aaaaaaaa/00000000
            ret;                                     ffffffff
        "#]],
    );
}

#[test]
fn a_shuffle_waits_for_its_lanes() {
    let words = finished(
        "setp.lt.u32 %p1, %r1, 16;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
@%p1 bra EARLY;
mul.lo.u32 %r3, %r1, 3;
EARLY:
shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
st.global.u32 [%rd1], %r2;
ret;",
    );
    assert_eq!(words[..64], std::array::from_fn::<u32, 64, _>(|lane| lane as u32 ^ 16));
}

#[test]
fn lanes_exchange_from_both_paths_of_a_branch() {
    // Every lane gets the value of its neighbor, which supplies it at another instruction and from another register.
    let words = finished(
        "and.b32 %r9, %r1, 1;
setp.eq.u32 %p1, %r9, 0;
mul.lo.u32 %r5, %r1, 3;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd1, %rd1, %rd2;
@%p1 bra EVEN;
shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
vote.sync.ballot.b32 %r3, !%p1, -1;
bar.warp.sync -1;
bra DONE;
EVEN:
shfl.sync.bfly.b32 %r2, %r5, 1, 31, -1;
vote.sync.ballot.b32 %r3, %p1, -1;
bar.warp.sync -1;
DONE:
shr.u32 %r3, %r3, 30;
add.u32 %r2, %r2, %r3;
st.global.u32 [%rd1], %r2;
ret;",
    );
    let given = |lane: u32| if lane.is_multiple_of(2) { lane * 3 } else { lane };
    assert_eq!(words[..64], std::array::from_fn::<u32, 64, _>(|lane| given(lane as u32 ^ 1) + 3));
}

#[test]
fn a_loop_through_a_table_yields_too() {
    // Lane 0 of each warp waits for a store by lane 1 after the loop.
    let words = finished(
        "and.b32 %r9, %r1, 31;
shr.u32 %r8, %r1, 5;
mul.wide.u32 %rd2, %r8, 4;
add.u64 %rd1, %rd1, %rd2;
T: .branchtargets WAIT, GIVE, DONE;
min.u32 %r2, %r9, 2;
brx.idx %r2, T;
WAIT:
ld.volatile.global.u32 %r3, [%rd1];
min.u32 %r3, %r3, 2;
brx.idx %r3, T;
GIVE:
st.volatile.global.u32 [%rd1], 2;
DONE:
ret;",
    );
    assert_eq!(words[..2], [2, 2]);
}

fn check(body: &str, expected: Expect) {
    let text = kernel(&format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}"));
    let (source, program, result, _) = run_kernel(&text, 32, 512, Model::Its);
    let mut lines = vec![result.status.as_str().to_owned()];
    for finding in &result.findings {
        let at = |statement| text.lines().nth(source.line(&program, statement)).unwrap_or_default();
        let (code, severity, lanes) = (finding.kind, finding.severity.as_str(), finding.lanes);
        lines.push(format!("{severity} {code} lanes {lanes:08x}: {}", finding.statement.map_or("", at)));
        lines.push(format!("  {}", finding.message.replace('\n', "\n  ")));
        for related in &finding.related {
            lines.push(format!("  {}: {}", related.message, at(related.statement)));
        }
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn named_lanes_that_take_another_path() {
    check(
        "setp.lt.u32 %p1, %r1, 16;
@!%p1 bra DONE;
shfl.sync.idx.b32 %r2, %r1, 20, 31, -1;
DONE:
bar.sync 0;
ret;",
        expect![[r#"
            no-progress
            error divergent-barrier lanes ffff0000: bar.sync 0;
              Divergent barrier: only lanes 16-31 reach it
              lanes 0-15 are elsewhere; move the aligned barrier to a point where all lanes reconverge, or use `barrier.sync`, which need not be aligned
              next statement of lanes 0-15: shfl.sync.idx.b32 %r2, %r1, 20, 31, -1;
            error absent-members lanes 0000ffff: shfl.sync.idx.b32 %r2, %r1, 20, 31, -1;
              Missing lanes: lanes 0-15 would wait here forever for lanes 16-31
              every lane in the member mask must execute the instruction; remove the missing lanes from the mask, or make them execute it
              current statement of lanes 16-31: ret;
              waiting at a barrier: lanes 16-31 of warp 0: bar.sync 0;
        "#]],
    );
}

#[test]
fn an_aligned_barrier_in_a_branch() {
    check(
        "setp.lt.u32 %p1, %r1, 16;
@%p1 bra LOW;
bar.sync 0;
bra DONE;
LOW:
bar.sync 0;
DONE:
ret;",
        expect![[r#"
            finished
            error divergent-barrier lanes 0000ffff: bar.sync 0;
              Divergent barrier: only lanes 0-15 reach it
              lanes 16-31 are elsewhere; move the aligned barrier to a point where all lanes reconverge, or use `barrier.sync`, which need not be aligned
              next statement of lanes 16-31: bar.sync 0;
            information divergent-barrier lanes ffff0000: bar.sync 0;
              Divergent barrier: only lanes 16-31 reach it
              lanes 0-15 exit
              next statement of lanes 0-15: ret;
        "#]],
    );
}

#[test]
fn spinning_lanes_do_not_block_the_others() {
    check(
        "setp.eq.u32 %p1, %r1, 0;
NEXT:
@%p1 bra NEXT;
st.global.u32 [%rd1], %r1;
ret;",
        expect![[r#"
            no-progress
            error no-progress lanes 00000001: @%p1 bra NEXT;
              Livelock: lane 0 of warp 0 iterates here forever
              the state of the loop does not change; change the exit condition in the loop
        "#]],
    );
}
