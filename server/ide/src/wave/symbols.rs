//! Outlines of WAVE: kernels with their labels, and nested branches and loops.

use indexmap::IndexSet;
use text_size::TextRange;
use warplens_hir::wave::{Code, Instruction, Label, Link, Name, NameRef, Role};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Db, Item, Symbol, SymbolKind};
use warplens_syntax::ast::AstNode;
use warplens_syntax::wave::ast;

use crate::symbols::Outline;

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let code = wave_code(db, item);
    let inside = Constructs::new(&code, &item.text(db).0).build();
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
struct Constructs<'c> {
    code: &'c Code,
    text: &'c str,
    outline: Outline,
    /// For each predicate register, the last instruction that wrote it.
    writers: [Option<TextRange>; 256],
}

impl<'c> Constructs<'c> {
    fn new(code: &'c Code, text: &'c str) -> Constructs<'c> {
        Constructs { code, text, outline: Outline::default(), writers: [None; 256] }
    }

    fn build(mut self) -> Vec<Symbol> {
        let leaf = |label: &Label| Symbol::leaf(label.name.as_str(), SymbolKind::Label, label.range);
        let mut labels = self.code.labels.iter().peekable();
        let mut names = self.code.names();
        for (at, instruction) in self.code.instructions.iter().enumerate() {
            while let Some(label) = labels.next_if(|label| label.before as usize <= at) {
                self.outline.add(leaf(label));
            }
            self.construct(at);
            let end = names.partition_point(|name| name.range.start() < instruction.range.end());
            self.note_writes(instruction, &names[..end]);
            names = &names[end..];
        }
        labels.for_each(|label| self.outline.add(leaf(label)));
        self.outline.finish()
    }

    /// Closes and opens constructs at an instruction.
    fn construct(&mut self, at: usize) {
        self.outline.close_at(at);
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
        // A construct that is nested improperly or too deeply is represented by its first line only.
        let nests = self.outline.nests(end);
        let last = if nests { self.code.instructions[end].range } else { instruction.range };
        let detail = match link {
            Some(Link::If { .. }) => self.condition(at),
            Some(Link::Loop { .. }) if nests => self.exits(at, end),
            _ => None,
        };
        let name = &self.text[instruction.range];
        let leaf = Symbol::leaf(name, SymbolKind::Block, instruction.mnemonic_range);
        let symbol = Symbol { detail, range: instruction.range.cover(last), ..leaf };
        if nests { self.outline.open(symbol, end) } else { self.outline.add(symbol) }
    }

    /// The instruction that wrote the predicate of an `if`.
    fn condition(&self, at: usize) -> Option<String> {
        let operand = self.code.instructions[at].operands.first()?;
        let warplens_hir::wave::Value::Predicate { index, .. } = operand.value else { return None };
        self.writers[usize::from(index)].map(|range| self.text[range].to_owned())
    }

    fn exits(&self, open: usize, end: usize) -> Option<String> {
        let belongs = |at: &usize| self.code.links[*at] == Some(Link::Leave { open: open as u32 });
        let exits = (open..end).filter(belongs).map(|at| &self.text[self.code.instructions[at].range]);
        let exits = Vec::from_iter(exits.collect::<IndexSet<&str>>());
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
