//! A pipeline as CUTLASS builds it: a producer copies tiles, four warps multiply them together, and one of their threads releases
//! the slot for the whole warpgroup.

use warplens_sim_warp::Status;

use crate::common::watched::watched;

/// The findings of four rounds through one slot. `release` comes before the arrival at `empty`, which has the guard `%p3`; `%r0` is
/// the thread.
fn findings(release: &str) -> Vec<String> {
    findings_after("mbarrier.try_wait.parity", release)
}

/// The same, with the consumers' wait for a tile.
fn findings_after(wait: &str, release: &str) -> Vec<String> {
    let text = format!(
        ".version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{{
.reg .pred %p<8>;
.reg .b32 %r<48>;
.reg .f32 %f<32>;
.reg .b64 %rd<24>;
.shared .align 1024 .b8 sa[2048];
.shared .align 1024 .b8 sb[256];
.shared .align 8 .b8 full[8];
.shared .align 8 .b8 empty[8];
mov.u32 %r0, %tid.x;
ld.param.u64 %rd1, [out];
setp.ne.u32 %p1, %r0, 0;
@%p1 bra INITED;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.init.shared::cta.b64 [empty], 1;
fence.mbarrier_init.release.cluster;
INITED:
bar.sync 0;
mov.u32 %r20, 0;
setp.lt.u32 %p1, %r0, 128;
@%p1 bra CONSUMER;
setp.ne.u32 %p1, %r0, 128;
@%p1 bra DONE;
PRODUCE:
and.b32 %r21, %r20, 1;
xor.b32 %r22, %r21, 1;
PW:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [empty], %r22;
@!%p7 bra PW;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 2304;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sa], [%rd1], 2048, [full];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sb], [%rd1], 256, [full];
add.u32 %r20, %r20, 1;
setp.lt.u32 %p2, %r20, 4;
@%p2 bra PRODUCE;
bra DONE;
CONSUMER:
mov.u32 %r1, sa;
shr.u32 %r1, %r1, 4;
cvt.u64.u32 %rd10, %r1;
or.b64 %rd10, %rd10, 0x800400000;
mov.u32 %r2, sb;
shr.u32 %r2, %r2, 4;
cvt.u64.u32 %rd11, %r2;
or.b64 %rd11, %rd11, 0x800080000;
mov.f32 %f0, 0f00000000;
mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f00000000;
mov.f32 %f3, 0f00000000;
CONSUME:
and.b32 %r21, %r20, 1;
CW:
{wait}.shared::cta.b64 %p7, [full], %r21;
@!%p7 bra CW;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %rd10, %rd11, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
{release}
@%p3 mbarrier.arrive.shared::cta.b64 _, [empty];
add.u32 %r20, %r20, 1;
setp.lt.u32 %p2, %r20, 4;
@%p2 bra CONSUME;
DONE:
ret;
}}
"
    );
    let (_, _, result) = watched(&text, 1, 256);
    assert_eq!(result.status, Status::Finished);
    result.findings.iter().map(|finding| finding.kind.to_string()).collect()
}

/// A product is complete only if all four warps have started it, so any thread that has waited for it may release the slot.
#[test]
fn one_thread_releases_the_slot_for_its_warpgroup() {
    for thread in [0, 37, 127] {
        let release = format!("wgmma.wait_group.sync.aligned 0;\nsetp.eq.u32 %p3, %r0, {thread};");
        assert_eq!(findings(&release), [""; 0], "thread {thread}");
    }
}

#[test]
fn the_slot_is_released_before_the_product_is_complete() {
    let found = findings("setp.eq.u32 %p3, %r0, 0;");
    assert!(found.iter().any(|kind| kind == "mbarrier-phase" || kind == "async-source"), "{found:?}");
}

/// A relaxed wait does not make the copied tile visible to the product, although the warps are aligned for it.
#[test]
fn a_product_of_a_tile_after_a_relaxed_wait() {
    let release = "wgmma.wait_group.sync.aligned 0;\nsetp.eq.u32 %p3, %r0, 0;";
    let [relaxed, acquire] =
        ["relaxed", "acquire"].map(|order| format!("mbarrier.try_wait.parity.{order}.cta"));
    assert_eq!(findings_after(&acquire, release), [""; 0]);
    assert!(findings_after(&relaxed, release).iter().any(|kind| kind == "data-race"));
}
