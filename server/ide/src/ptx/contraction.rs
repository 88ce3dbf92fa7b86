//! The sums of PTX that ptxas may fuse with a product, and those that it is known to fuse.
//!
//! The ISA says of `add`, `sub` and `mul` without a rounding modifier that they may be fused. ptxas (13.5) fuses a product with the
//! sums in its block, also through `mov` and `neg`, if the flushing of subnormal numbers agrees, nothing is guarded, and nothing else reads
//! the product. If both operands of a sum are such products, it takes the first one.

mod fused;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use text_size::{TextRange, TextSize};
use warplens_hir::cfg::{BlockId, Cfg};
use warplens_hir::ptx::{Function, Instruction, InstructionId, Operand, ReferentId, Role};
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Database, File, TextEdit, items};

use crate::contraction::{Contractions, FusibleSum};
use fused::{Arithmetic, Held, Text, Way};

/// The sums in all functions of a file that may be fused.
pub(super) fn contractions(db: &Database, file: File) -> Contractions {
    let mut all = Contractions::default();
    for (index, item) in items(db, file).iter().enumerate() {
        let Some(function) = ptx_function(db, *item) else { continue };
        let text = item.text(db);
        let Contractions { kept, sums } = of_function(&function, &text.0);
        let start = file.document(db).items().start_of(index);
        all.kept.extend(kept.into_iter().map(|edit| TextEdit { range: edit.range + start, ..edit }));
        all.sums.extend(sums.into_iter().map(|sum| FusibleSum { range: sum.range + start, ..sum }));
    }
    all
}

fn of_function(function: &Function, text: &str) -> Contractions {
    let may_multiply = |mnemonic| Arithmetic::of(mnemonic).is_some_and(|it| it.is_product());
    let (Some(body), true) = (function.body, function.mnemonics().iter().any(may_multiply)) else {
        return Contractions::default();
    };
    let mut search = Search::new(function, text);
    search.walk(&function.cfg(&|_| false));
    if search.sums.is_empty() {
        return Contractions::default();
    }
    let usual = search.usual();
    let ways = search.sums.iter().flat_map(|sum| &sum.ways);
    let used: FxHashSet<usize> = ways.map(|way| way.held.product).collect();
    let text = Text { function, text };
    let mut found = Contractions::default();
    let mut declared = String::new();
    for (number, product) in search.products.iter().enumerate().filter(|(number, _)| used.contains(number)) {
        let Some((declaration, keep)) = text.kept(number, product.at) else { continue };
        let start = function.instruction(product.at).range().start();
        found.kept.push(TextEdit { range: TextRange::empty(start), insert: keep });
        declared += &declaration;
    }
    let after_brace = TextRange::empty(body.start() + TextSize::of('{'));
    found.kept.push(TextEdit { range: after_brace, insert: declared });
    for (sum, usual) in search.sums.iter().zip(usual) {
        let fused: Option<Vec<_>> = sum.ways.iter().map(|way| text.fused(sum.at, *way)).collect();
        let range = function.instruction(sum.at).range();
        found.sums.extend(fused.map(|fused| FusibleSum { range, fused, usual }));
    }
    found
}

#[derive(Debug)]
struct Product {
    at: InstructionId,
    /// Whether something besides sums reads it.
    is_read_otherwise: bool,
}

#[derive(Debug)]
struct Sum {
    at: InstructionId,
    ways: Vec<Way>,
}

/// What is known at an instruction.
#[derive(Debug, Clone, Default)]
struct Registers {
    products: FxHashMap<ReferentId, Held>,
    /// The registers that the blocks up to here have written, all lanes of them.
    written: FxHashSet<ReferentId>,
}

struct Search<'f> {
    function: &'f Function,
    text: &'f str,
    products: Vec<Product>,
    sums: Vec<Sum>,
    /// The registers that a block reads from another one.
    read_across: FxHashSet<ReferentId>,
    /// The products in registers at the ends of blocks.
    left: Vec<(ReferentId, usize)>,
}

impl<'f> Search<'f> {
    fn new(function: &'f Function, text: &'f str) -> Search<'f> {
        Search {
            function,
            text,
            products: Vec::new(),
            sums: Vec::new(),
            read_across: FxHashSet::default(),
            left: Vec::new(),
        }
    }

    /// Visits the blocks in text order. A block continues its only predecessor if it is that block's only successor.
    fn walk(&mut self, cfg: &Cfg) {
        let mut ends: FxHashMap<BlockId, Registers> = FxHashMap::default();
        for id in cfg.ids() {
            let before = alone(cfg.predecessors(id)).and_then(|before| ends.remove(&before));
            let mut registers = before.unwrap_or_default();
            self.block(cfg.block(id).instructions.clone(), &mut registers);
            let next = alone(cfg.successors(id)).filter(|next| *next > id);
            if next.is_some_and(|next| cfg.predecessors(next).len() == 1) {
                ends.insert(id, registers);
            } else {
                let held = registers.products.iter();
                self.left.extend(held.map(|(register, held)| (*register, held.product)));
            }
        }
        for (register, product) in &self.left {
            self.products[*product].is_read_otherwise |= self.read_across.contains(register);
        }
    }

    fn block(&mut self, instructions: Range<u32>, registers: &mut Registers) {
        for index in instructions {
            let instruction = self.function.instruction(InstructionId::new(index as usize));
            let result = self.instruction(instruction, registers);
            for name in self.function.names_of(instruction).filter(|name| name.role.writes()) {
                registers.products.remove(&name.referent);
                if instruction.guard().is_none() {
                    registers.written.insert(name.referent);
                }
            }
            if let (Some(held), Some(destination)) = (result, self.register(instruction, 0)) {
                registers.products.insert(destination, held);
            }
        }
    }

    /// Notes what an instruction reads. Returns the product that it leaves in its destination.
    fn instruction(&mut self, instruction: Instruction<'f>, registers: &Registers) -> Option<Held> {
        let is_plain = instruction.guard().is_none() && self.register(instruction, 0).is_some();
        let arithmetic = Arithmetic::of(instruction.mnemonic()).filter(|_| is_plain);
        let held = |operand: usize| {
            let held = *registers.products.get(&self.register(instruction, operand)?)?;
            let product = self.function.instruction(self.products[held.product].at);
            let product = Arithmetic::of(product.mnemonic())?;
            arithmetic.is_some_and(|it| it.takes(product)).then_some(held)
        };
        let ways = match arithmetic {
            Some(it) if it.is_sum() => [1, 2]
                .into_iter()
                .filter_map(|operand| Some(Way { operand: operand - 1, held: held(operand)? }))
                .collect(),
            _ => Vec::new(),
        };
        let copied = arithmetic.filter(|it| it.is_copy()).and_then(|it| {
            let held = held(1)?;
            Some(Held { is_negated: held.is_negated != it.negates(), ..held })
        });
        let is_sum = !ways.is_empty();
        for name in self
            .function
            .names_of(instruction)
            .filter(|name| matches!(name.role, Role::Read | Role::ReadWrite))
        {
            if !registers.written.contains(&name.referent) {
                self.read_across.insert(name.referent);
            }
            if let Some(read) = registers.products.get(&name.referent) {
                let is_way = ways.iter().any(|way| way.held.product == read.product);
                self.products[read.product].is_read_otherwise |= copied.is_none() && !is_way;
            }
        }
        if is_sum {
            self.sums.push(Sum { at: instruction.id(), ways });
        }
        let is_product = arithmetic.is_some_and(|it| it.is_product())
            && Text { function: self.function, text: self.text }.kept(0, instruction.id()).is_some();
        if is_product {
            self.products.push(Product { at: instruction.id(), is_read_otherwise: false });
            return Some(Held { product: self.products.len() - 1, is_negated: false });
        }
        copied
    }

    fn register(&self, instruction: Instruction<'_>, operand: usize) -> Option<ReferentId> {
        match instruction.operands().get(operand)? {
            Operand::Register { name, component: None } => Some(self.function.referent(*name)),
            _ => None,
        }
    }

    /// For each sum, the way in which ptxas fuses it: a product is fused with all sums that read it, or with none.
    fn usual(&self) -> Vec<Option<usize>> {
        let mut stays: Vec<bool> = self.products.iter().map(|product| product.is_read_otherwise).collect();
        loop {
            let first = |sum: &Sum| sum.ways.iter().position(|way| !stays[way.held.product]);
            let chosen: Vec<Option<usize>> = self.sums.iter().map(first).collect();
            let mut is_settled = true;
            for (sum, chosen) in self.sums.iter().zip(&chosen) {
                let others = sum.ways.iter().enumerate().filter(|(way, _)| Some(*way) != *chosen);
                for (_, Way { held, .. }) in others {
                    is_settled &= stays[held.product];
                    stays[held.product] = true;
                }
            }
            if is_settled {
                return chosen;
            }
        }
    }
}

/// The only block.
fn alone(mut blocks: impl Iterator<Item = BlockId>) -> Option<BlockId> {
    blocks.next().filter(|_| blocks.next().is_none())
}
