//! Launches of other programs: buffers that come as files and are saved as files.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, run};

/// Copies `x` to `y`, a word for each thread.
const COPY: &str = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y) {
    .reg .b32 %r<4>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    st.global.u32 [%rd5], %r2;
    ret;
}
";

fn simulate(folder: &Folder, launch: &str, options: &[&str]) -> (Option<i32>, Value, String) {
    folder.write("k.ptx", COPY);
    let common = "[[launch]]\nname = 'a'\nfile = 'k.ptx'\nblock = [4]\n";
    folder.write("warplens.toml", format!("{common}{launch}"));
    let output = run(folder.path(), &[&["sim", "k.ptx", "--format", "json"], options].concat(), b"");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), report, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn buffers_travel_as_files_both_ways() {
    let folder = Folder::new();
    // Not a number with a payload, which no text of a number keeps.
    let bytes: Vec<u8> =
        [0x7fc0_1234u32, 2, 3, 4, 5, 6, 7, 8].into_iter().flat_map(u32::to_le_bytes).collect();
    folder.write("x.bin", &bytes);
    let args =
        "args = [{ name = 'x', buffer = 'f32', file = 'x.bin' }, { name = 'y', alias = 'x', offset = 16 }]\n";
    let (code, report, _) = simulate(&folder, args, &["--save-buffers", "out"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["saved"], serde_json::json!({ "x": "x.bin", "y": "x.bin" }));
    let after = [&bytes[..16], &bytes[..16]].concat();
    assert_eq!(fs::read(folder.path().join("out/x.bin")).expect("it is saved"), after);

    folder.write("after.bin", &after);
    let expect = format!("{args}expect = [{{ name = 'x', file = 'after.bin' }}]\n");
    assert_eq!(simulate(&folder, &expect, &[]).0, Some(0));
    let mut other = after;
    other[16] ^= 1;
    folder.write("after.bin", &other);
    let (code, report, _) = simulate(&folder, &expect, &[]);
    assert_eq!(code, Some(1));
    assert_eq!(report["findings"][0]["message"], "`x`[4] is 0x7fc01234, but after.bin has 0x7fc01235");
    folder.write("after.bin", &other[..8]);
    let (code, _, errors) = simulate(&folder, &expect, &[]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("warplens.toml:6:11: expect: `x` has 32 bytes, but after.bin has 8"), "{errors}");
}

#[test]
fn buffers_are_saved_after_a_fault() {
    let folder = Folder::new();
    let args = "args = [{ name = 'x', buffer = 'u32', len = 4, fill = 'iota' }, { name = 'y', buffer = 'u32', len = 3, fill = 'zero' }]";
    let (code, report, _) = simulate(&folder, args, &["--save-buffers", "out"]);
    assert_eq!((code, report["status"].as_str()), (Some(1), Some("faulted")));
    assert_eq!(fs::read(folder.path().join("out/y.bin")).expect("it is saved"), [0; 12]);
}

#[test]
fn files_replace_those_of_an_earlier_run() {
    let folder = Folder::new();
    folder.write("out/y.bin", "old");
    let args = "args = [{ name = 'x', buffer = 'u8', len = 16, fill = 'iota' }, { name = 'y', buffer = 'u8', len = 16, fill = 'zero' }]";
    assert_eq!(simulate(&folder, args, &["--save-buffers", "out"]).0, Some(0));
    assert_eq!(fs::read(folder.path().join("out/y.bin")).expect("it is saved").len(), 16);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let args = "args = [{ name = 'x', buffer = 'u8', len = 16 }, { name = '../y', buffer = 'u8', len = 16 }]";
    let folder = Folder::new();
    let target = folder.write("target", "kept");
    fs::create_dir(folder.path().join("out")).expect("it is new");
    symlink(&target, folder.path().join("out/x.bin")).expect("links can be made");
    let (code, _, errors) = simulate(&folder, args, &["--save-buffers", "out"]);
    assert_eq!(code, Some(2));
    assert_eq!(
        errors,
        "warplens: --save-buffers: out/x.bin: is a link, which is not followed; name another folder\n"
    );
    assert_eq!(fs::read(&target).expect("it is there"), b"kept");
    symlink(folder.path().join("out"), folder.path().join("linked")).expect("links can be made");
    assert_eq!(simulate(&folder, args, &["--save-buffers", "linked"]).0, Some(2));
    let (code, report, _) = simulate(&folder, args, &["--save-buffers", "new/folder"]);
    assert_eq!(code, Some(0), "{report}");
    assert!(folder.path().join("new/folder/_.._y.bin").is_file());
}
