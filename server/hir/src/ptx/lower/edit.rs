//! A function after an edit of some instructions, or of its name: only these are lowered. The tables of a long function have to be
//! renumbered after them, but that takes a small part of the time of lowering it.
//!
//! The result equals that of lowering the whole, except that its tables may have mnemonics, constants and registers that nothing uses
//! any more, and that new ones are last.

mod renamed;

use std::ops::Range;
use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_syntax::SyntaxKind::{self, *};
use warplens_syntax::{Node, NodeOrToken, Replaced, TreeEdit};

use super::body::Body;
use super::scopes::Scopes;
use crate::ptx::model::{
    Constant, ConstantId, Function, Guard, InstructionData, InstructionId, Mnemonic, MnemonicId, Name,
    NameId, Operand, OperandList, Parts, Referent, ReferentId, Role, Signature, SymbolKind,
};

/// After so many edits a function is lowered as a whole, so that its tables do not grow without limit.
const EDITS: u32 = 256;

impl Function {
    /// The function after an edit that led to the tree of this item; `None` if it has to be lowered as a whole. If nothing else holds the
    /// function before the edit, its memory is used again.
    pub fn lower_edit(before: Arc<Function>, item: Node<'_>, edit: &TreeEdit) -> Option<Function> {
        if before.edits == EDITS || before.body.is_none() {
            return None;
        }
        match &edit.replaced {
            Replaced::Name => Function::renamed(before, item, edit),
            Replaced::Statements(kinds) if kinds.iter().all(|kind| PLAIN.contains(kind)) => {
                Function::with_statements(before, item, edit)
            }
            Replaced::Statements(_) => None,
        }
    }

    /// The function with other instructions.
    fn with_statements(before: Arc<Function>, item: Node<'_>, edit: &TreeEdit) -> Option<Function> {
        let statements = plain_statements(item, edit.new)?;
        let ranges = TableRanges::find(&before.parts, edit.old)?;
        let mut function = Arc::unwrap_or_clone(before);
        let Function { parts, signature, .. } = &mut function;
        let outside = outside(&parts.referents, &parts.names[ranges.names.clone()]);
        let scope = scope_around(parts, edit.old);
        let scopes = Scopes::reopen(parts, signature, edit.old.start(), scope, words(&statements));
        let mut body = Body { scopes, ..Body::default() };
        statements.into_iter().for_each(|statement| body.statement(statement));
        body.scopes.find_forward(signature);
        // Which names the module has to declare, and their order, follow from all of the function.
        if self::outside(&body.scopes.referents, &body.scopes.names) != outside {
            return None;
        }
        let shift = Shift::of(&ranges, edit, &body);
        parts.splice(body, &ranges, &shift);
        function.body = function.body.map(|range| shift.edit.range(range));
        function.edits += 1;
        Some(function)
    }
}

/// The statements that add nothing to the tables but instructions and the names in them.
const PLAIN: [SyntaxKind; 2] = [INSTRUCTION, ERROR];

/// The statements in a range, if all are plain.
fn plain_statements(item: Node<'_>, range: TextRange) -> Option<Vec<Node<'_>>> {
    let mut around = item.child(FUNCTION)?.child(BLOCK)?;
    let mut found = Vec::new();
    loop {
        // A block around the range, or a chunk with the range, which may be all of it.
        let holds = |node: &Node<'_>| match node.kind() {
            CHUNK => node.range().contains_range(range),
            BLOCK => node.range().start() < range.start() && range.end() < node.range().end(),
            _ => false,
        };
        match around.nodes().find(holds) {
            Some(inner) => around = inner,
            None => break,
        }
    }
    for node in around.nodes().skip_while(|node| node.range().start() < range.start()) {
        if node.range().start() >= range.end() {
            break;
        }
        if !PLAIN.contains(&node.kind()) {
            return None;
        }
        found.push(node);
    }
    Some(found)
}

/// The words that may be names in statements.
fn words<'a>(statements: &[Node<'a>]) -> impl Iterator<Item = &'a str> {
    let nodes = statements.iter().flat_map(|statement| statement.descendants());
    let tokens = nodes.flat_map(Node::elements).filter_map(NodeOrToken::into_token);
    tokens.filter(|token| token.kind == IDENT).map(|token| token.text)
}

/// The names that the function does not declare, with their roles: a branch target is looked for until the end of the function.
fn outside(referents: &[Referent], names: &[Name]) -> Vec<(ReferentId, Role)> {
    let is_outside = |(id, _): &(ReferentId, Role)| {
        matches!(referents[id.index()], Referent::Special(_) | Referent::External(_))
    };
    names.iter().map(|name| (name.referent(), name.role())).filter(is_outside).collect()
}

/// The innermost scope that is open in a range between two statements.
fn scope_around(parts: &Parts, range: TextRange) -> crate::ptx::ScopeId {
    let holds =
        |scope: &crate::ptx::Scope| scope.range.start() < range.start() && range.end() < scope.range.end();
    let innermost = parts.scopes.iter().rposition(holds).unwrap_or(0);
    crate::ptx::ScopeId::new(innermost)
}

/// The entries of some statements in the tables of a function.
struct TableRanges {
    instructions: Range<usize>,
    operands: Range<usize>,
    lists: Range<usize>,
    names: Range<usize>,
    problems: Range<usize>,
}

impl TableRanges {
    /// The entries of the statements in this range; `None` where they cannot be distinguished from those of others.
    fn find(parts: &Parts, range: TextRange) -> Option<TableRanges> {
        fn within<T>(table: &[T], range: TextRange, start: impl Fn(&T) -> TextSize) -> Range<usize> {
            table.partition_point(|entry| start(entry) < range.start())
                ..table.partition_point(|entry| start(entry) < range.end())
        }
        let instructions = within(&parts.instructions, range, |instruction| instruction.range.start());
        // Operands follow each other in the order of their instructions, nested ones first.
        let end = |index: usize| match index.checked_sub(1) {
            Some(last) => parts.instructions[last].operands_end(),
            None => Some(0),
        };
        let operands = end(instructions.start)?..end(instructions.end)?;
        let list = |operand: usize| parts.lists.partition_point(|list| list.range().start < operand);
        // Source positions name the instruction after them, which is another one if there was none between.
        let next = InstructionId::new(instructions.end);
        if instructions.is_empty() && parts.locations.iter().any(|location| location.first == next) {
            return None;
        }
        Some(TableRanges {
            lists: list(operands.start)..list(operands.end),
            names: within(&parts.names, range, |name| name.start),
            problems: within(&parts.problems, range, |problem| problem.range.start()),
            instructions,
            operands,
        })
    }
}

/// How far what comes after the edited statements moves: in the text, and in each table.
struct Shift<'e> {
    edit: &'e TreeEdit,
    /// From these entries on.
    instruction: usize,
    name: usize,
    instructions: isize,
    operands: isize,
    lists: isize,
    names: isize,
}

impl<'e> Shift<'e> {
    fn of(ranges: &TableRanges, edit: &'e TreeEdit, new: &Body<'_>) -> Shift<'e> {
        let more = |new: usize, old: &Range<usize>| new as isize - old.len() as isize;
        Shift {
            edit,
            instruction: ranges.instructions.end,
            name: ranges.names.end,
            instructions: more(new.instructions.len(), &ranges.instructions),
            operands: more(new.operands.len(), &ranges.operands),
            lists: more(new.lists.len(), &ranges.lists),
            names: more(new.scopes.names.len(), &ranges.names),
        }
    }

    fn name(&self, name: NameId) -> NameId {
        if name.index() < self.name {
            name
        } else {
            NameId::new(name.index().wrapping_add_signed(self.names))
        }
    }

    fn instruction(&self, id: InstructionId) -> InstructionId {
        InstructionId::new(id.index().wrapping_add_signed(self.instructions))
    }

    /// An operand after the statements.
    fn operand(&self, operand: Operand) -> Operand {
        let name = |name: NameId| NameId::new(name.index().wrapping_add_signed(self.names));
        let list = |list: OperandList| OperandList((list.0 as usize).wrapping_add_signed(self.lists) as u32);
        operand.mapped(name, list, |constant| constant)
    }

    fn signature(&self, signature: &mut Signature) {
        for parameter in signature.returns.iter_mut().chain(&mut signature.params) {
            parameter.range = self.edit.range(parameter.range);
            parameter.name_range = self.edit.range(parameter.name_range);
        }
        for directive in &mut signature.directives {
            directive.range = self.edit.range(directive.range);
        }
    }
}

impl Parts {
    /// Replaces the entries of the edited statements by new ones, and moves those after them.
    fn splice(&mut self, new: Body<'_>, ranges: &TableRanges, shift: &Shift<'_>) {
        self.shift(ranges, shift);
        let mnemonics = self.merge_mnemonics(new.mnemonics.finish());
        let constants = self.merge_constants(&new.constants);
        let name = |name: NameId| NameId::new(name.index() + ranges.names.start);
        let list = |list: OperandList| OperandList(list.0 + ranges.lists.start as u32);
        let operand = |operand: Operand| operand.mapped(name, list, |constant| constants[constant.index()]);
        let guard = |guard: Guard| Guard { name: name(guard.name), ..guard };
        let instruction = |instruction: InstructionData| {
            let operands = instruction.operands();
            let first = operands.start + ranges.operands.start;
            InstructionData::new(
                instruction.range,
                instruction.opcode_start,
                mnemonics[instruction.mnemonic.index()],
                first..first + operands.len(),
                instruction.guard().map(guard),
            )
        };
        let lists = new.lists.iter().map(|list| list.moved(ranges.operands.start as isize));
        let mut problems = new.problems;
        problems.sort_by_key(|problem| problem.range.start());
        replace(&mut self.instructions, &ranges.instructions, new.instructions.into_iter().map(instruction));
        replace(&mut self.operands, &ranges.operands, new.operands.into_iter().map(operand));
        replace(&mut self.lists, &ranges.lists, lists);
        replace(&mut self.names, &ranges.names, new.scopes.names.into_iter());
        replace(&mut self.problems, &ranges.problems, problems.into_iter());
        self.scopes = new.scopes.scopes.into();
        self.symbols = new.scopes.symbols.into();
        self.referents = new.scopes.referents.into();
        self.words = new.scopes.words.into();
        self.shift_declarations(shift);
    }

    /// Moves the scopes and the symbols.
    fn shift_declarations(&mut self, shift: &Shift<'_>) {
        self.scopes.iter_mut().for_each(|scope| scope.range = shift.edit.range(scope.range));
        for symbol in &mut self.symbols {
            let is_after = symbol.range.start() >= shift.edit.old.end();
            symbol.range = shift.edit.range(symbol.range);
            match &mut symbol.kind {
                SymbolKind::Label { target } if is_after => *target = shift.instruction(*target),
                SymbolKind::Table { targets, .. } => {
                    targets.iter_mut().for_each(|target| *target = shift.name(*target))
                }
                SymbolKind::Prototype(signature) => shift.signature(signature),
                _ => {}
            }
        }
    }

    /// Moves the entries after the edited statements.
    fn shift(&mut self, ranges: &TableRanges, shift: &Shift<'_>) {
        for instruction in &mut self.instructions[ranges.instructions.end..] {
            let operands = instruction.operands();
            let first = operands.start.wrapping_add_signed(shift.operands);
            let guard = instruction.guard().map(|guard| Guard { name: shift.name(guard.name), ..guard });
            *instruction = InstructionData::new(
                shift.edit.range(instruction.range),
                shift.edit.offset(instruction.opcode_start),
                instruction.mnemonic,
                first..first + operands.len(),
                guard,
            );
        }
        if shift.names != 0 || shift.lists != 0 {
            for operand in &mut self.operands[ranges.operands.end..] {
                *operand = shift.operand(*operand);
            }
        }
        for list in &mut self.lists[ranges.lists.end..] {
            *list = list.moved(shift.operands);
        }
        for name in &mut self.names[ranges.names.end..] {
            name.start = shift.edit.offset(name.start);
        }
        // Those of the edited statements are replaced.
        let (before, others) = self.problems.split_at_mut(ranges.problems.start);
        for problem in before.iter_mut().chain(&mut others[ranges.problems.len()..]) {
            problem.range = shift.edit.range(problem.range);
        }
        for location in &mut self.locations {
            if location.first.index() >= shift.instruction {
                location.first = shift.instruction(location.first);
            }
        }
    }

    /// The ids of mnemonics here, new ones added.
    fn merge_mnemonics(&mut self, new: Box<[Mnemonic]>) -> Vec<MnemonicId> {
        let mut known = std::mem::take(&mut self.mnemonics).into_vec();
        let ids = new.into_iter().map(|mnemonic| {
            let found = known.iter().position(|known| *known == mnemonic);
            MnemonicId::new(found.unwrap_or_else(|| {
                known.push(mnemonic);
                known.len() - 1
            }))
        });
        let ids = ids.collect();
        self.mnemonics = known.into();
        ids
    }

    /// The ids of constants here, new ones added.
    fn merge_constants(&mut self, new: &[Constant]) -> Vec<ConstantId> {
        let mut known = std::mem::take(&mut self.constants).into_vec();
        let ids = new.iter().map(|constant| {
            let found = known.iter().position(|known| known == constant);
            ConstantId::new(found.unwrap_or_else(|| {
                known.push(*constant);
                known.len() - 1
            }))
        });
        let ids = ids.collect();
        self.constants = known.into();
        ids
    }
}

fn replace<T>(table: &mut Box<[T]>, range: &Range<usize>, new: impl Iterator<Item = T>) {
    let mut entries = std::mem::take(table).into_vec();
    entries.splice(range.clone(), new);
    *table = entries.into();
}
