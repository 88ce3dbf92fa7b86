//! `deprecated-form`: a form that a newer one replaces. `forms` has the instructions.

use warplens_hir::ptx::PerformanceDirective;
use warplens_ide_db::{ItemFix, Problem, Tag};
use warplens_isa::ptx::Directive;

use crate::codes;
use crate::ptx::directive_list::{List, word};

pub(super) fn directive(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
) -> Option<Problem> {
    let since = known.deprecated?;
    if list.module.version? < since {
        return None;
    }
    let message = format!(
        "`{}` is deprecated since PTX {since}, and the assembler ignores it; use `.minnctapersm`",
        known.name
    );
    let fix = ItemFix::replacement(word(written), ".minnctapersm").preferred();
    let problem = Problem::hint(word(written), codes::DEPRECATED_FORM, message);
    Some(problem.with_tag(Tag::Deprecated).with_fix(fix))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn a_directive_that_is_deprecated() {
        for version in ["1.4", "2.0", "2.1"] {
            let target = if version == "1.4" { "sm_13" } else { "sm_20" };
            let source = format!(
                ".version {version}\n.target {target}\n.entry k() .maxntid 32 .maxnctapersm 2 {{ ret; }}\n"
            );
            let expected = match version {
                "1.4" => expect![[r#""#]],
                "2.0" => expect![[r#"
                    3:`.maxnctapersm` Hint deprecated-form: `.maxnctapersm` is deprecated since PTX 2.0, and the assembler ignores it; use `.minnctapersm`
                "#]],
                _ => expect![[r#"
                    3:`.maxnctapersm` Error removed-directive: `.maxnctapersm` was removed in PTX 2.1; use `.minnctapersm`
                "#]],
            };
            check(&source, expected);
        }
    }
}
