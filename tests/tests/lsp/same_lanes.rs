//! The lanes are equal in `warplens sim --format json`, in `warplens/laneMasks` and in hints.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Client, File, Folder, Options, range, run};

/// Kernels of this test; with those in `examples/` there are more than ten.
const KERNELS: [(&str, &str); 8] = [
    (
        "guards.ptx",
        "mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 20; @%p1 add.u32 %r2, %r1, 1; @!%p1 mov.u32 %r2, 0;",
    ),
    ("loop.ptx", "mov.u32 %r1, %laneid; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra L;"),
    ("early.ptx", "mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 3; @%p1 exit; add.u32 %r2, %r1, 1;"),
    (
        "nested.ptx",
        "mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 15; @%p1 bra A; setp.gt.u32 %p2, %r1, 7; @%p2 bra B;
         add.u32 %r2, %r1, 1; B: add.u32 %r2, %r1, 2; A: add.u32 %r2, %r1, 3;",
    ),
    ("never.ptx", "setp.eq.u32 %p1, 1, 2; @%p1 bra A; bra B;\nA: add.u32 %r2, %r1, 1;\nB: mov.u32 %r1, 1;"),
    ("several.ptx", "mov.u32 %r1, 1; mov.u32 %r2, 2;\nmov.u32 %r1,\n    3;"),
    (
        "if.wave",
        "  mov r0, sr_lane_id\n  mov_imm r1, 9\n  icmp_lt p0, r0, r1\n  if p0\n  iadd r2, r0, r0\n  else\n  isub r2, r0, r1\n  endif\n  halt",
    ),
    (
        "loop.wave",
        "  mov r0, sr_lane_id\n  mov_imm r1, 7\n  mov_imm r2, 1\n  loop\n  iadd r0, r0, r2\n  icmp_gt p0, r0, r1\n  break p0\n  endloop\n  halt",
    ),
];

fn source(name: &str, body: &str) -> String {
    if name.ends_with(".wave") {
        return format!(".kernel k\n.registers 8\n.workgroup_size 32, 1, 1\n{body}\n.end\n");
    }
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() {{\n.reg .u32 %r<4>;\n.reg .pred %p<4>;\n{body}\nret;\n}}\n"
    )
}

#[test]
fn sim_masks_and_hints_agree() {
    let folder = Folder::new();
    let own = KERNELS.map(|(name, body)| folder.write(name, source(name, body)));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let examples =
        std::fs::read_dir(examples).expect("there are examples").map(|entry| entry.expect("a file").path());
    let examples = examples.filter(|path| path.extension().is_some_and(|it| it == "ptx" || it == "wave"));
    let kernels: Vec<PathBuf> = own.into_iter().chain(examples).collect();
    assert!(kernels.len() >= 10);

    let settings = json!({ "lanes": { "format": "hex", "showFull": true } });
    let mut client = Client::with_options(&Options { settings, ..Options::default() });
    client.wait_until_asked("workspace/configuration");
    for path in kernels {
        compare(&mut client, &path);
    }
}

fn compare(client: &mut Client, path: &Path) {
    let name = path.display();
    let output =
        run(path.parent().expect("a folder"), &["sim", "--format", "json", &path.to_string_lossy()], b"");
    let sim: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{name}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    let text = std::fs::read_to_string(path).expect("it can be read");
    let file = client.open_path(path, &text);
    client
        .command("warplens.selectLaunch", json!({ "uri": file.uri }))
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    for warp in sim["warps"].as_array().expect("there are warps").iter().take(3) {
        let mut params = file.params();
        params["cta"] = warp["cta"].clone();
        params["warp"] = warp["warp"].clone();
        let mut masks = client.request("warplens/laneMasks", params.clone());
        params["compact"] = json!(true);
        compare_compact(&client.request("warplens/laneMasks", params), &masks, &name.to_string());
        // Only an editor shows how statements affect groups of lanes.
        for line in masks["lines"].as_array_mut().expect("a list") {
            let members = line.as_object_mut().expect("an object");
            members.retain(|member, _| !["role", "parts", "label"].contains(&member.as_str()));
        }
        for member in ["cta", "warp", "launched", "lines"] {
            assert_eq!(masks[member], warp[member], "{name}: {member}");
        }
        for member in ["entry", "launch", "model", "status"] {
            assert_eq!(masks[member], sim[member], "{name}: {member}");
        }
    }
    compare_hints(client, &file, &sim["warps"][0], &name.to_string());
    client.close(&file);
}

/// Compares the lanes at each line. In the compact form, statements share traces.
fn compare_compact(compact: &Value, masks: &Value, name: &str) {
    let places = compact["places"].as_array().expect("a list").iter();
    let traces: Vec<Value> = places
        .map(|place| {
            let number = place[1].as_u64().expect("a number") as usize;
            let mut trace = compact["traces"][number].clone();
            trace["line"] = place[0].clone();
            trace
        })
        .collect();
    let mut lines = masks["lines"].clone();
    let members = ["line", "count", "visits", "truncated", "role", "parts", "label"];
    for line in lines.as_array_mut().expect("a list") {
        line.as_object_mut().expect("an object").retain(|member, _| members.contains(&member.as_str()));
    }
    assert_eq!(json!(traces), lines, "{name}");
    let listed = compact["traces"].as_array().expect("a list").len();
    assert!(listed < traces.len(), "{name}: {listed} traces of {} statements", traces.len());
}

/// Checks that every mask in a hint is a mask of its line. A line without masks was not run.
fn compare_hints(client: &mut Client, file: &File, warp: &Value, name: &str) {
    let mut params = file.params();
    params["range"] = range([0, 0], [99_999, 0]);
    let hints = client.request("textDocument/inlayHint", params);
    let hints = hints.as_array().expect("a list");
    assert!(!hints.is_empty(), "{name}");
    let lines = warp["lines"].as_array().expect("a list");
    for hint in hints {
        let line = hint["position"]["line"].as_u64().expect("a number");
        let label = hint["label"].as_str().expect("a text");
        // A statement may start on an earlier line than the one on which it ends.
        let here: Vec<_> = lines
            .iter()
            .filter(|ran| (line.saturating_sub(1)..=line).contains(&ran["line"].as_u64().expect("a number")))
            .collect();
        if label == "not run" {
            let whole = file.text.lines().nth(line as usize).unwrap_or_default();
            let is_alone = whole.matches(';').count() <= 1;
            assert!(!is_alone || here.iter().all(|ran| ran["line"] != line), "{name}:{line}: {label}");
            continue;
        }
        let known = Value::from(here.iter().map(|ran| (*ran).clone()).collect::<Vec<_>>()).to_string();
        let is_mask = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        for mask in label.split([' ', '>', '|', '.']).filter(is_mask) {
            assert!(known.contains(mask), "{name}:{line}: {label} has {mask}, the run has {known}");
        }
    }
}
