//! The dialect that a text is checked against, and departures from it.
//!
//! A [`Departure`] is either valid according to the guide but rejected or miscompiled by toolchain 0.1.2, or
//! it is syntax that only the toolchain accepts. Code that neither accepts is a [`Problem`] in every dialect.
//! The fixes are in the `ide` crate.

#[cfg(test)]
mod tests;

use text_size::TextRange;
use warplens_isa::wave::Availability;

use self::DepartureKind as Kind;
use super::model::{Code, Entry, Instruction, Link, Value};
use super::problem::{Problem, ProblemKind};
use crate::severity::Severity;

const LAST_REGISTER: u8 = 31;
/// The last register that the toolchain encodes correctly as the false source of a `select`.
const LAST_FALSE_SOURCE: u8 = 15;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Accepts {
    /// Both dialects, mixed.
    #[default]
    Both,
    /// The guide's dialect. Hints report syntax that only the toolchain accepts.
    Guide,
    /// The part of the language that toolchain 0.1.2 (the crates) assembles and runs correctly.
    Toolchain,
}

impl Accepts {
    /// All dialects with their names in settings.
    pub const NAMES: [(&'static str, Accepts); 3] =
        [("both", Accepts::Both), ("guide", Accepts::Guide), ("toolchain-0.1.2", Accepts::Toolchain)];

    pub fn named(name: &str) -> Option<Accepts> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, accepts)| *accepts)
    }
}

impl Problem {
    /// The severity in a dialect; `None` if the dialect allows it.
    pub fn severity_in(&self, accepts: Accepts) -> Option<Severity> {
        match (&self.kind, accepts) {
            (ProblemKind::MissingScope { fence: false }, Accepts::Toolchain) => Some(Severity::Error),
            (
                ProblemKind::MissingScope { fence: false } | ProblemKind::GuardP0 | ProblemKind::IgnoredHalf,
                Accepts::Guide,
            ) => None,
            _ => Some(self.severity()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The index in [`Code`] of the instruction, or of the `.workgroup_size` for
    /// [`DepartureKind::ShortSize`].
    pub at: usize,
    /// The range of the offending word, relative to the item.
    pub range: TextRange,
    pub kind: DepartureKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DepartureKind {
    /// The guide's name of an instruction that the toolchain calls by this name.
    GuideName(&'static str),
    /// The toolchain's name of an instruction that the guide calls by this name.
    ToolchainName(&'static str),
    /// An instruction that the toolchain does not have.
    Absent(Entry),
    /// A special register that the toolchain does not have.
    AbsentSpecial,
    /// A number outside `mov_imm`.
    Immediate,
    NegatedPredicate,
    /// `and`, `or`, `xor` or `not` on predicates.
    PredicateLogic,
    /// The scope of an atomic, written as a suffix.
    ScopeSuffix,
    /// `r32` or above.
    HighRegister,
    /// A `.workgroup_size` with fewer than three numbers.
    ShortSize,
    /// A float in `mov_imm`. The toolchain takes half of its double.
    FloatLiteral,
    /// A conversion between integers and floats. The toolchain converts in the opposite direction.
    BackwardConversion,
    /// `r16` or above as the false source of a `select`.
    HighFalseSource,
    /// A compare-and-swap, which the toolchain turns into an addition.
    CompareAndSwap,
    /// `continue`, which loses lanes and hangs.
    Continue,
    /// A `break` inside an `if`. Its lanes continue after the `endif`.
    BreakInIf,
    /// A `halt` or `return` under divergence. It either ends all lanes, or lets the ended lanes continue.
    PartialEnd,
    /// More registers than the toolchain has.
    ManyRegisters,
}

impl Departure {
    /// A stable name for the diagnostic.
    pub fn code(&self) -> &'static str {
        self.rule().0
    }

    /// An error if the toolchain rejects it, a warning if the toolchain miscompiles it, a hint if only the
    /// toolchain accepts it.
    pub fn severity(&self) -> Severity {
        self.rule().1
    }

    fn rule(&self) -> (&'static str, Severity) {
        match self.kind {
            Kind::ToolchainName(_) => ("toolchain-spelling", Severity::Hint),
            Kind::FloatLiteral
            | Kind::BackwardConversion
            | Kind::HighFalseSource
            | Kind::CompareAndSwap
            | Kind::Continue
            | Kind::BreakInIf
            | Kind::PartialEnd
            | Kind::ManyRegisters => ("toolchain-fault", Severity::Warning),
            _ => ("not-in-toolchain", Severity::Error),
        }
    }
}

/// The departures of an item from the chosen dialect, in instruction order.
pub fn departures(code: &Code, accepts: Accepts) -> Vec<Departure> {
    let mut search = Search { code, found: Vec::new(), high: [false; 256] };
    let each = match accepts {
        Accepts::Both => return Vec::new(),
        Accepts::Guide => Search::guide,
        Accepts::Toolchain => Search::toolchain,
    };
    (0..code.instructions.len()).for_each(|at| each(&mut search, at));
    if accepts == Accepts::Toolchain {
        search.directives();
    }
    search.found.sort_by_key(|departure| departure.range.start());
    search.found
}

struct Search<'c> {
    code: &'c Code,
    found: Vec<Departure>,
    /// The registers beyond the toolchain's last one that have been found. Each is reported once.
    high: [bool; 256],
}

impl Search<'_> {
    fn say(&mut self, at: usize, range: TextRange, kind: DepartureKind) {
        self.found.push(Departure { at, range, kind });
    }

    fn guide(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        if let Some(entry) = instruction.entry
            && entry.mnemonic != instruction.mnemonic
        {
            self.say(at, instruction.mnemonic_range, Kind::ToolchainName(entry.0.mnemonic));
        }
    }

    fn toolchain(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        let Some(entry) = instruction.entry else { return };
        let place = instruction.mnemonic_range;
        let logic = instruction.operands.first().is_some_and(|first| first.name == "pd")
            && !entry.predicate_operands.is_empty();
        match entry.toolchain {
            _ if entry.available != Availability::Crates => {
                self.say(at, place, Kind::Absent(entry));
            }
            _ if logic => self.say(at, place, Kind::PredicateLogic),
            Some(name) if name != instruction.mnemonic => {
                self.say(at, place, Kind::GuideName(name));
            }
            _ => {}
        }
        self.operands(at, logic);
        self.faults(at);
    }

    fn operands(&mut self, at: usize, logic: bool) {
        let instruction = &self.code.instructions[at];
        let loads_number = instruction.mnemonic == "mov_imm";
        for operand in &instruction.operands {
            let kind = match &operand.value {
                Value::Integer { .. } if !loads_number => Kind::Immediate,
                Value::Float(_) if loads_number => Kind::FloatLiteral,
                Value::Float(_) => Kind::Immediate,
                Value::Predicate { negated: true, .. } if !logic => Kind::NegatedPredicate,
                Value::Register { index, .. } | Value::Fragment(index) if *index > LAST_REGISTER => {
                    if std::mem::replace(&mut self.high[usize::from(*index)], true) {
                        continue;
                    }
                    Kind::HighRegister
                }
                Value::Special(known) if known.available != Availability::Crates => Kind::AbsentSpecial,
                Value::Scope(_) if is_suffix(instruction, operand.range) => Kind::ScopeSuffix,
                _ => continue,
            };
            self.say(at, operand.range, kind);
        }
    }

    /// Instructions that the toolchain miscompiles.
    fn faults(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        let mnemonic = instruction.entry.map_or("", |entry| entry.0.mnemonic);
        let kind = match mnemonic {
            "cvt_f32_i32" | "cvt_f32_u32" | "cvt_i32_f32" | "cvt_u32_f32" => Kind::BackwardConversion,
            "atomic_cas" | "local_atomic_cas" => Kind::CompareAndSwap,
            "continue" => Kind::Continue,
            "break" if resumes(self.code, at) => Kind::BreakInIf,
            "halt" if self.code.parents[at].is_some() => Kind::PartialEnd,
            "return" if self.code.parents[at].is_some() && self.code.labels.is_empty() => Kind::PartialEnd,
            "select" => {
                if let Some(operand) = instruction.operand("rs2")
                    && matches!(operand.value, Value::Register { index, .. } if (LAST_FALSE_SOURCE + 1..=LAST_REGISTER).contains(&index))
                {
                    self.say(at, operand.range, Kind::HighFalseSource);
                }
                return;
            }
            _ => return,
        };
        self.say(at, instruction.mnemonic_range, kind);
    }

    fn directives(&mut self) {
        for (at, size) in self.code.sizes.iter().enumerate() {
            if size.written < 3 {
                self.say(at, size.range, Kind::ShortSize);
            }
        }
        if let Some(registers) = self.code.resources.registers
            && registers.value > u32::from(LAST_REGISTER) + 1
        {
            self.say(0, registers.range, Kind::ManyRegisters);
        }
    }
}

/// Whether a `break` or `continue` is in an `if` and more code of the same loop iteration follows its
/// `endif`.
pub fn resumes(code: &Code, at: usize) -> bool {
    let Some(Link::Leave { open }) = code.links[at] else { return false };
    let Some(inner) = code.parents[at].filter(|parent| *parent != open) else { return false };
    let Some(Link::If { end: Some(end), .. }) = code.links[inner as usize] else { return false };
    let mut next = end as usize + 1;
    loop {
        next = match code.links.get(next) {
            Some(Some(Link::EndIf { .. })) => next + 1,
            Some(Some(Link::Else { end: Some(end), .. })) => *end as usize,
            Some(Some(Link::EndLoop { .. })) | None => return false,
            _ => return true,
        };
    }
}

/// Whether a scope was written as a suffix of an instruction that also has other operands.
pub(crate) fn is_suffix(instruction: &Instruction, scope: TextRange) -> bool {
    instruction.mnemonic_range.contains_range(scope)
        && instruction.operands.iter().any(|operand| operand.range != scope)
}
