//! Statements against the forms of their instruction: modifiers, operands, version and target.
//!
//! A mnemonic and the requirements of its forms are checked once per function; then only the operands of each statement are compared. The
//! tree is read only to locate a problem. Statements with a syntax error or an unresolved name are skipped.

pub(super) mod externals;
mod modifiers;
mod needs;
mod operands;
mod reporter;
mod words;

use std::sync::Arc;

use warplens_hir::ptx::{
    Checker, FormMatch, Function, Instruction, Mismatch, MnemonicForms, Near, OperandError, Order, Platform,
    UnmetRequirement,
};
use warplens_ide_db::ptx::{FormCache, module_target};
use warplens_ide_db::{Db, File, Item, ItemFix, Problem};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::ptx::forms::modifiers::Unmatched;
use crate::ptx::forms::reporter::{Comparison, Reporter};
use crate::ptx::instructions;
use crate::ptx::statement_ranges::StatementRanges;

pub(super) fn check<'db>(
    db: &'db dyn Db,
    file: File,
    item: Item<'db>,
    function: &Function,
    problems: &mut Vec<Problem>,
) {
    let target = module_target(db, file);
    let architecture = target.architecture.as_deref().and_then(isa::target);
    let platform = Platform { version: target.version, target: architecture };
    let forms = db.cache().shared::<FormCache>();
    let judge = |mnemonic| Judged::new(forms.forms(mnemonic), platform);
    let judged: Vec<Judged> = function.mnemonics().iter().map(judge).collect();
    let externals = externals::externals(db, file, function);
    let checker = Checker { function, externals: &externals, address_size: target.address_size };
    let ranges = StatementRanges::new(item.parse(db));
    let report = Reporter { function, checker, platform, ranges: &ranges };
    for instruction in function.instructions() {
        let wrong_guard = instruction.guard().and_then(|guard| Some((guard, checker.guard(guard)?)));
        problems.extend(wrong_guard.map(|(guard, wrong)| report.guard(guard, wrong)));
        let judged = &judged[instruction.mnemonic_id().index()];
        match &*judged.forms {
            MnemonicForms::Unjudged => {}
            MnemonicForms::NoMatch(near) => problems.extend(report.mnemonic(instruction, near)),
            MnemonicForms::Known(forms) => report.known(instruction, forms, &judged.missing, problems),
        }
    }
}

/// The forms of a mnemonic, before operands are compared.
struct Judged {
    forms: Arc<MnemonicForms>,
    /// For each form, the requirement that the module does not satisfy.
    missing: Box<[Option<UnmetRequirement>]>,
}

impl Judged {
    fn new(forms: Arc<MnemonicForms>, platform: Platform) -> Judged {
        let missing = match &*forms {
            MnemonicForms::Known(found) => {
                found.iter().map(|form| platform.unmet_requirement(form)).collect()
            }
            MnemonicForms::Unjudged | MnemonicForms::NoMatch(_) => Box::default(),
        };
        Judged { forms, missing }
    }
}

impl Reporter<'_> {
    /// A statement whose mnemonic matches no form.
    fn mnemonic(&self, instruction: Instruction<'_>, near: &[Near]) -> Option<Problem> {
        let is_unknown = instructions::judge(instruction.mnemonic()).is_some();
        if is_unknown || !self.ranges.is_whole(instruction) {
            return None;
        }
        Unmatched { instruction, near, ranges: self.ranges }.problem()
    }

    /// A statement whose mnemonic matches some forms: one of them must accept its operands and be available.
    fn known(
        &self,
        instruction: Instruction<'_>,
        forms: &[FormMatch],
        missing: &[Option<UnmetRequirement>],
        problems: &mut Vec<Problem>,
    ) {
        let operands = instruction.operands();
        let mut there = forms.iter().zip(missing).filter(|(_, missing)| missing.is_none());
        if let Some((form, _)) = there.find(|(form, _)| self.checker.fits(form, operands)) {
            if form.order == Order::Free {
                problems.extend(self.order(instruction, form, forms));
            }
            if form.entry.status == isa::Status::Deprecated {
                problems.extend(Comparison { report: self, instruction, form }.deprecated());
            }
            return;
        }
        if !self.ranges.is_whole(instruction) {
            return;
        }
        // The form with the fewest problems is the intended one.
        let mismatches = forms.iter().zip(missing);
        let mismatches =
            mismatches.map(|(form, missing)| (form, *missing, self.checker.mismatches(form, operands)));
        // A form that takes as many operands is meant rather than one that takes fewer or more.
        let weigh = |(_, missing, mismatches): &(_, Option<UnmetRequirement>, Vec<Mismatch>)| {
            let is_of_other_length =
                mismatches.iter().any(|mismatch| matches!(mismatch.error, OperandError::Count { .. }));
            4 * mismatches.len() + 2 * usize::from(missing.is_some()) + usize::from(is_of_other_length)
        };
        let Some((form, missing, mismatches)) = mismatches.min_by_key(weigh) else { return };
        let compared = Comparison { report: self, instruction, form };
        match missing {
            Some(missing) if mismatches.is_empty() => problems.extend(compared.unmet(missing)),
            _ => match compared.wrong_type(&mismatches) {
                Some(problem) => problems.push(problem),
                None => problems.extend(mismatches.into_iter().filter_map(|wrong| compared.operand(wrong))),
            },
        }
    }

    /// A statement whose modifiers are not in the documented order, which the assembler accepts.
    fn order(&self, instruction: Instruction<'_>, form: &FormMatch, forms: &[FormMatch]) -> Option<Problem> {
        if forms.iter().any(|other| other.order == Order::Documented) {
            return None;
        }
        let range = self.ranges.mnemonic(instruction)?;
        let documented = words::documented(form.entry, &form.chosen);
        let message = format!("the documented order of these modifiers is `{documented}`");
        let problem = Problem::hint(range, codes::MODIFIER_ORDER, message);
        Some(problem.with_fix(ItemFix::replacement(range, &documented).preferred()))
    }
}

#[cfg(test)]
mod tests;
