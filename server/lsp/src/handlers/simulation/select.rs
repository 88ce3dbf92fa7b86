//! The selection of a launch, a warp and a visit, and the preparation of the run.

use std::sync::Arc;

use ls_types::Uri;
use serde_json::Value;
use text_size::TextRange;
use warplens_ide::lanes::Prepared;
use warplens_protocol::jsonrpc::Id;

use super::prepare::prepare;
use crate::documents::lanes::{Lanes, Origin};
use crate::documents::request::{Job, Request, Requester, Response, Urgency};
use crate::documents::snapshot::Snapshot;
use crate::errors::refused;
use crate::simulation::runs::Preparation;
use crate::simulation::selection::{Selected, SelectedVisit, Selection};
use crate::state::State;

impl State {
    /// Selects a launch in a document. The request is answered when the run has been prepared.
    pub(crate) fn select(&mut self, id: Id, uri: &Uri, selection: Selection) {
        let origin = selection.home.as_ref().and_then(|home| self.origin(home));
        self.simulations.select(uri, selection, origin, id);
        self.prepare_again(uri);
    }

    /// The lanes and the text of a document whose launch another one shows.
    fn origin(&self, uri: &Uri) -> Option<Arc<Origin>> {
        let text = self.documents.get(uri)?.text()?.clone();
        Some(Arc::new(Origin { lanes: self.shown.get(uri).lanes?, text }))
    }

    /// Selects the visit whose values and masks are shown: `visit` of the first statement on a line, or with `None` the last visit of
    /// each statement.
    pub(crate) fn select_visit(&mut self, id: Id, uri: &Uri, line: TextRange, visit: Option<u64>) {
        match self.visit_on(uri, line, visit) {
            Ok((selected, visit)) => {
                selected.visit = visit;
                selected.commands.push(id);
                self.prepare_again(uri);
            }
            Err(reason) => self.requests.answer(&id, Err(refused(reason))),
        }
    }

    fn visit_on(
        &mut self,
        uri: &Uri,
        line: TextRange,
        visit: Option<u64>,
    ) -> Result<(&mut Selected, Option<SelectedVisit>), String> {
        let lanes = self.shown.get(uri).lanes;
        let Some((selected, lanes)) = self.simulations.selected.get_mut(uri).zip(lanes) else {
            return Err("no lanes are shown in this document: select a launch first".into());
        };
        let Some(visit) = visit else { return Ok((selected, None)) };
        if lanes.shown.outdated {
            return Err("the program has an error that stops the run: fix it, then select a visit".into());
        }
        match lanes.shown.visits_on(line) {
            None => Err("the warp executed no statement on this line".into()),
            Some((_, visits)) if !(1..=visits).contains(&visit) => {
                Err(format!("unknown visit {visit}: the warp visited this line {visits} times"))
            }
            Some((at, _)) => Ok((selected, Some(SelectedVisit { at, visit }))),
        }
    }

    /// Removes the selection and the lanes of a document.
    pub(crate) fn deselect(&mut self, uri: &Uri) {
        let removed = self.shown.update(uri, |shown| shown.lanes.take()).flatten();
        if removed.is_some_and(|lanes| lanes.shown.has_findings()) {
            self.refresh_diagnostics(uri);
        }
        self.simulations.cancel_answers(uri);
        let Some(mut selected) = self.simulations.selected.remove(uri) else { return };
        selected.end_run(&self.client);
        let waiting = selected.waiting.iter().map(|request| &request.id);
        selected.commands.iter().chain(waiting).for_each(|id| self.requests.answer(id, Ok(Value::Null)));
        self.client.lanes_changed(uri);
    }

    /// Prepares the run of the selection again.
    pub(crate) fn prepare_again(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let version = document.version;
        if let Some(reason) = document.reason_not_analyzed() {
            return self.preparation_failed(uri, &reason);
        }
        let Some(preparation) = self.simulations.begin_preparation(uri) else { return };
        let Preparation { number, selection, among, recorded, replaced } = preparation;
        if let Some(replaced) = replaced {
            self.scheduler.remove(uri, &Requester::Prepare(replaced));
        }
        let handler = move |snapshot: &Snapshot| {
            Ok(Response::Prepared(prepare(snapshot, &selection, &among, recorded)?))
        };
        let request = Request { uri: uri.clone(), urgency: Urgency::Debounced, handler: Arc::new(handler) };
        self.enqueue(Job { requester: Requester::Prepare(number), version, request });
    }

    /// Prepares all runs again, after a change of settings or launch files.
    pub(crate) fn prepare_all_again(&mut self) {
        let selected: Vec<_> = self.simulations.selected.keys().cloned().collect();
        selected.iter().for_each(|uri| self.prepare_again(uri));
        self.client.refresh_lanes();
    }

    /// The run has been prepared. A run in progress continues if it is the same, otherwise the new one starts.
    pub(crate) fn prepared(&mut self, uri: &Uri, number: u64, prepared: Arc<Prepared>) {
        if !self.simulations.is_preparing(uri, number) {
            return;
        }
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
        selected.follow(&prepared);
        let commands = std::mem::take(&mut selected.commands);
        let warp_request = selected.warp_request(&prepared);
        if let Some(run) = selected.run.as_mut().filter(|run| run.is_same(&prepared, warp_request)) {
            run.prepared = prepared;
            run.edits.clear();
        } else {
            selected.end_run(&self.client);
            let last = self.shown.get(uri).lanes.filter(|lanes| !lanes.shown.partial);
            let last = last.as_ref().and_then(Lanes::ran).filter(|ran| ran.prepared.same_run(&prepared));
            match last.map(|ran| ran.outcome.clone()) {
                Some(outcome) if outcome.answers(warp_request) => self.show(uri, prepared, outcome, &[]),
                last => self.start_run(uri, prepared, last, warp_request),
            }
        }
        commands.iter().for_each(|id| self.requests.answer(id, Ok(Value::Null)));
    }

    /// The run could not be prepared. A new selection is dropped; otherwise the last result stays, marked as outdated.
    pub(crate) fn preparation_failed(&mut self, uri: &Uri, reason: &str) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
        selected.end_run(&self.client);
        let commands = std::mem::take(&mut selected.commands);
        if commands.is_empty() {
            self.mark_outdated(uri);
            return self.answer_waiting(uri);
        }
        commands.iter().for_each(|id| self.requests.answer(id, Err(refused(reason.to_owned()))));
        self.deselect(uri);
    }
}
