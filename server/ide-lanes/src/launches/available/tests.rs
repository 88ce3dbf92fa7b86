use expect_test::{Expect, expect};

use super::*;
use crate::launches::LaunchFiles;
use crate::testing::{kernels, launch_file};

const TEXT: &str = "\
.entry first()
// @launch { name = 'commented', grid = [4] }
.entry second()
";

fn check(text: &str, launches: Option<&str>, expect: Expect) {
    let files = LaunchFiles { file: launches.map(launch_file), hosts: Vec::new() };
    let show = |launch: AvailableLaunch| {
        let AvailableLaunch { name, entry, grid, block, source, problem, .. } = launch;
        let entry = entry.unwrap_or_default();
        let problem = problem.map_or(String::new(), |problem| format!(" PROBLEM {problem}"));
        format!("{} {name}: {entry} {grid:?} {block:?}{problem}\n", source.as_str())
    };
    let found = launches_in(warplens_syntax::ptx::LANGUAGE, text, &kernels(text), Some(&files));
    let answer: String = found.into_iter().map(show).collect();
    expect.assert_eq(&answer);
}

#[test]
fn files_then_comments_then_inferred() {
    check(
        TEXT,
        Some(
            "[[launch]]\nname = 'a'\nfile = './sub/k.ptx'\nentry = 'first'\nblock = [64]\n[[launch]]\nname = 'b'\nfile = 'other.ptx'\n",
        ),
        expect![[r#"
            toml a: first [1, 1, 1] [64, 1, 1]
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
}

#[test]
fn the_kernel_must_be_named() {
    let launch = "[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\n";
    check(
        TEXT,
        Some(launch),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:1: the file has several kernels: set entry to one of `first`, `second`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
    check(
        ".entry only()",
        Some(launch),
        expect![[r#"
        toml a: only [1, 1, 1] [32, 1, 1]
        inferred inferred: only [1, 1, 1] [32, 1, 1]
    "#]],
    );
    check(
        "",
        Some(launch),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:1: the file has no kernel
        "#]],
    );
    check(
        TEXT,
        Some(&format!("{launch}entry = 'third'\n")),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:4:9: unknown kernel `third`: the file has `first`, `second`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
}

#[test]
fn broken_files_and_launches() {
    check(
        TEXT,
        Some("[[launch]\n"),
        expect![[r#"
            toml warplens.toml:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:10: invalid TOML: unclosed array table, expected `]`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
    check(
        TEXT,
        Some("[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\nentry = 'first'\ngrid = 1\n"),
        expect![[r#"
        toml a: first [1, 1, 1] [32, 1, 1] PROBLEM warplens.toml:5:8: `grid` must be a list such as `[1]`, not an integer
        comment commented: second [4, 1, 1] [32, 1, 1]
        inferred inferred: first [1, 1, 1] [32, 1, 1]
        inferred inferred: second [1, 1, 1] [32, 1, 1]
    "#]],
    );
    check(
        "// @launch { grid = 1 }\n.entry k()",
        None,
        expect![[r#"
            comment grid 1: k [1, 1, 1] [32, 1, 1] PROBLEM line 1, column 21: `grid` must be a list such as `[1]`, not an integer
            inferred inferred: k [1, 1, 1] [32, 1, 1]
        "#]],
    );
}
