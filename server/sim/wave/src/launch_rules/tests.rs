use expect_test::{Expect, expect};
use warplens_sim_launch::{Format, Kernel, Resolved, launches, resolve};

use super::*;

fn check(workgroup: Option<[u32; 3]>, lines: &str, expect: Expect) {
    let text = format!("[[launch]]\nname = 'l'\nfile = 'k'\n{lines}");
    let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
    let kernel = Kernel::new("saxpy".into(), WaveKernel { workgroup });
    let answer = match resolve(&launch, &kernel, 1 << 24, &|path| Err(format!("cannot read {path}").into())) {
        Err(problem) => {
            let (line, column) = problem.line_column(&text).unwrap();
            format!("{line}:{column}: {problem}\n")
        }
        Ok(Resolved { config, buffers, .. }) => {
            let buffers = buffers.iter().map(|buffer| {
                format!("{} {}[{}] at {:#x}\n", buffer.name, buffer.element, buffer.len, buffer.address)
            });
            let LaunchConfig { grid, block, warp_width, registers, shared_memory, memory, .. } = &config;
            let buffers = buffers.collect::<String>();
            format!(
                "{grid:?} {block:?} {warp_width} {registers:?} {shared_memory} {}\n{buffers}",
                memory.size()
            )
        }
    };
    expect.assert_eq(&answer);
}

fn check_inferred(kernel: WaveKernel, expect: Expect) {
    let kernel = Kernel::new("k".into(), kernel);
    expect.assert_eq(&serde_json::to_string(&kernel.inferred(&Body::default())).unwrap());
}

#[test]
fn the_inferred_launch() {
    check_inferred(
        WaveKernel { workgroup: None },
        expect![[r#"{"name":"inferred","entry":"k","grid":[1,1,1],"block":[32,1,1]}"#]],
    );
    check_inferred(
        WaveKernel { workgroup: Some([64, 2, 1]) },
        expect![[r#"{"name":"inferred","entry":"k","grid":[1,1,1],"block":[64,2,1]}"#]],
    );
}

#[test]
fn resolved_launches() {
    check(
        None,
        "",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 32 [] 16384 1048576
        device_memory u8[1048576] at 0x0
    "#]],
    );
    check(
        Some([64, 1, 1]),
        "grid = [2]\nwave_width = 64\nlocal_memory = 64\ndevice_memory = 4096\nregisters = { r9 = 7 }\nargs = [{ buffer = 'f32', len = 65, fill = 'iota' }, { s8 = -1 }, { buffer = 'u8', values = [1] }, { alias = 'r0' }, { f16 = 1 }]",
        expect![[r#"
            [2, 1, 1] [64, 1, 1] 64 [(0, 0), (1, 4294967295), (2, 512), (3, 0), (4, 15360), (9, 7)] 64 4096
            r0 f32[260] at 0x0
            r2 u8[1] at 0x200
            r3 f32[260] at 0x0
            device_memory u8[4096] at 0x0
        "#]],
    );
    check(
        Some([64, 1, 1]),
        "block = [32]",
        expect![[r#"
            4:9: `saxpy` has .workgroup_size 64, but the block is 32: remove `block`, or set it to [64]
        "#]],
    );
    check(
        None,
        "args = [{ u64 = 1 }]",
        expect![[r#"
        4:9: argument `r0`: u64 does not fit a register of 32 bits: pass two
    "#]],
    );
    check(
        None,
        "args = [{ u32 = 1 }]\nregisters = { r0 = 2 }",
        expect![[r#"
        5:13: `r0` already holds argument number 1: set another register
    "#]],
    );
    check(
        None,
        "device_memory = 512\nargs = [{ buffer = 'u8', len = 500 }, { buffer = 'u8', len = 1 }]",
        expect![[r#"
            5:39: argument `r1`: the buffers up to this one require 513 bytes, but device memory has 512: set device_memory = 513
        "#]],
    );
    check(
        None,
        "device_memory = 4000000000",
        expect![[r#"
            4:17: 4000000000 bytes exceed the limit of 16777216
        "#]],
    );
    check(
        None,
        "dynamic_shared = 1",
        expect![[r#"
        4:18: `dynamic_shared` is for PTX; WAVE has `local_memory`
    "#]],
    );
    check(
        None,
        "cooperative = true",
        expect![[r#"
        4:15: `cooperative` is for PTX kernels, and this one is WAVE: remove it
    "#]],
    );
    check(
        None,
        "block = [65537]",
        expect![[r#"
            4:9: the workgroup has 65537 threads, the limit is 65536
        "#]],
    );
    check(
        None,
        "device_memory = 256\nexpect = [{ name = 'device_memory', bytes = '00' }]",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 32 [] 16384 256
        device_memory u8[256] at 0x0
    "#]],
    );
}
