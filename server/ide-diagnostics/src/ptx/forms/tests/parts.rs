//! Elements in braces, and parts of registers. The verdicts are those of ptxas 13.5.

use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};
use warplens_ide_db::Severity;

/// What is found in each line by itself, in a kernel for Blackwell.
fn check(lines: &str, expect: Expect) {
    let found: Vec<_> = lines.lines().map(|line| format!("{line}\n{}", found(line))).collect();
    expect.assert_eq(&found.concat());
}

fn found(statement: &str) -> String {
    let (fixture, analysis) = open(&format!(
        ".version 9.3
.target sm_100a
.address_size 64
.shared .align 128 .b8 s[4096]; .global .b32 g; .global .v4 .b32 v;
.func (.param .b32 r) f(.param .b32 a);
.visible .entry k() {{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .s32 %s<4>; .reg .f32 %f<5>; .reg .b64 %rd<9>; .reg .b128 %q<2>;
{statement}
ret;
}}
"
    ));
    let errors = analysis.diagnostics(FILE).unwrap().into_iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    errors
        .map(|found| format!("    {} {}: {}\n", fixture.show(found.range), found.code, found.message))
        .collect()
}

#[test]
fn one_element_in_braces() {
    check(
        "\
mov.b32 {%r1}, %r2;
mov.b64 %rd1, {%rd2};
mov.b16 %h1, {%h2};
mov.b32 %r1, {%f1};
mov.b128 {%q1}, %q0;
mov.b32 %r1, {%tid.x};
mov.u32 %r1, {%r2};
mov.b32 {%h1}, %r2;
add.s32 %r1, {%r2}, %r3;",
        expect![[r#"
            mov.b32 {%r1}, %r2;
            mov.b64 %rd1, {%rd2};
            mov.b16 %h1, {%h2};
            mov.b32 %r1, {%f1};
            mov.b128 {%q1}, %q0;
            mov.b32 %r1, {%tid.x};
            mov.u32 %r1, {%r2};
                8:`{%r2}` operand-kind: these are registers in braces; `mov.u32` takes a register, a special register, a constant or a variable or function here
            mov.b32 {%h1}, %r2;
                8:`{%h1}` operand-kind: these are registers in braces; `mov.b32` takes a register here
            add.s32 %r1, {%r2}, %r3;
                8:`{%r2}` operand-kind: these are registers in braces; `add.s32` takes a register or a constant here
        "#]],
    );
}

#[test]
fn variables_among_registers() {
    check(
        "\
mov.b64 %rd1, {g, %r1};
mov.b64 %rd1, {g, g};
mov.v2.u32 {%r1, %r2}, {g, %r3};
mov.b128 %q1, {g, %r1, %r2, %r3};
mov.b64 %rd1, {s, %r1};
mov.b64 %rd1, {g+4, %r1};
mov.b128 %q1, {g, %rd1};
mov.b32 %r1, {g, %h1};
mov.b64 %rd1, {%tid, %r1};",
        expect![[r#"
            mov.b64 %rd1, {g, %r1};
            mov.b64 %rd1, {g, g};
            mov.v2.u32 {%r1, %r2}, {g, %r3};
            mov.b128 %q1, {g, %r1, %r2, %r3};
            mov.b64 %rd1, {s, %r1};
                8:`{s, %r1}` operand-kind: these are registers in braces; `mov.b64` takes a register, a special register, a constant or a variable or function here
            mov.b64 %rd1, {g+4, %r1};
                8:`{g+4, %r1}` operand-kind: these are registers in braces; `mov.b64` takes a register, a special register, a constant or a variable or function here
            mov.b128 %q1, {g, %rd1};
                8:`{g, %rd1}` operand-kind: these are registers in braces; `mov.b128` takes a register, a constant or a variable or function here
            mov.b32 %r1, {g, %h1};
                8:`{g, %h1}` operand-kind: these are registers in braces; `mov.b32` takes a register, a special register, a constant or a variable or function here
            mov.b64 %rd1, {%tid, %r1};
                8:`{%tid, %r1}` operand-kind: these are registers in braces; `mov.b64` takes a register, a special register, a constant or a variable or function here
        "#]],
    );
}

#[test]
fn special_registers_in_place_of_others() {
    check(
        "\
@%laneid mov.b32 %r1, 1;
@!%tid mov.b32 %r1, 1;
@%is_explicit_cluster mov.b32 %r1, 1;
setp.eq.and.u32 %p1, %r1, 1, !%laneid;
vote.sync.all.pred %p1, !g, -1;
mov.b32 %r1, {%laneid, %laneid};
mov.b64 %rd1, {%laneid, %warpid};
mov.b64 %rd1, {%clock64, %clock64};
st.global.v2.b16 [g], {%laneid, %laneid};
st.global.v2.b64 [g], {%laneid, %laneid};
ld.shared.b32 %r1, [%tid];
ld.shared.b32 %r1, [%laneid];
ld.shared.b32 %r1, [%is_explicit_cluster];",
        expect![[r#"
            @%laneid mov.b32 %r1, 1;
                8:`%laneid` operand-type: a guard must be a predicate register; `%laneid` is a special register
            @!%tid mov.b32 %r1, 1;
                8:`%tid` operand-type: a guard must be a predicate register; `%tid` is a special register
            @%is_explicit_cluster mov.b32 %r1, 1;
            setp.eq.and.u32 %p1, %r1, 1, !%laneid;
                8:`!%laneid` operand-kind: `setp.eq.and.u32` cannot read a special register; copy `%laneid` to a register with `mov` first
            vote.sync.all.pred %p1, !g, -1;
                8:`g` operand-kind: `g` is a variable; `vote.sync.all.pred` takes a predicate, a negated predicate `!p` or a constant here
            mov.b32 %r1, {%laneid, %laneid};
                8:`{%laneid, %laneid}` operand-kind: these are registers in braces; `mov.b32` takes a register, a special register, a constant or a variable or function here
            mov.b64 %rd1, {%laneid, %warpid};
            mov.b64 %rd1, {%clock64, %clock64};
                8:`{%clock64, %clock64}` operand-kind: these are registers in braces; `mov.b64` takes a register, a special register, a constant or a variable or function here
            st.global.v2.b16 [g], {%laneid, %laneid};
            st.global.v2.b64 [g], {%laneid, %laneid};
                8:`{%laneid, %laneid}` operand-type: `%laneid` has another size than `.b64`; read it with a type of its size and convert it with `cvt`
            ld.shared.b32 %r1, [%tid];
                8:`[%tid]` vector-length: `%tid` is a vector; write a component, such as `%tid.x`
            ld.shared.b32 %r1, [%laneid];
            ld.shared.b32 %r1, [%is_explicit_cluster];
                8:`%is_explicit_cluster` operand-type: `%is_explicit_cluster` is `.pred`; an address must be an integer or bits, at most 64 wide, such as `.u64` or `.b64`
        "#]],
    );
}

#[test]
fn addresses_of_32_bits() {
    check(
        "\
mov.b32 %r1, g;
mov.u32 %r1, s;
mov.u32 %r1, g+4;
mov.u32 %r1, v[0];
mov.u32 %r1, s[4];
ld.global.b32 %r1, g[0];
cvta.shared.u32 %r1, s;
cvta.to.global.u32 %r1, %r2;
cvta.to.global.u64 %rd1, %rd2;",
        expect![[r#"
            mov.b32 %r1, g;
                8:`g` operand-type: the address of `g` has 64 bits, as set by `.address_size`; write `mov.b64`
            mov.u32 %r1, s;
            mov.u32 %r1, g+4;
            mov.u32 %r1, v[0];
                8:`v[0]` operand-kind: `v` is not an array; write an address with an offset instead of the index
            mov.u32 %r1, s[4];
            ld.global.b32 %r1, g[0];
                8:`g[0]` operand-kind: `g` is not an array; write an address with an offset instead of the index
            cvta.shared.u32 %r1, s;
                8:`s` operand-type: the address of `s` has 64 bits, as set by `.address_size`; write `cvta.shared.u64`
            cvta.to.global.u32 %r1, %r2;
                8:`%r2` operand-type: `%r2` is `.b32`; the addresses of `cvta.to.global.u32` have 64 bits, as set by `.address_size`
            cvta.to.global.u64 %rd1, %rd2;
        "#]],
    );
}

#[test]
fn constant_expressions_beside_names() {
    check(
        "\
ld.shared.b32 %r1, [%r2+1<<3];
ld.shared.b32 %r1, [s+1?4:8];
mov.b64 %rd1, g+4|2;
add.s32 %r1, %r2, ((4));
ld.local.b32 %r1, [(4)];
ld.shared.b32 %r1, [%r2*4];
ld.shared.b32 %r1, [%r2+4<<%r3];
ld.shared.b32 %r1, [%r2-4<<1];
ld.shared.b32 %r1, [%r2+.version];
ld.shared.b32 %r1, s[.version];",
        expect![[r#"
            ld.shared.b32 %r1, [%r2+1<<3];
            ld.shared.b32 %r1, [s+1?4:8];
            mov.b64 %rd1, g+4|2;
            add.s32 %r1, %r2, ((4));
            ld.local.b32 %r1, [(4)];
            ld.shared.b32 %r1, [%r2*4];
                8:`%r2*4` invalid-operand: an operand can add only constants to a name; compute the sum with an instruction
            ld.shared.b32 %r1, [%r2+4<<%r3];
                8:`%r2+4<<%r3` invalid-operand: an operand can add only constants to a name; compute the sum with an instruction
            ld.shared.b32 %r1, [%r2-4<<1];
                8:`-` invalid-operand: an offset cannot be subtracted from a name; write `+-`
            ld.shared.b32 %r1, [%r2+.version];
                8:`.version` syntax-error: unexpected `.version`: expected a value
            ld.shared.b32 %r1, s[.version];
                8:`.version` syntax-error: unexpected `.version`: expected a value
        "#]],
    );
}

#[test]
fn only_registers_have_components() {
    check(
        "\
mov.b64 %rd1, v;
mov.b32 %r1, v.x;
mov.b64 %rd1, g.x;
ld.global.b32 %r1, [v.x];",
        expect![[r#"
            mov.b64 %rd1, v;
            mov.b32 %r1, v.x;
                8:`v.x` invalid-operand: only registers have parts: `v.x` is not a name, and a name cannot contain `.`
            mov.b64 %rd1, g.x;
                8:`g.x` invalid-operand: only registers have parts: `g.x` is not a name, and a name cannot contain `.`
            ld.global.b32 %r1, [v.x];
                8:`v.x` invalid-operand: this is not an address; write a register, a variable or a number in the brackets, with an optional offset
        "#]],
    );
}

#[test]
fn the_predicate_of_a_pair_may_be_dropped_where_the_tables_say_so() {
    check(
        "\
setp.eq.u32 %p1|_, %r1, 0;
match.all.sync.b32 %r1|_, %r2, -1;
elect.sync %r1|_, -1;
lop3.or.b32 %r1|_, %r2, %r3, %r4, 0x3f, %p1;",
        expect![[r#"
            setp.eq.u32 %p1|_, %r1, 0;
            match.all.sync.b32 %r1|_, %r2, -1;
            elect.sync %r1|_, -1;
                8:`_` operand-kind: `_` cannot be used here; `elect.sync` takes a predicate here
            lop3.or.b32 %r1|_, %r2, %r3, %r4, 0x3f, %p1;
                8:`_` operand-kind: `_` cannot be used here; `lop3.or.b32` takes a predicate here
        "#]],
    );
}

#[test]
fn a_part_of_a_destination_needs_the_other_parts() {
    check(
        "\
vadd.u32.u32.u32 %r1.h1, %r2, %r3, %r4;
vadd.u32.u32.u32 %r1, %r2.b1, %r3.h0;
vadd.u32.u32.u32 %r1.b0, %r2, %r3;
vshl.u32.u32.u32.clamp %r1.h1, %r2, %r3;
vset.u32.u32.lt %r1.b0, %r2, %r3;",
        expect![[r#"
            vadd.u32.u32.u32 %r1.h1, %r2, %r3, %r4;
            vadd.u32.u32.u32 %r1, %r2.b1, %r3.h0;
            vadd.u32.u32.u32 %r1.b0, %r2, %r3;
                8:`%r1` operand-kind: a part of `%r1` is written only with a last operand `c`, which has the other parts
            vshl.u32.u32.u32.clamp %r1.h1, %r2, %r3;
                8:`%r1` operand-kind: a part of `%r1` is written only with a last operand `c`, which has the other parts
            vset.u32.u32.lt %r1.b0, %r2, %r3;
                8:`%r1` operand-kind: a part of `%r1` is written only with a last operand `c`, which has the other parts
        "#]],
    );
}

#[test]
fn a_generic_address_has_64_bits() {
    check(
        "\
mbarrier.init.shared.b64 [%r1], 32;
mbarrier.init.b64 [%rd1], 32;
mbarrier.init.b64 [%r1], 32;
mbarrier.arrive.b64 %rd2, [%r1+8];
mbarrier.try_wait.parity.b64 %p1, [%r1], %r3;
mbarrier.arrive.shared::cluster.b64 _, [%r1];
prefetchu.L1 [%rd1];
prefetchu.L1 [g];
prefetchu.L1 [%r1];
prefetchu.L1 [s];
prefetchu.L1 [0];",
        expect![[r#"
            mbarrier.init.shared.b64 [%r1], 32;
            mbarrier.init.b64 [%rd1], 32;
            mbarrier.init.b64 [%r1], 32;
                8:`%r1` operand-type: `%r1` is `.b32`; the addresses of `mbarrier.init.b64` have 64 bits, as set by `.address_size`
            mbarrier.arrive.b64 %rd2, [%r1+8];
                8:`%r1` operand-type: `%r1` is `.b32`; the addresses of `mbarrier.arrive.b64` have 64 bits, as set by `.address_size`
            mbarrier.try_wait.parity.b64 %p1, [%r1], %r3;
                8:`%r1` operand-type: `%r1` is `.b32`; the addresses of `mbarrier.try_wait.parity.b64` have 64 bits, as set by `.address_size`
            mbarrier.arrive.shared::cluster.b64 _, [%r1];
            prefetchu.L1 [%rd1];
            prefetchu.L1 [g];
            prefetchu.L1 [%r1];
                8:`%r1` operand-type: `%r1` is `.b32`; the addresses of `prefetchu.L1` have 64 bits, as set by `.address_size`
            prefetchu.L1 [s];
                8:`s` state-space: `s` is in `.shared`; `prefetchu.L1` accesses `.global`
            prefetchu.L1 [0];
                8:`[0]` operand-kind: absolute addresses are allowed in `.local` only; move the number to a register
        "#]],
    );
}

#[test]
fn names_of_parameters_and_prototypes() {
    check(
        "\
p: .callprototype (.param .b32 _) _ (.param .b32 _);
p: .callprototype _ (.param .u64 .ptr .global .align 4 _);
p: .callprototype (.param .b32 _) f (.param .b32 _);",
        expect![[r#"
            p: .callprototype (.param .b32 _) _ (.param .b32 _);
            p: .callprototype _ (.param .u64 .ptr .global .align 4 _);
            p: .callprototype (.param .b32 _) f (.param .b32 _);
                8:`f` syntax-error: a `.callprototype` has `_` where a function has its name
        "#]],
    );
    let in_module = |declaration: &str| {
        let (_, analysis) =
            open(&format!(".version 9.3\n.target sm_100a\n.address_size 64\n{declaration}\n"));
        let found = analysis.diagnostics(FILE).unwrap().into_iter();
        let errors = found.filter(|found| found.severity == Severity::Error);
        errors.map(|found| found.message).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(in_module(".extern .func e(.param .b32 a, .param .b32 a);"), none);
    assert_eq!(in_module(".extern .func (.reg .b32 a) e(.reg .b32 a);"), none);
    assert_eq!(
        in_module(".func e(.param .b32 a, .param .b32 a);"),
        ["`a` is already declared in this scope; rename one of them"]
    );
    for nameless in [".extern .func e(.param .b32 _);", ".func (.reg .b32 _) e() { ret; }"] {
        assert_eq!(
            in_module(nameless),
            ["a parameter of a function needs a name; only a `.callprototype` has `_` instead"]
        );
    }
}

#[test]
fn constants_among_registers() {
    check(
        "\
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {%r3, 0};
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {0, %s1};
stmatrix.sync.aligned.m8n8.x2.shared.b16 [s], {0, %r2};
tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r1, %r2, %r3, 0}, %p1;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, 0, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
        expect![[r#"
            tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {%r3, 0};
            tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {0, %s1};
            stmatrix.sync.aligned.m8n8.x2.shared.b16 [s], {0, %r2};
            tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r1, %r2, %r3, 0}, %p1;
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, 0, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
        "#]],
    );
    check(
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {0, 0};\nldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, 0}, [s];",
        expect![[r#"
            tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {0, 0};
                8:`0` operand-kind: this is a constant; `tcgen05.st.sync.aligned.32x32b.x2.b32` takes 2 registers in braces here
            ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, 0}, [s];
                8:`0` operand-kind: a constant cannot be a destination; `ldmatrix.sync.aligned.m8n8.x2.shared.b16` takes 2 registers in braces here
        "#]],
    );
}

#[test]
fn special_registers_in_braces() {
    check(
        "\
st.shared.v2.b32 [s], {%r1, %tid.x};
st.shared.v2.f32 [s], {%f1, %tid.x};
st.shared.v2.b64 [s], {%clock64, %rd1};
st.shared.v2.u64 [s], {0, %clock64};
mov.b64 %rd1, {%tid.x, %tid.y};",
        expect![[r#"
            st.shared.v2.b32 [s], {%r1, %tid.x};
            st.shared.v2.f32 [s], {%f1, %tid.x};
            st.shared.v2.b64 [s], {%clock64, %rd1};
            st.shared.v2.u64 [s], {0, %clock64};
            mov.b64 %rd1, {%tid.x, %tid.y};
        "#]],
    );
    check(
        "\
st.shared.v2.b64 [s], {%rd1, %tid.x};
st.shared.v2.b32 [s], {%clock64, %r1};
mov.b32 %r1, {%tid.x, %h1};
st.shared.v2.b32 [s], {%tid.x, 0};
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {%r3, %tid.x};
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2, _}, [%r3];",
        expect![[r#"
            st.shared.v2.b64 [s], {%rd1, %tid.x};
                8:`%tid.x` operand-type: the registers of a vector must have one type; this is `.b32` after `.b64`
            st.shared.v2.b32 [s], {%clock64, %r1};
                8:`%r1` operand-type: the registers of a vector must have one type; this is `.b32` after `.b64`
            mov.b32 %r1, {%tid.x, %h1};
                8:`{%tid.x, %h1}` operand-kind: these are registers in braces; `mov.b32` takes a register, a special register, a constant or a variable or function here
            st.shared.v2.b32 [s], {%tid.x, 0};
                8:`%tid.x` operand-type: `%tid` and a constant cannot be in the same braces; move one of them to a register first
            tcgen05.st.sync.aligned.32x32b.x2.b32 [%r2], {%r3, %tid.x};
                8:`%tid.x` operand-kind: `tcgen05.st.sync.aligned.32x32b.x2.b32` cannot read a special register; copy `%tid` to a register with `mov` first
            tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2, _}, [%r3];
                8:`_` operand-kind: `_` cannot be used here; `tcgen05.ld.sync.aligned.32x32b.x2.b32` takes 2 registers in braces here
        "#]],
    );
}

#[test]
fn selectors() {
    check(
        "\
vadd.u32.u32.u32 %r1.h1, %r2.b3, %r3.h0, %r4;
vadd2.u32.u32.u32 %r1.h10, %r2.h32, %r3.h20, %r4;
vadd4.u32.u32.u32 %r1.b310, %r2.b7654, %r3.b0000, %r4;
vmad.u32.u32.u32 %r1, %r2.b0, %r3.h1, %r4;",
        expect![[r#"
            vadd.u32.u32.u32 %r1.h1, %r2.b3, %r3.h0, %r4;
            vadd2.u32.u32.u32 %r1.h10, %r2.h32, %r3.h20, %r4;
            vadd4.u32.u32.u32 %r1.b310, %r2.b7654, %r3.b0000, %r4;
            vmad.u32.u32.u32 %r1, %r2.b0, %r3.h1, %r4;
        "#]],
    );
    check(
        "\
vadd.u32.u32.u32 %r1, %r2.b4, %r3;
vadd.u32.u32.u32 %r1, %r2.h10, %r3;
vadd.u32.u32.u32.add %r1, %r2, %r3, %r4.b0;
vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4;
vset.u32.u32.lt.max %r1.h1, %r2, %r3, %r4;
vmad.u32.u32.u32 %r1.b0, %r2, %r3, %r4;
vadd2.u32.u32.u32 %r1.h01, %r2.h44, %r3.b0, %r4;
vadd4.u32.u32.u32 %r1.b03, %r2.b8000, %r3.b12, %r4;",
        expect![[r#"
            vadd.u32.u32.u32 %r1, %r2.b4, %r3;
                8:`%r2` operand-kind: after `%r2` `vadd.u32.u32.u32` takes `.b0` to `.b3`, `.h0` or `.h1` here
            vadd.u32.u32.u32 %r1, %r2.h10, %r3;
                8:`%r2` operand-kind: after `%r2` `vadd.u32.u32.u32` takes `.b0` to `.b3`, `.h0` or `.h1` here
            vadd.u32.u32.u32.add %r1, %r2, %r3, %r4.b0;
                8:`%r4` operand-kind: `%r4` is not a vector and has no components
            vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4;
                8:`%r1` operand-kind: `%r1` is not a vector and has no components
            vset.u32.u32.lt.max %r1.h1, %r2, %r3, %r4;
                8:`%r1` operand-kind: `%r1` is not a vector and has no components
            vmad.u32.u32.u32 %r1.b0, %r2, %r3, %r4;
                8:`%r1` operand-kind: `%r1` is not a vector and has no components
            vadd2.u32.u32.u32 %r1.h01, %r2.h44, %r3.b0, %r4;
                8:`%r1` operand-kind: after `%r1` `vadd2.u32.u32.u32` takes `.h0`, `.h1` or `.h10` here
                8:`%r2` operand-kind: after `%r2` `vadd2.u32.u32.u32` takes `.h` with two digits from 0 to 3, such as `.h32` here
                8:`%r3` operand-kind: after `%r3` `vadd2.u32.u32.u32` takes `.h` with two digits from 0 to 3, such as `.h32` here
            vadd4.u32.u32.u32 %r1.b03, %r2.b8000, %r3.b12, %r4;
                8:`%r1` operand-kind: after `%r1` `vadd4.u32.u32.u32` takes `.b` with digits from 3 to 0 in descending order, such as `.b0` or `.b3210` here
                8:`%r2` operand-kind: after `%r2` `vadd4.u32.u32.u32` takes `.b` with four digits from 0 to 7, such as `.b7654` here
                8:`%r3` operand-kind: after `%r3` `vadd4.u32.u32.u32` takes `.b` with four digits from 0 to 7, such as `.b7654` here
        "#]],
    );
}

#[test]
fn parts_of_names() {
    check(
        "\
L: bra L.x;
L: @%p1 bra L.y;
L: mov.u64 %rd1, L.x;
L: T: .branchtargets L.x, L;
L: T: .branchtargets L; brx.idx %r1, T.x;
call (%r1), f.x, (%r2);
mov.u64 %rd1, unknown.x;",
        expect![[r#"
            L: bra L.x;
                8:`L.x` invalid-operand: only registers have parts: `L.x` is not a name, and a name cannot contain `.`
            L: @%p1 bra L.y;
                8:`L.y` invalid-operand: only registers have parts: `L.y` is not a name, and a name cannot contain `.`
            L: mov.u64 %rd1, L.x;
                8:`L.x` invalid-operand: only registers have parts: `L.x` is not a name, and a name cannot contain `.`
            L: T: .branchtargets L.x, L;
                8:`L.x` invalid-operand: only registers have parts: `L.x` is not a name, and a name cannot contain `.`
            L: T: .branchtargets L; brx.idx %r1, T.x;
                8:`T.x` invalid-operand: only registers have parts: `T.x` is not a name, and a name cannot contain `.`
            call (%r1), f.x, (%r2);
                8:`f.x` invalid-operand: only registers have parts: `f.x` is not a name, and a name cannot contain `.`
            mov.u64 %rd1, unknown.x;
                8:`unknown` unresolved-name: undeclared name `unknown`
        "#]],
    );
}

#[test]
fn casts_and_names() {
    check(
        "\
mov.u32 %r1, (.s64)(1);
mov.u32 %r1, (.u64)(1);
mov.u32 %r1, (.s32)(1);
ld.shared.u32 %r1, [s+(.b64)(4)];
.reg .b32 $;
$: bra $;
.reg .b32 $$, %_;
.reg .b32 a, _;
.shared .b32 _[4];",
        expect![[r#"
            mov.u32 %r1, (.s64)(1);
            mov.u32 %r1, (.u64)(1);
            mov.u32 %r1, (.s32)(1);
                8:`.s32` syntax-error: `.s32` is not a cast: constants have `.s64` or `.u64`
            ld.shared.u32 %r1, [s+(.b64)(4)];
                8:`.b64` syntax-error: `.b64` is not a cast: constants have `.s64` or `.u64`
            .reg .b32 $;
                8:`$` syntax-error: `$` alone is not a name: add a letter, a digit, `_` or `$`
            $: bra $;
                8:`$` syntax-error: `$` alone is not a name: add a letter, a digit, `_` or `$`
            .reg .b32 $$, %_;
            .reg .b32 a, _;
                8:`_` syntax-error: `_` alone is not a name: add a letter or a digit
            .shared .b32 _[4];
                8:`_` syntax-error: `_` alone is not a name: add a letter or a digit
        "#]],
    );
}

/// The ISA has `.aligned` as mandatory.
#[test]
fn the_assembler_takes_wgmma_without_aligned() {
    let (_, analysis) = open(
        ".version 8.0\n.target sm_90a\n.entry k() {\nwgmma.fence.sync;\nwgmma.commit_group.sync;\nwgmma.wait_group.sync 0;\nret;\n}\n",
    );
    assert_eq!(analysis.diagnostics(FILE).unwrap(), []);
}

/// Vectors of one element are also taken by the forms that have no `.vec`, but for integers of `multimem`.
#[test]
fn braces_around_one_register() {
    check(
        "\
ld.global.b128 {%q1}, [%rd1];
st.global.b128 [%rd1], {%q1};
multimem.st.weak.global.f32 [%rd1], {%f1};
multimem.st.weak.global.u32 [%rd1], {%r1};
multimem.ld_reduce.weak.global.add.f16x2 {%r1}, [%rd1];
multimem.ld_reduce.weak.global.and.b32 {%r1}, [%rd1];
multimem.red.relaxed.gpu.global.add.f32 [%rd1], {%f1};
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], {%r2}, [%r3];
cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;
cvt.rs.f16x2.f32 %r1, %f1, %f2, %f3;",
        expect![[r#"
            ld.global.b128 {%q1}, [%rd1];
            st.global.b128 [%rd1], {%q1};
            multimem.st.weak.global.f32 [%rd1], {%f1};
            multimem.st.weak.global.u32 [%rd1], {%r1};
                8:`{%r1}` operand-kind: these are registers in braces; `multimem.st.weak.global.u32` takes a register or a constant here
            multimem.ld_reduce.weak.global.add.f16x2 {%r1}, [%rd1];
            multimem.ld_reduce.weak.global.and.b32 {%r1}, [%rd1];
                8:`{%r1}` operand-kind: these are registers in braces; `multimem.ld_reduce.weak.global.and.b32` takes a register here
            multimem.red.relaxed.gpu.global.add.f32 [%rd1], {%f1};
                8:`{%f1}` operand-kind: these are registers in braces; `multimem.red.relaxed.gpu.global.add.f32` takes a register or a constant here
            st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], {%r2}, [%r3];
            cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;
            cvt.rs.f16x2.f32 %r1, %f1, %f2, %f3;
                8:`%f3` operand-type: `%f3` is `.f32`; `cvt.rs.f16x2.f32` takes `.u32`, `.s32` or `.b32` here
        "#]],
    );
}
