//! How the function of a statement uses its operands.

use std::ops::Range;

use rustc_hash::FxHashMap;
use warplens_hir::ptx::{Function, Instruction, NameRef, Role};
use warplens_host::Statement;
use warplens_isa::ptx as isa;

use super::encoding::placeholder;
use super::module::{Module, register};

/// A function of PTX with what the checks ask.
pub(super) struct Accesses<'m> {
    pub(super) function: &'m Function,
    pub(super) statement: &'m Statement,
    start: usize,
    module: &'m Module,
    operands: FxHashMap<String, usize>,
}

/// An instruction that names an operand.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) operand: usize,
    pub(super) role: Role,
    /// The number of the instruction.
    pub(super) instruction: usize,
    /// The placeholder in the host file.
    pub(super) range: Range<usize>,
    pub(super) is_guarded: bool,
}

impl<'m> Accesses<'m> {
    pub(super) fn new(
        function: &'m Function,
        start: usize,
        module: &'m Module,
        statement: &'m Statement,
    ) -> Accesses<'m> {
        let operands =
            (0..statement.operands.len()).map(|index| (register(statement, index), index)).collect();
        Accesses { function, statement, start, module, operands }
    }

    /// Whether the text and the operands of the statement are known.
    pub(super) fn is_certain(&self) -> bool {
        let is_known = |instruction: Instruction<'_>| !isa::by_opcode(instruction.opcode()).is_empty();
        self.module.uncertain.is_empty()
            && self.statement.knows_operands
            && self.function.instructions().all(is_known)
    }

    /// The operands that the instructions name, in text order.
    pub(super) fn all(&self) -> Vec<Access> {
        self.instructions().flat_map(|instruction| self.of(instruction)).collect()
    }

    /// The instructions of the template whose text is known.
    pub(super) fn instructions(&self) -> impl Iterator<Item = Instruction<'m>> + '_ {
        self.function.instructions().filter(|instruction| {
            let range = self.document(instruction.range());
            let is_inside = self.module.body.start <= range.start && range.start < self.module.body.end;
            is_inside && !self.module.uncertain.iter().any(|uncertain| uncertain.meets(&range))
        })
    }

    fn of(&self, instruction: Instruction<'m>) -> Vec<Access> {
        let names = self.function.names_of(instruction);
        names
            .filter_map(|name| {
                let operand = self.operand(&name)?;
                Some(Access {
                    operand,
                    role: name.role,
                    instruction: instruction.id().index(),
                    range: self.module.text.to_host(self.document(name.range))?,
                    is_guarded: instruction.guard().is_some(),
                })
            })
            .collect()
    }

    /// The operand that a name denotes.
    pub(super) fn operand(&self, name: &NameRef<'_>) -> Option<usize> {
        let range = self.document(name.range);
        self.operands.get(self.module.text.text.get(range)?).copied()
    }

    /// The part of the host file that a range of the function comes from.
    pub(super) fn host(&self, range: text_size::TextRange) -> Option<Range<usize>> {
        self.module.text.to_host(self.document(range))
    }

    /// The opcode of an instruction with its modifiers in the host file.
    pub(super) fn mnemonic(&self, instruction: Instruction<'_>) -> Option<Range<usize>> {
        let start = self.start + usize::from(instruction.opcode_range().start());
        let rest = self.module.text.text.get(start..)?;
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '_'))).unwrap_or(0);
        self.module.text.to_host(start..start + end)
    }

    fn document(&self, range: text_size::TextRange) -> Range<usize> {
        self.start + usize::from(range.start())..self.start + usize::from(range.end())
    }

    /// The operand as the host names it.
    pub(super) fn name(&self, operand: usize) -> String {
        let statement = self.statement;
        let expression = statement.operands[operand].expression.as_deref().filter(|text| text.len() <= 40);
        let written = placeholder(statement, operand);
        match expression {
            Some(expression) => format!("`{written}` (`{expression}`)"),
            None => format!("`{written}`"),
        }
    }
}
