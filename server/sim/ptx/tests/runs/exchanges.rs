//! Threads that change the memory that they poll: a wait that no order of their instructions ends is a deadlock, and one that some
//! order ends is not.

use warplens_sim_ptx::Model;
use warplens_sim_warp::Status;

use crate::progress::{SOON, launch};

/// Two threads, in two blocks or two warps of a block, with the word `[%rd1]`.
fn threads(first: &str, second: &str, of_blocks: bool) -> (String, u32, u32) {
    let (body, grid, block) = warps(first, second, of_blocks);
    (format!("and.b32 %r10, %r1, 31;\nsetp.ne.u32 %p1, %r10, 0;\n@%p1 bra DONE;\n{body}"), grid, block)
}

/// Two warps, in two blocks or in one.
fn warps(first: &str, second: &str, of_blocks: bool) -> (String, u32, u32) {
    let (role, grid, block) = if of_blocks { ("%r2", 2, 32) } else { ("%r11", 1, 64) };
    let body = format!(
        "
            shr.u32 %r11, %r1, 5;
            setp.ne.u32 %p1, {role}, 0;
            @%p1 bra SECOND;
            {first}
            bra DONE;
            SECOND:
            {second}
            DONE:
            ret;
        "
    );
    (body, grid, block)
}

/// `A` until the condition holds.
fn until(label: &str, body: &str, condition: &str) -> String {
    format!("{label}:\n{body}\nsetp.{condition};\n@!%p2 bra {label};")
}

const ENDLESS: [(&str, [&str; 2], [&str; 2]); 5] = [
    (
        "swaps",
        ["atom.global.exch.b32 %r3, [%rd1], 1;", "atom.global.exch.b32 %r3, [%rd1], 3;"],
        ["eq.u32 %p2, %r3, 2", "eq.u32 %p2, %r3, 4"],
    ),
    (
        "compare and swap",
        ["atom.global.cas.b32 %r3, [%rd1], 0, 1;", "atom.global.cas.b32 %r3, [%rd1], 1, 0;"],
        ["eq.u32 %p2, %r3, 2", "eq.u32 %p2, %r3, 2"],
    ),
    (
        "stores and loads",
        [
            "st.volatile.global.u32 [%rd1], 1;\nld.volatile.global.u32 %r3, [%rd1];",
            "st.volatile.global.u32 [%rd1], 3;\nld.volatile.global.u32 %r3, [%rd1];",
        ],
        ["eq.u32 %p2, %r3, 2", "eq.u32 %p2, %r3, 4"],
    ),
    (
        "64-bit values",
        ["atom.global.exch.b64 %rd5, [%rd1], 1;", "atom.global.cas.b64 %rd5, [%rd1], 1, 2;"],
        ["eq.u64 %p2, %rd5, 7", "eq.u64 %p2, %rd5, 7"],
    ),
    (
        "one changes, the other waits",
        [
            "ld.volatile.global.u32 %r3, [%rd1];\nxor.b32 %r3, %r3, 1;\nst.volatile.global.u32 [%rd1], %r3;",
            "ld.volatile.global.u32 %r3, [%rd1];",
        ],
        ["eq.u32 %p2, %r3, 5", "eq.u32 %p2, %r3, 5"],
    ),
];

#[test]
fn exchanges_without_an_end_are_deadlocks() {
    for (name, [first, second], [ends, also_ends]) in ENDLESS {
        let (first, second) = (until("A", first, ends), until("B", second, also_ends));
        for (of_blocks, model) in [(true, Model::Stack), (false, Model::Stack), (true, Model::Its)] {
            let (body, grid, block) = threads(&first, &second, of_blocks);
            let (_, _, result, _) = launch(model, &body, grid, block);
            assert_eq!(result.status, Status::NoProgress, "{name} {of_blocks} {:?}", result.findings);
            assert!(result.totals.warp_instructions < 2 * SOON, "{name} {:?}", result.totals);
            let message = &result.findings.last().expect("a finding").message;
            assert!(message.contains("change what they poll"), "{name} {message}");
        }
    }
}

#[test]
fn exchanges_of_whole_warps_are_deadlocks() {
    for (name, [first, second], [ends, also_ends]) in ENDLESS {
        let (first, second) = (until("A", first, ends), until("B", second, also_ends));
        for (of_blocks, model) in [(true, Model::Stack), (false, Model::Stack), (false, Model::Its)] {
            let (body, grid, block) = warps(&first, &second, of_blocks);
            let (_, _, result, _) = launch(model, &body, grid, block);
            assert_eq!(
                result.status,
                Status::NoProgress,
                "{name} {of_blocks} {model:?} {:?}",
                result.findings
            );
        }
    }
}

/// The lanes of a warp store different values one after the other: in another order the last one is another.
#[test]
fn other_orders_of_lanes_end_exchanges() {
    let first = "atom.global.exch.b32 %r3, [%rd1], %r1;\nld.volatile.global.u32 %r4, [%rd1+4];";
    let second = "atom.global.exch.b32 %r3, [%rd1], 99;\nsetp.eq.u32 %p3, %r3, 5;\n@%p3 st.volatile.global.u32 [%rd1+4], 1;";
    let (first, second) = (until("A", first, "ne.u32 %p2, %r4, 0"), until("B", second, "eq.u32 %p2, %r3, 5"));
    for (shuffled, of_blocks) in [(false, false), (true, true)] {
        // A shuffle lets a lane depend on the others, so nothing is known.
        let shuffle = if shuffled { "shfl.sync.bfly.b32 %r12, %r3, 1, 31, -1;" } else { "" };
        let first = first.replace("A:", &format!("A:\n{shuffle}"));
        let (body, grid, block) = warps(&first, &second, of_blocks);
        let (_, _, result, _) = launch(Model::Stack, &body, grid, block);
        assert_ne!(result.status, Status::NoProgress, "{:?}", result.findings);
    }
}

/// Two blocks count up and down: whether both are between the two depends on the order.
fn counted(limit: u32) -> (String, u32, u32) {
    let count = "atom.global.add.u32 %r3, [%rd1], 1;\natom.global.add.u32 %r4, [%rd1], -1;";
    let ends = format!("eq.u32 %p2, %r3, {limit}");
    threads(&until("A", count, &ends), &until("B", count, &ends), true)
}

#[test]
fn counters_that_cannot_reach_their_limit_are_deadlocks() {
    let (body, grid, block) = counted(2);
    let (_, _, result, _) = launch(Model::Stack, &body, grid, block);
    assert_eq!(result.status, Status::NoProgress, "{:?}", result.findings);
}

/// The default order of instructions repeats a state in each of these, and another order ends the launch, or more than a
/// single word decides.
#[test]
fn exchanges_that_another_order_ends_are_no_deadlocks() {
    let toggle = "ld.volatile.global.u32 %r3, [%rd1];\nxor.b32 %r3, %r3, 1;\nst.volatile.global.u32 [%rd1], %r3;\n\
                  ld.volatile.global.u32 %r4, [%rd1+4];";
    let sees_both = format!(
        "{}\n{}\nst.volatile.global.u32 [%rd1+4], 1;",
        until("B", "ld.volatile.global.u32 %r3, [%rd1];", "eq.u32 %p2, %r3, 1"),
        until("C", "ld.volatile.global.u32 %r3, [%rd1];", "eq.u32 %p2, %r3, 0")
    );
    let with_clock = "mov.u32 %r5, %clock;\natom.global.exch.b32 %r3, [%rd1], 1;\nsetp.gt.u32 %p3, %r5, 4000000;\n\
                      @%p3 bra DONE;";
    let swaps = until("B", "atom.global.exch.b32 %r3, [%rd1], 3;", "eq.u32 %p2, %r3, 4");
    let cases = [
        ("toggle", threads(&until("A", toggle, "ne.u32 %p2, %r4, 0"), &sees_both, true)),
        ("toggle of warps", threads(&until("A", toggle, "ne.u32 %p2, %r4, 0"), &sees_both, false)),
        ("counters", counted(1)),
        ("clock", threads(&until("A", with_clock, "eq.u32 %p2, %r3, 2"), &swaps, true)),
    ];
    for (name, (body, grid, block)) in cases {
        let (_, _, result, _) = launch(Model::Stack, &body, grid, block);
        assert_ne!(result.status, Status::NoProgress, "{name} {:?}", result.findings);
    }
}

/// The word reaches the value after more than a hundred thousand exchanges.
#[test]
fn long_exchanges_that_end_are_no_deadlocks() {
    let pass = |from: u32| {
        format!(
            "ld.volatile.global.u32 %r3, [%rd1];\nand.b32 %r4, %r3, 1;\nsetp.ne.u32 %p3, %r4, {from};\n@%p3 bra {label};\n\
             add.u32 %r3, %r3, 1;\nst.volatile.global.u32 [%rd1], %r3;",
            label = ["A", "B"][from as usize]
        )
    };
    let (first, second) =
        (until("A", &pass(0), "ge.u32 %p2, %r3, 3000"), until("B", &pass(1), "ge.u32 %p2, %r3, 3000"));
    for of_blocks in [true, false] {
        let (body, grid, block) = threads(&first, &second, of_blocks);
        let (_, _, result, values) = launch(Model::Stack, &body, grid, block);
        assert_eq!((result.status, values[0] >= 3000), (Status::Finished, true), "{:?}", result.findings);
    }
}
