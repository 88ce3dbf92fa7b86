//! Arrivals at named barriers that may count in another generation, and protocols in which they cannot.

use std::collections::{BTreeSet, HashSet};

use crate::common::kernel;
use crate::common::watched::{findings, findings_of, watched};
use expect_test::expect;
use proptest::prelude::*;
use warplens_sim_ptx::Model;
use warplens_sim_warp::{FindingKind, Status};

/// Warps 0 and 1 consume two tiles that warp 2 produces; `release` tells the producer that a tile has been consumed, and
/// `acquire` waits for that.
fn tiles(release: &str, acquire: &str) -> String {
    format!(
        "
            mov.u32 %r5, 0;
            setp.ge.u32 %p1, %r1, 64;
            @%p1 bra PRODUCE;
            CONSUME:
            bar.sync 1, 96;
            {release}
            add.u32 %r5, %r5, 1;
            setp.lt.u32 %p2, %r5, 2;
            @%p2 bra CONSUME;
            bra DONE;
            PRODUCE:
            bar.arrive 1, 96;
            {acquire}
            add.u32 %r5, %r5, 1;
            setp.lt.u32 %p2, %r5, 2;
            @%p2 bra PRODUCE;
            DONE:
            ret;
        "
    )
}

#[test]
fn a_producer_that_only_arrives_may_run_ahead() {
    expect![[r#"
        error barrier-reuse warp 2 lanes ffffffff: bar.arrive 1, 96;
          Barrier reuse: an arrival at barrier 1 may count in generation 0 or 1
          thread (64,0,0) arrives for generation 1, and nothing orders it after the arrival of thread (0,0,0) for generation 0: it may come first and take that one's place, so that threads pass the barrier too early and later wait forever. Let the thread wait until generation 0 is complete, with `bar.sync`, or at a second barrier at which the threads that have passed barrier 1 arrive
          thread (0,0,0) (lane 0 of warp 0) arrives here for generation 0: bar.sync 1, 96;
    "#]]
    .assert_eq(&findings("sm_80", 1, 96, &tiles("", "")));
    for model in Model::ALL {
        assert!(findings_of("sm_80", 1, 96, &tiles("", ""), model).contains("barrier-reuse"));
        assert_eq!(findings_of("sm_80", 1, 96, &tiles("bar.arrive 2, 96;", "bar.sync 2, 96;"), model), "");
    }
}

/// What comes later at the barrier has the same cause.
#[test]
fn a_barrier_is_reported_once() {
    let body = tiles("", "").replace("%r5, 2;", "%r5, 4;");
    assert_eq!(findings("sm_80", 1, 96, &body).matches("error").count(), 1);
}

/// A thread that has passed the barrier knows that all threads have arrived, so one consumer may tell the producer.
#[test]
fn one_of_two_consumers_tells_the_producer() {
    let release = "setp.lt.u32 %p3, %r1, 32;\n@!%p3 bra NEXT;\nbar.arrive 2, 64;\nNEXT:";
    assert_eq!(findings("sm_80", 1, 96, &tiles(release, "bar.sync 2, 64;")), "");
}

/// Groups of two warps take turns: each waits at its own barrier until the others have arrived there.
#[test]
fn groups_that_take_turns() {
    for groups in [2, 3] {
        let count = 64 * groups;
        let mut arrivals = String::new();
        for other in 1..groups {
            arrivals += &format!(
                "add.u32 %r6, %r5, {other};\nrem.u32 %r6, %r6, {groups};\nadd.u32 %r6, %r6, 1;\nbar.arrive %r6, {count};\n"
            );
        }
        let last = match groups {
            3 => "setp.eq.u32 %p1, %r5, 1;\n@%p1 bra TURN;\nbar.arrive 2, 192;",
            _ => "",
        };
        // At the start, each group arrives for those before it.
        let body = format!(
            "
                shr.u32 %r5, %r1, 6;
                mov.u32 %r7, 0;
                setp.eq.u32 %p1, %r5, 0;
                @%p1 bra TURN;
                bar.arrive 1, {count};
                {last}
                TURN:
                add.u32 %r6, %r5, 1;
                bar.sync %r6, {count};
                add.u32 %r7, %r7, 1;
                {arrivals}
                setp.lt.u32 %p2, %r7, 4;
                @%p2 bra TURN;
                ret;
            "
        );
        assert_eq!(findings("sm_90", 1, count, &body), "");
    }
}

#[test]
fn stores_after_an_arrival_are_not_ordered_by_it() {
    let body = "
        setp.ge.u32 %p1, %r1, 32;
        @%p1 bra CONSUME;
        bar.arrive 1, 64;
        st.shared.u32 [%r3], %r1;
        bra DONE;
        CONSUME:
        bar.sync 1, 64;
        ld.shared.u32 %r5, [%r3+-128];
        st.global.u32 [%rd2], %r5;
        DONE:
        bar.sync 0;
        ret;
    ";
    let found = findings("sm_80", 1, 64, body);
    assert!(found.contains("error data-race"), "{found}");
}

/// What a warp does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Step {
    barrier: usize,
    waits: bool,
}

/// A protocol: the steps of each warp, and the number of warps for which each barrier waits.
#[derive(Clone, Debug)]
struct Protocol {
    warps: Vec<Vec<Step>>,
    counts: [usize; 2],
}

/// How far the warps and the barriers are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    next: Vec<usize>,
    /// The barrier at which each warp waits.
    at: Vec<Option<usize>>,
    arrived: [usize; 2],
    generation: [usize; 2],
}

/// What all interleavings of a protocol may do.
#[derive(Debug, Default)]
struct Interleavings {
    /// Warp, step and generation.
    counted: BTreeSet<(usize, usize, usize)>,
    deadlocks: bool,
}

impl Protocol {
    fn body(&self) -> String {
        let mut body = String::from("mov.u32 %r1, %tid.x;\nshr.u32 %r5, %r1, 5;\n");
        for (warp, steps) in self.warps.iter().enumerate() {
            body += &format!("setp.ne.u32 %p1, %r5, {warp};\n@%p1 bra W{warp};\n");
            for Step { barrier, waits } in steps {
                let what = if *waits { "sync" } else { "arrive" };
                body += &format!("bar.{what} {}, {};\n", barrier + 1, 32 * self.counts[*barrier]);
            }
            body += &format!("bra END;\nW{warp}:\n");
        }
        // Threads that have exited would not be waited for.
        body + "END:\nbar.sync 0;\nret;\n"
    }

    fn interleavings(&self) -> Interleavings {
        let mut all = Interleavings::default();
        let start =
            State { next: vec![0; self.warps.len()], at: vec![None; self.warps.len()], ..State::default() };
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let can_run =
                |warp: &usize| state.at[*warp].is_none() && state.next[*warp] < self.warps[*warp].len();
            let ready: Vec<usize> = (0..self.warps.len()).filter(can_run).collect();
            all.deadlocks |= ready.is_empty() && state.at.iter().any(Option::is_some);
            for warp in ready {
                let mut after = state.clone();
                let Step { barrier, waits } = self.warps[warp][state.next[warp]];
                all.counted.insert((warp, state.next[warp], state.generation[barrier]));
                after.next[warp] += 1;
                after.arrived[barrier] += 1;
                after.at[warp] = waits.then_some(barrier);
                if after.arrived[barrier] == self.counts[barrier] {
                    (after.arrived[barrier], after.generation[barrier]) = (0, state.generation[barrier] + 1);
                    after.at.iter_mut().filter(|at| **at == Some(barrier)).for_each(|at| *at = None);
                }
                if seen.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
        all
    }
}

impl Interleavings {
    /// Whether some arrival is counted in different generations.
    fn is_ambiguous(&self) -> bool {
        let arrivals: BTreeSet<_> = self.counted.iter().map(|(warp, step, _)| (warp, step)).collect();
        arrivals.len() != self.counted.len()
    }
}

fn protocol() -> impl Strategy<Value = Protocol> {
    let step = (0usize..2, any::<bool>()).prop_map(|(barrier, waits)| Step { barrier, waits });
    let warps = prop::collection::vec(prop::collection::vec(step, 0..5), 2..4);
    (warps, [2usize..4, 2..4]).prop_map(|(warps, counts)| Protocol { warps, counts })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A run that ends reports an arrival if, and only if, some interleaving counts one in another generation.
    #[test]
    fn one_run_knows_all_interleavings(protocol in protocol()) {
        let all = protocol.interleavings();
        let block = 32 * protocol.warps.len() as u32;
        let (.., result) = watched(&kernel(&protocol.body()), 1, block);
        let found = result.findings.iter().any(|finding| finding.kind == FindingKind::BarrierReuse);
        match result.status {
            Status::Finished => {
                prop_assert_eq!(found, all.is_ambiguous(), "{:?}", result.findings);
                prop_assert!(found || !all.deadlocks);
            }
            _ => prop_assert!(all.deadlocks, "{:?}", result.findings),
        }
    }
}
