//! What lenses, labels and diagnostics say about the result of a run: failed expectations, costs, a chosen visit.

use serde_json::{Value, json};

use crate::lanes::{lens_titles, masks, select};
use crate::support::{Client, File, Folder, Options, range};

/// Each thread of two warps stores its number, but the text expects another one from thread 40.
fn storing(expect: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{expect}.entry two(.param .u64 out) {{\n\
         .reg .u32 %r<3>;\n.reg .u64 %d<4>;\nmov.u32 %r1, %tid.x;\nld.param.u64 %d1, [out];\n\
         mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r1;\nret;\n}}\n"
    )
}

/// The numbers to 63, with 7 instead of 40, and where the 7 is.
fn expected() -> (String, usize) {
    let before: String = (0..40).map(|number| format!("{number}, ")).collect();
    let after: String = (41..64).map(|number| format!(", {number}")).collect();
    (format!("{before}7{after}"), before.len())
}

/// The diagnostic of a failed check: its line, and its related location.
fn failed_check(client: &mut Client, file: &File) -> (Value, Value) {
    let report = client.request("textDocument/diagnostic", file.params());
    let found =
        report["items"].as_array().and_then(|all| all.iter().find(|it| it["code"] == "expect-failed"));
    let found = found.expect("it is reported");
    (found["range"]["start"]["line"].clone(), found["relatedInformation"][0].clone())
}

#[test]
fn a_failed_expectation_leads_to_the_store_and_to_the_expected_number() {
    let (values, at) = expected();
    let head = "// @launch { name = 'two', block = [64], args = [{ name = 'out', buffer = 'u32', len = 64 }], \
                expect = [{ name = 'out', values = [";
    let options = Options { initialization: json!({ "lenses": "extension" }), ..Options::default() };
    let mut client = Client::with_options(&options);
    let mut file = client.open("two.ptx", &storing(&format!("{head}{values}] }}] }}\n")));
    select(&mut client, &file, json!("two"));
    let finding = masks(&mut client, &file)["findings"][0].clone();
    assert_eq!(finding["message"], "`out`[40] is 40, expected 7");
    assert_eq!(finding["element"], json!({ "buffer": "out", "index": 40 }));
    let lanes = ["line", "warp", "lanes"].map(|key| finding[key].clone());
    assert_eq!(lanes, [json!(11), json!(1), json!("00000100")]);
    let lenses = client.request("textDocument/codeLens", file.params());
    let check = lenses.as_array().expect("lenses").iter().map(|lens| &lens["command"]);
    let check = check.into_iter().find(|command| command["title"] == "✗ out[40] is 40, expected 7");
    assert_eq!(check.map(|command| &command["command"]), Some(&json!("warplens.showUnexpected")));
    let expected = (head.len() + at) as u32;
    let (line, related) = failed_check(&mut client, &file);
    assert_eq!((&line, &related["location"]["uri"]), (&json!(11), &json!(file.uri)));
    assert_eq!(related["location"]["range"], range([3, expected], [3, expected + 1]));
    // The links follow an edit above.
    client.edit(&mut file, range([0, 0], [0, 0]), "// two\n");
    masks(&mut client, &file);
    let (line, related) = failed_check(&mut client, &file);
    assert_eq!(line, 12);
    assert_eq!(related["location"]["range"], range([4, expected], [4, expected + 1]));
}

#[test]
fn a_failed_expectation_of_a_launch_file_leads_there() {
    let folder = Folder::new();
    let path = folder.write("two.ptx", storing(""));
    let (values, at) = expected();
    let head = "[[launch]]\nname = 'two'\nfile = 'two.ptx'\nblock = [64]\nargs = [{ name = 'out', buffer = 'u32', len = 64 }]\n";
    let line = "expect = [{ name = 'out', values = [";
    folder.write("warplens.toml", format!("{head}{line}{values}] }}]\n"));
    let mut client = Client::start();
    let file = client.open_path(&path, &storing(""));
    select(&mut client, &file, json!("two"));
    masks(&mut client, &file);
    let (_, related) = failed_check(&mut client, &file);
    assert!(
        related["location"]["uri"].as_str().is_some_and(|uri| uri.ends_with("/warplens.toml")),
        "{related}"
    );
    let expected = (line.len() + at) as u32;
    assert_eq!(related["location"]["range"], range([5, expected], [5, expected + 1]));
    assert_eq!(related["message"], "`out`[40] is expected here");
}

#[test]
fn an_element_that_no_lane_stored_is_reported_at_the_kernel() {
    let head = "// @launch { name = 'two', block = [32], args = [{ name = 'out', buffer = 'u32', len = 33, fill = 'zero' }], \
                expect = [{ name = 'out', bytes = '";
    let bytes: String = (0..33u32).map(|n| format!("{:08x}", if n == 32 { 9 } else { n }.to_be())).collect();
    let mut client = Client::start();
    let file = client.open("two.ptx", &storing(&format!("{head}{bytes}' }}] }}\n")));
    select(&mut client, &file, json!("two"));
    let finding = masks(&mut client, &file)["findings"][0].clone();
    assert_eq!((&finding["line"], &finding["element"]["index"]), (&Value::Null, &json!(32)));
    assert_eq!(failed_check(&mut client, &file).0, 4);
}

#[test]
fn labels_have_the_cost_the_value_and_the_chosen_visit() {
    let text = "\
.version 8.5
.target sm_90
.address_size 64
// @launch { name = 'loop', block = [32], args = [{ name = 'in', buffer = 'u32', len = 512 }] }
.entry loop(.param .u64 in) {
    .reg .u32 %r<4>;
    .reg .pred %p<3>;
    .reg .u64 %d<4>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [in];
    mul.wide.u32 %d2, %r1, 64;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
AGAIN:
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 1;
    shr.u32 %r1, %r1, 1;
    @%p1 bra AGAIN;
    ret;
}
";
    let mut client = Client::with_options(&Options::plain());
    let file = client.open("loop.ptx", text);
    select(&mut client, &file, json!("loop"));
    let label = |client: &mut Client, line: u32| {
        let masks = masks(client, &file);
        let lines = masks["lines"].as_array().expect("lines").clone();
        lines.into_iter().find(|it| it["line"] == line).expect("it ran")["label"].clone()
    };
    assert_eq!(label(&mut client, 12), "32");
    assert_eq!(label(&mut client, 14), "x6 32>16>8>..>1");
    let settings = json!({ "settings": { "simulation": { "counters": true }, "lanes": { "values": true } } });
    client.notify("workspace/didChangeConfiguration", settings);
    assert_eq!(label(&mut client, 12), "32  32 sectors, ideal 4; %r2 = 0");
    assert_eq!(label(&mut client, 14), "x6 32>16>8>..>1  %r3 = 0");
    let visit = json!({ "uri": file.uri, "line": 14, "visit": 2 });
    client.command("warplens.selectVisit", visit).expect("it is a visit");
    assert_eq!(label(&mut client, 14), "visit 2/6 16 odd  %r3 = 0 x8, 1 x8");
    assert_eq!(label(&mut client, 15), "visit 2/6 16 odd  %p1 = 8 of 16");
    let mut params = file.params();
    params["compact"] = true.into();
    let compact = client.request("warplens/laneMasks", params);
    let traces = compact["traces"].as_array().expect("traces");
    let chosen =
        traces.iter().find(|it| it["label"].as_str().is_some_and(|label| label.starts_with("visit 2/6")));
    assert_eq!(chosen.expect("a trace")["chosen"]["active"], "aaaaaaaa");
    let mut params = file.params();
    params["position"] = json!({ "line": 14, "character": 5 });
    let hover = client.request("textDocument/hover", params);
    let text = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("Visit 2 of 6 is shown: 16 of 32 lanes executed, odd lanes."), "{text}");
}

#[test]
fn no_check_mark_where_a_race_cannot_occur() {
    let text = |body: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n// @launch {{ name = 'one', block = [32] }}\n\
             // @launch {{ name = 'two', block = [64] }}\n.entry k() {{\n.reg .u32 %r<4>;\n\
             .shared .u32 part[64];\nmov.u32 %r1, %tid.x;\n{body}ret;\n}}\n"
        )
    };
    let shared = "mov.u32 %r2, part;\nmad.lo.u32 %r2, %r1, 4, %r2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n";
    let options = Options { initialization: json!({ "lenses": "extension" }), ..Options::default() };
    let mut client = Client::with_options(&options);
    let mut first = |name: &str, body: &str, launch: &str| {
        let file = client.open(name, &text(body));
        select(&mut client, &file, json!(launch));
        masks(&mut client, &file);
        lens_titles(&mut client, &file).remove(0)
    };
    let one = first("a.ptx", shared, "one");
    assert!(one.starts_with("○") && one.ends_with("one warp: no race between warps can occur"), "{one}");
    let two = first("b.ptx", shared, "two");
    assert!(two.starts_with("✓"), "{two}");
    let alone = first("c.ptx", "", "one");
    assert!(alone.starts_with("✓"), "{alone}");
    let block = first("d.ptx", "mov.u32 %r3, %ctaid.x;\n", "two");
    assert!(
        block.starts_with("○") && block.ends_with("one block: no race between blocks can occur"),
        "{block}"
    );
}

/// Each thread stores its number at the position that it claims, so the order of threads decides where.
fn claiming(launch: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n// @launch {{ name = 'claim', block = [64], {launch} }}\n\
         .entry claim(.param .u64 out) {{\n.shared .u32 next;\n.reg .pred %p<2>;\n.reg .u32 %r<3>;\n.reg .u64 %d<4>;\n\
         ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [next], 0;\n\
         bar.sync 0;\natom.shared.add.u32 %r2, [next], 1;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d1, %d2;\n\
         st.global.u32 [%d2], %r1;\nret;\n}}\n"
    )
}

/// A launch with a schedule shows the run under it, in a document and after an edit of the key.
#[test]
fn a_launch_shows_the_run_under_its_schedule() {
    let args =
        "args = [{ name = 'out', buffer = 'u32', len = 64 }], expect = [{ name = 'out', values = [63] }]";
    let mut client = Client::start();
    let mut file = client.open("claim.ptx", &claiming(&format!("schedule = '1:0', {args}")));
    select(&mut client, &file, json!("claim"));
    let shown = masks(&mut client, &file);
    assert_eq!((&shown["verdict"], &shown["findings"]), (&json!("clean"), &json!([])));
    assert_eq!(shown["launch"]["schedule"], "1:0");
    let text = claiming(args);
    let line = text.lines().nth(3).expect("the launch");
    let end = claiming(&format!("schedule = '1:0', {args}")).lines().nth(3).expect("the launch").len();
    client.edit(&mut file, range([3, 0], [3, end as u32]), line);
    let shown = masks(&mut client, &file);
    assert_eq!(
        (&shown["verdict"], &shown["findings"][0]["code"]),
        (&json!("findings"), &json!("expect-failed"))
    );
    assert_eq!(shown["launch"]["schedule"], Value::Null);
}

/// What a run does not show: the server says it in words, for the panel.
#[test]
fn masks_say_what_is_missing() {
    let mut client = Client::start();
    let file = client.open("claim.ptx", &claiming("args = [{ name = 'out', buffer = 'u32', len = 65 }]"));
    select(&mut client, &file, json!("claim"));
    let shown = masks(&mut client, &file);
    assert_eq!(shown["verdict"], "incomplete");
    assert_eq!(shown["missing"], json!(["elements of an output were never written"]));
    assert_eq!(
        shown["findings"][0]["message"].as_str().and_then(|text| text.lines().next()),
        Some("Coverage: out: 1 of 65 elements never written; the first is out[64]")
    );
}
