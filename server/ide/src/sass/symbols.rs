//! Outlines of SASS: functions with their target and resources, their labels, and nested regions of divergent code.

use text_size::TextRange;
use warplens_hir::sass::{Destination, Function, flow};
use warplens_ide_db::sass::{facts_of, sass_code, target_of};
use warplens_ide_db::{Db, Item, Symbol, SymbolKind};
use warplens_isa::sass::Flow;
use warplens_syntax::SyntaxKind;

use crate::symbols::Outline;

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let code = sass_code(db, item);
    let whole = extent(db, item);
    if let Some(section) = &code.section {
        let range = section.range.cover(section.name_range).intersect(whole).unwrap_or(section.name_range);
        let detail = Some(format!("{} bytes", section.size)).filter(|_| section.size > 0);
        let name = Symbol::leaf(section.name.as_str(), SymbolKind::Section, section.name_range);
        return vec![Symbol { detail, range, ..name }];
    }
    let text = &item.text(db).0;
    let alone = code.functions.len() == 1;
    let symbol = |function: &Function| {
        let focus = function.name.as_ref().map_or_else(
            || function.instructions.first().map_or(function.range, |first| first.opcode_range),
            |name| name.range,
        );
        let range = if alone { whole } else { function.range };
        Symbol {
            name: function.name.as_ref().map_or_else(|| "(unnamed)".to_owned(), |name| name.text.to_string()),
            detail: Some(detail(db, item, function)),
            kind: if function.is_kernel == Some(false) { SymbolKind::Function } else { SymbolKind::Kernel },
            range: range.cover(focus),
            focus,
            children: children(function, text),
        }
    };
    code.functions.iter().map(symbol).collect()
}

/// The range of an item without the white space and headers around its code.
fn extent(db: &dyn Db, item: Item<'_>) -> TextRange {
    let parse = item.parse(db);
    let lines = parse.root().nodes().filter(|node| node.kind() != SyntaxKind::NAME);
    lines.map(warplens_syntax::Node::range).reduce(TextRange::cover).unwrap_or_default()
}

/// `sm_80, 38 registers, stack 16, shared 1024`
fn detail(db: &dyn Db, item: Item<'_>, function: &Function) -> String {
    let facts = facts_of(db, item.file(db), function);
    let target = target_of(db, item, function).map(|target| target.to_string());
    let positive = |count: Option<u32>| count.filter(|count| *count > 0);
    let parts = [
        target,
        facts.registers.map(|count| format!("{count} registers")),
        positive(facts.stack_bytes).map(|bytes| format!("stack {bytes}")),
        positive(facts.shared_bytes).map(|bytes| format!("shared {bytes}")),
        Some(format!("{} instructions", function.instructions.len())),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn children(function: &Function, text: &str) -> Vec<Symbol> {
    let mut outline = Outline::default();
    let mut labels = function.labels.iter().peekable();
    for (at, instruction) in function.instructions.iter().enumerate() {
        outline.close_at(at);
        while let Some(label) = labels.next_if(|label| label.before as usize <= at) {
            let kind = if label.is_function { SymbolKind::Function } else { SymbolKind::Label };
            outline.add(Symbol::leaf(label.name.as_str(), kind, label.range));
        }
        if let (Flow::Push | Flow::BarrierSet, Destination::Instruction(end)) =
            (flow(instruction), instruction.destination)
        {
            region(function, text, at, end as usize, &mut outline);
        }
    }
    outline.finish()
}

/// Opens the region of an instruction, which extends to its target.
fn region(function: &Function, text: &str, at: usize, end: usize, outline: &mut Outline) {
    let nests = end > at && outline.nests(end);
    let instruction = &function.instructions[at];
    let last = if nests { &function.instructions[end - 1] } else { instruction };
    let shown = TextRange::new(instruction.opcode_range.start(), instruction.range.end());
    let name = text[shown].trim_end_matches([';', '}', ' ']);
    let range = instruction.range.cover(last.range);
    let symbol = Symbol { range, ..Symbol::leaf(name, SymbolKind::Block, instruction.opcode_range) };
    if nests { outline.open(symbol, end) } else { outline.add(symbol) }
}
