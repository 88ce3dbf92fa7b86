//! `initialize` and `initialized`.

use std::sync::Arc;

use ls_types::request::RegisterCapability;
use ls_types::{InitializeParams, Registration, RegistrationParams, TextDocumentSyncKind};
use serde_json::{Value, json};

use crate::client_capabilities::{ClientCapabilities, InlineLanguages};
use crate::server_capabilities::providers;
use crate::state::{Phase, State};
use warplens_protocol::position::Encoding;

/// The requests about documents with inline PTX. Others, such as formatting, would compete with the language server of the document's
/// language.
fn inline_registrations(inline: &InlineLanguages) -> Vec<Registration> {
    let capabilities = providers();
    let methods = [
        ("textDocument/didOpen", json!({})),
        ("textDocument/didChange", json!({ "syncKind": TextDocumentSyncKind::INCREMENTAL })),
        ("textDocument/didClose", json!({})),
        ("textDocument/hover", json!({})),
        ("textDocument/completion", json!(capabilities.completion_provider)),
        ("textDocument/signatureHelp", json!(capabilities.signature_help_provider)),
        ("textDocument/definition", json!({})),
        ("textDocument/documentHighlight", json!({})),
        ("textDocument/codeAction", json!({ "codeActionKinds": ["quickfix"] })),
        ("textDocument/codeLens", json!({})),
        ("textDocument/diagnostic", json!(capabilities.diagnostic_provider)),
    ];
    let tokens = ("textDocument/semanticTokens", json!(capabilities.semantic_tokens_provider));
    let of_languages = |(method, options): (&str, Value), languages: &[String]| {
        let selector: Vec<Value> = languages.iter().map(|language| json!({ "language": language })).collect();
        let mut options = options;
        options["documentSelector"] = json!(selector);
        Registration {
            id: format!("warplens.inline.{method}"),
            method: method.to_owned(),
            register_options: Some(options),
        }
    };
    let mut registrations = Vec::new();
    if !inline.languages.is_empty() {
        registrations.extend(methods.map(|method| of_languages(method, &inline.languages)));
    }
    if !inline.tokens.is_empty() {
        registrations.push(of_languages(tokens, &inline.tokens));
    }
    registrations
}

impl State {
    /// Stores what the client announced. The service has already answered the request.
    pub(crate) fn initialize(&mut self, params: &InitializeParams) {
        self.client.encoding = Encoding::negotiate(params);
        self.client.capabilities = Arc::new(ClientCapabilities::new(params));
        // A request may overtake `initialized`, because tower-lsp handles that concurrently.
        self.waiting_for_settings = self.client.capabilities.configuration.then(Vec::new);
        self.phase = Phase::Running;
        self.workspace_index.open_folders(params);
        if let Some(process) = params.process_id {
            self.client.watch_process(process);
        }
    }

    /// Requests the settings, and registers for changes of settings and of launch files.
    pub(crate) fn initialized(&mut self) {
        if self.client.capabilities.configuration {
            self.request_settings();
        }
        let mut registrations = inline_registrations(&self.client.capabilities.inline);
        let mut register = |method: &str, options: Option<Value>| {
            registrations.push(Registration {
                id: format!("warplens.{method}"),
                method: method.to_owned(),
                register_options: options,
            });
        };
        if self.client.capabilities.register_configuration {
            register("workspace/didChangeConfiguration", Some(json!({ "section": "warplens" })));
        }
        if self.client.capabilities.watch_files {
            let watchers =
                ["**/warplens.toml", "**/warplens.json"].map(|glob| json!({ "globPattern": glob }));
            register("workspace/didChangeWatchedFiles", Some(json!({ "watchers": watchers })));
        }
        if !registrations.is_empty() {
            self.client.request::<RegisterCapability>(RegistrationParams { registrations }, |response| {
                response
                    .inspect_err(|error| tracing::info!("the client rejected the registration: {error}"))
                    .ok();
                None
            });
        }
    }
}
