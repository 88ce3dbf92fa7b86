//! Instructions that all lanes of a warp must execute together.

use expect_test::{Expect, expect};
use warplens_sim_warp::finding_kind::FindingKind;

use crate::common::kernel;
use crate::common::watched::{findings, watched};

const MMA: &str =
    "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r8, %r9}, {%r5, %r6}, {%r7}, {%r5, %r6};";

fn body(guard: &str, instruction: &str) -> String {
    format!(
        "
            mov.b32 %r5, 0;
            mov.b32 %r6, 0;
            mov.b32 %r7, 0;
            and.b32 %r10, %r1, 1;
            setp.eq.u32 %p1, %r10, 1;
            {guard} {instruction}
            ret;
        "
    )
}

fn check(block: u32, body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 1, block, body));
}

#[test]
fn a_product_by_half_of_the_lanes() {
    check(
        32,
        &body("@%p1", MMA),
        expect![[r#"
        warning absent-members warp 0 lanes 55555555: @%p1 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r8, %r9}, {%r5, %r6}, {%r7}, {%r5, %r6};
          Missing lanes: only odd lanes execute `mma.sync`
          even lanes predicated off: behavior is undefined; all lanes of a warp must execute it together: move it out of divergent code
    "#]],
    );
    check(32, &body("", MMA), expect![[r#""#]]);
}

#[test]
fn accesses_to_matrices_by_half_of_the_lanes() {
    for (instruction, name) in [
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r4];", "ldmatrix.sync"),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r5};", "stmatrix.sync"),
        ("movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r5;", "movmatrix.sync"),
    ] {
        let found = findings("sm_90", 1, 32, &body("@%p1", instruction));
        assert!(
            found.contains(&format!("warning absent-members warp 0 lanes 55555555: @%p1 {name}")),
            "{found}"
        );
        assert!(found.contains(&format!("only odd lanes execute `{name}`")), "{found}");
    }
}

#[test]
fn instructions_of_a_warpgroup_by_half_of_the_lanes() {
    for (instruction, kind) in [
        ("wgmma.fence.sync.aligned;", FindingKind::Warpgroup),
        ("wgmma.commit_group.sync.aligned;", FindingKind::Warpgroup),
        ("wgmma.wait_group.sync.aligned 0;", FindingKind::Warpgroup),
        ("setmaxnreg.dec.sync.aligned.u32 24;", FindingKind::RegisterPool),
    ] {
        let text = kernel(&format!("mov.u32 %r1, %tid.x;\n{}", body("@%p1", instruction)));
        let (_, _, result) = watched(&text.replace("sm_90", "sm_90a"), 1, 128);
        let [finding, ..] = &result.findings[..] else { panic!("{instruction} has no finding") };
        assert_eq!(finding.kind, kind);
        assert!(finding.message.contains("is executed by a part of a warp"), "{}", finding.message);
    }
}

/// PTX ISA, `mma`: behavior is undefined if any thread in the warp has exited.
#[test]
fn matrices_in_a_warp_with_exited_lanes() {
    for (instruction, name) in [
        (MMA, "mma.sync"),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r4];", "ldmatrix.sync"),
        ("movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r5;", "movmatrix.sync"),
    ] {
        for (block, before) in [(32, "@%p1 exit;"), (32, "@%p1 bra END;"), (16, "")] {
            let text = body(before, instruction).replace("ret;", "END:\nret;");
            let found = findings("sm_90", 1, block, &text);
            assert!(found.contains("warning absent-members") && found.contains(name), "{before} {found}");
        }
        assert_eq!(findings("sm_90", 1, 64, &body("", instruction)), "");
    }
}
