//! `warplens/assemble`: assembles a document with the assembler of the settings, and answers with the listing of the machine code.
//! `warplens/targets`: the targets that a document can be assembled for.

use std::sync::Arc;

use ls_types::TextDocumentIdentifier;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_ide::SymbolKind;
use warplens_protocol::jsonrpc::{Error, Id, Result};

use crate::errors::{encoded, refused};
use crate::from_proto;
use crate::handlers::ptxas::assembles;
use crate::handlers::tools::{DocumentText, toolchain};
use crate::language;
use crate::state::State;
use warplens_tools::listing::without_debug_sections;
use warplens_tools::source::Source;
use warplens_tools::toolchain::{self, Toolchain, number};

/// The optimization level of ptxas.
const LEVEL: u8 = 3;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    text_document: TextDocumentIdentifier,
    /// The target of the machine code. By default it is the target of the file, or if the assembler does not list that, the lowest one that
    /// it can assemble the file for.
    target: Option<String>,
}

/// The answer of `warplens/assemble`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Assembled {
    text: String,
    target: String,
}

/// The answer of `warplens/targets`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Targets {
    /// The target that the file states.
    own: String,
    /// The targets that it can be assembled for, with the default of `warplens/assemble` first.
    targets: Vec<String>,
}

impl State {
    pub(crate) fn assembled(&mut self, id: &Id, params: Value) -> Result<()> {
        let Params { text_document, target } = from_proto::params(params)?;
        let text = DocumentText::find(&self.documents, &text_document.uri)?;
        let settings = Arc::clone(&self.settings);
        self.start_task(id.clone(), None, move |running| {
            let toolchain = toolchain(&settings, &running.stop)?;
            let (listing, target) = assemble(&toolchain, &text.read()?, target)?;
            encoded(Assembled { text: listing.text, target })
        });
        Ok(())
    }

    pub(crate) fn targets(&mut self, id: &Id, params: Value) -> Result<()> {
        let Params { text_document, .. } = from_proto::params(params)?;
        let text = DocumentText::find(&self.documents, &text_document.uri)?;
        let settings = Arc::clone(&self.settings);
        self.start_task(id.clone(), None, move |running| {
            let toolchain = toolchain(&settings, &running.stop)?;
            let own = target_of(&text.read()?)?;
            let targets = possible(&toolchain, &own)?;
            encoded(Targets { own, targets })
        });
        Ok(())
    }
}

/// Assembles a source. Returns the listing without sections for debuggers, and its target.
pub(crate) fn assemble(
    toolchain: &Toolchain,
    source: &Source,
    target: Option<String>,
) -> Result<(Source, String)> {
    let name = &source.path;
    let fails = |reason: String| refused(format!("{name}: {reason}"));
    if !assembles(source.language) {
        return Err(fails("only PTX can be assembled".to_owned()));
    }
    let target = match target {
        Some(target) if number(&target).is_none() => {
            return Err(Error::invalid_params(format!("target: `{target}` is not a target such as sm_90")));
        }
        Some(target) => target,
        None => {
            let own = target_of(source)?;
            possible(toolchain, &own)?.into_iter().next().unwrap_or(own)
        }
    };
    let listing =
        toolchain.listing(&source.text, &target, LEVEL).map_err(|error| fails(error.to_string()))?;
    let listing = without_debug_sections(&listing);
    let path = format!("{name}.{target}.sass");
    let language = language::of_file(path.as_ref(), &listing).map_err(|error| fails(error.to_string()))?;
    let listing = Source::of_text(path, listing, language).map_err(|error| fails(error.to_string()))?;
    check_kernels(source, &listing)?;
    Ok((listing, target))
}

/// The target that the text states.
fn target_of(source: &Source) -> Result<String> {
    let target = toolchain::target_of(&source.text);
    target.map_err(|_| refused(format!("{}: has no `.target`", source.path)))
}

/// The listed targets of the assembler for which code for `own` can be assembled, with `own` first.
fn possible(toolchain: &Toolchain, own: &str) -> Result<Vec<String>> {
    let mut targets = toolchain.targets().map_err(|error| refused(error.to_string()))?;
    // Code for `sm_90a` or `sm_100f` may use features that other targets lack.
    let is_plain = own.ends_with(|char: char| char.is_ascii_digit());
    targets.retain(|target| target == own || is_plain && number(target) >= number(own));
    targets.sort_by_key(|target| target != own);
    Ok(targets)
}

/// Refuses a listing that has no kernel of the source: something else than `nvdisasm` printed it.
fn check_kernels(source: &Source, listing: &Source) -> Result<()> {
    let kernels = |source: &Source| -> Result<Vec<String>> {
        let symbols = source.analysis.symbols(source.file).map_err(|_| Error::request_cancelled())?;
        let kernels = symbols.into_iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
        Ok(kernels.map(|kernel| kernel.name.to_string()).collect())
    };
    let (ours, theirs) = (kernels(source)?, kernels(listing)?);
    if ours.is_empty() || theirs.iter().any(|kernel| ours.contains(kernel)) {
        return Ok(());
    }
    let names = |kernels: &[String]| match kernels {
        [] => "no kernel".to_owned(),
        kernels => kernels.iter().map(|kernel| format!("`{kernel}`")).collect::<Vec<_>>().join(", "),
    };
    Err(refused(format!(
        "{}: the disassembler printed a listing of {}, and the file has {}; check `warplens.ptxas.path` and `warplens.sass.nvdisasm`",
        source.path,
        names(&theirs),
        names(&ours)
    )))
}
