//! The commands in a terminal: options of `check`, `fmt` and `sim`, and `test`, `explain`, `completions`, `man`.

use crate::support::transcript::check;
use crate::support::{Folder, run};
use expect_test::expect;
use serde_json::{Value, json};
use std::path::Path;

const GOOD: &str = ".version 8.5\n.target sm_90\n.entry k()\n{\n\tret;\n}\n";
const WARNED: &str = ".version 8.5\n.target sm_90\n.entry k() .minnctapersm 2\n{\n\tret;\n}\n";
const FIXABLE: &str =
    ".version 8.5\n.target sm_90\n.entry k()\n{\n\t.reg .u32 %r<2>;\n\tmov.u32 %r1, 1\n\tret;\n}\n";

/// Two kernels. In the first, each thread stores its number.
const KERNELS: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry iota(.param .u64 out) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
.visible .entry other() {
    ret;
}
";

fn launch(name: &str, file: &str, last: u32) -> String {
    format!(
        "[[launch]]\nname = '{name}'\nfile = '{file}'\nentry = 'iota'\nargs = [{{ name = 'out', buffer = 'u32', len = 32 }}]\n\
         expect = [{{ name = 'out', values = [0, 1, {last}] }}]\n"
    )
}

#[test]
fn a_check_without_problems_has_a_summary() {
    let folder = Folder::new();
    folder.write("a.ptx", GOOD);
    folder.write("b.ptx", GOOD);
    check(
        folder.path(),
        &["check", "."],
        "",
        expect![[r#"
        2 files checked: no errors, no warnings
        --
        exit 0
    "#]],
    );
    check(
        folder.path(),
        &["check", "--quiet", "."],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    std::fs::create_dir(folder.path().join("empty")).expect("it is new");
    check(
        folder.path(),
        &["check", "empty"],
        "",
        expect![[r#"
            --
            warplens: no files to check: no .ptx or .wave or .sass files and none with inline PTX found
            exit 0
        "#]],
    );
}

#[test]
fn warnings_fail_a_check_on_request() {
    let folder = Folder::new();
    folder.write("k.ptx", WARNED);
    check(
        folder.path(),
        &["check", "k.ptx", "--quiet"],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    check(
        folder.path(),
        &["check", "k.ptx", "--deny", "warnings"],
        "",
        expect![[r#"
        warning[ignored-directive]: the assembler ignores `.minnctapersm` without `.maxntid` or `.reqntid`; add it
         --> k.ptx:3:12
          |
        3 | .entry k() .minnctapersm 2
          |            ^^^^^^^^^^^^^

        1 warning
        --
        exit 1
    "#]],
    );
    let allowed = ["check", "k.ptx", "--deny", "warnings", "--allow", "ignored-directive"];
    check(
        folder.path(),
        &allowed,
        "",
        expect![[r#"
        1 file checked: no errors, no warnings
        --
        exit 0
    "#]],
    );
}

#[test]
fn safe_fixes_are_applied() {
    let folder = Folder::new();
    let file = folder.write("k.ptx", FIXABLE);
    check(
        folder.path(),
        &["check", "--fix", "k.ptx"],
        "",
        expect![[r#"
        1 problem fixed
        1 file checked: no errors, no warnings
        --
        exit 0
    "#]],
    );
    let fixed = FIXABLE.replace("%r1, 1\n", "%r1, 1;\n");
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), fixed);
    check(
        folder.path(),
        &["check", "--fix", "-", "--language", "ptx"],
        FIXABLE,
        expect![[r#"
        --
        warplens: -: standard input cannot be fixed; name a file
        exit 2
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn only_regular_files_in_the_folder_are_checked() {
    let folder = Folder::new();
    folder.write("a.ptx", GOOD);
    let outside = Folder::new();
    let secret = outside.write("secret", "root:x\n");
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, folder.path().join(name)).expect("links can be made");
    };
    link(&secret, "secret.ptx");
    link("/dev/zero".as_ref(), "zero.ptx");
    link("a.ptx".as_ref(), "inside.ptx");
    let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.wave")).status();
    assert!(pipe.expect("it is there").success());
    // No file has a launch to test.
    for (command, expected, code) in [
        (&["check", "."][..], "2 files checked: no errors, no warnings\n", 0),
        (&["fmt", "--check", "."], "", 0),
        (&["test", "."], "", 3),
    ] {
        let output = run(folder.path(), command, b"");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}

#[test]
fn a_folder_is_formatted_and_changes_are_shown() {
    let folder = Folder::new();
    folder.write("a.ptx", GOOD);
    let file = folder.write("sub/b.ptx", ".version 8.5\n.target sm_90\n.entry k() { ret; } // sum\n");
    check(
        folder.path(),
        &["fmt", "--diff", "."],
        "",
        expect![[r#"
        --- a/sub/b.ptx
        +++ b/sub/b.ptx
        @@ -1,3 +1,6 @@
         .version 8.5
         .target sm_90
        -.entry k() { ret; } // sum
        +.entry k()
        +{
        +	ret;
        +} // sum
        --
        exit 1
    "#]],
    );
    check(
        folder.path(),
        &["fmt", "."],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    check(
        folder.path(),
        &["fmt", "--check", "."],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    assert!(std::fs::read_to_string(file).expect("it is there").contains("\tret;"));
}

#[test]
fn the_listing_shows_registers_and_counters_of_the_kernel() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    let flags = ["sim", "k.ptx", "--entry", "iota", "--registers", "--counters"];
    check(
        folder.path(),
        &flags,
        "",
        expect![[r#"
        iota: inferred launch (no launch configured), grid 1, block 32, model stack
        args: {"name":"out","buffer":"u32","len":32768,"fill":"zero"}
        warp 0 of 1

         1  .version 8.5
         2  .target sm_90
         3  .address_size 64
         4  .visible .entry iota(.param .u64 out) {
         5      .reg .b32 %r<4>; .reg .b64 %rd<4>;
         6      ld.param.u64 %rd1, [out];
         7      mov.u32 %r1, %tid.x;
         8      mul.wide.u32 %rd2, %r1, 4;
         9      add.u64 %rd3, %rd1, %rd2;
        10      st.global.u32 [%rd3], %r1;
        11      ret;
        12  }

        registers of warp 0 of block 0,0,0 (hexadecimal):
            %rd1  10000000 in every lane
            %r1    0:  0  1  2  3  4  5  6  7
                   8:  8  9  a  b  c  d  e  f
                  16: 10 11 12 13 14 15 16 17
                  24: 18 19 1a 1b 1c 1d 1e 1f
            %rd2   0:  0  4  8  c 10 14 18 1c
                   8: 20 24 28 2c 30 34 38 3c
                  16: 40 44 48 4c 50 54 58 5c
                  24: 60 64 68 6c 70 74 78 7c
            %rd3   0: 10000000 10000004 10000008 1000000c
                   4: 10000010 10000014 10000018 1000001c
                   8: 10000020 10000024 10000028 1000002c
                  12: 10000030 10000034 10000038 1000003c
                  16: 10000040 10000044 10000048 1000004c
                  20: 10000050 10000054 10000058 1000005c
                  24: 10000060 10000064 10000068 1000006c
                  28: 10000070 10000074 10000078 1000007c
        active lanes: 100%
        global memory: 1 request, 4 sectors of 32 bytes, ideal 4
        shared memory: no accesses
        finished: 6 warp instructions, 192 thread instructions
        --
        exit 0
    "#]],
    );
}

#[test]
fn a_launch_comes_from_standard_input() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    let sim = ["sim", "k.ptx", "--launches", "-", "--format", "json"];
    for text in [
        launch("one", "k.ptx", 2),
        "entry = 'iota'\nargs = [{ buffer = 'u32', len = 32 }]".to_owned(),
        r#"{ "entry": "iota", "args": [{ "buffer": "u32", "len": 32 }] }"#.to_owned(),
    ] {
        let output = run(folder.path(), &sim, text.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"len\":32"), "{output:?}");
    }
    check(
        folder.path(),
        &sim,
        "entry = 'iota'\ngird = [1]\n",
        expect![[r#"
        --
        warplens: -:2:1: a launch has no key `gird`: did you mean `grid`?
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["sim", "-", "--language", "ptx", "--launches", "-"],
        "",
        expect![[r#"
            --
            warplens: standard input can be the file or the launches, not both
            exit 2
        "#]],
    );
}

#[test]
fn the_listing_as_a_page_and_as_a_picture() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    for (format, start) in [("html", "<!DOCTYPE html>"), ("svg", "<svg ")] {
        let output = run(folder.path(), &["sim", "k.ptx", "--entry", "iota", "--format", format], b"");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with(start) && text.contains("st.global.u32"), "{text}");
    }
}

/// The reciprocal decides the branch through a predicate; the sum of the atomics is left open; the square root is rounded.
#[test]
fn results_that_are_not_determined_are_named() {
    let kernel = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { block = [32], args = [{ buffer = 'f32', len = 1, fill = 'zero' }] }
.visible .entry k(.param .u64 out) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    rcp.approx.f32 %f2, %f1;
    sqrt.rn.f32 %f3, %f1;
    add.f32 %f4, %f2, %f3;
    setp.gt.f32 %p1, %f4, 0f40000000;
    @%p1 bra DONE;
    red.global.add.f32 [%rd1], %f3;
DONE:
    ret;
}
";
    let arguments = ["sim", "-", "--language", "ptx", "--format", "json"];
    let output = run(Path::new("."), &arguments, kernel.as_bytes());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let numbers = json!({
        "approximate": [{ "line": 9, "error": "at most 1 ulp off" }],
        "open": [{ "line": 14, "why": "the order of the threads decides how the sum is rounded" }],
        "decided": [13],
    });
    assert_eq!(report["numbers"], numbers);
    let branches = json!([{ "line": 13, "taken": true, "not_taken": true }]);
    assert_eq!(report["coverage"]["branches"], branches);
    let printed = run(Path::new("."), &["sim", "-", "--language", "ptx"], kernel.as_bytes());
    let printed = String::from_utf8(printed.stdout).expect("UTF-8");
    let numbers: Vec<&str> = printed.lines().filter(|line| line.starts_with("numbers")).collect();
    expect![[r#"
        numbers: 1 approximate result (line 10: at most 1 ulp off)
        numbers: 1 result left open (line 15: the order of the threads decides how the sum is rounded)
        numbers: approximate results decide the branch at line 14"#]]
    .assert_eq(&numbers.join("\n"));
}

#[test]
fn launches_with_expectations_are_tested() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    folder.write("warplens.toml", launch("good", "*.ptx", 2) + &launch("bad", "./sub/../k.ptx", 3));
    check(
        folder.path(),
        &["test", "."],
        "",
        expect![[r#"
            passed  ./k.ptx: iota: good (1 check, any schedule)
            failed  ./k.ptx: iota: bad
                    `out`[2] is 2, expected 3
            1 launch passed, 1 failed
            --
            exit 1
        "#]],
    );
    check(
        folder.path(),
        &["test", "warplens.toml", "--format", "json"],
        "",
        expect![[r#"
            {"path":"./k.ptx","name":"iota: good","ok":true,"verdict":"clean","reasons":[],"failures":[],"checks":1,"schedules":0,"order_independent":true}
            {"path":"./k.ptx","name":"iota: bad","ok":false,"verdict":"findings","reasons":[],"failures":["`out`[2] is 2, expected 3"]}
            --
            exit 1
        "#]],
    );
    check(
        folder.path(),
        &["test", "warplens.toml", "--format", "junit"],
        "",
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="warplens" tests="2" failures="1" errors="0">
          <testsuite name="./k.ptx" tests="2" failures="1" errors="0">
            <testcase name="iota: good" classname="./k.ptx"/>
            <testcase name="iota: bad" classname="./k.ptx">
              <failure message="`out`[2] is 2, expected 3">`out`[2] is 2, expected 3</failure>
            </testcase>
          </testsuite>
        </testsuites>
        --
        exit 1
    "#]],
    );
    folder.write("warplens.toml", launch("good", "k.ptx", 2));
    check(
        folder.path(),
        &["test", "k.ptx"],
        "",
        expect![[r#"
            passed  k.ptx: iota: good (1 check, any schedule)
            1 launch passed
            --
            exit 0
        "#]],
    );
    folder.write("warplens.toml", "");
    check(
        folder.path(),
        &["test", "k.ptx"],
        "",
        expect![[r#"
        --
        warplens: no launches with `expect`, so nothing was tested
        exit 3
    "#]],
    );
}

#[test]
fn mistakes_in_a_launch_file_are_errors_with_their_lines() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    let good = launch("good", "k.ptx", 2);
    for bad in [
        "[[launch]]\nname = 'no file'\n".to_owned(),
        "[[launch]]\nname = 'misspelled'\nfil = 'k.ptx'\n".to_owned(),
        launch("good", "./k.ptx", 2),
    ] {
        folder.write("warplens.toml", good.clone() + &bad);
        let output = run(folder.path(), &["sim", "k.ptx"], b"");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    check(
        folder.path(),
        &["sim", "k.ptx"],
        "",
        expect![[r#"
        --
        warplens: warplens.toml:8:8: duplicate launch name `good` in this file: rename one
        exit 2
    "#]],
    );
    folder.write("warplens.toml", "[[launch]]\nname = 'x'\nfil = 'k.ptx'\n");
    check(
        folder.path(),
        &["sim", "k.ptx"],
        "",
        expect![[r#"
        --
        warplens: warplens.toml:3:1: a launch has no key `fil`: did you mean `file`?
        exit 2
    "#]],
    );
    folder.write("warplens.toml", launch("good", "k[.ptx", 2));
    let message = "warplens.toml:3:8: `file`: the pattern has `[` without `]`: add it, or write `[[]` for the character";
    for arguments in [&["sim", "k.ptx"][..], &["sim", "k.ptx", "--list-launches"], &["test", "."]] {
        let output = run(folder.path(), arguments, b"");
        let shown = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(shown.contains(message), "{arguments:?}: {shown}");
    }
}

#[test]
fn expectations_of_an_unfinished_run_are_not_checked() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNELS);
    folder.write("warplens.toml", launch("stopped", "k.ptx", 2));
    let output = run(folder.path(), &["sim", "k.ptx", "--max-steps", "3"], b"");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let end: String = text.lines().rev().take(3).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        verdict: incomplete (step-limit, expect-not-reached)
        coverage: 3 of 6 statements
        stopped at the step limit (--max-steps): 3 warp instructions, 96 thread instructions, 1 check not performed
    "#]]
    .assert_eq(&end);
    assert_eq!(output.status.code(), Some(3));
}

/// Stores to the elements of the first warp.
const STORES: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 bias)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd3, [bias];\n    ld.global.u32 %r2, [%rd3];\n    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %rd2, %r1, 4;\n    add.u64 %rd1, %rd1, %rd2;\n    st.global.u32 [%rd1], %r2;\n    ret;\n}\n";

#[test]
fn a_verdict_says_what_is_missing() {
    let folder = Folder::new();
    folder.write("k.ptx", STORES);
    let verdict = |options: &[&str]| {
        let arguments = [&["sim", "k.ptx", "--block", "32", "--format", "json"], options].concat();
        let output = run(folder.path(), &arguments, b"");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        format!(
            "{} {} {:?}",
            report["verdict"].as_str().unwrap_or_default(),
            report["reasons"],
            output.status.code()
        )
    };
    let with = |out: &'static str| ["--arg", out, "--arg", "bias=u32[8]"];
    assert_eq!(verdict(&with("out=u32[32]")), "clean [] Some(0)");
    assert_eq!(verdict(&with("out=u32[33]")), r#"incomplete ["outputs-unwritten"] Some(3)"#);
    assert_eq!(verdict(&with("out=u32[33]:zero")), "clean [] Some(0)");
    assert_eq!(verdict(&with("out=u32[31]")), "findings [] Some(1)");
    let checks_off = [&with("out=u32[32]")[..], &["--no-checks"]].concat();
    assert_eq!(verdict(&checks_off), r#"incomplete ["checks-off"] Some(3)"#);
    let limited = [&with("out=u32[32]")[..], &["--max-steps", "5"]].concat();
    assert_eq!(verdict(&limited), r#"incomplete ["step-limit"] Some(3)"#);
}

#[test]
fn names_do_not_control_the_terminal() {
    let folder = Folder::new();
    folder.write("k.ptx", GOOD);
    folder.write(
        "warplens.toml",
        "[[launch]]\nname = \"a\\u001b[31m\\u202e\"\nfile = 'k.ptx'\n[[launch]]\nname = \"\\u001b]0;x\"\nfile = 'k.ptx'\nblock = [64]\n",
    );
    for flags in
        [&["sim", "k.ptx"][..], &["sim", "k.ptx", "--launch", "x\u{1b}[31m"], &["check", "\u{1b}[31m.ptx"]]
    {
        let output = run(folder.path(), flags, b"");
        let shown = [output.stdout, output.stderr].concat();
        assert!(!shown.contains(&0x1b), "{}", String::from_utf8_lossy(&shown));
        assert!(!String::from_utf8_lossy(&shown).contains('\u{202e}'));
    }
}

#[test]
fn names_are_listed_and_explained_as_json() {
    let folder = Folder::new();
    let list = run(folder.path(), &["explain", "--list", "--language", "ptx"], b"");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.lines().any(|name| name == "bra") && list.lines().any(|name| name == "%laneid"), "{list}");
    let json = run(folder.path(), &["explain", "bra", "--format", "json"], b"");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert!(json["markdown"].as_str().is_some_and(|text| text.contains("label")), "{json}");
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(folder.path(), &["completions", shell], b"");
        let script = String::from_utf8_lossy(&output.stdout);
        assert!(script.contains("warplens"), "{output:?}");
        // The names of `explain`, from each language. Scripts for the other shells do not list values.
        if matches!(shell, "bash" | "zsh") {
            assert!(["mbarrier", "BSSY"].iter().all(|name| script.contains(name)));
        }
    }
    let output = run(folder.path(), &["man"], b"");
    assert!(String::from_utf8_lossy(&output.stdout).contains(".TH warplens 1"), "{output:?}");
    assert_eq!(run(folder.path(), &["man", "--out", "pages"], b"").status.code(), Some(0));
    assert!(folder.path().join("pages/warplens-sim.1").is_file());
}

#[test]
fn a_watched_file_runs_again_when_it_changes() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    folder.write("k.ptx", GOOD);
    let mut child = Command::new(crate::support::server())
        .args(["sim", "k.ptx", "--watch"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next_end = || lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("finished")));
    assert!(next_end().is_some());
    folder.write("k.ptx", GOOD.replace("\tret", "\tmembar.gl;\n\tret"));
    let second = next_end().expect("it runs again").expect("text");
    assert!(second.contains("2 warp instructions"), "{second}");
    child.kill().expect("it runs");
    child.wait().expect("it ended");
}

/// The data of the panel in a page.
fn panel_data(page: &str) -> serde_json::Value {
    let start =
        page.find("id=\"warplens-data\">").expect("the page has data") + "id=\"warplens-data\">".len();
    let end = start + page[start..].find("</script>").expect("the data end");
    serde_json::from_str(&page[start..end]).expect("the data are JSON")
}

#[test]
fn a_page_has_the_panel_and_the_listing() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for file in ["divergence.ptx", "saxpy.ptx", "divergence.wave"] {
        let page = run(&examples, &["sim", file, "--format", "html"], b"");
        let report = run(&examples, &["sim", file, "--format", "json", "--counters"], b"");
        let page = String::from_utf8(page.stdout).expect("UTF-8");
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        assert!(page.len() < 2 << 20, "{file}: {} bytes", page.len());
        assert!(page.contains("id=\"warplens-panel\"") && page.contains("default-src 'none'"), "{file}");
        // The listing below the panel.
        assert!(page.contains("(from the launch file)") || page.contains("(from a comment)"), "{file}");
        let data = panel_data(&page);
        let lines = report["warps"][0]["lines"].as_array().expect("lines");
        let steps: u64 = lines.iter().filter_map(|line| line["count"].as_u64()).sum();
        assert_eq!(data["timeline"]["steps"], steps, "{file}");
        assert_eq!(data["steps"].as_array().map(Vec::len), Some(steps as usize), "{file}");
        assert_eq!(data["timeline"]["launched"], report["warps"][0]["launched"], "{file}");
        assert_eq!(data["header"]["status"], report["status"], "{file}");
        let registers = data["moments"]["registers"].as_object().expect("registers");
        assert_eq!(data["moments"]["count"], registers.len(), "{file}");
        assert!(!registers.is_empty(), "{file}");
    }
}

/// Launches of the host code beside a file and of one that `.file` names; nothing outside of the folders is read.
#[test]
fn launches_of_host_code_are_listed_and_run() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let kernel = ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"../other.cu\"\n.file 2 \"../../outside.cu\"\n\
                  .visible .entry _Z1ki(.param .u32 n)\n{\n    ret;\n}\n";
    write("work/build/k.ptx", kernel);
    write("work/build/k.cu", "const int b = 64;\nvoid f(int m) { k<<<3, b>>>(7); k<<<m, b>>>(7); }\n");
    write("work/other.cu", "void f() { k<<<1, 32>>>(8); }\n");
    write("outside.cu", "void f() { k<<<1, 128>>>(9); }\n");
    let work = folder.path().join("work");
    let listed = run(&work, &["sim", "build/k.ptx", "--list-launches"], b"");
    assert_eq!(
        String::from_utf8(listed.stdout).unwrap(),
        "from k.cu:2: _Z1ki, grid 3, block 64\nfrom other.cu:1: _Z1ki, grid 1, block 32\ninferred: _Z1ki, grid 1, block 32\n"
    );
    let ran = run(&work, &["sim", "build/k.ptx", "--launch", "from k.cu:2"], b"");
    let ran = String::from_utf8(ran.stdout).unwrap();
    assert!(
        ran.starts_with("_Z1ki: launch from k.cu:2 (host code, other arguments inferred), grid 3, block 64"),
        "{ran}"
    );
    assert!(ran.contains(r#"{"name":"n","u32":7}"#), "{ran}");
}
