//! Data passed between blocks with relaxed or volatile accesses: a missing fence shows under schedules, a right one never.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use warplens_ide_lanes::Exploration;
use warplens_syntax::ptx::LANGUAGE;

use crate::schedules::{explore, prepared_text};

const LAUNCH: &str = r#"// @launch { grid = [2], block = [32], args = [{ name = "out", buffer = "u32", len = 1, fill = "zero" }, { name = "data", buffer = "u32", len = 4, fill = "zero" }, { name = "flag", buffer = "u32", len = 1, fill = "zero" }], expect = [{ name = "out", values = [42] }] }"#;

/// The first threads of two blocks run `one` and `other`, with the addresses `[%rd1]`, `[%rd2]` and `[%rd3]`; `out` is compared.
fn two_blocks(one: &str, other: &str) -> String {
    format!(
        r#"
.version 8.0
.target sm_80
.address_size 64
{LAUNCH}
.visible .entry k(.param .u64 out, .param .u64 data, .param .u64 flag)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [data];
    ld.param.u64 %rd3, [flag];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra OTHER;
    {one}
    bra DONE;
OTHER:
    {other}
DONE:
    ret;
}}
"#
    )
}

/// One block stores data and sets a flag, the other one waits for the flag and reads the data.
fn message([store, store_order, set]: [&str; 3], [poll, poll_order, load]: [&str; 3]) -> String {
    let one = format!("{store}.global.u32 [%rd2], 42; {store_order} {set}.global.u32 [%rd3], 1;");
    let other = format!(
        "POLL: {poll}.global.u32 %r2, [%rd3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra POLL; {poll_order}
         {load}.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;"
    );
    two_blocks(&one, &other)
}

/// The findings of 50 schedules, without their schedules.
fn findings(text: &str) -> String {
    let prepared = prepared_text(LANGUAGE, text);
    let (_, findings) = explore(&prepared, &Exploration::new(1, 50));
    let mut out = String::new();
    for finding in findings {
        let line = |statement: u32| {
            let at = prepared.statements[statement as usize].range;
            text[at].split_whitespace().collect::<Vec<_>>().join(" ")
        };
        writeln!(out, "{}", finding.kind).expect("a string");
        for related in finding.related {
            writeln!(out, "  {}: {}", line(related.statement.0), related.message).expect("a string");
        }
    }
    out
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&findings(text));
}

fn is_right(text: &str) {
    assert_eq!(findings(text), "", "{text}");
}

const VOLATILE: [&str; 3] = ["st.volatile", "", "st.volatile"];
const VOLATILE_LOADS: [&str; 3] = ["ld.volatile", "", "ld.volatile"];

#[test]
fn a_message_without_a_fence() {
    check(
        &message(VOLATILE, VOLATILE_LOADS),
        expect![[r#"
            expect-failed
              ld.volatile.global.u32 %r2, [%rd2];: lane 0 may read the older value 0 here instead of 42
              st.volatile.global.u32 [%rd2], 42;: nothing orders this store before the load
        "#]],
    );
}

#[test]
fn each_fence_of_a_message_that_is_missing_or_too_narrow() {
    for (stores, loads) in [
        (VOLATILE, ["ld.volatile", "membar.gl;", "ld.volatile"]),
        (VOLATILE, ["ld.acquire.gpu", "", "ld.relaxed.gpu"]),
        (["st.volatile", "fence.acq_rel.cta;", "st.volatile"], ["ld.acquire.gpu", "", "ld.volatile"]),
        (["st.volatile", "membar.cta;", "st.volatile"], ["ld.volatile", "membar.cta;", "ld.volatile"]),
        (["st.relaxed.gpu", "", "st.release.cta"], ["ld.acquire.gpu", "", "ld.relaxed.gpu"]),
        (["st.volatile", "", "red.add"], ["ld.acquire.gpu", "", "ld.volatile"]),
        (
            ["st.relaxed.gpu", "fence.acq_rel.gpu;", "st.relaxed.cta"],
            ["ld.relaxed.gpu", "", "ld.relaxed.gpu"],
        ),
    ] {
        let text = message(stores, loads);
        assert_ne!(findings(&text), "", "{text}");
    }
}

#[test]
fn right_messages() {
    for (stores, loads) in [
        (["st.volatile", "membar.gl;", "st.volatile"], ["ld.volatile", "membar.gl;", "ld.volatile"]),
        (
            ["st.relaxed.gpu", "fence.acq_rel.gpu;", "st.relaxed.gpu"],
            ["ld.relaxed.gpu", "fence.acq_rel.gpu;", "ld.relaxed.gpu"],
        ),
        (["st.relaxed.gpu", "", "st.release.gpu"], ["ld.acquire.gpu", "", "ld.relaxed.gpu"]),
        (["st.relaxed.gpu", "", "red.release.gpu.add"], ["ld.acquire.sys", "", "ld.volatile"]),
        (["st.volatile", "fence.sc.gpu;", "st.volatile"], ["ld.acquire.gpu", "", "ld.volatile"]),
    ] {
        is_right(&message(stores, loads));
    }
}

/// The last of the blocks to take a ticket adds what the others left, as the sample `threadFenceReduction` of CUDA does.
fn last_block(fence: &str) -> String {
    let store = |index: u32| {
        format!(
            "st.volatile.global.u32 [%rd2+{}], 21; {fence} atom.global.inc.u32 %r2, [%rd3], 1;
             setp.ne.u32 %p1, %r2, 1; @%p1 bra DONE;
             ld.volatile.global.u32 %r3, [%rd2]; ld.volatile.global.u32 %r4, [%rd2+4];
             add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3;",
            4 * index
        )
    };
    two_blocks(&store(0), &store(1))
}

#[test]
fn the_last_block_reads_what_the_others_left() {
    check(
        &last_block(""),
        expect![[r#"
            expect-failed
              ld.volatile.global.u32 %r3, [%rd2];: lane 0 may read the older value 0 here instead of 21
              st.volatile.global.u32 [%rd2+0], 21;: nothing orders this store before the load
        "#]],
    );
    is_right(&last_block("membar.gl;"));
    is_right(&last_block("fence.acq_rel.gpu;"));
}

#[test]
fn a_load_sees_no_less_than_an_earlier_one() {
    let stores = "st.volatile.global.u32 [%rd2], 1; st.volatile.global.u32 [%rd2], 2;";
    for first in [
        "ld.volatile.global.u32 %r2, [%rd2];",
        "ld.acquire.gpu.global.u32 %r2, [%rd2];",
        "ld.volatile.global.v2.u32 {%r2, %r5}, [%rd2];",
        "atom.global.or.b32 %r2, [%rd2], 0;",
        "atom.global.cas.b32 %r2, [%rd2], 7, 7;",
    ] {
        // 42, unless the data was seen and then not.
        let other = format!(
            "{first} ld.volatile.global.u32 %r3, [%rd2]; setp.ge.u32 %p1, %r3, %r2; selp.u32 %r4, 42, 7, %p1;
             st.global.u32 [%rd1], %r4;"
        );
        is_right(&two_blocks(stores, &other));
    }
}

#[test]
fn what_a_flag_tells_depends_on_its_value() {
    let one = "st.relaxed.gpu.global.u32 [%rd2], 42; st.release.gpu.global.u32 [%rd3], 1;
        st.release.gpu.global.u32 [%rd3], 2;";
    let other = "POLL: ld.relaxed.gpu.global.u32 %r2, [%rd3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra POLL;
        fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r2;";
    is_right(&two_blocks(one, other));
}

#[test]
fn a_wait_for_two_words_ends() {
    let one = "st.volatile.global.u32 [%rd2], 1; st.volatile.global.u32 [%rd3], 1;";
    let other = "POLL: ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd2];
        and.b32 %r2, %r2, %r3; setp.eq.u32 %p1, %r2, 0; @%p1 bra POLL; st.global.u32 [%rd1], 42;";
    is_right(&two_blocks(one, other));
}

/// Each block announces itself, then looks for the other one: with fences, one of them sees the other.
fn announcements(fence: &str) -> String {
    let announce = |own: u32, other: u32| {
        format!(
            "st.relaxed.gpu.global.u32 [%rd2+{own}], 42; {fence} ld.relaxed.gpu.global.u32 %r2, [%rd2+{other}];
             atom.global.or.b32 %r3, [%rd1], %r2;"
        )
    };
    two_blocks(&announce(0, 4), &announce(4, 0))
}

#[test]
fn fences_between_announcements() {
    check(
        &announcements(""),
        expect![[r#"
            expect-failed
              ld.relaxed.gpu.global.u32 %r2, [%rd2+0];: lane 0 may read the older value 0 here instead of 42
              st.relaxed.gpu.global.u32 [%rd2+0], 42;: nothing orders this store before the load
        "#]],
    );
    is_right(&announcements("fence.sc.gpu;"));
    is_right(&announcements("membar.gl;"));
}
