//! The capabilities of the client.

use serde_json::Value;
use tower_lsp::ls_types::{InitializeParams, MarkupKind};

/// The capabilities of the client that the server uses.
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
}

impl ClientCapabilities {
    /// Reads the parameters of `initialize`.
    pub(crate) fn new(params: &InitializeParams) -> ClientCapabilities {
        let document = params.capabilities.text_document.clone().unwrap_or_default();
        let workspace = params.capabilities.workspace.clone().unwrap_or_default();
        let window = params.capabilities.window.clone().unwrap_or_default();
        let completion =
            document.completion.and_then(|completion| completion.completion_item).unwrap_or_default();
        let hover = document.hover.and_then(|hover| hover.content_format).unwrap_or_default();
        let option =
            |name: &str| params.initialization_options.as_ref().and_then(|options| options.get(name));
        ClientCapabilities {
            pull_diagnostics: document.diagnostic.is_some(),
            refresh_diagnostics: workspace
                .diagnostics
                .and_then(|diagnostics| diagnostics.refresh_support)
                .unwrap_or(false),
            code_pages: document
                .publish_diagnostics
                .as_ref()
                .and_then(|publish| publish.code_description_support)
                .or(document.diagnostic.as_ref().and_then(|pull| pull.code_description_support))
                .unwrap_or(false),
            code_actions: document
                .code_action
                .is_some_and(|actions| actions.code_action_literal_support.is_some()),
            versioned_edits: workspace.workspace_edit.and_then(|edit| edit.document_changes).unwrap_or(false),
            related_information: document
                .publish_diagnostics
                .and_then(|publish| publish.related_information)
                .or(document.diagnostic.and_then(|pull| pull.related_information))
                .unwrap_or(false),
            snippets: completion.snippet_support.unwrap_or(false),
            markdown: hover.contains(&MarkupKind::Markdown),
            symbol_tree: document
                .document_symbol
                .and_then(|symbol| symbol.hierarchical_document_symbol_support)
                .unwrap_or(false),
            label_offsets: document
                .signature_help
                .and_then(|help| help.signature_information)
                .and_then(|signature| signature.parameter_information)
                .and_then(|parameter| parameter.label_offset_support)
                .unwrap_or(false),
            links: document.definition.and_then(|definition| definition.link_support).unwrap_or(false),
            refresh_hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or(false),
            refresh_lenses: workspace.code_lens.and_then(|lens| lens.refresh_support).unwrap_or(false),
            progress: window.work_done_progress.unwrap_or(false),
            configuration: workspace.configuration.unwrap_or(false),
            register_configuration: workspace
                .did_change_configuration
                .and_then(|configuration| configuration.dynamic_registration)
                .unwrap_or(false),
            watch_files: workspace
                .did_change_watched_files
                .and_then(|files| files.dynamic_registration)
                .unwrap_or(false),
            extension_lenses: option("lenses").and_then(Value::as_str) == Some("extension"),
            lanes_changed: option("lanesChanged").and_then(Value::as_bool) == Some(true),
        }
    }
}
