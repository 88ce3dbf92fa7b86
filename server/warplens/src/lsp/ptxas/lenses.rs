//! A code lens above each kernel with the resources that ptxas reports.

use serde_json::{Value, json};
use tower_lsp::ls_types::{CodeLens, Command};
use warplens_ide::{Symbol, SymbolKind};

use super::output::Resources;
use super::{RESOURCES, assembles};
use crate::lsp::snapshot::{Failure, Snapshot};

/// The lenses. Before the first run they have the command that requests the resources.
pub(crate) fn lenses(snapshot: &Snapshot) -> Result<Vec<CodeLens>, Failure> {
    if snapshot.settings.ptxas.path.is_empty() || !assembles(snapshot.language) {
        return Ok(vec![]);
    }
    let symbols = snapshot.analysis.symbols(snapshot.file)?;
    let kernels = symbols.into_iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
    let known = snapshot.shown.get(&snapshot.uri).ptxas.resources;
    let lens = |kernel: Symbol| {
        let resources = known.iter().find(|known| known.entry == kernel.name);
        let title = resources.map_or_else(|| "ptxas: resources".into(), Resources::title);
        let arguments = vec![json!({ "uri": snapshot.uri.as_str(), "entry": kernel.name })];
        CodeLens {
            range: snapshot.range(kernel.focus),
            command: Some(Command { title, command: RESOURCES.into(), arguments: Some(arguments) }),
            data: None::<Value>,
        }
    };
    Ok(kernels.map(lens).collect())
}
