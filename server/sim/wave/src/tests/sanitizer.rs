//! Findings of the sanitizer: races in local memory, and uninitialized reads.

use expect_test::{Expect, expect};
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::trace::{Checks, RunOptions};

use super::{ending, launch_config, launch_text, options};

/// Runs statements in two waves of four lanes, with every check enabled. `r0` is the thread, `r1` the address
/// of its word.
fn check(statements: &str, expected: Expect) {
    let text = format!(
        ".kernel k\n.local_memory 256\nmov r0, sr_thread_id_x\nshl r1, r0, 2\nmov r2, sr_wave_id\nmov r3, sr_lane_id\n{statements}\nhalt\n.end\n"
    );
    let options = RunOptions { checks: Checks::ALL, ..options() };
    let (result, code) = launch_text(&text, launch_config([2, 1, 1], [8, 1, 1], 4), &options);
    expected.assert_eq(&ending(&text, &code, &result));
}

#[test]
fn a_missing_barrier() {
    check(
        "local_store.u32 r0, r1\nxor r4, r1, 16\nlocal_load.u32 r5, r4",
        expect![[r#"
            finished
            data-race at `local_load.u32 r5, r4`, lanes f: Local-memory race: offset 16 read by thread (0,0,0), written by thread (4,0,0)
            put a `barrier` that all waves execute between the two accesses
            thread (0,0,0) is lane 0 of wave 0, thread (4,0,0) is lane 0 of wave 1
        "#]],
    );
    check(
        "local_store.u32 r0, r1\nbarrier\nxor r4, r1, 16\nlocal_load.u32 r5, r4",
        expect![[r#"
        finished
    "#]],
    );
    check(
        "local_store.u32 r0, r1\nbarrier\nxor r4, r1, 16\nlocal_load.u32 r5, r4\nlocal_store.u32 r5, r1",
        expect![[r#"
            finished
            data-race at `local_store.u32 r5, r1`, lanes f: Local-memory race: offset 0 read by thread (4,0,0), written by thread (0,0,0)
            put a `barrier` that all waves execute between the two accesses
            thread (0,0,0) is lane 0 of wave 0, thread (4,0,0) is lane 0 of wave 1
        "#]],
    );
}

#[test]
fn waves_that_store_to_the_same_place() {
    check(
        "local_store.u32 r2, r3",
        expect![[r#"
            finished
            data-race at `local_store.u32 r2, r3`, lanes 1: Local-memory race: offset 0 written by thread (4,0,0) and thread (3,0,0)
            let one thread store, use a distinct address per thread, or use an atomic
            thread (4,0,0) is lane 0 of wave 1, thread (3,0,0) is lane 3 of wave 0
        "#]],
    );
    check(
        "and r4, r3, 3\nshl r4, r4, 2\nlocal_store.u32 7, r4",
        expect![[r#"
            finished
        "#]],
    );
    check(
        "local_store.u8 r2, r0",
        expect![[r#"
        finished
    "#]],
    );
}

#[test]
fn lanes_of_one_store() {
    check(
        "icmp.eq p1, r2, 0\n@p1 local_store.u32 r0, 0",
        expect![[r#"
            finished
            data-race at `@p1 local_store.u32 r0, 0`, lanes e: Local-memory race: offset 0 written by lane 1 and lane 0; the last writer wins
            the order is unspecified: let one lane store, or use a distinct address per lane
            thread (1,0,0) is lane 1 of wave 0, thread (0,0,0) is lane 0 of wave 0
        "#]],
    );
    check(
        "icmp.eq p1, r2, 0\n@p1 local_store.u32 5, 0",
        expect![[r#"
            finished
        "#]],
    );
}

#[test]
fn atomics_do_not_race_with_each_other() {
    check(
        "local_store.u32 0, r1\nbarrier\nlocal_atomic_add 0, r0",
        expect![[r#"
        finished
    "#]],
    );
    check(
        "local_store.u32 0, r1\nbarrier\nlocal_atomic_add 0, r0\nlocal_load.u32 r5, 0",
        expect![[r#"
            finished
            data-race at `local_load.u32 r5, 0`, lanes 8: Local-memory race: offset 0 read by thread (3,0,0), written by thread (4,0,0)
            put a `barrier` that all waves execute between the two accesses
            thread (3,0,0) is lane 3 of wave 0, thread (4,0,0) is lane 0 of wave 1
        "#]],
    );
}

#[test]
fn a_flag_is_taken_by_an_atomic() {
    check(
        "local_store.u32 0, r1\nbarrier
        icmp.eq p1, r2, 1
        if p1
        local_store.u32 5, 32
        local_atomic_exchange r4, 0, 1
        else
        loop
        local_atomic_add r5, 0, 0
        icmp.ne p2, r5, 0
        break p2
        endloop
        local_load.u32 r6, 32
        endif",
        expect![[r#"
            finished
        "#]],
    );
}

#[test]
fn uninitialized_local_memory() {
    check(
        "local_load.u32 r4, r1",
        expect![[r#"
            finished
            uninitialized-read at `local_load.u32 r4, r1`, lanes f: Uninitialized read: local memory at offset 0, before any thread writes it
            lane 0 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
        "#]],
    );
    check(
        "local_store.u16 r0, r1\nlocal_load.u16 r4, r1\nlocal_load.u32 r4, r1",
        expect![[r#"
            finished
            uninitialized-read at `local_load.u32 r4, r1`, lanes f: Uninitialized read: local memory at offset 0, before any thread writes it
            lane 0 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
        "#]],
    );
    check(
        "local_atomic_add r4, r1, 1",
        expect![[r#"
            finished
            uninitialized-read at `local_atomic_add r4, r1, 1`, lanes f: Uninitialized read: local memory at offset 0, before any thread writes it
            lane 0 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
        "#]],
    );
}

#[test]
fn registers_that_only_other_lanes_wrote() {
    check(
        "icmp.lt p1, r3, 2\nif p1\nmov r5, 1\nendif\niadd r6, r5, 1\niadd r6, r5, r6\niadd r7, r7, 1",
        expect![[r#"
            finished
            uninitialized-read at `iadd r6, r5, 1`, lanes c: Uninitialized read: `r5` in lanes 2-3, but only other lanes have written it
            it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
        "#]],
    );
    check(
        "icmp.lt p1, r3, 2\nif p1\nicmp.eq p2, r3, 0\nendif\nif p2\nnop\nendif",
        expect![[r#"
            finished
            uninitialized-read at `if p2`, lanes c: Uninitialized read: `p2` in lanes 2-3, but only other lanes have written it
            it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
        "#]],
    );
}

#[test]
fn what_is_up_to_the_machine() {
    check(
        "icmp.lt p1, r3, 2\nif p1\nwave_shuffle_xor r5, r0, 2\nendif",
        expect![[r#"
            finished
            shuffle-inactive at `wave_shuffle_xor r5, r0, 2`, lanes 3: Shuffle of inactive lanes: the shuffle in lanes 0-1
            the result is undefined (here the current register value of the inactive lane); execute the shuffle in all source lanes
        "#]],
    );
    check(
        "wave_shuffle_up r5, r0, 1\nidiv r6, 100, r3",
        expect![[r#"
            finished
            division-by-zero at `idiv r6, 100, r3`, lanes 1: Division by zero: in lane 0
            the result is undefined (0 here); guard the instruction
        "#]],
    );
}

#[test]
fn lanes_that_break_one_by_one() {
    check(
        "loop\nicmp.eq p1, r0, 0\nbreak p1\nisub r0, r0, 1\nendloop",
        expect![[r#"
        finished
    "#]],
    );
    check(
        "imul r4, r3, r3\nimul r4, r4, r4\nloop\nicmp.eq p1, r4, 0\nbreak p1\nisub r4, r4, 1\nendloop",
        expect![[r#"
            finished
            scattered-break at `loop`, lanes 8: Scattered `break`: 65 of 82 iterations ran with less than half of the lanes
            the other lanes that entered the loop had left by `break` and waited: give the lanes of a wave similar iteration counts, or move the remaining work after the loop
        "#]],
    );
    check(
        "mov r4, 20\nloop\nicmp.eq p1, r4, 0\nbreak p1\nisub r4, r4, 1\nendloop",
        expect![[r#"
        finished
    "#]],
    );
}

/// The last store to a byte of device memory, which two waves of four lanes write.
fn check_last_store(statements: &str, address: u64, expected: Expect) {
    let text =
        format!(".kernel k\nmov r0, sr_thread_id_x\nshl r1, r0, 2\nmov r2, 8\n{statements}\nhalt\n.end\n");
    let options = RunOptions { watch: Some(address), ..options() };
    let mut launch = launch_config([2, 1, 1], [8, 1, 1], 4);
    launch.memory = DeviceMemory::flat("device", 64);
    let (result, code) = launch_text(&text, launch, &options);
    assert_eq!(result.status.as_str(), "finished");
    let store = result.last_store.map(|store| {
        let statement = text[code.instructions[store.statement.index()].range].trim();
        format!("{statement}: group {}, wave {}, lane {}", store.warp.cta[0], store.warp.warp, store.lane)
    });
    expected.assert_eq(&store.unwrap_or_else(|| "none".to_owned()));
}

#[test]
fn the_last_store_to_a_watched_byte() {
    let store = "device_store.u32 r0, r1";
    check_last_store(store, 21, expect!["device_store.u32 r0, r1: group 1, wave 1, lane 1"]);
    check_last_store(
        "device_store.u32 r0, r2",
        8,
        expect!["device_store.u32 r0, r2: group 1, wave 1, lane 3"],
    );
    check_last_store("device_store.u32 r0, r2", 12, expect!["none"]);
    check_last_store(
        &format!("{store}\nlocal_store.u32 r0, r2"),
        8,
        expect!["device_store.u32 r0, r1: group 1, wave 0, lane 2"],
    );
    check_last_store(
        "atomic_add r3, r2, r0, .device",
        8,
        expect!["atomic_add r3, r2, r0, .device: group 1, wave 1, lane 3"],
    );
}

#[test]
fn ballots_of_wide_waves() {
    let check = |width, statements: &str, expected: Expect| {
        let text = format!(".kernel k\nmov r3, sr_lane_id\n{statements}\nhalt\n.end\n");
        let options = RunOptions { checks: Checks::ALL, ..options() };
        let (result, code) = launch_text(&text, launch_config([1, 1, 1], [64, 1, 1], width), &options);
        expected.assert_eq(&ending(&text, &code, &result));
    };
    check(
        64,
        "icmp.lt p1, r3, 40\nwave_ballot r4, p1",
        expect![[r#"
            finished
            ballot-width at `wave_ballot r4, p1`, lanes ff00000000: Ballot of more than 32 lanes: the predicate is true in lanes 32-39
            the result has 32 bits and omits them; launch waves of at most 32 lanes, or count with `wave_reduce_add`
        "#]],
    );
    check(
        64,
        "icmp.lt p1, r3, 32\nicmp.ge p2, r3, 32\nwave_ballot r4, p1\n@p1 wave_ballot r4, p2",
        expect![[r#"
            finished
        "#]],
    );
    check(
        32,
        "icmp.lt p1, r3, 40\nwave_ballot r4, p1",
        expect![[r#"
        finished
    "#]],
    );
}
