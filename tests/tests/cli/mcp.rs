//! `warplens mcp`: the tools that a model may call, as a client sees them.

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Folder, run};

/// Each thread stores its number in `out`, if it is below `n`.
const KERNEL: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
DONE:
    ret;
}
";

/// The answers to requests, in order. Notifications have none.
fn answers(folder: &Folder, requests: &[Value]) -> Vec<Value> {
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let output = run(folder.path(), &["mcp", "work"], input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// The text of a tool's result, whether it is an error, and the exit code.
fn result(answer: &Value) -> (String, bool, i64) {
    let result = &answer["result"];
    let texts = result["content"].as_array().expect("content").iter().map(|part| part["text"].as_str());
    let text: Vec<&str> = texts.map(|text| text.expect("a text")).collect();
    let is_error = result["isError"].as_bool().expect("a boolean");
    (text.join("\n"), is_error, result["_meta"]["exitCode"].as_i64().expect("a code"))
}

#[test]
fn a_session() {
    let folder = Folder::new();
    folder.write("work/k.ptx", KERNEL);
    folder.write("work/other.ptx", KERNEL.replace("[%rd3], %r1", "[%rd3], %r2"));
    let launch = |n: u32| json!({ "block": [64], "args": [{ "buffer": "u32", "len": 64 }, { "u32": n }] });
    let hello =
        json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "test" } });
    let answers = answers(
        &folder,
        &[
            json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": hello }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
            call(2, "check", &json!({ "source": KERNEL.replace("setp.ge", "setp.gee"), "language": "ptx" })),
            call(3, "simulate", &json!({ "path": "work/k.ptx", "launch": launch(20), "dump": "out" })),
            call(4, "simulate", &json!({ "path": "work/k.ptx", "launch": launch(64) })),
            call(5, "explain", &json!({ "name": "data-race" })),
            call(
                6,
                "compare",
                &json!({ "path": "work/k.ptx", "other": "work/other.ptx", "launch": launch(8) }),
            ),
            json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "id": 8, "method": "resources/list" }),
        ],
    );
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(json!(ids), json!(["a", 1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "warplens");
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let named = |tool: &Value| {
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties");
        let keys: Vec<&str> = properties.keys().map(String::as_str).collect();
        format!("{}: {}\n", tool["name"].as_str().unwrap_or_default(), keys.join(" "))
    };
    expect![[r#"
        check: language path source target
        simulate: dump entry language launch model path schedules seed source trace warp
        explain: name
        compare: entry launch models other path random seed
    "#]]
    .assert_eq(&tools.iter().map(named).collect::<String>());
    let (text, is_error, code) = result(&answers[2]);
    assert!(text.contains("\"severity\":\"error\"") && !is_error && code == 1, "{text}");
    let (text, is_error, code) = result(&answers[3]);
    let report: Value = serde_json::from_str(&text).expect("a report");
    assert_eq!((&report["verdict"], is_error, code), (&json!("incomplete"), false, 3));
    assert_eq!(report["buffers"]["out"]["values"][19], 19);
    assert_eq!(report["warps"].as_array().map(Vec::len), Some(1));
    let (text, _, code) = result(&answers[4]);
    assert!(text.contains("\"verdict\":\"clean\"") && code == 0, "{text}");
    assert!(result(&answers[5]).0.contains("# data-race"));
    let (text, _, code) = result(&answers[6]);
    assert!(text.contains("\"equal\":false") && code == 1, "{text}");
    assert_eq!(answers[7]["result"], json!({}));
    assert_eq!(answers[8]["error"]["code"], -32601);
}

/// What a client asks for in error, and files outside of the folder: named, through a link, through a launch, through a comment, and a
/// launch file above it.
#[test]
fn requests_that_are_refused() {
    let folder = Folder::new();
    folder.write("secret.ptx", KERNEL);
    folder.write("secret.bin", "secret");
    folder.write("warplens.toml", "[[launch]]\nname = 'outside'\nfile = '*.ptx'\n");
    folder.write("work/k.ptx", KERNEL);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.ptx", folder.path().join("work/link.ptx")).expect("a link");
    let outside = json!({ "block": [1], "args": [{ "buffer": "u8", "file": "secret.bin" }, { "u32": 0 }] });
    let comment = "// @launch { block = [1], args = [{ buffer = 'u8', file = '../secret.bin' }, { u32 = 0 }] }\n.visible";
    folder.write("work/comment.ptx", KERNEL.replace(".visible", comment));
    let simulate = |id: u32, arguments: Value| call(id, "simulate", &arguments);
    let answers = answers(
        &folder,
        &[
            simulate(1, json!({ "path": "secret.ptx" })),
            simulate(2, json!({ "path": "work/../secret.ptx" })),
            simulate(3, json!({ "path": "work/link.ptx" })),
            simulate(4, json!({ "path": "work/k.ptx", "launch": outside, "dump": "out" })),
            simulate(5, json!({ "path": "work/comment.ptx", "dump": "out" })),
            simulate(6, json!({ "path": "work/k.ptx" })),
            simulate(7, json!({ "path": "work/k.ptx", "format": "html" })),
            simulate(8, json!({ "path": "--help" })),
            simulate(9, json!({ "path": "work/k.ptx", "source": KERNEL })),
            call(10, "fmt", &json!({ "path": "work/k.ptx" })),
            json!({ "jsonrpc": "2.0", "id": 11 }),
            json!([{ "jsonrpc": "2.0", "id": 12, "method": "ping" }]),
            json!(5),
            json!({ "jsonrpc": "2.0", "id": 13, "method": "tools/call", "params": {} }),
            call(14, "check", &json!({ "path": "nope.ptx" })),
            call(15, "check", &json!({ "path": "." })),
        ],
    );
    for answer in &answers[..5] {
        let (text, is_error, code) = result(answer);
        assert!(is_error && code == 2 && text.contains("outside"), "{text}");
        assert!(!text.contains("73656372"), "{text}");
    }
    // The launch file above the folder is not used.
    let (text, is_error, _) = result(&answers[5]);
    assert!(!is_error && text.contains("\"name\":\"inferred\""), "{text}");
    assert!(
        answers[6]["error"]["message"].as_str().is_some_and(|text| text.contains("no parameter `format`"))
    );
    assert!(result(&answers[7]).1);
    assert_eq!(answers[8]["error"]["code"], -32602);
    assert_eq!(answers[9]["error"]["code"], -32602);
    for answer in &answers[10..13] {
        assert_eq!(answer["error"]["code"], -32600);
    }
    assert_eq!(answers[11]["id"], Value::Null);
    assert_eq!(answers[13]["error"]["message"], "`name` is missing: the name of a tool");
    // The message does not tell whether there is a file outside.
    for answer in &answers[14..] {
        assert!(result(answer).0.contains("cannot be read: outside"), "{answer}");
    }
    assert_eq!(answers.len(), 16);
}
