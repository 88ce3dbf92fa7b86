//! A launch file, as the caller read it.

use std::fmt;
use std::sync::Arc;

use warplens_sim_launch::{Format, Problem};

use crate::simulator::LaunchProblem;

/// A launch file that may have launches of a document.
#[derive(Debug, Clone)]
pub struct LaunchFile {
    pub text: Arc<str>,
    pub format: Format,
    /// Its name in messages.
    pub path: String,
    pub document: DocumentName,
}

impl LaunchFile {
    pub fn problem(&self, problem: &Problem) -> LaunchProblem {
        LaunchProblem::in_text(problem, Some(&self.path), &self.text)
    }
}

/// Decides whether the `file` of a launch names the document, which may need the file system.
#[derive(Clone)]
pub struct DocumentName(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl DocumentName {
    pub fn new(is_named: impl Fn(&str) -> bool + Send + Sync + 'static) -> DocumentName {
        DocumentName(Arc::new(is_named))
    }

    /// This path, relative to the folder of the launch file, with `/`.
    pub fn relative(path: &str) -> DocumentName {
        let path = path.to_owned();
        DocumentName::new(move |file| {
            let mut parts = file.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
            path.split('/').all(|part| parts.next() == Some(part)) && parts.next().is_none()
        })
    }

    /// Whether a launch with this `file` is one of the document.
    pub(crate) fn is(&self, file: &str) -> bool {
        (self.0)(file)
    }
}

impl fmt::Debug for DocumentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DocumentName")
    }
}
