//! Checks that a register of a kernel can be exchanged for an unused one.

use std::mem::discriminant;

use smol_str::SmolStr;
use warplens_hir::wave::{Code, Name, Role, Value};
use warplens_ide_db::wave::{LABELS, wave_code};
use warplens_ide_db::{FilePosition, Named, items, module_uses};

use crate::rename_error::RenameError;

const PREDICATES: u32 = 4;

fn register(name: &str) -> Option<Name> {
    let number = name.strip_prefix(['r', 'p'])?;
    let index = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())??;
    Some(if name.starts_with('p') { Name::Predicate(index) } else { Name::Register(index) })
}

pub(super) fn check(position: &FilePosition<'_>, named: &Named, name: &str) -> Result<(), RenameError> {
    let code = wave_code(position.db, position.item);
    let old = &position.text()[named.range];
    let from = register(old).ok_or_else(|| RenameError::NotRegister(old.to_owned()))?;
    let is_of_class = |to: &Name| discriminant(to) == discriminant(&from);
    let to = register(name).filter(is_of_class).ok_or_else(|| {
        let (class, example) = match from {
            Name::Predicate(_) => ("predicate", "p2"),
            _ => ("general register", "r7"),
        };
        RenameError::OtherClass { name: old.to_owned(), class, example }
    })?;
    if from == to {
        return Ok(());
    }
    check_exists(&code, &to, name)?;
    check_width(&code, &from, old)?;
    if code.names().iter().any(|found| found.name == to) || operands(&code, &to).next().is_some() {
        return Err(RenameError::Taken { scope: "kernel already uses", name: name.to_owned() });
    }
    check_known(position, &code, old)
}

fn check_exists(code: &Code, to: &Name, name: &str) -> Result<(), RenameError> {
    let (index, count, class) = match to {
        Name::Predicate(index) => (*index, PREDICATES, "predicates"),
        Name::Register(index) => (*index, code.resources.register_count(), "registers"),
        Name::Kernel(_) | Name::Label(_) | Name::Special(_) => return Ok(()),
    };
    if u32::from(index) < count {
        return Ok(());
    }
    Err(RenameError::NoRegister { count, class, name: name.to_owned() })
}

/// A value in several registers can only be moved as a whole.
fn check_width(code: &Code, from: &Name, old: &str) -> Result<(), RenameError> {
    let wide = operands(code, from).find(|(_, count)| *count > 1);
    wide.map_or(Ok(()), |(first, count)| {
        let (first, count) = (u32::from(first), u32::from(count));
        Err(RenameError::PartOfValue { name: old.to_owned(), first, last: first + count - 1 })
    })
}

/// The operands that a general register is a part of: the first register of each, and their number.
fn operands(code: &Code, register: &Name) -> impl Iterator<Item = (u8, u8)> {
    let all = code.instructions.iter().flat_map(|instruction| &instruction.operands);
    all.filter_map(move |operand| match (&operand.value, register) {
        (Value::Register { index: first, .. }, Name::Register(index)) => {
            let count = operand.registers;
            (*first..first.saturating_add(count)).contains(index).then_some((*first, count))
        }
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
