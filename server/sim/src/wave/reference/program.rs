//! A kernel as the reference emulator has it: the words from the kernel's first to the file's last, decoded.

use smol_str::SmolStr;
use warplens_hir::wave::{Accepts, Code, DepartureKind, Instruction as Statement, Severity, departures};

use crate::trace::StatementId;
use crate::wave::named::named;
use crate::wave::program::Named;

use super::decode::{Decoder, Instruction, Undecodable};
use super::encode::{Labels, Words, encode, size};
use super::quirk::Quirk;

/// General registers of a thread at most, and where the kernel asks for none.
const REGISTERS: u32 = 32;

/// A kernel of a file, decoded. Equal programs run equally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The kernel's name.
    pub name: SmolStr,
    /// `.workgroup_size`, if the kernel says it.
    pub workgroup_size: Option<[u32; 3]>,
    /// `.local_memory`, if the kernel says it.
    pub local_memory: Option<u32>,
    /// General registers of a thread.
    pub registers: u16,
    /// The registers that each statement of the kernel names.
    pub(super) named: Vec<Box<[Named]>>,
    /// One a word: the instruction that begins there, whether the assembler meant one to or not.
    pub(super) slots: Vec<Result<Instruction, Undecodable>>,
    /// One a word of the kernel.
    places: Vec<Place>,
    /// The kernel behind this one, where there is one.
    pub(super) next: Option<SmolStr>,
    /// What the assembler does not take, and what to say about it.
    pub(super) refused: Option<(StatementId, String)>,
}

/// What a word of the kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) statement: StatementId,
    /// What is wrong with it whenever it runs.
    pub(super) quirk: Option<Quirk>,
    /// Whether it was written with the guard `@p0`.
    pub(super) guard_p0: bool,
}

impl Program {
    /// Number of statements of the kernel.
    pub fn statements(&self) -> usize {
        self.named.len()
    }

    /// Words of the kernel itself.
    pub(super) fn own_words(&self) -> u32 {
        self.places.len() as u32
    }

    /// The last statement of the kernel.
    pub(super) fn last_statement(&self) -> Option<StatementId> {
        self.places.last().map(|place| place.statement)
    }

    /// What the word at `pc` comes from, if it is one of this kernel's.
    pub(super) fn place(&self, pc: u32) -> Option<Place> {
        self.places.get(pc as usize).copied()
    }
}

/// Encodes a file as the assembler does and decodes the kernel that is its item `kernel` as the emulator does.
pub fn decode(file: &[&Code], kernel: usize) -> Program {
    let labels = Labels::of(file);
    let code = file[kernel];
    let is_first = file[..kernel].iter().all(|code| code.kernel.is_none());
    let mut words = Vec::new();
    let mut places = Vec::new();
    let mut refused = None;
    for (at, statement) in code.instructions.iter().enumerate() {
        let id = StatementId(at as u32);
        let encoded = encode(code, statement, &labels);
        if encoded.is_none() && refused.is_none() {
            refused = Some((id, why_refused(code, at, statement)));
        }
        push(&mut words, statement, encoded);
        let quirk = Quirk::of(statement, is_first);
        let guard_p0 = statement.guard.is_some_and(|guard| guard.predicate == 0 && !guard.negated);
        places.push(Place { statement: id, quirk, guard_p0 });
        if places.len() < words.len() {
            let quirk = quirk.filter(|quirk| *quirk == Quirk::CompareAndSwap).map(|_| Quirk::SecondWord);
            places.push(Place { statement: id, quirk, guard_p0: false });
        }
    }
    for code in &file[kernel + 1..] {
        for statement in &code.instructions {
            push(&mut words, statement, encode(code, statement, &labels));
        }
    }
    let registers = match code.resources.register_count().min(REGISTERS) {
        0 => REGISTERS,
        count => count,
    };
    let decoder = Decoder::new(registers);
    let slots = words.iter().enumerate().map(|(at, word)| {
        let word = word.ok_or(Undecodable::NotAssembled)?;
        decoder.decode(word, words.get(at + 1).copied().flatten())
    });
    Program {
        name: name(code).unwrap_or_default(),
        workgroup_size: code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0),
        local_memory: code.resources.local_memory.map(|bytes| bytes.value).filter(|bytes| *bytes > 0),
        registers: registers as u16,
        named: code.instructions.iter().map(named).collect(),
        slots: slots.collect(),
        places,
        next: file[kernel + 1..]
            .iter()
            .find(|code| !code.instructions.is_empty())
            .and_then(|code| name(code)),
        refused,
    }
}

fn name(code: &Code) -> Option<SmolStr> {
    Some(code.kernel.as_ref()?.name.as_ref()?.0.clone())
}

/// Adds the words of a statement; `None` stands for each that the assembler would not make.
fn push(words: &mut Vec<Option<u32>>, statement: &Statement, encoded: Option<Words>) {
    match encoded {
        Some(Words { first, second }) => {
            words.push(Some(first));
            words.extend(second.map(Some));
        }
        None => words.extend((0..size(statement)).map(|_| None)),
    }
}

/// What the assembler has against a statement, and the mend.
fn why_refused(code: &Code, at: usize, statement: &Statement) -> String {
    let is_spelling = |kind: &DepartureKind| {
        matches!(kind, DepartureKind::Spelling(_) | DepartureKind::ScopeSuffix | DepartureKind::ShortSize)
    };
    let departure = departures(code, Accepts::Toolchain).into_iter().find(|departure| {
        departure.at == at && departure.severity() == Severity::Error && !is_spelling(&departure.kind)
    });
    if let Some(departure) = departure {
        return departure.message();
    }
    match code.problems.iter().find(|problem| statement.range.contains_range(problem.range)) {
        Some(problem) => format!("toolchain 0.1.2 does not take this: {}", problem.message()),
        None => "toolchain 0.1.2 does not take this statement".to_owned(),
    }
}
