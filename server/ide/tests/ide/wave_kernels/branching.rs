//! Each thread takes its own path: lanes diverge and reconverge.

use super::{Kernel, floats, numbers};

pub(crate) fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "collatz",
            "
                iadd r6, r0, 1
                mov r7, 0
                loop
                    icmp.eq p1, r6, 1
                    break p1
                    iadd r7, r7, 1
                    and r8, r6, 1
                    icmp.eq p2, r8, 1
                    if p2
                        imad r6, r6, 3, 1
                    else
                        shr r6, r6, 1
                    endif
                endloop
                iadd r8, r4, 4096
                device_store.u32 r7, r8
            ",
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
            "
                device_load.u32 r6, r4
                iadd r6, r6, 1
                iadd r7, r0, 12
                loop
                    icmp.eq p1, r7, 0
                    break p1
                    imod r8, r6, r7
                    mov r6, r7
                    mov r7, r8
                endloop
                iadd r8, r4, 4096
                device_store.u32 r6, r8
            ",
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
            "
                and r6, r0, 7
                shr r7, r0, 3
                cvt_f32_u32 r6, r6
                cvt_f32_u32 r7, r7
                fma r6, r6, 0.375, -2.0
                fma r7, r7, 0.25, -1.0
                mov r8, 0
                mov r9, 0
                mov r10, 0
                loop
                    icmp.ge p1, r10, 50
                    break p1
                    fmul r11, r8, r8
                    fmul r12, r9, r9
                    fadd r13, r11, r12
                    fcmp.gt p2, r13, 4.0
                    break p2
                    fmul r9, r8, r9
                    fmul r9, r9, 2.0
                    fadd r9, r9, r7
                    fsub r8, r11, r12
                    fadd r8, r8, r6
                    iadd r10, r10, 1
                endloop
                iadd r8, r4, 4096
                device_store.u32 r10, r8
            ",
        )
        .gives((0..64).map(|at| {
            let (cx, cy) = ((at % 8) as f32 * 0.375 - 2.0, (at / 8) as f32 * 0.25 - 1.0);
            let (mut x, mut y) = (0f32, 0f32);
            (0..50)
                .take_while(|_| {
                    let inside = x * x + y * y <= 4.0;
                    (x, y) = (x * x - y * y + cx, x * y * 2.0 + cy);
                    inside
                })
                .count() as u32
        })),
        Kernel::new(
            "binary_search",
            // A search in 64 ascending numbers: 3, 8, 13 ...
            "
                imad r6, r0, 5, 1
                mov r7, 0
                mov r8, 64
                loop
                    icmp.ge p1, r7, r8
                    break p1
                    iadd r9, r7, r8
                    shr r9, r9, 1
                    shl r10, r9, 2
                    device_load.u32 r10, r10
                    icmp.lt p2, r10, r6
                    if p2
                        iadd r7, r9, 1
                    else
                        mov r8, r9
                    endif
                endloop
                iadd r8, r4, 4096
                device_store.u32 r7, r8
            ",
        )
        .input((0..64).map(|at| 5 * at + 3))
        .gives((0..64).map(|thread| (0..64).filter(|at| 5 * at + 3 < 5 * thread + 1).count() as u32)),
        Kernel::new(
            "primes",
            // `break` in an `if` in a loop.
            "
                mov r6, 2
                mov r7, 1
                icmp.lt p1, r0, 2
                if p1
                    mov r7, 0
                else
                    loop
                        imul r8, r6, r6
                        icmp.gt p1, r8, r0
                        break p1
                        imod r8, r0, r6
                        icmp.eq p2, r8, 0
                        if p2
                            mov r7, 0
                            break p2
                        endif
                        iadd r6, r6, 1
                    endloop
                endif
                iadd r8, r4, 4096
                device_store.u32 r7, r8
            ",
        )
        .gives((0..64).map(|x| u32::from(x > 1 && (2..x).all(|d| x % d != 0)))),
        Kernel::new(
            "set_bits_by_continue",
            "
                device_load.u32 r6, r4
                mov r7, 32
                mov r9, 0
                mov r10, 0
                loop
                    icmp.eq p1, r7, 0
                    break p1
                    isub r7, r7, 1
                    shr r8, r6, r7
                    and r8, r8, 1
                    icmp.eq p2, r8, 0
                    continue p2
                    imad r9, r9, 31, r7
                    iadd r10, r10, 1
                endloop
                xor r9, r9, r10
                iadd r8, r4, 4096
                device_store.u32 r9, r8
            ",
        )
        .gives(numbers(0..64).map(|x| {
            let set = (0..32).rev().filter(|bit| x >> bit & 1 == 1);
            set.clone().fold(0u32, |all, bit| all.wrapping_mul(31).wrapping_add(bit)) ^ set.count() as u32
        })),
        Kernel::new(
            "nested_loops_with_continue",
            // Counts pairs i < thread, j <= i with i + j odd in the inner loop; the outer loop skips
            // multiples of 5.
            "
                mov r6, -1
                mov r10, 0
                loop
                    iadd r6, r6, 1
                    icmp.ge p1, r6, r0
                    break p1
                    imod r7, r6, 5
                    icmp.eq p2, r7, 0
                    continue p2
                    mov r8, -1
                    loop
                        iadd r8, r8, 1
                        icmp.gt p1, r8, r6
                        break p1
                        iadd r9, r6, r8
                        and r9, r9, 1
                        icmp.eq p2, r9, 0
                        continue p2
                        iadd r10, r10, 1
                    endloop
                endloop
                iadd r8, r4, 4096
                device_store.u32 r10, r8
            ",
        )
        .gives((0..64).map(|thread: u32| {
            (0..thread)
                .filter(|i| i % 5 != 0)
                .map(|i| (0..=i).filter(|j| (i + j) % 2 == 1).count() as u32)
                .sum()
        })),
        Kernel::new(
            "loop_without_iterations",
            // The number of iterations is the thread number minus 60.
            "
                isub r6, r0, 60
                imax r6, r6, 0
                mov r7, 5
                loop
                    icmp.eq p1, r6, 0
                    break p1
                    isub r6, r6, 1
                    iadd r7, r7, 10
                endloop
                iadd r8, r4, 4096
                device_store.u32 r7, r8
            ",
        )
        .gives((0..64u32).map(|thread| 5 + 10 * thread.saturating_sub(60))),
        Kernel::new(
            "early_return",
            "
                call f
                iadd r8, r4, 4096
                device_store.u32 r6, r8
                halt
                f: icmp.lt p1, r0, 20
                if p1
                    mov r6, 1
                    return
                endif
                imul r6, r0, r0
                icmp.gt p1, r6, 2000
                @p1 return
                iadd r6, r6, 7
                return
            ",
        )
        .gives((0..64).map(|x| match (x, x * x) {
            (0..20, _) => 1,
            (_, square @ 2001..) => square,
            (_, square) => square + 7,
        })),
        Kernel::new(
            "halt_of_part",
            "
                device_load.u32 r6, r4
                and r7, r0, 3
                icmp.eq p1, r7, 0
                if p1
                    halt
                endif
                icmp.eq p1, r7, 1
                @p1 mov r6, 7
                iadd r8, r4, 4096
                device_store.u32 r6, r8
            ",
        )
        .gives(numbers(0..64).zip(0..).map(|(x, thread)| match thread % 4 {
            0 => 0,
            1 => 7,
            _ => x,
        })),
        Kernel::new(
            "switch",
            "
                and r6, r0, 3
                icmp.eq p1, r6, 0
                if p1
                    mov r7, 10
                else
                    icmp.eq p1, r6, 1
                    if p1
                        mov r7, 20
                    else
                        icmp.eq p1, r6, 2
                        if p1
                            mov r7, 30
                        else
                            mov r7, 40
                        endif
                    endif
                endif
                iadd r8, r4, 4096
                device_store.u32 r7, r8
            ",
        )
        .gives((0..64).map(|thread| 10 * (thread % 4 + 1))),
        Kernel::new(
            "square_root_by_newton",
            "
                cvt_f32_u32 r6, r0
                fadd r6, r6, 1.0
                mov r7, r6
                mov r8, 0
                loop
                    icmp.ge p1, r8, 40
                    break p1
                    fdiv r9, r6, r7
                    fadd r9, r9, r7
                    fmul r9, r9, 0.5
                    fsub r10, r9, r7
                    fabs r10, r10
                    mov r7, r9
                    fcmp.lt p2, r10, 0.001
                    break p2
                    iadd r8, r8, 1
                endloop
                iadd r9, r4, 4096
                device_store.u32 r7, r9
            ",
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
