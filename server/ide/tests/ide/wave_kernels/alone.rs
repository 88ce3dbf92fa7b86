//! Threads without communication or divergence: arithmetic of every kind.

use super::{Kernel, floats, numbers};

pub(crate) fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "vector_sum",
            "
                iadd r6, r4, 256
                device_load.u32 r7, r4
                device_load.u32 r8, r6
                iadd r7, r7, r8
                iadd r6, r4, 4096
                device_store.u32 r7, r6
            ",
        )
        .input(numbers(0..128))
        .gives(numbers(0..64).zip(numbers(64..128)).map(|(a, b)| a + b)),
        Kernel::new(
            "saxpy",
            "
                device_load.u32 r7, r4
                iadd r6, r4, 256
                device_load.u32 r8, r6
                fma r7, r7, 2.5, r8
                iadd r6, r4, 4096
                device_store.u32 r7, r6
            ",
        )
        .input(floats((0..128).map(|at| at as f32 * 0.37 - 20.0)))
        .gives(floats((0..64).map(|at| {
            let [x, y] = [at, at + 64].map(|at| at as f32 * 0.37 - 20.0);
            x.mul_add(2.5, y)
        }))),
        Kernel::new(
            "three_dimensions",
            "
                mov r6, sr_thread_id_y
                mov r7, sr_thread_id_z
                mov r8, sr_workgroup_size_y
                imad r9, r7, r8, r6
                imad r9, r9, r2, r0
                mov r10, sr_workgroup_id_z
                mov r11, sr_workgroup_id_y
                mov r12, sr_grid_size_y
                mov r13, sr_grid_size_x
                imad r10, r10, r12, r11
                imad r10, r10, r13, r1
                imad r9, r10, 24, r9
                shl r9, r9, 2
                imad r6, r6, 10, r0
                imad r6, r7, 100, r6
                imad r6, r10, 1000, r6
                iadd r9, r9, 4096
                device_store.u32 r6, r9
            ",
        )
        .grid([2, 3, 2], [4, 3, 2])
        .gives((0..12 * 24).map(|at| {
            let (group, thread) = (at / 24, at % 24);
            group * 1000 + thread / 12 * 100 + thread / 4 % 3 * 10 + thread % 4
        })),
        Kernel::new(
            "double_polynomial",
            // x^2 - 3x + 0.5, in register pairs.
            "
                cvt_f32_u32 r6, r0
                cvt_f64_f32 r8, r6
                dmul r10, r8, r8
                dmul r12, r8, 3.0
                dsub r10, r10, r12
                dadd r10, r10, 0.5
                cvt_f32_f64 r14, r10
                iadd r6, r4, 4096
                device_store.u32 r14, r6
            ",
        )
        .only_in_the_guide()
        .gives(floats((0..64).map(|x| (f64::from(x) * f64::from(x) - 3.0 * f64::from(x) + 0.5) as f32))),
        Kernel::new(
            "half_product",
            // Small integers are exact in binary16.
            "
                and r6, r0, 15
                cvt_f32_u32 r6, r6
                cvt_f16_f32 r6, r6
                hma r7, r6, r6, r6
                cvt_f32_f16 r7, r7
                iadd r6, r4, 4096
                device_store.u32 r7, r6
            ",
        )
        .gives(floats((0..64).map(|at| {
            let x = (at % 16) as f32;
            x * x + x
        }))),
        Kernel::new(
            "byte_swap",
            "
                device_load.u32 r6, r4
                shl r7, r6, 24
                shr r8, r6, 24
                or r7, r7, r8
                and r8, r6, 0xff00
                shl r8, r8, 8
                or r7, r7, r8
                shr r8, r6, 8
                and r8, r8, 0xff00
                or r7, r7, r8
                iadd r6, r4, 4096
                device_store.u32 r7, r6
            ",
        )
        .input((0..64).map(|at: u32| at.wrapping_mul(0x9e37_79b9)))
        .gives((0..64).map(|at: u32| at.wrapping_mul(0x9e37_79b9).swap_bytes())),
        Kernel::new(
            "narrow_memory",
            // Loads bytes, stores halves.
            "
                iadd r6, r3, 0
                device_load.u8 r7, r6
                imul r7, r7, r7
                shl r6, r3, 1
                iadd r6, r6, 4096
                device_store.u16 r7, r6
            ",
        )
        .input([0x0403_0201, 0xfffe_fdfc, 0, 0x8040_2010].into_iter().cycle().take(16))
        .gives({
            let bytes = [0x0403_0201u32, 0xfffe_fdfc, 0, 0x8040_2010].map(u32::to_le_bytes).concat();
            let squares: Vec<u32> =
                bytes.iter().cycle().take(64).map(|byte| u32::from(*byte) * u32::from(*byte)).collect();
            squares.chunks(2).map(|pair| pair[0] | pair[1] << 16).collect::<Vec<_>>()
        }),
        Kernel::new(
            "tile_product",
            // Lane 0 alone multiplies a 4 x 4 matrix by itself.
            "
                icmp.lt p1, r0, 16
                if p1
                    device_load.u32 r6, r5
                    local_store.u32 r6, r5
                endif
                barrier
                icmp.eq p1, r0, 0
                if p1
                    mma_load_a r1, 0, 16
                    mma_load_b r2, 0, 16
                    mma_compute r1, r2, r3
                    mma_store_c 64, 16, r3
                endif
                barrier
                icmp.lt p1, r0, 16
                if p1
                    iadd r6, r5, 64
                    local_load.u32 r6, r6
                    iadd r7, r5, 4096
                    device_store.u32 r6, r7
                endif
            ",
        )
        .only_in_the_guide()
        .input(floats((0..16).map(|at| at as f32)))
        .gives(floats(
            (0..16).map(|at| (0..4).map(|k| ((at / 4 * 4 + k) * (k * 4 + at % 4)) as f32).sum::<f32>()),
        )),
        Kernel::new(
            "fields",
            "
                device_load.u32 r6, r4
                bfe r7, r6, 3, 5
                bfi r8, r7, r0, 8, 6
                bitrev r8, r8
                bitcount r7, r6
                xor r8, r8, r7
                iadd r6, r4, 4096
                device_store.u32 r8, r6
            ",
        )
        .gives(
            numbers(0..64)
                .zip(0..)
                .map(|(x, thread): (u32, u32)| (x >> 3 & 31 | thread << 8).reverse_bits() ^ x.count_ones()),
        ),
    ]
}
