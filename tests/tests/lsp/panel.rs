//! The requests of the lanes panel.

use serde_json::{Value, json};

use crate::support::{Client, File};

/// Lanes below eight take one path, the others take the other path. Each lane stores to its own word, 128
/// bytes apart.
const SPLIT: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry split(.param .u64 out) {
    .reg .u32 %r<4>;
    .reg .u64 %rd<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p, %r1, 8;
    @%p bra LOW;
    add.u32 %r2, %r1, 1;
    bra JOIN;
LOW:
    add.u32 %r2, %r1, 2;
JOIN:
    mul.wide.u32 %rd2, %r1, 128;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

/// The document, with a launch whose result is shown.
fn shown() -> (Client, File) {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    let launch = json!({
        "entry": "split", "block": [32], "grid": [1],
        "args": [{ "name": "out", "buffer": "u32", "len": 1024, "fill": "zero" }],
        "expect": [{ "name": "out", "values": [2, 7] }]
    });
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": launch }))
        .expect("it can be run");
    (client, file)
}

fn ask(client: &mut Client, file: &File, method: &str, with: Value) -> Value {
    let mut params = file.params();
    for (key, value) in with.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    client.request(method, params)
}

#[test]
fn the_time_line_has_a_run_for_each_visit_of_a_block() {
    let (mut client, file) = shown();
    let timeline = ask(&mut client, &file, "warplens/timeline", json!({}));
    assert_eq!(timeline["steps"], 11);
    assert_eq!(timeline["active"], 4 * 32 + 2 * 24 + 8 + 4 * 32);
    let runs: Vec<Value> =
        timeline["runs"].as_array().into_iter().flatten().map(|run| run["masks"][0].clone()).collect();
    assert_eq!(runs[0], json!(["ffffffff", "ffffffff", 3]));
    let marks: Vec<Value> = timeline["marks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|mark| json!([mark["kind"], mark["step"], mark["lanes"]]))
        .collect();
    assert_eq!(
        marks,
        [json!(["diverge", 3, ["ffffff00", "000000ff"]]), json!(["reconverge", 7, ["ffffff00", "000000ff"]]),]
    );
    let coarse = ask(&mut client, &file, "warplens/timeline", json!({ "bins": 2 }));
    assert_eq!((coarse["column"].clone(), coarse["columns"].as_array().map(Vec::len)), (json!(6), Some(2)));
}

#[test]
fn a_moment_is_found_by_its_step_or_by_a_line_and_a_visit() {
    let (mut client, file) = shown();
    let by_step = ask(&mut client, &file, "warplens/moment", json!({ "step": 4 }));
    assert_eq!(by_step["line"], 11);
    assert_eq!((&by_step["visit"], &by_step["visits"]), (&json!(1), &json!(1)));
    assert_eq!(by_step["active"], "ffffff00");
    let by_line = ask(&mut client, &file, "warplens/moment", json!({ "line": 11, "visit": 1 }));
    assert_eq!(by_line, by_step);
    let mut params = file.params();
    params["line"] = json!(0);
    let refused = client.send("warplens/moment", params);
    let refused = client.wait(refused).expect_err("line 1 has no statement");
    assert!(refused.to_string().contains("no statement on this line"), "{refused}");
}

#[test]
fn registers_accesses_buffers_and_the_graph() {
    let (mut client, file) = shown();
    let registers = ask(&mut client, &file, "warplens/registers", json!({ "line": 14, "pins": ["%r1"] }));
    let row = &registers["rows"][0];
    assert_eq!((row["name"].clone(), row["role"].clone()), (json!("%r2"), json!("after")));
    assert_eq!((registers["active"].clone(), row["changed"].clone()), (json!("000000ff"), json!("000000ff")));
    assert_eq!(row["values"][3], "5");
    assert_eq!(registers["rows"][2]["form"], "= lane");

    let accesses = ask(&mut client, &file, "warplens/accesses", json!({ "line": 18 }));
    let request = &accesses["requests"][0];
    assert_eq!((request["cost"].clone(), request["ideal"].clone()), (json!(32), json!(4)));
    assert_eq!(request["elements"][3], "out[96]");
    let worst = accesses["worst"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!(worst[0]["line"], 18);
    assert_eq!((worst[0]["requests"].clone(), worst[0]["cost"].clone()), (json!(1), json!(32)));

    let buffers = ask(&mut client, &file, "warplens/buffers", json!({ "name": "out", "count": 40 }));
    assert_eq!(buffers["buffers"][0]["changed"], 32);
    assert_eq!(buffers["buffers"][0]["unexpected"], 1);
    assert_eq!(buffers["page"]["expected"], json!({ "1": 7 }));
    let element = ask(&mut client, &file, "warplens/buffers", json!({ "name": "out", "element": 96 }));
    let writer = &element["element"]["writer"];
    assert_eq!((writer["lane"].clone(), writer["line"].clone()), (json!(3), json!(18)));
    assert_eq!(writer["step"], 9);

    let graph = ask(&mut client, &file, "warplens/graph", json!({}));
    let edges: Vec<Value> = graph["edges"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|edge| json!([edge["from"], edge["to"], edge["threads"], edge["diverged"]]))
        .collect();
    assert_eq!(
        edges,
        [json!([0, 1, 24, 1]), json!([0, 2, 8, 1]), json!([1, 3, 24, 0]), json!([2, 3, 8, 0]),]
    );
    assert_eq!(graph["reconverges"], json!([[0, 3]]));
}

#[test]
fn without_a_launch_there_is_nothing_to_show() {
    let mut client = Client::start();
    let file = client.open("split.ptx", SPLIT);
    for method in ["timeline", "moment", "registers", "accesses", "buffers", "graph"] {
        assert_eq!(ask(&mut client, &file, &format!("warplens/{method}"), json!({ "line": 3 })), Value::Null);
    }
}
