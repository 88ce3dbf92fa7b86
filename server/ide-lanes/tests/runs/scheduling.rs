//! A wait among the lanes of a warp, in a run that names no model: it is shown under the model of the target's GPUs.

use expect_test::{Expect, expect};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::{Model, RunRequest};
use warplens_sim_warp::{Control, RunOptions};

const FILE: FileId = FileId(0);

/// A lock that each lane takes; `release` releases it.
fn lock(target: &str, launch: &str, release: &str) -> String {
    format!(
        ".version 8.0\n.target {target}\n.address_size 64\n\
         // @launch {{ {launch} block = [32], args = [{{ buffer = \"u32\", len = 1, fill = \"zero\" }}] }}\n\
         .visible .entry k(.param .u64 x)\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n\
         ld.param.u64 %rd1, [x];\nNEXT:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n\
         @%p1 bra NEXT;\n{release}\nret;\n}}\n"
    )
}

const RELEASE: &str = "atom.global.exch.b32 %r2, [%rd1], 0;";

fn model(name: &str) -> Option<Model> {
    warplens_ide::model(warplens_syntax::ptx::LANGUAGE, name).ok()
}

/// The model of the run that is shown, how it ends, and its findings.
fn check(text: &str, model: Option<Model>, usual_model: Option<Model>, expect: Expect) {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, text);
    let request = RunRequest { model, usual_model, ..RunRequest::first(RunOptions::default()) };
    let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
    let prepared = prepared.expect("not cancelled").expect("it can run");
    let (settled, result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
    let mut out = format!("{} {}\n", settled.model.name(), result.status.as_str());
    for finding in &result.findings {
        let at = finding.statement.map_or("", |at| &text[settled.statements[at.index()].range]);
        out += &format!("{} {} `{at}`\n{}\n", finding.severity.as_str(), finding.kind, finding.message);
    }
    expect.assert_eq(&out);
}

#[test]
fn a_lock_of_every_lane_runs_under_its() {
    check(
        &lock("sm_70", "", RELEASE),
        None,
        None,
        expect![[r#"
            its finished
            information independent-scheduling `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Independent thread scheduling: lanes wait for other lanes of their warp
            a deadlock under `stack`, which ends under `its` (sm_70 or later); this run is under `its`
        "#]],
    );
    // The setting's default does not name a model.
    check(
        &lock("sm_90", "", RELEASE),
        None,
        model("stack"),
        expect![[r#"
            its finished
            information independent-scheduling `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Independent thread scheduling: lanes wait for other lanes of their warp
            a deadlock under `stack`, which ends under `its` (sm_70 or later); this run is under `its`
        "#]],
    );
}

#[test]
fn lanes_that_meet_at_different_instructions_run_under_its() {
    let text = |target: &str, instruction: &str| {
        format!(
            ".version 8.6\n.target {target}\n.address_size 64\n\
             // @launch {{ block = [32], args = [{{ buffer = \"u32\", len = 32 }}] }}\n\
             .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n\
             .shared .align 4 .b32 tile[32];\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd1, %rd1, %rd2;\n\
             shl.b32 %r1, %r0, 2;\nmov.u32 %r2, tile;\nadd.u32 %r2, %r2, %r1;\nsetp.lt.u32 %p, %r0, 16;\n\
             @%p bra WRITER;\nbar.warp.sync -1;\nld.shared.u32 %r3, [%r2-64];\nst.global.u32 [%rd1], %r3;\nbra END;\n\
             WRITER:\nst.shared.u32 [%r2], %r0;\n{instruction}\nEND:\nret;\n}}\n"
        )
    };
    check(
        &text("sm_80", "bar.warp.sync -1;"),
        None,
        None,
        expect![[r#"
        its finished
        information independent-scheduling `bar.warp.sync -1;`
        Independent thread scheduling: lanes wait for other lanes of their warp
        the lanes do not meet under `stack`, and do under `its` (sm_70 or later); this run is under `its`
    "#]],
    );
    check(
        &text("sm_80", ""),
        None,
        None,
        expect![[r#"
            stack finished
            error absent-members `bar.warp.sync -1;`
            Missing lanes: only lanes 16-31 execute `bar.warp.sync` with mask 0xffffffff
            lanes 0-15 diverged: they wait to reconverge while the others wait for them here, a deadlock on a GPU; make all lanes of the mask execute it, or remove the others from the mask
        "#]],
    );
    check(
        &text("sm_60", "bar.warp.sync -1;"),
        None,
        None,
        expect![[r#"
        stack finished
        warning absent-members `bar.warp.sync -1;`
        Missing lanes: only lanes 16-31 execute `bar.warp.sync` with mask 0xffffffff
        lanes 0-15 diverged: behavior is undefined; make all lanes of the mask execute it, or remove the others from the mask
    "#]],
    );
}

#[test]
fn a_target_that_runs_lanes_in_lockstep_deadlocks() {
    check(
        &lock("sm_60", "", RELEASE),
        None,
        None,
        expect![[r#"
            stack no-progress
            error no-progress `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Deadlock: lanes 1-31 of warp 0 poll `x` (value 1), which does not change
            the other lanes of the warp wait to reconverge with them, and no other live thread can change it
        "#]],
    );
}

#[test]
fn a_model_that_is_named_is_kept() {
    check(
        &lock("sm_90", "", RELEASE),
        model("stack"),
        None,
        expect![[r#"
            stack no-progress
            error no-progress `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Deadlock: lanes 1-31 of warp 0 poll `x` (value 1), which does not change
            the other lanes of the warp wait to reconverge with them, and no other live thread can change it
        "#]],
    );
    check(
        &lock("sm_90", "model = \"stack\",", RELEASE),
        None,
        None,
        expect![[r#"
            stack no-progress
            error no-progress `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Deadlock: lanes 1-31 of warp 0 poll `x` (value 1), which does not change
            the other lanes of the warp wait to reconverge with them, and no other live thread can change it
        "#]],
    );
    check(
        &lock("sm_90", "", RELEASE),
        None,
        model("frontier"),
        expect![[r#"
            frontier no-progress
            error no-progress `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Deadlock: lanes 1-31 of warp 0 poll `x` (value 1), which does not change
            the other lanes of the warp wait to reconverge with them, and no other live thread can change it
        "#]],
    );
    check(
        &lock("sm_90", "", RELEASE),
        None,
        model("its"),
        expect![[r#"
        its finished
    "#]],
    );
}

#[test]
fn a_deadlock_under_each_model_is_an_error() {
    check(
        &lock("sm_90", "", "add.u32 %r2, %r2, 1;"),
        None,
        None,
        expect![[r#"
            stack no-progress
            error no-progress `atom.global.cas.b32 %r2, [%rd1], 0, 1;`
            Deadlock: lanes 1-31 of warp 0 poll `x` (value 1), which does not change
            the other lanes of the warp wait to reconverge with them, and no other live thread can change it
        "#]],
    );
}
