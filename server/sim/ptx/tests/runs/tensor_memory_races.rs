//! Accesses to tensor memory by a warp and by another thread, with and without synchronization between them.

use crate::common::watched::findings;

/// Runs four warps after they have allocated columns. Thread 96 starts `%p1`'s products into the cells at `%r4`; `%r6` is the part of
/// the warp.
fn found(body: &str) -> String {
    let text = format!(
        ".shared .align 1024 .b8 sa[4096];\n.shared .align 8 .b64 done;\n.shared .align 8 .b64 empty;\n.shared .align 16 .b32 slot[4];\n\
         setp.eq.u32 %p1, %r1, 96;\nsetp.lt.u32 %p2, %r1, 96;\n\
         @!%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n\
         @%p1 mbarrier.init.shared::cta.b64 [done], 1;\n@%p1 mbarrier.init.shared::cta.b64 [empty], 128;\n\
         mov.u32 %r2, sa;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r3, %r2, %r3;\n\
         st.shared.v4.u32 [%r3], {{0, 0, 0, 0}};\nst.shared.v4.u32 [%r3+2048], {{0, 0, 0, 0}};\n\
         fence.proxy.async.shared::cta;\nbar.sync 0;\nld.shared.u32 %r4, [slot];\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd2, %r2;\n\
         or.b64 %rd2, %rd2, 0x400800800000;\nand.b32 %r6, %r1, 96;\nshl.b32 %r6, %r6, 16;\nadd.u32 %r6, %r4, %r6;\nmov.u32 %r7, 0;\n\
         {body}\n@!%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\n\
         @!%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nret;"
    );
    findings("sm_100a", 1, 128, &text)
}

const STORE: &str = "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r6], {%r7,%r7,%r7,%r7,%r7,%r7,%r7,%r7};\ntcgen05.wait::st.sync.aligned;\n";
const LOAD: &str = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r6];\ntcgen05.wait::ld.sync.aligned;\n";
const PRODUCT: &str = "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd2, 0x8020010, 1;\n\
    @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n";
const DONE: &str = "W: mbarrier.try_wait.parity.shared::cta.b64 %p7, [done], 0;\n@!%p7 bra W;\ntcgen05.fence::after_thread_sync;\n";
const SYNC: &str = "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n";

/// All threads arrive at `empty`, and thread 96 waits for it.
fn emptied(how: &str) -> String {
    format!(
        "tcgen05.fence::before_thread_sync;\nmbarrier.arrive{how}.shared::cta.b64 _, [empty];\n@!%p1 bra E;\n\
         V: mbarrier.try_wait.parity{how}.shared::cta.b64 %p7, [empty], 0;\n@!%p7 bra V;\n\
         tcgen05.fence::after_thread_sync;\nE:\n"
    )
}

#[test]
fn a_product_of_cells_that_other_warps_have_stored() {
    let [release, relaxed] = ["", ".relaxed.cta"].map(emptied);
    for sync in [SYNC, "bar.sync 0;\n", &release, &relaxed] {
        let found = found(&format!("{STORE}{sync}{PRODUCT}{DONE}{LOAD}bar.sync 0;"));
        assert_eq!(found, "", "{sync}");
    }
    for sync in ["", "tcgen05.fence::before_thread_sync;\ntcgen05.fence::after_thread_sync;\n"] {
        let found = found(&format!("{STORE}{sync}{PRODUCT}{DONE}{LOAD}bar.sync 0;"));
        assert!(found.contains("error data-race warp 3"), "{sync} {found}");
        assert!(
            found.contains("Tensor-memory race: `tcgen05.mma` writes cells that `tcgen05.st` writes"),
            "{found}"
        );
    }
}

/// PTX ISA, `tcgen05` pipelined instructions: products of one accumulator and shape.
#[test]
fn products_of_two_shapes() {
    let product = |address: &str, descriptor: &str, adds: u32| {
        format!("@%p1 tcgen05.mma.cta_group::1.kind::f16 [{address}], %rd2, %rd2, {descriptor}, {adds};\n")
    };
    let [one, smaller] = ["0x8020010", "0x4020010"].map(|descriptor| product("%r4", descriptor, 1));
    let elsewhere = format!("add.u32 %r8, %r4, 16;\n{}", product("%r8", "0x4020010", 0));
    let first = product("%r4", "0x8020010", 0);
    let commit = &PRODUCT[PRODUCT.find("@%p1 tcgen05.commit").unwrap()..];
    let again = commit.replace("[done]", "[again]");
    let wait = DONE.replace("W", "X").replace("[done]", "[again]");
    let second =
        ".shared .align 8 .b64 again;\n@%p1 mbarrier.init.shared::cta.b64 [again], 1;\nbar.sync 0;\n";
    for products in [
        format!("{first}{one}"),
        format!("{first}{elsewhere}"),
        format!("{second}{first}{again}{wait}{smaller}"),
    ] {
        assert_eq!(found(&format!("{products}{commit}{DONE}{SYNC}")), "", "{products}");
    }
    let found = found(&format!("{first}{smaller}{commit}{DONE}{SYNC}"));
    assert!(found.starts_with("error async-result"), "{found}");
    assert!(found.contains("only products of one shape with the same D are in order"), "{found}");
}

#[test]
fn cells_are_loaded_and_then_overwritten_or_freed() {
    let first = format!("{STORE}{SYNC}{LOAD}");
    let [release, relaxed] = ["", ".relaxed.cta"].map(emptied);
    for sync in [SYNC, &release, &relaxed] {
        assert_eq!(found(&format!("{first}{sync}{PRODUCT}{DONE}{LOAD}bar.sync 0;")), "", "{sync}");
    }
    let product = found(&format!("{first}{PRODUCT}{DONE}{LOAD}bar.sync 0;"));
    assert!(product.contains("`tcgen05.mma` writes cells that `tcgen05.ld` reads"), "{product}");
    let freed = found(&first);
    assert!(freed.contains("`tcgen05.dealloc` frees cells that `tcgen05.ld` reads"), "{freed}");
    // The warp that loads also frees.
    assert_eq!(found(&format!("{STORE}bar.sync 0;\n@!%p2 tcgen05.wait::ld.sync.aligned;")), "");
}

#[test]
fn a_warp_that_has_not_waited_loads_the_result() {
    let body = |sync: &str| {
        format!(
            "{STORE}{SYNC}{PRODUCT}setp.lt.u32 %p3, %r1, 32;\n@%p3 bra L;\n{DONE}L:\n{sync}{LOAD}bar.sync 0;"
        )
    };
    assert_eq!(found(&body("bar.sync 0;\n")), "");
    let missing = found(&body(""));
    assert!(missing.contains("warp 0"), "{missing}");
}

/// Triton uses the memory of the slot for copies after all threads have read it.
#[test]
fn a_copy_overwrites_the_slot_of_an_allocation() {
    let body = |store: &str| {
        format!(
            "ld.param.u64 %rd1, [out];\n{store}bar.sync 0;\nmov.u32 %r2, slot;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [done], 16;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 16, [done];\n{DONE}"
        )
    };
    assert_eq!(found(&body("")), "");
    let stored = found(&body("@%p1 st.shared.u32 [slot], %r4;\n"));
    assert!(stored.contains("proxy-fence"), "{stored}");
}

/// What `tcgen05.fence::before_thread_sync` released before an earlier relaxed barrier does not hide what it releases later.
#[test]
fn relaxed_barriers_of_a_cluster_follow_each_other() {
    let barrier = |fence: &str| {
        format!(
            "{fence}barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\ntcgen05.fence::after_thread_sync;\n"
        )
    };
    let fenced = barrier("tcgen05.fence::before_thread_sync;\n");
    let body = |last: &str| format!("{STORE}{fenced}{LOAD}{fenced}{STORE}{fenced}{LOAD}{last}");
    assert_eq!(found(&body(&fenced)), "");
    let freed = found(&body(&barrier("")));
    assert!(freed.contains("`tcgen05.dealloc` frees cells that `tcgen05.ld` reads"), "{freed}");
}
