//! Outlines of WAVE: kernels with their labels, and nested branches and loops.

use text_size::TextRange;
use warplens_hir::wave::{Code, Instruction, Link, Name, NameRef, Role};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Db, Item, Symbol, SymbolKind};
use warplens_syntax::ast::AstNode;
use warplens_syntax::wave::ast;

/// The maximum nesting depth. Deeper constructs become siblings, because clients process outlines recursively.
const MAX_DEPTH: usize = 64;

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let code = wave_code(db, item);
    let inside = Outline::new(&code, &item.text(db).0).build();
    let Some(kernel) = &code.kernel else { return inside };
    let Some((name, focus)) = &kernel.name else { return inside };
    let tree = item.parse(db).syntax();
    let node = tree.children().find(|node| ast::Kernel::can_cast(node.kind()));
    let workgroup = code.resources.workgroup_size.map(|size| size.value);
    vec![Symbol {
        name: name.to_string(),
        detail: workgroup
            .map(|[x, y, z]| format!("kernel, workgroup {x} x {y} x {z}"))
            .or(Some("kernel".into())),
        kind: SymbolKind::Kernel,
        range: node.map_or(kernel.range, |node| node.text_range()),
        focus: *focus,
        children: inside,
    }]
}

/// The outline of a kernel while it is built.
struct Outline<'c> {
    code: &'c Code,
    text: &'c str,
    top: Vec<Symbol>,
    /// The open constructs, each with the instruction that closes it.
    open: Vec<(Symbol, usize)>,
    /// For each predicate register, the last instruction that wrote it.
    writers: [Option<TextRange>; 256],
}

impl<'c> Outline<'c> {
    fn new(code: &'c Code, text: &'c str) -> Outline<'c> {
        Outline { code, text, top: Vec::new(), open: Vec::new(), writers: [None; 256] }
    }

    fn build(mut self) -> Vec<Symbol> {
        let mut labels = self.code.labels.iter().peekable();
        let mut names = self.code.names();
        for (at, instruction) in self.code.instructions.iter().enumerate() {
            while let Some(label) = labels.next_if(|label| label.before as usize <= at) {
                self.label(&label.name, label.range);
            }
            self.construct(at);
            let end = names.partition_point(|name| name.range.start() < instruction.range.end());
            self.note_writes(instruction, &names[..end]);
            names = &names[end..];
        }
        labels.for_each(|label| self.label(&label.name, label.range));
        self.close_at(usize::MAX);
        self.top
    }

    fn add(&mut self, symbol: Symbol) {
        self.open.last_mut().map_or(&mut self.top, |(open, _)| &mut open.children).push(symbol);
    }

    fn label(&mut self, name: &str, range: TextRange) {
        self.add(Symbol {
            name: name.to_owned(),
            detail: None,
            kind: SymbolKind::Label,
            range,
            focus: range,
            children: Vec::new(),
        });
    }

    /// Closes and opens constructs at an instruction.
    fn construct(&mut self, at: usize) {
        self.close_at(at);
        let link = self.code.links[at];
        let Some(
            Link::If { end: Some(end), .. }
            | Link::Else { end: Some(end), .. }
            | Link::Loop { end: Some(end) },
        ) = link
        else {
            return;
        };
        let (instruction, end) = (&self.code.instructions[at], end as usize);
        let is_inside = self.open.last().is_none_or(|(_, outer)| end <= *outer);
        // A construct that is nested improperly or too deeply is represented by its first line only.
        let nests = is_inside && self.open.len() < MAX_DEPTH;
        let last = if nests { self.code.instructions[end].range } else { instruction.range };
        let detail = match link {
            Some(Link::If { .. }) => self.condition(at),
            Some(Link::Loop { .. }) if nests => self.exits(at, end),
            _ => None,
        };
        let symbol = Symbol {
            name: self.text[instruction.range].to_owned(),
            detail,
            kind: SymbolKind::Block,
            range: instruction.range.cover(last),
            focus: instruction.mnemonic_range,
            children: Vec::new(),
        };
        if nests { self.open.push((symbol, end)) } else { self.add(symbol) }
    }

    fn close_at(&mut self, at: usize) {
        while let Some((symbol, _)) = self.open.pop_if(|(_, end)| *end <= at) {
            self.add(symbol);
        }
    }

    /// The instruction that wrote the predicate of an `if`.
    fn condition(&self, at: usize) -> Option<String> {
        let operand = self.code.instructions[at].operands.first()?;
        let warplens_hir::wave::Value::Predicate { index, .. } = operand.value else { return None };
        self.writers[usize::from(index)].map(|range| self.text[range].to_owned())
    }

    /// The instructions that exit a loop.
    fn exits(&self, open: usize, end: usize) -> Option<String> {
        let mut exits: Vec<&str> = Vec::new();
        for at in open..end {
            let belongs = self.code.links[at] == Some(Link::Leave { open: open as u32 });
            let text = &self.text[self.code.instructions[at].range];
            if belongs && !exits.contains(&text) {
                exits.push(text);
            }
        }
        (!exits.is_empty()).then(|| exits.join(", "))
    }

    fn note_writes(&mut self, instruction: &Instruction, names: &[NameRef]) {
        for found in names {
            if let (Name::Predicate(index), Role::Write | Role::ReadWrite) = (&found.name, found.role) {
                self.writers[usize::from(*index)] = Some(instruction.range);
            }
        }
    }
}
