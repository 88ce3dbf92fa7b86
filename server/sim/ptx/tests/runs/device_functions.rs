//! Functions of the device runtime: printing, `malloc`, `free` and assertions.

use crate::common::watched::findings_of_text;
use crate::common::{Source, words};
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, Limits, RunOptions, RunResult};

const DECLARATIONS: &str = r#".version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 list);
.extern .func (.param .b64 r) malloc (.param .b64 size);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c) .noreturn;
"#;

/// Runs a body with two lanes; `%r1` is the lane, `%rd1` a buffer of 64 bytes.
fn run_body(module: &str, body: &str, limits: Limits) -> (RunResult, Vec<u32>) {
    let text = format!(
        "{DECLARATIONS}{module}\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<9>; .reg .b32 %r<20>; \
         .reg .b64 %rd<20>; .reg .f64 %fd<9>; .local .align 8 .b8 args[64];\n.param .b64 a; .param .b64 b; \
         .param .b32 c; .param .b64 d; .param .b64 e; .param .b32 r; .param .b64 q;\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let program = Source::new(&text).program("k");
    let mut config = launch_config([1; 3], [2, 1, 1]);
    let out = config.memory.allocate("out", 64).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { limits, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let contents = words(result.memory.bytes(out, 64).expect("the buffer"));
    (result, contents)
}

fn check(module: &str, body: &str, expected: Expect) {
    let (result, _) = run_body(module, body, Limits::default());
    let mut text = format!("{}\n{}", result.status.as_str(), result.output.text);
    for finding in &result.findings {
        text += &format!("{} {:x}: {}\n", finding.kind, finding.lanes, finding.message);
    }
    expected.assert_eq(&text);
}

const PRINT: &str = "st.local.u32 [args], %r1;\nmov.f64 %fd1, 0d3FF8000000000000;\nst.local.f64 [args+8], %fd1;\n\
    mov.u64 %rd2, word;\ncvta.global.u64 %rd2, %rd2;\nst.local.u64 [args+16], %rd2;\n\
    mov.u64 %rd3, format;\ncvta.global.u64 %rd3, %rd3;\nst.param.b64 [a], %rd3;\n\
    mov.u64 %rd4, args;\ncvta.local.u64 %rd4, %rd4;\nst.param.b64 [b], %rd4;\n\
    call.uni (r), vprintf, (a, b);\nld.param.b32 %r2, [r];\n";

const TEXTS: &str = ".global .align 1 .b8 word[6] = {119, 111, 114, 108, 100};\n\
    .global .align 1 .b8 format[12] = {37, 100, 32, 37, 103, 32, 37, 115, 10};";

#[test]
fn printing_goes_lane_by_lane() {
    check(
        TEXTS,
        PRINT,
        expect![[r#"
            finished
            0 1.5 world
            1 1.5 world
        "#]],
    );
}

#[test]
fn printing_returns_the_number_of_arguments() {
    let body =
        format!("{PRINT}mul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd1, %rd1, %rd5;\nst.global.u32 [%rd1], %r2;");
    assert_eq!(run_body(TEXTS, &body, Limits::default()).1[..3], [3, 3, 0]);
}

#[test]
fn a_guarded_call_prints_in_the_executing_lanes() {
    let body = format!("setp.eq.u32 %p1, %r1, 1;\n{}", PRINT.replace("call.uni", "@%p1 call"));
    check(
        TEXTS,
        &body,
        expect![[r#"
            finished
            1 1.5 world
        "#]],
    );
}

#[test]
fn output_is_bounded() {
    let limits = Limits { max_output: 5, ..Limits::default() };
    let (result, _) = run_body(TEXTS, PRINT, limits);
    assert_eq!((result.output.text.as_str(), result.output.truncated), ("0 1.5", true));
}

#[test]
fn a_format_that_is_not_text() {
    check(
        TEXTS,
        &PRINT.replace("st.param.b64 [a], %rd3;", "st.param.b64 [a], 16;"),
        expect![[r#"
            faulted
            null-pointer 1: Null pointer: load at address 0x10
            pass a buffer in the launch, or test the pointer first
        "#]],
    );
}

const ALLOCATE: &str = "st.param.b64 [a], 24;\ncall.uni (q), malloc, (a);\nld.param.b64 %rd2, [q];\n";
const FREE: &str = "st.param.b64 [a], %rd2;\ncall.uni free, (a);\n";

#[test]
fn every_lane_has_its_own_block() {
    let body = format!(
        "{ALLOCATE}add.u32 %r2, %r1, 7;\nst.u32 [%rd2+20], %r2;\nld.u32 %r3, [%rd2+20];\nmul.wide.u32 %rd5, %r1, 4;\n\
         add.u64 %rd1, %rd1, %rd5;\nst.global.u32 [%rd1], %r3;\n{FREE}"
    );
    let (result, words) = run_body("", &body, Limits::default());
    assert_eq!((result.findings, &words[..3]), (vec![], &[7, 8, 0][..]));
}

#[test]
fn a_new_block_has_no_values() {
    let body = |store: &str, space: &str| {
        format!(
            "{DECLARATIONS}.visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n.param .b64 a; .param .b64 q;\n\
             ld.param.u64 %rd1, [out];\n{ALLOCATE}{store}\nld{space}.u32 %r3, [%rd2+8];\nst.global.u32 [%rd1], %r3;\nret;\n}}\n"
        )
    };
    for space in ["", ".global"] {
        let found = findings_of_text(&body("st.u32 [%rd2+4], 7;", space));
        assert!(
            found.contains("Uninitialized read: `malloc #1[2]` (global), before any thread writes it"),
            "{found}"
        );
        let found = findings_of_text(&body("st.v4.u32 [%rd2], {7, 7, 7, 7};", space));
        assert!(!found.contains("uninitialized-read"), "{found}");
    }
}

#[test]
fn a_freed_block() {
    check(
        "",
        &format!("{ALLOCATE}{FREE}ld.u32 %r2, [%rd2];"),
        expect![[r#"
            faulted
            use-after-free 3: Use after free: load of 4 bytes in `malloc #1`
            free it after its last use
        "#]],
    );
    check(
        "",
        &format!("{ALLOCATE}{FREE}{FREE}"),
        expect![[r#"
            faulted
            double-free 1: Double free: address 0x10000200, which was freed before
            free each block once
        "#]],
    );
    check(
        "",
        &format!("{ALLOCATE}add.u64 %rd2, %rd2, 8;\n{FREE}"),
        expect![[r#"
            faulted
            bad-free 1: Invalid free: address 0x10000208, which `malloc` did not return
            free only the start of a block
        "#]],
    );
    check(
        "",
        &format!("{ALLOCATE}ld.u32 %r2, [%rd2+24];"),
        expect![[r#"
            faulted
            out-of-bounds 3: Out of bounds: `malloc #1[6]` is beyond `malloc #1`, which has 6 elements
            `malloc #1` has 24 bytes, this load of 4 bytes needs 28; guard the access, or make the buffer larger
        "#]],
    );
}

#[test]
fn a_full_heap_returns_a_null_pointer() {
    let (result, words) = run_body(
        "",
        &format!("{}st.global.u64 [%rd1], %rd2;\n{FREE}", ALLOCATE.replace("24", "1000000000000")),
        Limits::default(),
    );
    assert_eq!((result.findings, words[0]), (vec![], 0));
}

#[test]
fn a_failed_assertion() {
    let module = ".global .align 1 .b8 text[6] = {120, 32, 62, 32, 48};\n.global .align 1 .b8 file[5] = {107, 46, 99, 117};\n\
        .global .align 1 .b8 name[2] = {102};";
    let body = "setp.eq.u32 %p1, %r1, 1;\nmov.u64 %rd2, text;\ncvta.global.u64 %rd2, %rd2;\nst.param.b64 [a], %rd2;\n\
        mov.u64 %rd2, file;\ncvta.global.u64 %rd2, %rd2;\nst.param.b64 [b], %rd2;\nst.param.b32 [c], 12;\n\
        mov.u64 %rd2, name;\ncvta.global.u64 %rd2, %rd2;\nst.param.b64 [d], %rd2;\nst.param.b64 [e], 1;\n\
        @%p1 call __assertfail, (a, b, c, d, e);";
    check(
        module,
        body,
        expect![[r#"
            faulted
            assertion 2: Assertion failed: `x > 0` (k.cu:12, in `f`)
        "#]],
    );
}
