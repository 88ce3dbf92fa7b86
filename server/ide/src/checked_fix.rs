//! The fix of a finding that a run confirms.

use warplens_ide_db::{FileId, Fix};
use warplens_ide_lanes::Prepared;
use warplens_ide_lanes::fixes::{Budget, ProposedFixes};
use warplens_sim_warp::Control;

use crate::analysis::{Analysis, Answer, Cancelled};

/// The first of the proposed edits after which the finding is gone and nothing new is there.
pub(crate) fn checked_fix(
    analysis: &Analysis,
    file: FileId,
    ran: &Prepared,
    proposed: ProposedFixes,
    budget: &mut Budget,
) -> Answer<Option<Fix>> {
    let ProposedFixes { text, fixes, mut trial } = proposed;
    let cancelled = analysis.cancellation(file);
    let control = Control { cancelled: &cancelled, ..Control::none() };
    let by_edit = |_| Cancelled::ByEdit;
    if !trial.occurs(budget, control).map_err(by_edit)? {
        return Ok(None);
    }
    for fix in fixes {
        // The check of a text is not cancelled midway.
        analysis.check_cancelled(file)?;
        let Some(edited) = analysis.fixed(file, &fix.applied(&text), ran)? else { continue };
        if trial.confirms(&edited, &fix, budget, control).map_err(by_edit)? {
            return Ok(Some(fix));
        }
    }
    Ok(None)
}
