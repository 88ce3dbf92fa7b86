use expect_test::{Expect, expect};

use super::*;

fn check_as(text: &str, format: Format, expect: Expect) {
    let mut answer = String::new();
    let place = |problem: &Problem| {
        let (line, column) = problem.line_column(text).unwrap();
        format!("{line}:{column}: {problem}\n")
    };
    match launches(text, format) {
        Err(problem) => answer += &place(&problem),
        Ok(listed) => {
            for Listed { launch, problem } in listed {
                answer += &match problem {
                    Some(problem) => place(&problem),
                    None => serde_json::to_string(&launch).unwrap() + "\n",
                };
            }
        }
    }
    expect.assert_eq(&answer);
}

/// Lines of one launch that has its name and file already.
fn check(lines: &str, expect: Expect) {
    check_as(&format!("[[launch]]\nname = 'a'\nfile = 'k.ptx'\n{lines}"), Format::Toml, expect);
}

const WHOLE: &str = r#"
[[launch]]
name  = "saxpy, 2 x 64"
file  = "saxpy.ptx"
entry = "saxpy"
grid  = [2, 1, 1]
block = [64]
dynamic_shared = 0
cooperative = true
args  = [
  { name = "n", u32 = 100 },
  { name = "a", f32 = 2.0 },
  { name = "x", buffer = "f32", len = 100, fill = "iota" },
  { name = "y", buffer = "f32", values = [1.0, 2.0, "nan", "0x7f800000"] },
  { name = "z", alias = "y" },
  { i16 = -3 },
  { bytes = "00ff 10" },
  { buffer = "u8", bytes = "0a0b" },
  { buffer = "f64", len = 4, fill = "random", seed = 7 },
  { buffer = "bf16", len = 4, fill = { value = 1.5 } },
  { buffer = "u8", len = 9 },
  { buffer = "u8", file = "y.bin" },
  { u64 = 18446744073709551615 },
]
expect = [ { name = "y", values = [1.0, 4, "inf"], tolerance = 1e-6 }, { name = "x", bytes = "00" } ]
"#;

#[test]
fn everything_that_a_launch_can_say() {
    check_as(
        WHOLE,
        Format::Toml,
        expect![[r#"
            {"name":"saxpy, 2 x 64","file":"saxpy.ptx","entry":"saxpy","grid":[2,1,1],"block":[64,1,1],"dynamic_shared":0,"cooperative":true,"args":[{"name":"n","u32":100},{"name":"a","f32":2.0},{"name":"x","buffer":"f32","len":100,"fill":"iota"},{"name":"y","buffer":"f32","values":[1.0,2.0,"nan","inf"]},{"name":"z","alias":"y"},{"s16":-3},{"bytes":"00ff10"},{"buffer":"u8","bytes":"0a0b"},{"buffer":"f64","len":4,"fill":"random","seed":7},{"buffer":"bf16","len":4,"fill":{"value":1.5}},{"buffer":"u8","len":9,"fill":"zero"},{"buffer":"u8","file":"y.bin"},{"u64":18446744073709551615}],"expect":[{"name":"y","values":[1.0,4,"inf"],"tolerance":1e-6},{"name":"x","bytes":"00"}]}
        "#]],
    );
}

#[test]
fn the_same_as_json() {
    let launch = launches(WHOLE, Format::Toml).unwrap().remove(0).usable().unwrap();
    let json = serde_json::to_string(&launch).unwrap();
    let again =
        launches(&format!("{{\"launch\":[{json}]}}"), Format::Json).unwrap().remove(0).usable().unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), json);
}

#[test]
fn wave_launches() {
    check(
        "wave_width = 64\nregisters = { r4 = 7, r31 = -1 }\ndevice_memory = 1048576\nlocal_memory = 16384",
        expect![[r#"
            {"name":"a","file":"k.ptx","wave_width":64,"device_memory":1048576,"local_memory":16384,"registers":{"r31":4294967295,"r4":7}}
        "#]],
    );
    check(
        "wave_width = 65",
        expect![[r#"
            4:14: `wave_width` must be between 1 and 64, not 65
        "#]],
    );
    check(
        "registers = { x = 1 }",
        expect![[r#"
        4:15: `x` is not a WAVE register: they are r0 to r254
    "#]],
    );
    check(
        "registers = { r255 = 1 }",
        expect![[r#"
            4:15: `r255` is not a WAVE register: they are r0 to r254
        "#]],
    );
    check(
        "registers = { r1 = 4294967296 }",
        expect![[r#"
            4:20: 4294967296 does not fit b32, whose range is -2147483648 to 4294967295
        "#]],
    );
}

#[test]
fn unknown_keys() {
    check(
        "girds = [1]",
        expect![[r#"
            4:1: a launch has no key `girds`: the keys are `name`, `file`, `entry`, `grid`, `block`, `cluster`, `dynamic_shared`, `cooperative`, `prerequisite_writes`, `model`, `schedule`, `wave_width`, `device_memory`, `local_memory`, `args`, `registers`, `expect`
        "#]],
    );
    check(
        "colour = 'red'",
        expect![[r#"
            4:1: a launch has no key `colour`: the keys are `name`, `file`, `entry`, `grid`, `block`, `cluster`, `dynamic_shared`, `cooperative`, `prerequisite_writes`, `model`, `schedule`, `wave_width`, `device_memory`, `local_memory`, `args`, `registers`, `expect`
        "#]],
    );
    check(
        "args = [{ u32 = 1, nme = 'n' }]",
        expect![[r#"
        4:20: an argument has no key `nme`: did you mean `name`?
    "#]],
    );
    check(
        "args = [{ buffer = 'u8', size = 1 }]",
        expect![[r#"
        4:26: a buffer argument has no key `size`: did you mean `file`?
    "#]],
    );
    check(
        "expect = [{ name = 'y', value = [1] }]",
        expect![[r#"
        4:25: an expectation has no key `value`: did you mean `values`?
    "#]],
    );
    check_as(
        "[[lunch]]\n",
        Format::Toml,
        expect![[r#"
        1:3: a launch file has no key `lunch`: did you mean `launch`?
    "#]],
    );
    check_as(
        "{\"launch\": [{\"name\": \"a\",\n \"file\": \"b\", \"grd\": [1]}]}",
        Format::Json,
        expect![[r#"
            2:15: a launch has no key `grd`: did you mean `grid`?
        "#]],
    );
}

#[test]
fn wrong_counts() {
    check(
        "grid = []",
        expect![[r#"
        4:8: `grid` takes one to three numbers (x, y, z), not 0
    "#]],
    );
    check(
        "grid = [1, 2, 3, 4]",
        expect![[r#"
        4:8: `grid` takes one to three numbers (x, y, z), not 4
    "#]],
    );
    check(
        "args = [{ buffer = 'f32', values = [1, 2], len = 3 }]",
        expect![[r#"
            4:50: `len` is 3, but `values` has 2 elements of f32: remove `len`, or make them agree
        "#]],
    );
    check(
        "args = [{ bytes = '0' }]",
        expect![[r#"
            4:19: `bytes` takes two hex digits per byte, and 1 is an odd number of digits
        "#]],
    );
}

#[test]
fn wrong_types() {
    check(
        "grid = 2",
        expect![[r#"
        4:8: `grid` must be a list such as `[2]`, not an integer
    "#]],
    );
    check(
        "block = [64.5]",
        expect![[r#"
        4:10: `block` must be an integer, not a number with a fraction
    "#]],
    );
    check(
        "block = [0]",
        expect![[r#"
            4:10: `block` must be between 1 and 2147483647, not 0
        "#]],
    );
    check(
        "entry = 1",
        expect![[r#"
        4:9: `entry` must be a string, not an integer
    "#]],
    );
    check(
        "args = { n = 1 }",
        expect![[r#"
        4:8: `args` must be a list, not a table
    "#]],
    );
    check(
        "args = [100]",
        expect![[r#"
            4:9: an argument must be a table such as `{ u32 = 100 }`, not an integer
        "#]],
    );
    check(
        "args = [{ u32 = 'x' }]",
        expect![[r#"
            4:17: "x" is not a number: write a number, "nan", "inf", "-inf", or bits as "0x…"
        "#]],
    );
    check(
        "args = [{ u32 = 1.5 }]",
        expect![[r#"
            4:17: u32 takes integers, and 1.5 is not an integer
        "#]],
    );
    check(
        "args = [{ u8 = 256 }]",
        expect![[r#"
            4:16: 256 does not fit u8, whose range is 0 to 255
        "#]],
    );
    check(
        "args = [{ f32 = true }]",
        expect![[r#"
        4:17: `f32` must be a number, not a boolean
    "#]],
    );
    check(
        "args = [{ u8 = '0x100' }]",
        expect![[r#"
        4:16: 0x100 has more bits than u8
    "#]],
    );
    check(
        "args = [{ buffer = 'float', len = 1 }]",
        expect![[r#"
            4:20: `float` is not an element type: the types are `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `u64`, `s64`, `f16`, `bf16`, `f32`, `f64`, `b8`, `b16`, `b32`, `b64`, `i8`, `i16`, `i32`, `i64`
        "#]],
    );
    check(
        "args = [{ buffer = 'f32', len = 1, fill = 'ones' }]",
        expect![[r#"
            4:43: unknown fill `ones`: write "zero", "iota", "random", "uninitialized" or { value = … }
        "#]],
    );
    check(
        "args = [{ bytes = '0g' }]",
        expect![[r#"
            4:19: `bytes` takes hex digits, and `g` is not a hex digit
        "#]],
    );
    check(
        "args = [{ buffer = 'f32', len = 1, fill = { value = 'x' } }]",
        expect![[r#"
            4:53: "x" is not a number: write a number, "nan", "inf", "-inf", or bits as "0x…"
        "#]],
    );
    check(
        "expect = [{ name = 'y', values = [1], tolerance = -1 }]",
        expect![[r#"
            4:51: `tolerance` must be a non-negative number
        "#]],
    );
    check(
        "entry = 1979-05-27",
        expect![[r#"
        4:9: `entry` must be a string, not a date
    "#]],
    );
}

#[test]
fn what_is_missing_or_too_much() {
    check_as(
        "[[launch]]\nname = 'a'\n",
        Format::Toml,
        expect![[r#"
            1:1: this launch has no `file`, which launch files require
        "#]],
    );
    check_as(
        "[[launch]]\nfile = 'a'\n",
        Format::Toml,
        expect![[r#"
            1:1: this launch has no `name`, which launch files require
        "#]],
    );
    check(
        "args = [{ name = 'n' }]",
        expect![[r#"
            4:9: an argument needs a value: write one of `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `u64`, `s64`, `f16`, `bf16`, `f32`, `f64`, `b8`, `b16`, `b32`, `b64`, `i8`, `i16`, `i32`, `i64`, `bytes`, `buffer`, `alias`, `fields`, `tensormap`, `multimem`
        "#]],
    );
    check(
        "args = [{ u32 = 1, f32 = 1 }]",
        expect![[r#"
            4:20: `u32` and `f32` are mutually exclusive: remove one
        "#]],
    );
    check(
        "args = [{ u32 = 1, buffer = 'f32', len = 1 }]",
        expect![[r#"
            4:11: a buffer argument has no key `u32`: the keys are `name`, `buffer`, `len`, `fill`, `seed`, `values`, `bytes`, `file`, `uninitialized`, `offset`, `address`
        "#]],
    );
    check(
        "args = [{ buffer = 'f32' }]",
        expect![[r#"
        4:9: a buffer needs its contents, or a `len`: write one of `fill`, `values`, `bytes`, `file`
    "#]],
    );
    check(
        "args = [{ buffer = 'f32', fill = 'iota' }]",
        expect![[r#"
        4:34: a filled buffer needs a `len`: the number of its elements
    "#]],
    );
    check(
        "args = [{ buffer = 'f32', len = 2, fill = 'iota', seed = 2 }]",
        expect![[r#"
        4:58: `seed` belongs to `fill = "random"`: remove it, or fill with random
    "#]],
    );
    check(
        "args = [{ buffer = 'f32', fill = 'iota', values = [1] }]",
        expect![[r#"
            4:42: `fill` and `values` are mutually exclusive: remove one
        "#]],
    );
    check(
        "expect = [{ values = [1] }]",
        expect![[r#"
            4:11: an expectation names a buffer: write `name`
        "#]],
    );
}

#[test]
fn names() {
    check_as(
        "[[launch]]\nname = 'inferred'\nfile = 'k.ptx'\n",
        Format::Toml,
        expect![[r#"
            2:8: the name `inferred` is reserved for the inferred launch: choose another name
        "#]],
    );
    check_as(
        "[[launch]]\nname = 'a'\nfile = 'k.ptx'\n[[launch]]\nname = 'a'\nfile = 'l.ptx'\n[[launch]]\nname = 'a'\nfile = 'k.ptx'\n",
        Format::Toml,
        expect![[r#"
            {"name":"a","file":"k.ptx"}
            {"name":"a","file":"l.ptx"}
            8:8: duplicate launch name `a` in this file: rename one
        "#]],
    );
}

#[test]
fn what_has_no_key_is_named_in_words() {
    check_as(
        "[]",
        Format::Json,
        expect![[r#"
            1:1: a launch file must be a table, not a list
        "#]],
    );
    check(
        "args = [{ multimem = { buffer = 'u32', len = 4, replicas = [1] } }]",
        expect![[r#"
            4:61: a replica must be a table, not an integer
        "#]],
    );
}

#[test]
fn a_pattern_beyond_the_limits() {
    check_as(
        &format!("[[launch]]\nname = 'a'\nfile = '{}a{}'\n", "{".repeat(9), "}".repeat(9)),
        Format::Toml,
        expect![[r#"
            3:8: `file`: the pattern nests 9 braces; the limit is 8: write them side by side
        "#]],
    );
}

#[test]
fn one_bad_launch_leaves_the_others() {
    check_as(
        "[[launch]]\nname = 'a'\nfile = 'k.ptx'\ngrid = 1\n[[launch]]\nname = 'b'\nfile = 'k.ptx'\n",
        Format::Toml,
        expect![[r#"
            4:8: `grid` must be a list such as `[1]`, not an integer
            {"name":"b","file":"k.ptx"}
        "#]],
    );
}

#[test]
fn a_launch_object_needs_no_name() {
    let launch = launch_object(r#"{"grid":[2],"block":[8,8],"args":[{"u32":1}]}"#).unwrap();
    assert_eq!(launch.name, "2 x 8,8");
    assert!(launch_object(r#"{"file":"x.ptx"}"#).is_err());
}

#[test]
fn structures() {
    check(
        "args = [{ name = 's', fields = [{ at = 8, u32 = 1 }, { at = 16, buffer = 'f32', len = 2 }] }]",
        expect![[r#"
            {"name":"a","file":"k.ptx","args":[{"name":"s","fields":[{"at":8,"u32":1},{"at":16,"buffer":"f32","len":2,"fill":"zero"}]}]}
        "#]],
    );
}

#[test]
fn a_field_without_its_place() {
    check(
        "args = [{ fields = [{ u32 = 1 }] }]",
        expect![[r#"
            4:21: a field requires `at`, its byte offset in the parameter
        "#]],
    );
}

#[test]
fn structures_in_structures() {
    check(
        "args = [{ fields = [{ at = 0, fields = [] }] }]",
        expect![[r#"
            4:21: fields cannot be nested: give byte offsets from the start of the parameter
        "#]],
    );
}

#[test]
fn multimem_arguments() {
    let args = |replicas: &str| {
        format!("args = [{{ multimem = {{ buffer = 'u32', len = 4, replicas = [{replicas}] }} }}]")
    };
    check(
        &args("{ fill = 'iota' }, { len = 1, values = [5] }"),
        expect![[r#"
        {"name":"a","file":"k.ptx","args":[{"multimem":{"buffer":"u32","replicas":[{"len":4,"fill":"iota"},{"values":[5]}]}}]}
    "#]],
    );
    check(
        &args(""),
        expect![[r#"
        4:60: a multimem address stands for at least one replica: `replicas` is empty
    "#]],
    );
    check(
        &args("{ buffer = 'u8' }"),
        expect![[r#"
        4:63: a replica has no `buffer`: replicas have the type of the argument, and its name with a number, `m#0`
    "#]],
    );
    check(
        &args("{ values = [1] }"),
        expect![[r#"
        4:46: `len` is 4, but `values` has 1 elements of u32: remove `len`, or make them agree
    "#]],
    );
    check(
        "args = [{ multimem = { buffer = 'u32', len = -1, replicas = [{ len = 1, fill = 'zero' }] } }]",
        expect![[r#"
            4:46: `len` must be between 0 and 4294967295, not -1
        "#]],
    );
    check(
        "args = [{ multimem = { buffer = 'u32', len = 4 } }]",
        expect![[r#"
        4:22: a multimem argument has replicas: write `replicas`
    "#]],
    );
}

#[test]
fn parts_and_addresses_of_buffers() {
    check(
        "args = [
          { buffer = 'f32', len = 8, fill = 'uninitialized' },
          { buffer = 'u8', file = 'x.bin', uninitialized = [[0, 4], [8, 16]], offset = 4 },
          { alias = 'x', offset = 12 },
          { buffer = 'u64', values = [268439552], address = 268435456 },
          { tensormap = { buffer = { buffer = 'f16', len = 64, fill = 'uninitialized' }, offset = 16, dims = [8], box = [8] } }]
        expect = [{ name = 'x', file = 'after.bin' }]",
        expect![[r#"
            {"name":"a","file":"k.ptx","args":[{"buffer":"f32","len":8,"fill":"uninitialized"},{"buffer":"u8","file":"x.bin","uninitialized":[[0,4],[8,16]],"offset":4},{"alias":"x","offset":12},{"buffer":"u64","values":[268439552],"address":268435456},{"tensormap":{"buffer":{"buffer":"f16","len":64,"fill":"uninitialized"},"offset":16,"dims":[8],"box":[8]}}],"expect":[{"name":"x","file":"after.bin"}]}
        "#]],
    );
}

#[test]
fn parts_and_addresses_out_of_place() {
    let wrong = |argument: &str, expect: Expect| check(&format!("args = [{argument}]"), expect);
    wrong(
        "{ buffer = 'u8', len = 4, uninitialized = [[4]] }",
        expect![[r#"
        4:52: a range of `uninitialized` is two offsets in bytes, `[start, end]`
    "#]],
    );
    wrong(
        "{ buffer = 'u8', len = 4, uninitialized = [0, 4] }",
        expect![[r#"
        4:52: `uninitialized` must be a list such as `[0]`, not an integer
    "#]],
    );
    wrong(
        "{ buffer = 'u8', len = 4, offset = -1 }",
        expect![[r#"
        4:44: `offset` must be between 0 and 4294967295, not -1
    "#]],
    );
    wrong(
        "{ buffer = 'u8', len = 4, address = 4096 }",
        expect![[r#"
        4:45: `address` must be between 268435456 and 4294967040, not 4096
    "#]],
    );
    wrong(
        "{ u64 = 4, offset = 1 }",
        expect![[r#"
        4:20: an argument has no key `offset`: the keys are `name`, `u8`, `s8`, `u16`, `s16`, `u32`, `s32`, `u64`, `s64`, `f16`, `bf16`, `f32`, `f64`, `b8`, `b16`, `b32`, `b64`, `i8`, `i16`, `i32`, `i64`, `bytes`, `buffer`, `alias`, `fields`, `tensormap`, `multimem`
    "#]],
    );
    wrong(
        "{ alias = 'x', address = 268435456 }",
        expect![[r#"
        4:24: an alias argument has no key `address`: the keys are `name`, `alias`, `offset`
    "#]],
    );
    wrong(
        "{ tensormap = { buffer = { buffer = 'u8', len = 4, offset = 0 }, dims = [4], box = [4] } }",
        expect![[r#"
            4:69: `offset` is a key of the tensor map, not of its buffer: move it there
        "#]],
    );
    wrong(
        "{ multimem = { buffer = 'u8', len = 4, replicas = [{ fill = 'uninitialized' }] } }",
        expect![[r#"
        4:69: a replica cannot be uninitialized: the values of replicas are read together, which is not checked: fill with zero
    "#]],
    );
    wrong(
        "{ multimem = { buffer = 'u8', len = 4, replicas = [{ fill = 'zero', address = 268435456 }] } }",
        expect![[r#"
            4:77: a replica has no `address`: the multimem address stands for the same offset in all replicas
        "#]],
    );
    wrong(
        "{ multimem = { buffer = 'u8', len = 4, replicas = [{ fill = 'zero', uninitialized = [[0, 1]] }] } }",
        expect![[r#"
            4:77: a replica has no `uninitialized`: its values are read together with those of others, which is not checked
        "#]],
    );
}
