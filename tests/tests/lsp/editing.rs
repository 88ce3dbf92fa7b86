//! Formatting, signature help and inlay hints.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Client, File, Options, range};

/// A text after the edits of an answer.
fn apply(file: &File, edits: &Value) -> String {
    let mut lines: Vec<String> = file.text.split('\n').map(str::to_owned).collect();
    let mut edits: Vec<&Value> = edits.as_array().expect("edits").iter().collect();
    edits.reverse();
    for edit in edits {
        let at = |end: &str, part: &str| edit["range"][end][part].as_u64().expect("a number") as usize;
        let (first, last) = (at("start", "line"), at("end", "line"));
        let before = lines[first][..at("start", "character")].to_owned();
        let after = lines[last][at("end", "character")..].to_owned();
        let text = before + edit["newText"].as_str().expect("text") + &after;
        lines.splice(first..=last, text.split('\n').map(str::to_owned));
    }
    lines.join("\n")
}

fn ask(client: &mut Client, method: &str, file: &File, more: Value) -> Value {
    let mut params = file.params();
    let more = more.as_object().cloned().unwrap_or_default();
    params.as_object_mut().expect("parameters are an object").extend(more);
    client.request(method, params)
}

fn options() -> Value {
    json!({ "tabSize": 4, "insertSpaces": true })
}

const SOURCE: &str = ".entry k() {\n  add.u32 %r1,%r2,1;\n  sub.u32 %r1,%r2,1;\n}\n";

#[test]
fn a_document_is_formatted() {
    let mut client = Client::start();
    let file = client.open("k.ptx", SOURCE);
    let edits = ask(&mut client, "textDocument/formatting", &file, json!({ "options": options() }));
    let formatted = apply(&file, &edits);
    expect![[r#"
        .entry k()
        {
        	add.u32 	%r1, %r2, 1;
        	sub.u32 	%r1, %r2, 1;
        }
    "#]]
    .assert_eq(&formatted);

    let file = client.open("formatted.ptx", &formatted);
    let edits = ask(&mut client, "textDocument/formatting", &file, json!({ "options": options() }));
    assert_eq!(edits, json!([]), "what is formatted stays");
}

#[test]
fn a_range_is_formatted_without_the_lines_around_it() {
    let mut client = Client::start();
    let file = client.open("k.ptx", SOURCE);
    let lines = json!({ "range": range([1, 4], [1, 5]), "options": options() });
    let edits = ask(&mut client, "textDocument/rangeFormatting", &file, lines);
    expect![[r#"
        .entry k() {
        	add.u32 	%r1, %r2, 1;
          sub.u32 %r1,%r2,1;
        }
    "#]]
    .assert_eq(&apply(&file, &edits));
}

#[test]
fn a_statement_is_formatted_as_it_ends() {
    let mut client = Client::start();
    let file = client.open("k.ptx", SOURCE);
    let typed = json!({ "position": { "line": 2, "character": 20 }, "ch": ";", "options": options() });
    let edits = ask(&mut client, "textDocument/onTypeFormatting", &file, typed);
    expect![[r#"
        .entry k() {
          add.u32 %r1,%r2,1;
        	sub.u32 	%r1, %r2, 1;
        }
    "#]]
    .assert_eq(&apply(&file, &edits));
}

#[test]
fn wave_closes_constructs_as_one_types() {
    let mut client = Client::start();
    let file = client.open("k.wave", ".kernel k\n    if p1\n      nop\n        endif\nhalt\n.end\n");
    let typed = json!({ "position": { "line": 4, "character": 0 }, "ch": "\n", "options": options() });
    let edits = ask(&mut client, "textDocument/onTypeFormatting", &file, typed);
    expect![[r#"
        .kernel k
            if p1
              nop
            endif
            halt
        .end
    "#]]
    .assert_eq(&apply(&file, &edits));
    let typed = json!({ "position": { "line": 3, "character": 13 }, "ch": "f", "options": options() });
    let edits = ask(&mut client, "textDocument/onTypeFormatting", &file, typed);
    assert_eq!(edits, json!([{ "range": range([3, 4], [3, 8]), "newText": "" }]));
    let edits = ask(&mut client, "textDocument/formatting", &file, json!({ "options": options() }));
    expect![[r#"
        .kernel k
            if p1
                nop
            endif
            halt
        .end
    "#]]
    .assert_eq(&apply(&file, &edits));
}

const CALL: &str = "\
.func (.param .b32 r) f(.param .b32 a, .param .b32 b);
.entry k() {
    .reg .f32 sum;
    mov.f32 sum, 0f00000000;
    .param .b32 x;
    call (x), f, (x, 7);
                     |
}
";

#[test]
fn the_parameter_that_is_typed() {
    let mut options = Options::default();
    options.capabilities["textDocument"]["signatureHelp"] =
        json!({ "signatureInformation": { "parameterInformation": { "labelOffsetSupport": true } } });
    let mut client = Client::with_options(&options);
    let file = client.open("k.ptx", CALL);
    let help = client.request("textDocument/signatureHelp", file.cursor().params());
    let signature = &help["signatures"][0];
    assert_eq!(signature["label"], "call (.param .b32 r), f, (.param .b32 a, .param .b32 b)");
    assert_eq!((&help["activeSignature"], &help["activeParameter"]), (&json!(0), &json!(2)));
    assert_eq!(signature["parameters"][2]["label"], json!([41, 54]));
    assert_eq!(signature["parameters"][2]["documentation"]["kind"], "markdown");

    let mut client = Client::with_options(&Options::plain());
    let file = client.open("k.ptx", CALL);
    let help = client.request("textDocument/signatureHelp", file.cursor().params());
    assert_eq!(help["signatures"][0]["parameters"][2]["label"], ".param .b32 b");
    let nothing = client.request("textDocument/signatureHelp", file.at(2, 8).params());
    assert_eq!(nothing, Value::Null);
}

/// Hints as line, character and text.
fn hints(client: &mut Client, file: &File) -> String {
    let whole = json!({ "range": range([0, 0], [100, 0]) });
    let hints = ask(client, "textDocument/inlayHint", file, whole);
    let line = |hint: &Value| {
        let at = &hint["position"];
        format!("{}:{} {}\n", at["line"], at["character"], hint["label"].as_str().unwrap_or_default())
    };
    hints.as_array().expect("hints").iter().map(line).collect()
}

#[test]
fn hints_are_a_setting() {
    let settings = |types: bool, names: bool| Options {
        settings: json!({ "inlayHints": { "registerTypes": types, "parameterNames": names } }),
        ..Options::default()
    };
    let shown = |options: &Options| {
        let mut client = Client::with_options(options);
        if !options.settings.is_null() {
            // The server does this as soon as it knows the settings.
            client.wait_until_asked("workspace/inlayHint/refresh");
        }
        let file = client.open("k.ptx", CALL);
        hints(&mut client, &file)
    };
    assert_eq!(shown(&Options::default()), "");
    expect![[r#"
        3:15 : .f32
    "#]]
    .assert_eq(&shown(&settings(true, false)));
    expect![[r#"
        5:10 r:
        5:18 a:
        5:21 b:
    "#]]
    .assert_eq(&shown(&settings(false, true)));
}
