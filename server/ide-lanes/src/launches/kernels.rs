//! The kernels of a document.

use rustc_hash::FxHashSet;
use smol_str::format_smolstr;
use thiserror::Error;
use warplens_ide_db::{Database, Db, File, items};
use warplens_syntax::ItemKind;

use crate::simulator::{DocumentKernel, Found, Simulator};

/// No kernel has this name.
#[derive(Debug, Error)]
#[error("unknown kernel `{name}`: the file has {known}")]
pub(crate) struct UnknownKernel {
    name: String,
    known: String,
}

/// The kernels of a document; none in a language without a simulator.
pub(crate) fn kernels_of(
    db: &Database,
    file: File,
    simulator: Option<&dyn Simulator>,
) -> Vec<DocumentKernel> {
    simulator.map(|simulator| kernels(db, file, simulator)).unwrap_or_default()
}

/// The kernels in text order. The first kernel of a name keeps it, later ones are called `NAME@VARIANT`; a repeated variant is
/// skipped. Kernels without a name are numbered.
fn kernels(db: &dyn Db, file: File, simulator: &dyn Simulator) -> Vec<DocumentKernel> {
    let list = file.document(db).items();
    let kernel_of = simulator.kernels(db, file);
    let mut kernels: Vec<DocumentKernel> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut numbers = 2..;
    for (index, item) in items(db, file).iter().enumerate() {
        if item.kind(db) != ItemKind::Kernel {
            continue;
        }
        let Some(Found { mut kernel, name, note, variant, is_unnamed }) = kernel_of(*item) else { continue };
        let start = list.start_of(index);
        if is_unnamed && seen.contains(&kernel.name) {
            let mut names = numbers.by_ref().map(|number| format_smolstr!("{}@{number}", kernel.name));
            if let Some(free) = names.find(|name| !seen.contains(name)) {
                kernel.name = free;
            }
        }
        let qualified = variant.map(|variant| format_smolstr!("{}@{variant}", kernel.name));
        if !seen.insert(kernel.name.clone()) {
            match &qualified {
                Some(qualified) if seen.insert(qualified.clone()) => kernel.name = qualified.clone(),
                _ => continue,
            }
        } else if let Some(qualified) = &qualified {
            seen.insert(qualified.clone());
        }
        kernels.push(DocumentKernel { kernel, name: name + start, start, item: index, note, qualified });
    }
    kernels
}

pub(crate) fn kernel_called<'k>(
    name: &str,
    kernels: &'k [DocumentKernel],
) -> Result<&'k DocumentKernel, UnknownKernel> {
    let is_called = |found: &&DocumentKernel| {
        found.kernel.name == name || found.qualified.as_ref().is_some_and(|qualified| qualified == name)
    };
    let found = kernels.iter().find(is_called);
    found.ok_or_else(|| UnknownKernel {
        name: name.to_owned(),
        known: if kernels.is_empty() { "no kernels".to_owned() } else { names(kernels) },
    })
}

/// The only kernel. Kernels that have its name for other targets do not count.
pub(crate) fn only_kernel(kernels: &[DocumentKernel]) -> Option<&DocumentKernel> {
    let is_variant = |found: &&DocumentKernel| found.qualified.as_ref() == Some(&found.kernel.name);
    let mut others = kernels.iter().filter(|found| !is_variant(found));
    others.next().filter(|_| others.next().is_none())
}

pub(crate) fn names(kernels: &[DocumentKernel]) -> String {
    const MOST: usize = 12;
    let listed = kernels.iter().take(MOST).map(|found| format!("`{}`", found.kernel.name));
    let mut text = listed.collect::<Vec<_>>().join(", ");
    if kernels.len() > MOST {
        text += &format!(" and {} more", kernels.len() - MOST);
    }
    text
}
