//! Cooperative launches: a kernel that synchronizes its grid through the workspace whose address the driver provides.

use expect_test::{Expect, expect};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::{Choice, RunRequest};
use warplens_sim_launch::launch_object;
use warplens_sim_warp::{Checks, Control, RunOptions};

const FILE: FileId = FileId(0);

/// Each block stores a number, synchronizes the grid as `cooperative_groups` does, and loads the number of the next block.
const KERNEL: &str = "\
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
{
.reg .pred %p<4>;
.reg .b32 %r<20>;
.reg .b64 %rd<20>;
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %nctaid.x;
mov.u32 %r3, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
setp.ne.u32 %p1, %r3, 0;
add.u32 %r4, %r1, 100;
@!%p1 st.global.u32 [%rd4], %r4;
mov.u32 %r5, %envreg1;
mov.u32 %r6, %envreg2;
mov.b64 %rd5, {%r6, %r5};
setp.eq.u64 %p2, %rd5, 0;
@%p2 bra INVALID;
bar.sync 0;
@%p1 bra JOIN;
sub.u32 %r7, -2147483647, %r2;
setp.eq.u32 %p2, %r1, 0;
selp.b32 %r7, %r7, 1, %p2;
fence.sc.gpu;
atom.add.release.gpu.u32 %r8, [%rd5+4], %r7;
WAIT:
ld.acquire.gpu.u32 %r9, [%rd5+4];
xor.b32 %r10, %r8, %r9;
setp.ge.s32 %p2, %r10, 0;
@%p2 bra WAIT;
fence.sc.gpu;
JOIN:
bar.sync 0;
add.u32 %r11, %r1, 1;
rem.u32 %r11, %r11, %r2;
mul.wide.u32 %rd6, %r11, 4;
add.s64 %rd6, %rd1, %rd6;
ld.global.u32 %r12, [%rd6];
add.s64 %rd7, %rd2, %rd3;
@!%p1 st.global.u32 [%rd7], %r12;
ret;
INVALID:
trap;
}
";

/// How a launch ends, its findings, and the buffer `y`.
fn check(launch: Choice, expect: Expect) {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, KERNEL);
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    let request =
        RunRequest { entry: None, launch, wave_width: None, model: None, usual_model: None, options };
    let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
    let prepared = prepared.expect("not cancelled").expect("it can run");
    let (settled, result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
    let mut out = format!("{}\n", result.status.as_str());
    for finding in &result.findings {
        out += &format!("{} {}: {}\n", finding.severity.as_str(), finding.kind, finding.message);
    }
    let y = settled.resolved.buffer("y").expect("a buffer").bytes(&result);
    let words: Vec<_> = y.chunks_exact(4).take(4).map(|word| word[0]).collect();
    expect.assert_eq(&format!("{out}y = {words:?}\n"));
}

fn given(cooperative: &str) -> Choice {
    let buffer = r#"{ "buffer": "u32", "len": 4, "fill": "zero" }"#;
    let text = format!(r#"{{ "grid": [4], "block": [64], {cooperative} "args": [{buffer}, {buffer}] }}"#);
    Choice::Given(Box::new(launch_object(&text).expect("a launch")))
}

#[test]
fn blocks_wait_for_each_other() {
    check(
        given(r#""cooperative": true,"#),
        expect![[r#"
        finished
        y = [101, 102, 103, 100]
    "#]],
    );
}

#[test]
fn another_launch_has_no_workspace() {
    check(
        given(""),
        expect![[r#"
            faulted
            error trap: Trap: executed in `k`
            check the condition that leads to it
            y = [0, 0, 0, 0]
        "#]],
    );
    check(
        given(r#""cooperative": false,"#),
        expect![[r#"
            faulted
            error trap: Trap: executed in `k`
            check the condition that leads to it
            y = [0, 0, 0, 0]
        "#]],
    );
}

#[test]
fn an_inferred_launch_is_cooperative() {
    check(
        Choice::Inferred,
        expect![[r#"
            finished
            y = [101, 100, 0, 0]
        "#]],
    );
}
