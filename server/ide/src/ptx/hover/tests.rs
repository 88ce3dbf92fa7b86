//! Complete hovers of PTX, as a user sees them.

use expect_test::{Expect, expect};

use crate::fixture::{FILE, open};

/// Shows the hover at the marker below a line of a kernel.
fn check(line: &str, marker: &str, expect: Expect) {
    let source = format!(
        "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 size)
{{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 7;
TOP:
    ld.param.u32 %r2, [size];
    @%p1 bra TOP;
{line}
{marker}
DONE:
    ret;
}}
"
    );
    let (fixture, analysis) = open(&source);
    let hover = analysis.hover(FILE, fixture.cursor()).unwrap();
    expect.assert_eq(&hover.map_or_else(|| "nothing".to_owned(), |hover| hover.markdown));
}

#[test]
fn a_load_as_written() {
    check(
        "    @!%p2 ld.global.nc.v4.f32 {%f1, %f2, %f3, _}, [%rd1+16];",
        "           |",
        expect![[r#"
            **`ld.global.nc.v4.f32`** · data movement and conversion · §9.7.10.9

            Loads from global memory through the read-only path; the data may not change while the kernel runs.

            ```ptx
            ld.global.nc{.cop}{.{v2,v4}}.{b32,u32,s32,f32} d, [a]
            ```

            **As written**

            - `@!%p2` · executed only by lanes whose predicate is not true
            - `.nc` · Read through the non-coherent path: the data may not change while the kernel runs. *(That the read-only, non-coherent path is used)*
            - `.v4` · This many elements, from or to a list of registers in braces. *(How many elements are moved)*
            - `.f32` · Single-precision float (IEEE 754 binary32). *(The type of the operands)*

            **Operands**

            - `{%f1, %f2, %f3, _}` is **d**, written: 4 × `.f32`
            - `[%rd1+16]` is **a**, read: address in `.global`

            **Needs.** PTX 3.1, sm_32. Available in this file (PTX 8.0 for sm_80).

            **Computes**

            ```text
            d = global[a]  // may return stale data if the location is written concurrently
            ```

            **Notes**

            - The address must be aligned to the whole access, vector included; a misaligned access stops the kernel.
            - The assembler also takes the order ld.nc.global.

            **Example**

            ```ptx
            ld.global.nc.v2.f32 {%f1,%f2}, [%rd1];
            ```"#]],
    );
}

#[test]
fn a_form_that_the_file_does_not_have() {
    check(
        "    add.rn.f32x2 %rd1, %rd2, %rd3;",
        "     |",
        expect![[r#"
            **`add.rn.f32x2`** · floating point · §9.7.3.3

            Adds two floats; .f32x2 adds two packed pairs.

            ```ptx
            add{.rnd}{.ftz}.f32x2 d, a, b
            ```

            **As written**

            - `.rn` · Rounds to the nearest value, ties to even. *(How a result that does not fit is rounded)*
            - `.f32x2` · Two f32 values in 64 bits; the low half is the first. *(The type of the operands)*

            **Operands**

            - `%rd1` is **d**, written: `.f32x2` in a `.b64` register
            - `%rd2` is **a**, read: `.f32x2` in a `.b64` register
            - `%rd3` is **b**, read: `.f32x2` in a `.b64` register

            **Needs.** PTX 8.6, sm_100. **Not available in this file (PTX 8.0 for sm_80).**

            **Computes**

            ```text
            d = round(a + b, rnd)  // per 32-bit lane for .f32x2
            .sat (f32 only): d = NaN ? +0 : clamp(d, 0, 1)
            ```

            **Notes**

            - Without a rounding modifier the result is as with .rn, and the assembler may fuse a multiplication with a neighboring addition; an explicit modifier forbids that.
            - A NaN result of .f32 is the canonical 0x7fffffff.
            - The assembler takes the modifiers in any order.

            **Example**

            ```ptx
            add.rn.f32 %f1, %f2, 0f3F800000;
            ```"#]],
    );
}

#[test]
fn a_comparison() {
    check(
        "    setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;",
        "     |",
        expect![[r#"
            **`setp.lt.and.s32`** · comparison and selection · §9.7.7.2

            Compares two values and writes a predicate, and optionally that of the complementary comparison.

            ```ptx
            setp.{eq,ne,lt,le,gt,ge}.BoolOp.{s16,s32,s64} p{|q}, a, b, c
            ```

            **As written**

            - `.lt` · Less; false when a float operand is NaN. *(The comparison)*
            - `.and` · True if the comparison and the predicate are both true. *(How the comparison is combined with a predicate)*
            - `.s32` · Signed 32-bit integer. *(The type of the operands)*

            **Operands**

            - `%p1|%p2` is **p**, written: `.pred`, may be followed by `|q` · predicate
            - `%r1` is **a**, read: `.s32`
            - `-5` is **b**, read: `.s32`
            - `!%p3` is **c**, read: `.pred` · predicate, may be negated with !

            **Needs.** PTX 1.0, sm_10. Available in this file (PTX 8.0 for sm_80).

            **Computes**

            ```text
            t = compare(a, b)
            p = BoolOp ? (t BoolOp c) : t
            q = BoolOp ? (!t BoolOp c) : !t
            ```

            **Notes**

            - Integers take eq ne lt le gt ge, signed or unsigned by type; unsigned ones also lo ls hi hs; .bN takes eq and ne only.
            - For floats eq ne lt le gt ge are false with a NaN and equ neu ltu leu gtu geu true; num is true for two numbers, nan with any NaN.
            - .ftz is for .f32 sources only.
            - q complements the comparison before the Boolean op, not the final p.
            - _ may replace either destination, e.g. p|_ or _|q.

            **Example**

            ```ptx
            setp.lt.s32 %p1, %r1, %r2;
            ```"#]],
    );
}

#[test]
fn a_mistake_is_explained_as_far_as_it_goes() {
    check(
        "    add.f32.q %f1, %f2;",
        "     |",
        expect![[r#"
            **`add.f32.q`** · floating point · §9.7.3.3

            Adds two floats; .f32x2 adds two packed pairs.

            ```ptx
            add{.rnd}{.ftz}{.sat}.f32 d, a, b
            add{.rnd}{.ftz}.f32x2 d, a, b
            add{.rnd}.f64 d, a, b
            ```

            **As written**

            - `.f32` · Single-precision float (IEEE 754 binary32). *(The type of the operands)*

            **Operands**

            - `%f1` is **d**, written: register
            - `%f2` is **a**, read: register or constant
            - **b**, read: register or constant

            **Needs.** PTX 1.0, sm_10.

            **Computes**

            ```text
            d = round(a + b, rnd)  // per 32-bit lane for .f32x2
            .sat (f32 only): d = NaN ? +0 : clamp(d, 0, 1)
            ```

            **Notes**

            - Without a rounding modifier the result is as with .rn, and the assembler may fuse a multiplication with a neighboring addition; an explicit modifier forbids that.
            - A NaN result of .f32 is the canonical 0x7fffffff.
            - The assembler takes the modifiers in any order.

            **Example**

            ```ptx
            add.rn.f32 %f1, %f2, 0f3F800000;
            ```"#]],
    );
}

#[test]
fn modifiers() {
    check(
        "    cvt.rni.s32.f32 %r1, %f1;",
        "          |",
        expect![[r#"
            `.rni` · Rounds to the nearest integer, ties to even. *(How a float becomes an integral value)*

            in `cvt.rni.s32.f32`: Converts between integer and float types, packed small formats included.

            Alternatives: `.rzi`, `.rmi`, `.rpi`."#]],
    );
    check(
        "    cvt.rni.s32.f32 %r1, %f1;",
        "                 |",
        expect![[r#"
            `.f32` · Single-precision float (IEEE 754 binary32). *(The type of a)*

            in `cvt.rni.s32.f32`: Converts between integer and float types, packed small formats included.

            ---

            **`.f32`** · PTX 1.0 · type · 32 bits

            Single-precision float (IEEE 754 binary32).

            **Values**

            - 1 sign, 8 exponent, 23 mantissa bits
            - largest 3.403e38, smallest normal 1.175e-38
            - the next value after 1 is 1 + 1.19e-7
            - infinities, NaN, subnormals and signed zeros as in IEEE 754

            Values are in registers of `.f32` or `.b32`."#]],
    );
}

#[test]
fn literals_as_their_operand_reads_them() {
    check(
        "    add.s32 %r1, %r2, -5;",
        "                       |",
        expect!["as `.s32` `-5` · unsigned `4294967291` · hexadecimal `0xfffffffb`"],
    );
    check(
        "    mov.b16 %h1, 0x3C00;",
        "                  |",
        expect![
            "as `.b16` `15360` · hexadecimal `0x3c00` · binary `0b11110000000000` · bits of the `.f16` `1.0` · bits of the `.bf16` `0.0078125`"
        ],
    );
    check(
        "    ld.global.u32 %r1, [%rd1+16];",
        "                             |",
        expect!["decimal `16` · hexadecimal `0x10` · binary `0b10000`"],
    );
}

#[test]
fn registers() {
    check(
        "    add.u32 %r3, %r1, %r2;",
        "                  |",
        expect![[r#"
        ```ptx
        .reg .b32 %r<8>;
        ```

        **`%r1`** · register, `.b32` · written once, read twice

        Written at line 7. Read at lines 8 and 12.

        **Varies by lane here**: `%r1` ← `%tid.x`
        - line 7: `%r1` is read here from `%tid.x`"#]],
    );
    check(
        "    add.u32 %r3, %r1, %r2;",
        "                      |",
        expect![[r#"
        ```ptx
        .reg .b32 %r<8>;
        ```

        **`%r2`** · register, `.b32` · written once, read once

        Written at line 10. Read at line 12.

        **Uniform here**: the lanes of a warp hold the same value."#]],
    );
    check(
        "    add.u32 %r3, %r1, %r2;",
        "             |",
        expect![[r#"
            ```ptx
            .reg .b32 %r<8>;
            ```

            **`%r3`** · register, `.b32` · written once

            Written at line 12.

            **Varies by lane here**: `%r3` ← `add` ← `%r1` ← `%tid.x`
            - line 12: `%r3` is computed here from a value that varies by lane
            - line 7: `%r1` is read here from `%tid.x`"#]],
    );
}

#[test]
fn labels() {
    check(
        "    bra TOP;",
        "         |",
        expect![[r#"
            ```ptx
            TOP:
            ```

            **`TOP`** · label · target of 2 branches

            Branches to it are at lines 11 and 12. Control also reaches it from line 8, just before. It starts a loop, with a back edge at line 12. All lanes that reach it and do not exit reconverge at line 12 at the latest."#]],
    );
    check(
        "    bra DONE;",
        "         |",
        expect![[r#"
            ```ptx
            DONE:
            ```

            **`DONE`** · label · target of 1 branch

            Branches to it are at line 12. From here lanes continue to the end of the function."#]],
    );
}

/// The hovers at the markers of a module.
fn hover_in(module: &str) -> String {
    let (fixture, analysis) = open(module);
    let hover = analysis.hover(FILE, fixture.cursor()).unwrap();
    hover.map_or_else(|| "nothing".to_owned(), |hover| hover.markdown)
}

#[test]
fn the_name_of_a_kernel_has_its_occupancy() {
    let text = hover_in(
        ".version 8.0\n.target sm_80\n.entry foo() .maxntid 256 .minnctapersm 4 { ret; }\n       |\n",
    );
    assert!(text.contains("foo") && text.contains("256"), "{text}");
    let directive = hover_in(
        ".version 8.0\n.target sm_80\n.entry foo() .maxntid 256 .minnctapersm 4 { ret; }\n              |\n",
    );
    let (_, implied) = directive.rsplit_once("---").expect("a rule");
    assert!(text.ends_with(implied), "{text}\n{directive}");
}

#[test]
fn registers_alone_limit_the_warps() {
    let text = hover_in(".version 8.0\n.target sm_90\n.entry foo() .maxnreg 64 { ret; }\n       |\n");
    assert!(text.contains("registers for 1024 threads: 32 of 64 warps"), "{text}");
}

#[test]
fn the_version_has_its_toolkit() {
    assert!(hover_in(".version 8.5\n         |\n.target sm_90\n").contains("CUDA 12.5"));
    assert!(hover_in(".version 8.5\n  |\n.target sm_90\n").contains("CUDA 12.5"));
}

#[test]
fn the_label_of_a_prototype_shows_it() {
    let text = hover_in(".entry k() {\npr: .callprototype (.param .b32 _) _ (.param .b32 x);\n|\nret;\n}\n");
    assert!(text.contains(".callprototype (.param .b32 _) _ (.param .b32 x)"), "{text}");
}

#[test]
fn a_label_is_named_once() {
    let text = hover_in(".entry k() {\nbra L;\n|\nL: ret;\n}\n");
    assert!(text.contains("`L` is **label**") && !text.contains("label · label"), "{text}");
}

#[test]
fn a_list_of_targets_leaves_the_calling_convention_free() {
    let module = |call: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.func f() {{ ret; }}\n.global .u64 table[1] = {{ f }};\n.entry k() {{\n.reg .u64 p;\n{call}\nret;\n}}\n"
        )
    };
    for call in [
        "ct: .calltargets f;\n|",
        "ct: .calltargets f;\n     |",
        "ct: .calltargets f;\ncall p, ct;\n        |",
        "call p, table;\n          |",
    ] {
        let text = hover_in(&module(call));
        assert!(text.contains("calling convention"), "{call}: {text}");
    }
    let text = hover_in(&module("pr: .callprototype _ ();\ncall p, pr;\n        |"));
    assert!(text.contains("follows the ABI") && !text.contains("free to choose"), "{text}");
    let text = hover_in(&module("ld.global.u64 p, [table];\n                   |"));
    assert!(!text.contains("calling convention"), "{text}");
}

/// The assembler takes some instructions in older versions than those that document them.
#[test]
fn the_measured_version_and_the_documented_one() {
    let needs = |statement: &str| {
        let marker = " ".repeat(statement.find('.').unwrap_or_default() - 1);
        let text = hover_in(&format!(
            ".version 8.0\n.target sm_80\n.entry k() {{\n.reg .b32 %r<4>; .reg .pred %p<4>; .reg .u64 %rd<4>;\n{statement}\n{marker}|\nret;\n}}\n"
        ));
        text.split("**Needs.** ")
            .nth(1)
            .and_then(|needs| needs.split(". ").next())
            .unwrap_or(&text)
            .to_owned()
    };
    for (statement, expected) in [
        ("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", "PTX 5.1 (documented from 6.0), sm_30"),
        ("vote.sync.all.pred %p1, %p2, -1;", "PTX 5.1 (documented from 6.0), sm_30"),
        ("nanosleep.u32 %r1;", "PTX 6.2 (documented from 6.3), sm_70"),
        ("alloca.u64 %rd1, 16;", "PTX 7.3, sm_52"),
        ("mul.lo.u32 %r1, %r2, %r3;", "PTX 1.0, sm_10"),
    ] {
        assert_eq!(needs(statement), expected, "{statement}");
    }
}
