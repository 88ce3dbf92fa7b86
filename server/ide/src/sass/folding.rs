//! The folds of SASS: functions, regions of divergent code, sections of data, notes.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{Destination, flow};
use warplens_ide_db::sass::sass_code;
use warplens_ide_db::{Db, Fold, FoldKind, Item};
use warplens_isa::sass::Flow;

pub(super) fn add<'db>(db: &'db dyn Db, item: Item<'db>, folds: &mut Vec<Fold>) {
    let (code, text) = (sass_code(db, item), &item.text(db).0);
    let end = TextSize::of(text.trim_end());
    let mut add = |start: TextSize, end: TextSize, kind| {
        if start < end {
            folds.push(Fold { range: TextRange::new(start, end), kind });
        }
    };
    if let Some(section) = &code.section {
        add(section.name_range.start(), end, FoldKind::Region);
        let starts = section.attributes.iter().map(|(_, range, _)| range.start());
        let ends = section.attributes.iter().skip(1).map(|(_, range, _)| line_before(text, range.start()));
        starts.zip(ends.chain([end])).for_each(|(start, end)| add(start, end, FoldKind::Region));
    }
    for function in &code.functions {
        let name = function.name.as_ref().map(|name| name.range.start());
        let start = name.unwrap_or(function.range.start()).min(function.range.start());
        add(start, function.range.end(), FoldKind::Code);
        for instruction in &function.instructions {
            let opens = matches!(flow(instruction), Flow::Push | Flow::BarrierSet);
            if let Destination::Instruction(target) = instruction.destination
                && opens
                && let Some(last) = (target as usize).checked_sub(1)
            {
                add(instruction.range.start(), function.instructions[last].range.start(), FoldKind::Code);
            }
        }
    }
    if let Some(legend) = text.find("// Legend:").and_then(|at| TextSize::try_from(at).ok()) {
        let last = text[usize::from(legend)..].lines().take_while(|line| line.trim_start().starts_with("//"));
        let length: usize = last.map(|line| line.len() + 1).sum();
        add(legend, legend + TextSize::new(length.saturating_sub(1) as u32), FoldKind::Comment);
    }
}

fn line_before(text: &str, offset: TextSize) -> TextSize {
    let line = text[..usize::from(offset)].rfind('\n').unwrap_or_default();
    TextSize::of(text[..line].trim_end())
}
