//! `sim --batch`: one line of JSON per launch.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};
use warplens_test_support::{runs, skip};

use crate::support::transcript::check;
use crate::support::{Folder, run, server};

/// Each thread stores `n` plus its number.
const KERNEL: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r2, %r1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

/// A launch with the result `n`, which is right if `expected` equals `n`.
fn launch(n: u32, expected: u32) -> Value {
    let args = json!([{ "name": "out", "buffer": "u32", "len": 32 }, { "u32": n }]);
    json!({ "file": "k.ptx", "block": [32], "args": args, "expect": [{ "name": "out", "values": [expected] }] })
}

fn with_id(mut launch: Value, id: impl Into<Value>) -> Value {
    launch["id"] = id.into();
    launch
}

fn lines(launches: &[Value]) -> String {
    launches.iter().fold(String::new(), |mut text, launch| {
        let _ = writeln!(text, "{launch}");
        text
    })
}

fn results(stdout: &[u8]) -> BTreeMap<u64, Value> {
    let text = std::str::from_utf8(stdout).expect("UTF-8");
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("a line of JSON");
    text.lines().map(parse).map(|result| (result["index"].as_u64().expect("an index"), result)).collect()
}

#[test]
fn a_result_for_each_launch() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    let launches = [with_id(launch(1, 1), "first"), with_id(launch(2, 3), 20), launch(4, 4)];
    folder.write("batch/l.jsonl", lines(&launches).replace("k.ptx", "../k.ptx"));
    let output = run(folder.path(), &["sim", "--batch", "batch/l.jsonl"], b"");
    let results = results(&output.stdout);
    let totals = json!({
        "warp_instructions": 8, "thread_instructions": 256, "executed_thread_instructions": 256,
    });
    let passed = |index: u64, id: Value| {
        json!({
            "index": index, "id": id, "status": "finished", "ok": true, "findings": [], "totals": totals,
            "verdict": "clean", "reasons": [],
            "expect": { "checks": 1, "failures": [] },
        })
    };
    assert_eq!(results[&0], passed(0, "first".into()));
    assert_eq!(results[&2], passed(2, Value::Null));
    let failed = &results[&1];
    assert_eq!((&failed["id"], &failed["ok"]), (&json!(20), &json!(false)));
    assert_eq!(failed["expect"]["failures"], json!(["`out`[0] is 2, expected 3"]));
    assert_eq!(failed["findings"][0]["code"], "expect-failed");
    assert_eq!(output.status.code(), Some(1));
    let summary = String::from_utf8_lossy(&output.stderr);
    assert_eq!(summary, "warplens: 3 launches: 2 passed, 1 failed\n");
}

#[test]
fn launches_that_cannot_be_run_do_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    let error = |line: &str| {
        let output = run(folder.path(), &["sim", "--batch", "-"], line.as_bytes());
        let result = results(&output.stdout).remove(&0).expect("a result");
        assert_eq!((&result["status"], &result["ok"]), (&json!("invalid"), &json!(false)), "{line}");
        assert_eq!(output.status.code(), Some(1));
        result["error"].as_str().expect("a message").to_owned()
    };
    for (line, message) in [
        ("{", "column 2: "),
        ("[]", "column 1: "),
        (r#"{"file": "k.ptx", "blok": 1}"#, "column 19: a launch has no key `blok`: did you mean `block`?"),
        ("{}", "the launch has no `file`"),
        (r#"{"file": "missing.ptx"}"#, "missing.ptx: cannot be read"),
        (r#"{"file": "k.ptx", "args": [{"u32": 1}]}"#, "`k` has 2 parameters"),
        (r#"{"file": "k.ptx", "model": "none"}"#, "unknown model"),
    ] {
        let error = error(line);
        assert!(error.contains(message), "{line}: {error}");
    }
    let mixed = format!("{{\n\n{}", lines(&[launch(1, 1)]));
    let output = run(folder.path(), &["sim", "--batch", "-"], mixed.as_bytes());
    let results = results(&output.stdout);
    assert_eq!(results.keys().collect::<Vec<_>>(), [&0, &2]);
    assert_eq!(results[&2]["ok"], true);
}

#[test]
fn a_full_result_is_that_of_a_single_run() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    let mut launch = launch(1, 1);
    launch["model"] = "its".into();
    let batch = ["sim", "--batch", "-", "--full", "--dump", "out", "--registers"];
    let output = run(folder.path(), &batch, lines(&[launch.clone()]).as_bytes());
    let mut full = results(&output.stdout).remove(&0).expect("a result");
    for key in ["index", "id", "ok", "expect"] {
        full.as_object_mut().expect("an object").remove(key);
    }
    full["launch"].as_object_mut().expect("an object").remove("file");
    launch.as_object_mut().expect("an object").remove("file");
    let single = ["sim", "k.ptx", "--launches", "-", "--format", "json", "--dump", "out", "--registers"];
    let output = run(folder.path(), &single, launch.to_string().as_bytes());
    let single: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(full, single);
}

#[test]
fn earlier_results_are_skipped() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    let launches: Vec<Value> = (0..10).map(|n| with_id(launch(n, n), n)).collect();
    folder.write("l.jsonl", lines(&launches));
    let all = run(folder.path(), &["sim", "--batch", "l.jsonl"], b"").stdout;
    // Simulates a process that was stopped while it wrote the fourth line.
    let cut: usize = all.split_inclusive(|byte| *byte == b'\n').take(3).map(<[u8]>::len).sum();
    let earlier = &all[..cut + 10];
    folder.write("r.jsonl", std::str::from_utf8(earlier).expect("UTF-8"));
    let output = run(folder.path(), &["sim", "--batch", "l.jsonl", "--resume", "r.jsonl"], b"");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "warplens: 7 launches: 7 passed; 3 skipped, with earlier results\n"
    );
    assert_eq!(output.stdout.first(), Some(&b'\n'), "the results are appended to a cut line");
    let mut found = results(&all[..cut]);
    found.extend(results(&output.stdout[1..]));
    assert_eq!(found, results(&all));
}

#[test]
fn options_that_do_not_apply() {
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    check(
        folder.path(),
        &["sim", "--batch", "missing.jsonl"],
        "",
        expect![[r#"
        --
        warplens: missing.jsonl: cannot be read: No such file or directory (os error 2)
        exit 2
    "#]],
    );
    folder.write("folder/k.ptx", KERNEL);
    let output = run(folder.path(), &["sim", "--batch", "folder"], b"");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.starts_with("warplens: folder: cannot be read: ") && message.lines().count() == 1,
        "{message}"
    );
    assert_eq!(output.status.code(), Some(2));
    check(
        folder.path(),
        &["sim", "--batch", "-", "--dump", "all"],
        "",
        expect![[r#"
        --
        warplens: --dump needs --full: without it, the results of a batch have no lanes, registers and buffers
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["sim", "-", "--batch", "-"],
        "",
        expect![[r#"
        --
        warplens: with --batch, FILE must be a file, not standard input
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["sim", "k.ptx", "--batch", "-", "--grid", "2"],
        "",
        expect![[r#"
        --
        error: the argument '--batch <LAUNCHES>' cannot be used with '--grid <X[,Y[,Z]]>'

        Usage: warplens-under-test sim --batch <LAUNCHES> <FILE>

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["sim", "k.ptx", "--full"],
        "",
        expect![[r#"
        --
        error: the following required arguments were not provided:
          --batch <LAUNCHES>

        Usage: warplens-under-test sim --batch <LAUNCHES> --full <FILE>

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        folder.path(),
        &["sim", "--batch", "-"],
        "",
        expect![[r#"
        --
        warplens: 0 launches: 0 passed
        exit 0
    "#]],
    );
}

#[test]
fn parts_run_under_gnu_parallel() {
    if !runs("parallel") {
        return skip("GNU parallel was not found");
    }
    let folder = Folder::new();
    folder.write("k.ptx", KERNEL);
    let launches: Vec<Value> = (0..200).map(|n| with_id(launch(n, n), format!("launch {n}"))).collect();
    folder.write("l.jsonl", lines(&launches));
    let command = format!("{} sim --batch -", server().display());
    let output = Command::new("parallel")
        .args(["--will-cite", "--pipe-part", "-a", "l.jsonl", "--block", "4k", "-j", "2", &command])
        .current_dir(folder.path())
        .output()
        .expect("parallel starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let ids: std::collections::BTreeSet<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
        .inspect(|result| assert_eq!(result["ok"], true))
        .map(|result| result["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(ids.len(), 200);
}
