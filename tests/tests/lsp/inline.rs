//! Inline PTX in files of other languages.

use serde_json::{Value, json};

use crate::support::{Client, File, Options, range};

const SOURCE: &str = r#"
__device__ int f(int a, int b) {
    int r;
    asm("mad.lo.s32 %0, %1, %1, %1;" : "=r"(r) : "r"(a), "r"(b));
         |                   |       |
    return r;
     |
}
"#;

fn open() -> (Client, File) {
    let mut client = Client::start();
    let file = client.open_as("cuda-cpp", "kernel.cu", SOURCE);
    (client, file)
}

#[test]
fn requests_are_answered_inside_the_strings_only() {
    let (mut client, file) = open();
    let hover = client.request("textDocument/hover", file.cursors[0].params());
    assert!(hover["contents"]["value"].as_str().unwrap().contains("mad.lo.s32"), "{hover}");
    let operand = client.request("textDocument/hover", file.cursors[1].params());
    assert!(operand["contents"]["value"].as_str().unwrap().contains("**`%1`** · input"), "{operand}");
    for method in ["hover", "definition", "documentHighlight", "signatureHelp"] {
        let answer = client.request(&format!("textDocument/{method}"), file.cursors[3].params());
        assert!(answer.is_null() || answer == json!([]), "{method}: {answer}");
    }
    let whole = json!({ "textDocument": file.cursors[3].params()["textDocument"] });
    for method in ["documentSymbol", "foldingRange", "documentLink"] {
        assert_eq!(client.request(&format!("textDocument/{method}"), whole.clone()), json!([]), "{method}");
    }
    let tokens = client.request("textDocument/semanticTokens/full", whole);
    assert_eq!(tokens["data"].as_array().unwrap()[..5], [json!(3), json!(9), json!(3), json!(3), json!(0)]);
}

#[test]
fn problems_follow_edits_and_the_setting_switches_them_off() {
    let mut client = Client::with_options(&Options::plain());
    let mut file = client.open_as("cuda-cpp", "kernel.cu", SOURCE);
    let codes = |client: &mut Client, file: &File| {
        let items = client.published(file);
        items.iter().map(|item| item["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&mut client, &file), ["asm-unused-operand"]);
    client.edit(&mut file, range([3, 9], [3, 12]), "madd");
    assert_eq!(codes(&mut client, &file), ["unknown-instruction", "asm-unused-operand"]);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "warplens": { "inline": { "enable": false } } } }),
    );
    assert_eq!(codes(&mut client, &file), Vec::<String>::new());
}

#[test]
fn a_lens_runs_a_statement_for_one_warp() {
    let (mut client, file) = open();
    let params = json!({ "textDocument": file.cursors[0].params()["textDocument"] });
    let lens =
        |client: &mut Client| client.request("textDocument/codeLens", params.clone())[0]["command"].clone();
    let command = lens(&mut client);
    assert_eq!(command["title"], "▷ Try it");
    let run = |client: &mut Client, command: &Value| {
        let params = json!({ "command": command["command"], "arguments": command["arguments"] });
        client.request("workspace/executeCommand", params)
    };
    assert_eq!(run(&mut client, &command), json!(true));
    let command = lens(&mut client);
    assert_eq!(command["title"], "▽ r = 0 2 6 12 20 30 42 56 …");
    let hover = client.request("textDocument/hover", file.cursors[0].params());
    assert!(hover["contents"]["value"].as_str().unwrap().contains("All 32 lanes"), "{hover}");
    run(&mut client, &command);
    assert_eq!(lens(&mut client)["title"], "▷ Try it");
}
