use expect_test::{Expect, expect};
use proptest::prelude::*;
use text_size::{TextRange, TextSize};
use warplens_ide_db::TextEdit;
use warplens_syntax::parse_file;

use crate::analysis::{Analysis, AnalysisHost};
use crate::fixture::{FILE, Fixture, language_of};
use crate::format::Formatted;

pub(crate) fn open(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open(FILE, language_of(text), text);
    host.snapshot()
}

pub(crate) fn apply(text: &str, edits: &[TextEdit]) -> String {
    warplens_ide_db::edited(text, edits)
}

pub(crate) fn format(text: &str) -> String {
    apply(text, &open(text).format(FILE).unwrap().edits)
}

/// Shows tabs as `→`, together with the spaces before them.
pub(crate) fn check(text: &str, expect: Expect) {
    let formatted = format(text);
    expect.assert_eq(&formatted.replace('\t', "→"));
    assert_eq!(format(&formatted), formatted, "what is formatted stays");
    assert_eq!(tokens(&formatted), tokens(text));
}

/// Everything except white space.
fn tokens(text: &str) -> Vec<String> {
    let tree = parse_file(warplens_syntax::ptx::LANGUAGE, text).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    let shown = tokens.filter(|token| token.kind() != warplens_syntax::SyntaxKind::WHITESPACE);
    shown.map(|token| format!("{:?} {}", token.kind(), token.text())).collect()
}

#[test]
fn a_kernel_gets_the_columns_of_a_compiler() {
    check(
        "
.version   8.5
.target sm_90 ,debug
.visible .entry k(.param .u64 out, .param .u32 n) .maxntid 64 , 1,1 .minnctapersm 2 {
    .reg .u64 %rd<2>; .reg .pred p , q;
    .shared .align 4 .b8 tile [ 128 ];
    ld.param.u64 %rd1,[out];
L1: @!p add .s32 %r1,%r2 , -4+3*(2 - 1);
    mov.b64 %rd1, { %r1 , %r2 } ; ld.global.v2.u32 {%r1,%r2},[ %rd1 + 8 ];
    setp.eq.u32 p | q,%r1,%r2;
    { .reg .pred z; @!z bra L1; }
    ret;
}
",
        expect![[r#"

            .version 8.5
            .target sm_90, debug
            .visible .entry k(.param .u64 out, .param .u32 n)
            .maxntid 64, 1, 1
            .minnctapersm 2
            {
            →.reg .u64 →%rd<2>;
            →.reg .pred →p, q;
            →.shared .align 4 .b8 tile[128];
            →ld.param.u64 →%rd1, [out];
            L1:
            →@!p add.s32 →%r1, %r2, -4 + 3 * (2 - 1);
            →mov.b64 →%rd1, {%r1, %r2};
            →ld.global.v2.u32 →{%r1, %r2}, [%rd1+8];
            →setp.eq.u32 →p|q, %r1, %r2;
            →{
            →.reg .pred →z;
            →@!z bra →L1;
            →}
            →ret;
            }
        "#]],
    );
}

#[test]
fn functions_calls_and_prototypes() {
    check(
        "
.extern .func (.param .b32 r) f
(.param .b32 a,
 .param .b32 b
);
.func g(.param .b32 a);
.func h ( ) {
  call ( r ) ,f,(a , b);
  call.uni (r),
      f,
    ( a,
  b );
  proto: .callprototype (.param .b32 _) _ ( .param .b64 _ );
  call (r), %rd1, (a)
  , proto;
  tbl : .branchtargets L1,
L2;
L1: L2: ret;
}
",
        expect![[r#"

            .extern .func  (.param .b32 r) f
            (
            →.param .b32 a,
            →.param .b32 b
            );
            .func g(.param .b32 a);
            .func h()
            {
            →call (r), f, (a, b);
            →call.uni (r),
            →f,
            →(a,
            →b);
            →proto : .callprototype (.param .b32 _) _ (.param .b64 _);
            →call (r), %rd1, (a)
            →, proto;
            tbl: .branchtargets L1,
            →L2;
            L1:
            L2:
            →ret;
            }
        "#]],
    );
}

#[test]
fn variables_and_sections() {
    check(
        "
.global .align 4 .b8 t [ 4 ] = { 1,2,
  3, 4 } ; .const .f32 a = 0f3F800000 , b;
  .global .u64 p[] = { generic ( t ) + 4, t };
.file 1 \"x.cu\",1,2
  .section .debug_str { .b8 1,2 , 3
x: .b32 a - b }
.section .debug_macinfo { }
",
        expect![[r#"

            .global .align 4 .b8 t[4] = {1, 2,
            →3, 4};
            .const .f32 a = 0f3F800000, b;
            .global .u64 p[] = {generic(t)+4, t};
            →.file→1 "x.cu", 1, 2
            →.section→.debug_str
            →{
            .b8 1,2,3
            x:
            .b32 a-b
            →}
            →.section→.debug_macinfo→{→}
        "#]],
    );
}

#[test]
fn comments_stay_and_those_after_code_are_aligned() {
    check(
        "// at the left
    // indented
.func f() { // opens
  /* before */ ret; /* between */ ret; // after
                                          // far in
  add.u32 %r1, /* in the middle */ %r2, // at the end
     1;
  /* of
two lines */
.loc 1 2 3 // place
} // closes
",
        expect![[r#"
            // at the left
            →// indented
            .func f()
            { // opens
            →/* before */ ret;                       /* between */
            →ret;                                    // after
                                                    // far in
            →add.u32 →%r1, /* in the middle */ %r2, // at the end
            →→1;
            →/* of
            two lines */
            →.loc→1 2 3                           // place
            } // closes
        "#]],
    );
}

#[test]
fn two_blank_lines_are_kept_and_more_are_not() {
    check(
        ".version 8.5


\t\u{20}

.func f() {

ret;



}",
        expect![[r#"
            .version 8.5


            .func f()
            {

            →ret;


            }
        "#]],
    );
}

#[test]
fn line_marks_start_lines() {
    check(
        "# 1 \"a.c\"\n.func f() { ret;\n  # 2 \"b.c\"\n ret; }\n",
        expect![[r#"
            # 1 "a.c"
            .func f()
            {
            →ret;
            # 2 "b.c"
            →ret;
            }
        "#]],
    );
}

#[test]
fn inline_assembly_is_its_authors() {
    check(
        ".func f() {\n  // begin inline asm\n  {add.u32 a,b,c;\n\n\n\n\n}\n  // end inline asm\nadd.u32 a,b,c;}\n",
        expect![[r#"
            .func f()
            {
            →// begin inline asm
              {add.u32 a,b,c;




            }
              // end inline asm
            →add.u32 →a, b, c;
            }
        "#]],
    );
}

#[test]
fn what_is_broken_is_left_alone() {
    let text = ".version   8.5\n.func f() { add.u32   %r1 %r2; }   // after\n.func g() {ret;}\n";
    let Formatted { edits, broken } = open(text).format(FILE).unwrap();
    let [error] = broken[..] else { panic!("one item is broken: {broken:?}") };
    assert!(text[..usize::from(error.start())].contains("add.u32"), "{error:?}");
    expect![[r#"
        .version 8.5
        .func f() { add.u32   %r1 %r2; }   // after
        .func g()
        {
        	ret;
        }
    "#]]
    .assert_eq(&apply(text, &edits));
}

#[test]
fn newlines_are_kept() {
    let text = ".version 8.5\r\n.func f() { ret; }  \r\n.func g();";
    assert_eq!(format(text), ".version 8.5\r\n.func f()\r\n{\r\n\tret;\r\n}\r\n.func g();\r\n");
    assert_eq!(format(".version 8.5\r.func g();\r"), ".version 8.5\r.func g();\r");
}

#[test]
fn nothing_is_something() {
    assert_eq!(format(""), "");
    assert_eq!(format("\n"), "");
    assert_eq!(format("// x"), "// x\n");
}

#[test]
fn tokens_do_not_flow_together() {
    let text = ".func f()\n{\n\tmov.u32 \t%r1, 7 % a;\n\tadd.u32 \t%r1, [a+ .5], 1 << < 2;\n}\n";
    assert_eq!(tokens(&format(text)), tokens(text));
}

#[test]
fn a_range_is_formatted_by_whole_lines() {
    let fixture = Fixture::new(
        ".func f() {
add.u32 a,b,c;
sub.u32 a,b,c;
         ^^^
mul.u32 a,b,c;
}
",
    );
    let found = open(&fixture.text).format_range(FILE, fixture.ranges[0]).unwrap();
    expect![[r#"
        .func f() {
        add.u32 a,b,c;
        	sub.u32 	a, b, c;
        mul.u32 a,b,c;
        }
    "#]]
    .assert_eq(&apply(&fixture.text, &found.edits));
}

/// The text after `typed` was typed at the cursor.
fn after_typing(source: &str) -> String {
    let fixture = Fixture::new(source);
    apply(&fixture.text, &open(&fixture.text).format_typed(FILE, fixture.cursor()).unwrap())
}

#[test]
fn a_statement_is_formatted_when_it_ends() {
    expect![[r#"
        .func f() {
        add.u32 a,b,c;
        	sub.u32 	a, b, c;
        mul.u32 a,
    "#]]
    .assert_eq(&after_typing(
        ".func f() {
add.u32 a,b,c;
 sub.u32 a,b,c;
               |
mul.u32 a,
",
    ));
}

#[test]
fn the_line_before_a_new_one_is_formatted() {
    expect![[r#"
        .func f() {
        	sub.u32 	a, b, c;
          
        }
    "#]]
    .assert_eq(&after_typing(
        ".func f() {
 sub.u32 a,b,c;
  
  |
}
",
    ));
}

#[test]
fn a_line_with_a_mistake_is_not_formatted_while_typing() {
    let source = ".func f() {\n sub.u32 a b,c;\n               |\n}\n";
    assert_eq!(after_typing(source), Fixture::new(source).text);
}

/// A module with a bit of everything.
const SAMPLE: &str = ".version 8.5
.target sm_90, debug
.address_size 64
.extern .func (.param .b32 r) f(.param .b32 a, .param .b32 b);
.global .align 4 .b8 t[4] = {1, 2, 3, 4};
# 7 \"x.cu\"
.visible .entry k(.param .u64 out, .param .u32 n) .maxntid 64, 1, 1
{
    .reg .u64 %rd<2>; // registers
    { ld.param.u64 %rd1, [out]; }
L1: @!%p add.s32 %r1, %tid.x, -4 + (2 << 1); /* sum */
    ld.global.v2.u32 {%r1, %r2}, [%rd1 + 8];
    // begin inline asm
    add.u32 %r1,%r2,%r3;
    // end inline asm
    call (r), f, (a, b);
    .loc 1 2 3
    tbl: .branchtargets L1, L1;
    ret;
}
.section .debug_str { .b8 1, 2
x: .b32 t - t }
";

/// The sample with random white space wherever white space is allowed.
fn respaced(choices: &[u8]) -> String {
    const SPACES: [&str; 10] =
        ["", " ", "\t", "\n", "  \r\n ", "\r", " /* c */ ", " // c\n", "\n\n\n\n\n", "   \t  "];
    let tree = parse_file(warplens_syntax::ptx::LANGUAGE, SAMPLE).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    let mut choices = choices.iter().cycle().map(|choice| SPACES[usize::from(*choice) % SPACES.len()]);
    let mut text = String::new();
    for token in tokens {
        use warplens_syntax::SyntaxKind::{COMMA, L_BRACE, R_BRACE, SEMICOLON, WHITESPACE};
        match token.kind() {
            WHITESPACE if token.text().contains('\n') => {
                text.push('\n');
                text.push_str(choices.next().unwrap_or_default());
            }
            WHITESPACE => match choices.next().unwrap_or_default() {
                "" => text.push(' '),
                spaces => text.push_str(spaces),
            },
            COMMA | SEMICOLON | L_BRACE | R_BRACE => {
                text.push_str(choices.next().unwrap_or_default());
                text.push_str(token.text());
                text.push_str(choices.next().unwrap_or_default());
            }
            _ => text.push_str(token.text()),
        }
    }
    text
}

/// Random texts of these pieces, few of which are valid.
#[test]
fn a_directive_that_no_function_has_leaves_it_as_it_is() {
    // On a line of its own, `.section` would start another item.
    let text = ".entry k(.param .u32 a) .section .debug_x { ret; }\n";
    assert_eq!(format(text), text);
}

const PIECES: [&str; 31] = [
    "x\n",
    "ld\n",
    ".reg .b64 %rd<2>;\n",
    ".shared .b32 ",
    ".visible ",
    ".func f() {",
    "}",
    "add.u32 %r1,%r2;",
    "L:",
    "@%p ",
    "{",
    ".reg .b32 %r<4>;",
    "// c\n",
    "/* c */",
    "\n",
    " ",
    ".loc 1 2 3\n",
    "call (a), f, (b);",
    "# 1 \"x\"\n",
    ";",
    ",",
    "(",
    "]",
    ".section .debug_x {",
    ".b8 1,2",
    "@@DWARF x\n",
    "\"s\"",
    "1",
    "%",
    ".entry k(\n.param .u32 a)",
    "\r\n",
];

#[test]
fn a_modifier_of_digits_stays_after_its_word() {
    for text in [".a.0::", ".entry k()\n{\nadd.0 %r1;\nx.1.2 .3;\n}\n"] {
        assert_eq!(tokens(&format(text)), tokens(text));
    }
}

#[test]
fn the_line_of_dwarf_data_ends_with_it() {
    let text = ".entry k()\n{\n.b8 1,2\n@@DWARF x\n;\n}\n";
    assert_eq!(tokens(&format(text)), tokens(text));
}

#[test]
fn a_directive_after_an_incomplete_statement_keeps_its_line() {
    for directive in [".reg .b64 %rd<2>;", ".loc 1 2 3", ".shared .b32 s[4];", ".pragma \"nounroll\";"] {
        let text = format!(".entry k()\n{{\nx\n{directive}\nret;\n}}\n");
        let formatted = format(&text);
        assert_eq!(formatted, text, "an item with an error is not formatted");
    }
    // Modifiers may be on another line.
    let text = ".entry k()\n{\nld\n.global.u32 %r1, [a];\nld\n.shared .u32 %r1, [a];\n}\n";
    let formatted = ".entry k()\n{\n\tld.global.u32 \t%r1, [a];\n\tld.shared.u32 \t%r1, [a];\n}\n";
    assert_eq!(format(text), formatted);
}

/// Valid texts: a module with a bit of everything, and examples.
const CORPUS: [&str; 3] = [
    SAMPLE,
    include_str!("../../../../examples/divergence.ptx"),
    include_str!("../../../../examples/matmul.ptx"),
];

/// The text with some tokens removed, repeated, moved to another line, or replaced by other tokens of the
/// text.
pub(crate) fn mutated(text: &str, tokens: &[String], mutations: &[(usize, usize, u8)]) -> String {
    let mut tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    assert_eq!(tokens.concat(), text);
    for &(at, other, kind) in mutations {
        let (at, other) = (at % tokens.len(), tokens[other % tokens.len()]);
        match kind % 5 {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => tokens.insert(at, "\n"),
            3 => tokens.insert(at, other),
            _ => tokens[at] = other,
        }
        if tokens.is_empty() {
            break;
        }
    }
    tokens.concat()
}

/// All tokens, including white space.
pub(crate) fn pieces(language: warplens_syntax::Language, text: &str) -> Vec<String> {
    let tree = parse_file(language, text).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|element| element.into_token());
    tokens.map(|token| token.text().to_owned()).collect()
}

proptest! {
    #[test]
    fn a_mutated_text_is_formatted_without_a_loss(
        file in 0..3_usize, mutations in prop::collection::vec(any::<(usize, usize, u8)>(), 1..6),
    ) {
        let text = CORPUS[file];
        let text = mutated(text, &pieces(warplens_syntax::ptx::LANGUAGE, text), &mutations);
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn typing_changes_no_token_whatever_is_there(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30), at in 0..400_usize,
    ) {
        let text = pieces.concat();
        let at = TextSize::new(at.min(text.len()) as u32);
        let typed = apply(&text, &open(&text).format_typed(FILE, at).unwrap());
        prop_assert_eq!(tokens(&typed), tokens(&text));
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn no_token_changes_and_what_is_formatted_stays(choices in prop::collection::vec(any::<u8>(), 1..200)) {
        let text = respaced(&choices);
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn any_text_is_formatted_without_a_loss(text in "[.@%{}()<>,;:/*#\"a-c0-2 \t\r\n+-]{0,80}") {
        let formatted = format(&text);
        prop_assert_eq!(tokens(&formatted), tokens(&text));
        prop_assert_eq!(format(&formatted), formatted);
    }

    #[test]
    fn a_range_touches_its_lines_only_and_does_there_what_the_whole_does(
        choices in prop::collection::vec(any::<u8>(), 1..50), start in 0..600_u32, length in 0..200_u32,
    ) {
        let text = respaced(&choices);
        let end = (start + length).min(text.len() as u32);
        let range = TextRange::new(start.min(end).into(), end.into());
        prop_assume!(text.is_char_boundary(usize::from(range.start())));
        let analysis = open(&text);
        let whole = analysis.format(FILE).unwrap().edits;
        let lines = crate::format::lines_of(&text, range);
        let part = analysis.format_range(FILE, range).unwrap().edits;
        for edit in &part {
            prop_assert!(lines.contains_range(edit.range), "{:?} of {:?}", edit, lines);
        }
        // The indentation of a comment depends on the lines before it, which formatting the whole file joins.
        let moves_comment = |edit: &TextEdit| {
            let spaces = |text: &str| text.chars().all(|c| matches!(c, ' ' | '\t'));
            let after = &text[usize::from(edit.range.end())..];
            spaces(&edit.insert) && spaces(&text[edit.range]) && after.starts_with('/')
        };
        let compared = |edits: Vec<TextEdit>| -> Vec<TextEdit> {
            edits.into_iter().filter(|edit| lines.contains_range(edit.range) && !moves_comment(edit)).collect()
        };
        let (part, expected) = (compared(part), compared(whole));
        prop_assert_eq!(part, expected);
    }
}
