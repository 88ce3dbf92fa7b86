use std::fmt::Write;

use expect_test::{Expect, expect};
use text_size::TextSize;
use warplens_sim_warp::{Mask, RunResult, WarpTrace};

use super::*;
use crate::testing::{TEXT, result, shown};

fn render(shown: &LaneView, text: &str) -> String {
    let kernel = Some(TextRange::empty(TextSize::new(0)));
    let language = warplens_syntax::ptx::LANGUAGE;
    let place = Place { file: FileId(0), language, kernel, text: &String::new };
    let mut out = String::new();
    for found in findings(shown, &place) {
        let _ =
            writeln!(out, "{:?} {} `{}`: {}", found.severity, found.code, &text[found.range], found.message);
        for related in found.related {
            let _ = writeln!(out, "    `{}`: {}", &text[related.range], related.message);
        }
    }
    out
}

fn check(result: RunResult, expect: Expect) {
    expect.assert_eq(&render(&shown(TEXT, result), TEXT));
}

/// The finding of the hand-made run again, of another warp.
fn in_warp(run: &RunResult, warp: u32, lanes: Mask) -> Finding {
    Finding { warp, lanes, ..run.findings[0].clone() }
}

#[test]
fn a_finding_is_at_its_statement_with_lanes_and_the_related_location() {
    check(
        result(),
        expect![[r#"
            Error divergent-barrier `@%p1 bra JOIN;`: lanes wait apart
            threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
                `st [y], %r1;`: the others
        "#]],
    );
}

#[test]
fn several_warps_say_it_once() {
    let mut run = result();
    let more = (1..4).map(|warp| in_warp(&run, warp, 0xffff_0000)).collect::<Vec<_>>();
    run.findings.splice(0..0, more);
    run.warps.push(WarpTrace { warp: 1, ..run.warps[0].clone() });
    check(
        run,
        expect![[r#"
            Error divergent-barrier `@%p1 bra JOIN;`: lanes wait apart
            threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0; also in 3 warps of 1 block
                `st [y], %r1;`: the others
        "#]],
    );
}

#[test]
fn findings_about_the_launch_are_at_the_kernel() {
    let mut run = result();
    run.findings[0] = Finding {
        kind: FindingKind::Launch,
        statement: None,
        lanes: 0,
        related: vec![],
        ..run.findings[0].clone()
    };
    check(
        run,
        expect![[r#"
        Error launch ``: lanes wait apart
    "#]],
    );
}

#[test]
fn unsupported_instructions_are_not_mistakes() {
    let mut run = result();
    run.findings[0].kind = FindingKind::Unsupported;
    check(
        run,
        expect![[r#"
            Information unsupported `@%p1 bra JOIN;`: lanes wait apart
            threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
                `st [y], %r1;`: the others
        "#]],
    );
}

/// Removes or changes a part of the text, and says what is still found.
fn edited(old: &str, new: &str, expect: Expect) {
    let mut shown = shown(TEXT, result());
    let at = TextSize::try_from(TEXT.find(old).unwrap()).unwrap();
    shown.edit(TextRange::at(at, TextSize::of(old)), TextSize::of(new));
    expect.assert_eq(&render(&shown, &TEXT.replacen(old, new, 1)));
}

#[test]
fn findings_move_with_the_text_and_go_when_their_statement_is_edited() {
    edited(
        "mov",
        "// first\nmov",
        expect![[r#"
            Error divergent-barrier `@%p1 bra JOIN;`: lanes wait apart
            threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
                `st [y], %r1;`: the others
        "#]],
    );
    edited(
        "st [y]",
        "st [z]",
        expect![[r#"
            Error divergent-barrier `@%p1 bra JOIN;`: lanes wait apart
            threads (0,0,0) to (3,0,0) of block (0,0,0): lanes 0-3 of warp 0
                `st [z], %r1;`: the others
        "#]],
    );
    edited("bra", "bra.uni", expect![""]);
    edited("    @%p1 bra JOIN;\n", "", expect![""]);
}
