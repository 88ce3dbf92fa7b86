//! The fix of a finding that a run confirms.

use warplens_ide_db::{Diagnostic, FileId, Fix};
use warplens_ide_lanes::fixes::{Budget, ProposedFixes};
use warplens_ide_lanes::{LaneView, Prepared};
use warplens_sim_warp::Control;

use crate::analysis::{Analysis, Answer, Cancelled};

impl Analysis {
    /// The fix of a finding of the run that a document shows, if a run of the edited text confirms one: the finding is gone, and nothing
    /// new is there. The checks of a request share the budget.
    pub fn checked_fix(
        &self,
        file: FileId,
        shown_and_ran: (&LaneView, &Prepared),
        found: &Diagnostic,
        budget: &mut Budget,
    ) -> Answer<Option<Fix>> {
        let Some(proposed) = self.proposed_fixes(file, shown_and_ran, found)? else { return Ok(None) };
        let ProposedFixes { text, fixes, mut trial } = proposed;
        let cancelled = self.cancellation(file);
        let control = Control { cancelled: &cancelled, ..Control::none() };
        let by_edit = |_| Cancelled::ByEdit;
        if !trial.occurs(budget, control).map_err(by_edit)? {
            return Ok(None);
        }
        for fix in fixes {
            // An edit does not stop the check of a text that has begun.
            self.check_cancelled(file)?;
            let Some(edited) = self.fixed(file, &fix.applied(&text), shown_and_ran.1)? else { continue };
            if trial.confirms(&edited, &fix, budget, control).map_err(by_edit)? {
                return Ok(Some(fix));
            }
        }
        Ok(None)
    }
}
