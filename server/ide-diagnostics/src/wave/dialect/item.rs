//! Rewrites a whole item in the toolchain's dialect: first high registers, then exits of single lanes, then instructions.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Accepts, Code, Departure, DepartureKind, ProblemKind};
use warplens_hir::{Severity, wave};

use crate::wave::dialect::constants::Constants;
use crate::wave::dialect::edits::{Edits, in_order};
use crate::wave::dialect::toolchain::{Rewriter, size as size_in_toolchain};
use crate::wave::dialect::{names, structure};
use crate::wave_messages;

pub(super) struct Written {
    pub(super) text: String,
    code: Code,
    /// Whether exits of single lanes were rewritten.
    pub(super) is_restructured: bool,
    pub(super) edits: Edits,
}

impl Written {
    /// Rewrites an item, as far as possible.
    pub(super) fn new(text: &str, code: &Code) -> Written {
        let mut written = Written::of(edited(text, &in_order(names::in_reach(code).into_iter())));
        if let Some(text) = structure::rewritten(&written.text, &written.code) {
            let other = Written::of(text);
            // One more `if` may exceed the nesting limit.
            if other.code.problems.iter().all(|problem| problem.kind != ProblemKind::TooDeep) {
                written = Written { is_restructured: true, ..other };
            }
        }
        let edits = instructions(&written.text, &written.code);
        let is_all = written.text == text;
        let is_restructured = written.is_restructured;
        written = Written::of(edited(&written.text, &edits));
        let edits = if is_all { edits } else { difference(text, &written.text) };
        Written { is_restructured, edits, ..written }
    }

    fn of(text: String) -> Written {
        let code = wave::lower(warplens_syntax::parse_item(warplens_syntax::wave::LANGUAGE, &text).root());
        Written { text, code, is_restructured: false, edits: Edits::new() }
    }

    /// The code that the toolchain still rejects or miscompiles: the line in the item, and the reason. `is_later` is whether
    /// the item is a kernel, but not the first one.
    pub(super) fn left(&self, is_later: bool) -> Vec<(usize, String)> {
        let departures = wave::departures(&self.code, Accepts::Toolchain).into_iter();
        // Requesting more registers than are used is harmless by itself.
        let is_left = |found: &Departure| {
            found.severity() != Severity::Hint && found.kind != DepartureKind::ManyRegisters
        };
        let departures = departures.filter(is_left);
        let problems = self.code.problems.iter().filter(|found| {
            matches!(
                found.kind,
                ProblemKind::GuardP0
                    | ProblemKind::GuardedControl(_)
                    | ProblemKind::SpecialOperand { .. }
                    | ProblemKind::IgnoredHalf
                    | ProblemKind::MissingScope { fence: false }
            )
        });
        let mut left: Vec<(TextRange, String)> =
            departures.map(|found| (found.range, wave_messages::departure(&found.kind))).collect();
        left.extend(problems.map(|found| (found.range, wave_messages::problem(&found.kind))));
        let calls = self.code.instructions.iter().filter(|it| is_later && it.name() == "call");
        left.extend(calls.map(|call| (call.range, wave_messages::LATER_CALL.to_owned())));
        left.sort_by_key(|(range, _)| range.start());
        let line = |at: TextSize| self.text[..usize::from(at)].matches('\n').count();
        left.into_iter().map(|(range, message)| (line(range.start()), message)).collect()
    }
}

/// The edits that rewrite each instruction and each `.workgroup_size` separately.
fn instructions(text: &str, code: &Code) -> Edits {
    let rewriter = Rewriter::new(text, code);
    let sizes = (0..code.sizes.len()).filter_map(|at| size_in_toolchain(code, at));
    let mut constants = Constants::default();
    let instructions = (0..code.instructions.len()).flat_map(|at| {
        let edits = rewriter.instruction(at).unwrap_or_default();
        constants.without_repeated(code, at, edits)
    });
    in_order(sizes.chain(instructions))
}

/// The text after edits, which are sorted and do not touch each other.
fn edited(text: &str, edits: &Edits) -> String {
    let mut edited = String::with_capacity(text.len() + text.len() / 4);
    let mut at = 0;
    for (range, insert) in edits {
        edited += &text[at..usize::from(range.start())];
        edited += insert;
        at = usize::from(range.end());
    }
    edited + &text[at..]
}

/// The edits from one text to another, one per line if the number of lines is unchanged.
fn difference(before: &str, after: &str) -> Edits {
    let (old, new): (Vec<_>, Vec<_>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let same_start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let same_end = old[same_start..].iter().rev().zip(new[same_start..].iter().rev());
    let same_end = same_end.take_while(|(old, new)| old == new).count();
    let mut at: usize = old[..same_start].iter().map(|line| line.len()).sum();
    let mut edits = Edits::new();
    let mut replace = |at: &mut usize, old: &str, new: &str| {
        if old != new {
            let range = TextRange::at(TextSize::new(*at as u32), TextSize::of(old));
            edits.push((range, new.to_owned()));
        }
        *at += old.len();
    };
    let (old, new) = (&old[same_start..old.len() - same_end], &new[same_start..new.len() - same_end]);
    if old.len() == new.len() {
        old.iter().zip(new).for_each(|(old, new)| replace(&mut at, old, new));
    } else {
        replace(&mut at, &old.concat(), &new.concat());
    }
    edits
}
