//! Blocks that wait for others in loops with barriers: threads poll memory and tell their block through shared memory.

use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

use crate::progress::{SOON, launch};

/// Loops that poll the flag `[%rd1]` into `%r3` in all threads of the block. `bar` and the word after it are shared memory.
const WAITS: [(&str, &str); 6] = [
    (
        "load",
        "
            WAIT:
            bar.sync 0;
            @%p3 ld.acquire.gpu.global.u32 %r3, [%rd1];
            @%p3 st.shared.u32 [bar], %r3;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
        ",
    ),
    (
        "atomic",
        "
            WAIT:
            @%p3 atom.global.gpu.acq_rel.add.u32 %r3, [%rd1], 0;
            @%p3 st.shared.u32 [bar], %r3;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
            bar.sync 0;
        ",
    ),
    (
        "swap, counted",
        "
            WAIT:
            add.u32 %r9, %r9, 1;
            @%p3 atom.global.cas.b32 %r3, [%rd1], 5, 5;
            @%p3 st.shared.u32 [bar], %r3;
            barrier.sync 0;
            ld.shared.u32 %r3, [bar];
            barrier.sync 0;
        ",
    ),
    (
        "volatile, with a sleep",
        "
            WAIT:
            nanosleep.u32 100;
            @%p3 ld.volatile.global.u32 %r3, [%rd1];
            @%p3 st.volatile.shared.u32 [bar], %r3;
            bar.sync 0;
            ld.volatile.shared.u32 %r3, [bar];
            bar.sync 0;
        ",
    ),
    (
        "reduction",
        "
            WAIT:
            mov.u32 %r3, 0;
            @%p3 ld.relaxed.gpu.global.u32 %r3, [%rd1];
            setp.ne.u32 %p4, %r3, 0;
            st.shared.u32 [bar], 7;
            bar.red.popc.u32 %r3, 0, %p4;
        ",
    ),
    (
        "every thread",
        "
            WAIT:
            ld.acquire.gpu.global.u32 %r4, [%rd1];
            mul.lo.u32 %r5, %r1, 4;
            mov.u32 %r6, row;
            add.u32 %r5, %r5, %r6;
            st.shared.u32 [%r5], %r4;
            bar.sync 1;
            ld.shared.u32 %r3, [row];
            bar.sync 1;
        ",
    ),
];

/// Loops that also change something in each iteration, so that nothing tells a wait from work.
const BUSY_WAITS: [(&str, &str); 4] = [
    (
        "two values through one word",
        "
            WAIT:
            @%p3 ld.acquire.gpu.global.u32 %r3, [%rd1];
            @%p3 st.shared.u32 [bar], %r3;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
            bar.sync 0;
            @%p3 st.shared.u32 [bar], 77;
            bar.sync 0;
        ",
    ),
    (
        "counter in shared memory",
        "
            WAIT:
            @%p3 ld.acquire.gpu.global.u32 %r3, [%rd1];
            @%p3 st.shared.u32 [bar], %r3;
            atom.shared.add.u32 %r4, [bar+4], 1;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
            bar.sync 0;
        ",
    ),
    (
        "counter in device memory",
        "
            WAIT:
            @%p3 ld.acquire.gpu.global.u32 %r3, [%rd1];
            @%p3 st.shared.u32 [bar], %r3;
            @%p3 red.global.add.u32 [%rd1+8], 1;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
            bar.sync 0;
        ",
    ),
    (
        "clock",
        "
            WAIT:
            @%p3 ld.acquire.gpu.global.u32 %r3, [%rd1];
            @%p3 st.shared.u32 [bar], %r3;
            mov.u64 %rd5, %clock64;
            st.shared.u64 [row], %rd5;
            bar.sync 0;
            ld.shared.u32 %r3, [bar];
            bar.sync 0;
        ",
    ),
];

/// A body whose blocks all run the loop until `[%rd1]` is not 0.
fn waiting(wait: &str) -> String {
    format!(
        ".shared .align 16 .b8 row[512];\nsetp.eq.u32 %p3, %r1, 0;\nmov.u32 %r3, 0;\n{wait}\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\n\
         @%p3 atom.global.add.u32 %r4, [%rd1+4], 1;\nret;"
    )
}

/// A grid barrier: the last of three blocks lets all others continue.
fn grid_barrier(wait: &str) -> String {
    format!(
        "
            setp.eq.u32 %p5, %r1, 32;
            @!%p5 bra ALL;
            atom.global.add.u32 %r7, [%rd1+16], 1;
            setp.eq.u32 %p6, %r7, 2;
            @%p6 st.release.gpu.global.u32 [%rd1], 5;
            ALL:
            bar.sync 0;
            {}
        ",
        waiting(wait)
    )
}

#[test]
fn blocks_wait_for_later_ones_through_shared_memory() {
    for (name, wait) in WAITS.into_iter().chain(BUSY_WAITS) {
        for (model, threads) in Model::ALL.into_iter().zip([64, 96, 128, 64]) {
            let (_, _, result, values) = launch(model, &grid_barrier(wait), 3, threads);
            assert_eq!(result.status, Status::Finished, "{name} {model:?} {:?}", result.findings);
            assert_eq!(values[1], 3, "{name} {model:?}");
        }
    }
}

#[test]
fn waits_through_shared_memory_without_an_end_are_reported_at_once() {
    for (name, wait) in WAITS {
        for (model, threads) in Model::ALL.into_iter().zip([64, 96, 128, 64]) {
            let (_, _, result, _) = launch(model, &waiting(wait), 2, threads);
            assert_eq!(result.status, Status::NoProgress, "{name} {model:?} {:?}", result.findings);
            assert!(result.totals.warp_instructions < SOON, "{name} {model:?} {:?}", result.totals);
            let message = &result.findings[0].message;
            assert!(message.contains("poll") && message.contains("`out[0]` (value 0)"), "{name} {message}");
        }
    }
}
