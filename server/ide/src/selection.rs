//! Selection ranges: word, operand, statement, contents of a block or construct, the whole block, function, file.

use text_size::TextRange;
use warplens_ide_db::FilePosition;
use warplens_syntax::SyntaxKind;

use crate::language::LanguageSupport;

/// Clients and the encoder process the ranges recursively.
const MAX_RANGES: usize = 128;

/// The nested ranges around a position, smallest first.
pub(crate) fn selection(position: &FilePosition<'_>, support: &LanguageSupport) -> Vec<TextRange> {
    let Some(token) = position.token() else { return Vec::new() };
    // The chunks of a long body mean nothing to users.
    let nodes = token.parent_ancestors().filter(|node| node.kind() != SyntaxKind::CHUNK);
    let nodes = nodes.map(|node| node.text_range());
    let mut ranges: Vec<TextRange> = std::iter::once(token.text_range()).chain(nodes).collect();
    (support.selection)(position, &mut ranges);
    let mut ranges: Vec<TextRange> = ranges.into_iter().map(|range| position.in_file(range)).collect();
    ranges.push(TextRange::up_to(position.file.document(position.db).items().text_len()));
    ranges.dedup();
    // The outermost ranges are the useful ones among the many of nested constructs.
    if ranges.len() > MAX_RANGES {
        ranges.drain(MAX_RANGES / 2..ranges.len() - MAX_RANGES / 2);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::fixture::{FILE, open};

    #[test]
    fn grows_from_word_to_file() {
        let (fixture, analysis) = open(
            ".version 8.0
.entry k() {
    add.u32 %r1, %r2, 1;
             |
}",
        );
        let ranges = analysis.selection(FILE, fixture.cursor()).unwrap();
        let shown: Vec<String> = ranges.iter().map(|range| fixture.show(*range)).collect();
        expect![[r#"
            3:`%r1`
            3:`add.u32 %r1, %r2, 1;`
            2:`{
                add.u32 %r1, %r2, 1;
            }`
            2:`.entry k() {
                add.u32 %r1, %r2, 1;
            }`
            1:`
            .entry k() {
                add.u32 %r1, %r2, 1;
            }`
            1:`.version 8.0
            .entry k() {
                add.u32 %r1, %r2, 1;
            }`"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn grows_by_the_constructs_of_wave() {
        let (fixture, analysis) = open(
            ".kernel k
    loop ; top
        if p1
            nop
            iadd r0, r1, 2
                     |
        else
            nop
        endif
        break p2
    endloop
    halt
.end
",
        );
        let ranges = analysis.selection(FILE, fixture.cursor()).unwrap();
        let shown: Vec<String> = ranges.iter().map(|range| fixture.show(*range)).collect();
        expect![[r#"
            5:`r1`
            5:`iadd r0, r1, 2`
            4:`nop
                        iadd r0, r1, 2`
            3:`if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif`
            3:`if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif
                    break p2`
            2:`loop ; top
                    if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif
                    break p2
                endloop`
            2:`loop ; top
                    if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif
                    break p2
                endloop
                halt`
            1:`.kernel k
                loop ; top
                    if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif
                    break p2
                endloop
                halt
            .end`
            1:`.kernel k
                loop ; top
                    if p1
                        nop
                        iadd r0, r1, 2
                    else
                        nop
                    endif
                    break p2
                endloop
                halt
            .end
            `"#]]
        .assert_eq(&shown.join("\n"));
    }
}
