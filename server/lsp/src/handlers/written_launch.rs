//! A launch in its launch file or its comment.

use ls_types::Location;
use ropey::Rope;
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::{AvailableLaunch, LaunchFile, LaunchSource};
use warplens_protocol::position;
use warplens_sim_launch::{Launch, Span};

use crate::documents::snapshot::{Failure, Snapshot, unless_refused};
use crate::files::file_access::read_files;
use crate::launch_file;

/// A launch as it is written now, and the launch file.
pub(super) fn written(
    snapshot: &Snapshot,
    Launch { name, entry, .. }: &Launch,
) -> Result<(Option<AvailableLaunch>, Option<LaunchFile>), Failure> {
    let document = snapshot.uri.clone();
    let file = unless_refused(read_files(snapshot, move || launch_file::of_uri(&document)))?;
    let file = file.and_then(Result::unwrap_or_default);
    let offers = snapshot.analysis.launches(snapshot.file, file.as_ref())?;
    let offer = offers.into_iter().find(|offer| offer.name == *name && offer.entry == *entry);
    Ok((offer, file))
}

/// The location of a span of a launch.
pub(super) fn launch_location(
    snapshot: &Snapshot,
    source: LaunchSource,
    at: &Span,
    file: Option<&LaunchFile>,
) -> Option<Location> {
    let size = |offset: usize| TextSize::new(offset as u32);
    let range = TextRange::new(size(at.start), size(at.end));
    match (source, file) {
        (LaunchSource::Comment, _) => {
            Some(Location { uri: snapshot.uri.clone(), range: snapshot.range(range) })
        }
        (LaunchSource::File, Some(file)) => {
            let path = launch_file::nearest(&launch_file::path(&snapshot.uri))?;
            let range = position::range(&Rope::from_str(&file.text), range, snapshot.encoding);
            Some(Location { uri: launch_file::uri(&path)?, range })
        }
        _ => None,
    }
}
