//! Clusters: the rank of a block, the shared memory of the other blocks, and the barrier between them.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_sim_warp::{Checks, RunOptions, RunResult, Status};

/// `R1` is the thread in the grid, `R3` the rank of the block, `R5` the address of the thread's word of shared memory,
/// `R10` the generic address of that word in the other block of a pair, and `R8` the address of its word of `out`.
fn start(target: u16) -> String {
    let (threads, params) = if target < 100 { (0x0, 0x210) } else { (0x360, 0x380) };
    format!(
        "S2R R0, SR_TID.X
         S2R R2, SR_CTAID.X
         S2R R3, SR_CgaCtaId
         MOV R4, 0x400
         LEA R5, R3, R4, 0x18
         IMAD R5, R0, 0x4, R5
         LOP3.LUT R6, R3, 0x1, RZ, 0x3c, !PT
         PRMT R10, R6, 0x654, R5
         S2R R11, SR_SWINHI
         IMAD R1, R2, c[0x0][{threads:#x}], R0
         MOV R8, 0x4
         IMAD.WIDE R8, R1, R8, c[0x0][{params:#x}]"
    )
}

const SYNCHRONIZE: &str = "MEMBAR.ALL.GPU
    ERRBAR
    CGAERRBAR
    UCGABAR_ARV
    UCGABAR_WAIT
    CCTL.IVALL";

/// Runs a body in blocks of 32 threads, each with a word of `out`.
fn run(target: u16, grid: [u32; 3], cluster: [u32; 3], body: &str) -> (RunResult, Vec<u32>) {
    let text = crate::machines::listing(target, &format!("{}\n{body}", start(target)));
    let program = crate::common::program(&text, "k");
    let mut config = warplens_sim_sass::launch_config(program.target, 8, grid, [32, 1, 1]);
    config.cluster = Some(cluster);
    let bytes = config.blocks() * 128;
    let out = config.memory.allocate("out", bytes).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = crate::common::run(&program, config, &options);
    let words = result.memory.bytes(out, bytes).expect("the buffer").as_chunks().0;
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    (result, words)
}

/// Checks the words of `out` after a run of two pairs of blocks, by block and thread.
fn ends(body: &str, expected: fn(u32, u32) -> u32) {
    let expected: Vec<u32> = (0..128).map(|word| expected(word / 32, word % 32)).collect();
    for target in [90, 100, 120] {
        let (result, words) = run(target, [4, 1, 1], [2, 1, 1], body);
        assert_eq!((result.status, result.findings), (Status::Finished, Vec::new()), "sm_{target}");
        assert_eq!(words, expected, "sm_{target}");
    }
}

/// Checks the findings of a run of a pair of blocks.
fn fails(body: &str, expected: Expect) {
    let (result, _) = run(90, [2, 1, 1], [2, 1, 1], body);
    let mut text = format!("{}\n", result.status.as_str());
    for finding in &result.findings {
        writeln!(text, "{} block {}: {}", finding.kind, finding.cta[0], finding.message).expect("text");
    }
    expected.assert_eq(&text);
}

#[test]
fn a_block_reads_what_the_other_one_stored() {
    let body = format!(
        "STS [R5], R1
         {SYNCHRONIZE}
         LD.E R12, [R10]
         STG.E [R8.64], R12
         {SYNCHRONIZE}
         EXIT"
    );
    ends(&body, |block, thread| (block ^ 1) * 32 + thread);
}

#[test]
fn a_block_stores_and_adds_to_the_memory_of_the_other_one() {
    let body = format!(
        "MOV R12, 0x5
         STS [R5], RZ
         {SYNCHRONIZE}
         ST.E [R10+0x80], R1
         ATOM.E.ADD.STRONG.GPU PT, R13, [R10], R12
         ATOM.E.ADD.STRONG.GPU PT, RZ, [R10], R13
         ATOM.E.ADD.STRONG.GPU PT, RZ, [R10], R1
         {SYNCHRONIZE}
         LDS R12, [R5]
         LDS R13, [R5+0x80]
         IMAD R12, R13, 0x100, R12
         STG.E [R8.64], R12
         EXIT"
    );
    ends(&body, |block, thread| {
        let other = (block ^ 1) * 32 + thread;
        other * 0x100 + 5 + other
    });
}

/// `QSPC.E.S` is `isspacep.shared::cta`, `QSPC.E.D` is `isspacep.shared::cluster`.
#[test]
fn the_window_of_the_block_is_a_part_of_that_of_the_cluster() {
    let body = "MOV R14, R5
        MOV R15, R11
        QSPC.E.S P0, RZ, [R14]
        QSPC.E.D P1, RZ, [R14]
        QSPC.E.S P2, RZ, [R10]
        QSPC.E.D P3, RZ, [R10]
        P2R R12, PR, RZ, 0xf
        STG.E [R8.64], R12
        EXIT";
    ends(body, |_, _| 0b1011);
}

/// Code divides the number of a block by a reciprocal from constant bank 0.
#[test]
fn the_constants_of_a_launch_describe_the_cluster() {
    let body = "S2R R12, SR_CTAID.Y
        I2FP.F32.U32 R12, R12
        FMUL R12, R12, c[0x0][0x154]
        F2I.U32.TRUNC.NTZ R12, R12
        IMAD R12, R12, 0x10, R3
        IMAD R12, R12, 0x10, c[0x0][0x140]
        IMAD R12, R12, 0x10, c[0x0][0x144]
        IMAD R12, R12, 0x10, c[0x0][0x148]
        IMAD R12, R12, 0x10, c[0x0][0x14c]
        IMAD R12, R12, 0x10, c[0x0][0x15c]
        IMAD R12, R12, 0x10, c[0x0][0x160]
        IMAD R12, R12, 0x10, c[0x0][0x188]
        S2R R1, SR_CTAID.Y
        IMAD R1, R1, c[0x0][0xc], R2
        MOV R8, 0x4
        IMAD.WIDE R8, R1, R8, c[0x0][0x210]
        ISETP.NE.AND P0, PT, R0, RZ, PT
        @P0 EXIT
        STG.E [R8.64], R12
        EXIT";
    let (result, words) = run(90, [4, 6, 1], [2, 3, 1], body);
    assert_eq!((result.status, result.findings), (Status::Finished, Vec::new()));
    let expected = (0..24).map(|block| {
        let (x, y) = (block % 4, block / 4);
        (y / 3) << 32 | (y % 3 * 2 + x % 2) << 28 | 0x0123_1226
    });
    assert_eq!(words[..24], expected.map(|word: u64| word as u32).collect::<Vec<_>>());
    let (_, words) = run(90, [1; 3], [1; 3], body);
    assert_eq!(words[0], 0x0011_1111);
}

/// A compiler puts `barrier.cluster` in divergent code between `WARPSYNC.COLLECTIVE.ALL` and `ENDCOLLECTIVE`.
#[test]
fn the_paths_of_a_warp_arrive_one_after_the_other() {
    let body = "STS [R5], R1
        ISETP.GE.U32.AND P0, PT, R0, 0x8, PT
        BSSY B0, 0x180
        @P0 BRA 0x140
        WARPSYNC.COLLECTIVE.ALL 0x130
        UCGABAR_ARV
        ENDCOLLECTIVE
        BRA 0x170
        WARPSYNC.COLLECTIVE.ALL 0x170
        UCGABAR_ARV
        ENDCOLLECTIVE
        BSYNC B0
        UCGABAR_WAIT
        LD.E R12, [R10]
        STG.E [R8.64], R12
        UCGABAR_ARV
        UCGABAR_WAIT
        EXIT";
    ends(body, |block, thread| (block ^ 1) * 32 + thread);
}

#[test]
fn an_access_without_a_barrier_is_a_race() {
    fails(
        "STS [R5], R1\nLD.E R12, [R10]\nUCGABAR_ARV\nUCGABAR_WAIT\nEXIT",
        expect![[r#"
            finished
            data-race block 1: Shared-memory race: shared[1024] read by block (0,0,0), written by block (1,0,0)
            put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all threads execute them
            thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
            data-race block 1: Shared-memory race: shared[1024] of block 0 of the cluster read by block (1,0,0), written by block (0,0,0)
            put `barrier.cluster.arrive` and `barrier.cluster.wait` between the two accesses, where all threads execute them
            thread (0,0,0) of block (1,0,0) is lane 0 of warp 0, thread (0,0,0) of block (0,0,0) is lane 0 of warp 0
        "#]],
    );
}

#[test]
fn a_block_that_exits_before_the_other_one_accesses_its_memory() {
    fails(
        "STS [R5], R1\nUCGABAR_ARV\nUCGABAR_WAIT\nLD.E R12, [R10]\nSTG.E [R8.64], R12\nEXIT",
        expect![[r#"
            faulted
            cluster-exit block 0: Access to exited block: load in the shared memory of block 1 of the cluster
            the block has exited; make its threads wait at `barrier.cluster` until the last access
        "#]],
    );
}

#[test]
fn arrivals_and_waits_alternate() {
    fails(
        "UCGABAR_WAIT\nEXIT",
        expect![[r#"
            no-progress
            cluster-barrier block 0: Invalid cluster barrier use: a wait without an arrival in lanes 0-31
            each thread must arrive and wait in turn
            cluster-barrier block 1: Invalid cluster barrier use: a wait without an arrival in lanes 0-31
            each thread must arrive and wait in turn
            no-progress block 0: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
            warp 0 of block 0 of the cluster has not arrived, warp 0 of block 1 of the cluster has not arrived. Make all threads reach it, or specify the number of threads that do
            no-progress block 1: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
            warp 0 of block 0 of the cluster has not arrived, warp 0 of block 1 of the cluster has not arrived. Make all threads reach it, or specify the number of threads that do
        "#]],
    );
    fails(
        "UCGABAR_ARV\nUCGABAR_ARV\nUCGABAR_WAIT\nEXIT",
        expect![[r#"
        finished
        cluster-barrier block 0: Invalid cluster barrier use: a second arrival without a wait in lanes 0-31
        each thread must arrive and wait in turn
        cluster-barrier block 1: Invalid cluster barrier use: a second arrival without a wait in lanes 0-31
        each thread must arrive and wait in turn
    "#]],
    );
}

#[test]
fn a_block_that_does_not_arrive() {
    let body = "ISETP.NE.AND P0, PT, R3, RZ, PT
        @P0 BRA 0x100
        UCGABAR_ARV
        UCGABAR_WAIT
        BAR.SYNC 0x1, 0x40
        EXIT";
    fails(
        body,
        expect![[r#"
            no-progress
            no-progress block 0: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
            warp 0 of block 1 of the cluster has not arrived. Make all threads reach it, or specify the number of threads that do
            no-progress block 1: Deadlock: lanes 0-31 of warp 0 wait at a barrier that others do not reach
            32 of 64 threads are at barrier 1. Make all threads reach it, or specify the number of threads that do
        "#]],
    );
}

/// The value that the other block stored is unknown, and so is what depends on it.
#[test]
fn an_unknown_value_reaches_the_other_block() {
    let body = format!(
        "HMNMX2.XORSIGN.F32 R12, R0, R0, PT
         STS [R5], R12
         {SYNCHRONIZE}
         LD.E R12, [R10]
         STG.E [R8.64], R12
         {SYNCHRONIZE}
         EXIT"
    );
    fails(
        &body,
        expect![[r#"
        unsupported
        unsupported block 0: Unsupported instruction: `HMNMX2.XORSIGN.F32`: modifier `.F32` is not simulated
        its result is not known; the run continues, and stops where a branch or an address depends on it
        unsupported block 1: Unsupported instruction: `HMNMX2.XORSIGN.F32`: modifier `.F32` is not simulated
        its result is not known; the run continues, and stops where a branch or an address depends on it
        unsupported block 1: Unsupported instruction: an unknown value is stored in lanes 0-31
        these elements do not have the values of the kernel; they come from the unsupported instruction `HMNMX2.XORSIGN.F32`: modifier `.F32` is not simulated
    "#]],
    );
}

#[test]
fn a_launch_that_the_target_or_the_grid_does_not_allow() {
    let refused = |target, grid, cluster| {
        let (result, _) = run(target, grid, cluster, "EXIT");
        assert_eq!(result.status, Status::Faulted);
        result.findings[0].message.clone()
    };
    expect![[r#"
        Invalid launch: clusters need sm_90 or later
        launch the kernel without a cluster"#]]
    .assert_eq(&refused(80, [2, 1, 1], [2, 1, 1]));
    expect![[r#"
        Invalid launch: the grid is not a multiple of the cluster extents 2 x 1 x 1
        use multiples of them"#]]
    .assert_eq(&refused(90, [3, 1, 1], [2, 1, 1]));
    expect!["Invalid launch: a cluster must have 1 to 16 blocks, not 32"].assert_eq(&refused(
        90,
        [32, 1, 1],
        [32, 1, 1],
    ));
}

#[test]
fn a_kernel_states_its_cluster() {
    let text = "\t.target\tsm_90
\t.section\t.nv.info.k,\"\",@\"SHT_CUDA_INFO\"
\t//----- nvinfo : EIATTR_CTA_PER_CLUSTER
\t.align\t\t4
        /*0020*/ \t.byte\t0x04, 0x3d
        /*0022*/ \t.short\t(.L_13 - .L_12)
.L_12:
        /*0024*/ \t.word\t0x00000002
        /*0028*/ \t.word\t0x00000001
        /*002c*/ \t.word\t0x00000001
.L_13:
\t.section\t.text.k,\"ax\",@progbits
.text.k:
        /*0000*/                   S2R R0, SR_CgaCtaId ;
        /*0010*/                   EXIT ;
";
    assert_eq!(crate::common::program(text, "k").cluster, Some([2, 1, 1]));
}
