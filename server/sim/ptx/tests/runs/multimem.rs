//! `multimem`: accesses to all replicas, and misuse of multimem addresses.

use expect_test::{Expect, expect};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, RunOptions};

use crate::common::{Source, kernel, words};

/// Runs a body on two replicas of 64 words, whose word `i` is `i` and `100 + i`. `%rd1` is the multimem address, `%rd2` the
/// multimem address of the thread's word, `%r1` the thread. Returns the first words of both replicas, and the findings.
fn outcome(body: &str, eager: bool) -> String {
    let text = kernel(&format!(
        ".shared .align 128 .b8 tile[256];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nmov.u32 %r3, tile;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\n{body}\nret;"
    ))
    .replace(".version 8.5", ".version 9.3")
    .replace("sm_90", "sm_100a");
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config([1, 1, 1], [32, 1, 1]);
    let replica = |first: u32| (first..first + 64).flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
    let memory = &mut config.memory;
    let replicas = [0, 100]
        .map(|first| memory.allocate_with(&format!("m#{}", first / 100), &replica(first)).expect("space"));
    let m = memory.allocate_multimem("m", 256, replicas.to_vec()).expect("space");
    config.params = m.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, eager, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let mut out = format!("{}\n", result.status.as_str());
    for replica in replicas {
        let bytes = result.memory.bytes(replica, 256).expect("the replica");
        out += &format!("{:?} … {:?}\n", &words(bytes)[..4], &words(bytes)[31..34]);
    }
    for finding in &result.findings {
        out += &format!("{}: {}\n", finding.kind, finding.message);
    }
    out
}

fn check(body: &str, expected: Expect) {
    let late = outcome(body, false);
    assert_eq!(late, outcome(body, true), "late and eager completion differ");
    expected.assert_eq(&late);
}

#[test]
fn loads_reduce_and_stores_reach_all_replicas() {
    check(
        "multimem.ld_reduce.relaxed.gpu.global.add.u32 %r5, [%rd2];\nmultimem.st.weak.global.u32 [%rd2], %r5;",
        expect![[r#"
            finished
            [100, 102, 104, 106] … [162, 32, 33]
            [100, 102, 104, 106] … [162, 132, 133]
        "#]],
    );
    check(
        "multimem.red.relaxed.gpu.global.add.u32 [%rd1], 2;\nmultimem.red.release.sys.global.xor.b32 [%rd1+128], %r1;",
        expect![[r#"
            finished
            [64, 1, 2, 3] … [31, 32, 33]
            [164, 101, 102, 103] … [131, 132, 133]
        "#]],
    );
    check(
        "multimem.st.async.release.gpu.global.u32 [%rd2], 7;\nmultimem.red.async.release.gpu.global.add.u32 [%rd2+128], 1;",
        expect![[r#"
            finished
            [7, 7, 7, 7] … [7, 33, 34]
            [7, 7, 7, 7] … [7, 133, 134]
        "#]],
    );
}

#[test]
fn vectors_reduce_element_by_element() {
    check(
        "mul.wide.u32 %rd3, %r1, 8;\nadd.u64 %rd3, %rd1, %rd3;\n\
         mov.b32 %f1, 0f3f800000;\nmov.b32 %f2, 0f40000000;\nmultimem.st.weak.global.v2.f32 [%rd3], {%f1, %f2};\n\
         multimem.ld_reduce.weak.global.add.v2.f32 {%f3, _}, [%rd3];\nmultimem.st.weak.global.f32 [%rd3], %f3;",
        expect![[r#"
            finished
            [1073741824, 1073741824, 1073741824, 1073741824] … [1073741824, 1073741824, 1073741824]
            [1073741824, 1073741824, 1073741824, 1073741824] … [1073741824, 1073741824, 1073741824]
        "#]],
    );
}

#[test]
fn bulk_copies_reach_all_replicas() {
    let fill =
        "st.shared.u32 [%r4], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n";
    let wait = "\n@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;";
    check(
        &format!("{fill}@%p1 multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 128;{wait}"),
        expect![[r#"
            finished
            [0, 1, 2, 3] … [31, 32, 33]
            [0, 1, 2, 3] … [31, 132, 133]
        "#]],
    );
    check(
        &format!(
            "{fill}@%p1 multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+128], [%r3], 128;{wait}"
        ),
        expect![[r#"
            finished
            [0, 1, 2, 3] … [31, 32, 34]
            [100, 101, 102, 103] … [131, 132, 134]
        "#]],
    );
}

#[test]
fn ordinary_accesses_have_no_meaning() {
    check(
        "ld.global.u32 %r5, [%rd2];",
        expect![[r#"
            faulted
            [0, 1, 2, 3] … [31, 32, 33]
            [100, 101, 102, 103] … [131, 132, 133]
            no-meaning: Undefined behavior: load of 4 bytes at `m[0]` through a multimem address
            only `multimem` instructions may use it; pass the address of a replica: alias = "m#0"
        "#]],
    );
    check(
        "add.u64 %rd3, %rd1, -512;\nmultimem.st.weak.global.u32 [%rd3], 1;",
        expect![[r#"
            faulted
            [0, 1, 2, 3] … [31, 32, 33]
            [100, 101, 102, 103] … [131, 132, 133]
            no-meaning: Undefined behavior: a `multimem` access to `m#1[0]`
            it is not a multimem address; pass one: { multimem = { buffer = "u32", len = 64, replicas = [{ fill = "iota" }, { fill = "zero" }] } }
        "#]],
    );
    check(
        "multimem.st.weak.global.u32 [%rd2+256], 1;",
        expect![[r#"
            faulted
            [0, 1, 2, 3] … [31, 32, 33]
            [100, 101, 102, 103] … [131, 132, 133]
            out-of-bounds: Out of bounds: a `multimem` access of 4 bytes to global memory at 0x10000500
            each replica has 256 bytes; guard the access, or make the replicas larger
        "#]],
    );
    check(
        "st.global.u32 [%rd2+1024], 1;",
        expect![[r#"
        faulted
        [0, 1, 2, 3] … [31, 32, 33]
        [100, 101, 102, 103] … [131, 132, 133]
        out-of-bounds: Out of bounds: `m[256]` is beyond `m`, which has 64 elements
        `m` has 256 bytes, this store of 4 bytes needs 1,028; guard the access, or make it larger
    "#]],
    );
}
