//! Threads that cooperate: through local memory and barriers, atomics, and wave operations.

use super::{Kernel, numbers};

/// Stores `r6` as the result of the thread.
const STORE: &str = "iadd r31, r4, 4096\ndevice_store.u32 r6, r31";

fn total() -> u32 {
    numbers(0..64).sum()
}

pub(crate) fn kernels() -> Vec<Kernel> {
    let mut all = in_local_memory();
    all.extend(by_atomics());
    all.extend(in_waves());
    all
}

fn in_local_memory() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "reduction",
            "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                mov r7, 32
                loop
                    barrier
                    icmp.eq p1, r7, 0
                    break p1
                    icmp.lt p2, r0, r7
                    if p2
                        iadd r8, r0, r7
                        shl r8, r8, 2
                        local_load.u32 r8, r8
                        local_load.u32 r9, r5
                        iadd r8, r8, r9
                        local_store.u32 r8, r5
                    endif
                    shr r7, r7, 1
                endloop
                icmp.eq p1, r0, 0
                if p1
                    local_load.u32 r6, 0
                    device_store.u32 r6, 4096
                endif
            ",
        )
        .gives([total()]),
        Kernel::new(
            "inclusive_scan",
            &format!(
                "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                barrier
                mov r7, 1
                loop
                    icmp.ge p1, r7, 64
                    break p1
                    mov r9, 0
                    icmp.ge p2, r0, r7
                    if p2
                        isub r8, r0, r7
                        shl r8, r8, 2
                        local_load.u32 r9, r8
                    endif
                    barrier
                    iadd r6, r6, r9
                    local_store.u32 r6, r5
                    barrier
                    shl r7, r7, 1
                endloop
                {STORE}
            "
            ),
        )
        .gives(numbers(0..64).scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })),
        Kernel::new(
            "transposition",
            &format!(
                "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                barrier
                and r7, r0, 7
                shr r8, r0, 3
                shl r7, r7, 3
                or r7, r7, r8
                shl r7, r7, 2
                local_load.u32 r6, r7
                {STORE}
            "
            ),
        )
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at % 8 * 8 + at / 8])
        }),
        Kernel::new(
            "stencil",
            // The sum of three neighbors. At the ends, the thread's own word counts twice.
            &format!(
                "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                barrier
                isub r7, r0, 1
                imax r7, r7, 0
                shl r7, r7, 2
                local_load.u32 r7, r7
                iadd r8, r0, 1
                imin r8, r8, 63
                shl r8, r8, 2
                local_load.u32 r8, r8
                iadd r6, r6, r7
                iadd r6, r6, r8
                {STORE}
            "
            ),
        )
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64usize).map(move |at| input[at] + input[at.saturating_sub(1)] + input[(at + 1).min(63)])
        }),
        Kernel::new(
            "matrix_product",
            // 8 x 8; A is at address 0, B follows it, and both are copied to local memory.
            &format!(
                "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                iadd r7, r4, 256
                device_load.u32 r6, r7
                iadd r7, r5, 256
                local_store.u32 r6, r7
                barrier
                and r7, r0, 7
                shr r8, r0, 3
                shl r8, r8, 5
                shl r7, r7, 2
                iadd r7, r7, 256
                mov r6, 0
                mov r9, 0
                loop
                    icmp.eq p1, r9, 8
                    break p1
                    local_load.u32 r10, r8
                    local_load.u32 r11, r7
                    imad r6, r10, r11, r6
                    iadd r8, r8, 4
                    iadd r7, r7, 32
                    iadd r9, r9, 1
                endloop
                {STORE}
            "
            ),
        )
        .input(numbers(0..128))
        .gives({
            let input: Vec<_> = numbers(0..128).collect();
            (0..64).map(move |at| (0..8).map(|k| input[at / 8 * 8 + k] * input[64 + k * 8 + at % 8]).sum())
        }),
        Kernel::new(
            "sorting_network",
            &format!(
                "
                device_load.u32 r6, r4
                local_store.u32 r6, r5
                mov r7, 2
                loop
                    icmp.gt p1, r7, 64
                    break p1
                    shr r8, r7, 1
                    loop
                        icmp.eq p1, r8, 0
                        break p1
                        barrier
                        xor r9, r0, r8
                        icmp.gt p2, r9, r0
                        if p2
                            shl r10, r9, 2
                            local_load.u32 r11, r5
                            local_load.u32 r12, r10
                            and r13, r0, r7
                            icmp.eq p1, r13, 0
                            ucmp.gt p2, r11, r12
                            xor p1, p1, p2
                            if !p1
                                local_store.u32 r12, r5
                                local_store.u32 r11, r10
                            endif
                        endif
                        shr r8, r8, 1
                    endloop
                    shl r7, r7, 1
                endloop
                barrier
                local_load.u32 r6, r5
                {STORE}
            "
            ),
        )
        .gives({
            let mut input: Vec<_> = numbers(0..64).collect();
            input.sort_unstable();
            input
        }),
        Kernel::new(
            "game_of_life",
            // Two generations on 8 x 8 cells that wrap around. Each generation has its own half of local
            // memory.
            &format!(
                "
                device_load.u32 r6, r4
                and r6, r6, 1
                local_store.u32 r6, r5
                mov r20, 0
                loop
                    icmp.eq p1, r20, 2
                    break p1
                    barrier
                    and r21, r20, 1
                    shl r21, r21, 8
                    mov r7, 0
                    mov r8, 0
                    loop
                        icmp.eq p1, r8, 9
                        break p1
                        idiv r9, r8, 3
                        imod r10, r8, 3
                        iadd r8, r8, 1
                        icmp.eq p2, r8, 5
                        continue p2
                        and r11, r0, 7
                        shr r12, r0, 3
                        iadd r11, r11, r10
                        iadd r11, r11, 7
                        and r11, r11, 7
                        iadd r12, r12, r9
                        iadd r12, r12, 7
                        and r12, r12, 7
                        shl r12, r12, 3
                        or r12, r12, r11
                        shl r12, r12, 2
                        iadd r12, r12, r21
                        local_load.u32 r12, r12
                        iadd r7, r7, r12
                    endloop
                    or r7, r7, r6
                    icmp.eq p1, r7, 3
                    select r6, p1, 1, 0
                    iadd r22, r21, 256
                    and r22, r22, 256
                    iadd r22, r22, r5
                    local_store.u32 r6, r22
                    iadd r20, r20, 1
                endloop
                {STORE}
            "
            ),
        )
        .gives({
            let mut cells: Vec<u32> = numbers(0..64).map(|x| x & 1).collect();
            for _ in 0..2 {
                cells = (0..64)
                    .map(|at| {
                        let neighbors = (0..9)
                            .filter(|way| *way != 4)
                            .map(|way| cells[(at / 8 + way / 3 + 7) % 8 * 8 + (at % 8 + way % 3 + 7) % 8]);
                        let alive = neighbors.sum::<u32>();
                        u32::from(alive == 3 || alive == 2 && cells[at] == 1)
                    })
                    .collect();
            }
            cells
        }),
    ]
}

fn by_atomics() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "histogram",
            "
                icmp.lt p1, r0, 16
                if p1
                    local_store.u32 0, r5
                endif
                barrier
                device_load.u32 r6, r4
                and r6, r6, 15
                shl r6, r6, 2
                local_atomic_add r6, 1
                barrier
                if p1
                    local_load.u32 r6, r5
                    iadd r7, r5, 4096
                    device_store.u32 r6, r7
                endif
            ",
        )
        .gives((0..16).map(|bin| numbers(0..64).filter(|x| x % 16 == bin).count() as u32)),
        Kernel::new(
            "histogram_of_several_workgroups",
            "device_load.u32 r6, r4\nand r6, r6, 7\nshl r6, r6, 2\niadd r6, r6, 4096\natomic_add r6, 1, .device",
        )
        .grid([5, 1, 1], [13, 1, 1])
        .input(numbers(0..65))
        .gives((0..8).map(|bin| numbers(0..65).filter(|x| x % 8 == bin).count() as u32)),
        Kernel::new(
            "extremes",
            "
                device_load.u32 r6, r4
                atomic_max 4096, r6, .device
                not r7, r6
                atomic_max 4100, r7, .device
                atomic_xor 4104, r6, .device
                atomic_or 4108, r6, .device
            ",
        )
        .gives([
            numbers(0..64).max().unwrap_or_default(),
            !numbers(0..64).min().unwrap_or_default(),
            numbers(0..64).fold(0, |all, x| all ^ x),
            numbers(0..64).fold(0, |all, x| all | x),
        ]),
        Kernel::new(
            "spin_lock",
            // The lane that holds the lock adds to a plain word.
            "
                icmp.eq p1, r0, 0
                if p1
                    local_store.u32 0, 0
                    local_store.u32 0, 4
                endif
                barrier
                device_load.u32 r9, r4
                loop
                    local_atomic_cas r6, 0, 0, 1
                    icmp.eq p1, r6, 0
                    if p1
                        local_load.u32 r7, 4
                        iadd r7, r7, r9
                        local_store.u32 r7, 4
                        local_atomic_exchange r8, 0, 0
                        break p1
                    endif
                endloop
                barrier
                local_load.u32 r6, 4
                icmp.eq p1, r0, 0
                @p1 device_store.u32 r6, 4096
            ",
        )
        .only_in_the_guide()
        .gives([total()]),
        Kernel::new(
            "add_by_compare_and_swap",
            "
                device_load.u32 r9, r4
                loop
                    device_load.u32 r6, 4096
                    iadd r7, r6, r9
                    atomic_cas r8, 4096, r6, r7, .device
                    icmp.eq p1, r8, r6
                    break p1
                endloop
            ",
        )
        .only_in_the_guide()
        .grid([2, 1, 1], [32, 1, 1])
        .gives([total()]),
        Kernel::new(
            "producer_and_consumer",
            // Thread 0 waits for the last thread, which is in another wave unless there is only one wave. So it checks before
            // it waits.
            "
                icmp.eq p1, r0, 0
                if p1
                    local_store.u32 0, 0
                endif
                barrier
                icmp.eq p1, r0, 63
                if p1
                    local_store.u32 77, 8
                    local_atomic_exchange r6, 0, 1
                endif
                icmp.eq p1, r0, 0
                if p1
                    loop
                        local_atomic_or r6, 0, 0
                        icmp.ne p2, r6, 0
                        break p2
                    endloop
                    local_load.u32 r7, 8
                    device_store.u32 r7, 4096
                endif
            ",
        )
        .gives([77]),
        Kernel::new(
            "shortest_ways",
            // On a ring of 64 cells, starting at cell 5: each iteration reads both neighbors.
            &format!("
                mov r6, 1000
                icmp.eq p1, r0, 5
                @p1 mov r6, 0
                local_store.u32 r6, r5
                mov r7, 0
                loop
                    barrier
                    icmp.eq p1, r7, 33
                    break p1
                    iadd r8, r0, 1
                    and r8, r8, 63
                    shl r8, r8, 2
                    iadd r9, r0, 63
                    and r9, r9, 63
                    shl r9, r9, 2
                    local_load.u32 r8, r8
                    local_load.u32 r9, r9
                    imin r8, r8, r9
                    iadd r8, r8, 1
                    barrier
                    local_atomic_min r5, r8
                    iadd r7, r7, 1
                endloop
                local_load.u32 r6, r5
                {STORE}
            "),
        )
        .gives((0..64i32).map(|at| { let way = (at - 5).unsigned_abs(); way.min(64 - way) })),
        Kernel::new(
            "compaction",
            // Collects even numbers in any order, so the test compares the sum, the count, and the product of
            // their odd successors.
            "
                device_load.u32 r6, r4
                and r7, r6, 1
                icmp.eq p1, r7, 0
                if p1
                    atomic_add r8, 4096, 1, .device
                    atomic_add 4100, r6, .device
                    shl r8, r8, 2
                    iadd r8, r8, 8192
                    device_store.u32 r6, r8
                endif
            ",
        )
        .gives([numbers(0..64).filter(|x| x % 2 == 0).count() as u32, numbers(0..64).filter(|x| x % 2 == 0).sum()]),
    ]
}

fn in_waves() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "sum_of_wave_sums",
            "device_load.u32 r6, r4\nwave_reduce_add r6, r6\nmov r7, sr_lane_id\nicmp.eq p1, r7, 0\n@p1 atomic_add 4096, r6, .device",
        )
        .gives([total()]),
        Kernel::new(
            "scan_in_waves",
            &format!("
                device_load.u32 r6, r4
                wave_prefix_sum r7, r6
                wave_reduce_add r8, r6
                mov r9, sr_wave_id
                mov r10, sr_lane_id
                shl r11, r9, 2
                icmp.eq p1, r10, 0
                @p1 local_store.u32 r8, r11
                barrier
                mov r12, 0
                loop
                    icmp.eq p1, r12, r9
                    break p1
                    shl r13, r12, 2
                    local_load.u32 r13, r13
                    iadd r7, r7, r13
                    iadd r12, r12, 1
                endloop
                mov r6, r7
                {STORE}
            "),
        )
        .gives(numbers(0..64).scan(0, |sum, x| { let before = *sum; *sum += x; Some(before) })),
        Kernel::new(
            "reversal_in_waves",
            &format!("
                device_load.u32 r6, r4
                mov r7, sr_wave_width
                mov r8, sr_lane_id
                isub r7, r7, r8
                isub r7, r7, 1
                wave_shuffle r6, r6, r7
                {STORE}
            "),
        )
        .widths(&[8])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at / 8 * 8 + 7 - at % 8])
        }),
        Kernel::new(
            "running_maximum",
            "
                device_load.u32 r6, r4
                mov r7, 1
                mov r8, sr_lane_id
                loop
                    icmp.ge p1, r7, 16
                    break p1
                    wave_shuffle_up r9, r6, r7
                    icmp.ge p2, r8, r7
                    if p2
                        imax r6, r6, r9
                    endif
                    shl r7, r7, 1
                endloop
                iadd r31, r4, 4096
                device_store.u32 r6, r31
            ",
        )
        .widths(&[16])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64usize).map(move |at| input[at / 16 * 16..=at].iter().copied().max().unwrap_or_default())
        }),
        Kernel::new(
            "votes",
            &format!("
                device_load.u32 r7, r4
                ucmp.gt p1, r7, 500
                wave_ballot r6, p1
                wave_any p2, p1
                wave_all p3, p1
                select r8, p2, 0x10000, 0
                select r9, p3, 0x20000, 0
                or r6, r6, r8
                or r6, r6, r9
                {STORE}
            "),
        )
        .widths(&[8])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| {
                let wave = &input[at / 8 * 8..at / 8 * 8 + 8];
                let ballot = (0..8).fold(0, |all, lane| all | u32::from(wave[lane] > 500) << lane);
                ballot | u32::from(ballot != 0) << 16 | u32::from(ballot == 255) << 17
            })
        }),
        Kernel::new(
            "butterfly",
            &format!("
                device_load.u32 r6, r4
                mov r7, 1
                loop
                    icmp.eq p1, r7, 32
                    break p1
                    wave_shuffle_xor r8, r6, r7
                    umax r6, r6, r8
                    shl r7, r7, 1
                endloop
                wave_broadcast r6, r6, 0
                {STORE}
            "),
        )
        .only_in_the_guide()
        .widths(&[32])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at / 32 * 32..at / 32 * 32 + 32].iter().copied().max().unwrap_or_default())
        }),
    ]
}
