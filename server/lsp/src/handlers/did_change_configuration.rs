//! `workspace/didChangeConfiguration`, and the settings that the client sends.

use std::sync::Arc;

use ls_types::request::WorkspaceConfiguration;
use ls_types::{ConfigurationItem, ConfigurationParams, MessageType};
use serde_json::Value;

use crate::event::Event;
use crate::ptxas_runs::PtxasRuns;
use crate::settings::Settings;
use crate::state::State;

impl State {
    pub(crate) fn did_change_configuration(&mut self, mut params: Value) {
        // A client that answers `workspace/configuration` may send no settings here.
        if self.client.capabilities.configuration {
            self.request_settings();
        } else {
            self.settings_received(params["settings"].take());
        }
    }

    /// Requests the `warplens` section from the client. Requests that depend on settings wait for the answer.
    pub(crate) fn request_settings(&mut self) {
        self.waiting_for_settings.get_or_insert_default();
        let item = ConfigurationItem { scope_uri: None, section: Some("warplens".into()) };
        let params = ConfigurationParams { items: vec![item] };
        self.client.request::<WorkspaceConfiguration>(params, |response| {
            let sections = response.inspect_err(|error| tracing::info!("no settings: {error}"));
            Some(Event::Settings(sections.ok().and_then(|sections| sections.into_iter().next())))
        });
    }

    /// The client has answered the request for settings.
    pub(crate) fn settings_answered(&mut self, value: Option<Value>) {
        if let Some(value) = value {
            self.settings_received(value);
        }
        for request in self.waiting_for_settings.take().unwrap_or_default() {
            self.tool_request(request);
        }
    }

    /// Applies new settings. If they are invalid, the previous settings stay in effect.
    fn settings_received(&mut self, value: Value) {
        let settings = match Settings::read(value) {
            Ok(settings) => settings,
            Err(error) => {
                let message = format!("{error}; the previous settings stay in effect");
                return self.client.show(MessageType::WARNING, message);
            }
        };
        if settings == *self.settings {
            return;
        }
        if !settings.has_known_model() {
            let model = &settings.simulation.model;
            let message = format!("settings `warplens.simulation.model`: unknown model `{model}`");
            return self.client.show(MessageType::WARNING, message);
        }
        let before = std::mem::replace(&mut self.settings, Arc::new(settings));
        if before.diagnostics != self.settings.diagnostics {
            self.rules_changed();
        }
        if before.wave != self.settings.wave {
            self.host.set_accepts(self.settings.wave.accepts);
            self.refresh_all_diagnostics();
        }
        if before.inline != self.settings.inline {
            self.host.set_inline(self.settings.inline.options());
            self.refresh_all_diagnostics();
            self.client.refresh_lanes();
        }
        if before.ptxas != self.settings.ptxas {
            self.ptxas = PtxasRuns::new(self.events.clone(), Arc::clone(&self.environment));
            self.shown.clear_ptxas();
            self.refresh_all_diagnostics();
        }
        self.prepare_all_again();
    }

    fn rules_changed(&mut self) {
        let settings = Arc::clone(&self.settings);
        let (rules, unknown) = settings.diagnostics.rules();
        self.host.set_rules(rules);
        for name in unknown {
            let near = warplens_ide::nearest_rule(name);
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("settings `warplens.diagnostics`: unknown diagnostic `{name}`{hint}");
            self.client.warn_once(message);
        }
        self.refresh_all_diagnostics();
    }
}
