//! Statements made from the forms of the instruction tables, for tests that ask what is simulated of them.

use std::fmt::Write;

use warplens_isa::ptx::{self, Form, FormOperand, Instruction, Length, OperandKind, OperandType, TypeKind};

/// Statements of a form: each modifier of each slot at least once, and every kind of each operand now and then.
pub(crate) fn of_form(entry: &Instruction, form: &Form) -> Vec<String> {
    let choices: Vec<usize> =
        form.slots.iter().map(|slot| slot.values.len() + usize::from(slot.optional)).collect();
    let total = choices.iter().try_fold(1usize, |total, count| total.checked_mul(*count));
    let picks: Vec<Vec<usize>> = match total {
        Some(total) if total <= 64 => (0..total).map(|number| digits(number, &choices)).collect(),
        _ => covering(&choices),
    };
    let write = |(round, pick): (usize, &Vec<usize>)| statement(entry, form, pick, round);
    picks.iter().enumerate().map(write).collect()
}

/// A module with a kernel `k` around statements, one a line.
pub(crate) fn module(statements: &[String]) -> String {
    let mut text = String::from(".version 9.2\n.target sm_100a\n.address_size 64\n");
    for space in ["global", "const", "shared"] {
        let _ = writeln!(text, ".{space} .align 16 .b8 {space}_var[256];");
    }
    text += ".global .texref texture;\n.global .surfref surface;\n";
    text += ".visible .entry k(.param .b64 param_var) {\n.local .align 16 .b8 local_var[256];\n";
    for ty in declarable() {
        let _ = writeln!(text, ".reg .{ty} %{ty}_<{REGISTERS}>;");
    }
    text += "Ltable: .branchtargets Lend;\n";
    for statement in statements {
        let _ = writeln!(text, "{statement}");
    }
    text + "Lend:\nret;\n}\n"
}

const REGISTERS: usize = 300;

/// The types that registers are declared of, without dots.
fn declarable() -> Vec<&'static str> {
    let types = ptx::types().iter().filter(|ty| ty.storage.is_none() && ty.kind != TypeKind::Opaque);
    types.map(|ty| ty.name.trim_start_matches('.')).collect()
}

fn digits(mut number: usize, choices: &[usize]) -> Vec<usize> {
    let digit = |count: &usize| {
        let digit = number % count;
        number /= count;
        digit
    };
    choices.iter().map(digit).collect()
}

/// Each choice of each slot twice: with the first of all others, and with some others.
fn covering(choices: &[usize]) -> Vec<Vec<usize>> {
    let mut picks = Vec::new();
    for (slot, count) in choices.iter().enumerate() {
        for value in 0..*count {
            let mut least = vec![0; choices.len()];
            let number = (slot * 31 + value + 1) * 2_654_435_761;
            let mut mixed = digits(number, choices);
            (least[slot], mixed[slot]) = (value, value);
            picks.extend([least, mixed]);
        }
    }
    picks
}

fn statement(entry: &Instruction, form: &Form, pick: &[usize], round: usize) -> String {
    let filled: Vec<String> = (form.slots.iter().zip(pick))
        .map(|(slot, pick)| match (slot.optional, pick) {
            (true, 0) => String::new(),
            (optional, pick) => slot.values[pick - usize::from(optional)].words.concat(),
        })
        .collect();
    let mut operands = Vec::new();
    for (place, operand) in form.operands.iter().enumerate() {
        if operand.optional && round % 2 == 1 {
            break;
        }
        let text = Place { operand, filled: &filled, number: place + 1, round }.text();
        // A label that is an operand, rather than a place to go to, is that of a table.
        operands.push(if entry.opcode == "brx" && text == "Lend" { "Ltable".to_owned() } else { text });
    }
    let blank = if operands.is_empty() { "" } else { " " };
    format!("{}{}{}{blank}{};", entry.opcode, entry.words.concat(), filled.concat(), operands.join(", "))
}

/// A place for an operand.
struct Place<'f> {
    operand: &'f FormOperand,
    /// The modifiers of the statement, a slot each.
    filled: &'f [String],
    number: usize,
    /// Which of the possible kinds is written.
    round: usize,
}

impl Place<'_> {
    fn text(&self) -> String {
        let first = self.special().unwrap_or_else(|| self.plain());
        match self.operand.second {
            Some((_, optional)) if !optional || self.round.is_multiple_of(3) => {
                format!("{first}|{}", register("pred", self.number + 10))
            }
            _ => first,
        }
    }

    /// What stands in brackets and holds more than an address.
    fn special(&self) -> Option<String> {
        let has = |kind| self.operand.kinds.contains(&kind);
        if has(OperandKind::Texture) || has(OperandKind::Surface) {
            let handle = if has(OperandKind::Texture) { "texture" } else { "surface" };
            return Some(format!("[{handle}, {{%b32_1,%b32_2,%b32_3,%b32_4}}]"));
        }
        if has(OperandKind::TensorAddress) {
            return Some("[%b64_9, {%s32_1,%s32_2}]".to_owned());
        }
        if has(OperandKind::FabricAddress) {
            return Some("[%b32_9, %b64_9]".to_owned());
        }
        (has(OperandKind::Address) && self.operand.ty == OperandType::Fixed("b32"))
            .then(|| "[%b32_9]".to_owned())
    }

    fn plain(&self) -> String {
        let ty = self.ty();
        let braces = self.operand.kinds.contains(&OperandKind::Vector)
            && !self.operand.kinds.contains(&OperandKind::Register);
        let count = match self.operand.length {
            Length::One => None,
            Length::Any => Some(self.accumulators(ty.as_deref()).unwrap_or([2, 4][self.round % 2])),
            Length::Exactly(count) => Some(usize::from(count)).filter(|count| *count > 1 || braces),
            Length::Slot(slot, factor) => {
                number_in(&self.filled[slot]).map(|number| number * usize::from(factor))
            }
        };
        let value = |number| value_register(ty.as_deref(), self.number * 20 + number);
        match count.filter(|count| *count > 1 || braces) {
            Some(count) => format!("{{{}}}", (0..count).map(value).collect::<Vec<_>>().join(",")),
            None => {
                let kinds = self.operand.kinds;
                self.of_kind(kinds[(self.round + self.number) % kinds.len()], ty.as_deref())
            }
        }
    }

    /// As many registers as the N of `.m64nNkK` asks for.
    fn accumulators(&self, ty: Option<&str>) -> Option<usize> {
        let shape = self.filled.iter().find_map(|word| word.strip_prefix(".m64n")?.split('k').next())?;
        let columns: usize = shape.parse().ok()?;
        Some(columns / if ty == Some("f16x2") { 4 } else { 2 })
    }

    /// The type or state space that the operand has.
    fn ty(&self) -> Option<String> {
        let chosen = |slot: usize| {
            let word = self.filled.get(slot).filter(|word| !word.is_empty())?;
            Some(word.rsplit('.').next().unwrap_or(word).to_owned())
        };
        match self.operand.ty {
            OperandType::Unsaid => None,
            OperandType::Fixed(name) | OperandType::FixedAtLeast(name) => Some(name.to_owned()),
            OperandType::Slot(slot) | OperandType::AtLeast(slot) => chosen(slot),
            OperandType::Wide(slot) => {
                let name = chosen(slot)?;
                let bits = ptx::type_(&format!(".{name}"))?.bits;
                Some(format!("{}{}", &name[..1], u32::from(bits) * 2))
            }
        }
    }

    fn of_kind(&self, kind: OperandKind, ty: Option<&str>) -> String {
        match kind {
            OperandKind::Predicate => register("pred", self.number),
            OperandKind::NotPredicate => format!("!{}", register("pred", self.number)),
            OperandKind::Immediate => self.constant(ty),
            OperandKind::SpecialRegister => "%laneid".to_owned(),
            OperandKind::Vector => {
                format!("{{{},{}}}", value_register(ty, self.number), value_register(ty, self.number + 1))
            }
            OperandKind::Sink => "_".to_owned(),
            OperandKind::Symbol => "global_var".to_owned(),
            OperandKind::Label | OperandKind::LabelAddress => "Lend".to_owned(),
            OperandKind::Texture => "texture".to_owned(),
            OperandKind::Surface => "surface".to_owned(),
            OperandKind::Address => address(ty, self.number),
            OperandKind::TensorAddress => "[%b64_9, {%b32_1,%b32_2}]".to_owned(),
            _ => value_register(ty, self.number),
        }
    }

    fn constant(&self, ty: Option<&str>) -> String {
        let ty = ty.and_then(|ty| ptx::type_(&format!(".{ty}")));
        match (self.operand.range, ty) {
            (Some((low, high)), _) => [low, high][self.round % 2].to_string(),
            (None, Some(ty)) if ty.kind == TypeKind::Float && ty.bits == 64 => {
                "0d3FF0000000000000".to_owned()
            }
            (None, Some(ty)) if ty.kind == TypeKind::Float => "0f3F800000".to_owned(),
            _ => "1".to_owned(),
        }
    }
}

fn register(ty: &str, number: usize) -> String {
    format!("%{ty}_{}", number % REGISTERS)
}

/// A register that holds a value of the type.
fn value_register(ty: Option<&str>, number: usize) -> String {
    let Some(found) = ty.and_then(|ty| ptx::type_(&format!(".{ty}"))) else { return register("b32", number) };
    let own = found.name.trim_start_matches('.');
    if declarable().contains(&own) {
        return register(own, number);
    }
    let first = found.registers.first().map_or("b32", |name| name.trim_start_matches('.'));
    register(first, number)
}

fn address(space: Option<&str>, number: usize) -> String {
    match space.and_then(|space| space.split("::").next()) {
        Some(space @ ("param" | "const")) => format!("[{space}_var]"),
        _ => format!("[{}]", register("b64", number)),
    }
}

fn number_in(word: &str) -> Option<usize> {
    word.rsplit(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}
