//! The `tcgen05` instructions of a function for one CTA and for a pair, which `mixed_cta_groups` compares with those of other functions.

use text_size::TextRange;
use warplens_hir::ptx::{Function, Mnemonic};

/// The first instructions with `.cta_group::1` and with `.cta_group::2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CtaGroups(pub(super) [Option<TextRange>; 2]);

impl CtaGroups {
    /// `None` if the function has neither.
    pub(super) fn of(function: &Function) -> Option<CtaGroups> {
        let is_tensor = |mnemonic: &Mnemonic| mnemonic.opcode == "tcgen05";
        if !function.mnemonics().iter().any(is_tensor) {
            return None;
        }
        let first = |group| {
            let found = function.instructions().find(|it| it.opcode() == "tcgen05" && it.has(group));
            found.map(|found| found.opcode_range())
        };
        let first = ["cta_group::1", "cta_group::2"].map(first);
        first.iter().any(Option::is_some).then_some(CtaGroups(first))
    }
}
