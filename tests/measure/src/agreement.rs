//! Generated statements: which ones the assembler accepts, and how often Warplens agrees.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use clap::Args;
use fastrand::Rng;
use warplens_isa::Version;
use warplens_isa::ptx::{self, Instruction};

use crate::judge;
use crate::known::Known;
use crate::mutation::mutations;
use crate::oracle::Oracle;
use crate::scaffold::scaffold;
use crate::statement::statements;

/// How to generate and what to print.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these entries or opcodes.
    only: Vec<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most statements made of one form, before mutation.
    #[arg(long, default_value_t = 24)]
    per_form: usize,
    /// The most mutations kept of one entry.
    #[arg(long, default_value_t = 250)]
    mutations: usize,
    /// How many statements of each kind of disagreement are listed.
    #[arg(long, default_value_t = 2)]
    list: usize,
}

/// The newest version that the tables describe.
const VERSION: Version = Version::new(9, 4);

/// Statements per file: few enough that no list of diagnostics is truncated.
const STATEMENTS: usize = 100;

/// A statement with both verdicts.
struct Case {
    entry: &'static str,
    text: String,
    target: &'static str,
    assembler: Option<String>,
    warplens: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let oracle = Oracle::find(None)?;
    println!("ptxas: {}", oracle.path().display());
    let known = Known::load()?;
    let total = compare(&oracle, options, &mut |entry, cases| {
        let tally = Tally::of(cases, &known);
        if !options.only.is_empty() || tally.unknown > 0 {
            println!("{entry:<32} {tally}");
            list(cases, &known, options.list);
        }
        tally
    })?;
    println!("{:<32} {total}", "all");
    Ok(())
}

/// Adds up the tallies of all entries.
fn compare(
    oracle: &Oracle,
    options: &Options,
    tally: &mut dyn FnMut(&str, &[Case]) -> Tally,
) -> Result<Tally> {
    let mut rng = Rng::with_seed(options.seed);
    let mut total = Tally::default();
    let mut seen = BTreeSet::new();
    for entry in ptx::instructions().filter(|entry| wanted(entry, &options.only)) {
        let cases = cases(oracle, entry, options, &mut rng, &mut seen)?;
        total.add(&tally(entry.id, &cases));
    }
    Ok(total)
}

fn wanted(entry: &Instruction, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|name| name == entry.id || name == entry.opcode)
}

fn cases(
    oracle: &Oracle,
    entry: &'static Instruction,
    options: &Options,
    rng: &mut Rng,
    seen: &mut BTreeSet<(&'static str, String)>,
) -> Result<Vec<Case>> {
    let mut sound: Vec<(&'static str, String)> = Vec::new();
    let mut mutants: Vec<(&'static str, String)> = Vec::new();
    for form in entry.forms {
        for statement in statements(entry, form, options.per_form, rng) {
            let Some(target) = statement.target(VERSION) else { continue };
            sound.push((target.name, statement.text()));
            mutants.extend(mutations(&statement, rng).into_iter().map(|text| (target.name, text)));
        }
    }
    rng.shuffle(&mut mutants);
    mutants.truncate(options.mutations);
    let mut by_target: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (target, text) in sound.into_iter().chain(mutants) {
        if seen.insert((target, text.clone())) {
            by_target.entry(target).or_default().push(text);
        }
    }
    let mut found = Vec::new();
    for (target, texts) in by_target {
        for texts in texts.chunks(STATEMENTS) {
            found.extend(judged(oracle, entry.id, target, texts)?);
        }
    }
    Ok(found)
}

fn judged(oracle: &Oracle, entry: &'static str, target: &'static str, texts: &[String]) -> Result<Vec<Case>> {
    let scaffold = scaffold(VERSION, target);
    let verdicts = oracle.ask(&scaffold.head, texts, scaffold.tail, target)?;
    // Checked separately, because a statement with a syntax error must not affect the others.
    let cases = texts.iter().zip(verdicts).map(|(text, assembler)| {
        let file = format!("{}{text}\n{}", scaffold.head, scaffold.tail);
        let first = judge::errors(&file)?.into_iter().next();
        let warplens = first.map(|error| error.message);
        Ok(Case { entry, text: text.clone(), target, assembler, warplens })
    });
    cases.collect()
}

/// How often the verdicts agree.
#[derive(Default)]
struct Tally {
    accepted: usize,
    accepted_alike: usize,
    rejected: usize,
    rejected_alike: usize,
    /// Disagreements without a known reason.
    unknown: usize,
}

impl Tally {
    fn of(cases: &[Case], known: &Known) -> Tally {
        let mut tally = Tally::default();
        for case in cases {
            let alike = usize::from(case.agrees());
            if case.assembler.is_none() {
                tally.accepted += 1;
                tally.accepted_alike += alike;
            } else {
                tally.rejected += 1;
                tally.rejected_alike += alike;
            }
            tally.unknown += usize::from(!case.agrees() && case.reason(known).is_none());
        }
        tally
    }

    fn add(&mut self, other: &Tally) {
        self.accepted += other.accepted;
        self.accepted_alike += other.accepted_alike;
        self.rejected += other.rejected;
        self.rejected_alike += other.rejected_alike;
        self.unknown += other.unknown;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        write!(
            f,
            "accepted {:>6}, alike {:>6.2} %   rejected {:>6}, alike {:>6.2} %   without a known reason {}",
            self.accepted,
            percent(self.accepted_alike, self.accepted),
            self.rejected,
            percent(self.rejected_alike, self.rejected),
            self.unknown
        )
    }
}

impl Case {
    fn agrees(&self) -> bool {
        self.assembler.is_none() == self.warplens.is_none()
    }

    fn reason<'k>(&self, known: &'k Known) -> Option<&'k str> {
        known.reason(self.entry, self.assembler.as_deref(), &self.text)
    }
}

/// Prints disagreements by kind, the most frequent kind first.
fn list(cases: &[Case], known: &Known, count: usize) {
    let mut kinds: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases.iter().filter(|case| !case.agrees() && case.reason(known).is_none()) {
        let kind = match (&case.assembler, &case.warplens) {
            (None, Some(message)) => format!("warplens rejects: {}", generic(message)),
            (Some(message), _) => format!("warplens accepts, ptxas: {}", generic(message)),
            (None, None) => continue,
        };
        kinds.entry(kind).or_default().push(case);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.len()));
    for (kind, cases) in kinds {
        println!("    {} x {kind}", cases.len());
        for case in cases.iter().take(count) {
            println!("        {}   [{}]", case.text, case.target);
        }
    }
}

/// A message without the quoted names, for grouping.
fn generic(message: &str) -> String {
    let mut quote = None;
    let keep = |c: &char| match (quote, *c) {
        (None, '\'' | '`') => {
            quote = Some(*c);
            true
        }
        (Some(open), c) if c == open => {
            quote = None;
            true
        }
        (open, _) => open.is_none(),
    };
    message.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A subset of `cargo xtask measure ptxas`, if an assembler is found.
    #[test]
    fn warplens_and_the_assembler_agree() {
        let Ok(oracle) = Oracle::find(None) else {
            return warplens_test_support::skip("ptxas was not found");
        };
        let known = Known::load().unwrap();
        let options = Options { only: Vec::new(), seed: 7, per_form: 2, mutations: 20, list: 0 };
        let total = compare(&oracle, &options, &mut |_, cases| Tally::of(cases, &known)).unwrap();
        assert!(total.accepted > 1000 && total.rejected > 1000, "{total}");
        assert!(total.accepted_alike * 100 >= total.accepted * 98, "{total}");
        assert!(total.rejected_alike * 100 >= total.rejected * 98, "{total}");
        // At most 0.5 % may differ without a known reason.
        assert!(total.unknown * 200 <= total.accepted + total.rejected, "{total}");
    }
}
