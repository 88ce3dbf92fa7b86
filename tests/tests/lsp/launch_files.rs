//! Launches as documents: `warplens.toml` and `@launch` comments have diagnostics, completion, hovers and fixes, and the inferred
//! launch can be written.

use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Options, range};

const TOML: &str = "[[launch]]\nname = \"a\"\nfile = \"k.ptx\"\ngird = [1]\nmodel = \"\"\n";

const KERNEL: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k(.param .u32 n) {
    ret;
}
";

/// A client without pull diagnostics.
fn plain() -> Client {
    Client::with_options(&Options::plain())
}

fn published(client: &mut Client, file: &File) -> Vec<(Value, String)> {
    let found = loop {
        let found = client.notification("textDocument/publishDiagnostics");
        if found["uri"] == file.uri.as_str() && found["version"] == file.version {
            break found;
        }
    };
    let list = found["diagnostics"].as_array().expect("a list");
    list.iter()
        .map(|found| (found["range"].clone(), found["message"].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn labels(answer: &Value) -> Vec<String> {
    let items = answer.as_array().or_else(|| answer["items"].as_array()).expect("items");
    items.iter().map(|item| item["label"].as_str().unwrap_or_default().to_owned()).collect()
}

fn at(client: &mut Client, method: &str, file: &File, [line, character]: [u32; 2]) -> Value {
    let mut params = file.params();
    params["position"] = json!({ "line": line, "character": character });
    client.request(method, params)
}

#[test]
fn a_wrong_key_of_a_launch_file_is_reported_and_fixed() {
    let mut client = plain();
    let mut file = client.open_as("toml", "warplens.toml", TOML);
    let wrong = range([3, 0], [3, 4]);
    assert_eq!(
        published(&mut client, &file),
        [(wrong.clone(), "a launch has no key `gird`: did you mean `grid`?".to_owned())]
    );
    let mut params = file.params();
    params["range"] = wrong.clone();
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "Change to `grid`");
    assert_eq!(actions[0]["edit"]["changes"][file.uri.as_str()][0]["newText"], "grid");
    client.edit(&mut file, wrong, "grid");
    // The model is empty, which is a problem of the kernel's language, not of the file.
    assert_eq!(published(&mut client, &file), []);
}

#[test]
fn a_launch_file_completes_and_explains_its_keys() {
    let mut client = plain();
    let file = client.open_as("toml", "warplens.toml", TOML);
    let keys = labels(&at(&mut client, "textDocument/completion", &file, [3, 0]));
    assert!(keys.contains(&"grid".to_owned()) && !keys.contains(&"name".to_owned()), "{keys:?}");
    let models = labels(&at(&mut client, "textDocument/completion", &file, [4, 9]));
    assert!(models.contains(&"its".to_owned()), "{models:?}");
    let hover = at(&mut client, "textDocument/hover", &file, [2, 1]);
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("relative to this file")),
        "{hover}"
    );
    // Other requests return an empty answer, not an error.
    assert_eq!(client.request("textDocument/documentSymbol", file.params()), Value::Null);
}

#[test]
fn a_launch_comment_has_diagnostics_completion_and_hover() {
    let mut client = plain();
    let text = format!("// @launch {{ blok = [32], model = '' }}\n{KERNEL}");
    let file = client.open("k.ptx", &text);
    let found = published(&mut client, &file);
    assert_eq!(
        found[0],
        (range([0, 13], [0, 17]), "a launch has no key `blok`: did you mean `block`?".to_owned())
    );
    let models = labels(&at(&mut client, "textDocument/completion", &file, [0, 35]));
    assert!(models.contains(&"its".to_owned()), "{models:?}");
    let hover = at(&mut client, "textDocument/hover", &file, [0, 28]);
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("divergence model")),
        "{hover}"
    );
    let mut client = Client::start();
    let file = client.open("k.ptx", &text);
    let mut params = file.params();
    params["range"] = range([0, 13], [0, 17]);
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "Change to `block`");
}

#[test]
fn the_shown_launch_is_drafted() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 out) {
.reg .b32 %r<4>;
.reg .b64 %d<4>;
mov.u32 %r1, %ctaid.x;
ld.param.u64 %d1, [out];
mul.wide.u32 %d2, %r1, 4;
add.u64 %d3, %d1, %d2;
st.global.u32 [%d3], %r1;
ret;
}
";
    let mut client = plain();
    let file = client.open("k.ptx", text);
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": "inferred" }))
        .expect("it can be run");
    let lanes = client.request("warplens/laneMasks", file.params());
    assert_eq!(lanes["launch"]["grid"], json!([2, 1, 1]));
    let draft = client.command("warplens.draftLaunch", json!({ "uri": file.uri })).expect("a draft");
    assert!(draft["comment"].as_str().is_some_and(|comment| comment.contains("grid = [2, 1, 1]")), "{draft}");
}

#[test]
fn the_inferred_launch_is_drafted_and_written_launches_are_located() {
    let folder = Folder::new();
    let path = folder.write("src/k.ptx", KERNEL);
    folder
        .write("warplens.toml", "[[launch]]\nname = \"filed\"\nfile = \"src/k.ptx\"\nargs = [{ u32 = 1 }]\n");
    let mut client = plain();
    let file =
        client.open_path(&path, &format!("// @launch {{ name = 'here', args = [{{ u32 = 1 }}] }}\n{KERNEL}"));
    let draft = client.command("warplens.draftLaunch", json!({ "uri": file.uri })).expect("a draft");
    assert_eq!(
        draft["comment"],
        "// @launch { name = \"1 x 32\", grid = [1, 1, 1], block = [32, 1, 1], args = [{ name = \"n\", u32 = 32 }] }"
    );
    assert_eq!(
        draft["table"],
        "[[launch]]\nname = \"1 x 32\"\nfile = \"src/k.ptx\"\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n\
         args = [\n  { name = \"n\", u32 = 32 },\n]\n"
    );
    assert!(draft["launchFile"].as_str().is_some_and(|uri| uri.ends_with("warplens.toml")), "{draft}");
    let launches = client.command("warplens.listLaunches", json!({ "uri": file.uri })).expect("launches");
    let [filed, here, inferred] = [&launches[0], &launches[1], &launches[2]];
    assert_eq!(filed["location"]["range"], range([1, 7], [1, 14]));
    assert_eq!(
        (&here["location"]["uri"], &here["location"]["range"]),
        (&json!(file.uri), &range([0, 20], [0, 26]))
    );
    assert_eq!(inferred["location"], Value::Null);
}

/// Each thread stores its number, and `out` has `len` elements.
fn storing(comment: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{comment}.entry k(.param .u64 out) {{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n\
         mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [out];\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n\
         st.global.u32 [%d3], %r1;\nret;\n}}\n"
    )
}

fn launch_of(client: &mut Client, file: &File) -> Value {
    client.request("warplens/laneMasks", file.params())["launch"].clone()
}

#[test]
fn a_drafted_launch_has_buffers_that_end_where_the_run_does() {
    let mut client = plain();
    for selected in [false, true] {
        let file = client.open(&format!("k{selected}.ptx"), &storing(""));
        if selected {
            let argument = json!({ "uri": file.uri, "launch": "inferred" });
            client.command("warplens.selectLaunch", argument).expect("it can be run");
            launch_of(&mut client, &file);
        }
        let draft = client.command("warplens.draftLaunch", json!({ "uri": file.uri })).expect("a draft");
        let comment = draft["comment"].as_str().unwrap_or_default();
        assert!(comment.contains("buffer = \"u32\", len = 32"), "{comment}");
        assert_eq!(draft["name"], "1 x 32");
    }
    let taken = client.open(
        "taken.ptx",
        &storing("// @launch { name = '1 x 32', block = [32], args = [{ buffer = 'u32', len = 32 }] }\n"),
    );
    let draft = client.command("warplens.draftLaunch", json!({ "uri": taken.uri })).expect("a draft");
    assert_eq!(draft["name"], "1 x 32 (2)");
}

#[test]
fn an_action_that_writes_a_launch_selects_it() {
    let mut client = Client::start();
    let mut file = client.open("k.ptx", &storing(""));
    let mut params = file.params();
    params["range"] = range([3, 0], [3, 0]);
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    let write =
        actions.as_array().and_then(|all| all.iter().find(|it| it["title"] == "Write the inferred launch"));
    let write = write.expect("it is offered").clone();
    let edit = &write["edit"]["changes"][file.uri.as_str()][0];
    client.edit(&mut file, edit["range"].clone(), edit["newText"].as_str().expect("a text"));
    let command = &write["command"];
    client.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    assert_eq!(launch_of(&mut client, &file)["name"], "1 x 32");
}

#[test]
fn a_launch_in_a_comment_is_followed_while_its_name_is_typed() {
    let mut client = plain();
    let other = "// @launch { name = 'other', block = [64], args = [{ buffer = 'u32', len = 64 }] }\n";
    let launch = "// @launch { name = 'ab', block = [32], args = [{ buffer = 'u32', len = 32 }] }\n";
    let mut file = client.open("k.ptx", &storing(&format!("{other}{launch}")));
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": "ab" }))
        .expect("it can be run");
    assert_eq!(launch_of(&mut client, &file)["name"], "ab");
    for (at, to, now) in
        [([21, 23], "x", "x"), ([22, 22], "y", "xy"), ([21, 23], "", ""), ([21, 21], "other", "")]
    {
        client.edit(&mut file, range([4, at[0]], [4, at[1]]), to);
        let launch = launch_of(&mut client, &file);
        if !now.is_empty() {
            assert_eq!(launch["name"], now);
        }
    }
    // No other launch is selected meanwhile, and what is typed afterwards is the name of the same launch.
    client.edit(&mut file, range([4, 26], [4, 26]), "s");
    let launch = launch_of(&mut client, &file);
    assert_eq!((&launch["name"], &launch["block"]), (&json!("others"), &json!([32, 1, 1])));
}

#[test]
fn a_launch_in_a_file_is_followed_although_its_size_changes_too() {
    let folder = Folder::new();
    let path = folder.write("k.ptx", storing(""));
    let launch = |name: &str, block: u32| {
        format!(
            "[[launch]]\nname = '{name}'\nfile = 'k.ptx'\nblock = [{block}]\nargs = [{{ buffer = 'u32', len = 64 }}]\n\n"
        )
    };
    let toml = folder.write("warplens.toml", launch("first", 8) + &launch("old", 16));
    let mut client = plain();
    let file = client.open_path(&path, &storing(""));
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": "old" }))
        .expect("it can be run");
    launch_of(&mut client, &file);
    let mut save = |text: String| {
        std::fs::write(&toml, text).expect("it can be written");
        let changes = json!([{ "uri": format!("file://{}", toml.display()), "type": 2 }]);
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
        launch_of(&mut client, &file)
    };
    let renamed = save(launch("first", 8) + &launch("new", 48));
    assert_eq!((&renamed["name"], &renamed["block"]), (&json!("new"), &json!([48, 1, 1])));
    // A launch that was removed is not replaced by another one.
    let kept = save(launch("first", 8));
    assert_eq!(kept["name"], "new");
}

#[test]
fn a_launch_is_made_to_expect_what_a_buffer_holds() {
    let mut client = plain();
    let launch =
        "// @launch { name = 'a', block = [4], args = [{ name = 'out', buffer = 'u32', len = 4 }] }\n";
    let mut file = client.open("k.ptx", &storing(launch));
    let select = |name: &str, file: &File| json!({ "uri": file.uri, "launch": name });
    let expect = |file: &File, buffer: &str| json!({ "uri": file.uri, "buffer": buffer });
    client.command("warplens.selectLaunch", select("a", &file)).expect("it can be run");
    launch_of(&mut client, &file);
    let answer = client.command("warplens.expectBuffer", expect(&file, "out")).expect("an edit");
    let edit = answer["edit"]["changes"][file.uri.as_str()][0].clone();
    assert_eq!(edit["newText"], ", expect = [{ name = \"out\", values = [0, 1, 2, 3] }]");
    assert_eq!(edit["range"], range([3, 88], [3, 88]));
    client.edit(&mut file, edit["range"].clone(), edit["newText"].as_str().expect("a text"));
    assert_eq!(launch_of(&mut client, &file)["expect"][0]["values"], json!([0, 1, 2, 3]));
    // The run is now checked, and the same again changes nothing.
    let again = client.command("warplens.expectBuffer", expect(&file, "out")).expect("an edit");
    let edit = &again["edit"]["changes"][file.uri.as_str()][0];
    assert_eq!(edit["newText"], "{ name = \"out\", values = [0, 1, 2, 3] }");
    assert!(client.command("warplens.expectBuffer", expect(&file, "other")).is_err());
    // An inferred launch is written with the expectation, which ends where its buffer does.
    client.command("warplens.selectLaunch", select("inferred", &file)).expect("it can be run");
    launch_of(&mut client, &file);
    let answer = client.command("warplens.expectBuffer", expect(&file, "out")).expect("a draft");
    let values: Vec<String> = (0..32).map(|value| value.to_string()).collect();
    let entry = format!("expect = [{{ name = \"out\", values = [{}] }}]", values.join(", "));
    assert!(answer["draft"]["comment"].as_str().is_some_and(|comment| comment.contains(&entry)), "{answer}");
}
