//! Diagnostics: pulled by the client, or published to clients without pull support.

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

#[test]
fn a_very_large_function_is_checked_after_a_pause() {
    let body = "    mov.u32 %r1, %laneid;\n".repeat((1 << 20) / 20);
    let source = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {{\n    .reg .u32 %r<2>;\n{body}    ret;\n}}\n"
    );
    let mut client = Client::start();
    let mut file = client.open("large.ptx", &source);
    assert_eq!(render(&client.diagnostics(&file)), "");
    client.edit(&mut file, range([100, 4], [100, 7]), "mow");
    let early = client.send("textDocument/diagnostic", file.params());
    client.edit(&mut file, range([100, 4], [100, 7]), "mop");
    assert_eq!(client.wait(early).expect_err("it is about an older version")["code"], -32802);
    assert_eq!(client.diagnostics(&file).len(), 1);
    client.edit(&mut file, range([100, 4], [100, 7]), "mov");
    assert_eq!(render(&client.diagnostics(&file)), "");
}
