//! Threads write through the generic proxy, and copies read through the async proxy.

use crate::common::watched::findings;
use expect_test::{Expect, expect};

fn check(block: u32, body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 1, block, &format!("setp.eq.u32 %p1, %r1, 0;\n{body}\nret;")));
}

#[track_caller]
fn clean(block: u32, body: &str) {
    let found = findings("sm_90", 1, block, &format!("setp.eq.u32 %p1, %r1, 0;\n{body}\nret;"));
    assert_eq!(found, "", "{body}");
}

const STORE: &str = "st.shared.u32 [%r3], %r1;\n";
const FENCE: &str = "fence.proxy.async.shared::cta;\n";
const SYNC: &str = "bar.sync 0;\n";
const COPY: &str = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 256;\n\
    @%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n";

#[test]
fn a_copy_of_stored_data_needs_a_fence() {
    check(
        64,
        &format!("{STORE}{SYNC}{COPY}"),
        expect![[r#"
            warning proxy-fence warp 0 lanes 00000001: @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 256;
              Missing proxy fence: a copy reads `tile[0]` through the async proxy
              thread (0,0,0) (lane 0 of warp 0) wrote it through the generic proxy, so the copy may read the old value. Execute `fence.proxy.async.shared::cta` in the writing threads, after the store and before the barrier
              thread (0,0,0) writes `tile[0]` here: st.shared.u32 [%r3], %r1;
        "#]],
    );
    check(
        64,
        &format!(
            "{STORE}{SYNC}{}",
            COPY.replace(
                "cp.async.bulk.global.shared::cta.bulk_group",
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
            )
        ),
        expect![[r#"
            warning proxy-fence warp 0 lanes 00000001: @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [tile], 256;
              Missing proxy fence: a copy reads `tile[0]` through the async proxy
              thread (0,0,0) (lane 0 of warp 0) wrote it through the generic proxy, so the copy may read the old value. Execute `fence.proxy.async.shared::cta` in the writing threads, after the store and before the barrier
              thread (0,0,0) writes `tile[0]` here: st.shared.u32 [%r3], %r1;
        "#]],
    );
}

#[test]
fn a_fence_of_each_writer_before_the_barrier() {
    clean(64, &format!("{STORE}{FENCE}{SYNC}{COPY}"));
    clean(64, &format!("{STORE}fence.proxy.async;\n{SYNC}{COPY}"));
    // The thread that stores also copies.
    clean(64, &format!("{STORE}{FENCE}{SYNC}@%p1 st.shared.u32 [tile], 7;\n@%p1 {FENCE}{COPY}"));
    // Some lanes only.
    clean(
        64,
        &format!("setp.lt.u32 %p2, %r1, 40;\n{STORE}{FENCE}{SYNC}@%p2 {STORE}@%p2 {FENCE}{SYNC}{COPY}"),
    );
}

#[test]
fn a_fence_after_the_barrier() {
    // The fence is in all threads, in the copying thread, or in another thread before a further barrier.
    clean(64, &format!("{STORE}{SYNC}{FENCE}{COPY}"));
    clean(64, &format!("{STORE}{SYNC}@%p1 {FENCE}{COPY}"));
    clean(64, &format!("{STORE}{SYNC}setp.eq.u32 %p2, %r1, 40;\n@%p2 {FENCE}{SYNC}{COPY}"));
}

#[test]
fn fences_that_come_too_early_or_in_the_wrong_thread() {
    let found = |body: &str| findings("sm_90", 1, 64, &format!("setp.eq.u32 %p1, %r1, 0;\n{body}\nret;"));
    for body in [
        // The fence comes before the store.
        format!("{FENCE}{STORE}{SYNC}{COPY}"),
        // The fence is only in the copying thread, before the barrier.
        format!("{STORE}@%p1 {FENCE}{SYNC}{COPY}"),
        // The fence is for global memory.
        format!("{STORE}fence.proxy.async.global;\n{SYNC}{COPY}"),
        // The fence is for the generic proxy.
        format!("{STORE}membar.gl;\n{SYNC}{COPY}"),
        // The fence is in the previous phase.
        format!("{STORE}{FENCE}{SYNC}{COPY}{SYNC}{STORE}{SYNC}{COPY}"),
        // The copying thread stores after its fence.
        format!("{STORE}{FENCE}{SYNC}@%p1 st.shared.u32 [tile], 7;\n{COPY}"),
    ] {
        assert!(found(&body).contains("warning proxy-fence"), "{body}{}", found(&body));
    }
}

#[test]
fn unordered_accesses_are_races() {
    let body = format!("setp.eq.u32 %p1, %r1, 0;\n{STORE}{FENCE}{COPY}ret;");
    let found = findings("sm_90", 1, 64, &body);
    assert!(found.contains("error data-race") && !found.contains("proxy-fence"), "{found}");
}

/// The store may land after a copy that overwrites the same bytes.
#[test]
fn a_copy_over_stored_data() {
    let fill = FILL.replace("[tile], [%rd1], 256", "[tile], [%rd1+256], 256");
    let body = |fence: &str| {
        format!("{STORE}{fence}{INIT}{fill}{WAIT}ld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd2], %r5;")
    };
    for fence in [FENCE, "fence.proxy.async;\n"] {
        clean(64, &body(fence));
    }
    let found = findings("sm_90", 1, 64, &format!("setp.eq.u32 %p1, %r1, 0;\n{}\nret;", body("")));
    assert!(
        found.contains("warning proxy-fence") && found.contains("a copy overwrites `tile[0]`"),
        "{found}"
    );
    // A reduction reads what it overwrites.
    let reduction = |fence: &str| {
        let copy = COPY.replace(
            "cp.async.bulk.global.shared::cta.bulk_group",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
        );
        format!("{STORE}{FENCE}st.global.u32 [%rd2], 0;\n{fence}{SYNC}{copy}")
    };
    clean(64, &reduction("fence.proxy.async.global;\n"));
    let found = findings("sm_90", 1, 64, &format!("setp.eq.u32 %p1, %r1, 0;\n{}\nret;", reduction("")));
    assert!(found.contains("warning proxy-fence") && found.contains("a reduction reads `out[0]`"), "{found}");
    // Data that was only read, or that another copy wrote.
    let again = FILL.replace("W:", "V:");
    clean(
        64,
        &format!(
            "{INIT}{FILL}{WAIT}ld.shared.u32 %r5, [%r3];\nbar.sync 0;\n{again}\
             V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1;\n@!%p2 bra V;"
        ),
    );
}

/// Atomics too access memory through the generic proxy.
#[test]
fn a_copy_over_the_results_of_atomics() {
    let to_global = |copy: &str, update: &str, fence: &str| {
        let copy = COPY.replace("cp.async.bulk.global.shared::cta.bulk_group", copy);
        format!("{STORE}{FENCE}{update} [%rd2], 1;\n{fence}{SYNC}{copy}")
    };
    for copy in [
        "cp.async.bulk.global.shared::cta.bulk_group",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
    ] {
        for update in ["red.global.add.u32", "red.global.max.u32", "st.relaxed.gpu.global.u32"] {
            clean(64, &to_global(copy, update, "fence.proxy.async.global;\n"));
            let body = to_global(copy, update, "");
            let found = findings("sm_90", 1, 64, &format!("setp.eq.u32 %p1, %r1, 0;\n{body}\nret;"));
            assert!(found.starts_with("warning proxy-fence"), "{body}{found}");
        }
    }
    // Arrivals at an mbarrier that is no longer valid.
    let fill = FILL.replace("[tile], [%rd1], 256", "[tile], [%rd1+256], 256");
    clean(
        64,
        &format!(
            ".shared .align 8 .b64 other;\n{INIT}@%p1 mbarrier.init.shared.b64 [tile], 64;\n{SYNC}\
             mbarrier.arrive.shared.b64 _, [tile];\n{SYNC}@%p1 mbarrier.inval.shared.b64 [tile];\n{SYNC}{fill}{WAIT}"
        ),
    );
}

const INIT: &str = ".shared .align 8 .b64 bar;\n@%p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n";
const FILL: &str = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n\
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 256, [bar];\n";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\n";

#[test]
fn the_data_of_a_copy_needs_no_fence() {
    clean(64, &format!("{INIT}{FILL}{WAIT}ld.shared.u32 %r5, [%r3];\nadd.u64 %rd1, %rd1, 2048;\n{COPY}"));
}

#[test]
fn global_memory() {
    let body = |fence: &str| {
        format!("st.global.u32 [%rd2], %r1;\n{fence}{INIT}{FILL}{WAIT}ld.shared.u32 %r5, [%r3];")
    };
    clean(64, &body("fence.proxy.async.global;\n"));
    check(
        64,
        &body(""),
        expect![[r#"
            warning proxy-fence warp 0 lanes 00000001: @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 256, [bar];
              Missing proxy fence: a copy reads `out[0]` through the async proxy
              thread (0,0,0) (lane 0 of warp 0) wrote it through the generic proxy, so the copy may read the old value. Execute `fence.proxy.async.global` in the writing threads, after the store and before the barrier
              thread (0,0,0) writes `out[0]` here: st.global.u32 [%rd2], %r1;
        "#]],
    );
}
