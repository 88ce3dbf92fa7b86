//! Tensor copies of elements that are padded in shared memory.

use expect_test::expect;

use crate::findings_of_launch::{findings, kernel};

/// Copies a box of 128 x 16 elements to an mbarrier that expects `announced` bytes.
fn copied(element: &str, stride: u32, announced: u32) -> String {
    findings(&kernel(
        "sm_100a",
        &format!(
            "grid = [1], block = [32], args = [{{ name = 'map', tensormap = {{ buffer = {{ buffer = 'u8', len = 2048, fill = 'iota' }}, \
             type = '{element}', dims = [128, 16], strides = [{stride}], box = [128, 16], swizzle = '128b' }} }}]"
        ),
        ".param .align 64 .b8 map[128]",
        &format!(
            ".shared .align 1024 .b8 tile[2048];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n\
             mov.u32 %r2, bar;\nmov.u32 %r3, tile;\nmov.u64 %rd1, map;\ncvta.param.u64 %rd2, %rd1;\nmov.u32 %r4, 0;\n\
             @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\n@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {announced};\n\
             @%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd2, {{%r4, %r4}}], [%r2];\n\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra W;\nret;"
        ),
    ))
}

/// A copy completes the bytes of the elements without the padding: CUTLASS counts 4 and 6 bits for them (`sizeof_bits` of
/// `float_e2m1_unpacksmem_t` and `float_e2m3_unpacksmem_t`), and Triton announces as many.
#[test]
fn padding_completes_no_bytes() {
    assert_eq!(copied("b4x16_p64", 64, 1024), "");
    assert_eq!(copied("b6x16_p32", 96, 1536), "");
    expect![[r#"
        error[no-progress] mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0: Deadlock: lanes 0-31 of warp 0 wait for the mbarrier `bar`
    "#]].assert_eq(&copied("b4x16_p64", 64, 2048));
}
