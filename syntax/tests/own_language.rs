//! A language that is defined outside of the crate, by the public hooks alone: one item a line, `name: text`.

use expect_test::expect;
use warplens_syntax::{
    ItemKind, ItemList, Language, LanguageInfo, Lexed, Parser, Scanned, SyntaxKind, Tail, TextRange,
    TextSize, parse_file, reparse_item,
};

const LINES: Language = Language::new(&LanguageInfo {
    id: "lines",
    title: "Lines",
    extensions: &["lines"],
    shared_ids: &[],
    sniff: |line| line.starts_with("lines:"),
    line_comments: &["#"],
    read_only: true,
    has_dialects: false,
    assembler: None,
    scan,
    lex,
    parse_item,
    parse_chunk: None,
});

fn scan(text: &str, start: usize, _: &Tail<'_>) -> Scanned {
    let end = text[start..].find('\n').map(|length| start + length + 1);
    let name = text[start..end.unwrap_or(text.len())].find(':').map(|length| start..start + length);
    let kind = if name.is_some() { ItemKind::Kernel } else { ItemKind::Other };
    Scanned {
        end: end.unwrap_or(text.len()),
        examined: end.unwrap_or(text.len() + 1),
        kind,
        name,
        open_comment: false,
    }
}

fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed::with_capacity(text);
    let kind = |char: char| match char {
        ':' => SyntaxKind::COLON,
        _ if char.is_whitespace() => SyntaxKind::WHITESPACE,
        _ => SyntaxKind::IDENT,
    };
    let mut chars = text.char_indices().peekable();
    while let Some((_, char)) = chars.next() {
        let next = chars.peek();
        if next.is_none_or(|(_, next)| kind(*next) != kind(char) || char == ':') {
            lexed.push(kind(char), next.map_or(text.len(), |(at, _)| *at));
        }
    }
    lexed
}

fn parse_item(parser: &mut Parser<'_>) {
    let item = parser.start();
    if parser.at(SyntaxKind::IDENT) {
        let name = parser.start();
        parser.bump();
        name.complete(parser, SyntaxKind::NAME);
        parser.expect(SyntaxKind::COLON, "missing `:` after this name");
    }
    while parser.current() != SyntaxKind::EOF {
        parser.bump();
    }
    item.complete(parser, SyntaxKind::ITEM);
}

#[test]
fn items_trees_and_errors() {
    let text = "first: one two\nsecond three\n";
    let parse = parse_file(LINES, text);
    expect![[r#"
        SOURCE_FILE@0..28
          ITEM@0..15
            NAME@0..5
              IDENT@0..5 "first"
            COLON@5..6 ":"
            WHITESPACE@6..7 " "
            IDENT@7..10 "one"
            WHITESPACE@10..11 " "
            IDENT@11..14 "two"
            WHITESPACE@14..15 "\n"
          ITEM@15..28
            NAME@15..21
              IDENT@15..21 "second"
            WHITESPACE@21..22 " "
            IDENT@22..27 "three"
            WHITESPACE@27..28 "\n"
    "#]]
    .assert_eq(&format!("{:#?}", parse.syntax()));
    assert_eq!(parse.errors()[0].message, "missing `:` after this name");
    assert!(!LINES.sniffs(text) && LINES.sniffs("lines: 2\n"));
}

#[test]
fn edits() {
    let mut list = ItemList::new(LINES, "a: x\nb: y\n");
    let summary = list.edit(TextRange::empty(TextSize::new(6)), "2");
    assert_eq!((summary.first, summary.removed, summary.inserted), (1, 1, 1));
    assert_eq!(list.items()[1].name.as_deref(), Some("b2"));
    let old = warplens_syntax::parse_item(LINES, "b: y\n");
    assert_eq!(reparse_item(LINES, &old, &list.items()[1].text).text(), "b2: y\n");
}
