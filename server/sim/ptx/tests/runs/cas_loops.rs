//! Compare-and-swap loops whose first value comes from a plain load, as in the CUDA C++ Programming Guide.

use crate::common::watched::findings;
use expect_test::{Expect, expect};

/// Checks the findings of a body that two blocks of 64 threads run.
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 2, 64, body));
}

/// The severity of each finding about races.
fn races(body: &str) -> Vec<String> {
    let found = findings("sm_90", 2, 64, body);
    let races = found.lines().filter(|line| line.contains(" data-race "));
    races.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// Computes the maximum of the threads' numbers.
const MAXIMUM: &str = "cvt.rn.f32.u32 %f1, %r1;\nld.global.u32 %r10, [%rd1];\n\
    L: mov.b32 %f2, %r10;\nmax.f32 %f3, %f1, %f2;\nmov.b32 %r11, %f3;\n\
    atom.global.cas.b32 %r12, [%rd1], %r10, %r11;\nsetp.ne.s32 %p1, %r10, %r12;\nmov.u32 %r10, %r12;\n@%p1 bra L;\n";

#[test]
fn the_swap_repairs_a_stale_value() {
    check(
        &format!("{MAXIMUM}ret;"),
        expect![[r#"
            warning data-race warp 0 lanes 00000001: atom.global.cas.b32 %r12, [%rd1], %r10, %r11;
              Global-memory race: out[0] read by lane 1, written by lane 0
              the plain load races with `atom.cas`: the first iteration may see a stale value, which the CAS repairs. Use `ld.relaxed.gpu` (or `volatile`, `cuda::atomic_ref`) to make it defined
              thread (0,0,0) is lane 0 of warp 0, thread (1,0,0) is lane 1 of warp 0
              thread (1,0,0) reads `out[0]` here: ld.global.u32 %r10, [%rd1];
        "#]],
    );
}

#[test]
fn a_sum_of_doubles() {
    let body = "cvt.rn.f64.u32 %fd1, %r1;\nld.global.u64 %rd10, [%rd1];\nL: mov.b64 %fd2, %rd10;\n\
        add.f64 %fd3, %fd1, %fd2;\nmov.b64 %rd11, %fd3;\natom.global.cas.b64 %rd12, [%rd1], %rd10, %rd11;\n\
        setp.ne.s64 %p1, %rd10, %rd12;\nmov.u64 %rd10, %rd12;\n@%p1 bra L;\nret;";
    assert_eq!(races(body), ["warning"]);
}

#[test]
fn a_loop_in_shared_memory_that_loads_in_each_iteration() {
    let body = "@!%p1 st.shared.u32 [tile], 0;\nbar.sync 0;\nL: ld.shared.u32 %r10, [tile];\nadd.u32 %r11, %r10, 1;\n\
        atom.shared.cas.b32 %r12, [tile], %r10, %r11;\nsetp.ne.s32 %p2, %r10, %r12;\n@%p2 bra L;\nret;";
    assert_eq!(races(body), ["warning"]);
}

#[test]
fn a_loop_that_may_end_before_the_swap() {
    // A `while (value > old)` loop that the compiler has rotated.
    let body = "ld.global.u32 %r10, [%rd1];\nsetp.le.u32 %p1, %r1, %r10;\n@%p1 bra E;\n\
        L: mov.u32 %r11, %r10;\natom.global.cas.b32 %r10, [%rd1], %r11, %r1;\nsetp.eq.u32 %p2, %r10, %r11;\n@%p2 bra E;\n\
        setp.gt.u32 %p3, %r1, %r10;\n@%p3 bra L;\nE: ret;";
    assert_eq!(races(body), ["warning"]);
}

#[test]
fn a_value_that_goes_elsewhere() {
    // The value is used in memory, an address, another atomic and a call.
    for more in [
        "st.global.u32 [%rd2+512], %r10;",
        "and.b32 %r13, %r10, 0;\ncvt.u64.u32 %rd5, %r13;\nadd.u64 %rd5, %rd5, %rd2;\nst.global.u32 [%rd5+512], 1;",
        "red.global.add.u32 [%rd1+1024], %r10;",
        "shfl.sync.idx.b32 %r13, %r10, 0, 31, 0xffffffff;",
    ] {
        let body = MAXIMUM.replace("L: mov.b32", &format!("{more}\nL: mov.b32"));
        assert!(races(&format!("{body}ret;")).contains(&"error".to_owned()), "{more}");
    }
}

#[test]
fn a_swap_that_does_not_repair_the_value() {
    // The swap is at another address, of another size, of a computed value, or after the address has changed.
    let first = "atom.global.cas.b32 %r12, [%rd1], %r10, %r11;";
    for other in [
        "atom.global.cas.b32 %r12, [%rd1+4], %r10, %r11;\nred.global.add.u32 [%rd1], 1;",
        "cvt.u64.u32 %rd5, %r10;\ncvt.u64.u32 %rd6, %r11;\natom.global.cas.b64 %rd7, [%rd1], %rd5, %rd6;\ncvt.u32.u64 %r12, %rd7;",
        "or.b32 %r13, %r10, 0;\natom.global.cas.b32 %r12, [%rd1], %r13, %r11;",
        "add.u64 %rd1, %rd1, 0;\natom.global.cas.b32 %r12, [%rd1], %r10, %r11;",
        "atom.global.cas.b32 %r12, [%rd1], 0, %r11;",
        "atom.global.exch.b32 %r12, [%rd1], %r11;",
    ] {
        let body = MAXIMUM.replace(first, other).replace("@%p1 bra L;", "");
        assert!(races(&format!("{body}ret;")).contains(&"error".to_owned()), "{other}");
    }
}

#[test]
fn a_plain_store_is_an_error() {
    let body = format!("st.global.u32 [%rd1], 0;\n{MAXIMUM}ret;");
    assert!(races(&body).contains(&"error".to_owned()));
}
