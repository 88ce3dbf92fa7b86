//! `warplens dap`: the debug adapter, on standard input and output.

use std::fs;
use std::io::{self, BufReader};
use std::process;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use warplens_dap::{LaunchArguments, Loader, Opened, serve};
use warplens_ide::lanes::{MAX_RECORDING, Replay, RunSettings};
use warplens_lsp::language;
use warplens_sim_warp::Control;
use warplens_tools::source::{RunError, Source};

use super::files::Input;
use super::launch::{self, read_launches};
use super::outcome::Outcome;
use warplens_system::cores::Cores;

pub(super) fn run() -> io::Result<Outcome> {
    // What still runs then would keep the process alive.
    let abandon = || process::exit(Outcome::Errors.code().into());
    serve(BufReader::new(io::stdin()), io::stdout(), &Files, abandon)?;
    Ok(Outcome::Success)
}

/// Opens files as `warplens sim` does.
struct Files;

impl Loader for Files {
    fn open(&self, arguments: &LaunchArguments, control: Control<'_>) -> Result<Opened, String> {
        open(arguments, control).map_err(|error| format!("{error:#}"))
    }

    fn is_same_file(&self, one: &str, other: &str) -> bool {
        let canonical = |path: &str| fs::canonicalize(path).ok();
        canonical(one).is_some_and(|one| canonical(other) == Some(one))
    }
}

fn open(arguments: &LaunchArguments, control: Control<'_>) -> Result<Opened> {
    let LaunchArguments { program, entry, launch, launches, model, memory, max_steps, .. } = arguments;
    let path = program.display().to_string();
    let text = Input::named(program).read().map_err(|error| anyhow!("{path}: {error}"))?.text;
    let language = language::of_file(program, &text);
    let language =
        language.map_err(|_| anyhow!("`program` must be a .ptx, .wave or .sass file, not {path}"))?;
    let source = Source::of_text(path, text, language)?;
    if let Some(name) = model {
        warplens_ide::model(source.language, name).map_err(|unknown| anyhow!("`model`: {unknown}"))?;
    }
    let named = launch::LaunchArguments::named(entry.clone(), launch.clone(), launches.clone(), *max_steps);
    let mut request = named.request(source.language, model.as_deref(), RunSettings::default())?;
    let launches = read_launches(&source, program, &named, &mut request)?;
    let prepared = source.prepare(&request, &launches)?;
    let cores = Cores::all();
    let running = Control { workers: Some(&cores), ..control };
    let (prepared, result) = prepared.run_adjusted(running).map_err(RunError::from)?;
    let max_bytes = memory.map_or(MAX_RECORDING, |megabytes| (megabytes as usize).saturating_mul(1 << 20));
    let replay = Replay::new(prepared, Arc::new(result), max_bytes);
    Ok(Opened { path: source.path, text: source.text, replay })
}
