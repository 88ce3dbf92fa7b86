//! Mismatched calls, each with its messages.

use expect_test::{Expect, expect};

use crate::tests;

/// A kernel with these calls, after functions to call and before nothing else.
fn check(calls: &str, expect: Expect) {
    let module = format!(
        "\
.version 8.0
.target sm_90
.func none();
.func (.param .b32 r) one(.param .b32 a);
.func (.param .b64 r) two(.param .b32 a, .param .b64 b);
.func (.reg .f32 r) float(.reg .f32 a);
.func block(.param .align 8 .b8 a[16]);
.entry other() {{ ret; }}
.global .u64 table[2] = {{one, one}};
.global .u32 variable;
.entry k(.param .b32 own) {{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .u32 %u; .reg .f32 %f<4>; .reg .pred %p;
    .param .b32 p; .param .b64 q; .param .align 4 .b8 small[16]; .param .align 8 .b8 large[32]; .local .b32 l;
    mov.b64 %rd1, one; st.local.b32 [l], 0; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %u, 0; mov.b32 %f1, 0; setp.eq.b32 %p, %r1, 0;
proto: .callprototype (.param .b32 _) _ (.param .b32 _);
list: .calltargets one;
{calls}
    ret;
}}
"
    );
    tests::check(&module, expect);
}

#[test]
fn numbers_of_arguments() {
    check(
        "\
    call none;
    call none, (p);
    call (p), one;
    call one, (p);
    call (p), one, (p, p);
    call (p, p), one, (p);",
        expect![[r#"
            18:`none` Error invalid-call: `none` takes 0 arguments; the call has 1
            19:`one` Error invalid-call: `one` takes 1 argument; the call has 0
            20:`one` Error invalid-call: `one` returns 1 value; the call has 0
            21:`one` Error invalid-call: `one` takes 1 argument; the call has 2
            22:`one` Error invalid-call: `one` returns 1 value; the call has 2
        "#]],
    );
}

#[test]
fn types_and_alignments() {
    check(
        "\
    call (p), one, (q);
    call (q), one, (%r1);
    call (%rd1), two, (1, %rd1);
    call (q), two, (%r1, %r2);
    call (%f1), float, (%f1);
    call (%f1), float, (%u);
    call (%f1), float, (1);
    call (%f1), float, (1.0);
    call block, (small);
    call block, (large);
    call block, (%rd1);
    call (p), one, (_);
    call (_), one, (p);",
        expect![[r#"
            17:`q` Error invalid-call: `q` is `.b64`; the parameter `a` of `one` is `.b32`
            18:`q` Error invalid-call: `q` is `.b64`; the result `r` of `one` is `.b32`
            20:`%r2` Error invalid-call: `%r2` is `.b32`; the parameter `b` of `two` is `.b64`
            22:`%u` Error invalid-call: `%u` is `.u32`; the parameter `a` of `float` is `.f32`
            23:`(1)` Error invalid-call: the parameter `a` of `float` is `.f32` and does not accept an integer
            25:`small` Error invalid-call: `small` is aligned to 4 bytes, the parameter `a` of `block` to 8; declare it with `.align 8`
            26:`large` Error invalid-call: `large` is `.b8[32]`; the parameter `a` of `block` is `.b8[16]`
            27:`%rd1` Error invalid-call: `%rd1` is `.b64`; the parameter `a` of `block` is `.b8[16]`
            28:`(_)` Error invalid-call: the parameter `a` of `one` needs a value, not `_`
        "#]],
    );
}

#[test]
fn what_cannot_be_an_argument() {
    check(
        "\
    call (p), one, (own);
    call (p), one, (l);
    call (p), one, (%tid.x);",
        expect![[r#"
            17:`own` Error invalid-call: `own` is a parameter of the caller; copy it to a local `.param` variable
            18:`l` Error invalid-call: `l` is not a valid argument; pass a `.param` variable or a register
            19:`%tid` Error invalid-call: an argument must be a register, a number or a `.param` variable
        "#]],
    );
}

#[test]
fn what_cannot_be_called() {
    check(
        "\
    call other;
    call variable;
    call %rd1;
    call (p), %f1, (p), proto;
    call (p), %rd1, (p), variable;
    call (p), one, (p), proto;",
        expect![[r#"
            17:`other` Error invalid-call: `other` is a kernel; only functions can be called
            18:`variable` Error invalid-call: `variable` is a variable; load the address into a register and call the register
            19:`%rd1` Error invalid-call: an indirect call needs a `.callprototype`, a `.calltargets` or a table of functions
            20:`%f1` Error invalid-call: a `.f32` register cannot hold an address; use a `.b64` register
            21:`variable` Error invalid-call: `variable` is not an array of addresses (`.u64` or `.u32`), so it cannot list functions
            22:`proto` Error invalid-call: a direct call does not take a prototype or table; remove it
        "#]],
    );
}

#[test]
fn calls_through_an_address() {
    check(
        "\
    call (p), %rd1, (p), proto;
    call (p), %rd1, (q), proto;
    call (p), %rd1, (p), list;
    call (p), %rd1, (p, p), list;
    call (p), %rd1, (p), table;
    call %rd1, (p), table;",
        expect![[r#"
            18:`q` Error invalid-call: `q` is `.b64`; the parameter of the prototype is `.b32`
            20:`%rd1` Error invalid-call: `one` takes 1 argument; the call has 2
            22:`%rd1` Error invalid-call: `one` returns 1 value; the call has 0
        "#]],
    );
}

#[test]
fn tables_of_functions() {
    crate::tests::check(
        "\
.version 8.0
.target sm_80
.func g() { ret; }
.global .u64 right[2] = {g, g};
.const .u64 constant[] = {g};
.shared .u64 shared[1];
.global .u64 empty[2];
.global .u64 nested[1][1] = {{g}};
.entry k(.param .u64 parameter[2]) {
    .reg .b64 %rd1;
    .local .u64 local[1];
    .global .u64 own[1] = {g};
    .global .b64 bits[1];
    mov.u64 %rd1, g;
    call %rd1, right;
    call %rd1, constant;
    call %rd1, own;
    call %rd1, shared;
    call %rd1, local;
    call %rd1, parameter;
    call %rd1, empty;
    call %rd1, nested;
    call %rd1, bits;
    ret;
}
",
        expect![[r#"
            18:`shared` Error invalid-call: `shared` is in `.shared`; a table of functions must be in `.const` or `.global`
            19:`local` Error invalid-call: `local` is in `.local`; a table of functions must be in `.const` or `.global`
            20:`parameter` Error invalid-call: a parameter does not list functions; use a `.callprototype` or `.calltargets`
            21:`empty` Error invalid-call: `empty` lists no functions; initialize it with the functions that the call can reach
            22:`nested` Error invalid-call: `nested` is not an array of addresses (`.u64` or `.u32`), so it cannot list functions
            23:`bits` Error invalid-call: `bits` is not an array of addresses (`.u64` or `.u32`), so it cannot list functions
        "#]],
    );
}
