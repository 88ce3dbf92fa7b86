//! The findings of a run.

use crate::common::{kernel, run_kernel, run_with};
use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::{Checks, FindingKind, RunOptions};

/// Runs a body with 64 threads and an output buffer of 128 bytes; `%r1` is the thread, `%rd1` the buffer.
fn check(body: &str, expected: Expect) {
    let text = kernel(&format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}"));
    let (source, program, result, _) = run_kernel(&text, 64, 128, Model::Stack);
    let mut lines = vec![result.status.as_str().to_owned()];
    for finding in &result.findings {
        let line = finding.statement.map(|statement| source.line(&program, statement));
        let at = line.and_then(|line| text.lines().nth(line)).map_or("the launch", str::trim);
        let (code, severity, lanes) = (finding.kind, finding.severity.as_str(), finding.lanes);
        lines.push(format!("{severity} {code} warp {} lanes {lanes:08x}: {at}", finding.warp));
        lines.push(format!("  {}", finding.message.replace('\n', "\n  ")));
        for related in &finding.related {
            let at = text.lines().nth(source.line(&program, related.statement)).unwrap_or_default().trim();
            lines.push(format!("  {}: {at}", related.message));
        }
    }
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn a_store_past_the_end_of_a_buffer() {
    check(
        "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;\nret;",
        expect![[r#"
            faulted
            error out-of-bounds warp 1 lanes ffffffff: st.global.u32 [%rd2], %r1;
              Out of bounds: `out[32]` is beyond `out`, which has 32 elements
              `out` has 128 bytes, this store of 4 bytes needs 132; guard the access, or make the buffer larger
        "#]],
    );
}

#[test]
fn a_null_pointer() {
    check(
        "mov.u64 %rd2, 0;\nld.global.u32 %r2, [%rd2+8];\nret;",
        expect![[r#"
            faulted
            error null-pointer warp 0 lanes ffffffff: ld.global.u32 %r2, [%rd2+8];
              Null pointer: load at address 0x8
              pass a buffer in the launch, or test the pointer first
        "#]],
    );
}

#[test]
fn a_misaligned_access() {
    check(
        "ld.global.u32 %r2, [%rd1+2];\nret;",
        expect![[r#"
            faulted
            error misaligned warp 0 lanes ffffffff: ld.global.u32 %r2, [%rd1+2];
              Misaligned access: load of 4 bytes at `out` + 2 bytes
              the address 0x10000002 is not a multiple of 4; align it, or use smaller accesses
        "#]],
    );
}

#[test]
fn a_misaligned_source_of_a_copy() {
    check(
        ".shared .align 4 .b8 tile[128];\nmov.u32 %r2, tile;\ncp.async.ca.shared.global [%r2], [%rd1+126], 4;\nret;",
        expect![[r#"
            faulted
            error out-of-bounds warp 0 lanes ffffffff: cp.async.ca.shared.global [%r2], [%rd1+126], 4;
              Out of bounds: load of 4 bytes at `out` + 126 bytes ends 2 bytes beyond `out`
              `out` has 128 bytes, this load of 4 bytes needs 130; guard the access, or make the buffer larger
        "#]],
    );
}

#[test]
fn a_store_to_constant_memory() {
    let text = "
        .version 8.5
        .target sm_90
        .address_size 64
        .const .u32 c = 7;
        .visible .entry k(.param .u64 out)
        {
            .reg .u64 %a;
            mov.u64 %a, c;
            cvta.const.u64 %a, %a;
            st.u32 [%a], 1;
            ret;
        }
    ";
    let (_, _, result, _) = run_kernel(text, 1, 16, Model::Stack);
    assert_eq!(result.findings[0].kind, FindingKind::ReadOnly);
}

#[test]
fn an_aligned_barrier_that_part_of_a_warp_reaches() {
    check(
        "
            setp.lt.u32 %p1, %r1, 16;
            @%p1 bra LOW;
            bar.sync 0;
            bra DONE;
            LOW:
            bar.sync 0;
            DONE:
            ret;
        ",
        expect![[r#"
            finished
            error divergent-barrier warp 0 lanes ffff0000: bar.sync 0;
              Divergent barrier: only lanes 16-31 reach it
              lanes 0-15 are elsewhere; move the aligned barrier to a point where all lanes reconverge, or use `barrier.sync`, which need not be aligned
              next statement of lanes 0-15: bar.sync 0;
            error divergent-barrier warp 0 lanes 0000ffff: bar.sync 0;
              Divergent barrier: only lanes 0-15 reach it
              lanes 16-31 are elsewhere; move the aligned barrier to a point where all lanes reconverge, or use `barrier.sync`, which need not be aligned
              next statement of lanes 16-31: bra DONE;
        "#]],
    );
}

#[test]
fn a_barrier_that_a_warp_never_reaches() {
    check(
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\nbar.sync 0, 64;\nret;\nOTHER:\nbar.sync 1, 64;\nret;",
        expect![[r#"
            no-progress
            error no-progress warp 1 lanes ffffffff: bar.sync 0, 64;
              Deadlock: lanes 0-31 of warp 1 wait at a barrier that others do not reach
              32 of 64 threads are at barrier 0; warp 0 waits at barrier 1. Make all threads reach it, or specify the number of threads that do
              waiting at a barrier: lanes 0-31 of warp 1: bar.sync 0, 64;
              waiting at a barrier: lanes 0-31 of warp 0: bar.sync 1, 64;
        "#]],
    );
}

#[test]
fn a_uniform_branch_that_diverges() {
    check(
        "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra.uni DONE;\nmov.u32 %r2, 1;\nDONE:\nret;",
        expect![[r#"
            finished
            error divergent-uniform warp 0 lanes 0000ffff: @%p1 bra.uni DONE;
              Divergent `.uni`: a branch taken by lanes 0-15, not by lanes 16-31
              remove `.uni`, or make the condition uniform
        "#]],
    );
}

#[test]
fn a_lock_held_by_a_waiting_lane() {
    check(
        "
            NEXT:
            atom.global.cas.b32 %r2, [%rd1], 0, 1;
            setp.ne.u32 %p1, %r2, 0;
            @%p1 bra NEXT;
            atom.global.exch.b32 %r2, [%rd1], 0;
            ret;
        ",
        expect![[r#"
            no-progress
            error no-progress warp 0 lanes fffffffe: atom.global.cas.b32 %r2, [%rd1], 0, 1;
              Deadlock: lanes 1-31 of warp 0 poll `out[0]` (value 1), which does not change
              the other lanes of the warp wait to reconverge with them, and no other live thread can change it
              next statement of lane 0: atom.global.exch.b32 %r2, [%rd1], 0;
              waiting too: lanes 0-31 of warp 1 poll `out[0]` (value 1): atom.global.cas.b32 %r2, [%rd1], 0, 1;
        "#]],
    );
}

#[test]
fn an_infinite_loop_through_a_table() {
    let text = kernel("mov.u32 %r2, 0;\nT: .branchtargets NEXT;\nNEXT:\nbrx.idx %r2, T;");
    for model in Model::ALL {
        let (_, _, result, _) = run_kernel(&text, 32, 128, model);
        assert_eq!(result.status.as_str(), "no-progress", "{}", model.name());
    }
}

#[test]
fn an_infinite_loop() {
    check(
        "NEXT:\nbra NEXT;",
        expect![[r#"
            no-progress
            error no-progress warp 0 lanes ffffffff: bra NEXT;
              Livelock: lanes 0-31 of warp 0 iterate here forever
              the state of the loop does not change; change the exit condition in the loop
        "#]],
    );
}

#[test]
fn a_trap() {
    check(
        "setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;\nret;",
        expect![[r#"
            faulted
            error trap warp 0 lanes 00000008: @%p1 trap;
              Trap: executed in `k`
              check the condition that leads to it
        "#]],
    );
}

#[test]
fn a_matrix_with_a_wrong_number_of_registers() {
    check(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4}, [%rd1], 16;\nret;",
        expect![[r#"
            unsupported
            error unsupported warp 0 lanes ffffffff: wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4}, [%rd1], 16;
              Unsupported instruction: `wmma.load.a.sync.aligned.row.m16n16k16.global.f16`
              its operands are not of a simulated form
        "#]],
    );
    check(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 %r2, [%rd1], 16;\nret;",
        expect![[r#"
        unsupported
        error unsupported warp 0 lanes ffffffff: wmma.load.a.sync.aligned.row.m16n16k16.global.f16 %r2, [%rd1], 16;
          Unsupported instruction: `wmma.load.a.sync.aligned.row.m16n16k16.global.f16`
          its operands are not of a simulated form
    "#]],
    );
}

#[test]
fn an_unsupported_instruction() {
    check(
        "mov.u32 %r2, 0;\ntex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];\nret;",
        expect![[r#"
            unsupported
            error unsupported warp 0 lanes ffffffff: tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];
              Unsupported instruction: `tex.2d.v4.f32.f32`
              textures and surfaces are bound by the host, and a launch has no way to describe one
        "#]],
    );
}

#[test]
fn wrong_member_masks() {
    check(
        "setp.lt.u32 %p1, %r1, 8;\nvote.sync.ballot.b32 %r2, %p1, 0xffff;\n\
         @%p1 shfl.sync.idx.b32 %r3, %r1, 9, 31, 0xffffffff;\nret;",
        expect![[r#"
            finished
            error wrong-membermask warp 0 lanes ffff0000: vote.sync.ballot.b32 %r2, %p1, 0xffff;
              Invalid member mask: it does not include all lanes that execute the instruction
              the mask of lane 16 is 0xffff and misses lanes 16-31; include each of them
            warning absent-members warp 0 lanes ffffff00: @%p1 shfl.sync.idx.b32 %r3, %r1, 9, 31, 0xffffffff;
              Missing lanes: only lanes 0-7 execute `shfl.sync` with mask 0xffffffff
              lanes 8-31 predicated off: behavior is undefined; make all lanes of the mask execute it, or remove the others from the mask
            error wrong-membermask warp 1 lanes ffff0000: vote.sync.ballot.b32 %r2, %p1, 0xffff;
              Invalid member mask: it does not include all lanes that execute the instruction
              the mask of lane 16 is 0xffff and misses lanes 16-31; include each of them
        "#]],
    );
}

#[test]
fn infinite_recursion() {
    let text = "
        .version 8.5
        .target sm_90
        .address_size 64
        .func f()
        {
            call f;
            ret;
        }
        .visible .entry k(.param .u64 out)
        {
            call f;
            ret;
        }
    ";
    let (_, _, result, _) = run_kernel(text, 1, 16, Model::Stack);
    assert_eq!(result.findings[0].kind, FindingKind::StackOverflow);
}

#[test]
fn one_barrier_with_two_counts() {
    check(
        "
            setp.lt.u32 %p1, %r1, 32;
            @%p1 bra LOW;
            bar.sync 1, 64;
            bra DONE;
            LOW:
            bar.sync 1;
            DONE:
            ret;
        ",
        expect![[r#"
            finished
        "#]],
    );
    let arrivals =
        |count: u32| format!("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.arrive 1, 64;\n@!%p1 bar.sync 1, {count};");
    let found = |count| crate::common::watched::findings("sm_90", 1, 64, &arrivals(count));
    assert_eq!(found(64), "");
    let all = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.arrive 1, 64;\n@!%p1 bar.sync 1;";
    assert_eq!(crate::common::watched::findings("sm_90", 1, 64, all), "");
    expect![[r#"
        error barrier-mismatch warp 1 lanes ffffffff: @!%p1 bar.sync 1, 96;
          Barrier mismatch: barrier 1 expects 96 threads in lanes 0-31
          and 64 in threads that arrived before; use one count, or another barrier
          threads here expect 64: @%p1 bar.arrive 1, 64;
    "#]]
    .assert_eq(&found(96));
}

#[test]
fn fields_beyond_the_range_of_a_byte() {
    let body = |field: &str| {
        format!(
            "
                cvt.u64.u32 %rd3, %r1;
                shl.b32 %r5, %r1, 16;
                mov.u32 %r6, 320;
                {field}
                setp.eq.u32 %p1, %r1, 0;
                @%p1 st.global.u64 [%rd1], %rd4;
                ret;
            "
        )
    };
    let found = |field: &str| crate::common::watched::findings("sm_90", 1, 2, &body(field));
    expect![[r#"
        warning bit-field warp 0 lanes 00000002: bfe.u64 %rd4, %rd3, %r5, 8;
          Bit field out of range: position 65536 in lane 1 is outside 0..255
          the PTX ISA uses its low 8 bits (0), as the simulator does, and code assembled by `ptxas` clamps it at 64; limit the position to 64 with `min.u32`
    "#]].assert_eq(&found("bfe.u64 %rd4, %rd3, %r5, 8;"));
    expect![[r#"
        warning bit-field warp 0 lanes 00000002: bfe.s64 %rd4, %rd3, 8, %r5;
          Bit field out of range: length 65536 in lane 1 is outside 0..255
          the PTX ISA uses its low 8 bits (0), as the simulator does, and code assembled by `ptxas` clamps it at 64; limit the length to 64 with `min.u32`
    "#]].assert_eq(&found("bfe.s64 %rd4, %rd3, 8, %r5;"));
    expect![[r#"
        warning bit-field warp 0 lanes 00000002: bfi.b64 %rd4, %rd3, %rd3, %r5, 8;
          Bit field out of range: position 65536 in lane 1 is outside 0..255
          the PTX ISA uses its low 8 bits (0), as the simulator does, and code assembled by `ptxas` clamps it at 64; limit the position to 64 with `min.u32`
    "#]].assert_eq(&found("bfi.b64 %rd4, %rd3, %rd3, %r5, 8;"));
    expect![[r#"
        warning bit-field warp 0 lanes 00000002: bfi.b64 %rd4, %rd3, %rd3, 8, %r5;
          Bit field out of range: length 65536 in lane 1 is outside 0..255
          the PTX ISA uses its low 8 bits (0), as the simulator does, and code assembled by `ptxas` clamps it at 64; limit the length to 64 with `min.u32`
    "#]].assert_eq(&found("bfi.b64 %rd4, %rd3, %rd3, 8, %r5;"));
    // The low 8 bits are 64, like the limit. For 32-bit fields, both rules agree.
    assert_eq!(found("bfe.u64 %rd4, %rd3, %r6, 8;"), "");
    assert_eq!(found("bfe.u32 %r7, %r1, %r5, 8;\nmov.u64 %rd4, 1;"), "");
}

/// The visits at which a body's findings occur, by statement.
fn visits(body: &str) -> Vec<(FindingKind, String, Option<u64>)> {
    let text = kernel(&format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{body}"));
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let (source, program, result, _) = run_with(&text, 64, 128, Model::Stack, &options);
    let at =
        |statement| text.lines().nth(source.line(&program, statement)).unwrap_or_default().trim().to_owned();
    let statements = result.findings.iter().filter_map(|finding| Some((finding, finding.statement?)));
    statements.map(|(finding, statement)| (finding.kind, at(statement), finding.visit)).collect()
}

#[test]
fn a_finding_in_a_loop_has_the_visit() {
    let body = "
        mov.u32 %r2, 0;
        LOOP:
        sub.u32 %r3, 3, %r2;
        div.u32 %r4, 100, %r3;
        add.u32 %r2, %r2, 1;
        setp.lt.u32 %p1, %r2, 6;
        @%p1 bra LOOP;
        ret;
    ";
    let found = visits(body);
    assert_eq!(found, [(FindingKind::DivisionByZero, "div.u32 %r4, 100, %r3;".to_owned(), Some(4))]);
}

#[test]
fn a_finding_at_a_statement_that_some_lanes_execute_has_the_visit() {
    let body = "
        mov.u32 %r2, 0;
        LOOP:
        sub.u32 %r3, 3, %r2;
        setp.lt.u32 %p2, %r1, 7;
        @%p2 div.u32 %r4, 100, %r3;
        add.u32 %r2, %r2, 1;
        setp.lt.u32 %p1, %r2, 6;
        @%p1 bra LOOP;
        ret;
    ";
    let found = visits(body);
    assert_eq!(found, [(FindingKind::DivisionByZero, "@%p2 div.u32 %r4, 100, %r3;".to_owned(), Some(4))]);
}

#[test]
fn a_barrier_in_a_loop_has_the_visit_at_which_lanes_are_missing() {
    let body = "
        mov.u32 %r2, 0;
        LOOP:
        setp.eq.u32 %p2, %r2, 2;
        setp.lt.u32 %p1, %r1, 16;
        and.pred %p2, %p1, %p2;
        @%p2 bra SKIP;
        bar.sync 0;
        SKIP:
        add.u32 %r2, %r2, 1;
        setp.lt.u32 %p1, %r2, 4;
        @%p1 bra LOOP;
        ret;
    ";
    let found = visits(body);
    let visit =
        found.iter().find(|(kind, ..)| *kind == FindingKind::DivergentBarrier).map(|(.., visit)| *visit);
    assert_eq!(visit, Some(Some(3)), "{found:?}");
}
