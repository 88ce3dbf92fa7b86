//! The shapes on which real assemblers were observed: where their lanes reconverge.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_syntax::parse_item;

use crate::cfg::BlockId;
use crate::post_dominators::PostDominators;
use crate::ptx::{Function, Uniformity};

/// The blocks of a kernel. A block is named after the label before it, or its number.
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
            0 Parts ELSE 1, meet JOIN
            1 Parts INNER 2, meet INNER
            2 Goes INNER
            INNER Goes JOIN
            ELSE Goes JOIN
            JOIN Leaves 
        "#]],
    );
}

#[test]
fn loop_with_a_break() {
    check(
        "TOP: @p bra OUT; add.u32 r, r, 1; @q bra OUT; bra TOP; OUT: ret;",
        expect![[r#"
            0 Goes TOP
            TOP Parts OUT 2, meet OUT
            2 Parts OUT 3, meet OUT
            3 Goes TOP
            OUT Leaves 
        "#]],
    );
}

#[test]
fn an_exit_on_one_path_does_not_block_the_others() {
    check(
        "@p bra SIDE; add.u32 r, r, 1; bra JOIN; SIDE: @q exit; add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Parts SIDE 1, meet JOIN (plain nowhere)
            1 Goes JOIN
            SIDE LeavesGuarded 3
            3 Goes JOIN
            JOIN Leaves 
        "#]],
    );
    check(
        "@p bra SIDE; add.u32 r, r, 1; bra JOIN; SIDE: exit; JOIN: ret;",
        expect![[r#"
            0 Parts SIDE 1, meet 1 (plain nowhere)
            1 Goes JOIN
            SIDE Leaves 
            JOIN Leaves 
        "#]],
    );
}

#[test]
fn short_circuit_and() {
    check(
        "@!p bra ELSE; @!q bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Parts ELSE 1, meet JOIN
            1 Parts ELSE 2, meet JOIN
            2 Goes JOIN
            ELSE Goes JOIN
            JOIN Leaves 
        "#]],
    );
}

#[test]
fn side_entry_into_a_tail() {
    check(
        "@p bra B; add.u32 r, r, 1; @q bra C; bra JOIN; B: add.u32 r, r, 2; C: add.u32 r, r, 3; JOIN: ret;",
        expect![[r#"
            0 Parts B 1, meet JOIN
            1 Parts C 2, meet JOIN
            2 Goes JOIN
            B Goes C
            C Goes JOIN
            JOIN Leaves 
        "#]],
    );
}

#[test]
fn switch_with_fall_through() {
    check(
        "T: .branchtargets C0, C1, C2, C1; brx.idx r, T; C0: bra JOIN; C1: add.u32 r, r, 1; C2: add.u32 r, r, 2; JOIN: ret;",
        expect![[r#"
            0 Parts C0 C1 C2, meet JOIN, uniform
            C0 Goes JOIN
            C1 Goes C2
            C2 Goes JOIN
            JOIN Leaves 
        "#]],
    );
}

#[test]
fn irreducible() {
    check(
        "@p bra B; A: add.u32 r, r, 1; B: add.u32 r, r, 2; @q bra A; ret;",
        expect![[r#"
            0 Parts B A, meet B
            A Goes B
            B Parts A 3, meet 3
            3 Leaves 
        "#]],
    );
}

#[test]
fn loop_left_by_exits_only() {
    check(
        "TOP: @p exit; add.u32 r, r, 1; @q bra TOP; @u bra TOP; bra TOP;",
        expect![[r#"
            0 Goes TOP
            TOP LeavesGuarded 2
            2 Parts TOP 3, meet 3 (plain TOP)
            3 Parts TOP 4, meet 4 (plain TOP), uniform
            4 Goes TOP
        "#]],
    );
}

#[test]
fn two_returns_at_a_loop() {
    check(
        "TOP: @p bra A; @q bra B; bra TOP; A: add.u32 r, r, 1; ret; B: ret;",
        expect![[r#"
            0 Goes TOP
            TOP Parts A 2, meet 2 (plain nowhere)
            2 Parts B 3, meet B (plain nowhere)
            3 Goes TOP
            A Leaves 
            B Leaves 
        "#]],
    );
}

#[test]
fn cold_exit_is_last() {
    check(
        "@p bra COLD; @q bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: ret; COLD: exit;",
        expect![[r#"
            0 Parts COLD 1, meet 1 (plain nowhere)
            1 Parts ELSE 2, meet JOIN
            2 Goes JOIN
            ELSE Goes JOIN
            JOIN Leaves 
            COLD Leaves 
        "#]],
    );
}

#[test]
fn uniform_branches_count_last() {
    // Two uniform branches would vote for the second end, one that is not proven votes for the first.
    check(
        "@u bra OTHER; @p bra A; add.u32 r, r, 1; A: ret; \
         OTHER: @u bra B; add.u32 r, r, 1; B: @u bra C; add.u32 r, r, 1; C: ret;",
        expect![[r#"
            0 Parts OTHER 1, meet 1 (plain nowhere), uniform
            1 Parts A 2, meet A
            2 Goes A
            A Leaves 
            OTHER Parts B 5, meet B, uniform
            5 Goes B
            B Parts C 7, meet C, uniform
            7 Goes C
            C Leaves 
        "#]],
    );
}

#[test]
fn paths_with_different_ends_have_separate_joins() {
    check(
        "@p bra OTHER; @q bra A; add.u32 r, r, 1; A: ret; OTHER: @q bra B; add.u32 r, r, 1; B: trap;",
        expect![[r#"
            0 Parts OTHER 1, meet 1 (plain nowhere)
            1 Parts A 2, meet A
            2 Goes A
            A Leaves 
            OTHER Parts B 5, meet B
            5 Goes B
            B Stops 
        "#]],
    );
}

#[test]
fn endless_loop_has_a_join_inside() {
    check(
        "TOP: @p bra ELSE; add.u32 r, r, 1; bra JOIN; ELSE: add.u32 r, r, 2; JOIN: bra TOP;",
        expect![[r#"
            0 Goes TOP
            TOP Parts ELSE 2, meet JOIN (plain nowhere)
            2 Goes JOIN
            ELSE Goes JOIN
            JOIN Goes TOP
        "#]],
    );
}

#[test]
fn calls_that_do_not_return() {
    check(
        "@p bra BAD; @q bra BAD; add.u32 r, r, 1; ret; BAD: call abort; GONE: ret;",
        expect![[r#"
            0 Parts BAD 1, meet 1 (plain nowhere)
            1 Parts BAD 2, meet 2 (plain nowhere)
            2 Leaves 
            BAD Stops 
            GONE Leaves 
        "#]],
    );
    check(
        "@p call abort; call other; ret;",
        expect![[r#"
        0 LeavesGuarded 1
        1 Leaves 
    "#]],
    );
}

#[test]
fn control_falls_off_the_end() {
    check(
        "@p bra END; add.u32 r, r, 1; END:",
        expect![[r#"
            0 Parts END 1, meet END
            1 Goes END
            END Leaves 
        "#]],
    );
    check(
        "@p exit;",
        expect![[r#"
        0 LeavesGuarded 1
        1 Leaves 
    "#]],
    );
    check(
        "bra GONE;",
        expect![[r#"
        0 Lost 
    "#]],
    );
}

#[test]
fn what_lanes_share_makes_uniform_branches() {
    check(
        "add.u32 r, n, %ctaid.x; setp.eq.u32 u, r, 4; @u bra A; mov.u32 s, %laneid; A: setp.eq.u32 v, s, 4; @v bra B; exit; B: ret;",
        expect![[r#"
            0 Parts A 1, meet A, uniform
            1 Goes A
            A Parts B 3, meet B (plain nowhere)
            3 Leaves 
            B Leaves 
        "#]],
    );
}

#[test]
fn a_value_written_under_divergence_varies() {
    check(
        "mov.u32 r, 0; @p bra A; mov.u32 r, 1; A: setp.eq.u32 v, r, 0; @v bra B; exit; B: ret;",
        expect![[r#"
            0 Parts A 1, meet A
            1 Goes A
            A Parts B 3, meet B (plain nowhere)
            3 Leaves 
            B Leaves 
        "#]],
    );
    check(
        "mov.u32 r, 0; @p mov.u32 r, 1; setp.eq.u32 v, r, 0; @v bra B; exit; B: @p bra.uni B; ret;",
        expect![[r#"
            0 Parts B 1, meet B (plain nowhere)
            1 Leaves 
            B Parts B 3, meet 3, uniform
            3 Leaves 
        "#]],
    );
}

#[test]
fn a_counted_loop_stays_uniform_around_an_if() {
    check(
        "mov.u32 r, 0; TOP: @p bra SKIP; add.u32 s, s, 1; SKIP: add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra TOP; ret;",
        expect![[r#"
            0 Goes TOP
            TOP Parts SKIP 2, meet SKIP
            2 Goes SKIP
            SKIP Parts TOP 4, meet 4, uniform
            4 Leaves 
        "#]],
    );
    // Lanes that break out have another count, but those that go on agree.
    check(
        "mov.u32 r, 0; TOP: @p bra OUT; add.u32 r, r, 1; setp.lt.u32 v, r, n; @v bra TOP; OUT: ret;",
        expect![[r#"
            0 Goes TOP
            TOP Parts OUT 2, meet OUT
            2 Parts TOP OUT, meet OUT, uniform
            OUT Leaves 
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
