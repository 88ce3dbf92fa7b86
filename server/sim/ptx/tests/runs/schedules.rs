//! Runs under other schedules: what depends on the order of warps, blocks, lanes or asynchronous operations differs under some
//! of them, and nothing else does.

use crate::common::{Source, kernel, words};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, Limits, RunOptions, RunResult, Schedule, Status};

struct Launch {
    model: Model,
    grid: u32,
    block: u32,
    cluster: u32,
    body: &'static str,
}

const ONE_BLOCK: Launch = Launch { model: Model::Stack, grid: 1, block: 128, cluster: 1, body: "" };
const BLOCKS: Launch = Launch { grid: 6, block: 32, ..ONE_BLOCK };
const ONE_WARP: Launch = Launch { model: Model::Its, block: 32, ..ONE_BLOCK };

impl Launch {
    /// Runs under a schedule. `%rd1` is a buffer of 256 words, `%r1` the thread, `%r2` the block; `%p1` holds in thread 0 of a
    /// warp, `%p2` in thread 0 of the block. `word` and `bar` are in shared memory, `word` is 0.
    fn run(&self, schedule: Option<Schedule>, log_order: bool) -> (RunResult, Vec<u32>) {
        let start = "ld.param.u64 %rd1, [out];
            mov.u32 %r1, %tid.x;
            mov.u32 %r2, %ctaid.x;
            .shared .align 16 .b8 tile[64];
            .shared .align 8 .b64 bar;
            .shared .u32 word;
            and.b32 %r3, %r1, 31;
            setp.eq.u32 %p1, %r3, 0;
            setp.eq.u32 %p2, %r1, 0;
            @%p2 st.shared.u32 [word], 0;
            barrier.sync 0;
        ";
        let program = Source::new(&kernel(&format!("{start}{}", self.body))).program("k");
        let mut config = launch_config([self.grid, 1, 1], [self.block, 1, 1]);
        config.cluster = (self.cluster > 1).then_some([self.cluster, 1, 1]);
        let out = config.memory.allocate("out", 1024).expect("space");
        config.params = out.to_le_bytes().to_vec();
        let limits = Limits { max_steps: 1_000_000, ..Limits::default() };
        let options =
            RunOptions { checks: Checks::ALL, limits, schedule, log_order, ..RunOptions::default() };
        let result = run(&program, config, self.model, &options, Control::none()).expect("not cancelled");
        assert_eq!(result.status, Status::Finished, "{:?}: {:?}", schedule, result.findings);
        assert_eq!(result.accusations().next(), None, "{schedule:?}");
        let values = words(result.memory.bytes(out, 1024).expect("the buffer"));
        (result, values)
    }

    /// The schedules among the first 50 of two seeds whose result differs from that of the default one.
    fn differing(&self) -> Vec<Schedule> {
        let (_, usual) = self.run(None, false);
        let all = (0..100).map(|number| Schedule { seed: 1 + u64::from(number / 50), index: number % 50 });
        all.filter(|schedule| self.run(Some(*schedule), false).1 != usual).collect()
    }
}

/// Results that depend on the order, without a race.
const DEPENDENT: [(&str, Launch); 11] = [
    (
        "a warp's output is where it arrives",
        Launch {
            body: "@!%p1 bra DONE;
                atom.shared.add.u32 %r4, [word], 1;
                mul.wide.u32 %rd2, %r4, 4;
                add.u64 %rd2, %rd1, %rd2;
                st.global.u32 [%rd2], %r1;
                DONE: ret;",
            ..ONE_BLOCK
        },
    ),
    (
        "a lane's output is where it arrives",
        Launch {
            body: "atom.shared.add.u32 %r4, [word], 1;
                mul.wide.u32 %rd2, %r4, 4;
                add.u64 %rd2, %rd1, %rd2;
                st.global.u32 [%rd2], %r1;
                ret;",
            ..ONE_WARP
        },
    ),
    (
        "an update of a load and a store, by warps",
        Launch {
            body: "@!%p1 bra DONE;
                ld.relaxed.cta.shared.u32 %r4, [word];
                add.u32 %r4, %r4, 1;
                st.relaxed.cta.shared.u32 [word], %r4;
                DONE: barrier.sync 0;
                @!%p2 bra END;
                ld.relaxed.cta.shared.u32 %r4, [word];
                st.global.u32 [%rd1], %r4;
                END: ret;",
            ..ONE_BLOCK
        },
    ),
    (
        "an update of a volatile load and store, by blocks",
        Launch {
            body: "@!%p2 bra DONE;
                ld.volatile.global.u32 %r4, [%rd1];
                add.u32 %r4, %r4, 1;
                st.volatile.global.u32 [%rd1], %r4;
                DONE: ret;",
            ..BLOCKS
        },
    ),
    (
        "a check before an addition",
        Launch {
            body: "@!%p2 bra DONE;
                AGAIN:
                ld.relaxed.gpu.global.u32 %r4, [%rd1];
                setp.ge.u32 %p3, %r4, 8;
                @%p3 bra DONE;
                atom.relaxed.gpu.global.add.u32 %r5, [%rd1], 1;
                bra AGAIN;
                DONE: ret;",
            ..BLOCKS
        },
    ),
    ("the last store stays", Launch { body: "@%p2 st.relaxed.gpu.global.u32 [%rd1], %r2;\nret;", ..BLOCKS }),
    (
        "the first lane that swaps",
        Launch {
            body: "atom.global.cas.b32 %r4, [%rd1], 0, 5;
                setp.ne.u32 %p3, %r4, 0;
                @%p3 bra DONE;
                st.global.u32 [%rd1+4], %r1;
                DONE: ret;",
            ..ONE_WARP
        },
    ),
    (
        "a leader among the active lanes",
        Launch {
            body: "and.b32 %r4, %r1, 1;
                setp.eq.u32 %p3, %r4, 0;
                @%p3 bra DONE;
                activemask.b32 %r5;
                mov.u32 %r6, %lanemask_lt;
                and.b32 %r6, %r6, %r5;
                setp.ne.u32 %p4, %r6, 0;
                @%p4 bra DONE;
                popc.b32 %r7, %r5;
                red.global.max.u32 [%rd1], %r7;
                DONE: ret;",
            ..ONE_WARP
        },
    ),
    (
        "one look at a copy in flight",
        Launch {
            body: "@!%p2 bra DONE;
                mbarrier.init.shared.b64 [bar], 1;
                fence.proxy.async;
                mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 16;
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 16, [bar];
                mbarrier.test_wait.shared.b64 %p3, [bar], %rd3;
                selp.u32 %r4, 1, 0, %p3;
                st.global.u32 [%rd1+64], %r4;
                FULL: mbarrier.try_wait.shared.b64 %p3, [bar], %rd3;
                @!%p3 bra FULL;
                DONE: ret;",
            ..ONE_BLOCK
        },
    ),
    (
        "one look at a phase",
        Launch {
            body: "@%p2 mbarrier.init.shared.b64 [bar], 1;
                barrier.sync 0;
                setp.eq.u32 %p3, %r1, 32;
                @%p3 mbarrier.arrive.shared.b64 %rd3, [bar];
                @!%p2 bra DONE;
                mbarrier.test_wait.parity.shared.b64 %p4, [bar], 0;
                selp.u32 %r4, 1, 0, %p4;
                st.global.u32 [%rd1], %r4;
                DONE: ret;",
            ..ONE_BLOCK
        },
    ),
    (
        "blocks of a cluster that take places in the first one",
        Launch {
            cluster: 2,
            body: "barrier.cluster.arrive;
                barrier.cluster.wait;
                @!%p2 bra DONE;
                mov.u32 %r4, word;
                mapa.shared::cluster.u32 %r4, %r4, 0;
                atom.shared::cluster.add.u32 %r5, [%r4], 1;
                mad.lo.u32 %r5, %r2, 8, %r5;
                mul.wide.u32 %rd2, %r2, 4;
                add.u64 %rd2, %rd1, %rd2;
                st.global.u32 [%rd2], %r5;
                DONE: barrier.cluster.arrive;
                barrier.cluster.wait;
                ret;",
            ..BLOCKS
        },
    ),
];

/// Results that do not depend on the order.
const INDEPENDENT: [(&str, Launch); 6] = [
    ("an atomic sum", Launch { body: "red.global.add.u32 [%rd1], %r1;\nret;", ..BLOCKS }),
    (
        "each leader adds the size of its group",
        Launch {
            body: "activemask.b32 %r5;
                mov.u32 %r6, %lanemask_lt;
                and.b32 %r6, %r6, %r5;
                setp.ne.u32 %p4, %r6, 0;
                @%p4 bra DONE;
                popc.b32 %r7, %r5;
                red.global.add.u32 [%rd1], %r7;
                DONE: ret;",
            ..ONE_WARP
        },
    ),
    (
        "a lock by each lane",
        Launch {
            body: "AGAIN:
                atom.acquire.gpu.global.cas.b32 %r4, [%rd1], 0, 1;
                setp.ne.u32 %p3, %r4, 0;
                @%p3 bra AGAIN;
                ld.global.u32 %r5, [%rd1+4];
                add.u32 %r5, %r5, 3;
                st.global.u32 [%rd1+4], %r5;
                st.release.gpu.global.u32 [%rd1], 0;
                ret;",
            block: 8,
            grid: 4,
            ..ONE_WARP
        },
    ),
    (
        "a block waits for the one before it",
        Launch {
            body: "@!%p2 bra DONE;
                mul.wide.u32 %rd2, %r2, 4;
                add.u64 %rd2, %rd1, %rd2;
                WAIT:
                ld.acquire.gpu.global.u32 %r4, [%rd2];
                setp.ne.u32 %p3, %r2, 0;
                setp.eq.and.u32 %p4, %r4, 0, %p3;
                @%p4 bra WAIT;
                add.u32 %r4, %r4, 2;
                st.release.gpu.global.u32 [%rd2+4], %r4;
                DONE: ret;",
            ..BLOCKS
        },
    ),
    (
        "a shuffle after lanes went apart",
        Launch {
            body: "activemask.b32 %r5;
                shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;
                mul.wide.u32 %rd2, %r1, 4;
                add.u64 %rd2, %rd1, %rd2;
                st.global.u32 [%rd2], %r4;
                ret;",
            ..ONE_WARP
        },
    ),
    (
        "a ring of two stages",
        Launch {
            block: 64,
            body: "@%p2 mbarrier.init.shared.b64 [bar], 1;
                @%p2 mbarrier.init.shared.b64 [tile], 1;
                barrier.sync 0;
                mov.u32 %r4, 0;
                setp.ge.u32 %p3, %r1, 32;
                @!%p1 bra DONE;
                @%p3 bra CONSUME;
                PRODUCE:
                st.shared.u32 [tile+16], %r4;
                mbarrier.arrive.shared.b64 %rd3, [bar];
                and.b32 %r5, %r4, 1;
                FREE: mbarrier.try_wait.parity.shared.b64 %p4, [tile], %r5;
                @!%p4 bra FREE;
                add.u32 %r4, %r4, 1;
                setp.lt.u32 %p5, %r4, 6;
                @%p5 bra PRODUCE;
                bra DONE;
                CONSUME:
                and.b32 %r5, %r4, 1;
                FULL: mbarrier.try_wait.parity.shared.b64 %p4, [bar], %r5;
                @!%p4 bra FULL;
                ld.shared.u32 %r6, [tile+16];
                mul.wide.u32 %rd2, %r4, 4;
                add.u64 %rd2, %rd1, %rd2;
                st.global.u32 [%rd2], %r6;
                mbarrier.arrive.shared.b64 %rd3, [tile];
                add.u32 %r4, %r4, 1;
                setp.lt.u32 %p5, %r4, 6;
                @%p5 bra CONSUME;
                DONE: ret;",
            ..ONE_BLOCK
        },
    ),
];

#[test]
fn results_that_depend_on_the_order_differ_under_some_schedule() {
    for (what, launch) in &DEPENDENT {
        let differing = launch.differing();
        for seed in [1, 2] {
            assert!(differing.iter().any(|schedule| schedule.seed == seed), "{what}: {differing:?}");
        }
    }
}

#[test]
fn other_results_are_the_same_under_every_schedule() {
    for (what, launch) in &INDEPENDENT {
        assert_eq!(launch.differing(), [], "{what}");
    }
}

#[test]
fn a_schedule_gives_the_same_run_each_time() {
    for (what, launch) in &DEPENDENT {
        let schedule = Some(Schedule { seed: 9, index: 40 });
        let (first, values) = launch.run(schedule, false);
        for _ in 0..100 {
            let (again, same) = launch.run(schedule, false);
            assert_eq!(
                (again.totals, &again.warps, same),
                (first.totals, &first.warps, values.clone()),
                "{what}"
            );
        }
    }
}

/// The first read that differs from the default run is the atomic that gives the place.
#[test]
fn the_log_shows_where_the_orders_differ() {
    for (what, launch) in &DEPENDENT[..2] {
        let (usual, _) = launch.run(None, true);
        let schedule = launch.differing()[0];
        let (other, _) = launch.run(Some(schedule), true);
        let (Some(usual), Some(other)) = (usual.order_log, other.order_log) else { panic!("{what}: no log") };
        let difference = other.first_difference(&usual).expect("a difference");
        let atom = launch.body.lines().position(|line| line.contains("atom")).expect("an atomic") as u32;
        // Eight statements come before the body.
        assert_eq!(difference.read.statement.0, 8 + atom, "{what}");
        assert!(difference.other.is_some_and(|value| value != difference.read.value), "{what}");
    }
}

/// Warp 0 polls with all lanes, and its first lane tells warp 1. Addresses in registers are those of frequent instructions.
#[test]
fn warps_hand_over_through_addresses_in_registers() {
    let launch = Launch {
        block: 64,
        body: "@%p2 st.shared.u32 [tile], 0;
            mov.u32 %r5, tile;
            mov.u32 %r6, word;
            bar.sync 0;
            setp.lt.u32 %p3, %r1, 32;
            @%p3 bra CONSUMER;
            setp.ne.u32 %p3, %r1, 32;
            @%p3 bra DONE;
            st.release.cta.shared.u32 [%r6], 1;
            WAIT:
            ld.acquire.cta.shared.u32 %r7, [%r5];
            setp.ne.u32 %p3, %r7, 1;
            @%p3 bra WAIT;
            st.release.cta.shared.u32 [%r6], 2;
            bra DONE;
            CONSUMER:
            ld.acquire.cta.shared.u32 %r7, [%r6];
            setp.eq.u32 %p3, %r7, 0;
            @%p3 bra CONSUMER;
            bar.warp.sync -1;
            @!%p2 bra AGAIN;
            st.release.cta.shared.u32 [%r5], 1;
            AGAIN:
            ld.acquire.cta.shared.u32 %r7, [%r6];
            setp.lt.u32 %p3, %r7, 2;
            @%p3 bra AGAIN;
            DONE: ret;",
        ..ONE_BLOCK
    };
    for index in 0..40 {
        launch.run(Some(Schedule { seed: 1, index }), false);
    }
}
