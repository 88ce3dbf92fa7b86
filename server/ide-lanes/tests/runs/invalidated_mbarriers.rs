//! Memory of an mbarrier after `mbarrier.inval`.

use expect_test::{Expect, expect};

use crate::findings_of_launch::{findings, kernel};

/// An mbarrier at `%r2` tracks a copy, and then a copy of 64 bytes, tracked by another one, may overwrite it.
fn check(between: &str, expected: Expect) {
    let text = kernel(
        "sm_90",
        "grid = [1], block = [32], args = [{ name = 'src', buffer = 'u8', len = 64, fill = { value = 171 } }]",
        ".param .u64 src",
        &format!(
            ".shared .align 64 .b8 memory[128];\nld.param.b64 %rd1, [src];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n\
             mov.u32 %r2, memory;\nadd.u32 %r3, %r2, 64;\n@%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\nbar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 32;\n\
             @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 32, [%r2];\n\
             A: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra A;\nbar.sync 0;\n\
             {between}\n\
             @%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nbar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;\n\
             @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 64, [%r3];\n\
             B: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n@!%p3 bra B;\nret;"
        ),
    );
    expected.assert_eq(&findings(&text));
}

#[test]
fn nothing_more_is_expected_of_an_invalidated_object() {
    check("@%p1 mbarrier.inval.shared::cta.b64 [%r2];", expect![[""]]);
    // An object that is initialized again is one, too.
    check(
        "@%p1 mbarrier.inval.shared::cta.b64 [%r2];\n@%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\n\
         @%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 16;\n@%p1 mbarrier.inval.shared::cta.b64 [%r2];",
        expect![[""]],
    );
}
