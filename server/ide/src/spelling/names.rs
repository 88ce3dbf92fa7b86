//! Registers under other names, throughout an item: a predicate for `p0`, whose guard the toolchain ignores, and registers below
//! `r32` for those above.

use text_size::TextRange;
use warplens_hir::wave::{Code, Name, Operand, Spares, Value};

use super::Edits;

/// What each predicate register is called from now on.
pub(crate) struct Names {
    predicates: [u8; 4],
}

/// The registers of toolchain 0.1.2.
const GENERAL: u8 = 32;

impl Names {
    /// Every register keeps its name.
    pub(super) fn same() -> Names {
        Names { predicates: [0, 1, 2, 3] }
    }

    /// No guard is `@p0`, if there is another register.
    pub(super) fn new(code: &Code) -> Names {
        let mut names = Names::same();
        if is_closed(code) && has_p0_guard(code) {
            names.replace_p0(&Spares::new(code));
        }
        names
    }

    fn replace_p0(&mut self, spares: &Spares<'_>) -> bool {
        let other = (1..4).find(|predicate| spares.never_named(*predicate));
        if let Some(other) = other {
            self.predicates[0] = other;
        }
        other.is_some()
    }

    /// What a predicate register is called.
    pub(super) fn of(&self, index: u8) -> u8 {
        self.predicates[usize::from(index & 3)]
    }
}

/// Whether no other item can run this one's code or read its registers.
fn is_closed(code: &Code) -> bool {
    code.labels.is_empty() && !code.names.iter().any(|name| matches!(name.name, Name::Label(_)))
}

fn has_p0_guard(code: &Code) -> bool {
    code.instructions.iter().filter_map(|it| it.guard).any(|guard| guard.predicate == 0 && !guard.negated)
}

/// The edits that call `p0` otherwise in the whole item, and what it is called then.
pub(crate) fn other_guard(code: &Code) -> Option<(u8, Edits)> {
    let mut names = Names::same();
    let possible = is_closed(code) && names.replace_p0(&Spares::new(code));
    let other = names.of(0);
    possible.then(|| (other, renaming(code, &Name::Predicate(0), &format!("p{other}"))))
}

/// The edits that call a high register otherwise in the whole item, and what it is called then.
pub(crate) fn other_register(code: &Code, range: TextRange) -> Option<(u8, Edits)> {
    let name = &code.names.iter().find(|name| name.range.start() == range.start())?.name;
    let Name::Register(high) = name else { return None };
    let alone = |operand: &Operand| match operand.value {
        Value::Register { index, .. } => {
            let stands_for = index..index.saturating_add(operand.registers);
            operand.registers == 1 || !stands_for.contains(high)
        }
        _ => true,
    };
    let all = code.instructions.iter().flat_map(|instruction| &instruction.operands);
    if !is_closed(code) || !all.clone().all(alone) {
        return None;
    }
    let count = code.resources.register_count().min(u32::from(GENERAL)) as u8;
    let is_named = |free: &u8| {
        all.clone().any(|operand| match operand.value {
            Value::Register { index, .. } => (index..index.saturating_add(operand.registers)).contains(free),
            _ => false,
        })
    };
    let free = (0..count).find(|free| !is_named(free))?;
    Some((free, renaming(code, name, &format!("r{free}"))))
}

fn renaming(code: &Code, name: &Name, other: &str) -> Edits {
    code.occurrences(name).map(|occurrence| (occurrence.range, other.to_owned())).collect()
}
