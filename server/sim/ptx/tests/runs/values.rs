//! Traces of a warp: the register values of each statement after its last visit, or after its last visit before a moment,
//! and all steps of the warp.

use crate::common::Source;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, Program, run};
use warplens_sim_warp::{Control, RunOptions, StatementId, TraceRequest, TracedRegister, Values, WarpId};

/// Four iterations. In each, the lanes below 8 take another path, and a function doubles the value.
const LOOP: &str = "\
.version 8.5
.target sm_90
.address_size 64
.func (.reg .u32 r) twice (.reg .u32 x)
{
    add.u32 r, x, x;
    ret;
}
.visible .entry k()
{
    .reg .pred %p<3>; .reg .u32 %r<6>;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 8;
    mov.u32 %r2, 0;
TRIP:
    add.u32 %r2, %r2, 1;
    @%p1 mad.lo.u32 %r3, %r1, 4, %r2;
    @%p1 bra JOIN;
    mov.u32 %r4, %r2;
JOIN:
    call (%r5), twice, (%r2);
    setp.lt.u32 %p2, %r2, 4;
    @%p2 bra TRIP;
    ret;
}
";

fn look(program: &Program, look: TraceRequest) -> Values {
    let options = RunOptions { trace: Some(look), ..RunOptions::default() };
    let config = launch_config([2, 1, 1], [64, 1, 1]);
    let result = run(program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    result.values.expect("there is such a warp")
}

fn warp(block: u32, warp: u32) -> WarpId {
    WarpId { cta: [block, 0, 0], warp }
}

/// The values in lanes 0, 7, 8 and 31.
fn show(held: &TracedRegister) -> String {
    let lane = |lane: u32| held.value(lane).map_or("-".to_owned(), |value| value.to_string());
    let mark = if held.written { "=" } else { ":" };
    format!("{} {mark} {}", held.name, [0, 7, 8, 31].map(lane).join(" "))
}

fn check(at: TraceRequest, expected: Expect) {
    let source = Source::new(LOOP);
    let program = source.program("k");
    let mut out = String::new();
    for seen in look(&program, at).visits {
        let registers: Vec<_> = seen.registers.iter().map(show).collect();
        let line = LOOP.lines().nth(source.line(&program, seen.statement)).unwrap_or_default().trim();
        let shown = format!(
            "{line:32} #{} {:08x} {:08x}  {}",
            seen.visit,
            seen.active,
            seen.executed,
            registers.join(", ")
        );
        out += &format!("{}\n", shown.trim_end());
    }
    expected.assert_eq(&out);
}

#[test]
fn the_last_visit_of_each_statement() {
    check(
        TraceRequest::at(warp(1, 1)),
        expect![[r#"
        mov.u32 %r1, %laneid;            #1 ffffffff ffffffff  %r1 = 0 7 8 31
        setp.lt.u32 %p1, %r1, 8;         #1 ffffffff ffffffff  %p1 = 1 1 0 0, %r1 : 0 7 8 31
        mov.u32 %r2, 0;                  #1 ffffffff ffffffff  %r2 = 0 0 0 0
        add.u32 %r2, %r2, 1;             #4 ffffffff ffffffff  %r2 = 4 4 4 4
        @%p1 mad.lo.u32 %r3, %r1, 4, %r2; #4 ffffffff 000000ff  %p1 : 1 1 0 0, %r3 = 4 32 - -, %r1 : 0 7 8 31, %r2 : 4 4 4 4
        @%p1 bra JOIN;                   #4 ffffffff 000000ff  %p1 : 1 1 0 0
        mov.u32 %r4, %r2;                #4 ffffff00 ffffff00  %r4 = - - 4 4, %r2 : 4 4 4 4
        call (%r5), twice, (%r2);        #4 ffffffff ffffffff  %r5 = 8 8 8 8, %r2 : 4 4 4 4
        setp.lt.u32 %p2, %r2, 4;         #4 ffffffff ffffffff  %p2 = 0 0 0 0, %r2 : 4 4 4 4
        @%p2 bra TRIP;                   #4 ffffffff 00000000  %p2 : 0 0 0 0
        ret;                             #1 ffffffff ffffffff
        add.u32 r, x, x;                 #4 ffffffff ffffffff  r = 8 8 8 8, x : 4 4 4 4
        ret;                             #4 ffffffff ffffffff
    "#]],
    );
}

/// The lines of the steps, with the names of the registers that each step wrote.
fn steps(at: TraceRequest) -> (Vec<String>, bool) {
    let source = Source::new(LOOP);
    let program = source.program("k");
    let values = look(&program, TraceRequest { steps: true, ..at });
    let step = |seen: warplens_sim_warp::TracedVisit| {
        let line = LOOP.lines().nth(source.line(&program, seen.statement)).unwrap_or_default().trim();
        let registers: Vec<_> = seen.registers.iter().map(show).collect();
        format!("{line:32} #{} {:08x}  {}", seen.visit, seen.executed, registers.join(", "))
            .trim_end()
            .to_owned()
    };
    (values.steps.into_iter().map(step).collect(), values.truncated)
}

#[test]
fn each_step_in_order_of_execution() {
    let (steps, truncated) = steps(TraceRequest::at(warp(1, 1)));
    expect![[r#"
        mov.u32 %r1, %laneid;            #1 ffffffff  %r1 = 0 7 8 31
        setp.lt.u32 %p1, %r1, 8;         #1 ffffffff  %p1 = 1 1 0 0
        mov.u32 %r2, 0;                  #1 ffffffff  %r2 = 0 0 0 0
        add.u32 %r2, %r2, 1;             #1 ffffffff  %r2 = 1 1 1 1
        @%p1 mad.lo.u32 %r3, %r1, 4, %r2; #1 000000ff  %r3 = 1 29 - -
        @%p1 bra JOIN;                   #1 000000ff
        mov.u32 %r4, %r2;                #1 ffffff00  %r4 = - - 1 1
        call (%r5), twice, (%r2);        #1 ffffffff  %r5 = 2 2 2 2
        add.u32 r, x, x;                 #1 ffffffff  r = 2 2 2 2
        ret;                             #1 ffffffff
        setp.lt.u32 %p2, %r2, 4;         #1 ffffffff  %p2 = 1 1 1 1
        @%p2 bra TRIP;                   #1 ffffffff"#]]
    .assert_eq(&steps[..12].join("\n"));
    assert_eq!((steps.len(), truncated), (40, false));
}

#[test]
fn steps_end_at_the_limit() {
    let (all, _) = steps(TraceRequest::at(warp(1, 1)));
    let (kept, truncated) = steps(TraceRequest { max_bytes: 8 << 10, ..TraceRequest::at(warp(1, 1)) });
    assert!(truncated && !kept.is_empty() && kept.len() < all.len(), "{} of {}", kept.len(), all.len());
    assert_eq!(kept, all[..kept.len()]);
}

#[test]
fn a_visit_fixes_a_moment_for_all_statements() {
    let program = Source::new(LOOP).program("k");
    let trip = program.functions[0].first_statement + 3;
    check(
        TraceRequest { until: Some((StatementId(trip), 2)), ..TraceRequest::at(warp(0, 0)) },
        expect![[r#"
        mov.u32 %r1, %laneid;            #1 ffffffff ffffffff  %r1 = 0 7 8 31
        setp.lt.u32 %p1, %r1, 8;         #1 ffffffff ffffffff  %p1 = 1 1 0 0, %r1 : 0 7 8 31
        mov.u32 %r2, 0;                  #1 ffffffff ffffffff  %r2 = 0 0 0 0
        add.u32 %r2, %r2, 1;             #2 ffffffff ffffffff  %r2 = 2 2 2 2
        @%p1 mad.lo.u32 %r3, %r1, 4, %r2; #2 ffffffff 000000ff  %p1 : 1 1 0 0, %r3 = 2 30 - -, %r1 : 0 7 8 31, %r2 : 2 2 2 2
        @%p1 bra JOIN;                   #2 ffffffff 000000ff  %p1 : 1 1 0 0
        mov.u32 %r4, %r2;                #2 ffffff00 ffffff00  %r4 = - - 2 2, %r2 : 2 2 2 2
        call (%r5), twice, (%r2);        #2 ffffffff ffffffff  %r5 = 4 4 4 4, %r2 : 2 2 2 2
        setp.lt.u32 %p2, %r2, 4;         #2 ffffffff ffffffff  %p2 = 1 1 1 1, %r2 : 2 2 2 2
        @%p2 bra TRIP;                   #2 ffffffff ffffffff  %p2 : 1 1 1 1
        add.u32 r, x, x;                 #2 ffffffff ffffffff  r = 4 4 4 4, x : 2 2 2 2
        ret;                             #2 ffffffff ffffffff
    "#]],
    );
}

#[test]
fn values_beyond_the_limit_are_omitted_and_reported() {
    let program = Source::new(LOOP).program("k");
    let values = look(&program, TraceRequest { max_bytes: 700, ..TraceRequest::at(warp(0, 0)) });
    assert!(values.truncated);
    let kept = values.visits.iter().filter(|seen| !seen.registers.is_empty()).count();
    assert!((1..values.visits.len()).contains(&kept), "{kept} of {}", values.visits.len());
}

proptest! {
    /// Tracing does not change a run: visits and masks equal those of an untraced run.
    #[test]
    fn the_trace_equals_the_run(block in 0..2u32, number in 0..2u32, at in 0..9u32, visit in 1..6u64) {
        let program = Source::new(LOOP).program("k");
        let options = RunOptions::default();
        let config = launch_config([2, 1, 1], [64, 1, 1]);
        let plain = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
        let trace = plain.warp([block, 0, 0], number).expect("it is listed");
        let seen = look(&program, TraceRequest { until: Some((StatementId(at), visit)), ..TraceRequest::at(warp(block, number)) });
        for seen in &seen.visits {
            let line = trace.line(seen.statement).expect("it ran");
            prop_assert!(seen.visit <= line.count);
            let mut left = seen.visit;
            let kept = line.visits.iter().find(|kept| { let it = left <= kept.repeat; left = left.saturating_sub(kept.repeat); it });
            prop_assert_eq!(kept.map(|kept| (kept.active, kept.executed)), Some((seen.active, seen.executed)));
        }
        if let Some(moment) = seen.of(StatementId(at)) {
            prop_assert_eq!(moment.visit, visit.min(trace.line(StatementId(at)).map_or(0, |line| line.count)));
        }
    }
}

#[test]
fn the_result_of_a_barrier_is_known_at_its_statement() {
    let text = "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .pred %p<2>; .reg .u32 %r<3>;
    mov.u32 %r1, %laneid;
    setp.lt.u32 %p1, %r1, 8;
    bar.red.popc.u32 %r2, 0, %p1;
    ret;
}
";
    let source = Source::new(text);
    let values = look(&source.program("k"), TraceRequest::at(warp(1, 0)));
    let barrier = values.visits.iter().find_map(|seen| seen.register("%r2")).expect("it is named");
    assert_eq!(show(barrier), "%r2 = 16 16 16 16");
}
