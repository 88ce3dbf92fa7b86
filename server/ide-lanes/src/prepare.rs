//! Prepares a run: selects the kernel and the launch, decodes the kernel, and resolves the launch.

use std::sync::Arc;

use text_size::TextSize;
use warplens_ide_db::db::{Database, File, items, wave_code};
use warplens_ide_db::languages::Known;
use warplens_ide_diagnostics::wave_messages;
use warplens_sim::launch::{
    Body, FileReader, INFERRED, KernelKind, Launch, Problem, inferred, resolve, with_arguments,
};
use warplens_sim::wave::reference::Rejection;
use warplens_sim::{RunOptions, wave};
use warplens_syntax::Language;

use crate::broken;
use crate::decode::decode_ptx;
use crate::decode_wave::decode_wave;
use crate::kernels::{body, kernels, text_of_launches};
use crate::launch_file::LaunchFile;
use crate::lens::{Lens, LensStyle, lenses};
use crate::model::Model;
use crate::offer::{KernelPlace, Offer, Source, kernel_called, names, offers};
use crate::problem::LaunchProblem;
use crate::run::{Prepared, Program};
use crate::shown::Shown;

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
    /// The launch of this name, the inferred one among them.
    pub fn of_name(name: &str) -> Choice {
        if name == INFERRED { Choice::Inferred } else { Choice::Named(name.to_owned()) }
    }
}

/// The launches of a document in the order of preference; the inferred ones for each kernel are last.
pub fn launches_of(db: &Database, file: File, launches: Option<&LaunchFile>) -> Vec<Offer> {
    offers_of(db, file, &kernels(db, file), launches)
}

/// The lenses above the kernels of a document.
pub fn lenses_of(
    db: &Database,
    file: File,
    launches: Option<&LaunchFile>,
    shown: Option<&Shown>,
    style: LensStyle,
) -> Vec<Lens> {
    let kernels = kernels(db, file);
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

pub fn prepare(
    db: &Database,
    file: File,
    request: &RunRequest,
    launches: Option<&LaunchFile>,
    read_file: FileReader<'_>,
) -> Result<Prepared, LaunchProblem> {
    let kernels = kernels(db, file);
    let Chosen { launch, kernel, source } = choose(db, file, request, &kernels, launches)?;
    let language = file.language(db);
    let located = |problem: Problem| match (source, launches) {
        (Source::File, Some(launches)) => LaunchProblem::in_file(&problem, launches),
        (Source::Comment, _) => LaunchProblem::in_document(&problem, &file.document(db).items().text()),
        _ => LaunchProblem::new(problem.message),
    };
    let model = model_of(request, launch.as_ref(), language).map_err(located)?;
    let (program, statements, broken, mut launch) = match Known::of(language) {
        Known::Ptx => {
            let decoded = decode_ptx(db, file, &kernel.kernel.name).map_err(LaunchProblem::new)?;
            let launch = match launch {
                None => inferred(&kernel.kernel, &body(db, file, &decoded)),
                Some(launch) if source == Source::Given && launch.args.is_empty() => {
                    with_arguments(launch, &kernel.kernel, &body(db, file, &decoded))
                }
                Some(launch) => launch,
            };
            let statements = decoded.statements(model);
            let broken = broken::of_ptx(db, file, &decoded, &statements);
            (Program::Ptx(Arc::new(decoded.program)), statements, broken, launch)
        }
        Known::Wave => {
            let code = wave_code(db, items(db, file)[kernel.item]);
            let (program, statements) = decode_wave(&code, kernel.start);
            let launch = launch.unwrap_or_else(|| inferred(&kernel.kernel, &Body::default()));
            let broken = broken::of_wave(db, file, kernel.start, &statements);
            let program = Arc::new(program);
            let program = match model {
                Model::WaveEmu => reference(db, file, kernel.item, program),
                _ => Program::Wave(program),
            };
            (program, statements, broken, launch)
        }
    };
    if let Some(width) = request.wave_width {
        set_wave_width(&mut launch, width, kernel, source)?;
    }
    let resolved = resolve(&launch, &kernel.kernel, request.options.limits.max_memory, read_file);
    let resolved = resolved.map_err(located)?;
    let options = request.options;
    Ok(Prepared {
        program,
        resolved: Arc::new(resolved),
        source,
        model,
        options,
        statements: statements.into(),
        broken: broken.into(),
    })
}

/// The kernel of an item, for the reference emulator: its encoding depends on the whole file.
fn reference(db: &Database, file: File, item: usize, meant: Arc<wave::Program>) -> Program {
    let codes: Vec<_> = items(db, file).iter().map(|item| wave_code(db, *item)).collect();
    let codes: Vec<_> = codes.iter().map(|code| &**code).collect();
    Program::Reference { emulated: Arc::new(wave::reference::decode(&codes, item, &rejection)), meant }
}

/// The message about a statement that the toolchain rejects.
fn rejection(rejection: Rejection<'_>) -> String {
    match rejection {
        Rejection::Departure(found) => wave_messages::departure(&found.kind),
        Rejection::Problem(found) => {
            format!("toolchain 0.1.2 rejects this: {}", wave_messages::problem(&found.kind))
        }
        Rejection::Statement => "toolchain 0.1.2 rejects this statement".to_owned(),
    }
}

/// The requested model, or the launch's, or the default.
fn model_of(request: &RunRequest, launch: Option<&Launch>, language: Language) -> Result<Model, Problem> {
    let written = launch.and_then(|launch| Some((launch, launch.model.as_deref()?)));
    let written = written.map(|(launch, name)| {
        Model::named(language, name).map_err(|message| Problem { at: launch.places.of("model"), message })
    });
    match (request.model, written) {
        (Some(model), _) => Ok(model),
        (None, Some(written)) => written,
        (None, None) => Ok(request.usual_model.unwrap_or(Model::default_of(language))),
    }
}

/// The inferred launch of a kernel without a size is one wave, so its size depends on the wave width.
fn set_wave_width(
    launch: &mut Launch,
    width: u32,
    kernel: &KernelPlace,
    source: Source,
) -> Result<(), LaunchProblem> {
    let KernelKind::Wave(wave) = &kernel.kernel.kind else {
        return Err(LaunchProblem::new(
            "the wave width is allowed for WAVE kernels only: a PTX warp has 32 lanes",
        ));
    };
    launch.wave_width = Some(width);
    if source == Source::Inferred && wave.workgroup.is_none() {
        launch.block = Some([width, 1, 1]);
    }
    Ok(())
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
    let entry = request.entry.as_deref();
    if kernels.is_empty() {
        return Err(LaunchProblem::new("the file has no kernel"));
    }
    let infer = || Ok(Chosen { launch: None, kernel: only(entry, kernels)?, source: Source::Inferred });
    match &request.launch {
        Choice::Inferred => infer(),
        Choice::Given(launch) => {
            let kernel = only(launch.entry.as_deref().or(entry), kernels)?;
            Ok(Chosen { launch: Some(Launch::clone(launch)), kernel, source: Source::Given })
        }
        Choice::First => match written(db, file, entry, kernels, launches).into_iter().next() {
            Some(offer) => chosen(offer, kernels),
            None => infer(),
        },
        Choice::Named(name) => {
            let offers = written(db, file, entry, kernels, launches);
            match offers.iter().position(|offer| offer.name == *name) {
                Some(at) => chosen(offers[at].clone(), kernels),
                None => Err(no_such_launch(name, &offers)),
            }
        }
    }
}

fn no_such_launch(name: &str, offers: &[Offer]) -> LaunchProblem {
    // It may be in the launch file that is invalid.
    if let Some(problem) =
        offers.iter().find(|offer| offer.launch.is_none()).and_then(|offer| offer.problem.clone())
    {
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
        (None, [only]) => Ok(only),
        (None, several) => {
            let message = format!("the file has several kernels; name one of {}", names(several));
            Err(LaunchProblem::new(message))
        }
    }
}
