//! Fermi to Pascal: jumps through constants, `.S`, the end of a part of a listing, the condition code of floats, limits.

use expect_test::expect;

use crate::machines::{check_findings, check_visits, check_visits_with_findings, values};

/// `c[0x0][0x8]` is the number of threads of a block, 32.
#[test]
fn a_jump_through_a_constant_is_absolute_and_a_branch_counts_from_the_next_instruction() {
    check_visits(
        52,
        "JMP c[0x0][0x8]\nEXIT\nNOP\nNOP\nEXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0020 ffffffff/ffffffff
        "#]],
    );
    check_visits(
        52,
        "BRA c[0x0][0x8]\nEXIT\nEXIT\nEXIT\nEXIT\nEXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0028 ffffffff/ffffffff
        "#]],
    );
}

#[test]
fn a_jump_through_a_constant_obeys_guard_test_and_agreement() {
    check_visits(
        52,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x4, PT
         @P0 JMP.U c[0x0][0x8]
         @P0 JMP c[0x0][0x8]
         EXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0008 ffffffff/ffffffff
            0010 ffffffff/00000000
            0018 ffffffff/0000000f
            0020 ffffffff/ffffffff
        "#]],
    );
}

#[test]
fn sums_beyond_4_gb_do_not_wrap() {
    check_findings(
        30,
        "MOV32I R5, 0xfffffff8\nJMX R5+0x18\nEXIT",
        expect![[r#"
            0008 control-flow 00000001: Invalid control flow: lane 0 jumps to 0x100000010, beyond 4 GB
            the sum of the register and the number is not reduced to 32 bits; check both
        "#]],
    );
    check_findings(30, "MOV32I R5, 0xfffffff8\nBRX R5+0x8\nEXIT", expect![[r#""#]]);
}

#[test]
fn any_instruction_with_s_joins() {
    check_visits(
        30,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x4, PT
         SSY 0x38
         @P0 BRA 0x30
         MOV.S R6, R0
         EXIT
         MOV.S R6, RZ
         EXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0008 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0018 ffffffff/0000000f
            0020 fffffff0/fffffff0
            0030 0000000f/0000000f
            0038 ffffffff/ffffffff
        "#]],
    );
}

#[test]
fn lanes_reconverge_at_the_end_of_a_part_of_a_listing() {
    let body = "S2R R0, SR_LANEID
        SSY 0x28
        ISETP.LT.AND P0, PT, R0, 0x4, PT
        @P0 SYNC
        SYNC";
    check_visits_with_findings(
        52,
        body,
        expect![[r#"
            0000 ffffffff/ffffffff
            0008 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0018 ffffffff/0000000f
            0020 fffffff0/fffffff0
        "#]],
    );
    check_findings(
        52,
        body,
        expect![[r#"
            0020 control-flow ffffffff: Invalid control flow: its lanes reconverge at the end of the listing
            and the run ends there
            add the instructions that follow to see what they do
        "#]],
    );
}

#[test]
fn a_nan_sets_zero_and_sign() {
    let taken = |float: &str, test: &str| {
        let body = format!(
            "ISETP.LT.AND P0, PT, R0, 0x4, PT
             MOV32I R2, 0x3f800000
             MOV32I R3, 0x3ff00000
             @P0 MOV32I R2, 0x7fc00000
             @P0 MOV32I R3, 0x7ff80000
             MOV R4, RZ
             MOV R5, R3
             MOV R6, RZ
             {float}
             CSETP.{test}.AND P1, PT, CC, PT
             @P1 MOV32I R6, 0x1"
        );
        values(52, &body).iter().enumerate().fold(0_u32, |mask, (lane, value)| mask | value << lane)
    };
    for float in ["FADD RZ.CC, R2, RZ", "FMUL RZ.CC, R2, R2", "FFMA RZ.CC, R2, R2, RZ", "DADD RZ.CC, R4, RZ"]
    {
        assert_eq!(taken(float, "NAN"), 0xf, "{float}");
        assert_eq!(taken(float, "GT"), 0xffff_fff0, "{float}");
        assert_eq!(taken(float, "GTU"), 0xffff_ffff, "{float}");
        assert_eq!(taken(float, "LT"), 0, "{float}");
        assert_eq!(taken(float, "LTU"), 0xf, "{float}");
    }
}

#[test]
fn at_the_limit_of_nested_calls_a_branch_with_lmt_is_a_nop() {
    check_findings(52, "PRET 0x18\nBRA.LMT 0x0\nEXIT\nEXIT", expect![[r#""#]]);
}

#[test]
fn an_unknown_test_is_not_guessed() {
    check_findings(
        52,
        "BRA CC.FOO, 0x8\nEXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `BRA`: `CC.FOO` is not a test of the condition code
        "#]],
    );
}

#[test]
fn a_condition_code_that_nothing_wrote_is_reported_where_it_matters() {
    check_findings(
        52,
        "BRA CC.GE, 0x8\nEXIT",
        expect![[r#"
            0000 uninitialized-read ffffffff: Uninitialized read: `CC` in lanes 0-31, before it is written
            the value controls a branch; write it on every path to this statement
        "#]],
    );
    check_findings(
        52,
        "MOV R4, c[0x0][0x140]\nMOV R5, c[0x0][0x144]\nIADD.X R6, RZ, RZ\nSTG.E [R4], R6\nEXIT",
        expect![[r#"
            0010 uninitialized-read ffffffff: Uninitialized read: `CC` in lanes 0-31, before it is written
            the value is stored; write it on every path to this statement
        "#]],
    );
    check_findings(52, "IADD RZ.CC, RZ, 0x1\nBRA CC.GE, 0x10\nEXIT", expect![[r#""#]]);
    // Only the carry is written, and only the carry is read.
    check_findings(
        52,
        "LEA R2.CC, RZ, RZ, 0x2\nLEA.HI.X R3, RZ, RZ, RZ, 0x2\nBRA CC.HS, 0x18\nEXIT",
        expect![[r#""#]],
    );
}

#[test]
fn a_call_of_an_address_that_the_linker_fills_in() {
    check_findings(
        61,
        "JCAL 0x0\nEXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `JCAL`: its target is not in the listing
            `cuobjdump` prints 0 for an address that the linker fills in; `nvdisasm` prints the name
        "#]],
    );
}

#[test]
fn the_difference_to_the_least_integer_overflows() {
    // `b` is at the end of each line; `CC.LT` says whether the lane is less than it.
    for (b, is_less) in [("0x80000000", false), ("0x80000001", false), ("0x7fffffff", true), ("0x0", false)] {
        let body = format!(
            "MOV32I R5, {b}\nMOV R6, RZ\nIADD RZ.CC, R0, -R5\nCSETP.LT.AND P0, PT, CC, PT\n@P0 MOV32I R6, 0x1"
        );
        assert_eq!(values(52, &body), [u32::from(is_less); 32], "{b}");
    }
}
