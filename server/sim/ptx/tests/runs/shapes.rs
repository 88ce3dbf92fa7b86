//! How often, and by which lanes, the blocks of common shapes are executed under each model. The expectations for `stack`
//! were derived from the assembler's own barriers for these shapes; the others follow from the models' rules.

use crate::common::shapes::{FALLING_THROUGH, SHORT_CIRCUIT};
use crate::common::{kernel, run_kernel};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

/// Runs a body under every model and checks the masks of the visits to each labeled statement. `%r1` is the lane.
fn check(body: &str, expected: Expect) {
    let text = kernel(&format!("mov.u32 %r1, %tid.x;\n{body}"));
    let mut table = String::new();
    for model in Model::ALL {
        let (source, program, result, _) = run_kernel(&text, 32, 256, model);
        assert_eq!(result.status, Status::Finished, "{}: {:?}", model.name(), result.findings);
        table += &format!("{}:", model.name());
        let trace = &result.warps[0];
        for (label, line) in labels(&text) {
            let at = |statement| source.line(&program, statement) == line;
            let visits = trace.lines.iter().find(|trace| at(trace.statement));
            let visits = visits.into_iter().flat_map(|line| line.visits.iter());
            let masks: Vec<String> = visits
                .map(|visit| match visit.repeat {
                    1 => format!("{:08x}", visit.active),
                    times => format!("{:08x}*{times}", visit.active),
                })
                .collect();
            let masks = if masks.is_empty() { "-".to_owned() } else { masks.join(" ") };
            table += &format!("  {label} {masks}");
        }
        table.push('\n');
    }
    expected.assert_eq(&table);
}

/// The labels of a text, with the lines after them.
fn labels(text: &str) -> Vec<(&str, usize)> {
    let labels =
        text.lines().enumerate().filter_map(|(line, text)| Some((text.strip_suffix(':')?, line + 1)));
    labels.collect()
}

#[test]
fn nested_ifs_reconverge_from_inside_out() {
    check(
        "setp.lt.u32 %p1, %r1, 16;
setp.lt.u32 %p2, %r1, 8;
@%p1 bra LOW;
mov.u32 %r2, 1;
bra OUTER;
LOW:
mov.u32 %r2, 2;
@%p2 bra LOWEST;
mov.u32 %r2, 3;
bra INNER;
LOWEST:
mov.u32 %r2, 4;
INNER:
mov.u32 %r2, 5;
OUTER:
ret;",
        expect![[r#"
            stack:  LOW 0000ffff  LOWEST 000000ff  INNER 0000ffff  OUTER ffffffff
            ipdom:  LOW 0000ffff  LOWEST 000000ff  INNER 0000ffff  OUTER ffffffff
            frontier:  LOW 0000ffff  LOWEST 000000ff  INNER 0000ffff  OUTER ffffffff
            its:  LOW 0000ffff  LOWEST 000000ff  INNER 0000ffff  OUTER ffffffff
        "#]],
    );
}

#[test]
fn two_branches_to_one_else() {
    check(
        SHORT_CIRCUIT,
        expect![[r#"
            stack:  ELSE eeeeeeee  JOIN ffffffff
            ipdom:  ELSE aaaaaaaa 44444444  JOIN ffffffff
            frontier:  ELSE eeeeeeee  JOIN ffffffff
            its:  ELSE eeeeeeee  JOIN ffffffff
        "#]],
    );
}

#[test]
fn a_tail_with_two_entries() {
    check(
        "and.b32 %r2, %r1, 3;
setp.lt.u32 %p1, %r1, 16;
setp.lt.u32 %p2, %r2, 2;
setp.ne.u32 %p3, %r2, 1;
@%p1 bra B;
A:
@%p2 bra C;
bra D;
B:
@%p3 bra D;
C:
mov.u32 %r3, 2;
D:
ret;",
        expect![[r#"
            stack:  A ffff0000  B 0000ffff  C 33332222  D ffffffff
            ipdom:  A ffff0000  B 0000ffff  C 00002222 33330000  D ffffffff
            frontier:  A ffff0000  B 0000ffff  C 33332222  D ffffffff
            its:  A ffff0000  B 0000ffff  C 33332222  D ffffffff
        "#]],
    );
}

#[test]
fn a_switch_that_falls_through() {
    check(
        FALLING_THROUGH,
        expect![[r#"
            stack:  ONE 11111111  TWO 11111111 22222222  THREE 44444444  DONE ffffffff
            ipdom:  ONE 11111111  TWO 11111111 22222222  THREE 44444444  DONE ffffffff
            frontier:  ONE 11111111  TWO 33333333  THREE 44444444  DONE ffffffff
            its:  ONE 11111111  TWO 11111111 22222222  THREE 44444444  DONE ffffffff
        "#]],
    );
}

#[test]
fn lanes_that_exit_in_a_branch_do_not_block_the_others() {
    check(
        "setp.lt.u32 %p1, %r1, 16;
@%p1 bra LOW;
setp.lt.u32 %p2, %r1, 24;
@%p2 exit;
mov.u32 %r2, 1;
bra JOIN;
LOW:
mov.u32 %r2, 2;
JOIN:
mov.u32 %r3, %r2;
ret;",
        expect![[r#"
            stack:  LOW 0000ffff  JOIN ff00ffff
            ipdom:  LOW 0000ffff  JOIN 0000ffff ff000000
            frontier:  LOW 0000ffff  JOIN ff00ffff
            its:  LOW 0000ffff  JOIN ff00ffff
        "#]],
    );
}

#[test]
fn a_loop_with_two_exits() {
    check(
        "mov.u32 %r2, 0;
and.b32 %r3, %r1, 3;
and.b32 %r4, %r1, 4;
setp.ne.u32 %p2, %r4, 0;
NEXT:
add.u32 %r2, %r2, 1;
setp.gt.u32 %p1, %r2, %r3;
@%p1 bra DONE;
BODY:
setp.eq.and.u32 %p3, %r2, 2, %p2;
@%p3 bra BROKEN;
LATCH:
bra NEXT;
BROKEN:
mov.u32 %r5, 1;
DONE:
ret;",
        expect![[r#"
            stack:  NEXT ffffffff eeeeeeee 0c0c0c0c 08080808  BODY eeeeeeee cccccccc 08080808  LATCH eeeeeeee 0c0c0c0c 08080808  BROKEN c0c0c0c0  DONE ffffffff
            ipdom:  NEXT ffffffff eeeeeeee 0c0c0c0c 08080808  BODY eeeeeeee cccccccc 08080808  LATCH eeeeeeee 0c0c0c0c 08080808  BROKEN c0c0c0c0  DONE ffffffff
            frontier:  NEXT ffffffff eeeeeeee 0c0c0c0c 08080808  BODY eeeeeeee cccccccc 08080808  LATCH eeeeeeee 0c0c0c0c 08080808  BROKEN c0c0c0c0  DONE ffffffff
            its:  NEXT ffffffff eeeeeeee 0c0c0c0c 08080808  BODY eeeeeeee cccccccc 08080808  LATCH eeeeeeee 0c0c0c0c 08080808  BROKEN c0c0c0c0  DONE ffffffff
        "#]],
    );
}

#[test]
fn a_loop_with_exits_only() {
    check(
        "and.b32 %r3, %r1, 3;
mov.u32 %r2, 0;
NEXT:
setp.eq.u32 %p1, %r2, %r3;
@%p1 exit;
LATCH:
add.u32 %r2, %r2, 1;
bra NEXT;",
        expect![[r#"
            stack:  NEXT ffffffff eeeeeeee cccccccc 88888888  LATCH eeeeeeee cccccccc 88888888
            ipdom:  NEXT ffffffff eeeeeeee cccccccc 88888888  LATCH eeeeeeee cccccccc 88888888
            frontier:  NEXT ffffffff eeeeeeee cccccccc 88888888  LATCH eeeeeeee cccccccc 88888888
            its:  NEXT ffffffff eeeeeeee cccccccc 88888888  LATCH eeeeeeee cccccccc 88888888
        "#]],
    );
}

#[test]
fn a_loop_with_continue() {
    check(
        "mov.u32 %r2, 0;
HEAD:
add.u32 %r2, %r2, 1;
and.b32 %r3, %r2, %r1;
and.b32 %r3, %r3, 1;
setp.ne.u32 %p1, %r3, 0;
setp.lt.u32 %p2, %r2, 4;
@%p1 bra HEAD;
LATE:
mov.u32 %r4, 1;
@%p2 bra HEAD;
DONE:
ret;",
        expect![[r#"
            stack:  HEAD ffffffff aaaaaaaa ffffffff aaaaaaaa 55555555*2  LATE ffffffff*2 55555555*2  DONE ffffffff
            ipdom:  HEAD ffffffff aaaaaaaa ffffffff aaaaaaaa 55555555*2  LATE ffffffff*2 55555555*2  DONE ffffffff
            frontier:  HEAD ffffffff aaaaaaaa ffffffff aaaaaaaa 55555555*2  LATE ffffffff*2 55555555*2  DONE ffffffff
            its:  HEAD ffffffff aaaaaaaa ffffffff aaaaaaaa 55555555*2  LATE ffffffff*2 55555555*2  DONE ffffffff
        "#]],
    );
}

#[test]
fn a_loop_with_two_entries() {
    check(
        "mov.u32 %r2, 0;
setp.lt.u32 %p1, %r1, 16;
@%p1 bra B;
A:
add.u32 %r2, %r2, 1;
B:
add.u32 %r2, %r2, 2;
setp.lt.u32 %p2, %r2, 6;
@%p2 bra A;
DONE:
ret;",
        expect![[r#"
            stack:  A ffff0000 ffffffff 0000ffff  B ffffffff*2 0000ffff  DONE ffffffff
            ipdom:  A ffff0000 ffffffff 0000ffff  B ffffffff*2 0000ffff  DONE ffffffff
            frontier:  A ffff0000 ffffffff 0000ffff  B ffffffff*2 0000ffff  DONE ffffffff
            its:  A ffff0000 ffffffff 0000ffff  B ffffffff*2 0000ffff  DONE ffffffff
        "#]],
    );
}
