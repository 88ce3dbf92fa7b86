//! `uniform-promise`: a `.uni` on a branch that may be divergent. `flow::divergence` finds these branches.

use warplens_hir::ptx::{Function, Instruction, Link, ReferentId};
use warplens_ide_db::ptx::variance;
use warplens_ide_db::{Db, Item, ItemFix, Problem};

use crate::codes;
use crate::ptx::divergence_reason::because;
use crate::ptx::statement_ranges::StatementRanges;

/// The problem of an instruction whose target `register` selects and differs between lanes. `links` are the reasons.
pub(super) fn problem(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    instruction: Instruction<'_>,
    register: ReferentId,
    links: &[Link],
) -> Problem {
    let text = function.referent_text(register);
    let opcode = instruction.opcode();
    let message = format!(
        "`.uni` asserts that this branch is uniform, but `{text}` may differ between the lanes of a warp ({}); \
         write `{opcode}` without `.uni`",
        variance::path(function, links)
    );
    let index = instruction.modifiers().iter().position(|modifier| modifier == "uni");
    let modifier = index.and_then(|index| StatementRanges::new(item.parse(db)).modifier(instruction, index));
    let range = modifier.unwrap_or(instruction.opcode_range());
    let fix = modifier.map(|range| ItemFix::new("Remove `.uni`").delete(range).preferred());
    let problem = Problem::warning(range, codes::UNIFORM_PROMISE, message).with_fix(fix);
    because(problem, function, links)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::{LANE, check_body};

    #[test]
    fn promises() {
        check_body(
            &format!("{LANE}@%p1 bra.uni L;\nL: ret;"),
            expect![[r#"
                5:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%p1` may differ between the lanes of a warp (`%p1` ← `setp` ← `%r1` ← `%tid.x`); write `bra` without `.uni`
                    4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        check_body(
            &format!("{LANE}T: .branchtargets A, B;\nbrx.idx.uni %r1, T;\nA: ret;\nB: ret;"),
            expect![[r#"
                6:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%r1` may differ between the lanes of a warp (`%r1` ← `%tid.x`); write `brx` without `.uni`
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        check_body(
            &format!("{LANE}@%p1 ret.uni;\nret;"),
            expect![[r#"
                5:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%p1` may differ between the lanes of a warp (`%p1` ← `setp` ← `%r1` ← `%tid.x`); write `ret` without `.uni`
                    4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        // Whole warps, memory, other conditions.
        check_body(
            "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra.uni L;\nL: ld.global.u32 %r2, [%r3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra.uni M;\nM: ld.param.u32 %r2, [size]; setp.eq.u32 %p1, %r2, 0; @%p1 bra.uni N;\nN: bra.uni O;\nO: ret;",
            expect![[r#""#]],
        );
    }
}
