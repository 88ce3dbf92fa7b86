//! Undefined values in a warp's shuffles, votes, matches and reductions: what must be reported, and what must not.

use crate::common::watched::{findings, findings_of};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;

#[track_caller]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 1, 32, body));
}

/// Checks that there are no findings under `stack` and `its`.
#[track_caller]
fn clean(body: &str) {
    for model in [Model::Stack, Model::Its] {
        assert_eq!(findings_of("sm_90", 1, 32, body, model), "", "{model:?}");
    }
}

/// The last step of a block reduction: lanes 4-7 read lanes that do not participate, and drop the result.
const LAST_STEP: &str = "
        st.shared.u32 [%r3], %r1;
        bar.sync 0;
        setp.gt.u32 %p1, %r1, 7;
        @%p1 bra DONE;
        ld.shared.u32 %r5, [%r3];
        mov.u32 %r6, 4;
    NEXT:
        shfl.sync.down.b32 %r7, %r5, %r6, 31, 0xff;
        add.u32 %r5, %r5, %r7;
        shr.u32 %r6, %r6, 1;
        setp.ne.u32 %p2, %r6, 0;
        @%p2 bra NEXT;
    ";

#[test]
fn the_last_step_of_a_block_reduction() {
    clean(&format!(
        "
        {LAST_STEP}
        setp.ne.u32 %p3, %r1, 0;
        @%p3 bra DONE;
        st.global.u32 [%rd2], %r5;
    DONE:
        ret;
    "
    ));
    clean(&format!(
        "
        {LAST_STEP}
        setp.eq.u32 %p3, %r1, 0;
        @%p3 st.global.u32 [%rd2], %r5;
    DONE:
        ret;
    "
    ));
    check(
        &format!(
            "
        {LAST_STEP}
        st.global.u32 [%rd2], %r5;
    DONE:
        ret;
    "
        ),
        expect![[r#"
            warning shuffle-inactive warp 0 lanes 000000f0: shfl.sync.down.b32 %r7, %r5, %r6, 31, 0xff;
              Shuffle of inactive lanes: lanes 4-7 read lanes 8-11
              the sources do not execute the shuffle: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
}

#[test]
fn a_value_that_only_some_lanes_have() {
    // Only four of 32 partial sums are written.
    let body = |step: &str| {
        format!(
            "
        setp.lt.u32 %p1, %r1, 4;
        @%p1 st.shared.u32 [%r3], %r1;
        bar.sync 0;
        ld.shared.u32 %r5, [%r3];
        {step}
        st.global.u32 [%rd2], %r6;
        ret;
    "
        )
    };
    let steps = [
        "shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;",
        "shfl.sync.down.b32 %r6, %r5, 1, 31, -1;",
        "shfl.sync.idx.b32 %r6, %r5, 4, 31, -1;",
        "shfl.sync.up.b32 %r6, %r5, 1, 0, -1;",
        "redux.sync.add.u32 %r6, %r5, -1;",
        "match.any.sync.b32 %r6, %r5, -1;",
    ];
    for step in steps {
        let expected = format!(
            "warning uninitialized-read warp 0 lanes fffffff0: ld.shared.u32 %r5, [%r3];
  Uninitialized read: `tile[4]` (shared), before any thread writes it
  the value is stored; initialize it first, and synchronize with the threads that do
  the value is stored here: st.global.u32 [%rd2], %r6;
  other lanes receive the value here: {step}
"
        );
        assert_eq!(findings("sm_90", 1, 32, &body(step)), expected);
    }
    check(
        &body(
            "
        setp.eq.u32 %p2, %r5, 1;
        vote.sync.ballot.b32 %r6, %p2, -1;
    ",
        ),
        expect![[r#"
            warning uninitialized-read warp 0 lanes fffffff0: ld.shared.u32 %r5, [%r3];
              Uninitialized read: `tile[4]` (shared), before any thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r6;
              other lanes receive the value here: vote.sync.ballot.b32 %r6, %p2, -1;
        "#]],
    );
    clean(&body("shfl.sync.idx.b32 %r6, %r5, 3, 31, -1;"));
    clean(&body("shfl.sync.idx.b32 %r6, %r1, 16, 31, -1;"));
    clean(&body(
        "
        mov.u32 %r6, 0;
        @%p1 redux.sync.add.u32 %r6, %r5, 0xf;
    ",
    ));
    clean(&body("activemask.b32 %r6;"));
    // The predicate tells whether the source lane is within its segment.
    clean(&body(
        "
        shfl.sync.bfly.b32 %r7|%p2, %r5, 16, 31, -1;
        selp.u32 %r6, 1, 0, %p2;
    ",
    ));
}

#[test]
fn votes_that_defined_predicates_decide() {
    let body = |vote: &str| {
        format!(
            "
        setp.lt.u32 %p1, %r1, 4;
        @%p1 st.shared.u32 [%r3], %r1;
        bar.sync 0;
        ld.shared.u32 %r5, [%r3];
        setp.eq.u32 %p2, %r5, 1;
        vote.sync.{vote}.pred %p3, %p2, -1;
        @%p3 st.global.u32 [%rd2], 1;
        ret;
    "
        )
    };
    clean(&body("any"));
    clean(&body("all"));
    clean(&body("uni"));
    let none = body("any").replace("%r5, 1;", "%r5, 9;");
    check(
        &none,
        expect![[r#"
            warning uninitialized-read warp 0 lanes fffffff0: ld.shared.u32 %r5, [%r3];
              Uninitialized read: `tile[4]` (shared), before any thread writes it
              the value controls a predicate; initialize it first, and synchronize with the threads that do
              the value controls a predicate here: @%p3 st.global.u32 [%rd2], 1;
              other lanes receive the value here: vote.sync.any.pred %p3, %p2, -1;
        "#]],
    );
}

#[test]
fn a_shuffle_of_a_lane_that_has_exited() {
    let body = |mask: &str, used: &str| {
        format!(
            "
        setp.gt.u32 %p1, %r1, 15;
        @%p1 bra DONE;
        shfl.sync.idx.b32 %r5, %r1, 20, 31, {mask};
        {used}
    DONE:
        ret;
    "
        )
    };
    check(
        &body("0xffff", "st.global.u32 [%rd2], %r5;"),
        expect![[r#"
            warning shuffle-inactive warp 0 lanes 0000ffff: shfl.sync.idx.b32 %r5, %r1, 20, 31, 0xffff;
              Shuffle of inactive lanes: lanes 0-15 read lane 20
              the source does not execute the shuffle: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    check(
        &body("0xffffffff", "st.global.u32 [%rd2], %r5;"),
        expect![[r#"
            warning shuffle-inactive warp 0 lanes 0000ffff: shfl.sync.idx.b32 %r5, %r1, 20, 31, 0xffffffff;
              Shuffle of inactive lanes: lanes 0-15 read lane 20
              the source does not execute the shuffle: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    clean(&body("0xffff", "add.u32 %r6, %r5, 1;"));
    clean(&body("0xffffffff", "add.u32 %r6, %r5, 1;"));
    // Under independent scheduling, the other lanes have exited instead.
    let exited = body("0xffffffff", "st.global.u32 [%rd2], %r5;");
    expect![[r#"
        warning shuffle-inactive warp 0 lanes 0000ffff: shfl.sync.idx.b32 %r5, %r1, 20, 31, 0xffffffff;
          Shuffle of inactive lanes: lanes 0-15 read lane 20
          the source has exited or is beyond the last thread: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
          the value is stored here: st.global.u32 [%rd2], %r5;
    "#]].assert_eq(&findings_of("sm_90", 1, 32, &exited, Model::Its));
}

#[test]
fn a_shuffle_of_a_lane_that_the_mask_does_not_include() {
    clean(
        "
        shfl.sync.idx.b32 %r5, %r1, 20, 31, -1;
        st.global.u32 [%rd2], %r5;
        ret;
    ",
    );
    let split = "
        setp.lt.u32 %p1, %r1, 16;
        @!%p1 bra HIGH;
        shfl.sync.down.b32 %r5, %r1, 8, 31, 0xffff;
        st.global.u32 [%rd2], %r5;
        bra DONE;
    HIGH:
        st.global.u32 [%rd2], 7;
    DONE:
        ret;
    ";
    check(
        split,
        expect![[r#"
            warning shuffle-inactive warp 0 lanes 0000ff00: shfl.sync.down.b32 %r5, %r1, 8, 31, 0xffff;
              Shuffle of inactive lanes: lanes 8-15 read lanes 16-23
              the sources do not execute the shuffle: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
}

#[test]
fn masks_may_include_lanes_that_only_exit() {
    let body = |end: &str| {
        format!(
            "
        setp.ge.u32 %p1, %r1, 8;
        @%p1 bra DONE;
        shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;
        st.global.u32 [%rd2], %r5;
        bar.warp.sync 0xffffffff;
    DONE:
        {end}
    "
        )
    };
    clean(&body("ret;"));
    clean(&body(
        "
        mov.u32 %r6, 1;
        bra END;
    END:
        exit;
    ",
    ));
    clean(&body(
        "
        @%p1 ret;
        ret;
    ",
    ));
    expect![[r#"
        error absent-members warp 0 lanes ffffff00: shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;
          Missing lanes: only lanes 0-7 execute `shfl.sync` with mask 0xffffffff
          lanes 8-31 diverged: they wait to reconverge while the others wait for them here, a deadlock on a GPU; make all lanes of the mask execute it, or remove the others from the mask
          lanes 8-31 diverged here: @%p1 bra DONE;
        error absent-members warp 0 lanes ffffff00: bar.warp.sync 0xffffffff;
          Missing lanes: only lanes 0-7 execute `bar.warp.sync` with mask 0xffffffff
          lanes 8-31 diverged: they wait to reconverge while the others wait for them here, a deadlock on a GPU; make all lanes of the mask execute it, or remove the others from the mask
          lanes 8-31 diverged here: @%p1 bra DONE;
    "#]].assert_eq(&findings("sm_90", 1, 32, &body("
        st.global.u32 [%rd2], 1;
        ret;
    ")));
}

#[test]
fn one_wrong_mask_in_several_shuffles_is_one_mistake() {
    let body = |others: &str| {
        format!(
            "
        setp.ge.u32 %p1, %r1, 16;
        @%p1 bra OTHERS;
        shfl.sync.bfly.b32 %r5, %r1, 8, 31, -1;
        shfl.sync.bfly.b32 %r5, %r5, 4, 31, -1;
        shfl.sync.bfly.b32 %r5, %r5, 2, 31, -1;
        bra JOIN;
    OTHERS:
        {others}
    JOIN:
        st.global.u32 [%rd2], %r5;
        ret;
    "
        )
    };
    let severities = |target, others| {
        let found = findings(target, 1, 32, &body(others));
        let absent = found.lines().filter(|line| line.contains("absent-members"));
        absent.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    // Since sm_70 the shuffle waits for lanes that wait to reconverge. Earlier GPUs run the lanes of a warp in lockstep.
    assert_eq!(severities("sm_90", "mov.u32 %r5, 0;"), ["error"]);
    assert_eq!(severities("sm_60", "mov.u32 %r5, 0;"), ["warning"]);
    // The other lanes may arrive at an instruction of their own.
    assert_eq!(severities("sm_90", "shfl.sync.bfly.b32 %r5, %r1, 8, 31, -1;")[0], "warning");
}

/// The wrong mask explains the values from lanes that do not execute the shuffles, also of those that are not reported.
#[test]
fn values_from_missing_lanes_are_the_same_mistake() {
    let found = findings(
        "sm_90",
        1,
        32,
        "
        setp.ge.u32 %p1, %r1, 16;
        @%p1 bra JOIN;
        shfl.sync.idx.b32 %r5, %r1, 20, 31, -1;
        st.global.u32 [%rd2], %r5;
        shfl.sync.idx.b32 %r6, %r1, 20, 31, -1;
        st.global.u32 [%rd2], %r6;
    JOIN:
        st.global.u32 [%rd2], %r1;
        ret;
    ",
    );
    let kinds: Vec<_> = found.lines().filter(|line| line.contains(" warp 0 ")).collect();
    assert!(kinds.len() == 1 && kinds[0].contains("absent-members"), "{found}");
}

#[test]
fn an_undefined_lane_or_member_mask() {
    check(
        "
        shfl.sync.idx.b32 %r6, %r1, %r5, 31, -1;
        st.global.u32 [%rd2], %r6;
        ret;
    ",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: shfl.sync.idx.b32 %r6, %r1, %r5, 31, -1;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
    check(
        "
        setp.lt.u32 %p1, %r1, 16;
        @%p1 mov.u32 %r5, -1;
        shfl.sync.idx.b32 %r6, %r1, 0, 31, %r5;
        ret;
    ",
        expect![[r#"
            error wrong-membermask warp 0 lanes ffff0000: shfl.sync.idx.b32 %r6, %r1, 0, 31, %r5;
              Invalid member mask: it does not include all lanes that execute the instruction
              the mask of lane 16 is 0x0 and misses lanes 0-31; include each of them
            warning uninitialized-read warp 0 lanes ffff0000: shfl.sync.idx.b32 %r6, %r1, 0, 31, %r5;
              Uninitialized read: `%r5` in lanes 16-31, before it is written
              the value is used as a member mask; write it on every path to this statement
        "#]],
    );
}

#[test]
fn lanes_at_different_shuffles() {
    let body = |low: &str| {
        format!(
            "
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra LOW;
        mov.u32 %r5, %r1;
        shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;
        bra DONE;
    LOW:
        {low}
        shfl.sync.bfly.b32 %r6, %r8, 16, 31, -1;
    DONE:
        st.global.u32 [%rd2], %r6;
        ret;
    "
        )
    };
    let run = |low: &str| findings_of("sm_90", 1, 32, &body(low), Model::Its);
    assert_eq!(run("mov.u32 %r8, 1;"), "");
    expect![[r#"
        warning uninitialized-read warp 0 lanes 0000ffff: ld.shared.u32 %r8, [%r3];
          Uninitialized read: `tile[0]` (shared), before any thread writes it
          the value is stored; initialize it first, and synchronize with the threads that do
          the value is stored here: st.global.u32 [%rd2], %r6;
          other lanes receive the value here: shfl.sync.bfly.b32 %r6, %r8, 16, 31, -1;
    "#]]
    .assert_eq(&run("ld.shared.u32 %r8, [%r3];"));
}
