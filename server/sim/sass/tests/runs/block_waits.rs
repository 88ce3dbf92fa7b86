//! Blocks that wait for others in loops with barriers.

use warplens_sim_warp::{Checks, Limits, RunOptions, RunResult, Status};

/// `R0` is the thread, `R3` the block, `[R4]` the flag, `P0` whether the thread is the first of its block.
const START: &str = "S2R R0, SR_TID.X
    S2R R3, SR_CTAID.X
    MOV R4, c[0x0][0x160]
    MOV R5, c[0x0][0x164]
    MOV R7, RZ
    MOV R9, RZ
    ISETP.EQ.AND P0, PT, R0, RZ, PT";

fn run(body: &str, blocks: u32, max_steps: u64) -> (RunResult, Vec<u32>) {
    let program = crate::common::program(&crate::machines::listing(80, &format!("{START}\n{body}")), "k");
    let mut config = warplens_sim_sass::launch_config(program.target, 8, [blocks, 1, 1], [96, 1, 1]);
    let out = config.memory.allocate("out", 128).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let limits = Limits { max_steps, ..Limits::default() };
    let options = RunOptions { checks: Checks::ALL, limits, ..RunOptions::default() };
    let result = crate::common::run(&program, config, &options);
    let words = result.memory.bytes(out, 128).expect("the buffer").as_chunks().0;
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    (result, words)
}

/// All threads of a block wait until the first one has seen the flag. The loop starts at 0xd0, after six statements of `first`.
fn waiting(first: &str, poll: &str) -> String {
    format!(
        "{first}
         {poll}
         @P0 STS [0x40], R6
         BAR.SYNC 0x0
         LDS R7, [0x40]
         BAR.SYNC 0x0
         ISETP.EQ.AND P1, PT, R7, RZ, PT
         @P1 BRA 0xd0
         @P0 RED.E.ADD.STRONG.GPU [R4.64+0x4], R7
         EXIT"
    )
}

/// The last of three blocks to arrive sets the flag.
const ARRIVE: &str = "MOV R8, 0x1
    @P0 ATOMG.E.ADD.STRONG.GPU PT, R2, [R4.64+0x8], R8
    @!P0 MOV R2, RZ
    ISETP.EQ.AND P1, PT, R2, 0x2, P0
    @P1 STG.E.STRONG.GPU [R4.64], R8
    NOP";
const IDLE: &str = "NOP\nNOP\nNOP\nNOP\nNOP\nNOP";

const POLLS: [&str; 3] = [
    "@P0 LDG.E.STRONG.GPU R6, [R4.64]",
    "@P0 ATOMG.E.ADD.STRONG.GPU PT, R6, [R4.64], RZ",
    "@P0 ATOMG.E.OR.STRONG.GPU PT, R6, [R4.64], RZ",
];

#[test]
fn blocks_wait_for_later_ones_through_shared_memory() {
    for poll in
        POLLS.iter().chain(&["@P0 LDG.E.STRONG.GPU R6, [R4.64]\nIADD3 R9, R9, 0x1, RZ\n@P0 STS [0x44], R9"])
    {
        let (result, words) = run(&waiting(ARRIVE, poll), 3, 1_000_000);
        assert_eq!(result.status, Status::Finished, "{poll} {:?}", result.findings);
        assert_eq!(words[1], 3, "{poll}");
    }
}

#[test]
fn waits_through_shared_memory_without_an_end_are_reported() {
    for poll in POLLS {
        let (result, _) = run(&waiting(IDLE, poll), 2, 1_000_000);
        assert_eq!(result.status, Status::NoProgress, "{poll} {:?}", result.findings);
        assert!(
            result.findings[0].message.contains("poll memory that no live thread can change"),
            "{:?}",
            result.findings
        );
    }
}

/// Warps 0 and 1 poll a flag between barriers at which warp 2 arrives 3000 times before it sets the flag.
#[test]
fn a_warp_at_the_barrier_of_a_loop_sets_its_flag() {
    let body = "ISETP.GE.AND P2, PT, R0, 0x40, PT
        @P2 BRA 0xf0
        BAR.SYNC 0x0
        LDG.E.STRONG.GPU R6, [R4.64]
        BAR.SYNC 0x0
        ISETP.EQ.AND P1, PT, R6, RZ, PT
        @P1 BRA 0x90
        EXIT
        IADD3 R9, R9, 0x1, RZ
        BAR.SYNC 0x0
        BAR.SYNC 0x0
        ISETP.LT.AND P1, PT, R9, 0xbb8, PT
        @P1 BRA 0xf0
        MOV R8, 0x1
        STG.E.STRONG.GPU [R4.64], R8
        BAR.SYNC 0x0
        BAR.SYNC 0x0
        EXIT";
    let (result, _) = run(body, 1, 1_000_000);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
}

/// The first thread of each of two blocks swaps a value into the flag, block 0 until `first` and block 1 until `second` was there.
fn swapping(values: [u32; 2], awaited: [u32; 2]) -> String {
    format!(
        "@!P0 EXIT
         ISETP.NE.AND P2, PT, R3, RZ, PT
         @P2 BRA 0xf0
         MOV R8, {:#x}
         ATOMG.E.EXCH.STRONG.GPU PT, R6, [R4.64], R8
         ISETP.NE.AND P1, PT, R6, {:#x}, PT
         @P1 BRA 0xb0
         EXIT
         MOV R8, {:#x}
         ATOMG.E.EXCH.STRONG.GPU PT, R6, [R4.64], R8
         ISETP.NE.AND P1, PT, R6, {:#x}, PT
         @P1 BRA 0x100
         EXIT",
        values[0], awaited[0], values[1], awaited[1]
    )
}

#[test]
fn swaps_that_no_order_ends_are_a_deadlock() {
    let (result, _) = run(&swapping([1, 3], [2, 4]), 2, 1_000_000);
    assert_eq!(result.status, Status::NoProgress, "{:?}", result.findings);
    let message = &result.findings.last().expect("a finding").message;
    assert!(message.contains("that the waiting threads change"), "{message}");
    // Each waits for what the other one stores; the last one waits for a thread that has ended.
    let (result, _) = run(&swapping([1, 3], [3, 4]), 2, 100_000);
    assert!(result.findings.iter().all(|finding| !finding.message.contains("waiting threads change")));
}
