//! The code lenses above a kernel: the launches to run with a click, and the shown run.

mod click;
mod extension;
mod plain;
mod titles;

use rustc_hash::FxHashMap;
use text_size::TextSize;
use warplens_ide_db::{Database, File};

use crate::launches::{AvailableLaunch, LaunchFiles, available_launches, kernels_of};
use crate::simulator::{DocumentKernel, Simulator};
use crate::view::{LaneView, LineOf};

pub use click::{Click, Lens, LensRank, LensStyle, LensTarget};

/// The lenses above the kernels of a document.
pub fn lenses_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
    launches: Option<&LaunchFiles>,
    shown: Option<&LaneView>,
    style: LensStyle,
) -> Vec<Lens> {
    let kernels = kernels_of(db, file, simulator);
    let line_of = |offset: TextSize| lines_before(&file.document(db).items().text(), offset);
    lenses(&kernels, &available_launches(db, file, &kernels, launches), shown, style, &line_of)
}

fn lines_before(text: &str, offset: TextSize) -> u32 {
    text.bytes().take(offset.into()).filter(|byte| *byte == b'\n').count() as u32
}

/// The lenses above `kernels`. `line_of` gives the line of an offset, from 0.
fn lenses(
    kernels: &[DocumentKernel],
    launches: &[AvailableLaunch],
    shown: Option<&LaneView>,
    style: LensStyle,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let first = kernels.first().map(|kernel| kernel.kernel.name.as_str());
    let mut of_kernels: FxHashMap<&str, Vec<&AvailableLaunch>> = FxHashMap::default();
    for launch in launches {
        // Launches whose kernel cannot be determined are shown above the first kernel.
        let Some(entry) = launch.entry.as_deref().or(first) else { continue };
        of_kernels.entry(entry).or_default().push(launch);
    }
    let mut lenses = Vec::new();
    for kernel in kernels {
        let entry = kernel.kernel.name.as_str();
        let of_kernel = of_kernels.get(entry).map(Vec::as_slice).unwrap_or_default();
        let running = shown.filter(|shown| shown.entry() == entry);
        lenses.extend(match style {
            LensStyle::Plain => plain::over(kernel, of_kernel, running, line_of),
            LensStyle::Extension => extension::over(kernel, of_kernel, running, line_of),
        });
    }
    lenses
}

#[cfg(test)]
mod tests;
