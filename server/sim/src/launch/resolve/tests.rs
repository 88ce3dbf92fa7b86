use expect_test::{Expect, expect};

use super::*;
use crate::launch::model::hex;
use crate::launch::{Format, LaunchRules, Parameter, PtxKernel, WaveKernel, launches};
use crate::scalar_type::ScalarType;

fn param(name: &str, kind: ScalarType) -> Parameter {
    let bytes = kind.bytes() as u64;
    Parameter { name: name.into(), bytes, align: bytes, scalar: Some(kind), is_pointer: false }
}

/// `saxpy(u32 n, f32 a, u64 x, u64 y)`
fn saxpy() -> PtxKernel {
    use ScalarType::{F32, U32, U64};
    let params = vec![param("n", U32), param("a", F32), param("x", U64), param("y", U64)];
    PtxKernel { params, address_bytes: Some(8), ..PtxKernel::default() }
}

fn answer(kernel: impl LaunchRules, lines: &str, show: impl Fn(&LaunchConfig) -> String) -> String {
    let text = format!("[[launch]]\nname = 'l'\nfile = 'k'\n{lines}");
    let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
    let kernel = Kernel::new("saxpy".into(), kernel);
    match resolve(&launch, &kernel, 1 << 24, &|path| Err(format!("cannot read {path}").into())) {
        Err(problem) => {
            let (line, column) = problem.line_column(&text).unwrap();
            format!("{line}:{column}: {problem}\n")
        }
        Ok(resolved) => {
            let buffers = resolved.buffers.iter().map(|buffer| {
                format!("{} {}[{}] at {:#x}\n", buffer.name, buffer.element, buffer.len, buffer.address)
            });
            format!("{}\n{}", show(&resolved.config), buffers.collect::<String>())
        }
    }
}

fn check(kernel: PtxKernel, lines: &str, expect: Expect) {
    let show = |config: &LaunchConfig| {
        format!("{:?} {:?} {} {}", config.grid, config.block, config.shared_memory, hex(&config.params))
    };
    expect.assert_eq(&answer(kernel, lines, show));
}

fn check_wave(workgroup: Option<[u32; 3]>, lines: &str, expect: Expect) {
    let show = |config: &LaunchConfig| {
        format!(
            "{:?} {:?} {} {:?} {} {}",
            config.grid,
            config.block,
            config.warp_width,
            config.registers,
            config.shared_memory,
            config.memory.size()
        )
    };
    expect.assert_eq(&answer(WaveKernel { workgroup }, lines, show));
}

const ARGS: &str = "args = [{ u32 = 100 }, { f32 = 2.0 }, { buffer = 'f32', len = 100, fill = 'iota' }, { buffer = 'f32', len = 100 }]";

#[test]
fn parameters_and_buffers() {
    check(
        saxpy(),
        ARGS,
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 640000000000004000000010000000000003001000000000
        x f32[400] at 0x10000000
        y f32[400] at 0x10000300
    "#]],
    );
    check(
        saxpy(),
        &format!("grid = [2]\nblock = [64]\ndynamic_shared = 16\n{ARGS}"),
        expect![[r#"
        [2, 1, 1] [64, 1, 1] 16 640000000000004000000010000000000003001000000000
        x f32[400] at 0x10000000
        y f32[400] at 0x10000300
    "#]],
    );
    check(
        saxpy(),
        "args = [{ b32 = '0x64' }, { b32 = 1 }, { buffer = 'u8', len = 1000, name = 'in' }, { alias = 'in', name = 'out' }]",
        expect![[r#"
            [1, 1, 1] [32, 1, 1] 0 640000000100000000000010000000000000001000000000
            in u8[1000] at 0x10000000
            out u8[1000] at 0x10000000
        "#]],
    );
}

#[test]
fn parameters_lie_at_their_alignment() {
    use ScalarType::{S8, U64};
    let structure = Parameter { name: "s".into(), bytes: 3, align: 2, scalar: None, is_pointer: false };
    let kernel = PtxKernel { params: vec![param("c", S8), structure, param("d", U64)], ..saxpy() };
    check(
        kernel,
        "args = [{ s8 = -1 }, { bytes = '010203' }, { u64 = 7 }]",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 ff000102030000000700000000000000
    "#]],
    );
}

#[test]
fn pointers_of_32_bit_modules_take_4_bytes() {
    let kernel = PtxKernel { params: vec![param("x", ScalarType::U32)], address_bytes: Some(4), ..saxpy() };
    check(
        kernel,
        "args = [{ buffer = 'u8', len = 1 }]",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 00000010
        x u8[1] at 0x10000000
    "#]],
    );
}

#[test]
fn a_module_that_does_not_say_takes_both() {
    let params = vec![param("x", ScalarType::U32), param("y", ScalarType::U64)];
    let kernel = PtxKernel { params, address_bytes: None, ..saxpy() };
    check(
        kernel,
        "args = [{ buffer = 'u8', len = 1 }, { alias = 'x' }]",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 00000010000000000000001000000000
        x u8[1] at 0x10000000
        y u8[1] at 0x10000000
    "#]],
    );
}

#[test]
fn arguments_that_do_not_fit() {
    check(
        saxpy(),
        "args = [{ u32 = 1 }]",
        expect![[r#"
            4:8: `saxpy` has 4 parameters (n, a, x, y), but the launch passes 1
        "#]],
    );
    check(
        PtxKernel::default(),
        "args = [{ u32 = 1 }]",
        expect![[r#"
            4:8: `saxpy` has no parameters, but the launch passes 1
        "#]],
    );
    let with = |first: &str| ARGS.replace("{ u32 = 100 }", first);
    check(
        saxpy(),
        &with("{ u64 = 100 }"),
        expect![[r#"
        4:9: argument `n`: the parameter is .u32, and u64 does not fit it: write u32 = …
    "#]],
    );
    check(
        saxpy(),
        &with("{ f32 = 100 }"),
        expect![[r#"
        4:9: argument `n`: the parameter is .u32, and f32 does not fit it: write u32 = …
    "#]],
    );
    check(
        saxpy(),
        &with("{ bytes = '00' }"),
        expect![[r#"
            4:9: argument `n`: the parameter has 4 bytes, but 1 are passed
        "#]],
    );
    check(
        saxpy(),
        &with("{ buffer = 'u8', len = 1 }"),
        expect![[r#"
            4:9: argument `n`: a buffer passes its address (8 bytes), but the parameter is .u32: pass a scalar
        "#]],
    );
    check(
        saxpy(),
        &with("{ alias = 'x' }"),
        expect![[r#"
            4:9: argument `n`: a buffer passes its address (8 bytes), but the parameter is .u32: pass a scalar
        "#]],
    );
    check(
        saxpy(),
        &with("{ u32 = 1, name = 'y' }"),
        expect![[r#"
            4:9: argument `y`: it is argument 1, but `y` is parameter 4: write arguments in parameter order
        "#]],
    );
    check(
        saxpy(),
        &with("{ u32 = 1, name = 'count' }"),
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 010000000000004000000010000000000003001000000000
        x f32[400] at 0x10000000
        y f32[400] at 0x10000300
    "#]],
    );
    let double = ARGS.replace("{ buffer = 'f32', len = 100 }", "{ name = 'b', buffer = 'f32', len = 1 }");
    check(
        saxpy(),
        &double.replace("{ u32 = 100 }", "{ name = 'b', u32 = 1 }"),
        expect![[r#"
            4:95: argument `b`: duplicate argument name: rename one
        "#]],
    );
    check(
        saxpy(),
        &ARGS.replace("{ buffer = 'f32', len = 100 }", "{ alias = 'z' }"),
        expect![[r#"
            4:95: argument `y`: unknown buffer `z`: the buffers are `x`
        "#]],
    );
    check(
        saxpy(),
        &ARGS.replace("len = 100,", "len = 100000000,"),
        expect![[r#"
            4:39: argument `x`: the buffer requires 400000000 bytes, the limit is 16777216: make it shorter
        "#]],
    );
    check(
        saxpy(),
        &ARGS.replace("len = 100, fill = 'iota'", "file = 'x.bin'"),
        expect![[r#"
        4:39: argument `x`: cannot read x.bin
    "#]],
    );
    let structure = Parameter { name: "s".into(), bytes: 3, align: 1, scalar: None, is_pointer: false };
    check(
        PtxKernel { params: vec![structure], ..saxpy() },
        "args = [{ u32 = 1 }]",
        expect![[r#"
            4:9: argument `s`: the parameter is 3 bytes and not a scalar: pass `fields = […]` or `bytes = "…"`
        "#]],
    );
}

#[test]
fn blocks_that_do_not_fit() {
    let required = PtxKernel { required_block: Some([16, 4, 1]), ..PtxKernel::default() };
    check(
        required.clone(),
        "",
        expect![[r#"
        [1, 1, 1] [16, 4, 1] 0 
    "#]],
    );
    check(
        required.clone(),
        "block = [16, 4]",
        expect![[r#"
        [1, 1, 1] [16, 4, 1] 0 
    "#]],
    );
    check(
        required,
        "block = [64]",
        expect![[r#"
            4:9: `saxpy` requires .reqntid 16,4, but the block is 64: set the block to [16, 4]
        "#]],
    );
    let bounded = PtxKernel { largest_block: Some([128, 1, 1]), ..PtxKernel::default() };
    check(
        bounded.clone(),
        "block = [8, 16]",
        expect![[r#"
        [1, 1, 1] [8, 16, 1] 0 
    "#]],
    );
    check(
        bounded,
        "block = [129]",
        expect![[r#"
            4:9: `saxpy` allows .maxntid 128 (128 threads), but the block has 129: reduce it
        "#]],
    );
    check(
        PtxKernel::default(),
        "block = [2000]",
        expect![[r#"
            4:9: a block has at most 1024 threads (64 in z), and 2000 exceeds the limit
        "#]],
    );
    check(
        PtxKernel::default(),
        "grid = [1, 70000]",
        expect![[r#"
            4:8: the grid has at most 65535 blocks in y and z
        "#]],
    );
    check(
        PtxKernel::default(),
        "wave_width = 32",
        expect![[r#"
        4:14: `wave_width` is for WAVE kernels, and this one is PTX: remove it
    "#]],
    );
}

#[test]
fn expectations_that_do_not_fit() {
    let expecting = |expect: &str| format!("{ARGS}\nexpect = [{expect}]");
    check(
        saxpy(),
        &expecting("{ name = 'y', values = [1.0] }"),
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 640000000000004000000010000000000003001000000000
        x f32[400] at 0x10000000
        y f32[400] at 0x10000300
    "#]],
    );
    check(
        saxpy(),
        &expecting("{ name = 'z', values = [1.0] }"),
        expect![[r#"
            5:11: expect: unknown buffer `z`: the buffers are `x`, `y`
        "#]],
    );
    check(
        saxpy(),
        &expecting("{ name = 'n', values = [1.0] }"),
        expect![[r#"
            5:11: expect: unknown buffer `n`: the buffers are `x`, `y`
        "#]],
    );
    check(
        saxpy(),
        &expecting("{ name = 'y', bytes = '00', tolerance = 1 }, { name = 'y', values = ['0x1ffffffff'] }"),
        expect![[r#"
        5:56: expect: 0x1ffffffff has more bits than f32
    "#]],
    );
}

#[test]
fn wave() {
    check_wave(
        None,
        "",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 32 [] 16384 1048576
        device_memory u8[1048576] at 0x0
    "#]],
    );
    check_wave(
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
    check_wave(
        Some([64, 1, 1]),
        "block = [32]",
        expect![[r#"
            4:9: `saxpy` has .workgroup_size 64, but the block is 32: remove `block`, or set it to [64]
        "#]],
    );
    check_wave(
        None,
        "args = [{ u64 = 1 }]",
        expect![[r#"
        4:9: argument `r0`: u64 does not fit a register of 32 bits: pass two
    "#]],
    );
    check_wave(
        None,
        "args = [{ u32 = 1 }]\nregisters = { r0 = 2 }",
        expect![[r#"
        5:13: `r0` already holds argument number 1: set another register
    "#]],
    );
    check_wave(
        None,
        "device_memory = 512\nargs = [{ buffer = 'u8', len = 500 }, { buffer = 'u8', len = 1 }]",
        expect![[r#"
            5:39: argument `r1`: the buffers up to this one require 513 bytes, but device memory has 512: set device_memory = 513
        "#]],
    );
    check_wave(
        None,
        "device_memory = 4000000000",
        expect![[r#"
            4:17: 4000000000 bytes exceed the limit of 16777216
        "#]],
    );
    check_wave(
        None,
        "dynamic_shared = 1",
        expect![[r#"
        4:18: `dynamic_shared` is for PTX; WAVE has `local_memory`
    "#]],
    );
    check_wave(
        None,
        "cooperative = true",
        expect![[r#"
        4:15: `cooperative` is for PTX kernels, and this one is WAVE: remove it
    "#]],
    );
    check_wave(
        None,
        "block = [65537]",
        expect![[r#"
            4:9: the workgroup has 65537 threads, the limit is 65536
        "#]],
    );
    check_wave(
        None,
        "device_memory = 256\nexpect = [{ name = 'device_memory', bytes = '00' }]",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 32 [] 16384 256
        device_memory u8[256] at 0x0
    "#]],
    );
}

/// One parameter of 24 bytes.
fn structure() -> PtxKernel {
    let param = Parameter { name: "s".into(), bytes: 24, align: 8, scalar: None, is_pointer: false };
    PtxKernel { params: vec![param], address_bytes: Some(8), ..PtxKernel::default() }
}

#[test]
fn fields_of_a_structure() {
    check(
        structure(),
        "args = [{ fields = [{ at = 0, buffer = 'f32', len = 4 }, { at = 8, alias = 's.0' }, { at = 20, u32 = 7 }] }]",
        expect![[r#"
            [1, 1, 1] [32, 1, 1] 0 000000100000000000000010000000000000000007000000
            s.0 f32[16] at 0x10000000
            s.8 f32[16] at 0x10000000
        "#]],
    );
}

#[test]
fn fields_that_do_not_fit() {
    check(
        structure(),
        "args = [{ fields = [{ at = 20, u64 = 7 }] }]",
        expect![[r#"
            4:21: argument `s.20`: it ends at byte 28, but the parameter has 24 bytes
        "#]],
    );
    check(
        structure(),
        "args = [{ fields = [{ at = 0, u64 = 7 }, { at = 4, u32 = 7 }] }]",
        expect![[r#"
            4:42: argument `s.4`: it overlaps another field of `s`: move one
        "#]],
    );
}

#[test]
fn multimem_arguments_and_their_replicas() {
    use ScalarType::U64;
    let kernel = || PtxKernel {
        params: vec![param("m", U64), param("x", U64)],
        address_bytes: Some(8),
        ..PtxKernel::default()
    };
    let launch = |replicas: &str, x: &str, expect: &str| {
        format!(
            "args = [{{ multimem = {{ buffer = 'u32', len = 4, replicas = [{replicas}] }} }}, {x}]\nexpect = [{expect}]"
        )
    };
    check(
        kernel(),
        &launch(
            "{ fill = 'iota' }, { values = [5, 6, 7, 8] }",
            "{ alias = 'm#1' }",
            "{ name = 'm#0', values = [0, 1] }",
        ),
        expect![[r#"
            [1, 1, 1] [32, 1, 1] 0 00040010000000000002001000000000
            m#0 u32[16] at 0x10000000
            m#1 u32[16] at 0x10000200
            x u32[16] at 0x10000200
        "#]],
    );
    check(
        kernel(),
        &launch("{ fill = 'iota' }, { len = 3 }", "{ u64 = 1 }", ""),
        expect![[r#"
        4:9: argument `m`: `m#0` has 16 bytes and `m#1` has 12: give all replicas the same length
    "#]],
    );
    check(
        kernel(),
        &launch("{}", "{ u64 = 1 }", "{ name = 'm', values = [0] }"),
        expect![[r#"
        5:11: expect: unknown buffer `m`: the buffers are `m#0`
    "#]],
    );
}
