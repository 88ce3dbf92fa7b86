//! The severity of a problem of WAVE in a diagnostic.

use warplens_hir::wave;
use warplens_ide_db::Severity;

/// The severity to show.
pub(super) fn severity(severity: wave::Severity) -> Severity {
    match severity {
        wave::Severity::Error => Severity::Error,
        wave::Severity::Warning => Severity::Warning,
        wave::Severity::Hint => Severity::Hint,
    }
}
