//! `warplens check`: the problems of files.

mod files;
mod human;
mod json;
mod sarif;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use ropey::Rope;
use warplens_ide::{
    Accepts, AnalysisHost, Code, Diagnostic, FileId, LINTS, Language, Profile, Rules, Severity,
};

use super::{LanguageName, Outcome, complain};
use crate::language::{self, Kind};
pub(super) use files::STANDARD_INPUT;
use files::collect;

#[derive(Args)]
pub(super) struct Arguments {
    /// Files, folders to walk (for .ptx, and .wave with a `.kernel` line), or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// How problems are written
    #[arg(long, value_enum, default_value = "human")]
    format: Format,

    /// Show hints too, which `human` leaves out: what is unused, or could be written better
    #[arg(long)]
    hints: bool,

    /// The language, whatever the files are called
    #[arg(long, value_enum)]
    language: Option<LanguageName>,

    /// Check against this target instead of the file's own
    #[arg(long, value_name = "sm_NN", value_parser = target)]
    target: Option<String>,

    /// Check against this PTX version instead of the file's own
    #[arg(long, value_name = "N.N", value_parser = version)]
    ptx_version: Option<(u32, u32)>,

    /// Hold WAVE against this language: `both` spellings, the `guide`, or what `toolchain-0.1.2` assembles
    #[arg(long, value_name = "NAME", value_parser = accepts, default_value = "both")]
    accepts: Accepts,

    /// Never report this diagnostic (may be repeated)
    #[arg(long, value_name = "NAME", value_parser = code)]
    allow: Vec<&'static Code>,

    /// Report this diagnostic as an error (may be repeated)
    #[arg(long, value_name = "NAME", value_parser = code)]
    deny: Vec<&'static Code>,
}

impl Arguments {
    /// What is checked against in place of what files say.
    fn profile(&self) -> Profile {
        Profile { version: self.ptx_version, architecture: self.target.clone() }
    }

    fn rules(&self) -> Rules {
        let mut rules = Rules::default();
        // What nobody is shown need not be looked for.
        if self.format == Format::Human && !self.hints {
            LINTS.iter().for_each(|name| rules.set(name, None));
        }
        self.allow.iter().for_each(|code| rules.set(code.name, None));
        self.deny.iter().for_each(|code| rules.set(code.name, Some(Severity::Error)));
        rules
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the source, for people
    Human,
    /// One JSON object a line
    Json,
    /// One SARIF 2.1.0 document
    Sarif,
}

/// A file that was looked at.
struct Checked {
    path: PathBuf,
    /// Its problems, or why it could not be read.
    result: Result<(Rope, Vec<Diagnostic>), String>,
}

/// Writes what was found.
trait Report {
    /// A file, in the order in which they were named.
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()>;

    /// After the last file.
    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let Some(language) = LanguageName::chosen(arguments.language) else { return Ok(Outcome::Unusable) };
    let profile = arguments.profile();
    if let Err(why) = profile.check() {
        complain(&why);
        return Ok(Outcome::Unusable);
    }
    let checker = Checker { language, profile, rules: arguments.rules(), accepts: arguments.accepts };
    let mut report: Box<dyn Report> = match arguments.format {
        Format::Human => Box::new(human::Human::new(arguments.hints)),
        Format::Json => Box::new(json::Json),
        Format::Sarif => Box::new(sarif::Sarif::default()),
    };
    let files = collect(&arguments.paths);
    let bar = progress(files.len());
    let mut outcome = Outcome::Fine;
    let mut out = anstream::stdout().lock();
    in_order(&files, &checker, |checked| {
        outcome = outcome.max(worst(&checked));
        bar.suspend(|| {
            if let Err(why) = &checked.result {
                complain(&format!("{}: {why}", checked.path.display()));
            }
            report.file(&mut out, &checked)
        })?;
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    report.end(&mut out)?;
    out.flush()?;
    Ok(outcome)
}

fn worst(checked: &Checked) -> Outcome {
    match &checked.result {
        Err(_) => Outcome::Unusable,
        Ok((_, found)) if found.iter().any(|found| found.severity == Severity::Error) => Outcome::Errors,
        Ok(_) => Outcome::Fine,
    }
}

/// Checks files on all cores and gives them on in their order.
fn in_order(
    files: &[Result<PathBuf, (PathBuf, String)>],
    checker: &Checker,
    mut each: impl FnMut(Checked) -> io::Result<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let (done, results) = mpsc::channel();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = cores.min(files.len());
    let cores_a_file = cores / workers.max(1);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (done, next) = (done.clone(), &next);
            deep().spawn_scoped(scope, move || {
                while let Some((at, file)) = take(next, files) {
                    let checked = match file {
                        Ok(path) => Checked { result: checker.check(path, cores_a_file), path: path.clone() },
                        Err((path, why)) => Checked { path: path.clone(), result: Err(why.clone()) },
                    };
                    if done.send((at, checked)).is_err() {
                        break;
                    }
                }
            })?;
        }
        drop(done);
        let mut early = std::collections::BTreeMap::new();
        let mut due = 0;
        for (at, checked) in results {
            early.insert(at, checked);
            while let Some(checked) = early.remove(&due) {
                each(checked)?;
                due += 1;
            }
        }
        Ok(())
    })
}

fn take<'f, T>(next: &AtomicUsize, files: &'f [T]) -> Option<(usize, &'f T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, files.get(at)?))
}

/// How files are looked at.
struct Checker {
    /// Their language, whatever they are called.
    language: Option<Language>,
    profile: Profile,
    rules: Rules,
    accepts: Accepts,
}

impl Checker {
    fn check(&self, path: &Path, cores: usize) -> Result<(Rope, Vec<Diagnostic>), String> {
        let text = read(path)?;
        let language = match self.language {
            Some(language) => language,
            None => language_of(path, &text)?,
        };
        let file = FileId(0);
        let mut host = AnalysisHost::new();
        host.set_rules(self.rules.clone());
        host.set_accepts(self.accepts);
        host.open(file, language, &text);
        host.set_profile(file, self.profile.clone());
        let analysis = host.snapshot();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 1..cores {
                let (analysis, next) = (analysis.clone(), &next);
                // Without it the work is only done by fewer.
                let _ = deep().spawn_scoped(scope, move || analysis.share_diagnostics(file, next));
            }
            let _ = analysis.share_diagnostics(file, &next);
        });
        let found = analysis.diagnostics(file).map_err(|cancelled| cancelled.to_string())?;
        Ok((Rope::from_str(&text), found))
    }
}

/// A thread with room for the deepest text that the parsers take.
fn deep() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(16 << 20)
}

/// The text of a file, or of standard input.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if u32::try_from(bytes.len()).is_err() {
        return Err(format!("has {} bytes; files of up to 4 GB are read", bytes.len()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("is not UTF-8: the byte at offset {offset} (0x{:02x}) is wrong", error.as_bytes()[offset])
    })
}

/// The language of a file by its name and, where that is open, by its text.
pub(super) fn language_of(path: &Path, text: &str) -> Result<Language, String> {
    let by_name = language::by_extension(path);
    match if by_name == Kind::Unknown { language::by_text(text) } else { by_name } {
        Kind::Read(language) => Ok(language),
        Kind::Listing => Err(language::LISTINGS_LATER.to_owned()),
        Kind::Shared(_) | Kind::Unknown => {
            Err("its language cannot be told; say it with --language ptx or --language wave-asm".into())
        }
    }
}

fn progress(files: usize) -> ProgressBar {
    if files < 2 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// `sm_90`, `sm_100a`, `sm_120f`.
fn target(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
    match number {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(text.to_owned())
        }
        _ => Err("a target is written like sm_90 or sm_100a".into()),
    }
}

/// `8.5`.
fn version(text: &str) -> Result<(u32, u32), String> {
    let number =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    let parts = text.split_once('.').and_then(|(major, minor)| number(major).zip(number(minor)));
    parts.ok_or_else(|| "a PTX version is written like 8.5".into())
}

/// `both`, `guide`, `toolchain-0.1.2`.
fn accepts(name: &str) -> Result<Accepts, String> {
    Accepts::named(name).ok_or_else(|| {
        let names: Vec<_> = Accepts::NAMES.iter().map(|(name, _)| *name).collect();
        format!("it is one of {}", names.join(", "))
    })
}

/// The name of a diagnostic.
fn code(name: &str) -> Result<&'static Code, String> {
    warplens_ide::code(name).ok_or_else(|| {
        let near = warplens_ide::nearest_code(name);
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("unknown diagnostic `{name}`{hint}")
    })
}
