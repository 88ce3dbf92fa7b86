//! The run that the panel shows, with the data that several answers share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use warplens_sim_warp::{Control, RunOptions, RunResult, StatementId, WarpId};

use super::blocks::Blocks;
use super::error::PanelError;
use super::history::History;
use crate::json::Positions;
use crate::run::{Outcome, Prepared, Recording, Replay};

pub struct Panel {
    pub(super) prepared: Prepared,
    pub(super) result: Arc<RunResult>,
    blocks: OnceLock<Arc<Blocks>>,
    /// The steps of the warp that were recorded with its values.
    recorded: Option<(WarpId, Arc<Recording>)>,
    /// The steps of the warp that was requested last.
    history: Mutex<Option<Arc<History>>>,
    /// The result with counters, if the run did not collect them.
    counted: OnceLock<Arc<RunResult>>,
    /// The recording that answers where values came from.
    pub(super) replay: Mutex<Option<Replay>>,
}

impl Panel {
    pub fn new(prepared: Prepared, result: Arc<RunResult>) -> Panel {
        let (blocks, history, counted) = (OnceLock::new(), Mutex::default(), OnceLock::new());
        Panel { prepared, result, blocks, recorded: None, history, counted, replay: Mutex::default() }
    }

    /// The panel of the run that an editor shows.
    pub fn of_outcome(prepared: &Prepared, outcome: &Outcome) -> Panel {
        let panel = Panel::new(outcome.prepared(prepared), Arc::clone(&outcome.result));
        Panel { recorded: outcome.recorded.clone(), ..panel }
    }

    pub fn total_steps(&self) -> u64 {
        self.result.totals.warp_instructions
    }

    pub(super) fn blocks(&self) -> &Arc<Blocks> {
        self.blocks.get_or_init(|| {
            let flow = self.prepared.program.control_flow();
            Arc::new(Blocks::new(&self.prepared.statements, &flow))
        })
    }
}

/// A request to the panel: the warp that it is about, and the positions of statements in the text.
#[derive(Clone, Copy)]
pub struct PanelQuery<'q> {
    pub panel: &'q Panel,
    pub warp: WarpId,
    pub at: Positions<'q>,
    pub text: &'q dyn Fn(StatementId) -> String,
    pub control: Control<'q>,
}

impl PanelQuery<'_> {
    pub(super) fn width(&self) -> u32 {
        self.panel.prepared.width()
    }

    pub(super) fn history(&self) -> Result<Arc<History>, PanelError> {
        let PanelQuery { panel, warp, control, .. } = *self;
        let known = panel.history.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.warp() == warp) {
            return Ok(known);
        }
        if !panel.prepared.has_warp(warp) {
            let [x, y, z] = warp.cta;
            return Err(PanelError::Refused(format!(
                "the launch does not have warp {} of block {x},{y},{z}",
                warp.warp
            )));
        }
        let (prepared, findings) = (&panel.prepared, &panel.result.findings);
        let blocks = Arc::clone(panel.blocks());
        let history = match &panel.recorded {
            Some((recorded, steps)) if *recorded == warp => {
                History::recorded(prepared, blocks, findings, warp, Arc::clone(steps))
            }
            _ => History::record(prepared, blocks, findings, warp, control)?,
        };
        let history = Arc::new(history);
        *panel.history.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&history));
        Ok(history)
    }

    pub(super) fn counted(&self) -> Result<Arc<RunResult>, PanelError> {
        let panel = self.panel;
        if panel.prepared.options.counters {
            return Ok(Arc::clone(&panel.result));
        }
        if let Some(known) = panel.counted.get() {
            return Ok(Arc::clone(known));
        }
        let options = RunOptions { counters: true, ..RunOptions::default() };
        let result = Arc::new(panel.prepared.again(options, self.control)?);
        Ok(Arc::clone(panel.counted.get_or_init(|| result)))
    }
}
