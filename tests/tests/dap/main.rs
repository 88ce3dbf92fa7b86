//! The debug adapter as a client sees it. A test for each rule of docs/debugging.md.

#[path = "../support/mod.rs"]
mod support;

mod activations;
mod changes;
mod client;
mod walk;
mod why;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use client::Client;
use serde_json::{Value, json};
use support::Folder;
use why::chain;

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

fn divergence() -> Client {
    Client::launched(&example("divergence.ptx"), json!({ "launch": "one warp" }))
}

/// Two warps, a call, a barrier, shared memory and a shuffle.
const CALLS: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %out) twice(.reg .b32 %in)
{
    add.u32 %out, %in, %in;
    ret;
}
// @launch { name = 'calls', grid = [2], block = [64], args = [{ name = 'out', buffer = 'u32', len = 64 }] }
.visible .entry k(.param .u64 p)
{
    .shared .align 4 .b32 tile[64];
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    call (%r2), twice, (%r1);
    mov.u32 %r3, tile;
    shl.b32 %r4, %r1, 2;
    add.u32 %r5, %r3, %r4;
    st.shared.b32 [%r5], %r2;
    bar.sync 0;
    xor.b32 %r6, %r4, 252;
    add.u32 %r6, %r6, %r3;
    ld.shared.b32 %r7, [%r6];
    shfl.sync.bfly.b32 %r8, %r7, 1, 31, -1;
    mov.u32 %r9, %r8;
    ld.param.u64 %rd1, [p];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r9;
    ret;
}
";

fn calls(folder: &Folder) -> Client {
    Client::launched(&folder.write("calls.ptx", CALLS), json!({}))
}

fn line(position: &Value) -> u64 {
    position["line"].as_u64().unwrap_or(0)
}

#[test]
fn steps_count_from_0_and_both_ends_can_be_left() {
    let mut client = divergence();
    let start = client.position();
    assert_eq!((&start["step"], &start["line"], &start["cta"]), (&json!(0), &json!(17), &json!([0, 0, 0])));
    assert_eq!((&start["active"], &start["warp"]), (&json!("ffffffff"), &json!(0)));
    let steps = start["steps"].as_u64().expect("a number");
    let end = client.to(steps);
    assert_eq!((&end["step"], &end["line"]), (&json!(steps), &Value::Null));
    let (stop, last) = client.go("stepBack", json!({ "threadId": 1 }));
    assert_eq!((&stop["reason"], &last["step"]), (&json!("step"), &json!(steps - 1)));
    let (stop, end) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((&stop["reason"], &end["step"]), (&json!("end"), &json!(steps)));
    let (stop, start) = client.go("reverseContinue", json!({ "threadId": 1 }));
    assert_eq!((&stop["reason"], &start["step"]), (&json!("entry"), &json!(0)));
    let (_, still) = client.go("stepBack", json!({ "threadId": 1 }));
    assert_eq!(still["step"], 0);
    assert!(client.refused("warplens/position", json!({ "to": steps + 1 })).contains("between 0 and"));
    assert!(client.refused("warplens/position", json!({ "to": -1 })).contains("between 0 and"));
}

#[test]
fn lines_follow_the_client() {
    let mut client = Client::new();
    client.ask("initialize", json!({ "adapterID": "warplens", "linesStartAt1": false }));
    client.ask("launch", json!({ "program": example("divergence.ptx"), "launch": "one warp" }));
    client.ask("configurationDone", json!({}));
    client.stopped();
    assert_eq!(client.position()["line"], 16);
    let path = example("divergence.ptx");
    let set =
        client.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": [{ "line": 27 }] }));
    assert_eq!(set["breakpoints"][0]["line"], 27);
    assert_eq!(client.go("continue", json!({ "threadId": 1 })).1["line"], 27);
}

#[test]
fn steps_go_over_calls_or_into_them_in_both_directions() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let mut step = |command: &str| line(&client.go(command, json!({ "threadId": 1 })).1);
    assert_eq!(step("next"), 16);
    assert_eq!(step("next"), 17, "over the call");
    assert_eq!(step("stepBack"), 16, "back over it");
    assert_eq!(step("stepIn"), 6);
    assert_eq!(step("stepOut"), 17);
    assert_eq!(step("warplens/stepBackInto"), 7);
    assert_eq!(step("warplens/stepBackOut"), 16);
}

#[test]
fn statements_of_a_line_are_one_step_with_granularity_line() {
    let kernel = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'lines', block = [32], args = [] }
.visible .entry k()
{
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    mov.u32 %r1, 0;
NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2; @%p1 bra NEXT;
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    ret;
}
";
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("lines.ptx", kernel), json!({}));
    let mut step = |command: &str| {
        let position = client.go(command, json!({ "threadId": 1, "granularity": "line" })).1;
        (line(&position), position["step"].as_u64().expect("a number"))
    };
    let forwards: Vec<_> = (0..4).map(|_| step("next")).collect();
    assert_eq!(forwards, [(10, 1), (10, 4), (11, 7), (12, 9)], "an iteration is a step");
    let backwards: Vec<_> = (0..4).map(|_| step("stepBack")).collect();
    assert_eq!(backwards, [(11, 7), (10, 4), (10, 1), (9, 0)]);
}

#[test]
fn next_stays_with_its_warp_and_ends_one_past_its_last_statement() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let mut warps = Vec::new();
    let mut last = client.position();
    for _ in 0..40 {
        let (stop, position) = client.go("next", json!({ "threadId": 1 }));
        assert_eq!(stop["threadId"], 1);
        if position["step"] == last["step"] {
            break;
        }
        warps.push(position["warp"].clone());
        last = position;
    }
    let others = warps.iter().filter(|warp| **warp != 0).count();
    assert!(others <= 1, "only one past the last statement: {warps:?}");
    assert!(warps.len() > 15);
}

#[test]
fn a_breakpoint_never_stops_at_the_present_position_and_conditions_look_at_lanes() {
    let mut client = divergence();
    let set = |client: &mut Client, breakpoints: Value| {
        let path = example("divergence.ptx");
        client.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": breakpoints }))
    };
    let go = |client: &mut Client, command: &str| {
        let (stop, position) = client.go(command, json!({ "threadId": 1 }));
        (stop["reason"].as_str().expect("a reason").to_owned(), position)
    };
    set(&mut client, json!([{ "line": 17 }]));
    assert_eq!(go(&mut client, "continue").0, "end");
    assert_eq!(go(&mut client, "reverseContinue").1["step"], 0);
    set(&mut client, json!([{ "line": 32, "condition": "lane == 12 && visit == 2" }]));
    let (reason, position) = go(&mut client, "continue");
    assert_eq!((reason.as_str(), &position["active"]), ("breakpoint", &json!("ffffff00")));
    assert_eq!(go(&mut client, "continue").0, "end");
    assert_eq!(go(&mut client, "reverseContinue").1["step"], position["step"]);
    client.to(0);
    set(&mut client, json!([{ "line": 32, "hitCondition": "3" }]));
    assert_eq!(go(&mut client, "continue").1["active"], "ffff0000");
    client.to(0);
    set(&mut client, json!([{ "line": 32, "condition": "popc(active) < 10" }]));
    assert_eq!(go(&mut client, "continue").1["active"], "ff000000");
    let answer = set(
        &mut client,
        json!([{ "line": 32, "condition": "%r3 >" }, { "line": 32, "condition": "%nope == 1" }, { "line": 4000 }]),
    );
    let wrong = answer["breakpoints"].as_array().expect("a list");
    assert!(wrong.iter().all(|breakpoint| breakpoint["verified"] == false), "{answer}");
    assert_eq!(wrong[0]["message"], "condition, column 6: expected a value, found the end");
}

#[test]
fn log_messages_do_not_stop() {
    let mut client = divergence();
    let path = example("divergence.ptx");
    let breakpoint = json!({ "line": 38, "logMessage": "sum {%r3} of {lane}" });
    client.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": [breakpoint] }));
    client.event("output");
    let (stop, _) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(stop["reason"], "end");
    let output = client.event("output");
    assert!(output["output"].as_str().expect("a text").starts_with("sum 101 4 103 "), "{output}");
    assert!(output["output"].as_str().expect("a text").ends_with(" of lane\n"), "{output}");
}

#[test]
fn a_data_breakpoint_stops_after_the_write_going_forward_and_before_it_going_back() {
    let mut client = divergence();
    let info = client.ask("dataBreakpointInfo", json!({ "name": "out" }));
    let id = info["dataId"].as_str().expect("an id").to_owned();
    client.ask("setDataBreakpoints", json!({ "breakpoints": [{ "dataId": id, "accessType": "write" }] }));
    let (stop, after) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((&stop["reason"], &after["line"]), (&json!("data breakpoint"), &json!(45)));
    let steps = after["steps"].as_u64().expect("a number");
    client.to(steps);
    let (_, before) = client.go("reverseContinue", json!({ "threadId": 1 }));
    assert_eq!(before["line"], 44);
    assert_eq!(before["step"].as_u64().map(|step| step + 1), after["step"].as_u64());
    client.to(0);
    let info = client.ask("dataBreakpointInfo", json!({ "name": "%r3[5]" }));
    client.ask(
        "setDataBreakpoints",
        json!({ "breakpoints": [{ "dataId": info["dataId"], "accessType": "write" }] }),
    );
    let (_, position) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(client.evaluate("%r3 == 15 && lane == 5").split(' ').nth(5), Some("1"), "{position}");
}

#[test]
fn findings_are_exceptions() {
    let racing = CALLS.replace("    bar.sync 0;\n", "");
    let folder = Folder::new();
    let file = folder.write("race.ptx", racing);
    let mut client = Client::launched(&file, json!({}));
    let (stop, position) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(stop["reason"], "exception", "{stop} {position}");
    let info = client.ask("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(info["exceptionId"], "data-race");
    assert!(info["description"].as_str().expect("a text").contains("line "), "{info}");
    client.to(0);
    client.ask("setExceptionBreakpoints", json!({ "filters": [] }));
    assert_eq!(client.go("continue", json!({ "threadId": 1 })).0["reason"], "end");
    client.to(0);
    client.ask("setExceptionBreakpoints", json!({ "filters": ["division-by-zero"] }));
    assert_eq!(client.go("continue", json!({ "threadId": 1 })).0["reason"], "end");
    let mut quiet = Client::launched(&file, json!({ "stopOnFinding": false }));
    assert_eq!(quiet.go("continue", json!({ "threadId": 1 })).0["reason"], "end");
}

#[test]
fn a_stop_in_another_block_shows_that_block() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let set = json!({ "source": { "path": folder.path().join("calls.ptx") }, "breakpoints": [{ "line": 30, "condition": "block == 1" }] });
    client.ask("setBreakpoints", set);
    let (stop, position) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((&position["cta"], &stop["threadId"]), (&json!([1, 0, 0]), &json!(3)));
    let threads = client.ask("threads", json!({}));
    let ids: Vec<_> =
        threads["threads"].as_array().expect("a list").iter().map(|thread| thread["id"].clone()).collect();
    assert_eq!(ids, [3, 4]);
    assert_eq!(threads["threads"][0]["name"], "w0  32/32  L30");
    let shown = client.ask("warplens/showBlock", json!({ "block": 0 }));
    assert_eq!(shown["threadId"], 1);
    let other = Client::launched(&folder.path().join("calls.ptx"), json!({ "block": "1,0,0" }))
        .ask("threads", json!({}));
    assert_eq!(other["threads"][0]["id"], 3);
}

#[test]
fn groups_are_frames_and_vectors_have_their_lanes_as_children() {
    let mut client = divergence();
    client.to(4);
    let frames = client.ask("stackTrace", json!({ "threadId": 1 }));
    let names: Vec<_> =
        frames["stackFrames"].as_array().expect("a list").iter().map(|frame| frame["name"].clone()).collect();
    assert_eq!(names, ["divergence  odd lanes", "divergence  even lanes, waiting"]);
    let scopes = client.ask("scopes", json!({ "frameId": frames["stackFrames"][0]["id"] }));
    let variables = |client: &mut Client, name: &str, format: Value| {
        let scope = scopes["scopes"].as_array().expect("a list").iter().find(|scope| scope["name"] == name);
        let reference = scope.expect("a scope")["variablesReference"].clone();
        client.ask("variables", json!({ "variablesReference": reference, "format": format }))["variables"]
            .clone()
    };
    let lanes = variables(&mut client, "Lanes", json!({}));
    assert_eq!((&lanes[1]["name"], &lanes[1]["value"]), (&json!("%r1"), &json!("lane")));
    let reference = lanes[1]["variablesReference"].clone();
    let children = client.ask("variables", json!({ "variablesReference": reference }))["variables"].clone();
    let children = children.as_array().expect("a list");
    assert_eq!(
        (children.len(), &children[31]["name"], &children[31]["value"]),
        (32, &json!("31"), &json!("31"))
    );
    let part = json!({ "variablesReference": reference, "filter": "indexed", "start": 8, "count": 8 });
    let part = client.ask("variables", part)["variables"].clone();
    assert_eq!((&part[0]["name"], part.as_array().map(Vec::len)), (&json!("8"), Some(8)));
    let hex = json!({ "variablesReference": reference, "format": { "hex": true } });
    assert_eq!(client.ask("variables", hex)["variables"][31]["value"], "0x0000001f");
    let divergence = variables(&mut client, "Divergence", json!({}));
    assert!(divergence[1]["value"].as_str().expect("a text").starts_with("wait at line 26"), "{divergence}");
    let all = client.ask("evaluate", json!({ "expression": "%r1" }));
    assert_eq!((&all["result"], &all["indexedVariables"]), (&json!("lane"), &json!(32)));
    client.ask("warplens/focusLane", json!({ "lane": 9 }));
    let mut shown = |context: &str| {
        client.ask("evaluate", json!({ "expression": "%r1", "context": context }))["result"].clone()
    };
    assert_eq!((shown("hover"), shown("watch"), shown("repl")), (json!("9"), json!("9"), json!("lane")));
    let refused = client.refused("warplens/focusLane", json!({ "lane": 32 }));
    assert_eq!(refused, "a warp has the lanes 0 to 31, not 32");
}

/// The names and the values of a scope.
fn texts(client: &mut Client, scope: &str) -> Vec<String> {
    let (_, variables) = changes::scope(client, 1, scope);
    let text = |variable: &Value| {
        format!(
            "{}: {}",
            variable["name"].as_str().expect("a name"),
            variable["value"].as_str().expect("a value")
        )
    };
    variables.iter().map(text).collect()
}

#[test]
fn barriers_tell_who_is_missing_and_mbarriers_what_is_pending() {
    let mut client = Client::launched(&example("mbarrier.ptx"), json!({}));
    let mut at = |step: u64| {
        client.to(step);
        texts(&mut client, "Barriers")
    };
    let none: [&str; 0] = [];
    assert_eq!(at(5), none);
    assert_eq!(at(6), ["mbarrier arrived: phase parity 0; pending: 1 of 1 arrivals, 0 bytes"]);
    assert_eq!(at(9)[0], "barrier 0: line 29; arrived: w0; expected: all threads; missing: w1 at line 20");
    assert_eq!(at(14), ["mbarrier arrived: phase parity 0; pending: 1 of 1 arrivals, 0 bytes"]);
    assert_eq!(at(18), ["mbarrier arrived: phase parity 0; pending: 0 of 1 arrivals, 256 bytes"]);
    assert_eq!(at(24), ["mbarrier arrived: phase parity 1; pending: 1 of 1 arrivals, 0 bytes"]);
    assert_eq!(texts(&mut client, "Shared"), ["tile: 256 bytes at 0x0", "arrived: 8 bytes at 0x100"]);
}

#[test]
fn counted_barriers_wait_for_their_threads_and_not_for_lanes_that_have_exited() {
    let kernel = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'named', block = [96], args = [] }
.visible .entry k()
{
    .reg .b32 %r<3>;
    .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra LAST;
    bar.sync 1, 64;
    bar.sync 0;
    ret;
LAST:
    setp.ge.u32 %p2, %r1, 80;
    @%p2 exit;
    bar.sync 0;
    ret;
}
";
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("named.ptx", kernel), json!({}));
    let steps = client.position()["steps"].as_u64().expect("a number");
    let mut seen: Vec<String> = Vec::new();
    for step in 0..=steps {
        client.to(step);
        for text in texts(&mut client, "Barriers") {
            let text = text.split(" at line").next().expect("a text").to_owned();
            if !seen.contains(&text) {
                seen.push(text);
            }
        }
    }
    assert_eq!(
        seen,
        [
            "barrier 1: line 12; arrived: w0; expected: 64 threads; missing: w1",
            "barrier 0: line 18; arrived: w2; expected: all threads; missing: w0",
            "barrier 0: line 13; arrived: w0 w2; expected: all threads; missing: w1",
        ]
    );
}

#[test]
fn expressions_are_evaluated_for_each_lane() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let set =
        json!({ "source": { "path": folder.path().join("calls.ptx") }, "breakpoints": [{ "line": 25 }] });
    client.ask("setBreakpoints", set);
    client.go("continue", json!({ "threadId": 1 }));
    for (expression, expected) in [
        ("%r2", "2*lane"),
        ("%r2 + 1", "2*lane+1"),
        ("any(%r2 > 60)", "1"),
        ("all(%r2 > 60)", "0"),
        ("popc(active)", "32"),
        ("popc(%r2 - %r2 - 1)", "32"),
        ("popc((0 - 1):s16)", "16"),
        ("(1 << 128) + (1 << 3)", "8"),
        ("[tile+4*lane]:u32", "2*lane"),
        ("shared[8]:u16", "4"),
        ("[tile+4*(lane^1)] - %r2 == 2 || lane % 2 == 1", "1"),
        ("%tid.x * 3", "3*lane"),
        ("min(%r2) + max(%r2)", "62"),
        ("%r2:f32 == 0.0", "1 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0"),
        ("(-1):u8", "255"),
        ("visit", "1"),
    ] {
        assert_eq!(client.evaluate(expression), expected, "{expression}");
    }
    assert_eq!(
        client.refused("evaluate", json!({ "expression": "%r1 + (2" })),
        "column 9: expected `)`, found the end"
    );
}

#[test]
fn memory_is_read_in_pages() {
    let mut client = divergence();
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let read = client.ask("readMemory", json!({ "memoryReference": "0x10000000", "offset": 4, "count": 4 }));
    assert_eq!((&read["address"], &read["data"]), (&json!("0x10000004"), &json!("BAAAAA==")));
    let beyond =
        client.ask("readMemory", json!({ "memoryReference": "0x10000000", "offset": 128, "count": 4 }));
    assert_eq!((&beyond["data"], &beyond["unreadableBytes"]), (&json!(""), &json!(4)));
    let before =
        client.ask("readMemory", json!({ "memoryReference": "0x10000004", "offset": -12, "count": 16 }));
    assert_eq!((&before["data"], &before["unreadableBytes"]), (&json!(""), &json!(8)));
    let within =
        client.ask("readMemory", json!({ "memoryReference": "0x10000000", "offset": 124, "count": 16 }));
    assert_eq!(within["unreadableBytes"], 12, "{within}");
    assert_eq!(
        client.refused("readMemory", json!({ "memoryReference": "shared:99:0x0", "count": 4 })),
        "block 99 does not exist: the launch has the blocks 0 to 0"
    );
}

#[test]
fn a_visit_of_a_line_is_a_target() {
    let mut client = divergence();
    let targets =
        client.ask("gotoTargets", json!({ "source": { "path": example("divergence.ptx") }, "line": 32 }));
    let targets = targets["targets"].as_array().expect("a list").clone();
    assert_eq!((targets.len(), &targets[1]["label"]), (4, &json!("visit 2 (step 12)")));
    let (stop, position) = client.go("goto", json!({ "threadId": 1, "targetId": targets[1]["id"] }));
    assert_eq!((&stop["reason"], &position["step"]), (&json!("goto"), &json!(12)));
    let visit = |visit: u64| json!({ "line": 32, "visit": visit });
    assert_eq!(
        client.refused("warplens/goTo", visit(99)),
        "warplens/goTo: the warp has no visit 99 of the line"
    );
    assert_eq!(client.position()["step"], 12);
    assert_eq!(client.go("warplens/goTo", visit(4)).0["reason"], "goto");
}

#[test]
fn wave_and_sass_are_debugged_alike() {
    let mut client = Client::launched(&example("divergence.wave"), json!({}));
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let links = chain(&mut client, json!({ "threadId": 1, "lane": 5, "register": "r2" }));
    assert_eq!(links.last(), Some(&(12, "00000005".to_owned())));
    let listing = warplens_test_support::sample("sass-exec/sass/block_sum__sm80.sass");
    let mut client = Client::launched(&listing, json!({}));
    client.go("next", json!({ "threadId": 1 }));
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let links = chain(&mut client, json!({ "threadId": 1, "lane": 5, "register": "R0" }));
    assert_eq!(links.last(), Some(&(17, "00000005".to_owned())));
}

#[test]
fn a_launch_that_cannot_be_made_says_why() {
    let mut client = Client::new();
    client.ask("initialize", json!({ "adapterID": "warplens" }));
    assert!(client.refused("launch", json!({})).contains("`program` is missing"));
    assert!(client.refused("launch", json!({ "program": "/nowhere.ptx" })).contains("/nowhere.ptx"));
    assert!(
        client
            .refused("launch", json!({ "program": example("divergence.ptx"), "launch": "nope" }))
            .contains("nope")
    );
    assert!(
        client
            .refused("launch", json!({ "program": example("divergence.ptx"), "model": "nope" }))
            .starts_with("`model`: unknown model `nope`")
    );
    let folder = Folder::new();
    let script = folder.write("kernel.py", "import triton\n");
    let refused = client.refused("launch", json!({ "program": script }));
    assert!(refused.starts_with("`program` must be a .ptx, .wave or .sass file, not "), "{refused}");
    assert!(client.refused("next", json!({ "threadId": 1 })).contains("launch"));
    assert!(client.refused("frobnicate", json!({})).contains("unknown request `frobnicate`"));
}

#[test]
fn broken_frames_and_endless_kernels_end_the_process_in_time() {
    let mut client = Client::new();
    client.write(b"hello\r\n\r\n");
    let (is_success, text) = client.end();
    assert!(!is_success && text.contains("broken frame"), "{text}");

    let mut client = Client::new();
    client.write(b"Content-Length: 5\r\n\r\n{]{]}");
    client.ask("initialize", json!({ "adapterID": "warplens" }));
    assert!(client.event("output")["output"].as_str().expect("a text").contains("not a request"));

    let folder = Folder::new();
    let endless = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'endless', block = [32], args = [] }
.visible .entry k()
{
    .reg .b32 %r<3>;
NEXT:
    add.u32 %r1, %r1, 1;
    bra NEXT;
}
";
    let file = folder.write("endless.ptx", endless);
    let mut client = Client::new();
    client.ask("initialize", json!({ "adapterID": "warplens" }));
    client.send("launch", json!({ "program": file, "maxSteps": 1_000_000_000_u64 }));
    let started = Instant::now();
    client.close_input();
    client.end();
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());

    let mut client = Client::new();
    client.ask("initialize", json!({ "adapterID": "warplens", "supportsProgressReporting": true }));
    client.send("launch", json!({ "program": file, "maxSteps": 1_000_000_000_u64 }));
    let progress = client.event("progressStart");
    assert_eq!((&progress["cancellable"], &progress["requestId"]), (&json!(true), &json!(2)));
    client.event("progressUpdate");
    client.send("cancel", json!({ "progressId": progress["progressId"] }));
    assert_eq!(client.event("progressEnd")["progressId"], progress["progressId"]);
    let refused = client.message().expect("the session goes on");
    assert_eq!((&refused["command"], &refused["message"]), (&json!("launch"), &json!("cancelled")));
    assert_eq!(client.message().expect("the session goes on")["command"], "cancel");

    let mut client = Client::launched(&file, json!({ "maxSteps": 20_000 }));
    let path = file.to_str().expect("a path");
    let many: Vec<_> =
        (0..100_000).map(|number| json!({ "line": number % 20, "condition": "%r1 == 7" })).collect();
    let set = client.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": many }));
    assert_eq!(set["breakpoints"].as_array().map(Vec::len), Some(100_000));
    let long = "1+".repeat(1 << 19);
    let set = client.ask(
        "setBreakpoints",
        json!({ "source": { "path": path }, "breakpoints": [{ "line": 9, "condition": long }] }),
    );
    assert!(set["breakpoints"][0]["message"].as_str().expect("a message").contains("nested"));
    client.ask("disconnect", json!({}));
    assert!(client.end().0);
}
