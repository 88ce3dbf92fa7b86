use expect_test::{Expect, expect};

use crate::fixture::{FILE, open};

/// Shows the hover at the cursor: what it explains, and its first lines.
fn check(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let shown = match analysis.hover(FILE, fixture.cursor()).unwrap() {
        Some(hover) => {
            let head: Vec<&str> = hover.markdown.lines().take(9).collect();
            format!("{}\n{}", fixture.show(hover.range), head.join("\n"))
        }
        None => "nothing".to_owned(),
    };
    expect.assert_eq(&shown);
}

/// Hovers over a line of a kernel, at the marker below the line.
fn check_line(line: &str, marker: &str, expect: Expect) {
    let declarations = ".reg .b32 %r<4>; .reg .pred %p<2>; .shared .align 4 .b8 tile[64];";
    check(
        &format!(
            ".global .u32 table[4] = {{1, 2}};\n.func f(.param .b32 a) {{ ret; }}\n.entry k(.param .u64 out) .reqntid 64 {{\n{declarations}\nL:\n{line}\n{marker}\n bra L;\n}}\n"
        ),
        expect,
    );
}

#[test]
fn opcodes_as_written() {
    check_line(
        "add.sat.s32 %r1, %r2, %r3;",
        " |",
        expect![[r#"
            6:`add`
            **`add.sat.s32`** · integer arithmetic · §9.7.1.1

            Adds two integers, wrapping around; packed types add element by element.

            ```ptx
            add.sat.s32 d, a, b
            ```

            **As written**"#]],
    );
    check_line(
        "ld.global.f32 %r1, [%r2];",
        "|",
        expect![[r#"
            6:`ld`
            **`ld.global.f32`** · data movement and conversion · §9.7.10.8

            Loads a value or a vector from memory.

            ```ptx
            ld{.weak}{.{const,global,local,param,param::entry,param::func,shared,shared::cta,shared::cluster}}{.cop}{.{v2,v4}}.{b32,u32,s32,f32} d, [a]
            ```

            **As written**"#]],
    );
    check_line(
        "@%p1 bra L;",
        "      |",
        expect![[r#"
            6:`bra`
            **`bra`** · control flow · §9.7.14.3

            Branches to a label of the same function.

            ```ptx
            bra{.uni} label
            ```

            **As written**"#]],
    );
    check_line(
        "@%p1 bra L;",
        "|",
        expect![[r#"
        6:`@`
        **`@`** · PTX 1.0 · sm_10 · control flow · §9.7.14.2

        Guards an instruction: it takes effect only in lanes where the predicate, or with ! its negation, is true.

        ```ptx
        @{!}p instruction
        ```

        **Operands**"#]],
    );
    check_line("frob %r1;", " |", expect!["nothing"]);
}

#[test]
fn modifiers_and_types() {
    check_line(
        "add.sat.s32 %r1, %r2, %r3;",
        "     |",
        expect![[r#"
            6:`.sat`
            `.sat` · Clamps the result: integers to the range of the type, floats to [0, 1] with NaN as +0. *(Whether the result is clamped: integers to their range, floats to [0, 1])*

            in `add.sat.s32`: Adds two integers, wrapping around; packed types add element by element."#]],
    );
    check_line(
        "ld.global.f32 %r1, [%r2];",
        "     |",
        expect![[r#"
            6:`.global`
            `.global` · Global memory: shared by all threads of all launches on the device. *(The state space of the address; generic where there is none)*

            in `ld.global.f32`: Loads a value or a vector from memory.

            Alternatives: `.const`, `.local`, `.param`, `.param::entry`, `.param::func`, `.shared`, `.shared::cta`, `.shared::cluster`, nothing.

            ---

            **`.global`** · PTX · state space"#]],
    );
    check_line(
        "ld.global.f32 %r1, [%r2];",
        "            |",
        expect![[r#"
            6:`.f32`
            `.f32` · Single-precision float (IEEE 754 binary32). *(The type of the operands)*

            in `ld.global.f32`: Loads a value or a vector from memory.

            Alternatives: `.b32`, `.u32`, `.s32`.

            ---

            **`.f32`** · PTX 1.0 · type · 32 bits"#]],
    );
}

#[test]
fn names() {
    check_line(
        "mov.u32 %r1, %laneid;",
        "               |",
        expect![[r#"
            6:`%laneid`
            **`%laneid`** · PTX 1.3 · `.u32` special register · §10.3

            The position of this thread in its warp, from 0 to 31.

            **Facts**

            - Each thread reads its own value: lanes can diverge at a branch on it
            - Values: 0 .. WARP_SZ-1
            - In the simulator: thread number % 32"#]],
    );
    check_line(
        "mov.u32 %r1, %tid.x;",
        "                  |",
        expect![[r#"
            6:`.x`
            **`%tid`** · PTX 1.0 (.u32 since 2.0) · `.u32` special register · `.x` `.y` `.z` `.w` · §10.1

            The position of this thread in its CTA, in x, y and z.

            **Facts**

            - Each thread reads its own value: lanes can diverge at a branch on it
            - Values: 0 .. %ntid-1 per dimension; unused dimensions read 0
            - In the simulator: thread t = x + y\*ntid.x + z\*ntid.x\*ntid.y is lane t % 32 of warp t / 32"#]],
    );
    check_line(
        "mov.u32 %r1, %r2;",
        "         |",
        expect![[r#"
            6:`%r1`
            ```ptx
            .reg .b32 %r<4>;
            ```

            **`%r1`** · register, `.b32` · written once

            Written at line 6.

            **Uniform here**: the lanes of a warp hold the same value."#]],
    );
    check_line(
        "bra L;",
        "    |",
        expect![[r#"
            6:`L`
            ```ptx
            L:
            ```

            **`L`** · label · target of 2 branches

            Branches to it are at lines 6 and 7. It starts a loop, with a back edge at line 6. From here lanes continue to the end of the function."#]],
    );
    check_line(
        "mov.u32 %r1, tile;",
        "               |",
        expect![[r#"
        6:`tile`
        ```ptx
        .shared .align 4 .b8 tile[64];
        ```

        **`tile`** · `.shared` variable, `.b8`, 64 bytes · read once"#]],
    );
    check_line(
        "ld.param.u64 %r1, [out];",
        "                    |",
        expect![[r#"
        6:`out`
        ```ptx
        .param .u64 out
        ```

        **`out`** · parameter 0, `.u64`, 8 bytes · read once"#]],
    );
    check_line(
        "mov.u32 %r1, table;",
        "               |",
        expect![[r#"
        6:`table`
        ```ptx
        .global .u32 table[4]
        ```

        **`table`** · `.global` variable, `.u32`, 16 bytes"#]],
    );
    check_line(
        "call f, (%r1);",
        "     |",
        expect![[r#"
        6:`f`
        ```ptx
        .func f(.param .b32 a)
        ```

        **`f`** · function with 1 parameter"#]],
    );
    check_line("mov.u32 %r1, nowhere;", "               |", expect!["nothing"]);
}

#[test]
fn numbers() {
    check_line(
        "mov.u32 %r1, 0xff;",
        "              |",
        expect![[r#"
            6:`0xff`
            as `.u32` `255` · hexadecimal `0x000000ff` · binary `0b11111111`"#]],
    );
    check_line(
        "mov.b32 %r1, 0f3F800000;",
        "              |",
        expect![[r#"
        6:`0f3F800000`
        `1.0` · as `.f32` `0f3F800000` · normal"#]],
    );
    check_line(
        "mov.f64 %r1, 1.5;",
        "              |",
        expect![[r#"
        6:`1.5`
        `1.5` · as `.f64` `0d3FF8000000000000` · as `.f32` `0f3FC00000`"#]],
    );
    check_line(
        "mov.u32 %r1, 017;",
        "              |",
        expect![[r#"
            6:`017`
            as `.u32` `15` · hexadecimal `0x0000000f` · binary `0b1111`"#]],
    );
}

#[test]
fn directives() {
    check(
        ".entry k() .reqntid 64 { ret; }\n             |",
        expect![[r#"
        1:`.reqntid`
        **`.reqntid`** · PTX 2.1 · performance directive · §11.4.3

        Sets how many threads a CTA must have, in x, y and z.

        ```ptx
        .reqntid nx{, ny{, nz}}
        ```

        **Where**"#]],
    );
    check(
        ".version 8.0\n  |",
        expect![[r#"
        1:`.version`
        **`.version`** · PTX 1.0 · module directive · §11.1.1

        Says which version of PTX the module is written in.

        ```ptx
        .version major.minor
        ```

        **Where**"#]],
    );
    check(
        ".entry k() { .reg .b32 %r; }\n              |",
        expect![[r#"
        1:`.reg`
        **`.reg`** · PTX · state space

        Registers: private to a thread, fast, without an address.

        **Facts**

        - Declared: function
        - At the start: undefined
        - Has no addresses"#]],
    );
    check(
        ".entry k() { .reg .b32 %r; }\n                   |",
        expect![[r#"
            1:`.b32`
            **`.b32`** · PTX 1.0 · type · 32 bits

            32 bits without a meaning; any register of 32 bits fits, floats included.

            Values are in registers of `.u32`, `.s32`, `.f16x2`, `.f32` or `.b32`."#]],
    );
    check(
        ".pragma \"nounroll\";\n            |",
        expect![[r#"
        1:`"nounroll"`
        **`nounroll`** · PTX 2.0 · pragma

        Turns loop unrolling off, for the module, the function or the loop.

        **Where**

        - module
        - entry
        - statement in loop header"#]],
    );
}

#[test]
fn nothing_on_white_space_and_comments() {
    check(".version 8.0\n\n// about\n    |\n", expect!["nothing"]);
}

#[test]
fn wave() {
    let check_line = |line: &str, marker: &str, expect: Expect| {
        check(&format!(".kernel k\n if p1\n{line}\n{marker}\n endif\nout: halt\n.end\n"), expect);
    };
    check_line(
        "icmp.lt p1, r0, 10",
        "   |",
        expect![[r#"
            3:`icmp.lt`
            **`icmp.lt`** · WAVE · toolchain `icmp_lt` · comparison and selection · specification §6.8

            Sets pd where rs1 is less than rs2, as signed integers.

            ```wave-asm
            icmp.lt pd, rs1, rs2
            icmp_lt pd, rs1, rs2
            ```
        "#]],
    );
    check_line(
        "icmp_lt p1, r0, r1",
        "   |",
        expect![[r#"
            3:`icmp_lt`
            **`icmp.lt`** · WAVE · toolchain `icmp_lt` · comparison and selection · specification §6.8

            Sets pd where rs1 is less than rs2, as signed integers.

            ```wave-asm
            icmp.lt pd, rs1, rs2
            icmp_lt pd, rs1, rs2
            ```
        "#]],
    );
    check_line(
        "device_load.u32.streaming r1, r2",
        "   |",
        expect![[r#"
            3:`device_load.u32.streaming`
            **`device_load.u32`** · WAVE · toolchain `device_load_u32` · memory · specification §6.9

            Loads 4 bytes from device memory into rd.

            ```wave-asm
            device_load.u32 rd, addr
            device_load_u32 rd, addr
            ```
        "#]],
    );
    check_line(
        "iadd r1, r1, r2",
        "     |",
        expect![[r#"
            3:`r1`
            **`r1`** · WAVE · general register · 32 bits per lane

            General register: 32 bits a lane without a type, 0 at the start unless the launch sets it.

            **Notes**

            - The crates have r0 to r31; the repository's toolchain has r0 to r254. A kernel has as many as .registers says (32 when absent).
            - Reading a register at or beyond that number gives 0, and a write to one is lost.
            - A 64-bit value is written as its low register: rN holds the low word, rN+1 the high word; 128 bits take rN to rN+3."#]],
    );
    check_line(
        "iadd r1, r1, 16",
        "              |",
        expect![[r#"
        3:`16`
        decimal `16` · hexadecimal `0x10` · binary `0b10000`"#]],
    );
    check_line(
        "mov r1, sr_lane_id",
        "            |",
        expect![[r#"
            3:`sr_lane_id`
            **`sr_lane_id`** · WAVE · special register

            Number of this lane in its wave, from 0.

            Each lane reads its own value: lanes can diverge at an `if` on it.

            **Example**

            ```wave-asm"#]],
    );
    check_line(
        "call out",
        "      |",
        expect![[r#"
            3:`out`
            **`out`** · function of `k`

            - called: 1 time: `k` in line 3
            - reads: no register
            - writes: no register
            - divergence stack: not used
            - instructions: 1"#]],
    );
    check_line(
        "fence_release .device",
        "                |",
        expect![[r#"
        3:`.device`
        **`.device`** · WAVE · scope

        All workgroups on the device."#]],
    );
    check_line(
        "else",
        " |",
        expect![[r#"
            3:`else`
            *other path of* `if p1` in line 2, up to `endif` in line 4

            It inverts entry 1 of 32 of the divergence stack.

            **`else`** · WAVE · structured control flow · specification §5.1, §6.13

            Continues with the lanes for which the matching if was false.

            ```wave-asm"#]],
    );
}
