//! Clusters of several blocks: shared memory of other blocks, the cluster barrier, and copies between blocks.

use crate::common::{Source, words};
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, Finding, FindingKind, RunOptions, RunResult, Status};

/// Runs a body in clusters of `cluster` blocks of 32 threads. `%r1` is the thread, `%r2` the block, `%r3` its rank, `%r4`
/// the next block's rank, `%r5` the thread's word in `tile`, and `%rd2` the thread's word in 256 words of global memory.
fn run_body(model: Model, grid: [u32; 3], cluster: &str, body: &str) -> (Source, RunResult, Vec<u32>) {
    let text = format!(
        ".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 out)\n.reqnctapercluster {cluster}\n{{\n\
         .reg .pred %p<10>; .reg .b16 %h<4>; .reg .b32 %r<40>; .reg .b64 %rd<20>;\n.shared .align 16 .b8 tile[256];\n\
         .shared .align 8 .b64 bar;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mov.u32 %r3, %cluster_ctarank;\nmov.u32 %r6, %cluster_nctarank;\nadd.u32 %r4, %r3, 1;\nrem.u32 %r4, %r4, %r6;\n\
         shl.b32 %r5, %r1, 2;\nmov.u32 %r7, tile;\nadd.u32 %r5, %r5, %r7;\nmad.lo.u32 %r8, %r2, 32, %r1;\n\
         mul.wide.u32 %rd2, %r8, 4;\nadd.u64 %rd2, %rd1, %rd2;\nsetp.eq.u32 %p1, %r1, 0;\n{body}\nret;\n}}\n"
    );
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config(grid, [32, 1, 1]);
    let out = config.memory.allocate("out", 1024).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = run(&program, config, model, &options, Control::none()).expect("not cancelled");
    let contents = words(result.memory.bytes(out, 1024).expect("the buffer"));
    (source, result, contents)
}

/// Checks the buffer's words after a run in clusters of four, which must finish under every model.
fn ends(grid: u32, body: &str, expected: impl Fn(u32, u32) -> u32) {
    for model in Model::ALL {
        let (_, result, words) = run_body(model, [grid, 1, 1], "4, 1, 1", body);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        assert!(result.findings.is_empty(), "{model:?} {:?}", result.findings);
        let expected: Vec<u32> = (0..grid * 32).map(|word| expected(word / 32, word % 32)).collect();
        assert_eq!(words[..expected.len()], expected, "{model:?}");
    }
}

/// Checks the findings of a run of two blocks, which must fail.
fn fails(body: &str, expected: Expect) {
    let (_, result, _) = run_body(Model::Stack, [2, 1, 1], "2", body);
    let mut text = format!("{}\n", result.status.as_str());
    for finding in &result.findings {
        text += &format!(
            "{} {} block {}: {}\n",
            finding.severity.as_str(),
            finding.kind,
            finding.cta[0],
            finding.message
        );
        for related in &finding.related {
            text += &format!("  {}\n", related.message);
        }
    }
    expected.assert_eq(&text);
}

const SYNC: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
const STORE: &str = "st.shared.u32 [%r5], %r8;\n";
const NEXT: &str = "mapa.shared::cluster.u32 %r9, %r5, %r4;\n";

#[test]
fn a_block_reads_what_the_next_one_stored() {
    let body = format!(
        "{STORE}{SYNC}{NEXT}ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;\n{SYNC}"
    );
    ends(8, &body, |block, thread| (block / 4 * 4 + (block + 1) % 4) * 32 + thread);
}

/// The size of the shared memory is no multiple of a row.
#[test]
fn rows_of_every_block_are_aligned() {
    let body = ".shared .align 16 .b8 rows[1024];\n.shared .b8 odd[8];\nmov.u32 %r20, rows;\nmad.lo.u32 %r20, %r1, 16, %r20;\n\
                st.shared.v4.u32 [%r20], {%r8, %r8, %r8, %r8};\nbar.warp.sync -1;\n\
                stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r20], {%r8};\nbar.warp.sync -1;\nld.shared.u32 %r10, [%r20];\n\
                st.global.u32 [%rd2], %r8;\n";
    ends(4, body, |block, thread| block * 32 + thread);
}

#[test]
fn generic_addresses_and_atomics() {
    let body = format!(
        "st.shared.u32 [%r5], 0;\n{SYNC}cvta.shared.u64 %rd3, %rd3;\ncvt.u64.u32 %rd3, %r5;\ncvta.shared.u64 %rd3, %rd3;\n\
         mov.u32 %r11, 0;\nNEXT: mapa.u64 %rd4, %rd3, %r11;\natom.add.u32 %r12, [%rd4], %r3;\nadd.u32 %r11, %r11, 1;\n\
         setp.lt.u32 %p2, %r11, 4;\n@%p2 bra NEXT;\n{SYNC}getctarank.u64 %r13, %rd4;\nld.shared.u32 %r10, [%r5];\n\
         mad.lo.u32 %r10, %r13, 100, %r10;\nst.global.u32 [%rd2], %r10;"
    )
    .replace("cvta.shared.u64 %rd3, %rd3;\ncvt", "cvt");
    ends(4, &body, |_, _| 300 + 6);
}

#[test]
fn special_registers_of_a_cluster() {
    let (_, result, words) = run_body(
        Model::Stack,
        [4, 4, 1],
        "2, 2, 1",
        "mov.u32 %r10, %cluster_ctarank;\nmov.u32 %r11, %clusterid.y;\nmov.u32 %r12, %nclusterid.x;\nmov.u32 %r13, %cluster_ctaid.y;\n\
         mov.u32 %r14, %is_explicit_cluster;\nmad.lo.u32 %r10, %r10, 10, %r11;\nmad.lo.u32 %r10, %r10, 10, %r12;\n\
         mad.lo.u32 %r10, %r10, 10, %r13;\nmad.lo.u32 %r10, %r10, 10, %r14;\nmov.u32 %r20, %ctaid.y;\n\
         mad.lo.u32 %r20, %r20, 4, %r2;\nmul.wide.u32 %rd3, %r20, 4;\nadd.u64 %rd3, %rd1, %rd3;\n@%p1 st.global.u32 [%rd3], %r10;",
    );
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    let expected = |block: u32| {
        let (x, y) = (block % 4, block / 4);
        (((y % 2 * 2 + x % 2) * 10 + y / 2) * 10 + 2) * 100 + y % 2 * 10 + 1
    };
    assert_eq!(words[..16], (0..16).map(expected).collect::<Vec<_>>());
}

/// A block signals the next block's mbarrier when its own memory is full.
#[test]
fn an_mbarrier_of_another_block() {
    let body = format!(
        "@%p1 mbarrier.init.shared.b64 [bar], 32;\nfence.mbarrier_init.release.cluster;\n{SYNC}{NEXT}\
         st.shared::cluster.u32 [%r9], %r8;\nmov.u32 %r10, bar;\nmapa.shared::cluster.u32 %r11, %r10, %r4;\n\
         mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\n\
         W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0;\n@!%p2 bra W;\n\
         ld.shared.u32 %r12, [%r5];\nst.global.u32 [%rd2], %r12;\n{SYNC}"
    );
    ends(4, &body, |block, thread| (block + 3) % 4 * 32 + thread);
}

/// One block copies for all blocks.
#[test]
fn a_copy_to_all_blocks() {
    let body = format!(
        "mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd5, %rd5, %rd1;\nsetp.ne.u32 %p4, %r3, 0;\n@!%p4 st.global.u32 [%rd5+512], %r1;\n\
         @%p1 mbarrier.init.shared.b64 [bar], 1;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n\
         fence.proxy.async;\n{SYNC}setp.eq.and.u32 %p3, %r3, 0, %p1;\nadd.u64 %rd6, %rd1, 512;\nmov.b16 %h1, 15;\n\
         @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd6], 128, [bar], %h1;\n\
         W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\n\
         ld.shared.u32 %r12, [%r5];\nst.global.u32 [%rd2], %r12;\n{SYNC}"
    )
    .replace("mul.wide.u32 %rd5", ".reg .b16 %h<2>;\nmul.wide.u32 %rd5");
    ends(4, &body, |_, thread| thread);
}

/// The block at the other end waits for the store.
#[test]
fn a_store_that_completes_at_an_mbarrier() {
    let body = format!(
        "@%p1 mbarrier.init.shared.b64 [bar], 1;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n{SYNC}{NEXT}\
         mov.u32 %r10, bar;\nmapa.shared::cluster.u32 %r11, %r10, %r4;\n\
         st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r8, [%r11];\n\
         W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\n\
         ld.shared.u32 %r12, [%r5];\nst.global.u32 [%rd2], %r12;\n{SYNC}"
    );
    ends(4, &body, |block, thread| (block + 3) % 4 * 32 + thread);
}

#[test]
fn a_store_to_another_block_without_synchronization() {
    fails(
        &format!(
            "{STORE}bar.sync 0;\n{NEXT}ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;\n{SYNC}"
        ),
        expect![[r#"
            finished
            error data-race block 1: Shared-memory race: tile[0] read by block (0,0,0), written by block (1,0,0)
            put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all threads execute them
            thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) reads `tile[0]` here
            error data-race block 1: Shared-memory race: tile[0] of block 0 of the cluster read by block (1,0,0), written by block (0,0,0)
            put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all threads execute them
            thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
              thread (0,0,0) of block (0,0,0) writes `tile[0]` of block 0 of the cluster here
        "#]],
    );
}

/// The reading block arrives last at the barrier, so it continues first. Still, the other block may exit before it.
#[test]
fn a_block_may_exit_before_others_read_its_memory() {
    fails(
        &format!(
            "{STORE}{SYNC}setp.eq.u32 %p2, %r3, 0;\n@%p2 bra DONE;\n{NEXT}ld.shared::cluster.u32 %r10, [%r9];\n\
             st.global.u32 [%rd2], %r10;\nDONE:"
        ),
        expect![[r#"
            finished
            error cluster-exit block 1: Access to exited block: block (0,0,0) may have exited before this access to its shared memory
            no synchronization orders the exit after the access. Let all blocks execute `barrier.cluster.arrive` and `barrier.cluster.wait` before they exit
        "#]],
    );
}

#[test]
fn a_block_exits_while_others_read_its_memory() {
    fails(
        &format!("{STORE}{SYNC}{NEXT}ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;"),
        expect![[r#"
            faulted
            error cluster-exit block 0: Access to exited block: load in the shared memory of block 1 of the cluster
            the block has exited; make its threads wait at `barrier.cluster` until the last access
        "#]],
    );
}

#[test]
fn an_invalid_rank() {
    let multicast = "@%p1 mbarrier.init.shared.b64 [bar], 1;\nmov.u16 %h1, 5;\n\
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1], 64, [bar], %h1;";
    fails(
        multicast,
        expect![[r#"
            faulted
            error cluster-rank block 0: Invalid block rank: 2, the ranks of the cluster are 0 to 1
            the mask of blocks is 0x5; clear the bits beyond the cluster
        "#]],
    );
}

/// Compilers may compute the address before the test whether there is such a block.
#[test]
fn an_invalid_rank_counts_where_the_address_is_used() {
    let neighbor = |guard: &str| {
        format!(
            "{STORE}{SYNC}add.u32 %r9, %r3, 1;\nmapa.shared::cluster.u32 %r10, %r5, %r9;\nsetp.lt.u32 %p2, %r9, 2;\n\
             {guard} ld.shared::cluster.u32 %r11, [%r10];\n{SYNC}"
        )
    };
    fails(
        &neighbor("@%p2"),
        expect![[r#"
            finished
        "#]],
    );
    fails(
        &neighbor(""),
        expect![[r#"
            faulted
            error cluster-rank block 1: Invalid block rank: 2, the ranks of the cluster are 0 to 1
            the load uses an address that `mapa` computed for this rank; pass a rank of the cluster, or guard the access
              `mapa` computes the address here
        "#]],
    );
    // The rank stays in a generic address.
    fails(
        &format!(
            "{STORE}{SYNC}mapa.shared::cluster.u32 %r10, %r5, 9;\ncvt.u64.u32 %rd4, %r10;\n\
             cvta.shared::cluster.u64 %rd4, %rd4;\nst.u32 [%rd4], %r3;\n{SYNC}"
        ),
        expect![[r#"
            faulted
            error cluster-rank block 1: Invalid block rank: 9, the ranks of the cluster are 0 to 1
            the store uses an address that `mapa` computed for this rank; pass a rank of the cluster, or guard the access
              `mapa` computes the address here
        "#]],
    );
}

#[test]
fn a_block_never_arrives_at_the_barrier() {
    fails(
        &format!("setp.eq.u32 %p2, %r3, 1;\nL: @%p2 bra L;\n{SYNC}"),
        expect![[r#"
            no-progress
            error no-progress block 0: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
            warp 0 of block 1 of the cluster has not arrived. Make all threads reach it, or specify the number of threads that do
              waiting at a barrier: lanes 0-31 of warp 0
            error no-progress block 1: Livelock: lanes 0-31 of warp 0 iterate here forever
            the state of the loop does not change; change the exit condition in the loop
        "#]],
    );
}

/// Block 0 copies to both blocks, and waits before it reuses the slot until both have read it.
#[test]
fn a_copy_that_reaches_one_block_only() {
    let body = |announce: &str, mask: u32| {
        format!(
            ".shared .align 8 .b64 empty;\nmov.u32 %r10, bar;\nmov.u32 %r11, empty;\n\
             @%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n@%p1 mbarrier.init.shared::cta.b64 [%r11], 2;\n\
             fence.mbarrier_init.release.cluster;\n{SYNC}mov.u32 %r12, 0;\nmapa.shared::cluster.u32 %r14, %r11, 0;\n\
             setp.eq.u32 %p2, %r3, 0;\nmov.u16 %h1, {mask};\nNEXT:\nxor.b32 %r13, %r12, 1;\n\
             {announce} mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 64;\n\
             @!%p2 bra FULL;\nEMPTY:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r11], %r13;\n@!%p3 bra EMPTY;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1], 64, [%r10], %h1;\n\
             FULL:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], %r12;\n@!%p3 bra FULL;\nld.shared.u32 %r15, [tile];\n\
             bar.warp.sync -1;\n@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14];\n\
             add.u32 %r12, %r12, 1;\nsetp.lt.u32 %p4, %r12, 2;\n@%p4 bra NEXT;\n{SYNC}"
        )
    };
    fails(
        &body("@%p1", 1),
        expect![[r#"
        no-progress
        error no-progress block 1: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
        no live thread can complete phase 0 (parity 0): 0 of 1 arrivals pending, 64 bytes missing, which no copy in flight will complete. Announce only the bytes that copies write
          the phase needs 1 arrival
          1 arrival in this phase
          announces 64 bytes of this phase
          waiting too: lanes 0-31 of warp 0 of block 0 of the cluster wait for the mbarrier `empty` of block 0 of the cluster
    "#]],
    );
    fails(
        &body("@%p5", 3).replace("NEXT:", "and.pred %p5, %p1, %p2;\nNEXT:"),
        expect![[r#"
        no-progress
        error no-progress block 1: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
        no live thread can complete phase 0 (parity 0): 1 of 1 arrivals pending, 64 bytes too many, because copies complete more than `expect_tx` announces. Announce all bytes with `mbarrier.arrive.expect_tx`. No thread arrives in this phase: add the missing `mbarrier.arrive` or `tcgen05.commit`
          the phase needs 1 arrival
          copies complete 64 bytes of this phase
          waiting too: lanes 0-31 of warp 0 of block 0 of the cluster wait for the mbarrier `empty` of block 0 of the cluster
    "#]],
    );
    let (_, result, _) = run_body(Model::Stack, [2, 1, 1], "2", &body("@%p1", 3));
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
}

#[test]
fn a_grid_with_partial_clusters() {
    let (_, result, _) = run_body(Model::Stack, [3, 1, 1], "2", "");
    expect![[r#"
        Invalid launch: the grid is not a multiple of the cluster extents 2 x 1 x 1
        use multiples of them"#]]
    .assert_eq(&result.findings[0].message);
}

/// What a thread did before a relaxed arrival is ordered only by a fence between both.
#[test]
fn a_relaxed_arrival_orders_nothing() {
    let relaxed = |fence: &str| format!("{fence}{}", SYNC.replace("arrive", "arrive.relaxed"));
    let load = |sync: &str| {
        format!("{STORE}{sync}{NEXT}ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;\n{SYNC}")
    };
    let store = |sync: &str| {
        format!(
            "{NEXT}st.shared::cluster.u32 [%r9], %r8;\n{sync}ld.shared.u32 %r10, [%r5];\nst.global.u32 [%rd2], %r10;\n{SYNC}"
        )
    };
    let own = |sync: &str| {
        format!(
            "{STORE}{sync}xor.b32 %r9, %r5, 4;\nld.shared.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;\n{SYNC}"
        )
    };
    for body in [load, store, own] {
        let (_, result, _) = run_body(Model::Stack, [2, 1, 1], "2", &body(&relaxed("")));
        assert!(
            result.findings.iter().any(|finding| finding.kind == FindingKind::DataRace),
            "{:?}",
            result.findings
        );
        assert!(!result.findings.iter().any(|finding| finding.kind == FindingKind::ClusterExit));
    }
    let fenced = relaxed("fence.acq_rel.cluster;\n");
    ends(4, &load(&fenced), |block, thread| (block / 4 * 4 + (block + 1) % 4) * 32 + thread);
    ends(4, &own(&fenced), |block, thread| block * 32 + (thread ^ 1));
    // A later arrival with release orders again.
    ends(4, &load(&format!("{}{SYNC}", relaxed(""))), |block, thread| {
        (block / 4 * 4 + (block + 1) % 4) * 32 + thread
    });
}

/// A thread that arrives with release passes on what it knows of its block: what precedes a barrier of the block or of the warp.
#[test]
fn one_thread_may_arrive_for_its_block() {
    let body = |before: &str, arrive: &str| {
        format!(
            "{STORE}{before}\n@%p1 barrier.cluster.arrive.release;\n@!%p1 barrier.cluster.arrive.relaxed;\n\
             barrier.cluster.wait.acquire;\n{NEXT}ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd2], %r10;\n{SYNC}"
        )
        .replace("arrive.release", arrive)
    };
    for barrier in ["bar.sync 0;", "bar.warp.sync 0xffffffff;"] {
        ends(4, &body(barrier, "arrive.release"), |block, thread| {
            (block / 4 * 4 + (block + 1) % 4) * 32 + thread
        });
    }
    for (barrier, arrive) in [("", "arrive.release"), ("bar.sync 0;", "arrive.relaxed")] {
        let (_, result, _) = run_body(Model::Stack, [2, 1, 1], "2", &body(barrier, arrive));
        let is_race = |finding: &Finding| finding.kind == FindingKind::DataRace;
        assert!(result.findings.iter().any(is_race), "{:?}", result.findings);
    }
}

/// A message of the grid's first thread to thread `reader` of the grid, in clusters of two; then a barrier of the cluster, and
/// a read by thread `last`.
fn message(reader: u32, poll: &str, acquire: &str, arrive: &str, last: u32) -> RunResult {
    let body = format!(
        "setp.eq.u32 %p2, %r8, {reader};\n@%p2 bra READ;\nsetp.ne.u32 %p3, %r8, 0;\n@%p3 bra DONE;\n\
         st.global.u32 [%rd1+512], 42;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd1], 1;\nbra DONE;\nREAD:\n\
         {poll}.global.u32 %r9, [%rd1];\nsetp.eq.u32 %p4, %r9, 0;\n@%p4 bra READ;\n{acquire}\nDONE:\n\
         bar.warp.sync 0xffffffff;\n{}setp.eq.u32 %p5, %r8, {last};\n@%p5 ld.global.u32 %r10, [%rd1+512];\n\
         @%p5 st.global.u32 [%rd1+516], %r10;\n",
        SYNC.replace("arrive", arrive)
    );
    run_body(Model::Stack, [4, 1, 1], "2", &body).1
}

#[test]
fn the_scope_of_a_cluster_does_not_reach_other_clusters() {
    let races = |result: RunResult| {
        assert!(result.findings.iter().all(|finding| finding.kind == FindingKind::DataRace));
        result.findings.into_iter().next().map(|finding| finding.message)
    };
    let clean = |result| assert_eq!(races(result), None);
    let (acquire, relaxed) = ("ld.acquire.cluster", "ld.relaxed.gpu");
    let narrow = races(message(64, acquire, "", "arrive", 64)).expect("a race");
    assert!(narrow.contains("within the scope of its accesses and fences"), "{narrow}");
    assert!(races(message(64, relaxed, "fence.acq_rel.cluster;", "arrive", 64)).is_some());
    clean(message(32, acquire, "", "arrive", 32));
    clean(message(32, relaxed, "fence.acq_rel.cluster;", "arrive", 32));
    clean(message(64, relaxed, "fence.acq_rel.gpu;", "arrive", 64));
    // The barrier of the cluster passes on what its threads acquired, unless they arrive relaxed.
    clean(message(64, "ld.acquire.gpu", "", "arrive", 96));
    assert!(races(message(64, "ld.acquire.gpu", "", "arrive.relaxed", 96)).is_some());
}

#[test]
fn the_spaces_of_an_address_in_another_block() {
    let body = format!(
        "{NEXT}cvt.u64.u32 %rd3, %r9;\ncvta.shared.u64 %rd3, %rd3;\nisspacep.shared %p2, %rd3;\n\
         isspacep.shared::cluster %p3, %rd3;\ncvt.u64.u32 %rd4, %r5;\ncvta.shared.u64 %rd4, %rd4;\n\
         isspacep.shared::cta %p4, %rd4;\nselp.u32 %r10, 1, 0, %p2;\nselp.u32 %r11, 2, 0, %p3;\n\
         selp.u32 %r12, 4, 0, %p4;\nadd.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\nst.global.u32 [%rd2], %r10;\n{SYNC}"
    );
    ends(4, &body, |_, _| 6);
}

/// Another block waits for the copy: this one may exit only when it has been told.
#[test]
fn a_block_exits_while_a_copy_to_another_block_reads_its_memory() {
    let body = |after: &str| {
        format!(
            ".shared .align 8 .b64 told;\n{STORE}fence.proxy.async.shared::cta;\n\
             @%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n@%p1 mbarrier.init.shared::cta.b64 [told], 1;\n{SYNC}\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\nmov.u32 %r20, tile;\nmov.u32 %r21, bar;\n\
             mapa.shared::cluster.u32 %r22, %r20, %r4;\nmapa.shared::cluster.u32 %r23, %r21, %r4;\n\
             @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r22+128], [tile], 64, [%r23];\n\
             W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [bar], 0;\n@!%p7 bra W;\n{after}"
        )
    };
    let told = [
        SYNC.to_owned(),
        "mov.u32 %r24, told;\nmapa.shared::cluster.u32 %r24, %r24, %r4;\n\
         @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r24];\n\
         V: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [told], 0;\n@!%p7 bra V;\n"
            .to_owned(),
    ];
    let found = |after: &str| run_body(Model::Stack, [2, 1, 1], "2", &body(after)).1.findings;
    for after in &told {
        assert!(found(after).is_empty(), "{after} {:?}", found(after));
    }
    let exit = |finding: &Finding| {
        finding.kind == FindingKind::AsyncSource
            && finding.message.contains("an mbarrier of another block tracks it")
    };
    assert!(found("").iter().any(exit), "{:?}", found(""));
}

/// `fence.mbarrier_init` orders initializations, and `.sync_restrict` accesses to shared memory: nothing else.
#[test]
fn a_fence_orders_only_what_it_names() {
    let relaxed = SYNC.replace("arrive", "arrive.relaxed");
    let found = |body: &str| run_body(Model::Stack, [2, 1, 1], "2", body).1.findings;
    let load =
        |fence: &str| format!("{STORE}{fence}{relaxed}{NEXT}ld.shared::cluster.u32 %r10, [%r9];\n{SYNC}");
    let global = |fence: &str| {
        format!(
            "st.global.u32 [%rd2], %r1;\n{fence}{relaxed}xor.b32 %r9, %r8, 32;\nmul.wide.u32 %rd3, %r9, 4;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r10, [%rd3];\n{SYNC}"
        )
    };
    let init = |fence: &str| {
        format!(
            "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n{fence}{relaxed}mov.u32 %r21, bar;\n\
             mapa.shared::cluster.u32 %r23, %r21, %r4;\n@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r23];\n{SYNC}"
        )
    };
    let [initializations, shared, all] = [
        "fence.mbarrier_init.release.cluster;\n",
        "fence.release.sync_restrict::shared::cta.cluster;\n",
        "fence.release.cluster;\n",
    ];
    let right = [init(initializations), init(shared), init(all), load(shared), load(all), global(all)];
    for body in right {
        assert!(found(&body).is_empty(), "{body} {:?}", found(&body));
    }
    for body in [load(initializations), global(initializations), global(shared), load(""), global("")] {
        assert!(
            found(&body).iter().any(|finding| finding.kind == FindingKind::DataRace),
            "{body} {:?}",
            found(&body)
        );
    }
    assert!(
        found(&init("")).iter().any(|finding| finding.kind == FindingKind::MbarrierInit),
        "{:?}",
        found(&init(""))
    );
}

/// The blocks of a cluster wait in a loop with the barrier of the cluster; the first thread of each polls a flag.
#[test]
fn clusters_wait_for_later_ones() {
    let waits = "WAIT:
        @%p1 ld.acquire.gpu.global.u32 %r10, [%rd1];
        @%p1 st.shared.u32 [tile], %r10;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ld.shared.u32 %r10, [tile];
        barrier.cluster.arrive;
        barrier.cluster.wait;
        setp.eq.u32 %p2, %r10, 0;
        @%p2 bra WAIT;";
    let gives = format!(
        "setp.lt.u32 %p3, %r2, 2;
        @%p3 bra WAIT;
        @%p1 st.release.gpu.global.u32 [%rd1], 5;
        bra DONE;
        {waits}
        DONE:"
    );
    for model in Model::ALL {
        let (_, result, _) = run_body(model, [4, 1, 1], "2, 1, 1", &gives);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        let (_, result, _) = run_body(model, [4, 1, 1], "2, 1, 1", waits);
        assert_eq!(result.status, Status::NoProgress, "{model:?} {:?}", result.findings);
        assert!(result.totals.warp_instructions < 20_000, "{model:?} {:?}", result.totals);
        let message = &result.findings[0].message;
        assert!(
            message.contains("lane 0 of warp 0 polls `out[0]` (value 0)\nno live thread can change it"),
            "{message}"
        );
    }
}
