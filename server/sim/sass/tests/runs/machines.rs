//! Handwritten SASS kernels: masks under both machines, values, findings.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_sim_sass::Program;
use warplens_sim_warp::{Checks, RunOptions, RunResult, Status};

/// A listing for a target, with its instructions numbered.
pub(crate) fn listing(target: u16, body: &str) -> String {
    let step = if target < 70 { 8 } else { 16 };
    let mut text = format!("\tcode for sm_{target}\n\t\tFunction : k\n");
    for (index, line) in body.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        writeln!(text, "        /*{:04x}*/                   {line} ;", index * step).expect("text");
    }
    text + "\t\t..........\n"
}

/// Runs a listing with a buffer of one word for each of 32 threads, and returns the words.
pub(crate) fn run(target: u16, body: &str) -> (Program, RunResult, Vec<u32>) {
    run_threads(target, body, 32)
}

/// Like [`run`], for a block with this many threads.
fn run_threads(target: u16, body: &str, threads: u32) -> (Program, RunResult, Vec<u32>) {
    let program = crate::common::program(&listing(target, body), "k");
    let mut config = warplens_sim_sass::launch_config(program.target, 8, [1; 3], [threads, 1, 1]);
    let out = config.memory.allocate("out", 128).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = crate::common::run(&program, config, &options);
    let bytes = result.memory.bytes(out, 128).expect("the buffer");
    let words =
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
    (program, result, words)
}

/// The visits of each statement: its address, and active and executed lanes.
fn visits(program: &Program, result: &RunResult) -> String {
    let mut text = String::new();
    for line in &result.warps[0].lines {
        write!(text, "{:04x}", program.addresses[line.statement.index()]).expect("text");
        for visit in line.visits.iter() {
            write!(text, " {:08x}/{:08x}", visit.active, visit.executed).expect("text");
        }
        text.push('\n');
    }
    text
}

pub(crate) fn check_visits(target: u16, body: &str, expect: Expect) {
    let (program, result, _) = run(target, body);
    assert_eq!(result.findings, []);
    expect.assert_eq(&visits(&program, &result));
}

/// Checks the visits of a run with findings.
pub(crate) fn check_visits_with_findings(target: u16, body: &str, expect: Expect) {
    let (program, result, _) = run(target, body);
    assert_ne!(result.findings, []);
    expect.assert_eq(&visits(&program, &result));
}

/// The value of `R6` in each lane; a common prologue and store are added.
pub(crate) fn values(target: u16, body: &str) -> Vec<u32> {
    let store = match target {
        ..70 => {
            "SHL R3, R0, 0x2\nIADD R4.CC, R3, c[0x0][0x140]\nIADD.X R5, RZ, c[0x0][0x144]\nSTG.E [R4], R6\nEXIT"
        }
        70..90 => "MOV R8, 0x4\nIMAD.WIDE R8, R0, R8, c[0x0][0x160]\nSTG.E.SYS [R8], R6\nEXIT",
        90..100 => "MOV R8, 0x4\nIMAD.WIDE R8, R0, R8, c[0x0][0x210]\nSTG.E.SYS [R8], R6\nEXIT",
        _ => "MOV R8, 0x4\nIMAD.WIDE R8, R0, R8, c[0x0][0x380]\nSTG.E.SYS [R8], R6\nEXIT",
    };
    let (_, result, words) = run(target, &format!("S2R R0, SR_LANEID\n{body}\n{store}"));
    assert_eq!((result.status, result.findings), (Status::Finished, Vec::new()));
    words
}

/// The findings, one on each line.
pub(crate) fn check_findings(target: u16, body: &str, expect: Expect) {
    check_findings_of_threads(target, body, 32, expect);
}

/// The kinds of the findings.
pub(crate) fn finding_kinds(target: u16, body: &str) -> Vec<&'static str> {
    run(target, body).1.findings.iter().map(|finding| finding.kind.name()).collect()
}

/// Like [`check_findings`], for a block with this many threads.
pub(crate) fn check_findings_of_threads(target: u16, body: &str, threads: u32, expect: Expect) {
    let (program, result, _) = run_threads(target, body, threads);
    let mut text = String::new();
    for finding in &result.findings {
        let at = finding.statement.map_or(0, |statement| program.addresses[statement.index()]);
        writeln!(text, "{at:04x} {} {:08x}: {}", finding.kind, finding.lanes, finding.message).expect("text");
    }
    expect.assert_eq(&text);
}

#[test]
fn tokens_reconverge_at_the_target_of_ssy() {
    check_visits(
        52,
        "S2R R0, SR_LANEID
         SSY 0x30
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         @P0 SYNC
         IADD32I R6, R6, 0x1
         SYNC
         EXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0008 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0018 ffffffff/000000ff
            0020 ffffff00/ffffff00
            0028 ffffff00/ffffff00
            0030 ffffffff/ffffffff
        "#]],
    );
}

#[test]
fn barriers_reconverge_after_bsync() {
    check_visits(
        75,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         BSSY B0, 0x60
         @P0 BRA 0x50
         IADD3 R6, R6, 0x1, RZ
         BSYNC B0
         EXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0020 ffffffff/ffffffff
            0030 ffffffff/000000ff
            0040 ffffff00/ffffff00
            0050 000000ff/000000ff ffffff00/ffffff00
            0060 ffffffff/ffffffff
        "#]],
    );
}

#[test]
fn paths_without_a_barrier_stay_apart() {
    check_visits(
        75,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         @P0 BRA 0x40
         IADD3 R6, R6, 0x1, RZ
         NOP
         EXIT",
        expect![[r#"
            0000 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0020 ffffffff/000000ff
            0030 ffffff00/ffffff00
            0040 000000ff/000000ff ffffff00/ffffff00
            0050 000000ff/000000ff ffffff00/ffffff00
        "#]],
    );
}

#[test]
fn a_carry_passes_to_the_upper_word() {
    let old = values(52, "MOV32I R1, 0xffffffff\nIADD R2.CC, R1, R0\nIADD.X R6, RZ, RZ");
    let new = values(75, "MOV R1, 0xffffffff\nIADD3 R2, P0, R1, R0, RZ\nIADD3.X R6, RZ, RZ, RZ, P0, !PT");
    let expected: Vec<u32> = (0..32).map(|lane| u32::from(lane != 0)).collect();
    assert_eq!((old, new), (expected.clone(), expected));
}

#[test]
fn a_64_bit_comparison_uses_the_verdict_of_the_lower_words() {
    // (1, lane) < (1, 5)
    let body = "MOV R1, 0x1
        ISETP.LT.U32.AND P0, PT, R0, 0x5, PT
        ISETP.LT.U32.AND.EX P1, PT, R1, 0x1, PT, P0
        SEL R6, RZ, 0x1, !P1";
    assert_eq!(values(75, body), (0..32).map(|lane| u32::from(lane < 5)).collect::<Vec<_>>());
}

#[test]
fn products_of_16_bits_make_one_of_32() {
    let body = "MOV32I R1, 0x12345
        XMAD.MRG R2, R0, R1.H1, RZ
        XMAD R3, R0, R1, RZ
        XMAD.PSL.CBCC R6, R0.H1, R2.H1, R3";
    assert_eq!(values(52, body), (0..32).map(|lane| lane * 0x12345).collect::<Vec<_>>());
}

#[test]
fn floats_round_by_their_modifier() {
    let body = "I2FP.F32.U32 R1, R0\nFADD.RP R2, R1, 1e-20\nFADD.RZ R3, R1, 1e-20\nISETP.NE.AND P0, PT, R2, R3, PT\nSEL R6, RZ, 0x1, !P0";
    assert_eq!(values(80, body)[1..], [1; 31]);
}

#[test]
fn a_nan_in_the_text_becomes_the_integer_0() {
    assert_eq!(values(80, "F2I.FLOOR.NTZ R6, -QNAN"), [0; 32]);
}

/// Errors that random kernels found: signs of constants, the carry of `LEA.X`, a uniform saturation.
#[test]
fn operands_of_random_kernels() {
    let in_lanes = |holds: fn(u32) -> bool| (0..32).map(|lane| u32::from(holds(lane))).collect::<Vec<_>>();
    let signs = "IADD3 R1, R0, -0x10, RZ
         PLOP3.LUT P0, PT, R0.SIGN, c[0x0] [0x164].SIGN, R1.SIGN, 0x2, 0x0
         SEL R6, RZ, 0x1, !P0";
    assert_eq!(values(75, signs), in_lanes(|lane| lane < 16));
    let carry = "MOV R1, 0xfffffff
         ISETP.GE.AND P1, PT, R0, RZ, PT
         LEA.X R2, P0, R1, R0, 0x4, P1
         SEL R6, RZ, 0x1, !P0";
    assert_eq!(values(75, carry), in_lanes(|lane| lane >= 15));
    // A carry out of a sum with a negated zero means "no borrow".
    let borrow = "MOV R1, 0x1
         MOV R2, RZ
         MOV R3, RZ
         IMAD.WIDE R4, P0, R0, R1, -R2
         SEL R6, RZ, 0x1, !P0";
    assert_eq!(values(75, borrow), [1; 32]);
    let (_, result, words) = run(
        120,
        "S2R R0, SR_LANEID
         UMOV UR4, 0x1ff
         UI2I.U8.S32.SAT UR4, UR4
         MOV R6, UR4
         MOV R8, 0x4
         IMAD.WIDE R8, R0, R8, c[0x0][0x380]
         STG.E.SYS [R8], R6
         EXIT",
    );
    assert_eq!((result.status, result.findings, words), (Status::Finished, Vec::new(), vec![255; 32]));
}

/// `VHMNMX`: the smallest and the largest of three, by halves. The negative zero is smaller, and without
/// `.NAN` a number is preferred to a NaN.
#[test]
fn extremes_of_three_halves() {
    let extreme = |opcode: &str, sources: [u32; 3], is_minimum: bool| {
        let [a, b, c] = sources;
        let minimum = if is_minimum { "PT" } else { "!PT" };
        let (_, result, words) = run(
            90,
            &format!(
                "S2R R0, SR_LANEID
                 MOV R1, {a:#x}
                 MOV R2, {b:#x}
                 MOV R3, {c:#x}
                 {opcode} R6, R1, R2, R3, {minimum}
                 MOV R8, 0x4
                 IMAD.WIDE R8, R0, R8, c[0x0][0x210]
                 STG.E.SYS [R8], R6
                 EXIT"
            ),
        );
        assert_eq!((result.status, result.findings), (Status::Finished, Vec::new()));
        words[0]
    };
    let halves = [0x3c00_8000, 0x4000_0000, 0x7e00_bc00];
    assert_eq!(extreme("VHMNMX", halves, true), 0x3c00_bc00);
    assert_eq!(extreme("VHMNMX", halves, false), 0x4000_0000);
    assert_eq!(extreme("VHMNMX.NAN", halves, false), 0x7fff_0000);
    let brains = [0x3f80_8000, 0x4000_0000, 0x7fc0_bf80];
    assert_eq!(extreme("VHMNMX.BF16_V2", brains, true), 0x3f80_bf80);
    assert_eq!(extreme("VHMNMX.BF16_V2.NAN", brains, true), 0x7fff_bf80);
}

#[test]
fn shuffles_and_votes() {
    assert_eq!(
        values(75, "SHFL.BFLY PT, R6, R0, 0x1, 0x1f"),
        (0..32).map(|lane| lane ^ 1).collect::<Vec<_>>()
    );
    assert_eq!(values(75, "ISETP.LT.AND P0, PT, R0, 0x4, PT\nVOTE.ANY R6, PT, P0"), [0xf; 32]);
}

#[test]
fn an_uncovered_instruction_stops_the_run() {
    check_findings(
        80,
        "S2R R0, SR_LANEID
         TEX.B.LL RZ, R1, R0, R2, 0x0, 0x58, 2D, 0x3
         EXIT",
        expect![[r#"
            0010 unsupported ffffffff: Unsupported instruction: `TEX.B.LL`
        "#]],
    );
}

#[test]
fn the_machines_report_what_their_state_does_not_allow() {
    check_findings(
        52,
        "S2R R0, SR_LANEID
         SYNC
         EXIT",
        expect![[r#"
            0008 control-flow ffffffff: Invalid control flow: `SYNC` without a token
            no `SSY` precedes it on this path: the lanes have nowhere to wait; check the control flow before it
        "#]],
    );
    check_findings(
        75,
        "S2R R0, SR_LANEID
         BSYNC B3
         EXIT",
        expect![[r#"
            0010 control-flow ffffffff: Invalid control flow: `BSYNC B3` waits at a barrier without lanes
            no `BSSY B3` precedes it on this path: the lanes do not wait for others; check the control flow before it
        "#]],
    );
    check_findings(
        75,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         @P0 BRA 0x50
         WARPSYNC 0xffffffff
         EXIT
         WARPSYNC 0xf0f
         EXIT",
        expect![[r#"
            0050 wrong-membermask 000000f0: Invalid member mask: it does not include all lanes that execute the instruction
            the mask of lane 4 is 0xf0f and misses lanes 4-7; include each of them
            0030 no-progress ffffff00: Deadlock: lanes 8-31 wait at `WARPSYNC` for lanes 0-7
            which do not reach one of this mask
        "#]],
    );
}

#[test]
fn races_and_bounds_are_found() {
    check_findings(
        75,
        "S2R R0, SR_LANEID
         SHF.L.U32 R1, R0, 0x6, RZ
         MOV R2, c[0x0][0x160]
         IADD3 R2, P0, R2, R1, RZ
         IADD3.X R3, RZ, c[0x0][0x164], RZ, P0, !PT
         STG.E.SYS [R2], R0
         EXIT",
        expect![[r#"
            0050 out-of-bounds fffffffc: Out of bounds: `out[32]` is beyond `out`, which has 32 elements
            `out` has 128 bytes, this store of 4 bytes needs 132; guard the access, or make the buffer larger
        "#]],
    );
}

#[test]
fn the_upper_word_of_a_product_has_a_carry() {
    // The sum of the product and the pair is 2^64.
    let words = values(
        80,
        "MOV R2, 0xffffffff\nMOV R3, 0xffffffff\nMOV R4, 0x1\nIMAD.HI.U32 R6, P0, R4, 0x1, R2\n@P0 IADD3 R6, R6, 0x7, RZ",
    );
    assert_eq!(words, [7; 32]);
}

#[test]
fn eight_bit_floats_are_packed_and_unpacked() {
    let body = "MOV R2, 0x40200000\nMOV R3, 0xc3e00000\nF2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R4, R2, R3, RZ\n\
                F2FP.F16.E4M3.UNPACK_B R6, R4";
    // 2.5, and -448, which is the lowest number.
    assert_eq!(values(80, body), [0x4100_df00; 32]);
}

#[test]
fn a_copy_without_source_bytes_writes_zeros() {
    let body = "SHL R3, R0, 0x4\nISETP.NE.AND P0, PT, R0, 0x3, PT\nMOV R6, 0xffffffff\nSTS [R3], R6\n\
                MOV R4, c[0x0][0x160]\nMOV R5, c[0x0][0x164]\nLDGSTS.E.ZFILL [R3], [R4.64], P0\nLDS R6, [R3]";
    assert_eq!(values(80, body), [0; 32]);
    let body = body.replace(".ZFILL", "");
    let kept = values(80, &body);
    assert_eq!(kept[2..5], [0, u32::MAX, 0]);
}

#[test]
fn constants_that_the_listing_does_not_have_stop_the_run() {
    check_findings(
        80,
        "MOV R2, c[0x0][0x160]\nDMUL R4, R2, c[0x2][0x8]\nEXIT",
        expect![[r#"
            0010 unsupported ffffffff: Unsupported instruction: `DMUL`
            the listing does not have the contents of constant bank 0x2; print it with its data sections, as `nvdisasm` does
            its result is not known; the run continues, and stops where a branch or an address depends on it
        "#]],
    );
    check_findings(
        80,
        "SHL.W R2, P0, R1, 0x1\nEXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `SHL.W`: a predicate destination is not simulated
        "#]],
    );
}

#[test]
fn flags_are_saved_and_restored() {
    let body = "IADD R2.CC, R0, -0x5\nP2R R3, CC, RZ, 0xf\nIADD RZ.CC, RZ, RZ\nR2P CC, R3, 0xf\nMOV R6, RZ\nIADD.X R6, RZ, RZ";
    let words = values(52, body);
    let no_borrow: Vec<u32> = (0..32).map(|lane| u32::from(lane >= 5)).collect();
    assert_eq!(words, no_borrow);
}

#[test]
fn narrow_integers_are_extended() {
    let words = values(52, "SHL R2, R0, 0xb\nI2I.S32.S16 R6, R2");
    assert_eq!(words[15..18], [0x7800, 0xffff_8000, 0xffff_8800]);
}

#[test]
fn products_before_volta_carry_into_the_next_word() {
    // 0xffffffff * 0xffffffff + 0xffffffff has the words 0 and 0xffffffff.
    let body = "MOV32I R2, 0xffffffff\nIMAD.U32.U32 RZ.CC, R2, R2, R2\nIMAD.U32.U32.HI.X R6, R2, R2, RZ";
    assert_eq!(values(52, body), [0xffff_ffff; 32]);
}

#[test]
fn a_nan_without_its_bits_is_a_nan_for_approximations() {
    assert_eq!(values(80, "MUFU.RSQ R6, -QNAN"), [0x7fff_ffff; 32]);
    assert_eq!(values(80, "MUFU.RCP64H R6, +QNAN"), [0x7fff_ffff; 32]);
}

#[test]
fn a_nan_without_its_bits_is_a_nan_for_packed_halves() {
    assert_eq!(values(80, "F2FP.F16.F32.PACK_AB R6, R0, +QNAN"), [0x7fff; 32]);
    assert_eq!(values(80, "F2FP.BF16.F32.PACK_AB R6, -QNAN, R0"), [0x7fff_0000; 32]);
}

/// The operand is printed as the whole double.
#[test]
fn an_approximation_of_doubles_reads_the_upper_word_of_a_number() {
    let high = |value: f64| (value.to_bits() >> 32) as u32;
    assert_eq!(values(80, "MUFU.RSQ64H R6, 4.008336720017945556e-292"), [high(2f64.powi(484)); 32]);
    assert_eq!(values(80, "MUFU.RCP64H R6, -8"), [high(-0.125); 32]);
}

#[test]
fn instructions_without_their_operands_are_not_simulated() {
    for opcode in ["LEA", "LEA.HI", "IMAD", "LOP3.LUT", "SHF.L.U32", "F2FP.F16.F32.PACK_AB", "LDG.E", "P2R"] {
        for target in [52, 80] {
            let (_, result, _) = run(target, &format!("{opcode}\nEXIT"));
            assert_eq!(result.status, Status::Unsupported, "{opcode} for sm_{target}");
        }
    }
}
