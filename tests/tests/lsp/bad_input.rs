//! Whatever a client sends, it gets a clear message, the server survives, and no text is lost.

use serde_json::{Value, json};

use crate::support::{Client, Options, range, render};

#[test]
fn invalid_utf8_in_a_message_is_an_error_and_the_server_goes_on() {
    let mut client = Client::start();
    let file = client.open("k.ptx", "// text\n");
    client
        .line
        .send(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"textDocument/hover\",\"params\":\"\xff\xfe\"}");
    let error = parse_error(&mut client);
    assert!(error.contains("not UTF-8"), "{error}");
    assert_eq!(client.text(&file), "// text\n");
}

#[test]
fn an_invalid_message_is_an_error_and_the_server_continues() {
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}{}}}",
        "[".repeat(9999),
        "]".repeat(9999)
    );
    for message in ["{", "[]", "{\"jsonrpc\":\"1.0\",\"method\":\"x\"}", "not json", &deep] {
        let mut client = Client::start();
        let file = client.open("k.ptx", "// text\n");
        client.line.send(message.as_bytes());
        let error = parse_error(&mut client);
        assert!(error.contains("JSON-RPC"), "{error}");
        assert_eq!(client.text(&file), "// text\n");
    }
}

#[test]
fn bytes_between_messages_are_skipped() {
    let mut client = Client::start();
    client.line.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let error = parse_error(&mut client);
    assert!(error.contains("Content-Length"), "{error}");
    let file = client.open("k.ptx", "// text\n");
    assert_eq!(client.text(&file), "// text\n");
}

/// The message of an error that answers no request.
fn parse_error(client: &mut Client) -> String {
    loop {
        let message = client.receive_raw();
        if message["error"]["code"] == -32700 {
            assert_eq!(message["id"], Value::Null);
            return message["error"]["message"].as_str().unwrap_or_default().to_owned();
        }
    }
}

#[test]
fn strange_parameters_are_an_error_of_that_request() {
    let mut client = Client::start();
    let file = client.open("k.ptx", "// text\n");
    for (method, params) in [
        ("textDocument/hover", json!({})),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": "file:///test/other.ptx" }, "position": { "line": 0, "character": 0 } }),
        ),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": file.uri }, "position": { "line": -1, "character": 0 } }),
        ),
        ("textDocument/rename", json!({ "textDocument": { "uri": 7 } })),
        ("workspace/executeCommand", json!({ "command": "warplens.unknown", "arguments": [] })),
        ("warplens/laneMasks", json!({ "textDocument": {} })),
        ("warplens/unknown", json!({})),
    ] {
        let id = client.send(method, params.clone());
        let error = client.wait(id).expect_err("it cannot be answered");
        assert!(matches!(error["code"].as_i64(), Some(-32602 | -32601)), "{method} {params}: {error}");
    }
    assert_eq!(client.text(&file), "// text\n");
}

#[test]
fn a_character_beyond_the_line_is_its_end() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", "// a\n// b\n");
    client.edit(&mut file, range([0, 999], [0, 9999]), "!");
    client.edit(&mut file, range([1, 4], [1, u32::MAX]), "?");
    // The line after the last one is the end of the text, because some clients count that way.
    client.edit(&mut file, range([3, 0], [3, 0]), "// c");
    assert_eq!(client.text(&file), "// a!\n// b?\n// c");
}

#[test]
fn an_invalid_edit_is_reported_and_no_stale_result_is_returned() {
    for impossible in [range([99, 0], [99, 0]), range([1, 0], [0, 0]), range([0, 3], [0, 1])] {
        let mut client = Client::start();
        let mut file = client.open("k.ptx", "// a\n");
        client.edit(&mut file, impossible.clone(), "x");
        let shown =
            client.notification("window/showMessage")["message"].as_str().unwrap_or_default().to_owned();
        assert!(shown.contains("k.ptx") && shown.contains("reopen it"), "{impossible}: {shown}");
        let shown = render(&client.diagnostics(&file));
        assert!(shown.starts_with("0:0-0:0 warning out-of-sync"), "{shown}");
        assert_eq!(client.hover(&file.at(0, 1)), None);

        // More edits change nothing, but replacing the whole text does.
        client.edit(&mut file, range([0, 0], [0, 0]), "// x\n");
        assert_eq!(client.diagnostics(&file).len(), 1);
        client.change(&mut file, json!([{ "text": "// all new\n" }]));
        assert_eq!(client.text(&file), "// all new\n");
        assert_eq!(render(&client.diagnostics(&file)), "");

        client.edit(&mut file, impossible, "x");
        client.close(&file);
        let file = client.open("k.ptx", "// again\n");
        assert_eq!(client.text(&file), "// again\n");
    }
}

#[test]
fn an_edit_that_cannot_be_read_is_reported() {
    let at = |line: u32| range([line, 0], [line, 0]);
    for (version, range, reason) in [
        (Value::Null, at(0), "expected i32"),
        (json!(2), json!(7), "an edit is not valid"),
        (json!(2), at(u32::MAX), "an edit from line 4294967296 to line 4294967296 is outside"),
    ] {
        let mut client = Client::start();
        let mut file = client.open("k.ptx", "// a\n");
        let document = json!({ "uri": file.uri, "version": version });
        let changes = json!([{ "range": range, "text": "x" }]);
        client
            .notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        let shown = client.notification("window/showMessage")["message"].to_string();
        assert!(shown.contains("out of sync") && shown.contains(reason), "{shown}");
        assert!(render(&client.diagnostics(&file)).starts_with("0:0-0:0 warning out-of-sync"));
        client.change(&mut file, json!([{ "text": "// all new\n" }]));
        assert_eq!(client.text(&file), "// all new\n");
    }
}

#[test]
fn a_command_about_a_document_without_code_says_so() {
    let mut client = Client::start();
    let listing = client.open_as("sass", "k.sass", "");
    let launches = client.open_as("toml", "warplens.toml", "");
    let mut closed = listing.clone();
    closed.uri = "file:///test/other.ptx".into();
    for (file, reason) in [
        (listing, "this file has no SASS code yet; if it is SASS, select the language `cuda-sass` for it"),
        (launches, "the document is a launch file, which has no kernels of its own"),
        (closed, "file:///test/other.ptx is not open"),
    ] {
        let argument = json!({ "uri": file.uri, "position": { "line": 0, "character": 0 } });
        let error = client.command("warplens.tryStatement", argument).expect_err("there is no text");
        assert_eq!(error["message"], reason);
    }
}

#[test]
fn edits_of_what_is_not_open_change_nothing() {
    let mut client = Client::start();
    let open = client.open("k.ptx", "// a\n");
    let mut other = open.clone();
    other.uri = "file:///test/other.ptx".into();
    client.edit(&mut other, range([0, 0], [0, 0]), "x");
    client.close(&other);
    assert_eq!(client.text(&open), "// a\n");
}

#[test]
fn an_empty_file_has_nothing_to_say() {
    for name in ["k.ptx", "k.wave"] {
        let mut client = Client::start();
        let file = client.open(name, "");
        assert_eq!(render(&client.diagnostics(&file)), "");
        assert_eq!(client.hover(&file.at(0, 0)), None);
        for method in ["documentSymbol", "foldingRange", "codeLens", "semanticTokens/full"] {
            client.request(&format!("textDocument/{method}"), file.params());
        }
        client.completions(&file.at(0, 0));
    }
}

#[test]
fn a_file_that_is_too_large_is_reported_and_not_analyzed() {
    let mut client = Client::start();
    let line =
        "// a line of a very large file, of one hundred million bytes in all ........................\n";
    let mut file = client.open("large.ptx", &line.repeat(100_000_000 / line.len()));
    let shown = client.notification("window/showMessage")["message"].as_str().unwrap_or_default().to_owned();
    assert!(shown.contains("100 MB") && shown.contains("limit is 67 MB"), "{shown}");
    let shown = render(&client.diagnostics(&file));
    assert!(shown.starts_with("0:0-0:0 warning too-large"), "{shown}");
    client.edit(&mut file, range([7, 0], [8, 0]), "");
    assert_eq!(client.hover(&file.at(0, 1)), None);

    let small = client.open("small.ptx", "// text\n");
    assert_eq!(client.text(&small), "// text\n");
}

#[test]
fn settings_of_a_wrong_type_are_reported_and_the_others_stay() {
    let settings = json!({ "lanes": { "format": "braille" } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    let shown = client.notification("window/showMessage")["message"].as_str().unwrap_or_default().to_owned();
    assert!(shown.contains("braille"), "{shown}");
    let file = client.open("k.ptx", "// text\n");
    assert_eq!(client.text(&file), "// text\n");
}
