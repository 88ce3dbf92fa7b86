//! A launch file, as the caller read it.

use std::sync::Arc;

use warplens_sim::launch::Format;

/// A launch file that may speak of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    /// Its text.
    pub text: Arc<str>,
    /// How it is written.
    pub format: Format,
    /// What messages call it.
    pub path: String,
    /// How it names the document: the path from its folder, with `/`.
    pub document: String,
}
