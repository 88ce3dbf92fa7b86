//! Divergence and reconvergence.

use expect_test::expect;

use super::{check_lanes, register, run_wave};

const LANE: &str = "mov r0, sr_lane_id\n";

#[test]
fn if_else() {
    check_lanes(
        &format!("{LANE}icmp.lt p0, r0, 1\nif p0\nmov r1, r0\nelse\nmov r2, r0\nendif\nnop"),
        4,
        expect![[r#"
            mov r0, sr_lane_id       f
            icmp.lt p0, r0, 1        f
            if p0                    f/1
            mov r1, r0               1
            else                     e
            mov r2, r0               e
            endif                    f
            nop                      f
            halt                     f
            finished
        "#]],
    );
}

#[test]
fn a_path_that_no_lane_takes_is_skipped() {
    check_lanes(
        "icmp.eq p0, r0, 0\nif p0\nnop\nelse\nmov r1, r0\nendif\nif !p0\nmov r2, r0\nendif\nif !p0\nmov r3, r3\nelse\nwait\nendif",
        4,
        expect![[r#"
            icmp.eq p0, r0, 0        f
            if p0                    f
            nop                      f
            endif                    f
            if !p0                   f/0
            endif                    f
            if !p0                   f/0
            else                     f
            wait                     f
            endif                    f
            halt                     f
            finished
        "#]],
    );
}

#[test]
fn a_loop_whose_lanes_break_one_by_one() {
    check_lanes(
        &format!("{LANE}loop\nicmp.eq p1, r0, 0\nbreak p1\nisub r0, r0, 1\nendloop\nnop"),
        4,
        expect![[r#"
            mov r0, sr_lane_id       f
            loop                     f e c 8
            icmp.eq p1, r0, 0        f e c 8
            break p1                 f/1 e/2 c/4 8
            isub r0, r0, 1           e c 8
            endloop                  e c 8
            nop                      f
            halt                     f
            finished
        "#]],
    );
}

#[test]
fn a_lane_that_breaks_inside_an_if_stays_away_until_endloop() {
    let statements = format!(
        "{LANE}loop\nicmp.lt p0, r0, 2\nif p0\nbreak p0\nendif\niadd r1, r1, 1\nisub r0, r0, 1\nendloop\nmov r2, r1"
    );
    check_lanes(
        &statements,
        4,
        expect![[r#"
        mov r0, sr_lane_id       f
        loop                     f c 8
        icmp.lt p0, r0, 2        f c 8
        if p0                    f/3 c/4 8
        break p0                 3 4 8
        endif                    c 8
        iadd r1, r1, 1           c 8
        isub r0, r0, 1           c 8
        endloop                  c 8
        mov r2, r1               f
        halt                     f
        finished
    "#]],
    );
    assert_eq!(register(&run_wave(&statements, 4).0, 0, "r1"), [0, 0, 1, 2]);
}

#[test]
fn a_lane_that_continues_waits_for_the_next_iteration() {
    let statements = format!(
        "{LANE}and r3, r0, 1\nicmp.eq p2, r3, 1\nloop\niadd r2, r2, 1\nicmp.gt p0, r2, 3\nbreak p0\ncontinue p2\niadd r1, r1, 1\nendloop"
    );
    check_lanes(
        &statements,
        4,
        expect![[r#"
        mov r0, sr_lane_id       f
        and r3, r0, 1            f
        icmp.eq p2, r3, 1        f
        loop                     f*4
        iadd r2, r2, 1           f*4
        icmp.gt p0, r2, 3        f*4
        break p0                 f/0*3 f
        continue p2              f/a*3
        iadd r1, r1, 1           5*3
        endloop                  5*3
        halt                     f
        finished
    "#]],
    );
    assert_eq!(register(&run_wave(&statements, 4).0, 0, "r1"), [3, 0, 3, 0]);
}

#[test]
fn an_iteration_that_every_lane_continues_or_breaks_has_no_endloop() {
    check_lanes(
        &format!(
            "{LANE}icmp.lt p0, r0, 2\nloop\nif p0\niadd r1, r1, 1\nicmp.ge p1, r1, 2\nbreak p1\ncontinue !p1\nelse\nbreak !p0\nendif\nnop\nendloop\nwait"
        ),
        4,
        expect![[r#"
            mov r0, sr_lane_id       f
            icmp.lt p0, r0, 2        f
            loop                     f 3
            if p0                    f/3 3
            iadd r1, r1, 1           3*2
            icmp.ge p1, r1, 2        3*2
            break p1                 3/0 3
            continue !p1             3
            else                     c
            break !p0                c
            wait                     f
            halt                     f
            finished
        "#]],
    );
}

#[test]
fn halt_ends_only_its_lanes() {
    let statements =
        format!("{LANE}icmp.lt p1, r0, 2\nif p1\nhalt\nendif\nloop\n@!p1 mov r2, 7\nbreak !p2\nendloop\nnop");
    check_lanes(
        &statements,
        4,
        expect![[r#"
        mov r0, sr_lane_id       f
        icmp.lt p1, r0, 2        f
        if p1                    f/3
        halt                     3
        endif                    c
        loop                     c
        @!p1 mov r2, 7           c
        break !p2                c
        nop                      c
        halt                     c
        finished
    "#]],
    );
    check_lanes(
        &format!("{LANE}icmp.lt p1, r0, 2\n@p1 halt\nif p1\nelse\nhalt\nendif\nnop"),
        4,
        expect![[r#"
        mov r0, sr_lane_id       f
        icmp.lt p1, r0, 2        f
        @p1 halt                 f/3
        if p1                    c/0
        else                     c
        halt                     c
        finished
    "#]],
    );
}

#[test]
fn a_call_returns_once() {
    check_lanes(
        &format!(
            "{LANE}icmp.lt p0, r0, 2\ncall f\nif p0\ncall f\nendif\nhalt\nf: if p0\nreturn\nendif\niadd r1, r1, 1\nreturn"
        ),
        4,
        expect![[r#"
            mov r0, sr_lane_id       f
            icmp.lt p0, r0, 2        f
            call f                   f
            if p0                    f/3
            call f                   3
            endif                    f
            halt                     f
            if p0                    f/3 3
            return                   3*2
            endif                    c
            iadd r1, r1, 1           c
            return                   c
            finished
        "#]],
    );
}

#[test]
fn guards_narrow_one_instruction() {
    check_lanes(
        &format!(
            "{LANE}icmp.lt p0, r0, 2\n@p0 mov r1, r0\n@!p0 wave_ballot r2, p1\n@p3 barrier\n@p0 if !p1\nmov r3, r0\nendif"
        ),
        4,
        expect![[r#"
            mov r0, sr_lane_id       f
            icmp.lt p0, r0, 2        f
            @p0 mov r1, r0           f/3
            @!p0 wave_ballot r2, p1  f/c
            @p3 barrier              f/0
            @p0 if !p1               f/3
            mov r3, r0               3
            endif                    f
            halt                     f
            finished
        "#]],
    );
}

#[test]
fn the_bounds_themselves_are_in_reach() {
    let deep = format!("{}nop\n{}", "if !p0\nloop\n".repeat(16), "break !p0\nendloop\nendif\n".repeat(16));
    assert!(run_wave(&deep, 3).1.ends_with("finished\n"), "32 constructs");
    let functions: String = (1..8).map(|at| format!("f{at}: call f{}\nreturn\n", at + 1)).collect();
    let calls = |count: u32| format!("call f{}\nhalt\n{functions}f8: nop\nreturn", 9 - count);
    assert!(run_wave(&calls(8), 3).1.ends_with("finished\n"), "8 calls");
    assert!(run_wave(&format!("call f0\nhalt\nf0: {}", calls(8)), 3).1.contains("call-depth"), "9 calls");
}

#[test]
fn nesting_and_calls_are_bounded() {
    let deep = format!("{}{}", "if !p0\n".repeat(33), "endif\n".repeat(33));
    expect!["nesting-depth at `if !p0`, lanes 1: Nesting depth: `if` and `loop` beyond the limit of 32"]
        .assert_eq(run_wave(&deep, 1).1.lines().rev().nth(1).unwrap_or_default());
    expect!["call-depth at `call f`, lanes 1: Call depth: beyond the limit of 8"]
        .assert_eq(run_wave("f: call f", 1).1.lines().rev().nth(1).unwrap_or_default());
}

#[test]
fn an_unsupported_instruction_is_reported_at_its_statement() {
    check_lanes(
        "nop\nfrobnicate r1\nwait",
        4,
        expect![[r#"
            nop                      f
            unsupported
            unsupported at `frobnicate r1`, lanes f: Unsupported instruction: unknown instruction `frobnicate`
        "#]],
    );
    check_lanes(
        "nop\nendif",
        4,
        expect![[r#"
            nop                      f
            unsupported
            unsupported at `endif`, lanes f: Unsupported instruction: this `endif` has no matching instruction
        "#]],
    );
    check_lanes(
        "if p0\nloop\nbreak p1\nendif\nendloop",
        1,
        expect![[r#"
            if p0                    1/0
            endif                    1
            endloop                  1
            faulted
            control-flow at `endloop`, lanes 1: Invalid control flow: this `endloop` does not match the innermost open construct
            close inner constructs first
        "#]],
    );
    check_lanes(
        "if !p0\nloop\nendif\nendloop",
        1,
        expect![[r#"
            if !p0                   1
            loop                     1
            faulted
            control-flow at `endif`, lanes 1: Invalid control flow: this `endif` does not match the innermost open construct
            close inner constructs first
        "#]],
    );
    check_lanes(
        "call elsewhere",
        4,
        expect![[r#"
            unsupported
            unsupported at `call elsewhere`, lanes f: Unsupported instruction: `elsewhere` is not a label of this kernel
            calls to other kernels are not simulated
        "#]],
    );
    check_lanes(
        "mma_f16_f32 r0, r1, r2, r3",
        4,
        expect![[r#"
            unsupported
            unsupported at `mma_f16_f32 r0, r1, r2, r3`, lanes f: Unsupported instruction: `mma_f16_f32`
            no text says how large its tiles are or how they are loaded; `mma_compute` and its kin say both
        "#]],
    );
}

#[test]
fn undefined_operands_are_reported_with_a_fix() {
    check_lanes(
        "nop\niadd r0, sr_lane_id, r1\nwait",
        4,
        expect![[r#"
            nop                      f
            faulted
            no-meaning at `iadd r0, sr_lane_id, r1`, lanes f: Undefined behavior: `sr_lane_id` as an operand of `iadd`
            only `mov` and `mov_sr` read special registers; copy it to a general register first
        "#]],
    );
    check_lanes(
        "mov sr_lane_id, r0",
        4,
        expect![[r#"
            faulted
            no-meaning at `mov sr_lane_id, r0`, lanes f: Undefined behavior: `sr_lane_id` as the result of `mov`
            special registers are read-only; write to a general register
        "#]],
    );
    check_lanes(
        "if p0\niadd r0, sr_lane_id, r1\nendif",
        4,
        expect![[r#"
        if p0                    f/0
        endif                    f
        halt                     f
        finished
    "#]],
    );
    check_lanes(
        "if !p0\n@p1 endif",
        4,
        expect![[r#"
            if !p0                   f
            faulted
            no-meaning at `@p1 endif`, lanes f: Undefined behavior: a guard on `endif`
            `endif` applies to all lanes of its construct; remove the guard, and use its condition in the `if` or `break`
        "#]],
    );
}

#[test]
fn lanes_run_off_the_end() {
    let text = ".kernel k\nicmp.eq p0, r0, r0\n@!p0 halt\n.end";
    let launch = super::launch_config([1; 3], [4, 1, 1], 4);
    let (result, code) = super::launch_text(text, launch, &super::options());
    expect![[r#"
        icmp.eq p0, r0, r0       f
        @!p0 halt                f/0
        finished
        missing-halt at `@!p0 halt`, lanes f: Missing `halt`: lanes reach the end of the kernel and exit here
        add `halt`
    "#]]
    .assert_eq(&super::listing(text, &code, &result, &result.warps[0]));
}

#[test]
fn waves_of_64_lanes() {
    check_lanes(
        &format!("{LANE}icmp.ge p0, r0, 31\nif p0\nwave_ballot r1, p0\nelse\nnop\nendif"),
        64,
        expect![[r#"
            mov r0, sr_lane_id       ffffffffffffffff
            icmp.ge p0, r0, 31       ffffffffffffffff
            if p0                    ffffffffffffffff/ffffffff80000000
            wave_ballot r1, p0       ffffffff80000000
            else                     7fffffff
            nop                      7fffffff
            endif                    ffffffffffffffff
            halt                     ffffffffffffffff
            finished
        "#]],
    );
}
