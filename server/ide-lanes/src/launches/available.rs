//! The launches of a document that can be selected: the configured ones, and an inferred one for each kernel.

use std::cell::OnceCell;
use std::sync::Arc;

use warplens_ide_db::{Database, Db, File, Item, items};
use warplens_sim_launch::{
    CommentLaunch, INFERRED, LAUNCH_TAG, Launch, LineStarts, Listed, Problem, Span, in_comments, launches,
    refuse_duplicate_names,
};
use warplens_syntax::Language;

use super::host_launches::{FoundLaunch, host_launches};
use super::kernels::{kernel_called, kernels_of, names, only_kernel};
use super::launch_file::{LaunchFile, LaunchFiles};
use crate::simulator::{DocumentKernel, LaunchProblem, Simulator};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchSource {
    File,
    /// An `@launch` comment.
    Comment,
    /// The host code of the kernel. Such a launch is offered, but it is not the default: its data are inferred.
    Host,
    /// No launch is configured.
    Inferred,
    /// From the request: flags, or a client.
    Given,
}

impl LaunchSource {
    /// Its name in `warplens.listLaunches`.
    pub fn as_str(self) -> &'static str {
        match self {
            LaunchSource::File => "toml",
            LaunchSource::Comment => "comment",
            LaunchSource::Host => "host",
            LaunchSource::Inferred => "inferred",
            LaunchSource::Given => "given",
        }
    }

    /// Whether somebody wrote the launch for Warplens.
    pub fn is_configured(self) -> bool {
        matches!(self, LaunchSource::File | LaunchSource::Comment)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct AvailableLaunch {
    pub name: String,
    /// The kernel that it runs; `None` if that cannot be determined.
    pub entry: Option<String>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    pub source: LaunchSource,
    /// Where its name is written, in the launch file or in the document; of a launch in a host file, all of it.
    pub at: Option<Span>,
    /// The host file of the launch.
    pub path: Option<Arc<str>>,
    /// Why it cannot be run.
    pub problem: Option<LaunchProblem>,
    /// `None` for an inferred launch, which is created when it is run.
    pub launch: Option<Launch>,
}

/// The launches of a document in the order of preference; the inferred ones for each kernel are last.
pub fn launches_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    launches: Option<&LaunchFiles>,
) -> Vec<AvailableLaunch> {
    available_launches(db, file, &kernels_of(db, file, simulator), launches)
}

pub(crate) fn available_launches(
    db: &Database,
    file: File,
    kernels: &[DocumentKernel],
    launches: Option<&LaunchFiles>,
) -> Vec<AvailableLaunch> {
    launches_in(file.language(db), &text_of_launches(db, file), kernels, launches)
}

/// The text of a document with launches in comments; empty if it has none, so that no lens copies a long text for nothing.
fn text_of_launches(db: &dyn Db, file: File) -> String {
    let any = items(db, file).iter().any(|item| *mentions_launch(db, *item));
    if any { file.document(db).items().text() } else { String::new() }
}

#[salsa::tracked]
fn mentions_launch<'db>(db: &'db dyn Db, item: Item<'db>) -> bool {
    item.text(db).0.contains(LAUNCH_TAG)
}

/// The launches in the order of preference: those of the launch file, those of comments, those of host files, then an
/// inferred one for each kernel. An invalid launch file is listed as a launch that cannot be run.
pub(crate) fn launches_in(
    language: Language,
    text: &str,
    kernels: &[DocumentKernel],
    files: Option<&LaunchFiles>,
) -> Vec<AvailableLaunch> {
    let mut found = Vec::new();
    if let Some(file) = files.and_then(|files| files.file.as_ref()) {
        let lines = OnceCell::new();
        let in_file = |problem: &Problem| {
            let starts = lines.get_or_init(|| LineStarts::new(&file.text));
            let place = starts.line_column(problem, &file.text);
            LaunchProblem { path: Some(file.path.clone()), place, message: problem.message.clone() }
        };
        match launches(&file.text, file.format) {
            Ok(mut listed) => {
                listed.retain(|listed| names_document(&listed.launch, file));
                // Different values of `file` may name the same document.
                refuse_duplicate_names(&mut listed, |_| ());
                let listed = listed.into_iter();
                found.extend(
                    listed.map(|listed| configured(listed, LaunchSource::File, None, kernels, in_file)),
                );
            }
            Err(problem) => {
                let unreadable = AvailableLaunch::new(file.path.clone(), LaunchSource::File);
                found.push(AvailableLaunch { problem: Some(in_file(&problem)), ..unreadable });
            }
        }
    }
    let lines = OnceCell::new();
    let located = |problem: &Problem| {
        let place = lines.get_or_init(|| LineStarts::new(text)).line_column(problem, text);
        LaunchProblem { path: None, place, message: problem.message.clone() }
    };
    for CommentLaunch { offset, listed } in in_comments(text, language.line_comments) {
        let below = kernels.get(kernels.partition_point(|kernel| usize::from(kernel.name.start()) <= offset));
        found.push(configured(listed, LaunchSource::Comment, below, kernels, located));
    }
    let in_hosts = files.into_iter().flat_map(|files| host_launches(&files.hosts, kernels));
    found.extend(in_hosts.map(of_host));
    found.extend(kernels.iter().map(inferred));
    found
}

impl AvailableLaunch {
    /// A launch of an unknown kernel with one thread.
    fn new(name: String, source: LaunchSource) -> AvailableLaunch {
        let (grid, block) = ([1; 3], [1; 3]);
        AvailableLaunch {
            name,
            entry: None,
            grid,
            block,
            source,
            at: None,
            path: None,
            problem: None,
            launch: None,
        }
    }
}

/// A launch of host code.
fn of_host(FoundLaunch { launch, at, path }: FoundLaunch) -> AvailableLaunch {
    let named = AvailableLaunch::new(launch.name.clone(), LaunchSource::Host);
    AvailableLaunch {
        entry: launch.entry.clone(),
        grid: launch.grid.unwrap_or([1; 3]),
        block: launch.block.unwrap_or([1; 3]),
        at: Some(at),
        path: Some(path),
        launch: Some(launch),
        ..named
    }
}

/// The inferred launch of a kernel, not yet created.
fn inferred(kernel: &DocumentKernel) -> AvailableLaunch {
    let (grid, block) = kernel.kernel.rules.inferred_size();
    let entry = Some(kernel.kernel.name.to_string());
    AvailableLaunch {
        entry,
        grid,
        block,
        ..AvailableLaunch::new(INFERRED.to_owned(), LaunchSource::Inferred)
    }
}

/// Whether a launch is of the document. A launch without a `file` may be of any document, and its problem must be shown.
fn names_document(launch: &Launch, file: &LaunchFile) -> bool {
    launch.file.as_deref().is_none_or(|name| file.document.is(name))
}

/// A launch of a launch file, or of a comment above the kernel `below`.
fn configured(
    listed: Listed,
    source: LaunchSource,
    below: Option<&DocumentKernel>,
    kernels: &[DocumentKernel],
    located: impl Fn(&Problem) -> LaunchProblem,
) -> AvailableLaunch {
    let Listed { launch, mut problem } = listed;
    let kernel = match kernel_of(&launch, below, kernels) {
        Ok(kernel) => Some(kernel),
        Err(unknown) => {
            problem.get_or_insert(unknown);
            None
        }
    };
    let inferred = kernel.map(|kernel| kernel.kernel.rules.inferred_size());
    AvailableLaunch {
        name: launch.name.clone(),
        entry: kernel.map(|kernel| kernel.kernel.name.to_string()),
        grid: launch.grid.unwrap_or([1; 3]),
        block: launch.block.or(inferred.map(|(_, block)| block)).unwrap_or([1; 3]),
        source,
        at: launch.spans.of("name"),
        path: None,
        problem: problem.as_ref().map(located),
        launch: Some(launch),
    }
}

/// The kernel of a launch: the one it names, or else the one after its comment, or else the only one.
fn kernel_of<'k>(
    launch: &Launch,
    below: Option<&'k DocumentKernel>,
    kernels: &'k [DocumentKernel],
) -> Result<&'k DocumentKernel, Problem> {
    let problem = |message: String| Problem { at: launch.spans.of("entry"), ..Problem::anywhere(message) };
    match (&launch.entry, below, kernels) {
        (_, _, []) => Err(problem("the file has no kernel".to_owned())),
        (Some(entry), _, _) => kernel_called(entry, kernels).map_err(|unknown| problem(unknown.to_string())),
        (None, Some(below), _) => Ok(below),
        (None, None, several) => only_kernel(several).ok_or_else(|| {
            problem(format!("the file has several kernels: set entry to one of {}", names(several)))
        }),
    }
}

#[cfg(test)]
mod tests;
