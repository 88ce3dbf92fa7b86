//! Messages of races: the title, what orders the accesses, and both threads once.

use expect_test::expect;
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{Reporter, RunRequest};
use warplens_sim_warp::{Checks, Control, RunOptions};

#[test]
fn three_lines() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        // @launch { grid = [2], block = [64], args = [{ buffer = 'u32', len = 64 }] }\n\
        .visible .entry k(.param .u64 out)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .b32 tile[64];\n\
        ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n\
        shl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\nxor.b32 %r4, %r2, 128;\n\
        st.shared.u32 [%r2], %r1;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\nret;\n}\n";
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest::first(RunOptions { checks: Checks::ALL, ..RunOptions::default() });
    let prepared = host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.unwrap().unwrap();
    let result = prepared.run(Control::none()).unwrap();
    let found = Reporter::new(&prepared.resolved, prepared.width()).findings(&result, None, &|_| None);
    let messages: Vec<String> = found.iter().map(|reported| reported.message() + "\n").collect();
    expect![[r#"
        Shared-memory race: tile[32] read by thread (0,0,0), written by thread (32,0,0)
        put a `bar.sync` that all threads execute between the two accesses
        thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0; block (0,0,0)
        Shared-memory race: tile[0] read by thread (32,0,0), written by thread (0,0,0)
        put a `bar.sync` that all threads execute between the two accesses
        thread (32,0,0) is lane 0 of warp 1, thread (0,0,0) is lane 0 of warp 0; block (0,0,0)
    "#]]
    .assert_eq(&messages.concat());
}
