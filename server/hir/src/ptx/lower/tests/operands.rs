//! Operands and the values of constants.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::lower;
use crate::ptx::{Constant, Function, Operand};

fn check_operands(statements: &str, expect: Expect) {
    let text = format!(
        ".entry k(.param .u64 p) {{ .reg .b32 %r<9>; .reg .v4 .f32 v; .shared .b32 s[4];\n{statements}\n}}"
    );
    let function = lower(&text);
    let mut out = String::new();
    for instruction in function.instructions() {
        let operands: Vec<_> =
            instruction.operands().iter().map(|operand| show(&function, *operand)).collect();
        let modifiers = instruction.modifiers().join(" ");
        writeln!(out, "{} [{modifiers}] {}", instruction.opcode(), operands.join(" ; ")).unwrap();
    }
    for problem in function.problems() {
        writeln!(out, "{:?} at `{}`", problem.kind, &text[problem.range]).unwrap();
    }
    expect.assert_eq(&out);
}

fn show(function: &Function, operand: Operand) -> String {
    let text = |name| function.referent_text(function.name(name).referent);
    let all = |list| {
        let shown: Vec<_> = function.operands(list).iter().map(|operand| show(function, *operand)).collect();
        shown.join(" ")
    };
    match operand {
        Operand::Register { name, component: None } => text(name).to_string(),
        Operand::Register { name, component: Some(component) } => format!("{} {component:?}", text(name)),
        Operand::Special { name, component } => format!("special {} {component:?}", text(name)),
        Operand::Symbol(name) => format!("symbol {}", text(name)),
        Operand::Constant(id) => match function.constant(id) {
            Constant::Signed(value) => format!("{value}"),
            Constant::Unsigned(value) => format!("{value}U"),
            other => format!("{:?}", other.as_float()),
        },
        Operand::Vector(list) => format!("vector({})", all(list)),
        Operand::Arguments(list) => format!("arguments({})", all(list)),
        Operand::Pair(list) => format!("pair({})", all(list)),
        Operand::Not(list) => format!("not({})", all(list)),
        Operand::Negated(list) => format!("negated({})", all(list)),
        Operand::Address { form, .. } => {
            let address = function.address(operand).expect("an address operand is an address");
            let form = format!("{form:?}").to_lowercase();
            let mut out = format!("{form}({}", show(function, address.base));
            if let Some(index) = address.index {
                write!(out, " index {}", show(function, index)).unwrap();
            }
            write!(out, " {:+}", address.offset).unwrap();
            for operand in address.rest {
                write!(out, ", {}", show(function, *operand)).unwrap();
            }
            out + ")"
        }
        Operand::Sink => "sink".into(),
        Operand::Missing => "missing".into(),
    }
}

#[test]
fn operands() {
    check_operands(
        "\
mov.b32 %r1, 0x10;
mov.f32 %r1, -1.5;
add.s32 %r1, %r2, (3 + 4) * -2;
ld.param.u64 %r1, [p];
ld.global.v2.f32 {%r1, _}, [%r2+-4+WARP_SZ];
ld.shared.f32 %r1, s[%r2+4];
mov.u32 %r1, s+4;
mov.u32 %r1, s[1];
mov.f32 %r1, v.g;
setp.eq.s32 %r1|%r2, %r3, 1, !%r4;
neg.s32 %r1, -%r2;
tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [t, {%r5,%r6}];
call (%r1), f, (%r2, 3), g;
mov.u32 %r1, WARP_SZ;
vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;
st.async.shared::cluster.b32 [%r1], %r2, [%r3];
ld.local.u32 %r1, [4096];
",
        expect![[r#"
            mov [b32] %r1 ; 16
            mov [f32] %r1 ; Some(-1.5)
            add [s32] %r1 ; %r2 ; -14
            ld [param u64] %r1 ; bracketed(symbol p +0)
            ld [global v2 f32] vector(%r1 sink) ; bracketed(%r2 +28)
            ld [shared f32] %r1 ; subscript(symbol s index %r2 +4)
            mov [u32] %r1 ; sum(symbol s +4)
            mov [u32] %r1 ; subscript(symbol s +1)
            mov [f32] %r1 ; v Y
            setp [eq s32] pair(%r1 %r2) ; %r3 ; 1 ; not(%r4)
            neg [s32] %r1 ; negated(%r2)
            tex [2d v4 f32 f32] vector(%r1 %r2 %r3 %r4) ; bracketed(symbol t +0, vector(%r5 %r6))
            call [] arguments(%r1) ; symbol f ; arguments(%r2 3) ; symbol g
            mov [u32] %r1 ; 32
            vadd [u32 u32 u32] %r1 ; %r2 B0 ; %r3 H1
            st [async shared::cluster b32] bracketed(%r1 +0) ; %r2 ; bracketed(%r3 +0)
            ld [local u32] %r1 ; bracketed(4096 +0)
        "#]],
    );
}

#[test]
fn constants() {
    check_operands(
        "\
foo 010, 0b11, 0xFFFFFFFFFFFFFFFF, 5U, 1 ? 2 : 3U;
foo -7 / 2, -7 % 4, -8 >> 1, 1 << 70, ~0, !3;
foo 1 < 2, -1 < 1U, (.u64)-1, 0f3F800000, 1.0 / 4.0;
foo 1 / 0, 1 + 1.0, 2 && 0 || 1, 5 == 5;
foo 1 ? 1.0 : 2.0, 1.0 / 0.0, 1 || 1 / 0, -0d3FF0000000000000, 1.0 < 2.0, !1.5;
foo (-1&-1)/2, ~0/2, (0?2U:-1)/2, (1?(0U-2):-1)/2, 1<<70, -8>>70, -4/1U, 2-3>1, -1>1U;
",
        expect![[r#"
            foo [] 8 ; 3 ; 18446744073709551615U ; 5U ; 2
            foo [] -3 ; 1U ; -4 ; 64 ; 18446744073709551615U ; 0
            foo [] 1 ; 0 ; 18446744073709551615U ; Some(1.0) ; Some(0.25)
            foo [] None ; None ; 1 ; 1
            foo [] None ; None ; None ; Some(-1.0) ; 1 ; None
            foo [] 0 ; 9223372036854775807U ; 0 ; 9223372036854775807U ; 64 ; -1 ; 18446744073709551612U ; 0 ; 1
            DivisionByZero at `1 / 0`
            ConstantTypes at `1 + 1.0`
            ConstantTypes at `1 ? 1.0 : 2.0`
            DivisionByZero at `1.0 / 0.0`
            DivisionByZero at `1 / 0`
            ConstantTypes at `!1.5`
        "#]],
    );
}

/// The values are those of the assembler's machine code.
#[test]
fn constants_after_a_base() {
    check_operands(
        "\
ld.global.u8 %r1, [%r2+1<<3];
ld.global.u8 %r1, [%r2+4+4<<1];
ld.global.u8 %r1, [%r2+1<<3+1];
ld.global.u8 %r1, [%r2+-1<<2];
ld.global.u8 %r1, [%r2+4-8];
ld.global.u8 %r1, [s+1?4:8];
mov.u64 %r1, s+4|2;
ld.shared.u8 %r1, s[%r2+1<<3];
ld.global.u8 %r1, [%r2-64];
ld.global.u8 %r1, [%r2-4+8];
",
        expect![[r#"
            ld [global u8] %r1 ; bracketed(%r2 +8)
            ld [global u8] %r1 ; bracketed(%r2 +16)
            ld [global u8] %r1 ; bracketed(%r2 +16)
            ld [global u8] %r1 ; bracketed(%r2 -4)
            ld [global u8] %r1 ; bracketed(%r2 -4)
            ld [global u8] %r1 ; bracketed(symbol s +4)
            mov [u64] %r1 ; sum(symbol s +6)
            ld [shared u8] %r1 ; subscript(symbol s index %r2 +8)
            ld [global u8] %r1 ; bracketed(%r2 -64)
            ld [global u8] %r1 ; bracketed(%r2 +4)
            SubtractedOffset at `-`
            SubtractedOffset at `-`
        "#]],
    );
}

#[test]
fn text_that_is_not_an_operand() {
    check_operands(
        "\
ld.global.u32 %r1, [%r2 * 4];
ld.global.u32 %r1, [%r2 + %r3];
add.s32 %r1, %r2, ~%r3;
",
        expect![[r#"
            ld [global u32] %r1 ; bracketed(%r2 +0)
            ld [global u32] %r1 ; bracketed(%r2 +0)
            add [s32] %r1 ; %r2 ; missing
            OperandExpression at `%r2 * 4`
            OperandExpression at `%r2 + %r3`
            OperandExpression at `~%r3`
        "#]],
    );
}
