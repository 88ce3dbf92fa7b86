use expect_test::{Expect, expect};
use proptest::prelude::*;
use text_size::{TextRange, TextSize};
use warplens_syntax::{SyntaxKind, parse_file};

use crate::fixture::FILE;
use crate::format::tests::{apply, format, mutated, open, pieces};

fn check(text: &str, expect: Expect) {
    let formatted = format(text);
    expect.assert_eq(&formatted);
    assert_eq!(format(&formatted), formatted, "what is formatted stays");
    assert_eq!(tokens(&formatted), tokens(text));
}

/// Everything except white space.
fn tokens(text: &str) -> Vec<String> {
    let tree = parse_file(warplens_syntax::wave::LANGUAGE, text).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    let shown = tokens.filter(|token| token.kind() != SyntaxKind::WHITESPACE);
    shown.map(|token| format!("{:?} {}", token.kind(), token.text())).collect()
}

#[test]
fn constructs_are_indented() {
    check(
        "; a kernel
  .kernel   k
  .registers 8
.workgroup_size 256 ,1,1
  mov_sr r0 ,sr_lane_id ; the lane
mov_imm r1, 1 mov_imm r2 , -2
icmp .lt p1,r0, r1
if !p1
; on the first side
@!p1 iadd r1.lo ,r1,   2
  ; at its end
else
  loop
break p1
            endloop
endif;closed
      ; before the end
again: fence_acquire .device
  halt

; after it
.end
",
        expect![[r#"
            ; a kernel
            .kernel k
            .registers 8
            .workgroup_size 256, 1, 1
                mov_sr r0, sr_lane_id ; the lane
                mov_imm r1, 1
                mov_imm r2, -2
                icmp.lt p1, r0, r1
                if !p1
                    ; on the first side
                    @!p1 iadd r1.lo, r1, 2
                ; at its end
                else
                    loop
                        break p1
                    endloop
                endif ;closed
            ; before the end
            again:
                fence_acquire .device
                halt

            ; after it
            .end
        "#]],
    );
}

#[test]
fn what_is_not_closed_shows() {
    check(
        ".kernel k\nif p1\nloop\nhalt\nendloop\nhalt\n.end\n.kernel m\nendif\nhalt\n.end\n",
        expect![[r#"
            .kernel k
                if p1
                    loop
                        halt
                    endloop
                    halt
            .end
            .kernel m
                endif
                halt
            .end
        "#]],
    );
}

#[test]
fn a_word_attached_to_a_number_starts_a_line() {
    check(
        ".kernel k\n.registers 4loop .registers r0\nendloop\n.end\n",
        expect![[r#"
            .kernel k
            .registers 4
                loop.registers r0
                endloop
            .end
        "#]],
    );
}

#[test]
fn a_line_is_formatted_when_it_ends() {
    let text = ".kernel k\n    if p1\n        nop\n        endif\n\nhalt\n.end\n";
    let at = text.find("endif\n").map_or(0, |at| at + 6);
    let edits = open(text).format_typed(FILE, TextSize::new(at as u32)).unwrap();
    assert_eq!(apply(text, &edits), text.replace("        endif\n", "    endif\n    "));
}

/// Shows the text after formatting what was typed at the cursor `|`. The resulting cursor is shown where a user would
/// see it.
fn check_typed(text: &str, expect: Expect) {
    let at = text.find('|').expect("there is a cursor");
    let text = text.replacen('|', "", 1);
    let edits = open(&text).format_typed(FILE, TextSize::new(at as u32)).unwrap();
    expect.assert_eq(&apply(&text, &edits).replace(' ', "·"));
}

#[test]
fn a_new_line_is_indented_correctly() {
    check_typed(
        ".kernel k\n|\n.end\n",
        expect![[r#"
        .kernel·k
        ····
        .end
    "#]],
    );
    check_typed(
        ".kernel k\nif  p1\n|\n",
        expect![[r#"
        .kernel·k
        ····if·p1
        ········
    "#]],
    );
    check_typed(
        ".kernel k\n    if p1 ; c\n    |\n    endif\n.end\n",
        expect![[r#"
        .kernel·k
        ····if·p1·;·c
        ········
        ····endif
        .end
    "#]],
    );
    check_typed(
        ".kernel k\n    if p1\n        nop\n    else\n\n            |\n    endif\n.end\n",
        expect![[r#"
            .kernel·k
            ····if·p1
            ········nop
            ····else

            ········
            ····endif
            .end
        "#]],
    );
    check_typed(
        ".kernel k\n    loop\n        nop\n|endloop\n.end\n",
        expect![[r#"
        .kernel·k
        ····loop
        ········nop
        ····endloop
        .end
    "#]],
    );
    check_typed(
        ".kernel k\n    nop\n.end\n    |\n",
        expect![[r#"
        .kernel·k
        ····nop
        .end

    "#]],
    );
}

#[test]
fn closing_keywords_are_dedented_when_completed() {
    check_typed(
        ".kernel k\n    if p1\n        nop\n        else|\n.end\n",
        expect![[r#"
        .kernel·k
        ····if·p1
        ········nop
        ····else
        .end
    "#]],
    );
    check_typed(
        ".kernel k\n    if p1\n        loop\n            endloop|\n.end\n",
        expect![[r#"
        .kernel·k
        ····if·p1
        ········loop
        ········endloop
        .end
    "#]],
    );
    check_typed(
        ".kernel k\n    nop\n    .end|\n",
        expect![[r#"
        .kernel·k
        ····nop
        .end
    "#]],
    );
    check_typed(
        ".kernel k\n    nop\n        endif|\n.end\n",
        expect![[r#"
        .kernel·k
        ····nop
        ····endif
        .end
    "#]],
    );
    for same in
        ["        nop|", "        iadd r0, r1, r2 ; else|", "        endif| r1", "        call shelf|"]
    {
        let text = format!(".kernel k\n    if p1\n{same}\n.end\n");
        let at = text.find('|').unwrap() as u32;
        assert_eq!(open(&text.replace('|', "")).format_typed(FILE, at.into()).unwrap(), [], "{same}");
    }
}

/// Random texts of these pieces are rarely valid.
const PIECES: [&str; 30] = [
    ".kernel k\n",
    ".end",
    "\n",
    " ",
    "\t",
    "if p1",
    "else\n",
    "endif",
    "loop ",
    "endloop\n",
    "r0",
    "r1.hi",
    ",",
    "p2",
    "!",
    "@",
    "@p1 ",
    "iadd r0, r1, 2",
    "icmp.lt",
    ".device",
    "label:",
    "; c\n",
    "# d",
    "\r\n",
    "0x1f",
    "-3",
    "1.5",
    ".registers 4",
    "halt",
    "\u{e4}",
];

proptest! {
    #[test]
    fn no_token_changes(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40), at in 0..400_usize) {
        let text = format!(".kernel z\n{}", pieces.concat());
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let typed = apply(&text, &open(&text).format_typed(FILE, TextSize::new(at as u32)).unwrap());
        prop_assert_eq!(tokens(&typed), tokens(&text));
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn a_range_touches_its_lines_only(start in 0..300_u32, length in 0..100_u32) {
        let text = ".kernel k\nif p1\niadd r0 ,r1,2 ; c\n\n  ; d\nelse\nloop\n nop\n break p1\nendloop\nendif\nhalt\n.end\n";
        let end = (start + length).min(text.len() as u32);
        let range = TextRange::new(start.min(end).into(), end.into());
        let whole = open(text).format(FILE).unwrap().edits;
        let lines = crate::format::lines_of(text, range);
        let part = open(text).format_range(FILE, range).unwrap().edits;
        let expected: Vec<_> = whole.into_iter().filter(|edit| lines.contains_range(edit.range)).collect();
        prop_assert_eq!(part, expected);
    }
}

proptest! {
    #[test]
    fn a_mutated_text_is_formatted_without_a_loss(
        mutations in prop::collection::vec(any::<(usize, usize, u8)>(), 1..6),
    ) {
        let text = include_str!("../../../../../examples/divergence.wave");
        let text = mutated(text, &pieces(warplens_syntax::wave::LANGUAGE, text), &mutations);
        prop_assume!(crate::fixture::language_of(&text) == warplens_syntax::wave::LANGUAGE);
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }
}
