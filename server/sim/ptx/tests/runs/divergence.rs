//! Divergence and reconvergence, for shapes whose reconvergence points were derived from the assembler's output.

use crate::common::shapes::{FALLING_THROUGH, SHORT_CIRCUIT};
use crate::common::{Source, kernel, run_kernel};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::{Reconvergence, Status};

/// Runs a body under a model and checks the listing of warp 0. `%r1` is the lane.
fn check(model: Model, body: &str, expected: Expect) {
    let text = kernel(&format!("mov.u32 %r1, %tid.x;\n{body}"));
    let (source, program, result, _) = run_kernel(&text, 32, 256, model);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    let listing = Source::listing(&source, &program, &result, 0);
    // The first line only reads the lane.
    expected.assert_eq(listing.split_once('\n').expect("several lines").1);
}

#[test]
fn if_and_else_reconverge_after_both_paths() {
    let body = "setp.lt.u32 %p1, %r1, 8;
@%p1 bra SMALL;
mov.u32 %r2, 1;
bra DONE;
SMALL:
mov.u32 %r2, 2;
DONE:
ret;";
    check(
        Model::Stack,
        body,
        expect![[r#"
        setp.lt.u32 %p1, %r1, 8;                 ffffffff
        @%p1 bra SMALL;                          ffffffff/000000ff
        mov.u32 %r2, 1;                          ffffff00
        bra DONE;                                ffffff00
        mov.u32 %r2, 2;                          000000ff
        ret;                                     ffffffff
    "#]],
    );
}

#[test]
fn a_guard_changes_executed_lanes_and_not_active_lanes() {
    check(
        Model::Stack,
        "and.b32 %r2, %r1, 1;
setp.eq.u32 %p1, %r2, 0;
@%p1 mov.u32 %r3, 1;
@!%p1 mov.u32 %r3, 2;
ret;",
        expect![[r#"
            and.b32 %r2, %r1, 1;                     ffffffff
            setp.eq.u32 %p1, %r2, 0;                 ffffffff
            @%p1 mov.u32 %r3, 1;                     ffffffff/55555555
            @!%p1 mov.u32 %r3, 2;                    ffffffff/aaaaaaaa
            ret;                                     ffffffff
        "#]],
    );
}

#[test]
fn lanes_exit_a_loop_one_by_one() {
    let body = "mov.u32 %r2, 0;
NEXT:
add.u32 %r2, %r2, 1;
and.b32 %r3, %r1, 3;
setp.le.u32 %p1, %r2, %r3;
@%p1 bra NEXT;
ret;";
    check(
        Model::Stack,
        body,
        expect![[r#"
        mov.u32 %r2, 0;                          ffffffff
        add.u32 %r2, %r2, 1;                     ffffffff eeeeeeee cccccccc 88888888
        and.b32 %r3, %r1, 3;                     ffffffff eeeeeeee cccccccc 88888888
        setp.le.u32 %p1, %r2, %r3;               ffffffff eeeeeeee cccccccc 88888888
        @%p1 bra NEXT;                           ffffffff/eeeeeeee eeeeeeee/cccccccc cccccccc/88888888 88888888/00000000
        ret;                                     ffffffff
    "#]],
    );
}

#[test]
fn lanes_that_return_in_a_branch_do_not_block_the_others() {
    let body = "setp.lt.u32 %p1, %r1, 16;
@%p1 bra LOW;
setp.lt.u32 %p2, %r1, 24;
@%p2 ret;
mov.u32 %r2, 1;
bra JOIN;
LOW:
mov.u32 %r2, 2;
JOIN:
mov.u32 %r3, %r2;
ret;";
    check(
        Model::Stack,
        body,
        expect![[r#"
        setp.lt.u32 %p1, %r1, 16;                ffffffff
        @%p1 bra LOW;                            ffffffff/0000ffff
        setp.lt.u32 %p2, %r1, 24;                ffff0000
        @%p2 ret;                                ffff0000/00ff0000
        mov.u32 %r2, 1;                          ff000000
        bra JOIN;                                ff000000
        mov.u32 %r2, 2;                          0000ffff
        mov.u32 %r3, %r2;                        ff00ffff
        ret;                                     ff00ffff
    "#]],
    );
}

#[test]
fn two_branches_to_one_else_run_it_once() {
    check(
        Model::Stack,
        SHORT_CIRCUIT,
        expect![[r#"
        and.b32 %r2, %r1, 1;                     ffffffff
        setp.ne.u32 %p1, %r2, 0;                 ffffffff
        @%p1 bra ELSE;                           ffffffff/aaaaaaaa
        and.b32 %r2, %r1, 2;                     55555555
        setp.ne.u32 %p2, %r2, 0;                 55555555
        @%p2 bra ELSE;                           55555555/44444444
        mov.u32 %r3, 1;                          11111111
        bra JOIN;                                11111111
        mov.u32 %r3, 2;                          eeeeeeee
        ret;                                     ffffffff
    "#]],
    );
}

#[test]
fn ipdom_runs_it_twice() {
    check(
        Model::Ipdom,
        SHORT_CIRCUIT,
        expect![[r#"
        and.b32 %r2, %r1, 1;                     ffffffff
        setp.ne.u32 %p1, %r2, 0;                 ffffffff
        @%p1 bra ELSE;                           ffffffff/aaaaaaaa
        and.b32 %r2, %r1, 2;                     55555555
        setp.ne.u32 %p2, %r2, 0;                 55555555
        @%p2 bra ELSE;                           55555555/44444444
        mov.u32 %r3, 1;                          11111111
        bra JOIN;                                11111111
        mov.u32 %r3, 2;                          aaaaaaaa 44444444
        ret;                                     ffffffff
    "#]],
    );
}

#[test]
fn a_switch_that_falls_through_runs_the_second_case_twice() {
    check(
        Model::Stack,
        FALLING_THROUGH,
        expect![[r#"
        and.b32 %r2, %r1, 3;                     ffffffff
        brx.idx %r2, TABLE;                      ffffffff
        mov.u32 %r3, 1;                          11111111
        mov.u32 %r3, 2;                          11111111 22222222
        bra DONE;                                11111111 22222222
        mov.u32 %r3, 3;                          44444444
        ret;                                     ffffffff
    "#]],
    );
}

#[test]
fn a_loop_with_exits_only_loses_lanes() {
    let body = "mov.u32 %r2, 0;
NEXT:
setp.eq.u32 %p1, %r2, %r1;
@%p1 exit;
add.u32 %r2, %r2, 8;
sub.u32 %r1, %r1, 1;
bra NEXT;";
    let text =
        kernel(&format!("mov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 1;\nmul.lo.u32 %r1, %r1, 9;\n{body}"));
    let (source, program, result, _) = run_kernel(&text, 32, 256, Model::Stack);
    assert_eq!(result.status, Status::Finished);
    expect![[r#"
        mov.u32 %r1, %tid.x;                     ffffffff
        and.b32 %r1, %r1, 1;                     ffffffff
        mul.lo.u32 %r1, %r1, 9;                  ffffffff
        mov.u32 %r2, 0;                          ffffffff
        setp.eq.u32 %p1, %r2, %r1;               ffffffff aaaaaaaa
        @%p1 exit;                               ffffffff/55555555 aaaaaaaa
        add.u32 %r2, %r2, 8;                     aaaaaaaa
        sub.u32 %r1, %r1, 1;                     aaaaaaaa
        bra NEXT;                                aaaaaaaa
    "#]]
    .assert_eq(&source.listing(&program, &result, 0));
}

#[test]
fn calls_with_divergent_returns_reconverge_in_the_caller() {
    let text = ".version 8.5
.target sm_90
.address_size 64
.func (.reg .u32 r) half(.reg .u32 n)
{
.reg .pred %p;
setp.gt.u32 %p, n, 15;
@%p bra BIG;
mov.u32 r, n;
ret;
BIG:
shr.u32 r, n, 1;
ret;
}
.visible .entry k(.param .u64 out)
{
.reg .u32 %t, %v;
.reg .u64 %a, %o;
mov.u32 %t, %tid.x;
call (%v), half, (%t);
ld.param.u64 %a, [out];
mul.wide.u32 %o, %t, 4;
add.u64 %a, %a, %o;
st.global.u32 [%a], %v;
ret;
}
";
    let (source, program, result, bytes) = run_kernel(text, 32, 128, Model::Stack);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    let expected: Vec<u32> = (0..32).map(|lane| if lane > 15 { lane / 2 } else { lane }).collect();
    assert_eq!(crate::common::words(&bytes), expected);
    expect![[r#"
        setp.gt.u32 %p, n, 15;                   ffffffff
        @%p bra BIG;                             ffffffff/ffff0000
        mov.u32 r, n;                            0000ffff
        ret;                                     0000ffff
        shr.u32 r, n, 1;                         ffff0000
        ret;                                     ffff0000
        mov.u32 %t, %tid.x;                      ffffffff
        call (%v), half, (%t);                   ffffffff
        ld.param.u64 %a, [out];                  ffffffff
        mul.wide.u32 %o, %t, 4;                  ffffffff
        add.u64 %a, %a, %o;                      ffffffff
        st.global.u32 [%a], %v;                  ffffffff
        ret;                                     ffffffff
    "#]]
    .assert_eq(&source.listing(&program, &result, 0));
}

/// The reconvergences at each statement, line by line.
fn reconvergences(model: Model, text: &str) -> String {
    let (source, program, result, _) = run_kernel(text, 32, 256, model);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    let line = |reconvergence: &Reconvergence| {
        let line = text.lines().nth(source.line(&program, reconvergence.statement)).unwrap_or_default();
        let parts: Vec<String> = reconvergence.parts.iter().map(|lanes| format!("{lanes:08x}")).collect();
        format!("{line}  {}\n", parts.join(" + "))
    };
    result.warps[0].reconvergences.iter().map(line).collect()
}

#[test]
fn reconvergences_are_recorded() {
    let lane = |body: &str| kernel(&format!("mov.u32 %r1, %tid.x;\n{body}"));
    let both = lane(SHORT_CIRCUIT);
    expect![[r#"
        mov.u32 %r3, 2;  aaaaaaaa + 44444444
        ret;  11111111 + eeeeeeee
    "#]]
    .assert_eq(&reconvergences(Model::Stack, &both));
    expect![[r#"
        mov.u32 %r3, 2;  aaaaaaaa + 44444444
        ret;  11111111 + eeeeeeee
    "#]]
    .assert_eq(&reconvergences(Model::Frontier, &both));
    let iterations = lane(
        "and.b32 %r3, %r1, 3;\nNEXT:\nsub.s32 %r3, %r3, 1;\nsetp.ge.s32 %p1, %r3, 0;\n@%p1 bra NEXT;\nret;",
    );
    expect![[r#"
        ret;  11111111 + 22222222 + 44444444 + 88888888
    "#]]
    .assert_eq(&reconvergences(Model::Stack, &iterations));
}
