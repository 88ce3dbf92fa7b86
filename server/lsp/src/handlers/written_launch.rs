//! A launch in its launch file or its comment.

use std::path::Path;

use ls_types::{Location, Uri};
use ropey::Rope;
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::{AvailableLaunch, LaunchFiles, LaunchSource};
use warplens_protocol::position;
use warplens_sim_launch::{Launch, Span};

use crate::documents::snapshot::{Failure, Snapshot};
use crate::files::launch_files::readable_launch_files;
use crate::launch_file;

/// A launch as it is written now, and the launch file.
pub(super) fn written(
    snapshot: &Snapshot,
    Launch { name, entry, .. }: &Launch,
) -> Result<(Option<AvailableLaunch>, LaunchFiles), Failure> {
    let files = readable_launch_files(snapshot)?;
    let offers = snapshot.analysis.launches(snapshot.file, Some(&files))?;
    let offer = offers.into_iter().find(|offer| offer.name == *name && offer.entry == *entry);
    Ok((offer, files))
}

/// The location of a span of a launch.
pub(super) fn launch_location(
    snapshot: &Snapshot,
    offer: &AvailableLaunch,
    at: &Span,
    files: &LaunchFiles,
) -> Option<Location> {
    let size = |offset: usize| TextSize::new(offset as u32);
    let range = TextRange::new(size(at.start), size(at.end));
    let located = |uri: Uri, text: &str| Location {
        uri,
        range: position::range(&Rope::from_str(text), range, snapshot.encoding),
    };
    match (offer.source, &files.file) {
        (LaunchSource::Comment, _) => {
            Some(Location { uri: snapshot.uri.clone(), range: snapshot.range(range) })
        }
        (LaunchSource::File, Some(file)) => {
            let path = launch_file::nearest(&launch_file::path(&snapshot.uri))?;
            Some(located(launch_file::uri(&path)?, &file.text))
        }
        (LaunchSource::Host, _) => {
            let host = files.hosts.iter().find(|host| Some(&host.path) == offer.path.as_ref())?;
            Some(located(launch_file::uri(Path::new(&*host.path))?, &host.text))
        }
        _ => None,
    }
}
