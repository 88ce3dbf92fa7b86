//! Simulations: the selected launch of a document, its run, and the result that is shown.
//!
//! A run is a job outside the database, on its own threads. It is identified by program, launch, model and limits, and
//! stops only when one of these changes: after an edit the run is prepared again, and when it is the same, only the
//! positions of its statements are updated. The last result stays shown until the next one is available, with positions
//! tracked through edits.

pub(crate) mod panel_request;
pub(crate) mod prepare;
mod progress;
pub(crate) mod run;
pub(crate) mod runs;
mod select;
pub(crate) mod selection;
mod show;
