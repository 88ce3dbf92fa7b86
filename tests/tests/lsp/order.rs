//! Messages take effect in the order in which they were sent, and a waiting request does not block later
//! ones.

use serde_json::{Value, json};

use crate::lanes::ENDLESS;
use crate::support::{Client, Line, Options, range};

const CONTENT_MODIFIED: i64 = -32801;
const REQUEST_CANCELLED: i64 = -32800;

#[test]
fn edits_apply_in_wire_order_with_requests_between() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", "");
    let mut expected = String::new();
    let mut hovers = vec![];
    for number in 0..300 {
        let text = format!("// {number}\n");
        client.edit(&mut file, range([0, 0], [0, 0]), &text);
        expected.insert_str(0, &text);
        hovers.push(client.send("textDocument/hover", file.at(0, 4).params()));
        client.send("textDocument/documentSymbol", file.params());
    }
    assert_eq!(client.text(&file), expected);
    for hover in hovers {
        // Every request has a response: a result, or the error that the text has changed since.
        if let Err(error) = client.wait(hover) {
            assert_eq!(error["code"], CONTENT_MODIFIED, "{error}");
        }
    }
}

#[test]
fn several_changes_of_one_notification_apply_one_after_another() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", "// one\n");
    client.change(
        &mut file,
        json!([
            { "range": range([0, 3], [0, 6]), "text": "two" },
            { "range": range([0, 6], [0, 6]), "text": " three" },
            { "range": range([0, 0], [0, 3]), "text": "/* */ //" },
        ]),
    );
    assert_eq!(client.text(&file), "/* */ //two three\n");
    client.change(
        &mut file,
        json!([{ "text": "// all new" }, { "range": range([0, 3], [0, 6]), "text": "is" }]),
    );
    assert_eq!(client.text(&file), "// is new");
}

#[test]
fn five_hundred_waiting_requests_block_no_other() {
    let settings = json!({ "simulation": { "maxSteps": u64::MAX } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let mut file = client.open("endless.ptx", ENDLESS);
    let launch = json!({ "uri": file.uri, "launch": "inferred" });
    client.command("warplens.selectLaunch", launch).expect("it can be run");
    let waiting: Vec<i64> = (0..500).map(|_| client.send("warplens/laneMasks", file.params())).collect();

    client.edit(&mut file, range([0, 0], [0, 0]), "// an edit\n");
    let bra = file.cursor().line + 1;
    let hover = client.hover(&file.at(bra, file.cursor().character + 1));
    assert!(hover.is_some_and(|text| text.contains("bra")));
    assert!(waiting.iter().all(|&id| !client.is_answered(id)), "the run has no end");

    // Cancelling the selection answers all of them.
    client.command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": null })).expect("it stops");
    for id in waiting {
        assert_eq!(client.wait(id), Ok(Value::Null));
    }
}

#[test]
fn a_waiting_request_can_be_cancelled() {
    let settings = json!({ "simulation": { "maxSteps": u64::MAX } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = client.open("endless.ptx", ENDLESS);
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": "inferred" }))
        .expect("it can be run");
    let waiting = client.send("warplens/laneMasks", file.params());
    client.notify("$/cancelRequest", json!({ "id": waiting }));
    let error = client.wait(waiting).expect_err("it was cancelled");
    assert_eq!(error["code"], REQUEST_CANCELLED);
    client.finish();
}

#[test]
fn requests_before_initialize_and_after_shutdown_are_refused() {
    let mut client = Client::silent(Line::memory());
    let early = client.send("textDocument/hover", json!({}));
    assert_eq!(client.wait(early).expect_err("it comes too early")["code"], -32002);

    let mut client = Client::start();
    let file = client.open("k.ptx", "// text\n");
    client.request("shutdown", Value::Null);
    let late = client.send("textDocument/documentSymbol", file.params());
    assert_eq!(client.wait(late).expect_err("it comes too late")["code"], -32600);
}
