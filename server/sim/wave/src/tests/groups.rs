//! Several waves and workgroups: scheduling, barriers, spinning, limits.

use expect_test::expect;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{RunResult, Status};

use super::{
    LaunchConfig, device_memory, device_words, ending, launch_config, launch_text, limited, listing, options,
    register,
};

#[test]
fn partial_waves_and_special_registers() {
    let text = ".kernel k\nmov r0, sr_thread_id_x\nmov r1, sr_thread_id_y\nmov r2, sr_wave_id\nmov_sr r3, sr_workgroup_id_y\nmov r4, sr_num_waves\nmov r5, sr_grid_size_x\nhalt\n.end";
    let (result, code) = launch_text(text, launch_config([2, 2, 1], [3, 2, 1], 4), &options());
    assert_eq!(result.warps.len(), 8);
    assert_eq!((result.warps[7].cta, result.warps[7].warp, result.warps[7].launched), ([1, 1, 0], 1, 0b11));
    assert_eq!(register(&result, 0, "r0"), [0, 1, 2, 0]);
    assert_eq!(register(&result, 0, "r1"), [0, 0, 0, 1]);
    assert_eq!(register(&result, 7, "r0"), [1, 2, 0, 0], "lanes past the last thread never run");
    assert_eq!(register(&result, 7, "r3"), [1, 1, 0, 0]);
    assert_eq!(register(&result, 7, "r4")[0], 2);
    assert_eq!(register(&result, 7, "r5")[0], 2);
    assert_eq!((result.totals.warp_instructions, result.totals.thread_instructions), (56, 168));
    assert_eq!(ending(text, &code, &result), "finished\n");
}

#[test]
fn a_barrier_orders_the_waves() {
    let text = ".kernel k
.local_memory 64
mov r0, sr_wave_id
shl r1, r0, 2
iadd r2, r0, 10
local_store.u32 r2, r1
barrier
xor r1, r1, 4
local_load.u32 r3, r1
halt
.end";
    let (result, _) = launch_text(text, launch_config([1; 3], [8, 1, 1], 4), &options());
    assert_eq!(register(&result, 0, "r3"), [11; 4]);
    assert_eq!(register(&result, 1, "r3"), [10; 4]);
}

#[test]
fn barriers_that_not_all_waves_reach() {
    let text = ".kernel k\nmov r0, sr_wave_id\nicmp.eq p1, r0, 0\n@p1 halt\nbarrier\nhalt\n.end";
    let (result, code) = launch_text(text, launch_config([1; 3], [8, 1, 1], 4), &options());
    expect![[r#"
        no-progress
        barrier-deadlock at `barrier`, lanes f: Deadlock: 1 of 2 waves exited without arriving at a barrier
        the other waves of the workgroup wait there; let all waves execute the barrier before any of them halts
    "#]].assert_eq(&ending(text, &code, &result));
    let text = ".kernel k\nmov r0, sr_lane_id\nicmp.eq p1, r0, 0\nif p1\nbarrier\nendif\nhalt\n.end";
    let (result, code) = launch_text(text, launch_config([1; 3], [4, 1, 1], 4), &options());
    expect![[r#"
        finished
        divergent-barrier at `barrier`, lanes e: Divergent barrier: 3 lanes of the wave that have not exited did not arrive
        move the barrier to code that all lanes execute
    "#]].assert_eq(&ending(text, &code, &result));
}

/// Wave 0 waits for wave 1, and workgroup 0 for workgroup 1.
#[test]
fn a_wave_that_spins_lets_others_run() {
    let text = ".kernel k
mov r0, sr_wave_id
mov r1, sr_workgroup_id_x
imad r2, r1, 2, r0
icmp.eq p0, r2, 3
if p0
device_store.u32 1, 0
else
loop
device_load.u32 r3, 0
icmp.ne p1, r3, 0
break p1
endloop
endif
halt
.end";
    let (result, code) = launch_text(text, launch_config([2, 1, 1], [8, 1, 1], 4), &options());
    assert_eq!(ending(text, &code, &result), "finished\n");
    assert_eq!(device_words(&result, 1), [1]);
    assert_eq!(
        result.warps.iter().map(|warp| (warp.cta[0], warp.warp)).collect::<Vec<_>>(),
        [(0, 0), (0, 1), (1, 0), (1, 1)]
    );
}

/// Workgroup 0 waits for workgroup 1 in a loop with `statements`.
fn waits_for_the_next(statements: &str, max_steps: u64) -> (RunResult, String) {
    let text = format!(
        ".kernel k
mov r0, sr_workgroup_id_x
mov r4, 0
icmp.eq p0, r0, 1
if p0
device_store.u32 1, 0
else
loop
{statements}
device_load.u32 r3, 0
icmp.ne p1, r3, 0
break p1
endloop
endif
halt
f: iadd r5, r5, 2
return
.end"
    );
    let (result, code) = launch_text(&text, launch_config([2, 1, 1], [4, 1, 1], 4), &limited(max_steps));
    let ending = ending(&text, &code, &result);
    (result, ending)
}

#[test]
fn a_wait_may_change_registers_besides() {
    let waits = [
        "iadd r4, r4, 1",
        "iadd r4, r4, 1\nxor r6, r6, r4\nicmp.lt p2, r4, 100",
        "iadd r4, r4, r3\niadd r4, r4, 1",
        "iadd r4, r4, 1\ncall f",
        "mov r7, 0\nloop\niadd r7, r7, 1\nicmp.eq p3, r7, 3\nbreak p3\nendloop\niadd r4, r4, 1",
    ];
    for statements in waits {
        assert_eq!(waits_for_the_next(statements, 20_000).1, "finished\n", "{statements}");
    }
}

/// The time-out would end the wait before the other workgroup starts.
#[test]
fn a_wait_with_a_time_out_lets_others_run() {
    let statements = "iadd r4, r4, 1\nicmp.gt p2, r4, 3000\n@p2 device_store.u32 7, 4\nbreak p2";
    let (result, ending) = waits_for_the_next(statements, 100_000);
    assert_eq!((ending.as_str(), device_words(&result, 2)), ("finished\n", vec![1, 0]));
}

#[test]
fn a_time_out_of_a_wait_without_a_writer_expires() {
    let text = ".kernel k
mov r4, 0
loop
iadd r4, r4, 1
device_load.u32 r3, 0
icmp.ne p1, r3, 0
break p1
icmp.gt p2, r4, 3000
break p2
endloop
device_store.u32 r4, 4
halt
.end";
    let (result, code) = launch_text(text, launch_config([2, 1, 1], [8, 1, 1], 4), &limited(100_000));
    assert_eq!(ending(text, &code, &result), "finished\n");
    assert_eq!(device_words(&result, 2), [0, 3001]);
}

#[test]
fn a_wait_that_no_wave_can_end_is_reported_whatever_it_counts() {
    let (result, ended) = waits_for_the_next("iadd r4, r4, 1\ndevice_load.u32 r8, 8", 20_000);
    assert_eq!(ended, "finished\n");
    assert!(result.totals.warp_instructions < 10_000);
    let text = ".kernel k
loop
iadd r4, r4, 1
device_load.u32 r3, 0
icmp.ne p1, r3, 0
break p1
endloop
halt
.end";
    let (result, code) = launch_text(text, launch_config([1; 3], [4, 1, 1], 4), &limited(20_000));
    expect![[r#"
        no-progress
        no-progress at `loop`, lanes f: Livelock: lanes repeat a loop whose exit condition no wave can change
        update the condition of its `break` inside the loop, or let another wave store the awaited value
    "#]]
    .assert_eq(&ending(text, &code, &result));
}

#[test]
fn a_spin_loop_without_a_writer_is_reported() {
    let text = ".kernel k
mov r0, sr_wave_id
icmp.eq p1, r0, 1
if p1
barrier
endif
loop
atomic_exchange.device r3, 0, 0
icmp.ne p0, r3, 0
break p0
endloop
barrier
halt
.end";
    let (result, code) = launch_text(text, launch_config([1; 3], [8, 1, 1], 4), &options());
    expect![[r#"
        no-progress
        no-progress at `loop`, lanes f: Livelock: lanes repeat a loop whose exit condition no wave can change
        update the condition of its `break` inside the loop, or let another wave store the awaited value
    "#]]
    .assert_eq(&ending(text, &code, &result));
    assert_eq!(result.findings[0].related.len(), 1);
}

#[test]
fn a_loop_that_changes_memory_runs_into_the_limit() {
    let text = ".kernel k\nloop\niadd r0, r0, 1\ndevice_store.u32 r0, 0\nendloop\n.end";
    let (result, code) = launch_text(text, launch_config([1; 3], [4, 1, 1], 4), &limited(10_000));
    expect![[r#"
        loop                     f*2501
        iadd r0, r0, 1           f*2500
        device_store.u32 r0, 0   f*2500
        endloop                  f*2500
        step-limit
    "#]]
    .assert_eq(&listing(text, &code, &result, &result.warps[0]));
}

#[test]
fn out_of_range() {
    let text = ".kernel k\nmov r0, sr_lane_id\nimul r1, r0, 6\ndevice_store.u32 r0, r1\nhalt\n.end";
    let launch = LaunchConfig { memory: device_memory(16), ..launch_config([1; 3], [4, 1, 1], 4) };
    let (result, code) = launch_text(text, launch, &options());
    expect![[r#"
        faulted
        out-of-bounds at `device_store.u32 r0, r1`, lanes 8: Out of bounds: access of 4 bytes at address 0x12, outside device memory
        lane 3 accesses 4 bytes, and device memory has 16: guard the access with an `if`, or launch with more device memory
    "#]].assert_eq(&ending(text, &code, &result));
    assert_eq!(
        result.memory.bytes(6, 4),
        Some(&[1, 0, 0, 0][..]),
        "lanes before the first that fails have stored"
    );
}

#[test]
fn a_launch_that_is_too_large_is_refused() {
    let (result, _) =
        launch_text(".kernel k\nhalt\n.end", launch_config([1; 3], [u32::MAX, 1, 1], 1), &options());
    assert_eq!((result.status.as_str(), result.findings[0].kind), ("faulted", FindingKind::MemoryLimit));
}

#[test]
fn cancelled() {
    use warplens_sim_warp::trace::{Cancelled, Control};
    let (program, _) =
        super::program(".kernel k\nloop\niadd r0, r0, 1\ndevice_store.u32 r0, 0\nendloop\n.end");
    let control = Control { cancelled: &|| true, ..Control::none() };
    let launch = launch_config([1; 3], [4, 1, 1], 4);
    assert_eq!(super::run(&program, launch, &options(), control).err(), Some(Cancelled));
}

#[test]
fn listed_warps_are_bounded() {
    let mut options = options();
    options.limits.max_warps = 2;
    options.warp = Some(warplens_sim_warp::WarpId { cta: [3, 0, 0], warp: 0 });
    let (result, _) = launch_text(".kernel k\nhalt\n.end", launch_config([5, 1, 1], [4, 1, 1], 4), &options);
    let listed: Vec<_> = result.warps.iter().map(|warp| warp.cta[0]).collect();
    assert_eq!(listed, [0, 1, 3]);
    assert!(result.warps_truncated);
    assert_eq!(result.summed[0].count, 5);
}

#[test]
fn the_tutorial_kernel() {
    let text = include_str!("../../../../../examples/divergence.wave");
    let (result, code) = launch_text(text, launch_config([1; 3], [32, 1, 1], 32), &options());
    expect![[r#"
        mov_sr r1, sr_lane_id    ffffffff
        and r3, r1, 1            ffffffff
        icmp.eq p1, r3, 0        ffffffff
        if p1                    ffffffff/55555555
        iadd r2, r1, 100         55555555
        else                     aaaaaaaa
        imul r2, r1, 3           aaaaaaaa
        endif                    ffffffff
        shr r3, r1, 3            ffffffff
        loop                     ffffffff ffffff00 ffff0000 ff000000
        icmp.eq p2, r3, 0        ffffffff ffffff00 ffff0000 ff000000
        if p2                    ffffffff/ff ffffff00/ff00 ffff0000/ff0000 ff000000
        iadd r2, r2, 1000        ff ff00 ff0000 ff000000
        break p2                 ff ff00 ff0000 ff000000
        endif                    ffffff00 ffff0000 ff000000
        isub r3, r3, 1           ffffff00 ffff0000 ff000000
        imod r4, r1, 3           ffffff00 ffff0000 ff000000
        icmp.eq p3, r4, 0        ffffff00 ffff0000 ff000000
        continue p3              ffffff00/49249200 ffff0000/49240000 ff000000/49000000
        iadd r2, r2, 1           b6db6d00 b6db0000 b6000000
        endloop                  b6db6d00 b6db0000 b6000000
        icmp.ge p1, r1, 28       ffffffff
        @p1 iadd r2, r2, 10000   ffffffff/f0000000
        shl r4, r1, 2            ffffffff
        iadd r4, r4, r0          ffffffff
        device_store.u32 r2, r4  ffffffff
        halt                     ffffffff
        finished
    "#]]
    .assert_eq(&listing(text, &code, &result, &result.warps[0]));
    assert_eq!(device_words(&result, 8), [1100, 1003, 1102, 1009, 1104, 1015, 1106, 1021]);
}

#[test]
fn a_run_goes_on_without_accesses_out_of_range() {
    let found = |statements: &str| {
        let text = format!(".kernel k\n{statements}\nhalt\n.end\n");
        let launch = LaunchConfig { memory: device_memory(64), ..launch_config([1; 3], [32, 1, 1], 32) };
        let (result, _) = launch_text(&text, launch, &options());
        assert_eq!(result.status, Status::Faulted);
        let at =
            result.findings.iter().map(|finding| (finding.kind.name(), finding.statement.map(|at| at.0)));
        at.collect::<Vec<_>>()
    };
    let at = |statements: &[u32]| -> Vec<_> {
        statements.iter().map(|statement| ("out-of-bounds", Some(*statement))).collect()
    };
    let far = "mov_imm r1, 0x7ffffff0\nmov_imm r2, 0\n";
    assert_eq!(
        found(&format!(
            "{far}device_load.u32 r3, r1\nlocal_store.u32 r3, r1\natomic_add r4, r1, r3, .device\ndevice_store.u32 r3, r2"
        )),
        at(&[2, 3, 4])
    );
    // Once for each statement, also in a loop.
    assert_eq!(
        found(&format!(
            "{far}mov_imm r5, 0\nmov_imm r6, 1\nmov_imm r7, 3\nloop\ndevice_load.u32 r3, r1\niadd r5, r5, r6\nicmp.ge p0, r5, r7\nbreak p0\nendloop\ndevice_store.u32 r2, r1"
        )),
        at(&[6, 11])
    );
    // An unknown value that becomes an address, a guard or a condition ends the run, also one from memory or another lane.
    for after in [
        "device_store.u32 r2, r3",
        "icmp.eq p0, r3, r2\n@p0 device_store.u32 r2, r1",
        "icmp.eq p0, r3, r2\nif p0\ndevice_store.u32 r2, r1\nendif",
        "device_store.u32 r3, r2\ndevice_load.u32 r4, r2\ndevice_store.u32 r2, r4",
        "wave_broadcast r4, r3, r2\ndevice_store.u32 r2, r4",
    ] {
        assert_eq!(found(&format!("{far}device_load.u32 r3, r1\n{after}")), at(&[2]), "{after}");
    }
}
