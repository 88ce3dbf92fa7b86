//! `ignored-directive`: a directive without effect.

use warplens_hir::ptx::PerformanceDirective;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx::{Directive, Holder, MissingRequirement};

use crate::codes;
use crate::ptx::directive_list::{List, word};

/// A directive of a kernel that a later one with the same name replaces.
pub(super) fn repeated(
    list: &List<'_>,
    known: &Directive,
    written: &PerformanceDirective,
    index: usize,
) -> Option<Problem> {
    let last = list.signature.directive(&written.name)?;
    if list.holder != Holder::Entry || !list.signature.directives[index + 1..].contains(last) {
        return None;
    }
    let used = list.text.get(std::ops::Range::<usize>::from(last.range))?;
    let used = used.split_whitespace().collect::<Vec<_>>().join(" ");
    let message =
        format!("duplicate `{}`; the assembler ignores this one and uses the last one, `{used}`", known.name);
    let fix = ItemFix::new(format!("Remove this `{}`", known.name)).delete(written.range);
    let problem = Problem::warning(written.range, codes::IGNORED_DIRECTIVE, message);
    Some(problem.with_related(last.range, "the one that is used").with_fix(fix))
}

/// A directive without another one, without which the assembler ignores it.
pub(super) fn alone(list: &List<'_>, known: &Directive, written: &PerformanceDirective) -> Option<Problem> {
    let missing = list.missing(known).filter(|_| known.missing_requirement == MissingRequirement::Ignored)?;
    let message = format!("the assembler ignores `{}` without `{missing}`; add it", known.name);
    Some(Problem::warning(word(written), codes::IGNORED_DIRECTIVE, message))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn the_last_of_equal_directives_is_used() {
        check(
            "\
.version 9.0
.target sm_80
.entry a() .maxnreg 32 .maxnreg  64 { ret; }
.entry b() .maxntid 32 .minnctapersm 2 .maxntid 64, 2 .minnctapersm 4 { ret; }
",
            expect![[r#"
                3:`.maxnreg 32` Warning ignored-directive: duplicate `.maxnreg`; the assembler ignores this one and uses the last one, `.maxnreg 64`
                    3:`.maxnreg  64` the one that is used
                4:`.maxntid 32` Warning ignored-directive: duplicate `.maxntid`; the assembler ignores this one and uses the last one, `.maxntid 64, 2`
                    4:`.maxntid 64, 2` the one that is used
                4:`.minnctapersm 2` Warning ignored-directive: duplicate `.minnctapersm`; the assembler ignores this one and uses the last one, `.minnctapersm 4`
                    4:`.minnctapersm 4` the one that is used
            "#]],
        );
    }
}
