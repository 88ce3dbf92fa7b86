//! Blocks that wait for blocks that start later.

use std::fmt::Write;

use crate::common::{Source, kernel};
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, LaunchConfig, RunOptions};

/// Waits until the word that `%rd3` points to is not 0.
const WAIT: &str = "WAIT:
ld.acquire.gpu.global.u32 %r5, [%rd3];
setp.eq.u32 %p2, %r5, 0;
@%p2 bra WAIT;";

/// A launch of blocks of 1,024 threads: two of them fit on a multiprocessor of sm_90, and 264 on an H100.
fn blocks(count: u32) -> LaunchConfig {
    launch_config([count, 1, 1], [1024, 1, 1])
}

/// The status and the first two findings of a body on sm_90: `%rd1` is a buffer of 1,024 words, `%r1` the block, `%r2` the number of blocks. Only thread 0 runs it.
fn check(body: &str, mut config: LaunchConfig, is_cooperative: bool, expected: &Expect) {
    let text = format!(
        "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\n\
         mov.u32 %r2, %nctaid.x;\nmov.u64 %rd3, %rd1;\n{body}\nret;"
    );
    let program = Source::new(&kernel(&text)).program("k");
    let out = config.memory.allocate("out", 4096).expect("space");
    config.params = out.to_le_bytes().to_vec();
    config.workspace = is_cooperative.then_some(out);
    let result =
        run(&program, config, Model::Stack, &RunOptions::default(), Control::none()).expect("not cancelled");
    let mut text = format!("{:?}\n", result.status);
    for finding in result.findings.iter().take(2) {
        let at = finding.statement.map_or(String::new(), |statement| format!(" at {}", statement.0));
        writeln!(text, "{} {}{at}: {}", finding.severity.as_str(), finding.kind, finding.message)
            .expect("text");
    }
    expected.assert_eq(&text);
}

/// The last block sets the flag.
fn last_block_sets_flag() -> String {
    format!(
        "sub.u32 %r3, %r2, 1;\nsetp.ne.u32 %p1, %r1, %r3;\n@!%p1 st.release.gpu.global.u32 [%rd1], 1;\n{WAIT}"
    )
}

#[test]
fn resident_blocks_wait_for_one_that_cannot_start() {
    check(
        &last_block_sets_flag(),
        blocks(300),
        false,
        &expect![[r#"
        Finished
        error residency at 10: Residency: block 0 waits for block 299, which cannot start
        the largest GPU of this target (H100, 132 multiprocessors) holds at most 264 of these blocks at once, 2 on a multiprocessor, and all of them wait; launch at most 264 blocks, cooperatively, or let blocks wait only for earlier ones
    "#]],
    );
}

#[test]
fn a_barrier_of_more_blocks_than_are_resident() {
    let body = "atom.global.add.u32 %r3, [%rd1], 1;
WAIT:
ld.volatile.global.u32 %r4, [%rd1];
setp.lt.u32 %p1, %r4, %r2;
@%p1 bra WAIT;";
    check(
        body,
        blocks(400),
        false,
        &expect![[r#"
        Finished
        error residency at 8: Residency: block 0 waits for block 399, which cannot start
        the largest GPU of this target (H100, 132 multiprocessors) holds at most 264 of these blocks at once, 2 on a multiprocessor, and all of them wait; launch at most 264 blocks, cooperatively, or let blocks wait only for earlier ones
    "#]],
    );
}

#[test]
fn all_blocks_are_resident() {
    check(
        &last_block_sets_flag(),
        blocks(264),
        false,
        &expect![[r#"
        Finished
        information residency at 10: Residency: block 0 waits for block 263, which starts later
        only a cooperative launch promises that both are resident; launch cooperatively, or let blocks wait only for earlier ones
    "#]],
    );
    check(
        &last_block_sets_flag(),
        blocks(264),
        true,
        &expect![[r#"
        Finished
    "#]],
    );
}

#[test]
fn a_cooperative_launch_that_does_not_fit() {
    check(
        "",
        blocks(265),
        true,
        &expect![[r#"
        Faulted
        error residency: Residency: a cooperative launch needs all its 265 blocks at once
        the largest GPU of this target (H100, 132 multiprocessors) holds at most 264 of these blocks at once, 2 on a multiprocessor; launch fewer blocks
    "#]],
    );
}

#[test]
fn blocks_that_wait_for_earlier_ones() {
    check(
        &format!("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.release.gpu.global.u32 [%rd1], 1;\n{WAIT}"),
        blocks(400),
        false,
        &expect![[r#"
            Finished
        "#]],
    );
}

/// Each block sets its own flag and waits for that of the next one; the last waits for nobody.
#[test]
fn blocks_that_wait_for_the_next_one_make_room() {
    let body = format!(
        "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.release.gpu.global.u32 [%rd3], 1;\nsub.u32 %r3, %r2, 1;\n\
         setp.eq.u32 %p1, %r1, %r3;\n@%p1 ret;\nadd.u64 %rd3, %rd3, 4;\n{WAIT}"
    );
    check(
        &body,
        blocks(400),
        false,
        &expect![[r#"
        Finished
        information residency at 14: Residency: block 0 waits for block 1, which starts later
        only a cooperative launch promises that both are resident; launch cooperatively, or let blocks wait only for earlier ones
    "#]],
    );
}

#[test]
fn a_flag_that_nobody_sets_is_a_deadlock() {
    check(
        WAIT,
        blocks(300),
        false,
        &expect![[r#"
        NoProgress
        error no-progress at 7: Deadlock: lane 0 of warp 0 polls `out[0]` (value 0)
        no live thread can change it; make another thread store the awaited value before it waits or exits
        error no-progress at 7: Deadlock: lane 0 of warp 0 polls `out[0]` (value 0)
        no live thread can change it; make another thread store the awaited value before it waits or exits
    "#]],
    );
}

#[test]
fn a_wait_that_gives_up() {
    let body = "mov.u32 %r4, 0;
WAIT:
ld.volatile.global.u32 %r5, [%rd1];
add.u32 %r4, %r4, 1;
setp.eq.u32 %p1, %r5, 0;
setp.lt.and.u32 %p1, %r4, 100, %p1;
@%p1 bra WAIT;";
    check(
        body,
        blocks(300),
        false,
        &expect![[r#"
        Finished
    "#]],
    );
}
