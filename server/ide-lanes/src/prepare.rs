//! Prepares a run: selects the kernel and the launch, decodes the kernel, and resolves the launch.

use std::sync::Arc;

use text_size::TextSize;
use warplens_ide_db::{Database, File};
use warplens_sim::RunOptions;
use warplens_sim::launch::{Body, FileReader, Guess, INFERRED, Launch, Problem, launch_object, resolve};

use crate::kernels::{kernels, text_of_launches};
use crate::launch_file::LaunchFile;
use crate::lens::{Lens, LensStyle, lenses};
use crate::model::Model;
use crate::model_names::{UnknownModel, model_named};
use crate::offer::{KernelPlace, Offer, Source, kernel_called, names, offers, only_kernel};
use crate::problem::LaunchProblem;
use crate::run::Prepared;
use crate::shown::Shown;
use crate::simulator::Simulator;

/// The requested launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// The first configured one, or else the inferred one.
    First,
    /// The inferred one.
    Inferred,
    /// The one of this name.
    Named(String),
    /// This one.
    Given(Box<Launch>),
}

/// A request for a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The kernel; by default that of the launch, or the only one.
    pub entry: Option<String>,
    /// The launch.
    pub launch: Choice,
    /// WAVE: lanes of a wave, instead of the launch's number.
    pub wave_width: Option<u32>,
    /// The divergence model, instead of the launch's.
    pub model: Option<Model>,
    /// The model if the launch names none; by default that of the language.
    pub usual_model: Option<Model>,
    /// Limits, and the data to collect.
    pub options: RunOptions,
}

impl Choice {
    /// The launch of a JSON object.
    pub fn from_json(object: &str) -> Result<Choice, Problem> {
        Ok(Choice::Given(Box::new(launch_object(object)?)))
    }

    /// The launch of this name, the inferred one among them.
    pub fn of_name(name: &str) -> Choice {
        if name == INFERRED { Choice::Inferred } else { Choice::Named(name.to_owned()) }
    }
}

/// The launches of a document in the order of preference; the inferred ones for each kernel are last.
pub fn launches_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    launches: Option<&LaunchFile>,
) -> Vec<Offer> {
    offers_of(db, file, &kernels_of(db, file, simulator), launches)
}

/// The lenses above the kernels of a document.
pub fn lenses_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    launches: Option<&LaunchFile>,
    shown: Option<&Shown>,
    style: LensStyle,
) -> Vec<Lens> {
    let kernels = kernels_of(db, file, simulator);
    let line_of = |offset: TextSize| lines_before(&file.document(db).items().text(), offset);
    lenses(&kernels, &offers_of(db, file, &kernels, launches), shown, style, &line_of)
}

fn lines_before(text: &str, offset: TextSize) -> u32 {
    text.bytes().take(offset.into()).filter(|byte| *byte == b'\n').count() as u32
}

fn offers_of(
    db: &Database,
    file: File,
    kernels: &[KernelPlace],
    launches: Option<&LaunchFile>,
) -> Vec<Offer> {
    offers(file.language(db), &text_of_launches(db, file), kernels, launches)
}

/// The kernels of a document; none in a language without a simulator.
pub(crate) fn kernels_of(db: &Database, file: File, simulator: Option<&dyn Simulator>) -> Vec<KernelPlace> {
    simulator.map(|simulator| kernels(db, file, simulator)).unwrap_or_default()
}

pub fn prepare(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    all: &[&dyn Simulator],
    request: &RunRequest,
    launches: Option<&LaunchFile>,
    read_file: FileReader<'_>,
) -> Result<Prepared, LaunchProblem> {
    let kernels = kernels_of(db, file, simulator);
    let (Some(simulator), false) = (simulator, kernels.is_empty()) else {
        return Err(LaunchProblem::new("the file has no kernel"));
    };
    let Chosen { launch, kernel, source } = choose(db, file, request, &kernels, launches)?;
    let located = |problem: Problem| match (source, launches) {
        (Source::File, Some(launches)) => LaunchProblem::in_file(&problem, launches),
        (Source::Comment, _) => LaunchProblem::in_document(&problem, &file.document(db).items().text()),
        _ => LaunchProblem::new(problem.message),
    };
    let named = |name: &str| model_named(file.language(db), all, name);
    let usual = || simulator.model_for(db, file, kernel);
    let model = model_of(request, launch.as_ref(), &usual, &named).map_err(located)?;
    let decoded = simulator.decode(db, file, kernel, model.chosen)?;
    let progressing = decoded.progressing.filter(|_| !model.is_named);
    let body = matches!(source, Source::Inferred).then(|| (decoded.body)());
    let mut launch = match launch {
        None => kernel.kernel.inferred(body.as_ref().unwrap_or(&Body::default())),
        Some(launch) if source == Source::Given && launch.args.is_empty() => {
            kernel.kernel.rules.with_arguments(launch, &(decoded.body)())
        }
        Some(launch) => launch,
    };
    if let Some(width) = request.wave_width {
        let is_inferred = source == Source::Inferred;
        let set = kernel.kernel.rules.set_warp_width(&mut launch, width, is_inferred);
        set.map_err(LaunchProblem::new)?;
    }
    let resolved = resolve(&launch, &kernel.kernel, request.options.limits.max_memory, read_file);
    let resolved = resolved.map_err(located)?;
    let options = request.options;
    let guess =
        body.map(|body| Guess { kernel: kernel.kernel.clone(), body, max_memory: options.limits.max_memory });
    Ok(Prepared {
        guess: guess.map(Arc::new),
        program: decoded.program,
        resolved: Arc::new(resolved),
        source,
        model: model.chosen,
        options,
        statements: decoded.statements.into(),
        broken: decoded.broken.into(),
        progressing,
    })
}

/// The model of a run.
struct ChosenModel {
    chosen: Model,
    /// Whether the request or the launch names it, or the user's settings name another than the default.
    is_named: bool,
}

/// The requested model, or the launch's, or the default.
fn model_of(
    request: &RunRequest,
    launch: Option<&Launch>,
    usual: &dyn Fn() -> Model,
    named: &dyn Fn(&str) -> Result<Model, UnknownModel>,
) -> Result<ChosenModel, Problem> {
    let written = launch.and_then(|launch| Some((launch, launch.model.as_deref()?)));
    let written = written.map(|(launch, name)| {
        named(name).map_err(|unknown| Problem {
            at: launch.spans.of("model"),
            ..Problem::anywhere(unknown.to_string())
        })
    });
    match (request.model, written) {
        (Some(chosen), _) => Ok(ChosenModel { chosen, is_named: true }),
        (None, Some(written)) => Ok(ChosenModel { chosen: written?, is_named: true }),
        (None, None) => {
            let set = request.usual_model.filter(|model| !model.is_default());
            Ok(ChosenModel { chosen: set.unwrap_or_else(usual), is_named: set.is_some() })
        }
    }
}

/// A launch and its kernel; `None` is the inferred launch.
struct Chosen<'k> {
    launch: Option<Launch>,
    kernel: &'k KernelPlace,
    source: Source,
}

fn choose<'k>(
    db: &Database,
    file: File,
    request: &RunRequest,
    kernels: &'k [KernelPlace],
    launches: Option<&LaunchFile>,
) -> Result<Chosen<'k>, LaunchProblem> {
    // A kernel may be named with its target.
    let name_of = |entry| kernel_called(entry, kernels).map_or(entry, |place| place.kernel.name.as_str());
    let entry = request.entry.as_deref().map(name_of);
    let infer = || Ok(Chosen { launch: None, kernel: only(entry, kernels)?, source: Source::Inferred });
    match &request.launch {
        Choice::Inferred => infer(),
        Choice::Given(launch) => {
            let kernel = only(launch.entry.as_deref().or(entry), kernels)?;
            Ok(Chosen { launch: Some(Launch::clone(launch)), kernel, source: Source::Given })
        }
        Choice::First => {
            let mut offers = written(db, file, entry, kernels, launches).into_iter();
            // With a problem in another launch, it is uncertain which one is the first.
            match (offers.clone().find_map(|offer| offer.problem), offers.next()) {
                (Some(problem), _) => Err(problem),
                (None, Some(offer)) => chosen(offer, kernels),
                (None, None) => infer(),
            }
        }
        Choice::Named(name) => {
            let offers = written(db, file, entry, kernels, launches);
            let mut named = offers.iter().filter(|offer| offer.name == *name);
            match (named.clone().find_map(|offer| offer.problem.clone()), named.next()) {
                (Some(problem), _) => Err(problem),
                (None, Some(offer)) => chosen(offer.clone(), kernels),
                (None, None) => Err(no_such_launch(name, &offers)),
            }
        }
    }
}

fn no_such_launch(name: &str, offers: &[Offer]) -> LaunchProblem {
    // It may be in the launch file that is invalid.
    let is_unknown = |offer: &&Offer| offer.launch.as_ref().is_none_or(|launch| launch.file.is_none());
    let unreadable = offers.iter().filter(|offer| offer.source == Source::File).find(is_unknown);
    if let Some(problem) = unreadable.and_then(|offer| offer.problem.clone()) {
        return problem;
    }
    let names: Vec<_> = offers.iter().map(|offer| format!("`{}`", offer.name)).collect();
    LaunchProblem::new(match names.is_empty() {
        true => format!("unknown launch `{name}`: the file has only `inferred`"),
        false => {
            format!("unknown launch `{name}`: the file has {} and `inferred`", names.join(", "))
        }
    })
}

/// The configured launches, for `entry` if one is named.
fn written(
    db: &Database,
    file: File,
    entry: Option<&str>,
    kernels: &[KernelPlace],
    launches: Option<&LaunchFile>,
) -> Vec<Offer> {
    let mut offers = offers_of(db, file, kernels, launches);
    offers.retain(|offer| offer.source != Source::Inferred);
    offers.retain(|offer| entry.is_none() || offer.entry.is_none() || offer.entry.as_deref() == entry);
    offers
}

fn chosen(offer: Offer, kernels: &[KernelPlace]) -> Result<Chosen<'_>, LaunchProblem> {
    if let Some(problem) = offer.problem {
        return Err(problem);
    }
    let kernel = only(offer.entry.as_deref(), kernels)?;
    Ok(Chosen { launch: offer.launch, kernel, source: offer.source })
}

/// The kernel of this name, or the only one.
fn only<'k>(entry: Option<&str>, kernels: &'k [KernelPlace]) -> Result<&'k KernelPlace, LaunchProblem> {
    match (entry, kernels) {
        (Some(entry), _) => kernel_called(entry, kernels).map_err(LaunchProblem::new),
        (None, several) => only_kernel(several).ok_or_else(|| {
            let message =
                format!("the file has several kernels; name one (`--entry` or `entry`): {}", names(several));
            LaunchProblem::new(message)
        }),
    }
}
