//! Code actions: fixes of diagnostics, comments that switch them off, and all safe fixes together. Also settings that
//! switch diagnostics off.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Line, Options, range, render};

const SOURCE: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k() {
    .reg .u32 %r<3>;
    mov.u32 %r1, %laneid
    addd.u32 %r2, %r1, %r1;
    exit
}
";

fn actions(client: &mut Client, file: &File, range: Value, only: Option<&str>) -> Vec<Value> {
    let context = match only {
        Some(only) => json!({ "diagnostics": [], "only": [only] }),
        None => json!({ "diagnostics": [] }),
    };
    let params = json!({ "textDocument": { "uri": file.uri }, "range": range, "context": context });
    let answer = client.request("textDocument/codeAction", params);
    answer.as_array().cloned().unwrap_or_default()
}

/// The actions, one a line, with their edits below.
fn shown(actions: &[Value]) -> String {
    let mut shown = String::new();
    for action in actions {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let preferred = if action["isPreferred"] == true { ", preferred" } else { "" };
        shown += &format!("{} ({}{preferred})", text(&action["title"]), text(&action["kind"]));
        for diagnostic in action["diagnostics"].as_array().into_iter().flatten() {
            shown += &format!(" of {}", text(&diagnostic["code"]));
        }
        shown += "\n";
        for change in action["edit"]["documentChanges"].as_array().into_iter().flatten() {
            shown += &format!("    version {}\n", change["textDocument"]["version"]);
            for edit in change["edits"].as_array().into_iter().flatten() {
                let start = &edit["range"]["start"];
                let end = &edit["range"]["end"];
                shown += &format!(
                    "    {}:{}-{}:{} {:?}\n",
                    start["line"],
                    start["character"],
                    end["line"],
                    end["character"],
                    text(&edit["newText"])
                );
            }
        }
    }
    shown
}

fn check(source: (&str, &str), at: Value, only: Option<&str>, expect: Expect) {
    let mut client = Client::start();
    let file = client.open(source.0, source.1);
    expect.assert_eq(&shown(&actions(&mut client, &file, at, only)));
}

#[test]
fn fixes_of_diagnostics_in_the_range() {
    check(
        ("k.ptx", SOURCE),
        range([6, 6], [6, 6]),
        None,
        expect![[r#"
            Replace with `add` (quickfix) of unknown-instruction
                version 1
                6:4-6:8 "add"
        "#]],
    );
    check(("k.ptx", SOURCE), range([4, 0], [4, 9]), None, expect![[""]]);
    check(("k.ptx", SOURCE), range([6, 6], [6, 6]), Some("refactor"), expect![[""]]);
}

#[test]
fn all_that_is_certain_at_once() {
    let expected = || {
        expect![[r#"
            Fix all safe problems (source.fixAll.warplens)
                version 1
                5:24-5:24 ";"
                7:8-7:8 ";"
        "#]]
    };
    check(("k.ptx", SOURCE), range([0, 0], [0, 0]), Some("source.fixAll"), expected());
    check(("k.ptx", SOURCE), range([0, 0], [0, 0]), Some("source.fixAll.warplens"), expected());
    check(("k.ptx", SOURCE), range([0, 0], [0, 0]), Some("source.organizeImports"), expect![[""]]);
}

#[test]
fn a_warning_can_be_allowed_on_its_line() {
    let source = ".kernel k\n    icmp.lt p0, r0, r1\n    @p0 iadd r1, r2, r3\n    halt\n.end\n";
    check(
        ("k.wave", source),
        range([2, 5], [2, 5]),
        None,
        expect![[r#"
            Rename `p0` to `p1` in the whole kernel (quickfix) of guard-p0
                version 1
                1:12-1:14 "p1"
                2:5-2:7 "p1"
            Allow `guard-p0` on this line (quickfix) of guard-p0
                version 1
                2:23-2:23 " ; warplens: allow(guard-p0)"
        "#]],
    );
    let mut client = Client::start();
    let file = client.open("k.wave", source);
    assert_eq!(client.diagnostics(&file).len(), 1);
    let file = client.open("allowed.wave", &source.replace("r3\n", "r3 ; warplens: allow(guard-p0)\n"));
    assert_eq!(render(&client.diagnostics(&file)), "");
}

#[test]
fn a_client_without_versions_gets_plain_changes() {
    let mut options = Options::default();
    options.capabilities["workspace"]["workspaceEdit"] = Value::Null;
    let mut client = Client::with_options(&options);
    let file = client.open("k.ptx", SOURCE);
    let actions = actions(&mut client, &file, range([6, 6], [6, 6]), None);
    assert_eq!(actions[0]["edit"]["changes"][&file.uri][0]["newText"], "add");
}

#[test]
fn a_diagnostic_links_to_its_page() {
    let folder = Folder::new();
    let cache = folder.path().to_string_lossy().into_owned();
    let mut options = Options::default();
    options.capabilities["textDocument"]["diagnostic"]["codeDescriptionSupport"] = true.into();
    let line = Line::process_with(&[], &[("XDG_CACHE_HOME", &cache)]);
    let mut client = Client::with(line, &options);
    let file = client.open("k.ptx", SOURCE);
    for found in client.diagnostics(&file) {
        let href = found["codeDescription"]["href"].as_str().expect("it has a link");
        let page = std::fs::read_to_string(href.strip_prefix("file://").expect("it is a file"));
        let head = format!("# {}\n", found["code"].as_str().unwrap_or_default());
        assert!(page.expect("it can be read").starts_with(&head), "{found}");
    }
}

const DIVERGENT: &str =
    ".kernel k\n    icmp.lt p0, r0, r1\n    @p0 iadd r1, r2, r3\n    iadd r1, r2, r3\n.end\n";

fn settings(disabled: &[&str], severity: Value) -> Value {
    json!({ "diagnostics": { "disabled": disabled, "severity": severity } })
}

#[test]
fn settings_change_what_is_reported() {
    let mut client = Client::with_options(&Options {
        settings: settings(&["guard-p0"], json!({ "missing-halt": "error" })),
        ..Options::default()
    });
    client.wait_until_asked("workspace/diagnostic/refresh");
    let file = client.open("k.wave", DIVERGENT);
    let found = client.diagnostics(&file);
    expect![[r#"
        4:0-4:4 error missing-halt: lanes execute past the end of the kernel: end it with `halt` or `return`
    "#]]
    .assert_eq(&render(&found));
}

#[test]
fn a_change_of_settings_takes_effect_at_once() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("k.wave", DIVERGENT);
    assert_eq!(client.published(&file).len(), 2);
    let change = |client: &mut Client, settings: Value| {
        client.notify("workspace/didChangeConfiguration", json!({ "settings": { "warplens": settings } }));
    };
    change(&mut client, settings(&["guard-p0", "missing-halt"], json!({})));
    assert_eq!(render(&client.published(&file)), "");
    change(&mut client, settings(&[], json!({ "missing-halt": "off", "guard-p0": "hint" })));
    expect![[r#"
        2:4-2:7 hint guard-p0: toolchain 0.1.2 ignores the guard `@p0` and executes this in every lane: use p1, p2, p3 or `@!p0`
    "#]]
    .assert_eq(&render(&client.published(&file)));
}

#[test]
fn an_unknown_diagnostic_in_the_settings_is_reported_once() {
    let mut client = Client::with_options(&Options::plain());
    let change = |client: &mut Client, settings: Value| {
        client.notify("workspace/didChangeConfiguration", json!({ "settings": { "warplens": settings } }));
    };
    change(&mut client, settings(&["missing-hold"], json!({})));
    change(&mut client, settings(&["missing-hold", "nonsense"], json!({})));
    let mut message =
        || client.notification("window/showMessage")["message"].as_str().unwrap_or_default().to_owned();
    expect![
        "settings `warplens.diagnostics`: unknown diagnostic `missing-hold`; did you mean `missing-halt`?"
    ]
    .assert_eq(&message());
    expect!["settings `warplens.diagnostics`: unknown diagnostic `nonsense`"].assert_eq(&message());
}

const GUIDE: &str =
    ".kernel k\n    .registers 8\n    icmp.lt p1, r0, 5\n    @p1 local_store.u32 r0, r1\n    halt\n.end\n";

#[test]
fn a_line_is_written_for_the_chosen_toolchain() {
    let mut client = Client::with_options(&Options {
        settings: json!({ "wave": { "accepts": "toolchain-0.1.2" } }),
        ..Options::default()
    });
    client.wait_until_asked("workspace/diagnostic/refresh");
    let file = client.open("k.wave", GUIDE);
    expect![[r#"
        2:4-2:11 error not-in-toolchain: the name in toolchain 0.1.2 is `icmp_lt`
        2:20-2:21 error not-in-toolchain: toolchain 0.1.2 accepts a number in `mov_imm` only: move it into a register first
        3:8-3:23 error not-in-toolchain: the name in toolchain 0.1.2 is `local_store_u32`
    "#]].assert_eq(&render(&client.diagnostics(&file)));
    expect![[r#"
        Rewrite for toolchain 0.1.2 (quickfix, preferred) of not-in-toolchain
            version 1
            2:4-2:4 "mov_imm r2, 5\n    "
            2:4-2:11 "icmp_lt"
            2:20-2:21 "r2"
    "#]]
    .assert_eq(&shown(&actions(&mut client, &file, range([2, 4], [2, 4]), Some("quickfix"))));
    expect![[r#"
        Fix all safe problems (source.fixAll.warplens)
            version 1
            2:4-2:4 "mov_imm r2, 5\n    "
            2:4-2:11 "icmp_lt"
            2:20-2:21 "r2"
            3:8-3:23 "local_store_u32"
            3:24-3:26 "r1"
            3:28-3:30 "r0"
    "#]]
    .assert_eq(&shown(&actions(&mut client, &file, range([0, 0], [0, 0]), Some("source.fixAll"))));
}

#[test]
fn what_wave_emu_cannot_run_is_written_for_it() {
    let mut client = Client::start();
    let file = client.open("k.wave", GUIDE);
    let argument = json!({ "uri": file.uri, "model": "wave-emu" });
    client.command("warplens.selectLaunch", argument).expect("there is a launch");
    let masks = client.request("warplens/laneMasks", file.params());
    assert_eq!(masks["findings"][0]["code"], "not-assembled");
    expect![[r#"
        Rewrite file in the toolchain's dialect (quickfix, preferred) of not-assembled
            version 1
            2:4-2:4 "mov_imm r2, 5\n    "
            2:4-2:11 "icmp_lt"
            2:20-2:21 "r2"
            3:8-3:23 "local_store_u32"
            3:24-3:26 "r1"
            3:28-3:30 "r0"
    "#]]
    .assert_eq(&shown(&actions(&mut client, &file, range([2, 0], [2, 5]), None)));
}

#[test]
fn a_file_is_rewritten_in_the_other_dialect() {
    check(
        ("k.wave", GUIDE),
        range([0, 0], [0, 0]),
        Some("source"),
        expect![[r#"
        Rewrite file in the toolchain's dialect (source.rewriteInToolchainSpelling.warplens)
            version 1
            2:4-2:4 "mov_imm r2, 5\n    "
            2:4-2:11 "icmp_lt"
            2:20-2:21 "r2"
            3:8-3:23 "local_store_u32"
            3:24-3:26 "r1"
            3:28-3:30 "r0"
    "#]],
    );
    let kind = "source.rewriteInGuideSpelling.warplens";
    let toolchain = GUIDE.replace("icmp.lt p1, r0, 5", "icmp_lt p1, r0, r2");
    check(
        ("k.wave", &toolchain),
        range([0, 0], [0, 0]),
        Some(kind),
        expect![[r#"
        Rewrite file in the guide's dialect (source.rewriteInGuideSpelling.warplens)
            version 1
            2:4-2:11 "icmp.lt"
    "#]],
    );
    check(("k.ptx", SOURCE), range([0, 0], [0, 0]), Some(kind), expect![[""]]);
}

const LAUNCHED: &str = "\
.version 8.5
.target sm_90
.address_size 64
// @launch { name = \"half\", block = [16] }
.entry first()
{
    ret;
}
.entry second() { ret; }
";

#[test]
fn a_launch_is_started_on_the_line_of_a_kernel() {
    let mut client = Client::start();
    let file = client.open("k.ptx", LAUNCHED);
    let titles = |client: &mut Client, line: u32, only| {
        let found = actions(client, &file, range([line, 3], [line, 3]), only);
        let kinds = |action: &&Value| action["kind"] == "warplens.simulate";
        found.iter().filter(kinds).map(|action| action["title"].to_string()).collect::<Vec<_>>().join(", ")
    };
    expect![[r#""Simulate: half", "Simulate: inferred 1 x 32", "Write the inferred launch""#]]
        .assert_eq(&titles(&mut client, 4, None));
    expect![[r#""Simulate: inferred 1 x 32", "Write the inferred launch""#]].assert_eq(&titles(
        &mut client,
        8,
        None,
    ));
    assert_eq!(titles(&mut client, 6, None), "");
    assert_eq!(titles(&mut client, 4, Some("quickfix")), "");
    let found = actions(&mut client, &file, range([4, 0], [4, 0]), Some("warplens.simulate"));
    let command = &found[0]["command"];
    assert_eq!(command["command"], "warplens.selectLaunch");
    client.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    // The answer to this request waits for the run.
    client.request("warplens/laneMasks", file.params());
    expect![[r#""Stop showing lanes", "Simulate: inferred 1 x 32", "Write the inferred launch""#]]
        .assert_eq(&titles(&mut client, 4, None));
}

#[test]
fn the_extension_edits_launches_and_has_its_own_list_of_them() {
    let initialization = json!({ "lenses": "extension" });
    let mut client = Client::with_options(&Options { initialization, ..Options::default() });
    let file = client.open("k.ptx", LAUNCHED);
    let found = actions(&mut client, &file, range([4, 0], [4, 0]), Some("warplens.simulate"));
    let commands: Vec<_> = found.iter().map(|action| &action["command"]["command"]).collect();
    assert_eq!(commands, ["warplens.editLaunch", "warplens.copyLink"]);
}

#[test]
fn a_link_is_a_fragment_until_a_setting_names_the_page() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("k.ptx", LAUNCHED);
    let link = |client: &mut Client| {
        let answer = client.command("warplens.link", json!({ "uri": file.uri })).expect("a link");
        answer["link"].as_str().expect("a text").to_owned()
    };
    let fragment = link(&mut client);
    assert!(fragment.starts_with("1."), "{fragment}");
    let settings = json!({ "warplens": { "web": { "url": "https://example.org/lanes/" } } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    assert_eq!(link(&mut client), format!("https://example.org/lanes/#{fragment}"));
    // The launch that is shown is a part of the link.
    client.command("warplens.selectLaunch", json!({ "uri": file.uri })).expect("a launch");
    client.request("warplens/laneMasks", file.params());
    assert!(link(&mut client).len() > fragment.len() + 27);
}

#[test]
fn a_client_without_code_actions_gets_the_commands() {
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("k.ptx", LAUNCHED);
    let found = actions(&mut client, &file, range([4, 0], [4, 0]), None);
    assert_eq!(found[0]["command"], "warplens.selectLaunch");
    assert_eq!(found[0]["title"], "Simulate: half");
    assert_eq!(actions(&mut client, &file, range([6, 0], [6, 0]), None), Vec::<Value>::new());
}
