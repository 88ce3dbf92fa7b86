//! Matrices with fewer rows, columns or depth than the tiles that hold them. Nobody writes the rest of a tile, and it matters only
//! where a result that depends on it is used.

use crate::common::watched::{findings, watched};

/// The kinds and lines of the findings of a product of a warp. `a` guards the 16 bytes of A that a thread writes, half a row of
/// 16, and `b` half a column of B, of 8; `epilogue` uses `%f1` to `%f4`.
fn product(a: &str, b: &str, epilogue: &str) -> String {
    let found = findings(
        "sm_90",
        1,
        32,
        &format!(
            "shl.b32 %r5, %r1, 4;\nadd.u32 %r5, %r5, %r4;\nmov.u32 %r8, 0x3c003c00;\nmov.f32 %f0, 0f00000000;\nshr.u32 %r9, %r1, 2;\n\
             {a}\n@%p1 st.shared.v4.u32 [%r5], {{%r8, %r8, %r8, %r8}};\n\
             {b}\n@%p2 st.shared.v4.u32 [%r5+1024], {{%r8, %r8, %r8, %r8}};\n\
             bar.warp.sync -1;\n\
             and.b32 %r6, %r1, 15;\nshl.b32 %r6, %r6, 5;\nand.b32 %r7, %r1, 16;\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r4;\n\
             ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r6];\n\
             and.b32 %r6, %r1, 7;\nshl.b32 %r6, %r6, 5;\nshl.b32 %r7, %r1, 1;\nand.b32 %r7, %r7, 16;\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r4;\n\
             ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r14, %r15}}, [%r6+1024];\n\
             mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1, %f2, %f3, %f4}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, {{%f0, %f0, %f0, %f0}};\n\
             {epilogue}\nret;"
        ),
    );
    lines(&found)
}

fn lines(found: &str) -> String {
    found.lines().filter(|line| !line.starts_with(' ')).fold(String::new(), |all, line| all + line + "\n")
}

const A: &str = "setp.lt.u32 %p1, %r1, 32;";
const B: &str = "setp.lt.u32 %p2, %r1, 16;";

/// Ten rows of A: `%f3` and `%f4` belong to rows 8 and 9 in lanes 0 to 7.
const ROWS: &str = "setp.lt.u32 %p1, %r1, 20;";
/// Depth 8 of 16.
const DEPTH: &str = "and.b32 %r6, %r1, 1;\nsetp.eq.u32 %p1, %r6, 0;";
/// Five columns of B.
const COLUMNS: &str = "setp.lt.u32 %p2, %r1, 10;";

#[test]
fn results_of_the_valid_part() {
    let staged = "st.shared.f32 [%r3+2048], %f1;\nst.shared.f32 [%r3+2176], %f3;\nbar.warp.sync -1;\nld.shared.f32 %f5, [%r3+2176];\n";
    for (a, b, epilogue) in [
        (A, B, "st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd2+128], %f4;"),
        (
            ROWS,
            B,
            "st.global.f32 [%rd2], %f1;\nsetp.lt.u32 %p3, %r1, 8;\n@%p3 st.global.f32 [%rd2+128], %f3;",
        ),
        (
            ROWS,
            B,
            "setp.lt.u32 %p3, %r1, 8;\nselp.f32 %f5, %f4, 0f00000000, %p3;\nst.global.f32 [%rd2], %f5;",
        ),
        (
            A,
            COLUMNS,
            "and.b32 %r6, %r1, 3;\nsetp.lt.u32 %p3, %r6, 3;\nselp.f32 %f5, %f1, 0fFF800000, %p3;\nst.global.f32 [%rd2], %f5;",
        ),
        // The whole tile goes through shared memory.
        (ROWS, B, &format!("{staged}setp.lt.u32 %p3, %r1, 8;\n@%p3 st.global.f32 [%rd2], %f5;")),
        // The tail is multiplied again.
        (
            ROWS,
            B,
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f2, %f3, %f4};\nst.global.f32 [%rd2], %f1;",
        ),
    ] {
        assert_eq!(product(a, b, epilogue), "", "{a} {b} {epilogue}");
    }
}

#[test]
fn results_that_depend_on_the_tail() {
    let loaded = |lanes: &str, registers: &str| {
        format!("warning uninitialized-read warp 0 lanes {lanes}: ldmatrix.sync.aligned.m8n8.{registers}\n")
    };
    let of_a = |lanes: &str| loaded(lanes, "x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r6];");
    let of_b = |lanes: &str| loaded(lanes, "x2.shared.b16 {%r14, %r15}, [%r6+1024];");
    for (a, b, epilogue, expected) in [
        (ROWS, B, "setp.lt.u32 %p3, %r1, 12;\n@%p3 st.global.f32 [%rd2], %f3;", of_a("ffffff00")),
        (DEPTH, B, "st.global.f32 [%rd2], %f1;", of_a("ffffffff")),
        (A, COLUMNS, "st.global.f32 [%rd2], %f1;", of_b("fff00000")),
        (
            ROWS,
            B,
            "setp.gt.f32 %p3, %f4, %f0;\n@%p3 bra END;\nst.global.f32 [%rd2], %f1;\nEND:",
            of_a("ffffff00"),
        ),
        (
            ROWS,
            B,
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f1, %f2, %f3, %f4};\nst.global.f32 [%rd2], %f3;",
            of_a("ffffff00"),
        ),
    ] {
        assert_eq!(product(a, b, epilogue), expected, "{a} {b} {epilogue}");
    }
    let staged = "st.shared.f32 [%r3+2048], %f3;\nbar.warp.sync -1;\nld.shared.f32 %f5, [%r3+2048];\nst.global.f32 [%rd2], %f5;";
    let expected = "warning uninitialized-read warp 0 lanes ffffff00: ld.shared.f32 %f5, [%r3+2048];\n";
    assert_eq!(product(ROWS, B, staged), expected);
}

/// The findings of a product of a warpgroup. `a` guards the 16 bytes of A that a thread writes, `b` those of B, and `stored` the
/// element of D that it stores.
fn warpgroup(a: &str, b: &str, stored: &str) -> String {
    let text = format!(
        ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<16>;\n\
         .shared .align 1024 .b8 sa[2048];\n.shared .align 1024 .b8 sb[256];\n\
         mov.u32 %r0, %tid.x;\nld.param.u64 %rd1, [out];\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\n\
         mov.u32 %r1, sa;\nmov.u32 %r2, sb;\nshl.b32 %r3, %r0, 4;\nadd.u32 %r4, %r3, %r1;\nadd.u32 %r5, %r3, %r2;\nmov.u32 %r8, 0x3c003c00;\n\
         {a}\n@%p1 st.shared.v4.u32 [%r4], {{%r8, %r8, %r8, %r8}};\n\
         {b}\n@%p2 st.shared.v4.u32 [%r5], {{%r8, %r8, %r8, %r8}};\n\
         fence.proxy.async.shared::cta;\nbar.sync 0;\n\
         shr.u32 %r1, %r1, 4;\ncvt.u64.u32 %rd10, %r1;\nor.b64 %rd10, %rd10, 0x800400000;\n\
         shr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd11, %r2;\nor.b64 %rd11, %rd11, 0x800080000;\n\
         mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n\
         wgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd10, %rd11, 1, 1, 1, 0, 0;\n\
         wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n\
         {stored}\n@%p3 st.global.f32 [%rd2], %f0;\nret;\n}}\n"
    );
    let (_, _, result) = watched(&text, 1, 128);
    let found = result.findings.iter();
    found.map(|finding| format!("{} {}\n", finding.severity.as_str(), finding.kind)).collect()
}

#[test]
fn products_of_warpgroups() {
    let whole = "setp.lt.u32 %p1, %r0, 128;";
    let all = "setp.lt.u32 %p3, %r0, 128;";
    let both = "setp.lt.u32 %p2, %r0, 16;";
    // Core matrices of 8 rows: the eight groups of 8 threads write them for depth 0 to 7, the other eight for 8 to 15.
    let rows = "and.b32 %r9, %r0, 63;\nsetp.lt.u32 %p1, %r9, 40;";
    let valid = "setp.lt.u32 %p3, %r0, 96;";
    assert_eq!(warpgroup(whole, both, all), "");
    assert_eq!(warpgroup(rows, both, valid), "");
    let error = "error matrix-descriptor\n";
    assert_eq!(warpgroup(rows, both, all), error);
    assert_eq!(warpgroup(whole, "setp.lt.u32 %p2, %r0, 8;", all), error);
    // Columns 0 to 3 of B, and lanes that hold columns 0 to 3 of D.
    let columns =
        "and.b32 %r9, %r0, 7;\nsetp.lt.u32 %p2, %r9, 4;\nsetp.lt.u32 %p4, %r0, 16;\nand.pred %p2, %p2, %p4;";
    let held = "and.b32 %r9, %r0, 3;\nsetp.lt.u32 %p3, %r9, 2;";
    assert_eq!(warpgroup(whole, columns, held), "");
    assert_eq!(warpgroup(whole, columns, all), error);
}

/// The findings of a product into tensor memory of which `a` guards the rows of A that threads write, and `stored` the rows of D.
/// D has eight columns; each thread loads sixteen, `%r10` to `%r25`.
fn into_tensor_memory(a: &str, stored: &str) -> String {
    let registers = (10..26).map(|number| format!("%r{number}")).collect::<Vec<_>>().join(", ");
    let found = findings(
        "sm_100a",
        1,
        128,
        &format!(
            ".shared .align 1024 .b8 sa[4096];\n.shared .align 8 .b64 done;\n.shared .align 16 .b32 slot[4];\n\
             mov.b64 %rd5, %rd2;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 32;\n\
             @%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n\
             @%p1 mbarrier.init.shared::cta.b64 [done], 1;\n\
             mov.u32 %r2, sa;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r2, %r3;\n{a}\n\
             @%p4 st.shared.v4.u32 [%r3], {{0, 0, 0, 0}};\n@%p4 st.shared.v4.u32 [%r3+2048], {{0, 0, 0, 0}};\n\
             fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %r4, [slot];\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd2, %r2;\n\
             or.b64 %rd2, %rd2, 0x400800800000;\nand.b32 %r6, %r1, 96;\nshl.b32 %r6, %r6, 16;\nadd.u32 %r6, %r4, %r6;\n\
             setp.ne.u32 %p3, %r1, %r1;\n\
             @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd2, 0x8020010, %p3;\n\
             @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd2, 0x8020010, 1;\n\
             @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p7, [done], 0;\n@!%p7 bra W;\ntcgen05.fence::after_thread_sync;\n\
             tcgen05.ld.sync.aligned.32x32b.x16.b32 {{{registers}}}, [%r6];\ntcgen05.wait::ld.sync.aligned;\n\
             {stored}\n\
             tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n\
             @%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\n\
             @%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nret;"
        ),
    );
    lines(&found)
}

#[test]
fn products_into_tensor_memory() {
    let [whole, rows] = [128, 100].map(|count| format!("setp.lt.u32 %p4, %r1, {count};"));
    let store = |count: u32, register: u32| {
        format!("setp.lt.u32 %p5, %r1, {count};\n@%p5 st.global.u32 [%rd5], %r{register};")
    };
    assert_eq!(into_tensor_memory(&whole, &store(128, 17)), "");
    assert_eq!(into_tensor_memory(&rows, &store(100, 17)), "");
    let product = into_tensor_memory(&rows, &store(101, 10));
    assert!(
        product.starts_with("error matrix-descriptor warp 3 lanes 00000010: @%p1 tcgen05.mma"),
        "{product}"
    );
    let column = into_tensor_memory(&whole, &store(128, 18));
    assert!(column.starts_with("error uninitialized-read warp 0 lanes ffffffff: tcgen05.ld"), "{column}");
}

/// The findings of `wmma` on a tile of which the first `halves` halves of rows of A are written. The result of 16 rows of 16 singles goes
/// through shared memory, and the first `stored` rows to global memory.
fn staged(halves: u32, stored: u32, store: &str) -> String {
    let eight =
        |first: u32| (first..first + 8).map(|number| format!("%r{number}")).collect::<Vec<_>>().join(", ");
    let sums = (1..9).map(|number| format!("%f{number}")).collect::<Vec<_>>().join(", ");
    let store = store.replace("SUMS", &sums);
    lines(&findings(
        "sm_90",
        1,
        32,
        &format!(
            "shl.b32 %r5, %r1, 4;\nadd.u32 %r5, %r5, %r4;\nmov.u32 %r8, 0x3c003c00;\nsetp.lt.u32 %p1, %r1, {halves};\n\
             @%p1 st.shared.v4.u32 [%r5], {{%r8, %r8, %r8, %r8}};\n\
             st.shared.v4.u32 [%r5+1024], {{%r8, %r8, %r8, %r8}};\nbar.warp.sync -1;\n\
             mov.u32 %r9, 16;\nadd.u32 %r6, %r4, 1024;\nadd.u32 %r7, %r4, 2048;\n\
             wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {{{}}}, [%r4], %r9;\n\
             wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {{{}}}, [%r6], %r9;\n\
             mov.f32 %f0, 0f00000000;\n\
             wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {{{sums}}}, {{{}}}, {{{}}}, {{%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0}};\n\
             {store}\nbar.warp.sync -1;\nsetp.lt.u32 %p1, %r1, {stored};\n\
             mad.lo.u32 %r5, %r1, 64, %r7;\n@%p1 ld.shared.f32 %f9, [%r5];\n@%p1 st.global.f32 [%rd2], %f9;\nret;",
            eight(10),
            eight(20),
            eight(10),
            eight(20)
        ),
    ))
}

#[test]
fn tiles_through_shared_memory() {
    let shared = "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r7], {SUMS}, %r9;";
    assert_eq!(staged(32, 16, shared), "");
    assert_eq!(staged(20, 10, shared), "");
    let expected = "warning uninitialized-read warp 0 lanes 00000c00: @%p1 ld.shared.f32 %f9, [%r5];\n";
    assert_eq!(staged(20, 12, shared), expected);
    let global = "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {SUMS}, %r9;\n\
                  wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r7], {SUMS}, %r9;";
    let found = staged(20, 10, global);
    assert!(
        found.starts_with("warning uninitialized-read warp 0") && found.contains("wmma.load.a"),
        "{found}"
    );
}
