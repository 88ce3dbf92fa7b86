//! Accesses of the lanes of one warp that rely on lockstep execution.

use crate::common::watched::findings;
use expect_test::{Expect, expect};

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 1, 32, &format!("{body}ret;")));
}

#[track_caller]
fn clean(target: &str, body: &str) {
    assert_eq!(findings(target, 1, 32, &format!("{body}ret;")), "", "{body}");
}

/// Checks that there are exactly `count` findings, all of them `warp-synchronous`.
#[track_caller]
fn reported(count: usize, body: &str) {
    let found = findings("sm_90", 1, 32, &format!("{body}ret;"));
    let codes: Vec<_> = found.lines().filter(|line| !line.starts_with(' ')).collect();
    let all_are = codes.iter().all(|line| line.starts_with("warning warp-synchronous"));
    assert!(all_are && codes.len() == count, "{body}\n{found}");
}

const INIT: &str = "st.volatile.shared.u32 [%r3], %r1;\nst.volatile.shared.u32 [%r3+128], 0;\nbar.sync 0;\n";

/// The last steps of a reduction: `s[lane] += s[lane + 16]`, and so on.
fn reduction(load: &str, store: &str, guard: bool, between: &str, after: &str) -> String {
    let mut body = INIT.to_owned();
    for offset in [16, 8, 4, 2, 1] {
        let guard = if guard { "@%p1 " } else { "" };
        body += &format!(
            "setp.lt.u32 %p1, %r1, {offset};\n{guard}{load}.u32 %r5, [%r3];\n{guard}{load}.u32 %r6, [%r3+{}];\n\
             add.u32 %r5, %r5, %r6;\n{between}{guard}{store}.u32 [%r3], %r5;\n{after}",
            4 * offset
        );
    }
    body
}

#[test]
fn a_reduction_has_one_finding() {
    check(
        &reduction("ld.volatile.shared", "st.volatile.shared", false, "", ""),
        expect![[r#"
            warning warp-synchronous warp 0 lanes 000000ff: ld.volatile.shared.u32 %r6, [%r3+32];
              Warp-synchronous access: lane 0 reads `tile[8]` that lane 8 wrote
              no `bar.warp.sync` between: both accesses are volatile or relaxed: the code relies on lockstep execution, which sm_70 and later do not guarantee; put `bar.warp.sync` between the two accesses
              lane 8 wrote it here: st.volatile.shared.u32 [%r3], %r5;
        "#]],
    );
    reported(1, &reduction("ld.volatile.shared", "st.volatile.shared", true, "", ""));
    reported(1, &reduction("ld.relaxed.cta.shared", "st.relaxed.cta.shared", false, "", ""));
    // One of the two barriers of a step is missing.
    let sync = "bar.warp.sync 0xffffffff;\n";
    reported(4, &reduction("ld.volatile.shared", "st.volatile.shared", false, "", sync));
    reported(4, &reduction("ld.volatile.shared", "st.volatile.shared", false, sync, ""));
}

#[test]
fn synchronization_between_the_steps() {
    let sync = "bar.warp.sync 0xffffffff;\n";
    clean("sm_90", &reduction("ld.volatile.shared", "st.volatile.shared", false, sync, sync));
    clean("sm_90", &reduction("ld.volatile.shared", "st.volatile.shared", true, "", sync));
    let vote = "vote.sync.any.pred %p3, %p2, 0xffffffff;\n";
    clean("sm_90", &reduction("ld.volatile.shared", "st.volatile.shared", true, "", vote));
    clean("sm_90", &reduction("ld.volatile.shared", "st.volatile.shared", true, "", "bar.sync 0;\n"));
}

#[test]
fn targets_with_lockstep() {
    clean("sm_60", &reduction("ld.volatile.shared", "st.volatile.shared", false, "", ""));
}

#[test]
fn plain_accesses_are_races() {
    let found =
        findings("sm_90", 1, 32, &format!("{}ret;", reduction("ld.shared", "st.shared", false, "", "")));
    assert!(found.contains("error data-race") && !found.contains("warp-synchronous"), "{found}");
}

#[test]
fn a_value_for_all_lanes() {
    let body = |store: &str, sync: &str| {
        format!(
            "{INIT}setp.eq.u32 %p1, %r1, 5;\n{store}\n{sync}ld.volatile.shared.u32 %r6, [tile];\n\
             add.u32 %r7, %r6, %r6;\nst.global.u32 [%rd2], %r7;\n"
        )
    };
    reported(1, &body("@%p1 st.volatile.shared.u32 [tile], 77;", ""));
    clean("sm_90", &body("@%p1 st.volatile.shared.u32 [tile], 77;", "bar.warp.sync 0xffffffff;\n"));
    // Every lane stores the same value, or the value that is there already.
    clean("sm_90", &body("st.volatile.shared.u32 [tile], 77;", ""));
    clean("sm_90", &body("@%p1 st.volatile.shared.u32 [tile], 0;", ""));
}

#[test]
fn a_lanes_own_words() {
    clean(
        "sm_90",
        &format!(
            "{INIT}ld.volatile.shared.u32 %r5, [%r3];\nadd.u32 %r5, %r5, 1;\nst.volatile.shared.u32 [%r3], %r5;\n"
        ),
    );
}

#[test]
fn a_polled_flag() {
    // The odd lanes wait for lane 0. The data need a fence, as between any threads.
    clean(
        "sm_90",
        &format!(
            "{INIT}setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra WAIT;\nst.volatile.shared.u32 [tile+4], 9;\nmembar.cta;\n\
             st.volatile.shared.u32 [tile], 7;\nWAIT:\nld.volatile.shared.u32 %r6, [tile];\nsetp.ne.u32 %p2, %r6, 7;\n@%p2 bra WAIT;\n\
             ld.volatile.shared.u32 %r7, [tile+4];\nst.global.u32 [%rd2], %r7;\n"
        ),
    );
    // A loop that ends as soon as any lane has found something.
    clean(
        "sm_90",
        &format!(
            "{INIT}mov.u32 %r8, 0;\nL: ld.volatile.shared.u32 %r6, [tile+128];\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra E;\n\
             add.u32 %r8, %r8, 1;\nsetp.eq.u32 %p2, %r8, %r1;\n@%p2 st.volatile.shared.u32 [tile+128], %r8;\nsetp.lt.u32 %p3, %r8, 40;\n@%p3 bra L;\nE:\n"
        ),
    );
}

#[test]
fn a_lock() {
    clean(
        "sm_90",
        &format!(
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.volatile.shared.u32 [tile+256], 0;\n{INIT}mov.u32 %r9, 0;\nL: setp.ne.u32 %p4, %r9, %r1;\n@%p4 bra NEXT;\n\
             atom.shared.cas.b32 %r5, [tile+128], 0, 1;\nld.volatile.shared.u32 %r6, [tile+256];\nadd.u32 %r6, %r6, 1;\n\
             st.volatile.shared.u32 [tile+256], %r6;\natom.shared.exch.b32 %r5, [tile+128], 0;\n\
             NEXT: add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p5, %r9, 32;\n@%p5 bra L;\n"
        ),
    );
}
