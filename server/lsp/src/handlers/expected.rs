//! The link from a failed check of a launch to the expected number, in the launch file or in a comment.

use ls_types::{Diagnostic, DiagnosticRelatedInformation, Location};
use warplens_ide::lanes::UnexpectedElement;
use warplens_sim_launch::Launch;
use warplens_sim_warp::FindingKind;

use crate::documents::snapshot::{Failure, Snapshot};
use crate::handlers::written_launch::{launch_location, written};

/// Adds the location of the expected element to the diagnostics of failed checks.
pub(super) fn link(snapshot: &Snapshot, found: &mut [Diagnostic]) -> Result<(), Failure> {
    let Some(lanes) = snapshot.lanes() else { return Ok(()) };
    if !snapshot.capabilities.related_information {
        return Ok(());
    }
    for failure in lanes.shown.failures.iter() {
        let element = &failure.element;
        let title = FindingKind::ExpectFailed.with_term(&failure.message);
        let Some(found) = found.iter_mut().find(|found| found.message.lines().next() == Some(&title)) else {
            continue;
        };
        if let Some(location) = expected_at(snapshot, lanes.shown.launch(), element)? {
            let message = format!("`{}`[{}] is expected here", element.buffer, element.index);
            found
                .related_information
                .get_or_insert_default()
                .push(DiagnosticRelatedInformation { location, message });
        }
    }
    Ok(())
}

/// Where the launch says what an element must be. The launch is looked up, because an edit may have moved it since the run.
fn expected_at(
    snapshot: &Snapshot,
    launch: &Launch,
    UnexpectedElement { buffer, index }: &UnexpectedElement,
) -> Result<Option<Location>, Failure> {
    let (offer, files) = written(snapshot, launch)?;
    Ok(offer.and_then(|offer| {
        let expected = offer.launch.as_ref()?.expect.iter().find(|expected| expected.name == *buffer)?;
        launch_location(snapshot, &offer, expected.element_at(*index)?, &files)
    }))
}
