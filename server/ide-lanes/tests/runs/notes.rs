//! What hovers show about tensor copies and mbarriers after a run.

use expect_test::{Expect, expect};
use warplens_sim_warp::{Checks, RunOptions};

use crate::hovers::after_run;

/// A box at the corner of a tensor of 40 x 12 elements is loaded, and stored one box further right.
const TEXT: &str = "\
.version 8.6
.target sm_90a
.address_size 64
// @launch { block = [32], args = [{ name = \"m\", tensormap = { buffer = { buffer = \"f32\", len = 480, fill = \"iota\" }, dims = [40, 12], box = [16, 8], swizzle = \"64b\" } }] }
.visible .entry k(.param .align 64 .b8 m[128])
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .shared .align 1024 .b8 tile[512];
    .shared .align 8 .b8 bar[8];
    mov.b64 %rd1, m;
    cvta.param.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra END;
    mbarrier.init.shared::cta.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {32, 8}], [bar];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
    @!%p2 bra WAIT;
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {24, -2}], [tile];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
END:
    ret;
}
";

/// The note about `subject` in the hover of the first statement with `place`.
fn check(place: &str, subject: &str, expected: &Expect) {
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let markdown = after_run(TEXT, place, "", options);
    let note = markdown.split(subject).nth(1).unwrap_or_default();
    let lines: Vec<&str> = note.lines().skip(2).take_while(|line| line.starts_with("- ")).collect();
    let title = note.lines().next().unwrap_or_default();
    expected.assert_eq(&format!("{subject}{title}\n{}", lines.join("\n")));
}

#[test]
fn a_load_of_a_box_that_is_partly_outside() {
    check(
        "cp.async.bulk.tensor.2d.shared::cluster",
        "**Tensor copy",
        &expect![[r#"
        **Tensor copy** of lane 0:
        - box: 16 x 8 from (32, 8) to (47, 15)
        - bytes: 512 to `tile[0]`, swizzle 64b, rows of 64 bytes
        - out of range: 96 of 128 elements, filled with zeros
        - tensor: 40 x 12 of `f32`, strides of 160 bytes"#]],
    );
}

#[test]
fn a_store_of_a_box_that_is_partly_outside() {
    check(
        "cp.async.bulk.tensor.2d.global",
        "**Tensor copy",
        &expect![[r#"
        **Tensor copy** of lane 0:
        - box: 16 x 8 from (24, -2) to (39, 5)
        - bytes: 512 from `tile[0]`, swizzle 64b, rows of 64 bytes
        - out of range: 32 of 128 elements, not written
        - tensor: 40 x 12 of `f32`, strides of 160 bytes"#]],
    );
}

#[test]
fn the_phases_of_an_mbarrier() {
    let phases = expect![[r#"
        **mbarrier** `bar`: 1 phase completed:
        - phase 0: needs 1 arrival (line 17), 1 arrival (line 18), 512 bytes announced (line 18), 512 bytes completed (line 19)
        - phase 1 (parity 1): 1 of 1 arrivals pending, no bytes missing
        - waits: passed (line 21)"#]];
    for place in
        ["mbarrier.init", "mbarrier.arrive", "mbarrier.try_wait", "cp.async.bulk.tensor.2d.shared::cluster"]
    {
        check(place, "**mbarrier**", &phases);
    }
}
