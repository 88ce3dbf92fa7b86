//! `asm-clobber`: a clobber that the compilers of CUDA refuse, which know `"memory"` only.

use warplens_host::{Dialect, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    if statement.dialect != Dialect::Gcc {
        return;
    }
    let is_refused = |name: &str| name.trim_start_matches('%') != "memory";
    for (name, range) in statement.clobbers.iter().filter(|(name, _)| is_refused(name)) {
        // clang accepts it.
        let severity = if name == "cc" { Severity::Warning } else { Severity::Error };
        let message =
            format!("nvcc refuses the clobber `{name}`: PTX needs none but `\"memory\"`; remove it");
        found.push(diagnostic(range, severity, codes::ASM_CLOBBER, message));
    }
}
