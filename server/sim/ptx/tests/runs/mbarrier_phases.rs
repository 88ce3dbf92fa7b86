//! Phases of mbarriers: protocols in which each arrival and wait has its phase in every schedule, and mistakes in them.

use std::fmt::Write;

use crate::common::kernel;
use crate::common::watched::watched;
use warplens_sim_warp::{FindingKind, RunResult};

/// Warp 0 fills slots of a ring, and warps 1 and 2 read them. Each slot has a `full` and an `empty` mbarrier.
#[derive(Clone, Copy)]
struct Ring {
    slots: u32,
    iterations: u32,
    /// The counts of the mbarriers.
    full: u32,
    empty: u32,
    /// The parities of the first waits.
    producer: u32,
    consumer: u32,
    /// How a consumer releases a slot.
    release: &'static str,
    /// Whether one lane of the producer copies, or all lanes store.
    copies: bool,
    producer_waits: bool,
    /// The slots for whose mbarriers the producer and the consumers wait.
    producer_slot: &'static str,
    consumer_slot: &'static str,
    /// Whether the parity changes after the last slot.
    producer_flips: bool,
    consumer_flips: bool,
}

const ALL_RELEASE: &str = "mbarrier.arrive.shared::cta.b64 _, [%r21];";
const WARPS_RELEASE: &str = "bar.warp.sync 0xffffffff;\n@%p9 mbarrier.arrive.shared::cta.b64 _, [%r21];";

const RING: Ring = Ring {
    slots: 2,
    iterations: 6,
    full: 1,
    empty: 64,
    producer: 1,
    consumer: 0,
    release: ALL_RELEASE,
    copies: true,
    producer_waits: true,
    producer_slot: "%r10",
    consumer_slot: "%r10",
    producer_flips: true,
    consumer_flips: true,
};

const STORES: Ring = Ring { copies: false, full: 32, ..RING };

fn wait(label: &str, address: &str, parity: &str) -> String {
    format!(
        "{label}:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [{address}], {parity};\n@!%p7 bra {label};\n"
    )
}

impl Ring {
    fn body(&self) -> String {
        let Ring { slots, iterations, full, empty, release, .. } = self;
        let mut body = String::from(
            ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 full[4];\n.shared .align 8 .b64 empty[4];\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nand.b32 %r2, %r1, 31;\nsetp.eq.u32 %p9, %r2, 0;\n",
        );
        for slot in (0..*slots).map(|slot| 8 * slot) {
            let init = "mbarrier.init.shared::cta.b64";
            writeln!(body, "@%p1 {init} [full+{slot}], {full};\n@%p1 {init} [empty+{slot}], {empty};")
                .unwrap();
        }
        body +=
            "bar.sync 0;\nmov.u32 %r10, 0;\nmov.u32 %r12, 0;\nsetp.ge.u32 %p2, %r1, 32;\n@%p2 bra CONSUME;\n";
        let addresses = |slot: &str, full: &str, empty: &str| {
            format!(
                "mov.u32 %r20, full;\nmad.lo.u32 %r20, {full}, 8, %r20;\nmov.u32 %r21, empty;\nmad.lo.u32 %r21, {empty}, 8, %r21;\n\
                 mov.u32 %r22, tile;\nmad.lo.u32 %r22, {slot}, 256, %r22;\n"
            )
        };
        let next = |label: &str, flips: bool| {
            let flip = if flips { "@%p5 xor.b32 %r11, %r11, 1;" } else { "" };
            format!(
                "add.u32 %r10, %r10, 1;\nsetp.eq.u32 %p5, %r10, {slots};\n@%p5 mov.u32 %r10, 0;\n{flip}\nadd.u32 %r12, %r12, 1;\n\
                 setp.lt.u32 %p6, %r12, {iterations};\n@%p6 bra {label};\n"
            )
        };
        if self.copies {
            body += "@!%p1 bra DONE;\n";
        }
        writeln!(body, "mov.u32 %r11, {};\nPRODUCE:", self.producer).unwrap();
        body += &addresses("%r10", "%r10", self.producer_slot);
        if self.producer_waits {
            body += &wait("EMPTY", "%r21", "%r11");
        }
        body += match self.copies {
            true => {
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r20], 256;\n\
                 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r22], [%rd1], 256, [%r20];\n"
            }
            false => {
                "shl.b32 %r23, %r1, 2;\nadd.u32 %r23, %r22, %r23;\nst.shared.u32 [%r23], %r12;\nst.shared.u32 [%r23+128], %r12;\n\
                 mbarrier.arrive.shared::cta.b64 _, [%r20];\n"
            }
        };
        body += &next("PRODUCE", self.producer_flips);
        writeln!(body, "bra DONE;\nCONSUME:\nmov.u32 %r11, {};\nREAD:", self.consumer).unwrap();
        body += &addresses("%r10", self.consumer_slot, "%r10");
        body += &wait("FULL", "%r20", "%r11");
        body += "sub.u32 %r26, %r1, 32;\nshl.b32 %r26, %r26, 2;\nadd.u32 %r26, %r26, %r22;\nld.shared.u32 %r27, [%r26];\n";
        body += release;
        body += "\n";
        body += &next("READ", self.consumer_flips);
        body + "DONE:\nret;"
    }

    fn run(&self) -> RunResult {
        watched(&kernel(&self.body()), 1, 96).2
    }

    #[track_caller]
    fn is_right(self) {
        let result = self.run();
        assert_eq!(result.status.as_str(), "finished", "{:?}", result.findings);
        assert_eq!(result.findings.len(), 0, "{:?}", result.findings);
    }

    /// The mistake is found, with words of the message.
    #[track_caller]
    fn is_wrong(self, message: &str) {
        self.is_reported(FindingKind::MbarrierPhase, message);
    }

    fn is_reported(self, kind: FindingKind, message: &str) {
        let findings = self.run().findings;
        let found = findings.iter().any(|finding| finding.kind == kind && finding.message.contains(message));
        assert!(found, "{findings:?}");
    }
}

#[test]
fn rings() {
    for slots in 1..4 {
        for ring in [RING, STORES] {
            let ring = Ring { slots, iterations: 4 * slots + 1, ..ring };
            ring.is_right();
            Ring { release: WARPS_RELEASE, empty: 2, ..ring }.is_right();
        }
    }
    // Each slot is filled only once.
    Ring { slots: 4, iterations: 4, producer_waits: false, ..RING }.is_right();
}

#[test]
fn a_producer_that_does_not_wait() {
    Ring { producer_waits: false, ..RING }
        .is_reported(FindingKind::Mbarrier, "a second arrival of a thread in a phase of `full[0]`");
    Ring { producer_waits: false, ..STORES }.is_wrong("an arrival at `full[0]` may count in phase 0 or 1");
    Ring { producer_flips: false, ..STORES }.is_wrong("an arrival at `full[0]` may count in phase 0 or 1");
    Ring { producer_slot: "0", ..STORES }.is_wrong("an arrival at `full[1]` may count in phase 0 or 1");
}

#[test]
fn a_consumer_that_waits_for_the_wrong_phase() {
    Ring { consumer: 1, ..RING }.is_wrong("may be overtaken");
    Ring { consumer_flips: false, ..RING }.is_wrong("may be overtaken");
    Ring { consumer_slot: "0", ..RING }.is_wrong("may be overtaken");
}

#[test]
fn counts_that_are_too_small() {
    Ring { empty: 63, ..RING }.is_wrong("an arrival at `empty[0]` may count in phase 0 or 1");
    Ring { empty: 1, release: WARPS_RELEASE, ..RING }
        .is_wrong("an arrival at `empty[0]` may count in phase 0 or 1");
    Ring { full: 16, ..STORES }.is_wrong("an arrival at `full[0]` may count in phase 0 or 1");
}

#[test]
fn lanes_that_another_lane_releases_may_fall_behind() {
    let release = "@%p9 mbarrier.arrive.shared::cta.b64 _, [%r21];";
    Ring { release, empty: 2, ..RING }.is_wrong("a wait for phase 0 of `full[0]` may be overtaken");
}

/// The order of phases does not depend on the semantics of arrivals and waits; the order of memory does.
#[test]
fn relaxed_arrivals_and_waits_order_phases() {
    let found = |ring: Ring| {
        let relaxed = |body: String, what: &str| {
            body.replace(&format!("mbarrier.{what}.shared"), &format!("mbarrier.{what}.relaxed.cta.shared"))
        };
        let body = relaxed(relaxed(ring.body(), "try_wait.parity"), "arrive");
        let findings = watched(&kernel(&body), 1, 96).2.findings;
        let phases = findings.into_iter().filter(|finding| finding.kind == FindingKind::MbarrierPhase);
        phases
            .map(|finding| finding.message.lines().next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    for slots in 1..4 {
        for ring in [RING, STORES] {
            let ring = Ring { slots, iterations: 4 * slots + 1, ..ring };
            assert_eq!(found(ring), [""; 0]);
            assert_eq!(found(Ring { release: WARPS_RELEASE, empty: 2, ..ring }), [""; 0]);
        }
    }
    let release = "@%p9 mbarrier.arrive.shared::cta.b64 _, [%r21];";
    for wrong in [
        Ring { release, empty: 2, ..RING },
        Ring { consumer_flips: false, ..RING },
        Ring { empty: 63, ..RING },
        Ring { producer_flips: false, ..STORES },
    ] {
        assert!(!found(wrong).is_empty(), "{}", wrong.body());
    }
}

fn found(body: &str) -> Vec<(FindingKind, String)> {
    let text = format!(
        ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
         setp.eq.u32 %p1, %r1, 0;\n{body}\nret;"
    );
    let (.., result) = watched(&kernel(&text), 1, 96);
    let title = |message: &str| message.lines().next().unwrap_or_default().to_owned();
    result.findings.iter().map(|finding| (finding.kind, title(&finding.message))).collect()
}

/// All threads arrive and wait, as at `bar.sync`.
#[test]
fn a_barrier_of_all_threads() {
    let by_token = "W{}:\nmbarrier.try_wait.shared::cta.b64 %p7, [bar], %rd5;\n@!%p7 bra W{};\n";
    let by_parity = "W{}:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], {};\n@!%p7 bra W{};\n";
    for wait in [by_token, by_parity] {
        let meet = |parity: &str| {
            "mbarrier.arrive.shared::cta.b64 %rd5, [bar];\n".to_owned() + &wait.replace("{}", parity)
        };
        let body = format!(
            "@%p1 mbarrier.init.shared::cta.b64 [bar], 96;\nbar.sync 0;\nmov.u32 %r5, 0;\nLOOP:\n{}{}\
             add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 4;\n@%p2 bra LOOP;",
            meet("0"),
            meet("1")
        );
        assert_eq!(found(&body), []);
    }
}

#[test]
fn bytes_are_announced_before_the_last_arrival() {
    let body = |first: &str, second: &str| {
        format!(
            "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nsetp.eq.u32 %p2, %r1, 32;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [bar];\n\
             @%p2 {first}\n@%p2 {second}\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], 0;\n@!%p7 bra W;"
        )
    };
    let announce = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 128;";
    let arrive = "mbarrier.arrive.shared::cta.b64 _, [bar];";
    assert_eq!(found(&body(announce, arrive)), []);
    let title = "Mbarrier phase: phase 0 of `bar` may complete before this `expect_tx`".to_owned();
    assert_eq!(found(&body(arrive, announce)), [(FindingKind::MbarrierPhase, title)]);
}

#[test]
fn an_object_is_invalidated_after_all_waits() {
    let body = |barrier: &str| {
        format!(
            "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n\
             setp.ge.u32 %p2, %r1, 64;\n@%p2 bra DONE;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], 0;\n@!%p7 bra W;\n\
             DONE:\n{barrier}\nsetp.eq.u32 %p3, %r1, 64;\n@%p3 mbarrier.inval.shared::cta.b64 [bar];"
        )
    };
    assert_eq!(found(&body("bar.sync 0;")), []);
    let found = found(&body(""));
    let title = "Mbarrier phase: `bar` is invalidated while other threads may still use it";
    assert!(found.iter().any(|(_, message)| message == title), "{found:?}");
}

/// The message of a deadlock.
fn deadlock(result: &RunResult) -> &str {
    let finding = result.findings.iter().find(|finding| finding.kind == FindingKind::NoProgress);
    &finding.expect("a deadlock").message
}

#[test]
fn causes_of_deadlocks() {
    let waits = |arrivals: &str, parity: u32| {
        let text = format!(
            ".shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n\
             bar.sync 0;\n{arrivals}\nsetp.lt.u32 %p2, %r1, 64;\n@%p2 bra DONE;\n{}DONE:\nret;",
            wait("W", "bar", &parity.to_string())
        );
        watched(&kernel(&text), 1, 96).2
    };
    let arrive = "@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n";
    let result = waits(&arrive.repeat(2), 0);
    assert!(deadlock(&result).contains("phase 0, for which the wait is, has completed, and so has phase 1"));
    let result = waits(arrive, 1);
    assert!(deadlock(&result).contains("the first wait of the thread is for phase 1"));
    // The producer waits for a consumer, which waits for an arrival that the count demands too often.
    let result = Ring { full: 2, ..RING }.run();
    assert!(
        deadlock(&result)
            .contains("for the mbarrier `full[0]`\nno live thread can complete phase 0 (parity 0): 1 of 2")
    );
}
