//! A kernel that the lints check: its branches, and analyses that run when a lint needs them.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use text_size::{TextRange, TextSize};
use warplens_hir::Variance;
use warplens_hir::wave::{Accepts, Cell, Code, Instruction, Link, Liveness, Operand, Uniformity, Value};

use crate::lints::layout::{Rewrite, is_alone_on_line};
use crate::wave::dialect::Dialect;

/// A kernel whose constructs match.
pub(super) struct Kernel<'c> {
    pub(super) code: &'c Code,
    pub(super) text: &'c str,
    pub(super) accepts: Accepts,
    dialect: OnceCell<Dialect>,
    uniformity: OnceCell<Uniformity<'c>>,
    live: OnceCell<Liveness>,
    registers: OnceCell<Registers>,
}

/// An `if` with its `else` and `endif`; no label is inside.
pub(super) struct Branch {
    pub(super) at: usize,
    pub(super) otherwise: Option<usize>,
    pub(super) end: usize,
    pub(super) predicate: u8,
    pub(super) negated: bool,
}

impl Branch {
    /// The instructions of the taken path: the predicate of the `if` is true as written.
    pub(super) fn then(&self) -> std::ops::Range<usize> {
        self.at + 1..self.otherwise.unwrap_or(self.end)
    }
}

impl<'c> Kernel<'c> {
    pub(super) fn new(code: &'c Code, text: &'c str, accepts: Accepts) -> Kernel<'c> {
        let (dialect, uniformity) = (OnceCell::new(), OnceCell::new());
        let (live, registers) = (OnceCell::new(), OnceCell::new());
        Kernel { code, text, accepts, dialect, uniformity, live, registers }
    }

    pub(super) fn instruction(&self, at: usize) -> &'c Instruction {
        &self.code.instructions[at]
    }

    /// The range of an instruction, without the white space after it.
    pub(super) fn range(&self, at: usize) -> TextRange {
        let range = self.instruction(at).range;
        TextRange::at(range.start(), TextSize::of(self.words(range)))
    }

    pub(super) fn words(&self, range: TextRange) -> &'c str {
        self.text[range].trim_end()
    }

    pub(super) fn branch(&self, at: usize) -> Option<Branch> {
        let Some(Link::If { otherwise, end: Some(end) }) = self.code.links[at] else { return None };
        let (predicate, negated) = self.predicate(at)?;
        let (otherwise, end) = (otherwise.map(|at| at as usize), end as usize);
        let branch = Branch { at, otherwise, end, predicate, negated };
        let structure = [Some(at), otherwise, Some(end)];
        let alone = structure.into_iter().flatten().all(|at| self.is_alone_on_line(at));
        (alone && !self.has_label(at + 1, end)).then_some(branch)
    }

    /// The predicate that an unguarded `if`, `break` or `continue` reads, and whether as `!p`.
    pub(super) fn predicate(&self, at: usize) -> Option<(u8, bool)> {
        let instruction = self.instruction(at);
        match &instruction.operands[..] {
            [operand] if instruction.guard.is_none() && instruction.complete => match operand.value {
                Value::Predicate { index, negated } => Some((index, negated)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether one of these instructions is a call target.
    pub(super) fn has_label(&self, first: usize, last: usize) -> bool {
        let labels = &self.code.labels;
        let next = labels.partition_point(|label| (label.before as usize) < first);
        labels.get(next).is_some_and(|label| label.before as usize <= last)
    }

    pub(super) fn is_alone_on_line(&self, at: usize) -> bool {
        is_alone_on_line(self.text, self.range(at), &[";", "#"])
    }

    /// Whether an instruction is provably not divergent.
    pub(super) fn is_uniform(&self, at: usize) -> bool {
        self.uniformity.get_or_init(|| Uniformity::of(self.code)).branch(at) == Variance::Uniform
    }

    /// Whether the value of a predicate before an instruction may still be read.
    pub(super) fn is_live(&self, at: usize, predicate: u8) -> bool {
        self.live.get_or_init(|| Liveness::of(self.code)).before(at, Cell::Predicate(predicate))
    }

    pub(super) fn dialect(&self) -> Dialect {
        *self.dialect.get_or_init(|| match self.accepts {
            Accepts::Guide => Dialect::Guide,
            Accepts::Toolchain => Dialect::Toolchain,
            Accepts::Both => dialect(self.code),
        })
    }

    pub(super) fn rewrite(&self) -> Rewrite<'c> {
        Rewrite::new(self.text)
    }

    /// A general register that the kernel does not use, and no function that it calls may use.
    pub(super) fn free_register(&self) -> Option<u8> {
        let most = match self.dialect() {
            Dialect::Guide => 255,
            Dialect::Toolchain => 32,
        };
        let count = self.code.resources.register_count().min(most);
        let registers = self.registers();
        let is_free = |index: &u8| !registers.named[usize::from(*index)];
        let beyond = registers.named.iter().rposition(|named| *named).map_or(0, |last| last as u8 + 1);
        let mut free = (beyond..count as u8).chain(0..beyond).filter(is_free);
        free.next().filter(|_| !registers.shared)
    }

    pub(super) fn is_written_before(&self, at: usize, register: u8) -> bool {
        self.registers().first_write[usize::from(register)] < at
    }

    fn registers(&self) -> &Registers {
        self.registers.get_or_init(|| Registers::of(self.code))
    }

    /// The predicate that can hold the conjunction of two: one of them that is not read after the construct ends with `end`,
    /// or an unused one. In `body` they are read while both are true as written.
    pub(super) fn target(&self, both: [(u8, bool); 2], body: usize, end: usize) -> Option<u8> {
        let fits = |(index, negated): (u8, bool)| {
            !(self.is_live(end + 1, index) || negated && self.is_live(body, index))
        };
        let of_both = both.into_iter().rev().find(|one| fits(*one)).map(|(index, _)| index);
        let is_free = |index: &u8| {
            both.iter().all(|(taken, _)| taken != index)
                && !self.is_live(end + 1, *index)
                && !self.is_live(body, *index)
        };
        of_both.or_else(|| (0..4).find(is_free))
    }
}

/// How a kernel uses its general registers.
struct Registers {
    named: [bool; 256],
    first_write: [usize; 256],
    /// Whether it calls a function of another item, which may use any.
    shared: bool,
}

impl Registers {
    fn of(code: &Code) -> Registers {
        let mut registers = Registers { named: [false; 256], first_write: [usize::MAX; 256], shared: false };
        let labels: FxHashSet<_> = code.labels.iter().map(|label| &label.name).collect();
        for (at, instruction) in code.instructions.iter().enumerate() {
            let is_far = |operand: &Operand| matches!(operand.value, Value::Label(word) if !labels.contains(code.word(word)));
            registers.shared |= instruction.operands.iter().any(is_far);
            for cell in instruction.reads() {
                if let Cell::General(index) = cell {
                    registers.named[usize::from(index)] = true;
                }
            }
            for cell in instruction.writes() {
                if let Cell::General(index) = cell {
                    registers.named[usize::from(index)] = true;
                    let first = &mut registers.first_write[usize::from(index)];
                    *first = at.min(*first);
                }
            }
        }
        registers
    }
}

/// The dialect of a kernel: the toolchain's if it uses some of its names and none of the guide's.
fn dialect(code: &Code) -> Dialect {
    let mut toolchain = false;
    for instruction in &code.instructions {
        let name = instruction.name();
        if name.contains('.') && instruction.mnemonic == name {
            return Dialect::Guide;
        }
        toolchain |= instruction.mnemonic != name;
    }
    if toolchain { Dialect::Toolchain } else { Dialect::Guide }
}

/// A predicate as an operand.
pub(super) fn written((index, negated): (u8, bool)) -> String {
    format!("{}p{index}", if negated { "!" } else { "" })
}
