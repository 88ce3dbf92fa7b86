//! Late and eager completion of asynchronous operations: a correct program has the same memory both ways, and no findings.

use proptest::prelude::*;
use warplens_sim::ptx::{Model, launch_config, run};
use warplens_sim::{Checks, Control, RunOptions};

use crate::common::{Source, kernel};

/// A step: the chunk of 128 bytes that is copied in, the place in shared memory, the number that each thread adds, and whether the
/// copy back is waited for at once.
type Step = (u32, u32, u32, bool);

fn body(steps: &[Step]) -> String {
    let mut body = String::from(
        ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b8 bar[8];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
         setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nshl.b32 %r2, %r1, 2;\n\
         mov.u32 %r3, tile;\nadd.u32 %r3, %r3, %r2;\n",
    );
    for (index, (chunk, place, add, waits)) in steps.iter().enumerate() {
        let (from, to, place) = (chunk * 128, 2048 + index * 128, place * 128);
        body += &format!(
            "@%p1 cp.async.bulk.wait_group.read 0;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n\
             @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{place}], [%rd1+{from}], 128, [bar];\n\
             W{index}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], {};\n@!%p2 bra W{index};\n\
             ld.shared.u32 %r4, [%r3+{place}];\nadd.u32 %r4, %r4, {add};\nst.shared.u32 [%r3+{place}], %r4;\n\
             fence.proxy.async.shared::cta;\nbar.sync 0;\n\
             @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+{to}], [tile+{place}], 128;\n\
             @%p1 cp.async.bulk.commit_group;\n",
            index % 2
        );
        if *waits {
            body += "@%p1 cp.async.bulk.wait_group 0;\n";
        }
    }
    body + "@%p1 cp.async.bulk.wait_group 0;\nret;"
}

/// The buffer after a run, and the findings.
fn memory(text: &str, eager: bool) -> (Vec<u8>, Vec<String>) {
    memory_of(text, 32, eager)
}

/// The same of a block of this many threads.
fn memory_of(text: &str, block: u32, eager: bool) -> (Vec<u8>, Vec<String>) {
    let source = Source::new(text);
    let program = source.program("k");
    let mut config = launch_config([1, 1, 1], [block, 1, 1]);
    config.shared_memory = 1024;
    let words = (0..1024u32).flat_map(|index| index.wrapping_mul(2_654_435_761).to_le_bytes());
    let out = config.memory.allocate_with("out", &words.collect::<Vec<u8>>()).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, eager, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    assert_eq!(result.status.as_str(), "finished", "{:?}", result.findings);
    let findings = result.findings.iter().map(|finding| finding.message.clone()).collect();
    (result.memory.bytes(out, 4096).expect("the buffer").to_vec(), findings)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn late_and_eager_completion_agree(steps in prop::collection::vec((0u32..16, 0u32..4, 0u32..1000, any::<bool>()), 1..8)) {
        let text = kernel(&body(&steps));
        let (late, findings) = memory(&text, false);
        prop_assert!(findings.is_empty(), "{findings:?}");
        prop_assert_eq!(late, memory(&text, true).0);
    }
}

/// A product: which half of the accumulators it writes, whether it adds to them, and the groups that may stay in flight after it.
type Product = (bool, bool, u32);

fn products(list: &[Product]) -> String {
    let mut body = String::from(
        ".shared .align 1024 .b8 tile[2048];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\n\
         mov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\nand.b32 %r4, %r1, 7;\nshl.b32 %r4, %r4, 7;\nadd.u32 %r4, %r4, 0x3c003c00;\n\
         st.shared.v4.b32 [%r2], {%r4, %r4, %r4, %r4};\nfence.proxy.async.shared::cta;\nbar.sync 0;\n\
         mov.b32 %r5, 0x40003c00;\nmov.b64 %rd2, 0x0000000800080000;\n",
    );
    (0..8).for_each(|register| body += &format!("mov.b32 %f{register}, 0f3f800000;\n"));
    body += "wgmma.fence.sync.aligned;\n";
    for &(upper, adds, left) in list {
        let first = if upper { 4 } else { 0 };
        let [a, b, c, d] = [first, first + 1, first + 2, first + 3];
        body += &format!(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f{a}, %f{b}, %f{c}, %f{d}}}, {{%r5, %r5, %r5, %r5}}, %rd2, {}, 1, 1, 0;\n\
             wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned {left};\n",
            u8::from(adds)
        );
    }
    body += "wgmma.wait_group.sync.aligned 0;\nmul.wide.u32 %rd3, %r1, 32;\nadd.u64 %rd1, %rd1, %rd3;\n\
             st.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};\nst.global.v4.f32 [%rd1+16], {%f4, %f5, %f6, %f7};\nret;";
    body
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn late_and_eager_products_agree(list in prop::collection::vec((any::<bool>(), any::<bool>(), 0u32..4), 1..8)) {
        let text = kernel(&products(&list)).replace("sm_90", "sm_90a");
        let (late, eager) = (memory_of(&text, 128, false), memory_of(&text, 128, true));
        prop_assert_eq!(&late, &eager);
        prop_assert!(late.1.is_empty(), "{:?}", late.1);
    }
}
