//! The program in a terminal: `check`, `explain`, incorrect use.

use crate::support::transcript::check;
use crate::support::{Folder, run};
use expect_test::expect;
use serde_json::{Value, json};
use std::path::Path;

const GOOD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() { exit; }\n";
const BAD: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k() {
    .reg .u32 %r<2>;
    /* é𝄞 */ addd.u32 %r1, %r1, %r1;
    .reg .u32 %a;
    .reg .u32 %a;
    mov.u32 %a, 1;
    exit;
}
";

#[test]
fn a_file_without_problems_has_a_summary_for_people_only() {
    let folder = Folder::new();
    folder.write("k.ptx", GOOD);
    for (format, summary) in [("human", "1 file checked: no errors, no warnings\n"), ("json", "")] {
        let output = run(folder.path(), &["check", "k.ptx", "--format", format], b"");
        assert_eq!(String::from_utf8_lossy(&output.stdout), summary);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn problems_for_people() {
    let folder = Folder::new();
    folder.write("k.ptx", BAD);
    check(
        folder.path(),
        &["check", "k.ptx"],
        "",
        expect![[r#"
        error[unknown-instruction]: unknown instruction `addd`; did you mean `add`?
         --> k.ptx:6:14
          |
        6 |     /* é𝄞 */ addd.u32 %r1, %r1, %r1;
          |              ^^^^

        error[duplicate-name]: `%a` is already declared in this scope; rename one of them
         --> k.ptx:8:15
          |
        7 |     .reg .u32 %a;
          |               -- first declared here
        8 |     .reg .u32 %a;
          |               ^^

        2 errors
        --
        exit 1
    "#]],
    );
}

#[test]
fn problems_as_json() {
    let folder = Folder::new();
    folder.write("k.ptx", BAD);
    check(
        folder.path(),
        &["check", "--format", "json", "k.ptx"],
        "",
        expect![[r#"
            {"path":"k.ptx","range":{"start":{"line":5,"character":7},"end":{"line":5,"character":8}},"severity":"hint","code":"non-ascii-comment","message":"`é` is not ASCII; ptxas 12.9 stops at it, 13.5 accepts it in a comment","related":[]}
            {"path":"k.ptx","range":{"start":{"line":5,"character":14},"end":{"line":5,"character":18}},"severity":"error","code":"unknown-instruction","message":"unknown instruction `addd`; did you mean `add`?","related":[]}
            {"path":"k.ptx","range":{"start":{"line":7,"character":14},"end":{"line":7,"character":16}},"severity":"error","code":"duplicate-name","message":"`%a` is already declared in this scope; rename one of them","related":[{"path":"k.ptx","range":{"start":{"line":6,"character":14},"end":{"line":6,"character":16}},"message":"first declared here"}]}
            --
            exit 1
        "#]],
    );
}

#[test]
fn problems_as_sarif() {
    let folder = Folder::new();
    folder.write("k.ptx", BAD);
    folder.write("broken.ptx", b"// \xff\x00");
    let output = run(folder.path(), &["check", "--format", "sarif", "k.ptx", "broken.ptx"], b"");
    let sarif: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("there are results");
    let first = &results[1];
    assert_eq!(first["ruleId"], "unknown-instruction");
    assert_eq!(
        run["tool"]["driver"]["rules"][first["ruleIndex"].as_u64().expect("a number") as usize]["id"],
        first["ruleId"]
    );
    assert_eq!(first["level"], "error");
    let rule = &run["tool"]["driver"]["rules"][first["ruleIndex"].as_u64().expect("a number") as usize];
    assert_eq!(rule["shortDescription"]["text"], "No instruction has this opcode.");
    assert!(rule["help"]["markdown"].as_str().is_some_and(|page| page.starts_with("# unknown-instruction")));
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "k.ptx");
    // Columns count UTF-16 units, from one.
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&6.into(), &15.into()));
    assert_eq!(results[2]["relatedLocations"].as_array().map(Vec::len), Some(1));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert!(
        notification["message"]["text"].as_str().is_some_and(|text| text.contains("not UTF-8")),
        "{notification}"
    );
}

/// The verdict of a run: its kernel stores 4 of 8 elements and nothing else is wrong, or all of them, but not what the launch expects.
#[test]
fn runs_as_sarif() {
    let kernel = |launch: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n// @launch {{ {launch} }}\n.visible .entry k(.param .u64 out) {{\n\
             .reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
             mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
        )
    };
    let run = |launch: &str| -> Value {
        let arguments = ["sim", "-", "--language", "ptx", "--format", "sarif"];
        let output = run(Path::new("."), &arguments, kernel(launch).as_bytes());
        let mut sarif: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let run = sarif["runs"][0].take();
        assert_eq!(run["invocations"][0]["exitCode"], json!(output.status.code()));
        run
    };
    let unwritten = run("block = [4], args = [{ buffer = 'u32', len = 8 }]");
    assert_eq!(unwritten["properties"]["verdict"], "incomplete");
    assert_eq!(unwritten["properties"]["reasons"], json!(["outputs-unwritten"]));
    let invocation = &unwritten["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["descriptor"]["id"], "outputs-unwritten");
    let wrong =
        run("block = [8], args = [{ buffer = 'u32', len = 8 }], expect = [{ name = 'out', values = [1] }]");
    assert_eq!(wrong["properties"]["verdict"], "findings");
    assert_eq!(wrong["invocations"][0]["executionSuccessful"], true);
    let result = &wrong["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("expect-failed"), &json!("error")));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 11);
    let clean = run("block = [8], args = [{ buffer = 'u32', len = 8 }]");
    assert_eq!((&clean["properties"]["verdict"], &clean["results"]), (&json!("clean"), &json!([])));
}

#[test]
fn folders_are_walked() {
    let folder = Folder::new();
    folder.write("a/bad.ptx", BAD);
    folder.write("a/b/good.PTX", GOOD);
    folder.write("a/k.wave", ".kernel k\n frobnicate r0\n.end\n");
    folder.write("a/sound.wave", b"RIFF\x00\xff\xffWAVEfmt ");
    folder.write("a/notes.txt", BAD);
    folder.write("a/.git/old.ptx", BAD);
    let output = run(folder.path(), &["check", "--format", "json", "a"], b"");
    let mut files: Vec<_> = String::from_utf8(output.stdout)
        .expect("it is JSON")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is JSON")["path"].clone())
        .collect();
    files.dedup();
    assert_eq!(files, ["a/bad.ptx", "a/k.wave"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn many_files_come_in_their_order() {
    let folder = Folder::new();
    let names: Vec<String> = (0..40).map(|number| format!("f{number:02}.ptx")).collect();
    for (number, name) in names.iter().enumerate() {
        folder.write(name, BAD.repeat(1 + (number * 7) % 5));
    }
    let output = run(folder.path(), &["check", "--format", "json", "."], b"");
    let mut paths: Vec<_> = String::from_utf8(output.stdout)
        .expect("it is JSON")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is JSON")["path"].clone())
        .collect();
    paths.dedup();
    assert_eq!(paths, names.iter().map(|name| format!("./{name}")).collect::<Vec<_>>());
}

#[test]
fn a_comment_in_latin_1_is_read_and_never_written() {
    let folder = Folder::new();
    let latin_1 = [&b"// caf\xe9\n"[..], GOOD.as_ref()].concat();
    folder.write("k.ptx", &latin_1);
    check(
        folder.path(),
        &["check", "k.ptx"],
        "",
        expect![[r#"
        1 file checked: no errors, no warnings
        --
        exit 0
    "#]],
    );
    check(
        folder.path(),
        &["fmt", "k.ptx"],
        "",
        expect![[r#"
        --
        warplens: k.ptx: not edited, because it is not UTF-8 and was read as Latin-1
        exit 2
    "#]],
    );
    assert_eq!(std::fs::read(folder.path().join("k.ptx")).expect("it is there"), latin_1);
}

#[test]
fn unreadable_files_are_reported_with_their_position() {
    let folder = Folder::new();
    folder.write("broken.ptx", b".version 8.5\n// \xff\x00\n");
    folder.write("k.sass", "/*0000*/ EXIT ;\n");
    folder.write("what", "hello\n");
    folder.write("k.ptx", GOOD);
    check(
        folder.path(),
        &["check", "k.ptx", "broken.ptx", "missing.ptx", "k.sass", "what"],
        "",
        expect![[r#"
            2 files checked: no errors, no warnings
            --
            warplens: broken.ptx: is not UTF-8: invalid byte 0xff at offset 16
            warplens: missing.ptx: cannot be read: No such file or directory (os error 2)
            warplens: what: cannot determine the language; use --language ptx or --language wave-asm or --language cuda-sass
            exit 2
        "#]],
    );
}

#[test]
fn standard_input_is_a_file() {
    let folder = Folder::new();
    check(
        folder.path(),
        &["check", "-", "--language", "ptx", "--format", "json"],
        ".version 8.5\n.target sm_90\nfrob;\n",
        expect![[r#"
        {"path":"-","range":{"start":{"line":2,"character":0},"end":{"line":2,"character":4}},"severity":"error","code":"syntax-error","message":"statement outside a function: is there an extra `}`, or a missing `{`, before it?","related":[]}
        --
        exit 1
    "#]],
    );
    check(
        folder.path(),
        &["check", "-"],
        GOOD,
        expect![[r#"
            1 file checked: no errors, no warnings
            --
            exit 0
        "#]],
    );
    check(
        folder.path(),
        &["check", "-", "--language", "sass"],
        "/*0000*/ EXIT ;\n",
        expect![[r#"
            1 file checked: no errors, no warnings
            --
            exit 0
        "#]],
    );
}

#[test]
fn usage_errors_are_reported() {
    let folder = Folder::new();
    for arguments in [
        &["check"][..],
        &["check", "k.ptx", "--format", "xml"],
        &["check", "k.ptx", "--target", "90"],
        &["check", "k.ptx", "--ptx-version", "eight"],
        &["frobnicate"],
        &[],
    ] {
        let output = run(folder.path(), arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn wrong_usage_is_named() {
    let folder = Folder::new();
    folder.write("k.ptx", GOOD);
    let message = |arguments: &[&str]| {
        let output = run(folder.path(), arguments, b"");
        assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (arguments, expected) in [
        (&["check", "--within", "nope", "k.ptx"][..], "--within: nope: No such file"),
        (&["check", "--within", "k.ptx", "../nope"], "outside of the folders of `--within`"),
        (&["extract", "nope"], "nope: cannot be read: No such file"),
        (&["extract", "."], ".: cannot be read: Is a directory"),
        (&["extract", "k.ptx"], "k.ptx: has no extension of a language with inline PTX: pass --language"),
        (&["extract", "-"], "-: has no extension of a language with inline PTX: pass --language"),
        (&["explain", "--descriptor", "1", "--kind", "nope"], "--kind: `nope` is not a kind"),
        (&["explain", "--descriptor", "1", "--language", "wave-asm"], "--language: the language has no"),
        (&["sim", "k.ptx", "--list-launches", "--format", "svg"], "--list-launches prints text or JSON"),
        (&["sim", "k.ptx", "--list-launches", "--entry", "l"], "k.ptx: unknown kernel `l`: the file has `k`"),
        (&["sim", "k.ptx", "--list-launches", "--launch", "l"], "cannot be used with"),
        (&["sim", "k.ptx", "--trace", "--format", "html"], "--trace prints text or JSON"),
        (&["compare", "k.ptx", "--models", "its,fast"], "warplens: unknown model `fast`: PTX has"),
    ] {
        let message = message(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn inline_ptx_of_standard_input_is_extracted() {
    check(
        Folder::new().path(),
        &["extract", "-", "--language", "cuda-cpp"],
        "void f() { asm(\"membar.gl;\"); }\n",
        expect![[r#"
            -:1:12: cuda-cpp
                membar.gl;
            --
            exit 0
        "#]],
    );
}

#[test]
fn names_are_explained() {
    let folder = Folder::new();
    for name in ["bra", ".reqntid", "%laneid", "icmp.lt", "icmp_lt", "endloop"] {
        let output = run(folder.path(), &["explain", name], b"");
        assert_eq!(output.status.code(), Some(0), "{name}");
        let text = String::from_utf8(output.stdout).expect("it is text");
        assert!(text.contains(name), "{name}: {text}");
        assert!(!text.contains('\u{1b}'), "no colours outside a terminal: {text:?}");
        assert!(!text.contains("**") && !text.contains("```"), "{text}");
    }
}

#[test]
fn a_misspelled_name_has_a_suggestion() {
    let folder = Folder::new();
    check(
        folder.path(),
        &["explain", "endlop"],
        "",
        expect![[r#"
            --
            warplens: no documentation entry for `endlop`; did you mean `endloop`?
            exit 1
        "#]],
    );
    check(
        folder.path(),
        &["explain", "bra", "--language", "wave-asm"],
        "",
        expect![[r#"
            --
            warplens: `bra` is not a WAVE name; it exists in PTX
            exit 1
        "#]],
    );
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::new();
    folder.write("k.ptx", BAD.repeat(2000));
    let mut child = std::process::Command::new(crate::support::server())
        .args(["check", "k.ptx", "--format", "json"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn diagnostics_are_allowed_and_denied() {
    let folder = Folder::new();
    folder.write(
        "k.wave",
        ".kernel k\n    icmp.lt p0, r0, r1\n    @p0 iadd r1, r2, r3\n    iadd r1, r2, r3\n.end\n",
    );
    check(
        folder.path(),
        &["check", "k.wave", "--allow", "guard-p0", "--deny", "missing-halt"],
        "",
        expect![[r#"
            error[missing-halt]: lanes execute past the end of the kernel: end it with `halt` or `return`
             --> k.wave:5:1
              |
            5 | .end
              | ^^^^

            1 error
            --
            exit 1
        "#]],
    );
    folder.write("renamed.wave", ".kernel k\n    iadd.cached r1, r2, r3\n    halt\n.end\n");
    for name in ["idle-cache-hint", "unused-cache-hint"] {
        check(
            folder.path(),
            &["check", "renamed.wave", "--allow", name],
            "",
            expect![[r#"
                1 file checked: no errors, no warnings
                --
                exit 0
            "#]],
        );
    }
    check(
        folder.path(),
        &["check", "k.wave", "--allow", "guard-p1"],
        "",
        expect![[r#"
            --
            error: invalid value 'guard-p1' for '--allow <NAME>': unknown diagnostic `guard-p1`; did you mean `guard-p0`?

            For more information, try '--help'.
            exit 2
        "#]],
    );
    folder.write(
        "allowed.wave",
        ".kernel k\n    icmp.lt p0, r0, r1\n    ; warplens: allow(guard-p0)\n    @p0 iadd r1, r2, r3\n    halt\n.end\n",
    );
    check(
        folder.path(),
        &["check", "allowed.wave"],
        "",
        expect![[r#"
            1 file checked: no errors, no warnings
            --
            exit 0
        "#]],
    );
}

#[test]
fn a_diagnostic_is_explained() {
    let folder = Folder::new();
    check(
        folder.path(),
        &["explain", "unknown-component"],
        "",
        expect![[r#"
            unknown-component

            Error. The special register or the vector does not have this component.

            %tid, %ntid, %ctaid, %nctaid, %clusterid, %nclusterid, %cluster_ctaid and
            %cluster_nctaid have the components .x, .y, .z and .w. All other special
            registers are scalar. Vectors have .x, .y, .z and .w, also written .r, .g, .b
            and .a.

                    mov.u32 %r1, %tid.q;

            Right:

                    mov.u32 %r1, %tid.z;
            --
            exit 0
        "#]],
    );
}

#[test]
fn target_and_version_override_those_of_the_file() {
    let folder = Folder::new();
    let source = "\
.version 8.5
.target sm_90
.address_size 64
.entry k() {
    .reg .b32 %r<2>;
    mov.b32 %r1, 1;
    redux.sync.add.u32 %r1, %r1, -1;
    exit;
}
";
    folder.write("k.ptx", source);
    check(
        folder.path(),
        &["check", "k.ptx"],
        "",
        expect![[r#"
            1 file checked: no errors, no warnings
            --
            exit 0
        "#]],
    );
    check(
        folder.path(),
        &["check", "k.ptx", "--target", "sm_75"],
        "",
        expect![[r#"
        error[needs-target]: `redux.sync.add.u32` needs target `sm_80` or later; this module is for `sm_75`
         --> k.ptx:7:5
          |
        7 |     redux.sync.add.u32 %r1, %r1, -1;
          |     ^^^^^^^^^^^^^^^^^^

        1 error
        --
        exit 1
    "#]],
    );
    check(
        folder.path(),
        &["check", "k.ptx", "--target", "sm_75", "--ptx-version", "6.5"],
        "",
        expect![[r#"
            error[needs-target]: `redux.sync.add.u32` needs PTX 7.0 or later and target `sm_80` or later; this module is of PTX 6.5 for `sm_75`
             --> k.ptx:7:5
              |
            7 |     redux.sync.add.u32 %r1, %r1, -1;
              |     ^^^^^^^^^^^^^^^^^^

            1 error
            --
            exit 1
        "#]],
    );
    check(
        folder.path(),
        &["check", "k.ptx", "--target", "sm_91"],
        "",
        expect![[r#"
        --
        warplens: unknown target `sm_91`
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["check", "k.ptx", "--ptx-version", "8.9"],
        "",
        expect![[r#"
        --
        warplens: unknown PTX version 8.9
        exit 2
    "#]],
    );
}
