//! Links to the source that a listing was compiled from. Disassemblers print it as `//## File "reduce.cu", line 41`.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, Db, DocumentLink, File, Item};

const COMMENT: &str = "//## File ";

/// The name that disassemblers print for the PTX that the code was assembled from.
const PTX_TEXT: &str = ".nv_debug_ptx_txt";

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
        if line.trim_start().starts_with(COMMENT) {
            found.extend(in_comment(line, start));
        }
        start += line.len();
    }
    found.into()
}

/// `"a.h", line 7 inlined at "a.cu", line 9`
fn in_comment(comment: &str, start: usize) -> impl Iterator<Item = Mention> + '_ {
    comment.match_indices("\", line ").filter_map(move |(end, between)| {
        let open = comment[..end].rfind('"')?;
        let digits: &str =
            comment[end + between.len()..].split(|char: char| !char.is_ascii_digit()).next()?;
        let size = |at: usize| TextSize::try_from(start + at).ok();
        let range = TextRange::new(size(open)?, size(end + between.len() + digits.len())?);
        Some(Mention { range, path: SmolStr::new(&comment[open + 1..end]), line: digits.parse().ok()? })
    })
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
