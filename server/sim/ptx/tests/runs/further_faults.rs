//! A run goes on after an invalid access, without it, and reports the statements that access memory invalidly, too.

use crate::common::{kernel, run_with};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::trace::Status;
use warplens_sim_warp::{Checks, RunOptions};

/// Runs a body with 64 threads and a buffer of 64 words, which hold 0; lists the findings. `%r1` is the thread, `%rd1` the buffer,
/// `%rd2` the thread's element of it.
fn check(body: &str, expected: Expect) {
    let text = kernel(&format!(
        ".shared .align 16 .b8 tile[256];\n.local .align 16 .b8 own[64];\nld.param.u64 %rd1, [out];\n\
         mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n{body}\nret;"
    ));
    let found = [Checks::ALL, Checks::default()].map(|checks| {
        let options = RunOptions { checks, ..RunOptions::default() };
        let (source, program, result, _) = run_with(&text, 64, 256, Model::Stack, &options);
        assert_eq!(result.status, Status::Faulted, "the first fault decides");
        let faults = result.findings.iter().map(|finding| {
            let line = finding.statement.map(|statement| source.line(&program, statement));
            let at = line.and_then(|line| text.lines().nth(line)).map_or("the launch", str::trim);
            format!("{} warp {} {:08x}: {at}\n", finding.kind, finding.warp, finding.lanes)
        });
        faults.collect::<String>()
    });
    assert_eq!(found[0], found[1], "checks make no difference");
    expected.assert_eq(&found[0]);
}

#[test]
fn each_statement_is_reported_once() {
    check(
        "ld.global.u32 %r2, [%rd2+4];\nld.global.u32 %r3, [%rd2+4096];\nst.global.u32 [%rd2+256], %r2;\n\
         st.global.u32 [%rd2], %r1;",
        expect![[r#"
            out-of-bounds warp 0 ffffffff: ld.global.u32 %r3, [%rd2+4096];
            out-of-bounds warp 0 ffffffff: st.global.u32 [%rd2+256], %r2;
            out-of-bounds warp 1 80000000: ld.global.u32 %r2, [%rd2+4];
        "#]],
    );
}

#[test]
fn every_memory_region() {
    check(
        ".const .b32 table[4];
         st.shared.u32 [tile+256], %r1;
         ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+248];
         ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+256];
         st.local.u32 [own+64], %r1;
         ld.local.u32 %r2, [own+-4];
         ld.const.u32 %r2, [table+16];
         ld.param.u32 %r2, [out+8];
         ld.u32 %r2, [%rd1+256];
         atom.global.add.u32 %r2, [%rd1+256], 1;
         atom.shared.cas.b32 %r2, [tile+256], 1, 2;
         red.global.add.u32 [%rd1+260], 1;
         st.global.u8 [%rd1+256], %r1;
         mov.u64 %rd3, 8;
         ld.global.u64 %rd4, [%rd3];",
        expect![[r#"
            out-of-bounds warp 0 ffffffff: st.shared.u32 [tile+256], %r1;
            out-of-bounds warp 0 ffffffff: ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+248];
            out-of-bounds warp 0 ffffffff: ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [tile+256];
            out-of-bounds warp 0 ffffffff: st.local.u32 [own+64], %r1;
            out-of-bounds warp 0 ffffffff: ld.local.u32 %r2, [own+-4];
            out-of-bounds warp 0 ffffffff: ld.const.u32 %r2, [table+16];
            out-of-bounds warp 0 ffffffff: ld.param.u32 %r2, [out+8];
            out-of-bounds warp 0 ffffffff: ld.u32 %r2, [%rd1+256];
            out-of-bounds warp 0 ffffffff: atom.global.add.u32 %r2, [%rd1+256], 1;
            out-of-bounds warp 0 ffffffff: atom.shared.cas.b32 %r2, [tile+256], 1, 2;
            out-of-bounds warp 0 ffffffff: red.global.add.u32 [%rd1+260], 1;
            out-of-bounds warp 0 ffffffff: st.global.u8 [%rd1+256], %r1;
            null-pointer warp 0 ffffffff: ld.global.u64 %rd4, [%rd3];
        "#]],
    );
}

#[test]
fn other_lanes_and_warps_go_on() {
    // Warp 0 has its elements, warp 1 has none.
    check(
        "shl.b32 %r2, %r1, 3;\ncvt.u64.u32 %rd3, %r2;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\n\
         bar.sync 0;\nst.global.u32 [%rd3+4], %r1;",
        expect![[r#"
            out-of-bounds warp 1 ffffffff: st.global.u32 [%rd3], %r1;
            out-of-bounds warp 1 ffffffff: st.global.u32 [%rd3+4], %r1;
        "#]],
    );
    // In lanes 0 to 15 of warp 0, `%r3` is known.
    check(
        "setp.lt.u32 %p1, %r1, 16;\nselp.u32 %r2, 0, 1024, %p1;\ncvt.u64.u32 %rd3, %r2;\nadd.u64 %rd3, %rd1, %rd3;\n\
         ld.global.u32 %r3, [%rd3];\n@!%p1 bra DONE;\nmul.wide.u32 %rd4, %r3, 4;\nadd.u64 %rd4, %rd1, %rd4;\n\
         st.global.u32 [%rd4+1024], %r3;\nDONE:",
        expect![[r#"
            out-of-bounds warp 0 ffff0000: ld.global.u32 %r3, [%rd3];
            out-of-bounds warp 0 0000ffff: st.global.u32 [%rd4+1024], %r3;
        "#]],
    );
}

/// What an unknown value decides is not known to happen.
#[test]
fn nothing_follows_from_a_skipped_access() {
    for body in [
        // An address, also through arithmetic, carries, selections and other lanes.
        "ld.global.u32 %r2, [%rd1+256];\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3+1024], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\nadd.cc.u32 %r3, %r2, 1;\naddc.u32 %r4, %r1, 0;\ncvt.u64.u32 %rd3, %r4;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd2+4];\nshfl.sync.idx.b32 %r3, %r2, 31, 31, -1;\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd2+4];\nsetp.eq.u32 %p1, %r2, 5;\nvote.sync.ballot.b32 %r3, %p1, -1;\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        // A branch, a guard, a barrier.
        "ld.global.u32 %r2, [%rd1+256];\nsetp.eq.u32 %p1, %r2, 5;\n@%p1 bra DONE;\nst.global.u32 [%rd1+1024], %r1;\nDONE:",
        "ld.global.u32 %r2, [%rd1+256];\nsetp.ne.u32 %p1, %r2, 5;\n@%p1 st.global.u32 [%rd1+1024], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\nand.b32 %r2, %r2, 3;\nbarrier.sync %r2;\nst.global.u32 [%rd1+1024], %r1;",
        // Through memory.
        "ld.global.u32 %r2, [%rd1+256];\nst.shared.u32 [tile], %r2;\nld.shared.u32 %r3, [tile];\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\nst.local.u32 [own], %r2;\nld.local.u32 %r3, [own];\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\nst.global.u32 [%rd1], %r2;\nld.u32 %r3, [%rd1];\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\natom.global.max.u32 %r4, [%rd1], %r2;\nld.u32 %r3, [%rd1];\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        // A skipped store leaves old bytes where its address was valid.
        "st.global.v2.u32 [%rd1+254], {%r1, %r1};\nld.global.u32 %r3, [%rd1+252];\ncvt.u64.u32 %rd3, %r3;\nst.global.u32 [%rd3], %r1;",
        "ld.global.u32 %r2, [%rd1+256];\ntrap;",
        "ld.global.u32 %r2, [%rd1+256];\ndiv.u32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;",
    ] {
        let text = kernel(&format!(
            ".shared .align 16 .b8 tile[256];\n.local .align 16 .b8 own[64];\nld.param.u64 %rd1, [out];\n\
             mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n{body}\nret;"
        ));
        let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
        let (.., result, _) = run_with(&text, 32, 256, Model::Stack, &options);
        let codes: Vec<_> = result.findings.iter().map(|finding| finding.kind.name()).collect();
        assert_eq!(codes.len(), 1, "{codes:?} in:\n{body}");
    }
}

/// The result shows the run up to its first fault.
#[test]
fn only_findings_are_added() {
    let body = "ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], 7;\nld.global.u32 %r2, [%rd1+256];\n\
                st.global.u32 [%rd1], 8;\nst.global.u32 [%rd1+512], 9;\nret;";
    let (_, program, result, bytes) = run_with(&kernel(body), 32, 256, Model::Stack, &RunOptions::default());
    assert_eq!(result.findings.len(), 2);
    assert_eq!(bytes[..4], [7, 0, 0, 0], "the memory at the fault");
    assert_eq!(result.totals.warp_instructions, 3);
    let reached = result.warps[0].lines.iter().map(|line| line.statement.index());
    assert!(reached.max().is_some_and(|last| last < program.functions[0].code.len() - 3));
}

#[test]
fn a_call_receives_no_unknown_value() {
    let text = |argument: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.func (.reg .u32 %v) f(.reg .u64 %p)\n{{\n\
             ld.global.u32 %v, [%p+512];\nret;\n}}\n.visible .entry k(.param .u64 out)\n{{\n\
             .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [out];\nld.global.u64 %rd2, [%rd1+256];\n\
             call (%r1), f, ({argument});\nst.global.u32 [%rd1+256], %r1;\nst.global.u32 [%rd1+512], %r2;\nret;\n}}\n"
        )
    };
    let found = |argument: &str| {
        let (.., result, _) = run_with(&text(argument), 32, 256, Model::Stack, &RunOptions::default());
        result.findings.len()
    };
    assert_eq!(found("%rd2"), 1, "an unknown argument");
    assert_eq!(found("%rd1"), 2, "an unknown result");
}
