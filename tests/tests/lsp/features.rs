//! One test per request: the request reaches its feature and has a valid response. The contents of responses are
//! tested with the features.

use serde_json::{Value, json};

use crate::support::{Client, File, Options, range};

const SOURCE: &str = "\
.version 8.5
.target sm_90
.address_size 64
// A comment
// of two lines.
.visible .entry twice(.param .u64 out) {
    .reg .u64 %rd<2>;
    .reg .u32 %r<3>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
     |
    setp.gt.u32 %p, %r1, 15;
    @%p bra DONE;
            |
    add.u32 %r2, %r1, %r1;
            ^^^
    st.global.u32 [%rd1], %r2;
DONE:
    ret;
}
";

fn open() -> (Client, File) {
    let mut client = Client::start();
    let file = client.open("twice.ptx", SOURCE);
    (client, file)
}

fn ask(client: &mut Client, method: &str, mut params: Value, more: Value) -> Value {
    let more = more.as_object().cloned().unwrap_or_default();
    params.as_object_mut().expect("parameters are an object").extend(more);
    client.request(method, params)
}

#[test]
fn hover_is_markdown_with_its_range() {
    let (mut client, file) = open();
    let hover = client.request("textDocument/hover", file.cursors[0].params());
    assert_eq!(hover["contents"]["kind"], "markdown");
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("mov")), "{hover}");
    assert_eq!(hover["range"]["start"], json!({ "line": 10, "character": 4 }));
}

#[test]
fn hover_is_plain_text_for_a_client_that_does_not_render() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("twice.ptx", SOURCE);
    let hover = client.request("textDocument/hover", file.cursors[0].params());
    assert_eq!(hover["contents"]["kind"], "plaintext");
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("mov") && !text.contains("**"))
    );
}

#[test]
fn definition_links_a_declaration_and_the_name_in_it() {
    let (mut client, file) = open();
    let links = client.request("textDocument/definition", file.cursors[1].params());
    assert_eq!(links[0]["targetUri"], file.uri);
    assert_eq!(links[0]["targetSelectionRange"], range([15, 0], [15, 4]));

    let mut client = Client::with_options(&Options::plain());
    let file = client.open("twice.ptx", SOURCE);
    let places = client.request("textDocument/definition", file.cursors[1].params());
    assert_eq!(places, json!([{ "uri": file.uri, "range": range([15, 0], [15, 4]) }]));
}

#[test]
fn references_and_highlights_are_the_occurrences() {
    let (mut client, file) = open();
    let at = file.cursors[1].params();
    let all = ask(
        &mut client,
        "textDocument/references",
        at.clone(),
        json!({ "context": { "includeDeclaration": true } }),
    );
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    let uses = ask(
        &mut client,
        "textDocument/references",
        at.clone(),
        json!({ "context": { "includeDeclaration": false } }),
    );
    assert_eq!(uses, json!([{ "uri": file.uri, "range": range([12, 12], [12, 16]) }]));
    let highlights = client.request("textDocument/documentHighlight", at);
    assert_eq!(highlights.as_array().map(Vec::len), Some(2));
}

#[test]
fn rename_edits_every_occurrence_or_says_why_not() {
    let (mut client, file) = open();
    let at = file.cursors[1].params();
    let prepared = client.request("textDocument/prepareRename", at.clone());
    assert_eq!(prepared, json!({ "range": range([12, 12], [12, 16]), "placeholder": "DONE" }));
    let edit = ask(&mut client, "textDocument/rename", at.clone(), json!({ "newName": "END" }));
    let edits = edit["changes"][&file.uri].as_array().expect("there are edits");
    assert_eq!(edits.iter().map(|edit| &edit["newText"]).collect::<Vec<_>>(), ["END", "END"]);

    let mut params = at;
    params["newName"] = json!("not a name");
    let id = client.send("textDocument/rename", params);
    let error = client.wait(id).expect_err("it cannot be called so");
    assert_eq!(error["code"], -32803);
    assert!(error["message"].as_str().is_some_and(|why| why.contains("not a name")), "{error}");
}

#[test]
fn completions_come_with_documentation_when_looked_at() {
    let (mut client, file) = open();
    let list = client.request("textDocument/completion", file.cursors[0].params());
    let items = list["items"].as_array().expect("there are some");
    let item = items.iter().find(|item| item["label"] == "mov").expect("`mov` fits");
    assert_eq!(item["textEdit"]["range"]["start"]["line"], 10);
    let resolved = client.request("completionItem/resolve", item.clone());
    let text = resolved["documentation"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("mov"), "{resolved}");
}

/// VS Code accepts a snippet on Enter even if its text is already there.
#[test]
fn a_completion_without_a_place_for_the_cursor_is_plain_text() {
    let mut client = Client::start();
    let file = client.open("version.ptx", ".version 8.0\n            |\n");
    let list = client.request("textDocument/completion", file.cursors[0].params());
    let items = list["items"].as_array().expect("there are some");
    let item = items.iter().find(|item| item["label"] == "8.0").expect("8.0 is a version");
    assert_eq!(item["insertTextFormat"], 1, "{item}");
    assert_eq!(item["detail"], "CUDA 12.0");
}

#[test]
fn the_outline_is_a_tree_where_the_client_shows_trees() {
    let (mut client, file) = open();
    let tree = client.request("textDocument/documentSymbol", file.params());
    assert!(tree[0]["children"].as_array().is_some_and(|children| !children.is_empty()), "{tree}");

    let mut client = Client::with_options(&Options::plain());
    let file = client.open("twice.ptx", SOURCE);
    let list = client.request("textDocument/documentSymbol", file.params());
    assert_eq!(list[0]["location"]["uri"], file.uri);
    assert_eq!(list[1]["containerName"], "twice");
}

#[test]
fn comments_and_bodies_fold() {
    let (mut client, file) = open();
    let folds = client.request("textDocument/foldingRange", file.params());
    let folds = folds.as_array().expect("there are some");
    assert!(
        folds.iter().any(|fold| fold["kind"] == "comment" && fold["startLine"] == 3 && fold["endLine"] == 4)
    );
    assert!(folds.iter().any(|fold| fold["startLine"] == 5 && fold["endLine"] == 17), "{folds:?}");
}

#[test]
fn a_selection_grows() {
    let (mut client, file) = open();
    let positions = json!({ "positions": [file.ranges[0]["start"]] });
    let selections = ask(&mut client, "textDocument/selectionRange", file.params(), positions);
    assert_eq!(selections[0]["range"], file.ranges[0]);
    assert_eq!(selections[0]["parent"]["range"]["start"]["line"], 13);
}

/// Tokens as (line, character, length).
fn places(data: &Value) -> Vec<[u64; 3]> {
    let numbers: Vec<u64> = data.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    let (mut line, mut character) = (0, 0);
    let place = |token: &[u64]| {
        character = if token[0] == 0 { character + token[1] } else { token[1] };
        line += token[0];
        [line, character, token[2]]
    };
    numbers.chunks(5).map(place).collect()
}

#[test]
fn semantic_tokens_of_a_range_are_those_of_the_whole() {
    let (mut client, file) = open();
    let whole = client.request("textDocument/semanticTokens/full", file.params());
    let whole = places(&whole["data"]);
    assert!(whole.contains(&[0, 0, 8]), "`.version` is one: {whole:?}");
    let lines = json!({ "range": range([10, 0], [12, 0]) });
    let part = ask(&mut client, "textDocument/semanticTokens/range", file.params(), lines);
    let expected: Vec<_> = whole.iter().filter(|place| (10..12).contains(&place[0])).copied().collect();
    assert_eq!(places(&part["data"]), expected);
}

#[test]
fn a_delta_of_semantic_tokens_gives_the_new_ones() {
    let (mut client, mut file) = open();
    let before = client.request("textDocument/semanticTokens/full", file.params());
    client.edit(&mut file, range([10, 0], [10, 0]), "    mov.u32 %r0, 7;\n");
    let previous = json!({ "previousResultId": before["resultId"] });
    let delta = ask(&mut client, "textDocument/semanticTokens/full/delta", file.params(), previous);
    let mut data = before["data"].as_array().cloned().expect("numbers");
    for edit in delta["edits"].as_array().expect("edits") {
        let start = edit["start"].as_u64().expect("a number") as usize;
        let end = start + edit["deleteCount"].as_u64().expect("a number") as usize;
        data.splice(start..end, edit["data"].as_array().cloned().unwrap_or_default());
    }
    let after = client.request("textDocument/semanticTokens/full", file.params());
    assert_eq!(Value::Array(data), after["data"]);

    // For an answer that the server no longer has, it returns all tokens.
    let previous = json!({ "previousResultId": "unknown" });
    let whole = ask(&mut client, "textDocument/semanticTokens/full/delta", file.params(), previous);
    assert_eq!(whole["data"], after["data"]);
}

#[test]
fn whole_tokens_of_a_large_file_are_left_to_ranges() {
    let mut client = Client::start();
    let file = client.open("large.ptx", &"// a line of a large file\n".repeat((1 << 20) / 20));
    assert_eq!(client.request("textDocument/semanticTokens/full", file.params()), Value::Null);
    let lines = json!({ "range": range([100, 0], [110, 0]) });
    let part = ask(&mut client, "textDocument/semanticTokens/range", file.params(), lines);
    assert!(places(&part["data"]).len() >= 10, "{part}");
}

#[test]
fn wave_documents_are_known_by_their_language_or_name_or_text() {
    let text = ".kernel k\n  halt\n.end\n";
    for (name, language) in [("k.wave", "wave-asm"), ("k.wave", "plaintext"), ("k.txt", "asm")] {
        let mut client = Client::start();
        let uri = format!("file:///test/{name}");
        let item = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        client.notify("textDocument/didOpen", json!({ "textDocument": item }));
        let symbols =
            client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
        assert_eq!(symbols[0]["name"], "k", "{name} {language}");
    }
}

#[test]
fn every_capability_is_answered() {
    let (mut client, file) = open();
    let at = |file: &File| file.cursors[0].params();
    let lines = json!({ "range": range([0, 0], [5, 0]) });
    let options = json!({ "options": { "tabSize": 8, "insertSpaces": false } });
    let with = |mut params: Value, more: &Value| {
        let more = more.as_object().cloned().unwrap_or_default();
        params.as_object_mut().expect("parameters are an object").extend(more);
        params
    };
    let item = json!({ "name": "twice", "kind": 12, "uri": file.uri, "range": range([0, 0], [0, 0]), "selectionRange": range([0, 0], [0, 0]) });
    let typed = json!({ "ch": ";", "position": { "line": 10, "character": 0 } });
    let requests = [
        ("signatureHelpProvider", "textDocument/signatureHelp", at(&file)),
        ("documentFormattingProvider", "textDocument/formatting", with(file.params(), &options)),
        (
            "documentRangeFormattingProvider",
            "textDocument/rangeFormatting",
            with(with(file.params(), &options), &lines),
        ),
        (
            "documentOnTypeFormattingProvider",
            "textDocument/onTypeFormatting",
            with(with(file.params(), &options), &typed),
        ),
        ("documentLinkProvider", "textDocument/documentLink", file.params()),
        ("workspaceSymbolProvider", "workspace/symbol", json!({ "query": "" })),
        ("implementationProvider", "textDocument/implementation", at(&file)),
        ("callHierarchyProvider", "textDocument/prepareCallHierarchy", at(&file)),
        ("callHierarchyProvider", "callHierarchy/incomingCalls", json!({ "item": item })),
        ("callHierarchyProvider", "callHierarchy/outgoingCalls", json!({ "item": item })),
        ("hoverProvider", "textDocument/hover", at(&file)),
        ("completionProvider", "textDocument/completion", at(&file)),
        ("definitionProvider", "textDocument/definition", at(&file)),
        ("documentHighlightProvider", "textDocument/documentHighlight", at(&file)),
        ("documentSymbolProvider", "textDocument/documentSymbol", file.params()),
        ("foldingRangeProvider", "textDocument/foldingRange", file.params()),
        ("inlayHintProvider", "textDocument/inlayHint", with(file.params(), &lines)),
        ("codeLensProvider", "textDocument/codeLens", file.params()),
        ("diagnosticProvider", "textDocument/diagnostic", file.params()),
    ];
    for (capability, method, params) in requests {
        assert!(!client.capabilities[capability].is_null(), "{capability} is offered");
        client.request(method, params);
    }
}
