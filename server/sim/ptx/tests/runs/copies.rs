//! Accesses that conflict with copies in flight are reported.

use crate::common::watched::findings;
use expect_test::{Expect, expect};

/// Checks the findings of a body. `%r3` is the thread's word in `tile`, `%r5` the opposite thread's word, and `%rd2` the
/// thread's word in global memory.
fn check(block: u32, body: &str, expected: Expect) {
    let across = block * 4 - 4;
    let body =
        format!("sub.u32 %r5, {across}, %r3;\nadd.u32 %r5, %r5, %r4;\nadd.u32 %r5, %r5, %r4;\n{body}\nret;");
    expected.assert_eq(&findings("sm_90", 1, block, &body));
}

const COPY: &str = "cp.async.ca.shared.global [%r3], [%rd2], 4;\n";

#[test]
fn a_thread_reads_a_copy_in_flight() {
    check(
        32,
        &format!("{COPY}ld.shared.u32 %r6, [%r3];"),
        expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r3];
              Shared-memory race: tile[0] read by thread (0,0,0) while a copy may write it
              it started the copy; wait with `cp.async.wait_group` or `cp.async.wait_all`
              the copy was started here: cp.async.ca.shared.global [%r3], [%rd2], 4;
        "#]],
    );
}

/// The copy may read its source until the thread has waited.
#[test]
fn the_source_of_a_copy_in_flight_is_overwritten() {
    let wait = "cp.async.commit_group;\ncp.async.wait_group 0;\n";
    check(
        32,
        &format!("{COPY}st.global.u32 [%rd2], 7;\n{wait}"),
        expect![[r#"
            error async-source warp 0 lanes ffffffff: st.global.u32 [%rd2], 7;
              Global-memory race: out[0] written by thread (0,0,0) while a copy may read it
              it started the copy; wait with `cp.async.wait_group` or `cp.async.wait_all`
              the copy was started here: cp.async.ca.shared.global [%r3], [%rd2], 4;
        "#]],
    );
    check(32, &format!("{COPY}{wait}st.global.u32 [%rd2], 7;"), expect![[""]]);
    // The thread waits at an mbarrier.
    check(
        32,
        &format!(
            ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [bar], 32;\nbar.sync 0;\n{COPY}\
             cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n\
             W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\nst.global.u32 [%rd2], 7;"
        ),
        expect![[""]],
    );
    // Another lane, after a barrier.
    let other = format!(
        "{COPY}bar.sync 0;\nxor.b32 %r6, %r1, 1;\nmad.wide.u32 %rd3, %r6, 4, %rd1;\nst.global.u32 [%rd3], 7;\n{wait}"
    );
    let found = findings("sm_90", 1, 32, &other);
    assert!(
        found.contains("error async-source") && found.contains("thread (1,0,0) (lane 1 of warp 0) started"),
        "{found}"
    );
    // The bytes of a partial copy.
    for (at, is_source) in [(0, true), (2, false)] {
        let partial =
            format!("cp.async.ca.shared.global [%r3], [%rd2], 4, 2;\nst.global.u16 [%rd2+{at}], 7;\n{wait}");
        let found = findings("sm_90", 1, 32, &partial);
        assert_eq!(found.contains("error async-source"), is_source, "{found}");
    }
}

#[test]
fn a_barrier_is_not_a_wait() {
    check(
        64,
        &format!("{COPY}cp.async.commit_group;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];"),
        expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[63] read by thread (0,0,0) while a copy may write it
              thread (63,0,0) (lane 31 of warp 1) started the copy; wait with `cp.async.wait_group` or `cp.async.wait_all`, then synchronize with the thread that started it
              the copy was started here: cp.async.ca.shared.global [%r3], [%rd2], 4;
        "#]],
    );
}

#[test]
fn a_wait_is_not_a_barrier() {
    check(
        64,
        &format!("{COPY}cp.async.wait_all;\nld.shared.u32 %r6, [%r5];"),
        expect![[r#"
            error data-race warp 1 lanes ffffffff: cp.async.ca.shared.global [%r3], [%rd2], 4;
              Shared-memory race: tile[32] read by thread (31,0,0), written by thread (32,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
              thread (31,0,0) reads `tile[32]` here: ld.shared.u32 %r6, [%r5];
            error data-race warp 1 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[31] read by thread (32,0,0), written by thread (31,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
              thread (31,0,0) writes `tile[31]` here: cp.async.ca.shared.global [%r3], [%rd2], 4;
        "#]],
    );
}

#[test]
fn waiting_and_synchronizing_is_correct() {
    for wait in ["cp.async.wait_all;", "cp.async.commit_group;\ncp.async.wait_group 0;"] {
        check(64, &format!("{COPY}{wait}\nbar.sync 0;\nld.shared.u32 %r6, [%r5];"), expect![[""]]);
    }
}

#[test]
fn groups_complete_in_order() {
    let body = |read: &str| {
        format!(
            "{COPY}cp.async.commit_group;\ncp.async.ca.shared.global [%r3+2048], [%rd2], 4;\ncp.async.commit_group;\n\
             cp.async.wait_group 1;\nbar.sync 0;\nld.shared.u32 %r6, [{read}];"
        )
    };
    check(64, &body("%r5"), expect![[""]]);
    check(
        64,
        &body("%r5+2048"),
        expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5+2048];
              Shared-memory race: tile[575] read by thread (0,0,0) while a copy may write it
              thread (63,0,0) (lane 31 of warp 1) started the copy; wait with `cp.async.wait_group` or `cp.async.wait_all`, then synchronize with the thread that started it
              the copy was started here: cp.async.ca.shared.global [%r3+2048], [%rd2], 4;
        "#]],
    );
}

#[test]
fn a_copy_over_data_that_others_still_read() {
    let body =
        format!("st.shared.u32 [%r3], 0;\nbar.sync 0;\nld.shared.u32 %r6, [%r5];\n{COPY}cp.async.wait_all;");
    check(
        64,
        &body,
        expect![[r#"
            error data-race warp 1 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[31] read by thread (32,0,0), written by thread (31,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
              thread (31,0,0) writes `tile[31]` here: cp.async.ca.shared.global [%r3], [%rd2], 4;
            information same-value-race warp 1 lanes ffffffff: cp.async.ca.shared.global [%r3], [%rd2], 4;
              Same-value race: tile[32] read by thread (31,0,0), written by thread (32,0,0)
              the stored value equals the old value, so the order does not matter
              thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
              thread (31,0,0) reads `tile[32]` here: ld.shared.u32 %r6, [%r5];
        "#]],
    );
}

const INIT: &str = ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n";
const FILL: &str = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n\
     @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];\n";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\n";

#[test]
fn a_bulk_copy_completes_with_its_phase() {
    check(32, &format!("{INIT}{FILL}{WAIT}ld.shared.u32 %r6, [%r5];"), expect![[""]]);
    check(
        32,
        &format!("{INIT}{FILL}bar.sync 0;\nld.shared.u32 %r6, [%r5];"),
        expect![[r#"
            error async-result warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[31] read by thread (0,0,0) while a copy may write it
              it started the copy; wait for the mbarrier that tracks the copy, with `mbarrier.try_wait`
              the copy was started here: @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];
        "#]],
    );
    // One thread waits, and the others synchronize with it.
    let one = "@!%p1 bra SYNC;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\nSYNC: bar.sync 0;\n";
    check(32, &format!("{INIT}{FILL}{one}ld.shared.u32 %r6, [%r5];"), expect![[""]]);
}

#[test]
fn an_mbarrier_may_wait_for_a_threads_copies() {
    let init = INIT.replace("[bar], 1", "[bar], 64");
    let arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n";
    check(64, &format!("{init}{COPY}{arrive}{WAIT}ld.shared.u32 %r6, [%r5];"), expect![[""]]);
    check(
        64,
        &format!("{init}{COPY}{arrive}bar.sync 0;\nld.shared.u32 %r6, [%r5];"),
        expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[63] read by thread (0,0,0) while a copy may write it
              thread (63,0,0) (lane 31 of warp 1) started the copy; wait with `cp.async.wait_group` or `cp.async.wait_all`, then synchronize with the thread that started it
              the copy was started here: cp.async.ca.shared.global [%r3], [%rd2], 4;
        "#]],
    );
}

#[test]
fn the_source_of_a_copy_in_flight_must_not_be_written() {
    let copy = "st.shared.u32 [%r3], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n\
         setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 128;\n\
         @%p1 cp.async.bulk.commit_group;\n";
    let again = "bar.sync 0;\nst.shared.u32 [%r3], 7;";
    check(32, &format!("{copy}@%p1 cp.async.bulk.wait_group.read 0;\n{again}"), expect![[""]]);
    check(
        32,
        &format!("{copy}{again}"),
        expect![[r#"
            error async-source warp 0 lanes ffffffff: st.shared.u32 [%r3], 7;
              Shared-memory race: tile[0] written by thread (0,0,0) while a copy may read it
              it started the copy; wait with `cp.async.bulk.wait_group.read`
              the copy was started here: @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 128;
        "#]],
    );
}

#[test]
fn bytes_that_no_thread_announced() {
    let store = "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [tile], 7, [bar];\n";
    let read = "ld.shared.u32 %r6, [tile];";
    let arrive = "@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    check(
        32,
        &format!("{INIT}{arrive}{store}{WAIT}{read}"),
        expect![[r#"
            error async-result warp 0 lanes ffffffff: ld.shared.u32 %r6, [tile];
              Shared-memory race: tile[0] read by thread (0,0,0) while a copy may write it
              it started the copy; the phase completed before the bytes of the `st.async` were announced: `mbarrier.arrive.expect_tx` is missing
              the copy was started here: @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [tile], 7, [bar];
            error transaction-bytes warp 0 lanes 00000000: @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [tile], 7, [bar];
              Transaction count mismatch: copies completed 4 bytes more than a phase expects
              the phase completes too early or never. Announce with `expect_tx` exactly the bytes of all copies of the phase; a tensor copy counts its whole box
              copies of 4 bytes complete at the mbarrier here: @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [tile], 7, [bar];
        "#]],
    );
    let copy = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];\n";
    check(
        32,
        &format!("{INIT}{arrive}{copy}{WAIT}{read}"),
        expect![[r#"
            error async-result warp 0 lanes ffffffff: ld.shared.u32 %r6, [tile];
              Shared-memory race: tile[0] read by thread (0,0,0) while a copy may write it
              it started the copy; the phase completed before the bytes of the copy were announced: `mbarrier.arrive.expect_tx` is missing
              the copy was started here: @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];
            error transaction-bytes warp 0 lanes 00000000: @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];
              Transaction count mismatch: copies completed 128 bytes more than a phase expects
              the phase completes too early or never. Announce with `expect_tx` exactly the bytes of all copies of the phase; a tensor copy counts its whole box
              copies of 128 bytes complete at the mbarrier here: @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];
        "#]],
    );
    let announced = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4;\n";
    check(32, &format!("{INIT}{announced}{store}{WAIT}{read}"), expect![[""]]);
}

/// Two bytes are read, and zeros are written after them.
#[test]
fn a_source_that_is_shorter_than_the_copy() {
    check(32, "cp.async.ca.shared.global [%r3], [%rd2+1022], 4, 2;\ncp.async.wait_all;", expect![[""]]);
}

/// Shared memory goes when its block exits, so a copy that may still read it must be waited for.
#[test]
fn a_block_that_exits_while_a_copy_reads_its_memory() {
    let body = |copy: &str, wait: &str| {
        format!(
            "st.shared.u32 [%r3], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n{copy}\n{wait}"
        )
    };
    let copy = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 128;";
    let sum = "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r4], 128;";
    let commit = "@%p1 cp.async.bulk.commit_group;";
    let other = "setp.eq.u32 %p2, %r1, 1;\n@%p2 cp.async.bulk.wait_group 0;";
    let two = format!("{commit}\n{copy}\n{commit}\n@%p1 cp.async.bulk.wait_group.read 1;");
    let unfinished = [String::new(), commit.to_owned(), format!("{commit}\n{other}"), two];
    for wait in &unfinished {
        for copy in [copy, sum] {
            let found = findings("sm_90", 1, 32, &format!("{}\nret;", body(copy, wait)));
            assert!(found.contains("error async-source"), "{copy} {wait} {found}");
            assert!(found.contains("the block exits while a copy may read its shared memory"), "{found}");
        }
    }
    for wait in ["@%p1 cp.async.bulk.wait_group.read 0;", "@%p1 cp.async.bulk.wait_group 0;"] {
        check(32, &body(copy, &format!("{commit}\n{wait}")), expect![""]);
        check(32, &body(sum, &format!("{commit}\n{wait}")), expect![""]);
    }
}

/// The destination of a reduction is in flight like that of a copy, except for other reductions and atomics.
#[test]
fn an_access_to_the_destination_of_a_reduction() {
    let body = |wait: &str, access: &str| {
        format!(
            "st.shared.u32 [%r3], %r1;\nst.global.u32 [%rd2], 0;\nfence.proxy.async;\nbar.sync 0;\n\
             setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r4], 128;\n\
             @%p1 cp.async.bulk.commit_group;\n{wait}\n{access}\n@%p1 cp.async.bulk.wait_group 0;\nret;"
        )
    };
    let (read, complete) = ("@%p1 cp.async.bulk.wait_group.read 0;", "@%p1 cp.async.bulk.wait_group 0;");
    let own = "@%p1 ld.global.u32 %r5, [%rd1];";
    let store = "@%p1 st.global.u32 [%rd1], 5;";
    let other = "bar.sync 0;\nld.global.u32 %r5, [%rd2];";
    for wait in ["", read] {
        for access in [own, store, other] {
            let found = findings("sm_90", 1, 64, &body(wait, access));
            assert!(found.contains("error async-result"), "{wait} {access} {found}");
            assert!(found.contains("wait with `cp.async.bulk.wait_group`"), "{found}");
        }
    }
    for access in [own, store, other] {
        check(64, &body(complete, access), expect![""]);
    }
    // Reductions and atomics may be concurrent.
    check(64, &body("", "red.global.add.u32 [%rd2], 1;"), expect![""]);
    let again = "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r4], 128;\n@%p1 cp.async.bulk.commit_group;";
    check(64, &body("", again), expect![""]);
}

/// A copy, or `red.async`, that an mbarrier tracks and nobody waits for may arrive when the memory belongs to the next block.
#[test]
fn a_block_that_exits_while_its_memory_is_written() {
    let load = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];\n";
    let announced =
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n";
    let by_other = WAIT.replace("W:", "setp.ne.u32 %p3, %r1, 40;\n@%p3 bra E;\nW:") + "E:\n";
    let test_once = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 1;\n";
    for wait in ["", test_once] {
        let found = findings("sm_90", 1, 64, &format!("{INIT}{announced}{load}{wait}ret;"));
        assert!(found.contains("error async-result"), "{wait} {found}");
        assert!(found.contains("the block exits while a copy may write its shared memory"), "{found}");
    }
    for wait in [WAIT, &by_other] {
        check(64, &format!("{INIT}{announced}{load}{wait}"), expect![""]);
    }
    // A missing wait is reported once.
    let found = findings("sm_90", 1, 64, &format!("{INIT}{announced}{load}ld.shared.u32 %r5, [tile];\nret;"));
    assert!(found.contains("async-result") && !found.contains("exits"), "{found}");
    // `cp.async` needs no wait at the exit.
    check(32, "cp.async.ca.shared.global [%r3], [%rd2], 4;", expect![""]);
}
