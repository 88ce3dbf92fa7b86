//! WAVE programs and random mutations of them: Warplens has no error if `wave-asm` 0.1.2 assembles a text, and has an error on
//! the rejected line if it does not. The nesting of constructs, which the assembler does not check, is excluded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::judge::{self, Error};

/// Errors that only Warplens reports, because the guide does not define these programs.
const OURS_ALONE: [&str; 6] = [
    "unmatched-structure",
    "unclosed-structure",
    "second-else",
    "improper-nesting",
    "outside-loop",
    "nesting-depth",
];

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with WAVE programs.
    #[arg(default_value = "../shared/corpus/wave")]
    folder: PathBuf,
    /// How many mutations are tried.
    #[arg(long, default_value_t = 50_000)]
    mutations: usize,
    /// Chooses the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of disagreements to print.
    #[arg(long, default_value_t = 0)]
    list: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let programs = programs(&options.folder)?;
    // The assembler panics on some texts. Their panic messages are suppressed.
    std::panic::set_hook(Box::new(|_| ()));
    let mut files = Tally::default();
    for program in &programs {
        files.compare(program, options.list)?;
    }
    println!("programs: {files}");
    let mut mutations = Tally::default();
    let mut mutator = Mutator::new(&programs, options.seed);
    for _ in 0..options.mutations {
        mutations.compare(&mutator.next(), options.list)?;
    }
    println!("mutations: {mutations}");
    mutations.reasons.iter().for_each(|(reason, count)| println!("    {count:6} {reason}"));
    Ok(())
}

/// The WAVE programs under a folder.
fn programs(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths: Vec<_> = entries.map(|entry| entry.map(|it| it.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            found.extend(programs(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "wave") {
            found.push(std::fs::read_to_string(&path)?);
        }
    }
    Ok(found)
}

/// The verdict of `wave-asm` on a text.
enum Verdict {
    Assembled,
    /// The line of the first mistake, counted from 1, and the message.
    Rejected(usize, String),
    /// It panicked, or its error has no position.
    Nothing,
}

fn verdict(text: &str) -> Verdict {
    let Ok(result) = std::panic::catch_unwind(|| wave_asm::assemble(text, "program.wave")) else {
        return Verdict::Nothing;
    };
    match result {
        Ok(_) => Verdict::Assembled,
        Err(error) => match error.span() {
            Some(span) => {
                let line =
                    text.as_bytes()[..span.start.min(text.len())].iter().filter(|byte| **byte == b'\n');
                Verdict::Rejected(line.count() + 1, error.to_string())
            }
            None => Verdict::Nothing,
        },
    }
}

/// How often the verdicts agree.
#[derive(Default)]
struct Tally {
    assembled: usize,
    /// Assembled texts in which Warplens finds an error.
    alarms: usize,
    rejected: usize,
    /// Rejected texts in which Warplens finds no error.
    missed: usize,
    /// Rejected texts in which Warplens finds errors, but none on the assembler's line.
    elsewhere: usize,
    /// Texts without a verdict.
    unjudged: usize,
    /// Disagreements by message.
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn compare(&mut self, text: &str, list: usize) -> Result<()> {
        let errors = judge::wave_errors(text)?;
        match verdict(text) {
            Verdict::Nothing => self.unjudged += 1,
            Verdict::Assembled => {
                self.assembled += 1;
                let alarm = |error: &&Error| !OURS_ALONE.iter().any(|code| error.message.starts_with(code));
                if let Some(error) = errors.iter().find(alarm) {
                    self.alarms += 1;
                    self.disagree("false positive", error.line, &error.message, text, list);
                }
            }
            Verdict::Rejected(line, message) => {
                self.rejected += 1;
                if errors.is_empty() {
                    self.missed += 1;
                    self.disagree("missed", line, &message, text, list);
                } else if !errors.iter().any(|error| error.line == line) {
                    self.elsewhere += 1;
                    let near = errors.iter().min_by_key(|error| error.line.abs_diff(line));
                    let near =
                        near.map(|error| format!("{message}; ours, line {}: {}", error.line, error.message));
                    self.disagree("elsewhere", line, &near.unwrap_or_default(), text, list);
                }
            }
        }
        Ok(())
    }

    fn disagree(&mut self, how: &str, line: usize, message: &str, text: &str, list: usize) {
        let blurred: String = message.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
        let known: usize = self.reasons.values().sum();
        *self.reasons.entry(format!("{how}: {blurred}")).or_default() += 1;
        if known < list {
            let source = text.lines().nth(line - 1).unwrap_or_default();
            let before = text.lines().nth(line.saturating_sub(2)).unwrap_or_default();
            println!("    {how}, line {line}: {message}\n        {before}\n        {source}");
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} that wave-asm assembles, {} with an error from Warplens; {} that it rejects, {} without an error, {} with \
             errors on other lines only; {} not judged",
            self.assembled, self.alarms, self.rejected, self.missed, self.elsewhere, self.unjudged
        )
    }
}

/// Creates programs that differ from known ones in a few pieces.
struct Mutator<'p> {
    programs: Vec<Vec<&'p str>>,
    random: fastrand::Rng,
}

impl<'p> Mutator<'p> {
    fn new(programs: &'p [String], seed: u64) -> Mutator<'p> {
        Mutator {
            programs: programs.iter().map(|text| pieces(text)).collect(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    fn next(&mut self) -> String {
        let program = self.random.usize(..self.programs.len());
        let mut pieces = self.programs[program].clone();
        for _ in 0..self.random.usize(1..4) {
            self.mutate(&mut pieces);
        }
        pieces.concat()
    }

    fn mutate(&mut self, pieces: &mut Vec<&'p str>) {
        if pieces.len() < 2 {
            return;
        }
        let at = self.random.usize(..pieces.len());
        match self.random.u8(..6) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[at]),
            2 => {
                let other = self.random.usize(..pieces.len());
                pieces.swap(at, other);
            }
            3 => pieces[at] = self.foreign(),
            4 => pieces.insert(at, self.foreign()),
            _ => pieces[at] = self.random.choice(STRANGE).unwrap_or(&""),
        }
    }

    /// A piece of any program.
    fn foreign(&mut self) -> &'p str {
        let program = self.random.usize(..self.programs.len());
        let pieces = &self.programs[program];
        pieces.get(self.random.usize(..pieces.len().max(1))).copied().unwrap_or("")
    }
}

/// Pieces that are rare in the programs.
const STRANGE: &[&str] = &[
    "r31",
    "r32",
    "r255",
    "r300",
    "p4",
    "r0.lo",
    "r1.hi",
    "r2.x",
    "@p1",
    "@!p0",
    "@p9",
    "@",
    "!",
    "!p1",
    "sr_lane_id",
    "sr_none",
    "srx",
    "0x10",
    "-1",
    "4294967296",
    "1.5",
    ".5",
    "1e3",
    "0x",
    "-",
    "99999999999999999999",
    ".device",
    "device",
    ".nowhere",
    ".cached",
    ".uncached",
    ":",
    "::",
    "name:",
    "name",
    "call name",
    "[r0]",
    "+",
    "/",
    "\"",
    "\n",
    "\n\n",
    ", ",
    ";",
    "#",
    "// x",
    ".registers 8\n",
    ".registers",
    ".workgroup_size 4",
    ".workgroup_size 4, 1, 1\n",
    ".local_memory 16\n",
    ".kernel",
    ".kernel x\n",
    ".end\n",
    ".text",
    "halt\n",
    "nop",
    "nop ",
    "loop\n",
    "endloop\n",
    "if p0\n",
    "endif\n",
    "else\n",
    "break p0\n",
    "continue",
    "return\n",
    "barrier\n",
    "fence_acquire ",
    "atomic_cas r1, r2, r3, r4, .device\n",
    "atomic_cas r1, r2, r3\n",
    "atomic_add r1, r2, .device\n",
    "local_atomic_cas r1, r2, r3\n",
    "umin r1, r2, r3\n",
    "ucmp_ge p0, r1, r2\n",
    "icmp.lt p0, r1, r2\n",
    "select r1, p0, r2, r3\n",
    "mov r1, sr_lane_id\n",
    "mov_sr r1, r2\n",
    "wave_ballot r1, p0\n",
    "wave_any p0, p1\n",
    "bfi r1, r2, r3, r4, r5\n",
    "mov_imm r1, 3.5\n",
    "device_load_u32.cached r1, r2\n",
    "IADD r1, r2, r3\n",
    "\u{e9}",
    "\u{a0}",
    "_x",
    "9x",
    "r1x",
];

/// Words, numbers, spaces and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same: fn(char) -> bool = match first {
            ' ' | '\t' => |c| c == ' ' || c == '\t',
            c if c.is_alphanumeric() || "_.@!-".contains(c) => |c| c.is_alphanumeric() || "_.@!-".contains(c),
            _ => |_| false,
        };
        let length = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (piece, others) = rest.split_at(length);
        pieces.push(piece);
        rest = others;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_agree() {
        let folders = warplens_test_support::corpora("wave");
        let programs: Vec<_> = folders.iter().flat_map(|folder| programs(folder).unwrap()).collect();
        let mut tally = Tally::default();
        for program in &programs {
            tally.compare(program, 9).unwrap();
        }
        let mut mutator = Mutator::new(&programs, 7);
        for _ in 0..400 {
            tally.compare(&mutator.next(), 9).unwrap();
        }
        assert!(tally.assembled > 50 && tally.rejected > 50, "{tally}");
        assert_eq!(tally.alarms + tally.missed + tally.elsewhere, 0, "{tally}\n{:#?}", tally.reasons);
    }
}
