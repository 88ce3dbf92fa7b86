//! Simulations: the selected launch of each document, and its run.
//!
//! A run is a job outside the database, on its own threads. It is identified by program, launch, model and limits, and stops only when
//! one of them changes. After an edit the run is prepared again; if it is still the same, only the positions of its statements are
//! updated. The last result stays shown until the next one is available, with positions tracked through edits.

pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod selection;
