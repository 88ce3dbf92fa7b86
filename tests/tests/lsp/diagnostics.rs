//! Diagnostics, pulled by the client, or published to clients without pull support.

use expect_test::expect;
use serde_json::json;

use crate::support::{Client, Options, range, render};

const SOURCE: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k() {
    .reg .u32 %r<3>;
    mov.u32 %r1, %laneid;
    addd.u32 %r2, %r1, %r1;
    bra NOWHERE;
}
";

#[test]
fn nothing_is_published_to_a_client_with_pull_support() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", SOURCE);
    let found = client.diagnostics(&file);
    expect![[r#"
        6:4-6:8 error unknown-instruction: unknown instruction `addd`; did you mean `add`?
        7:8-7:15 error unresolved-name: undeclared label `NOWHERE`
    "#]]
    .assert_eq(&render(&found));

    client.edit(&mut file, range([6, 4], [6, 8]), "add");
    client.edit(&mut file, range([7, 4], [7, 15]), "exit");
    assert_eq!(render(&client.diagnostics(&file)), "");
}

#[test]
fn every_version_is_published_to_a_client_without_pull_support() {
    let mut client = Client::with_options(&Options::plain());
    let mut file = client.open("k.ptx", SOURCE);
    let codes =
        |found: &[serde_json::Value]| found.iter().map(|found| found["code"].clone()).collect::<Vec<_>>();
    assert_eq!(client.published(&file).len(), 2);
    client.edit(&mut file, range([6, 4], [6, 8]), "add");
    assert_eq!(codes(&client.published(&file)).len(), 1);
    client.edit(&mut file, range([7, 4], [7, 15]), "exit");
    assert_eq!(client.published(&file), Vec::<serde_json::Value>::new());
}

#[test]
fn after_many_edits_the_last_version_is_published() {
    let mut client = Client::with_options(&Options::plain());
    let mut file = client.open("k.ptx", "");
    for (line, text) in SOURCE.split_inclusive('\n').enumerate() {
        client.edit(&mut file, range([line as u32, 0], [line as u32, 0]), text);
    }
    assert_eq!(client.published(&file).len(), 2);
}

#[test]
fn a_document_that_is_closed_has_none() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("k.ptx", SOURCE);
    client.published(&file);
    client.close(&file);
    let params = client.notification("textDocument/publishDiagnostics");
    assert_eq!(params, json!({ "uri": file.uri, "diagnostics": [] }));
}

#[test]
fn a_request_for_an_older_version_asks_for_a_retry() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", SOURCE);
    let mut asked = vec![];
    for _ in 0..50 {
        asked.push(client.send("textDocument/diagnostic", file.params()));
        client.edit(&mut file, range([0, 0], [0, 0]), "\n");
    }
    for id in asked {
        match client.wait(id) {
            Ok(report) => assert_eq!(report["items"].as_array().map(Vec::len), Some(2)),
            Err(error) => {
                assert_eq!(error["code"], -32802, "{error}");
                assert_eq!(error["data"], json!({ "retriggerRequest": true }));
            }
        }
    }
    assert_eq!(client.diagnostics(&file).len(), 2);
}

/// A kernel of more than a megabyte.
fn very_large() -> String {
    let body = "    mov.u32 %r1, %laneid;\n".repeat((1 << 20) / 20);
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {{\n    .reg .u32 %r<2>;\n{body}    ret;\n}}\n"
    )
}

#[test]
fn a_very_large_function_is_checked_after_each_edit() {
    let mut client = Client::start();
    let mut file = client.open("large.ptx", &very_large());
    assert_eq!(render(&client.diagnostics(&file)), "");
    for (mnemonic, count) in [("mow", 1), ("mop", 1), ("mov", 0)] {
        client.edit(&mut file, range([100, 4], [100, 7]), mnemonic);
        assert_eq!(client.diagnostics(&file).len(), count, "{mnemonic}");
    }
}

#[test]
fn a_very_large_function_is_checked_once_after_edits_that_follow_each_other() {
    let mut client = Client::start();
    let mut file = client.open("large.ptx", &very_large());
    assert_eq!(render(&client.diagnostics(&file)), "");
    let mut asked = vec![];
    // Each edit needs the analysis of the whole function, which the next edit cancels.
    for brace in ["{", "}", "{", "}", "{"] {
        client.edit(&mut file, range([100, 0], [100, 0]), brace);
        asked.push(client.send("textDocument/diagnostic", file.params()));
    }
    let last = asked.pop().expect("several");
    for early in asked {
        if let Err(error) = client.wait(early) {
            assert_eq!(error["code"], -32802, "{error}");
        }
    }
    assert!(client.wait(last).is_ok());
}
