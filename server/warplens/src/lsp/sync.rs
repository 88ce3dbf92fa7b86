//! Documents and settings as the client keeps them, and diagnostics for clients that want to be told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::ls_types::request::{RegisterCapability, WorkspaceConfiguration, WorkspaceDiagnosticRefresh};
use tower_lsp::ls_types::{
    ConfigurationItem, ConfigurationParams, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, MessageType, PublishDiagnosticsParams,
    Registration, RegistrationParams, Uri,
};
use warplens_ide::FileId;

use super::document::{Document, Refusal, out_of_sync};
use super::event::Event;
use super::job::{Asker, Done, Job, Urgency, panic_message};
use super::ptxas::Ptxas;
use super::requests::diagnostics;
use super::settings::Settings;
use super::state::State;

impl State {
    /// The client is ready: ask it for what it may tell.
    pub(super) fn initialized(&mut self) {
        if self.abilities.configuration {
            self.ask_for_settings();
        }
        let mut registrations = vec![];
        let mut register = |method: &str, options: Option<Value>| {
            registrations.push(Registration {
                id: format!("warplens.{method}"),
                method: method.to_owned(),
                register_options: options,
            });
        };
        if self.abilities.register_configuration {
            register("workspace/didChangeConfiguration", Some(json!({ "section": "warplens" })));
        }
        if self.abilities.watch_files {
            let watchers =
                ["**/warplens.toml", "**/warplens.json"].map(|glob| json!({ "globPattern": glob }));
            register("workspace/didChangeWatchedFiles", Some(json!({ "watchers": watchers })));
        }
        if !registrations.is_empty() {
            self.outbox.ask::<RegisterCapability>(RegistrationParams { registrations }, |refused| {
                refused.inspect_err(|error| tracing::info!("the client registers nothing: {error}")).ok();
                None
            });
        }
    }

    // Documents.

    pub(super) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let uri = item.uri.clone();
        if let Some(open) = self.documents.remove(&uri) {
            tracing::warn!("{} is opened twice", uri.as_str());
            self.host.close(open.file);
        }
        self.files_opened += 1;
        let file = FileId(self.files_opened);
        let document = Document::open(item, file, &mut self.host);
        let refusal = document.refusal().cloned();
        self.documents.insert(uri.clone(), document);
        self.say_refusal(&uri, refusal);
        self.text_changed(&uri);
    }

    pub(super) fn did_change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(&uri) else {
            tracing::error!("{} is edited, but not open", uri.as_str());
            return;
        };
        let was_refused = document.refusal().is_some();
        document.version = params.text_document.version;
        let (host, encoding) = (&mut self.host, self.encoding);
        let changed =
            catch_unwind(AssertUnwindSafe(|| document.change(params.content_changes, encoding, host)));
        let edits = changed.unwrap_or_else(|panic| {
            let why = panic_message(&*panic);
            tracing::error!("an edit of {}: {why}", uri.as_str());
            document.refuse(out_of_sync("a mistake of ours"), &mut self.host);
            vec![]
        });
        let refusal = document.refusal().filter(|_| !was_refused).cloned();
        self.rest_after_edit(&uri, edits.iter().map(|edit| edit.renewed).max().unwrap_or(0));
        self.simulations.follow(&uri, &edits);
        self.ptxas.follow(&uri, &edits);
        self.say_refusal(&uri, refusal);
        self.text_changed(&uri);
    }

    pub(super) fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        if let Some(document) = self.documents.remove(&uri) {
            self.host.close(document.file);
            self.deselect(&uri);
            self.ptxas.close(&uri);
            if !self.abilities.pull_diagnostics {
                self.outbox.publish(PublishDiagnosticsParams { uri, diagnostics: vec![], version: None });
            }
        }
    }

    /// Tells the user once why a document is not analysed.
    fn say_refusal(&self, uri: &Uri, refusal: Option<Refusal>) {
        if let Some(refusal) = refusal {
            let name = uri.path().as_str().rsplit('/').next().unwrap_or_default();
            self.outbox.show(MessageType::WARNING, format!("{name}: {}", refusal.message));
        }
    }

    /// What follows from every new text.
    fn text_changed(&mut self, uri: &Uri) {
        if !self.abilities.pull_diagnostics
            && let Some(document) = self.documents.get(uri)
        {
            let version = document.version;
            match document.refusal().map(Refusal::diagnostic) {
                Some(diagnostic) => self.publish(uri, version, vec![diagnostic]),
                None if document.language().is_some() => self.publish_soon(uri, version),
                None => {}
            }
        }
        self.prepare_again(uri);
    }

    // Diagnostics for clients that do not ask for them.

    /// Computes and publishes the diagnostics of a version; those of an older one are not needed any more.
    fn publish_soon(&mut self, uri: &Uri, version: i32) {
        self.forget(uri, &Asker::Publish);
        self.enqueue(Job {
            asker: Asker::Publish,
            urgency: Urgency::AtRest,
            uri: uri.clone(),
            version,
            ask: Box::new(|question| Ok(Done::Diagnostics(diagnostics(question)?))),
        });
    }

    pub(super) fn publish(&self, uri: &Uri, version: i32, diagnostics: Vec<Diagnostic>) {
        self.outbox.publish(PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version: Some(version),
        });
    }

    // Settings.

    pub(super) fn configuration_changed(&mut self, mut params: Value) {
        // A client that can be asked sends nothing useful by itself.
        if self.abilities.configuration {
            self.ask_for_settings();
        } else {
            self.settings_told(params["settings"].take());
        }
    }

    /// What is said of a text has changed.
    fn rules_changed(&mut self) {
        let settings = Arc::clone(&self.settings);
        let (rules, unknown) = settings.diagnostics.rules();
        self.host.set_rules(rules);
        for name in unknown {
            if self.names_told.insert(name.to_owned()) {
                let near = warplens_ide::nearest_rule(name);
                let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let message =
                    format!("settings `warplens.diagnostics`: there is no diagnostic `{name}`{hint}");
                self.outbox.show(MessageType::WARNING, message);
            }
        }
        self.diagnose_all_again();
    }

    /// The diagnostics of all documents, to those who are told and to those who ask.
    fn diagnose_all_again(&mut self) {
        let open: Vec<_> = self.documents.keys().cloned().collect();
        open.iter().for_each(|uri| self.tell_again(uri));
        self.let_ask_again();
    }

    /// The diagnostics of a document, to those who are told and to those who ask.
    pub(super) fn diagnose_again(&mut self, uri: &Uri) {
        self.tell_again(uri);
        self.let_ask_again();
    }

    fn tell_again(&mut self, uri: &Uri) {
        let document = self.documents.get(uri).filter(|document| document.language().is_some());
        if let Some(version) = document.map(|document| document.version)
            && !self.abilities.pull_diagnostics
        {
            self.publish_soon(uri, version);
        }
    }

    fn let_ask_again(&self) {
        if self.abilities.pull_diagnostics && self.abilities.refresh_diagnostics {
            self.outbox.ask::<WorkspaceDiagnosticRefresh>((), |_| None);
        }
    }

    fn ask_for_settings(&self) {
        let item = ConfigurationItem { scope_uri: None, section: Some("warplens".into()) };
        self.outbox.ask::<WorkspaceConfiguration>(ConfigurationParams { items: vec![item] }, |answer| {
            let sections = answer.inspect_err(|error| tracing::info!("no settings: {error}")).ok()?;
            sections.into_iter().next().map(Event::Settings)
        });
    }

    pub(super) fn settings_told(&mut self, value: Value) {
        match Settings::read(value) {
            Ok(settings) if settings == *self.settings => {}
            Ok(settings) if !settings.names_a_model() => self.outbox.show(
                MessageType::WARNING,
                format!(
                    "settings `warplens.simulation.model`: there is no model `{}`",
                    settings.simulation.model
                ),
            ),
            Ok(settings) => {
                let before = std::mem::replace(&mut self.settings, Arc::new(settings));
                if before.diagnostics != self.settings.diagnostics {
                    self.rules_changed();
                }
                if before.wave != self.settings.wave {
                    self.host.set_accepts(self.settings.wave.accepts());
                    self.diagnose_all_again();
                }
                if before.ptxas != self.settings.ptxas {
                    self.ptxas = Ptxas::default();
                    self.diagnose_all_again();
                }
                self.prepare_all_again();
            }
            Err(problem) => self.outbox.show(MessageType::WARNING, format!("{problem}; it stays as it was")),
        }
    }
}
