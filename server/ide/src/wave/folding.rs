//! The folds of the constructs of WAVE.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::Code;
use warplens_ide_db::answer::{Fold, FoldKind};
use warplens_ide_db::wave::constructs;

/// Kernels, the paths of an `if`, the bodies of loops. The closing keyword stays visible, and an `else` starts a new fold.
pub(super) fn add(code: &Code, text: &str, folds: &mut Vec<Fold>) {
    let kernel = code.kernel.as_ref();
    let kernel = kernel.map(|kernel| {
        let close = kernel.end.map_or(TextSize::of(text.trim_end()), |end| end.start());
        (kernel.range.start(), close)
    });
    let sides = constructs::sides(code).map(|side| {
        (code.instructions[side.open].range.start(), code.instructions[side.close].range.start())
    });
    let fold = |(open, close): (TextSize, TextSize)| {
        let before = text[..usize::from(close)].trim_end_matches([' ', '\t']);
        let end = TextSize::of(before.strip_suffix('\n').unwrap_or(before)).max(open);
        Fold { range: TextRange::new(open, end), kind: FoldKind::Code }
    };
    folds.extend(kernel.into_iter().chain(sides).map(fold));
}
