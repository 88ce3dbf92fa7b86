//! Statements made from a form: every modifier of every slot at least once, and a sound operand in each place.

use fastrand::Rng;
use warplens_isa::Version;
use warplens_isa::ptx::{
    self, Form, FormOperand, Gate, Instruction, Length, OperandKind, OperandType, Target, TargetNeed,
    TypeKind,
};

use crate::scaffold::{declarable, register, variable};

/// A statement taken apart, so that it can be mutated.
#[derive(Clone)]
pub(crate) struct Statement {
    pub(crate) entry: &'static Instruction,
    pub(crate) form: &'static Form,
    /// What stands in each slot, with its dots.
    pub(crate) filled: Vec<Option<String>>,
    pub(crate) operands: Vec<String>,
    /// What it needs: all of these.
    pub(crate) gates: Vec<Gate>,
}

impl Statement {
    /// Its text on one line.
    pub(crate) fn text(&self) -> String {
        let words: String = self.filled.iter().flatten().map(String::as_str).collect();
        let fixed = self.entry.words.concat();
        let blank = if self.operands.is_empty() { "" } else { " " };
        format!("{}{fixed}{words}{blank}{};", self.entry.opcode, self.operands.join(", "))
    }

    /// A target of the newest version that has it.
    pub(crate) fn target(&self, version: Version) -> Option<&'static Target> {
        const PREFERRED: [&str; 8] =
            ["sm_100a", "sm_90a", "sm_103a", "sm_107a", "sm_110a", "sm_120a", "sm_121a", "sm_75"];
        let met = |target: &&'static Target| self.gates.iter().all(|gate| met(*gate, version, target));
        let removed = |target: &&'static Target| {
            self.form.removed.is_some_and(|need| version >= need.since && reaches(need.target, target))
        };
        PREFERRED.into_iter().filter_map(ptx::target).find(|target| met(target) && !removed(target))
    }
}

/// Whether a file for this version and target meets a gate.
pub(crate) fn met(gate: Gate, version: Version, target: &Target) -> bool {
    gate.0.is_empty() || gate.0.iter().any(|need| version >= need.since && reaches(need.target, target))
}

fn reaches(need: TargetNeed, target: &Target) -> bool {
    let specific = target.name.ends_with('a');
    match need {
        TargetNeed::Any => true,
        TargetNeed::AtLeast(number) => target.number >= number,
        TargetNeed::Exactly(number) => target.number == number && specific,
        TargetNeed::Family(number) => {
            let family = ptx::target(&format!("sm_{number}")).and_then(|target| target.family);
            (specific || target.name.ends_with('f'))
                && target.number >= number
                && target.family.is_some()
                && target.family == family
        }
    }
}

/// Up to so many statements of a form.
pub(crate) fn statements(
    entry: &'static Instruction,
    form: &'static Form,
    limit: usize,
    rng: &mut Rng,
) -> Vec<Statement> {
    let fillings = fillings(form, limit, rng);
    fillings.into_iter().map(|choice| statement(entry, form, &choice, rng)).collect()
}

/// Which value stands in each slot: all ways where they are few, else each value alone and among random others.
fn fillings(form: &Form, limit: usize, rng: &mut Rng) -> Vec<Vec<Option<usize>>> {
    let choices: Vec<Vec<Option<usize>>> = form
        .slots
        .iter()
        .map(|slot| {
            slot.optional.then_some(None).into_iter().chain((0..slot.values.len()).map(Some)).collect()
        })
        .collect();
    let total = choices.iter().try_fold(1_usize, |total, choice| total.checked_mul(choice.len()));
    if let Some(total) = total.filter(|total| *total <= limit) {
        return (0..total).map(|number| digits(number, &choices)).collect();
    }
    let mut found = Vec::new();
    for (slot, choice) in choices.iter().enumerate() {
        for value in choice {
            let mut least: Vec<_> = choices.iter().map(|choice| choice[0]).collect();
            let mut random = random(&choices, rng);
            (least[slot], random[slot]) = (*value, *value);
            found.extend([least, random]);
        }
    }
    while found.len() < limit {
        found.push(random(&choices, rng));
    }
    found
}

fn digits(mut number: usize, choices: &[Vec<Option<usize>>]) -> Vec<Option<usize>> {
    let digit = |choice: &Vec<Option<usize>>| {
        let digit = choice[number % choice.len()];
        number /= choice.len();
        digit
    };
    choices.iter().map(digit).collect()
}

fn random(choices: &[Vec<Option<usize>>], rng: &mut Rng) -> Vec<Option<usize>> {
    choices.iter().map(|choice| choice[rng.usize(..choice.len())]).collect()
}

fn statement(
    entry: &'static Instruction,
    form: &'static Form,
    choice: &[Option<usize>],
    rng: &mut Rng,
) -> Statement {
    let values =
        || form.slots.iter().zip(choice).map(|(slot, choice)| choice.map(|index| &slot.values[index]));
    let filled: Vec<_> = values().map(|value| value.map(|value| value.words.concat())).collect();
    let gates = std::iter::once(form.gate).chain(values().flatten().map(|value| value.gate)).collect();
    let mut operands = Vec::new();
    for (place, operand) in form.operands.iter().enumerate() {
        if operand.optional && rng.bool() {
            break;
        }
        operands.push(sound(operand, &filled, place + 1, rng));
    }
    Statement { entry, form, filled, operands, gates }
}

/// A sound operand.
fn sound(operand: &FormOperand, filled: &[Option<String>], place: usize, rng: &mut Rng) -> String {
    let text = bracketed(operand, filled, place).unwrap_or_else(|| plain(operand, filled, place, rng));
    match operand.second {
        Some((_, optional)) if !optional || rng.bool() => format!("{text}|{}", register("pred", place + 10)),
        _ => text,
    }
}

/// One in brackets that holds more than an address, or an address of a memory of its own.
fn bracketed(operand: &FormOperand, filled: &[Option<String>], place: usize) -> Option<String> {
    let has = |kind| operand.kinds.contains(&kind);
    let coordinates = |ty: &str, count: usize| {
        let registers: Vec<String> = (0..count).map(|index| register(ty, place * 20 + index)).collect();
        format!("{{{}}}", registers.join(","))
    };
    if has(OperandKind::Texture) || has(OperandKind::Surface) {
        let handle = if has(OperandKind::Texture) { "t_ref" } else { "surf_ref" };
        let Some((count, is_array)) = filled.iter().flatten().find_map(|word| geometry(word)) else {
            return Some(format!("[{handle}]"));
        };
        let mut types = filled.iter().flatten().filter(|word| matches!(word.as_str(), ".s32" | ".f32"));
        let ty = match types.next_back() {
            Some(ty) if has(OperandKind::Texture) => &ty[1..],
            _ => "b32",
        };
        let list = coordinates(ty, count);
        let list = if is_array { list.replacen(&register(ty, place * 20), "%b32_9", 1) } else { list };
        return Some(format!("[{handle}, {list}]"));
    }
    if has(OperandKind::TensorAddress) {
        let count = number(operand.length, filled).unwrap_or(2);
        return Some(format!("[%b64_9, {}]", coordinates("s32", count)));
    }
    if has(OperandKind::FabricAddress) {
        return Some("[%b32_9, %b64_9]".to_owned());
    }
    let is_tensor_memory = has(OperandKind::Address) && operand.ty == OperandType::Fixed("b32");
    is_tensor_memory.then(|| "[%b32_9]".to_owned())
}

/// How many coordinates a texture or surface of this shape has, and whether the first picks an element of an array.
fn geometry(word: &str) -> Option<(usize, bool)> {
    Some(match word.trim_start_matches('.') {
        "1d" => (1, false),
        "2d" => (2, false),
        "3d" | "cube" | "2dms" => (4, false),
        "a1d" => (2, true),
        "a2d" | "acube" | "a2dms" => (4, true),
        _ => return None,
    })
}

fn plain(operand: &FormOperand, filled: &[Option<String>], place: usize, rng: &mut Rng) -> String {
    let ty = type_of(operand.ty, filled);
    let braces = || {
        let has = |kind| operand.kinds.contains(&kind);
        has(OperandKind::Vector) && !has(OperandKind::Register)
    };
    let count = match operand.length {
        Length::One => None,
        Length::Any => Some(accumulators(filled, ty.as_deref()).unwrap_or(if rng.bool() { 2 } else { 4 })),
        length => number(length, filled).filter(|count| *count > 1 || braces()),
    };
    match count {
        Some(count) => {
            let registers: Vec<String> =
                (0..count).map(|index| value_register(ty.as_deref(), place * 20 + index)).collect();
            format!("{{{}}}", registers.join(","))
        }
        None => {
            let kind = operand.kinds[rng.usize(..operand.kinds.len())];
            of_kind(kind, operand, ty.as_deref(), place, rng)
        }
    }
}

/// As many registers as the N of `.m64nNkK` asks for.
fn accumulators(filled: &[Option<String>], ty: Option<&str>) -> Option<usize> {
    let columns = filled.iter().flatten().find_map(|word| word.strip_prefix(".m64n")?.split('k').next());
    let columns: usize = columns?.parse().ok()?;
    Some(columns / if ty == Some("f16x2") { 4 } else { 2 })
}

/// The type or state space that an operand has.
pub(crate) fn type_of(ty: OperandType, filled: &[Option<String>]) -> Option<String> {
    let chosen = |slot: usize| {
        let word = filled.get(slot)?.as_deref()?;
        Some(word.rsplit('.').next().unwrap_or(word).to_owned())
    };
    match ty {
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

/// The number that a length says, where it says one.
fn number(length: Length, filled: &[Option<String>]) -> Option<usize> {
    match length {
        Length::One | Length::Any => None,
        Length::Exactly(count) => Some(usize::from(count)),
        Length::Slot(slot, factor) => {
            let word = filled.get(slot)?.as_deref()?;
            let number: usize =
                word.rsplit(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()?;
            Some(number * usize::from(factor))
        }
    }
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

fn of_kind(
    kind: OperandKind,
    operand: &FormOperand,
    ty: Option<&str>,
    place: usize,
    rng: &mut Rng,
) -> String {
    match kind {
        OperandKind::Predicate => register("pred", place),
        OperandKind::NotPredicate => format!("!{}", register("pred", place)),
        OperandKind::Immediate => constant(operand, ty, rng),
        OperandKind::SpecialRegister => "%laneid".to_owned(),
        OperandKind::Vector => format!("{{{},{}}}", value_register(ty, place), value_register(ty, place + 1)),
        OperandKind::Sink => "_".to_owned(),
        OperandKind::Symbol => "g_var".to_owned(),
        OperandKind::Label | OperandKind::LabelAddress => "Lend".to_owned(),
        OperandKind::Texture => "t_ref".to_owned(),
        OperandKind::Surface => "surf_ref".to_owned(),
        OperandKind::Address => address(ty, place, rng),
        OperandKind::TensorAddress => "[%b64_9, {%b32_1,%b32_2}]".to_owned(),
        OperandKind::Register
        | OperandKind::Parameter
        | OperandKind::Sampler
        | OperandKind::FabricAddress => value_register(ty, place),
    }
}

fn constant(operand: &FormOperand, ty: Option<&str>, rng: &mut Rng) -> String {
    let ty = ty.and_then(|ty| ptx::type_(&format!(".{ty}")));
    match (operand.range, ty) {
        (Some((low, high)), _) => if rng.bool() { low } else { high }.to_string(),
        (None, Some(ty)) if ty.kind == TypeKind::Float && ty.bits == 64 => "0d3FF0000000000000".to_owned(),
        (None, Some(ty)) if ty.kind == TypeKind::Float => "0f3F800000".to_owned(),
        _ => ["0", "1", "7"][rng.usize(..3)].to_owned(),
    }
}

fn address(space: Option<&str>, place: usize, rng: &mut Rng) -> String {
    let register = format!("[{}]", register("b64", place));
    let Some((space, variable)) = space.and_then(|space| Some((space, variable(space)?))) else {
        return register;
    };
    let symbol = format!("[{variable}]");
    match space.split("::").next() {
        Some("param" | "const") => symbol,
        _ => rng.choice([register, symbol, format!("[{variable}+16]")]).unwrap_or_default(),
    }
}
