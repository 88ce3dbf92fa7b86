//! An mbarrier object is opaque from its initialization to `mbarrier.inval`.

use crate::common::watched::findings;

const INIT: &str = "@%p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n";
const INVALIDATE: &str = "bar.sync 0;\n@%p1 mbarrier.inval.shared.b64 [bar];\n";
const FILL: &str = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;\n\
    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];\n";
const WAIT: &str = "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra W;\n";
const STORE: &str = "@%p1 st.shared.u32 [bar+4], 1;\n";

fn found(body: &str) -> String {
    findings("sm_90", 1, 64, &format!(".shared .align 8 .b64 bar;\nsetp.eq.u32 %p1, %r1, 0;\n{body}\nret;"))
}

#[test]
fn a_store_over_an_object() {
    let used = format!("{INIT}{FILL}{WAIT}");
    let wrong = found(&format!("{used}bar.sync 0;\n{STORE}"));
    assert!(wrong.contains("error mbarrier ") && wrong.contains("a store overwrites `bar`"), "{wrong}");
    assert_eq!(found(&format!("{used}{INVALIDATE}{STORE}")), "");
    // Zeros before the initialization, and stores beside the object.
    assert_eq!(found(&format!("@%p1 st.shared.u64 [bar], 0;\n{used}st.shared.u32 [%r3+256], %r1;")), "");
}

#[test]
fn an_initialization_of_a_valid_object() {
    let again = "bar.sync 0;\n@%p1 mbarrier.init.shared.b64 [bar], 2;\n";
    let wrong = found(&format!("{INIT}{FILL}{WAIT}{again}"));
    assert!(wrong.contains("warning mbarrier ") && wrong.contains("initialized again"), "{wrong}");
    assert_eq!(found(&format!("{INIT}{FILL}{WAIT}{INVALIDATE}{again}")), "");
    // Nothing has used it.
    assert_eq!(found(&format!("{INIT}{again}")), "");
}

#[test]
fn an_object_is_invalidated_while_it_tracks_a_copy() {
    let wrong = found(&format!("{INIT}{FILL}{INVALIDATE}"));
    assert!(wrong.contains("error mbarrier-phase") && wrong.contains("while a copy is in flight"), "{wrong}");
    assert_eq!(found(&format!("{INIT}{FILL}{WAIT}{INVALIDATE}")), "");
}

/// The acquire of a wait comes too late for the wait itself.
#[test]
fn the_fence_of_an_initialization_is_no_barrier() {
    let init = "@%p1 mbarrier.init.shared.b64 [bar], 1;\n@%p1 fence.mbarrier_init.release.cluster;\n@%p1 mbarrier.arrive.shared.b64 _, [bar];\n";
    let wrong = found(&format!("{init}{WAIT}"));
    assert!(wrong.contains("error mbarrier-init"), "{wrong}");
    assert_eq!(found(&format!("{init}bar.sync 0;\n{WAIT}")), "");
}
