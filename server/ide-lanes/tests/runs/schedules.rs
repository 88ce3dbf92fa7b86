//! Runs under other schedules: what a difference means for a launch, how often a finding is reported, and how it is replayed.

use expect_test::{Expect, expect};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::{Exploration, Explored, Prepared, RunRequest, Unexpected};
use warplens_sim_warp::{Checks, Control, Finding, RunOptions};
use warplens_syntax::Language;

const FILE: FileId = FileId(0);

/// Each warp takes a ticket: `out` has the warps by ticket, `sum` the sum of all threads.
const TICKETS: &str = "mov.u32 %r1, %tid.x;
    red.global.add.u32 [%rd2], %r1;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra DONE;
    atom.global.add.u32 %r3, [%rd3], 1;
    mul.wide.u32 %rd4, %r3, 4;
    add.u64 %rd4, %rd1, %rd4;
    st.global.u32 [%rd4], %r1;
    DONE:";

/// A sum of floats whose order is open.
const FLOATS: &str = "mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    mul.f32 %f1, %f1, 0f3dcccccd;
    red.global.add.f32 [%rd2], %f1;";

const STORE: &str = "mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.u64 %rd4, %rd1, %rd4;
    st.global.u32 [%rd4], %r1;";

fn prepared(body: &str, sum: &str, keys: &str) -> Prepared {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n// @launch {{ block = [128], {keys} args = [\
         {{ name = \"out\", buffer = \"u32\", len = 128, fill = \"zero\" }}, \
         {{ name = \"sum\", buffer = \"{sum}\", len = 1, fill = \"zero\" }}, \
         {{ name = \"next\", buffer = \"u32\", len = 1, fill = \"zero\" }}] }}\n\
         .visible .entry k(.param .u64 out, .param .u64 sum, .param .u64 next)\n{{\n.reg .pred %p<2>;\n\
         .reg .b32 %r<4>;\n.reg .f32 %f<2>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [sum];\n\
         ld.param.u64 %rd3, [next];\n{body}\nret;\n}}\n"
    );
    prepared_text(warplens_syntax::ptx::LANGUAGE, &text)
}

pub(crate) fn prepared_text(language: Language, text: &str) -> Prepared {
    let mut host = AnalysisHost::new();
    host.open(FILE, language, text);
    let request = RunRequest::first(RunOptions { checks: Checks::ALL, ..RunOptions::default() });
    let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
    prepared.expect("not cancelled").expect("it can run")
}

/// [`TICKETS`] in machine code, without the sum.
const SASS_TICKETS: &str = r#"
// @launch { block = [128], args = [{ name = "out", buffer = "u32", len = 4 }, { name = "next", buffer = "u32", len = 1, fill = "zero" }] }
    .headerflags    @"EF_CUDA_SM80"
    .text.k:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   LOP3.LUT P0, RZ, R0, 0x1f, RZ, 0xc0, !PT ;
        /*0020*/               @P0 EXIT ;
        /*0030*/                   MOV R2, c[0x0][0x168] ;
        /*0040*/                   MOV R3, c[0x0][0x16c] ;
        /*0050*/                   MOV R5, 0x1 ;
        /*0060*/                   ATOMG.E.ADD.STRONG.GPU PT, R6, [R2.64], R5 ;
        /*0070*/                   MOV R7, 0x4 ;
        /*0080*/                   IMAD.WIDE.U32 R8, R6, R7, c[0x0][0x160] ;
        /*0090*/                   STG.E [R8.64], R0 ;
        /*00a0*/                   EXIT ;
"#;

pub(crate) fn explore(prepared: &Prepared, exploration: &Exploration) -> (Explored, Vec<Finding>) {
    let (prepared, mut result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
    let failures = Unexpected::of(&prepared.resolved, &result);
    let explored = prepared.explore(&mut result, &failures, exploration, Control::none());
    let explored = explored.expect("not cancelled");
    (explored, result.findings)
}

fn check(prepared: &Prepared, expect: Expect) {
    let (explored, findings) = explore(prepared, &Exploration::new(1, 20));
    let mut out = format!("{} schedules, independent: {}\n", explored.schedules, explored.order_independent);
    for finding in findings {
        let schedule = finding.schedule.map_or_else(String::new, |schedule| schedule.to_string());
        let line = finding.message.lines().next().unwrap_or_default();
        let related = finding.related.len();
        out += &format!(
            "{} {} {schedule}: {line} ({related} related)\n",
            finding.severity.as_str(),
            finding.kind
        );
    }
    expect.assert_eq(&out);
}

#[test]
fn without_expectations_a_difference_is_a_warning() {
    check(
        &prepared(TICKETS, "u32", ""),
        expect![[r#"
        20 schedules, independent: false
        warning order-dependent 1:0: Order-dependent result: `out`[0] is 0, but 96 under schedule 1:0 (2 related)
    "#]],
    );
}

#[test]
fn a_buffer_without_an_expectation_may_differ() {
    let sum = "expect = [{ name = \"sum\", values = [8128] }],";
    check(
        &prepared(TICKETS, "u32", sum),
        expect![[r#"
        20 schedules, independent: false
        information order-dependent 1:0: Order-dependent result: `out`[0] is 0, but 96 under schedule 1:0 (0 related)
    "#]],
    );
}

#[test]
fn an_expectation_that_only_another_schedule_breaks() {
    let out = "expect = [{ name = \"out\", values = [0, 32, 64, 96] }],";
    check(
        &prepared(TICKETS, "u32", out),
        expect![[r#"
        20 schedules, independent: false
        error expect-failed 1:0: Unexpected result: `out`[0] is 96, expected 0; 3 more elements differ (1 related)
    "#]],
    );
}

#[test]
fn sums_of_floats_differ_by_rounding() {
    check(
        &prepared(FLOATS, "f32", ""),
        expect![[r#"
        20 schedules, independent: false
        information order-dependent 1:1: Order-dependent result: `sum`[0] is 812.8, but 812.8001 under schedule 1:1 (0 related)
    "#]],
    );
    let sum = "expect = [{ name = \"sum\", values = [812.8], tolerance = 0.01 }],";
    check(
        &prepared(FLOATS, "f32", sum),
        expect![[r#"
        20 schedules, independent: false
        information order-dependent 1:1: Order-dependent result: `sum`[0] is 812.8, but 812.8001 under schedule 1:1 (0 related)
    "#]],
    );
}

#[test]
fn machine_code_has_schedules() {
    let prepared = prepared_text(warplens_syntax::sass::LANGUAGE, SASS_TICKETS);
    check(
        &prepared,
        expect![[r#"
        20 schedules, independent: false
        warning order-dependent 1:0: Order-dependent result: `out`[0] is 0, but 96 under schedule 1:0 (2 related)
    "#]],
    );
    let plain =
        SASS_TICKETS.replace("ATOMG.E.ADD.STRONG.GPU PT, R6, [R2.64], R5", "SHF.R.U32.HI R6, RZ, 0x5, R0");
    check(
        &prepared_text(warplens_syntax::sass::LANGUAGE, &plain),
        expect![[r#"
        0 schedules, independent: true
    "#]],
    );
}

#[test]
fn one_run_stands_for_all_without_synchronization() {
    check(
        &prepared(STORE, "u32", ""),
        expect![[r#"
        0 schedules, independent: true
    "#]],
    );
}

#[test]
fn a_finding_is_replayed_by_its_schedule() {
    let prepared = prepared(TICKETS, "u32", "");
    let (_, findings) = explore(&prepared, &Exploration::new(4, 20));
    let schedule = findings[0].schedule.expect("only another schedule shows it");
    for _ in 0..100 {
        let (explored, replayed) = explore(&prepared, &Exploration::replay(schedule));
        assert_eq!((explored.schedules, replayed.first()), (1, findings.first()));
    }
}

#[test]
fn the_limit_of_steps_ends_the_exploration() {
    let exploration = Exploration { max_steps: 1, ..Exploration::new(1, 20) };
    assert_eq!(explore(&prepared(TICKETS, "u32", ""), &exploration).0.schedules, 1);
}

#[test]
fn the_schedule_of_a_launch_is_run() {
    let even = prepared(TICKETS, "u32", "schedule = \"3:2\",");
    assert_eq!(even.options.schedule.map(|schedule| schedule.to_string()).as_deref(), Some("3:2"));
    assert_eq!(even.model.name(), "stack");
    // Schedules with odd numbers run under the model of current GPUs, if none is named.
    assert_eq!(prepared(TICKETS, "u32", "schedule = \"3:3\",").model.name(), "its");
    assert_eq!(prepared(TICKETS, "u32", "schedule = \"3:3\", model = \"ipdom\",").model.name(), "ipdom");
}
