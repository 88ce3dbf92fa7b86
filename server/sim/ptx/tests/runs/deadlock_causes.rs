//! What a deadlock says about its cause: who is missing, and which wait is the end of a chain.

use expect_test::{Expect, expect};
use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

use crate::progress::{SOON, launch};

/// The findings of a run that makes no progress, under one model.
fn explains(model: Model, body: &str, grid: u32, block: u32, expected: &Expect) {
    let (text, source, result, _) = launch(model, body, grid, block);
    assert_eq!(result.status, Status::NoProgress, "{:?}", result.findings);
    assert!(result.totals.warp_instructions < SOON, "{:?}", result.totals);
    let program = source.program("k");
    let at =
        |statement| text.lines().nth(source.line(&program, statement)).unwrap_or_default().trim().to_owned();
    let mut out = String::new();
    for finding in &result.findings {
        let line = finding.statement.map(at).unwrap_or_default();
        out += &format!(
            "{} {:08x}: {line}\n  {}\n",
            finding.kind,
            finding.lanes,
            finding.message.replace('\n', "\n  ")
        );
        for related in &finding.related {
            out += &format!("  {}: {}\n", related.message, at(related.statement));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn an_mbarrier_at_which_no_thread_arrives() {
    let body = |first: &str| {
        format!(
            "
                mov.u32 %r5, bar;
                setp.eq.u32 %p1, %r1, 0;
                @%p1 mbarrier.init.shared.b64 [%r5], 1;
                bar.sync 0;
                {first}
                WAIT:
                mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
                @!%p2 bra WAIT;
                ret;
            "
        )
    };
    // Whatever the parity of the wait, nobody arrives.
    for first in ["", "mbarrier.try_wait.parity.shared.b64 %p3, [%r5], 1;"] {
        let (_, _, result, _) = launch(Model::Stack, &body(first), 1, 32);
        let finding = &result.findings[0];
        assert!(
            finding.message.contains("No thread arrives in this phase: add the missing `mbarrier.arrive`"),
            "{}",
            finding.message
        );
        assert!(!finding.message.contains("parity 1") && !finding.starts_late, "{}", finding.message);
    }
}

/// Warp 0 hands over to warp 1 through `full`, which hands back through `empty`. The cause is at `full`, and warp 0 waits for `empty`.
#[test]
fn the_end_of_a_chain_of_waits_is_explained() {
    let body = |arrival: &str| {
        format!(
            "
                .shared .align 8 .b64 full;
                .shared .align 8 .b64 empty;
                .shared .align 16 .b8 slots[512];
                mov.u32 %r5, full;
                mov.u32 %r6, empty;
                shl.b32 %r4, %r1, 4;
                mov.u32 %r7, slots;
                add.u32 %r7, %r7, %r4;
                setp.eq.u32 %p1, %r1, 0;
                @%p1 mbarrier.init.shared.b64 [%r5], 32;
                @%p1 mbarrier.init.shared.b64 [%r6], 32;
                bar.sync 0;
                mov.u32 %r8, 0;
                setp.ge.u32 %p1, %r1, 32;
                @%p1 bra FULL;
                mov.u32 %r10, 1;
                EMPTY:
                mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %r10;
                @!%p2 bra EMPTY;
                cp.async.ca.shared.global [%r7], [%rd1], 16;
                {arrival}
                xor.b32 %r10, %r10, 1;
                add.u32 %r8, %r8, 1;
                setp.lt.u32 %p3, %r8, 3;
                @%p3 bra EMPTY;
                ret;
                FULL:
                mbarrier.try_wait.parity.shared.b64 %p2, [%r5], %r8;
                @!%p2 bra FULL;
                ld.shared.u32 %r3, [slots];
                mbarrier.arrive.shared.b64 _, [%r6];
                add.u32 %r8, %r8, 1;
                setp.lt.u32 %p3, %r8, 2;
                @%p3 bra FULL;
                ret;
            "
        )
    };
    explains(
        Model::Stack,
        &body("cp.async.mbarrier.arrive.shared.b64 [%r5];"),
        1,
        64,
        &expect![[r#"
        no-progress ffffffff: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], %r8;
          Deadlock: lanes 0-31 of warp 1 wait for the mbarrier `full`
          no live thread can complete phase 0 (parity 0): 32 of 32 arrivals pending, no bytes missing. Each `cp.async.mbarrier.arrive` without `.noinc` first raises the number of pending arrivals by one, then lowers it by one: add `.noinc`, or let each thread also arrive itself
          the phase needs 32 arrivals: @%p1 mbarrier.init.shared.b64 [%r5], 32;
          32 arrivals in this phase: cp.async.mbarrier.arrive.shared.b64 [%r5];
          waiting too: lanes 0-31 of warp 0 wait for the mbarrier `empty`: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %r10;
    "#]],
    );
    // Nobody arrives at `full`.
    explains(
        Model::Stack,
        &body("cp.async.wait_all;"),
        1,
        64,
        &expect![[r#"
        no-progress ffffffff: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], %r8;
          Deadlock: lanes 0-31 of warp 1 wait for the mbarrier `full`
          no live thread can complete phase 0 (parity 0): 32 of 32 arrivals pending, no bytes missing. No thread arrives in this phase: add the missing `mbarrier.arrive` or `tcgen05.commit`
          the phase needs 32 arrivals: @%p1 mbarrier.init.shared.b64 [%r5], 32;
          waiting too: lanes 0-31 of warp 0 wait for the mbarrier `empty`: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %r10;
    "#]],
    );
    // The right kernel.
    let right = body("cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];").replace("%r8, 3;", "%r8, 2;");
    let (_, _, result, _) = launch(Model::Stack, &right, 1, 64);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
}

#[test]
fn a_producer_that_should_start_with_parity_1() {
    // Warp 0 consumes, warp 1 produces. Both wait for phase 0.
    let body = "
        .shared .align 8 .b64 empty;
        .shared .align 4 .b32 slot;
        mov.u32 %r5, bar;
        mov.u32 %r6, empty;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared.b64 [%r5], 32;
        @%p1 mbarrier.init.shared.b64 [%r6], 32;
        bar.sync 0;
        setp.ge.u32 %p1, %r1, 32;
        @%p1 bra EMPTY;
        FULL:
        mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
        @!%p2 bra FULL;
        ld.shared.u32 %r3, [slot];
        mbarrier.arrive.shared.b64 %rd3, [%r6];
        ret;
        EMPTY:
        mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;
        @!%p2 bra EMPTY;
        setp.eq.u32 %p1, %r1, 32;
        @%p1 st.shared.u32 [slot], %r1;
        mbarrier.arrive.shared.b64 %rd3, [%r5];
        ret;
    ";
    let (_, _, result, _) = launch(Model::Stack, body, 1, 64);
    let finding = &result.findings[0];
    assert!(finding.starts_late && finding.warp == 1, "{finding:?}");
    assert!(finding.message.contains("start with parity 1"), "{}", finding.message);
    let right = body.replace("%p2, [%r6], 0;", "%p2, [%r6], 1;");
    let (_, _, result, _) = launch(Model::Stack, &right, 1, 64);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
}

#[test]
fn an_mbarrier_with_a_count_that_is_too_high() {
    let body = "
        mov.u32 %r5, bar;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared.b64 [%r5], 33;
        bar.sync 0;
        mbarrier.arrive.shared.b64 %rd3, [%r5];
        WAIT:
        mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
        @!%p2 bra WAIT;
        ret;
    ";
    let expected = expect![[r#"
        no-progress ffffffff: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
          Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
          no live thread can complete phase 0 (parity 0): 1 of 33 arrivals pending, no bytes missing. Compare the count of `mbarrier.init` with the threads that arrive
          the phase needs 33 arrivals: @%p1 mbarrier.init.shared.b64 [%r5], 33;
          32 arrivals in this phase: mbarrier.arrive.shared.b64 %rd3, [%r5];
    "#]];
    for model in [Model::Stack, Model::Its] {
        explains(model, body, 1, 32, &expected);
    }
}

#[test]
fn a_ticket_lock_that_is_not_released() {
    let body = "
        atom.global.add.u32 %r3, [%rd1], 1;
        WAIT:
        ld.acquire.gpu.global.u32 %r4, [%rd1+4];
        setp.ne.u32 %p1, %r4, %r3;
        @%p1 bra WAIT;
        bar.warp.sync -1;
        st.global.u32 [%rd1+8], %r1;
        ret;
    ";
    explains(
        Model::Its,
        body,
        1,
        32,
        &expect![[r#"
            no-progress fffffffe: ld.acquire.gpu.global.u32 %r4, [%rd1+4];
              Deadlock: lanes 1-31 of warp 0 poll `out[1]` (value 0)
              no live thread can change it; make another thread store the awaited value before it waits or exits
              waiting here: lane 0, for lanes 1-31: bar.warp.sync -1;
        "#]],
    );
    explains(
        Model::Stack,
        body,
        1,
        32,
        &expect![[r#"
            no-progress fffffffe: ld.acquire.gpu.global.u32 %r4, [%rd1+4];
              Deadlock: lanes 1-31 of warp 0 poll `out[1]` (value 0), which does not change
              the other lanes of the warp wait to reconverge with them, and no other live thread can change it
              next statement of lane 0: bar.warp.sync -1;
        "#]],
    );
}
