//! Departures from the chosen dialect, and the fixes that rewrite a line.

use std::cell::OnceCell;

use text_size::TextRange;
use warplens_hir::wave;
use warplens_hir::wave::{Accepts, Code, Departure, DepartureKind, ProblemKind};
use warplens_ide_db::{ItemFix, Problem};

use crate::wave::dialect;
use crate::wave::dialect::Edits;
use crate::wave::dialect::Rewriter;
use crate::wave_messages;

const FOR_TOOLCHAIN: &str = "Rewrite for toolchain 0.1.2";

/// Longer kernels are rewritten by the source action only: quick fixes are computed with every diagnostic.
const MOST_TEXT: usize = 1 << 16;

/// Finds departures from the chosen dialect, and fixes them and other problems by rewriting lines.
pub(super) struct Departures<'c> {
    text: &'c str,
    code: &'c Code,
    accepts: Accepts,
    rewriter: OnceCell<Rewriter<'c>>,
    whole: OnceCell<Option<Edits>>,
}

impl<'c> Departures<'c> {
    pub(super) fn new(text: &'c str, code: &'c Code, accepts: Accepts) -> Departures<'c> {
        Departures { text, code, accepts, rewriter: OnceCell::new(), whole: OnceCell::new() }
    }

    pub(super) fn problems(&self) -> impl Iterator<Item = Problem> {
        wave::departures(self.code, self.accepts).into_iter().map(|found| {
            Problem::new(found.range, found.severity(), found.code(), wave_messages::departure(&found.kind))
                .with_fix(self.fix(&found))
        })
    }

    fn rewriter(&self) -> &Rewriter<'c> {
        self.rewriter.get_or_init(|| Rewriter::new(self.text, self.code))
    }

    fn fix(&self, found: &Departure) -> Option<ItemFix> {
        match &found.kind {
            DepartureKind::ToolchainName(name) => {
                let edits = dialect::in_guide(self.text, self.code, found.at)?;
                Some(fix(&format!("Replace with `{name}`, the guide's dialect"), edits).preferred())
            }
            DepartureKind::ShortSize => {
                let (range, insert) = dialect::size_in_toolchain(self.code, found.at)?;
                Some(fix(FOR_TOOLCHAIN, vec![(range, insert)]).preferred())
            }
            DepartureKind::HighRegister => {
                let (other, edits) = dialect::other_register(self.code, found.range)?;
                Some(fix(&format!("Rename to `r{other}` in the whole kernel"), edits))
            }
            DepartureKind::Continue | DepartureKind::BreakInIf | DepartureKind::PartialEnd => {
                let edits = self.whole()?;
                Some(fix("Rewrite the kernel for toolchain 0.1.2", edits))
            }
            DepartureKind::ManyRegisters => {
                Some(fix("Request 32 registers", vec![dialect::fewer_registers(self.code)?]).preferred())
            }
            DepartureKind::CompareAndSwap | DepartureKind::AbsentSpecial => None,
            _ => self.written_for_toolchain(found.at),
        }
    }

    /// The whole item rewritten for the toolchain, if it is short and the rewrite helps.
    fn whole(&self) -> Option<Edits> {
        let is_short = self.text.len() <= MOST_TEXT;
        is_short.then(|| {
            self.whole.get_or_init(|| dialect::structure_in_toolchain(self.text, self.code)).clone()
        })?
    }

    fn written_for_toolchain(&self, at: usize) -> Option<ItemFix> {
        Some(fix(FOR_TOOLCHAIN, self.rewriter().instruction(at)?).preferred())
    }

    /// The fix of a problem that other dialects have too.
    pub(super) fn fix_of(&self, problem: &wave::Problem) -> Option<ItemFix> {
        let for_toolchain = self.accepts == Accepts::Toolchain;
        match &problem.kind {
            ProblemKind::MissingScope { fence: false }
            | ProblemKind::SpecialOperand { .. }
            | ProblemKind::IgnoredHalf
                if for_toolchain =>
            {
                self.written_for_toolchain(self.instruction_at(problem.range)?)
            }
            ProblemKind::UnusedHint(_) if for_toolchain => {
                let at = self.instruction_at(problem.range)?;
                self.written_for_toolchain(at).or_else(|| Some(without(problem.range)))
            }
            ProblemKind::SpecialOperand { written: false } => {
                let edits = self.rewriter().special_operands(self.instruction_at(problem.range)?)?;
                Some(fix("Read it with `mov_sr` first", edits).preferred())
            }
            ProblemKind::MissingScope { fence: false } => {
                let at = self.instruction_at(problem.range)?;
                let end = self.code.instructions[at].operands.last()?.range.end();
                Some(fix("Add `.device`", vec![(TextRange::empty(end), ", .device".into())]))
            }
            ProblemKind::UnusedHint(_) => Some(without(problem.range)),
            ProblemKind::GuardP0 => match dialect::other_guard(self.code) {
                Some((other, edits)) => {
                    Some(fix(&format!("Rename `p0` to `p{other}` in the whole kernel"), edits))
                }
                None if for_toolchain => self.written_for_toolchain(self.instruction_at(problem.range)?),
                None => None,
            },
            _ => None,
        }
    }

    fn instruction_at(&self, range: TextRange) -> Option<usize> {
        self.code.instruction_at(range.start())
    }
}

fn without(range: TextRange) -> ItemFix {
    fix("Remove it", vec![(range, String::new())]).preferred()
}

fn fix(title: &str, edits: Edits) -> ItemFix {
    edits.into_iter().fold(ItemFix::new(title), |fix, (range, text)| fix.replace(range, text))
}
