//! `warplens check`: reports the problems of files.

mod fix;
mod human;
pub(super) mod json;
mod report;
mod sarif;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc};

use anyhow::Result;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use ropey::Rope;
use warplens_ide::{
    Accepts, AnalysisHost, Code, Diagnostic, Fixes, LINTS, Language, Profile, Rules, Severity, inline,
};
use warplens_sim_warp::Workers;

use super::files::{Found, Input, Searched, assembly_extensions, collect};
use super::input::{Checkable, InputText, checkable_parser, host_of};
use super::outcome::{Outcome, print_message, unusable};
use super::terminal;
use report::{Checked, CheckedFile, Report};
use warplens_lsp::language;
use warplens_system::allocator;
use warplens_system::cores::{Cores, STACK};
use warplens_tools::open;

/// Freed blocks of up to this size are reused. Even the blocks of most texts are smaller.
const LARGEST_KEPT: u32 = 64 << 20;

#[derive(Args)]
pub(super) struct Arguments {
    /// Files, folders to search (for .ptx and .sass files, .wave files with a `.kernel` line, and files with inline PTX), or `-` for
    /// standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,

    /// Also show hints, which `human` omits: unused declarations and possible improvements
    #[arg(long)]
    hints: bool,

    /// The language (default: according to the file extension)
    #[arg(long, value_parser = checkable_parser())]
    language: Option<Checkable>,

    /// Check against this target (default: the target of the file)
    #[arg(long, value_name = "sm_NN", value_parser = target)]
    target: Option<String>,

    /// Check against this PTX version (default: the version of the file)
    #[arg(long, value_name = "N.N", value_parser = version)]
    ptx_version: Option<(u32, u32)>,

    /// Check WAVE against this dialect: `guide`, `toolchain-0.1.2` or `both`
    #[arg(long, value_name = "NAME", value_parser = accepts, default_value = "both")]
    accepts: Accepts,

    /// Do not report this diagnostic (repeatable)
    #[arg(long, value_name = "NAME", value_parser = code)]
    allow: Vec<&'static Code>,

    /// Report this diagnostic as an error (repeatable); `warnings` makes every warning fail the check
    #[arg(long, value_name = "NAME", value_parser = denied)]
    deny: Vec<Denied>,

    /// Apply the fixes that are safe without review, and report what remains
    #[arg(long)]
    fix: bool,

    /// Print errors only, without progress and summary
    #[arg(long, short)]
    quiet: bool,
}

/// The name after `--deny`.
#[derive(Debug, Clone, Copy)]
enum Denied {
    /// A diagnostic becomes an error.
    Code(&'static Code),
    /// A warning fails the check.
    Warnings,
}

impl Arguments {
    fn profile(&self) -> Profile {
        Profile { version: self.ptx_version, architecture: self.target.clone() }
    }

    fn rules(&self) -> Rules {
        let mut rules = Rules::default();
        // The lints would not be shown, so they are not computed.
        if self.format == Format::Human && !self.hints {
            LINTS.iter().for_each(|name| rules.set(name, None));
        }
        self.allow.iter().for_each(|code| rules.set(code.name, None));
        for denied in &self.deny {
            if let Denied::Code(code) = denied {
                rules.set(code.name, Some(Severity::Error));
            }
        }
        rules
    }

    /// The lowest severity that fails the check.
    fn failing(&self) -> Severity {
        let warnings = self.deny.iter().any(|denied| matches!(denied, Denied::Warnings));
        if warnings { Severity::Warning } else { Severity::Error }
    }

    /// The lowest severity that `human` shows.
    fn lowest(&self) -> Severity {
        match (self.quiet, self.hints) {
            // Everything that fails the check is shown.
            (true, _) => self.failing(),
            (false, true) => Severity::Hint,
            (false, false) => Severity::Information,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With source code
    Human,
    /// One JSON object for each line
    Json,
    /// One SARIF 2.1.0 document
    Sarif,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let profile = arguments.profile();
    if let Err(error) = profile.check() {
        return Ok(unusable(error));
    }
    // The process ends soon, so it need not return memory.
    allocator::keep_freed(LARGEST_KEPT);
    let checker = Checker {
        language: arguments.language,
        profile,
        rules: arguments.rules(),
        accepts: arguments.accepts,
        fix: arguments.fix,
    };
    let mut report: Box<dyn Report> = match arguments.format {
        Format::Human => Box::new(human::Human::new(arguments.lowest(), !arguments.quiet)),
        Format::Json => Box::new(json::Json),
        Format::Sarif => Box::new(sarif::Sarif::default()),
    };
    let searched_files = match arguments.language {
        Some(Checkable::Assembly(_)) => Searched::Assembly,
        Some(Checkable::Host(_)) | None => Searched::WithInline,
    };
    let files = collect(&arguments.paths, searched_files);
    if files.is_empty() && !arguments.quiet {
        let searched = assembly_extensions();
        print_message(format!("no files to check: no {searched} files and none with inline PTX found"));
    }
    let bar = if arguments.quiet { ProgressBar::hidden() } else { progress_bar(files.len()) };
    let mut outcome = Outcome::Success;
    let mut out = match arguments.format {
        Format::Human => terminal::colored(),
        _ => terminal::exact(),
    };
    in_order(files, &checker, |checked| {
        outcome = outcome.max(outcome_of(&checked, arguments.failing()));
        bar.suspend(|| {
            if let Err(error) = &checked.result {
                print_message(format!("{}: {error}", checked.path.display()));
            }
            report.file(&mut out, &checked)?;
            out.flush()
        })?;
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    report.end(outcome, &mut out)?;
    out.flush()?;
    Ok(outcome)
}

/// The progress of several files, on a terminal only.
fn progress_bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files");
    let bar = if files < 2 { ProgressBar::hidden() } else { ProgressBar::new(files as u64) };
    bar.with_style(style.expect("valid template"))
}

/// The extensions that are searched for in folders.
fn outcome_of(checked: &Checked, failing: Severity) -> Outcome {
    match &checked.result {
        Err(_) => Outcome::Unusable,
        Ok(file) if file.found.iter().any(|found| found.severity <= failing) => Outcome::Errors,
        Ok(_) => Outcome::Success,
    }
}

/// Checks files on all cores, and calls `each` with the results in the order of the files.
fn in_order(
    files: Vec<Found>,
    checker: &Checker,
    mut each: impl FnMut(Checked) -> io::Result<()>,
) -> io::Result<()> {
    let (done, results) = mpsc::channel();
    let workers = Cores::all().count().min(files.len());
    let cores_per_file = &Cores::part(workers);
    let queue = Mutex::new(files.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (done, next) = (done.clone(), &next);
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, move || {
                while let Some((at, file)) = next() {
                    let checked = match file {
                        Ok(input) => {
                            Checked { result: checker.check(&input, cores_per_file), path: input.path }
                        }
                        Err((path, error)) => Checked { path, result: Err(error.into()) },
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

/// The options that apply to all files.
struct Checker {
    /// The language; the default is that of the file extension.
    language: Option<Checkable>,
    profile: Profile,
    rules: Rules,
    accepts: Accepts,
    /// Applies safe fixes.
    fix: bool,
}

impl Checker {
    fn check(&self, input: &Input, cores: &Cores) -> Result<CheckedFile> {
        let text = input.read()?;
        let language = match (self.language, host_of(&input.path)) {
            (Some(Checkable::Host(host)), _) | (None, Some(host)) => {
                let check = |text: &str| Ok(inline::diagnostics(host, text, &self.profile, &self.rules));
                return self.check_and_fix(input, text, check);
            }
            (Some(Checkable::Assembly(language)), _) => language,
            (None, None) => language::of_file(&input.path, &text.text)?,
        };
        self.check_and_fix(input, text, |text| self.diagnostics(language, text, cores))
    }

    fn check_and_fix(
        &self,
        input: &Input,
        text: InputText,
        check: impl Fn(&str) -> Result<Vec<Diagnostic>>,
    ) -> Result<CheckedFile> {
        let fixed = match self.fix {
            true => fix::fix(input, text, check)?,
            false => fix::Fixed { found: check(&text.text)?, text: text.text, count: 0 },
        };
        Ok(CheckedFile { text: Rope::from_str(&fixed.text), found: fixed.found, fixed: fixed.count })
    }

    fn diagnostics(&self, language: Language, text: &str, cores: &Cores) -> Result<Vec<Diagnostic>> {
        let mut host = AnalysisHost::new();
        host.set_rules(self.rules.clone());
        host.set_accepts(self.accepts);
        let file = open(&mut host, language, text)?;
        host.set_profile(file, self.profile.clone());
        Ok(host.snapshot().diagnostics_with(file, Fixes::Included, cores)?)
    }
}

/// Parses `sm_90`, `sm_100a`, `sm_120f`.
fn target(text: &str) -> Result<String, &'static str> {
    let number = text.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
    match number {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(text.to_owned())
        }
        _ => Err("expected a target such as sm_90 or sm_100a"),
    }
}

/// Parses `8.5`.
fn version(text: &str) -> Result<(u32, u32), &'static str> {
    let number =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    let parts = text.split_once('.').and_then(|(major, minor)| number(major).zip(number(minor)));
    parts.ok_or("expected a PTX version such as 8.5")
}

/// Parses `both`, `guide`, `toolchain-0.1.2`.
fn accepts(name: &str) -> Result<Accepts, String> {
    let names = || Accepts::NAMES.map(|(name, _)| name).join(", ");
    Accepts::named(name).ok_or_else(|| format!("expected one of {}", names()))
}

/// Parses the name of a diagnostic, or `warnings`.
fn denied(name: &str) -> Result<Denied, String> {
    match name {
        "warnings" => Ok(Denied::Warnings),
        _ => code(name).map(Denied::Code),
    }
}

/// Parses the name of a diagnostic.
fn code(name: &str) -> Result<&'static Code, String> {
    let near = || warplens_ide::nearest_code(name).map(|near| format!("; did you mean `{near}`?"));
    let unknown = || format!("unknown diagnostic `{name}`{}", near().unwrap_or_default());
    warplens_ide::code(name).ok_or_else(unknown)
}
