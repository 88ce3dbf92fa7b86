//! Instructions of Hopper and later, and atomics on pairs of halves.

use expect_test::expect;

use crate::machines::{check_findings, run, values};

#[test]
fn an_instruction_knows_its_address() {
    assert_eq!(values(90, "LEPC R2\nMOV R6, R2")[5], 0x10);
}

#[test]
fn stored_matrices_have_a_row_at_each_address() {
    let rows = |store: &str| {
        values(
            90,
            &format!(
                "IMAD.SHL.U32 R2, R0, 0x10, RZ
                 IADD3 R3, R0, 0x100, RZ
                 PRMT R4, R0, 0x5410, R3
                 MOV R5, R4
                 {store}
                 IMAD.SHL.U32 R2, R0, 0x4, RZ
                 LDS R6, [R2]"
            ),
        )
    };
    // Lane 4 * row + column has the elements of its row.
    let all: Vec<u32> = (0..32).map(|lane| lane | (lane + 0x100) << 16).collect();
    assert_eq!(rows("STSM.16.M88 [R2], R4"), all);
    assert_eq!(rows("STSM.16.M88.2 [R2], R4"), all);
    // The first row is the first column: the low halves of lanes 0, 4, 8 and so on.
    assert_eq!(rows("STSM.16.MT88 [R2], R4")[..4], [0x4_0000, 0xc_0008, 0x14_0010, 0x1c_0018]);
}

#[test]
fn a_request_for_registers_succeeds() {
    assert_eq!(values(90, "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0\nMOV R6, RZ\n@UP0 MOV R6, 0x1")[3], 1);
}

#[test]
fn products_of_narrow_floats() {
    let body = "MOV R8, 0x38383838\nMOV R9, R8\nMOV R10, R8\nMOV R11, R8\nMOV R12, R8\nMOV R13, R8
        CS2R R16, SRZ\nCS2R R18, SRZ\nQMMA.16832.F32.E4M3.E4M3 R16, R8, R12, R16\nMOV R6, R16";
    assert_eq!(values(120, body), [32f32.to_bits(); 32]);
}

#[test]
fn an_atomic_with_a_predicate_says_whether_it_was_done() {
    let body = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R5, 0x3c00
        ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, [R2.64], R5\nMOV R6, RZ\n@P0 MOV R6, 0x1\nWARPSYNC.ALL";
    assert_eq!(values(80, body), [1; 32]);
}

#[test]
fn a_carry_needs_x() {
    check_findings(
        80,
        "IADD3 R5, R6, ~R7, RZ, P5, !PT\nEXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `IADD3`
            a carry operand without `.X` is not an operand of this instruction
        "#]],
    );
    check_findings(80, "IADD3 R5, P0, R6, ~R7, RZ\nEXIT", expect![[r#""#]]);
}

#[test]
fn constants_of_a_bank_that_the_listing_does_not_have() {
    check_findings(
        90,
        "LDC.64 R4, c[0x4][0x8]\nEXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `LDC.64`
            the listing does not have the contents of constant bank 0x4; print it with its data sections, as `nvdisasm` does
        "#]],
    );
}

#[test]
fn accesses_of_256_bits_have_two_groups_of_four_registers() {
    let body =
        "MOV R2, c[0x0][0x380]\nMOV R3, c[0x0][0x384]\nMOV R8, 0x8\nMOV R9, 0x9\nMOV R12, 0x12\nMOV R15, 0x15
        CS2R R10, SRZ\nCS2R R13, SRZ
        STG.E.ENL2.256 desc[UR4][R2.64], R8, R12\nLDG.E.ENL2.256 R20, R16, desc[UR4][R2.64]\nEXIT";
    let (_, result, words) = crate::machines::run(100, body);
    assert_eq!(words[..8], [8, 9, 0, 0, 0x12, 0, 0, 0x15]);
    assert!(
        result.findings.iter().all(|finding| !finding.message.contains("not simulated")),
        "{:?}",
        result.findings
    );
}

/// Offsets and banks that no instruction can have.
#[test]
fn constants_that_do_not_exist() {
    for (load, reason) in [
        ("LDC R4, c[0x2][0x7fffffffffffffff]", "the listing does not have the contents of constant bank 0x2"),
        ("LDC R4, c[0x101][0x100]", "the listing does not have the contents of constant bank 0x101"),
        ("DADD R2, R4, c[0x0][0xfffffffc]", "the offset of its constant is not in 0 to 65535"),
    ] {
        let (_, result, _) = run(90, &format!("{load}\nEXIT"));
        assert!(result.findings[0].message.contains(reason), "{load}: {:?}", result.findings);
    }
}
