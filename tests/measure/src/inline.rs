//! Statements of inline PTX in folders of host code, and mutations of them, with the assembler as the judge. Each is a function with a
//! register for each operand.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use fastrand::Rng;
use warplens_host::{Dialect, Operand, Statement, by_extension};

use crate::judge;
use crate::oracle::{Oracle, Verdict};

/// A statement is judged for the first of them that the assembler accepts it for.
const TARGETS: [&str; 4] = ["sm_100a", "sm_90a", "sm_120a", "sm_80"];

/// How many functions the assembler reads at once.
const BATCH: usize = 50;

const TYPES: [(&str, &str); 6] =
    [("r", ".b32"), ("l", ".b64"), ("f", ".f32"), ("d", ".f64"), ("h", ".b16"), ("q", ".b128")];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folders of host code.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many mutations are judged besides the statements.
    #[arg(long, default_value_t = 2000)]
    mutations: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The assembler (default: WARPLENS_PTXAS).
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
}

/// A function on one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    registers: Vec<&'static str>,
    body: String,
}

impl Function {
    /// The function of a statement; `None` if its text or its operands are not known.
    fn new(statement: &Statement) -> Option<Function> {
        let is_known = statement.template.holes() == 0 && statement.knows_operands;
        let template = one_line(&statement.template.text);
        if !is_known || template.contains("/*") || template.contains("%[") || template.contains("${") {
            return None;
        }
        let mut registers = Vec::new();
        let mut names = Vec::new();
        for operand in &statement.operands {
            names.push(constant(operand).unwrap_or_else(|| format!("operand{}", registers.len())));
            if constant(operand).is_none() {
                let class = operand.class();
                registers.push(TYPES.iter().find(|(letter, _)| *letter == class)?.1);
            }
        }
        let body = match statement.dialect {
            Dialect::Gcc | Dialect::PtxAsm if !statement.has_placeholders => template,
            Dialect::Gcc | Dialect::PtxAsm => with_operands(&template, '%', &names)?,
            Dialect::Triton | Dialect::Cute | Dialect::Llvm => with_operands(&template, '$', &names)?,
            Dialect::Rust => return None,
        };
        Some(Function { registers, body })
    }

    /// The text of the function with a number.
    fn text(&self, number: usize) -> String {
        let registers = self.registers.iter().enumerate();
        let registers: String = registers.map(|(at, ty)| format!(".reg {ty} operand{at}; ")).collect();
        format!(".func f{number}() {{ {registers}{{ {} }} }}", self.body)
    }

    /// Whether braces, brackets and quotes are in pairs.
    fn is_nested(&self) -> bool {
        let mut open = Vec::new();
        let closes = self.body.chars().all(|c| match c {
            '{' | '[' | '(' => {
                open.push(c);
                true
            }
            '}' => open.pop() == Some('{'),
            ']' => open.pop() == Some('['),
            ')' => open.pop() == Some('('),
            c => c != '"',
        });
        closes && open.is_empty()
    }

    /// The function with a mistake that people make: a word or a character that is missing, or one of another statement.
    fn mutated(&self, words: &[String], rng: &mut Rng) -> Function {
        let mut mutant = self.clone();
        let parts = parts(&self.body);
        let pick = |wanted: &dyn Fn(&str) -> bool, rng: &mut Rng| {
            let found: Vec<_> = parts.iter().filter(|part| wanted(&self.body[(**part).clone()])).collect();
            rng.choice(found).cloned()
        };
        let is_operand =
            |part: &str| part.starts_with("operand") || part.starts_with(|c: char| c.is_ascii_digit());
        let change = match rng.usize(..7) {
            0 => pick(&|part| part.starts_with('.'), rng).map(|part| (part, String::new())),
            1 => pick(&|part| part.starts_with('.'), rng).zip(rng.choice(words).cloned()),
            2 => pick(&is_operand, rng).map(|part| (part, format!("operand{}", rng.usize(..8)))),
            3 => pick(&is_operand, rng).map(|part| (part, String::new())),
            4 => pick(&|part| matches!(part, ";" | "," | "[" | "]"), rng).map(|part| (part, String::new())),
            5 => pick(&|part| matches!(part, "{" | "}"), rng).map(|part| (part, String::new())),
            _ => None,
        };
        match (change, mutant.registers.is_empty()) {
            (Some((part, other)), _) => mutant.body.replace_range(part, &other),
            (None, false) => {
                let at = rng.usize(..mutant.registers.len());
                mutant.registers[at] = TYPES[rng.usize(..TYPES.len())].1;
            }
            (None, true) => {}
        }
        mutant
    }
}

/// The lines of a template without line comments, joined by spaces.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    lines.collect::<Vec<_>>().join(" ")
}

/// The value of an operand that is a constant.
fn constant(operand: &Operand) -> Option<String> {
    let value = operand.expression.as_deref()?.trim().trim_matches(['(', ')']);
    let is_number = value.parse::<i64>().is_ok();
    (operand.class() == "n" && is_number).then(|| value.to_owned())
}

/// The template with names for its placeholders; `None` if it names an operand that does not exist.
fn with_operands(template: &str, sign: char, names: &[String]) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(sign) {
        text += before;
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let (written, length) = match after.chars().next() {
            Some(c) if c == sign => (sign.to_string(), 1),
            Some('=') => ("7".to_owned(), 1),
            _ if digits > 0 => (names.get(after[..digits].parse::<usize>().ok()?)?.clone(), digits),
            _ => (sign.to_string(), 0),
        };
        text += &written;
        rest = &after[length..];
    }
    Some(text + rest)
}

/// Words, modifiers with their point, and other characters.
fn parts(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | ':');
    while let Some(first) = text[at..].chars().next() {
        let length = first.len_utf8();
        let end = match first == '.' || is_word(first) {
            true => text[at + length..].find(|c| !is_word(c)).map_or(text.len(), |end| at + length + end),
            false => at + length,
        };
        if !first.is_whitespace() {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// The functions of the statements in the folders.
fn functions(folders: &[PathBuf]) -> BTreeSet<Function> {
    let mut found = BTreeSet::new();
    for folder in folders {
        collect(folder, &mut found);
    }
    found
}

fn collect(folder: &Path, found: &mut BTreeSet<Function>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let host = path.extension().and_then(|extension| by_extension(extension.to_str()?));
        if path.is_dir() && !path.is_symlink() {
            collect(&path, found);
        } else if let (Some(host), Ok(text)) = (host, std::fs::read_to_string(&path)) {
            found.extend(host.statements(&text).iter().filter_map(Function::new));
        }
    }
}

/// A function with the first error of each.
struct Judged<'f> {
    function: &'f Function,
    ptxas: Option<String>,
    warplens: Option<String>,
}

impl Judged<'_> {
    fn is_different(&self) -> bool {
        self.ptxas.is_some() != self.warplens.is_some()
    }
}

#[derive(Clone, Copy)]
struct Judge<'o> {
    oracle: &'o Oracle,
    target: &'static str,
}

impl Judge<'_> {
    fn head(&self) -> String {
        format!(".version 9.5\n.target {}\n.address_size 64\n", self.target)
    }

    /// Judges functions on all processors. A function whose braces do not match would change the meaning of those after it, so it is
    /// judged alone.
    fn judged<'f>(&self, functions: &'f [Function]) -> Result<Vec<Judged<'f>>> {
        let (together, alone): (Vec<_>, Vec<_>) = functions.iter().partition(|function| function.is_nested());
        let batches: Vec<&[&Function]> = together.chunks(BATCH).chain(alone.chunks(1)).collect();
        let next = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let work = || -> Result<Vec<Judged<'f>>> {
            let mut found = Vec::new();
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                found.extend(self.batch(batch)?);
                let done = done.fetch_add(batch.len(), Ordering::Relaxed) + batch.len();
                eprint!("\r{}: {done} of {}   ", self.target, functions.len());
            }
            Ok(found)
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Result<Vec<_>>>()
        })?;
        eprintln!();
        Ok(found.into_iter().flatten().collect())
    }

    fn batch<'f>(&self, functions: &[&'f Function]) -> Result<Vec<Judged<'f>>> {
        let lines: Vec<String> =
            functions.iter().enumerate().map(|(number, function)| function.text(number)).collect();
        let verdicts = match lines.as_slice() {
            [line] => vec![self.alone(line)?],
            lines => self.oracle.ask(&self.head(), lines, "", self.target)?,
        };
        let judged = functions.iter().zip(lines).zip(verdicts).map(|((function, line), ptxas)| {
            let errors = judge::errors(&format!("{}{line}\n", self.head()))?;
            let warplens = errors.into_iter().next().map(|error| error.message);
            let mut judged = Judged { function, ptxas, warplens };
            if judged.is_different() {
                judged.ptxas = self.alone(&line)?;
            }
            Ok(judged)
        });
        judged.collect()
    }

    /// The error of the assembler in a file with one function. Some errors are found only when code is generated.
    fn alone(&self, line: &str) -> Result<Option<String>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), format!("{}{line}\n", self.head()))?;
        Ok(match self.oracle.judge(file.path(), Some(self.target))? {
            Verdict::Rejects(message) => Some(message),
            Verdict::Accepts | Verdict::Unknown(_) => None,
        })
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let oracle = Oracle::find(options.ptxas.clone())?;
    let judges = TARGETS.map(|target| Judge { oracle: &oracle, target });
    let mut left: Vec<Function> = functions(&options.folders).into_iter().collect();
    let total = left.len();
    let mut rng = Rng::with_seed(options.seed);
    let words = modifiers(&left);
    let mut accepted: Vec<Vec<Function>> = Vec::new();
    let mut different = 0;
    for (at, judge) in judges.iter().enumerate() {
        let judged = judge.judged(&left)?;
        // Another target may have what the assembler refuses.
        let is_last = at + 1 == judges.len();
        different += list(*judge, judged.iter().filter(|it| it.ptxas.is_none() || is_last));
        let (good, refused): (Vec<_>, Vec<_>) = judged.into_iter().partition(|it| it.ptxas.is_none());
        let mut good: Vec<Function> = good.into_iter().map(|it| it.function.clone()).collect();
        good.sort();
        let refused = refused.into_iter().map(|it| it.function.clone()).collect();
        accepted.push(good);
        left = refused;
    }
    summary("statements", total, different);
    let choices: Vec<(usize, &Function)> = accepted
        .iter()
        .enumerate()
        .flat_map(|(at, functions)| functions.iter().map(move |it| (at, it)))
        .collect();
    let mut mutants = vec![BTreeSet::new(); judges.len()];
    // A mutation may be the statement itself, or one that was there already.
    for _ in 0..options.mutations * 4 {
        let Some((at, function)) = rng.choice(&choices) else { break };
        let mutant = function.mutated(&words, &mut rng);
        if mutants.iter().map(BTreeSet::len).sum::<usize>() < options.mutations && mutant != **function {
            mutants[*at].insert(mutant);
        }
    }
    let mut different = 0;
    let mut total = 0;
    for (judge, mutants) in judges.into_iter().zip(mutants) {
        let mutants: Vec<Function> = mutants.into_iter().collect();
        different += list(judge, judge.judged(&mutants)?.iter());
        total += mutants.len();
    }
    summary("mutations", total, different);
    Ok(())
}

/// The modifiers in the functions.
fn modifiers(functions: &[Function]) -> Vec<String> {
    let words = functions
        .iter()
        .flat_map(|function| parts(&function.body).into_iter().map(|part| &function.body[part]))
        .filter(|word| word.starts_with('.'));
    words.collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
}

/// Prints the functions that one of the assembler and Warplens accepts, and counts them.
fn list<'j>(judge: Judge<'_>, judged: impl Iterator<Item = &'j Judged<'j>>) -> usize {
    let mut count = 0;
    for Judged { function, ptxas, warplens } in judged.filter(|judged| judged.is_different()) {
        let verdict = |error: &Option<String>| error.clone().unwrap_or_else(|| "accepted".to_owned());
        println!(
            "{}: {}\n  ptxas: {}\n  warplens: {}",
            judge.target,
            function.text(0),
            verdict(ptxas),
            verdict(warplens)
        );
        count += 1;
    }
    count
}

fn summary(what: &str, total: usize, different: usize) {
    let same = total - different;
    println!("{same} of {total} {what} agree, {:.2} %", 100.0 * same as f64 / total.max(1) as f64);
}
