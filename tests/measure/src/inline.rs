//! Statements of inline PTX in folders of host code, and mutations of them, with the assembler as the judge. Each is a function with a
//! register for each operand.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use fastrand::Rng;
use warplens_host::{Dialect, Operand, Statement, by_extension};

use crate::judge;
use crate::oracle::{Oracle, Verdict};

/// A statement is judged for the first of them that the assembler accepts it for.
const TARGETS: [&str; 4] = ["sm_100a", "sm_90a", "sm_120a", "sm_80"];

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

/// A function that one of the assembler and Warplens accepts.
struct Disagreement {
    text: String,
    ptxas: Option<String>,
    warplens: Option<String>,
}

/// Judges functions for a target: the error of the assembler for each, and the disagreements.
fn judged(
    oracle: &Oracle,
    functions: &[Function],
    target: &str,
) -> Result<(Vec<Option<String>>, Vec<Disagreement>)> {
    let head = format!(".version 9.5\n.target {target}\n.address_size 64\n");
    let (mut errors, mut different) = (Vec::new(), Vec::new());
    for chunk in functions.chunks(200) {
        let lines: Vec<String> =
            chunk.iter().enumerate().map(|(number, function)| function.text(number)).collect();
        let verdicts = oracle.ask(&head, &lines, "", target)?;
        for (line, ptxas) in lines.iter().zip(&verdicts) {
            let text = format!("{head}{line}\n");
            let warplens = judge::errors(&text)?.into_iter().next().map(|error| error.message);
            let ptxas = match (ptxas, &warplens) {
                // Some errors are found only when code is generated.
                (None, Some(_)) => error_of_file(oracle, &text, target)?,
                (ptxas, _) => ptxas.clone(),
            };
            if warplens.is_some() != ptxas.is_some() {
                different.push(Disagreement { text: line.clone(), ptxas, warplens });
            }
        }
        errors.extend(verdicts);
    }
    Ok((errors, different))
}

/// The error of the assembler in a file that it makes code of.
fn error_of_file(oracle: &Oracle, text: &str, target: &str) -> Result<Option<String>> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), text)?;
    Ok(match oracle.judge(file.path(), Some(target))? {
        Verdict::Rejects(message) => Some(message),
        Verdict::Accepts | Verdict::Unknown(_) => None,
    })
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let oracle = Oracle::find(options.ptxas.clone())?;
    let mut left: Vec<Function> = functions(&options.folders).into_iter().collect();
    let total = left.len();
    let mut rng = Rng::with_seed(options.seed);
    let words: BTreeSet<String> = left
        .iter()
        .flat_map(|function| parts(&function.body).into_iter().map(|part| function.body[part].to_owned()))
        .filter(|word| word.starts_with('.'))
        .collect();
    let words: Vec<String> = words.into_iter().collect();
    let (mut accepted, mut different) = (Vec::new(), Vec::new());
    for target in TARGETS {
        let (errors, disagreements) = judged(&oracle, &left, target)?;
        let is_last = target == TARGETS[TARGETS.len() - 1];
        // Another target may have what the assembler refuses.
        different.extend(disagreements.into_iter().filter(|it| it.ptxas.is_none() || is_last));
        let (refused, good): (Vec<_>, Vec<_>) =
            left.into_iter().zip(errors).partition(|(_, error)| error.is_some());
        accepted.extend(good.into_iter().map(|(function, _)| (target, function)));
        left = refused.into_iter().map(|(function, _)| function).collect();
    }
    report("statements", total, &different);
    let mut different = Vec::new();
    let picked: Vec<_> = (0..options.mutations).filter_map(|_| rng.choice(&accepted)).collect();
    for target in TARGETS {
        let of_target = picked.iter().filter(|(other, _)| *other == target);
        let mutants: Vec<_> = of_target.map(|(_, function)| function.mutated(&words, &mut rng)).collect();
        different.extend(judged(&oracle, &mutants, target)?.1);
    }
    report("mutations", picked.len(), &different);
    Ok(())
}

fn report(what: &str, total: usize, different: &[Disagreement]) {
    for Disagreement { text, ptxas, warplens } in different {
        let verdict = |error: &Option<String>| error.clone().unwrap_or_else(|| "accepted".to_owned());
        println!("{text}\n  ptxas: {}\n  warplens: {}", verdict(ptxas), verdict(warplens));
    }
    let same = total - different.len();
    println!("{same} of {total} {what} agree, {:.2} %", 100.0 * same as f64 / total.max(1) as f64);
}
