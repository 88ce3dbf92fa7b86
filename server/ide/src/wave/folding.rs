//! The folds of constructs in WAVE.

use text_size::{TextRange, TextSize};
use warplens_ide_db::wave::{constructs, wave_code};
use warplens_ide_db::{Db, Fold, FoldKind, Item};

/// Adds folds for kernels, the paths of an `if`, and loop bodies. The closing keyword stays visible, and an `else` starts
/// a new fold.
pub(super) fn add<'db>(db: &'db dyn Db, item: Item<'db>, folds: &mut Vec<Fold>) {
    let (code, text) = (wave_code(db, item), &item.text(db).0);
    let kernel = code.kernel.as_ref();
    let kernel = kernel.map(|kernel| {
        let close = kernel.end.map_or(TextSize::of(text.trim_end()), |end| end.start());
        (kernel.range.start(), close)
    });
    let sides = constructs::sides(&code).map(|side| {
        (code.instructions[side.open].range.start(), code.instructions[side.close].range.start())
    });
    let fold = |(open, close): (TextSize, TextSize)| {
        let before = text[..usize::from(close)].trim_end_matches([' ', '\t']);
        let end = TextSize::of(before.strip_suffix('\n').unwrap_or(before)).max(open);
        Fold { range: TextRange::new(open, end), kind: FoldKind::Code }
    };
    folds.extend(kernel.into_iter().chain(sides).map(fold));
}
