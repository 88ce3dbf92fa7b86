//! Asynchronous copies, mbarriers, the cluster of a single block, and dynamic stack allocation.

use crate::common::{Source, words};
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions, RunResult, Status};

/// Runs a body with `block` threads. `%r1` is the thread, `%rd1` a buffer of 64 words with the values 0 to 63, `%rd9` the
/// thread's word in the buffer, and `%p1` tells whether the thread is thread 0.
fn run_body(
    model: Model,
    block: u32,
    body: &str,
) -> (Source, warplens_sim_ptx::Program, RunResult, Vec<u32>) {
    let text = format!(
        "
            .version 8.7
            .target sm_100
            .address_size 64
            .visible .entry k(.param .u64 out)
            {{
                .reg .pred %p<10>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<9>;
                .shared .align 16 .b8 tile[256];
                .shared .align 8 .b64 bar;
                .shared .align 8 .b64 other;
                ld.param.u64 %rd1, [out];
                mov.u32 %r1, %tid.x;
                mul.wide.u32 %rd9, %r1, 4;
                add.u64 %rd9, %rd9, %rd1;
                setp.eq.u32 %p1, %r1, 0;
                {body}
                ret;
            }}
        "
    );
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config([1; 3], [block, 1, 1]);
    let contents: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    let out = config.memory.allocate_with("out", &contents).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let result =
        run(&program, config, model, &RunOptions::default(), Control::none()).expect("not cancelled");
    let contents = words(result.memory.bytes(out, 256).expect("the buffer"));
    (source, program, result, contents)
}

/// Checks the first words of the buffer after a run that must finish, under every model.
fn ends(block: u32, body: &str, expected: &[u32]) {
    for model in Model::ALL {
        ends_under(model, block, body, expected);
    }
}

fn ends_under(model: Model, block: u32, body: &str, expected: &[u32]) {
    let (_, _, result, words) = run_body(model, block, body);
    let messages: Vec<_> = result.findings.iter().map(|finding| &finding.message).collect();
    assert_eq!(result.status, Status::Finished, "{messages:?}");
    assert_eq!(messages, [""; 0], "{body}");
    assert_eq!(&words[..expected.len()], expected, "{body}");
}

/// Checks the findings of a run that must fail.
fn fails(block: u32, body: &str, expected: Expect) {
    let (_, _, result, _) = run_body(Model::Stack, block, body);
    let mut text = format!("{}\n", result.status.as_str());
    for finding in &result.findings {
        let (code, warp, lanes) = (finding.kind, finding.warp, finding.lanes);
        text += &format!("{code}, warp {warp}, lanes {lanes:x}: {}\n", finding.message);
        for related in &finding.related {
            text += &format!("  {}\n", related.message);
        }
    }
    expected.assert_eq(&text);
}

const WAIT: &str = "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra W;\n";

#[test]
fn a_bulk_copy_completes_a_phase() {
    let body = format!(
        "
            @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
            bar.sync 0;
            @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
            @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];
            {WAIT}shl.b32 %r2, %r1, 2;
            mov.u32 %r3, tile;
            add.u32 %r3, %r3, %r2;
            and.b32 %r3, %r3, 63;
            mov.u32 %r4, tile;
            add.u32 %r3, %r3, %r4;
            ld.shared.u32 %r5, [%r3+4];
            st.global.u32 [%rd9], %r5;
        "
    );
    ends(8, &body, &[1, 2, 3, 4, 5, 6, 7, 8, 8]);
}

#[test]
fn warps_wait_for_each_other_in_any_order() {
    // Warp 0 waits for a phase that only warp 1 completes, and signals warp 1.
    let body = format!(
        "
            @%p1 mbarrier.init.shared.b64 [bar], 32;
            bar.sync 0;
            setp.lt.u32 %p3, %r1, 32;
            @%p3 bra FIRST;
            st.shared.u32 [tile], 42;
            mbarrier.arrive.shared.b64 %rd5, [bar];
            ret;
            FIRST: {WAIT}ld.shared.u32 %r5, [tile];
            st.global.u32 [%rd9], %r5;
        "
    );
    ends(64, &body, &[42, 42, 42]);
}

#[test]
fn diverged_lanes_of_one_warp_wait_for_each_other() {
    let body = format!(
        "
            @%p1 mbarrier.init.shared.b64 [bar], 31;
            bar.sync 0;
            @%p1 bra FIRST;
            st.shared.u32 [tile], 42;
            mbarrier.arrive.shared.b64 %rd5, [bar];
            ret;
            FIRST: {WAIT}ld.shared.u32 %r5, [tile];
            st.global.u32 [%rd9], %r5;
        "
    );
    ends_under(Model::Its, 32, &body, &[42, 1]);
}

#[test]
fn phases_alternate_with_tokens() {
    let body = "
        @%p1 mbarrier.init.shared.b64 [bar], 32;
        bar.sync 0;
        mov.u32 %r7, 0;
        L: mbarrier.arrive.shared.b64 %rd5, [bar];
        W: mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;
        @!%p2 bra W;
        add.u32 %r7, %r7, 1;
        setp.lt.u32 %p3, %r7, 5;
        @%p3 bra L;
        st.global.u32 [%rd9], %r7;
    ";
    ends(32, body, &[5, 5]);
}

#[test]
fn token_counts_and_dropped_arrivals() {
    let body = "
        @!%p1 bra E;
        mbarrier.init.shared.b64 [bar], 5;
        mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 2;
        mbarrier.pending_count.b64 %r5, %rd5;
        st.global.u32 [%rd1], %r5;
        mbarrier.arrive_drop.shared.b64 %rd6, [bar];
        mbarrier.pending_count.b64 %r6, %rd6;
        st.global.u32 [%rd1+4], %r6;
        mbarrier.arrive.shared.b64 _, [bar], 2;
        mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
        selp.u32 %r7, 1, 0, %p2;
        st.global.u32 [%rd1+8], %r7;
        mbarrier.arrive.shared.b64 %rd7, [bar];
        mbarrier.pending_count.b64 %r8, %rd7;
        st.global.u32 [%rd1+12], %r8;
        mbarrier.inval.shared.b64 [bar];
        E:
    ";
    ends(32, body, &[5, 3, 1, 4]);
}

#[test]
fn copies_of_threads_arrive() {
    let body = format!(
        "
            @%p1 mbarrier.init.shared.b64 [bar], 32;
            bar.sync 0;
            shl.b32 %r2, %r1, 2;
            mov.u32 %r3, tile;
            add.u32 %r3, %r3, %r2;
            cp.async.ca.shared.global [%r3], [%rd9], 4;
            cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
            cp.async.mbarrier.arrive.shared.b64 [other_or_bar];
            {WAIT}ld.shared.u32 %r5, [%r3];
            add.u32 %r5, %r5, 100;
            st.global.u32 [%rd9], %r5;
        "
    );
    ends(32, &body.replace("other_or_bar", "bar"), &[100, 101, 102]);
}

#[test]
fn bulk_copies_with_sums_and_masks() {
    let body = "
        @!%p1 bra E;
        st.shared.v4.u32 [tile], {10, 20, 30, 40};
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [tile], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        add.u64 %rd2, %rd1, 16;
        mov.b16 %h1, 0x000f;
        cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [tile], 16, %h1;
        E:
    ";
    ends(32, body, &[10, 21, 32, 43, 10, 5, 6, 7, 8]);
}

#[test]
fn asynchronous_stores_complete_their_bytes() {
    let body = format!(
        "
            @%p1 mbarrier.init.shared.b64 [bar], 1;
            bar.sync 0;
            @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 12;
            @%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [tile], {{7, 8}}, [bar];
            @%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [tile], 5, [bar];
            {WAIT}ld.shared.v2.u32 {{%r5, %r6}}, [tile];
            add.u32 %r5, %r5, %r6;
            st.global.u32 [%rd9], %r5;
        "
    );
    ends(32, &body, &[20, 20]);
}

#[test]
fn bulk_stores_are_zeros() {
    let body = "
        @!%p1 bra E;
        st.shared.v4.u32 [tile], {1, 2, 3, 4};
        st.bulk.weak.shared::cta [tile], 8, 0;
        ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile];
        st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};
        E:
    ";
    ends(32, body, &[0, 0, 3, 4]);
}

#[test]
fn a_cluster_of_one() {
    let body = "
        mov.u32 %r2, tile;
        mapa.shared::cluster.u32 %r3, %r2, 0;
        st.shared::cluster.u32 [%r3], 9;
        getctarank.shared::cluster.u32 %r4, %r3;
        mov.u32 %r5, %cluster_nctarank;
        barrier.cluster.arrive.aligned;
        barrier.cluster.wait.aligned;
        ld.shared.u32 %r6, [tile];
        add.u32 %r6, %r6, %r4;
        add.u32 %r6, %r6, %r5;
        atom.shared::cluster.add.u32 %r7, [%r3], 0;
        st.global.u32 [%rd9], %r6;
    ";
    ends(64, body, &[10, 10]);
}

#[test]
fn exited_threads_do_not_block_the_cluster() {
    let body = "
        setp.gt.u32 %p2, %r1, 31;
        @%p2 exit;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        st.global.u32 [%rd9], 1;
    ";
    ends(64, body, &[1, 1]);
}

#[test]
fn dynamic_stack_memory() {
    let body = "
        stacksave.u64 %rd2;
        add.u32 %r2, %r1, 1;
        shl.b32 %r2, %r2, 2;
        cvt.u64.u32 %rd3, %r2;
        alloca.u64 %rd4, %rd3, 16;
        st.local.u32 [%rd4], %r1;
        alloca.u64 %rd5, 8;
        st.local.u32 [%rd5], 77;
        ld.local.u32 %r3, [%rd4];
        st.global.u32 [%rd9], %r3;
        stackrestore.u64 %rd2;
        stacksave.u64 %rd6;
        setp.ne.u64 %p2, %rd2, %rd6;
        @%p2 trap;
        and.b64 %rd7, %rd4, 15;
        setp.ne.u64 %p2, %rd7, 0;
        @%p2 trap;
    ";
    ends(8, body, &[0, 1, 2, 3, 4]);
}

#[test]
fn misuse_of_mbarriers() {
    fails(
        1,
        "mbarrier.arrive.shared.b64 _, [bar];",
        expect![[r#"
            faulted
            mbarrier, warp 0, lanes 1: Invalid mbarrier use: the address has no initialized mbarrier object
            initialize it with `mbarrier.init`
        "#]],
    );
    fails(
        2,
        "@%p1 mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.noComplete.shared.b64 _, [bar], 3;",
        expect![[r#"
            faulted
            mbarrier, warp 0, lanes 1: Invalid mbarrier use: 3 arrivals in a phase with 1 pending arrivals
            raise the count of `mbarrier.init`
        "#]],
    );
    fails(
        1,
        "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.inval.shared.b64 [bar];\nmbarrier.test_wait.parity.b64 %p2, [%rd1], 0;",
        expect![[r#"
            faulted
            mbarrier, warp 0, lanes 1: Invalid mbarrier use: address 0x10000000 is not in shared memory
        "#]],
    );
}

#[test]
fn a_phase_that_is_never_completed() {
    let body = format!(
        "@%p1 mbarrier.init.shared.b64 [bar], 2;\nbar.sync 0;\n@%p1 mbarrier.arrive.shared.b64 _, [bar];\n{WAIT}"
    );
    fails(
        64,
        &body,
        expect![[r#"
            no-progress
            no-progress, warp 0, lanes ffffffff: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
            no live thread can complete phase 0 (parity 0): 1 of 2 arrivals pending, no bytes missing. Compare the count of `mbarrier.init` with the threads that arrive
              waiting too: lanes 0-31 of warp 1 wait for the mbarrier `bar`
        "#]],
    );
}

#[test]
fn announced_bytes_that_differ_from_the_completed_ones() {
    let body = |bytes: u32| {
        format!(
            "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {bytes};\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];\n{WAIT}"
        )
    };
    fails(
        32,
        &body(128),
        expect![[r#"
            no-progress
            no-progress, warp 0, lanes ffffffff: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
            no live thread can complete phase 0 (parity 0): 0 of 1 arrivals pending, 64 bytes missing, which no copy in flight will complete. Announce only the bytes that copies write
        "#]],
    );
    fails(
        32,
        &body(16),
        expect![[r#"
            no-progress
            no-progress, warp 0, lanes ffffffff: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
            no live thread can complete phase 0 (parity 0): 0 of 1 arrivals pending, 48 bytes too many, because copies complete more than `expect_tx` announces. Announce all bytes with `mbarrier.arrive.expect_tx`
        "#]],
    );
    let unannounced = "@%p1 mbarrier.init.shared::cta.b64 [bar], 2;\nbar.sync 0;\n\
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];\n\
        @%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    fails(
        32,
        &format!("{unannounced}{WAIT}"),
        expect![[r#"
            no-progress
            no-progress, warp 0, lanes ffffffff: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
            no live thread can complete phase 0 (parity 0): 1 of 2 arrivals pending, 64 bytes too many, because copies complete more than `expect_tx` announces. Announce all bytes with `mbarrier.arrive.expect_tx`. Compare the count of `mbarrier.init` with the threads that arrive
        "#]],
    );
}

#[test]
fn misuse_in_a_cluster_of_one() {
    fails(
        1,
        "mov.u32 %r2, tile;\nmapa.shared::cluster.u32 %r3, %r2, 1;\nst.shared::cluster.u32 [%r3], %r2;",
        expect![[r#"
            faulted
            cluster-rank, warp 0, lanes 1: Invalid block rank: 1, the cluster has one block, of rank 0
            the store uses an address that `mapa` computed for this rank; pass a rank of the cluster, or guard the access
        "#]],
    );
    fails(
        1,
        "barrier.cluster.wait;",
        expect![[r#"
            no-progress
            cluster-barrier, warp 0, lanes 1: Invalid cluster barrier use: a wait without an arrival in lane 0
            each thread must arrive and wait in turn
            no-progress, warp 0, lanes 1: Deadlock: lane 0 of warp 0 waits at a barrier that others do not reach
            lane 0 of warp 0 of block 0 of the cluster has not arrived. Make all threads reach it, or specify the number of threads that do
              waiting at a barrier: lane 0 of warp 0
        "#]],
    );
    fails(
        1,
        "barrier.cluster.arrive;\nbarrier.cluster.arrive;",
        expect![[r#"
            finished
            cluster-barrier, warp 0, lanes 1: Invalid cluster barrier use: a second arrival without a wait in lane 0
            each thread must arrive and wait in turn
        "#]],
    );
}

#[test]
fn misuse_of_bulk_copies() {
    fails(
        1,
        "add.u64 %rd2, %rd1, 8;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 16;",
        expect![[r#"
            faulted
            misaligned, warp 0, lanes 1: Misaligned access: the destination `out` + 8 bytes of a bulk copy
            the address 0x10000008 is not a multiple of 16; align it
        "#]],
    );
    fails(
        1,
        "add.u64 %rd2, %rd1, 240;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 32;",
        expect![[r#"
            faulted
            out-of-bounds, warp 0, lanes 1: Out of bounds: `out[32]` is beyond `out`, which has 32 elements
            `out` has 256 bytes, this store of 8 bytes needs 264; guard the access, or make the buffer larger
        "#]],
    );
    fails(
        1,
        "mov.u32 %r2, -16;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], %r2;",
        expect![[r#"
            faulted
            bulk-size, warp 0, lanes 1: Invalid bulk copy size: 4294967280 bytes, the limit is 1048560
            split the copy
        "#]],
    );
    fails(
        1,
        "alloca.u64 %rd2, 1000000000;",
        expect![[r#"
            faulted
            stack-overflow, warp 0, lanes 1: Stack overflow: `alloca` of 1000000000 bytes exceeds 524288 bytes per thread
            allocate less
        "#]],
    );
}
