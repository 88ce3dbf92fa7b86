//! Values that a run does not know: results of float instructions that are not simulated, and registers that
//! are read before they are written.

use expect_test::{Expect, expect};
use warplens_sim_warp::Status;

use crate::machines::{check_findings, check_visits_with_findings, run};

fn check(target: u16, body: &str, expect: Expect) {
    check_findings(target, body, expect);
}

/// Statements that store `R6` to the buffer.
const STORE: &str = "MOV R8, 0x4\nIMAD.WIDE R8, R0, R8, c[0x0][0x160]\nSTG.E.SYS [R8], R6\nEXIT";

#[test]
fn a_run_continues_after_a_float_instruction_that_is_not_simulated() {
    let body = "S2R R0, SR_LANEID
        MUFU.EX2.F16 R1, R0
        ISETP.LT.AND P0, PT, R0, 0x8, PT
        @P0 BRA 0x50
        IADD3 R6, R6, 0x1, RZ
        EXIT";
    check_visits_with_findings(
        75,
        body,
        expect![[r#"
            0000 ffffffff/ffffffff
            0010 ffffffff/ffffffff
            0020 ffffffff/ffffffff
            0030 ffffffff/000000ff
            0040 ffffff00/ffffff00
            0050 000000ff/000000ff ffffff00/ffffff00
        "#]],
    );
}

#[test]
fn a_branch_on_a_value_that_is_not_known_stops_the_run() {
    check(
        80,
        "S2R R0, SR_LANEID
         MUFU.TANH.F16 R1, R0
         FADD R2, R1, 1
         FSETP.GT.AND P0, PT, R2, RZ, PT
         @P0 BRA 0x60
         NOP
         EXIT",
        expect![[r#"
            0010 unsupported ffffffff: Unsupported instruction: `MUFU.TANH.F16`: its function is not simulated
            its result is not known; the run continues, and stops where a branch or an address depends on it
            0040 unsupported ffffffff: Unsupported instruction: an unknown value controls a branch in lanes 0-31
            it comes from the unsupported instruction `MUFU.TANH.F16`: its function is not simulated; the run stops here
        "#]],
    );
}

#[test]
fn an_address_from_a_value_that_is_not_known_stops_the_run() {
    check(
        80,
        "MUFU.EX2.F16 R1, R0
         LDS R2, [R1]
         EXIT",
        expect![[r#"
            0000 unsupported ffffffff: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
            its result is not known; the run continues, and stops where a branch or an address depends on it
            0010 unsupported ffffffff: Unsupported instruction: an unknown value is used as an address in lanes 0-31
            it comes from the unsupported instruction `MUFU.EX2.F16`: its function is not simulated; the run stops here
        "#]],
    );
}

#[test]
fn a_value_that_is_not_known_does_not_matter_where_another_is_selected() {
    check(
        80,
        &format!(
            "S2R R0, SR_LANEID
             MUFU.EX2.F16 R1, R0
             ISETP.GE.AND P0, PT, R0, RZ, PT
             SEL R6, R0, R1, P0
             {STORE}"
        ),
        expect![[r#"
            0010 unsupported ffffffff: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
            its result is not known; the run continues, and stops where a branch or an address depends on it
        "#]],
    );
}

#[test]
fn a_nan_without_bits_matters_only_where_it_is_selected() {
    let select =
        |select: &str| format!("S2R R0, SR_LANEID\nISETP.LT.AND P0, PT, R0, 0x20, PT\n{select}\n{STORE}");
    for all in ["FSEL R6, R0, +QNAN, P0", "FSEL R6, -QNAN, R0, !P0"] {
        check(80, &select(all), expect![""]);
        let (_, result, values) = run(80, &select(all));
        assert_eq!(result.status, Status::Finished);
        assert_eq!(values[..32], std::array::from_fn::<u32, 32, _>(|lane| lane as u32));
    }
    let some = select("FSEL R6, R0, +QNAN, P0").replace("0x20", "0x1e");
    check(
        80,
        &some,
        expect![[r#"
            0020 unsupported c0000000: Unsupported instruction: `FSEL`: the text does not have the bits of its NaN
            its result is not known; the run continues, and stops where a branch or an address depends on it
            0050 unsupported c0000000: Unsupported instruction: an unknown value is stored in lanes 30-31
            these elements do not have the values of the kernel; they come from the unsupported instruction `FSEL`: the text does not have the bits of its NaN
        "#]],
    );
}

#[test]
fn a_value_that_is_not_known_makes_its_buffer_unknown() {
    let body = format!("S2R R0, SR_LANEID\nMUFU.EX2.F16 R6, R0\n{STORE}");
    let (_, result, _) = run(80, &body);
    assert_eq!(result.status, Status::Unsupported);
    check(
        80,
        &body,
        expect![[r#"
        0010 unsupported ffffffff: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
        its result is not known; the run continues, and stops where a branch or an address depends on it
        0040 unsupported ffffffff: Unsupported instruction: an unknown value is stored in lanes 0-31
        these elements do not have the values of the kernel; they come from the unsupported instruction `MUFU.EX2.F16`: its function is not simulated
    "#]],
    );
}

#[test]
fn a_value_that_is_not_known_passes_through_memory() {
    check(
        80,
        "S2R R0, SR_LANEID
         SHL R3, R0, 0x2
         MUFU.EX2.F16 R6, R0
         STS [R3], R6
         BAR.SYNC 0x0
         LDS R7, [R3]
         ISETP.EQ.AND P0, PT, R7, RZ, PT
         @P0 EXIT
         EXIT",
        expect![[r#"
            0020 unsupported ffffffff: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
            its result is not known; the run continues, and stops where a branch or an address depends on it
            0070 unsupported ffffffff: Unsupported instruction: an unknown value controls a branch in lanes 0-31
            it comes from the unsupported instruction `MUFU.EX2.F16`: its function is not simulated; the run stops here
        "#]],
    );
}

#[test]
fn an_instruction_under_a_guard_that_is_not_known_may_have_written() {
    check(
        80,
        "S2R R0, SR_LANEID
         MUFU.EX2.F16 R6, R0
         ISETP.EQ.AND P0, PT, R6, RZ, PT
         MOV R7, 0x0
         @P0 MOV R7, 0x1
         ISETP.EQ.AND P1, PT, R7, RZ, PT
         @P1 EXIT
         EXIT",
        expect![[r#"
            0010 unsupported ffffffff: Unsupported instruction: `MUFU.EX2.F16`: its function is not simulated
            its result is not known; the run continues, and stops where a branch or an address depends on it
            0060 unsupported ffffffff: Unsupported instruction: an unknown value controls a branch in lanes 0-31
            it comes from the unsupported instruction `MUFU.EX2.F16`: its function is not simulated; the run stops here
        "#]],
    );
}

#[test]
fn a_register_is_read_before_it_is_written() {
    check(
        80,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x4, PT
         @P0 MOV R5, 0x1
         IADD3 R6, R5, 0x1, RZ
         ISETP.EQ.AND P1, PT, R6, 0x2, PT
         @P1 BRA 0x70
         NOP
         EXIT",
        expect![[r#"
            0030 uninitialized-read fffffff0: Uninitialized read: `R5` in lanes 4-31, before it is written
            the value controls a branch; write it on every path to this statement
        "#]],
    );
    check(
        80,
        &format!("S2R R0, SR_LANEID\n{STORE}"),
        expect![[r#"
        0030 uninitialized-read ffffffff: Uninitialized read: `R6` in lanes 0-31, before it is written
        the value is stored; write it on every path to this statement
    "#]],
    );
    check(
        52,
        "LDS R2, [R1]\nEXIT",
        expect![[r#"
        0000 uninitialized-read ffffffff: Uninitialized read: `R1` in lanes 0-31, before it is written
        the value is used as an address; write it on every path to this statement
    "#]],
    );
    check(
        52,
        "@P3 EXIT\nEXIT",
        expect![[r#"
        0000 uninitialized-read ffffffff: Uninitialized read: `P3` in lanes 0-31, before it is written
        the value controls a branch; write it on every path to this statement
    "#]],
    );
}

#[test]
fn unwritten_registers_that_do_not_matter_are_not_reported() {
    // Undefined values that are saved and restored, merged byte by byte, masked, or cleared.
    for body in [
        "MOV R1, 0x0\nSTL [R1], R16\nMOV R16, 0x1\nLDL R16, [R1]\nMOV R6, 0x1",
        "PRMT R6, R0, 0x5410, R6\nPRMT R6, R6, 0x5410, R0",
        "LOP3.LUT R6, R6, 0x1, RZ, 0x30, !PT\nLOP3.LUT R6, R6, 0xfffffffe, RZ, 0xc0, !PT\nLOP3.LUT R6, R6, RZ, RZ, 0xc0, !PT",
        "LOP3.LUT R6, R6, R6, RZ, 0x3c, !PT",
        "IMAD R6, R6, RZ, R0",
        "PLOP3.LUT P0, PT, P2, PT, PT, 0xa0, 0x0\nPLOP3.LUT P0, PT, P2, PT, PT, 0x0, 0x0\n@!P0 MOV R6, 0x1",
        "ISETP.EQ.OR P0, PT, R6, RZ, PT\n@P0 MOV R6, R0",
        "P2R R6, PR, RZ, 0x7f\nLOP3.LUT R6, R6, RZ, RZ, 0xc0, !PT",
    ] {
        check(80, &format!("S2R R0, SR_LANEID\n{body}\n{STORE}"), expect![""]);
    }
}

#[test]
fn a_shuffle_from_a_lane_that_does_not_execute_it() {
    check(
        80,
        &format!(
            "S2R R0, SR_LANEID
             ISETP.GE.AND P0, PT, R0, 0x10, PT
             @P0 EXIT
             SHFL.DOWN PT, R6, R0, 0x8, 0x1f
             {STORE}"
        ),
        expect![[r#"
            0030 shuffle-inactive 0000ff00: Shuffle of inactive lanes: lanes 8-15 read lanes 16-23
            the sources have exited or are beyond the last thread: the value is undefined (the simulator uses the reading lane's own); it is stored. Make the source lanes execute the shuffle and include them in the member mask, or do not use the result
        "#]],
    );
}

#[test]
fn a_target_a_mask_and_a_barrier_that_nothing_wrote() {
    for (target, body) in [
        (61, "BRX R5 0x0\nEXIT"),
        (61, "JMX R5\nEXIT"),
        (80, "BRXU UR4 -0x10\nEXIT"),
        (80, "RET.REL.NODEC R20 0x0"),
        (80, "CALL.ABS.NOINC R4 0x0\nEXIT"),
        (80, "WARPSYNC R3\nEXIT"),
        (80, "BAR.SYNC R3\nEXIT"),
    ] {
        let kinds = crate::machines::finding_kinds(target, body);
        assert!(kinds.contains(&"uninitialized-read"), "{body}: {kinds:?}");
    }
}

#[test]
fn what_no_lane_executes_uses_nothing() {
    for body in ["@!PT BRA CC.EQ, 0x10", "BRX CC.F, R5 0x0", "@!PT NOP.S CC.EQ", "@!PT BAR.SYNC R3"] {
        check(20, &format!("{body}\nEXIT\nEXIT"), expect![""]);
    }
}

#[test]
fn a_condition_code_that_nothing_wrote_decides_which_lanes_wait() {
    let kinds = crate::machines::finding_kinds(20, "SSY 0x18\nNOP.S CC.EQ\nNOP.S\nEXIT");
    assert_eq!(kinds, ["uninitialized-read"]);
}

#[test]
fn unpacking_predicates_writes_those_of_the_mask() {
    let kinds = crate::machines::finding_kinds;
    for target in [52, 70, 80, 100] {
        for number in 0..7 {
            let body = format!("S2R R0, SR_LANEID\nR2P PR, R0, 0x7f\n@P{number} EXIT\nEXIT");
            assert!(kinds(target, &body).is_empty(), "sm_{target}: {body}");
        }
    }
    for body in [
        "R2P PR, R0.B1, 0x7f\n@P1 EXIT",
        "R2P PR, R0, R2\n@P3 EXIT",
        "S2UR UR4, SR_CTAID.X\nUR2UP UPR, UR4, 0x7f\nBRA.U UP1, 0x50",
    ] {
        let body = format!("S2R R0, SR_LANEID\nMOV R2, 0x7f\n{body}\nEXIT\nEXIT");
        assert!(kinds(80, &body).is_empty(), "{body}: {:?}", kinds(80, &body));
    }
    // Outside of the mask, in lanes that do not execute it, and from a register that nothing wrote.
    for body in [
        "R2P PR, R0, 0x5\n@P1 EXIT",
        "ISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 R2P PR, R0, 0x7f\n@P1 EXIT",
        "R2P PR, R3, 0x2\n@P1 EXIT",
        "R2P PR, R3, 0x2\n@P2 EXIT",
    ] {
        let body = format!("S2R R0, SR_LANEID\n{body}\nEXIT");
        assert_eq!(kinds(80, &body), ["uninitialized-read"], "{body}");
    }
}

#[test]
fn an_atomic_of_shared_memory_that_nobody_has_written() {
    let kinds = |update: &str| {
        let load = format!("S2R R0, SR_LANEID\nMOV R4, 0x1\n{update}\nBAR.SYNC 0x0\nLDS R6, [RZ]");
        crate::machines::finding_kinds(80, &format!("{load}\n{STORE}"))
    };
    assert_eq!(kinds("ATOMS.ADD RZ, [RZ], R4"), ["uninitialized-read"]);
    // What they set or clear has a value, and the use may be of these bits only.
    for update in ["ATOMS.OR RZ, [RZ], R4", "ATOMS.AND RZ, [RZ], R4", "ATOMS.EXCH R5, [RZ], R4"] {
        assert_eq!(kinds(update), [""; 0], "{update}");
    }
}

#[test]
fn an_own_address_needs_no_register() {
    check(80, "LEPC R20\nISETP.LT.AND P0, PT, R20, 0x50, PT\n@P0 EXIT\nEXIT", expect![""]);
}

#[test]
fn only_the_end_of_the_stack_is_known_of_bank_1() {
    let status = |target: u16, body: &str| run(target, body).1.status;
    assert_eq!(status(20, "MOV R1, c[0x1][0x100]\nEXIT"), Status::Finished);
    for (target, body) in [
        (20, "MOV R4, c[0x1][0x0]\nEXIT"),
        (61, "MOV R1, c[0x1][0x100]\nEXIT"),
        (80, "LDC R4, c[0x1][0x0]\nEXIT"),
        (80, "ULDC UR4, c[0x1][0x100]\nEXIT"),
        (80, "LDC R4, c[0x1][R3+0x100]\nEXIT"),
    ] {
        assert_eq!(status(target, body), Status::Unsupported, "{body}");
    }
}
