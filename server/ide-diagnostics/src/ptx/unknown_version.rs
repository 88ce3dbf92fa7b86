//! `unknown-version`: a version of PTX that does not exist.

use text_size::TextRange;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::{Version, ptx as isa};

use crate::codes;

/// A version that was not released. The assembler looks up ten times the number before the point plus the one after it, so
/// it finds 9.0 for 8.10; the features that it then accepts are those of versions before 8.10.
pub(super) fn check(range: TextRange, major: u32, minor: u32) -> Option<Problem> {
    let released = || isa::versions().iter().map(|release| release.version);
    let is_written =
        |version: &Version| (u32::from(version.major), u32::from(version.minor)) == (major, minor);
    if released().any(|version| is_written(&version)) {
        return None;
    }
    let number = |version: Version| 10 * u32::from(version.major) + u32::from(version.minor);
    let written = major.checked_mul(10).and_then(|tens| tens.checked_add(minor));
    let is_accepted = released().any(|version| Some(number(version)) == written);
    let before = released().rfind(|version| u32::from(version.major) <= major);
    if let Some(before) = before.filter(|_| is_accepted) {
        let message = format!(
            "there is no PTX version {major}.{minor}; the assembler accepts it with the features of {before}, so write that"
        );
        let fix = ItemFix::new(format!("Replace with {before}")).version(&before.to_string()).preferred();
        return Some(Problem::warning(range, codes::UNKNOWN_VERSION, message).with_fix(fix));
    }
    let newest = released().next_back().map(|version| version.to_string()).unwrap_or_default();
    let message = format!("unknown PTX version {major}.{minor}; the newest is {newest}");
    let fix = ItemFix::new(format!("Replace with {newest}")).version(&newest);
    Some(Problem::error(range, codes::UNKNOWN_VERSION, message).with_fix(fix))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::prologue::tests::check;

    #[test]
    fn versions_that_were_not_released() {
        check(
            "\
.version 8.10\n.target sm_90\n
.version 8.15\n.target sm_90\n
.version 8.05\n.target sm_90\n
.version 8.19\n.target sm_90\n
.version 8.9\n.target sm_90\n
.version 7.80\n.target sm_90\n
.version 8.10\n.target sm_110\n
.version 4294967295.5\n.target sm_90
",
            expect![[r#"
                1:`.version` unknown-version: there is no PTX version 8.10; the assembler accepts it with the features of 8.8, so write that

                1:`.version` unknown-version: there is no PTX version 8.15; the assembler accepts it with the features of 8.8, so write that


                1:`.version` unknown-version: unknown PTX version 8.19; the newest is 9.5

                1:`.version` unknown-version: unknown PTX version 8.9; the newest is 9.5

                1:`.version` unknown-version: unknown PTX version 7.80; the newest is 9.5

                1:`.version` unknown-version: there is no PTX version 8.10; the assembler accepts it with the features of 8.8, so write that
                2:`sm_110` needs-version: sm_110 needs PTX 9.0 or later; this module is written in PTX 8.10

                1:`.version` unknown-version: unknown PTX version 4294967295.5; the newest is 9.5

            "#]],
        );
    }
}
