//! Values that a client changes: the launch goes on with them as a kernel would that computes them.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::Folder;
use crate::walk::shown;
use crate::{calls, example};

/// The variables of a scope of the warp with the focus.
pub(crate) fn scope(client: &mut Client, thread: u64, name: &str) -> (Value, Vec<Value>) {
    let frames = client.ask("stackTrace", json!({ "threadId": thread }));
    let scopes = client.ask("scopes", json!({ "frameId": frames["stackFrames"][0]["id"] }));
    let scope = scopes["scopes"].as_array().expect("a list").iter().find(|scope| scope["name"] == name);
    let reference = scope.expect("a scope")["variablesReference"].clone();
    let variables = client.ask("variables", json!({ "variablesReference": reference }))["variables"].clone();
    (reference, variables.as_array().expect("a list").clone())
}

fn set(client: &mut Client, scope_name: &str, name: &str, value: &str) -> Value {
    let (reference, _) = scope(client, 1, scope_name);
    client.ask("setVariable", json!({ "variablesReference": reference, "name": name, "value": value }))
}

/// Steps from one on, as the client shows them.
fn rest(client: &mut Client, from: u64) -> Vec<(Value, Value)> {
    let steps = client.position()["steps"].as_u64().expect("a number");
    let each = |step: u64| {
        client.to(step);
        shown(client, &json!(1))
    };
    (from..steps).step_by(7).chain([steps]).map(each).collect()
}

/// A kernel with its launches, and how it computes a register: as it is, and as it would with another value.
struct Case<'c> {
    program: &'c Path,
    launches: &'c str,
    more: Value,
    lines: (&'c str, &'c str),
    register: &'c str,
    value: &'c str,
}

/// Changes a register after the statement that computes it, and compares with the kernel that computes the new value.
fn compare(case: &Case<'_>) {
    let (old, new) = case.lines;
    let text = std::fs::read_to_string(case.program).expect("the program can be read");
    let name = case.program.file_name().expect("a name").to_string_lossy().into_owned();
    let line = text.lines().position(|line| line.contains(old)).expect("the file has the line") + 1;
    let mut clients = [text.clone(), text.replacen(old, new, 1)].map(|text| {
        let folder = Folder::new();
        folder.write("warplens.toml", case.launches);
        let program = folder.write(&name, text);
        let mut client = Client::launched(&program, case.more.clone());
        let targets = client.ask("gotoTargets", json!({ "source": { "path": program }, "line": line }));
        client.go("goto", json!({ "threadId": 1, "targetId": targets["targets"][0]["id"] }));
        client.go("next", json!({ "threadId": 1 }));
        client
    });
    let [changed, other] = &mut clients;
    let step = changed.position()["step"].as_u64().expect("a number");
    set(changed, "Registers", case.register, case.value);
    changed.event("output");
    let told = changed.event("output")["output"].clone();
    let start = format!("history branches before step {step}: ");
    assert!(told.as_str().expect("a text").starts_with(&start), "{told}");
    assert_eq!(rest(changed, step), rest(other, step), "{name} {}", case.more);
}

#[test]
fn a_changed_register_gives_the_run_of_a_kernel_that_computes_the_value() {
    let launches = std::fs::read_to_string(example("warplens.toml")).expect("the launches can be read");
    for model in ["stack", "its"] {
        compare(&Case {
            program: &example("divergence.ptx"),
            launches: &launches,
            more: json!({ "launch": "one warp", "model": model }),
            lines: ("shr.u32 \t%r4, %r1, 3", "shr.u32 \t%r4, %r1, 2"),
            register: "%r4",
            value: "%r1 >> 2",
        });
    }
    for model in ["structured", "wave-emu"] {
        compare(&Case {
            program: &warplens_test_support::sample("wave/from-repository/factorials.wave"),
            launches: "",
            more: json!({ "model": model }),
            lines: ("mov_imm r4, 1", "mov_imm r4, 3"),
            register: "r4",
            value: "3",
        });
    }
    let buffer = |name: &str| format!("{{ name = '{name}', buffer = 'u32', len = 64, fill = 'iota' }}");
    let args = format!("args = [{}, {}]", buffer("in"), buffer("out"));
    compare(&Case {
        program: &warplens_test_support::sample("sass-exec/sass/block_sum__sm80.sass"),
        launches: &format!("[[launch]]\nname = 'one'\nfile = 'block_sum__sm80.sass'\nblock = [32]\n{args}\n"),
        more: json!({ "launch": "one" }),
        lines: ("R5, RZ, RZ, 0x10", "R5, RZ, RZ, 0x8"),
        register: "R5",
        value: "8",
    });
}

/// Each thread loads its element, and stores it plus one.
const INCREMENT: &str = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'i', block = [64], args = [{ name = 'x', buffer = 'u32', fill = 'iota', len = 64 }] }
.visible .entry k(.param .u64 x)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd3], %r3;
    ret;
}
";

#[test]
fn changed_memory_is_loaded_by_every_warp() {
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("k.ptx", INCREMENT), json!({}));
    let (_, buffers) = scope(&mut client, 1, "Global");
    let asked =
        json!({ "variablesReference": buffers[0]["variablesReference"], "name": "40", "value": "500" });
    assert_eq!(client.ask("setVariable", asked)["value"], "500");
    let written =
        json!({ "memoryReference": buffers[0]["memoryReference"], "offset": 4, "data": "BwAAAA==" });
    assert_eq!(client.ask("writeMemory", written)["bytesWritten"], 4);
    let asked = json!({ "expression": "[x + 80]", "value": "300 + 1" });
    assert_eq!(client.ask("setExpression", asked)["value"], "301");
    for (expression, expected) in [
        ("[x + 4*lane]", "`[x + 4*lane]` has another address in each lane: name one, as in `[x + 20]`"),
        ("1 + 2", "`1 + 2` cannot be changed: it is not a register or memory"),
    ] {
        let asked = json!({ "expression": expression, "value": "1" });
        assert_eq!(client.refused("setExpression", asked), expected);
    }
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    assert_eq!(client.evaluate("max([x + 4*lane])"), "302");
    assert_eq!(client.evaluate("[x + 160]"), "501");
    assert_eq!(client.evaluate("[x + 4]"), "8");
    let asked = json!({ "threadId": 2, "lane": 8, "register": "%r2", "copies": true });
    let links = client.ask("warplens/why", asked)["chain"].clone();
    assert_eq!((&links[1]["text"], &links[1]["step"]), (&json!("set in the debugger"), &json!(0)), "{links}");
    assert_eq!((&links[1]["line"], &links[1]["value"]), (&json!(9), &json!("f4")), "{links}");
    let beyond = json!({ "memoryReference": "0x10000000", "offset": 4096, "data": "AA==" });
    assert_eq!(
        client.refused("writeMemory", beyond.clone()),
        "the launch has ended: step back before you change a value"
    );
    client.to(0);
    assert_eq!(client.refused("writeMemory", beyond), "the launch has no memory at 0x10001000");
}

#[test]
fn a_change_is_kept_before_its_step_and_dropped_by_an_earlier_one() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let at_end = |client: &mut Client| {
        let steps = client.position()["steps"].as_u64().expect("a number");
        client.to(steps);
        let asked = json!({ "threadId": 1, "lane": 0, "register": "%r9" });
        client.ask("warplens/lastWrite", asked)["value"].clone()
    };
    assert_eq!(at_end(&mut client), "0000007c");
    // Lane 1 of warp 0 passes to lane 0 what thread 62 has stored.
    client.to(0);
    client.ask(
        "setBreakpoints",
        json!({ "source": { "path": folder.path().join("calls.ptx") }, "breakpoints": [{ "line": 26 }] }),
    );
    client.go("continue", json!({ "threadId": 1 }));
    let changed = client.position()["step"].clone();
    let (_, registers) = scope(&mut client, 1, "Registers");
    let of = |name: &str| {
        registers.iter().find(|register| register["name"] == name).expect("it is named")["variablesReference"]
            .clone()
    };
    let asked =
        json!({ "variablesReference": of("%r8"), "name": "0", "value": "-2", "format": { "hex": true } });
    assert_eq!(client.ask("setVariable", asked)["value"], "0xfffffffe");
    assert_eq!(
        client.evaluate("%r8:s32 == -2 && lane == 0"),
        "1 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0 | 0 0 0 0 0 0 0 0"
    );
    client.go("stepBack", json!({ "threadId": 1 }));
    assert_eq!(client.evaluate("any(%r8:s32 == -2)"), "0", "not yet");
    assert_eq!(at_end(&mut client), "fffffffe", "it is still to come");
    client.to(1);
    set(&mut client, "Registers", "%r1", "%r1");
    assert_eq!(at_end(&mut client), "0000007c", "an earlier change starts another history");
    client.to(changed.as_u64().expect("a number"));
    let (reference, _) = scope(&mut client, 1, "Registers");
    for (value, expected) in [
        ("5000000000", "`5000000000` does not fit in b32"),
        ("1.5", "`1.5` does not fit in b32"),
        ("%r1 +", "column 6: expected a value, found the end"),
        ("%nope", "column 1: `%nope` is not a register, a special register or a variable of this kernel"),
    ] {
        let asked = json!({ "variablesReference": reference, "name": "%r8", "value": value });
        assert_eq!(client.refused("setVariable", asked), expected);
    }
    let (reference, special) = scope(&mut client, 1, "Special");
    let asked = json!({ "variablesReference": reference, "name": special[0]["name"], "value": "1" });
    assert!(client.refused("setVariable", asked).contains("it is not a register"));
}

/// A race in shared memory, and a loop of 300 steps after it.
const RACE_BEFORE_A_LOOP: &str = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { name = 'race', block = [64], args = [] }
.visible .entry k()
{
    .shared .align 4 .b32 tile[64];
    .reg .b32 %r<8>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    add.u32 %r4, %r2, %r3;
    st.shared.b32 [%r4], %r1;
    xor.b32 %r5, %r4, 128;
    st.shared.b32 [%r5], %r3;
    mov.u32 %r6, 0;
LOOP:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, 100;
    @%p1 bra LOOP;
    ret;
}
";

#[test]
fn findings_before_a_change_stay() {
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("race.ptx", RACE_BEFORE_A_LOOP), json!({}));
    let race = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(race.0["reason"], "exception", "{race:?}");
    let steps = race.1["steps"].as_u64().expect("a number");
    client.to(steps - 5);
    let (reference, _) = scope(&mut client, 2, "Registers");
    client.ask("setVariable", json!({ "variablesReference": reference, "name": "%r6", "value": "7" }));
    let changed = client.position();
    assert!(changed["steps"].as_u64() > Some(steps), "more iterations: {changed}");
    client.to(0);
    let (stop, position) = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((&stop["reason"], &position["step"]), (&json!("exception"), &race.1["step"]));
}
