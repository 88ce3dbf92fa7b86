//! Quick fixes of findings, each checked by a run.

use std::sync::Arc;

use expect_test::{Expect, expect};
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::RunRequest;
use warplens_ide_lanes::fixes::Budget;
use warplens_sim_warp::{Checks, Control, RunOptions};

/// The findings of a text, and the text with the first fix that a run confirms.
fn run(text: &str) -> (Vec<String>, Option<String>) {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest::first(RunOptions { checks: Checks::ALL, ..RunOptions::default() });
    let analysis = host.snapshot();
    let prepared = analysis.prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.unwrap().unwrap();
    let shown = prepared.show(Arc::new(prepared.run(Control::none()).unwrap()), None);
    let found = analysis.findings(FileId(0), &shown).unwrap();
    let checked =
        |found| analysis.checked_fix(FileId(0), (&shown, &prepared), found, &mut Budget::default()).unwrap();
    let fix = found.iter().find_map(checked).map(|fix| fix.applied(text));
    (found.into_iter().map(|found| found.code.to_owned()).collect(), fix)
}

/// The first line that each fix changes, and the findings before and after.
fn check(body: &str, expected: Expect) {
    let text = format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n// @launch {{ block = [128], args = [{{ buffer = \"f32\", len = 1024 }}] }}\n\
         .visible .entry k(.param .u64 out)\n{{\n    .reg .pred %p<4>;\n    .reg .b32 %r<9>;\n    .reg .f32 %f<9>;\n    .reg .b64 %rd<9>;\n\
         .shared .align 1024 .b8 tile[2048];\n    ld.param.u64 %rd2, [out];\n    mov.u32 %r1, %tid.x;\n    shl.b32 %r2, %r1, 4;\n\
         mov.u32 %r3, tile;\n    add.u32 %r2, %r2, %r3;\n    mov.b32 %r4, 0x40004000;\n    setp.eq.u32 %p1, %r1, 0;\n\
         st.shared.v4.b32 [%r2], {{%r4, %r4, %r4, %r4}};\n    fence.proxy.async.shared::cta;\n    bar.sync 0;\n{body}    ret;\n}}\n"
    );
    check_text(text, expected);
}

/// The same of a whole text.
pub(crate) fn check_text(text: String, expected: Expect) {
    let (mut codes, mut fix) = run(&text);
    let (mut out, mut before) = (format!("{codes:?}\n"), text);
    for _ in 0..3 {
        let Some(after) = fix else { break };
        let at = after.lines().zip(before.lines()).take_while(|(new, old)| new == old).count();
        out += &format!("line {}: {}\n", at + 1, after.lines().nth(at).unwrap_or_default().trim());
        (codes, fix) = run(&after);
        out += &format!("{codes:?}\n");
        before = after;
    }
    expected.assert_eq(&out);
}

const PRODUCT: &str = "    mov.b32 %r5, 0x3c003c00;\n    mov.b64 %rd1, 0x0000000800080000;\n    mov.b32 %f0, 0f00000000;\n\
    mov.b32 %f1, 0f00000000;\n    mov.b32 %f2, 0f00000000;\n    mov.b32 %f3, 0f00000000;\n    wgmma.fence.sync.aligned;\n\
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r5, %r5, %r5, %r5}, %rd1, 1, 1, 1, 0;\n";

#[test]
fn products() {
    let with = |lines: &str| {
        format!("{PRODUCT}{lines}    add.f32 %f4, %f0, %f1;\n    st.global.f32 [%rd2], %f4;\n")
            .replace("    st.global", "    @%p1 st.global")
    };
    check(
        &with("    wgmma.commit_group.sync.aligned;\n"),
        expect![[r#"
            ["async-result"]
            line 31: wgmma.wait_group.sync.aligned 0;
            []
        "#]],
    );
    check(
        &with("    wgmma.wait_group.sync.aligned 0;\n"),
        expect![[r#"
            ["async-result"]
            line 30: wgmma.commit_group.sync.aligned;
            []
        "#]],
    );
}

#[test]
fn copies() {
    let copy = "    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 2048;\n";
    check(
        &format!(
            "{copy}    @%p1 cp.async.bulk.wait_group.read 0;\n    bar.sync 0;\n    st.shared.u32 [%r2], 0;\n"
        ),
        expect![[r#"
            ["async-source"]
            line 23: @%p1 cp.async.bulk.commit_group;
            []
        "#]],
    );
}

#[test]
fn waits_for_copies() {
    let copy = "    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 2048;\n    @%p1 cp.async.bulk.commit_group;\n";
    let overwritten = "    bar.sync 0;\n    st.shared.u32 [%r2], 0;\n";
    let read =
        "    bar.sync 0;\n    ld.global.f32 %f1, [%rd2];\n    @%p1 st.global.f32 [%rd2 + 2048], %f1;\n";
    check(
        &format!("{copy}{overwritten}"),
        expect![[r#"
        ["async-source"]
        line 24: @%p1 cp.async.bulk.wait_group.read 0;
        []
    "#]],
    );
    check(
        &format!("{copy}{read}"),
        expect![[r#"
        ["async-result"]
        line 24: @%p1 cp.async.bulk.wait_group 0;
        []
    "#]],
    );
    check(
        &format!("{copy}    @%p1 cp.async.bulk.wait_group.read 0;\n{read}"),
        expect![[r#"
        ["async-result"]
        line 25: @%p1 cp.async.bulk.wait_group 0;
        []
    "#]],
    );
    // The wait of one thread is there; the other threads do not synchronize with it.
    let wait = "    @%p1 cp.async.bulk.wait_group.read 0;\n    st.shared.u32 [%r2], 0;\n";
    check(
        &format!("{copy}{wait}"),
        expect![[r#"
            ["data-race"]
            line 25: bar.sync 0;
            []
        "#]],
    );
}

#[test]
fn initializations() {
    let uses = "    @%p1 mbarrier.init.shared::cta.b64 [done], 1;\n    @%p2 mbarrier.arrive.shared::cta.b64 _, [bar];\n\
        \x20   @%p2 mbarrier.arrive.shared::cta.b64 _, [done];\n";
    let objects =
        "    .shared .align 8 .b64 bar;\n    .shared .align 8 .b64 done;\n    setp.eq.u32 %p2, %r1, 32;\n";
    check(
        &format!("{objects}    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n{uses}"),
        expect![[r#"
        ["mbarrier-init", "mbarrier-init"]
        line 27: bar.sync 0;
        []
    "#]],
    );
    // All threads pass only what follows the branch.
    let branch = "    @!%p1 bra NEXT;\n    mbarrier.init.shared::cta.b64 [bar], 1;\n    mov.u32 %r5, 0;\nNEXT:\n    mov.u32 %r6, 1;\n";
    let arrive = "    @%p2 mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    check(
        &format!("{objects}{branch}{arrive}"),
        expect![[r#"
        ["mbarrier-init"]
        line 29: bar.sync 0;
        []
    "#]],
    );
    // Nothing before the use is on the paths of all threads.
    let apart = "    @!%p1 bra OTHER;\n    mbarrier.init.shared::cta.b64 [bar], 1;\n    bra NEXT;\nOTHER:\n";
    check(
        &format!("{objects}{apart}{arrive}NEXT:\n    mov.u32 %r6, 1;\n"),
        expect![[r#"
        ["mbarrier-init"]
    "#]],
    );
    // A barrier of the block does not order blocks of a cluster.
    let cluster = "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n";
    check(
        &format!("{objects}    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n{arrive}{cluster}"),
        expect![[r#"
            ["mbarrier-init"]
        "#]],
    );
}

/// A product whose result is stored, without these lines.
fn tensor_memory(without: &[&str]) -> String {
    let text = "\
.version 8.7
.target sm_100a
.address_size 64
.shared .align 128 .b8 matrices[4352];
.shared .align 8 .b64 done;
.shared .align 4 .b32 slot;
// @launch { block = [128], args = [{ buffer = \"f32\", len = 1024 }] }
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<8>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
ALLOCATED:
    setp.eq.u32 %p2, %r1, 0;
    @%p2 mbarrier.init.shared::cta.b64 [done], 1;
    mov.u32 %r2, matrices;
    shl.b32 %r3, %r1, 5;
    add.u32 %r3, %r2, %r3;
    mov.u32 %r4, 0x3c003c00;
    st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};
    st.shared.v4.u32 [%r3+16], {%r4, %r4, %r4, %r4};
    setp.lt.u32 %p3, %r1, 16;
    shl.b32 %r5, %r1, 4;
    add.u32 %r5, %r2, %r5;
    @%p3 st.shared.v4.u32 [%r5+4096], {%r4, %r4, %r4, %r4};
    fence.proxy.async.shared::cta;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    ld.shared.u32 %r6, [slot];
    shr.u32 %r7, %r1, 5;
    shl.b32 %r7, %r7, 21;
    add.u32 %r7, %r6, %r7;
    tcgen05.st.sync.aligned.32x32b.x4.b32 [%r7 + 16], {%r1, %r1, %r1, %r1};
    tcgen05.wait::st.sync.aligned;
    tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r10, %r11, %r12, %r13}, [%r7 + 16];
    shr.u32 %r2, %r2, 4;
    cvt.u64.u32 %rd2, %r2;
    add.s64 %rd3, %rd2, 256;
    or.b64 %rd2, %rd2, 0x0000400800800000;
    or.b64 %rd3, %rd3, 0x0000400800080000;
    @%p2 tcgen05.mma.cta_group::1.kind::f16 [%r6], %rd2, %rd3, 0x08020010, 0;
    @%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];
WAIT:
    mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p1, [done], 0;
    @!%p1 bra WAIT;
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r10, %r11, %r12, %r13}, [%r7];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.st.sync.aligned.32x32b.x4.b32 [%r7], {%r1, %r1, %r1, %r1};
    tcgen05.wait::st.sync.aligned;
    mul.wide.u32 %rd4, %r1, 16;
    add.s64 %rd1, %rd1, %rd4;
    st.global.v4.b32 [%rd1], {%r10, %r11, %r12, %r13};
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra FREED;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 32;
FREED:
    ret;
}
";
    let mut text = text.to_owned();
    for line in without {
        let at = text.rfind(line).unwrap();
        text.replace_range(at..at + line.len() + 1, "");
    }
    text
}

#[test]
fn tensor_memory_operations() {
    check_text(
        tensor_memory(&[]),
        expect![[r#"
        []
    "#]],
    );
    check_text(
        tensor_memory(&["    tcgen05.fence::after_thread_sync;"]),
        expect![[r#"
        ["tcgen05-order", "tcgen05-order"]
        line 52: tcgen05.fence::after_thread_sync;
        []
    "#]],
    );
    check_text(
        tensor_memory(&["    tcgen05.wait::ld.sync.aligned;"]),
        expect![[r#"
            ["async-source", "async-source"]
            line 54: tcgen05.wait::ld.sync.aligned;
            []
        "#]],
    );
    check_text(
        tensor_memory(&["    tcgen05.wait::st.sync.aligned;", "    tcgen05.wait::st.sync.aligned;"]),
        expect![[r#"
            ["async-result", "async-result"]
            line 40: tcgen05.wait::st.sync.aligned;
            ["async-result"]
            line 56: tcgen05.wait::st.sync.aligned;
            []
        "#]],
    );
}

/// Warp 0 consumes what warp 1 produces, which waits first, `empty`, and whose last statement is `next`.
fn producer(declared: &str, empty: &str, next: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n// @launch {{ block = [64], args = [{{ buffer = \"u32\", len = 64 }}] }}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .shared .align 8 .b64 full;\n.shared .align 8 .b64 free;\n.shared .b32 slot;\n{declared}\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, full;\nmov.u32 %r3, free;\nsetp.eq.u32 %p1, %r1, 0;\n\
         @%p1 mbarrier.init.shared::cta.b64 [%r2], 32;\n@%p1 mbarrier.init.shared::cta.b64 [%r3], 32;\nbar.sync 0;\n\
         setp.ge.u32 %p1, %r1, 32;\n@%p1 bra PRODUCE;\nFULL:\n\
         mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra FULL;\nld.shared.u32 %r4, [slot];\n\
         mbarrier.arrive.shared::cta.b64 _, [%r3];\nret;\nPRODUCE:\n{empty}\nmov.u32 %r4, 5;\nsetp.eq.u32 %p3, %r1, 32;\n\
         @%p3 st.shared.u32 [slot], %r4;\nmbarrier.arrive.shared::cta.b64 _, [%r2];\n{next}\nret;\n}}\n"
    )
}

#[test]
fn a_producer_starts_with_parity_1() {
    let wait = |parity: &str| {
        format!("EMPTY:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], {parity};\n@!%p2 bra EMPTY;")
    };
    check_text(
        producer("", &wait("0"), ""),
        expect![[r#"
            ["no-progress"]
            line 30: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 1;
            []
        "#]],
    );
    let phase = ".reg .b32 %phase;\nmov.b32 %phase, 0;\n";
    check_text(
        producer(phase, &wait("%phase"), "xor.b32 %phase, %phase, 1;"),
        expect![[r#"
            ["no-progress"]
            line 14: mov.b32 %phase, 1;
            []
        "#]],
    );
    // Another use of the register would change too.
    check_text(
        producer(phase, &wait("%phase"), "mov.b32 %r7, %phase;"),
        expect![[r#"
            ["no-progress"]
        "#]],
    );
    check_text(
        producer("", &wait("1"), ""),
        expect![[r#"
            []
        "#]],
    );
}

/// A kernel of two warps: a value for each thread, and its address in `tile` and in `out`.
fn two_warps(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n// @launch {{ block = [64], args = [{{ buffer = \"u32\", len = 64 }}] }}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n\
         .shared .b32 tile[64];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n\
         shl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\nxor.b32 %r4, %r1, 63;\nshl.b32 %r4, %r4, 2;\n\
         add.u32 %r4, %r4, %r3;\nmov.u32 %r8, 0;\n{body}ret;\n}}\n"
    )
}

#[test]
fn barriers_between_racing_accesses() {
    let store = "st.shared.u32 [%r2], %r1;\n";
    let load = "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\n";
    check_text(
        two_warps(&format!("{store}{load}")),
        expect![[r#"
        ["data-race", "data-race"]
        line 24: bar.sync 0;
        []
    "#]],
    );
    // Only some threads load: all come to the branch before.
    let some = "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra DONE;\n";
    check_text(
        two_warps(&format!("{store}mov.u32 %r6, 1;\n{some}{load}DONE:\n")),
        expect![[r#"
        ["data-race"]
        line 24: bar.sync 0;
        []
    "#]],
    );
    // Only some threads store: all come to the label after.
    check_text(
        two_warps(&format!("{some}{store}DONE:\nmov.u32 %r6, 1;\n{load}")),
        expect![[r#"
            ["data-race", "uninitialized-read"]
            line 27: bar.sync 0;
            ["uninitialized-read"]
            line 24: st.shared.u32 [%r2], 0;
            []
        "#]],
    );
    // Threads beyond the data return first.
    let leave = "setp.ge.u32 %p2, %r1, 64;\n@%p2 bra END;\n";
    check_text(
        two_warps(&format!("{leave}{store}{load}END:\n")),
        expect![[r#"
        ["data-race", "data-race"]
        line 26: bar.sync 0;
        []
    "#]],
    );
}

#[test]
fn barriers_in_loops() {
    let iteration = |end: &str| {
        format!(
            "LOOP:\nadd.u32 %r6, %r1, %r8;\nst.shared.u32 [%r2], %r6;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];\n\
             st.global.u32 [%rd1], %r5;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n{end}@%p1 bra LOOP;\n"
        )
    };
    check_text(
        two_warps(&iteration("")),
        expect![[r#"
            ["data-race", "data-race"]
            line 31: bar.sync 0;
            []
        "#]],
    );
    check_text(
        two_warps(&iteration("").replace("bar.sync 0;\n", "")),
        expect![[r#"
            ["data-race", "data-race"]
            line 26: bar.sync 0;
            []
        "#]],
    );
    // Half of the threads add in each iteration: the barrier is after the branch that the others take.
    let halves = "st.shared.u32 [%r2], %r1;\nmov.u32 %r8, 32;\nbar.sync 0;\nLOOP:\nsetp.ge.u32 %p1, %r1, %r8;\n@%p1 bra SKIP;\n\
        shl.b32 %r5, %r8, 2;\nadd.u32 %r5, %r5, %r2;\nld.shared.u32 %r6, [%r5];\nld.shared.u32 %r7, [%r2];\nadd.u32 %r7, %r7, %r6;\n\
        st.shared.u32 [%r2], %r7;\nSKIP:\nshr.u32 %r8, %r8, 1;\nsetp.ne.u32 %p2, %r8, 0;\n@%p2 bra LOOP;\n";
    check_text(
        two_warps(halves),
        expect![[r#"
            ["data-race"]
            line 38: bar.warp.sync 0xffffffff;
            []
        "#]],
    );
}

#[test]
fn barriers_before_atomics() {
    let count = "st.shared.u32 [%r2], %r8;\natom.shared.add.u32 %r5, [%r4], 1;\nst.global.u32 [%rd1], %r5;\n";
    check_text(
        two_warps(count),
        expect![[r#"
            ["data-race", "data-race"]
            line 24: bar.sync 0;
            []
        "#]],
    );
}

#[test]
fn no_barrier_corrects_a_store_to_one_element() {
    check_text(
        two_warps("st.shared.u32 [tile], %r1;\n"),
        expect![[r#"
        ["data-race"]
    "#]],
    );
}

#[test]
fn member_masks() {
    let store = "st.global.u32 [%rd1], %r5;\n";
    let shuffle = |mask: &str| format!("shfl.sync.bfly.b32 %r5, %r1, 1, 31, {mask};\n");
    check_text(
        two_warps(&format!("{}{store}", shuffle("0xffff"))),
        expect![[r#"
        ["wrong-membermask"]
        line 23: shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;
        []
    "#]],
    );
    check_text(
        two_warps(&format!("mov.b32 %r6, 0xffff;\n{}{store}", shuffle("%r6"))),
        expect![[r#"
        ["wrong-membermask"]
        line 23: mov.b32 %r6, 0xffffffff;
        []
    "#]],
    );
    // Another use of the register would change too.
    check_text(
        two_warps(&format!("mov.b32 %r6, 0xffff;\n{}add.u32 %r5, %r5, %r6;\n{store}", shuffle("%r6"))),
        expect![[r#"
            ["wrong-membermask"]
        "#]],
    );
    let eight = "and.b32 %r6, %r1, 31;\nsetp.lt.u32 %p1, %r6, 8;\n";
    check_text(
        two_warps(&format!(
            "{eight}@%p1 {}@%p1 {}@%p1 {store}",
            shuffle("-1"),
            shuffle("-1").replace("1, 31", "2, 31")
        )),
        expect![[r#"
            ["absent-members"]
            line 25: @%p1 shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xff;
            []
        "#]],
    );
    check_text(
        two_warps(
            "setp.lt.u32 %p1, %r1, 8;\nvote.sync.ballot.b32 %r5, %p1, 0xfffffffe;\nst.global.u32 [%rd1], %r5;\n",
        ),
        expect![[r#"
        ["wrong-membermask"]
        line 24: vote.sync.ballot.b32 %r5, %p1, 0xffffffff;
        []
    "#]],
    );
    check_text(
        two_warps("bar.warp.sync 0x7fffffff;\n"),
        expect![[r#"
        ["wrong-membermask"]
        line 23: bar.warp.sync 0xffffffff;
        []
    "#]],
    );
}

#[test]
fn first_values_of_registers() {
    check_text(
        two_warps("add.u32 %r7, %r7, %r1;\nst.global.u32 [%rd1], %r7;\n"),
        expect![[r#"
        ["uninitialized-read"]
        line 12: mov.b32 %r7, 0;
        []
    "#]],
    );
    check_text(
        two_warps("cvt.rn.f32.u32 %f2, %r1;\nfma.rn.f32 %f1, %f2, %f2, %f1;\nst.global.f32 [%rd1], %f1;\n"),
        expect![[r#"
            ["uninitialized-read"]
            line 12: mov.b32 %f1, 0;
            []
        "#]],
    );
    check_text(
        two_warps(
            "setp.lt.u32 %p1, %r1, 8;\n@%p1 setp.eq.u32 %p2, %r1, 3;\n@%p2 st.global.u32 [%rd1], %r1;\n",
        ),
        expect![[r#"
            ["uninitialized-read"]
            line 12: mov.pred %p2, 0;
            []
        "#]],
    );
}

#[test]
fn barriers_at_which_some_lanes_arrive() {
    let some = "setp.lt.u32 %p1, %r1, 8;\n@!%p1 bra SKIP;\n";
    let load = "ld.shared.u32 %r5, [tile+8];\nst.global.u32 [%rd1], %r5;\n";
    check_text(
        two_warps(&format!("{some}st.shared.u32 [%r2], %r1;\nbar.sync 0;\nSKIP:\n{load}")),
        expect![[r#"
        ["divergent-barrier", "data-race"]
        line 26: SKIP:
        []
    "#]],
    );
    let both = "bar.sync 0;\nbra SKIP;\nHIGH:\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\nSKIP:\n";
    let some = some.replace("SKIP", "HIGH");
    check_text(
        two_warps(&format!("{some}st.shared.u32 [%r2], 1;\n{both}{load}")),
        expect![[r#"
        ["divergent-barrier", "divergent-barrier"]
        line 26: bra SKIP;
        []
    "#]],
    );
    check_text(
        two_warps("setp.lt.u32 %p1, %r1, 8;\n@%p1 bar.sync 0;\n"),
        expect![[r#"
        ["divergent-barrier", "no-progress"]
        line 24: bar.sync 0;
        []
    "#]],
    );
}

#[test]
fn fences_between_blocks() {
    let last_block = |before: &str, after: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n// @launch {{ grid = [3], block = [1], args = [{{ buffer = \"u32\", len = 4 }}, \
             {{ buffer = \"u32\", len = 1, fill = \"zero\" }}] }}\n.visible .entry k(.param .u64 out, .param .u64 count)\n{{\n.reg .pred %p<4>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [count];\nmov.u32 %r1, %ctaid.x;\n\
             mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\n{before}atom.global.add.u32 %r2, [%rd2], 1;\n\
             setp.ne.u32 %p1, %r2, 2;\n@%p1 bra DONE;\n{after}ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\n\
             ld.global.u32 %r5, [%rd1+8];\nadd.u32 %r3, %r3, %r4;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%rd1+12], %r3;\nDONE:\nret;\n}}\n"
        )
    };
    check_text(
        last_block("", "membar.gl;\n"),
        expect![[r#"
            ["data-race", "data-race"]
            line 16: membar.gl;
            []
        "#]],
    );
    check_text(
        last_block("membar.gl;\n", ""),
        expect![[r#"
        []
    "#]],
    );
    check_text(
        last_block("", ""),
        expect![[r#"
            ["data-race", "data-race"]
            line 16: membar.gl;
            []
        "#]],
    );
    check_text(
        last_block("membar.gl;\n", "membar.gl;\n"),
        expect![[r#"
        []
    "#]],
    );
}

#[test]
fn the_parity_of_a_wait_in_a_loop_changes() {
    let tiles = |start: &str, parity: &str| {
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n// @launch {{ block = [32], args = [{{ buffer = \"u32\", len = 128 }}, \
             {{ buffer = \"u32\", len = 32 }}] }}\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n\
             .reg .b64 %rd<4>;\n.shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 full;\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n\
             mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd2, %rd2, %rd3;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\n\
             add.u32 %r2, %r2, %r3;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [full], 1;\nbar.sync 0;\nmov.u32 %r4, 0;\n\
             mov.u32 %r5, 0;\n{start}LOOP:\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [full];\nWAIT:\n\
             mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], {parity};\n@!%p2 bra WAIT;\nld.shared.u32 %r6, [%r2];\nadd.u32 %r5, %r5, %r6;\n\
             bar.sync 0;\nadd.u64 %rd1, %rd1, 128;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 4;\n@%p3 bra LOOP;\n\
             st.global.u32 [%rd2], %r5;\nret;\n}}\n"
        )
    };
    check_text(
        tiles("mov.u32 %r7, 0;\n", "%r7"),
        expect![[r#"
        ["mbarrier", "async-result"]
        line 32: xor.b32 %r7, %r7, 1;
        []
    "#]],
    );
    check_text(
        tiles("", "0"),
        expect![[r#"
        ["mbarrier", "async-result"]
        line 12: .reg .b32 %parity;
        []
    "#]],
    );
}
