//! Findings of a simulation as diagnostics, which appear and disappear with the lanes.

use expect_test::expect;
use serde_json::{Value, json};

use crate::models::HALVES;
use crate::support::{Client, File, Options, range, render};

/// Traps unless `x[0]` is 7.
const PICKY: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry picky(.param .u64 x) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    .reg .pred %p;
    ld.param.u64 %rd1, [x];
    ld.global.u32 %r1, [%rd1];
    setp.ne.u32 %p, %r1, 7;
    @%p trap;
    ret;
}
";

/// Lanes below eight take a branch that is marked as uniform, and access memory beyond `out`.
const WRONG: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry wrong(.param .u64 out) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    mov.u32 %r1, %laneid;
    ld.param.u64 %rd1, [out];
    setp.lt.u32 %p, %r1, 8;
    @%p bra.uni LOW;
    mov.u32 %r2, %r1;
LOW:
    st.global.u32 [%rd1+4], %r1;
    ret;
}
";

fn select(client: &mut Client, file: &File, launch: Value) {
    let argument = json!({ "uri": file.uri, "launch": launch });
    client.command("warplens.selectLaunch", argument).expect("it can be run");
    client.request("warplens/laneMasks", file.params());
}

/// A launch with a buffer of `words` words.
fn launch(words: u32) -> Value {
    json!({ "name": "mine", "block": [64], "args": [{ "buffer": "u32", "len": words }] })
}

/// The findings among the diagnostics.
fn findings(found: &[Value]) -> Vec<Value> {
    found.iter().filter(|found| found["source"] == "warplens-sim").cloned().collect()
}

#[test]
fn findings_come_with_the_lanes_and_go_with_them() {
    let mut options = Options::default();
    options.capabilities["textDocument"]["diagnostic"]["codeDescriptionSupport"] = true.into();
    let mut client = Client::with_options(&options);
    let file = client.open("wrong.ptx", WRONG);
    assert_eq!(findings(&client.diagnostics(&file)), Vec::<Value>::new());
    select(&mut client, &file, launch(1));
    client.wait_until_asked("workspace/diagnostic/refresh");
    let found = findings(&client.diagnostics(&file));
    expect![[r#"
        10:4-10:20 error divergent-uniform: Divergent `.uni`: a branch taken by lanes 0-7, not by lanes 8-31
        remove `.uni`, or make the condition uniform
        threads (0,0,0) to (7,0,0) of block (0,0,0): lanes 0-7 of warp 0
        13:4-13:32 error out-of-bounds: Out of bounds: `out[1]` is beyond `out`, which has 1 element
        `out` has 4 bytes, this store of 4 bytes needs 8; guard the access, or make the buffer larger
        threads (0,0,0) to (31,0,0) of block (0,0,0): lanes 0-31 of warp 0
    "#]]
    .assert_eq(&render(&found));
    let page = found[0]["codeDescription"]["href"].as_str().unwrap_or_default();
    assert!(page.ends_with("/findings/divergent-uniform.md"), "{found:?}");
    select(&mut client, &file, Value::Null);
    client.wait_until_asked("workspace/diagnostic/refresh");
    assert_eq!(findings(&client.diagnostics(&file)), Vec::<Value>::new());
}

#[test]
fn findings_are_published_after_a_run_and_after_each_edit() {
    let mut client = Client::with_options(&Options::plain());
    let mut file = client.open("wrong.ptx", WRONG);
    assert_eq!(findings(&client.published(&file)), Vec::<Value>::new());
    select(&mut client, &file, launch(1));
    assert_eq!(findings(&client.published(&file)).len(), 2);
    // A new line above moves the findings, and they are published before the next run is over.
    client.edit(&mut file, range([0, 0], [0, 0]), "// first\n");
    let moved = findings(&client.published(&file));
    assert_eq!(
        moved.iter().map(|found| found["range"]["start"]["line"].clone()).collect::<Vec<_>>(),
        [11, 14]
    );
    // The finding of a fixed statement is removed immediately.
    client.edit(&mut file, range([11, 11], [11, 15]), "");
    let fixed = findings(&client.published(&file));
    assert_eq!(fixed.iter().filter(|found| found["code"] == "divergent-uniform").count(), 0, "{fixed:?}");
}

#[test]
fn comments_and_settings_are_about_findings_too() {
    let settings = json!({ "diagnostics": { "severity": { "out-of-bounds": "hint" } } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let source = WRONG.replace("LOW;", "LOW; // warplens: allow(divergent-uniform)");
    let file = client.open("wrong.ptx", &source);
    select(&mut client, &file, launch(1));
    let found = client.diagnostics(&file);
    let found = findings(&found);
    assert_eq!((found.len(), &found[0]["severity"]), (1, &json!(4)), "{found:?}");
}

#[test]
fn what_spins_under_a_stack_can_be_run_again_with_progress_for_all() {
    let mut client = Client::start();
    let file = client.open("halves.ptx", HALVES);
    let args = json!([{ "buffer": "u32", "len": 1, "fill": "zero" }]);
    let launch = json!({ "name": "mine", "model": "stack", "block": [32], "args": args });
    select(&mut client, &file, launch);
    let found = findings(&client.diagnostics(&file));
    let spins = found.iter().find(|found| found["code"] == "no-progress").expect("it spins");
    let mut params = file.params();
    params["range"] = spins["range"].clone();
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    let rerun = actions.as_array().expect("actions").iter().find(|action| action["command"].is_object());
    let command = &rerun.expect("it can be run again")["command"];
    assert_eq!(command["title"], "Run again with the model `its`");
    client.command("warplens.selectLaunch", command["arguments"][0].clone()).expect("it can be run");
    let masks = client.request("warplens/laneMasks", file.params());
    assert_eq!((&masks["model"], &masks["status"]), (&json!("its"), &json!("finished")));
}

#[test]
fn a_finding_can_be_allowed_with_a_quick_fix() {
    let mut client = Client::start();
    let file = client.open("wrong.ptx", WRONG);
    select(&mut client, &file, launch(1));
    let mut params = file.params();
    params["range"] = range([10, 8], [10, 8]);
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    let titles: Vec<_> = actions.as_array().expect("actions").iter().map(|action| &action["title"]).collect();
    assert!(titles.contains(&&json!("Allow `divergent-uniform` on this line")), "{titles:?}");
}

#[test]
fn a_finding_that_depends_on_an_inferred_launch_offers_to_write_it() {
    let mut client = Client::start();
    let file = client.open("picky.ptx", PICKY);
    select(&mut client, &file, json!("inferred"));
    let found = findings(&client.diagnostics(&file));
    expect![[r#"
        10:4-10:13 information trap: Trap: executed in `picky`
        check the condition that leads to it
        with inferred arguments: write a launch to check it
        threads (0,0,0) to (31,0,0) of block (0,0,0): lanes 0-31 of warp 0
    "#]]
    .assert_eq(&render(&found));
    let mut params = file.params();
    params["range"] = found[0]["range"].clone();
    params["context"] = json!({ "diagnostics": [] });
    let actions = client.request("textDocument/codeAction", params);
    let write =
        actions.as_array().expect("actions").iter().find(|action| action["title"] == "Write a launch");
    let edit = write.expect("it can be written")["edit"].to_string();
    assert!(edit.contains("// @launch { name = ") && edit.contains("buffer = "), "{edit}");
}
