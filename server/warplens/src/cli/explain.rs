//! `warplens explain`: the documentation of a name, as on hover.

use std::io::{self, Write};

use clap::Args;
use warplens_ide::{Language, languages};

use super::input::language_parser;
use super::outcome::{Outcome, print_message};
use crate::markdown::render;

#[derive(Args)]
pub(super) struct Arguments {
    /// The name: `bra`, `.reqntid`, `%laneid`, `icmp.lt`
    name: String,

    /// Only in this language (default: in every language)
    #[arg(long, value_parser = language_parser())]
    language: Option<Language>,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    match warplens_ide::explain(&arguments.name, arguments.language) {
        Some(markdown) => {
            let mut out = anstream::stdout().lock();
            out.write_all(render(&markdown, width()).as_bytes())?;
            out.flush()?;
            Ok(Outcome::Success)
        }
        None => {
            print_message(unknown(&arguments.name, arguments.language));
            Ok(Outcome::Errors)
        }
    }
}

/// The message about an unknown name, with the languages that have it or a similar name.
fn unknown(name: &str, language: Option<Language>) -> String {
    let explains = |other: &Language| warplens_ide::explain(name, Some(*other)).is_some();
    if let Some(language) = language {
        let others: Vec<_> = languages().filter(explains).map(|other| other.title).collect();
        if !others.is_empty() {
            return format!("`{name}` is not a {} name; it exists in {}", language.title, others.join(", "));
        }
    }
    let near = warplens_ide::nearest_name(name, language);
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("no documentation entry for `{name}`{hint}")
}

/// The width of the terminal where the shell exports it, within a readable range.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(80).clamp(40, 100)
}
