//! `return-in-noreturn`: a `ret` in a function that promises not to return.

use warplens_hir::ptx::Function;
use warplens_ide_db::Problem;

use crate::codes;

/// Reports each `ret` of a `.noreturn` function.
pub(super) fn check(function: &Function) -> impl Iterator<Item = Problem> + '_ {
    let promise = function.signature.directive("noreturn").map(|directive| directive.range);
    function.instructions().filter(|instruction| instruction.opcode() == "ret").map(move |ret| {
        let message = "a `.noreturn` function must not return: its callers rely on that; \
                       end it with `exit;` or `trap;`, or remove `.noreturn`";
        let problem = Problem::warning(ret.opcode_range(), codes::RETURN_IN_NORETURN, message);
        promise.into_iter().fold(problem, |problem, range| problem.with_related(range, "declared here"))
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check;

    #[test]
    fn a_ret_that_is_not_allowed() {
        check(
            ".func stop() .noreturn { trap; }\n.func f() { call stop; }\n.func g() .noreturn { .reg .pred p; @p ret; exit; }\n",
            expect![[r#"
                3:`ret` Warning return-in-noreturn: a `.noreturn` function must not return: its callers rely on that; end it with `exit;` or `trap;`, or remove `.noreturn`
                    3:`.noreturn` declared here
            "#]],
        );
    }
}
