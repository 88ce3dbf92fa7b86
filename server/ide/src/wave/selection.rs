//! The nested ranges of constructs in WAVE, in addition to those of the tree.

use text_size::{TextRange, TextSize};
use warplens_ide_db::FilePosition;
use warplens_ide_db::wave::{constructs, wave_code};

/// Adds the constructs around the smallest range, and the contents of each.
pub(super) fn add(position: &FilePosition<'_>, ranges: &mut Vec<TextRange>) {
    let code = wave_code(position.db, position.item);
    let Some(&smallest) = ranges.first() else { return };
    let of =
        |span: constructs::Span| (code.instructions[span.open].range, code.instructions[span.close].range);
    let whole = constructs::closed(&code).map(of).map(|(open, close)| open.cover(close));
    ranges.extend(whole.filter(|range| range.contains_range(smallest)));
    let sides =
        constructs::sides(&code).map(of).map(|(open, close)| TextRange::new(open.end(), close.start()));
    let around = sides.filter(|between| between.contains_range(smallest));
    ranges.extend(around.map(|between| inside(position.text(), between)));
    ranges.sort_by_key(|range| (range.len(), range.start()));
    // In an incorrect program, constructs can be nested improperly.
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
