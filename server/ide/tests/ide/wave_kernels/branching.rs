//! Each thread takes its own path: lanes diverge and reconverge.

use super::{Kernel, floats, numbers};

pub(crate) fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "collatz",
            "iadd r6, r0, 1\nmov r7, 0\nloop\nicmp.eq p1, r6, 1\nbreak p1\niadd r7, r7, 1\nand r8, r6, 1\nicmp.eq p2, r8, 1
            if p2\nimad r6, r6, 3, 1\nelse\nshr r6, r6, 1\nendif\nendloop\niadd r8, r4, 4096\ndevice_store.u32 r7, r8",
        )
        .gives((1..=64u64).map(|start| {
            let mut x = start;
            let mut steps = 0;
            while x != 1 {
                x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
                steps += 1;
            }
            steps
        })),
        Kernel::new(
            "greatest_common_divisor",
            "device_load.u32 r6, r4\niadd r6, r6, 1\niadd r7, r0, 12\nloop\nicmp.eq p1, r7, 0\nbreak p1\nimod r8, r6, r7\nmov r6, r7\nmov r7, r8\nendloop
            iadd r8, r4, 4096\ndevice_store.u32 r6, r8",
        )
        .gives(numbers(0..64).zip(12..).map(|(a, b)| {
            let (mut a, mut b) = (a + 1, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })),
        Kernel::new(
            "mandelbrot",
            "and r6, r0, 7\nshr r7, r0, 3\ncvt_f32_u32 r6, r6\ncvt_f32_u32 r7, r7\nfma r6, r6, 0.375, -2.0\nfma r7, r7, 0.25, -1.0
            mov r8, 0\nmov r9, 0\nmov r10, 0\nloop\nicmp.ge p1, r10, 50\nbreak p1\nfmul r11, r8, r8\nfmul r12, r9, r9\nfadd r13, r11, r12
            fcmp.gt p2, r13, 4.0\nbreak p2\nfmul r9, r8, r9\nfmul r9, r9, 2.0\nfadd r9, r9, r7\nfsub r8, r11, r12\nfadd r8, r8, r6\niadd r10, r10, 1\nendloop
            iadd r8, r4, 4096\ndevice_store.u32 r10, r8",
        )
        .gives((0..64).map(|at| {
            let (cx, cy) = ((at % 8) as f32 * 0.375 - 2.0, (at / 8) as f32 * 0.25 - 1.0);
            let (mut x, mut y) = (0f32, 0f32);
            (0..50).take_while(|_| {
                let inside = x * x + y * y <= 4.0;
                (x, y) = (x * x - y * y + cx, x * y * 2.0 + cy);
                inside
            }).count() as u32
        })),
        Kernel::new(
            "binary_search",
            // A search in 64 ascending numbers: 3, 8, 13 ...
            "imad r6, r0, 5, 1\nmov r7, 0\nmov r8, 64\nloop\nicmp.ge p1, r7, r8\nbreak p1\niadd r9, r7, r8\nshr r9, r9, 1\nshl r10, r9, 2\ndevice_load.u32 r10, r10
            icmp.lt p2, r10, r6\nif p2\niadd r7, r9, 1\nelse\nmov r8, r9\nendif\nendloop\niadd r8, r4, 4096\ndevice_store.u32 r7, r8",
        )
        .input((0..64).map(|at| 5 * at + 3))
        .gives((0..64).map(|thread| (0..64).filter(|at| 5 * at + 3 < 5 * thread + 1).count() as u32)),
        Kernel::new(
            "primes",
            // `break` in an `if` in a loop.
            "mov r6, 2\nmov r7, 1\nicmp.lt p1, r0, 2\nif p1\nmov r7, 0\nelse\nloop\nimul r8, r6, r6\nicmp.gt p1, r8, r0\nbreak p1\nimod r8, r0, r6\nicmp.eq p2, r8, 0
            if p2\nmov r7, 0\nbreak p2\nendif\niadd r6, r6, 1\nendloop\nendif\niadd r8, r4, 4096\ndevice_store.u32 r7, r8",
        )
        .gives((0..64).map(|x| u32::from(x > 1 && (2..x).all(|d| x % d != 0)))),
        Kernel::new(
            "set_bits_by_continue",
            "device_load.u32 r6, r4\nmov r7, 32\nmov r9, 0\nmov r10, 0\nloop\nicmp.eq p1, r7, 0\nbreak p1\nisub r7, r7, 1\nshr r8, r6, r7\nand r8, r8, 1\nicmp.eq p2, r8, 0\ncontinue p2
            imad r9, r9, 31, r7\niadd r10, r10, 1\nendloop\nxor r9, r9, r10\niadd r8, r4, 4096\ndevice_store.u32 r9, r8",
        )
        .gives(numbers(0..64).map(|x| {
            let set = (0..32).rev().filter(|bit| x >> bit & 1 == 1);
            set.clone().fold(0u32, |all, bit| all.wrapping_mul(31).wrapping_add(bit)) ^ set.count() as u32
        })),
        Kernel::new(
            "nested_loops_with_continue",
            // Counts pairs i < thread, j <= i with i + j odd in the inner loop; the outer loop skips
            // multiples of 5.
            "mov r6, -1\nmov r10, 0\nloop\niadd r6, r6, 1\nicmp.ge p1, r6, r0\nbreak p1\nimod r7, r6, 5\nicmp.eq p2, r7, 0\ncontinue p2\nmov r8, -1\nloop\niadd r8, r8, 1
            icmp.gt p1, r8, r6\nbreak p1\niadd r9, r6, r8\nand r9, r9, 1\nicmp.eq p2, r9, 0\ncontinue p2\niadd r10, r10, 1\nendloop\nendloop
            iadd r8, r4, 4096\ndevice_store.u32 r10, r8",
        )
        .gives((0..64).map(|thread: u32| {
            (0..thread).filter(|i| i % 5 != 0).map(|i| (0..=i).filter(|j| (i + j) % 2 == 1).count() as u32).sum()
        })),
        Kernel::new(
            "loop_without_iterations",
            // The number of iterations is the thread number minus 60.
            "isub r6, r0, 60\nimax r6, r6, 0\nmov r7, 5\nloop\nicmp.eq p1, r6, 0\nbreak p1\nisub r6, r6, 1\niadd r7, r7, 10\nendloop\niadd r8, r4, 4096\ndevice_store.u32 r7, r8",
        )
        .gives((0..64u32).map(|thread| 5 + 10 * thread.saturating_sub(60))),
        Kernel::new(
            "early_return",
            "call f\niadd r8, r4, 4096\ndevice_store.u32 r6, r8\nhalt\nf: icmp.lt p1, r0, 20\nif p1\nmov r6, 1\nreturn\nendif\nimul r6, r0, r0\nicmp.gt p1, r6, 2000\n@p1 return\niadd r6, r6, 7\nreturn",
        )
        .gives((0..64).map(|x| match (x, x * x) {
            (0..20, _) => 1,
            (_, square @ 2001..) => square,
            (_, square) => square + 7,
        })),
        Kernel::new(
            "halt_of_part",
            "device_load.u32 r6, r4\nand r7, r0, 3\nicmp.eq p1, r7, 0\nif p1\nhalt\nendif\nicmp.eq p1, r7, 1\n@p1 mov r6, 7\niadd r8, r4, 4096\ndevice_store.u32 r6, r8",
        )
        .gives(numbers(0..64).zip(0..).map(|(x, thread)| match thread % 4 {
            0 => 0,
            1 => 7,
            _ => x,
        })),
        Kernel::new(
            "switch",
            "and r6, r0, 3\nicmp.eq p1, r6, 0\nif p1\nmov r7, 10\nelse\nicmp.eq p1, r6, 1\nif p1\nmov r7, 20\nelse\nicmp.eq p1, r6, 2\nif p1\nmov r7, 30\nelse\nmov r7, 40\nendif\nendif\nendif
            iadd r8, r4, 4096\ndevice_store.u32 r7, r8",
        )
        .gives((0..64).map(|thread| 10 * (thread % 4 + 1))),
        Kernel::new(
            "square_root_by_newton",
            "cvt_f32_u32 r6, r0\nfadd r6, r6, 1.0\nmov r7, r6\nmov r8, 0\nloop\nicmp.ge p1, r8, 40\nbreak p1\nfdiv r9, r6, r7\nfadd r9, r9, r7\nfmul r9, r9, 0.5\nfsub r10, r9, r7\nfabs r10, r10
            mov r7, r9\nfcmp.lt p2, r10, 0.001\nbreak p2\niadd r8, r8, 1\nendloop\niadd r9, r4, 4096\ndevice_store.u32 r7, r9",
        )
        .gives(floats((1..=64).map(|x| {
            let x = x as f32;
            let mut root = x;
            for _ in 0..40 {
                let next = (x / root + root) * 0.5;
                let step = (next - root).abs();
                root = next;
                if step < 0.001 {
                    break;
                }
            }
            root
        }))),
    ]
}
