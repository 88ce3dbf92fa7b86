//! Code lenses above each kernel: the resources that ptxas reports, and its machine code.

use ls_types::{CodeLens, Command};
use serde_json::{Value, json};
use warplens_ide::{Symbol, SymbolKind};
use warplens_tools::ptxas::Resources;

use super::{RESOURCES, assembles};
use crate::documents::snapshot::{Failure, Snapshot};

/// The lenses with commands of the VS Code extension.
const EXTENSION: [(&str, &str); 2] =
    [("SASS", "warplens.openSass"), ("Compare with ptxas", "warplens.compareWithPtxas")];

/// The lenses, those that are used most first. Clicking the one with the resources runs ptxas to compute them.
pub(crate) fn lenses(snapshot: &Snapshot) -> Result<Vec<CodeLens>, Failure> {
    if snapshot.settings.ptxas.path.is_empty() || !assembles(snapshot.language) {
        return Ok(vec![]);
    }
    let symbols = snapshot.analysis.symbols(snapshot.file)?;
    let kernels = symbols.into_iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
    let known = snapshot.shown.get(&snapshot.uri).ptxas.resources;
    let resources = |kernel: &Symbol| {
        let resources = known.iter().find(|known| known.entry == kernel.name);
        let title = resources.map_or_else(|| "ptxas: resources".into(), Resources::title);
        let arguments = vec![json!({ "uri": snapshot.uri.as_str(), "entry": kernel.name })];
        Command { title, command: RESOURCES.into(), arguments: Some(arguments) }
    };
    let extension = |kernel: &Symbol| {
        let arguments = vec![json!(snapshot.uri.as_str()), json!(kernel.name)];
        EXTENSION.map(|(title, command)| Command {
            title: title.into(),
            command: command.into(),
            arguments: Some(arguments.clone()),
        })
    };
    let has_extension = snapshot.capabilities.extension_lenses;
    Ok(kernels
        .flat_map(|kernel| {
            let [sass, compare] = extension(&kernel);
            let resources = resources(&kernel);
            let commands = if has_extension { vec![sass, resources, compare] } else { vec![resources] };
            let range = snapshot.range(kernel.focus);
            commands.into_iter().map(move |command| CodeLens {
                range,
                command: Some(command),
                data: None::<Value>,
            })
        })
        .collect())
}
