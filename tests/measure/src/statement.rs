//! Generates statements from a form: every modifier of every slot occurs at least once, and each operand is valid.
//! `filling.rs` generates the operands.

use fastrand::Rng;
use warplens_isa::Version;
use warplens_isa::ptx::{self, Availability, Form, Instruction, Presence, Target, TargetRequirement};

use crate::filling::Filling;

/// A statement in parts, so that it can be mutated.
#[derive(Clone)]
pub(crate) struct Statement {
    pub(crate) entry: &'static Instruction,
    pub(crate) form: &'static Form,
    /// The words of each slot, with dots.
    pub(crate) filled: Vec<Option<String>>,
    pub(crate) operands: Vec<String>,
    /// Its requirements, all of which must be satisfied.
    pub(crate) gates: Vec<Availability>,
}

impl Statement {
    /// The statement on one line.
    pub(crate) fn text(&self) -> String {
        let words: String = self.filled.iter().flatten().map(String::as_str).collect();
        let fixed = self.entry.words.concat();
        let space = if self.operands.is_empty() { "" } else { " " };
        format!("{}{fixed}{words}{space}{};", self.entry.opcode, self.operands.join(", "))
    }

    /// A target of the newest version that supports the statement.
    pub(crate) fn target(&self, version: Version) -> Option<&'static Target> {
        const PREFERRED: [&str; 8] =
            ["sm_100a", "sm_90a", "sm_103a", "sm_107a", "sm_110a", "sm_120a", "sm_121a", "sm_75"];
        let available =
            |target: &&'static Target| self.gates.iter().all(|gate| satisfies(*gate, version, target));
        let removed = |target: &&'static Target| {
            self.form.removed.is_some_and(|need| version >= need.since && reaches(need.target, target))
        };
        PREFERRED.into_iter().filter_map(ptx::target).find(|target| available(target) && !removed(target))
    }
}

/// Whether a file for this version and target satisfies a requirement.
pub(crate) fn satisfies(gate: Availability, version: Version, target: &Target) -> bool {
    gate.0.is_empty() || gate.0.iter().any(|need| version >= need.since && reaches(need.target, target))
}

fn reaches(need: TargetRequirement, target: &Target) -> bool {
    let specific = target.name.ends_with('a');
    match need {
        TargetRequirement::Any => true,
        TargetRequirement::AtLeast(number) => target.number >= number,
        TargetRequirement::Exactly(number) => target.number == number && specific,
        TargetRequirement::Family(number) => {
            let family = ptx::target(&format!("sm_{number}")).and_then(|target| target.family);
            (specific || target.name.ends_with('f'))
                && target.number >= number
                && target.family.is_some()
                && target.family == family
        }
    }
}

/// At most `limit` statements of a form.
pub(crate) fn statements(
    entry: &'static Instruction,
    form: &'static Form,
    limit: usize,
    rng: &mut Rng,
) -> Vec<Statement> {
    let fillings = fillings(form, limit, rng);
    fillings.into_iter().map(|choice| statement(entry, form, &choice, rng)).collect()
}

/// The value of each slot. These are all combinations if there are few; otherwise each value with the first choice
/// of the other slots, and with random choices.
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
    let gates = std::iter::once(form.availability)
        .chain(values().flatten().map(|value| value.availability))
        .collect();
    let filling = Filling { form, chosen: values().collect() };
    let mut operands = Vec::new();
    for (place, operand) in form.operands.iter().enumerate() {
        match operand.presence {
            Presence::Optional if rng.bool() => break,
            Presence::With(slot) if filling.chosen[slot].is_none() => {}
            _ => operands.push(filling.sound(operand, place + 1, rng)),
        }
    }
    Statement { entry, form, filled, operands, gates }
}
