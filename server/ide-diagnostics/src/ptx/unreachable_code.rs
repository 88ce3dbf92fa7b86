//! `unreachable-code`: instructions that are never executed.

use text_size::TextRange;
use warplens_hir::cfg::Cfg;
use warplens_hir::ptx::{Function, InstructionId};
use warplens_ide_db::{Problem, Tag};

use crate::codes;

/// Reports each range of unreachable instructions. `reached` has the reachable blocks.
pub(super) fn check(function: &Function, cfg: &Cfg, reached: &[bool], problems: &mut Vec<Problem>) {
    let mut dead = cfg.ids().filter(|block| !reached[block.index()]).peekable();
    while let Some(first) = dead.next() {
        let mut last = first;
        while let Some(next) = dead.next_if(|next| next.index() == last.index() + 1) {
            last = next;
        }
        let (start, end) = (cfg.block(first).instructions.start, cfg.block(last).instructions.end);
        let at = |index: u32| function.instruction(InstructionId::new(index as usize));
        let (Some(before), Some(end)) = (start.checked_sub(1), end.checked_sub(1)) else { continue };
        if start > end {
            continue;
        }
        let range = TextRange::new(at(start).range().start(), at(end).range().end());
        let message = format!(
            "unreachable code: control does not continue after `{}`, and no reachable branch jumps here",
            at(before).opcode()
        );
        let problem = Problem::hint(range, codes::UNREACHABLE_CODE, message);
        let related = format!("control does not continue after this `{}`", at(before).opcode());
        problems.push(problem.with_related(at(before).opcode_range(), related).with_tag(Tag::Unnecessary));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check_body;

    #[test]
    fn code_that_nothing_reaches() {
        check_body(
            "bra L;\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\nM: bra M;\nL: trap;\nret;",
            expect![[r#"
                4:`mov.u32 %r1, 1;
                mov.u32 %r1, 2;
                M: bra M;` Hint unreachable-code: unreachable code: control does not continue after `bra`, and no reachable branch jumps here
                    3:`bra` control does not continue after this `bra`
                8:`ret;` Hint unreachable-code: unreachable code: control does not continue after `trap`, and no reachable branch jumps here
                    7:`trap` control does not continue after this `trap`
            "#]],
        );
        // Unknown while a branch has an undeclared target.
        check_body("bra NOWHERE;\nmov.u32 %r1, 1;", expect![""]);
    }
}
