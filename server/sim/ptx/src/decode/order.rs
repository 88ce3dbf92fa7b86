//! How statements order memory, according to their words alone: the interpreter itself executes everything in order.

use warplens_hir::ptx::Instruction;

use crate::program::{AccessClass, Order, ProxyFence, Scope, SpecialOrder};

pub(super) fn order(instruction: Instruction<'_>) -> Order {
    let has = |words: &[&str]| words.iter().any(|word| instruction.has(word));
    let (acquire, release) = (has(&["acquire", "acq_rel"]), has(&["release", "acq_rel"]));
    let scope = match (has(&["cta"]), has(&["cluster"])) {
        (true, _) => Scope::Block,
        (_, true) => Scope::Cluster,
        _ => Scope::Device,
    };
    let access = Order {
        strong: has(&["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "cv", "wt"]),
        acquire,
        release,
        scope,
        ..Order::default()
    };
    match instruction.opcode() {
        "st" | "red" if has(&["async"]) => Order {
            special: SpecialOrder::AsyncStore,
            strong: access.strong || instruction.opcode() == "red",
            ..access
        },
        "multimem" if has(&["cp"]) => Order { special: SpecialOrder::AsyncProxy, ..Order::default() },
        "ldu" => Order { special: SpecialOrder::ReadsConstantData, ..access },
        "ld" if has(&["nc"]) => Order { special: SpecialOrder::ReadsConstantData, ..access },
        "ld" | "st" => access,
        "multimem" if !has(&["red"]) => access,
        "atom" | "red" | "multimem" => Order { strong: true, ..access },
        "membar" | "fence" => fence(instruction, access),
        "wgmma" | "tcgen05" if has(&["mma_async", "mma"]) => {
            Order { special: SpecialOrder::AsyncProduct, ..Order::default() }
        }
        "wgmma" if has(&["fence", "commit_group"]) => {
            Order { synchronizes: true, special: SpecialOrder::AlignsWarpgroup, ..Order::default() }
        }
        "tcgen05" if has(&["cp"]) => Order { special: SpecialOrder::AsyncMatrixCopy, ..Order::default() },
        "tcgen05" if has(&["alloc"]) => {
            Order { synchronizes: true, special: SpecialOrder::Allocates, ..Order::default() }
        }
        "tcgen05" if has(&["commit"]) => Order { strong: true, release: true, ..Order::default() },
        "cp" if has(&["bulk"]) => Order { special: SpecialOrder::AsyncProxy, ..Order::default() },
        "clusterlaunchcontrol" => Order { special: SpecialOrder::AsyncProxy, ..Order::default() },
        "mbarrier" => mbarrier(instruction),
        "griddepcontrol" if has(&["wait"]) => Order { special: SpecialOrder::AwaitsGrid, ..Order::default() },
        _ => Order { synchronizes: has(&["sync"]), ..Order::default() },
    }
}

/// `written` has what the words of the fence say.
fn fence(instruction: Instruction<'_>, written: Order) -> Order {
    // `fence.sc` and `membar` order both directions; a fence between proxies only those that it names.
    let both = !(written.acquire || written.release || instruction.has("proxy"));
    let (acquire, release) = (written.acquire || both, written.release || both);
    let special = match release && !acquire {
        true if instruction.has("mbarrier_init") => SpecialOrder::Releases(AccessClass::Initializations),
        true if instruction.has("sync_restrict::shared::cta") => {
            SpecialOrder::Releases(AccessClass::SharedMemory)
        }
        _ => SpecialOrder::None,
    };
    let proxy_fence = proxy_fence(instruction);
    Order { fence: true, acquire, release, scope: written.scope, special, proxy_fence, ..Order::default() }
}

fn mbarrier(instruction: Instruction<'_>) -> Order {
    let has = |words: &[&str]| words.iter().any(|word| instruction.has(word));
    let relaxed = instruction.has("relaxed");
    Order {
        strong: !has(&["init", "inval"]),
        special: match (instruction.has("init"), instruction.has("inval")) {
            (true, _) => SpecialOrder::Initializes,
            (_, true) => SpecialOrder::Invalidates,
            _ => SpecialOrder::None,
        },
        acquire: has(&["test_wait", "try_wait"]) && !relaxed,
        release: has(&["arrive", "arrive_drop", "complete_tx"]) && !relaxed,
        // Libraries arrive in other blocks of the cluster without a scope, although `.cta` is the default, so an explicit
        // `.cta` is not taken at its word either.
        scope: Scope::Cluster,
        ..Order::default()
    }
}

/// The memory that `fence.proxy.async` covers.
fn proxy_fence(instruction: Instruction<'_>) -> ProxyFence {
    if instruction.has("async::generic") {
        return ProxyFence::All;
    }
    match (instruction.has("proxy"), instruction.has("async")) {
        (true, true) if instruction.has("global") => ProxyFence::Global,
        (true, true) if instruction.has("shared::cta") || instruction.has("shared::cluster") => {
            ProxyFence::Shared
        }
        (true, true) => ProxyFence::All,
        _ => ProxyFence::None,
    }
}
