use expect_test::{Expect, expect};

use warplens_host::by_extension;

use super::*;
use crate::launches::{HostFile, LaunchFiles};
use crate::testing::{kernels, launch_file};

const TEXT: &str = "\
.entry first()
// @launch { name = 'commented', grid = [4] }
.entry second()
";

fn check(text: &str, launches: Option<&str>, expect: Expect) {
    let files = LaunchFiles { file: launches.map(launch_file), hosts: Vec::new() };
    check_files(text, &files, expect);
}

#[track_caller]
fn check_files(text: &str, files: &LaunchFiles, expect: Expect) {
    let show = |launch: AvailableLaunch| {
        let AvailableLaunch { name, entry, grid, block, source, problem, .. } = launch;
        let entry = entry.unwrap_or_default();
        let problem = problem.map_or(String::new(), |problem| format!(" PROBLEM {problem}"));
        format!("{} {name}: {entry} {grid:?} {block:?}{problem}\n", source.as_str())
    };
    let found = launches_in(warplens_syntax::ptx::LANGUAGE, text, &kernels(text), Some(files));
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

#[test]
fn launches_of_host_code_come_before_the_inferred_ones() {
    let text = ".entry _Z5saxpyifPf(.param .u32 n, .param .f32 a, .param .u64 x)\n.entry other(.param .u64 x)\n.reqntid 64\n";
    let host = |name: &str, text: &str| HostFile {
        path: format!("/code/{name}").into(),
        host: by_extension(name.rsplit('.').next().unwrap_or_default()).expect("a host"),
        text: text.into(),
    };
    let code = "\
const int n = 1000;
void run(int m) {
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x);
  saxpy<<<m, 256>>>(n, 2.0f, x);
  saxpy<<<1, 32>>>(x);
  other<<<2, 64>>>(x);
  other<<<2, 128>>>(x);
  missing<<<2, 128>>>(x);
}
";
    let files = LaunchFiles { file: None, hosts: vec![host("k.cu", code), host("k.py", "saxpy[(4,)](x)")] };
    check_files(
        text,
        &files,
        expect![[r#"
            host from k.cu:3: _Z5saxpyifPf [4, 1, 1] [256, 1, 1]
            host from k.cu:6: other [2, 1, 1] [64, 1, 1]
            inferred inferred: _Z5saxpyifPf [1, 1, 1] [32, 1, 1]
            inferred inferred: other [1, 1, 1] [64, 1, 1]
        "#]],
    );
}
