//! Decides whether a candidate shows the difference: both kernels must be acceptable and run, and their results must differ.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use warplens_ide::lanes::compare::{Equality, unusable};
use warplens_ide::lanes::{Prepared, RunRequest};
use warplens_ide::{Language, Reducible, Severity};
use warplens_sim_launch::{Argument, Launch, Passed};
use warplens_sim_warp::{Control, FindingKind, RunResult, Status};
use warplens_tools::comparison::compared::Compared;
use warplens_tools::comparison::contraction;
use warplens_tools::comparison::sides::Sides;
use warplens_tools::source::{Launches, RunError, Source};

use super::super::assembled::Assembler;
use super::candidate::Candidate;
use warplens_system::cores::Cores;

/// The limit of warp instructions of a candidate: a multiple of those of the original run, but at least `LEAST_STEPS`.
const STEPS_FACTOR: u64 = 4;
const LEAST_STEPS: u64 = 100_000;

/// The other side of each candidate.
pub(crate) enum Other<'a> {
    /// The machine code of the candidate.
    Assembled { assembler: &'a Assembler, target: &'a str, level: u8 },
    /// Another kernel, from which the same statements are removed.
    Kernel(&'a Source),
    /// The same kernel under another model.
    Same,
}

pub(crate) struct Pair<'a> {
    pub(crate) source: &'a Source,
    pub(crate) other: Other<'a>,
    pub(crate) requests: [RunRequest; 2],
    pub(crate) launches: &'a Launches,
    pub(crate) other_entry: Option<&'a str>,
    pub(crate) equality: Equality,
}

/// Runs candidates and compares the results.
pub(super) struct Oracle<'a> {
    pair: Pair<'a>,
    /// The kernels of the two sides.
    entries: [String; 2],
    accepted: Accepted,
    tried: usize,
    /// Hashes of the candidates that do not show the difference. The passes repeat many of them.
    rejected: HashSet<u64>,
    deadline: Option<Instant>,
    /// The progress, on a terminal only.
    line: ProgressBar,
    cores: Cores,
}

/// Flaws that candidates may have, because the original pair has them.
#[derive(Default)]
struct Accepted {
    /// The number of errors in the text.
    errors: usize,
    /// The findings of the first run.
    findings: BTreeSet<FindingKind>,
    /// The registers that are read and never written.
    undefined: Vec<String>,
    /// The number of addresses from which stored values are computed.
    addresses: usize,
    /// Whether the runs finished.
    finished: [bool; 2],
    steps: u64,
}

impl<'a> Oracle<'a> {
    /// An oracle for a pair whose runs differ. After `limit`, it rejects every candidate.
    pub(super) fn new(pair: Pair<'a>, compared: &Compared, limit: Duration) -> Result<Oracle<'a>> {
        let [one, other] = &compared.runs;
        let style = ProgressStyle::with_template("{spinner} reducing: {msg}");
        let mut oracle = Oracle {
            entries: [one.entry().to_owned(), other.entry().to_owned()],
            accepted: Accepted {
                errors: errors(pair.source),
                findings: kinds(&one.result),
                undefined: Vec::new(),
                addresses: 0,
                finished: compared.comparison.finished,
                steps: one.result.totals.warp_instructions.saturating_mul(STEPS_FACTOR).max(LEAST_STEPS),
            },
            pair,
            tried: 0,
            rejected: HashSet::new(),
            deadline: Instant::now().checked_add(limit),
            line: ProgressBar::no_length().with_style(style.expect("valid template")),
            cores: Cores::all(),
        };
        let parts = oracle.parts(&oracle.texts())?;
        let launch = &one.prepared.resolved.launch;
        oracle.accepted.addresses = parts.iter().map(|parts| addresses(parts, launch)).max().unwrap_or(0);
        oracle.accepted.undefined = parts.into_iter().flat_map(|parts| parts.undefined).collect();
        Ok(oracle)
    }

    /// The texts of the original pair.
    pub(super) fn texts(&self) -> Vec<String> {
        let other = match &self.pair.other {
            Other::Kernel(other) => Some(other.text.clone()),
            Other::Assembled { .. } | Other::Same => None,
        };
        std::iter::once(self.pair.source.text.clone()).chain(other).collect()
    }

    pub(super) fn tried(&self) -> usize {
        self.tried
    }

    /// Whether the time limit is over, so that every candidate is rejected.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Shows the progress of the reduction.
    pub(super) fn show(&self, statements: usize) {
        self.line.set_message(format!("{statements} statements, {} candidates tried", self.tried));
        self.line.tick();
    }

    /// Removes the line with the progress.
    pub(super) fn finish(&self) {
        self.line.finish_and_clear();
    }

    fn language(&self) -> Language {
        self.pair.source.language
    }

    /// The removable parts of each text.
    pub(super) fn parts(&self, texts: &[String]) -> Result<Vec<Reducible>> {
        let parts = texts.iter().enumerate().map(|(side, text)| {
            let source = Source::of_text(self.path(side), text.clone(), self.language())?;
            self.reducible(side, &source)?.ok_or_else(|| not_reducible(&source.path))
        });
        parts.collect()
    }

    fn reducible(&self, side: usize, source: &Source) -> Result<Option<Reducible>> {
        Ok(source.analysis.reducible(source.file, &self.entries[side]).map_err(RunError::from)?)
    }

    fn path(&self, side: usize) -> String {
        match (&self.pair.other, side) {
            (Other::Kernel(other), 1) => other.path.clone(),
            _ => self.pair.source.path.clone(),
        }
    }

    /// The texts of the two kernels. There is no second one if both sides are the same kernel.
    pub(super) fn both_texts(&self, candidate: &Candidate) -> [Option<String>; 2] {
        let other = match &self.pair.other {
            Other::Assembled { assembler, target, level } => {
                assembler.listing(&candidate.texts[0], target, *level).ok().map(|listing| listing.text)
            }
            Other::Kernel(_) => candidate.texts.get(1).cloned(),
            Other::Same => None,
        };
        [Some(candidate.texts[0].clone()), other]
    }

    /// The comparison of a candidate; `None` if it does not show the difference.
    pub(super) fn compare(&mut self, candidate: &Candidate) -> Result<Option<Compared>> {
        let hash = hash(candidate);
        if self.is_late() || self.rejected.contains(&hash) {
            return Ok(None);
        }
        self.tried += 1;
        let compared = self.try_candidate(candidate)?;
        if compared.is_none() {
            self.rejected.insert(hash);
        }
        Ok(compared)
    }

    fn try_candidate(&self, candidate: &Candidate) -> Result<Option<Compared>> {
        let mut sources = Vec::new();
        for (side, text) in candidate.texts.iter().enumerate() {
            match Source::of_text(self.path(side), text.clone(), self.language()) {
                Ok(source) if self.is_accepted(side, &source, &candidate.launch)? => sources.push(source),
                _ => return Ok(None),
            }
        }
        let compared = self.compare_runs(&sources, candidate)?;
        let is_it = |compared: &Compared| {
            !compared.comparison.is_equal() && compared.comparison.finished == self.accepted.finished
        };
        Ok(compared.filter(is_it))
    }

    /// Runs a candidate and compares the results. The first kernel runs before the other one is assembled, because most candidates fail there.
    fn compare_runs(&self, sources: &[Source], candidate: &Candidate) -> Result<Option<Compared>> {
        let Some(source) = sources.first() else { return Ok(None) };
        let first = self.sides(source, source);
        let Ok(prepared) = first.prepare_first(&candidate.launch) else { return Ok(None) };
        let one = first.run(0, self.limited(prepared))?;
        let is_finished = one.result.status == Status::Finished;
        if !is_finished || !kinds(&one.result).is_subset(&self.accepted.findings) {
            return Ok(None);
        }
        let assembled = match &self.pair.other {
            Other::Assembled { assembler, target, level } => {
                match assembler.listing(&source.text, target, *level) {
                    Ok(listing) => Some(listing),
                    Err(_) => return Ok(None),
                }
            }
            Other::Kernel(_) | Other::Same => None,
        };
        let other = assembled.as_ref().or(sources.get(1)).unwrap_or(source);
        let sides = self.sides(source, other);
        let Ok(prepared) = sides.prepare_other(&one.prepared.resolved.launch) else { return Ok(None) };
        let other = sides.run(1, self.limited(prepared))?;
        if unusable(&other.result, true).is_some() {
            return Ok(None);
        }
        Ok(Some(contraction::compare(&sides, [one, other], self.pair.equality, None)?))
    }

    fn sides<'s>(&'s self, source: &'s Source, other: &'s Source) -> Sides<'s> {
        Sides {
            sources: [source, other],
            requests: self.pair.requests.clone(),
            launches: self.pair.launches,
            is_one_kernel: matches!(self.pair.other, Other::Same),
            other_entry: self.pair.other_entry,
            control: Control { workers: Some(&self.cores), ..Control::none() },
        }
    }

    fn limited(&self, mut prepared: Prepared) -> Prepared {
        let limit = &mut prepared.options.limits.max_steps;
        if self.accepted.steps > 0 {
            *limit = self.accepted.steps.min(*limit);
        }
        prepared
    }

    /// Whether a text has no error, reads no register that is never written, and stores no value that depends on an address, or only as
    /// far as the original pair does so too.
    fn is_accepted(&self, side: usize, source: &Source, launch: &Launch) -> Result<bool> {
        let Some(parts) = self.reducible(side, source)? else { return Ok(false) };
        Ok(parts.undefined.iter().all(|register| self.accepted.undefined.contains(register))
            && addresses(&parts, launch) <= self.accepted.addresses
            && errors(source) <= self.accepted.errors)
    }
}

/// The refusal of a text in a language that cannot be reduced.
pub(super) fn not_reducible(path: &str) -> Error {
    anyhow!(
        "--reduce: {path} cannot be reduced: only kernels of PTX can. A listing is the machine code of one kernel; with `--ptxas`, the \
         assembler makes it of each smaller kernel"
    )
}

/// The number of addresses of a launch from which stored values are computed. Such values differ between the two sides for no reason,
/// because their addresses differ.
fn addresses(parts: &Reducible, launch: &Launch) -> usize {
    let is_number = |argument: &Argument| matches!(argument.passed, Passed::Scalar(..));
    let pairs = parts.parameters.iter().zip(&launch.args);
    pairs.filter(|(parameter, argument)| parameter.is_stored && !is_number(argument)).count()
}

fn hash(candidate: &Candidate) -> u64 {
    let mut hasher = DefaultHasher::new();
    candidate.texts.hash(&mut hasher);
    format!("{:?}", candidate.launch).hash(&mut hasher);
    hasher.finish()
}

fn errors(source: &Source) -> usize {
    let found = source.analysis.diagnostics(source.file).unwrap_or_default();
    found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

fn kinds(result: &RunResult) -> BTreeSet<FindingKind> {
    result.findings.iter().map(|finding| finding.kind).collect()
}
