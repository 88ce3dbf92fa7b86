//! Which launch, which warp and which moment is shown in a document, and what would be run for that.

use std::sync::Arc;

use serde_json::Value;
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::Prepared;

use super::Selected;
use crate::lsp::document::Edit;
use crate::lsp::job::{Asker, Done, Job, Urgency};
use crate::lsp::lanes::{self, Selection};
use crate::lsp::state::{State, refused};

/// A visit of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Where the statement stands now.
    pub(super) at: TextSize,
    /// Which visit; the first is 1.
    pub(super) visit: u64,
}

impl Moment {
    /// Follows the text.
    pub(super) fn follow(&mut self, edits: &[Edit]) {
        for edit in edits {
            if edit.range.end() <= self.at {
                self.at = self.at - edit.range.len() + edit.inserted;
            } else if edit.range.start() < self.at {
                self.at = edit.range.start();
            }
        }
    }
}

impl State {
    /// Shows a launch in a document; the request is answered when it is known whether it can be run.
    pub(in crate::lsp) fn select(&mut self, id: Id, uri: &Uri, selection: Selection) {
        let selection = Arc::new(selection);
        let selected = self.simulations.selected.entry(uri.clone()).or_insert_with(|| Selected {
            selection: Arc::clone(&selection),
            listed: None,
            moment: None,
            preparing: None,
            run: None,
            commands: vec![],
            parked: vec![],
        });
        selected.selection = selection;
        selected.listed = None;
        selected.moment = None;
        selected.commands.push(id);
        self.prepare_again(uri);
    }

    /// Chooses the visit whose values and masks are shown: `visit` of the first statement on a line, or with `None` the
    /// last of each statement.
    pub(in crate::lsp) fn select_visit(&mut self, id: Id, uri: &Uri, line: TextRange, visit: Option<u64>) {
        let lanes = self.simulations.lanes(uri);
        let Some((selected, lanes)) = self.simulations.selected.get_mut(uri).zip(lanes) else {
            return self
                .answer(&id, Err(refused("no lanes are shown in this document: select a launch first")));
        };
        selected.moment = match visit {
            None => None,
            Some(_) if lanes.shown.is_outdated() => {
                let why = "the program has an error that a run cannot get past; mend it, then choose a visit";
                return self.answer(&id, Err(refused(why)));
            }
            Some(visit) => match lanes.shown.visits_on(line) {
                None => {
                    return self
                        .answer(&id, Err(refused("no statement that the warp came to stands on this line")));
                }
                Some((_, visits)) if !(1..=visits).contains(&visit) => {
                    let why = format!("there is no visit {visit}: the warp came to this line {visits} times");
                    return self.answer(&id, Err(refused(why)));
                }
                Some((at, _)) => Some(Moment { at, visit }),
            },
        };
        selected.commands.push(id);
        self.prepare_again(uri);
    }

    /// Shows nothing in a document any more.
    pub(in crate::lsp) fn deselect(&mut self, uri: &Uri) {
        let gone = self.simulations.shown.remove(uri);
        if gone.is_some_and(|(_, lanes)| lanes.has_findings()) {
            self.diagnose_again(uri);
        }
        if let Some(selected) = self.simulations.selected.remove(uri) {
            if let Some(run) = &selected.run {
                self.stop(run);
            }
            let parked = selected.parked.into_iter().map(|parked| parked.id);
            for id in selected.commands.into_iter().chain(parked) {
                self.answer(&id, Ok(Value::Null));
            }
            self.lanes_changed(uri);
        }
    }

    /// Asks what would be run now.
    pub(in crate::lsp) fn prepare_again(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let (version, refusal) = (document.version, document.why_not().map(str::to_owned));
        let number = self.simulations.next_number();
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if let Some(why) = refusal {
            return self.not_prepared(uri, &why);
        }
        let before = selected.preparing.replace(number);
        let (selection, listed) = (Arc::clone(&selected.selection), selected.listed);
        if let Some(before) = before {
            self.forget(uri, &Asker::Prepare(before));
        }
        self.enqueue(Job {
            asker: Asker::Prepare(number),
            urgency: Urgency::AtRest,
            uri: uri.clone(),
            version,
            ask: Box::new(move |question| Ok(Done::Prepared(lanes::prepare(question, &selection, listed)?))),
        });
    }

    /// Asks for every selection, because more than a text has changed.
    pub(in crate::lsp) fn prepare_all_again(&mut self) {
        let selected: Vec<_> = self.simulations.selected.keys().cloned().collect();
        selected.iter().for_each(|uri| self.prepare_again(uri));
        self.refresh_lanes();
    }

    /// It is known what would be run: the same as before, or something new.
    pub(in crate::lsp) fn prepared(&mut self, uri: &Uri, number: u64, prepared: Arc<Prepared>) {
        if !self.simulations.is_preparing(uri, number) {
            return;
        }
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
        let commands = std::mem::take(&mut selected.commands);
        let look = selected.look(&prepared);
        if let Some(run) = selected.run.as_mut().filter(|run| run.brings(&prepared, look)) {
            run.prepared = prepared;
            run.edits.clear();
        } else {
            let other = selected.run.take();
            if let Some(run) = other {
                self.stop(&run);
            }
            let last = self.simulations.lanes(uri).filter(|lanes| lanes.prepared.same_run(&prepared));
            match last.map(|lanes| lanes.outcome) {
                Some(outcome) if outcome.look == look => self.show(uri, prepared, outcome, &[]),
                last => self.run_now(uri, prepared, last.map(|outcome| outcome.result), look),
            }
        }
        for id in commands {
            self.answer(&id, Ok(Value::Null));
        }
    }

    /// It cannot be run as it is. A selection made just now is dropped; else the last result stays.
    pub(in crate::lsp) fn not_prepared(&mut self, uri: &Uri, why: &str) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
        let run = selected.run.take();
        let commands = std::mem::take(&mut selected.commands);
        if let Some(run) = run {
            self.stop(&run);
        }
        if commands.is_empty() {
            self.outdate(uri);
            return self.unpark_all(uri);
        }
        for id in commands {
            self.answer(&id, Err(refused(why.to_owned())));
        }
        self.deselect(uri);
    }
}
