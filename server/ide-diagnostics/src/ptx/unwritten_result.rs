//! `unwritten-result`: a result that a function may return without having written it.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::cfg::{BlockId, Cfg};
use warplens_hir::ptx::{
    Function, FunctionKind, Guard, Instruction, InstructionId, Parameter, ReferentId, Resolution, Role, Space,
};
use warplens_ide_db::Problem;

use crate::codes;

/// The maximum number of states of the search for a path; a function that needs more is not checked.
const STATES: usize = 1 << 14;

/// Reports each result of a function that is not written on a path to a `ret`, at the first such `ret`.
pub(super) fn check(function: &Function, cfg: &Cfg, problems: &mut Vec<Problem>) {
    if function.kind == FunctionKind::Entry || function.signature.is_noreturn() {
        return;
    }
    for result in &function.signature.returns {
        let Some(ret) = Search::new(function, cfg, result).and_then(|search| search.unwritten()) else {
            continue;
        };
        let name = result.name.as_deref().unwrap_or("the result");
        let message = format!(
            "the result `{name}` is not written on a path to this `ret`, so the caller reads an undefined value; write it before"
        );
        let at = function.instruction(InstructionId::new(ret as usize)).opcode_range();
        let problem = Problem::warning(at, codes::UNWRITTEN_RESULT, message);
        problems.push(problem.with_related(result.name_range, "the result"));
    }
}

/// The search for a path on which a result is not written.
struct Search<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    /// The instructions that write the result, or a part of it.
    writes: FxHashSet<u32>,
    /// The predicates that guard several instructions: only their values can exclude a path.
    shared: FxHashSet<ReferentId>,
}

/// A block that is reached without a write, and known values of predicates there.
type State = (BlockId, Vec<(ReferentId, bool)>);

impl<'f> Search<'f> {
    /// `None` if the address of the result is taken: then it may be written anywhere.
    fn new(function: &'f Function, cfg: &'f Cfg, result: &Parameter) -> Option<Search<'f>> {
        let symbol = function.param_symbol(result).filter(|_| result.range_count.is_none())?;
        let mut writes = FxHashSet::default();
        for name in function.names().filter(|name| name.resolution == Resolution::Symbol(symbol)) {
            if name.role.writes() {
                writes.insert(function.instruction_at(name.range.start())?.id().index() as u32);
            } else if result.space == Space::Param && !matches!(name.role, Role::Declaration | Role::Debug) {
                return None;
            }
        }
        let mut guards: FxHashMap<ReferentId, usize> = FxHashMap::default();
        for guard in function.instructions().filter_map(Instruction::guard) {
            *guards.entry(function.name(guard.name).referent).or_default() += 1;
        }
        let shared =
            guards.into_iter().filter(|(_, count)| *count > 1).map(|(predicate, _)| predicate).collect();
        Some(Search { function, cfg, writes, shared })
    }

    /// The first `ret` in text order that is reached without a write.
    fn unwritten(&self) -> Option<u32> {
        let mut open: Vec<State> = vec![(BlockId(0), Vec::new())];
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut found = None;
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if seen.len() > STATES {
                return None;
            }
            found = found.into_iter().chain(self.run(state, &mut open)).min();
        }
        found
    }

    /// Runs through a block until the result is written, and returns the `ret` that is reached before.
    fn run(&self, (block, mut known): State, open: &mut Vec<State>) -> Option<u32> {
        let mut ret = None;
        for index in self.cfg.block(block).instructions.clone() {
            let instruction = self.function.instruction(InstructionId::new(index as usize));
            let executes = instruction.guard().map_or(Some(true), |guard| self.holds(guard, &known));
            // A guarded write counts: another one may write in the other lanes.
            if executes != Some(false) && self.writes.contains(&index) {
                return ret;
            }
            if executes != Some(false) && instruction.opcode() == "ret" {
                ret = ret.or(Some(index));
            }
            if instruction.opcode() == "bra" {
                self.branch(block, instruction.guard(), executes, &known, open);
                return ret;
            }
            if matches!(instruction.opcode(), "ret" | "exit" | "trap") {
                if executes == Some(true) {
                    return ret;
                }
                known = self.learn(&known, instruction.guard(), false);
            }
            for name in self.function.names_of(instruction).filter(|name| name.role.writes()) {
                known.retain(|(predicate, _)| *predicate != name.referent);
            }
        }
        open.extend(self.cfg.successors(block).map(|next| (next, known.clone())));
        ret
    }

    /// Continues at the target of a branch, after it, or both.
    fn branch(
        &self,
        block: BlockId,
        guard: Option<Guard>,
        executes: Option<bool>,
        known: &[(ReferentId, bool)],
        open: &mut Vec<State>,
    ) {
        let mut successors = self.cfg.successors(block);
        // Both are the same block if only one is there.
        let Some(target) = successors.next() else { return };
        let after = successors.next();
        if executes != Some(false) || after.is_none() {
            open.push((target, self.learn(known, guard, true)));
        }
        if let Some(after) = after.filter(|_| executes != Some(true)) {
            open.push((after, self.learn(known, guard, false)));
        }
    }

    fn holds(&self, guard: Guard, known: &[(ReferentId, bool)]) -> Option<bool> {
        let predicate = self.function.name(guard.name).referent;
        let (_, value) = known.iter().find(|(known, _)| *known == predicate)?;
        Some(*value != guard.negated)
    }

    fn learn(
        &self,
        known: &[(ReferentId, bool)],
        guard: Option<Guard>,
        holds: bool,
    ) -> Vec<(ReferentId, bool)> {
        let mut known = known.to_vec();
        let Some(guard) = guard else { return known };
        let predicate = self.function.name(guard.name).referent;
        if self.shared.contains(&predicate) {
            known.retain(|(known, _)| *known != predicate);
            known.push((predicate, holds != guard.negated));
            known.sort_unstable_by_key(|(predicate, _)| predicate.index());
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::ptx::flow::tests::check;

    /// A function with a result, its statements, and the line of the `ret` that is reported.
    fn check_result(statements: &str, expect: Expect) {
        let declarations = ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;";
        check(
            &format!(
                ".func stop() .noreturn {{ trap; }}\n.func (.param .b32 r) g();\n.func (.param .b32 r) f() {{\n{declarations}\n{statements}\n}}\n"
            ),
            expect,
        );
    }

    #[test]
    fn results_that_are_not_written() {
        check_result(
            "ret;",
            expect![[r#"
            5:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
        );
        check_result(
            "@%p1 bra L;\nst.param.b32 [r], %r1;\nL: ret;",
            expect![[r#"
            7:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
        );
        check_result(
            "@%p1 ret;\nst.param.b32 [r+0], %r1;\nret;",
            expect![[r#"
            5:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
        );
        check_result(
            "@%p1 bra A;\n@%p2 bra B;\nst.param.b32 [r], 1;\nret;\nA: st.param.b32 [r], 2;\nret;\nB: ret;",
            expect![[r#"
                11:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                    3:`r` the result
            "#]],
        );
        check_result(
            "L: @%p1 bra DONE;\nst.param.b32 [r], 1;\nbra L;\nDONE: ret;",
            expect![[r#"
            8:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
        );
        check(
            ".func (.reg .b32 %a, .reg .b32 %b) f() {\nmov.b32 %a, 1;\nret;\n}\n",
            expect![[r#"
            3:`ret` Warning unwritten-result: the result `%b` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                1:`%b` the result
        "#]],
        );
    }

    #[test]
    fn results_that_are_written() {
        let nothing = || expect![[""]];
        for statements in [
            "st.param.b32 [r], %r1;\nret;",
            // By a call, through an address.
            "call (r), g, ();\nret;",
            "mov.b64 %rd1, r;\nst.param.b32 [%rd1], %r1;\nret;",
            // Paths that do not return.
            "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: trap;",
            "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: exit;",
            "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: call stop;",
            "L: bra L;",
            // Guards that are mutually exclusive.
            "@%p1 st.param.b32 [r], 1;\n@!%p1 st.param.b32 [r], 2;\nret;",
            "@%p1 bra A;\nst.param.b32 [r], 1;\nA: @!%p1 bra B;\nst.param.b32 [r], 2;\nB: ret;",
            "@%p1 bra A;\nbra B;\nA: st.param.b32 [r], 1;\nB: @!%p1 trap;\nret;",
        ] {
            check_result(statements, nothing());
        }
        // The predicate changes between the two.
        check_result(
            "@%p1 bra A;\nst.param.b32 [r], 1;\nA: setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra B;\nst.param.b32 [r], 2;\nB: ret;",
            expect![[r#"
                10:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                    3:`r` the result
            "#]],
        );
        check(".func (.reg .b32 %a) f() {\nmov.b32 %a, 1;\nadd.u32 %a, %a, 1;\nret;\n}\n", nothing());
        check(".func (.param .b32 r) f();\n", nothing());
    }
}
