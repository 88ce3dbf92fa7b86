//! A kernel, then what each lint says of it and what its rewrite makes of it.

use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};
use warplens_ide_db::Severity;

/// Hints that have a fix, with the lines that it changes.
fn check(statements: &str, expected: Expect) {
    let source = format!(".kernel k\n{statements}\n    halt\n.end\n");
    let (fixture, analysis) = open(&source);
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        if found.severity != Severity::Hint || found.fixes.is_empty() {
            continue;
        }
        shown += &format!("{} {}: {}\n", fixture.show(found.range), found.code, found.message);
        for fix in found.fixes {
            shown += &format!("  {}\n", fix.title);
            let text = fix.applied(&fixture.text);
            text.lines().skip(1).take_while(|line| line.trim() != "halt").for_each(|line| {
                shown += &format!("  |{line}\n");
            });
        }
    }
    expected.assert_eq(&shown);
}

const VARYING: &str = "    mov_sr r1, sr_lane_id\n    icmp.lt p1, r1, 8\n    icmp.gt p2, r1, 2\n";
const TOOLCHAIN: &str = "    mov_sr r1, sr_lane_id\n    mov_imm r2, 8\n    icmp_lt p1, r1, r2\n";

fn check_varying(statements: &str, expected: Expect) {
    check(&format!("{VARYING}{statements}"), expected);
}

fn check_toolchain(statements: &str, expected: Expect) {
    check(&format!("{TOOLCHAIN}{statements}"), expected);
}

#[test]
fn two_sides_that_move() {
    check_varying(
        "
    if p1        ; near
        mov r4, r1   ; here
    else
        # far
        mov_imm r4, -1
    endif        ; done
",
        expect![[r#"
            6:`if p1` branch-for-select: `select r4, p1, r1, -1` does this without divergence: this `if` costs an entry of the divergence stack and 5 instructions where lanes diverge, `select` none and 1
              Replace the `if` with `select r4, p1, r1, -1`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    ; near
              |    ; here
              |    # far
              |    select r4, p1, r1, -1        ; done
              |
        "#]],
    );
}

#[test]
fn two_sides_that_compute() {
    check_varying(
        "
    if !p1
        iadd r4, r4, r1
    else
        isub r4, r4, r1
    endif
    if p1
        mov r5, r4
    else
        xor r5, r4, 3
    endif
",
        expect![[r#"
            6:`if !p1` branch-for-select: `select r4, p1, r4, r6` does this without divergence: this `if` costs an entry of the divergence stack and 5 instructions where lanes diverge, `select` none and 3
              Replace the `if` with `select r4, p1, r4, r6`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    iadd r6, r4, r1
              |    isub r4, r4, r1
              |    select r4, p1, r4, r6
              |    if p1
              |        mov r5, r4
              |    else
              |        xor r5, r4, 3
              |    endif
              |
            11:`if p1` branch-for-select: `select r5, p1, r4, r5` does this without divergence: this `if` costs an entry of the divergence stack and 5 instructions where lanes diverge, `select` none and 2
              Replace the `if` with `select r5, p1, r4, r5`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    if !p1
              |        iadd r4, r4, r1
              |    else
              |        isub r4, r4, r1
              |    endif
              |    xor r5, r4, 3
              |    select r5, p1, r4, r5
              |
        "#]],
    );
}

#[test]
fn one_side_that_moves() {
    check_varying(
        "
    mov_imm r4, 0
    if p1
        mov_imm r4, 7
    endif
    if p2
        mov_imm r9, 7
    endif
    if p2
        iadd r4, r4, 1
    endif
",
        expect![[r#"
            7:`if p1` branch-for-select: `select r4, p1, 7, r4` does this without divergence: this `if` costs an entry of the divergence stack and 3 instructions where lanes diverge, `select` none and 1
              Replace the `if` with `select r4, p1, 7, r4`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    mov_imm r4, 0
              |    select r4, p1, 7, r4
              |    if p2
              |        mov_imm r9, 7
              |    endif
              |    if p2
              |        iadd r4, r4, 1
              |    endif
              |
        "#]],
    );
}

#[test]
fn the_toolchain_selects_registers() {
    check_toolchain(
        "
    mov_imm r3, 1
    if p1
        mov_imm r3, 7
    endif
    mov_imm r20, 1
    if p1
        mov r20, r1
    endif
",
        expect![[r#"
            7:`if p1` branch-for-select: `select r3, p1, r21, r3` does this without divergence: this `if` costs an entry of the divergence stack and 3 instructions where lanes diverge, `select` none and 2
              Replace the `if` with `select r3, p1, r21, r3`
              |    mov_sr r1, sr_lane_id
              |    mov_imm r2, 8
              |    icmp_lt p1, r1, r2
              |
              |    mov_imm r3, 1
              |    mov_imm r21, 7
              |    select r3, p1, r21, r3
              |    mov_imm r20, 1
              |    if p1
              |        mov r20, r1
              |    endif
              |
        "#]],
    );
}

#[test]
fn nothing_is_free_beyond_the_registers_of_the_kernel() {
    check(
        "    .registers 3
    mov_sr r1, sr_lane_id
    icmp.lt p1, r1, r0
    if p1
        iadd r2, r2, r1
    else
        isub r2, r2, r1
    endif
",
        expect![""],
    );
}

#[test]
fn what_costs_nothing_or_cannot_be_chosen() {
    check_varying(
        "
    icmp.lt p3, r0, 8
    if p3
        mov_imm r4, 7
    else
        mov_imm r4, 8
    endif
    if p1
        idiv r4, r4, r1
    else
        mov_imm r4, 8
    endif
    if p1
        device_load.u32 r4, r1
    else
        mov_imm r4, 8
    endif
    if p1
        @p2 mov_imm r4, 1
    else
        mov_imm r4, 8
    endif
    if p1
        mov_imm r4, 1
    else
        mov_imm r5, 8
    endif
    if p1 mov_imm r4, 1
    else
        mov_imm r4, 8
    endif
",
        expect![""],
    );
}

#[test]
fn flat_conditions() {
    check_varying(
        "
    if p1            ; outer
        ; between
        if p2        ; inner
            device_store.u32 r1, r0
        endif        ; inner end
    endif            ; outer end
    if p1
        icmp.lt p3, r1, r0
        if !p3
            device_store.u32 r1, r0
        endif
    endif
",
        expect![[r#"
            6:`if p1` nested-branch: two nested `if`s cost 2 entries of the divergence stack and 4 instructions; `and p2, p1, p2` and one `if` cost 1 and 3
              Join the conditions with `and p2, p1, p2`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    ; outer
              |    ; between
              |    and p2, p1, p2
              |    if p2        ; inner
              |        device_store.u32 r1, r0
              |    endif        ; inner end
              |    ; outer end
              |    if p1
              |        icmp.lt p3, r1, r0
              |        if !p3
              |            device_store.u32 r1, r0
              |        endif
              |    endif
              |
            12:`if p1` nested-branch: two nested `if`s cost 2 entries of the divergence stack and 4 instructions; `and p3, p1, !p3` and one `if` cost 1 and 3
              Join the conditions with `and p3, p1, !p3`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    if p1            ; outer
              |        ; between
              |        if p2        ; inner
              |            device_store.u32 r1, r0
              |        endif        ; inner end
              |    endif            ; outer end
              |    icmp.lt p3, r1, r0
              |    and p3, p1, !p3
              |    if p3
              |        device_store.u32 r1, r0
              |    endif
              |
        "#]],
    );
}

#[test]
fn conditions_that_are_read_later_stay() {
    check_varying(
        "
    icmp.lt p0, r1, 3
    icmp.lt p3, r1, 3
    if p1
        if p2
            device_store.u32 r1, r0
        endif
    endif
    if p1
        if p2
            device_store.u32 r1, r0
            nop
        endif
        nop
    endif
    select r3, p1, r1, r0
    select r3, p2, r1, r0
    select r3, p0, r1, r0
    select r3, p3, r1, r0
",
        expect![""],
    );
}

#[test]
fn lanes_that_leave() {
    check_varying(
        "
    loop
        isub r1, r1, 1
        icmp.lt p1, r1, 0
        if p1    ; done
            break p1
        endif
        icmp.eq p2, r1, 3
        if p2
            continue p2
        else
            device_store.u32 r1, r0
            iadd r0, r0, 4
        endif
        icmp.lt p1, r1, 0
        icmp.lt p3, r1, 5
        if p1
            break p3
        endif
    endloop
",
        expect![[r#"
            9:`if p1` branch-for-break: `break` can be predicated: this `if` costs an entry of the divergence stack and 2 instructions more than `break p1`
              Write `break p1` without the `if`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    loop
              |        isub r1, r1, 1
              |        icmp.lt p1, r1, 0
              |        ; done
              |        break p1
              |        icmp.eq p2, r1, 3
              |        if p2
              |            continue p2
              |        else
              |            device_store.u32 r1, r0
              |            iadd r0, r0, 4
              |        endif
              |        icmp.lt p1, r1, 0
              |        icmp.lt p3, r1, 5
              |        if p1
              |            break p3
              |        endif
              |    endloop
              |
            13:`if p2` branch-for-break: `continue` can be predicated: this `if` costs an entry of the divergence stack and 3 instructions more than `continue p2`
              Write `continue p2` without the `if`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    loop
              |        isub r1, r1, 1
              |        icmp.lt p1, r1, 0
              |        if p1    ; done
              |            break p1
              |        endif
              |        icmp.eq p2, r1, 3
              |        continue p2
              |        device_store.u32 r1, r0
              |        iadd r0, r0, 4
              |        icmp.lt p1, r1, 0
              |        icmp.lt p3, r1, 5
              |        if p1
              |            break p3
              |        endif
              |    endloop
              |
            21:`if p1` branch-for-break: `break` can be predicated: this `if` costs an entry of the divergence stack and an instruction more than `and p3, p1, p3` and `break p3`
              Replace the `if` with `and p3, p1, p3`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    loop
              |        isub r1, r1, 1
              |        icmp.lt p1, r1, 0
              |        if p1    ; done
              |            break p1
              |        endif
              |        icmp.eq p2, r1, 3
              |        if p2
              |            continue p2
              |        else
              |            device_store.u32 r1, r0
              |            iadd r0, r0, 4
              |        endif
              |        icmp.lt p1, r1, 0
              |        icmp.lt p3, r1, 5
              |        and p3, p1, p3
              |        break p3
              |    endloop
              |
        "#]],
    );
}

#[test]
fn the_rest_of_an_iteration() {
    check_varying(
        "
    loop
        isub r1, r1, 1
        icmp.lt p1, r1, 0
        break p1
        if p2
            device_store.u32 r1, r0

            ; next
            iadd r0, r0, 4
        endif
    endloop
",
        expect![[r#"
            10:`if p2` branch-for-continue: this `if` spans the rest of the iteration: it costs an entry of the divergence stack and 2 instructions per iteration, `continue !p2` none and 1
              Replace the `if` with `continue !p2`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    loop
              |        isub r1, r1, 1
              |        icmp.lt p1, r1, 0
              |        break p1
              |        continue !p2
              |        device_store.u32 r1, r0
              |
              |        ; next
              |        iadd r0, r0, 4
              |    endloop
              |
        "#]],
    );
}

#[test]
fn the_toolchain_turns_the_comparison() {
    check_toolchain(
        "
    loop
        icmp_lt p1, r1, r2
        break p1
        isub r1, r1, r2
        ucmp_lt p2, r1, r2   ; small
        iadd r3, r1, r1
        if p2
            device_store_u32 r1, r3
            iadd r2, r2, r3
        endif
    endloop
    loop
        icmp_lt p1, r1, r2
        break p1
        fcmp_lt p2, r1, r2
        if p2
            device_store_u32 r1, r3
            iadd r2, r2, r3
        endif
    endloop
",
        expect![[r#"
            12:`if p2` branch-for-continue: this `if` spans the rest of the iteration: it costs an entry of the divergence stack and 2 instructions per iteration, `continue p2` none and 1
              Replace the `if` with `continue p2`
              |    mov_sr r1, sr_lane_id
              |    mov_imm r2, 8
              |    icmp_lt p1, r1, r2
              |
              |    loop
              |        icmp_lt p1, r1, r2
              |        break p1
              |        isub r1, r1, r2
              |        ucmp_le p2, r2, r1   ; small
              |        iadd r3, r1, r1
              |        continue p2
              |        device_store_u32 r1, r3
              |        iadd r2, r2, r3
              |    endloop
              |    loop
              |        icmp_lt p1, r1, r2
              |        break p1
              |        fcmp_lt p2, r1, r2
              |        if p2
              |            device_store_u32 r1, r3
              |            iadd r2, r2, r3
              |        endif
              |    endloop
              |
        "#]],
    );
}

#[test]
fn a_break_on_the_other_path() {
    check_varying(
        "
    loop
        if p1
            isub r1, r1, 1   ; the body
            icmp.gt p1, r1, 2
        else
            break !p1
        endif
    endloop",
        expect![[r#"
            7:`if p1` branch-for-break: `break` can be predicated: this `if` costs an entry of the divergence stack and 3 instructions more than `break !p1` here
              Replace the `if` with `break !p1`
              |    mov_sr r1, sr_lane_id
              |    icmp.lt p1, r1, 8
              |    icmp.gt p2, r1, 2
              |
              |    loop
              |        break !p1
              |        isub r1, r1, 1   ; the body
              |        icmp.gt p1, r1, 2
              |    endloop
        "#]],
    );
    // The other path does more, or its lanes do not all leave.
    check_varying(
        "
    loop
        if p1
            isub r1, r1, 1
        else
            mov r3, r1
            break !p1
        endif
        if p1
            isub r1, r1, 1
        else
            break p2
        endif
    endloop",
        expect![[r#""#]],
    );
}
