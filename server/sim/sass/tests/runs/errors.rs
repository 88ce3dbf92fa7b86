//! Errors of control flow: each one stops the run or is reported. A finding lists the lanes that wait, and
//! which lanes they wait for.

use expect_test::{Expect, expect};
use warplens_sim_warp::{RunOptions, Status};

use crate::machines::{check_findings, check_findings_of_threads, finding_kinds, listing};

fn check(target: u16, body: &str, expect: Expect) {
    check_findings(target, body, expect);
}

#[test]
fn lanes_wait_in_a_token_that_was_not_pushed() {
    check(
        52,
        "BRK\nEXIT",
        expect![[r#"
        0000 control-flow ffffffff: Invalid control flow: `BRK` without a token
        no `PBK` precedes it on this path: the lanes have nowhere to wait; check the control flow before it
    "#]],
    );
    check(
        52,
        "RET\nEXIT",
        expect![[r#"
        0000 control-flow ffffffff: Invalid control flow: `RET` without a token
        no `CAL` precedes it on this path: the lanes have nowhere to wait; check the control flow before it
    "#]],
    );
    check(
        52,
        "SSY 0x10\nCONT\nEXIT",
        expect![[r#"
        0008 control-flow ffffffff: Invalid control flow: `CONT` without a token
        no `PCNT` precedes it on this path: the lanes have nowhere to wait; check the control flow before it
    "#]],
    );
    check(
        30,
        "MOV.S R0, RZ\nEXIT",
        expect![[r#"
        0000 control-flow ffffffff: Invalid control flow: `SYNC` without a token
        no `SSY` precedes it on this path: the lanes have nowhere to wait; check the control flow before it
    "#]],
    );
}

#[test]
fn all_lanes_wait_for_each_other() {
    check(
        75,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         BSSY B0, 0x70
         BSSY B1, 0x70
         @P0 BRA 0x60
         BSYNC B0
         BSYNC B1
         EXIT",
        expect![[r#"
            0050 no-progress ffffff00: Deadlock: lanes 8-31 wait at `BSYNC B0` for lanes 0-7, which do not reach it
        "#]],
    );
}

#[test]
fn an_endless_loop_is_reported_at_its_start_whether_or_not_registers_are_followed() {
    let program = crate::common::program(&listing(75, "NOP\nNOP\nBRA 0x10\nEXIT"), "k");
    for registers in [false, true] {
        let config = warplens_sim_sass::launch_config(program.target, 8, [1; 3], [32, 1, 1]);
        let options = RunOptions { registers, ..RunOptions::default() };
        let result = crate::common::run(&program, config, &options);
        assert_eq!(result.status, Status::NoProgress);
        let statement = result.findings[0].statement.expect("a statement");
        assert_eq!(program.addresses[statement.index()], 0x10, "{registers}");
    }
}

#[test]
fn a_target_is_not_an_instruction() {
    check(
        75,
        "MOV R2, 0x24\nMOV R3, 0x0\nBRX R2 -0x30\nEXIT",
        expect![[r#"
        0020 control-flow 00000001: Invalid control flow: lane 0 jumps to 0x24, which is not an instruction
        check the register, or add the code at that address
    "#]],
    );
    check(
        75,
        "BRA 0x500\nEXIT",
        expect![[r#"
        0000 unsupported ffffffff: Unsupported instruction: `BRA`: its target is not an instruction of the listing
    "#]],
    );
}

#[test]
fn a_matrix_is_in_registers() {
    for matrices in ["R8, 0x3c00, R12", "R8, R2, c[0x0][0x160]"] {
        check(
            80,
            &format!("HMMA.16816.F32 R4, {matrices}\nEXIT"),
            expect![[r#"
                0000 unsupported ffffffff: Unsupported instruction: `HMMA.16816.F32`
                an operand has more words than its constant
                its result is not known; the run continues, and stops where a branch or an address depends on it
            "#]],
        );
    }
}

#[test]
fn calls_do_not_end() {
    check(
        52,
        "NOP\nCAL 0x8\nEXIT",
        expect![[r#"
        0008 call-depth ffffffff: Call depth: beyond the limit of 1000
        check the end of the recursion
    "#]],
    );
    check(
        75,
        "NOP\nIADD3 R4, R4, 0x1, RZ\nCALL.REL.NOINC 0x10\nEXIT",
        expect![[r#"
        0020 call-depth ffffffff: Call depth: beyond the limit of 1000
        check the end of the recursion
    "#]],
    );
}

#[test]
fn a_kernel_calls_an_address_that_the_linker_fills_in() {
    for (target, call) in [(35, "CAL 0x0"), (61, "@P0 JCAL ABS:0x0"), (75, "CALL.REL.NOINC 0x0")] {
        let body = format!("ISETP.EQ.AND P0, PT, RZ, RZ, PT\n{call}\nEXIT");
        let (_, result, _) = crate::machines::run(target, &body);
        assert_eq!(result.status, Status::Unsupported, "{target}");
    }
    // A function that does not exit may call itself.
    assert_eq!(crate::machines::finding_kinds(61, "CAL 0x0\nRET"), ["call-depth"]);
}

#[test]
fn calls_that_return_do_not_count() {
    check(
        75,
        "MOV R4, RZ
         MOV R20, 0x40
         MOV R21, 0x0
         CALL.REL.NOINC 0x80
         IADD3 R4, R4, 0x1, RZ
         ISETP.LT.AND P0, PT, R4, 0x7d0, PT
         @P0 BRA 0x10
         EXIT
         RET.REL.NODEC R20 0x0",
        expect![""],
    );
}

#[test]
fn a_condition_depends_on_graphics() {
    check(
        52,
        "BRA CC.CSM_TA, 0x8\nEXIT",
        expect![[r#"
        0000 unsupported ffffffff: Unsupported instruction: `BRA`
        condition `CC.CSM_TA` depends on the state of graphics
    "#]],
    );
}

#[test]
fn a_warp_has_diverged_at_a_barrier_of_the_block() {
    check(
        52,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         SSY 0x28
         @P0 SYNC
         BAR.SYNC 0x0
         EXIT",
        expect![[r#"
            0020 divergent-barrier ffffff00: Divergent barrier: only lanes 8-31 reach it
            the others are elsewhere; before sm_70 the warp arrives as a whole: move the barrier to a point where all lanes reconverge
        "#]],
    );
}

#[test]
fn control_continues_after_the_last_instruction() {
    check(
        75,
        "MOV R0, RZ\nNOP",
        expect![[r#"
        0010 control-flow ffffffff: Invalid control flow: it continues after the last instruction of the listing
        the listing is incomplete: add the instructions that follow
    "#]],
    );
}

/// A lock in shared memory, whose holders increment a counter.
fn lock(fence: &str) -> String {
    format!(
        "S2R R0, SR_TID.X
         MOV R1, 0x1
         MOV R2, RZ
         ISETP.EQ.AND P1, PT, R0, RZ, PT
         @P1 STS [RZ], RZ
         @P1 STS [0x40], RZ
         BAR.SYNC 0x0
         BSSY B0, 0x130
         YIELD
         ATOMS.CAS R3, [RZ], R2, R1
         ISETP.NE.AND P0, PT, R3, RZ, PT
         @P0 BRA 0x80
         {fence}
         LDS R4, [0x40]
         IADD3 R4, R4, 0x1, RZ
         STS [0x40], R4
         {fence}
         ATOMS.EXCH RZ, [RZ], RZ
         BSYNC B0
         EXIT"
    )
}

#[test]
fn a_lock_with_fences_orders_the_accesses_of_its_holders() {
    check_findings_of_threads(75, &lock("MEMBAR.SC.CTA"), 34, expect![[r#""#]]);
    check_findings_of_threads(
        75,
        &lock("NOP"),
        34,
        expect![[r#"
            00d0 data-race 00000001: Shared-memory race: shared[64] read by thread (32,0,0), written by thread (31,0,0)
            put a `bar.sync` that all threads execute between the two accesses
            thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
            00f0 data-race 00000001: Shared-memory race: shared[64] written by thread (32,0,0) and thread (31,0,0)
            put a `bar.sync` that all threads execute between the two accesses
            thread (32,0,0) is lane 0 of warp 1, thread (31,0,0) is lane 31 of warp 0
        "#]],
    );
}

#[test]
fn a_run_goes_on_without_invalid_accesses() {
    let pointer = "S2R R0, SR_LANEID\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R5, RZ\n";
    let kinds = |body: &str| finding_kinds(75, &format!("{pointer}{body}\nEXIT"));
    let accesses = "LDG.E.SYS R4, [R2+0x80]\nLD.E.SYS R8, [R2+0x80]\nSTG.E.SYS [R2+0x84], R4\n\
                    RED.E.ADD.STRONG.GPU [R2+0x88], R0\nSTG.E.SYS [R2], R4";
    assert_eq!(kinds(accesses), ["out-of-bounds"; 4]);
    // A loop reports each statement once.
    assert_eq!(
        kinds(
            "MOV R9, RZ\nIADD3 R9, R9, 0x1, RZ\nSTG.E.SYS [R2+0x80], R0\nISETP.LT.AND P0, PT, R9, 0x4, PT\n@P0 BRA 0x50"
        ),
        ["out-of-bounds"]
    );
    // An unknown value that becomes an address, a guard or a branch ends the run, also one that was in memory.
    for body in [
        "LDG.E.SYS R4, [R2+0x80]\nSTG.E.SYS [R4], R0",
        "LDG.E.SYS R4, [R2+0x80]\nISETP.NE.AND P0, PT, R4, 0x7, PT\n@P0 STG.E.SYS [R2+0x80], R0",
        "LDG.E.SYS R4, [R2+0x80]\nISETP.NE.AND P0, PT, R4, 0x7, PT\n@!P0 BRA 0x80\nSTG.E.SYS [R2+0x80], R0",
        "LDG.E.SYS R4, [R2+0x80]\nSTG.E.SYS [R2], R4\nLDG.E.SYS R4, [R2]\nSTG.E.SYS [R4], R0",
        "STG.E.64.SYS [R2+0x7c], R2\nLDG.E.SYS R4, [R2+0x7c]\nSTG.E.SYS [R4], R0",
    ] {
        assert_eq!(kinds(body), ["out-of-bounds"], "{body}");
    }
}

#[test]
fn a_barrier_that_has_released_its_lanes_is_empty() {
    check(
        80,
        "BSSY B0, 0x40\nBSSY B0, 0x30\nBSYNC B0\nBSYNC B0\nEXIT",
        expect![[r#"
            0030 control-flow ffffffff: Invalid control flow: `BSYNC B0` waits at a barrier without lanes
            an earlier `BSYNC B0` or `BREAK B0` has released them, and no `BSSY B0` follows it: the lanes do not wait for others; check the control flow before it
        "#]],
    );
    // The start of each kernel of sm_87 empties all barriers, which saves none.
    check(
        87,
        "BMOV.32.CLEAR RZ, B0\nBMOV.32.CLEAR B1, B0\nBSSY B0, 0x40\nBSYNC B0\nBSYNC B0\nEXIT",
        expect![[r#"
            0040 control-flow ffffffff: Invalid control flow: `BSYNC B0` waits at a barrier without lanes
            an earlier `BSYNC B0` or `BREAK B0` has released them, and no `BSSY B0` follows it: the lanes do not wait for others; check the control flow before it
        "#]],
    );
    // Each iteration sets the barrier again, and two paths use it one after the other.
    check(
        80,
        "S2R R0, SR_LANEID
         MOV R4, RZ
         BSSY B0, 0x60
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         @P0 BRA 0x50
         BSYNC B0
         IADD3 R4, R4, 0x1, RZ
         ISETP.LT.AND P1, PT, R4, 0x3, PT
         @P1 BRA 0x20
         @P0 BRA 0xd0
         BSSY B0, 0xc0
         BSYNC B0
         EXIT
         BSSY B0, 0xf0
         BSYNC B0
         EXIT",
        expect![""],
    );
}

#[test]
fn lanes_that_wait_at_one_barrier_are_named_together() {
    // Lane 0 arrives alone, then lanes 1-7; the others wait elsewhere.
    check(
        75,
        "S2R R0, SR_LANEID
         ISETP.LT.AND P0, PT, R0, 0x8, PT
         ISETP.EQ.AND P1, PT, R0, RZ, PT
         BSSY B0, 0x90
         BSSY B1, 0x90
         @!P0 BRA 0x90
         @P1 BRA 0x80
         NOP
         BSYNC B0
         BSYNC B1
         EXIT",
        expect![[r#"
            0080 no-progress 000000ff: Deadlock: lanes 0-7 wait at `BSYNC B0` for lanes 8-31, which do not reach it
        "#]],
    );
}

#[test]
fn statements_that_no_machine_code_has_are_not_run() {
    for statement in [
        "IMAD.WIDE R6, R0, R8",
        "IADD3 R6, R0",
        "IADD3 R6, R0, 0x3, RZ, RZ",
        "SEL R6, R0, R0",
        "SHF.L.U32 R6, R0, 0x2",
        "PRMT R6, R0, 0x3",
        "MOV R6, R0, R0",
        "MOV R6",
        "FFMA R6, R0, R0",
        "ISETP.GE.AND R6, PT, R0, 0xc, PT",
        "IMAD R6, R0, R8,",
        "@R0 MOV R6, 0x1",
        "LOP3.LUT R6, R0, R0, R0",
    ] {
        let kinds = finding_kinds(80, &format!("S2R R0, SR_LANEID\nMOV R8, RZ\n{statement}\nEXIT"));
        assert_eq!(kinds, ["unsupported"], "{statement}");
    }
}

#[test]
fn lanes_outside_of_the_mask_of_a_warpsync() {
    let kinds = |body: &str| crate::machines::finding_kinds(80, body);
    for body in [
        "WARPSYNC 0x0\nEXIT",
        "S2R R0, SR_LANEID\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 WARPSYNC 0xff00\nEXIT",
        "S2R R0, SR_LANEID\nISETP.LT.AND P0, PT, R0, 0x8, PT\nMOV R2, 0x7f\n@P0 WARPSYNC R2\nEXIT",
    ] {
        assert_eq!(kinds(body), ["wrong-membermask"], "{body}");
    }
    for body in [
        "WARPSYNC 0xffffffff\nEXIT",
        "WARPSYNC.ALL\nEXIT",
        "S2R R0, SR_LANEID\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 WARPSYNC 0xff\nEXIT",
        "@!PT WARPSYNC 0x0\nEXIT",
    ] {
        assert_eq!(kinds(body), [""; 0], "{body}");
    }
}

#[test]
fn tokens_that_nothing_pops() {
    for (target, push) in [(52, "SSY"), (52, "PBK"), (52, "PCNT"), (35, "SSY")] {
        let body = format!("NOP\n{push} 0x20\nNOP\nBRA 0x8\nEXIT");
        assert_eq!(crate::machines::finding_kinds(target, &body), ["call-depth"], "{push}");
    }
}

#[test]
fn an_index_with_a_scale() {
    let run = |address: &str| {
        crate::machines::finding_kinds(80, &format!("S2R R0, SR_LANEID\nSTS {address}, R0\nEXIT"))
    };
    for address in ["[R0*4]", "[R0*0x4]", "[R0.X4]", "[R0*8+0x10]"] {
        assert_eq!(run(address), [""; 0], "{address}");
    }
    for address in ["[R0*3]", "[4*R0]", "[R0*R1]"] {
        assert_eq!(run(address), ["unsupported"], "{address}");
    }
}

#[test]
fn lanes_that_left_a_barrier_do_not_wait_at_it() {
    let kinds = |body: &str| crate::machines::finding_kinds(80, body);
    assert_eq!(kinds("BSSY B0, 0x40\nBREAK B0\nNOP\nBSYNC B0\nEXIT"), ["control-flow"]);
    // The lanes that remain, and a barrier that is set again.
    for body in [
        "S2R R0, SR_LANEID\nISETP.LT.AND P0, PT, R0, 0x8, PT\nBSSY B0, 0x70\n@P0 BREAK B0\n@P0 BRA 0x70\nNOP\nBSYNC B0\nEXIT",
        "BSSY B0, 0x40\nBREAK B0\nBSSY B0, 0x40\nBSYNC B0\nEXIT",
    ] {
        assert_eq!(kinds(body), [""; 0], "{body}");
    }
}
