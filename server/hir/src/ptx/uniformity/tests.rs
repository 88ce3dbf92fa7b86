//! The variance of registers that guard a `bra.uni`, and the reasons why they differ.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_syntax::parse_item;

use crate::ptx::{Function, RegisterQuery, Uniformity};

/// Checks the variance of the guard of each `bra.uni`, and its chain of reasons: register, kind of link,
/// instruction.
fn check(statements: &str, expect: Expect) {
    check_kernel("", statements, expect);
}

fn check_kernel(directives: &str, statements: &str, expect: Expect) {
    let text = format!(
        ".entry k(.param .u32 size) {directives} {{ .reg .pred p, q, u, v; .reg .b32 r, s, t, n;\n\
         mov.u32 t, %tid.x; setp.eq.u32 p, t, 1; setp.eq.u32 q, t, 2;\n\
         ld.param.u32 n, [size]; setp.eq.u32 u, n, 3;\n{statements}\n}}"
    );
    let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
    assert_eq!(parse.errors(), []);
    let function = Function::lower(parse.root()).expect("the text is a function");
    let cfg = function.cfg(&|_| false);
    let asked = function.instructions().filter(|instruction| instruction.has("uni"));
    let queries: Vec<RegisterQuery> = asked
        .filter_map(|instruction| {
            let register = function.name(instruction.guard()?.name).referent;
            Some(RegisterQuery { instruction: instruction.id(), register, after: false })
        })
        .collect();
    let uniformity = Uniformity::of(&function, &cfg, &queries);
    let mut out = String::new();
    for (index, query) in queries.iter().enumerate() {
        let register = function.referent_text(query.register);
        writeln!(out, "{register} {:?}", uniformity.answer(index)).unwrap();
        for link in uniformity.reason(index) {
            let register = link.register.map(|register| function.referent_text(register)).unwrap_or_default();
            let statement = &text[function.instruction(link.instruction).range()];
            writeln!(out, "  {register} {:?} by {statement}", link.kind).unwrap();
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn data_from_special_registers() {
    check(
        "add.u32 r, t, n; setp.lt.u32 v, r, n; @v bra.uni A; A: @u bra.uni B; B: ret;",
        expect![[r#"
            v Varies
              v Made by setp.lt.u32 v, r, n;
              r Made by add.u32 r, t, n;
              t Special by mov.u32 t, %tid.x;
            u Uniform
        "#]],
    );
    check(
        "mov.u32 r, %warpid; setp.eq.u32 v, r, 0; @v bra.uni A; A: mov.u32 r, %laneid; setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
            v Uniform
            v Varies
              v Made by setp.eq.u32 v, r, 0;
              r Special by mov.u32 r, %laneid;
        "#]],
    );
}

#[test]
fn whole_warps_may_be_meant() {
    check(
        "shr.u32 r, t, 5; setp.eq.u32 v, r, 0; @v bra.uni A; A: setp.lt.u32 v, t, 64; @v bra.uni B; B: setp.gt.u32 v, t, 31; @v bra.uni C; C: setp.lt.u32 v, t, 63; @v bra.uni D; D: and.b32 r, t, 0xffffffe0; setp.ne.u32 v, r, 0; @v bra.uni E; E: ret;",
        expect![[r#"
            v Unknown
              v Made by setp.eq.u32 v, r, 0;
              r Aligned by shr.u32 r, t, 5;
            v Unknown
              v Aligned by setp.lt.u32 v, t, 64;
            v Unknown
              v Aligned by setp.gt.u32 v, t, 31;
            v Varies
              v Made by setp.lt.u32 v, t, 63;
              t Special by mov.u32 t, %tid.x;
            v Unknown
              v Made by setp.ne.u32 v, r, 0;
              r Aligned by and.b32 r, t, 0xffffffe0;
        "#]],
    );
    // `int(t) / 32 == 0` and the like; the last one does not separate whole warps.
    check(
        "add.s32 r, t, 31; setp.lt.u32 v, r, 63; @v bra.uni A; A: add.s32 r, t, 127; setp.gt.u32 v, r, 254; @v bra.uni B; B: add.s32 r, t, -32; setp.lt.u32 v, r, 32; @v bra.uni C; C: add.s32 r, t, 31; setp.lt.u32 v, r, 65; @v bra.uni D; D: ret;",
        expect![[r#"
            v Unknown
              v Aligned by setp.lt.u32 v, r, 63;
            v Unknown
              v Aligned by setp.gt.u32 v, r, 254;
            v Unknown
              v Aligned by setp.lt.u32 v, r, 32;
            v Varies
              v Made by setp.lt.u32 v, r, 65;
              r Made by add.s32 r, t, 31;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    let lines = "mov.u32 r, %tid.y; setp.eq.u32 v, r, 0; @v bra.uni A; A: ret;";
    check(
        lines,
        expect![[r#"
        v Unknown
          v Made by setp.eq.u32 v, r, 0;
          r Aligned by mov.u32 r, %tid.y;
    "#]],
    );
    check_kernel(
        ".reqntid 64, 2",
        lines,
        expect![[r#"
        v Uniform
    "#]],
    );
    check_kernel(
        ".reqntid 8, 8",
        lines,
        expect![[r#"
        v Varies
          v Made by setp.eq.u32 v, r, 0;
          r Special by mov.u32 r, %tid.y;
    "#]],
    );
}

#[test]
fn memory_calls_and_other_lanes() {
    check(
        ".reg .b64 a, b; mov.u64 b, 64; ld.global.u32 r, [b]; setp.eq.u32 v, r, 0; @v bra.uni A; A: cvt.u64.u32 a, t; ld.global.u32 r, [a]; setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
            v Unknown
              v Made by setp.eq.u32 v, r, 0;
              r Opaque by ld.global.u32 r, [b];
            v Varies
              v Made by setp.eq.u32 v, r, 0;
              r Made by ld.global.u32 r, [a];
              a Made by cvt.u64.u32 a, t;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    check(
        "vote.sync.any.pred v, p, -1; @v bra.uni A; A: shfl.sync.idx.b32 r, t, 0, 31, -1; setp.eq.u32 v, r, 0; @v bra.uni B; B: shfl.sync.bfly.b32 r, t, 1, 31, -1; setp.eq.u32 v, r, 0; @v bra.uni C; C: elect.sync r|v, -1; @v bra.uni D; D: ret;",
        expect![[r#"
            v Uniform
            v Uniform
            v Unknown
              v Made by setp.eq.u32 v, r, 0;
              r Opaque by shfl.sync.bfly.b32 r, t, 1, 31, -1;
            v Varies
              v Picks by elect.sync r|v, -1;
        "#]],
    );
}

#[test]
fn values_written_where_lanes_are_apart() {
    check(
        "mov.u32 r, 0; @p bra A; mov.u32 r, 1; A: setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
            v Varies
              v Made by setp.eq.u32 v, r, 0;
              r Diverged by @p bra A;
              p Made by setp.eq.u32 p, t, 1;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    // The same constant on both paths, and copies of the same register.
    check(
        "@p bra A; mov.u32 r, 1; mov.u32 s, n; bra B; A: mov.u32 r, 1; mov.u32 s, n; B: setp.eq.u32 v, r, s; @v bra.uni C; C: ret;",
        expect![[r#"
            v Uniform
        "#]],
    );
    // On the path, all lanes hold the value that was written there.
    check(
        "mov.u32 r, 0; @p bra A; mov.u32 r, 1; setp.eq.u32 v, r, 0; @v bra.uni A; A: ret;",
        expect![[r#"
            v Uniform
        "#]],
    );
    check(
        "mov.u32 r, 0; @p mov.u32 r, n; setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
        v Varies
          v Made by setp.eq.u32 v, r, 0;
          r Guarded by @p mov.u32 r, n;
          p Made by setp.eq.u32 p, t, 1;
          t Special by mov.u32 t, %tid.x;
    "#]],
    );
    check(
        "mov.u32 r, 0; @u mov.u32 r, n; setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
            v Uniform
        "#]],
    );
}

#[test]
fn rounds_of_a_loop() {
    // All lanes that are still in the loop have the same count; after the loop they do not.
    check(
        "mov.u32 r, 0; TOP: add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra.uni ON; ON: setp.lt.u32 q, r, t; @q bra TOP; setp.eq.u32 v, r, 7; @v bra.uni OUT; OUT: ret;",
        expect![[r#"
            v Uniform
            v Varies
              v Left by @q bra TOP;
              q Made by setp.lt.u32 q, r, t;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    // A value that does not change between iterations is uniform after the loop too.
    check(
        "TOP: add.u32 s, n, 1; @q bra TOP; setp.eq.u32 v, s, 7; @v bra.uni OUT; OUT: ret;",
        expect![[r#"
            v Uniform
        "#]],
    );
    // Lanes that skip a part of the loop return to its start with a different value.
    check(
        "mov.u32 r, 0; TOP: setp.eq.u32 v, r, 7; @v bra.uni ON; ON: @p bra TOP; add.u32 r, r, 1; @u bra TOP; ret;",
        expect![[r#"
            v Varies
              v Made by setp.eq.u32 v, r, 7;
              r Left by @p bra TOP;
              p Made by setp.eq.u32 p, t, 1;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    check(
        "mov.u32 r, 0; TOP: add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra.uni ON; ON: setp.lt.u32 u, r, n; @u bra TOP; setp.eq.u32 v, r, 7; @v bra.uni OUT; OUT: ret;",
        expect![[r#"
            v Uniform
            v Uniform
        "#]],
    );
}

#[test]
fn a_value_that_loops_pass_on_stays_one_value() {
    // `r` changes only in the outer loop; the divergent inner loop passes it on.
    check(
        "mov.u32 r, 0; OUTER: add.u32 r, r, 1; mov.u32 s, t; INNER: @p bra SKIP; mov.u32 s, 0; SKIP: setp.lt.u32 v, r, n; @v bra.uni ON; ON: @u bra INNER; mov.u32 t, r; setp.lt.u32 v, t, n; @v bra OUTER; ret;",
        expect![[r#"
            v Uniform
        "#]],
    );
}

#[test]
fn loops_without_an_end_reconverge_where_a_model_chooses() {
    // Only a guarded `exit` leaves the first block, and only the plain rule counts that as an end.
    check(
        "setp.eq.u32 v, n, 9; L0: @v exit.uni; @p bra L4; L2: bra L0; L4: setp.eq.u32 v, n, 1; bra L2;",
        expect![[r#"
            v Varies
              v Diverged by @p bra L4;
              p Made by setp.eq.u32 p, t, 1;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
}

#[test]
fn lanes_of_several_iterations_join() {
    // `r` at OUT comes from different iterations, although OUT can also be reached without the loop.
    check(
        "mov.u32 r, 0; @u bra OUT; TOP: add.u32 r, r, 1; setp.lt.u32 q, r, t; @q bra TOP; OUT: setp.eq.u32 v, r, 7; @v bra.uni A; A: ret;",
        expect![[r#"
            v Varies
              v Made by setp.eq.u32 v, r, 7;
              r Left by @q bra TOP;
              q Made by setp.lt.u32 q, r, t;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
    // Lanes exit the loop at two branches, one of which is uniform within each iteration.
    check(
        "mov.u32 r, 0; mov.u32 s, 0; TOP: add.u32 s, s, 1; setp.eq.u32 v, s, 3; @v bra OTHER; setp.eq.u32 q, s, t; @q bra OUT; bra TOP; OTHER: mov.u32 r, 1; OUT: setp.eq.u32 v, r, 1; @v bra.uni A; A: ret;",
        expect![[r#"
            v Varies
              v Made by setp.eq.u32 v, r, 1;
              r Diverged by @q bra OUT;
              q Made by setp.eq.u32 q, s, t;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
}

#[test]
fn differences_that_cancel() {
    check(
        "add.u32 r, t, n; add.u32 s, t, 64; setp.lt.u32 v, r, s; @v bra.uni A; A: sub.u32 r, r, t; setp.eq.u32 v, r, 0; @v bra.uni B; B: ret;",
        expect![[r#"
            v Unknown
              v Aligned by setp.lt.u32 v, r, s;
            v Unknown
              v Made by setp.eq.u32 v, r, 0;
              r Aligned by sub.u32 r, r, t;
        "#]],
    );
}

#[test]
fn parameters_of_functions() {
    let text = ".func f(.reg .pred p) { @p bra.uni A; A: ret; }";
    let function = Function::lower(parse_item(warplens_syntax::ptx::LANGUAGE, text).root())
        .expect("the text is a function");
    let cfg = function.cfg(&|_| false);
    let branch = function.instructions().next().expect("there is a branch");
    let register = function.name(branch.guard().expect("it is guarded").name).referent;
    let query = RegisterQuery { instruction: branch.id(), register, after: false };
    let uniformity = Uniformity::of(&function, &cfg, &[query]);
    expect!["Unknown Parameter"].assert_eq(&format!(
        "{:?} {:?}",
        uniformity.answer(0),
        uniformity.reason(0)[0].kind
    ));
}

#[test]
fn a_loop_with_two_ways_in_is_not_followed() {
    check(
        "mov.u32 r, 0; @u bra B; A: add.u32 r, r, 1; B: setp.lt.u32 v, r, n; @v bra.uni C; C: @u bra A; ret;",
        expect![[r#"
            v Unknown
              v Made by setp.lt.u32 v, r, n;
              r Made by add.u32 r, r, 1;
              r Opaque by add.u32 r, r, 1;
        "#]],
    );
    // Lanes already differ when they enter the loop.
    check(
        "mov.u32 r, 0; @p bra B; A: add.u32 r, r, 1; B: setp.lt.u32 v, r, n; @v bra.uni C; C: @u bra A; ret;",
        expect![[r#"
            v Varies
              v Made by setp.lt.u32 v, r, n;
              r Made by add.u32 r, r, 1;
              r Diverged by @p bra B;
              p Made by setp.eq.u32 p, t, 1;
              t Special by mov.u32 t, %tid.x;
        "#]],
    );
}
