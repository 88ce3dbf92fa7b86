//! A launch file, as the caller read it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use warplens_host::{Host, HostLaunch};
use warplens_sim_launch::{Format, Problem};

use crate::simulator::LaunchProblem;

/// The files outside of a document that have launches of it.
#[derive(Debug, Clone, Default)]
pub struct LaunchFiles {
    pub file: Option<LaunchFile>,
    pub hosts: Vec<HostFile>,
}

impl From<LaunchFile> for LaunchFiles {
    fn from(file: LaunchFile) -> LaunchFiles {
        LaunchFiles { file: Some(file), hosts: Vec::new() }
    }
}

/// A file that may launch the kernels of a document, as the caller read it.
#[derive(Clone)]
pub struct HostFile {
    pub path: Arc<str>,
    pub host: &'static Host,
    pub text: Arc<str>,
    launches: Arc<OnceLock<Vec<HostLaunch>>>,
}

impl HostFile {
    pub fn new(path: Arc<str>, host: &'static Host, text: Arc<str>) -> HostFile {
        HostFile { path, host, text, launches: Arc::default() }
    }

    /// The launches in the file; they are read once for all clones of it.
    pub(crate) fn launches(&self) -> &[HostLaunch] {
        self.launches.get_or_init(|| self.host.launches(&self.text))
    }
}

impl fmt::Debug for HostFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostFile").field(&self.path).finish()
    }
}

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
