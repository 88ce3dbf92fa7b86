//! Launches and lanes: lenses, commands, hints, `warplens/laneMasks`.

use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Options, range};

/// A loop that never ends and never repeats its state.
pub(crate) const ENDLESS: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry endless() {
    .reg .u32 %r<2>;
    mov.u32 %r1, 0;
AGAIN:
    add.u32 %r1, %r1, 1;
    bra AGAIN;
    |
}
";

/// Lanes below eight take one path, the others take the other path.
const SPLIT: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry split() {
    .reg .u32 %r<3>;
    .reg .pred %p;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p, %r1, 8;
    @%p bra LOW;
    add.u32 %r2, %r1, 1;
    bra JOIN;
LOW:
    add.u32 %r2, %r1, 2;
JOIN:
    ret;
}
";

pub(crate) fn select(client: &mut Client, file: &File, launch: Value) -> Value {
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": launch }))
        .expect("it can be run")
}

pub(crate) fn masks(client: &mut Client, file: &File) -> Value {
    client.request("warplens/laneMasks", file.params())
}

/// The hints of the whole document, one a line.
fn hints(client: &mut Client, file: &File) -> Vec<String> {
    let mut params = file.params();
    params["range"] = range([0, 0], [999, 0]);
    let hints = client.request("textDocument/inlayHint", params);
    let hints = hints.as_array().cloned().unwrap_or_default();
    let text = |hint: &Value| {
        let label = hint["label"].as_str().unwrap_or_default();
        format!("{}:{} {label}", hint["position"]["line"], hint["position"]["character"])
    };
    hints.iter().map(text).collect()
}

#[test]
fn a_plain_client_runs_a_lens_and_sees_the_lanes_as_hints() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("split.ptx", SPLIT);
    assert_eq!(hints(&mut client, &file), Vec::<String>::new());
    let lenses = client.request("textDocument/codeLens", file.params());
    let command = &lenses[0]["command"];
    assert_eq!(command["command"], "warplens.selectLaunch");
    assert_eq!(lenses[0]["range"]["start"]["line"], 3);
    client.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    masks(&mut client, &file);
    expect_test::expect![[r#"
        8:16 split 8 | 24
        9:24 24/32 8-31
        10:13 24/32 8-31
        12:24 8/32 0-7
        14:8 join 32"#]]
    .assert_eq(&hints(&mut client, &file).join("\n"));
}

#[test]
fn lane_masks_say_what_ran() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    assert_eq!(masks(&mut client, &file), Value::Null);
    assert_eq!(select(&mut client, &file, json!("inferred")), Value::Null);
    let masks = masks(&mut client, &file);
    for (member, value) in [
        ("version", json!(1)),
        ("entry", json!("split")),
        ("model", json!("stack")),
        ("status", json!("finished")),
        ("findings", json!([])),
        ("cta", json!([0, 0, 0])),
        ("warp", json!(0)),
        ("launched", json!("ffffffff")),
    ] {
        assert_eq!(masks[member], value, "{member}");
    }
    assert_eq!(masks["launch"]["name"], "inferred");
    let lines = masks["lines"].as_array().expect("there are lines");
    let branch = lines.iter().find(|line| line["line"] == 8).expect("the branch ran");
    assert_eq!((&branch["active"], &branch["executed"]), (&json!("ffffffff"), &json!("000000ff")));
}

#[test]
fn a_client_with_the_capability_is_notified_of_other_lanes() {
    let mut client = Client::with_options(&Options {
        initialization: json!({ "lanesChanged": true }),
        ..Options::plain()
    });
    let file = client.open("split.ptx", SPLIT);
    let heard = |client: &mut Client| client.notification("warplens/lanesChanged")["uri"].clone();
    select(&mut client, &file, json!("inferred"));
    assert_eq!(heard(&mut client), file.uri.as_str());
    let settings = json!({ "settings": { "simulation": { "model": "its" } } });
    client.notify("workspace/didChangeConfiguration", settings);
    assert_eq!(heard(&mut client), file.uri.as_str());
    assert_eq!(masks(&mut client, &file)["model"], "its");
    select(&mut client, &file, Value::Null);
    assert_eq!(heard(&mut client), file.uri.as_str());
    assert_eq!(masks(&mut client, &file), Value::Null);
}

#[test]
fn a_client_that_draws_lanes_gets_no_hints_but_in_the_display_text() {
    let mut client =
        Client::with_options(&Options { initialization: json!({ "laneStrip": true }), ..Options::plain() });
    let file = client.open("split.ptx", &SPLIT.replace("    ret;\n", "    @!%p ret;\n    exit;\n"));
    select(&mut client, &file, json!("inferred"));
    let drawn = masks(&mut client, &file);
    let lines = drawn["lines"].as_array().expect("lines");
    let roles: Vec<_> =
        lines.iter().filter_map(|line| Some((line["line"].as_u64()?, line["role"].as_str()?))).collect();
    assert_eq!(roles, [(8, "branch"), (10, "branch"), (14, "join")]);
    let labels: Vec<_> = lines.iter().filter_map(|line| line["label"].as_str()).collect();
    assert_eq!(labels, ["32", "32", "split 8|24  laneid < 8", "24/32", "24/32", "8/32", "24 of 32", "8/32"]);
    assert_eq!(drawn["not_run"], json!([]));
    assert!(hints(&mut client, &file).is_empty());
    let settings = json!({ "settings": { "lanes": { "display": "text" } } });
    client.notify("workspace/didChangeConfiguration", settings);
    assert!(hints(&mut client, &file).contains(&"8:16 │ split 8 | 24".to_owned()));
}

#[test]
fn the_lines_that_were_not_run_are_listed() {
    let mut client = Client::start();
    let file = client.open("split.ptx", &SPLIT.replace("%r1, 8", "%r1, 0"));
    select(&mut client, &file, json!("inferred"));
    assert_eq!(masks(&mut client, &file)["not_run"], json!([12]));
}

#[test]
fn a_failed_expectation_follows_an_edit() {
    const LAUNCH: &str = "// @launch { name = 'two', block = [2], args = [{ name = 'out', buffer = 'u32', len = 2 }], \
                          expect = [{ name = 'out', values = [7, 7] }] }\n";
    let text = format!(
        "{LAUNCH}.version 8.5\n.target sm_90\n.address_size 64\n.entry two(.param .u64 out) {{\n\
         .reg .u32 %r<3>;\n.reg .u64 %d<4>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\nld.param.u64 %d1, [out];\n\
         mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r2;\nret;\n}}\n"
    );
    let mut client = Client::start();
    let mut file = client.open("two.ptx", &text);
    select(&mut client, &file, json!("two"));
    masks(&mut client, &file);
    assert!(lens_titles(&mut client, &file).contains(&"✓ expected".to_owned()));
    client.edit(&mut file, range([8, 13], [8, 14]), "8");
    let failed = masks(&mut client, &file);
    assert_eq!(failed["findings"][0]["code"], "expect-failed");
    assert!(lens_titles(&mut client, &file).contains(&"✗ out[0] is 8, expected 7".to_owned()));
    // So does an edit of the expectation alone.
    let at = LAUNCH.find("7, 7").expect("expected values") as u32;
    client.edit(&mut file, range([0, at], [0, at + 4]), "8, 8");
    assert_eq!(masks(&mut client, &file)["findings"], json!([]));
    assert!(lens_titles(&mut client, &file).contains(&"✓ expected".to_owned()));
}

pub(crate) fn lens_titles(client: &mut Client, file: &File) -> Vec<String> {
    let lenses = client.request("textDocument/codeLens", file.params());
    let title = |lens: &Value| lens["command"]["title"].as_str().unwrap_or_default().to_owned();
    lenses.as_array().expect("lenses").iter().map(title).collect()
}

#[test]
fn the_client_is_asked_to_fetch_hints_and_lenses_again() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    client.wait_until_asked("workspace/inlayHint/refresh");
    client.wait_until_asked("workspace/codeLens/refresh");
    let lenses = client.request("textDocument/codeLens", file.params());
    let commands: Vec<_> = lenses.as_array().expect("lenses").iter().map(|lens| &lens["command"]).collect();
    let stop = commands
        .iter()
        .find(|command| command["arguments"][0]["launch"].is_null() && command["arguments"][0].is_object());
    let stop = (*stop.expect("it can be stopped")).clone();
    client.request(
        "workspace/executeCommand",
        json!({ "command": stop["command"], "arguments": stop["arguments"] }),
    );
    assert_eq!(masks(&mut client, &file), Value::Null);
    assert_eq!(hints(&mut client, &file), Vec::<String>::new());
}

#[test]
fn lanes_follow_an_edit_that_changes_nothing_and_change_with_one_that_does() {
    let mut client = Client::start();
    let mut file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    let before = masks(&mut client, &file);

    client.edit(&mut file, range([0, 0], [0, 0]), "// a comment\n");
    let moved = masks(&mut client, &file);
    assert_eq!(moved["version"], 2);
    let lines = |masks: &Value| -> Vec<i64> {
        masks["lines"].as_array().expect("lines").iter().filter_map(|line| line["line"].as_i64()).collect()
    };
    assert_eq!(lines(&moved), lines(&before).iter().map(|line| line + 1).collect::<Vec<_>>());

    client.edit(&mut file, range([8, 25], [8, 26]), "4");
    let after = masks(&mut client, &file);
    let branch = after["lines"].as_array().expect("lines").iter().find(|line| line["line"] == 9);
    assert_eq!(branch.map(|line| &line["executed"]), Some(&json!("0000000f")), "{after}");
}

#[test]
fn while_a_kernel_cannot_be_run_its_last_lanes_stay() {
    let mut client = Client::start();
    let mut file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    let before = masks(&mut client, &file);
    client.edit(&mut file, range([3, 0], [14, 0]), "");
    let none = masks(&mut client, &file);
    assert_eq!(none["entry"], before["entry"]);
    assert_eq!(none["version"], 2);
}

#[test]
fn while_a_statement_is_typed_the_last_lanes_are_shown_as_outdated() {
    let mut client = Client::start();
    let mut file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    let before = masks(&mut client, &file);
    assert_eq!(before["outdated"], Value::Null);
    let title = |client: &mut Client, file: &File| {
        let lenses = client.request("textDocument/codeLens", file.params());
        lenses[0]["command"]["title"].as_str().unwrap_or_default().to_owned()
    };
    // Types a statement before the branch key by key. Until the statement is complete, a run cannot get past
    // it.
    let statement = "    xor.b32 %r2, %r1, 1";
    client.edit(&mut file, range([8, 0], [8, 0]), "\n");
    for typed in 1..=statement.len() {
        let (word, column) = (&statement[..typed], typed as u32 - 1);
        client.edit(&mut file, range([8, column], [8, column]), &word[typed - 1..]);
        let typing = masks(&mut client, &file);
        let is_whole = word.trim().is_empty() || word == statement;
        assert_eq!(typing["outdated"], if is_whole { Value::Null } else { json!(true) }, "{word}");
        assert_eq!(typing["status"], "finished", "{word}");
        let hints = hints(&mut client, &file);
        assert!(hints.contains(&"9:16 split 8 | 24".to_owned()), "{word}: {hints:?}");
        assert_eq!(title(&mut client, &file).contains("(before the last edits)"), !is_whole, "{word}");
    }
    client.edit(&mut file, range([8, 22], [8, 23]), "");
    masks(&mut client, &file);
    let visit = json!({ "uri": file.uri, "line": 9, "visit": 1 });
    let refused = client.command("warplens.selectVisit", visit).expect_err("nothing could be looked at");
    assert!(refused["message"].as_str().is_some_and(|why| why.contains("error")), "{refused}");
    client.edit(&mut file, range([8, 22], [8, 22]), "1;");
    assert_eq!(masks(&mut client, &file)["lines"].as_array().map(Vec::len), Some(8));

    // A new launch that never worked is shown as far as its run gets.
    client.edit(&mut file, range([8, 22], [8, 23]), "");
    select(&mut client, &file, json!({ "name": "mine", "block": [4] }));
    let new = masks(&mut client, &file);
    assert_eq!((&new["launched"], &new["status"]), (&json!("0000000f"), &json!("unsupported")), "{new}");
}

#[test]
fn hovering_a_line_that_ran_says_which_lanes() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    masks(&mut client, &file);
    let text = client.hover(&file.at(12, 6)).expect("there is a hover");
    assert!(text.contains("8 of 32 lanes") && text.contains("add"), "{text}");
}

#[test]
fn launches_come_from_files_comments_and_inference() {
    let folder = Folder::new();
    folder.write(
        "warplens.toml",
        "[[launch]]\nname = \"two blocks\"\nfile = \"src/split.ptx\"\ngrid = [2]\nblock = [64]\n\
         [[launch]]\nname = \"wrong\"\nfile = \"src/split.ptx\"\nargs = [{ u32 = 1 }]\n",
    );
    let source = SPLIT.replace(".entry", "// @launch { name = \"small\", block = [8] }\n.entry");
    let path = folder.write("src/split.ptx", &source);
    let mut client = Client::start();
    let file = client.open_path(&path, &source);
    let listed =
        client.command("warplens.listLaunches", json!({ "uri": file.uri })).expect("they are listed");
    let names: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|launch| (&launch["name"], &launch["source"]))
        .collect();
    let expected =
        [("two blocks", "toml"), ("wrong", "toml"), ("small", "comment"), ("inferred", "inferred")];
    let expected = expected.map(|(name, source)| (json!(name), json!(source)));
    assert_eq!(names, expected.iter().map(|(name, source)| (name, source)).collect::<Vec<_>>());
    assert_eq!(listed[0]["grid"], json!([2, 1, 1]));
    assert_eq!(listed[0]["entry"], "split");

    select(&mut client, &file, json!("two blocks"));
    let mut params = file.params();
    params["cta"] = json!([1, 0, 0]);
    params["warp"] = json!(1);
    let second = client.request("warplens/laneMasks", params.clone());
    assert_eq!((&second["cta"], &second["warp"]), (&json!([1, 0, 0]), &json!(1)));
    params["warp"] = json!(2);
    let id = client.send("warplens/laneMasks", params);
    let error = client.wait(id).expect_err("there is none");
    assert!(
        error["message"].as_str().is_some_and(|why| why.contains("unknown warp 2 of block 1,0,0")),
        "{error}"
    );

    select(&mut client, &file, json!("small"));
    assert_eq!(masks(&mut client, &file)["launched"], "000000ff");
    select(&mut client, &file, json!({ "name": "mine", "block": [4] }));
    assert_eq!(masks(&mut client, &file)["launched"], "0000000f");
}

#[test]
fn a_launch_that_does_not_fit_is_an_error_with_its_reason() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    for (launch, reason) in [
        (json!("unknown"), "unknown"),
        (json!({ "name": "x", "args": [{ "u32": 1 }] }), "parameter"),
        (json!({ "name": "x", "gird": [1] }), "gird"),
    ] {
        let argument = json!({ "uri": file.uri, "launch": launch });
        let error = client.command("warplens.selectLaunch", argument).expect_err("it cannot be run");
        assert!(error["message"].as_str().is_some_and(|why| why.contains(reason)), "{error}");
        assert_eq!(masks(&mut client, &file), Value::Null);
    }
}

#[test]
fn an_invalid_launch_file_is_reported_and_inferring_still_works() {
    let folder = Folder::new();
    folder.write("warplens.toml", "[[launch]]\nname = \"x\"\nfile = \"split.ptx\"\nblok = [8]\n");
    let path = folder.write("split.ptx", SPLIT);
    let mut client = Client::start();
    let file = client.open_path(&path, SPLIT);
    let argument = json!({ "uri": file.uri, "launch": "x" });
    let error = client.command("warplens.selectLaunch", argument).expect_err("it cannot be run");
    let why = error["message"].as_str().unwrap_or_default();
    assert!(why.contains("blok") && why.contains("warplens.toml:4:"), "{why}");
    select(&mut client, &file, json!("inferred"));
    assert_eq!(masks(&mut client, &file)["status"], "finished");
}

#[test]
fn an_endless_loop_stops_at_the_limit_and_reports_it() {
    let settings = json!({ "simulation": { "maxSteps": 10_000 } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = client.open("endless.ptx", ENDLESS);
    select(&mut client, &file, json!("inferred"));
    assert_eq!(masks(&mut client, &file)["status"], "step-limit");
}

#[test]
fn a_long_simulation_shows_its_progress_and_can_be_stopped() {
    let settings = json!({ "simulation": { "maxSteps": u64::MAX } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = client.open("endless.ptx", ENDLESS);
    select(&mut client, &file, json!("inferred"));
    let waiting = client.send("warplens/laneMasks", file.params());
    let begin = client.notification("$/progress");
    assert_eq!(begin["value"]["kind"], "begin");
    assert!(begin["value"]["title"].as_str().is_some_and(|title| title.contains("endless")), "{begin}");
    assert_eq!(client.notification("$/progress")["value"]["kind"], "report");
    client.notify("window/workDoneProgress/cancel", json!({ "token": begin["token"] }));
    while client.notification("$/progress")["value"]["kind"] != "end" {}
    client.wait(waiting).expect("an answer");
}

#[test]
fn a_long_simulation_shows_its_first_part_at_once() {
    let settings = json!({ "simulation": { "maxSteps": u64::MAX } });
    let initialization = json!({ "lanesChanged": true });
    let mut client = Client::with_options(&Options { settings, initialization, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = client.open("endless.ptx", ENDLESS);
    select(&mut client, &file, json!("inferred"));
    let whole = client.send("warplens/laneMasks", file.params());
    let document = &file.params()["textDocument"];
    let first_part = json!({ "textDocument": document, "partial": true });
    let first_part = client.request("warplens/laneMasks", first_part);
    assert_eq!((&first_part["partial"], &first_part["findings"]), (&json!(true), &json!([])));
    assert_eq!(first_part["not_run"], json!([]));
    let visits = &first_part["lines"][0];
    assert!(visits["count"].as_u64() > Some(0), "{visits}");
    assert_eq!(visits["visits"][0]["executed"], "ffffffff");
    let titles = lens_titles(&mut client, &file);
    assert!(titles.iter().any(|title| title.contains("first part of the run")), "{titles:?}");
    client.command("warplens.stopRun", json!({ "uri": file.uri })).expect("a run");
    let kept = client.wait(whole).expect("lanes");
    assert_eq!((&kept["partial"], &kept["lines"]), (&json!(true), &first_part["lines"]));
    assert_eq!(kept["outdated"], Value::Null);
}

#[test]
fn a_client_that_shows_progress_itself_is_notified_of_it_and_stops_the_run() {
    let settings = json!({ "simulation": { "maxSteps": u64::MAX } });
    let initialization = json!({ "runProgress": true });
    let mut client = Client::with_options(&Options { settings, initialization, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let mut file = client.open("endless.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    assert_eq!(masks(&mut client, &file)["entry"], "split");
    client.edit(&mut file, range([14, 4], [14, 8]), "add.u32 %r2, %r2, 1;\n    bra JOIN;");
    let begin = client.notification("warplens/runProgress");
    assert_eq!(begin["uri"], file.uri.as_str());
    assert_eq!(begin["running"]["entry"], "split");
    assert_eq!((&begin["running"]["launch"], &begin["running"]["steps"]), (&json!("inferred"), &json!(0)));
    let next = client.notification("warplens/runProgress");
    assert!(next["running"]["steps"].as_u64() > Some(0), "{next}");
    assert_eq!(client.command("warplens.stopRun", json!({ "uri": file.uri })), Ok(Value::Null));
    while !client.notification("warplens/runProgress")["running"].is_null() {}
    // The last result of this launch stays shown, instead of the first part of the stopped run.
    let masks = masks(&mut client, &file);
    assert_eq!((&masks["status"], &masks["outdated"]), (&json!("finished"), &json!(true)));
}

#[test]
fn settings_decide_how_lanes_are_written() {
    let settings = json!({ "lanes": { "format": "hex" } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    masks(&mut client, &file);
    assert!(hints(&mut client, &file).iter().any(|hint| hint.contains("000000ff")));
}

#[test]
fn settings_are_heard_when_they_change() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("split.ptx", SPLIT);
    select(&mut client, &file, json!("inferred"));
    masks(&mut client, &file);
    assert!(!hints(&mut client, &file).iter().any(|hint| hint.contains("000000ff")));
    let settings = json!({ "settings": { "warplens": { "lanes": { "format": "hex" } } } });
    client.notify("workspace/didChangeConfiguration", settings);
    assert!(hints(&mut client, &file).iter().any(|hint| hint.contains("000000ff")));
}

#[test]
fn the_extension_gets_its_richer_lenses() {
    let initialization = json!({ "lenses": "extension" });
    let mut client = Client::with_options(&Options { initialization, ..Options::default() });
    let file = client.open("split.ptx", SPLIT);
    let lenses = client.request("textDocument/codeLens", file.params());
    let lenses = lenses.as_array().expect("there are lenses");
    let commands: Vec<&Value> = lenses.iter().map(|lens| &lens["command"]["command"]).collect();
    assert_eq!(commands, ["warplens.selectLaunch", "warplens.pickLaunch", "warplens.editLaunch"]);
    assert!(
        lenses[1..].iter().all(|lens| lens["command"]["arguments"] == json!([file.uri, "split"])),
        "{lenses:?}"
    );
    select(&mut client, &file, json!("inferred"));
    masks(&mut client, &file);
    let lenses = client.request("textDocument/codeLens", file.params());
    let panel =
        lenses.as_array().into_iter().flatten().find(|lens| lens["command"]["title"] == "Lanes Panel");
    assert_eq!(panel.map(|lens| &lens["command"]["command"]), Some(&json!("warplens.showPanel")), "{lenses}");
}

#[test]
fn wave_kernels_have_lanes_too() {
    let mut client = Client::start();
    let source = ".kernel k\n.workgroup_size 32, 1, 1\n.registers 4\n  mov r0, sr_lane_id\n  halt\n.end\n";
    let file = client.open("k.wave", source);
    select(&mut client, &file, json!("inferred"));
    let masks = masks(&mut client, &file);
    assert_eq!((&masks["model"], &masks["status"]), (&json!("structured"), &json!("finished")), "{masks}");
}

#[test]
fn a_launch_file_that_changes_on_disk_is_read_again() {
    let folder = Folder::new();
    let launch = |block: u32| format!("[[launch]]\nname = \"x\"\nfile = \"split.ptx\"\nblock = [{block}]\n");
    folder.write("warplens.toml", launch(8));
    let path = folder.write("split.ptx", SPLIT);
    let mut client = Client::start();
    client.wait_until_asked("client/registerCapability");
    let file = client.open_path(&path, SPLIT);
    select(&mut client, &file, json!("x"));
    assert_eq!(masks(&mut client, &file)["launched"], "000000ff");
    let launches = folder.write("warplens.toml", launch(4));
    let changes = json!([{ "uri": format!("file://{}", launches.display()), "type": 2 }]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    assert_eq!(masks(&mut client, &file)["launched"], "0000000f");
}

#[test]
fn another_warp_is_shown_without_another_run() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    let launch = json!({ "name": "two", "grid": [2], "block": [40] });
    let argument = |warp: u32| json!({ "uri": file.uri, "launch": launch, "cta": [1, 0, 0], "warp": warp });
    client.command("warplens.selectLaunch", argument(1)).expect("there is such a warp");
    assert_eq!(masks(&mut client, &file)["launched"], "000000ff");
    client.command("warplens.selectLaunch", argument(0)).expect("there is such a warp");
    assert_eq!(masks(&mut client, &file)["launched"], "ffffffff");
    let error = client.command("warplens.selectLaunch", argument(2)).expect_err("there is none");
    assert!(
        error["message"].as_str().is_some_and(|why| why.contains("unknown warp 2 of block 1,0,0")),
        "{error}"
    );
}

#[test]
fn the_warps_of_a_run_are_listed_with_their_share_of_active_lanes() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    let warps = |client: &mut Client| client.request("warplens/warps", file.params());
    assert_eq!(warps(&mut client), Value::Null);
    // The second warp of the block has four lanes, all of which take the branch.
    select(&mut client, &file, json!({ "entry": "split", "grid": [1], "block": [36] }));
    let shown = masks(&mut client, &file);
    let warps = warps(&mut client);
    assert_eq!((&warps["version"], &warps["launch"]), (&shown["version"], &shown["launch"]["name"]));
    let listed = warps["warps"].as_array().cloned().unwrap_or_default();
    let first = json!({ "cta": [0, 0, 0], "warp": 0, "instructions": 7, "active": 82, "diverged": true, "findings": 0 });
    assert_eq!(listed[0], first);
    assert_eq!((listed.len(), &listed[1]["diverged"], &listed[1]["active"]), (2, &json!(false), &json!(12)));
    assert_eq!(warps["truncated"], false);
}

/// The runs of three documents take three times the memory of one, so the first ones are dropped.
#[test]
fn a_dropped_run_runs_again_when_it_is_needed() {
    let mut client = Client::start();
    let text = SPLIT.replace("split()", "split(.param .u64 p)");
    let launch = json!({ "block": [40], "args": [{ "buffer": "u8", "len": 8_000_000 }] });
    let mut files = Vec::new();
    for name in ["one.ptx", "two.ptx", "three.ptx"] {
        let file = client.open(name, &text);
        select(&mut client, &file, launch.clone());
        let shown = masks(&mut client, &file);
        let warps = client.request("warplens/warps", file.params());
        files.push((file, shown, warps));
    }
    for (file, shown, warps) in &files {
        assert_eq!(masks(&mut client, file), *shown);
        assert_eq!(client.request("warplens/warps", file.params()), *warps);
    }
    let (file, ..) = &files[0];
    let of_warp = |warp: u32| json!({ "textDocument": { "uri": file.uri }, "warp": warp });
    assert_eq!(client.request("warplens/laneMasks", of_warp(1))["launched"], "000000ff");
    assert!(client.request("warplens/buffers", file.params())["buffers"].is_array());
}
