//! Register values: hovers, hints at the end of lines, the selected visit, and memory counters.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::support::{Client, File, Options, range};

/// A loop of four iterations, in each of which lanes below 8 take the other path.
const LOOP: &str = "\
.version 8.5
.target sm_90
.address_size 64
.entry iterations(.param .u64 out) {
    .reg .u32 %r<5>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<3>;
    .reg .pred %p<3>;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 8;
    mov.u32 %r2, 0;
TRIP:
    add.u32 %r2, %r2, 1;
    @%p1 bra JOIN;
    mad.lo.u32 %r3, %r1, 4, %r2;
JOIN:
    setp.lt.u32 %p2, %r2, 4;
    @%p2 bra TRIP;
    cvt.rn.f32.u32 %f1, %r1;
    sqrt.rn.f32 %f2, %f1;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 64;
    add.u64 %rd3, %rd1, %rd2;
    st.global.f32 [%rd3], %f2;
    ret;
}
";

fn open(client: &mut Client) -> File {
    let file = client.open("iterations.ptx", LOOP);
    let launch = json!({ "name": "one", "block": [32], "args": [{ "buffer": "f32", "len": 512 }] });
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri, "launch": launch }))
        .expect("it can be run");
    client.request("warplens/laneMasks", file.params());
    file
}

/// The position of the `nth` occurrence of `word` on the line that contains `part`.
fn place(file: &File, part: &str, word: &str) -> crate::support::FilePosition {
    let line = LOOP.lines().position(|line| line.contains(part)).expect("such a line");
    let start = LOOP.lines().nth(line).and_then(|text| text.rfind(word)).expect("such a word");
    file.at(line as u32, start as u32 + 1)
}

/// Shows the first lines of the hover over a register.
fn check(client: &mut Client, file: &File, part: &str, word: &str, expected: Expect) {
    let hover = client.hover(&place(file, part, word)).expect("there is a hover");
    let text = hover.split("\n\n---\n\n").next().unwrap_or_default();
    let text: Vec<_> = text.split("\n\n").take_while(|part| !part.starts_with("Launch")).collect();
    expected.assert_eq(&text.join("\n"));
}

fn hints(client: &mut Client, file: &File) -> String {
    let mut params = file.params();
    params["range"] = range([0, 0], [999, 0]);
    let hints = client.request("textDocument/inlayHint", params);
    let line = |hint: &Value| {
        let at = hint["position"]["line"].as_u64().unwrap_or_default() as usize;
        let text = LOOP.lines().nth(at).unwrap_or_default().trim();
        format!("{text:34} {}\n", hint["label"].as_str().unwrap_or_default())
    };
    hints.as_array().expect("hints").iter().map(line).collect()
}

#[test]
fn pointing_at_a_register_says_what_it_held() {
    let mut client = Client::start();
    let file = open(&mut client);
    check(
        &mut client,
        &file,
        "mov.u32 %r1",
        "%r1",
        expect![[r#"
        **`%r1`** = lane, after this line.
        **All 32 lanes** reached this line, once."#]],
    );
    check(
        &mut client,
        &file,
        "add.u32 %r2",
        "%r2",
        expect![[r#"
        **`%r2`** = 4, after this line, visit 4 of 4.
        **All 32 lanes** reached this line, 4 times."#]],
    );
    check(
        &mut client,
        &file,
        "mad.lo",
        "%r3",
        expect![[r#"
        **`%r3`** = 4*lane + 4 in lanes 8-31, after this line, visit 4 of 4.
        **24 of 32 lanes** reached this line, 4 times: lanes 8-31."#]],
    );
    check(
        &mut client,
        &file,
        "setp.lt.u32 %p1",
        "%p1",
        expect![[r#"
            **`%p1`** = true in lanes 0-7, after this line.
            **All 32 lanes** reached this line, once."#]],
    );
    check(
        &mut client,
        &file,
        "@%p2 bra",
        "%p2",
        expect![[r#"
        **`%p2`** = false, after this line, visit 4 of 4.
        **4 visits** by 32 of 32 lanes each; 0 to 32 executed per visit, 32 at least once."#]],
    );
    check(
        &mut client,
        &file,
        "cvt.rn",
        "%r1",
        expect![[r#"
        **`%r1`** = lane, after this line.
        **All 32 lanes** reached this line, once."#]],
    );
    check(
        &mut client,
        &file,
        "cvt.rn",
        "%f1",
        expect![[r#"
        **`%f1`** = lane, after this line.
        **All 32 lanes** reached this line, once."#]],
    );
    check(
        &mut client,
        &file,
        "sqrt",
        "%f2",
        expect![[r#"
            **`%f2`** after this line:
            ```text
            lane         +0         +1         +2         +3
               0        0.0        1.0  1.4142135  1.7320508
               4        2.0   2.236068  2.4494898  2.6457512
               8   2.828427        3.0  3.1622777  3.3166249
              12  3.4641016  3.6055512  3.7416575  3.8729835
              16        4.0  4.1231055  4.2426405   4.358899
              20   4.472136   4.582576   4.690416  4.7958317
              24  4.8989797        5.0  5.0990195   5.196152
              28  5.2915025  5.3851647   5.477226  5.5677643
            ```
            **All 32 lanes** reached this line, once."#]],
    );
    check(
        &mut client,
        &file,
        "add.u64",
        "%rd3",
        expect![[r#"
        **`%rd3`** = 64*lane + 0x10000000, after this line.
        **All 32 lanes** reached this line, once."#]],
    );
}

#[test]
fn a_visit_that_is_chosen_is_shown_in_all_lines() {
    let mut client = Client::start();
    let mut file = open(&mut client);
    let choose = |client: &mut Client, file: &File, line: u32, visit: Value| {
        let answer =
            client.command("warplens.selectVisit", json!({ "uri": file.uri, "line": line, "visit": visit }));
        client.request("warplens/laneMasks", file.params());
        answer
    };
    choose(&mut client, &file, 12, json!(2)).expect("there is such a visit");
    check(
        &mut client,
        &file,
        "add.u32 %r2",
        "%r2",
        expect![[r#"
            **`%r2`** = 2, after this line, visit 2 of 4.
            **All 32 lanes** reached this line, 4 times. Visit 2 of 4 is shown: 32 of 32 lanes executed, lanes 0-31."#]],
    );
    check(
        &mut client,
        &file,
        "mad.lo",
        "%r3",
        expect![[r#"
            **`%r3`** = 4*lane + 2 in lanes 8-31, after this line, visit 2 of 4.
            **24 of 32 lanes** reached this line, 4 times: lanes 8-31. Visit 2 of 4 is shown: 24 of 32 lanes executed, lanes 8-31."#]],
    );
    expect![[r#"
        add.u32 %r2, %r2, 1;               visit 2/4
        @%p1 bra JOIN;                     visit 2/4 split 8 | 24
        mad.lo.u32 %r3, %r1, 4, %r2;       visit 2/4 24/32 8-31
        setp.lt.u32 %p2, %r2, 4;           visit 2/4 join 32
        @%p2 bra TRIP;                     visit 2/4
        cvt.rn.f32.u32 %f1, %r1;           not yet run
        sqrt.rn.f32 %f2, %f1;              not yet run
        ld.param.u64 %rd1, [out];          not yet run
        mul.wide.u32 %rd2, %r1, 64;        not yet run
        add.u64 %rd3, %rd1, %rd2;          not yet run
        st.global.f32 [%rd3], %f2;         not yet run
        ret;                               not yet run
    "#]]
    .assert_eq(&hints(&mut client, &file));
    let masks = client.request("warplens/laneMasks", file.params());
    assert_eq!(masks["visit"], json!({ "line": 12, "character": 4, "number": 2 }));

    // The selection moves with the text, and survives a change of the program.
    client.edit(&mut file, range([0, 0], [0, 0]), "\n");
    client.edit(&mut file, range([11, 18], [11, 19]), "5");
    let masks = client.request("warplens/laneMasks", file.params());
    assert_eq!(masks["visit"], json!({ "line": 13, "character": 4, "number": 2 }));

    for (line, visit) in [(13, 0), (13, 99), (0, 1)] {
        let error = choose(&mut client, &file, line, json!(visit)).expect_err("there is none");
        assert_eq!(error["code"], -32803, "{error}");
    }
    choose(&mut client, &file, 13, Value::Null).expect("the last ones are shown again");
    let masks = client.request("warplens/laneMasks", file.params());
    assert_eq!(masks["visit"], Value::Null);
}

#[test]
fn settings_add_values_and_counters_to_the_hints() {
    let settings = json!({ "lanes": { "values": true }, "simulation": { "counters": true } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    let file = open(&mut client);
    // The settings may arrive after the first run.
    for _ in 0..50 {
        client.request("warplens/laneMasks", file.params());
        if hints(&mut client, &file).contains("sectors") {
            break;
        }
    }
    expect![[r#"
        mov.u32 %r1, %laneid;              %r1 = 0..31
        setp.lt.u32 %p1, %r1, 8;           %p1 = 8 of 32
        mov.u32 %r2, 0;                    %r2 = 0
        add.u32 %r2, %r2, 1;               x4; %r2 = 4
        @%p1 bra JOIN;                     x4 split 8 | 24
        mad.lo.u32 %r3, %r1, 4, %r2;       x4 24/32 8-31; %r3 = 4*lane+4
        setp.lt.u32 %p2, %r2, 4;           x4 join 32; %p2 = false
        @%p2 bra TRIP;                     x4
        cvt.rn.f32.u32 %f1, %r1;           %f1 = 0.0..31.0
        sqrt.rn.f32 %f2, %f1;              %f2 = 32 values
        ld.param.u64 %rd1, [out];          %rd1 = 0x10000000
        mul.wide.u32 %rd2, %r1, 64;        %rd2 = 64*lane
        add.u64 %rd3, %rd1, %rd2;          %rd3 = 64*lane+0x10000000
        st.global.f32 [%rd3], %f2;         32 sectors, ideal 4
    "#]]
    .assert_eq(&hints(&mut client, &file));
    let hover = client.hover(&place(&file, "st.global", "st.global")).expect("there is a hover");
    assert!(hover.contains("Global memory: 1 request"), "{hover}");
}
