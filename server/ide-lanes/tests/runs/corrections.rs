//! Quick fixes that insert one statement.

use std::ops::Range;
use std::sync::Arc;

use expect_test::{Expect, expect};
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{Choice, RunRequest};
use warplens_sim::{Checks, Control, RunOptions};

/// The findings of a text, and the text with the first fix that inserts a statement.
fn run(text: &str) -> (Vec<String>, Option<String>) {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest {
        entry: None,
        launch: Choice::First,
        wave_width: None,
        model: None,
        usual_model: None,
        options: RunOptions { checks: Checks::ALL, ..RunOptions::default() },
    };
    let prepared = host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.unwrap().unwrap();
    let shown = prepared.show(Arc::new(prepared.run(Control::none()).unwrap()), None);
    let found = host.snapshot().findings(FileId(0), &shown).unwrap();
    let fixes = found.iter().flat_map(|found| &found.fixes);
    let fix = fixes.into_iter().find(|fix| fix.title.starts_with("Insert")).map(|fix| {
        let mut text = text.to_owned();
        for edit in &fix.edits {
            text.replace_range(Range::<usize>::from(edit.range), &edit.insert);
        }
        text
    });
    (found.into_iter().map(|found| found.code.to_owned()).collect(), fix)
}

/// The lines that fixes insert, and the findings before and after.
fn check(body: &str, expected: Expect) {
    let text = format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n// @launch {{ block = [128], args = [{{ buffer = \"f32\", len = 1024 }}] }}\n\
         .visible .entry k(.param .u64 out)\n{{\n    .reg .pred %p<4>;\n    .reg .b32 %r<9>;\n    .reg .f32 %f<9>;\n    .reg .b64 %rd<9>;\n\
         .shared .align 1024 .b8 tile[2048];\n    ld.param.u64 %rd2, [out];\n    mov.u32 %r1, %tid.x;\n    shl.b32 %r2, %r1, 4;\n\
         mov.u32 %r3, tile;\n    add.u32 %r2, %r2, %r3;\n    mov.b32 %r4, 0x40004000;\n    setp.eq.u32 %p1, %r1, 0;\n\
         st.shared.v4.b32 [%r2], {{%r4, %r4, %r4, %r4}};\n    fence.proxy.async.shared::cta;\n    bar.sync 0;\n{body}    ret;\n}}\n"
    );
    let (mut codes, mut fix) = run(&text);
    let (mut out, mut before) = (format!("{codes:?}\n"), text);
    for _ in 0..3 {
        let Some(after) = fix else { break };
        let added =
            after.lines().find(|line| !before.lines().any(|known| known == *line)).unwrap_or("a known line");
        out += &format!("{}\n", added.trim());
        (codes, fix) = run(&after);
        out += &format!("{codes:?}\n");
        before = after;
    }
    expected.assert_eq(&out);
}

const PRODUCT: &str = "    mov.b32 %r5, 0x3c003c00;\n    mov.b64 %rd1, 0x0000000800080000;\n    mov.b32 %f0, 0f00000000;\n\
    mov.b32 %f1, 0f00000000;\n    mov.b32 %f2, 0f00000000;\n    mov.b32 %f3, 0f00000000;\n    wgmma.fence.sync.aligned;\n\
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r5, %r5, %r5, %r5}, %rd1, 1, 1, 1, 0;\n";

#[test]
fn products() {
    let with = |lines: &str| {
        format!("{PRODUCT}{lines}    add.f32 %f4, %f0, %f1;\n    st.global.f32 [%rd2], %f4;\n")
            .replace("    st.global", "    @%p1 st.global")
    };
    check(
        &with("    wgmma.commit_group.sync.aligned;\n"),
        expect![[r#"
        ["async-result"]
        wgmma.wait_group.sync.aligned 0;
        []
    "#]],
    );
    check(
        &with("    wgmma.wait_group.sync.aligned 0;\n"),
        expect![[r#"
        ["async-result"]
        wgmma.commit_group.sync.aligned;
        []
    "#]],
    );
}

#[test]
fn copies() {
    let copy = "    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 2048;\n";
    check(
        &format!(
            "{copy}    @%p1 cp.async.bulk.wait_group.read 0;\n    bar.sync 0;\n    st.shared.u32 [%r2], 0;\n"
        ),
        expect![[r#"
            ["async-source"]
            @%p1 cp.async.bulk.commit_group;
            []
        "#]],
    );
}
