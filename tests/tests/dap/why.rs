//! Chains of `warplens/why`.

use serde_json::{Value, json};

use super::client::Client;
use super::support::Folder;
use super::{calls, line};

pub(super) fn chain(client: &mut Client, arguments: Value) -> Vec<(u64, String)> {
    let body = client.ask("warplens/why", arguments);
    let links = body["chain"].as_array().expect("a list").iter();
    links
        .map(|link| {
            (link["line"].as_u64().expect("a line"), link["value"].as_str().expect("a value").to_owned())
        })
        .collect()
}

#[test]
fn a_chain_skips_copies_and_ends_at_an_origin() {
    let folder = Folder::new();
    let mut client = calls(&folder);
    let set =
        json!({ "source": { "path": folder.path().join("calls.ptx") }, "breakpoints": [{ "line": 30 }] });
    client.ask("setBreakpoints", set);
    client.go("continue", json!({ "threadId": 1 }));
    // Lane 5 got it from lane 4, which loaded what thread 59 stored: lane 27 of the other warp.
    let asked = json!({ "threadId": 1, "lane": 5, "register": "%r9" });
    let last = client.ask("warplens/lastWrite", asked.clone());
    assert_eq!((&last["line"], &last["lane"], &last["value"]), (&json!(26), &json!(5), &json!("00000076")));
    let origin = [(6, "00000076".to_owned()), (15, "0000003b".to_owned())];
    assert_eq!(chain(&mut client, asked.clone()), origin, "through the call to the sum, and to %tid.x");
    let mut with_copies = asked;
    with_copies["copies"] = json!(true);
    let links = chain(&mut client, with_copies);
    let lines: Vec<u64> = links.iter().map(|link| link.0).collect();
    let all = [26, 25, 24, 20, 16, 6, 16, 15];
    assert_eq!(lines, all, "move, shuffle, load, store, result, sum, argument, thread");
    assert!(links.iter().take(6).all(|link| link.1 == "00000076"), "{links:?}");
    let store = json!({ "threadId": 1, "lane": 4, "space": "shared", "address": 4 * 59 });
    let stored = client.ask("warplens/lastWrite", store);
    assert_eq!((&stored["line"], &stored["warp"], &stored["lane"]), (&json!(20), &json!(1), &json!(27)));
    let shift = client.ask("warplens/why", json!({ "threadId": 1, "lane": 3, "register": "%r5" }));
    let operands: Vec<_> = shift["chain"][0]["operands"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|operand| operand["value"].clone())
        .collect();
    assert_eq!(
        (operands, shift["chain"].as_array().map(Vec::len)),
        (vec![json!("00000000"), json!("0000000c")], Some(1))
    );
    let never = json!({ "threadId": 1, "lane": 0, "register": "%r11" });
    assert_eq!(chain(&mut client, never.clone()), []);
    assert_eq!(client.respond("warplens/lastWrite", never)["body"], Value::Null);
    let initial = json!({ "threadId": 1, "lane": 0, "address": "0x10000000" });
    assert_eq!(client.ask("warplens/lastWrite", initial), Value::Null);
    let past = json!({ "threadId": 1, "lane": 3, "register": "%r5", "step": 1 });
    assert_eq!(chain(&mut client, past), []);
}

/// Calls a function as compilers write it: arguments and results are in the parameter space.
const PARAMETERS: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 sum) plus(.param .b32 a, .param .b32 b)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [b];
    add.u32 %r3, %r1, 5;
    st.param.b32 [sum], %r3;
    ret;
}
// @launch { name = 'calls', block = [32], args = [] }
.visible .entry k()
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 9;
    {
    .param .b32 first;
    .param .b32 second;
    .param .b32 result;
    st.param.b32 [first], %r1;
    st.param.b32 [second], %r2;
    call (result), plus, (first, second);
    ld.param.b32 %r3, [result];
    }
    ret;
}
";

#[test]
fn chains_go_through_calls_in_the_parameter_space() {
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("plus.ptx", PARAMETERS), json!({}));
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let mut asked = json!({ "threadId": 1, "lane": 3, "register": "%r3" });
    assert_eq!(chain(&mut client, asked.clone()), [(9, "00000008".to_owned()), (17, "00000003".to_owned())]);
    asked["copies"] = json!(true);
    let lines: Vec<u64> = chain(&mut client, asked).into_iter().map(|link| link.0).collect();
    assert_eq!(lines, [26, 25, 10, 9, 7, 25, 23, 17]);
    client.to(0);
    for _ in 0..5 {
        client.go("stepIn", json!({ "threadId": 1 }));
    }
    client.go("stepIn", json!({ "threadId": 1 }));
    assert_eq!(line(&client.position()), 8, "in the function");
    assert_eq!(client.evaluate("%r1"), "lane");
}

/// Each thread loads its element of a tile that one thread copies from a buffer, the second element of which it has set.
const BULK: &str = "\
.version 8.6
.target sm_90
.address_size 64
// @launch { name = 'bulk', block = [32], args = [{ name = 'x', buffer = 'u32', fill = 'iota', len = 32 }] }
.visible .entry k(.param .u64 x)
{
    .shared .align 128 .b8 tile[128];
    .shared .align 8 .b64 full;
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, tile;
    mov.u32 %r3, full;
    setp.ne.u32 %p, %r1, 0;
    @%p bra WAIT;
    mov.u32 %r4, 77;
    st.global.u32 [%rd1+4], %r4;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 128, [%r3];
WAIT:
    bar.sync 0;
LOOP:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [%r3], 0;
    @!%p bra LOOP;
    shl.b32 %r5, %r1, 2;
    add.u32 %r6, %r2, %r5;
    ld.shared.u32 %r7, [%r6];
    ret;
}
";

#[test]
fn a_value_comes_through_a_bulk_copy() {
    let folder = Folder::new();
    let mut client = Client::launched(&folder.write("k.ptx", BULK), json!({}));
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let mut lines = |lane: u32, copies: bool| -> Vec<u64> {
        let asked = json!({ "threadId": 1, "lane": lane, "register": "%r7", "copies": copies });
        let chain = client.ask("warplens/why", asked)["chain"].clone();
        chain.as_array().expect("a list").iter().map(|link| link["line"].as_u64().expect("a line")).collect()
    };
    assert_eq!(lines(1, true), [31, 23, 19, 18], "the load, the copy, the store and the constant");
    assert_eq!(lines(1, false), [18]);
    assert_eq!(lines(2, false), [23], "initial contents of the buffer");
}

/// Each lane of an atomic receives what the lane before it left.
#[test]
fn a_chain_through_an_atomic_has_the_values_of_its_lanes() {
    let folder = Folder::new();
    let text = "\
.version 8.0
.target sm_80
.address_size 64
// @launch { block = [32], args = [{ name = 'out', buffer = 'u32', len = 1 }] }
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    atom.global.add.u32 %r1, [%rd1], 7;
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
";
    let mut client = Client::launched(&folder.write("k.ptx", text), json!({}));
    client.to(2);
    let body = client.ask("warplens/why", json!({ "threadId": 1, "lane": 5, "register": "%r1" }));
    let link = &body["chain"][0];
    assert_eq!((&link["lane"], &link["value"]), (&json!(4), &json!("00000023")), "{body}");
    // A statement that changes the register reads it too.
    client.to(0);
    let info = client.ask("dataBreakpointInfo", json!({ "name": "%r1[5]" }));
    let breakpoint = json!({ "dataId": info["dataId"], "accessType": "read" });
    client.ask("setDataBreakpoints", json!({ "breakpoints": [breakpoint] }));
    let lines = [0, 1].map(|_| line(&client.go("continue", json!({ "threadId": 1 })).1));
    assert_eq!(lines, [12, 13]);
}

/// The address of an atomic is not followed, also where it has no brackets, and its scope is no operand.
#[test]
fn a_chain_through_an_atomic_of_wave_goes_on_with_its_value() {
    let folder = Folder::new();
    let text = "\
; @launch { block = [32], args = [{ name = 'out', buffer = 'u32', len = 256 }] }
.kernel k
    .registers 32
    mov_imm r2, 0
    mov_imm r4, 1
    mov_imm r5, 512
    iadd r5, r5, r0
    atomic_add r2, r5, r4, .device
    device_store_u32 r0, r2
    halt
.end
";
    let mut client = Client::launched(&folder.write("k.wave", text), json!({}));
    let steps = client.position()["steps"].as_u64().expect("a number");
    client.to(steps);
    let body = client.ask("warplens/why", json!({ "threadId": 1, "lane": 5, "register": "r2" }));
    let links: Vec<_> = body["chain"].as_array().expect("a list").iter().map(|link| &link["line"]).collect();
    assert_eq!(links, [8, 5], "{body}");
    let operands = body["chain"][0]["operands"].as_array().expect("a list");
    let names: Vec<_> = operands.iter().map(|operand| &operand["name"]).collect();
    assert_eq!(names, ["r5", "r4"], "{body}");
}
