use expect_test::{Expect, expect};
use warplens_sim_warp::scalar_type::ScalarType;

use super::*;
use crate::model::hex;
use crate::{CudaKernel, Parameter};
use crate::{Format, launches};

fn param(name: &str, kind: ScalarType) -> Parameter {
    let bytes = kind.bytes() as u64;
    Parameter { name: name.into(), bytes, align: bytes, scalar: Some(kind), is_pointer: false }
}

/// `saxpy(u32 n, f32 a, u64 x, u64 y)`
fn saxpy() -> CudaKernel {
    use ScalarType::{F32, U32, U64};
    let params = vec![param("n", U32), param("a", F32), param("x", U64), param("y", U64)];
    CudaKernel { params, address_bytes: Some(8), ..CudaKernel::default() }
}

fn check(kernel: CudaKernel, lines: &str, expect: Expect) {
    let text = format!("[[launch]]\nname = 'l'\nfile = 'k'\n{lines}");
    let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
    let kernel = Kernel::new("saxpy".into(), kernel);
    let answer = match resolve(&launch, &kernel, 1 << 24, &|path| Err(format!("cannot read {path}").into())) {
        Err(problem) => {
            let (line, column) = problem.line_column(&text).unwrap();
            format!("{line}:{column}: {problem}\n")
        }
        Ok(Resolved { config, buffers, .. }) => {
            let buffers = buffers.iter().map(|buffer| {
                format!("{} {}[{}] at {:#x}\n", buffer.name, buffer.element, buffer.len, buffer.address)
            });
            let LaunchConfig { grid, block, shared_memory, params, .. } = &config;
            format!("{grid:?} {block:?} {shared_memory} {}\n{}", hex(params), buffers.collect::<String>())
        }
    };
    expect.assert_eq(&answer);
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
    let kernel = CudaKernel { params: vec![param("c", S8), structure, param("d", U64)], ..saxpy() };
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
    let kernel = CudaKernel { params: vec![param("x", ScalarType::U32)], address_bytes: Some(4), ..saxpy() };
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
    let kernel = CudaKernel { params, address_bytes: None, ..saxpy() };
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
        CudaKernel::default(),
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
        CudaKernel { params: vec![structure], ..saxpy() },
        "args = [{ u32 = 1 }]",
        expect![[r#"
            4:9: argument `s`: the parameter is 3 bytes and not a scalar: pass `fields = […]` or `bytes = "…"`
        "#]],
    );
}

#[test]
fn blocks_that_do_not_fit() {
    let required = CudaKernel { required_block: Some([16, 4, 1]), ..CudaKernel::default() };
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
    let bounded = CudaKernel { largest_block: Some([128, 1, 1]), ..CudaKernel::default() };
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
        CudaKernel::default(),
        "block = [2000]",
        expect![[r#"
            4:9: a block has at most 1024 threads (64 in z), and 2000 exceeds the limit
        "#]],
    );
    check(
        CudaKernel::default(),
        "grid = [1, 70000]",
        expect![[r#"
            4:8: the grid has at most 65535 blocks in y and z
        "#]],
    );
    check(
        CudaKernel::default(),
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

/// A kernel with one parameter of 24 bytes.
fn structure() -> CudaKernel {
    let param = Parameter { name: "s".into(), bytes: 24, align: 8, scalar: None, is_pointer: false };
    CudaKernel { params: vec![param], address_bytes: Some(8), ..CudaKernel::default() }
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
    let kernel = || CudaKernel {
        params: vec![param("m", U64), param("x", U64)],
        address_bytes: Some(8),
        ..CudaKernel::default()
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

#[test]
fn sizes_are_added_up_before_anything_is_allocated() {
    let args = "args = [{ u32 = 1 }, { f32 = 2.0 }, { multimem = { buffer = 'u8', len = 9000000, \
                replicas = [{ fill = 'random' }, {}] } }, { file = 'is not read', buffer = 'f32' }]";
    check(
        saxpy(),
        args,
        expect![[r#"
        4:37: argument `x`: the buffer requires 9000000 bytes, the limit is 7777216: make it shorter
    "#]],
    );
}

#[test]
fn a_deferred_buffer_is_filled_when_the_run_starts() {
    let text = "[[launch]]\nname = 'l'\nfile = 'k'\nargs = [{ u32 = 1 }, { f32 = 2.0 }, \
                { buffer = 'u32', len = 5000 }, { buffer = 'f32', len = 5000 }]";
    let launch = launches(text, Format::Toml).unwrap().remove(0).usable().unwrap();
    let kernel = Kernel::new("saxpy".into(), saxpy());
    let mut resolved = resolve(&launch, &kernel, 1 << 24, &|_| Err("no file".into())).unwrap();
    assert_eq!(resolved.buffers[0].deferred, Some(Fill::Unset));
    resolved.buffers[0].deferred = Some(Fill::Iota);
    let (x, y) = (resolved.buffer("x").unwrap(), resolved.buffer("y").unwrap());
    let last = |bytes: &[u8]| u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap());
    let config = resolved.start(&|| false).unwrap();
    assert_eq!(resolved.start(&|| true), Err(Cancelled));
    assert_eq!(last(config.memory.bytes(x.address, x.len).unwrap()), 4999);
    assert_eq!(last(config.memory.bytes(y.address, y.len).unwrap()), 0);
    assert_eq!(last(&resolved.initial_bytes(x)), 4999);
    assert_eq!(last(resolved.config.memory.bytes(x.address, x.len).unwrap()), 0);
}

#[test]
fn buffers_that_are_large_together_are_deferred() {
    let deferred = |len: u32| {
        let text = format!(
            "[[launch]]\nname = 'l'\nfile = 'k'\nargs = [{{ u32 = 1 }}, {{ f32 = 2.0 }}, \
             {{ buffer = 'u32', len = {len}, fill = 'iota' }}, {{ buffer = 'f32', len = {len}, fill = 'iota' }}]"
        );
        let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
        let kernel = Kernel::new("saxpy".into(), saxpy());
        let resolved = resolve(&launch, &kernel, 1 << 27, &|_| Err("no file".into())).unwrap();
        resolved.buffers.iter().map(|buffer| buffer.deferred).collect::<Vec<_>>()
    };
    assert_eq!(deferred(5000), [None; 2]);
    assert_eq!(deferred(9_000_000), [Some(Fill::Iota); 2]);
}

#[test]
fn offsets_and_addresses() {
    let args = |x: &str, y: &str| {
        format!("args = [{{ u32 = 1 }}, {{ f32 = 2.0 }},\n{{ name = 'x', {x} }},\n{{ name = 'y', {y} }}]")
    };
    let case = |x: &str, y: &str, expect: Expect| check(saxpy(), &args(x, y), expect);
    // The address of `y` lies in `x`, whose name stands for the whole buffer.
    case(
        "buffer = 'u8', len = 400, offset = 8",
        "alias = 'x', offset = 16",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 010000000000004008000010000000001000001000000000
        x u8[400] at 0x10000000
        y u8[400] at 0x10000000
    "#]],
    );
    case(
        "buffer = 'u8', len = 4, offset = 4",
        "alias = 'x'",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 010000000000004004000010000000000000001000000000
        x u8[4] at 0x10000000
        y u8[4] at 0x10000000
    "#]],
    );
    case(
        "buffer = 'u8', len = 4, offset = 5",
        "alias = 'x'",
        expect![[r#"
        5:48: argument `x`: `offset` is 5, but the buffer has 4 bytes
    "#]],
    );
    case(
        "buffer = 'u8', len = 4",
        "alias = 'x', offset = 5",
        expect![[r#"
        6:37: argument `y`: `offset` is 5, but the buffer has 4 bytes
    "#]],
    );
    case(
        "buffer = 'u8', len = 4",
        "alias = 'z', offset = 5",
        expect![[r#"
        6:23: argument `y`: unknown buffer `z`: the buffers are `x`
    "#]],
    );
    // Buffers at chosen addresses come first.
    case(
        "buffer = 'u8', len = 4",
        "buffer = 'u8', len = 4, address = 0x10001000",
        expect![[r#"
        [1, 1, 1] [32, 1, 1] 0 010000000000004000120010000000000010001000000000
        x u8[4] at 0x10001200
        y u8[4] at 0x10001000
    "#]],
    );
    case(
        "buffer = 'u8', len = 4, address = 0x10002000",
        "buffer = 'u8', len = 4, address = 0x10001000",
        expect![[r#"
            [1, 1, 1] [32, 1, 1] 0 010000000000004000200010000000000010001000000000
            x u8[4] at 0x10002000
            y u8[4] at 0x10001000
        "#]],
    );
    case(
        "buffer = 'u8', len = 4, address = 0x10001010",
        "buffer = 'u8', len = 4",
        expect![[r#"
        5:49: argument `x`: `address` 0x10001010 is not a multiple of 256, which buffers start at: write 0x10001100
    "#]],
    );
    case(
        "buffer = 'u8', len = 512, address = 0x10001000",
        "buffer = 'u8', len = 4, address = 0x10001100",
        expect![[r#"
            6:49: argument `y`: `address` 0x10001100 is in `x` or within 256 bytes of its end: write 0x10001300 or a later address
        "#]],
    );
    case(
        "buffer = 'u8', len = 512, address = 0x10001000",
        "buffer = 'u8', len = 4, address = 0x10001200",
        expect![[r#"
            6:49: argument `y`: `address` 0x10001200 is in `x` or within 256 bytes of its end: write 0x10001300 or a later address
        "#]],
    );
    case(
        "buffer = 'u8', len = 512, address = 0x10001000",
        "buffer = 'u8', len = 4, address = 0x10001300",
        expect![[r#"
            [1, 1, 1] [32, 1, 1] 0 010000000000004000100010000000000013001000000000
            x u8[512] at 0x10001000
            y u8[4] at 0x10001300
        "#]],
    );
    case(
        "buffer = 'u8', len = 4, address = 0x20000000",
        "buffer = 'u8', len = 4",
        expect![[r#"
        5:49: argument `x`: `address` 0x20000000: the buffer ends 268435460 bytes after the first address, 0x10000000, and the limit of memory is 16777216:              place it lower
    "#]],
    );
    case(
        "buffer = 'u8', len = 4, uninitialized = [[0, 5]]",
        "alias = 'x'",
        expect![[r#"
        5:55: argument `x`: `uninitialized` reaches to byte 5, but the buffer has 4 bytes
    "#]],
    );
}

#[test]
fn the_parts_without_values() {
    let text = "[[launch]]\nname = 'l'\nfile = 'k'\nargs = [{ u32 = 1 }, { f32 = 2.0 }, \
                { buffer = 'u8', len = 400, fill = 'uninitialized' }, \
                { buffer = 'u8', len = 400, fill = 'iota', uninitialized = [[1, 3], [7, 8]] }]";
    let launch = launches(text, Format::Toml).unwrap().remove(0).usable().unwrap();
    let kernel = Kernel::new("saxpy".into(), saxpy());
    let resolved = resolve(&launch, &kernel, 1 << 24, &|_| Err("none".into())).unwrap();
    assert_eq!(resolved.config.uninitialized, [(0x1000_0000, 400), (0x1000_0301, 2), (0x1000_0307, 1)]);
    assert!(resolved.buffers[0].deferred.is_some_and(Fill::is_open));
}

#[test]
fn expected_files() {
    let expected = |expect: &str, contents: &'static [u8]| {
        let text = format!("[[launch]]\nname = 'l'\nfile = 'k'\n{ARGS}\n{expect}");
        let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
        let kernel = Kernel::new("saxpy".into(), saxpy());
        let read = |path: &str| {
            if path == "y.bin" { Ok(contents.to_vec()) } else { Err(format!("cannot read {path}").into()) }
        };
        match resolve(&launch, &kernel, 1 << 24, &read) {
            Ok(_) => "fits".to_owned(),
            Err(problem) => problem.message,
        }
    };
    let y = "expect = [{ name = 'y', file = 'y.bin' }]";
    assert_eq!(expected(y, &[0; 400]), "fits");
    assert_eq!(
        expected(y, &[0; 396]),
        "expect: `y` has 400 bytes, but y.bin has 396: the file holds the whole buffer"
    );
    assert_eq!(expected("expect = [{ name = 'y', file = 'z.bin' }]", &[]), "expect: cannot read z.bin");
}

/// LLVM declares `half` and `bfloat` as `.param .align 2 .b8 h[2]`, and a structure of one number likewise.
#[test]
fn numbers_for_arrays_of_bytes() {
    let passed = |bytes: u64, argument: &str| {
        let param = Parameter { name: "p".into(), bytes, align: bytes, scalar: None, is_pointer: false };
        let kernel = CudaKernel { params: vec![param], address_bytes: Some(8), ..CudaKernel::default() };
        let text = format!("[[launch]]\nname = 'l'\nfile = 'k'\nargs = [{{ {argument} }}]");
        let launch = launches(&text, Format::Toml).unwrap().remove(0).usable().unwrap();
        let kernel = Kernel::new("k".into(), kernel);
        match resolve(&launch, &kernel, 1 << 24, &|_| Err("none".into())) {
            Ok(resolved) => hex(&resolved.config.params),
            Err(problem) => problem.message,
        }
    };
    assert_eq!(passed(2, "f16 = 0.5"), "0038");
    assert_eq!(passed(2, "bf16 = 0.5"), "003f");
    assert_eq!(passed(4, "f32 = 0.5"), "0000003f");
    assert_eq!(passed(8, "f64 = 0.5"), "000000000000e03f");
    assert_eq!(
        passed(4, "f16 = 0.5"),
        "argument `p`: the parameter is 4 bytes and not a scalar: pass `fields = […]` or `bytes = \"…\"`"
    );
}
