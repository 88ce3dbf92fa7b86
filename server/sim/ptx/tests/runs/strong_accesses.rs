//! Races of atomics and strong accesses with plain ones: those that a strong access of the same thread hides, and those that an
//! observation orders.

use crate::common::watched::findings;

/// Runs two warps, of which thread 0 (`%p1`) executes `first`; then `second` follows, with or without a barrier.
fn found(first: &str, barrier: &str, second: &str) -> String {
    let body = format!(
        "
            .reg .b64 %token;
            setp.eq.u32 %p1, %r1, 0;
            {first}
            {barrier}
            {second}
            ret;
        "
    );
    findings("sm_90", 1, 64, &body)
}

#[track_caller]
fn check(first: &str, second: &str, kind: &str) {
    let racing = found(first, "", second);
    assert!(racing.contains(kind), "{first}\n{second}\n{racing}");
    assert_eq!(found(first, "bar.sync 0;", second), "", "{first}\n{second}");
}

#[test]
fn an_atomic_of_the_thread_that_initializes_does_not_hide_the_store() {
    for add in [
        "atom.shared.add.u32 %r5, [%r4], 1;",
        "red.shared.add.u32 [%r4], 1;",
        "st.relaxed.gpu.shared.u32 [%r4], 1;",
        "atom.acq_rel.gpu.shared.add.u32 %r5, [%r4], 1;",
    ] {
        check("@%p1 st.shared.u32 [%r4], 0;", add, "data-race");
    }
    for add in ["atom.global.add.u32 %r5, [%rd1], 1;", "red.global.max.s32 [%rd1], %r1;"] {
        check("@%p1 st.global.u32 [%rd1], 0;", add, "data-race");
    }
}

/// Strong accesses are morally strong only if they overlap completely.
#[test]
fn strong_accesses_of_different_sizes() {
    let other = "setp.eq.u32 %p2, %r1, 32;\n";
    for (first, second) in [
        (
            "st.relaxed.gpu.global.u8 [%rd1], 1;",
            "ld.relaxed.gpu.global.u32 %r5, [%rd1];\n@%p2 st.global.u32 [%rd2], %r5;",
        ),
        (
            "st.volatile.global.u16 [%rd1+2], 1;",
            "ld.volatile.global.u64 %rd4, [%rd1];\n@%p2 st.global.u64 [%rd2], %rd4;",
        ),
        ("red.global.add.u32 [%rd1], 1;", "red.global.add.u64 [%rd1], 1;"),
        ("st.relaxed.gpu.global.u8 [%rd1], 1;", "red.global.add.u32 [%rd1], 1;"),
        ("st.relaxed.cta.shared.u8 [%r4], 1;", "red.relaxed.cta.shared.add.u32 [%r4], 1;"),
        ("st.relaxed.gpu.global.v2.u32 [%rd1], {%r1, 1};", "red.global.add.u64 [%rd1], 1;"),
    ] {
        check(&format!("@%p1 {first}"), &format!("{other}@%p2 {second}"), "warning data-race");
    }
    for (first, second) in [
        ("st.relaxed.gpu.global.u32 [%rd1+4], 1;", "ld.relaxed.gpu.global.v2.u32 {%r5, %r6}, [%rd1];"),
        ("st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.b32 %r5, [%rd1];"),
        ("st.relaxed.gpu.global.u8 [%rd1], 1;", "ld.relaxed.gpu.global.u16 %h5, [%rd1+2];"),
        ("red.global.add.noftz.f16x2 [%rd1], %r5;", "red.global.add.noftz.f16 [%rd1], %h5;"),
        ("red.global.add.noftz.f16x2 [%rd1], %r5;", "ld.relaxed.gpu.global.u32 %r6, [%rd1];"),
    ] {
        let (first, second) =
            (format!("mov.u32 %r5, 0;\nmov.u16 %h5, 0;\n@%p1 {first}"), format!("{other}@%p2 {second}"));
        assert_eq!(found(&first, "", &second), "", "{first}\n{second}");
    }
    // The scope does not include both threads either, so this is a race in any case.
    let blocks = "
        setp.eq.u32 %p1, %r2, 0;
        @%p1 st.relaxed.cta.global.u8 [%rd1], 1;
        @!%p1 red.global.add.u32 [%rd1], 1;
    ";
    let found = findings("sm_90", 2, 1, blocks);
    assert!(found.starts_with("error data-race"), "{found}");
}

#[test]
fn a_strong_load_of_a_thread_does_not_hide_its_plain_one() {
    check(
        "@%p1 st.shared.u32 [%r4], 0;\nbar.sync 0;\n@%p1 ld.shared.u32 %r5, [%r4];\n@%p1 ld.relaxed.gpu.shared.u32 %r6, [%r4];",
        "setp.eq.u32 %p2, %r1, 32;\n@%p2 st.relaxed.gpu.shared.u32 [%r4], 1;",
        "data-race",
    );
}

#[test]
fn a_wait_does_not_order_the_initialization_that_it_reads() {
    let init = "@%p1 mbarrier.init.shared.b64 [%r4], 1;";
    let arrive = "@%p1 mbarrier.arrive.shared.b64 _, [%r4];";
    for wait in ["try_wait.parity", "test_wait.parity", "try_wait.parity.relaxed.cta"] {
        let wait = format!("{arrive}\nW: mbarrier.{wait}.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra W;");
        check(init, &wait, "mbarrier-init");
    }
    let arrive_both = "setp.eq.u32 %p2, %r1, 32;\nmbarrier.arrive.shared.b64 _, [%r4];";
    check("@%p1 mbarrier.init.shared.b64 [%r4], 64;", arrive_both, "mbarrier-init");
}

#[test]
fn a_store_beside_an_atomic_that_accumulates_is_not_harmless() {
    let thread_40 = "setp.eq.u32 %p2, %r1, 40;\n@%p2 st.global.u32 [%rd1], 1;";
    let add = found("@%p1 red.global.add.u32 [%rd1], 1;", "", thread_40);
    assert!(add.contains("error data-race"), "{add}");
    // Whichever comes first, 1 is left.
    let max = found("@%p1 red.global.max.u32 [%rd1], 1;", "", thread_40);
    assert!(max.contains("information same-value-race"), "{max}");
}

/// Who has observed a strong write of a flag may access the flag plainly.
#[test]
fn a_flag_is_reset_after_its_write_was_observed() {
    let body = |write: &str, poll: &str, (before, after): (&str, &str)| {
        format!(
            "
                setp.ne.u32 %p1, %r1, 0;
                @%p1 exit;
                setp.eq.u32 %p2, %r2, 1;
                @%p2 bra READ;
                st.global.u32 [%rd1+64], 7;
                fence.acq_rel.gpu;
                {write}
                ret;
                READ:
                {before}
                POLL:
                {poll}
                setp.eq.u32 %p3, %r6, 0;
                @%p3 bra POLL;
                fence.acq_rel.gpu;
                ld.global.u32 %r5, [%rd1+64];
                {after}
                ret;
            "
        )
    };
    for write in [
        "st.volatile.global.u32 [%rd1], 1;",
        "st.relaxed.gpu.global.u32 [%rd1], 1;",
        "red.relaxed.gpu.global.add.u32 [%rd1], 1;",
        "atom.relaxed.gpu.global.exch.b32 %r7, [%rd1], 1;",
        "st.release.gpu.global.u32 [%rd1], 1;",
    ] {
        for poll in ["ld.volatile.global.u32 %r6, [%rd1];", "ld.acquire.gpu.global.u32 %r6, [%rd1];"] {
            for access in ["st.global.u32 [%rd1], 0;", "ld.global.u32 %r7, [%rd1];"] {
                assert_eq!(findings("sm_90", 2, 32, &body(write, poll, ("", access))), "");
            }
            // Before the poll the write may come later.
            let found = findings("sm_90", 2, 32, &body(write, poll, ("ld.global.u32 %r7, [%rd1];", "")));
            assert!(found.contains("error data-race"), "{write} {poll} {found}");
        }
    }
    // Another write behind the same fence was not observed.
    let two = "st.relaxed.gpu.global.u32 [%rd1], 1;\nst.global.u32 [%rd1+32], 1;";
    let found = findings(
        "sm_90",
        2,
        32,
        &body(two, "ld.acquire.gpu.global.u32 %r6, [%rd1];", ("", "ld.global.u32 %r7, [%rd1+32];")),
    );
    assert!(found.contains("error data-race"), "{found}");
}
