//! Atomics and wide accesses: the effects on memory and the results.

use crate::common::{kernel, run_kernel, words};
use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

/// Checks the first words of the output after a run with `block` threads. `%r1` is the thread, `%rd1` the output, initially
/// zero.
fn check(block: u32, body: &str, expected: &[u32]) {
    let text = kernel(&format!(
        ".reg .b128 %q<9>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 1;\n{body}\nret;"
    ))
    .replace(".target sm_90", ".target sm_100");
    let (_, _, result, bytes) = run_kernel(&text, block, 256, Model::Stack);
    let messages: Vec<_> = result.findings.iter().map(|finding| &finding.message).collect();
    assert_eq!((result.status, messages), (Status::Finished, vec![]), "{body}");
    assert_eq!(&words(&bytes)[..expected.len()], expected, "{body}");
}

#[test]
fn counters() {
    check(40, "atom.global.inc.u32 %r3, [%rd1], 9;", &[0]);
    check(33, "atom.global.dec.u32 %r3, [%rd1], 9;", &[7]);
    check(
        32,
        "red.global.add.u32 [%rd1], %r1;\nred.global.max.s32 [%rd1+4], %r1;\nred.global.or.b32 [%rd1+8], %r1;",
        &[496, 31, 31],
    );
    check(32, "red.global.add.u64 [%rd1], 0x100000000;", &[0, 32]);
}

#[test]
fn lanes_execute_in_order() {
    let body = "atom.global.add.u32 %r3, [%rd1], 2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\n\
        st.global.u32 [%rd2+16], %r3;";
    check(4, body, &[8, 0, 0, 0, 0, 2, 4, 6]);
}

#[test]
fn halves_and_pairs() {
    // Adds 1.0 in half precision 32 times, in one half and in both halves of a word.
    check(32, "mov.b16 %h1, 0x3c00;\nred.global.add.noftz.f16 [%rd1], %h1;", &[0x5000]);
    check(32, "mov.b32 %r3, 0x3c003c00;\nred.global.add.noftz.f16x2 [%rd1], %r3;", &[0x5000_5000]);
    check(32, "mov.b16 %h1, 0x3f80;\nred.global.add.noftz.bf16 [%rd1], %h1;", &[0x4200]);
    check(32, "mov.b32 %r3, 0x3f803f80;\nred.global.add.noftz.bf16x2 [%rd1], %r3;", &[0x4200_4200]);
}

#[test]
fn vectors_are_atomic_by_element() {
    let one = 1f32.to_bits();
    check(
        2,
        "mov.f32 %f1, 0f3F800000;\natom.global.v4.f32.add {%f2, %f3, %f4, %f5}, [%rd1], {%f1, %f1, %f1, %f1};\n\
         st.global.v2.f32 [%rd1+16], {%f2, %f5};",
        &[2f32.to_bits(), 2f32.to_bits(), 2f32.to_bits(), 2f32.to_bits(), one, one],
    );
    check(1, "mov.b16 %h1, 0x3c00;\nred.global.v2.f16.add.noftz [%rd1], {%h1, %h1};", &[0x3c00_3c00]);
    check(
        1,
        "mov.b32 %r3, 0x3c003c00;\nred.global.v4.f16x2.max.noftz [%rd1], {%r3, %r3, %r3, %r3};",
        &[0x3c00_3c00; 4],
    );
}

#[test]
fn swaps_of_128_bits() {
    check(
        1,
        "mov.u64 %rd2, 5;\nmov.u64 %rd3, 6;\nmov.b128 %q1, {%rd2, %rd3};\natom.global.exch.b128 %q2, [%rd1], %q1;\n\
         mov.b128 %q3, {%rd3, %rd2};\natom.global.cas.b128 %q4, [%rd1], %q1, %q3;\nmov.b128 {%rd4, %rd5}, %q4;\n\
         st.global.v2.u64 [%rd1+16], {%rd4, %rd5};",
        &[6, 0, 5, 0, 5, 0, 6, 0],
    );
}

#[test]
fn wide_vectors() {
    check(
        1,
        "st.global.v8.b32 [%rd1], {1, 2, 3, 4, 5, 6, 7, 8};\n\
         ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];\nst.global.v4.b64 [%rd1+32], {%rd5, %rd4, %rd3, %rd2};",
        &[1, 2, 3, 4, 5, 6, 7, 8, 7, 8, 5, 6, 3, 4, 1, 2],
    );
    check(
        1,
        "mov.b64 %rd2, 7;\nmov.b64 %rd3, 8;\nmov.b128 %q1, {%rd2, %rd3};\nst.global.b128 [%rd1], %q1;\n\
         ld.global.b128 %q2, [%rd1];\nmov.b128 {%rd4, %rd5}, %q2;\nst.global.u64 [%rd1+16], %rd5;",
        &[7, 0, 8, 0, 8, 0],
    );
}

#[test]
fn every_window_of_the_generic_space() {
    let body = "mov.u64 %rd2, %rd1;\nisspacep.global %p1, %rd2;\nisspacep.shared %p2, %rd2;\nselp.u32 %r3, 1, 0, %p1;\n\
        selp.u32 %r4, 1, 0, %p2;\nst.global.v2.u32 [%rd1], {%r3, %r4};\nisspacep.local %p3, 0;\nselp.u32 %r5, 1, 0, %p3;\n\
        st.global.u32 [%rd1+8], %r5;";
    check(1, body, &[1, 0, 0]);
}
