//! Outlines of SASS: functions with their target and resources, their labels, and nested regions of divergent code.

use text_size::TextRange;
use warplens_hir::sass::{Destination, Function, flow};
use warplens_ide_db::sass::{facts_of, sass_code, target_of};
use warplens_ide_db::{Db, Item, Symbol, SymbolKind};
use warplens_isa::sass::Flow;
use warplens_syntax::SyntaxKind;

/// The maximum nesting depth. Deeper regions become siblings, because clients process outlines recursively.
const MAX_DEPTH: usize = 64;

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let code = sass_code(db, item);
    let whole = extent(db, item);
    if let Some(section) = &code.section {
        return vec![Symbol {
            name: section.name.to_string(),
            detail: Some(format!("{} bytes", section.size)).filter(|_| section.size > 0),
            kind: SymbolKind::Section,
            range: section.range.cover(section.name_range).intersect(whole).unwrap_or(section.name_range),
            focus: section.name_range,
            children: Vec::new(),
        }];
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
            children: Outline { function, text, top: Vec::new(), open: Vec::new() }.build(),
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

/// The outline of a function while it is built.
struct Outline<'c> {
    function: &'c Function,
    text: &'c str,
    top: Vec<Symbol>,
    /// The open regions, each with the first instruction after it.
    open: Vec<(Symbol, usize)>,
}

impl Outline<'_> {
    fn build(mut self) -> Vec<Symbol> {
        let mut labels = self.function.labels.iter().peekable();
        for (at, instruction) in self.function.instructions.iter().enumerate() {
            self.close_at(at);
            while let Some(label) = labels.next_if(|label| label.before as usize <= at) {
                let kind = if label.is_function { SymbolKind::Function } else { SymbolKind::Label };
                let name = label.name.to_string();
                self.add(Symbol {
                    name,
                    detail: None,
                    kind,
                    range: label.range,
                    focus: label.range,
                    children: vec![],
                });
            }
            if let (Flow::Push | Flow::BarrierSet, Destination::Instruction(end)) =
                (flow(instruction), instruction.destination)
            {
                self.region(at, end as usize);
            }
        }
        self.close_at(usize::MAX);
        self.top
    }

    fn add(&mut self, symbol: Symbol) {
        self.open.last_mut().map_or(&mut self.top, |(open, _)| &mut open.children).push(symbol);
    }

    /// Opens the region of an instruction, which extends to its target.
    fn region(&mut self, at: usize, end: usize) {
        let nests = end > at
            && self.open.last().is_none_or(|(_, outer)| end <= *outer)
            && self.open.len() < MAX_DEPTH;
        let instruction = &self.function.instructions[at];
        let last = if nests { &self.function.instructions[end - 1] } else { instruction };
        let shown = TextRange::new(instruction.opcode_range.start(), instruction.range.end());
        let symbol = Symbol {
            name: self.text[shown].trim_end_matches([';', '}', ' ']).to_owned(),
            detail: None,
            kind: SymbolKind::Block,
            range: instruction.range.cover(last.range),
            focus: instruction.opcode_range,
            children: Vec::new(),
        };
        if nests { self.open.push((symbol, end)) } else { self.add(symbol) }
    }

    fn close_at(&mut self, at: usize) {
        while let Some((symbol, _)) = self.open.pop_if(|(_, end)| *end <= at) {
            self.add(symbol);
        }
    }
}
