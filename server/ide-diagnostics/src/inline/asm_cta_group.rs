//! `asm-cta-group`: statements of a function for one CTA, and others for a pair of CTAs.

use rustc_hash::FxHashMap;
use warplens_host::Statement;
use warplens_ide_db::{Diagnostic, FileId, Related, Severity};

use super::ranges::text_range;
use crate::codes;

const GROUP: &str = ".cta_group::";

/// Compares the statements that run together: those behind different conditions may be for different instantiations.
pub(super) fn check(statements: &[Statement], found: &mut Vec<Diagnostic>) {
    let mut first: FxHashMap<(usize, usize), (&str, std::ops::Range<usize>)> = FxHashMap::default();
    for statement in statements {
        let text = &statement.template.text;
        for (at, _) in text.match_indices(GROUP) {
            let end = at + GROUP.len() + 1;
            let Some(group) = text.get(at..end).filter(|group| group.ends_with(['1', '2'])) else { continue };
            let Some(host) = statement.template.to_host(at..end) else { continue };
            let key = (statement.place.function, statement.place.block);
            let (other, there) = first.entry(key).or_insert_with(|| (group, host.clone()));
            if *other == group {
                continue;
            }
            let message = format!(
                "`{group}` in a function with `{other}`: the assembler accepts one of them in a function, because a commit tracks only what its own group issued"
            );
            let related =
                Related { file: FileId(0), range: text_range(there), message: format!("`{other}`") };
            let range = text_range(&host);
            found.push(
                Diagnostic::new(range, Severity::Error, codes::ASM_CTA_GROUP, message).with_related(related),
            );
        }
    }
}
