//! Inlay hints in listings: the names of sequences, and the number of live registers at the end of each line.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{FlowGraph, Function, Liveness, sequence_at};
use warplens_ide_db::sass::sass_code;
use warplens_ide_db::{Database, File, InlayHint, InlayHintKind, InlayHintKinds, Item};

use crate::sass::hover::live;

pub(super) fn hints(
    db: &Database,
    _: File,
    item: Item<'_>,
    range: TextRange,
    kinds: InlayHintKinds,
    hints: &mut Vec<InlayHint>,
) {
    if !kinds.sequences && !kinds.live_registers {
        return;
    }
    let text = &item.text(db).0;
    for function in &sass_code(db, item).functions {
        let shown = shown(function, range);
        if shown.is_empty() {
            continue;
        }
        let liveness = kinds.live_registers.then(|| Liveness::new(function, &FlowGraph::new(function)));
        for index in shown {
            let mut add = |label: String| {
                let offset = line_end(text, function.instructions[index].range.end());
                hints.push(InlayHint { offset, label, kind: InlayHintKind::LineEnd });
            };
            if let Some(liveness) = &liveness {
                add(live(liveness.occupied(index)));
            }
            if kinds.sequences
                && let Some(sequence) = sequence_at(function, index)
            {
                add(sequence.name.to_owned());
            }
        }
    }
}

fn shown(function: &Function, range: TextRange) -> std::ops::Range<usize> {
    let all = &function.instructions;
    let first = all.partition_point(|instruction| instruction.range.end() < range.start());
    let end = all.partition_point(|instruction| instruction.range.start() <= range.end());
    first..end
}

fn line_end(text: &str, offset: TextSize) -> TextSize {
    let rest = &text[usize::from(offset)..];
    let line = rest.split('\n').next().unwrap_or_default();
    offset + TextSize::of(line.trim_end())
}
