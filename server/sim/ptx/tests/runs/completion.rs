//! Late and eager completion of asynchronous operations: a correct program leaves the same memory either way, without
//! findings.

use proptest::prelude::*;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, RunOptions};

use crate::common::{Source, kernel};

/// Number of words in the buffer.
const WORDS: u32 = 4096;

/// A step: the chunk of 128 bytes that is copied in, its position in shared memory, the number that each thread adds, and
/// whether the threads wait at once for the copy back.
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

/// The buffer after a run, and the run's findings.
fn memory(text: &str, eager: bool) -> (Vec<u8>, Vec<String>) {
    memory_of(text, 32, eager)
}

/// Like [`memory`], for a block of this many threads.
fn memory_of(text: &str, block: u32, eager: bool) -> (Vec<u8>, Vec<String>) {
    let source = Source::new(text);
    let program = source.program("k");
    let mut config = launch_config([1, 1, 1], [block, 1, 1]);
    config.shared_memory = 1024;
    let words = (0..WORDS).flat_map(|index| index.wrapping_mul(2_654_435_761).to_le_bytes());
    let out = config.memory.allocate_with("out", &words.collect::<Vec<u8>>()).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let options = RunOptions { checks: Checks::ALL, eager, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    assert_eq!(result.status.as_str(), "finished", "{:?}", result.findings);
    let findings = result.findings.iter().map(|finding| finding.message.clone()).collect();
    (result.memory.bytes(out, u64::from(4 * WORDS)).expect("the buffer").to_vec(), findings)
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

/// A product: which half of the accumulators it writes, whether it adds to them, and how many groups may stay in flight
/// afterwards.
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

/// PTX ISA, `wgmma.fence`: accumulators of products of the same shape need none.
#[test]
fn products_of_two_shapes_need_a_fence_between_them() {
    let (products, one) = (products(&[]), products(&[(false, true, 1)]));
    let start = one.find("wgmma.mma").expect("a product");
    let first = &one[start..one.find("wgmma.wait_group").expect("a wait")];
    let wider = first.replace("n8", "n16").replace("%f3}", "%f3, %f4, %f5, %f6, %f7}");
    let found = |second: &str| {
        let body = format!("{}{first}{second}{}", &products[..start], &products[start..]);
        let findings = memory_of(&kernel(&body).replace("sm_90", "sm_90a"), 128, false).1;
        findings.into_iter().filter(|finding| finding.contains("wgmma.fence")).collect::<Vec<_>>()
    };
    assert_eq!(found(first), [""; 0]);
    assert_eq!(found(&format!("wgmma.fence.sync.aligned;\n{wider}")), [""; 0]);
    let waited = format!("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n{wider}");
    assert_eq!(found(&waited), [""; 0]);
    let expected = "Missing `wgmma.fence`: a product has the accumulators of one with another shape";
    assert!(found(&wider).iter().any(|found| found.starts_with(expected)), "{:?}", found(&wider));
}

/// A step on one half of the columns (0 or 1) of tensor memory.
#[derive(Clone, Debug)]
enum CellStep {
    /// Writes or adds a product.
    Product(u32, bool),
    /// Copies from shared memory.
    Copy(u32),
    /// Waits for the earlier operations.
    Wait,
    /// Waits, then each thread adds one to its cells.
    Update(u32),
}

fn step() -> impl Strategy<Value = CellStep> {
    let half = 0u32..2;
    prop_oneof![
        3 => (half.clone(), any::<bool>()).prop_map(|(half, adds)| CellStep::Product(half, adds)),
        1 => half.clone().prop_map(CellStep::Copy),
        1 => Just(CellStep::Wait),
        1 => half.prop_map(CellStep::Update),
    ]
}

/// Makes all threads wait for the operations on tensor memory and for each other, so that no thread misses a phase. `count`
/// is the number of earlier waits.
fn wait(count: &mut u32) -> String {
    *count += 1;
    format!(
        "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r8];\n\
         W{count}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], {};\n@!%p2 bra W{count};\n\
         {SYNCHRONIZE}",
        (*count - 1) % 2
    )
}

const SYNCHRONIZE: &str =
    "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n";

/// The `%f` registers of a half.
fn cells(half: u32) -> String {
    let names: Vec<String> = (0..16).map(|cell| format!("%f{}", 16 * half + cell)).collect();
    names.join(", ")
}

fn tensor_memory(steps: &[CellStep]) -> String {
    let mut body = format!(
        ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b8 done[8];\n.shared .align 4 .b8 slot[4];\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r8, done;\nsetp.eq.u32 %p1, %r1, 0;\n\
         @%p1 mbarrier.init.shared::cta.b64 [%r8], 1;\nsetp.ge.u32 %p3, %r1, 32;\n@%p3 bra ALLOCATED;\n\
         mov.u32 %r2, slot;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;\n\
         tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nALLOCATED:\n\
         mov.u32 %r3, tile;\nshl.b32 %r2, %r1, 5;\nadd.u32 %r2, %r2, %r3;\nand.b32 %r4, %r1, 7;\nshl.b32 %r4, %r4, 7;\n\
         add.u32 %r4, %r4, 0x3c003c00;\nst.shared.v4.b32 [%r2], {{%r4, %r4, %r4, %r4}};\n\
         st.shared.v4.b32 [%r2+16], {{%r4, 0x3c003e00, %r4, 0x40003c00}};\nfence.proxy.async.shared::cta;\n{SYNCHRONIZE}\
         ld.shared.u32 %r5, [slot];\nadd.u32 %r6, %r5, 16;\nshr.u32 %r7, %r1, 5;\nshl.b32 %r7, %r7, 21;\n\
         add.u32 %r9, %r5, %r7;\nadd.u32 %r10, %r6, %r7;\nshr.u32 %r3, %r3, 4;\ncvt.u64.u32 %rd2, %r3;\n\
         or.b64 %rd2, %rd2, 0x0000401000080000;\nmov.b32 %r11, 0x08040010;\n"
    );
    (0..32).for_each(|register| body += &format!("mov.b32 %f{register}, 0f3f800000;\n"));
    let thread = ["%r9", "%r10"];
    let store = |half: u32| {
        let address = thread[half as usize];
        format!(
            "tcgen05.st.sync.aligned.32x32b.x16.b32 [{address}], {{{}}};\ntcgen05.wait::st.sync.aligned;\n{SYNCHRONIZE}",
            cells(half)
        )
    };
    let load = |half: u32| {
        let address = thread[half as usize];
        format!(
            "tcgen05.ld.sync.aligned.32x32b.x16.b32 {{{}}}, [{address}];\ntcgen05.wait::ld.sync.aligned;\n",
            cells(half)
        )
    };
    body += &(store(0) + &store(1));
    let mut waits = 0;
    for step in steps {
        let start = |half: u32| ["%r5", "%r6"][half as usize];
        body += &match *step {
            CellStep::Product(half, adds) => format!(
                "setp.ne.u32 %p4, {}, 0;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [{}], %rd2, %rd2, %r11, %p4;\n",
                u8::from(adds),
                start(half)
            ),
            CellStep::Copy(half) => {
                format!("@%p1 tcgen05.cp.cta_group::1.128x256b [{}], %rd2;\n", start(half))
            }
            CellStep::Wait => wait(&mut waits),
            CellStep::Update(half) => {
                let add = |cell| format!("add.f32 %f{cell}, %f{cell}, 0f3f800000;\n");
                let adds: String = (16 * half..16 * half + 16).map(add).collect();
                wait(&mut waits) + &load(half) + &adds + &store(half)
            }
        };
    }
    body += &(wait(&mut waits) + &load(0) + &load(1));
    body += "mul.wide.u32 %rd3, %r1, 128;\nadd.u64 %rd1, %rd1, %rd3;\n";
    (0..32).for_each(|cell| body += &format!("st.global.f32 [%rd1+{}], %f{cell};\n", 4 * cell));
    body + SYNCHRONIZE
        + "@%p3 bra FREED;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 32;\nFREED: ret;"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn late_and_eager_operations_on_tensor_memory_agree(steps in prop::collection::vec(step(), 1..10)) {
        let text = kernel(&tensor_memory(&steps)).replace(".version 8.5\n.target sm_90", ".version 8.7\n.target sm_100a");
        let (late, eager) = (memory_of(&text, 128, false), memory_of(&text, 128, true));
        prop_assert_eq!(&late, &eager);
        prop_assert!(late.1.is_empty(), "{:?}", late.1);
    }
}
