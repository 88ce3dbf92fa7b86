//! The launches of a document: the configured ones, and an inferred one for each kernel.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_sim::launch::{
    CommentLaunch, INFERRED, Kernel, Launch, LineStarts, Listed, Problem, Span, in_comments, launches,
};
use warplens_syntax::Language;

use crate::launch_file::LaunchFile;
use crate::problem::LaunchProblem;

/// The source of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A launch file.
    File,
    /// An `@launch` comment.
    Comment,
    /// No launch is configured.
    Inferred,
    /// From the request: flags, or a client.
    Given,
}

impl Source {
    /// Its name in `warplens.listLaunches`.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::File => "toml",
            Source::Comment => "comment",
            Source::Inferred => "inferred",
            Source::Given => "given",
        }
    }
}

/// A kernel of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPlace {
    /// The properties that a launch must match.
    pub kernel: Kernel,
    /// Its name in the text.
    pub name: TextRange,
    /// The start of its item.
    pub start: TextSize,
    /// The index of its item.
    pub item: usize,
    /// A note for a lens above it.
    pub note: Option<String>,
    /// Its name with its target, which selects it too, of a language with several targets in a file.
    pub qualified: Option<SmolStr>,
}

/// A launch that can be selected.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The range of its name.
    pub name: String,
    /// The kernel that it runs; `None` if that cannot be determined.
    pub entry: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Its source.
    pub source: Source,
    /// Where its name is written, in the launch file or in the document.
    pub at: Option<Span>,
    /// The problem that prevents a run.
    pub problem: Option<LaunchProblem>,
    /// The launch; an inferred one is created when it is run.
    pub launch: Option<Launch>,
}

/// The launches of a document, in the order of preference: those of the launch file, those of comments, then an inferred
/// one for each kernel. An invalid launch file is listed as a launch that cannot be run.
pub fn offers(
    language: Language,
    text: &str,
    kernels: &[KernelPlace],
    file: Option<&LaunchFile>,
) -> Vec<Offer> {
    let mut offers = Vec::new();
    if let Some(file) = file {
        let lines = OnceCell::new();
        let in_file = |problem: &Problem| {
            let starts = lines.get_or_init(|| LineStarts::new(&file.text));
            let place = starts.line_column(problem, &file.text);
            LaunchProblem { path: Some(file.path.clone()), place, message: problem.message.clone() }
        };
        match launches(&file.text, file.format) {
            Ok(listed) => {
                let mut ours: Vec<_> =
                    listed.into_iter().filter(|listed| names_document(&listed.launch, file)).collect();
                refuse_duplicate_names(&mut ours);
                offers.extend(
                    ours.into_iter().map(|listed| offer(listed, Source::File, None, kernels, in_file)),
                );
            }
            Err(problem) => offers.push(unreadable(file, &in_file(&problem))),
        }
    }
    let lines = OnceCell::new();
    let located = |problem: &Problem| {
        let place = lines.get_or_init(|| LineStarts::new(text)).line_column(problem, text);
        LaunchProblem { path: None, place, message: problem.message.clone() }
    };
    for CommentLaunch { offset, listed } in in_comments(text, language.line_comments) {
        let below = kernels.get(kernels.partition_point(|kernel| usize::from(kernel.name.start()) <= offset));
        offers.push(offer(listed, Source::Comment, below, kernels, located));
    }
    offers.extend(kernels.iter().map(inferred_offer));
    offers
}

/// The entry for an invalid launch file.
fn unreadable(file: &LaunchFile, problem: &LaunchProblem) -> Offer {
    Offer {
        name: file.path.clone(),
        entry: None,
        grid: [1; 3],
        block: [1; 3],
        source: Source::File,
        at: None,
        problem: Some(problem.clone()),
        launch: None,
    }
}

/// The inferred launch of a kernel, not yet created.
pub(crate) fn inferred_offer(place: &KernelPlace) -> Offer {
    let (grid, block) = place.kernel.rules.inferred_size();
    Offer {
        name: INFERRED.to_owned(),
        entry: Some(place.kernel.name.to_string()),
        grid,
        block,
        source: Source::Inferred,
        at: None,
        problem: None,
        launch: None,
    }
}

/// Whether a launch is one of the document. One without a `file` may be of any, and its problem must be shown.
fn names_document(launch: &Launch, file: &LaunchFile) -> bool {
    launch.file.as_deref().is_none_or(|name| file.document.is(name))
}

/// Different values of `file` may name the document: reports a name that an earlier launch of the document has.
fn refuse_duplicate_names(listed: &mut [Listed]) {
    let mut names = FxHashSet::default();
    for Listed { launch, problem } in listed {
        if !names.insert(launch.name.clone()) && problem.is_none() {
            let message = format!("duplicate launch name `{}` in this file: rename one", launch.name);
            *problem = Some(Problem { at: launch.spans.of("name"), ..Problem::anywhere(message) });
        }
    }
}

fn offer(
    listed: Listed,
    source: Source,
    below: Option<&KernelPlace>,
    kernels: &[KernelPlace],
    located: impl Fn(&Problem) -> LaunchProblem,
) -> Offer {
    let Listed { launch, mut problem } = listed;
    let chosen = match choose(&launch, below, kernels) {
        Ok(chosen) => Some(chosen),
        Err(message) => {
            problem.get_or_insert(Problem { at: launch.spans.of("entry"), ..Problem::anywhere(message) });
            None
        }
    };
    let inferred = chosen.map(|place| place.kernel.rules.inferred_size());
    Offer {
        name: launch.name.clone(),
        entry: chosen.map(|place| place.kernel.name.to_string()),
        grid: launch.grid.unwrap_or([1; 3]),
        block: launch.block.or(inferred.map(|(_, block)| block)).unwrap_or([1; 3]),
        source,
        at: launch.spans.of("name"),
        problem: problem.as_ref().map(located),
        launch: Some(launch),
    }
}

/// The kernel of a launch: the one it names, or else the one after its comment, or else the only one.
fn choose<'k>(
    launch: &Launch,
    below: Option<&'k KernelPlace>,
    kernels: &'k [KernelPlace],
) -> Result<&'k KernelPlace, String> {
    match (&launch.entry, below, kernels) {
        (_, _, []) => Err("the file has no kernel".to_owned()),
        (Some(entry), _, _) => kernel_called(entry, kernels),
        (None, Some(below), _) => Ok(below),
        (None, None, several) => only_kernel(several)
            .ok_or_else(|| format!("the file has several kernels: set entry to one of {}", names(several))),
    }
}

/// The only kernel. Those that have its name for other targets do not count.
pub(crate) fn only_kernel(kernels: &[KernelPlace]) -> Option<&KernelPlace> {
    let is_variant = |place: &&KernelPlace| place.qualified.as_ref() == Some(&place.kernel.name);
    let mut others = kernels.iter().filter(|place| !is_variant(place));
    others.next().filter(|_| others.next().is_none())
}

/// The kernel of this name.
pub(crate) fn kernel_called<'k>(name: &str, kernels: &'k [KernelPlace]) -> Result<&'k KernelPlace, String> {
    let is_called = |place: &&KernelPlace| {
        place.kernel.name == name || place.qualified.as_ref().is_some_and(|qualified| qualified == name)
    };
    let found = kernels.iter().find(is_called);
    found.ok_or_else(|| match kernels {
        [] => format!("unknown kernel `{name}`: the file has no kernels"),
        some => format!("unknown kernel `{name}`: the file has {}", names(some)),
    })
}

/// The names of kernels, for messages.
pub(crate) fn names(kernels: &[KernelPlace]) -> String {
    const SHOWN: usize = 12;
    let shown = kernels.iter().take(SHOWN).map(|place| format!("`{}`", place.kernel.name));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if kernels.len() > SHOWN {
        text += &format!(" and {} more", kernels.len() - SHOWN);
    }
    text
}

#[cfg(test)]
mod tests;
