//! The user's assembler: a script that imitates it, and the real one if present.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Options, range, render};

/// Rejects `odd`, hangs at `slow`, and knows the resources of `k`.
const SCRIPT: &str = r#"#!/bin/sh
for file; do :; done
if grep -q slow "$file"; then echo $$ > "$(dirname "$0")/slow"; exec sleep 1000; fi
if [ "$1" = -v ]; then
    echo "ptxas info    : Compiling entry function 'k' for '$3'"
    echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    echo "ptxas info    : Used 32 registers, used 0 barriers, 48 bytes smem"
    exit 0
fi
line=$(grep -n odd "$file" | cut -d: -f1)
if [ -n "$line" ]; then
    echo "ptxas $file, line $line; error   : $2 is odd"
    echo "ptxas $file, line $((line + 1)); warning : so is this"
    echo "ptxas fatal   : Ptx assembly aborted due to errors"
    exit 255
fi
"#;

const SOURCE: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry k()
{
    .reg .u32 %r<2>;
    mov.u32 %r1, 1; // odd
    mov.u32 %r1, 2;
    exit;
}
";

fn client(path: &str) -> Client {
    let mut client = Client::with_options(&Options::plain());
    let settings = json!({ "warplens": {
        "ptxas": { "path": path },
        // This test is only about the assembler's messages.
        "diagnostics": { "disabled": ["unused-register"] },
    } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    client
}

fn script(folder: &Folder) -> String {
    folder.write("ptxas", SCRIPT);
    let path = folder.path().join("ptxas");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.to_string_lossy().into_owned()
}

fn save(client: &mut Client, file: &File) {
    client.notify("textDocument/didSave", file.params());
}

/// The next published diagnostics that are not empty.
fn found(client: &mut Client, file: &File) -> Vec<Value> {
    loop {
        let found = client.published(file);
        if !found.is_empty() {
            return found;
        }
    }
}

#[test]
fn a_save_shows_what_it_finds_until_the_line_is_edited() {
    let folder = Folder::new();
    let mut client = client(&script(&folder));
    let mut file = client.open("k.ptx", SOURCE);
    save(&mut client, &file);
    let shown = found(&mut client, &file);
    expect![[r#"
        6:4-6:26 error : compute_90 is odd
        7:4-7:19 warning : so is this
    "#]]
    .assert_eq(&render(&shown));
    assert_eq!(shown[0]["source"], "ptxas");

    client.edit(&mut file, range([2, 0], [2, 0]), "\n");
    expect![[r#"
        7:4-7:26 error : compute_90 is odd
        8:4-8:19 warning : so is this
    "#]]
    .assert_eq(&render(&client.published(&file)));
    client.edit(&mut file, range([7, 4], [7, 7]), "mov");
    expect![[r#"
        8:4-8:19 warning : so is this
    "#]]
    .assert_eq(&render(&client.published(&file)));
    client.edit(&mut file, range([7, 20], [7, 26]), "");
    client.published(&file);
    save(&mut client, &file);
    assert_eq!(render(&client.published(&file)), "");
}

#[test]
fn lines_where_we_find_an_error_are_ours() {
    let folder = Folder::new();
    let mut client = client(&script(&folder));
    let file = client.open("k.ptx", &SOURCE.replace("mov.u32 %r1, 1;", "mow.u32 %r1, 1;"));
    assert_eq!(client.published(&file).len(), 1);
    save(&mut client, &file);
    expect![[r#"
        6:4-6:7 error unknown-instruction: unknown instruction `mow`; did you mean `mov`?
        7:4-7:19 warning : so is this
    "#]]
    .assert_eq(&render(&client.published(&file)));
}

#[test]
fn a_newer_save_stops_the_run_before() {
    let folder = Folder::new();
    let mut client = client(&script(&folder));
    let mut file = client.open("k.ptx", &SOURCE.replace("odd", "odd slow"));
    save(&mut client, &file);
    client.edit(&mut file, range([6, 26], [6, 31]), "");
    save(&mut client, &file);
    assert_eq!(found(&mut client, &file).len(), 2);
}

#[test]
fn the_run_in_progress_ends_with_the_server() {
    let folder = Folder::new();
    let mut client = client(&script(&folder));
    let file = client.open("k.ptx", &SOURCE.replace("odd", "slow"));
    save(&mut client, &file);
    let started = || std::fs::read_to_string(folder.path().join("slow")).unwrap_or_default();
    while !started().ends_with('\n') {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    client.finish().ended();
    let process = format!("/proc/{}/cmdline", started().trim());
    let command = std::fs::read_to_string(process).unwrap_or_default();
    assert!(!command.contains("sleep"), "{command}");
}

#[test]
fn a_missing_program_is_reported_once() {
    let folder = Folder::new();
    let path = folder.path().join("none").to_string_lossy().into_owned();
    let mut client = client(&path);
    let file = client.open("k.ptx", SOURCE);
    save(&mut client, &file);
    let shown = client.notification("window/showMessage")["message"].to_string();
    assert!(shown.contains("warplens.ptxas.path") && shown.contains(&path), "{shown}");
    save(&mut client, &file);
    // A message that is certain to be shown. It would follow a second message of the save, if there were one.
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "warplens": { "lanes": 1 } } }));
    let shown = client.notification("window/showMessage")["message"].to_string();
    assert!(shown.contains("the previous settings stay in effect"), "{shown}");
}

#[test]
fn a_lens_shows_the_resources_of_a_kernel() {
    let folder = Folder::new();
    let mut client = client(&script(&folder));
    let mut file = client.open("k.ptx", SOURCE);
    let lens = |client: &mut Client, file: &File| {
        let lenses = client.request("textDocument/codeLens", file.params());
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        let commands = lenses.into_iter().map(|lens| lens["command"].clone());
        commands.filter(|command| command["command"] == "warplens.ptxasResources").collect::<Vec<_>>()
    };
    let asking = lens(&mut client, &file);
    assert_eq!(asking.len(), 1);
    assert_eq!(asking[0]["title"], "ptxas: resources");
    let answer = client.command("warplens.ptxasResources", asking[0]["arguments"][0].clone());
    let used = json!([{ "entry": "k", "registers": 32, "spills": 0, "shared": 48, "stack": 0 }]);
    assert_eq!(answer, Ok(used));
    assert_eq!(lens(&mut client, &file)[0]["title"], "32 registers, 0 spills, 48 B shared, 0 B stack");
    client.edit(&mut file, range([0, 0], [0, 0]), "\n");
    assert_eq!(lens(&mut client, &file)[0]["title"], "ptxas: resources");
}

#[test]
fn without_the_setting_nothing_is_run() {
    let mut client = client("");
    let file = client.open("k.ptx", SOURCE);
    save(&mut client, &file);
    assert_eq!(render(&client.published(&file)), "");
    let refused =
        client.command("warplens.ptxasResources", json!({ "uri": file.uri })).expect_err("it is off");
    assert!(refused["message"].to_string().contains("warplens.ptxas.path"), "{refused}");
}

#[test]
fn the_real_one() {
    let Some(path) = warplens_test_support::program_of("WARPLENS_PTXAS") else { return };
    let mut client = client(&path);
    let file = client.open("k.ptx", SOURCE);
    let used = client.command("warplens.ptxasResources", json!({ "uri": file.uri })).expect("it is accepted");
    assert_eq!(used[0]["entry"], "k");
    assert!(used[0]["registers"].as_u64().is_some_and(|registers| registers > 0), "{used}");
    save(&mut client, &file);
    assert_eq!(render(&client.published(&file)), "");
}
