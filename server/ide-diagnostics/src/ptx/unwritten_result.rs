//! `unwritten-result`: a result that a function may return without having written it.

use rustc_hash::FxHashSet;
use warplens_hir::cfg::Cfg;
use warplens_hir::ptx::{Function, FunctionKind, Parameter, Resolution, Role, Space};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::unwritten_path::{GuardedWrite, UnwrittenPath};

/// Reports each result of a function that is not written on a path to a `ret`, at the first such `ret`.
pub(super) fn check(function: &Function, cfg: &Cfg, problems: &mut Vec<Problem>) {
    let signature = &function.signature;
    if function.kind == FunctionKind::Entry || signature.returns.is_empty() || signature.is_noreturn() {
        return;
    }
    let returns = function.instructions().filter(|instruction| instruction.opcode() == "ret");
    let returns: FxHashSet<u32> = returns.map(|ret| ret.id().index() as u32).collect();
    for result in &signature.returns {
        let Some(writes) = writes(function, result) else { continue };
        let Some(ret) =
            UnwrittenPath::new(function, cfg, writes, &returns, GuardedWrite::Writes).first_read()
        else {
            continue;
        };
        let name = result.name.as_deref().unwrap_or("the result");
        let message = format!(
            "the result `{name}` is not written on a path to this `ret`, so the caller reads an undefined value; write it before"
        );
        let problem = Problem::warning(ret.opcode_range(), codes::UNWRITTEN_RESULT, message);
        problems.push(problem.with_related(result.name_range, "the result"));
    }
}

/// The instructions that write a result, or a part of it. `None` if its address is taken: then it may be written anywhere.
fn writes(function: &Function, result: &Parameter) -> Option<FxHashSet<u32>> {
    let symbol = function.param_symbol(result).filter(|_| result.range_count.is_none())?;
    let mut writes = FxHashSet::default();
    for name in function.names().filter(|name| name.resolution == Resolution::Symbol(symbol)) {
        if name.role.writes() {
            writes.insert(function.instruction_at(name.range.start())?.id().index() as u32);
        } else if result.space == Space::Param && !matches!(name.role, Role::Declaration | Role::Debug) {
            return None;
        }
    }
    Some(writes)
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
