//! `tcgen05.alloc` and `tcgen05.commit`: which threads and operations they order.

use crate::common::watched::findings_of_text;

/// A kernel of one warp that multiplies zeros, commits, waits for `done` and loads the result.
fn product(commits: &str, after: &str) -> String {
    format!(
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n.shared .align 1024 .b8 sa[4096];\n\
         .shared .align 8 .b64 done;\n.shared .align 8 .b64 stage;\n.shared .align 4 .b32 slot;\n\
         mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r0, 31;\n\
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\nld.shared.u32 %r4, [slot];\n\
         @%p1 mbarrier.init.shared::cta.b64 [done], 1;\n@%p1 mbarrier.init.shared::cta.b64 [stage], 1;\n\
         mov.u32 %r2, sa;\nshl.b32 %r3, %r0, 4;\nadd.u32 %r3, %r2, %r3;\nadd.u32 %r5, %r2, 4096;\n\
         FILL:\nst.shared.v4.u32 [%r3], {{0, 0, 0, 0}};\nadd.u32 %r3, %r3, 512;\nsetp.lt.u32 %p3, %r3, %r5;\n\
         @%p3 bra FILL;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd2, %r2;\n\
         or.b64 %rd2, %rd2, 0x400800800000;\n\
         @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd2, 0x8020010, 0;\n{commits}\n\
         WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [done], 0;\n@!%p7 bra WAIT;\n{after}\n\
         tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r10}}, [%r4];\n\
         tcgen05.wait::ld.sync.aligned;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\n\
         tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nret;\n}}\n"
    )
}

fn commit(guard: &str, object: &str) -> String {
    format!("@{guard} tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{object}];\n")
}

/// A store to a factor of the product.
const STORE: &str = "@%p1 st.shared.u32 [sa], 7;";

#[test]
fn a_commit_tracks_all_earlier_operations_of_its_thread() {
    assert_eq!(findings_of_text(&product(&commit("%p1", "done"), STORE)), "");
    let two = commit("%p1", "stage") + &commit("%p1", "done");
    assert_eq!(findings_of_text(&product(&two, STORE)), "");
    let late = commit("%p1", "done")
        + "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd2, 0x8020010, 0;\n"
        + &commit("%p1", "stage");
    let found = findings_of_text(&product(&late, STORE));
    assert!(found.contains("error async-source"), "{found}");
    assert!(found.contains("while a product may read it"), "{found}");
    assert!(found.contains("it started the product"), "{found}");
}

#[test]
fn a_commit_of_another_thread_does_not_track_the_product() {
    let found = findings_of_text(&product(&commit("%p2", "done"), ""));
    assert!(found.contains("error async-result warp 0 lanes ffffffff: tcgen05.ld"), "{found}");
}
