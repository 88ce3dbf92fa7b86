//! `initialize` and `initialized`.

use std::sync::Arc;

use ls_types::request::RegisterCapability;
use ls_types::{InitializeParams, Registration, RegistrationParams};
use serde_json::{Value, json};

use crate::client_capabilities::ClientCapabilities;
use crate::state::{Phase, State};
use warplens_protocol::position::Encoding;

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
        let mut registrations = vec![];
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
