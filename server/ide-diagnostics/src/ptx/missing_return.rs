//! `missing-return`: control that reaches the end of a function body.

use text_size::{TextRange, TextSize};
use warplens_hir::cfg::Cfg;
use warplens_hir::ptx::{Function, FunctionKind};
use warplens_ide_db::{ItemFix, Problem};
use warplens_syntax::SyntaxError;

use crate::codes;
use crate::lints::layout::indentation;

/// Checks that control does not reach the brace at the end of the body. `reached` has the reachable blocks.
pub(super) fn check(
    function: &Function,
    cfg: &Cfg,
    reached: &[bool],
    body: TextRange,
    text: &str,
    errors: &[SyntaxError],
) -> Option<Problem> {
    let end = cfg.ids().next_back().filter(|block| cfg.block(*block).instructions.is_empty())?;
    // An empty body is a stub, not a mistake.
    let last = function.instructions().next_back().filter(|_| reached[end.index()])?;
    let brace = TextRange::new(body.end() - TextSize::of('}'), body.end());
    let returns = function.kind == FunctionKind::Func && !function.signature.is_noreturn();
    let leave = if returns { "ret" } else { "exit" };
    let starts_line = text[..usize::from(brace.start())].ends_with('\n');
    let insert = match (starts_line, indentation(text, last.opcode_range())) {
        (false, _) => format!("{leave}; "),
        (true, "") => format!("    {leave};\n"),
        (true, indent) => format!("{indent}{leave};\n"),
    };
    let message = format!("control reaches the end of the function body; end it with `{leave};`");
    let problem = Problem::warning(brace, codes::MISSING_RETURN, message);
    let problem = problem.with_related(last.opcode_range(), "control continues after this");
    // After an unfinished statement it would be read as an operand.
    if errors.iter().any(|error| error.range.end() >= last.opcode_range().start()) {
        return Some(problem);
    }
    let fix = ItemFix::new(format!("Add `{leave};`")).insert(brace.start(), insert).preferred();
    Some(problem.with_fix(fix))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::check_body;

    #[test]
    fn ends() {
        check_body(
            "mov.u32 %r1, 1;",
            expect![[r#"
                4:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                    3:`mov` control continues after this
            "#]],
        );
        check_body(
            "@%p1 ret;",
            expect![[r#"
                4:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                    3:`ret` control continues after this
            "#]],
        );
        check_body(
            "bra L;\nL:",
            expect![[r#"
                5:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                    3:`bra` control continues after this
            "#]],
        );
        check_body("", expect![[r#""#]]);
        // The flow after an unfinished statement is known, but an insertion would be read as its operand.
        check_body(
            "add.s32 %r1, %r1,",
            expect![[r#"
                4:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                    3:`add` control continues after this
            "#]],
        );
    }
}
