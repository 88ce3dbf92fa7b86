//! `--link`: the link of the page for a run, instead of the run.

use std::io::{self, Write};

use anyhow::{Error, Result, bail};
use warplens_ide::lanes::{RunRequest, WarpId};
use warplens_lsp::link::{Link, address};
use warplens_tools::source::{Launches, Source};

use super::arguments::Arguments;
use super::selection::check_warp;
use crate::cli::outcome::Outcome;

/// Writes the link on a line; the inner error is why there is none.
pub(super) fn write(
    arguments: &Arguments,
    source: &Source,
    request: &RunRequest,
    launches: &Launches,
    out: &mut dyn Write,
) -> io::Result<Result<Outcome, Error>> {
    match link(arguments, source, request, launches) {
        Ok(link) => writeln!(out, "{link}").map(|()| Ok(Outcome::Success)),
        Err(error) => Ok(Err(error)),
    }
}

fn link(arguments: &Arguments, source: &Source, request: &RunRequest, launches: &Launches) -> Result<String> {
    let prepared = source.prepare(request, launches)?;
    let warp = shown_warp(arguments)?;
    if prepared.guess.is_none() {
        check_warp(warp, &prepared)?;
    }
    let link = Link::of_text(&source.text, source.language).with_launch(&prepared.resolved.launch)?;
    let link = match warp {
        Some(warp) => link.with_warp(warp),
        None => link,
    };
    Ok(address(&arguments.link_base, &link.fragment()?))
}

fn shown_warp(arguments: &Arguments) -> Result<Option<WarpId>> {
    if arguments.warp.is_some() && arguments.known_warp().is_none() {
        bail!("--link runs nothing, so `--warp` must be a number: `divergent` and `worst` depend on the run");
    }
    Ok(arguments.known_warp())
}
