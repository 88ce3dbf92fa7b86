//! Checks that a register of a kernel can be exchanged for an unused one.

use smol_str::SmolStr;
use warplens_hir::wave::{Code, Name, Role, Value};
use warplens_ide_db::wave::{LABELS, wave_code};
use warplens_ide_db::{FilePosition, Named, items, module_uses};

use crate::rename_error::RenameError;

/// One or more consecutive registers of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Register {
    is_predicate: bool,
    index: u8,
}

const PREDICATES: u32 = 4;

impl Register {
    fn named(name: &str) -> Option<Register> {
        let is_predicate = name.starts_with('p');
        let number = name.strip_prefix(['r', 'p'])?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse().ok()).flatten().map(|index| Register { is_predicate, index })
    }

    fn of(name: &Name) -> Option<Register> {
        match name {
            Name::Register(index) => Some(Register { is_predicate: false, index: *index }),
            Name::Predicate(index) => Some(Register { is_predicate: true, index: *index }),
            Name::Kernel(_) | Name::Label(_) | Name::Special(_) => None,
        }
    }
}

pub(super) fn check(position: &FilePosition<'_>, named: &Named, name: &str) -> Result<(), RenameError> {
    let code = wave_code(position.db, position.item);
    let old = &position.text()[named.range];
    let from = Register::named(old).ok_or_else(|| RenameError::NotRegister(old.to_owned()))?;
    let to = Register::named(name).filter(|to| to.is_predicate == from.is_predicate).ok_or_else(|| {
        let (class, example) =
            if from.is_predicate { ("predicate", "p2") } else { ("general register", "r7") };
        RenameError::OtherClass { name: old.to_owned(), class, example }
    })?;
    if from == to {
        return Ok(());
    }
    check_exists(&code, to, name)?;
    check_width(&code, from, old)?;
    if code.names().iter().any(|found| Register::of(&found.name) == Some(to)) || is_part(&code, to) {
        return Err(RenameError::Taken { scope: "kernel already uses", name: name.to_owned() });
    }
    check_known(position, &code, old)
}

fn check_exists(code: &Code, to: Register, name: &str) -> Result<(), RenameError> {
    let count = if to.is_predicate { PREDICATES } else { code.resources.register_count() };
    if u32::from(to.index) < count {
        return Ok(());
    }
    let class = if to.is_predicate { "predicates" } else { "registers" };
    Err(RenameError::NoRegister { count, class, name: name.to_owned() })
}

/// A value in several registers can only be moved as a whole.
fn check_width(code: &Code, from: Register, old: &str) -> Result<(), RenameError> {
    let wide = operands(code).find(|(first, count)| *count > 1 && is_within(from, *first, *count));
    wide.map_or(Ok(()), |(first, count)| {
        let (first, count) = (u32::from(first), u32::from(count));
        Err(RenameError::PartOfValue { name: old.to_owned(), first, last: first + count - 1 })
    })
}

/// Whether a register is the upper part of a value, which is written as a lower register.
fn is_part(code: &Code, register: Register) -> bool {
    operands(code).any(|(first, count)| is_within(register, first, count))
}

fn is_within(register: Register, first: u8, count: u8) -> bool {
    !register.is_predicate && (first..first.saturating_add(count)).contains(&register.index)
}

/// The general registers that are operands: the first register of each operand, and their number.
fn operands(code: &Code) -> impl Iterator<Item = (u8, u8)> {
    let all = code.instructions.iter().flat_map(|instruction| &instruction.operands);
    all.filter_map(|operand| match operand.value {
        Value::Register { index, .. } => Some((index, operand.registers)),
        _ => None,
    })
}

/// Checks that nothing outside the kernel uses the register: not the launch, a callee or a caller.
fn check_known(position: &FilePosition<'_>, code: &Code, old: &str) -> Result<(), RenameError> {
    if is_set_before(code, position) {
        return Err(RenameError::SetByLaunch(old.to_owned()));
    }
    let own = |name: &SmolStr| code.labels.iter().any(|label| label.name == *name);
    let calls_out = module_uses(position.db, position.item)
        .iter()
        .any(|used| used.namespace == LABELS && !own(&used.name));
    let called_from_outside = || {
        let others = items(position.db, position.file).iter().filter(|item| **item != position.item);
        let mut uses = others.flat_map(|item| module_uses(position.db, *item));
        uses.any(|used| used.namespace == LABELS && own(&used.name))
    };
    if calls_out || called_from_outside() {
        return Err(RenameError::Shared(old.to_owned()));
    }
    Ok(())
}

/// Whether a general register is read before it is written, or is written in some lanes only.
fn is_set_before(code: &Code, position: &FilePosition<'_>) -> bool {
    let Some(name @ Name::Register(_)) = code.name_at(position.offset).map(|found| &found.name) else {
        return false;
    };
    let first = code.occurrences(name).next();
    let Some(at) = first.and_then(|first| code.instruction_at(first.range.start())) else { return false };
    let instruction = &code.instructions[at];
    let mut in_first =
        code.occurrences(name).take_while(|found| instruction.range.contains_range(found.range));
    instruction.guard.is_some() || in_first.any(|found| found.role != Role::Write)
}
