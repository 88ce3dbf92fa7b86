//! `warplens explain`: the documentation of a name, as in a hover.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use warplens_ide::{Language, languages};

use super::input::language_parser;
use super::outcome::{Outcome, print_message};
use super::terminal;
use warplens_lsp::markdown::render;

#[derive(Args)]
pub(super) struct Arguments {
    /// The name: `bra`, `.reqntid`, `%laneid`, `icmp.lt`, `data-race`; or `automation`, the page for programs
    #[arg(required_unless_present_any = ["list", "descriptor"])]
    name: Option<String>,

    /// Explain a descriptor: the fields and the layout of a matrix descriptor of `wgmma` or `tcgen05`
    #[arg(long, value_name = "BITS", conflicts_with_all = ["name", "list"], value_parser = bits)]
    descriptor: Option<u64>,

    /// The kind of the descriptor, if it is an instruction descriptor: `f16`, `mxf4.sp`, `i8.cta_group::2`
    #[arg(long, requires = "descriptor")]
    kind: Option<String>,

    /// List the names that can be explained
    #[arg(long, conflicts_with = "name")]
    list: bool,

    /// Search only this language (default: every language)
    #[arg(long, value_parser = language_parser())]
    language: Option<Language>,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text
    Human,
    /// One JSON object
    Json,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let (text, json) = match explained(arguments) {
        Ok(explained) => explained,
        Err((outcome, message)) => {
            print_message(message);
            return Ok(outcome);
        }
    };
    let mut out = anstream::stdout().lock();
    match arguments.format {
        Format::Human => out.write_all(text.as_bytes())?,
        Format::Json => writeln!(out, "{json}")?,
    }
    out.flush()?;
    Ok(Outcome::Success)
}

/// The output as text and as JSON; an error is a message.
fn explained(arguments: &Arguments) -> Result<(String, Value), (Outcome, String)> {
    let language = arguments.language;
    if let Some(bits) = arguments.descriptor {
        let kind = arguments.kind.as_deref();
        let markdown = warplens_ide::explain_descriptor(bits, kind, language);
        let markdown = markdown.ok_or_else(|| (Outcome::Unusable, no_descriptor(bits, kind, language)))?;
        let bits = format!("{bits:#018x}");
        return Ok((render(&markdown, width()), json!({ "descriptor": bits, "markdown": markdown })));
    }
    let Some(name) = &arguments.name else {
        let names = warplens_ide::explained_names(language);
        return Ok((names.iter().map(|name| format!("{name}\n")).collect(), json!({ "names": names })));
    };
    let markdown = match name.as_str() {
        "automation" => warplens_docs::AUTOMATION.to_owned(),
        _ => {
            warplens_ide::explain(name, language).ok_or_else(|| (Outcome::Errors, unknown(name, language)))?
        }
    };
    Ok((render(&markdown, width()), json!({ "name": name, "markdown": markdown })))
}

/// Why there is no explanation of a descriptor.
fn no_descriptor(bits: u64, kind: Option<&str>, language: Option<Language>) -> String {
    let is_known = |kind| warplens_ide::explain_descriptor(0, kind, language).is_some();
    match kind {
        _ if !is_known(None) => "--language: the language has no descriptors".to_owned(),
        Some(kind) if !is_known(Some(kind)) => format!(
            "--kind: `{kind}` is not a kind of instruction descriptors: write f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or mxf4nvf4, \
             with .sp, .ws, .cta_group::2 or .scale_vec::2X after it"
        ),
        _ => format!(
            "--descriptor: {bits:#x} has more than the 32 bits of an instruction descriptor: remove --kind if it is a matrix descriptor"
        ),
    }
}

/// Reads `0x4000004000010400`, or a decimal number.
fn bits(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let number = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    number.map_err(|_| "write a number of at most 64 bits, such as 0x4000004000010400".to_owned())
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

/// The width of the terminal, within a readable range.
fn width() -> usize {
    terminal::width().unwrap_or(80).clamp(40, 100)
}
