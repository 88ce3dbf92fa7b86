//! `warplens extract`: prints the inline PTX of files in other languages.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ropey::Rope;
use serde::Serialize;
use text_size::{TextRange, TextSize};
use tower_lsp::ls_types;
use warplens_host::{Host, PieceKind, Statement};
use warplens_protocol::position::{self, Encoding};

use super::files::Input;
use super::input::{host_of, host_parser};
use super::outcome::{Outcome, print_message};
use super::plain::plain;
use super::terminal;

#[derive(Args)]
pub(super) struct Arguments {
    /// Files in C, C++, CUDA, Rust, Python, Julia or Mojo
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The language of the files (default: by extension); standard input needs it
    #[arg(long, value_parser = host_parser())]
    language: Option<&'static Host>,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The position and the text of each statement
    Human,
    /// One JSON object for each line
    Json,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut outcome = Outcome::Success;
    let mut out = terminal::exact();
    for path in &arguments.paths {
        match read(path, arguments.language) {
            Ok((host, text)) => {
                print(&mut out, arguments.format, path.to_string_lossy().as_ref(), host, &text)?
            }
            Err(error) => {
                print_message(format!("{}: {error}", path.display()));
                outcome = Outcome::Unusable;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

fn read(path: &Path, language: Option<&'static Host>) -> anyhow::Result<(&'static Host, String)> {
    let text = Input::named(path).read()?.text;
    let host = language.or_else(|| host_of(path));
    Ok((
        host.ok_or_else(|| {
            anyhow::anyhow!("has no extension of a language with inline PTX: pass --language")
        })?,
        text,
    ))
}

/// A statement, with the keys that docs/cli.md documents.
#[derive(Serialize)]
struct Printed<'s> {
    path: &'s str,
    range: ls_types::Range,
    host: &'static str,
    dialect: &'static str,
    template: &'s str,
    holes: usize,
    volatile: bool,
    operands: Vec<Operand<'s>>,
    clobbers: Vec<&'s str>,
    pieces: Vec<Piece>,
}

#[derive(Serialize)]
struct Operand<'s> {
    constraint: &'s str,
    expression: Option<&'s str>,
}

#[derive(Serialize)]
struct Piece {
    /// Offsets in UTF-16 code units.
    template: [usize; 2],
    host: ls_types::Range,
}

fn print(out: &mut dyn Write, format: Format, path: &str, host: &Host, text: &str) -> io::Result<()> {
    let rope = Rope::from_str(text);
    for statement in host.statements(text) {
        match format {
            Format::Json => {
                serde_json::to_writer(&mut *out, &printed(path, host, &rope, &statement))?;
                writeln!(out)?;
            }
            Format::Human => {
                let start = range(&rope, &statement.range).start;
                writeln!(out, "{}:{}:{}: {}", plain(path), start.line + 1, start.character + 1, host.id)?;
                let mut lines = statement.template.text.lines().filter(|line| !line.trim().is_empty());
                lines.try_for_each(|line| writeln!(out, "    {}", plain(line)))?;
                for (index, operand) in statement.operands.iter().enumerate() {
                    let expression = operand.expression.as_deref().unwrap_or("");
                    writeln!(out, "  {index}: {} {}", plain(&operand.constraint), plain(expression))?;
                }
            }
        }
    }
    Ok(())
}

fn printed<'s>(path: &'s str, host: &Host, rope: &Rope, statement: &'s Statement) -> Printed<'s> {
    let template = &statement.template;
    let operands = statement.operands.iter().map(|operand| Operand {
        constraint: &operand.constraint,
        expression: operand.expression.as_deref(),
    });
    let mut at = 0;
    let pieces = template.pieces.iter().map(|piece| {
        let start = at;
        at += template.text[piece.template.clone()].encode_utf16().count();
        (piece, Piece { template: [start, at], host: range(rope, &piece.host) })
    });
    Printed {
        path,
        range: range(rope, &statement.range),
        host: host.id,
        dialect: statement.dialect.name(),
        template: &template.text,
        holes: template.holes(),
        volatile: statement.volatile,
        operands: operands.collect(),
        clobbers: statement.clobbers.iter().map(|(name, _)| name.as_str()).collect(),
        pieces: pieces
            .filter(|(piece, _)| piece.kind != PieceKind::Hole)
            .map(|(_, printed)| printed)
            .collect(),
    }
}

fn range(rope: &Rope, range: &Range<usize>) -> ls_types::Range {
    let at = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    position::range(rope, TextRange::new(at(range.start), at(range.end)), Encoding::Utf16)
}
