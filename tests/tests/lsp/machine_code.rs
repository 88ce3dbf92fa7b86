//! The machine code of PTX, with scripts instead of an assembler and a disassembler: `warplens/assemble`, `warplens/targets`,
//! `warplens/compare`, and one launch in both documents.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::lanes::lens_titles;
use crate::support::{Client, File, Folder, Line, Options};

/// A kernel, and the output of `ptxas -lineinfo` and `nvdisasm -gp` for it.
const PTX: &str = include_str!("../../vscode/split.ptx");
const SASS: &str = include_str!("../../vscode/split.sass");

/// Lists targets, rejects `odd`, and copies the text as the machine code.
const PTXAS: &str = r#"
if [ "$1" = --help ]; then echo "Allowed values: 'compute_80','sm_90','sm_80','sm_75','sm_100a'"; exit 0; fi
target=$2
while [ "$1" != -o ]; do input=$1; shift; done
if grep -q odd "$input"; then echo "ptxas $input, line 3; error   : it is odd" >&2; exit 255; fi
(echo "$target"; cat "$input") > "$2"
"#;

/// Prints the stored listing. A text with `seed` gets another constant.
const NVDISASM: &str = r#"
for file; do :; done
if grep -q seed "$file"; then change=s/0x7,/0x8,/; fi
sed "1s/sm_80/$(head -1 "$file")/;$change" "$(dirname "$0")/split.sass"
"#;

struct Tools {
    folder: Folder,
    client: Client,
    file: File,
}

/// A client whose settings name these scripts, with the kernel open.
fn tools(ptxas: &str, nvdisasm: &str, ptx: &str) -> Tools {
    let folder = Folder::new();
    for (name, body) in [("ptxas", ptxas), ("nvdisasm", nvdisasm)] {
        let path = folder.write(name, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    }
    folder.write("split.sass", SASS);
    let path = folder.write("split.ptx", ptx);
    let settings = json!({ "ptxas": { "path": folder.path().join("ptxas") } });
    let initialization = json!({ "lenses": "extension" });
    let options = Options { settings, initialization, ..Options::default() };
    let mut client = Client::with(Line::memory(), &options);
    let file = client.open_path(&path, ptx);
    Tools { folder, client, file }
}

impl Tools {
    fn assemble(&mut self, target: Option<&str>) -> Result<Value, Value> {
        let params = json!({ "textDocument": { "uri": self.file.uri }, "target": target });
        let id = self.client.send("warplens/assemble", params);
        self.client.wait(id)
    }

    /// The message of a failure, without the path of the folder.
    fn failure(&mut self) -> String {
        let error = self.assemble(None).expect_err("there is no machine code");
        let message = error["message"].as_str().expect("a message").to_owned();
        message.replace(&self.folder.path().display().to_string(), "~")
    }

    fn compare(&mut self, more: Value) -> Result<Value, Value> {
        let mut params = json!({ "textDocument": { "uri": self.file.uri } });
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let id = self.client.send("warplens/compare", params);
        self.client.wait(id)
    }

    /// Opens the machine code as an editor would.
    fn open_sass(&mut self) -> File {
        let text = self.assemble(None).expect("machine code")["text"].as_str().expect("a text").to_owned();
        let uri = format!("warplens-sass:{}.sass", self.folder.path().join("split.ptx").display());
        let sass = File { uri, text, version: 1, ..self.client.open_as("ptx", "none.ptx", "") };
        let item = json!({ "uri": sass.uri, "languageId": "sass", "version": 1, "text": sass.text });
        self.client.notify("textDocument/didOpen", json!({ "textDocument": item }));
        sass
    }
}

#[test]
fn the_listing_of_a_target() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let answer = tools.assemble(None).expect("machine code");
    assert_eq!(answer, json!({ "text": SASS, "target": "sm_80" }));
    let other = tools.assemble(Some("sm_90")).expect("machine code");
    assert_eq!(other["target"], "sm_90");
    assert!(other["text"].as_str().is_some_and(|text| text.starts_with("\t.target\tsm_90\n")), "{other}");
    let refused = tools.assemble(Some("-o /etc/passwd")).expect_err("no target");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("is not a target")), "{refused}");
    let targets = tools.client.request("warplens/targets", tools.file.params());
    assert_eq!(targets, json!({ "own": "sm_80", "targets": ["sm_80", "sm_90", "sm_100a"] }));
}

#[test]
fn a_target_that_the_assembler_no_longer_has_is_replaced_by_the_next() {
    let mut tools = tools(PTXAS, NVDISASM, &PTX.replace("sm_80", "sm_70"));
    assert_eq!(tools.assemble(None).expect("machine code")["target"], "sm_75");
    let targets = tools.client.request("warplens/targets", tools.file.params());
    assert_eq!(targets, json!({ "own": "sm_70", "targets": ["sm_75", "sm_80", "sm_90", "sm_100a"] }));
}

#[test]
fn unsaved_text_is_assembled_and_a_closed_file_too() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let mut file = tools.file.clone();
    tools.client.change(&mut file, json!([{ "text": PTX.replace("split", "odd") }]));
    assert_eq!(
        tools.failure(),
        "split.ptx: ~/ptxas rejects the file: ptxas the file, line 3; error   : it is odd"
    );
    tools.client.close(&file);
    assert!(tools.assemble(None).is_ok());
}

#[test]
fn lenses_open_and_compare_it() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    // When the server answers this, it has requested the settings.
    tools.client.request("warplens/targets", tools.file.params());
    let lenses = tools.client.request("textDocument/codeLens", tools.file.params());
    let commands: Vec<Value> =
        lenses.as_array().into_iter().flatten().map(|lens| lens["command"].clone()).collect();
    for (title, command) in
        [("SASS", "warplens.openSass"), ("Compare with ptxas", "warplens.compareWithPtxas")]
    {
        let expected = json!({ "title": title, "command": command, "arguments": [tools.file.uri, "split"] });
        assert!(commands.contains(&expected), "{commands:?}");
    }
}

#[test]
fn five_lenses_at_most_are_above_a_kernel_the_result_first() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    tools.client.request("warplens/targets", tools.file.params());
    let before = lens_titles(&mut tools.client, &tools.file);
    assert_eq!(before, ["▶ Run two warps", "2 launches ▾", "SASS", "ptxas: resources", "Compare with ptxas"]);
    let launch = json!({ "uri": tools.file.uri, "launch": "two warps" });
    tools.client.command("warplens.selectLaunch", launch).expect("it runs");
    tools.client.request("warplens/laneMasks", tools.file.params());
    let shown = lens_titles(&mut tools.client, &tools.file);
    assert_eq!(shown[1..], ["block 0, warp 0 of 2", "two warps ▾", "SASS", "ptxas: resources"]);
    assert!(shown[0].contains("instr · "), "{shown:?}");
}

#[test]
fn its_lines_link_to_the_ptx() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let sass = tools.open_sass();
    let links = tools.client.request("textDocument/documentLink", sass.params());
    let links = links.as_array().expect("links");
    let comments: Vec<_> = SASS.lines().enumerate().filter(|(_, line)| line.contains("//## File")).collect();
    assert_eq!(links.len(), comments.len());
    for (link, (line, comment)) in links.iter().zip(comments) {
        let number = comment.rsplit(' ').next().expect("a line");
        assert_eq!(link["range"]["start"]["line"], line);
        assert_eq!(link["target"], format!("{}#L{number}", tools.file.uri));
    }
    let (line, _) = SASS.lines().enumerate().find(|(_, line)| line.contains("line 13")).expect("a comment");
    let position =
        json!({ "textDocument": { "uri": sass.uri }, "position": { "line": line, "character": 20 } });
    let hover = tools.client.request("textDocument/hover", position);
    let expected = "`split.ptx:13`\n\n```ptx\nsetp.lt.u32 %p1, %r1, 20;\n```";
    assert_eq!(hover["contents"]["value"], expected);
}

#[test]
fn both_documents_show_one_launch() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let sass = tools.open_sass();
    let follow = json!({ "uri": sass.uri, "launchOf": tools.file.uri, "warp": 0 });
    let refused = tools.client.command("warplens.selectLaunch", follow.clone()).expect_err("no launch");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("no lanes are shown")), "{refused}");
    tools.client.command("warplens.selectLaunch", json!({ "uri": tools.file.uri })).expect("lanes");
    let ptx = tools.client.request("warplens/laneMasks", tools.file.params());
    tools.client.command("warplens.selectLaunch", follow).expect("the same lanes");
    let masks = tools.client.request("warplens/laneMasks", sass.params());
    assert_eq!(masks["launch"], ptx["launch"]);
    assert_eq!(masks["launch"]["name"], "two warps");
    let executed = |masks: &Value, text: &str, part: &str| {
        let line = text.lines().position(|line| line.contains(part)).expect("a line");
        let found = masks["lines"].as_array().into_iter().flatten().find(|found| found["line"] == line);
        found.map(|found| found["visits"][0]["executed"].clone())
    };
    // The lanes below 20 add, the others multiply.
    assert_eq!(executed(&masks, SASS, "IADD3"), executed(&ptx, PTX, "add.u32"));
    assert_eq!(executed(&masks, SASS, "@P0 IMAD"), executed(&ptx, PTX, "mul.lo"));

    // Another warp is selected with the name of a launch that this document does not have.
    let next = json!({ "uri": sass.uri, "launch": "two warps", "cta": [0, 0, 0], "warp": 1 });
    tools.client.command("warplens.selectLaunch", next).expect("the launch that was given");
    let masks = tools.client.request("warplens/laneMasks", sass.params());
    assert_eq!(masks["warp"], 1);
    assert_eq!(executed(&masks, SASS, "IADD3"), Some(json!("00000000")));
}

#[test]
fn hovers_name_the_registers_of_the_ptx() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let sass = tools.open_sass();
    tools.client.command("warplens.selectLaunch", json!({ "uri": tools.file.uri })).expect("lanes");
    tools.client.request("warplens/laneMasks", tools.file.params());
    let follow = json!({ "uri": sass.uri, "launchOf": tools.file.uri });
    tools.client.command("warplens.selectLaunch", follow).expect("the same lanes");
    tools.client.request("warplens/laneMasks", sass.params());
    let mut named = |part: &str, register: &str| {
        let (line, text) = SASS.lines().enumerate().find(|(_, line)| line.contains(part)).expect("a line");
        let character = text.find(register).expect("a register") + 1;
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": sass.uri }, "position": position });
        let hover = tools.client.request("textDocument/hover", params);
        let text = hover["contents"]["value"].as_str().expect("a hover").to_owned();
        let (_, name) = text.split_once("is *probably* ")?;
        name.split_once(": the values agree").map(|(name, _)| name.to_owned())
    };
    for (part, register, name) in [
        ("S2R", "R0,", Some("`%r1` of the source")),
        ("ISETP", "P0,", Some("`%p1` of the source, inverted")),
        ("ISETP", "R0,", Some("`%r1` of the source")),
        ("@P0 IMAD", "R5,", Some("`%r2` of the source")),
        ("@P0 IMAD", "R0.reuse", Some("`%r1` of the source")),
        ("STG.E", "R5 ", Some("`%r2` of the source")),
        // A constant of the multiplication, and an address, which differs between the two runs.
        ("HFMA2.MMA", "R3,", None),
        ("IMAD.WIDE", "R2,", None),
    ] {
        assert_eq!(named(part, register).as_deref(), name, "{part} {register}");
    }
}

#[test]
fn results_that_agree_are_counted() {
    let mut tools = tools(PTXAS, NVDISASM, PTX);
    let answer =
        tools.compare(json!({ "random": 5, "seed": 1, "workDoneToken": "t" })).expect("a comparison");
    assert_eq!(answer["equal"], true, "{answer}");
    assert_eq!(answer["compared"]["launches"], 6);
    assert_eq!(answer["target"], "sm_80");
    let begin = tools.client.notification("$/progress");
    let title = "Comparing split.ptx with its machine code";
    assert_eq!(
        begin,
        json!({ "token": "t", "value": { "kind": "begin", "title": title, "cancellable": true } })
    );
    while tools.client.notification("$/progress")["value"]["kind"] != "end" {}
}

#[test]
fn the_first_difference_has_both_writers() {
    let mut tools = tools(PTXAS, NVDISASM, &PTX.replace("// @launch", "// seed\n// @launch"));
    let answer = tools.compare(json!({ "random": 100 })).expect("a comparison");
    let difference = json!({
        "buffer": "out", "element": 0, "a": 7, "b": 8,
        "a_writer": { "line": 23, "character": 1, "cta": [0, 0, 0], "warp": 0, "lane": 0 },
        "b_writer": { "line": 27, "character": 35, "cta": [0, 0, 0], "warp": 0, "lane": 0 },
    });
    assert_eq!((&answer["equal"], &answer["difference"]), (&json!(false), &difference));
    assert!(answer["listing"].as_str().is_some_and(|text| text.contains("0x8, RZ")), "{answer}");
}

#[test]
fn two_files_are_compared() {
    let mut tools = tools("", "", PTX);
    let other = tools.folder.write("other.ptx", PTX.replace("%r1, 7;", "%r1, 9;"));
    let uri = format!("file://{}", other.display());
    let answer = tools.compare(json!({ "other": { "uri": uri } })).expect("a comparison");
    let difference = &answer["difference"];
    assert_eq!((&difference["a"], &difference["b"]), (&json!(7), &json!(9)));
    let answer = tools.compare(json!({ "other": { "uri": tools.file.uri } })).expect("a comparison");
    assert_eq!(answer["equal"], true);
    let absent = tools.compare(json!({ "other": { "uri": format!("{uri}x") } })).expect_err("no file");
    assert!(absent["message"].as_str().is_some_and(|text| text.contains("cannot be read")), "{absent}");
}

#[test]
fn a_comparison_of_a_kernel_that_never_ends_is_stopped() {
    // A loop without an effect is soon recognized as a livelock.
    let endless = PTX.replace("STORE:\n", "STORE:\n\tadd.u32 %r2, %r2, 1;\n\tbra STORE;\n");
    let folder = Folder::new();
    let path = folder.write("k.ptx", &endless);
    let limit = |steps: u64| json!({ "simulation": { "maxSteps": steps } });
    let options = |steps: u64| Options { settings: limit(steps), ..Options::default() };
    let params = json!({ "textDocument": { "uri": format!("file://{}", path.display()) } });
    let params = json!({ "textDocument": params["textDocument"], "other": params["textDocument"], "random": 9, "workDoneToken": 1 });

    let mut client = Client::with(Line::memory(), &options(1000));
    let answer = client.request("warplens/compare", params.clone());
    assert_eq!((&answer["equal"], &answer["difference"]), (&json!(false), &Value::Null));
    let ended: Vec<_> = answer["runs"].as_array().into_iter().flatten().map(|run| &run["status"]).collect();
    assert_eq!(ended, ["step-limit"; 2]);
    assert_eq!(answer["compared"]["launches"], 0);

    let mut client = Client::with(Line::memory(), &options(1 << 50));
    let id = client.send("warplens/compare", params.clone());
    while client.notification("$/progress")["value"]["kind"] != "report" {}
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.wait(id).expect_err("it is cancelled")["code"], -32800);
    while client.notification("$/progress")["value"]["kind"] != "end" {}
    client.send("warplens/compare", params);
    while client.notification("$/progress")["value"]["kind"] != "report" {}
    // The server waits for its tasks.
    client.finish().ended();
}

#[test]
fn tools_that_fail_are_named() {
    let message = |ptxas: &str, nvdisasm: &str| tools(ptxas, nvdisasm, PTX).failure();
    let listed = format!("{PTXAS}\nexit 0");
    assert_eq!(
        message("kill -SEGV $$", ""),
        "split.ptx: ~/ptxas was ended by a signal (signal: 11 (SIGSEGV))"
    );
    assert_eq!(message("exit 0", ""), "split.ptx: ~/ptxas ended without an output file");
    assert_eq!(
        message(&listed, "kill -KILL $$"),
        "split.ptx: ~/nvdisasm was ended by a signal (signal: 9 (SIGKILL))"
    );
    assert_eq!(
        message(&listed, "echo garbage"),
        "split.ptx: ~/nvdisasm printed something else than a listing: garbage"
    );
    let other = r#"sed "s/split/other/" "$(dirname "$0")/split.sass""#;
    assert_eq!(
        message(&listed, other),
        "split.ptx: the disassembler printed a listing of `other`, and the file has `split`; check `warplens.ptxas.path` and \
         `warplens.sass.nvdisasm`"
    );
}

#[test]
fn without_tools_the_message_names_the_settings() {
    let mut client = Client::start();
    let file = client.open("k.ptx", PTX);
    for method in ["warplens/assemble", "warplens/targets", "warplens/compare"] {
        let id = client.send(method, file.params());
        let error = client.wait(id).expect_err("there is no assembler");
        let message = error["message"].as_str().expect("a message");
        assert!(
            message.contains("`warplens.ptxas.path`") && message.contains("`warplens.sass.nvdisasm`"),
            "{message}"
        );
    }
}

/// Waits until the script has written a file, and returns the text.
fn written(path: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with("end\n") => return text,
            _ => assert!(start.elapsed() < Duration::from_secs(120), "the script did not start"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Writes its process id and folder, then hangs. A process that it starts also hangs.
const HANGS: &str = r#"
if [ "$1" = --help ]; then exit 0; fi
sleep 1000 &
(echo $$; echo $!; pwd; echo end) > "$(dirname "$0")/started"
sleep 1000
"#;

/// Whether the processes of [`HANGS`] have ended and the folder was removed.
fn is_removed(started: &str) -> bool {
    let mut lines = started.lines();
    let mut is_process = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", lines.next().expect("a process")));
        // A zombie process has ended.
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let processes = [is_process(), is_process()];
    processes == [false; 2] && !Path::new(lines.next().expect("a folder")).exists()
}

#[test]
fn a_tool_that_hangs_is_stopped_with_its_request() {
    let mut tools = tools(HANGS, "", PTX);
    // When the server answers this, it has requested the settings.
    tools.client.request("warplens/targets", tools.file.params());
    let id = tools.client.send("warplens/compare", tools.file.params());
    let started = written(&tools.folder.path().join("started"));
    tools.client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(tools.client.wait(id).expect_err("it is cancelled")["code"], -32800);
    let start = Instant::now();
    while !is_removed(&started) {
        assert!(start.elapsed() < Duration::from_secs(60), "it is still there: {started}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_tool_that_hangs_is_stopped_by_its_progress_and_with_the_server() {
    let mut tools = tools(HANGS, "", PTX);
    // When the server answers this, it has requested the settings.
    tools.client.request("warplens/targets", tools.file.params());
    let started = tools.folder.path().join("started");
    let id = tools
        .client
        .send("warplens/compare", json!({ "textDocument": { "uri": tools.file.uri }, "workDoneToken": 7 }));
    written(&started);
    tools.client.notify("window/workDoneProgress/cancel", json!({ "token": 7 }));
    assert_eq!(tools.client.wait(id).expect_err("it is cancelled")["code"], -32800);
    std::fs::remove_file(&started).expect("it was written");
    tools.client.send("warplens/assemble", tools.file.params());
    let started = written(&started);
    let Tools { client, folder, .. } = tools;
    client.finish().ended();
    assert!(is_removed(&started), "{started}");
    drop(folder);
}

/// The kernels that the corpora compare with listings, by file path.
fn corpus() -> Vec<(std::path::PathBuf, String)> {
    let folders = warplens_test_support::corpora("sass-compare/ptx").into_iter();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let files = files.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        files.map(|path| (path.clone(), std::fs::read_to_string(path).expect("a text"))).collect();
    files.sort();
    files
}

#[test]
fn the_real_tools() {
    let Some(ptxas) = warplens_test_support::program_of("WARPLENS_PTXAS") else { return };
    let kernels = corpus();
    let settings = json!({ "ptxas": { "path": ptxas } });
    let mut client = Client::with(Line::memory(), &Options { settings, ..Options::default() });
    let mut checked = [0; 2];
    for (path, text) in &kernels {
        let uri = format!("file://{}", path.display());
        let sass = client.request("warplens/assemble", json!({ "textDocument": { "uri": uri } }));
        let sass = sass["text"].as_str().expect("a listing");
        let document = json!({ "uri": format!("warplens-sass:{}.sass", path.display()) });
        let mut item = document.clone();
        item["languageId"] = json!("sass");
        item["version"] = json!(1);
        item["text"] = json!(sass);
        client.notify("textDocument/didOpen", json!({ "textDocument": item }));
        let links = client.request("textDocument/documentLink", json!({ "textDocument": document }));
        let links = links.as_array().expect("links");
        let instructions = check_links(links, &uri, text, sass);
        checked = [checked[0] + 1, checked[1] + instructions];
        client.notify("textDocument/didClose", json!({ "textDocument": document }));
    }
    eprintln!("{} kernels, {} instructions with the line that nvdisasm prints", checked[0], checked[1]);
}

/// Checks that each comment links to the PTX line that it names, and that this line has a statement or starts a kernel.
/// Returns the number of instructions.
fn check_links(links: &[Value], uri: &str, ptx: &str, sass: &str) -> usize {
    let lines: Vec<&str> = ptx.lines().collect();
    let (mut linked, mut instructions) = (None, 0);
    for (number, line) in sass.lines().enumerate() {
        if let Some((_, printed)) = line.split_once("//## File \".nv_debug_ptx_txt\", line ") {
            let link = links.iter().find(|link| link["range"]["start"]["line"] == number).expect("a link");
            assert_eq!(link["target"], format!("{uri}#L{printed}"));
            let at: usize = printed.parse().expect("a number");
            let statement = lines[at - 1].trim();
            assert!(
                statement.ends_with([';', '{', ')', ':', '(']) || statement.contains(';'),
                "{uri}:{at}: {statement}"
            );
            linked = Some(at);
        } else if line.trim_start().starts_with("/*0") && linked.is_some() {
            instructions += 1;
        } else if line.starts_with("//----") {
            linked = None;
        }
    }
    instructions
}
