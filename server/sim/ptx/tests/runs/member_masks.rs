//! Member masks that differ within one execution: each mask is a barrier of its own.

use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;

use crate::common::watched::findings_of;

const MODELS: [Model; 2] = [Model::Stack, Model::Its];

#[track_caller]
fn check(body: &str, expected: &Expect) {
    for model in MODELS {
        expected.assert_eq(&findings_of("sm_90", 1, 32, body, model));
    }
}

/// Each lane stores and synchronizes with the lanes of its half; then it loads what the lane stored whose number differs in `bit`.
fn halves(masks: [&str; 2], synchronize: &str, bit: u32) -> String {
    let [low, high] = masks;
    format!(
        "
        st.shared.u32 [%r3], %r1;
        setp.lt.u32 %p1, %r1, 16;
        selp.b32 %r4, {low}, {high}, %p1;
        {synchronize}
        xor.b32 %r5, %r1, {bit};
        shl.b32 %r5, %r5, 2;
        mov.u32 %r6, tile;
        add.u32 %r5, %r6, %r5;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%rd2], %r6;
    "
    )
}

const SYNCHRONIZE: [&str; 5] = [
    "bar.warp.sync %r4;",
    "shfl.sync.idx.b32 %r7, %r1, %r1, 31, %r4;",
    "vote.sync.ballot.b32 %r7, %p1, %r4;",
    "redux.sync.add.u32 %r7, %r1, %r4;",
    "match.any.sync.b32 %r7, %r1, %r4;",
];

#[test]
fn two_masks_are_two_barriers() {
    for synchronize in SYNCHRONIZE {
        check(&halves(["0xffff", "0xffff0000"], synchronize, 8), &expect![""]);
        check(&halves(["-1", "-1"], synchronize, 16), &expect![""]);
        let found =
            findings_of("sm_90", 1, 32, &halves(["0xffff", "0xffff0000"], synchronize, 16), Model::Stack);
        assert!(found.starts_with("error data-race"), "{synchronize}: {found}");
    }
    check(
        &halves(["0xffff", "0xffff0000"], SYNCHRONIZE[0], 16),
        &expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[16] read by lane 0, written by lane 16
              both lanes have waited for others between the two accesses, but no member mask includes both: name both in the mask of one `bar.warp.sync`
              thread (0,0,0) is lane 0 of warp 0, thread (16,0,0) is lane 16 of warp 0
              thread (16,0,0) writes `tile[16]` here: st.shared.u32 [%r3], %r1;
        "#]],
    );
}

/// Only one of the lanes has waited for others.
#[test]
fn a_mask_of_one_half() {
    let found =
        findings_of("sm_90", 1, 32, &halves(["0xffff", "0"], "@%p1 bar.warp.sync %r4;", 16), Model::Its);
    assert!(found.contains("put a `bar.warp.sync` between the two accesses"), "{found}");
}

#[test]
fn masks_that_disagree() {
    for synchronize in SYNCHRONIZE {
        let found = findings_of("sm_90", 1, 32, &halves(["-1", "0xffff0000"], synchronize, 8), Model::Stack);
        assert!(found.starts_with("error wrong-membermask"), "{synchronize}: {found}");
    }
    check(
        &halves(["-1", "0xffff0000"], SYNCHRONIZE[0], 8),
        &expect![[r#"
            error wrong-membermask warp 0 lanes 0000ffff: bar.warp.sync %r4;
              Invalid member mask: lanes that wait for each other give different masks
              the mask of lane 0 is 0xffffffff and includes lane 16, whose mask is 0xffff0000: behavior is undefined; pass one mask
        "#]],
    );
}

/// The lanes wait for each other in two arms of a branch.
#[test]
fn masks_that_disagree_in_two_arms() {
    let body = |other: &str| {
        format!(
            "
            setp.lt.u32 %p1, %r1, 16;
            @%p1 bra LOW;
            bar.warp.sync {other};
            bra DONE;
        LOW:
            bar.warp.sync -1;
        DONE:
            ret;
        "
        )
    };
    assert_eq!(findings_of("sm_90", 1, 32, &body("-1"), Model::Its), "");
    expect![[r#"
        error wrong-membermask warp 0 lanes ffffffff: bar.warp.sync -1;
          Invalid member mask: lanes that wait for each other give different masks
          the mask of lane 0 is 0xffffffff and includes lane 16, whose mask is 0xffff8000: behavior is undefined; pass one mask
        error wrong-membermask warp 0 lanes ffffffff: bar.warp.sync 0xffff8000;
          Invalid member mask: lanes that wait for each other give different masks
          the mask of lane 0 is 0xffffffff and includes lane 16, whose mask is 0xffff8000: behavior is undefined; pass one mask
    "#]]
    .assert_eq(&findings_of("sm_90", 1, 32, &body("0xffff8000"), Model::Its));
}

/// A lane is missing in one of the two barriers.
#[test]
fn a_missing_lane_of_one_half() {
    let body = "
        setp.lt.u32 %p1, %r1, 16;
        setp.eq.u32 %p2, %r1, 20;
        selp.b32 %r4, 0xffff, 0xffff0000, %p1;
        @%p2 bra DONE;
        vote.sync.ballot.b32 %r7, 1, %r4;
    DONE:
        st.global.u32 [%rd2], %r1;
        ret;
    ";
    let found = |body: &str| findings_of("sm_90", 1, 32, body, Model::Stack);
    expect![[r#"
        error absent-members warp 0 lanes 00100000: vote.sync.ballot.b32 %r7, 1, %r4;
          Missing lanes: only lanes 16-19,21-31 execute `vote.sync` with mask 0xffff0000
          lane 20 diverged: they wait to reconverge while the others wait for them here, a deadlock on a GPU; make all lanes of the mask execute it, or remove the others from the mask
          lane 20 diverged here: @%p2 bra DONE;
    "#]]
    .assert_eq(&found(body));
    assert_eq!(found(&body.replace("0xffff0000", "0xffef0000")), "");
}
