//! The missing declaration of a register: its type, and where to insert it.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, Instruction, MnemonicForms, Operand, SymbolKind, Type, TypeSet};
use warplens_ide_db::{Fix, TextEdit};

use crate::ptx::names::missing::Missing;

/// `%r<4>`, a range that is too small.
#[derive(Clone, Copy)]
pub(super) struct ShortRange {
    /// The `%r` of it.
    stem: TextRange,
    pub(super) count: u32,
}

impl ShortRange {
    /// The range of its number, if it is a plain one.
    pub(super) fn number(self, text: &str) -> Option<TextRange> {
        let after = text.get(usize::from(self.stem.end())..)?;
        let inside = after.strip_prefix('<')?;
        let digits = inside.len() - inside.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        inside[digits..].starts_with('>').then_some(())?;
        let start = self.stem.end() + TextSize::of('<');
        Some(TextRange::at(start, TextSize::new(u32::try_from(digits).ok()?)))
    }
}

pub(super) fn short_range(function: &Function, stem: &str) -> Option<ShortRange> {
    function.symbols().iter().find_map(|symbol| match symbol.kind {
        SymbolKind::RegisterRange { count, .. } if symbol.name == stem => {
            Some(ShortRange { stem: symbol.range, count })
        }
        _ => None,
    })
}

/// The size of a range that holds registers of these names.
pub(super) fn count_for(stem: &str, names: &[SmolStr]) -> Option<u32> {
    let number = |name: &SmolStr| name.strip_prefix(stem)?.parse::<u32>().ok();
    names.iter().filter_map(number).max()?.checked_add(1)
}

/// Inserts a declaration for registers of the type that their first use requires; `None` if it is not used as a
/// register. The item starts at `start` in its file.
pub(super) fn declaration(
    function: &Function,
    text: &str,
    Missing { stem, names, places }: &Missing,
    start: TextSize,
) -> Option<Fix> {
    let ty = type_of_use(function, places[0])?.name();
    let at = function.body?.start() + TextSize::of('{');
    let after = text.get(usize::from(at)..)?;
    let next_line = after.split_once('\n').map_or("", |(_, rest)| rest);
    let width = next_line.len() - next_line.trim_start_matches([' ', '\t']).len();
    let indent = if width == 0 { "\t".to_owned() } else { next_line[..width].to_owned() };
    let name = match count_for(stem, names) {
        Some(count) if names.len() > 1 => format!("{stem}<{count}>"),
        _ => names.first()?.to_string(),
    };
    let insert = format!("\n{indent}.reg .{ty} {name};");
    let edits = vec![TextEdit { range: TextRange::empty(at + start), insert }];
    Some(Fix { title: format!("Declare `.reg .{ty} {name}`"), edits, preferred: false })
}

fn type_of_use(function: &Function, name: TextRange) -> Option<Type> {
    let instruction = function.instruction_at(name.start())?;
    if instruction.guard().is_some_and(|guard| function.name(guard.name).range == name) {
        return Some(Type::Pred);
    }
    let place = (instruction.operands().iter()).position(|operand| holds(function, *operand, name))?;
    match instruction.operands()[place] {
        Operand::Address { .. } => Some(Type::B64),
        Operand::Pair(list)
            if function.operands(list).get(1).is_some_and(|it| holds(function, *it, name)) =>
        {
            Some(Type::Pred)
        }
        _ => of_form(instruction, place),
    }
}

fn of_form(instruction: Instruction<'_>, place: usize) -> Option<Type> {
    let MnemonicForms::Known(forms) = instruction.mnemonic().forms() else { return None };
    let rule = forms.iter().find_map(|form| form.operands.get(place))?;
    let registers = rule.registers.or_else(|| rule.ty.map(TypeSet::holding))?;
    let own = rule.ty.filter(|ty| registers.has(*ty));
    own.or_else(|| registers.types().next())
}

fn holds(function: &Function, operand: Operand, name: TextRange) -> bool {
    match operand {
        Operand::Register { name: id, .. } | Operand::Special { name: id, .. } | Operand::Symbol(id) => {
            function.name(id).range == name
        }
        Operand::Vector(list)
        | Operand::Arguments(list)
        | Operand::Pair(list)
        | Operand::Not(list)
        | Operand::Negated(list)
        | Operand::Address { parts: list, .. } => {
            function.operands(list).iter().any(|operand| holds(function, *operand, name))
        }
        Operand::Constant(_) | Operand::Sink | Operand::Missing => false,
    }
}
