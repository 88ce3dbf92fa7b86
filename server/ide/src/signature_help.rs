//! Signature help for operands: the forms of the written opcode, or the signature of the callee in a call.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{FilePosition, Signature, SignatureHelp, SignatureParameter};

use crate::completion_context::is_in_text;
use crate::language::LanguageSupport;

/// The maximum number of forms that are listed. Those that match best are kept.
pub(crate) const MAX_FORMS: usize = 24;

/// The forms of the statement whose operands are being typed at a position.
pub(crate) fn signature_help(
    position: &FilePosition<'_>,
    support: &LanguageSupport,
) -> Option<SignatureHelp> {
    if is_in_text(position) {
        return None;
    }
    (support.signature_help)(position)
}

/// Builds a label with the ranges of its parameters.
#[derive(Default)]
pub(crate) struct Label {
    text: String,
    parameters: Vec<SignatureParameter>,
}

impl Label {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn push_parameter(&mut self, text: &str, documentation: String) {
        let start = TextSize::of(self.text.as_str());
        self.text.push_str(text);
        let range = TextRange::at(start, TextSize::of(text));
        self.parameters.push(SignatureParameter { range, documentation });
    }

    /// Completes the signature. The parameter with this index is active, if it exists.
    pub(crate) fn finish(self, documentation: String, active: usize) -> Signature {
        let active = (active < self.parameters.len()).then_some(active);
        Signature { label: self.text, documentation, parameters: self.parameters, active }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, open};

    /// Shows the signatures. `>` marks the active one, and carets mark its active parameter, which is
    /// explained.
    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let mut shown = String::new();
        if let Some(help) = analysis.signature_help(FILE, fixture.cursor()).unwrap() {
            for (index, signature) in help.signatures.iter().enumerate() {
                let is_active = index == help.active;
                writeln!(shown, "{} {}", if is_active { '>' } else { ' ' }, signature.label).unwrap();
                let parameter = signature.active.map(|active| &signature.parameters[active]);
                if let Some(parameter) = parameter.filter(|_| is_active) {
                    let (start, length) = (parameter.range.start().into(), parameter.range.len().into());
                    let documentation = &parameter.documentation;
                    writeln!(shown, "  {}{} {documentation}", " ".repeat(start), "^".repeat(length)).unwrap();
                }
            }
        }
        expect.assert_eq(&shown);
    }

    fn check_statement(statement: &str, expect: Expect) {
        let marker = " ".repeat(statement.len());
        check(&format!(".entry k() {{\n{statement}\n{marker}|\n}}\n"), expect);
    }

    #[test]
    fn the_operand_that_is_typed() {
        check_statement(
            "prmt.b32 ",
            expect![[r#"
            > prmt.b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} d, a, b, c
                                                       ^ `d` written: register
        "#]],
        );
        check_statement(
            "@p prmt.b32 %r1, %r2, ",
            expect![[r#"
            > prmt.b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} d, a, b, c
                                                             ^ `b` read: register or constant · bytes 4-7
        "#]],
        );
    }

    #[test]
    fn optional_operands_and_addresses_are_operands() {
        check_statement(
            "ldu.global.u32 %r1, [",
            expect![[r#"
            > ldu{.global}{.vec}.type d, [a]
                                         ^^^ `a` read: address `[…]`
        "#]],
        );
        check_statement(
            "st.bulk [a], 8, ",
            expect![[r#"
                > st.bulk{.weak}{.shared::cta} [a], size, initval
                                                          ^^^^^^^ `initval` read: constant · fill value (only 0)
            "#]],
        );
        check_statement(
            "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2}, [p], ",
            expect![[r#"
                > wmma.load.{a,b,c}.sync.aligned.layout.shape{.ss}.type r {8 × .f16x2}, [p]{, stride}
                                                                                               ^^^^^^ `stride` read: register or constant, optional · leading dimension in elements
            "#]],
        );
    }

    #[test]
    fn the_form_that_fits_the_modifiers_is_active() {
        check_statement(
            "ld.volatile.global.u32 ",
            expect![[r#"
              ld{.weak}{.ss}{.cop}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, policy}
              ld{.weak}{.ss}{.l1_priority}{.l2_priority}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, policy}
            > ld.volatile{.ss}{.prefetch_size}{.vec}.type d, [a]
                                                          ^ `d` written: register or vector `{…}`
              ld.{relaxed,acquire}.scope{.ss}{.l1_priority}{.l2_priority}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{, policy}
              ld.mmio.{relaxed,acquire}.sys{.global}.type d, [a]
              ld.proxy::readonly{.ss}.type d, [a]
        "#]],
        );
    }

    #[test]
    fn matrices_show_their_registers() {
        check_statement(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, ",
            expect![[r#"
                  mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d, a, b, c
                > mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.dtype.f16.f16.ctype d {4 × .f32}, a {4 × .f16x2}, b {2 × .f16x2}, c {4 × .f32}
                                                                                                 ^^^^^^^^^^^^^^^ `a` read: vector `{…}` or constant · A fragment
                  mma.sync.aligned.{m16n8k4,m16n8k8}.row.col.f32.tf32.tf32.f32 d, a, b, c
                  mma.sync.aligned.{m16n8k8,m16n8k16}.row.col.f32.bf16.bf16.f32 d, a, b, c
                  mma.sync.aligned.{m16n8k16,m16n8k32}.row.col.dtype.atype.btype.ctype d, a, b, c
                  mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.dtype.atype.btype.ctype d, a, b, c
                  mma.sync.aligned.m16n8k64.row.col.kind::{mxf4,mxf4nvf4}.block_scale{.scale_vec}.f32.e2m1.e2m1.f32.stype d, a, b, c, sfa, selA, sfb, selB
                  mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.atype.btype.f32.ue8m0 d, a, b, c, sfa, selA, sfb, selB
                  mma.sync.aligned.{m8n8k4,m16n8k4,m16n8k8,m16n8k16}.row.col.f64.f64.f64.f64{.rnd} d, a, b, c
                  mma.sync.aligned.{m8n8k16,m16n8k16,m16n8k32}.row.col{.satfinite}.s32.{u8,s8}.{u8,s8}.s32 d, a, b, c
                  mma.sync.aligned.{m8n8k32,m16n8k32,m16n8k64}.row.col{.satfinite}.s32.{u4,s4}.{u4,s4}.s32 d, a, b, c
                  mma.sync.aligned.{m8n8k128,m16n8k128,m16n8k256}.row.col.s32.b1.b1.s32.bitop d, a, b, c
                  mma.variant.sync.aligned.{m16n8k16,m16n8k32}.row.col.dtype.f16.f16.ctype d, a, b, c, e, f
                  mma.variant.sync.aligned.{m16n8k16,m16n8k32}.row.col.f32.bf16.bf16.f32 d, a, b, c, e, f
                  mma.variant.sync.aligned.{m16n8k8,m16n8k16}.row.col.f32.tf32.tf32.f32 d, a, b, c, e, f
                  mma.variant.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d, a, b, c, e, f
                  mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.dtype.atype.btype.ctype d, a, b, c, e, f
                  mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::{mxf4,mxf4nvf4}.block_scale{.scale_vec}.f32.e2m1.e2m1.f32.stype d, a, b, c, e, f, sfa, selA, sfb, selB
                  mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.atype.btype.f32.ue8m0 d, a, b, c, e, f, sfa, selA, sfb, selB
                  mma.variant.sync.aligned.{m16n8k32,m16n8k64}.row.col{.satfinite}.s32.{u8,s8}.{u8,s8}.s32 d, a, b, c, e, f
                  mma.variant.sync.aligned.{m16n8k64,m16n8k128}.row.col{.satfinite}.s32.{u4,s4}.{u4,s4}.s32 d, a, b, c, e, f
            "#]],
        );
        check_statement(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ",
            expect![[r#"
            > wgmma.mma_async.sync.aligned.shape.dtype.{f16,bf16}.{f16,bf16} d {4 × .f32}, a, b, scale-d, imm-scale-a, imm-scale-b{, imm-trans-a}, imm-trans-b
                                                                             ^^^^^^^^^^^^^ `d` read and written: vector `{…}` · accumulator fragment (in/out)
              wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 d, a, b, scale-d, imm-scale-a, imm-scale-b
              wgmma.mma_async.sync.aligned.shape.{f16,f32}.{e4m3,e5m2}.{e4m3,e5m2} d, a, b, scale-d, imm-scale-a, imm-scale-b
              wgmma.mma_async.sync.aligned.shape.s32.{s8,u8}.{s8,u8}{.satfinite} d, a, b, scale-d
              wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc d, a, b, scale-d
              wgmma.mma_async.sp.sync.aligned.shape.dtype.{f16,bf16}.{f16,bf16} d, a, b, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b{, imm-trans-a}, imm-trans-b
              wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32 d, a, b, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b
              wgmma.mma_async.sp.sync.aligned.shape.{f16,f32}.{e4m3,e5m2}.{e4m3,e5m2} d, a, b, sp-meta, sp-sel, scale-d, imm-scale-a, imm-scale-b
              wgmma.mma_async.sp.sync.aligned.shape.s32.{s8,u8}.{s8,u8}{.satfinite} d, a, b, sp-meta, sp-sel, scale-d
        "#]],
        );
        check_statement(
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 ",
            expect![[r#"
            > ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r {4 × .b32}, [p]
                                                              ^^^^^^^^^^^^^ `r` written: vector `{…}` · fragments (.b32 each)
              ldmatrix.sync.aligned.m16n16.{x1,x2}.trans{.ss}.b8 r, [p]
              ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.{b6x16_p32,b4x16_p64} r, [p]
              ldmatrix.sync.aligned.m16n16.{x1,x2}.trans{.ss}.b8x16.{b6x16_p32,b4x16_p64} r, [p]
              ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4 r, [p]
        "#]],
        );
        check_statement(
            "ld.global.v4.f32 ",
            expect![[r#"
            > ld{.weak}{.ss}{.cop}{.L2::cache_hint}{.prefetch_size}{.vec}.type d {4 × .f32}, [a]{.unified}{, policy}
                                                                               ^^^^^^^^^^^^^ `d` written: register or vector `{…}`
              ld{.weak}{.ss}{.l1_priority}{.l2_priority}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{.unified}{, policy}
              ld.volatile{.ss}{.prefetch_size}{.vec}.type d, [a]
              ld.{relaxed,acquire}.scope{.ss}{.l1_priority}{.l2_priority}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{, policy}
              ld.mmio.{relaxed,acquire}.sys{.global}.type d, [a]
              ld.proxy::readonly{.ss}.type d, [a]
              ld.global{.cop}.nc{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{, policy}
              ld.global.nc{.l1_priority}{.l2_priority}{.L2::cache_hint}{.prefetch_size}{.vec}.type d, [a]{, policy}
        "#]],
        );
    }

    #[test]
    fn more_operands_than_a_form_has_point_at_none() {
        check_statement(
            "prmt.b32 %r1, %r2, %r3, %r4, ",
            expect![[r#"
            > prmt.b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} d, a, b, c
        "#]],
        );
    }

    #[test]
    fn nothing_where_no_operand_is_typed() {
        check_statement("prmt.b32", expect![""]);
        check_statement("prmt.b32 %r1; ", expect![""]);
        check_statement("frobnicate %r1, ", expect![""]);
        check_statement("// prmt.b32 %r1, ", expect![""]);
        check_statement(".reg .b32 ", expect![""]);
    }

    const CALLEE: &str = ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16]);\n.entry k() {\n";

    fn check_call(statement: &str, expect: Expect) {
        let marker = " ".repeat(statement.len());
        check(&format!("{CALLEE}{statement}\n{marker}|\n}}\n"), expect);
    }

    #[test]
    fn a_call_shows_what_the_callee_takes() {
        check_call(
            "call (x), f, (y, ",
            expect![[r#"
            > call (.param .b32 r), f, (.param .b32 a, .param .align 8 .b8 b[16])
                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^ parameter 1
        "#]],
        );
        check_call(
            "call.uni (x), f, (",
            expect![[r#"
                > call.uni (.param .b32 r), f, (.param .b32 a, .param .align 8 .b8 b[16])
                                                ^^^^^^^^^^^^^ parameter 0
            "#]],
        );
        check_call(
            "call (x), f, ",
            expect![[r#"
            > call (.param .b32 r), f, (.param .b32 a, .param .align 8 .b8 b[16])
        "#]],
        );
    }

    #[test]
    fn the_returns_of_a_call_that_is_edited() {
        let source = format!("{CALLEE}call (x), f, (y, z);\n      |\n}}\n");
        check(
            &source,
            expect![[r#"
            > call (.param .b32 r), f, (.param .b32 a, .param .align 8 .b8 b[16])
                    ^^^^^^^^^^^^^ return parameter 0
        "#]],
        );
    }

    #[test]
    fn a_call_of_an_unknown_function_shows_the_forms_of_call() {
        check_call(
            "call (x), ",
            expect![[r#"
                > call{.uni} (ret), func, (args)
                                    ^^^^ `func` read: variable or function or register · callee or pointer
                  call{.uni} func, (args)
                  call{.uni} func
                  call{.uni} (ret), fptr, (args), flist
                  call{.uni} fptr, (args), flist
                  call{.uni} fptr, flist
                  call{.uni} (ret), fptr, (args), fproto
                  call{.uni} fptr, (args), fproto
                  call{.uni} fptr, fproto
            "#]],
        );
    }

    fn check_wave(line: &str, expect: Expect) {
        let marker = " ".repeat(line.len());
        check(&format!(".kernel k\n{line}\n{marker}|\n.end\n"), expect);
    }

    #[test]
    fn operands_of_wave_in_the_written_dialect() {
        check_wave(
            "iadd ",
            expect![[r#"
            > iadd rd, rs1, rs2
                   ^^ `rd` written: register (`b32`)
        "#]],
        );
        check_wave(
            "x: @!p1 icmp_lt p1, r0, ",
            expect![[r#"
            > icmp_lt pd, rs1, rs2
                               ^^^ `rs2` read: register or number (`i32`)
        "#]],
        );
        check_wave(
            "device_store.u32.cached r1, ",
            expect![[r#"
                > device_store.u32.cached rs2, addr
                                               ^^^^ `addr` read: register or number (`u32 byte address`)
            "#]],
        );
        check_wave(
            "device_store_u32 r1, ",
            expect![[r#"
            > device_store_u32 addr, rs2
                                     ^^^ `rs2` read: register or number (`u32`)
        "#]],
        );
        check_wave(
            "and p1, ",
            expect![[r#"
              and rd, rs1, rs2
            > and pd, ps1, ps2
                      ^^^ `ps1` read: predicate or negated predicate `!p`
        "#]],
        );
        check_wave(
            "atomic_add r1, r2, r3, ",
            expect![[r#"
            > atomic_add rd, addr, rs2, scope
                                        ^^^^^ `scope` read: scope
              atomic_add addr, rs2, scope
        "#]],
        );
        check_wave(
            "atomic_add.device r1, r2, ",
            expect![[r#"
            > atomic_add.device rd, addr, rs2
                                          ^^^ `rs2` read: register or number (`u32`)
              atomic_add.device addr, rs2
        "#]],
        );
        check_wave(
            ".workgroup_size 8, ",
            expect![[r#"
            > .workgroup_size X[, Y, Z]
                                  ^ Sets how many threads a workgroup has, in x, y and z.
        "#]],
        );
        check_wave("halt ", expect![""]);
        check_wave("iadd r1 ; ", expect![""]);
    }
}
