//! Forward progress: threads that poll memory let others run, whatever else their loops change, and a wait that cannot end
//! is reported at once.

use crate::common::{Source, words};
use expect_test::expect;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, FindingKind, Limits, RunOptions, RunResult, Status};

/// Maximum number of steps before an endless wait must be reported.
pub(crate) const SOON: u64 = 20_000;

/// Runs a body in kernel `k`, after a function `load` that reads a flag. `%rd1` is a buffer of 64 words, `%r1` the thread,
/// `%r2` the block.
pub(crate) fn launch(
    model: Model,
    body: &str,
    grid: u32,
    block: u32,
) -> (String, Source, RunResult, Vec<u32>) {
    let limits = Limits { max_steps: 500_000, ..Limits::default() };
    let text = format!(
        "
            .version 8.5
            .target sm_90
            .address_size 64
            .func (.reg .u32 value) load(.reg .u64 at)
            {{
                .local .b8 frame[16];
                st.local.u64 [frame], at;
                ld.local.u64 at, [frame];
                ld.volatile.u32 value, [at];
                ret;
            }}
            .visible .entry k(.param .u64 out)
            {{
                .reg .pred %p<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
                .shared .align 8 .b64 bar;
                .local .align 16 .b8 stack[32];
                ld.param.u64 %rd1, [out];
                mov.u32 %r1, %tid.x;
                mov.u32 %r2, %ctaid.x;
                mov.u32 %r9, 0;
                {body}
            }}
        "
    );
    let source = Source::new(&text);
    let program = source.program("k");
    let mut config = launch_config([grid, 1, 1], [block, 1, 1]);
    let out = config.memory.allocate("out", 256).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let checks = Checks { races: true, ..Checks::default() };
    let options = RunOptions { checks, limits, ..RunOptions::default() };
    let result = run(&program, config, model, &options, Control::none()).expect("not cancelled");
    let values = words(result.memory.bytes(out, 256).expect("the buffer"));
    (text, source, result, values)
}

/// Loops that poll the flag `[%rd1]` into `%r3`, and also change something else.
const WAITS: [(&str, &str); 8] = [
    ("counter", "WAIT:\nadd.u32 %r9, %r9, 1;\nld.volatile.global.u32 %r3, [%rd1];\n"),
    (
        "clock",
        "WAIT:\nmov.u64 %rd5, %clock64;\nadd.u64 %rd6, %rd6, %rd5;\nld.acquire.gpu.global.u32 %r3, [%rd1];\n",
    ),
    ("sleep", "WAIT:\nadd.u32 %r9, %r9, 20;\nnanosleep.u32 %r9;\nld.volatile.global.u32 %r3, [%rd1];\n"),
    (
        "local",
        "WAIT:\nadd.u32 %r9, %r9, 1;\nst.local.u32 [stack], %r9;\nld.relaxed.gpu.global.u32 %r3, [%rd1];\n",
    ),
    (
        "generic local",
        "
            mov.u64 %rd5, stack;
            cvta.local.u64 %rd5, %rd5;
            st.u32 [%rd5+4], %r9;
            WAIT:
            ld.u32 %r9, [%rd5+4];
            add.u32 %r9, %r9, 1;
            st.u32 [%rd5+4], %r9;
            ld.volatile.global.u32 %r3, [%rd1];
        ",
    ),
    ("call", "WAIT:\nadd.u32 %r9, %r9, 1;\nmov.u64 %rd5, %rd1;\ncall (%r3), load, (%rd5);\n"),
    ("weak load", "WAIT:\nadd.u32 %r9, %r9, 1;\nld.global.u32 %r3, [%rd1];\n"),
    ("atomic", "WAIT:\nadd.u32 %r9, %r9, 1;\natom.global.or.b32 %r3, [%rd1], 0;\n"),
];

#[test]
fn a_block_waits_for_a_later_one_whatever_its_loop_changes() {
    for (name, wait) in WAITS {
        let body = format!(
            "
                setp.eq.u32 %p1, %r2, 2;
                @%p1 bra GIVE;
                {wait}setp.eq.u32 %p2, %r3, 0;
                @%p2 bra WAIT;
                atom.global.add.u32 %r4, [%rd1+4], %r3;
                ret;
                GIVE:
                st.volatile.global.u32 [%rd1], 5;
                ret;
            "
        );
        for model in Model::ALL {
            let (_, _, result, values) = launch(model, &body, 3, 32);
            assert_eq!(result.status, Status::Finished, "{name} {model:?} {:?}", result.findings);
            assert_eq!(values[..2], [5, 2 * 32 * 5], "{name} {model:?}");
            assert!(result.totals.warp_instructions < SOON, "{name} {model:?} {:?}", result.totals);
        }
    }
}

#[test]
fn a_wait_without_an_end_is_reported_at_once() {
    for (name, wait) in WAITS {
        let body = format!("{wait}setp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nret;");
        for model in Model::ALL {
            let (_, _, result, _) = launch(model, &body, 2, 64);
            assert_eq!(result.status, Status::NoProgress, "{name} {model:?} {:?}", result.findings);
            assert!(result.totals.warp_instructions < SOON, "{name} {model:?} {:?}", result.totals);
            assert!(
                result.findings[0].message.contains("poll `out[0]` (value 0)"),
                "{name} {:?}",
                result.findings
            );
        }
    }
}

#[test]
fn warps_of_a_block_take_turns() {
    // Warp 0 waits for warp 1, which waits for warp 2.
    let body = "
        shr.u32 %r5, %r1, 5;
        mul.wide.u32 %rd3, %r5, 4;
        add.u64 %rd3, %rd1, %rd3;
        setp.eq.u32 %p1, %r5, 2;
        @%p1 bra GIVE;
        WAIT:
        add.u32 %r9, %r9, 1;
        ld.volatile.global.u32 %r3, [%rd3+4];
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra WAIT;
        GIVE:
        st.volatile.global.u32 [%rd3], 1;
        ret;
    ";
    for model in Model::ALL {
        let (_, _, result, values) = launch(model, body, 1, 96);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        assert_eq!(values[..3], [1, 1, 1], "{model:?}");
    }
}

/// A loop that waits for a flag or a time-out ends at the time-out if nobody sets the flag.
#[test]
fn time_outs_expire() {
    let counted = "
        WAIT:
        add.u32 %r9, %r9, 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.ne.u32 %p2, %r3, 0;
        @%p2 bra DONE;
        setp.lt.u32 %p3, %r9, 5000;
        @%p3 bra WAIT;
        DONE:
        st.global.u32 [%rd1+4], %r9;
        ret;
    ";
    let timed = "
        mov.u64 %rd4, %clock64;
        WAIT:
        ld.volatile.global.u32 %r3, [%rd1];
        setp.ne.u32 %p2, %r3, 0;
        @%p2 bra DONE;
        mov.u64 %rd5, %clock64;
        sub.u64 %rd5, %rd5, %rd4;
        setp.lt.u64 %p3, %rd5, 20000000000;
        @%p3 bra WAIT;
        mov.u32 %r9, 1;
        DONE:
        st.global.u32 [%rd1+4], %r9;
        ret;
    ";
    for model in Model::ALL {
        for (body, expected) in [(counted, 5000), (timed, 1)] {
            let (_, _, result, values) = launch(model, body, 1, 1);
            assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
            assert_eq!(values[1], expected, "{model:?}");
        }
    }
}

#[test]
fn a_waiting_loop_may_store_to_other_memory() {
    let body = "
        setp.eq.u32 %p1, %r2, 1;
        @%p1 bra GIVE;
        WAIT:
        atom.global.add.u32 %r4, [%rd1+8], 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra WAIT;
        ret;
        GIVE:
        st.volatile.global.u32 [%rd1], 5;
        ret;
    ";
    for model in Model::ALL {
        let (_, _, result, _) = launch(model, body, 2, 32);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
    }
}

/// Loops that poll the flag `[%rd1]` into `%r3` and write other memory.
const COUNTING_WAITS: [(&str, &str); 6] = [
    ("atomic", "WAIT:\natom.global.add.u32 %r4, [%rd1+8], 1;\nld.volatile.global.u32 %r3, [%rd1];\n"),
    ("reduction", "WAIT:\nred.global.add.u32 [%rd1+8], 1;\nld.acquire.gpu.global.u32 %r3, [%rd1];\n"),
    (
        "store",
        "WAIT:\nadd.u32 %r9, %r9, 1;\nst.volatile.global.u32 [%rd1+8], %r9;\nld.volatile.global.u32 %r3, [%rd1];\n",
    ),
    (
        "own word",
        "
            mul.wide.u32 %rd3, %r1, 4;
            add.u64 %rd3, %rd1, %rd3;
            WAIT:
            ld.volatile.global.u32 %r4, [%rd3+64];
            add.u32 %r4, %r4, 1;
            st.volatile.global.u32 [%rd3+64], %r4;
            ld.volatile.global.u32 %r3, [%rd1];
        ",
    ),
    (
        "clock",
        "WAIT:\nmov.u64 %rd5, %clock64;\nst.volatile.global.u64 [%rd1+8], %rd5;\nld.volatile.global.u32 %r3, [%rd1];\n",
    ),
    ("swap", "WAIT:\nred.global.add.u32 [%rd1+8], 1;\natom.global.cas.b32 %r3, [%rd1], 1, 2;\n"),
];

#[test]
fn a_wait_without_an_end_may_store_to_other_memory() {
    for (name, wait) in COUNTING_WAITS {
        let body = format!("{wait}setp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\nret;");
        for model in Model::ALL {
            let (_, _, result, _) = launch(model, &body, 2, 32);
            assert_eq!(result.status, Status::NoProgress, "{name} {model:?} {:?}", result.findings);
            assert!(result.totals.warp_instructions < SOON, "{name} {model:?} {:?}", result.totals);
            let message = &result.findings.last().expect("a finding").message;
            assert!(message.contains("poll `out[0]` (value 0)"), "{name} {:?}", result.findings);
        }
    }
}

/// Loops that wait at barriers and poll a flag.
const BARRIER_WAITS: [(&str, &str); 3] = [
    ("all poll", "WAIT:\nadd.u32 %r9, %r9, 1;\nbar.sync 0;\nld.volatile.global.u32 %r3, [%rd1];\n"),
    ("two barriers", "WAIT:\nbar.sync 0;\nld.volatile.global.u32 %r3, [%rd1];\nbar.sync 1;\n"),
    (
        "reduction",
        "WAIT:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p3, %r3, 0;\nbar.red.popc.u32 %r3, 0, %p3;\n",
    ),
];

#[test]
fn waits_with_barriers_end_or_are_reported_at_once() {
    for (name, wait) in BARRIER_WAITS {
        let wait = format!("{wait}setp.eq.u32 %p2, %r3, 0;\n@%p2 bra WAIT;\n");
        let with_giver = format!(
            "
                setp.eq.u32 %p1, %r2, 1;
                @%p1 bra GIVE;
                {wait}ret;
                GIVE:
                add.u32 %r9, %r9, 1;
                setp.lt.u32 %p2, %r9, 3000;
                @%p2 bra GIVE;
                st.volatile.global.u32 [%rd1], 5;
                ret;
            "
        );
        for model in Model::ALL {
            let (_, _, result, _) = launch(model, &format!("{wait}ret;"), 2, 96);
            assert_eq!(result.status, Status::NoProgress, "{name} {model:?} {:?}", result.findings);
            assert!(result.totals.warp_instructions < SOON, "{name} {model:?} {:?}", result.totals);
            let (_, _, result, _) = launch(model, &with_giver, 2, 96);
            assert_eq!(result.status, Status::Finished, "{name} {model:?} {:?}", result.findings);
        }
    }
}

/// Warp 2 waits at the barriers of the polling warps 200 times, then sets the flag.
#[test]
fn a_warp_at_the_barrier_of_a_loop_sets_its_flag() {
    let body = "
        setp.ge.u32 %p1, %r1, 64;
        @%p1 bra GIVE;
        WAIT:
        bar.sync 0;
        ld.volatile.global.u32 %r3, [%rd1];
        bar.sync 0;
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra WAIT;
        ret;
        GIVE:
        add.u32 %r9, %r9, 1;
        bar.sync 0;
        bar.sync 0;
        setp.lt.u32 %p2, %r9, 200;
        @%p2 bra GIVE;
        st.volatile.global.u32 [%rd1], 5;
        bar.sync 0;
        bar.sync 0;
        ret;
    ";
    for model in Model::ALL {
        let (_, _, result, _) = launch(model, body, 1, 96);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
    }
}

/// Waits end because of a counter in memory, which the waiting threads check themselves or another thread checks.
#[test]
fn counters_in_memory_end_waits() {
    let waits = "
        WAIT:
        atom.global.add.u32 %r4, [%rd1+8], 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.ne.u32 %p2, %r3, 0;
        @%p2 bra DONE;
    ";
    let itself = format!("{waits}setp.lt.u32 %p2, %r4, 20000;\n@%p2 bra WAIT;\nDONE:\nret;");
    let another = format!(
        "
            setp.eq.u32 %p1, %r2, 1;
            @%p1 bra GIVE;
            {waits}bra WAIT;
            GIVE:
            ld.volatile.global.u32 %r4, [%rd1+8];
            setp.lt.u32 %p2, %r4, 20000;
            @%p2 bra GIVE;
            st.volatile.global.u32 [%rd1], 5;
            DONE:
            ret;
        "
    );
    let through_memory = "
        WAIT:
        ld.volatile.global.u32 %r4, [%rd1+8];
        add.u32 %r4, %r4, 16;
        st.volatile.global.u32 [%rd1+8], %r4;
        and.b32 %r5, %r4, 255;
        cvt.u64.u32 %rd4, %r5;
        add.u64 %rd4, %rd4, %rd1;
        st.volatile.global.u32 [%rd4], 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra WAIT;
        ret;
    ";
    for model in Model::ALL {
        for (body, grid, block) in [(&*itself, 1, 32), (&another, 2, 32), (through_memory, 1, 1)] {
            let (_, _, result, _) = launch(model, body, grid, block);
            assert_eq!(result.status, Status::Finished, "{model:?} {body} {:?}", result.findings);
        }
    }
}

#[test]
fn a_lock_that_every_lane_takes_in_a_debug_build() {
    let body = "
        NEXT:
        mov.u64 %rd5, stack;
        cvta.local.u64 %rd5, %rd5;
        add.u32 %r9, %r9, 1;
        st.u32 [%rd5], %r9;
        mov.u64 %rd6, %rd1;
        call (%r3), load, (%rd6);
        atom.global.cas.b32 %r3, [%rd1], 0, 1;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra NEXT;
        ld.volatile.global.u32 %r4, [%rd1+4];
        add.u32 %r4, %r4, 1;
        st.volatile.global.u32 [%rd1+4], %r4;
        atom.global.exch.b32 %r3, [%rd1], 0;
        ret;
    ";
    let (_, _, result, values) = launch(Model::Its, body, 1, 64);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    assert_eq!(values[..2], [0, 64]);
}

#[test]
fn one_lane_waits_in_a_function_for_other_blocks() {
    let body = "
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra TOGETHER;
        atom.global.add.u32 %r3, [%rd1], 1;
        WAIT:
        mov.u64 %rd5, %rd1;
        call (%r3), load, (%rd5);
        setp.lt.u32 %p2, %r3, 3;
        @%p2 bra WAIT;
        TOGETHER:
        bar.sync 0;
        atom.global.add.u32 %r4, [%rd1+4], 1;
        ret;
    ";
    for model in Model::ALL {
        let (_, _, result, values) = launch(model, body, 3, 64);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        assert_eq!(values[..2], [3, 192], "{model:?}");
    }
}

/// As the waits of libcu++: they sleep for longer the longer they have waited.
#[test]
fn a_wait_that_backs_off_with_the_time_elapsed() {
    let body = "
        mov.u64 %rd5, %globaltimer;
        WAIT:
        ld.acquire.gpu.global.u32 %r3, [%rd1];
        setp.ne.u32 %p1, %r3, 0;
        @%p1 bra DONE;
        add.u32 %r9, %r9, 1;
        setp.lt.u32 %p2, %r9, 16;
        @%p2 bra WAIT;
        mov.u64 %rd6, %globaltimer;
        sub.u64 %rd7, %rd6, %rd5;
        setp.gt.s64 %p3, %rd7, 4000000;
        @%p3 bra LONG;
        shr.u64 %rd7, %rd7, 2;
        cvt.u32.u64 %r4, %rd7;
        nanosleep.u32 %r4;
        bra WAIT;
        LONG:
        nanosleep.u32 1000000;
        bra WAIT;
        DONE:
        ret;
    ";
    let (_, _, result, _) = launch(Model::Stack, body, 1, 64);
    assert_eq!(result.status, Status::NoProgress, "{:?}", result.findings);
    assert!(result.findings[0].message.contains("`out[0]` (value 0)"), "{:?}", result.findings);
}

#[test]
fn the_step_limit_names_the_loop_and_the_waiting_warps() {
    let body = "
        setp.eq.u32 %p1, %r2, 1;
        @%p1 bra BUSY;
        WAIT:
        add.u32 %r9, %r9, 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra WAIT;
        ret;
        BUSY:
        add.u32 %r9, %r9, 1;
        bra BUSY;
    ";
    let (text, source, result, _) = launch(Model::Stack, body, 2, 32);
    assert_eq!(result.status, Status::StepLimit);
    let program = source.program("k");
    let finding = &result.findings[0];
    let line = |statement| text.lines().nth(source.line(&program, statement)).unwrap_or_default().trim();
    assert_eq!(
        (finding.kind, finding.statement.map(line)),
        (FindingKind::StepLimit, Some("add.u32 %r9, %r9, 1;"))
    );
    expect![[r#"
        Step limit: lanes 0-31 of warp 0 iterate this loop
        the limit is 500000 warp instructions"#]]
    .assert_eq(&finding.message);
    expect!["waiting: lanes 0-31 of warp 0 of block 0,0,0 poll `out[0]` (value 0)"]
        .assert_eq(&finding.related[0].message);
    assert_eq!(line(finding.related[0].statement), "ld.volatile.global.u32 %r3, [%rd1];");
}

/// A trap stops the program, so lanes do not wait for lanes that may reach one.
#[test]
fn a_time_out_that_traps_does_not_move_the_reconvergence_point() {
    let body = "
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra JOIN;
        WAIT:
        add.u32 %r9, %r9, 1;
        ld.volatile.global.u32 %r3, [%rd1];
        setp.eq.u32 %p2, %r3, 0;
        @%p2 bra JOIN;
        setp.lt.u32 %p3, %r9, 100;
        @%p3 bra WAIT;
        trap;
        JOIN:
        bar.sync 0;
        ret;
    ";
    for model in Model::ALL {
        let (_, _, result, _) = launch(model, body, 1, 64);
        assert_eq!(result.status, Status::Finished, "{model:?} {:?}", result.findings);
        assert!(result.findings.is_empty(), "{model:?} {:?}", result.findings);
    }
}

/// Starting a block also takes time.
#[test]
fn the_step_limit_counts_the_starts_of_blocks() {
    let text = "
        .version 8.5
        .target sm_90
        .address_size 64
        .visible .entry k()
        {
            .shared .b8 tile[4096];
            ret;
        }
    ";
    let program = Source::new(text).program("k");
    let limits = Limits { max_steps: 1_000, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let config = launch_config([i32::MAX as u32, 1, 1], [32, 1, 1]);
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    assert_eq!(result.status, Status::StepLimit);
    expect![[r#"
        Step limit: reached at the start of 125 of 2147483647 blocks
        the limit is 1000 warp instructions, and a start counts as 8; launch fewer blocks"#]]
    .assert_eq(&result.findings[0].message);
}
