//! The kernels of a document, and the text of its launches.

use rustc_hash::FxHashSet;
use smol_str::format_smolstr;
use warplens_ide_db::{Db, File, Item, items};
use warplens_sim::launch::LAUNCH_TAG;
use warplens_syntax::ItemKind;

use crate::offer::KernelPlace;
use crate::simulator::{Found, Simulator};

/// The kernels in text order. The first one with a name has it, others with the name are called `NAME@VARIANT`; of those with the
/// same variant there is only the first.
pub(crate) fn kernels(db: &dyn Db, file: File, simulator: &dyn Simulator) -> Vec<KernelPlace> {
    let list = file.document(db).items();
    let kernel_of = simulator.kernels(db, file);
    let mut kernels: Vec<KernelPlace> = Vec::new();
    let mut seen = FxHashSet::default();
    for (index, item) in items(db, file).iter().enumerate() {
        if item.kind(db) != ItemKind::Kernel {
            continue;
        }
        let Some(Found { mut kernel, name, note, variant }) = kernel_of(*item) else { continue };
        let start = list.start_of(index);
        let qualified = variant.map(|variant| format_smolstr!("{}@{variant}", kernel.name));
        if !seen.insert(kernel.name.clone()) {
            match &qualified {
                Some(qualified) if seen.insert(qualified.clone()) => kernel.name = qualified.clone(),
                _ => continue,
            }
        } else if let Some(qualified) = &qualified {
            seen.insert(qualified.clone());
        }
        kernels.push(KernelPlace { kernel, name: name + start, start, item: index, note, qualified });
    }
    kernels
}

/// The text of a document with launches in comments; empty without any, to avoid a copy of a long text for every lens.
pub(crate) fn text_of_launches(db: &dyn Db, file: File) -> String {
    let any = items(db, file).iter().any(|item| *mentions_launch(db, *item));
    if any { file.document(db).items().text() } else { String::new() }
}

#[salsa::tracked]
fn mentions_launch<'db>(db: &'db dyn Db, item: Item<'db>) -> bool {
    item.text(db).0.contains(LAUNCH_TAG)
}
