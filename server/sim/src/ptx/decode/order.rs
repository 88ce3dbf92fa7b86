//! How statements order memory. Read off the words alone: the interpreter itself does everything in order.

use warplens_hir::ptx::Instruction;

use crate::ptx::program::Order;

/// What `instruction` promises.
pub(super) fn order(instruction: Instruction<'_>) -> Order {
    let has = |words: &[&str]| words.iter().any(|word| instruction.has(word));
    let (acquire, release) = (has(&["acquire", "acq_rel"]), has(&["release", "acq_rel"]));
    let access = Order {
        strong: has(&["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "cv", "wt"]),
        acquire,
        release,
        in_block: has(&["cta"]),
        ..Order::default()
    };
    match instruction.opcode() {
        "ld" | "ldu" | "st" => access,
        "atom" | "red" => Order { strong: true, ..access },
        "membar" | "fence" => Order { fence: true, in_block: has(&["cta"]), ..Order::default() },
        "mbarrier" => {
            let relaxed = has(&["relaxed"]);
            let waits = has(&["test_wait", "try_wait"]);
            let arrives = has(&["arrive", "arrive_drop", "complete_tx"]);
            Order {
                strong: true,
                acquire: waits && !relaxed,
                release: arrives && !relaxed,
                ..Order::default()
            }
        }
        _ => Order { synchronizes: has(&["sync"]), ..Order::default() },
    }
}
