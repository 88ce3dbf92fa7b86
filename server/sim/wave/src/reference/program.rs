//! A kernel for the reference emulator: the decoded words from the first word of the kernel to the last word
//! of the file.

use smol_str::SmolStr;
use warplens_hir::Severity;
use warplens_hir::wave::{
    Accepts, Code, Departure, DepartureKind, Instruction as Statement, Problem, departures,
};
use warplens_sim_warp::trace::StatementId;

use crate::named_registers::named;
use crate::program::Named;

use super::decode::{Decoder, Instruction, Undecodable};
use super::encode::{Words, encode, labels, size};
use super::quirk::Quirk;

/// The maximum number of general registers of a thread, which is also the default.
const REGISTERS: u32 = 32;

/// A decoded kernel of a file. Equal programs run equally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: SmolStr,
    pub workgroup_size: Option<[u32; 3]>,
    pub local_memory: Option<u32>,
    /// General registers per thread.
    pub registers: u16,
    pub(super) named: Vec<Box<[Named]>>,
    /// For each word, the instruction that starts there, even if the assembler did not encode one there.
    pub(super) slots: Vec<Result<Instruction, Undecodable>>,
    /// For each word of the kernel.
    origins: Vec<WordOrigin>,
    pub(super) next: Option<SmolStr>,
    /// The first statement that the assembler rejects, and the message.
    pub(super) refused: Option<(StatementId, String)>,
}

/// The statement that a word encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordOrigin {
    pub(super) statement: StatementId,
    /// The bug that this word triggers whenever it runs.
    pub(super) quirk: Option<Quirk>,
    /// Whether the statement has the guard `@p0`.
    pub(super) guard_p0: bool,
}

impl Program {
    /// The number of statements in the kernel.
    pub fn statements(&self) -> usize {
        self.named.len()
    }

    /// The number of words of the kernel itself.
    pub(super) fn own_words(&self) -> u32 {
        self.origins.len() as u32
    }

    pub(super) fn last_statement(&self) -> Option<StatementId> {
        self.origins.last().map(|origin| origin.statement)
    }

    /// The origin of the word at `pc`, if the word belongs to this kernel.
    pub(super) fn origin(&self, pc: u32) -> Option<WordOrigin> {
        self.origins.get(pc as usize).copied()
    }
}

/// Encodes a file like the assembler, and decodes its item `kernel` like the emulator. `describe` words the
/// message about a statement that the assembler rejects.
pub fn decode(file: &[&Code], kernel: usize, describe: &dyn Fn(Rejection<'_>) -> String) -> Program {
    let labels = labels(file);
    let code = file[kernel];
    let is_first = file[..kernel].iter().all(|code| code.kernel.is_none());
    let mut words = Vec::new();
    let mut origins = Vec::new();
    let mut refused = None;
    for (at, statement) in code.instructions.iter().enumerate() {
        let id = StatementId(at as u32);
        let encoded = encode(code, statement, &labels);
        if encoded.is_none() && refused.is_none() {
            refused = Some((id, describe_rejection(code, at, statement, describe)));
        }
        push(&mut words, statement, encoded);
        let quirk = Quirk::of(statement, is_first);
        let guard_p0 = statement.guard.is_some_and(|guard| guard.predicate == 0 && !guard.negated);
        origins.push(WordOrigin { statement: id, quirk, guard_p0 });
        if origins.len() < words.len() {
            let quirk = quirk.filter(|quirk| *quirk == Quirk::CompareAndSwap).map(|_| Quirk::SecondWord);
            origins.push(WordOrigin { statement: id, quirk, guard_p0: false });
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
        origins,
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

/// Adds the words of a statement, with `None` for each word of a rejected one.
fn push(words: &mut Vec<Option<u32>>, statement: &Statement, encoded: Option<Words>) {
    match encoded {
        Some(Words { first, second }) => {
            words.push(Some(first));
            words.extend(second.map(Some));
        }
        None => words.extend((0..size(statement)).map(|_| None)),
    }
}

/// Why the assembler rejects a statement.
pub enum Rejection<'c> {
    /// It departs from the toolchain's dialect.
    Departure(&'c Departure),
    Problem(&'c Problem),
    /// The reason is unknown.
    Statement,
}

fn describe_rejection(
    code: &Code,
    at: usize,
    statement: &Statement,
    describe: &dyn Fn(Rejection<'_>) -> String,
) -> String {
    let is_dialect = |kind: &DepartureKind| {
        matches!(kind, DepartureKind::GuideName(_) | DepartureKind::ScopeSuffix | DepartureKind::ShortSize)
    };
    let departure = departures(code, Accepts::Toolchain).into_iter().find(|departure| {
        departure.at == at && departure.severity() == Severity::Error && !is_dialect(&departure.kind)
    });
    let problem = || code.problems.iter().find(|problem| statement.range.contains_range(problem.range));
    describe(match &departure {
        Some(departure) => Rejection::Departure(departure),
        None => problem().map_or(Rejection::Statement, Rejection::Problem),
    })
}
