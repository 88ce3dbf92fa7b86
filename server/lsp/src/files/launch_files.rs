//! The files that have launches of a document.

use anyhow::Result;
use ls_types::Uri;
use warplens_ide::lanes::LaunchFiles;

use crate::documents::snapshot::{Failure, Snapshot, unless_refused};
use crate::files::file_access::read_files;
use crate::files::source_files::{Search, host_files};
use crate::launch_file;

/// The launch file that applies to the document at `home`, and the host files of a snapshot's document.
pub(crate) fn launch_files(
    snapshot: &Snapshot,
    home: &Uri,
) -> std::result::Result<Result<LaunchFiles>, Failure> {
    let named = snapshot.analysis.sources(snapshot.file)?;
    let (search, home) = (Search::of(snapshot), home.clone());
    read_files(snapshot, move || {
        let file = launch_file::of_uri(&home)?;
        Ok(LaunchFiles { file, hosts: host_files(&search, &named) })
    })
}

/// The same without host files: only a launch that is chosen by its name can be in one, and they may take long to read.
pub(crate) fn launch_file_only(
    snapshot: &Snapshot,
    home: &Uri,
) -> std::result::Result<Result<LaunchFiles>, Failure> {
    let home = home.clone();
    read_files(snapshot, move || Ok(LaunchFiles { file: launch_file::of_uri(&home)?, hosts: Vec::new() }))
}

/// The launch file and the host files of a snapshot's document, without a launch file that is unreadable.
pub(crate) fn readable_launch_files(snapshot: &Snapshot) -> std::result::Result<LaunchFiles, Failure> {
    let found = unless_refused(launch_files(snapshot, &snapshot.uri))?;
    Ok(found.and_then(Result::ok).unwrap_or_default())
}
