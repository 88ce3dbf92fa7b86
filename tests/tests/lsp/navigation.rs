//! Links, calls, and other files of the workspace.

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Line, Options, range};

#[test]
fn places_of_the_source_are_links_where_it_exists() {
    let folder = Folder::new();
    folder.write("k.cu", "// source\n");
    let source = "\
.version 8.5
.file 1 \"k.cu\"
.file 2 \"gone.cu\"
.entry k() {
    .loc 1 7 3
    ret;
    .loc 2 8 3
}
";
    let mut client = Client::start();
    let file = client.open_path(&folder.path().join("k.ptx"), source);
    let links = client.request("textDocument/documentLink", file.params());
    let target = format!("file://{}", folder.path().join("k.cu").display());
    assert_eq!(links.as_array().map(Vec::len), Some(2), "{links}");
    assert_eq!(links[0]["range"], range([1, 8], [1, 14]));
    assert_eq!(links[0]["target"], target);
    assert_eq!(links[1]["range"], range([4, 9], [4, 14]));
    assert_eq!(links[1]["target"], format!("{target}#L7,3"));
}

#[test]
fn the_hover_of_a_source_position_shows_its_line() {
    let folder = Folder::new();
    // The compiler ran elsewhere, so the file is found by its name.
    folder.write("k.cu", "__global__ void k() {\n  int i = threadIdx.x;\n}\n");
    let source = ".version 8.5\n.file 1 \"/build/src/k.cu\"\n.entry k() {\n    .loc 1 2 3\n    ret;\n    .loc 1 99 3\n}\n";
    let mut client = Client::start();
    let file = client.open_path(&folder.path().join("k.ptx"), source);
    let mut hover = |line: u32| {
        let mut params = file.params();
        params["position"] = json!({ "line": line, "character": 6 });
        client.request("textDocument/hover", params)["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(hover(3).starts_with("`k.cu:2`\n\n```cpp\nint i = threadIdx.x;\n```"), "{}", hover(3));
    assert!(!hover(5).contains("k.cu"), "{}", hover(5));
}

const CALLS: &str = "\
.func g() { call f; ret; }
                 |
.func f() { ret; }
.visible .entry k() { call f; call g; ret; }
";

/// The functions in an answer, and the lines of the calls.
fn shown(calls: &Value, other: &str) -> Vec<(String, Vec<u64>)> {
    let line = |range: &Value| range["start"]["line"].as_u64().expect("a line");
    let calls = calls.as_array().expect("calls").iter();
    calls
        .map(|call| {
            let name = call[other]["name"].as_str().expect("a name").to_owned();
            (name, call["fromRanges"].as_array().expect("ranges").iter().map(line).collect())
        })
        .collect()
}

#[test]
fn callers_and_callees() {
    let mut client = Client::start();
    let file = client.open("k.ptx", CALLS);
    let items = client.request("textDocument/prepareCallHierarchy", file.cursor().params());
    assert_eq!(items[0]["name"], "f");
    assert_eq!(items[0]["selectionRange"], range([1, 6], [1, 7]));
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!(shown(&incoming, "from"), [("g".into(), vec![0]), ("k".into(), vec![2])]);
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({ "item": incoming[1]["from"] }));
    assert_eq!(shown(&outgoing, "to"), [("f".into(), vec![2]), ("g".into(), vec![2])]);
    let no_function = client.request("textDocument/prepareCallHierarchy", file.at(0, 0).params());
    assert_eq!(no_function, Value::Null);
}

/// A client that opened a folder.
fn in_folder(folder: &Path) -> Client {
    let mut client = Client::silent(Line::memory());
    let uri = format!("file://{}", folder.display());
    let options = Options::default();
    client.request(
        "initialize",
        json!({
            "processId": null,
            "workspaceFolders": [{ "uri": uri, "name": "folder" }],
            "capabilities": options.capabilities,
        }),
    );
    client.notify("initialized", json!({}));
    client
}

fn workspace() -> (Folder, Client, File) {
    let folder = Folder::new();
    folder.write("lib/math.ptx", ".visible .func square() { ret; }\n.global .u32 count;\n");
    folder.write("lib/wave.wave", ".kernel spin\n  halt\n.end\n");
    folder.write("lib/sound.wave", [b'R', b'I', b'F', b'F', 0xff]);
    folder.write(".hidden/square.ptx", ".visible .func square() { ret; }\n");
    let main = ".extern .func square();\n.entry main() { call square; ret; }\n                     |\n";
    let mut client = in_folder(folder.path());
    let file = client.open_path(&folder.path().join("main.ptx"), main);
    (folder, client, file)
}

/// Symbols as name and file.
fn symbols(client: &mut Client, query: &str) -> Vec<(String, String)> {
    let found = client.request("workspace/symbol", json!({ "query": query }));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = found.as_array().expect("symbols").iter();
    found.map(|symbol| (text(&symbol["name"]), text(&symbol["containerName"]))).collect()
}

#[test]
fn symbols_of_the_workspace_open_or_not() {
    let (folder, mut client, mut file) = workspace();
    expect![[r#"
        [
            (
                "square",
                "main.ptx",
            ),
            (
                "main",
                "main.ptx",
            ),
            (
                "square",
                "math.ptx",
            ),
            (
                "count",
                "math.ptx",
            ),
            (
                "spin",
                "wave.wave",
            ),
        ]
    "#]]
    .assert_debug_eq(&symbols(&mut client, ""));
    assert_eq!(symbols(&mut client, "SPN"), [("spin".into(), "wave.wave".into())]);

    // An open file counts with its text in the editor, other files with their text on disk.
    client.edit(&mut file, range([1, 7], [1, 11]), "start");
    folder.write("lib/wave.wave", ".kernel start_again\n  halt\n.end\n");
    let found = symbols(&mut client, "start");
    assert_eq!(found, [("start".into(), "main.ptx".into()), ("start_again".into(), "wave.wave".into())]);
}

#[test]
fn symbols_without_any_folder_or_document_are_none() {
    let mut client = Client::start();
    assert_eq!(symbols(&mut client, ""), []);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({ "event": { "added": [{ "uri": "file:///nowhere", "name": "n" }], "removed": [] } }),
    );
    assert_eq!(symbols(&mut client, ""), []);
}

#[test]
fn what_is_extern_is_defined_in_another_file() {
    let (folder, mut client, file) = workspace();
    let found = client.request("textDocument/implementation", file.cursor().params());
    let uri = format!("file://{}", folder.path().join("lib/math.ptx").display());
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["targetUri"], uri);
    assert_eq!(found[0]["targetSelectionRange"], range([0, 15], [0, 21]));

    // Links also work if the file is open and edited.
    let mut lib = client.open_path(&folder.path().join("lib/math.ptx"), ".visible .func square() { ret; }\n");
    client.edit(&mut lib, range([0, 0], [0, 0]), "\n\n");
    let found = client.request("textDocument/implementation", file.cursor().params());
    assert_eq!(found[0]["targetSelectionRange"], range([2, 15], [2, 21]));

    let nothing = client.request("textDocument/implementation", file.at(1, 0).params());
    assert_eq!(nothing, Value::Null);
}
