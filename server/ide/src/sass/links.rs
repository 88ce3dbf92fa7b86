//! Links to the source that a listing was compiled from. Disassemblers print it as `//## File "reduce.cu", line 41`.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::sass::{PTX_TEXT, SourceMention, source_mentions};
use warplens_ide_db::{Database, Db, DocumentLink, File, Item};

/// A line of a source file, relative to its item.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mention {
    range: TextRange,
    path: SmolStr,
    line: u32,
}

#[salsa::tracked(returns(deref))]
fn mentions<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[Mention]> {
    let text = &item.text(db).0;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let size = |at: usize| TextSize::try_from(start + at).ok();
        let mention = |SourceMention { range, path, line }: SourceMention<'_>| {
            let range = TextRange::new(size(range.start)?, size(range.end)?);
            Some(Mention { range, path: SmolStr::new(path), line })
        };
        found.extend(source_mentions(line).into_iter().flatten().filter_map(mention));
        start += line.len();
    }
    found.into()
}

pub(super) fn links(db: &Database, _: File, item: Item<'_>, range: TextRange) -> Vec<DocumentLink> {
    let origin = warplens_syntax::ptx::LANGUAGE.extensions.first().copied();
    let wanted = mentions(db, item).iter().filter(|mention| range.contains(mention.range.start()));
    let link = |mention: &Mention| DocumentLink {
        range: mention.range,
        path: mention.path.clone(),
        origin: origin.filter(|_| mention.path == PTX_TEXT),
        place: Some((mention.line, 0)),
    };
    wanted.map(link).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::analysis::AnalysisHost;
    use crate::fixture::{FILE, Fixture};

    #[test]
    fn lines_of_the_source() {
        let fixture = Fixture::new(
            "\t.target\tsm_80
\t.section\t.text.k,\"ax\",@progbits
.text.k:
\t//## File \"/src/k.cu\", line 4
        /*0000*/                   NOP ;
\t//## File \"/x/cg.h\", line 7 inlined at \"/src/k.cu\", line 9
        /*0010*/                   NOP ;
\t//## File \".nv_debug_ptx_txt\", line 12
        /*0020*/                   EXIT ;
\t//## File without a line
",
        );
        let mut host = AnalysisHost::new();
        host.open(FILE, warplens_syntax::sass::LANGUAGE, &fixture.text);
        let links = host.snapshot().links(FILE).unwrap();
        let shown: Vec<String> = links
            .iter()
            .map(|link| {
                format!("{} {} {:?} {:?}", fixture.show(link.range), link.path, link.place, link.origin)
            })
            .collect();
        expect![[r#"
            4:`"/src/k.cu", line 4` /src/k.cu Some((4, 0)) None
            6:`"/x/cg.h", line 7` /x/cg.h Some((7, 0)) None
            6:`"/src/k.cu", line 9` /src/k.cu Some((9, 0)) None
            8:`".nv_debug_ptx_txt", line 12` .nv_debug_ptx_txt Some((12, 0)) Some("ptx")"#]]
        .assert_eq(&shown.join("\n"));
    }
}
