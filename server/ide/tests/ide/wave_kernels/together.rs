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
            "device_load.u32 r6, r4\nlocal_store.u32 r6, r5\nmov r7, 32\nloop\nbarrier\nicmp.eq p1, r7, 0\nbreak p1\nicmp.lt p2, r0, r7\nif p2
            iadd r8, r0, r7\nshl r8, r8, 2\nlocal_load.u32 r8, r8\nlocal_load.u32 r9, r5\niadd r8, r8, r9\nlocal_store.u32 r8, r5\nendif\nshr r7, r7, 1\nendloop
            icmp.eq p1, r0, 0\nif p1\nlocal_load.u32 r6, 0\ndevice_store.u32 r6, 4096\nendif",
        )
        .gives([total()]),
        Kernel::new(
            "inclusive_scan",
            &format!("device_load.u32 r6, r4\nlocal_store.u32 r6, r5\nbarrier\nmov r7, 1\nloop\nicmp.ge p1, r7, 64\nbreak p1\nmov r9, 0\nicmp.ge p2, r0, r7\nif p2
            isub r8, r0, r7\nshl r8, r8, 2\nlocal_load.u32 r9, r8\nendif\nbarrier\niadd r6, r6, r9\nlocal_store.u32 r6, r5\nbarrier\nshl r7, r7, 1\nendloop\n{STORE}"),
        )
        .gives(numbers(0..64).scan(0, |sum, x| { *sum += x; Some(*sum) })),
        Kernel::new(
            "transposition",
            &format!("device_load.u32 r6, r4\nlocal_store.u32 r6, r5\nbarrier\nand r7, r0, 7\nshr r8, r0, 3\nshl r7, r7, 3\nor r7, r7, r8\nshl r7, r7, 2\nlocal_load.u32 r6, r7\n{STORE}"),
        )
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at % 8 * 8 + at / 8])
        }),
        Kernel::new(
            "stencil",
            // The sum of three neighbors. At the ends, the thread's own word counts twice.
            &format!("device_load.u32 r6, r4\nlocal_store.u32 r6, r5\nbarrier\nisub r7, r0, 1\nimax r7, r7, 0\nshl r7, r7, 2\nlocal_load.u32 r7, r7
            iadd r8, r0, 1\nimin r8, r8, 63\nshl r8, r8, 2\nlocal_load.u32 r8, r8\niadd r6, r6, r7\niadd r6, r6, r8\n{STORE}"),
        )
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64usize).map(move |at| input[at] + input[at.saturating_sub(1)] + input[(at + 1).min(63)])
        }),
        Kernel::new(
            "matrix_product",
            // 8 x 8; A is at address 0, B follows it, and both are copied to local memory.
            &format!("device_load.u32 r6, r4\nlocal_store.u32 r6, r5\niadd r7, r4, 256\ndevice_load.u32 r6, r7\niadd r7, r5, 256\nlocal_store.u32 r6, r7\nbarrier
            and r7, r0, 7\nshr r8, r0, 3\nshl r8, r8, 5\nshl r7, r7, 2\niadd r7, r7, 256\nmov r6, 0\nmov r9, 0\nloop\nicmp.eq p1, r9, 8\nbreak p1
            local_load.u32 r10, r8\nlocal_load.u32 r11, r7\nimad r6, r10, r11, r6\niadd r8, r8, 4\niadd r7, r7, 32\niadd r9, r9, 1\nendloop\n{STORE}"),
        )
        .input(numbers(0..128))
        .gives({
            let input: Vec<_> = numbers(0..128).collect();
            (0..64).map(move |at| (0..8).map(|k| input[at / 8 * 8 + k] * input[64 + k * 8 + at % 8]).sum())
        }),
        Kernel::new(
            "sorting_network",
            &format!("device_load.u32 r6, r4\nlocal_store.u32 r6, r5\nmov r7, 2\nloop\nicmp.gt p1, r7, 64\nbreak p1\nshr r8, r7, 1\nloop\nicmp.eq p1, r8, 0\nbreak p1\nbarrier
            xor r9, r0, r8\nicmp.gt p2, r9, r0\nif p2\nshl r10, r9, 2\nlocal_load.u32 r11, r5\nlocal_load.u32 r12, r10\nand r13, r0, r7\nicmp.eq p1, r13, 0\nucmp.gt p2, r11, r12\nxor p1, p1, p2
            if !p1\nlocal_store.u32 r12, r5\nlocal_store.u32 r11, r10\nendif\nendif\nshr r8, r8, 1\nendloop\nshl r7, r7, 1\nendloop\nbarrier\nlocal_load.u32 r6, r5\n{STORE}"),
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
            &format!("device_load.u32 r6, r4\nand r6, r6, 1\nlocal_store.u32 r6, r5\nmov r20, 0\nloop\nicmp.eq p1, r20, 2\nbreak p1\nbarrier\nand r21, r20, 1\nshl r21, r21, 8
            mov r7, 0\nmov r8, 0\nloop\nicmp.eq p1, r8, 9\nbreak p1\nidiv r9, r8, 3\nimod r10, r8, 3\niadd r8, r8, 1\nicmp.eq p2, r8, 5\ncontinue p2
            and r11, r0, 7\nshr r12, r0, 3\niadd r11, r11, r10\niadd r11, r11, 7\nand r11, r11, 7\niadd r12, r12, r9\niadd r12, r12, 7\nand r12, r12, 7
            shl r12, r12, 3\nor r12, r12, r11\nshl r12, r12, 2\niadd r12, r12, r21\nlocal_load.u32 r12, r12\niadd r7, r7, r12\nendloop
            or r7, r7, r6\nicmp.eq p1, r7, 3\nselect r6, p1, 1, 0\niadd r22, r21, 256\nand r22, r22, 256\niadd r22, r22, r5\nlocal_store.u32 r6, r22\niadd r20, r20, 1\nendloop\n{STORE}"),
        )
        .gives({
            let mut cells: Vec<u32> = numbers(0..64).map(|x| x & 1).collect();
            for _ in 0..2 {
                cells = (0..64).map(|at| {
                    let neighbours = (0..9).filter(|way| *way != 4).map(|way| {
                        cells[(at / 8 + way / 3 + 7) % 8 * 8 + (at % 8 + way % 3 + 7) % 8]
                    });
                    let alive = neighbours.sum::<u32>();
                    u32::from(alive == 3 || alive == 2 && cells[at] == 1)
                }).collect();
            }
            cells
        }),
    ]
}

fn by_atomics() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "histogram",
            "icmp.lt p1, r0, 16\nif p1\nlocal_store.u32 0, r5\nendif\nbarrier\ndevice_load.u32 r6, r4\nand r6, r6, 15\nshl r6, r6, 2\nlocal_atomic_add r6, 1
            barrier\nif p1\nlocal_load.u32 r6, r5\niadd r7, r5, 4096\ndevice_store.u32 r6, r7\nendif",
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
            "device_load.u32 r6, r4\natomic_max 4096, r6, .device\nnot r7, r6\natomic_max 4100, r7, .device\natomic_xor 4104, r6, .device\natomic_or 4108, r6, .device",
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
            "icmp.eq p1, r0, 0\nif p1\nlocal_store.u32 0, 0\nlocal_store.u32 0, 4\nendif\nbarrier\ndevice_load.u32 r9, r4\nloop\nlocal_atomic_cas r6, 0, 0, 1\nicmp.eq p1, r6, 0\nif p1
            local_load.u32 r7, 4\niadd r7, r7, r9\nlocal_store.u32 r7, 4\nlocal_atomic_exchange r8, 0, 0\nbreak p1\nendif\nendloop\nbarrier\nlocal_load.u32 r6, 4\nicmp.eq p1, r0, 0\n@p1 device_store.u32 r6, 4096",
        )
        .only_in_the_guide()
        .gives([total()]),
        Kernel::new(
            "add_by_compare_and_swap",
            "device_load.u32 r9, r4\nloop\ndevice_load.u32 r6, 4096\niadd r7, r6, r9\natomic_cas r8, 4096, r6, r7, .device\nicmp.eq p1, r8, r6\nbreak p1\nendloop",
        )
        .only_in_the_guide()
        .grid([2, 1, 1], [32, 1, 1])
        .gives([total()]),
        Kernel::new(
            "producer_and_consumer",
            // Thread 0 waits for the last thread, which is in another wave unless there is only one wave. So it checks before
            // it waits.
            "icmp.eq p1, r0, 0\nif p1\nlocal_store.u32 0, 0\nendif\nbarrier\nicmp.eq p1, r0, 63\nif p1\nlocal_store.u32 77, 8\nlocal_atomic_exchange r6, 0, 1\nendif
            icmp.eq p1, r0, 0\nif p1\nloop\nlocal_atomic_or r6, 0, 0\nicmp.ne p2, r6, 0\nbreak p2\nendloop\nlocal_load.u32 r7, 8\ndevice_store.u32 r7, 4096\nendif",
        )
        .gives([77]),
        Kernel::new(
            "shortest_ways",
            // On a ring of 64 cells, starting at cell 5: each iteration reads both neighbors.
            &format!("mov r6, 1000\nicmp.eq p1, r0, 5\n@p1 mov r6, 0\nlocal_store.u32 r6, r5\nmov r7, 0\nloop\nbarrier\nicmp.eq p1, r7, 33\nbreak p1\niadd r8, r0, 1\nand r8, r8, 63\nshl r8, r8, 2
            iadd r9, r0, 63\nand r9, r9, 63\nshl r9, r9, 2\nlocal_load.u32 r8, r8\nlocal_load.u32 r9, r9\nimin r8, r8, r9\niadd r8, r8, 1\nbarrier\nlocal_atomic_min r5, r8\niadd r7, r7, 1\nendloop\nlocal_load.u32 r6, r5\n{STORE}"),
        )
        .gives((0..64i32).map(|at| { let way = (at - 5).unsigned_abs(); way.min(64 - way) })),
        Kernel::new(
            "compaction",
            // Collects even numbers in any order, so the test compares the sum, the count, and the product of
            // their odd successors.
            "device_load.u32 r6, r4\nand r7, r6, 1\nicmp.eq p1, r7, 0\nif p1\natomic_add r8, 4096, 1, .device\natomic_add 4100, r6, .device\nshl r8, r8, 2\niadd r8, r8, 8192\ndevice_store.u32 r6, r8\nendif",
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
            &format!("device_load.u32 r6, r4\nwave_prefix_sum r7, r6\nwave_reduce_add r8, r6\nmov r9, sr_wave_id\nmov r10, sr_lane_id\nshl r11, r9, 2\nicmp.eq p1, r10, 0\n@p1 local_store.u32 r8, r11\nbarrier
            mov r12, 0\nloop\nicmp.eq p1, r12, r9\nbreak p1\nshl r13, r12, 2\nlocal_load.u32 r13, r13\niadd r7, r7, r13\niadd r12, r12, 1\nendloop\nmov r6, r7\n{STORE}"),
        )
        .gives(numbers(0..64).scan(0, |sum, x| { let before = *sum; *sum += x; Some(before) })),
        Kernel::new(
            "reversal_in_waves",
            &format!("device_load.u32 r6, r4\nmov r7, sr_wave_width\nmov r8, sr_lane_id\nisub r7, r7, r8\nisub r7, r7, 1\nwave_shuffle r6, r6, r7\n{STORE}"),
        )
        .widths(&[8])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at / 8 * 8 + 7 - at % 8])
        }),
        Kernel::new(
            "running_maximum",
            "device_load.u32 r6, r4\nmov r7, 1\nmov r8, sr_lane_id\nloop\nicmp.ge p1, r7, 16\nbreak p1\nwave_shuffle_up r9, r6, r7\nicmp.ge p2, r8, r7\nif p2\nimax r6, r6, r9\nendif\nshl r7, r7, 1\nendloop\niadd r31, r4, 4096\ndevice_store.u32 r6, r31",
        )
        .widths(&[16])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64usize).map(move |at| input[at / 16 * 16..=at].iter().copied().max().unwrap_or_default())
        }),
        Kernel::new(
            "votes",
            &format!("device_load.u32 r7, r4\nucmp.gt p1, r7, 500\nwave_ballot r6, p1\nwave_any p2, p1\nwave_all p3, p1\nselect r8, p2, 0x10000, 0\nselect r9, p3, 0x20000, 0\nor r6, r6, r8\nor r6, r6, r9\n{STORE}"),
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
            &format!("device_load.u32 r6, r4\nmov r7, 1\nloop\nicmp.eq p1, r7, 32\nbreak p1\nwave_shuffle_xor r8, r6, r7\numax r6, r6, r8\nshl r7, r7, 1\nendloop\nwave_broadcast r6, r6, 0\n{STORE}"),
        )
        .only_in_the_guide()
        .widths(&[32])
        .gives({
            let input: Vec<_> = numbers(0..64).collect();
            (0..64).map(move |at| input[at / 32 * 32..at / 32 * 32 + 32].iter().copied().max().unwrap_or_default())
        }),
    ]
}
