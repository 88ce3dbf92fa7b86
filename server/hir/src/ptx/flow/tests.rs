//! The control-flow shapes on which real assemblers were observed, with the points where their lanes
//! reconverge.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_syntax::parse_item;

use crate::cfg::BlockId;
use crate::post_dominators::PostDominators;
use crate::ptx::{Function, Uniformity};

/// Checks the blocks of a kernel. A block is named after the label before it, or by its number.
fn check(statements: &str, expect: Expect) {
    let text = format!(
        ".entry k(.param .u32 size) {{ .reg .pred p, q, u, v; .reg .b32 r, s, t, n;\n\
         mov.u32 t, %tid.x; setp.eq.u32 p, t, 1; setp.eq.u32 q, t, 2;\n\
         ld.param.u32 n, [size]; setp.eq.u32 u, n, 3;\n{statements}\n}}"
    );
    let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &text);
    assert_eq!(parse.errors(), []);
    let function = Function::lower(parse.root()).expect("the text is a function");
    let cfg = function.cfg(&|name| name == "abort");
    let joins = function.post_dominators(&cfg);
    let plain = PostDominators::plain(&cfg);
    let uniformity = Uniformity::of(&function, &cfg, &[]);
    let name = |block: BlockId| {
        let start = cfg.block(block).instructions.start as usize;
        let label = function.labels().find(|label| label.target.index() == start);
        label.map_or(block.0.to_string(), |label| function.symbol(label.symbol).name.to_string())
    };
    let mut out = String::new();
    for id in cfg.ids() {
        let block = cfg.block(id);
        let next: Vec<_> = cfg.successors(id).map(name).collect();
        write!(out, "{} {:?} {}", name(id), block.end, next.join(" ")).unwrap();
        if next.len() > 1 {
            let place = |block: Option<BlockId>| block.map_or("nowhere".into(), name);
            write!(out, ", reconverges at {}", place(joins.immediate(id))).unwrap();
            if joins.immediate(id) != plain.immediate(id) {
                write!(out, " (plain {})", place(plain.immediate(id))).unwrap();
            }
            write!(out, "{}", if uniformity.is_uniform_branch(id) { ", uniform" } else { "" }).unwrap();
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn nested_if() {
    check(
        "@p bra ELSE; @q bra INNER; add.u32 r, r, 1; INNER: bra JOIN; ELSE: add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Diverges ELSE 1, reconverges at JOIN
            1 Diverges INNER 2, reconverges at INNER
            2 Continues INNER
            INNER Continues JOIN
            ELSE Continues JOIN
            JOIN Exits 
        "#]],
    );
}

#[test]
fn loop_with_a_break() {
    check(
        "TOP: @p bra OUT; add.u32 r, r, 1; @q bra OUT; bra TOP; OUT: ret;",
        expect![[r#"
            0 Continues TOP
            TOP Diverges OUT 2, reconverges at OUT
            2 Diverges OUT 3, reconverges at OUT
            3 Continues TOP
            OUT Exits 
        "#]],
    );
}

#[test]
fn an_exit_on_one_path_does_not_block_the_others() {
    check(
        "@p bra SIDE; add.u32 r, r, 1; bra JOIN; SIDE: @q exit; add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Diverges SIDE 1, reconverges at JOIN (plain nowhere)
            1 Continues JOIN
            SIDE ExitsGuarded 3
            3 Continues JOIN
            JOIN Exits 
        "#]],
    );
    check(
        "@p bra SIDE; add.u32 r, r, 1; bra JOIN; SIDE: exit; JOIN: ret;",
        expect![[r#"
            0 Diverges SIDE 1, reconverges at 1 (plain nowhere)
            1 Continues JOIN
            SIDE Exits 
            JOIN Exits 
        "#]],
    );
}

#[test]
fn short_circuit_and() {
    check(
        "@!p bra ELSE; @!q bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Diverges ELSE 1, reconverges at JOIN
            1 Diverges ELSE 2, reconverges at JOIN
            2 Continues JOIN
            ELSE Continues JOIN
            JOIN Exits 
        "#]],
    );
}

#[test]
fn side_entry_into_a_tail() {
    check(
        "@p bra B; add.u32 r, r, 1; @q bra C; bra JOIN; B: add.u32 r, r, 2; C: add.u32 r, r, 3; JOIN: ret;",
        expect![[r#"
            0 Diverges B 1, reconverges at JOIN
            1 Diverges C 2, reconverges at JOIN
            2 Continues JOIN
            B Continues C
            C Continues JOIN
            JOIN Exits 
        "#]],
    );
}

#[test]
fn switch_with_fall_through() {
    check(
        "T: .branchtargets C0, C1, C2, C1; brx.idx r, T; C0: bra JOIN; C1: add.u32 r, r, 1; C2: add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Diverges C0 C1 C2, reconverges at JOIN, uniform
            C0 Continues JOIN
            C1 Continues C2
            C2 Continues JOIN
            JOIN Exits 
        "#]],
    );
}

#[test]
fn irreducible() {
    check(
        "@p bra B; A: add.u32 r, r, 1; B: add.u32 r, r, 2; @q bra A; ret;",
        expect![[r#"
            0 Diverges B A, reconverges at B
            A Continues B
            B Diverges A 3, reconverges at 3
            3 Exits 
        "#]],
    );
}

#[test]
fn loop_left_by_exits_only() {
    check(
        "TOP: @p exit; add.u32 r, r, 1; @q bra TOP; @u bra TOP; bra TOP;",
        expect![[r#"
            0 Continues TOP
            TOP ExitsGuarded 2
            2 Diverges TOP 3, reconverges at 3 (plain TOP)
            3 Diverges TOP 4, reconverges at 4 (plain TOP), uniform
            4 Continues TOP
        "#]],
    );
}

#[test]
fn two_returns_at_a_loop() {
    check(
        "TOP: @p bra A; @q bra B; bra TOP; A: add.u32 r, r, 1; ret; B: ret;",
        expect![[r#"
            0 Continues TOP
            TOP Diverges A 2, reconverges at 2 (plain nowhere)
            2 Diverges B 3, reconverges at B (plain nowhere)
            3 Continues TOP
            A Exits 
            B Exits 
        "#]],
    );
}

#[test]
fn cold_exit_is_last() {
    check(
        "@p bra COLD; @q bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: ret; COLD: exit;",
        expect![[r#"
            0 Diverges COLD 1, reconverges at 1 (plain nowhere)
            1 Diverges ELSE 2, reconverges at JOIN
            2 Continues JOIN
            ELSE Continues JOIN
            JOIN Exits 
            COLD Exits 
        "#]],
    );
}

#[test]
fn uniform_branches_count_last() {
    // Two uniform branches would vote for the second end, but one branch that is not proven uniform votes for
    // the first.
    check(
        "@u bra OTHER; @p bra A; add.u32 r, r, 1; A: ret; \
         OTHER: @u bra B; add.u32 r, r, 1; B: @u bra C; add.u32 r, r, 1; C: ret;",
        expect![[r#"
            0 Diverges OTHER 1, reconverges at 1 (plain nowhere), uniform
            1 Diverges A 2, reconverges at A
            2 Continues A
            A Exits 
            OTHER Diverges B 5, reconverges at B, uniform
            5 Continues B
            B Diverges C 7, reconverges at C, uniform
            7 Continues C
            C Exits 
        "#]],
    );
}

#[test]
fn paths_with_different_ends_have_separate_joins() {
    check(
        "@p bra OTHER; @q bra A; add.u32 r, r, 1; A: ret; OTHER: @q bra B; add.u32 r, r, 1; B: trap;",
        expect![[r#"
            0 Diverges OTHER 1, reconverges at 1
            1 Diverges A 2, reconverges at A
            2 Continues A
            A Exits 
            OTHER Diverges B 5, reconverges at B (plain nowhere)
            5 Continues B
            B Traps 
        "#]],
    );
}

#[test]
fn endless_loop_has_a_join_inside() {
    check(
        "TOP: @p bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: bra TOP;",
        expect![[r#"
            0 Continues TOP
            TOP Diverges ELSE 2, reconverges at JOIN (plain nowhere)
            2 Continues JOIN
            ELSE Continues JOIN
            JOIN Continues TOP
        "#]],
    );
}

#[test]
fn calls_that_do_not_return() {
    check(
        "@p bra BAD; @q bra BAD; add.u32 r, r, 1; ret; BAD: call abort; GONE: ret;",
        expect![[r#"
            0 Diverges BAD 1, reconverges at 1
            1 Diverges BAD 2, reconverges at 2
            2 Exits 
            BAD Traps 
            GONE Exits 
        "#]],
    );
    check(
        "@p call abort; call other; ret;",
        expect![[r#"
            0 TrapsGuarded 1
            1 Exits 
        "#]],
    );
}

#[test]
fn control_falls_off_the_end() {
    check(
        "@p bra END; add.u32 r, r, 1; END:",
        expect![[r#"
            0 Diverges END 1, reconverges at END
            1 Continues END
            END Exits 
        "#]],
    );
    check(
        "@p exit;",
        expect![[r#"
        0 ExitsGuarded 1
        1 Exits 
    "#]],
    );
    check(
        "bra GONE;",
        expect![[r#"
        0 Unknown 
    "#]],
    );
}

#[test]
fn what_lanes_share_makes_uniform_branches() {
    check(
        "add.u32 r, n, %ctaid.x; setp.eq.u32 u, r, 4; @u bra A; mov.u32 s, %laneid; A: setp.eq.u32 v, s, 4; @v bra B; exit; B: ret;",
        expect![[r#"
            0 Diverges A 1, reconverges at A, uniform
            1 Continues A
            A Diverges B 3, reconverges at B (plain nowhere)
            3 Exits 
            B Exits 
        "#]],
    );
}

#[test]
fn a_value_written_under_divergence_varies() {
    check(
        "mov.u32 r, 0; @p bra A; mov.u32 r, 1; A: setp.eq.u32 v, r, 0; @v bra B; exit; B: ret;",
        expect![[r#"
            0 Diverges A 1, reconverges at A
            1 Continues A
            A Diverges B 3, reconverges at B (plain nowhere)
            3 Exits 
            B Exits 
        "#]],
    );
    check(
        "mov.u32 r, 0; @p mov.u32 r, 1; setp.eq.u32 v, r, 0; @v bra B; exit; B: @p bra.uni B; ret;",
        expect![[r#"
            0 Diverges B 1, reconverges at B (plain nowhere)
            1 Exits 
            B Diverges B 3, reconverges at 3, uniform
            3 Exits 
        "#]],
    );
}

#[test]
fn a_counted_loop_stays_uniform_around_an_if() {
    check(
        "mov.u32 r, 0; TOP: @p bra SKIP; add.u32 s, s, 1; SKIP: add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra TOP; ret;",
        expect![[r#"
            0 Continues TOP
            TOP Diverges SKIP 2, reconverges at SKIP
            2 Continues SKIP
            SKIP Diverges TOP 4, reconverges at 4, uniform
            4 Exits 
        "#]],
    );
    // Lanes that break out have another count, but the lanes that stay in the loop agree on it.
    check(
        "mov.u32 r, 0; TOP: @p bra OUT; add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra TOP; OUT: ret;",
        expect![[r#"
            0 Continues TOP
            TOP Diverges OUT 2, reconverges at OUT
            2 Diverges TOP OUT, reconverges at OUT, uniform
            OUT Exits 
        "#]],
    );
}

#[test]
fn thousands_of_ends_cost_little() {
    let mut statements = String::new();
    for index in 0..3000 {
        writeln!(statements, "@p bra L{index}; add.u32 r, r, 1; ret; L{index}: add.u32 r, r, 1;").unwrap();
    }
    let text = format!(".entry k() {{ .reg .pred p; .reg .b32 r; {statements} }}");
    let function = Function::lower(parse_item(warplens_syntax::ptx::LANGUAGE, &text).root())
        .expect("the text is a function");
    let cfg = function.cfg(&|_| false);
    let joins = function.post_dominators(&cfg);
    assert!(cfg.ids().filter(|id| joins.immediate(*id).is_some()).count() >= 3000);
}
