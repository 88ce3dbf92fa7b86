//! A launch file, as the caller read it.

use std::sync::Arc;

use warplens_sim::launch::Format;

/// A launch file that may have launches of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    /// Its text.
    pub text: Arc<str>,
    /// Its format.
    pub format: Format,
    /// Its name in messages.
    pub path: String,
    /// The path of the document in it: relative to its folder, with `/`.
    pub document: String,
}
