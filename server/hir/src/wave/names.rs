//! The occurrences of names in an item: its kernel, labels and registers. They follow from the instructions,
//! so they are listed only when a feature needs them; checks read the instructions.

use text_size::{TextRange, TextSize};

use super::model::{Code, Guard, Instruction, Name, NameRef, Operand, Role, Value};

impl Code {
    /// Every occurrence of a name, in text order.
    pub fn names(&self) -> &[NameRef] {
        self.names.0.get_or_init(|| {
            let mut names: Vec<NameRef> = Vec::with_capacity(self.instructions.len() * 3);
            names.extend(self.declarations());
            names.extend(self.bare_guards.iter().map(guard_name));
            names.extend(self.instructions.iter().flat_map(|instruction| instruction.names(self)));
            names.sort_by_key(|name| name.range.start());
            names
        })
    }

    /// The names that the whole file shares: the kernel, its labels, and the labels that it uses.
    pub fn shared_names(&self) -> Vec<NameRef> {
        let mut names: Vec<NameRef> = self.declarations().chain(self.label_uses()).collect();
        names.sort_by_key(|name| name.range.start());
        names
    }

    pub fn label_uses(&self) -> impl Iterator<Item = NameRef> {
        // Most code calls nothing.
        let instructions = if self.words.is_empty() { &[] } else { &self.instructions[..] };
        let names = instructions.iter().flat_map(|instruction| instruction.names(self));
        names.filter(|name| matches!(name.name, Name::Label(_)))
    }

    fn declarations(&self) -> impl Iterator<Item = NameRef> {
        let kernel = self.kernel_name();
        let kernel = kernel.map(|(name, range)| (Name::Kernel(name.clone()), *range));
        let labels = self.labels.iter().map(|label| (Name::Label(label.name.clone()), label.range));
        kernel.into_iter().chain(labels).map(|(name, range)| NameRef { range, name, role: Role::Declaration })
    }

    pub fn name_at(&self, offset: TextSize) -> Option<&NameRef> {
        let names = self.names();
        let after = names.partition_point(|name| name.range.start() <= offset);
        // If two occurrences touch each other at the offset, the later one wins.
        names[..after].last().filter(|name| name.range.end() >= offset)
    }

    pub fn occurrences<'c>(&'c self, name: &'c Name) -> impl Iterator<Item = &'c NameRef> {
        self.names().iter().filter(move |occurrence| occurrence.name == *name)
    }
}

impl Instruction {
    /// The names in the instruction, the guard's first.
    pub(super) fn names<'c>(&'c self, code: &'c Code) -> impl Iterator<Item = NameRef> + 'c {
        let operands = self.operands.iter().filter_map(|operand| operand_name(operand, code));
        self.guard.as_ref().map(guard_name).into_iter().chain(operands)
    }
}

fn guard_name(guard: &Guard) -> NameRef {
    NameRef { range: guard.register, name: Name::Predicate(guard.predicate), role: Role::Read }
}

fn operand_name(operand: &Operand, code: &Code) -> Option<NameRef> {
    let name = match operand.value {
        Value::Register { index, .. } => Name::Register(index),
        Value::Predicate { index, .. } => Name::Predicate(index),
        Value::Special(special) => Name::Special(special),
        Value::Label(word) => Name::Label(code.word(word).clone()),
        _ => return None,
    };
    let called = matches!(name, Name::Label(_)) && operand.role == Role::Read;
    let role = if called { Role::Call } else { operand.role };
    Some(NameRef { range: operand.name_range(), name, role })
}

impl Operand {
    /// The range of the name itself, without `!` and half.
    pub(super) fn name_range(&self) -> TextRange {
        match self.value {
            Value::Register { index, half: Some(_) } => {
                TextRange::at(self.range.start(), TextSize::new(digits(index) + 1))
            }
            Value::Predicate { negated: true, .. } => {
                TextRange::new(self.range.end() - TextSize::new(2), self.range.end())
            }
            _ => self.range,
        }
    }
}

fn digits(index: u8) -> u32 {
    index.checked_ilog10().map_or(1, |digits| digits + 1)
}
