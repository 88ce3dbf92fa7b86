//! `warplens fmt`: files in the one style of their language, and WAVE in one of its spellings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ropey::Rope;
use warplens_ide::{
    AnalysisHost, Dialect, FileId, Formatted, Language, NotRewritten, Rewritten, TextEdit, TextRange,
    TextSize,
};

use super::check::{STANDARD_INPUT, language_of, read};
use super::{LanguageName, Outcome, complain};
use crate::position::{self, Encoding};

#[derive(Args)]
pub(super) struct Arguments {
    /// Files to format in place, or `-` to format standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// Change nothing: list the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,

    /// Write WAVE in this spelling too: the guide's, or what toolchain 0.1.2 assembles and runs as it was meant
    #[arg(long, value_enum, value_name = "NAME")]
    spelling: Option<SpellingName>,

    /// The language, whatever the files are called
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
}

/// The spellings as the command line names them.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SpellingName {
    /// The guide's: `icmp.lt p0, r0, 5`
    Guide,
    /// The toolchain's: `icmp_lt p0, r0, r1`
    #[value(name = "toolchain-0.1.2")]
    Toolchain,
}

impl From<SpellingName> for Dialect {
    fn from(name: SpellingName) -> Dialect {
        match name {
            SpellingName::Guide => Dialect::Guide,
            SpellingName::Toolchain => Dialect::Toolchain,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let Some(language) = LanguageName::chosen(arguments.language) else { return Ok(Outcome::Unusable) };
    let mut outcome = Outcome::Fine;
    for path in &arguments.paths {
        outcome = outcome.max(match Sheet::read(path, language, arguments.spelling.map(Dialect::from)) {
            Ok(sheet) if arguments.check => sheet.compare()?,
            Ok(sheet) => sheet.write()?,
            Err(why) => {
                complain(&format!("{}: {why}", path.display()));
                Outcome::Unusable
            }
        });
    }
    io::stdout().flush()?;
    Ok(outcome)
}

/// A file as it is and as it should be.
struct Sheet<'a> {
    path: &'a Path,
    before: String,
    after: String,
    outcome: Outcome,
}

impl Sheet<'_> {
    fn read(path: &Path, language: Option<Language>, spelling: Option<Dialect>) -> Result<Sheet<'_>, String> {
        let before = read(path)?;
        let language = match language {
            Some(language) => language,
            None => language_of(path, &before)?,
        };
        let mut host = AnalysisHost::new();
        host.open(FileId(0), language, &before);
        if spelling.is_some() && language != warplens_ide::WAVE {
            return Err("`--spelling` is about WAVE only".to_owned());
        }
        let spelled = edited(&before, &respell(&host, spelling)?.edits);
        host.open(FileId(0), language, &spelled);
        let formatted = host.snapshot().format(FileId(0)).map_err(|cancelled| cancelled.to_string())?;
        let after = edited(&spelled, &formatted.edits);
        // Lines move when they are formatted, and a reader looks for them in what is written.
        host.open(FileId(0), language, &after);
        let left = respell(&host, spelling)?.left;
        let fine = formatted.broken.is_empty() && left.is_empty();
        let outcome = if fine { Outcome::Fine } else { Outcome::Errors };
        say_left(path, &left);
        say_broken(path, &spelled, &formatted);
        Ok(Sheet { path, before, after, outcome })
    }

    /// Says whether the file would change.
    fn compare(&self) -> io::Result<Outcome> {
        if self.before == self.after {
            return Ok(self.outcome);
        }
        writeln!(io::stdout(), "{}", self.path.display())?;
        Ok(Outcome::Errors)
    }

    /// Writes the file, if it changes.
    fn write(&self) -> io::Result<Outcome> {
        if self.path.as_os_str() == STANDARD_INPUT {
            io::stdout().write_all(self.after.as_bytes())?;
        } else if self.before != self.after
            && let Err(error) = std::fs::write(self.path, &self.after)
        {
            complain(&format!("{}: cannot be written: {error}", self.path.display()));
            return Ok(Outcome::Unusable);
        }
        Ok(self.outcome)
    }
}

fn respell(host: &AnalysisHost, spelling: Option<Dialect>) -> Result<Rewritten, String> {
    let Some(spelling) = spelling else { return Ok(Rewritten::default()) };
    host.snapshot().rewrite_in_dialect(FileId(0), spelling).map_err(|cancelled| cancelled.to_string())
}

fn edited(text: &str, edits: &[TextEdit]) -> String {
    let mut edited = String::with_capacity(text.len() + text.len() / 8);
    let mut at = TextSize::new(0);
    for edit in edits {
        edited.push_str(&text[TextRange::new(at, edit.range.start())]);
        edited.push_str(&edit.insert);
        at = edit.range.end();
    }
    edited.push_str(&text[usize::from(at)..]);
    edited
}

/// What has no form in the spelling; the lines are those of the file as it is then.
fn say_left(path: &Path, left: &[NotRewritten]) {
    for NotRewritten { line, message } in left {
        complain(&format!("{}:{}: left as it was: {message}", path.display(), line + 1));
    }
}

fn say_broken(path: &Path, text: &str, formatted: &Formatted) {
    if formatted.broken.is_empty() {
        return;
    }
    let rope = Rope::from_str(text);
    for error in &formatted.broken {
        let at = position::position(&rope, error.start(), Encoding::Utf16);
        let place = format!("{}:{}:{}", path.display(), at.line + 1, at.character + 1);
        complain(&format!(
            "{place}: a syntax error; what it stands in is left as it is (`warplens check` says more)"
        ));
    }
}
