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
