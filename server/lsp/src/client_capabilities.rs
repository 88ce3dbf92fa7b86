//! What the client supports, as far as the server needs to know.

use ls_types::InitializeParams;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Default)]
pub(crate) struct ClientCapabilities {
    /// Pulls diagnostics: the server does not publish them.
    pub(crate) pull_diagnostics: bool,
    /// Supports the refresh of pulled diagnostics.
    pub(crate) refresh_diagnostics: bool,
    /// Opens the documentation page of a diagnostic.
    pub(crate) code_pages: bool,
    /// Accepts code actions with edits, not only commands.
    pub(crate) code_actions: bool,
    /// Accepts edits of a given version of a document.
    pub(crate) versioned_edits: bool,
    /// Shows related locations of a diagnostic.
    pub(crate) related_information: bool,
    /// Inserts snippets.
    pub(crate) snippets: bool,
    /// Renders Markdown in hovers and in the documentation of completions.
    pub(crate) markdown: bool,
    /// Shows document symbols as a tree.
    pub(crate) symbol_tree: bool,
    /// Accepts links as definitions: the whole declaration and the name in it.
    pub(crate) links: bool,
    /// Accepts a parameter of a signature as a range of the label.
    pub(crate) label_offsets: bool,
    /// Supports the refresh of inlay hints.
    pub(crate) refresh_hints: bool,
    /// Supports the refresh of code lenses.
    pub(crate) refresh_lenses: bool,
    /// Shows progress that the server starts.
    pub(crate) progress: bool,
    /// Answers `workspace/configuration`.
    pub(crate) configuration: bool,
    /// Supports dynamic registration for changes of settings.
    pub(crate) register_configuration: bool,
    /// Supports dynamic registration of watched files.
    pub(crate) watch_files: bool,
    /// Provides its own commands for code lenses (the initialization option `"lenses": "extension"`).
    pub(crate) extension_lenses: bool,
    /// Receives `warplens/lanesChanged` (the initialization option `"lanesChanged": true`).
    pub(crate) lanes_changed: bool,
    /// Receives `warplens/runProgress` (the initialization option `"runProgress": true`).
    pub(crate) run_progress: bool,
    /// The languages whose inline PTX the client leaves to registration (the initialization option `"inline"`).
    pub(crate) inline: InlineLanguages,
    /// Draws lanes itself (the initialization option `"laneStrip": true`).
    pub(crate) lane_strip: bool,
}

/// The language ids of documents with inline PTX that are registered for once the server runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct InlineLanguages {
    pub(crate) languages: Vec<String>,
    /// Those that take semantic tokens from this server, because no other one has any.
    pub(crate) tokens: Vec<String>,
}

impl ClientCapabilities {
    /// Reads the parameters of `initialize`.
    pub(crate) fn new(params: &InitializeParams) -> ClientCapabilities {
        let capabilities = serde_json::to_value(&params.capabilities).unwrap_or_default();
        let at = |path: &str| capabilities.pointer(path).filter(|value| !value.is_null());
        let has = |path: &str| at(path).and_then(Value::as_bool) == Some(true);
        let published_or_pulled = |name: &str| {
            let publish = at(&format!("/textDocument/publishDiagnostics/{name}"));
            publish.or_else(|| at(&format!("/textDocument/diagnostic/{name}"))) == Some(&Value::Bool(true))
        };
        let hover = at("/textDocument/hover/contentFormat").and_then(Value::as_array);
        let option =
            |name: &str| params.initialization_options.as_ref().and_then(|options| options.get(name));
        ClientCapabilities {
            pull_diagnostics: at("/textDocument/diagnostic").is_some(),
            refresh_diagnostics: has("/workspace/diagnostics/refreshSupport"),
            code_pages: published_or_pulled("codeDescriptionSupport"),
            code_actions: at("/textDocument/codeAction/codeActionLiteralSupport").is_some(),
            versioned_edits: has("/workspace/workspaceEdit/documentChanges"),
            related_information: published_or_pulled("relatedInformation"),
            snippets: has("/textDocument/completion/completionItem/snippetSupport"),
            markdown: hover.is_some_and(|formats| formats.iter().any(|format| format == "markdown")),
            symbol_tree: has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            links: has("/textDocument/definition/linkSupport"),
            label_offsets: has(
                "/textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport",
            ),
            refresh_hints: has("/workspace/inlayHint/refreshSupport"),
            refresh_lenses: has("/workspace/codeLens/refreshSupport"),
            progress: has("/window/workDoneProgress"),
            configuration: has("/workspace/configuration"),
            register_configuration: has("/workspace/didChangeConfiguration/dynamicRegistration"),
            watch_files: has("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            extension_lenses: option("lenses").and_then(Value::as_str) == Some("extension"),
            lanes_changed: option("lanesChanged").and_then(Value::as_bool) == Some(true),
            run_progress: option("runProgress").and_then(Value::as_bool) == Some(true),
            inline: option("inline")
                .and_then(|it| serde_json::from_value(it.clone()).ok())
                .unwrap_or_default(),
            lane_strip: option("laneStrip").and_then(Value::as_bool) == Some(true),
        }
    }
}
