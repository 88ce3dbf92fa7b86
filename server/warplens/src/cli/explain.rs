//! `warplens explain`: the documentation of a name, as on hover.

use std::io::{self, Write};

use clap::Args;
use warplens_ide::Language;

use super::{LanguageName, Outcome, complain};
use crate::markdown::render;

#[derive(Args)]
pub(super) struct Arguments {
    /// The name: `bra`, `.reqntid`, `%laneid`, `icmp.lt`
    name: String,

    /// Only this language (default: every one that has the name)
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let Some(language) = LanguageName::chosen(arguments.language) else { return Ok(Outcome::Unusable) };
    match warplens_ide::explain(&arguments.name, language) {
        Some(markdown) => {
            let mut out = anstream::stdout().lock();
            out.write_all(render(&markdown, width()).as_bytes())?;
            out.flush()?;
            Ok(Outcome::Fine)
        }
        None => {
            complain(&unknown(&arguments.name, language));
            Ok(Outcome::Errors)
        }
    }
}

/// That there is no such name, and which one may be meant.
fn unknown(name: &str, language: Option<Language>) -> String {
    if language.is_some() && warplens_ide::explain(name, None).is_some() {
        return format!("this language has no `{name}`; the other one has (leave --language out)");
    }
    let near = warplens_ide::nearest_name(name, language);
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("nothing is called `{name}`{hint}")
}

/// Columns to fill: those of the terminal where the shell says them, as many as read well otherwise.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(80).clamp(40, 100)
}
