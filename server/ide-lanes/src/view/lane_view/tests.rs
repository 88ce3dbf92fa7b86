use expect_test::{Expect, expect};

use super::*;
use crate::testing::{ALL, TEXT, result, shown, trace};
use crate::view::text::{Format, Style};

fn line_end(text: &str) -> impl Fn(TextSize) -> TextSize {
    move |offset| {
        let at = usize::from(offset);
        TextSize::try_from(text[at..].find('\n').map_or(text.len(), |newline| at + newline)).unwrap()
    }
}

fn whole(text: &str) -> TextRange {
    TextRange::up_to(TextSize::of(text))
}

/// The text with each hint at the end of its line.
fn annotated(shown: &LaneView, text: &str, style: Style) -> String {
    let mut out = text.to_owned();
    for hint in shown.hints(whole(text), style, &line_end(text)).into_iter().rev() {
        out.insert_str(hint.offset.into(), &format!("   <{}>", hint.text));
    }
    out
}

fn check(shown: &LaneView, text: &str, expect: Expect) {
    expect.assert_eq(&annotated(shown, text, Style::default()));
}

#[test]
fn hints_are_at_the_end_of_lines() {
    check(
        &shown(TEXT, result()),
        TEXT,
        expect![[r#"
        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
    let full = Style { format: Format::Hex, full: true, values: false };
    expect![[r#"
        mov %r1, 7;   <32>
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <ffffff00>
            @%p2 st [x], %r1;   <00000f00 of ffffff00>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]]
    .assert_eq(&annotated(&shown(TEXT, result()), TEXT, full));
}

#[test]
fn statements_that_the_warp_never_reached_are_marked() {
    let mut run = result();
    run.warps[0].lines.truncate(2);
    check(
        &shown(TEXT, run),
        TEXT,
        expect![[r#"
        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <not run>
            @%p2 st [x], %r1;   <not run>
        JOIN:
            st [y], %r1;   <not run>
            exit;   <not run>
    "#]],
    );
}

#[test]
fn a_reconvergence_point_of_one_path_is_not_a_join() {
    let mut run = result();
    // One path exits: only the other reaches the end.
    run.warps[0].lines[5] = trace(5, &[(0xff, 0xff, 1)]);
    check(
        &shown(TEXT, run),
        TEXT,
        expect![[r#"
            mov %r1, 7;
                @%p1 bra JOIN;   <split 8 | 24>
                add %r1, 1; sub %r2, 1;   <24/32 8-31>
                @%p2 st [x], %r1;   <4 of 24 @ 8-11>
            JOIN:
                st [y], %r1;   <join 8>
                exit;   <not run>
        "#]],
    );
    let mut run = result();
    run.warps[0].lines[5] = trace(5, &[(0xff, 0xff, 1), (ALL & !0xff, ALL & !0xff, 1)]);
    check(
        &shown(TEXT, run),
        TEXT,
        expect![[r#"
        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <x2 8>24>
            exit;   <not run>
    "#]],
    );
}

#[test]
fn only_the_lines_asked_for() {
    let shown = shown(TEXT, result());
    let second = TextRange::new(16.into(), 34.into());
    let hints = shown.hints(second, Style::default(), &line_end(TEXT));
    assert_eq!(hints.iter().map(|hint| hint.text.as_str()).collect::<Vec<_>>(), ["split 8 | 24"]);
}

/// Applies `edits` to text and to what is shown of it, then draws the hints.
fn edited(edits: &[(&str, &str)], expect: Expect) {
    let mut text = TEXT.to_owned();
    let mut shown = shown(TEXT, result());
    for (old, new) in edits {
        let at = text.find(old).expect("the edit's place is there");
        shown.edit(TextRange::at(TextSize::try_from(at).unwrap(), TextSize::of(*old)), TextSize::of(*new));
        text.replace_range(at..at + old.len(), new);
    }
    check(&shown, &text, expect);
}

#[test]
fn hints_follow_edits() {
    edited(
        &[("mov", "// a comment\n\nmov")],
        expect![[r#"
        // a comment

        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
    edited(
        &[("bra", "bra.uni")],
        expect![[r#"
        mov %r1, 7;
            @%p1 bra.uni JOIN;   <split 8 | 24>
            add %r1, 1; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
    edited(
        &[("    @%p1 bra JOIN;\n", "")],
        expect![[r#"
        mov %r1, 7;
            add %r1, 1; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
    edited(
        &[("1; sub", "")],
        expect![[r#"
        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1,  %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
    edited(
        &[("%r1, 1; sub", "%r1, 1; add %r3, 4; sub")],
        expect![[r#"
        mov %r1, 7;
            @%p1 bra JOIN;   <split 8 | 24>
            add %r1, 1; add %r3, 4; sub %r2, 1;   <24/32 8-31>
            @%p2 st [x], %r1;   <4 of 24 @ 8-11>
        JOIN:
            st [y], %r1;   <join 32>
            exit;   <not run>
    "#]],
    );
}

#[test]
fn removing_everything_removes_the_hints() {
    let mut shown = shown(TEXT, result());
    shown.edit(whole(TEXT), TextSize::new(0));
    assert_eq!(shown.hints(TextRange::up_to(1.into()), Style::default(), &|at| at), []);
}

#[test]
fn any_edit_leaves_ranges_in_order() {
    for start in 0..TEXT.len() {
        for len in [0, 1, 7, 40] {
            let end = (start + len).min(TEXT.len());
            let mut shown = shown(TEXT, result());
            let size = |offset: usize| TextSize::try_from(offset).unwrap();
            shown.edit(TextRange::new(size(start), size(end)), 3.into());
            let limit = size(TEXT.len() - (end - start) + 3);
            for placed in shown.placed.iter().filter_map(|placed| placed.place) {
                assert!(
                    placed.range.end() <= limit && placed.range.contains_inclusive(placed.opcode),
                    "{start} {len}"
                );
            }
        }
    }
}
