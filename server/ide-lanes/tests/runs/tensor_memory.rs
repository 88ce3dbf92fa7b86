//! What hovers show about addresses in tensor memory, without and after a run.

use expect_test::{Expect, expect};
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_sim_warp::{Checks, RunOptions};

use crate::hovers::{after_run, after_run_of};

/// D in 32 columns, A in 8 columns after it, one allocation of which 24 columns stay unused, and one that is freed before.
const TEXT: &str = "\
.version 8.6
.target sm_100a
.address_size 64
// @launch { block = [128], args = [] }
.visible .entry k()
{
    .reg .pred %p<5>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<9>;
    .shared .align 1024 .b8 tile[1024];
    .shared .align 8 .b8 bar[8];
    .shared .align 4 .b8 slot[4];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    setp.ge.u32 %p2, %r1, 32;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
    @%p2 bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 64;
    bar.warp.sync 0xffffffff;
    ld.shared.b32 %r2, [slot];
    bar.warp.sync 0xffffffff;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;
    bar.warp.sync 0xffffffff;
    ld.shared.b32 %r3, [slot];
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;
    bar.warp.sync 0xffffffff;
    @%p1 st.shared.b32 [slot], %r2;
ALLOCATED:
    mov.b32 %r4, 0;
    mov.u32 %r5, tile;
    mad.lo.u32 %r5, %r1, 8, %r5;
    st.shared.v2.b32 [%r5], {%r4, %r4};
    fence.proxy.async.shared::cta;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    ld.shared.b32 %r2, [slot];
    add.u32 %r6, %r2, 32;
    and.b32 %r7, %r1, 96;
    shl.b32 %r7, %r7, 16;
    add.u32 %r8, %r6, %r7;
    add.u32 %r9, %r2, %r7;
    tcgen05.st.sync.aligned.32x32b.x8.b32 [%r8], {%r4, %r4, %r4, %r4, %r4, %r4, %r4, %r4};
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    tcgen05.fence::after_thread_sync;
    @!%p1 bra WAIT;
    mov.b64 %rd1, 0x0000400800080000;
    mov.b32 %r10, 0x08080010;
    setp.ne.u32 %p4, %r4, 0;
    tcgen05.mma.cta_group::1.kind::f16 [%r2], [%r6], %rd1, %r10, %p4;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;
    @!%p3 bra WAIT;
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r11, %r12}, [%r9 + 0x10];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.fence::before_thread_sync;
    bar.sync 0;
    @%p2 bra FREED;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 64;
FREED:
    ret;
}
";

fn checked() -> RunOptions {
    RunOptions { checks: Checks::ALL, ..RunOptions::default() }
}

#[test]
fn a_map_of_tensor_memory() {
    let markdown = after_run(TEXT, "tcgen05.mma", "%r2", checked());
    let expected = expect![[r#"
        **`%r2`** = 0 in lane 0, after this line.

        `0x00000000`: **lane 0, column 0** of tensor memory. Address in tensor memory of D of `tcgen05.mma`: the lane in bits 31 to 16, the column in bits 15 to 0.

        **1 of 32 lanes** reached this line, once: lane 0.

        Launch *1 x 128*, block 0,0,0, warp 0, model `stack`.

        **Tensor memory** (a character is 4 columns, `.` not used):

        ```text
        lanes     0       32      64      96
        > 0-31    DDDDDDDDAA..............
          32-127  DDDDDDDDAA..............
        ```

        - columns 0 to 63: allocated by warp 0 (line 18), freed (line 63)
        - columns 64 to 95: allocated by warp 0 (line 22), freed (line 25)
        - D: lanes 0 to 127, columns 0 to 31: once (line 52)
        - A: lanes 0 to 127, columns 32 to 39: once (line 52)
        - loaded: lanes 0 to 127, columns 16 to 17: 4 times (line 58)
        - stored to: lanes 0 to 127, columns 32 to 39: 4 times (line 43)
        - `>`: warp 0 reaches lanes 0 to 31 (32 * (0 % 4))"#]];
    expected.assert_eq(&markdown);
}

#[test]
fn the_lanes_of_the_warp_are_marked() {
    let markdown = after_run_of(2, TEXT, "tcgen05.ld", "%r9", checked());
    let expected = expect![[r#"
        **`%r9`** = 4194304, after this line.

        `0x00400000`: **lane 64, column 0** of tensor memory. Address in tensor memory of the source of `tcgen05.ld`: the lane in bits 31 to 16, the column in bits 15 to 0. With the offset 0x10 it is lane 64, column 16.

        **All 32 lanes** reached this line, once.

        Launch *1 x 128*, block 0,0,0, warp 2, model `stack`.

        **Tensor memory** (a character is 4 columns, `.` not used):

        ```text
        lanes     0       32      64      96
          0-63    DDDDDDDDAA..............
        > 64-95   DDDDDDDDAA..............
          96-127  DDDDDDDDAA..............
        ```

        - columns 0 to 63: allocated by warp 0 (line 18), freed (line 63)
        - columns 64 to 95: allocated by warp 0 (line 22), freed (line 25)
        - D: lanes 0 to 127, columns 0 to 31: once (line 52)
        - A: lanes 0 to 127, columns 32 to 39: once (line 52)
        - loaded: lanes 0 to 127, columns 16 to 17: 4 times (line 58)
        - stored to: lanes 0 to 127, columns 32 to 39: 4 times (line 43)
        - `>`: warp 2 reaches lanes 64 to 95 (32 * (2 % 4))"#]];
    expected.assert_eq(&markdown);
}

#[test]
fn a_run_without_checks_has_no_map() {
    let markdown = after_run(TEXT, "tcgen05.mma", "%r2", RunOptions::default());
    let notes = markdown.split("model `stack`.").nth(1).unwrap();
    expect!["A run with checks shows a map of tensor memory here; this one had none."]
        .assert_eq(notes.trim());
}

/// The hover of `word` at `place` without a run.
fn check(place: &str, word: &str, expected: Expect) {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, TEXT);
    let at = TEXT.find(place).unwrap() as u32;
    let hover = host.snapshot().operand(FileId(0), at.into(), word).unwrap();
    expected.assert_eq(&hover.map_or("nothing".to_owned(), |hover| hover.markdown));
}

#[test]
fn addresses_without_a_run() {
    check(
        "tcgen05.mma",
        "%r6",
        expect![
            "Address in tensor memory of A of `tcgen05.mma`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    check(
        "add.u32 %r6",
        "32",
        expect![
            "`0x00000020`: **lane 0, column 32** of tensor memory. Address in tensor memory of A of `tcgen05.mma`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    check(
        "tcgen05.ld",
        "0x10",
        expect![
            "`0x00000010`: **lane 0, column 16** of tensor memory. Address in tensor memory of the source of `tcgen05.ld`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    check(
        "tcgen05.dealloc",
        "%r3",
        expect![
            "Address in tensor memory of the columns to free of `tcgen05.dealloc`: the lane in bits 31 to 16, the column in bits 15 to 0."
        ],
    );
    check("tcgen05.dealloc", "32", expect!["nothing"]);
}
