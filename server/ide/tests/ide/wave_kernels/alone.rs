//! Threads without communication or divergence: arithmetic of every kind.

use super::{Kernel, floats, numbers};

pub(crate) fn kernels() -> Vec<Kernel> {
    vec![
        Kernel::new(
            "vector_sum",
            "iadd r6, r4, 256\ndevice_load.u32 r7, r4\ndevice_load.u32 r8, r6\niadd r7, r7, r8\niadd r6, r4, 4096\ndevice_store.u32 r7, r6",
        )
        .input(numbers(0..128))
        .gives(numbers(0..64).zip(numbers(64..128)).map(|(a, b)| a + b)),
        Kernel::new(
            "saxpy",
            "device_load.u32 r7, r4\niadd r6, r4, 256\ndevice_load.u32 r8, r6\nfma r7, r7, 2.5, r8\niadd r6, r4, 4096\ndevice_store.u32 r7, r6",
        )
        .input(floats((0..128).map(|at| at as f32 * 0.37 - 20.0)))
        .gives(floats((0..64).map(|at| {
            let [x, y] = [at, at + 64].map(|at| at as f32 * 0.37 - 20.0);
            x.mul_add(2.5, y)
        }))),
        Kernel::new(
            "three_dimensions",
            "mov r6, sr_thread_id_y\nmov r7, sr_thread_id_z\nmov r8, sr_workgroup_size_y\nimad r9, r7, r8, r6\nimad r9, r9, r2, r0
            mov r10, sr_workgroup_id_z\nmov r11, sr_workgroup_id_y\nmov r12, sr_grid_size_y\nmov r13, sr_grid_size_x
            imad r10, r10, r12, r11\nimad r10, r10, r13, r1\nimad r9, r10, 24, r9\nshl r9, r9, 2
            imad r6, r6, 10, r0\nimad r6, r7, 100, r6\nimad r6, r10, 1000, r6\niadd r9, r9, 4096\ndevice_store.u32 r6, r9",
        )
        .grid([2, 3, 2], [4, 3, 2])
        .gives((0..12 * 24).map(|at| {
            let (group, thread) = (at / 24, at % 24);
            group * 1000 + thread / 12 * 100 + thread / 4 % 3 * 10 + thread % 4
        })),
        Kernel::new(
            "double_polynomial",
            // x^2 - 3x + 0.5, in register pairs.
            "cvt_f32_u32 r6, r0\ncvt_f64_f32 r8, r6\ndmul r10, r8, r8\ndmul r12, r8, 3.0\ndsub r10, r10, r12\ndadd r10, r10, 0.5
            cvt_f32_f64 r14, r10\niadd r6, r4, 4096\ndevice_store.u32 r14, r6",
        )
        .only_in_the_guide()
        .gives(floats((0..64).map(|x| (f64::from(x) * f64::from(x) - 3.0 * f64::from(x) + 0.5) as f32))),
        Kernel::new(
            "half_product",
            // Small integers are exact in binary16.
            "and r6, r0, 15\ncvt_f32_u32 r6, r6\ncvt_f16_f32 r6, r6\nhma r7, r6, r6, r6\ncvt_f32_f16 r7, r7\niadd r6, r4, 4096\ndevice_store.u32 r7, r6",
        )
        .gives(floats((0..64).map(|at| { let x = (at % 16) as f32; x * x + x }))),
        Kernel::new(
            "byte_swap",
            "device_load.u32 r6, r4\nshl r7, r6, 24\nshr r8, r6, 24\nor r7, r7, r8\nand r8, r6, 0xff00\nshl r8, r8, 8\nor r7, r7, r8
            shr r8, r6, 8\nand r8, r8, 0xff00\nor r7, r7, r8\niadd r6, r4, 4096\ndevice_store.u32 r7, r6",
        )
        .input((0..64).map(|at: u32| at.wrapping_mul(0x9e37_79b9)))
        .gives((0..64).map(|at: u32| at.wrapping_mul(0x9e37_79b9).swap_bytes())),
        Kernel::new(
            "narrow_memory",
            // Loads bytes, stores halves.
            "iadd r6, r3, 0\ndevice_load.u8 r7, r6\nimul r7, r7, r7\nshl r6, r3, 1\niadd r6, r6, 4096\ndevice_store.u16 r7, r6",
        )
        .input([0x0403_0201, 0xfffe_fdfc, 0, 0x8040_2010].into_iter().cycle().take(16))
        .gives({
            let bytes = [0x0403_0201u32, 0xfffe_fdfc, 0, 0x8040_2010].map(u32::to_le_bytes).concat();
            let squares: Vec<u32> = bytes.iter().cycle().take(64).map(|byte| u32::from(*byte) * u32::from(*byte)).collect();
            squares.chunks(2).map(|pair| pair[0] | pair[1] << 16).collect::<Vec<_>>()
        }),
        Kernel::new(
            "tile_product",
            // Lane 0 alone multiplies a 4 x 4 matrix by itself.
            "icmp.lt p1, r0, 16\nif p1\ndevice_load.u32 r6, r5\nlocal_store.u32 r6, r5\nendif\nbarrier\nicmp.eq p1, r0, 0\nif p1
            mma_load_a r1, 0, 16\nmma_load_b r2, 0, 16\nmma_compute r1, r2, r3\nmma_store_c 64, 16, r3\nendif\nbarrier
            icmp.lt p1, r0, 16\nif p1\niadd r6, r5, 64\nlocal_load.u32 r6, r6\niadd r7, r5, 4096\ndevice_store.u32 r6, r7\nendif",
        )
        .only_in_the_guide()
        .input(floats((0..16).map(|at| at as f32)))
        .gives(floats((0..16).map(|at| (0..4).map(|k| ((at / 4 * 4 + k) * (k * 4 + at % 4)) as f32).sum::<f32>()))),
        Kernel::new(
            "fields",
            "device_load.u32 r6, r4\nbfe r7, r6, 3, 5\nbfi r8, r7, r0, 8, 6\nbitrev r8, r8\nbitcount r7, r6\nxor r8, r8, r7\niadd r6, r4, 4096\ndevice_store.u32 r8, r6",
        )
        .gives(numbers(0..64).zip(0..).map(|(x, thread): (u32, u32)| {
            (x >> 3 & 31 | thread << 8).reverse_bits() ^ x.count_ones()
        })),
    ]
}
