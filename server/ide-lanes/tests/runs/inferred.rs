//! Inferred launches: they are repaired until the kernel has no findings, and findings that depend on them are information.

use expect_test::{Expect, expect};
use warplens_ide::{AnalysisHost, FileId};
use warplens_ide_lanes::{Choice, RunRequest};
use warplens_sim_launch::launch_object;
use warplens_sim_warp::{Checks, Control, Limits, RunOptions};

const FILE: FileId = FileId(0);

/// A kernel with the parameters `x` (an address) and `n` (`u32`), the thread in `%r1` and `x` in `%rd1`.
fn kernel(directives: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u32 n) {directives}\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n\
         mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [x];\n{body}\nret;\n}}\n"
    )
}

/// The launch that is settled on, how it ends, and its findings: the severity, the code, the statement and the last line of the
/// message.
fn settled(text: &str) -> String {
    settled_under(text, Choice::First)
}

fn settled_under(text: &str, launch: Choice) -> String {
    let mut host = AnalysisHost::new();
    host.open(FILE, warplens_syntax::ptx::LANGUAGE, text);
    let options = RunOptions {
        checks: Checks::ALL,
        limits: Limits { max_steps: 500_000, ..Limits::default() },
        ..RunOptions::default()
    };
    let request = RunRequest { launch, ..RunRequest::first(options) };
    let prepared = host.snapshot().prepare_run(FILE, &request, None, &|_| Err("no files".into()));
    let prepared = prepared.expect("not cancelled").expect("it can run");
    let (settled, result) = prepared.run_adjusted(Control::none()).expect("not cancelled");
    let launch = &settled.resolved.launch;
    let mut out =
        format!("{:?} {:?} {}\n", launch.block.unwrap_or_default(), launch.assumed, result.status.as_str());
    for finding in &result.findings {
        let at = finding.statement.map_or("", |at| &text[settled.statements[at.index()].range]);
        let is_about_launch = |line: &&str| line.starts_with("with") || line.starts_with("in another launch");
        let last = finding.message.lines().last().filter(is_about_launch).unwrap_or_default();
        let line = format!("{} {} `{at}` {last}", finding.severity.as_str(), finding.kind);
        out += line.trim_end();
        out.push('\n');
    }
    out
}

fn check(directives: &str, body: &str, expect: Expect) {
    expect.assert_eq(&settled(&kernel(directives, body)));
}

/// The sum of 256 shared numbers: each thread stores one and adds another 128 further.
const SUM: &str = "\
.shared .f32 part[256];
mul.wide.u32 %rd2, %r1, 4;
mov.u64 %rd3, part;
add.u64 %rd3, %rd3, %rd2;
mov.f32 %f1, 0f3F800000;
st.shared.f32 [%rd3], %f1;
bar.sync 0;
setp.ge.u32 %p1, %r1, 128;
@%p1 bra DONE;
ld.shared.f32 %f2, [%rd3+512];
add.f32 %f2, %f2, %f1;
add.u64 %rd4, %rd1, %rd2;
st.global.f32 [%rd4], %f2;
DONE:";

#[test]
fn the_smallest_block_without_findings() {
    check(
        "",
        SUM,
        expect![[r#"
        [256, 1, 1] ["block 256"] finished
    "#]],
    );
    check(
        ".maxntid 512",
        SUM,
        expect![[r#"
        [256, 1, 1] ["block 256"] finished
    "#]],
    );
}

#[test]
fn a_block_that_the_kernel_requires_is_kept() {
    check(
        ".reqntid 64",
        SUM,
        expect![[r#"
        [64, 1, 1] [] finished
        information uninitialized-read `ld.shared.f32 %f2, [%rd3+512];` with inferred arguments: write a launch to check it
    "#]],
    );
    check(
        ".maxntid 128",
        SUM,
        expect![[r#"
        [64, 1, 1] [] finished
        information uninitialized-read `ld.shared.f32 %f2, [%rd3+512];` with inferred arguments: write a launch to check it
    "#]],
    );
}

/// No launch initializes `part`.
#[test]
fn findings_about_values_are_information() {
    let body = "\
.shared .b32 part[2];
ld.shared.u32 %r2, [part];
ld.shared.u32 %r3, [part+4];
st.global.u32 [%rd1], %r2;
st.global.u32 [%rd1+4], %r3;";
    check(
        "",
        body,
        expect![[r#"
        [32, 1, 1] [] finished
        information uninitialized-read `ld.shared.u32 %r2, [part];` with inferred arguments: write a launch to check it
    "#]],
    );
}

#[test]
fn a_race_that_does_not_depend_on_the_launch_is_an_error() {
    check(
        "",
        "st.global.u32 [%rd1], %r1;",
        expect![[r#"
        [32, 1, 1] [] finished
        error data-race `st.global.u32 [%rd1], %r1;`
    "#]],
    );
}

/// The barrier is divergent for the inferred contents of `x`, but not for others.
#[test]
fn a_barrier_that_depends_on_data_is_information() {
    let body = "\
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
setp.gt.u32 %p1, %r2, 5;
@%p1 bra JOIN;
bar.sync 0;
JOIN:
bar.sync 1;";
    check(
        "",
        body,
        expect![[r#"
        [32, 1, 1] [] finished
        information divergent-barrier `bar.sync 0;` with inferred arguments: write a launch to check it
    "#]],
    );
    let by_thread = body.replace("setp.gt.u32 %p1, %r2, 5", "setp.gt.u32 %p1, %r1, 5");
    check(
        "",
        &by_thread,
        expect![[r#"
        [32, 1, 1] [] finished
        error divergent-barrier `bar.sync 0;`
    "#]],
    );
}

#[test]
fn a_number_for_which_the_run_ends() {
    let body = "\
ld.param.u32 %r2, [n];
mul.lo.u32 %r2, %r2, 20000;
LOOP:
sub.u32 %r2, %r2, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra LOOP;";
    check(
        ".reqntid 32",
        body,
        expect![[r#"
        [32, 1, 1] ["n = 1"] finished
    "#]],
    );
}

#[test]
fn longer_buffers() {
    let body = "\
mul.wide.u32 %rd2, %r1, 40000;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;";
    check(
        "",
        body,
        expect![[r#"
        [32, 1, 1] ["longer buffers"] finished
    "#]],
    );
}

#[test]
fn contents_of_buffers() {
    // The loaded number is an index into shared memory.
    let body = "\
.shared .b32 part[8];
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
mul.wide.u32 %rd4, %r2, 4;
mov.u64 %rd5, part;
add.u64 %rd5, %rd5, %rd4;
mov.u32 %r3, 1;
atom.shared.exch.b32 %r4, [%rd5], %r3;";
    check(
        "",
        body,
        expect![[r#"
            [64, 1, 1] ["x = zeros"] finished
        "#]],
    );
}

/// A kernel without `%tid` that is launched with one thread, as tests of instructions are.
#[test]
fn a_race_of_a_kernel_for_one_thread_is_information() {
    let body = "\
atom.global.add.u32 %r2, [%rd1], 1;
ld.global.u32 %r3, [%rd1+4];
add.u32 %r3, %r3, %r2;
st.global.u32 [%rd1+4], %r3;";
    let text = kernel("", body).replace("mov.u32 %r1, %tid.x;\n", "");
    expect![[r#"
        [32, 1, 1] [] finished
        information same-value-race `st.global.u32 [%rd1+4], %r3;`
        information data-race `st.global.u32 [%rd1+4], %r3;` with inferred arguments: write a launch to check it
    "#]].assert_eq(&settled(&text));
}

#[test]
fn a_block_that_is_smaller_than_a_warp() {
    let body = "\
.shared .b32 row[16];
mul.wide.u32 %rd2, %r1, 4;
mov.u64 %rd3, row;
add.u64 %rd3, %rd3, %rd2;
st.shared.u32 [%rd3], %r1;";
    check(
        "",
        body,
        expect![[r#"
        [16, 1, 1] ["block 16"] finished
    "#]],
    );
    // A deadlock is not hidden by fewer threads.
    let body = "\
setp.lt.u32 %p1, %r1, 16;
@%p1 bra DONE;
WAIT:
ld.volatile.global.u32 %r2, [%rd1];
setp.ne.u32 %p1, %r2, 7;
@%p1 bra WAIT;
DONE:";
    check(
        "",
        body,
        expect![[r#"
        [32, 1, 1] [] no-progress
        warning no-progress `ld.volatile.global.u32 %r2, [%rd1];` with the inferred block 32 and grid 1; if the kernel is written for another size, write a launch to check it
    "#]],
    );
}

#[test]
fn a_member_mask_may_be_that_of_a_smaller_block() {
    check(
        "",
        "bar.warp.sync 0xffff;",
        expect![[r#"
            [32, 1, 1] [] finished
            warning wrong-membermask `bar.warp.sync 0xffff;` with the inferred block 32 and grid 1; if the kernel is written for another size, write a launch to check it
        "#]],
    );
}

#[test]
fn a_deadlock_may_be_due_to_the_size() {
    let body = "\
.shared .b64 bar;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [bar], 96;
bar.sync 0;
mbarrier.arrive.shared.b64 %rd2, [bar];
WAIT:
mbarrier.try_wait.shared.b64 %p1, [bar], %rd2;
@!%p1 bra WAIT;";
    check(
        "",
        body,
        expect![[r#"
            [32, 1, 1] [] no-progress
            warning no-progress `mbarrier.try_wait.shared.b64 %p1, [bar], %rd2;` with the inferred block 32 and grid 1; if the kernel is written for another size, write a launch to check it
        "#]],
    );
}

#[test]
fn rows_of_threads_in_a_function() {
    let source = "\
.version 8.0
.target sm_70
.address_size 64
.shared .b32 tile[256];
.global .b32 last;
.func f()
{
.reg .pred %p;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %tid.y;
setp.gt.u32 %p, %r1, 15;
@%p exit;
mad.lo.u32 %r3, %r2, 16, %r1;
mul.wide.u32 %rd1, %r3, 4;
mov.u64 %rd2, tile;
add.u64 %rd1, %rd2, %rd1;
st.shared.u32 [%rd1], %r1;
bar.sync 0;
ld.shared.u32 %r4, [tile+1020];
st.global.u32 [last], %r4;
ret;
}
.visible .entry k()
{
call f, ();
ret;
}
";
    expect![[r#"
        [16, 16, 1] ["block 16,16"] finished
    "#]]
    .assert_eq(&settled(source));
}

/// A larger block reaches the instruction that is not simulated, and the one of the guess waits for a thread that it does not have.
#[test]
fn a_block_that_reaches_an_unsupported_instruction() {
    let body = "\
.shared .b64 bar;
setp.eq.u32 %p2, %r1, 0;
@%p2 mbarrier.init.shared.b64 [bar], 1;
bar.sync 0;
setp.eq.u32 %p1, %r1, 32;
@%p1 txq.width.b32 %r2, [%rd1];
WAIT:
mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
@!%p2 bra WAIT;";
    let text = kernel("", body).replace("sm_70", "sm_90a").replace("8.0", "8.3");
    expect![[r#"
        [64, 1, 1] ["block 64"] unsupported
        error unsupported `@%p1 txq.width.b32 %r2, [%rd1];`
    "#]]
    .assert_eq(&settled(&text));
}

#[test]
fn a_race_at_a_computed_address_is_information() {
    let own = "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n";
    let store = "mul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3+65536], %r1;";
    let contents = format!("{own}ld.global.u32 %r2, [%rd2];\nshr.u32 %r2, %r2, 3;\n{store}");
    let argument = format!("ld.param.u32 %r3, [n];\ndiv.u32 %r2, %r1, %r3;\n{store}");
    for body in [contents, argument] {
        let found = settled(&kernel("", &body));
        assert!(found.contains("information data-race"), "{found}");
        assert!(!found.contains("error"), "{found}");
    }
    let found = settled(&kernel("", &format!("shr.u32 %r2, %r1, 3;\n{store}")));
    assert!(found.contains("error data-race"), "{found}");
}

/// Rows of 32 elements for blocks that are 16 wide: wider blocks race, and higher ones leave the array.
#[test]
fn a_race_that_depends_on_the_shape_of_the_block_is_information() {
    let body = "\
.shared .b32 tile[128];
mov.u32 %r2, %tid.y;
mov.u32 %r3, tile;
mad.lo.u32 %r3, %r2, 128, %r3;
shl.b32 %r4, %r1, 2;
add.u32 %r3, %r3, %r4;
st.shared.u32 [%r3], %r1;
add.u32 %r5, %r1, 1000;
st.shared.u32 [%r3+64], %r5;";
    let found = settled(&kernel("", body));
    assert!(found.contains("information data-race") && !found.contains("error"), "{found}");
}

#[test]
fn tables_and_pairs_of_blocks() {
    let probe = "\
PROBE:
and.b32 %r2, %r1, 31;
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd2, %rd1, %rd2;
atom.global.cas.b32 %r3, [%rd2], 0xffffffff, %r1;
setp.ne.u32 %p1, %r3, 0xffffffff;
add.u32 %r1, %r1, 1;
@%p1 bra PROBE;";
    let found = settled(&kernel("", probe));
    assert!(found.ends_with(" finished\n"), "{found}");
    // The mask of the table is an argument, or one less than an argument.
    let mask = "ld.param.u32 %r4, [n];\n";
    for mask in [mask.to_owned(), format!("{mask}sub.u32 %r4, %r4, 1;\n")] {
        let probe = format!("{mask}mul.lo.u32 %r1, %r1, 0x9e3779b1;\n{}", probe.replace("31;", "%r4;"));
        let found = settled(&kernel(".reqntid 96", &probe));
        assert_eq!(found, "[96, 1, 1] [] finished\n");
    }
    let pair = "\
.shared .b32 slot;
tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 32;
tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
ld.shared.b32 %r2, [slot];
tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r2, 32;";
    let text = kernel("", pair).replace("8.0\n.target sm_70", "8.6\n.target sm_100a");
    let found = settled(&text);
    assert!(found.starts_with("[32, 1, 1] [] finished\n"), "{found}");
    // The function that a kernel calls may be the one that is written for pairs.
    let (declarations, body) = pair.split_once('\n').unwrap();
    let function =
        format!("{declarations}\n.func pair\n{{\n.reg .b32 %r<4>;\n{body}\nret;\n}}\n.visible .entry");
    let called = kernel("", "call pair;").replace("8.0\n.target sm_70", "8.6\n.target sm_100a");
    let found = settled(&called.replacen(".visible .entry", &function, 1));
    assert!(found.starts_with("[32, 1, 1] [] finished\n"), "{found}");
}

/// The other block of a pair reads what this one stores.
const EXCHANGE: &str = "\
.shared .b32 own[1];
mov.u32 %r2, %cluster_ctarank;
xor.b32 %r3, %r2, 1;
mov.u32 %r4, own;
mapa.shared::cluster.u32 %r5, %r4, %r3;
st.shared.u32 [%r4], %r2;
barrier.cluster.arrive.release;
barrier.cluster.wait.acquire;
ld.shared::cluster.u32 %r6, [%r5];
barrier.cluster.arrive.release;
barrier.cluster.wait.acquire;";

#[test]
fn clusters_and_multimem_addresses() {
    let on_hopper =
        |body: &str| settled(&kernel(".maxntid 1", body).replace("8.0\n.target sm_70", "8.6\n.target sm_90"));
    let found = [
        on_hopper(EXCHANGE),
        // Written for clusters of another size.
        on_hopper(&EXCHANGE.replace("xor.b32 %r3, %r2, 1", "xor.b32 %r3, %r2, 2")),
        on_hopper("multimem.red.relaxed.sys.global.add.u32 [%rd1], 1;"),
        on_hopper("multimem.ld_reduce.relaxed.sys.global.add.u32 %r2, [%rd1];"),
    ];
    expect![[r#"
        [1, 1, 1] [] finished
        [1, 1, 1] [] faulted
        information cluster-rank `ld.shared::cluster.u32 %r6, [%r5];` with inferred arguments: write a launch to check it
        [1, 1, 1] [] finished
        [1, 1, 1] [] finished
    "#]].assert_eq(&found.concat());
}

/// Thread 0 reads what the last thread stores; a warp alone is in step.
fn last_element(barrier: &str) -> String {
    format!(
        "\
.shared .b32 part[1024];
mov.u32 %r2, %ntid.x;
mul.wide.u32 %rd2, %r1, 4;
mov.u64 %rd3, part;
add.u64 %rd4, %rd3, %rd2;
st.shared.u32 [%rd4], %r1;
bar.warp.sync -1;
{barrier}
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
sub.u32 %r2, %r2, 1;
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd3, %rd3, %rd2;
ld.shared.u32 %r3, [%rd3];
st.global.u32 [%rd1], %r3;
DONE:"
    )
}

#[test]
fn trouble_between_warps() {
    check(
        "",
        &last_element(""),
        expect![[r#"
        [32, 1, 1] [] finished
        information data-race `st.shared.u32 [%rd4], %r1;` in another launch that was tried, with block 64: write that launch to see it
    "#]],
    );
    check(
        "",
        &last_element("bar.sync 0;"),
        expect![[r#"
        [64, 1, 1] [] finished
    "#]],
    );
}

#[test]
fn trouble_between_blocks() {
    let store = |index: &str| {
        format!(
            "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
             mul.wide.u32 %rd2, {index}, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r4;"
        )
    };
    check(
        "",
        &store("%r1"),
        expect![[r#"
        [32, 1, 1] [] finished
        information data-race `st.global.u32 [%rd3], %r4;` in another launch that was tried, with grid 2: write that launch to see it
    "#]],
    );
    check(
        "",
        &store("%r4"),
        expect![[r#"
        [32, 1, 1] [] finished
    "#]],
    );
}

/// The threads below `n` exchange their numbers.
fn shuffled(shuffle: &str) -> String {
    format!(
        "\
ld.param.u32 %r2, [n];
setp.ge.u32 %p1, %r1, %r2;
vote.sync.ballot.b32 %r5, !%p1, -1;
@%p1 bra DONE;
shfl.sync.{shuffle};
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r3;
DONE:"
    )
}

#[test]
fn trouble_with_odd_lengths() {
    check(
        "",
        &shuffled("down.b32 %r3, %r1, 1, 31, -1"),
        expect![[r#"
            [32, 1, 1] [] finished
            information shuffle-inactive `shfl.sync.down.b32 %r3, %r1, 1, 31, -1;` in another launch that was tried, with n = 21: write that launch to see it
        "#]],
    );
    check(
        "",
        &shuffled("idx.b32 %r3, %r1, 0, 31, %r5"),
        expect![[r#"
            [32, 1, 1] [] finished
        "#]],
    );
}

/// Each thread stores its number, if it is below `n`.
#[test]
fn trouble_at_the_end_of_a_buffer() {
    let store = |bound: &str| {
        format!(
            "ld.param.u32 %r2, [n]; min.u32 %r3, %r1, %r2; {bound} mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
             st.global.u32 [%rd3], %r3; DONE:"
        )
    };
    check(
        "",
        &store(""),
        expect![[r#"
        [32, 1, 1] [] finished
        information out-of-bounds `st.global.u32 [%rd3], %r3;` in another launch that was tried, with n = 21, x of 21 elements: write that launch to see it
    "#]],
    );
    check(
        "",
        &store("setp.ge.u32 %p1, %r1, %r2; @%p1 bra DONE;"),
        expect![[r#"
        [32, 1, 1] [] finished
    "#]],
    );
}

/// Counts numbers in shared memory that each thread clears for itself.
#[test]
fn trouble_with_other_contents() {
    let count = |barrier: &str| {
        format!(
            "\
.shared .b32 bins[2048];
mul.wide.u32 %rd2, %r1, 4;
mov.u64 %rd3, bins;
add.u64 %rd4, %rd3, %rd2;
mov.u32 %r2, 0;
st.shared.u32 [%rd4], %r2;
{barrier}
add.u64 %rd5, %rd1, %rd2;
ld.global.u32 %r3, [%rd5];
mul.wide.u32 %rd6, %r3, 4;
add.u64 %rd6, %rd3, %rd6;
red.shared.add.u32 [%rd6], 1;"
        )
    };
    check(
        "",
        &count(""),
        expect![[r#"
        [32, 1, 1] [] finished
        information data-race `red.shared.add.u32 [%rd6], 1;` in another launch that was tried, with x in another order: write that launch to see it
    "#]],
    );
    check(
        "",
        &count("bar.sync 0;"),
        expect![[r#"
        [64, 1, 1] [] finished
    "#]],
    );
}

/// What was inferred decides, not whether the launch has a name or a size.
#[test]
fn a_launch_with_a_size_and_inferred_arguments() {
    let under = |text: &str, launch: &str| {
        settled_under(text, Choice::Given(Box::new(launch_object(launch).expect("a launch"))))
    };
    let stops = kernel("", "ld.param.u32 %r2, [n];\nsetp.ne.u32 %p1, %r2, 77;\n@%p1 trap;");
    expect![[r#"
        [64, 1, 1] [] faulted
        information trap `@%p1 trap;` with inferred arguments: write a launch to check it
    "#]]
    .assert_eq(&under(&stops, r#"{ "block": [64] }"#));
    expect![[r#"
        [64, 1, 1] [] faulted
        error trap `@%p1 trap;`
    "#]]
    .assert_eq(&under(
        &stops,
        r#"{ "block": [64], "args": [{ "buffer": "u32", "len": 64 }, { "u32": 5 }] }"#,
    ));
    // A kernel without parameters: nothing is inferred.
    let none = stops.replace(".param .u64 x, .param .u32 n", "").replace("ld.param.u64 %rd1, [x];", "");
    let none = none.replace("ld.param.u32 %r2, [n];", "mov.u32 %r2, %tid.x;");
    expect![[r#"
        [64, 1, 1] [] faulted
        error trap `@%p1 trap;`
    "#]]
    .assert_eq(&under(&none, r#"{ "block": [64] }"#));
    // The threads are known, so a kernel that may be written for one of them has a race.
    let single = kernel("", "ld.global.u32 %r3, [%rd1];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd1], %r3;");
    let single = single.replace("mov.u32 %r1, %tid.x;\n", "");
    expect![[r#"
        [64, 1, 1] [] finished
        error data-race `st.global.u32 [%rd1], %r3;`
        error data-race `ld.global.u32 %r3, [%rd1];`
        error data-race `st.global.u32 [%rd1], %r3;`
    "#]]
    .assert_eq(&under(&single, r#"{ "block": [64] }"#));
}
