//! Tensor maps in global memory that the kernel writes with ordinary stores. Copies read them through the tensormap proxy.

use crate::findings_of_launch::{findings, kernel};

/// The threads of a warp copy the map of a parameter to global memory, and thread 0 copies a box with it after `fences`.
fn copied(fences: &str) -> String {
    findings(&kernel(
        "sm_90a",
        "grid = [1], block = [32], args = [{ name = 'map', tensormap = { buffer = { buffer = 'u32', len = 64, fill = 'iota' }, dims = [8, 8], \
         box = [8, 8] } }, { name = 'maps', buffer = 'u32', len = 32, fill = 'zero' }]",
        ".param .align 64 .b8 map[128], .param .u64 maps",
        &format!(
            ".shared .align 128 .b8 tile[256];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n\
             mov.u32 %r2, bar;\nmov.u32 %r3, tile;\nmov.u64 %rd1, map;\nld.param.u64 %rd2, [maps];\nmul.wide.u32 %rd3, %r1, 4;\n\
             add.u64 %rd1, %rd1, %rd3;\nadd.u64 %rd3, %rd2, %rd3;\nld.param.u32 %r5, [%rd1];\nst.global.u32 [%rd3], %r5;\nmov.u32 %r4, 0;\n\
             @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\n@%p1 fence.mbarrier_init.release.cluster;\n{fences}\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\n\
             @%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd2, {{%r4, %r4}}], [%r2];\n\
             W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra W;\nret;"
        ),
    ))
}

#[test]
fn stores_to_a_map_need_fences() {
    let release = "fence.proxy.tensormap::generic.release.gpu;";
    let acquire = "@%p1 fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;";
    assert_eq!(copied(&format!("{release}\nbar.sync 0;\n{acquire}")), "");
    assert_eq!(copied(&format!("bar.sync 0;\n{release}\n{acquire}")), "");
    let none = "bar.sync 0;".to_owned();
    let other_proxy = "fence.proxy.async;\nbar.sync 0;".to_owned();
    let early = format!("bar.sync 0;\n{acquire}\n{release}");
    for fences in [none, other_proxy, early, format!("{release}\nbar.sync 0;")] {
        let found = copied(&fences);
        assert!(
            found.starts_with("error[tensor-map]") && found.contains("without a fence of its proxy"),
            "{fences}: {found}"
        );
    }
}
