//! Kernels with one mistake each, run by two waves of four lanes. The run has a single finding. The name of a kernel describes
//! its mistake.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_ide::lanes::Reporter;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::WarpId;
use warplens_sim_wave::{device_memory, launch_config};

use super::{BEGINNING, code, simulate};

/// Collects the findings of mistakes. A mistake is a list of statements after the common prologue, which also
/// sets `r6` to the lane and `r7` to the wave.
struct Sheet {
    text: String,
    count: usize,
}

impl Sheet {
    fn mistake(&mut self, name: &str, statements: &str) {
        let text = format!(
            "
                .kernel k
                    .registers 32
                    .local_memory 64
                    {BEGINNING}mov r6, sr_lane_id
                    mov r7, sr_wave_id
                    {statements}
                .end
            "
        );
        let code = code(&text);
        let memory = device_memory(64);
        let result = simulate(&code, LaunchConfig { memory, ..launch_config([1; 3], [8, 1, 1], 4) });
        let reporter = Reporter { block: [8, 1, 1], width: 4 };
        let all = reporter.findings(&result, Some(WarpId { cta: [0; 3], warp: 0 }), &|_| None);
        assert_eq!(all.len(), 1, "{name}: {:?}", result.findings);
        let place = |statement: warplens_sim_warp::StatementId| {
            text[code.instructions[statement.index()].range].trim()
        };
        let finding = all[0].finding;
        let at = finding.statement.map_or("", place);
        writeln!(
            self.text,
            "{name}: {}\n  `{at}`: {}: {}",
            result.status.as_str(),
            finding.kind,
            all[0].message().replace('\n', "\n    ")
        )
        .expect("a string takes text");
        for other in &finding.related {
            writeln!(self.text, "  `{}`: {}", place(other.statement), other.message)
                .expect("a string takes text");
        }
        self.count += 1;
    }
}

fn check(mistakes: &[(&str, &str)], expected: Expect) -> usize {
    let mut sheet = Sheet { text: String::new(), count: 0 };
    for (name, statements) in mistakes {
        sheet.mistake(name, statements);
    }
    expected.assert_eq(&sheet.text);
    sheet.count
}

pub(crate) fn check_all() {
    let count = memory() + uninitialized() + races() + barriers() + endless() + depth() + meaning();
    assert!(count >= 30, "{count} mistakes");
}

fn memory() -> usize {
    check(
        &[
            ("no guard for the end of an array", "imul r8, r0, 12\ndevice_store.u32 r0, r8\nhalt"),
            ("an index below zero", "isub r8, r5, 4\ndevice_load.u32 r8, r8\nhalt"),
            ("more local memory than there is", "shl r8, r0, 4\nlocal_store.u32 r0, r8\nhalt"),
            (
                "a pair that hangs over the end",
                "mov r8, 1\nmov r9, 2\nicmp.eq p1, r0, 5\n@p1 device_store.u64 r8, 60\nhalt",
            ),
            (
                "four words that hang over the end",
                "icmp.eq p1, r0, 0\nif p1\ndevice_load.u128 r8, 52\nendif\nhalt",
            ),
            ("an atomic beyond the end", "imul r8, r0, 32\natomic_add r8, 1, .device\nhalt"),
            ("a local atomic beyond the end", "icmp.eq p1, r0, 7\n@p1 local_atomic_exchange r8, 64, 1\nhalt"),
            ("a tile with too long a row", "icmp.eq p1, r0, 0\nif p1\nmma_store_c 0, 32, r1\nendif\nhalt"),
        ],
        expect![[r#"
            no guard for the end of an array: faulted
              `device_store.u32 r0, r8`: out-of-bounds: Out of bounds: access of 4 bytes at address 0x48, outside device memory
                lane 2 accesses 4 bytes, and device memory has 64: guard the access with an `if`, or launch with more device memory
                threads (6,0,0) to (7,0,0) of block (0,0,0): lanes 2-3 of warp 1
            an index below zero: faulted
              `device_load.u32 r8, r8`: out-of-bounds: Out of bounds: 4 bytes before device memory
                lane 0 accesses 4 bytes (a negative index?), and device memory has 64: guard the access with an `if`, or launch with more device memory
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
            more local memory than there is: faulted
              `local_store.u32 r0, r8`: out-of-bounds: Out of bounds: access of 4 bytes at address 0x40, outside local memory
                lane 0 accesses 4 bytes, and local memory has 64: guard the access with an `if`, or increase `.local_memory`
                threads (4,0,0) to (7,0,0) of block (0,0,0): lanes 0-3 of warp 1
            a pair that hangs over the end: faulted
              `@p1 device_store.u64 r8, 60`: out-of-bounds: Out of bounds: access of 8 bytes at address 0x3c, outside device memory
                lane 1 accesses 8 bytes, and device memory has 64: guard the access with an `if`, or launch with more device memory
                thread (5,0,0) of block (0,0,0): lane 1 of warp 1
            four words that hang over the end: faulted
              `device_load.u128 r8, 52`: out-of-bounds: Out of bounds: access of 16 bytes at address 0x34, outside device memory
                lane 0 accesses 16 bytes, and device memory has 64: guard the access with an `if`, or launch with more device memory
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
            an atomic beyond the end: faulted
              `atomic_add r8, 1, .device`: out-of-bounds: Out of bounds: access of 4 bytes at address 0x40, outside device memory
                lane 2 accesses 4 bytes, and device memory has 64: guard the access with an `if`, or launch with more device memory
                threads (2,0,0) to (3,0,0) of block (0,0,0): lanes 2-3 of warp 0
            a local atomic beyond the end: faulted
              `@p1 local_atomic_exchange r8, 64, 1`: out-of-bounds: Out of bounds: access of 4 bytes at address 0x40, outside local memory
                lane 3 accesses 4 bytes, and local memory has 64: guard the access with an `if`, or increase `.local_memory`
                thread (7,0,0) of block (0,0,0): lane 3 of warp 1
            a tile with too long a row: faulted
              `mma_store_c 0, 32, r1`: out-of-bounds: Out of bounds: access of 4 bytes at address 0x40, outside local memory
                lane 0 accesses 4 bytes, and local memory has 64: guard the access with an `if`, or increase `.local_memory`
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
        "#]],
    )
}

fn uninitialized() -> usize {
    check(
        &[
            (
                "the edge of a tile was not filled",
                "local_store.u32 r0, r5\nbarrier\niadd r8, r5, 4\nlocal_load.u32 r8, r8\nhalt",
            ),
            ("a counter that was not cleared", "local_atomic_add 0, 1\nhalt"),
            ("half a word was written", "local_store.u16 r0, r5\nbarrier\nlocal_load.u32 r8, r5\nhalt"),
            (
                "a value of one arm only",
                "
                icmp.lt p1, r6, 2
                if p1
                    mov r8, 7
                endif
                iadd r9, r8, 1
                halt
            ",
            ),
            (
                "a value that is predicated off",
                "icmp.lt p1, r6, 3\n@p1 mov r8, 7\ndevice_store.u32 r8, r5\nhalt",
            ),
            (
                "a condition of one arm only",
                "
                    icmp.lt p1, r6, 2
                    if p1
                        icmp.eq p2, r6, 0
                    endif
                    if p2
                        nop
                    endif
                    halt
                ",
            ),
            (
                "the upper word of one arm only",
                "
                    icmp.lt p1, r6, 2
                    mov r8, 1
                    if p1
                        mov r9, 7
                    endif
                    imul r10, r0, 8
                    local_store.u64 r8, r10
                    halt
                ",
            ),
            (
                "a sum that broken lanes never began",
                "
                    loop
                        icmp.eq p1, r6, 0
                        break p1
                        mov r8, 3
                        isub r6, r6, 1
                    endloop
                    device_store.u32 r8, r5
                    halt
                ",
            ),
        ],
        expect![[r#"
            the edge of a tile was not filled: finished
              `local_load.u32 r8, r8`: uninitialized-read: Uninitialized read: local memory at offset 32, before any thread writes it
                lane 3 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
                thread (7,0,0) of block (0,0,0): lane 3 of warp 1
            a counter that was not cleared: finished
              `local_atomic_add 0, 1`: uninitialized-read: Uninitialized read: local memory at offset 0, before any thread writes it
                lane 0 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
            half a word was written: finished
              `local_load.u32 r8, r5`: uninitialized-read: Uninitialized read: local memory at offset 0, before any thread writes it
                lane 0 reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            a value of one arm only: finished
              `iadd r9, r8, 1`: uninitialized-read: Uninitialized read: `r8` in lanes 2-3, but only other lanes have written it
                it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
                threads (2,0,0) to (3,0,0) of block (0,0,0): lanes 2-3 of warp 0
            a value that is predicated off: finished
              `device_store.u32 r8, r5`: uninitialized-read: Uninitialized read: `r8` in lane 3, but only other lanes have written it
                it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
                thread (3,0,0) of block (0,0,0): lane 3 of warp 0
            a condition of one arm only: finished
              `if p2`: uninitialized-read: Uninitialized read: `p2` in lanes 2-3, but only other lanes have written it
                it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
                threads (2,0,0) to (3,0,0) of block (0,0,0): lanes 2-3 of warp 0
            the upper word of one arm only: finished
              `local_store.u64 r8, r10`: uninitialized-read: Uninitialized read: `r9` in lanes 2-3, but only other lanes have written it
                it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
                threads (2,0,0) to (3,0,0) of block (0,0,0): lanes 2-3 of warp 0
            a sum that broken lanes never began: finished
              `device_store.u32 r8, r5`: uninitialized-read: Uninitialized read: `r8` in lane 0, but only other lanes have written it
                it holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
        "#]],
    )
}

fn races() -> usize {
    check(
        &[
            (
                "read before it is there",
                "local_store.u32 r0, r5\nxor r8, r5, 16\nlocal_load.u32 r9, r8\nhalt",
            ),
            (
                "overwritten while it is read",
                "
                    local_store.u32 r0, r5
                    barrier
                    xor r8, r5, 16
                    local_load.u32 r9, r8
                    iadd r9, r9, 100
                    local_store.u32 r9, r5
                    halt
                ",
            ),
            ("two waves to one place", "icmp.eq p1, r6, 0\n@p1 local_store.u32 r7, 0\nhalt"),
            (
                "two waves to one place, alike",
                "icmp.eq p1, r0, 0\n@p1 local_store.u32 7, 0\nicmp.eq p1, r0, 4\n@p1 local_store.u32 7, 0\nhalt",
            ),
            ("two lanes to one place", "icmp.eq p1, r7, 1\n@p1 local_store.u32 r0, 0\nhalt"),
            (
                "an atomic beside a load",
                "
                    icmp.eq p1, r0, 0
                    @p1 local_store.u32 0, 0
                    barrier
                    local_atomic_add 0, 1
                    local_load.u32 r8, 0
                    halt
                ",
            ),
            (
                "an atomic beside a store",
                "
                    icmp.eq p1, r0, 0
                    @p1 local_store.u32 0, 0
                    barrier
                    icmp.eq p1, r0, 7
                    @!p1 local_atomic_max 0, r0
                    @p1 local_store.u32 9, 0
                    halt
                ",
            ),
            (
                "a barrier before the loop, none in it",
                "
                    mov r10, r0
                    local_store.u32 r10, r5
                    mov r8, 1
                    barrier
                    loop
                        icmp.eq p1, r8, 8
                        break p1
                        xor r9, r0, r8
                        shl r9, r9, 2
                        local_load.u32 r9, r9
                        iadd r10, r10, r9
                        local_store.u32 r10, r5
                        shl r8, r8, 1
                    endloop
                    halt
                ",
            ),
            (
                "halves that overlap",
                "
                    imul r8, r0, 3
                    icmp.eq p1, r6, 3
                    icmp.eq p2, r0, 4
                    or p1, p1, p2
                    @p1 local_store.u32 r0, r8
                    halt
                ",
            ),
            (
                "a tile that another wave still stores",
                "
                    icmp.eq p1, r0, 0
                    if p1
                        mma_store_c 0, 16, r1
                    endif
                    icmp.eq p1, r0, 4
                    if p1
                        local_load.u32 r8, 20
                    endif
                    halt
                ",
            ),
        ],
        expect![[r#"
            read before it is there: finished
              `local_load.u32 r9, r8`: data-race: Local-memory race: offset 16 read by thread (0,0,0), written by thread (4,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (0,0,0) is lane 0 of wave 0, thread (4,0,0) is lane 0 of wave 1; block (0,0,0)
              `local_store.u32 r0, r5`: thread (4,0,0) writes local memory at offset 16 here
            overwritten while it is read: finished
              `local_store.u32 r9, r5`: data-race: Local-memory race: offset 0 read by thread (4,0,0), written by thread (0,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (0,0,0) is lane 0 of wave 0, thread (4,0,0) is lane 0 of wave 1; block (0,0,0)
              `local_load.u32 r9, r8`: thread (4,0,0) reads local memory at offset 0 here
            two waves to one place: finished
              `@p1 local_store.u32 r7, 0`: data-race: Local-memory race: offset 0 written by thread (4,0,0) and thread (0,0,0)
                let one thread store, use a distinct address per thread, or use an atomic
                thread (4,0,0) is lane 0 of wave 1, thread (0,0,0) is lane 0 of wave 0; block (0,0,0)
              `@p1 local_store.u32 r7, 0`: thread (0,0,0) writes local memory at offset 0 here
            two waves to one place, alike: finished
              `@p1 local_store.u32 7, 0`: same-value-race: Same-value race: offset 0 written by thread (4,0,0) and thread (0,0,0)
                the stored value is unchanged, so the result does not depend on the order
                thread (4,0,0) is lane 0 of wave 1, thread (0,0,0) is lane 0 of wave 0; block (0,0,0)
              `@p1 local_store.u32 7, 0`: thread (0,0,0) writes local memory at offset 0 here
            two lanes to one place: finished
              `@p1 local_store.u32 r0, 0`: data-race: Local-memory race: offset 0 written by lane 1 and lane 0; the last writer wins
                the order is unspecified: let one lane store, or use a distinct address per lane
                thread (5,0,0) is lane 1 of wave 1, thread (4,0,0) is lane 0 of wave 1; block (0,0,0)
              `@p1 local_store.u32 r0, 0`: thread (4,0,0) writes local memory at offset 0 here
            an atomic beside a load: finished
              `local_load.u32 r8, 0`: data-race: Local-memory race: offset 0 read by thread (3,0,0), written by thread (4,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (3,0,0) is lane 3 of wave 0, thread (4,0,0) is lane 0 of wave 1; block (0,0,0)
              `local_atomic_add 0, 1`: thread (4,0,0) writes local memory at offset 0 here
            an atomic beside a store: finished
              `@p1 local_store.u32 9, 0`: data-race: Local-memory race: offset 0 written by thread (7,0,0) and thread (3,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (7,0,0) is lane 3 of wave 1, thread (3,0,0) is lane 3 of wave 0; block (0,0,0)
              `@!p1 local_atomic_max 0, r0`: thread (3,0,0) writes local memory at offset 0 here
            a barrier before the loop, none in it: finished
              `local_store.u32 r10, r5`: data-race: Local-memory race: offset 16 read by thread (0,0,0), written by thread (4,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (4,0,0) is lane 0 of wave 1, thread (0,0,0) is lane 0 of wave 0; block (0,0,0)
              `local_load.u32 r9, r9`: thread (0,0,0) reads local memory at offset 16 here
            halves that overlap: finished
              `@p1 local_store.u32 r0, r8`: data-race: Local-memory race: offset 12 written by thread (4,0,0) and thread (3,0,0)
                let one thread store, use a distinct address per thread, or use an atomic
                thread (4,0,0) is lane 0 of wave 1, thread (3,0,0) is lane 3 of wave 0; block (0,0,0)
              `@p1 local_store.u32 r0, r8`: thread (3,0,0) writes local memory at offset 12 here
            a tile that another wave still stores: finished
              `local_load.u32 r8, 20`: data-race: Local-memory race: offset 20 read by thread (4,0,0), written by thread (0,0,0)
                put a `barrier` that all waves execute between the two accesses
                thread (4,0,0) is lane 0 of wave 1, thread (0,0,0) is lane 0 of wave 0; block (0,0,0)
              `mma_store_c 0, 16, r1`: thread (0,0,0) writes local memory at offset 20 here
        "#]],
    )
}

fn barriers() -> usize {
    check(
        &[
            ("in an arm", "icmp.lt p1, r6, 2\nif p1\nbarrier\nendif\nhalt"),
            (
                "in the other arm",
                "
                icmp.lt p1, r6, 3
                if p1
                    nop
                else
                    barrier
                endif
                halt
            ",
            ),
            (
                "in a loop that lanes exit one by one",
                "
                    mov r8, r6
                    loop
                        icmp.eq p1, r8, 0
                        break p1
                        isub r8, r8, 1
                        barrier
                    endloop
                    halt
                ",
            ),
            ("under a guard", "icmp.ne p1, r6, 1\n@p1 barrier\nhalt"),
            ("for one wave only", "icmp.eq p1, r7, 0\nif p1\nbarrier\nendif\nhalt"),
            ("after a wave has halted", "icmp.eq p1, r7, 1\n@p1 halt\nbarrier\nhalt"),
            (
                "once too often",
                "
                    barrier
                    mov r8, r7
                    loop
                        icmp.eq p1, r8, 0
                        break p1
                        isub r8, r8, 1
                        barrier
                    endloop
                    halt
                ",
            ),
        ],
        expect![[r#"
            in an arm: finished
              `barrier`: divergent-barrier: Divergent barrier: 2 lanes of the wave that have not exited did not arrive
                move the barrier to code that all lanes execute
                threads (2,0,0) to (3,0,0) of block (0,0,0): lanes 2-3 of warp 0; also in 1 warp of 1 block
            in the other arm: finished
              `barrier`: divergent-barrier: Divergent barrier: 3 lanes of the wave that have not exited did not arrive
                move the barrier to code that all lanes execute
                threads (0,0,0) to (2,0,0) of block (0,0,0): lanes 0-2 of warp 0; also in 1 warp of 1 block
            in a loop that lanes exit one by one: finished
              `barrier`: divergent-barrier: Divergent barrier: 1 lane of the wave that has not exited did not arrive
                move the barrier to code that all lanes execute
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0; also in 1 warp of 1 block
            under a guard: finished
              `@p1 barrier`: divergent-barrier: Divergent barrier: 1 lane of the wave that has not exited did not arrive
                move the barrier to code that all lanes execute
                thread (1,0,0) of block (0,0,0): lane 1 of warp 0; also in 1 warp of 1 block
            for one wave only: no-progress
              `barrier`: barrier-deadlock: Deadlock: 1 of 2 waves exited without arriving at a barrier
                the other waves of the workgroup wait there; let all waves execute the barrier before any of them halts
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            after a wave has halted: no-progress
              `barrier`: barrier-deadlock: Deadlock: 1 of 2 waves exited without arriving at a barrier
                the other waves of the workgroup wait there; let all waves execute the barrier before any of them halts
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            once too often: no-progress
              `barrier`: barrier-deadlock: Deadlock: 1 of 2 waves exited without arriving at a barrier
                the other waves of the workgroup wait there; let all waves execute the barrier before any of them halts
                threads (4,0,0) to (7,0,0) of block (0,0,0): lanes 0-3 of warp 1
        "#]],
    )
}

fn endless() -> usize {
    check(
        &[
            (
                "a condition that the loop does not change",
                "
                    mov r8, 3
                    loop
                        icmp.eq p1, r8, 0
                        break p1
                    endloop
                    halt
                ",
            ),
            (
                "a flag that is never set",
                "
                    loop
                        device_load.u32 r8, 0
                        icmp.ne p1, r8, 0
                        break p1
                    endloop
                    halt
                ",
            ),
            (
                "two waves that wait for each other",
                "
                    shl r8, r7, 2
                    xor r9, r8, 4
                    loop
                        atomic_or r10, r9, 0, .device
                        icmp.ne p1, r10, 0
                        break p1
                    endloop
                    atomic_exchange r8, 1, .device
                    halt
                ",
            ),
            (
                "a lock that is never released",
                "
                    loop
                        atomic_cas r8, 0, 0, 1, .device
                        icmp.eq p1, r8, 0
                        break p1
                    endloop
                    halt
                ",
            ),
            (
                "a lane that holds the others up",
                "
                    icmp.eq p1, r6, 2
                    if p1
                        loop
                            device_load.u32 r8, 0
                            icmp.eq p2, r8, 1
                            break p2
                        endloop
                    else
                        device_store.u32 1, 0
                    endif
                    halt
                ",
            ),
            (
                "a flag after the barrier that it waits at",
                "
                    icmp.eq p1, r7, 0
                    if p1
                        loop
                            device_load.u32 r8, 0
                            icmp.ne p2, r8, 0
                            break p2
                        endloop
                    endif
                    barrier
                    device_store.u32 1, 0
                    halt
                ",
            ),
        ],
        expect![[r#"
            a condition that the loop does not change: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
              `loop`: wave 1 repeats this loop
            a flag that is never set: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
              `loop`: wave 1 repeats this loop
            two waves that wait for each other: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
              `loop`: wave 1 repeats this loop
            a lock that is never released: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                threads (1,0,0) to (3,0,0) of block (0,0,0): lanes 1-3 of warp 0
              `loop`: wave 1 repeats this loop
            a lane that holds the others up: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                thread (2,0,0) of block (0,0,0): lane 2 of warp 0
              `loop`: wave 1 repeats this loop
            a flag after the barrier that it waits at: no-progress
              `loop`: no-progress: Livelock: lanes repeat a loop whose exit condition no wave can change
                update the condition of its `break` inside the loop, or let another wave store the awaited value
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
              `barrier`: wave 1 waits at this barrier
        "#]],
    )
}

fn depth() -> usize {
    let ifs = |count: usize| ("if p1\n".repeat(count), "endif\n".repeat(count));
    let (open, close) = ifs(17);
    let nested = format!("icmp.eq p1, r0, r0\n{open}call f\n{close}halt\nf: {open}nop\n{close}return");
    check(
        &[
            ("a function that calls itself", "call f\nhalt\nf: iadd r8, r6, 1\ncall f\nreturn"),
            (
                "functions that call each other",
                "
                    call f
                    halt
                    f: nop
                    call g
                    return
                    g: nop
                    call f
                    return
                ",
            ),
            ("deeper through a call", &nested),
            ("no end", "iadd r8, r6, 1"),
        ],
        expect![[r#"
            a function that calls itself: faulted
              `call f`: call-depth: Call depth: beyond the limit of 8
                replace nested calls with a loop
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            functions that call each other: faulted
              `call f`: call-depth: Call depth: beyond the limit of 8
                replace nested calls with a loop
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            deeper through a call: faulted
              `if p1`: nesting-depth: Nesting depth: `if` and `loop` beyond the limit of 32
                combine conditions with `and`, or leave with `break` and `continue`
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            no end: finished
              `iadd r8, r6, 1`: missing-halt: Missing `halt`: lanes reach the end of the kernel and exit here
                add `halt`
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0; also in 1 warp of 1 block
        "#]],
    )
}

fn meaning() -> usize {
    check(
        &[
            ("a special register as an operand", "iadd r8, sr_lane_id, r0\nhalt"),
            ("a guard on a word of structure", "icmp.lt p1, r6, 2\nif p1\nnop\n@p1 endif\nhalt"),
            (
                "constructs that cross",
                "
                icmp.eq p1, r0, r0
                if p1
                    loop
                    endif
                    break p1
                endloop
                halt
            ",
            ),
            ("division by zero", "idiv r8, 100, r6\nhalt"),
            (
                "a shuffle from a lane that is elsewhere",
                "icmp.lt p1, r6, 2\nif p1\nwave_shuffle_down r8, r0, 1\nendif\nhalt",
            ),
        ],
        expect![[r#"
            a special register as an operand: faulted
              `iadd r8, sr_lane_id, r0`: no-meaning: Undefined behavior: `sr_lane_id` as an operand of `iadd`
                only `mov` and `mov_sr` read special registers; copy it to a general register first
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            a guard on a word of structure: faulted
              `@p1 endif`: no-meaning: Undefined behavior: a guard on `endif`
                `endif` applies to all lanes of its construct; remove the guard, and use its condition in the `if` or `break`
                threads (0,0,0) to (1,0,0) of block (0,0,0): lanes 0-1 of warp 0
            constructs that cross: faulted
              `endif`: control-flow: Invalid control flow: this `endif` does not match the innermost open construct
                close inner constructs first
                threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
            division by zero: finished
              `idiv r8, 100, r6`: division-by-zero: Division by zero: in lane 0
                the result is undefined (0 here); guard the instruction
                thread (0,0,0) of block (0,0,0): lane 0 of warp 0
            a shuffle from a lane that is elsewhere: finished
              `wave_shuffle_down r8, r0, 1`: shuffle-inactive: Shuffle of inactive lanes: the shuffle in lane 1
                the result is undefined (here the current register value of the inactive lane); execute the shuffle in all source lanes
                thread (1,0,0) of block (0,0,0): lane 1 of warp 0
        "#]],
    )
}
