//! The lanes of a document: the selected launch, its run, and the result that is shown.

pub(crate) mod prepare;
mod progress;
mod select;
mod show;
