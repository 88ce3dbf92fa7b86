//! Calls as frames: each activation of a function has registers of its own.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::Folder;

/// The sum of 1 to 3, computed by recursion.
const RECURSION: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %out) sum(.reg .b32 %in)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    mov.u32 %r1, %in;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %out, 0;
    @%p1 ret;
    sub.u32 %r2, %r1, 1;
    call (%r3), sum, (%r2);
    add.u32 %out, %r1, %r3;
    ret;
}
// @launch { name = 'recursion', block = [32], args = [{ name = 'out', buffer = 'u32', len = 1 }] }
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    mov.u32 %r1, 3;
    call (%r2), sum, (%r1);
    call (%r3), sum, (%r2);
    ld.param.u64 %rd1, [p];
    st.global.u32 [%rd1], %r2;
    ret;
}
";

/// The names of the frames, and the values of a register in each.
fn frames(client: &mut Client, register: &str) -> Vec<(String, String)> {
    let frames = client.ask("stackTrace", json!({ "threadId": 1 }))["stackFrames"].clone();
    let shown = |frame: &Value| {
        let of = json!({ "expression": register, "frameId": frame["id"] });
        let value = client.ask("evaluate", of)["result"].clone();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&frame["name"]), text(&value))
    };
    frames.as_array().expect("a list").iter().map(shown).collect()
}

#[test]
fn frames_of_a_recursion_have_their_own_registers() {
    let folder = Folder::new();
    let path = folder.write("recursion.ptx", RECURSION);
    let mut client = Client::launched(&path, json!({}));
    let breakpoints = json!({ "source": { "path": path }, "breakpoints": [{ "line": 14 }] });
    client.ask("setBreakpoints", breakpoints);
    let mut sums = Vec::new();
    for _ in 0..3 {
        let (_, position) = client.go("continue", json!({ "threadId": 1 }));
        assert_eq!(position["line"], 14);
        sums.push(frames(&mut client, "%r1"));
    }
    let frame = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (called, entry) = ("sum  lanes 0-31, in a call", frame("k  lanes 0-31, in a call", "3"));
    let of = |values: [&str; 3]| {
        let values = values.into_iter().filter(|value| !value.is_empty()).enumerate();
        let name = |at| if at == 0 { "sum  lanes 0-31" } else { called };
        values.map(|(at, value)| frame(name(at), value)).chain([entry.clone()]).collect::<Vec<_>>()
    };
    assert_eq!(sums, [of(["1", "2", "3"]), of(["2", "3", ""]), of(["3", "", ""])]);
    let chain = client.ask("warplens/why", json!({ "threadId": 1, "lane": 5, "register": "%r3" }));
    assert_eq!(chain["chain"][0]["value"], "00000003", "{chain}");

    // The next call of the function has not written its registers yet.
    client.ask("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": [{ "line": 8 }] }));
    client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(frames(&mut client, "%r3")[0].1, "-");
    let chain = client.ask("warplens/why", json!({ "threadId": 1, "lane": 5, "register": "%r3" }));
    assert_eq!(chain["chain"], json!([]));
}
