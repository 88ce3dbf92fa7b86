//! `warplens fmt`: formats files, and rewrites WAVE in one of its dialects.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use ropey::Rope;
use similar::TextDiff;
use warplens_ide::{
    AnalysisHost, Cancelled, Dialect, FileId, Formatted, Language, NotRewritten, Rewritten, edited,
    is_read_only,
};

use super::files::{Input, Searched, assembly_extensions, collect};
use super::input::{STANDARD_INPUT, language_parser};
use super::outcome::{Outcome, print_message, unusable};
use super::plain::{plain, without_controls};
use super::terminal;
use warplens_lsp::language;
use warplens_protocol::position::{self, Encoding};
use warplens_system::disk::replace_file::replace;
use warplens_tools::open;

const STRONG: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

#[derive(Args)]
pub(super) struct Arguments {
    /// Files to format in place, folders to search (for .ptx files, and .wave files with a `.kernel` line), or `-` to
    /// format standard input to standard output
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// List the files that would change instead of writing them, and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    /// Print the changes as a diff instead of writing them, and exit with 1 if there are any
    #[arg(long, conflicts_with = "check")]
    diff: bool,

    /// Also rewrite WAVE in this dialect. For the toolchain, without code that version 0.1.2 rejects or miscompiles
    #[arg(long = "spelling", value_enum, value_name = "NAME")]
    dialect: Option<DialectName>,

    /// The language (default: according to the file extension)
    #[arg(long, value_parser = language_parser())]
    language: Option<Language>,
}

/// The dialects on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectName {
    /// The guide's dialect: `icmp.lt p0, r0, 5`
    Guide,
    /// The toolchain's dialect: `icmp_lt p0, r0, r1`
    #[value(name = "toolchain-0.1.2")]
    Toolchain,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Dialect {
        match name {
            DialectName::Guide => Dialect::Guide,
            DialectName::Toolchain => Dialect::Toolchain,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut outcome = Outcome::Success;
    let mut out =
        if arguments.diff && terminal::has_colors() { terminal::colored() } else { terminal::exact() };
    let files = collect(&arguments.paths, Searched::Assembly);
    if files.is_empty() {
        print_message(format!("no files to format: no {} files found", assembly_extensions()));
    }
    for found in files {
        outcome = outcome.max(match found {
            Ok(input) => arguments.format(&input, &mut out)?,
            Err((path, error)) => unusable(format!("{}: {error}", path.display())),
        });
    }
    out.flush()?;
    Ok(outcome)
}

impl Arguments {
    fn format(&self, input: &Input, out: &mut dyn Write) -> io::Result<Outcome> {
        match FormattedFile::read(input, self.language, self.dialect.map(Dialect::from)) {
            Ok(Some(file)) if self.diff => file.diff(out),
            Ok(Some(file)) if self.check => file.compare(out),
            Ok(Some(file)) => file.write(out),
            Ok(None) => Ok(Outcome::Success),
            Err(error) => Ok(unusable(format!("{}: {error}", input.path.display()))),
        }
    }
}

/// A file before and after formatting.
struct FormattedFile<'a> {
    path: &'a Path,
    target: &'a Path,
    before: String,
    after: String,
    outcome: Outcome,
}

impl FormattedFile<'_> {
    /// `None` for a read-only file that was only found in a folder: it is skipped.
    fn read(
        input: &Input,
        language: Option<Language>,
        dialect: Option<Dialect>,
    ) -> Result<Option<FormattedFile<'_>>> {
        let path = input.path.as_path();
        let text = input.read()?;
        let language = language.map_or_else(|| language::of_file(path, &text.text), Ok)?;
        if is_read_only(language) {
            ensure!(
                !input.is_named,
                "{} is read-only: a tool prints it, and it is not formatted",
                language.title
            );
            return Ok(None);
        }
        text.check_editable()?;
        let before = text.text;
        let mut host = AnalysisHost::new();
        open(&mut host, language, &before)?;
        ensure!(
            dialect.is_none() || language.has_dialects,
            "`--spelling` applies only to languages with dialects; {} has none",
            language.title
        );
        let rewritten = edited(&before, &rewrite(&host, dialect)?.edits);
        host.open(FileId(0), language, &rewritten);
        let formatted = host.snapshot().format(FileId(0))?;
        let after = edited(&rewritten, &formatted.edits);
        // Messages refer to the lines of the written file.
        host.open(FileId(0), language, &after);
        let left = rewrite(&host, dialect)?.left;
        let is_complete = formatted.broken.is_empty() && left.is_empty();
        let outcome = if is_complete { Outcome::Success } else { Outcome::Errors };
        report_not_rewritten(path, &left);
        report_syntax_errors(path, &rewritten, &formatted);
        Ok(Some(FormattedFile { path, target: &input.target, before, after, outcome }))
    }

    /// Lists the file if it would change.
    fn compare(&self, out: &mut dyn Write) -> io::Result<Outcome> {
        if self.before == self.after {
            return Ok(self.outcome);
        }
        writeln!(out, "{}", plain(&self.path.to_string_lossy()))?;
        Ok(Outcome::Errors)
    }

    /// Prints the changes as a unified diff, which `patch` accepts unless a terminal shows it.
    fn diff(&self, out: &mut dyn Write) -> io::Result<Outcome> {
        if self.before == self.after {
            return Ok(self.outcome);
        }
        let path = self.path.strip_prefix(".").unwrap_or(self.path).to_string_lossy();
        let name = plain(&path).replace('\\', "/");
        let (has_colors, is_terminal) = (terminal::has_colors(), io::stdout().is_terminal());
        let strong = if has_colors { STRONG } else { Style::new() };
        writeln!(out, "{strong}--- a/{name}{strong:#}\n{strong}+++ b/{name}{strong:#}")?;
        let diff = TextDiff::from_lines(&self.before, &self.after);
        for line in diff.unified_diff().to_string().split_inclusive('\n') {
            let style = match line.as_bytes().first() {
                _ if !has_colors => Style::new(),
                Some(b'@') => HUNK,
                Some(b'-') => REMOVED,
                Some(b'+') => ADDED,
                _ => Style::new(),
            };
            let text = line.trim_end_matches(['\r', '\n']);
            let end = &line[text.len()..];
            let text = if is_terminal { without_controls(text) } else { text.into() };
            write!(out, "{style}{text}{style:#}{end}")?;
        }
        Ok(Outcome::Errors)
    }

    /// Writes the file, if it has changed.
    fn write(&self, out: &mut dyn Write) -> io::Result<Outcome> {
        if self.path.as_os_str() == STANDARD_INPUT {
            // Not through the adapter for colours, which would remove escape sequences in comments.
            out.flush()?;
            io::stdout().write_all(self.after.as_bytes())?;
        } else if self.before != self.after
            && let Err(error) = replace(self.target, self.before.as_bytes(), self.after.as_bytes())
        {
            return Ok(unusable(format!("{}: cannot be written: {error}", self.path.display())));
        }
        Ok(self.outcome)
    }
}

fn rewrite(host: &AnalysisHost, dialect: Option<Dialect>) -> Result<Rewritten, Cancelled> {
    let Some(dialect) = dialect else { return Ok(Rewritten::default()) };
    host.snapshot().rewrite_in_dialect(FileId(0), dialect)
}

/// Reports constructs that have no equivalent in the dialect.
fn report_not_rewritten(path: &Path, left: &[NotRewritten]) {
    for NotRewritten { line, message } in left {
        print_message(format!("{}:{}: not rewritten: {message}", path.display(), line + 1));
    }
}

fn report_syntax_errors(path: &Path, text: &str, formatted: &Formatted) {
    if formatted.broken.is_empty() {
        return;
    }
    let rope = Rope::from_str(text);
    for error in &formatted.broken {
        let at = position::position(&rope, error.start(), Encoding::Utf16);
        print_message(format!(
            "{}:{}:{}: syntax error: the enclosing item was not formatted (run `warplens check` for details)",
            path.display(),
            at.line + 1,
            at.character + 1
        ));
    }
}
