//! The names of memory objects in findings, and accesses just outside them.

use crate::common::Source;
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::objects::ArrayShape;
use warplens_sim_warp::{Checks, Control, RunOptions};

/// Runs kernel `k` of a module with 32 threads, 1,024 bytes of dynamic shared memory and a buffer of 64 floats, and checks
/// the findings. `%r1` is the thread, `%rd1` the buffer.
fn check(module: &str, body: &str, expected: Expect) {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{module}\n.visible .entry k(.param .u64 weights)\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n\
         ld.param.u64 %rd1, [weights];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config([1; 3], [32, 1, 1]);
    let weights = config.memory.allocate("weights", 256).expect("space");
    config.memory.set_shape(weights, ArrayShape::array(4));
    config.params = weights.to_le_bytes().to_vec();
    config.shared_memory = 1024;
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let line = |statement| text.lines().nth(source.line(&program, statement)).unwrap_or_default();
    let mut out = result.status.as_str().to_owned();
    for finding in &result.findings {
        let at = finding.statement.map(line).unwrap_or_default();
        out += &format!("\n{} {:x}: {at}", finding.kind, finding.lanes);
        out += &format!("\n  {}", finding.message.replace('\n', "\n  "));
        for related in &finding.related {
            out += &format!("\n  {}: {}", related.message, line(related.statement));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn beyond_and_before_a_buffer() {
    check(
        "",
        "st.global.u32 [%rd1+256], %r1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.global.u32 [%rd1+256], %r1;
              Out of bounds: `weights[64]` is beyond `weights`, which has 64 elements
              `weights` has 256 bytes, this store of 4 bytes needs 260; guard the access, or make the buffer larger"#]],
    );
    check(
        "",
        "st.global.u64 [%rd1+252], %rd1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.global.u64 [%rd1+252], %rd1;
              Out of bounds: store of 8 bytes at `weights[63]` ends 4 bytes beyond `weights`
              `weights` has 256 bytes, this store of 8 bytes needs 260; guard the access, or make the buffer larger"#]],
    );
    check(
        "",
        "st.global.v2.u32 [%rd1+256], {%r1, %r1};",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.global.v2.u32 [%rd1+256], {%r1, %r1};
              Out of bounds: `weights[64]` is beyond `weights`, which has 64 elements
              `weights` has 256 bytes, this store of 8 bytes needs 264; guard the access, or make the buffer larger"#]],
    );
    check(
        "",
        "ld.global.f32 %r2, [%rd1+-200];",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: ld.global.f32 %r2, [%rd1+-200];
              Out of bounds: load 200 bytes before `weights`
              negative index? Check it, or guard the access"#]],
    );
    check(
        "",
        "ld.global.f32 %r2, [%rd1+2];",
        expect![[r#"
            faulted
            misaligned ffffffff: ld.global.f32 %r2, [%rd1+2];
              Misaligned access: load of 4 bytes at `weights[0]` + 2 bytes
              the address 0x10000002 is not a multiple of 4; align it, or use smaller accesses"#]],
    );
    check(
        "",
        "ld.f32 %r2, [%rd1+1073741824];",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: ld.f32 %r2, [%rd1+1073741824];
              Out of bounds: load of 4 bytes at address 0x50000000, outside global memory
              check the address computation"#]],
    );
}

#[test]
fn beyond_shared_memory() {
    let dynamic = ".shared .f32 head[4];\n.extern .shared .align 16 .b8 temp[];";
    check(
        dynamic,
        "mov.u32 %r2, temp;\nst.shared.u32 [%r2+1024], %r1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.shared.u32 [%r2+1024], %r1;
              Out of bounds: `temp[256]` is beyond dynamic shared memory
              the launch gives 1,024 bytes, this access needs 1,028; guard the access, or set `dynamic_shared`"#]],
    );
    check(
        dynamic,
        "mov.u32 %r2, head;\nld.shared.u32 %r3, [%r2+-4];",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: ld.shared.u32 %r3, [%r2+-4];
              Out of bounds: load 4 bytes before `head`
              negative index? Check it, or guard the access"#]],
    );
    check(
        "",
        ".shared .f32 tile[16][17];\nmov.u64 %rd2, tile;\ncvta.shared.u64 %rd2, %rd2;\nst.u32 [%rd2+2112], %r1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.u32 [%rd2+2112], %r1;
              Out of bounds: `tile[31][1]` is beyond `tile`, declared as `tile[16][17]`
              `tile` has 1,088 bytes, this store of 4 bytes needs 2,116; guard the access, or make it larger"#]],
    );
    check(
        "",
        ".shared .f32 tile[16][17];\nmov.u64 %rd2, tile;\ncvta.shared.u64 %rd2, %rd2;\nst.u32 [%rd2+-4], %r1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.u32 [%rd2+-4], %r1;
              Out of bounds: store 4 bytes before `tile`
              negative index? Check it, or guard the access"#]],
    );
}

#[test]
fn beyond_a_local_variable() {
    let write = |at: &str| {
        format!(".local .b8 d[8];\n.local .b8 e[8];\nst.local.u8 [{at}], %h1;\nst.local.u8 [e], %h1;")
    };
    check("", &write("d+7"), expect!["finished"]);
    check(
        "",
        &write("d+8"),
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.local.u8 [d+8], %h1;
              Out of bounds: `d[8]` is beyond `d`, which has 8 elements
              `d` has 8 bytes, this store of 1 byte needs 9; guard the access, or make it larger"#]],
    );
    check(
        "",
        &write("e+8"),
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.local.u8 [e+8], %h1;
              Out of bounds: `e[8]` is beyond `e`, which has 8 elements
              `e` has 8 bytes, this store of 1 byte needs 9; guard the access, or make it larger"#]],
    );
    check(
        "",
        &write("d+400"),
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.local.u8 [d+400], %h1;
              Out of bounds: store of 1 byte at address 0x190, outside local memory
              a variable of a function that has returned, or an index beyond an array? check the address computation"#]],
    );
    let debug = ".local .align 8 .b8 depot[16];\nmov.u64 %rd2, depot;\ncvta.local.u64 %rd2, %rd2;\nst.u64 [%rd2+16], %rd1;";
    check(
        "",
        debug,
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.u64 [%rd2+16], %rd1;
              Out of bounds: `depot[2]` is beyond `depot`, which has 2 elements
              `depot` has 16 bytes, this store of 8 bytes needs 24; guard the access, or make it larger"#]],
    );
    check(
        ".local .align 8 .b32 mine[2];",
        "st.local.u32 [mine+8], %r1;",
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.local.u32 [mine+8], %r1;
              Out of bounds: `mine[2]` is beyond `mine`, which has 2 elements
              `mine` has 8 bytes, this store of 4 bytes needs 12; guard the access, or make it larger"#]],
    );
}

/// A callee may access its callers' variables, but not the memory after them.
#[test]
fn a_pointer_to_a_variable_of_the_caller() {
    let module = ".func fill(.param .b64 p, .param .b32 n)\n{\n.reg .b64 %a; .reg .b32 %n; .reg .pred %q;\n\
        .local .align 4 .b8 own[4];\nld.param.u64 %a, [p];\nld.param.u32 %n, [n];\nst.local.u32 [own], %n;\n\
        NEXT:\nst.u32 [%a], %n;\nadd.u64 %a, %a, 4;\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %q, %n, 0;\n@%q bra NEXT;\nret;\n}";
    let call = |count: u32| {
        format!(
            ".local .align 4 .b8 list[16];\n.param .b64 p; .param .b32 n;\nmov.u64 %rd2, list;\ncvta.local.u64 %rd2, %rd2;\n\
             st.param.b64 [p], %rd2;\nst.param.b32 [n], {count};\ncall.uni fill, (p, n);"
        )
    };
    check(module, &call(4), expect!["finished"]);
    check(
        module,
        &call(5),
        expect![[r#"
            faulted
            out-of-bounds ffffffff: st.u32 [%a], %n;
              Out of bounds: `list[4]` is beyond `list`, which has 4 elements
              `list` has 16 bytes, this store of 4 bytes needs 20; guard the access, or make it larger"#]],
    );
}

/// A pointer to a variable of a function that has already returned.
#[test]
fn a_pointer_to_a_variable_of_a_returned_call() {
    let module = ".func (.param .b64 r) local()\n{\n.reg .b64 %a;\n.local .align 4 .b8 own[4];\nmov.u64 %a, own;\n\
        cvta.local.u64 %a, %a;\nst.u32 [%a], 1;\nst.param.b64 [r], %a;\nret;\n}";
    let call = ".param .b64 r;\ncall.uni (r), local, ();\nld.param.b64 %rd2, [r];\nld.u32 %r2, [%rd2];";
    check(
        module,
        call,
        expect![[r#"
            faulted
            out-of-bounds ffffffff: ld.u32 %r2, [%rd2];
              Out of bounds: load of 4 bytes at address 0x2000088, outside local memory
              a variable of a function that has returned, or an index beyond an array? check the address computation"#]],
    );
}

#[test]
fn dynamic_stack_memory() {
    let take = "alloca.u64 %rd2, 24;\ncvta.local.u64 %rd3, %rd2;\nst.u64 [%rd3+16], %rd1;";
    check("", take, expect!["finished"]);
}

#[test]
fn uninitialized_elements() {
    let load = ".shared .f32 tile[32][33];\nld.shared.f32 %r2, [tile+2248];\nst.global.u32 [%rd1], %r2;";
    check(
        "",
        load,
        expect![[r#"
            finished
            uninitialized-read ffffffff: ld.shared.f32 %r2, [tile+2248];
              Uninitialized read: `tile[17][1]` (shared), before any thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd1], %r2;"#]],
    );
    let mangled = ".shared .align 4 .b8 _ZZ1kPfE4tile[128];\nld.shared.f32 %r2, [_ZZ1kPfE4tile+12];\nst.global.u32 [%rd1], %r2;";
    check(
        "",
        mangled,
        expect![[r#"
            finished
            uninitialized-read ffffffff: ld.shared.f32 %r2, [_ZZ1kPfE4tile+12];
              Uninitialized read: `tile[3]` (shared), before any thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd1], %r2;"#]],
    );
}

#[test]
fn a_trap_in_a_function() {
    let module = ".func _ZN4grid4syncEv()\n{\ntrap;\n}\n.func outer()\n{\ncall _ZN4grid4syncEv, ();\nret;\n}";
    check(
        module,
        "setp.eq.u32 %p1, %r1, 3;\n@%p1 call outer, ();",
        expect![[r#"
            faulted
            trap 8: trap;
              Trap: executed in `grid::sync`
              check the condition that leads to it
              called here, in `outer`: call _ZN4grid4syncEv, ();
              called here, in `k`: @%p1 call outer, ();"#]],
    );
}

#[test]
fn read_only_objects() {
    check(
        ".const .u32 table[4];",
        "mov.u64 %rd2, table;\ncvta.const.u64 %rd2, %rd2;\nst.u32 [%rd2+8], %r1;",
        expect![[r#"
            faulted
            read-only ffffffff: st.u32 [%rd2+8], %r1;
              Read-only memory: store to `table[2]` in constant memory
              put variable data into global memory"#]],
    );
}

#[test]
fn the_size_of_a_bulk_copy() {
    let copy = ".shared .align 16 .b8 tile[1024];\nsetp.eq.u32 %p1, %r1, 0;\n\
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 100;";
    check(
        "",
        copy,
        expect![[r#"
            faulted
            bulk-size 1: @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 100;
              Invalid bulk copy size: 100 bytes, not a multiple of 16
              round it up, or copy the last bytes with other instructions"#]],
    );
}
