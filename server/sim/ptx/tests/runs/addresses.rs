//! Addresses of all kinds: variables, functions, the stack, and the generic space.

use crate::common::{run_kernel, words};
use expect_test::expect;
use warplens_sim_ptx::Model;
use warplens_sim_warp::{FindingKind, Status};

/// Runs kernel `k` of a module (without its header) with 32 threads; returns the words of its buffer.
fn words_of(module: &str) -> Vec<u32> {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{module}");
    let (_, _, result, bytes) = run_kernel(&text, 32, 128, Model::Stack);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    words(&bytes)
}

/// A kernel in which every thread stores `%v` after `body`.
fn each_thread(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<9>; .reg .b32 %t, %v, %r<9>; .reg .b64 %o, %a, %rd<9>;\n\
         mov.u32 %t, %tid.x;\n{body}\nld.param.u64 %o, [out];\nmul.wide.u32 %a, %t, 4;\nadd.u64 %o, %o, %a;\n\
         st.global.u32 [%o], %v;\nret;\n}}\n"
    )
}

#[test]
fn a_divergent_call_through_a_table_of_functions() {
    let functions = ".func (.param .u32 r) twice(.param .u32 n) {
.reg .u32 %x; ld.param.u32 %x, [n]; shl.b32 %x, %x, 1; st.param.u32 [r], %x; ret; }
.func (.param .u32 r) square(.param .u32 n) {
.reg .u32 %x; ld.param.u32 %x, [n]; mul.lo.u32 %x, %x, %x; st.param.u32 [r], %x; ret; }
.global .u64 table[2] = {twice, square};
";
    let body = "and.b32 %r1, %t, 1;
mul.wide.u32 %rd1, %r1, 8;
mov.u64 %rd2, table;
add.u64 %rd2, %rd2, %rd1;
ld.global.u64 %rd3, [%rd2];
{ .param .u32 argument; .param .u32 result;
PROTOTYPE: .callprototype (.param .u32 _) _ (.param .u32 _);
st.param.u32 [argument], %t;
call (result), %rd3, (argument), PROTOTYPE;
ld.param.u32 %v, [result]; }";
    let expected: Vec<u32> = (0..32).map(|lane| if lane % 2 == 0 { 2 * lane } else { lane * lane }).collect();
    assert_eq!(words_of(&format!("{functions}{}", each_thread(body))), expected);
}

#[test]
fn every_thread_has_its_own_stack() {
    // Each call stores its argument in a local array and passes the array's generic address to a helper.
    let functions = ".func (.reg .u32 r) sum(.reg .u64 p) {
.reg .u32 %x, %y; ld.u32 %x, [p]; ld.u32 %y, [p+4]; add.u32 r, %x, %y; ret; }
.func (.reg .u32 r) down(.reg .u32 n) {
.local .align 8 .b8 pair[8];
.reg .pred %p; .reg .u32 %m, %s; .reg .u64 %a;
mov.u32 r, 0;
setp.eq.u32 %p, n, 0;
@%p ret;
mov.u64 %a, pair;
cvta.local.u64 %a, %a;
sub.u32 %m, n, 1;
call (%s), down, (%m);
st.local.u32 [pair], n;
st.u32 [%a+4], %s;
call (r), sum, (%a);
ret; }
";
    let body = "and.b32 %r1, %t, 7;\ncall (%v), down, (%r1);";
    let expected: Vec<u32> = (0..32u32).map(|lane| (0..=lane % 8).sum()).collect();
    assert_eq!(words_of(&format!("{functions}{}", each_thread(body))), expected);
}

#[test]
fn initial_values_have_the_written_layout() {
    let module = ".const .align 4 .b8 bytes[6] = {1, 2, 3};
.global .u32 grid[2][3] = {{1, 2}, {4, 5, 6}};
.global .f32 pi = 0f40490FDB;
.global .u64 inside = grid + 16;
.global .v2 .u32 pair = {8, 9};
";
    let body = "ld.const.u8 %r1, [bytes+2];
ld.global.u32 %r2, [grid+12];
ld.global.u32 %r3, [pi];
ld.global.u64 %rd1, [inside];
ld.global.u32 %r4, [%rd1];
ld.global.u32 %r5, [pair+4];
ld.const.u8 %r6, [bytes+3];
setp.eq.u32 %p1, %t, 0; selp.u32 %v, %r1, 0, %p1;
setp.eq.u32 %p1, %t, 1; selp.u32 %v, %r2, %v, %p1;
setp.eq.u32 %p1, %t, 2; selp.u32 %v, %r3, %v, %p1;
setp.eq.u32 %p1, %t, 3; selp.u32 %v, %r4, %v, %p1;
setp.eq.u32 %p1, %t, 4; selp.u32 %v, %r5, %v, %p1;
setp.eq.u32 %p1, %t, 5; selp.u32 %v, %r6, %v, %p1;";
    assert_eq!(words_of(&format!("{module}{}", each_thread(body)))[..6], [3, 4, 0x4049_0fdb, 5, 9, 0]);
}

#[test]
fn generic_addresses_select_their_space() {
    let body = ".shared .u32 s[32];
.local .u32 l;
mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1;
mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2;
ld.param.u64 %rd3, [out];
isspacep.shared %p1, %rd1; isspacep.local %p2, %rd1;
isspacep.local %p3, %rd2; isspacep.global %p4, %rd3; isspacep.shared %p5, %rd3;
mul.wide.u32 %rd4, %t, 4; add.u64 %rd1, %rd1, %rd4;
st.u32 [%rd1], %t;
st.u32 [%rd2], 100;
ld.shared.u32 %r1, [s+4];
ld.local.u32 %r2, [l];
add.u32 %v, %r1, %r2;
@%p1 add.u32 %v, %v, 1000; @%p2 add.u32 %v, %v, 2000; @%p3 add.u32 %v, %v, 4000;
@%p4 add.u32 %v, %v, 8000; @%p5 add.u32 %v, %v, 16000;";
    assert_eq!(words_of(&each_thread(body))[5], 1000 + 4000 + 8000 + 101);
}

#[test]
fn module_local_variables_are_per_thread() {
    let text = ".version 2.3\n.target sm_20\n.address_size 64\n.local .u32 mine[2];\n\
        .func step () { .reg .u32 %r<3>; ld.local.u32 %r1, [mine+4]; add.u32 %r1, %r1, 100; st.local.u32 [mine+4], %r1; ret; }\n\
        .entry k(.param .u64 out) { .reg .u32 %r<4>; .reg .u64 %rd<4>; .local .u32 other;\n\
        mov.u32 %r1, %tid.x; mov.u64 %rd1, mine; st.local.u32 [other], 7; st.local.u32 [%rd1+4], %r1; call step, ();\n\
        ld.local.u32 %r2, [mine+4]; ld.param.u64 %rd2, [out]; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;\n\
        st.global.u32 [%rd2], %r2; ret; }\n";
    let (_, _, result, bytes) = run_kernel(text, 32, 128, Model::Stack);
    assert_eq!(result.findings, []);
    assert_eq!(crate::common::words(&bytes)[..4], [100, 101, 102, 103]);
}

#[test]
fn a_call_to_an_invalid_address_faults() {
    let body = "cvt.u64.u32 %rd1, %t;\nP: .callprototype _ ();\ncall %rd1, (), P;\nmov.u32 %v, 0;";
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", each_thread(body));
    let (_, _, result, _) = run_kernel(&text, 32, 128, Model::Stack);
    expect![[r#"
        Invalid call target: address 0x0 is not a function
        use `mov` to get a function's address"#]]
    .assert_eq(&result.findings[0].message);
    assert_eq!((result.status, result.findings[0].kind), (Status::Faulted, FindingKind::CallTarget));
}
