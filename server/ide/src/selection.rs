//! Selections that grow: word, operand, statement, block, function, file.

use text_size::{TextRange, TextSize};
use warplens_syntax::SyntaxKind;

use crate::db::{Database, File};
use crate::place::Place;

/// The nested ranges around an offset, the smallest first.
pub(crate) fn selection(db: &Database, file: File, offset: TextSize) -> Vec<TextRange> {
    let Some(place) = Place::new(db, file, offset) else { return Vec::new() };
    let Some(token) = place.token(db) else { return Vec::new() };
    // How a long body is cut into pieces says nothing to a person.
    let nodes = token.parent_ancestors().filter(|node| node.kind() != SyntaxKind::CHUNK);
    let nodes = nodes.map(|node| node.text_range());
    let mut ranges: Vec<TextRange> =
        std::iter::once(token.text_range()).chain(nodes).map(|range| place.in_file(range)).collect();
    ranges.push(TextRange::up_to(file.document(db).items().text_len()));
    ranges.dedup();
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
}
