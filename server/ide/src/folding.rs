//! Folding ranges: bodies, blocks, sections, initializers, and comments of several lines.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, Db, File, Fold, FoldKind, Item, placed_items};
use warplens_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, WalkEvent};

#[salsa::tracked(returns(deref))]
pub(crate) fn item_folds<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[Fold]> {
    let text = &item.text(db).0;
    if !text.trim_start().contains('\n') {
        return Box::default();
    }
    let tree = item.parse(db).syntax();
    let mut folds: Vec<Fold> = tree.descendants().filter_map(|node| construct(&node)).collect();
    comments(&tree, &mut folds);
    (db.language(item.language(db)).folds)(db, item, &mut folds);
    folds.retain(|fold| text[fold.range].contains('\n'));
    folds.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    folds.into()
}

pub(crate) fn folds(db: &Database, file: File) -> Vec<Fold> {
    let folds = placed_items(db, file).flat_map(|(item, start)| {
        item_folds(db, item).iter().map(move |fold| Fold { range: fold.range + start, ..*fold })
    });
    folds.collect()
}

/// The fold of a node, with its kind. It may be on a single line.
fn construct(node: &SyntaxNode) -> Option<Fold> {
    let kind = match node.kind() {
        SyntaxKind::INITIALIZER_LIST | SyntaxKind::PARAM_LIST => FoldKind::Code,
        SyntaxKind::BLOCK if node.parent().is_none_or(|parent| parent.kind() != SyntaxKind::KERNEL) => {
            FoldKind::Code
        }
        SyntaxKind::SECTION_DIRECTIVE => FoldKind::Region,
        _ => return None,
    };
    Some(Fold { range: node.text_range(), kind })
}

/// Adds the folds of comments: one for each block comment, and one for line comments on consecutive lines.
fn comments(tree: &SyntaxNode, folds: &mut Vec<Fold>) {
    let mut run: Option<TextRange> = None;
    let mut newlines = 0;
    let tokens = tree.preorder_with_tokens().filter_map(|event| match event {
        WalkEvent::Enter(element) => element.into_token(),
        WalkEvent::Leave(_) => None,
    });
    for token in tokens {
        match token.kind() {
            SyntaxKind::WHITESPACE => {
                newlines += token.text().bytes().filter(|byte| *byte == b'\n').count();
            }
            SyntaxKind::COMMENT if starts_line(&token) => {
                run = match run {
                    Some(run) if newlines == 1 => Some(run.cover(token.text_range())),
                    other => {
                        folds.extend(other.map(comment));
                        Some(token.text_range())
                    }
                };
                newlines = 0;
            }
            _ => folds.extend(run.take().map(comment)),
        }
    }
    folds.extend(run.map(comment));
}

fn comment(range: TextRange) -> Fold {
    Fold { range, kind: FoldKind::Comment }
}

fn starts_line(token: &SyntaxToken) -> bool {
    match token.prev_token() {
        // Nothing, or an empty node from error recovery.
        None => true,
        Some(before) => match before.kind() {
            SyntaxKind::WHITESPACE => {
                before.text().contains('\n') || before.text_range().start() == TextSize::new(0)
            }
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, open};

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let line = |offset: TextSize| 1 + fixture.text[..usize::from(offset)].matches('\n').count();
        use text_size::TextSize;
        let shown: Vec<String> = analysis
            .folds(FILE)
            .unwrap()
            .iter()
            .map(|fold| format!("{}-{} {:?}", line(fold.range.start()), line(fold.range.end()), fold.kind))
            .collect();
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn functions_blocks_and_comments() {
        check(
            "// one
// two

// apart
.entry k(
    .param .u32 a
) {
    /* of
       two lines */
    {
        ret; // not alone
        // alone
    }
}
.section .debug_str {
    .b8 0
}
",
            expect![[r#"
                1-2 Comment
                5-7 Code
                7-14 Code
                8-9 Comment
                10-13 Code
                15-17 Region"#]],
        );
    }

    #[test]
    fn wave_constructs() {
        check(
            "; one
; two
.kernel a
    if p1
        nop
    else
        nop
    endif
    loop
        break p1
    endloop
    halt
.end
",
            expect![[r#"
                1-2 Comment
                3-12 Code
                4-5 Code
                6-7 Code
                9-10 Code"#]],
        );
    }
}
