//! The last store to a watched byte of device memory.

use crate::common::Source;
use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions};

/// Runs a body with two blocks of 64 threads. The parameter is a buffer whose byte at `offset` is watched.
fn check(body: &str, offset: u64, expected: Expect) {
    let text = format!(
        "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<3>; .reg .u32 %r<6>; .reg .u64 %rd<5>;
    .shared .align 4 .u32 shared[64];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
{body}
    ret;
}}
"
    );
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config([2, 1, 1], [64, 1, 1]);
    let address = config.memory.allocate("out", 1024).expect("memory");
    config.params = address.to_le_bytes().to_vec();
    let options = RunOptions { watch: Some(address + offset), ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    assert_eq!(result.status.as_str(), "finished");
    let store = result.last_store.map(|store| {
        let line = text.lines().nth(source.line(&program, store.statement)).unwrap_or_default().trim();
        format!("{line} block {}, warp {}, lane {}", store.warp.cta[0], store.warp.warp, store.lane)
    });
    expected.assert_eq(&store.unwrap_or_else(|| "none".to_owned()));
}

#[test]
fn the_last_of_several_stores() {
    let two = "    st.global.u32 [%rd3], %r1;\n    st.global.u8 [%rd3+1], %r1;";
    check(two, 4, expect!["st.global.u32 [%rd3], %r1; block 1, warp 0, lane 1"]);
    check(two, 5, expect!["st.global.u8 [%rd3+1], %r1; block 1, warp 0, lane 1"]);
    check(two, 4 * 63 + 3, expect!["st.global.u32 [%rd3], %r1; block 1, warp 1, lane 31"]);
    check(two, 4 * 64, expect!["none"]);
}

#[test]
fn lanes_that_store_to_one_address() {
    check(
        "    st.global.v2.u32 [%rd1+8], {%r1, %r2};",
        15,
        expect!["st.global.v2.u32 [%rd1+8], {%r1, %r2}; block 1, warp 1, lane 31"],
    );
    check(
        "    setp.eq.u32 %p1, %r1, 40;\n    @%p1 st.global.u32 [%rd1], %r1;",
        0,
        expect!["@%p1 st.global.u32 [%rd1], %r1; block 1, warp 1, lane 8"],
    );
}

#[test]
fn atomics_and_generic_addresses() {
    check(
        "    atom.global.add.u32 %r3, [%rd1], 1;",
        0,
        expect!["atom.global.add.u32 %r3, [%rd1], 1; block 1, warp 1, lane 31"],
    );
    check(
        "    red.global.add.u32 [%rd1], 1;",
        3,
        expect!["red.global.add.u32 [%rd1], 1; block 1, warp 1, lane 31"],
    );
    check(
        "    cvta.global.u64 %rd4, %rd3;\n    st.u32 [%rd4], %r1;",
        8,
        expect!["st.u32 [%rd4], %r1; block 1, warp 0, lane 2"],
    );
}

#[test]
fn loads_and_shared_memory_do_not_count() {
    check("    ld.global.u32 %r3, [%rd3];\n    st.shared.u32 [shared], %r3;", 0, expect!["none"]);
}
