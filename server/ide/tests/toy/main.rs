//! A language that is added by a folder and a line of a registry has the features that it implements.

mod lines;

use std::sync::Arc;

use expect_test::expect;
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_ide::language::LanguageSupport;
use warplens_ide::{Analysis, AnalysisHost, FileId, RenameError, TextSize};
use warplens_sim_warp::{Control, RunOptions};
use warplens_syntax::{ItemList, TextRange, parse_file, parse_item, reparse_item};

static LANGUAGES: &[LanguageSupport] = &[lines::LINES];

const FILE: FileId = FileId(0);
const TEXT: &str = "first: add halt\nsecond: sub halt\n";

fn open() -> Analysis {
    let mut host = AnalysisHost::with_languages(LANGUAGES);
    host.open(FILE, lines::LANGUAGE, TEXT);
    host.snapshot()
}

#[test]
fn items_trees_and_errors() {
    let text = "first: one two\nsecond three\n";
    let parse = parse_file(lines::LANGUAGE, text);
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
    assert!(!lines::LANGUAGE.sniffs(text) && lines::LANGUAGE.sniffs("lines: 2\n"));
}

#[test]
fn edits() {
    let mut list = ItemList::new(lines::LANGUAGE, "a: x\nb: y\n");
    let summary = list.edit(TextRange::empty(TextSize::new(6)), "2");
    assert_eq!((summary.first, summary.removed, summary.inserted), (1, 1, 1));
    assert_eq!(list[1].name.as_deref(), Some("b2"));
    let old = parse_item(lines::LANGUAGE, "b: y\n");
    assert_eq!(reparse_item(lines::LANGUAGE, old, &list[1].text, None).text(), "b2: y\n");
}

#[test]
fn outline() {
    let symbols = open().symbols(FILE).unwrap();
    let names: Vec<_> = symbols.iter().map(|symbol| (symbol.name.as_str(), &TEXT[symbol.focus])).collect();
    assert_eq!(names, [("first", "first"), ("second", "second")]);
}

#[test]
fn colours() {
    let tokens = open().tokens(FILE).unwrap();
    let shown: Vec<_> =
        tokens.iter().map(|token| format!("{} {:?}", &TEXT[token.range], token.kind)).collect();
    expect!["first Label, add Opcode, halt Opcode, second Label, sub Opcode, halt Opcode"]
        .assert_eq(&shown.join(", "));
}

#[test]
fn hover() {
    let hover = open().hover(FILE, TextSize::new(8)).unwrap().unwrap();
    assert_eq!((&TEXT[hover.range], hover.markdown.as_str()), ("add", "`add` adds"));
}

#[test]
fn diagnostics() {
    let found = open().diagnostics(FILE).unwrap();
    let shown: Vec<_> = found.iter().map(|found| (&TEXT[found.range], found.message.as_str())).collect();
    assert_eq!(shown, [("sub", "unknown instruction `sub`")]);
}

#[test]
fn lanes() {
    let request = RunRequest {
        entry: Some("first".to_owned()),
        launch: Choice::First,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions::default(),
    };
    let run = open().prepare_run(FILE, &request, None, &|_| Err(String::new().into())).unwrap().unwrap();
    let shown = run.show(Arc::new(run.run(Control::none()).unwrap()), None);
    let statements: Vec<_> = shown.statements().map(|statement| &TEXT[statement.range]).collect();
    assert_eq!((statements, shown.model()), (vec!["add", "halt"], "in-order"));
    let hover = warplens_ide::lanes::hover(&shown, TextSize::new(8), "", &|_| 0).unwrap();
    assert!(hover.markdown.contains("32"), "{}", hover.markdown);
}

#[test]
fn what_it_does_not_implement_is_empty() {
    let analysis = open();
    let at = TextSize::new(1);
    assert!(analysis.completions(FILE, at).unwrap().is_empty());
    assert!(analysis.format(FILE).unwrap().edits.is_empty());
    assert_eq!(analysis.prepare_rename(FILE, at).unwrap(), Err(RenameError::ReadOnly("Lines")));
}
