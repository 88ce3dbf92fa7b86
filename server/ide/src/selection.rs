//! Selection ranges: word, operand, statement, contents of a block or construct, the whole block, function, file.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::Code;
use warplens_ide_db::constructs;
use warplens_ide_db::db::{Database, File, wave_code};
use warplens_ide_db::position::FilePosition;
use warplens_syntax::SyntaxKind;

/// The nested ranges around an offset, the smallest first.
pub(crate) fn selection(db: &Database, file: File, offset: TextSize) -> Vec<TextRange> {
    let Some(position) = FilePosition::new(db, file, offset) else { return Vec::new() };
    let Some(token) = position.token(db) else { return Vec::new() };
    // The chunks of a long body are not meaningful to users.
    let nodes = token.parent_ancestors().filter(|node| node.kind() != SyntaxKind::CHUNK);
    let nodes = nodes.map(|node| node.text_range());
    let mut ranges: Vec<TextRange> = std::iter::once(token.text_range()).chain(nodes).collect();
    if position.language(db) == warplens_syntax::wave::LANGUAGE {
        wave_constructs(&wave_code(db, position.item), &position.item.text(db).0, &mut ranges);
    }
    let mut ranges: Vec<TextRange> = ranges.into_iter().map(|range| position.in_file(range)).collect();
    ranges.push(TextRange::up_to(file.document(db).items().text_len()));
    ranges.dedup();
    ranges
}

/// Adds the constructs around the smallest range, and the contents of each.
fn wave_constructs(code: &Code, text: &str, ranges: &mut Vec<TextRange>) {
    let Some(&smallest) = ranges.first() else { return };
    let of =
        |span: constructs::Span| (code.instructions[span.open].range, code.instructions[span.close].range);
    let whole = constructs::closed(code).map(of).map(|(open, close)| open.cover(close));
    ranges.extend(whole.filter(|range| range.contains_range(smallest)));
    let sides =
        constructs::sides(code).map(of).map(|(open, close)| TextRange::new(open.end(), close.start()));
    let around = sides.filter(|between| between.contains_range(smallest));
    ranges.extend(around.map(|between| inside(text, between)));
    ranges.sort_by_key(|range| (range.len(), range.start()));
    // Constructs can be nested incorrectly in a wrong program.
    let mut largest = smallest;
    ranges.retain(|range| {
        let grows = range.contains_range(largest);
        largest = if grows { *range } else { largest };
        grows
    });
}

/// The statements between two others, without the comment after the first.
fn inside(text: &str, between: TextRange) -> TextRange {
    let start = between.start();
    let between = &text[between];
    let from = between.find('\n').map_or(0, |line_end| line_end + 1);
    let from = from + between[from..].len() - between[from..].trim_start().len();
    let to = between.trim_end().len().max(from);
    TextRange::new(start + size(from), start + size(to))
}

fn size(bytes: usize) -> TextSize {
    TextSize::new(bytes as u32)
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
