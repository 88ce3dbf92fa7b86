//! The run that the panel shows, with the data that several answers share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use warplens_sim_warp::{Control, RunOptions, RunResult, WarpId};

use super::blocks::Blocks;
use super::error::PanelError;
use super::history::History;
use crate::run::{Outcome, Prepared, Recording};

pub struct Panel {
    prepared: Prepared,
    result: Arc<RunResult>,
    blocks: OnceLock<Arc<Blocks>>,
    /// The steps of the warp that were recorded with its values.
    recorded: Option<(WarpId, Arc<Recording>)>,
    /// The steps of the warp that was requested last.
    history: Mutex<Option<Arc<History>>>,
    /// The result with counters, if the run did not collect them.
    counted: Mutex<Option<Arc<RunResult>>>,
}

impl Panel {
    pub fn new(prepared: Prepared, result: Arc<RunResult>) -> Panel {
        let (history, counted) = (Mutex::default(), Mutex::default());
        Panel { prepared, result, blocks: OnceLock::new(), recorded: None, history, counted }
    }

    /// The panel of the run that an editor shows.
    pub fn of_outcome(prepared: &Prepared, outcome: &Outcome) -> Panel {
        let panel = Panel::new(outcome.prepared(prepared), Arc::clone(outcome.result()));
        Panel { recorded: outcome.recorded(), ..panel }
    }

    pub(crate) fn width(&self) -> u32 {
        self.prepared.width()
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    pub(crate) fn result(&self) -> &RunResult {
        &self.result
    }

    /// The steps of all warps.
    pub fn total_steps(&self) -> u64 {
        self.result.totals.warp_instructions
    }

    pub(crate) fn blocks(&self) -> &Arc<Blocks> {
        self.blocks.get_or_init(|| {
            let flow = self.prepared.program.control_flow();
            Arc::new(Blocks::new(&self.prepared.statements, &flow))
        })
    }

    /// The steps of a warp.
    pub(crate) fn history(&self, warp: WarpId, control: Control<'_>) -> Result<Arc<History>, PanelError> {
        let known = self.history.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.warp() == warp) {
            return Ok(known);
        }
        if !self.prepared.has_warp(warp) {
            let [x, y, z] = warp.cta;
            return Err(PanelError::Refused(format!(
                "the launch does not have warp {} of block {x},{y},{z}",
                warp.warp
            )));
        }
        let (prepared, findings) = (&self.prepared, &self.result.findings);
        let blocks = Arc::clone(self.blocks());
        let history = match &self.recorded {
            Some((recorded, steps)) if *recorded == warp => {
                History::recorded(prepared, blocks, findings, warp, Arc::clone(steps))
            }
            _ => History::record(prepared, blocks, findings, warp, control)?,
        };
        let history = Arc::new(history);
        *self.history.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&history));
        Ok(history)
    }

    /// The result of the run with counters.
    pub(crate) fn counted(&self, control: Control<'_>) -> Result<Arc<RunResult>, PanelError> {
        if self.prepared.options.counters {
            return Ok(Arc::clone(&self.result));
        }
        let known = self.counted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let limits = warplens_sim_warp::Limits { max_warps: 0, ..self.prepared.options.limits };
        let options = RunOptions { counters: true, limits, ..RunOptions::default() };
        let result = self.prepared.program.trace(self.prepared.resolved.config.clone(), &options, control)?;
        let result = Arc::new(result);
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&result));
        Ok(result)
    }
}
