//! The selection in a document, and the state of its run.

use std::sync::Arc;

use ls_types::Uri;
use serde::Deserialize;
use serde_json::Value;
use text_size::TextSize;
use warplens_ide::lanes::panel::PanelQuery;
use warplens_ide::lanes::{Choice, Prepared, WarpId, WarpRequest};
use warplens_protocol::jsonrpc::{Id, Result};

use crate::client::Client;
use crate::documents::document::Edit;
use crate::documents::lanes::Origin;
use crate::simulation::run::Run;

/// Computes the answer to a request of the lanes panel from its parameters.
pub(crate) type PanelHandler = fn(&PanelQuery<'_>, Value) -> Result<Value>;

/// The user's selection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Selection {
    pub(crate) entry: Option<String>,
    pub(crate) launch: Choice,
    pub(crate) warp: Option<WarpId>,
    /// The document whose launch files apply; by default the document itself.
    pub(crate) home: Option<Uri>,
    /// The name of the model. It overrides the model of the launch and of the settings.
    pub(crate) model: Option<String>,
}

/// The selection in a document, and its run.
pub(crate) struct Selected {
    pub(crate) selection: Arc<Selection>,
    /// The names of the launches when it was last prepared: a new one is the selected one with another name.
    pub(crate) among: Arc<[String]>,
    /// The selected warp, if the trace was truncated without it, so that it must be recorded explicitly.
    pub(crate) recorded: Option<WarpId>,
    /// The selected visit, whose values are shown.
    pub(crate) visit: Option<SelectedVisit>,
    /// The document whose launch is selected.
    pub(crate) origin: Option<Arc<Origin>>,
    /// The number of the preparation in progress.
    pub(crate) preparing: Option<u64>,
    pub(crate) run: Option<Run>,
    /// `selectLaunch` requests that wait for the preparation.
    pub(crate) commands: Vec<Id>,
    pub(crate) waiting: Vec<WaitingRequest>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectedVisit {
    /// The current position of the statement.
    pub(crate) at: TextSize,
    /// The number of the visit, from 1.
    pub(crate) visit: u64,
}

/// A request that waits for the result of a run.
pub(crate) struct WaitingRequest {
    pub(crate) id: Id,
    pub(crate) awaited: Awaited,
}

/// What a request needs of a run.
pub(crate) enum Awaited {
    Masks(LaneMasksParams),
    /// A request of the lanes panel, with its parameters.
    Panel(PanelHandler, Value),
}

impl Awaited {
    /// Whether the lanes of the `shown` warp do not answer it, so that the whole run is needed.
    pub(crate) fn needs_run(&self, shown: WarpId) -> bool {
        match self {
            Awaited::Masks(LaneMasksParams { cta, warp, .. }) => {
                cta.is_some_and(|cta| cta != shown.cta) || warp.is_some_and(|warp| warp != shown.warp)
            }
            Awaited::Panel(..) => true,
        }
    }

    /// Whether the client accepts the beginning of a run that is in progress.
    pub(crate) fn accepts_beginning(&self) -> bool {
        match self {
            Awaited::Masks(params) => params.partial,
            Awaited::Panel(_, params) => params["partial"] == true,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct LaneMasksParams {
    pub(crate) cta: Option<[u32; 3]>,
    pub(crate) warp: Option<u32>,
    /// Whether statements share traces.
    #[serde(default)]
    pub(crate) compact: bool,
    /// Whether the client accepts the beginning of a run that is in progress.
    #[serde(default)]
    pub(crate) partial: bool,
}

impl Selected {
    pub(crate) fn new(selection: Arc<Selection>) -> Selected {
        Selected {
            selection,
            among: Arc::default(),
            recorded: None,
            origin: None,
            visit: None,
            preparing: None,
            run: None,
            commands: vec![],
            waiting: vec![],
        }
    }

    /// Follows the selected launch to its present name.
    pub(crate) fn follow(&mut self, prepared: &Prepared) {
        self.among = Arc::clone(&prepared.names);
        let name = &prepared.resolved.launch.name;
        if matches!(&self.selection.launch, Choice::Named(before) if before != name) {
            let launch = Choice::Named(name.clone());
            self.selection = Arc::new(Selection { launch, ..Selection::clone(&self.selection) });
        }
    }

    /// Stops the run in progress, if there is one.
    pub(crate) fn end_run(&mut self, client: &Client) {
        if let Some(run) = self.run.take() {
            run.end(client);
        }
    }

    /// The warp and the visit whose values are requested from a run.
    pub(crate) fn warp_request(&self, prepared: &Prepared) -> WarpRequest {
        prepared.warp_request(self.selection.warp, self.visit.map(|visit| (visit.at, visit.visit)))
    }
}

impl SelectedVisit {
    /// Moves the position with an edit of the text.
    pub(crate) fn edit(&mut self, edits: &[Edit]) {
        for edit in edits {
            if edit.range.end() <= self.at {
                self.at = self.at - edit.range.len() + edit.inserted;
            } else if edit.range.start() < self.at {
                self.at = edit.range.start();
            }
        }
    }
}
