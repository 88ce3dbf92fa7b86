//! Links to the source that a file was compiled from: `.file` names a source file, `.loc` a position in it.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::InlineAssembly;
use warplens_ide_db::ptx::source_paths;
use warplens_ide_db::{Database, Db, DocumentLink, File, Item};
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxNode, SyntaxToken};

/// A reference to a line and column of a source file, relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceRef {
    range: TextRange,
    file: u32,
    place: Option<(u32, u32)>,
}

#[salsa::tracked(returns(deref))]
fn item_source_refs<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[SourceRef]> {
    let text = &item.text(db).0;
    if !(text.contains(".loc") || text.contains(".file")) {
        return Box::default();
    }
    let wrong = inline_assemblies(text);
    let refs = item.parse(db).syntax().descendants().flat_map(|node| source_refs(&node));
    refs.filter(|place| wrong.iter().all(|range| !range.contains_range(place.range))).collect()
}

/// The texts of inline assembly, in which each `.loc` is the compiler's count of its lines and no position of the source.
fn inline_assemblies(text: &str) -> Vec<TextRange> {
    let (mut ranges, mut start, mut offset) = (Vec::new(), None, TextSize::new(0));
    for line in text.split_inclusive('\n') {
        let comment = line.trim();
        match InlineAssembly::of_comment(comment).filter(|_| comment.starts_with("//")) {
            Some(InlineAssembly::Begin) => start = Some(offset),
            Some(InlineAssembly::End) => {
                ranges.extend(start.take().map(|start| TextRange::new(start, offset)));
            }
            None => {}
        }
        offset += TextSize::of(line);
    }
    ranges
}

/// The source references of a directive. For inlined code there are two: its own and that of the call.
fn source_refs(node: &SyntaxNode) -> Vec<SourceRef> {
    if let Some(file) = ast::FileDirective::cast(node.clone()) {
        let source_ref = || {
            let number = number(&file.index_token()?)?;
            Some(SourceRef { range: file.path_token()?.text_range(), file: number, place: None })
        };
        return source_ref().into_iter().collect();
    }
    let Some(loc) = ast::LocDirective::cast(node.clone()) else { return Vec::new() };
    let inlined = loc.loc_attributes().filter_map(|attribute| source_ref(attribute.positions()));
    source_ref(loc.positions()).into_iter().chain(inlined).collect()
}

/// `1 20 5`: file, line and column.
fn source_ref(tokens: impl Iterator<Item = SyntaxToken>) -> Option<SourceRef> {
    let tokens: Vec<SyntaxToken> = tokens.take(3).collect();
    let [file, line, column] = &tokens[..] else { return None };
    let range = file.text_range().cover(column.text_range());
    Some(SourceRef { range, file: number(file)?, place: Some((number(line)?, number(column)?)) })
}

fn number(token: &SyntaxToken) -> Option<u32> {
    token.text().parse().ok()
}

pub(crate) fn links(db: &Database, file: File, item: Item<'_>, range: TextRange) -> Vec<DocumentLink> {
    let wanted = item_source_refs(db, item).iter().filter(|place| range.contains(place.range.start()));
    let link = |place: &SourceRef| {
        let path = source_paths(db, file).get(&u64::from(place.file))?.clone();
        Some(DocumentLink { range: place.range, path, origin: None, place: place.place })
    };
    wanted.filter_map(link).collect()
}

/// The paths of `.file` directives, in order of their numbers.
pub(crate) fn sources(db: &Database, file: File) -> Vec<String> {
    let mut paths: Vec<_> = source_paths(db, file).iter().collect();
    paths.sort();
    paths.into_iter().map(|(_, path)| path.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::fixture::{FILE, open};

    #[test]
    fn places_of_the_source() {
        let (fixture, analysis) = open(
            r#".version 8.5
.file 1 "/src/k.cu"
.file 2 "util.h", 1700000000, 12
.entry k() {
    .loc 1 20 5
    ret;
    .loc 2 7 0, function_name $L__info0, inlined_at 1 21 9
    .loc 3 1 1
    .loc 1
}
"#,
        );
        let links = analysis.links(FILE).unwrap();
        let shown: Vec<String> = links
            .iter()
            .map(|link| format!("{} {} {:?}", fixture.show(link.range), link.path, link.place))
            .collect();
        expect![[r#"
            2:`"/src/k.cu"` /src/k.cu None
            3:`"util.h"` util.h None
            5:`1 20 5` /src/k.cu Some((20, 5))
            7:`2 7 0` util.h Some((7, 0))
            7:`1 21 9` /src/k.cu Some((21, 9))"#]]
        .assert_eq(&shown.join("\n"));
        for link in &links {
            assert_eq!(analysis.links_in(FILE, link.range).unwrap(), std::slice::from_ref(link));
        }
        let before = TextRange::up_to(links[0].range.start());
        assert_eq!(analysis.links_in(FILE, before).unwrap(), []);
    }

    #[test]
    fn nothing_without_debug_information() {
        let (_, analysis) = open(".entry k() { ret; }");
        assert_eq!(analysis.links(FILE).unwrap(), []);
        let (_, analysis) = open(".kernel k\n halt\n.end\n");
        assert_eq!(analysis.links(FILE).unwrap(), []);
    }
}
