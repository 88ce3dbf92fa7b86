//! WAVE kernels whose results depend on the order of lanes, waves or workgroups, each with a right twin.

use warplens_ide_lanes::{Exploration, Prepared};
use warplens_sim_warp::{Control, Finding, FindingKind, Severity};

use crate::schedules::{explore, prepared_text};

/// A mistake that the default order hides, and the same kernel without it. `r0` is the address of `out`, `r1` that of `word`,
/// `r2` the thread, `r3` the workgroup, `r4` the lane, `r5` the wave; `r6` to `r8` are addresses of their elements of `out`.
struct Case {
    name: &'static str,
    grid: u32,
    block: u32,
    wrong: &'static str,
    right: &'static str,
    shows: FindingKind,
}

const CASES: [Case; 9] = [
    Case {
        name: "lanes take tickets",
        grid: 1,
        block: 4,
        wrong: "atomic_add r9, r1, 1, .device\nshl r9, r9, 2\niadd r9, r9, r0\ndevice_store.u32 r2, r9",
        right: "atomic_add r9, r1, r2, .device\ndevice_store.u32 r2, r6",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "waves take tickets from local memory",
        grid: 1,
        block: 8,
        wrong: "mov r10, 0
            icmp.eq p1, r2, 0
            @p1 local_store.u32 0, r10
            barrier
            icmp.eq p1, r4, 0
            if p1
                local_atomic_add r9, r10, 1
                shl r9, r9, 2
                iadd r9, r9, r0
                device_store.u32 r2, r9
            endif",
        right: "mov r10, 0
            icmp.eq p1, r2, 0
            @p1 local_store.u32 0, r10
            barrier
            local_atomic_add r9, r10, 1
            barrier
            local_load.u32 r9, r10
            device_store.u32 r9, r6",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "the last workgroup adds what the others have not stored",
        grid: 3,
        block: 4,
        wrong: "icmp.eq p1, r4, 0
            if p1
                iadd r10, r3, 5
                atomic_add r9, r1, 1, .device
                device_store.u32 r10, r7
                icmp.eq p2, r9, 2
                if p2
                    fence_acquire .device
                    device_load.u32 r11, r0
                    iadd r12, r0, 4
                    device_load.u32 r13, r12
                    iadd r11, r11, r13
                    iadd r12, r0, 8
                    device_load.u32 r13, r12
                    iadd r11, r11, r13
                    iadd r12, r0, 12
                    device_store.u32 r11, r12
                endif
            endif",
        right: "icmp.eq p1, r4, 0
            if p1
                iadd r10, r3, 5
                device_store.u32 r10, r7
                fence_release .device
                atomic_add r9, r1, 1, .device
                icmp.eq p2, r9, 2
                if p2
                    fence_acquire .device
                    device_load.u32 r11, r0
                    iadd r12, r0, 4
                    device_load.u32 r13, r12
                    iadd r11, r11, r13
                    iadd r12, r0, 8
                    device_load.u32 r13, r12
                    iadd r11, r11, r13
                    iadd r12, r0, 12
                    device_store.u32 r11, r12
                endif
            endif",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "a wave reads a message without waiting for its flag",
        grid: 1,
        block: 8,
        wrong: "iadd r10, r1, 4
            mov r11, 1
            icmp.eq p1, r5, 0
            if p1
                mov r9, 42
                device_store.u32 r9, r10
                fence_release .device
                device_store.u32 r11, r1
            else
                device_load.u32 r9, r1
                fence_acquire .device
                device_load.u32 r9, r10
                device_store.u32 r9, r6
            endif",
        right: "iadd r10, r1, 4
            mov r11, 1
            icmp.eq p1, r5, 0
            if p1
                mov r9, 42
                device_store.u32 r9, r10
                fence_release .device
                device_store.u32 r11, r1
            else
                loop
                    device_load.u32 r9, r1
                    icmp.ne p2, r9, 0
                    break p2
                endloop
                fence_acquire .device
                device_load.u32 r9, r10
                device_store.u32 r9, r6
            endif",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "a workgroup reads a message without waiting for its flag",
        grid: 2,
        block: 4,
        wrong: "iadd r10, r1, 4
            icmp.eq p1, r3, 0
            if p1
                mov r9, 42
                device_store.u32 r9, r10
                atomic_exchange r9, r1, 1, .device
            else
                atomic_or r9, r1, 0, .device
                device_load.u32 r9, r10
                device_store.u32 r9, r6
            endif",
        right: "iadd r10, r1, 4
            icmp.eq p1, r3, 0
            if p1
                mov r9, 42
                device_store.u32 r9, r10
                atomic_exchange r9, r1, 1, .device
            else
                loop
                    atomic_or r9, r1, 0, .device
                    icmp.ne p2, r9, 0
                    break p2
                endloop
                device_load.u32 r9, r10
                device_store.u32 r9, r6
            endif",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "a buffer is reused before the other wave has read it",
        grid: 1,
        block: 8,
        wrong: "shl r9, r5, 2
            iadd r9, r9, r1
            xor r10, r5, 1
            shl r10, r10, 2
            iadd r10, r10, r1
            iadd r11, r5, 1
            device_store.u32 r11, r9
            barrier
            device_load.u32 r12, r10
            imul r11, r11, 10
            device_store.u32 r11, r9
            barrier
            device_load.u32 r13, r10
            iadd r12, r12, r13
            device_store.u32 r12, r6",
        right: "shl r9, r5, 2
            iadd r9, r9, r1
            xor r10, r5, 1
            shl r10, r10, 2
            iadd r10, r10, r1
            iadd r11, r5, 1
            device_store.u32 r11, r9
            barrier
            device_load.u32 r12, r10
            barrier
            imul r11, r11, 10
            device_store.u32 r11, r9
            barrier
            device_load.u32 r13, r10
            iadd r12, r12, r13
            device_store.u32 r12, r6",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "an update in device memory is not atomic",
        grid: 2,
        block: 8,
        wrong: "icmp.eq p1, r4, 0
            if p1
                device_load.u32 r9, r0
                iadd r9, r9, 1
                device_store.u32 r9, r0
            endif",
        right: "icmp.eq p1, r4, 0
            if p1
                atomic_add r9, r0, 1, .device
            endif",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "a lock is released before the update",
        grid: 2,
        block: 8,
        wrong: "icmp.eq p1, r4, 0
            if p1
                loop
                    atomic_cas r9, r1, 0, 1, .device
                    icmp.eq p2, r9, 0
                    break p2
                endloop
                device_load.u32 r10, r0
                iadd r10, r10, 1
                atomic_exchange r9, r1, 0, .device
                device_store.u32 r10, r0
            endif",
        right: "icmp.eq p1, r4, 0
            if p1
                loop
                    atomic_cas r9, r1, 0, 1, .device
                    icmp.eq p2, r9, 0
                    break p2
                endloop
                device_load.u32 r10, r0
                iadd r10, r10, 1
                device_store.u32 r10, r0
                atomic_exchange r9, r1, 0, .device
            endif",
        shows: FindingKind::OrderDependent,
    },
    Case {
        name: "local memory is read before its flag is set",
        grid: 1,
        block: 8,
        wrong: "mov r10, 0
            mov r11, 16
            icmp.eq p1, r2, 0
            @p1 local_store.u32 0, r10
            barrier
            icmp.eq p1, r5, 0
            icmp.eq p2, r4, 0
            if p1
                @p2 local_store.u32 r2, r11
                local_atomic_exchange r9, r10, 1
            else
                local_atomic_or r9, r10, 0
                local_load.u32 r9, r11
                device_store.u32 r9, r6
            endif",
        right: "mov r10, 0
            mov r11, 16
            icmp.eq p1, r2, 0
            @p1 local_store.u32 0, r10
            barrier
            icmp.eq p1, r5, 0
            icmp.eq p2, r4, 0
            if p1
                @p2 local_store.u32 r2, r11
                local_atomic_exchange r9, r10, 1
            else
                loop
                    local_atomic_or r9, r10, 0
                    icmp.ne p3, r9, 0
                    break p3
                endloop
                local_load.u32 r9, r11
                device_store.u32 r9, r6
            endif",
        shows: FindingKind::UninitializedRead,
    },
];

fn text(case: &Case, body: &str, keys: &str) -> String {
    let Case { grid, block, .. } = case;
    format!(
        "; @launch {{ grid = [{grid}], block = [{block}], wave_width = 4, {keys} args = [\
         {{ name = \"out\", buffer = \"u32\", len = 16, fill = \"zero\" }}, \
         {{ name = \"word\", buffer = \"u32\", len = 4, fill = \"zero\" }}] }}\n\
         .kernel k\n.registers 16\nmov_sr r2, sr_thread_id_x\nmov_sr r3, sr_workgroup_id_x\nmov_sr r4, sr_lane_id\n\
         mov_sr r5, sr_wave_id\nshl r6, r2, 2\niadd r6, r6, r0\nshl r7, r3, 2\niadd r7, r7, r0\n{body}\nhalt\n.end\n"
    )
}

fn prepared(case: &Case, body: &str, keys: &str) -> Prepared {
    prepared_text(warplens_syntax::wave::LANGUAGE, &text(case, body, keys))
}

fn accusations(found: &[Finding]) -> Vec<String> {
    let accuses = |finding: &&Finding| finding.severity != Severity::Information;
    found.iter().filter(accuses).map(|finding| format!("{}: {}", finding.kind, finding.message)).collect()
}

#[test]
fn another_schedule_shows_what_the_default_one_hides() {
    for case in &CASES {
        let wrong = prepared(case, case.wrong, "");
        let (explored, silent) = explore(&wrong, &Exploration::new(1, 0));
        assert_eq!((explored.schedules, accusations(&silent)), (0, vec![]), "{}", case.name);
        for seed in [1, 2] {
            let (_, found) = explore(&wrong, &Exploration::new(seed, 50));
            let shown = found.iter().find(|finding| finding.kind == case.shows);
            let Some(shown) = shown else {
                panic!("{} with seed {seed}: {:?}", case.name, accusations(&found));
            };
            let schedule = shown.schedule.expect("only another schedule shows it");
            let (explored, replayed) = explore(&wrong, &Exploration::replay(schedule));
            assert_eq!((explored.schedules, replayed.first()), (1, Some(shown)), "{}", case.name);
        }
        let (explored, found) = explore(&prepared(case, case.right, ""), &Exploration::new(1, 50));
        assert_eq!((explored.schedules, accusations(&found)), (50, vec![]), "{}", case.name);
    }
}

#[test]
fn a_wave_reads_what_it_stored_itself_whoever_stored_it_last() {
    let body = "mov r10, 0\nlocal_store.u32 r0, r10\nlocal_load.u32 r9, r10\nisub r9, r9, r0\ndevice_store.u32 r9, r6";
    let (explored, found) = explore(&prepared(&CASES[1], body, ""), &Exploration::new(1, 20));
    assert_eq!((explored.schedules, accusations(&found)), (20, vec![]));
}

#[test]
fn the_first_statement_at_which_the_orders_matter() {
    let case = &CASES[3];
    let wrong = prepared(case, case.wrong, "");
    let (_, found) = explore(&wrong, &Exploration::new(1, 20));
    let statement = found[0].statement.expect("a load reads another value");
    assert_eq!(
        &text(case, case.wrong, "")[wrong.statements[statement.index()].range],
        "device_load.u32 r9, r1"
    );
}

#[test]
fn a_schedule_is_the_same_run_each_time() {
    let case = &CASES[7];
    for number in 0..8 {
        let prepared = prepared(case, case.right, &format!("schedule = \"6:{number}\","));
        let run = || {
            let result = prepared.run(Control::none()).expect("not cancelled");
            format!("{:?}", (result.warps, result.findings, result.summed))
        };
        assert_eq!(run(), run());
        assert_eq!(prepared.options.schedule.map(|schedule| schedule.index), Some(number));
    }
}

#[test]
fn one_run_stands_for_all_without_effect_on_device_memory() {
    let body = "local_store.u32 r2, r6\ndevice_load.u32 r9, r6";
    let (explored, _) = explore(&prepared(&CASES[0], body, ""), &Exploration::new(1, 8));
    assert!(explored.order_independent && explored.schedules == 0);
}
