//! Data races that must be reported, and accesses that must not.

use crate::common::watched::findings;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn check(grid: u32, block: u32, body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", grid, block, body));
}

#[track_caller]
fn clean(grid: u32, block: u32, body: &str) {
    assert_eq!(findings("sm_90", grid, block, body), "");
}

#[test]
fn a_neighbor_in_another_warp_without_a_barrier() {
    let body = |barrier: &str| {
        format!(
            "
                st.shared.u32 [%r3], %r1;
                {barrier}
                xor.b32 %r5, %r1, 32;
                shl.b32 %r5, %r5, 2;
                add.u32 %r5, %r5, %r4;
                ld.shared.u32 %r6, [%r5];
                st.global.u32 [%rd2], %r6;
                ret;
            "
        )
    };
    clean(1, 64, &body("bar.sync 0;"));
    check(
        1,
        64,
        &body(""),
        expect![[r#"
            error data-race warp 1 lanes ffffffff: st.shared.u32 [%r3], %r1;
              Shared-memory race: tile[32] read by thread (0,0,0), written by thread (32,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0
              thread (0,0,0) reads `tile[32]` here: ld.shared.u32 %r6, [%r5];
            error data-race warp 1 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[0] read by thread (32,0,0), written by thread (0,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0
              thread (0,0,0) writes `tile[0]` here: st.shared.u32 [%r3], %r1;
        "#]],
    );
}

#[test]
fn a_barrier_of_the_cluster_does_not_order_later_accesses() {
    let body = "
        barrier.cluster.arrive;
        barrier.cluster.wait;
        st.shared.u32 [%r3], %r1;
        xor.b32 %r5, %r1, 32;
        shl.b32 %r5, %r5, 2;
        add.u32 %r5, %r5, %r4;
        ld.shared.u32 %r6, [%r5];
        st.global.u32 [%rd2], %r6;
        ret;
    ";
    let findings = findings("sm_90", 1, 64, body);
    assert!(findings.contains("tile[0] read by thread (32,0,0), written by thread (0,0,0)"), "{findings}");
}

#[test]
fn lanes_of_one_warp_from_sm_70_on() {
    let body = |sync: &str| {
        format!(
            "
                st.shared.u32 [%r3], %r1;
                {sync}
                xor.b32 %r5, %r3, 4;
                ld.shared.u32 %r6, [%r5];
                st.global.u32 [%rd2], %r6;
                ret;
            "
        )
    };
    check(
        1,
        32,
        &body(""),
        expect![[r#"
            error data-race warp 0 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[1] read by lane 0, written by lane 1
              put a `bar.warp.sync` between the two accesses
              thread (0,0,0) is lane 0 of warp 0, thread (1,0,0) is lane 1 of warp 0
              thread (1,0,0) writes `tile[1]` here: st.shared.u32 [%r3], %r1;
        "#]],
    );
    clean(1, 32, &body("bar.warp.sync 0xffffffff;"));
    clean(1, 32, &body("shfl.sync.idx.b32 %r7, %r1, 0, 31, 0xffffffff;"));
    assert_eq!(findings("sm_60", 1, 32, &body("")), "");
}

#[test]
fn all_lanes_store_to_one_word() {
    check(
        1,
        32,
        "st.shared.u32 [tile], %r1;\nret;",
        expect![[r#"
            error data-race warp 0 lanes fffffffe: st.shared.u32 [tile], %r1;
              Shared-memory race: tile[0] written by lane 1 and lane 0; the last writer wins
              the order is unspecified; store from one lane, or use a distinct address per lane
              thread (1,0,0) is lane 1 of warp 0, thread (0,0,0) is lane 0 of warp 0
              thread (0,0,0) writes `tile[0]` here: st.shared.u32 [tile], %r1;
        "#]],
    );
    check(1, 64, "st.shared.u32 [tile], 7;\nret;", expect![""]);
    clean(1, 64, "red.shared.add.u32 [tile], %r1;\nret;");
}

#[test]
fn a_store_over_what_another_warp_still_reads() {
    let body = |barrier: &str| {
        format!(
            "
                st.shared.u32 [%r3], %r1;
                bar.sync 0;
                xor.b32 %r5, %r1, 32;
                shl.b32 %r5, %r5, 2;
                add.u32 %r5, %r5, %r4;
                ld.shared.u32 %r6, [%r5];
                {barrier}
                st.shared.u32 [%r3], %r6;
                ret;
            "
        )
    };
    clean(1, 64, &body("bar.sync 0;"));
    check(
        1,
        64,
        &body(""),
        expect![[r#"
            error data-race warp 1 lanes ffffffff: ld.shared.u32 %r6, [%r5];
              Shared-memory race: tile[0] read by thread (32,0,0), written by thread (0,0,0)
              put a `bar.sync` that all threads execute between the two accesses
              thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0
              thread (0,0,0) writes `tile[0]` here: st.shared.u32 [%r3], %r6;
            information same-value-race warp 1 lanes ffffffff: st.shared.u32 [%r3], %r6;
              Same-value race: tile[32] read by thread (0,0,0), written by thread (32,0,0)
              the stored value equals the old value, so the order does not matter
              thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0
              thread (0,0,0) reads `tile[32]` here: ld.shared.u32 %r6, [%r5];
        "#]],
    );
}

#[test]
fn blocks_in_one_buffer() {
    check(
        2,
        32,
        "st.global.u32 [%rd2], %r2;\nret;",
        expect![[r#"
            error data-race warp 0 lanes ffffffff: st.global.u32 [%rd2], %r2;
              Global-memory race: out[0] written by block (1,0,0) and block (0,0,0)
              barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[0]` here: st.global.u32 [%rd2], %r2;
        "#]],
    );
    clean(2, 32, "red.global.add.u32 [%rd2], 1;\nret;");
    clean(2, 32, "ld.global.u32 %r6, [%rd2];\nret;");
    check(
        2,
        32,
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 st.global.u32 [%rd2], %r1;\n@!%p1 red.global.add.u32 [%rd2], 1;\nret;",
        expect![[r#"
            error data-race warp 0 lanes ffffffff: @!%p1 red.global.add.u32 [%rd2], 1;
              Global-memory race: out[0] written by block (1,0,0) and block (0,0,0)
              only one of the accesses is atomic or volatile; make both so, or synchronize them
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[0]` here: @%p1 st.global.u32 [%rd2], %r1;
        "#]],
    );
}

#[test]
fn bytes_of_one_word_are_independent() {
    clean(1, 64, "add.u32 %r5, %r4, %r1;\ncvt.u16.u32 %h1, %r1;\nst.shared.u8 [%r5], %h1;\nret;");
    clean(
        2,
        32,
        "
            mul.wide.u32 %rd3, %r1, 2;
            mul.wide.u32 %rd4, %r2, 1;
            add.u64 %rd3, %rd3, %rd4;
            add.u64 %rd3, %rd3, %rd1;
            cvt.u16.u32 %h1, %r1;
            st.global.u8 [%rd3], %h1;
            ret;
        ",
    );
}

/// Block 0 writes data and sets a flag; block 1 waits for the flag and reads the data.
fn message(store: &str, fence: &str, raise: &str, wait: &str, acquire: &str) -> String {
    format!(
        "
            setp.ne.u32 %p2, %r1, 0;
            @%p2 exit;
            setp.eq.u32 %p1, %r2, 1;
            @%p1 bra READ;
            {store}.u32 [%rd1+64], 7;
            {fence}
            {raise}.u32 [%rd1], 1;
            ret;
            READ:
            {wait}.u32 %r6, [%rd1];
            setp.eq.u32 %p3, %r6, 0;
            @%p3 bra READ;
            {acquire}
            ld.global.u32 %r7, [%rd1+64];
            st.global.u32 [%rd1+128], %r7;
            ret;
        "
    )
}

#[test]
fn a_flag_between_blocks() {
    let (st, volatile) = ("st.global", ("st.volatile.global", "ld.volatile.global"));
    clean(2, 32, &message(st, "membar.gl;", volatile.0, volatile.1, "membar.gl;"));
    clean(2, 32, &message(st, "", "st.release.gpu.global", "ld.acquire.gpu.global", ""));
    clean(
        2,
        32,
        &message(
            st,
            "fence.acq_rel.gpu;",
            "st.relaxed.gpu.global",
            "ld.relaxed.gpu.global",
            "fence.acq_rel.gpu;",
        ),
    );
    let found = findings("sm_90", 2, 32, &message(st, "membar.gl;", volatile.0, volatile.1, ""));
    assert!(
        found.contains("error data-race") && found.contains("the flag is read without an acquire"),
        "{found}"
    );
    check(
        2,
        32,
        &message(st, "", volatile.0, volatile.1, "membar.gl;"),
        expect![[r#"
            error data-race warp 0 lanes 00000001: ld.global.u32 %r7, [%rd1+64];
              Global-memory race: out[16] read by block (1,0,0), written by block (0,0,0)
              barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[16]` here: st.global.u32 [%rd1+64], 7;
        "#]],
    );
    check(
        2,
        32,
        &message(st, "membar.cta;", volatile.0, volatile.1, "membar.gl;"),
        expect![[r#"
            error data-race warp 0 lanes 00000001: ld.global.u32 %r7, [%rd1+64];
              Global-memory race: out[16] read by block (1,0,0), written by block (0,0,0)
              the flag orders only threads within the scope of its accesses and fences, which does not include both threads: use `.gpu` in the release and in the acquire, not `.cta` or `.cluster`
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[16]` here: st.global.u32 [%rd1+64], 7;
        "#]],
    );
    check(
        2,
        32,
        &message(st, "membar.gl;", "st.global", "ld.global", "membar.gl;"),
        expect![[r#"
            error data-race warp 0 lanes 00000001: ld.global.u32 %r6, [%rd1];
              Global-memory race: out[0] read by block (1,0,0), written by block (0,0,0)
              barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[0]` here: st.global.u32 [%rd1], 1;
            error data-race warp 0 lanes 00000001: ld.global.u32 %r7, [%rd1+64];
              Global-memory race: out[16] read by block (1,0,0), written by block (0,0,0)
              barriers do not synchronize blocks; use an atomic, a fence and a flag, or a second launch
              thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `out[16]` here: st.global.u32 [%rd1+64], 7;
        "#]],
    );
}

#[test]
fn the_last_block_sums_up() {
    // As in the CUDA samples, each block publishes its sum with a fence and a counter, and the last block reads all sums.
    let body = |fence: &str| {
        format!(
            "
                .shared .u32 last;
                setp.ne.u32 %p1, %r1, 0;
                mul.wide.u32 %rd3, %r2, 4;
                add.u64 %rd3, %rd1, %rd3;
                @%p1 bra COUNTED;
                st.global.u32 [%rd3+256], %r2;
                {fence}
                atom.global.inc.u32 %r6, [%rd1], 4;
                st.shared.u32 [last], %r6;
                COUNTED:
                bar.sync 0;
                ld.shared.u32 %r7, [last];
                setp.ne.u32 %p2, %r7, 3;
                @%p2 exit;
                setp.gt.u32 %p3, %r1, 3;
                @%p3 exit;
                ld.global.u32 %r8, [%rd2+256];
                red.global.add.u32 [%rd1+512], %r8;
                ret;
            "
        )
    };
    clean(4, 64, &body("membar.gl;"));
    assert!(findings("sm_90", 4, 64, &body("")).contains("error data-race"));
}

#[test]
fn a_fence_of_each_thread_before_the_barrier_counts() {
    clean(
        2,
        64,
        "
            mad.lo.u32 %r5, %r2, 64, %r1;
            mul.wide.u32 %rd3, %r5, 4;
            add.u64 %rd3, %rd1, %rd3;
            st.global.u32 [%rd3+256], %r1;
            membar.gl;
            bar.sync 0;
            setp.ne.u32 %p1, %r1, 0;
            @%p1 bra WAIT;
            red.global.add.u32 [%rd1], 1;
            SPIN:
            ld.volatile.global.u32 %r6, [%rd1];
            setp.lt.u32 %p2, %r6, 2;
            @%p2 bra SPIN;
            membar.gl;
            WAIT:
            bar.sync 0;
            xor.b32 %r5, %r5, 64;
            mul.wide.u32 %rd4, %r5, 4;
            add.u64 %rd4, %rd1, %rd4;
            ld.global.u32 %r7, [%rd4+256];
            st.global.u32 [%rd3+1024], %r7;
            ret;
        ",
    );
}

#[test]
fn a_lock() {
    let body = |fence: &str| {
        format!(
            "
                setp.ne.u32 %p1, %r1, 0;
                @%p1 exit;
                LOCK:
                atom.global.cas.b32 %r5, [%rd1], 0, 1;
                setp.ne.u32 %p2, %r5, 0;
                @%p2 bra LOCK;
                {fence}
                ld.global.u32 %r6, [%rd1+64];
                add.u32 %r6, %r6, 1;
                st.global.u32 [%rd1+64], %r6;
                {fence}
                atom.global.exch.b32 %r5, [%rd1], 0;
                ret;
            "
        )
    };
    clean(4, 32, &body("membar.gl;"));
    assert!(findings("sm_90", 4, 32, &body("")).contains("error data-race"));
}

#[test]
fn barriers_of_some_warps() {
    // Warp 0 produces for warp 1, and warp 2 for warp 3, with one barrier for each pair.
    let body = |id: &str| {
        format!(
            "
                shr.u32 %r5, %r1, 6;
                add.u32 %r5, %r5, 1;
                and.b32 %r6, %r1, 32;
                setp.ne.u32 %p1, %r6, 0;
                @%p1 bra READ;
                st.shared.u32 [%r3], %r1;
                bar.arrive %r5, 64;
                bra DONE;
                READ:
                bar.sync {id}, 64;
                ld.shared.u32 %r7, [%r3+-128];
                st.global.u32 [%rd2], %r7;
                DONE:
                ret;
            "
        )
    };
    clean(1, 128, &body("%r5"));
}

#[test]
fn writes_of_exited_threads_happen_before_the_barrier() {
    clean(
        1,
        64,
        "
            st.shared.u32 [%r3], %r1;
            setp.lt.u32 %p1, %r1, 32;
            @%p1 exit;
            bar.sync 0;
            ld.shared.u32 %r5, [%r3+-128];
            st.global.u32 [%rd2], %r5;
            ret;
        ",
    );
}

/// In each phase, 64 threads read one half of the tile, each at another thread's element, and write the other half. They
/// always read elements of the other warp, so every barrier but the last is needed.
fn phases(places: &[(u32, u32)], removed: Option<usize>) -> String {
    let mut body =
        "mov.u32 %r8, 0;\nst.shared.u32 [%r4+1024], 0;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n".to_owned();
    for (phase, (from, to)) in places.iter().enumerate() {
        let (half, other) = (phase % 2 * 256, (phase + 1) % 2 * 256);
        body += &format!(
            "
                xor.b32 %r5, %r1, {};
                shl.b32 %r5, %r5, 2;
                add.u32 %r5, %r5, %r4;
                ld.shared.u32 %r6, [%r5+{half}];
                red.shared.add.u32 [%r4+1024], %r6;
                add.u32 %r6, %r6, %r1;
                xor.b32 %r7, %r1, {};
                shl.b32 %r7, %r7, 2;
                add.u32 %r7, %r7, %r4;
                st.shared.u32 [%r7+{other}], %r6;
            ",
            from % 32 + 32,
            to % 32
        );
        if removed != Some(phase) {
            body += "bar.sync 0;\n";
        }
    }
    body + "ld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd2], %r5;\nret;"
}

fn errors(body: &str) -> String {
    let found = findings("sm_90", 1, 64, body);
    found.lines().filter(|line| line.starts_with("error") || line.starts_with("warning")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_removed_barrier_is_reported(
        places in prop::collection::vec((0u32..32, 0u32..32), 2..6),
        at in any::<prop::sample::Index>(),
    ) {
        prop_assert_eq!(errors(&phases(&places, None)), "");
        let removed = at.index(places.len() - 1);
        let found = errors(&phases(&places, Some(removed)));
        prop_assert!(found.contains("error data-race"), "{}", found);
    }
}

#[test]
fn a_flag_of_another_block_needs_an_acquire_beyond_the_block() {
    let with = |acquire: &str| {
        message("st.global", "membar.gl;", "st.relaxed.gpu.global", "ld.relaxed.gpu.global", acquire)
    };
    let of_block = [
        "membar.cta;",
        "fence.acq_rel.cta;",
        "fence.acq_rel.cluster;",
        "fence.sc.cta;",
        "bar.sync 0;",
        "bar.warp.sync 1;",
        "bar.sync 0; membar.cta;",
        "fence.proxy.async;",
        "fence.proxy.alias;",
        "fence.release.gpu;",
    ];
    for acquire in of_block {
        let found = findings("sm_90", 2, 32, &with(acquire));
        assert!(found.contains("Global-memory race: out[16] read by block (1,0,0)"), "{acquire} {found}");
        assert!(found.contains("the flag is read without an acquire"), "{acquire} {found}");
    }
    for acquire in ["fence.acq_rel.gpu;", "membar.sys;", "membar.cta; membar.gl;", "bar.sync 0; membar.gl;"] {
        clean(2, 32, &with(acquire));
    }
    clean(2, 32, &with("fence.acquire.gpu;"));
    // The acquire must follow the poll.
    let before = with("bar.sync 0;").replace("READ:", "membar.gl;\nREAD:");
    assert!(findings("sm_90", 2, 32, &before).contains("error data-race"));
}

#[test]
fn a_relaxed_flag_needs_a_fence_that_releases_the_data() {
    let with =
        |fence: &str| message("st.global", fence, "st.relaxed.gpu.global", "ld.acquire.gpu.global", "");
    for fence in
        ["fence.proxy.async.global;", "fence.acquire.gpu;", "st.release.gpu.global.u32 [%rd1+32], 1;"]
    {
        let found = findings("sm_90", 2, 32, &with(fence));
        assert!(found.contains("error data-race"), "{fence} {found}");
    }
    clean(2, 32, &with("fence.release.gpu;"));
    let narrow = message("st.global", "", "st.release.cta.global", "ld.acquire.gpu.global", "");
    let found = findings("sm_90", 2, 32, &narrow);
    assert!(found.contains("within the scope of its accesses and fences"), "{found}");
}

/// One lane reads the flag of another block and arrives at an mbarrier, at which the others wait.
#[test]
fn an_mbarrier_passes_on_only_what_was_acquired() {
    let body = |acquire: &str, how: &str| {
        format!(
            "
                setp.ne.u32 %p1, %r1, 0;
                setp.eq.u32 %p2, %r2, 1;
                @%p2 bra READ;
                @%p1 exit;
                st.global.u32 [%rd1+64], 7;
                fence.acq_rel.gpu;
                st.relaxed.gpu.global.u32 [%rd1], 1;
                ret;
                READ:
                @!%p1 mbarrier.init.shared.b64 [tile], 1;
                bar.sync 0;
                @%p1 bra WAIT;
                POLL:
                ld.relaxed.gpu.global.u32 %r6, [%rd1];
                setp.eq.u32 %p3, %r6, 0;
                @%p3 bra POLL;
                {acquire}
                mbarrier.arrive{how}.shared.b64 %rd5, [tile];
                WAIT:
                mbarrier.try_wait.parity.shared.b64 %p4, [tile], 0;
                @!%p4 bra WAIT;
                setp.ne.u32 %p5, %r1, 33;
                @%p5 exit;
                ld.global.u32 %r7, [%rd1+64];
                st.global.u32 [%rd1+128], %r7;
                ret;
            "
        )
    };
    for how in ["", ".release.cta", ".release.cluster"] {
        let found = findings("sm_90", 2, 64, &body("", how));
        assert!(found.contains("error data-race"), "{how} {found}");
        clean(2, 64, &body("fence.acq_rel.gpu;", how));
    }
}

#[test]
fn a_lane_releases_only_its_own_accesses() {
    let body = |sync: &str, raise: &str| {
        format!(
            "
                setp.eq.u32 %p1, %r2, 1;
                @%p1 bra READ;
                st.global.u32 [%rd2+64], 7;
                {sync}
                setp.eq.u32 %p2, %r1, 0;
                @%p2 {raise};
                ret;
                READ:
                ld.acquire.gpu.global.u32 %r6, [%rd1];
                setp.eq.u32 %p3, %r6, 0;
                @%p3 bra READ;
                ld.global.u32 %r7, [%rd2+64];
                st.global.u32 [%rd2+512], %r7;
                ret;
            "
        )
    };
    for raise in ["st.release.gpu.global.u32 [%rd1], 1", "red.release.gpu.global.add.u32 [%rd1], 1"] {
        let found = findings("sm_90", 2, 32, &body("", raise));
        assert!(found.contains("error data-race warp 0 lanes fffffffe"), "{raise} {found}");
        clean(2, 32, &body("bar.warp.sync 0xffffffff;", raise));
    }
}

/// The simulator has zeros there, but the memory has no value that a store could leave unchanged.
#[test]
fn a_store_to_uninitialized_memory_changes_it() {
    let body = |before: &str| {
        format!(
            "
                {before}
                setp.eq.u32 %p1, %r1, 32;
                @%p1 st.shared.u32 [%r4], 0;
                setp.ge.u32 %p2, %r1, 32;
                @%p2 exit;
                ld.shared.u32 %r5, [%r4];
                st.global.u32 [%rd2], %r5;
                ret;
            "
        )
    };
    assert!(findings("sm_90", 1, 64, &body("")).contains("error data-race"));
    let found = findings(
        "sm_90",
        1,
        64,
        &body("setp.eq.u32 %p2, %r1, 0;\n@%p2 st.shared.u32 [%r4], 0;\nbar.sync 0;"),
    );
    assert!(found.contains("information same-value-race") && !found.contains("error"), "{found}");
}

#[test]
fn a_flag_of_the_block_needs_no_wider_acquire() {
    let body = |acquire: &str| {
        format!(
            "
                setp.ge.u32 %p1, %r1, 32;
                @%p1 bra READ;
                st.global.u32 [%rd2], 7;
                membar.cta;
                st.relaxed.cta.shared.u32 [%r3], 1;
                ret;
                READ:
                ld.relaxed.cta.shared.u32 %r6, [%r3+-128];
                setp.ne.u32 %p3, %r6, 1;
                @%p3 bra READ;
                {acquire}
                ld.global.u32 %r7, [%rd2+-128];
                st.global.u32 [%rd2+128], %r7;
                ret;
            "
        )
    };
    clean(1, 64, &body("membar.cta;"));
    clean(1, 64, &body("bar.warp.sync 0xffffffff;"));
    assert!(findings("sm_90", 1, 64, &body("")).contains("error data-race"));
}

/// All warps load what only the first one stores, as compilers replicate loads.
#[test]
fn a_racing_value_that_is_not_used() {
    let body = |load: &str, compute: &str, store: &str, others: &str| {
        format!(
            "
                and.b32 %r5, %r1, 31;
                mul.wide.u32 %rd3, %r5, 4;
                add.u64 %rd3, %rd1, %rd3;
                shl.b32 %r6, %r5, 2;
                add.u32 %r6, %r6, %r4;
                setp.lt.u32 %p1, %r1, 32;
                @%p1 st.shared.u32 [%r6], 0;
                bar.sync 0;
                {load}
                {compute}
                {store}
                {others}
                ret;
            "
        )
    };
    let global = ("ld.global.u32 %r7, [%rd3];", "@%p1 st.global.u32 [%rd3], %r8;");
    let shared = ("ld.shared.u32 %r7, [%r6];", "@%p1 st.shared.u32 [%r6], %r8;");
    let branch = ("ld.global.u32 %r7, [%rd3];", "@!%p1 exit;\nst.global.u32 [%rd3], %r8;");
    let add = "add.u32 %r8, %r7, 1;";
    for (load, store) in [global, shared, branch] {
        clean(1, 64, &body(load, add, store, ""));
    }
    // The value passes through other lanes of the warp.
    for exchange in [
        "shfl.sync.bfly.b32 %r8, %r7, 16, 31, -1;",
        "redux.sync.add.u32 %r8, %r7, -1;",
        "setp.eq.u32 %p2, %r7, 0;\nvote.sync.ballot.b32 %r8, %p2, -1;",
        "vadd.u32.u32.u32 %r8, %r7, 1;",
        "mov.b32 %r9, 0;\nmma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r8, %r10}, {%r7, %r9}, {%r9}, {%r9, %r9};",
    ] {
        clean(1, 64, &body(global.0, exchange, global.1, ""));
        let used = "@!%p1 st.global.u32 [%rd3+256], %r8;";
        let found = findings("sm_90", 1, 64, &body(global.0, exchange, global.1, used));
        assert!(found.contains("error data-race"), "{exchange} {found}");
    }
    for (load, store) in [global, shared] {
        // The other warps use the value, in a store, an address or a branch.
        for others in [
            "@!%p1 st.global.u32 [%rd3+256], %r8;",
            "mul.wide.u32 %rd4, %r7, 4;\nadd.u64 %rd4, %rd1, %rd4;\n@!%p1 st.global.u32 [%rd4+256], 0;",
            "setp.eq.u32 %p2, %r7, 9;\n@%p2 exit;",
        ] {
            let found = findings("sm_90", 1, 64, &body(load, add, store, others));
            assert!(found.contains("error data-race"), "{others} {found}");
        }
    }
    let unused = findings("sm_90", 1, 64, &body(global.0, add, "@%p1 st.global.u32 [%rd3], 1;", ""));
    assert!(unused.contains("error data-race"), "a load without a use stays reported: {unused}");
}
