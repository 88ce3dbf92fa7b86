//! A run under another model beside the one that is shown.

use std::sync::Arc;

use expect_test::{Expect, expect};
use text_size::TextSize;
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{LaneView, LensStyle, Prepared, RunRequest, hover};
use warplens_sim_warp::{Control, RunOptions, TraceRequest, WarpId};

/// Lanes 0 to 3 break in the `if`.
const BREAK_IN_IF: &str = "\
.kernel k
    mov_sr r0, sr_lane_id
    mov_imm r1, 4
    mov_imm r2, 8
    loop
        icmp_lt p1, r0, r2
        if p1
            icmp_lt p2, r0, r1
            break p2
        endif
        iadd r3, r3, r1
        break p1
    endloop
    halt
.end
";

fn prepared(text: &str) -> (AnalysisHost, FileId, Prepared) {
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.open(file, warplens_syntax::wave::LANGUAGE, text);
    let request = RunRequest {
        wave_width: Some(8),
        model: warplens_ide::model(warplens_syntax::wave::LANGUAGE, "wave-emu").ok(),
        ..RunRequest::first(RunOptions::default())
    };
    let run =
        host.snapshot().prepare_run(file, &request, None, &|_| Err(String::new().into())).unwrap().unwrap();
    (host, file, run)
}

fn run(text: &str) -> (AnalysisHost, FileId, LaneView) {
    let (host, file, run) = prepared(text);
    let shown = run.show(Arc::new(run.run(Control::none()).unwrap()), None);
    (host, file, shown)
}

fn line_of(text: &str) -> impl Fn(TextSize) -> u32 + '_ {
    |offset| text[..usize::from(offset)].matches('\n').count() as u32
}

/// Checks the lens above the kernel and the first lines of the hover of each word of `at`.
fn check(text: &str, at: &[&str], expect: Expect) {
    let (host, file, shown) = run(text);
    let lenses = host.snapshot().lenses(file, None, Some(&shown), LensStyle::Plain).unwrap();
    let mut text_shown = lenses[1].title.clone() + "\n";
    for word in at {
        let offset = TextSize::try_from(text.find(word).unwrap()).unwrap();
        let hover = hover(&shown, offset, "", &line_of(text)).unwrap().markdown;
        let under = hover.lines().find(|line| line.starts_with("Under"));
        text_shown += &format!("{word}: {}\n", under.unwrap_or("nothing"));
    }
    expect.assert_eq(&text_shown);
}

#[test]
fn the_first_difference_and_the_behavior_of_the_guide() {
    check(
        BREAK_IN_IF,
        &["mov_imm", "endif", "iadd", "endloop"],
        expect![[r#"
            differs from `structured` at line 10, visit 1: `endif` reactivates lanes that broke
            mov_imm: nothing
            endif: Under `structured`: **4 of 8 lanes** reached this line, once: lanes 4-7. This is the first difference, at visit 1: `endif` reactivates lanes that broke.
            iadd: Under `structured`: **4 of 8 lanes** reached this line, once: lanes 4-7.
            endloop: nothing
        "#]],
    );
}

#[test]
fn a_fault_that_shows_later_is_named_with_its_line() {
    let text = "\
.kernel k
    mov_sr r0, sr_lane_id
    mov_imm r1, 4
    icmp_lt p0, r0, r1
    @p0 iadd r2, r0, r1
    mov_imm r5, 4.0
    icmp_lt p1, r5, r2
    if p1
        nop
    endif
    halt
.end
";
    check(
        text,
        &["@p0", "if p1"],
        expect![[r#"
            differs from `structured` at line 5, visit 1: `@p0` is encoded as no guard: all lanes execute
            @p0: Under `structured`: **All 8 lanes** reached this line, once; 4 executed, the others were predicated off: lanes 0-3. This is the first difference, at visit 1: `@p0` is encoded as no guard: all lanes execute.
            if p1: Under `structured`: **All 8 lanes** reached this line, once; all of them were predicated off.
        "#]],
    );
    check(
        &text.replace("@p0 ", ""),
        &["iadd", "if p1"],
        expect![[r#"
            differs from `structured` at line 8, visit 1: the float literal encodes the low half of a double (line 6)
            iadd: nothing
            if p1: Under `structured`: **All 8 lanes** reached this line, once; all of them were predicated off. This is the first difference, at visit 1: the float literal encodes the low half of a double (line 6).
        "#]],
    );
}

#[test]
fn equal_runs_are_reported_as_equal() {
    check(
        &BREAK_IN_IF.replace("break p2", "nop"),
        &["endif"],
        expect![[r#"
        same lanes as `structured`
        endif: nothing
    "#]],
    );
}

#[test]
fn lanes_that_never_come_are_missed() {
    let text = "\
.kernel k
    mov_sr r0, sr_lane_id
    mov_imm r1, 4
    icmp_lt p1, r0, r1
    if p1
        halt
    endif
    nop
    halt
.end
";
    check(
        text,
        &["nop"],
        expect![[r#"
            differs from `structured` at line 7, visit 1: the exit of some lanes exits the whole wave (line 6)
            nop: Under `structured`: **4 of 8 lanes** reached this line, once: lanes 4-7.
        "#]],
    );
}

#[test]
fn what_the_assembler_does_not_take_says_why_nothing_was_run() {
    let text = ".kernel k\n    mov_sr r0, sr_lane_id\n    iadd r0, r0, 1\n    halt\n.end\n";
    let (host, file, shown) = run(text);
    let lenses = host.snapshot().lenses(file, None, Some(&shown), LensStyle::Plain).unwrap();
    expect!["inferred, wave-emu: nothing was run, 1 finding, unsupported at line 3 (not-assembled)"]
        .assert_eq(&lenses[0].title);
    let offset = TextSize::try_from(text.find("halt").unwrap()).unwrap();
    expect![[r#"
        **Nothing was run** because of line 3: Not assembled: toolchain 0.1.2 accepts a number in `mov_imm` only: move it into a register first.

        Launch *inferred*, block 0,0,0, warp 0, model `wave-emu`.

        Under `structured`: **All 8 lanes** reached this line, once."#]]
    .assert_eq(&hover(&shown, offset, "", &line_of(text)).unwrap().markdown);
}

#[test]
fn registers_and_the_stack_are_the_emulators() {
    let (_, _, run) = prepared(BREAK_IN_IF);
    let values = run.trace_warp(TraceRequest::at(WarpId { cta: [0; 3], warp: 0 }), Control::none()).unwrap();
    let shown =
        run.show(Arc::new(run.run(Control::none()).unwrap()), None).with_values(values.map(Arc::new), None);
    let mut text_shown = String::new();
    for (at, word) in
        [("if p1", "if"), ("break p2", "break"), ("endif", "endif"), ("iadd", "r3"), ("endloop", "endloop")]
    {
        let offset = TextSize::try_from(BREAK_IN_IF.find(at).unwrap()).unwrap();
        let hover = hover(&shown, offset, word, &line_of(BREAK_IN_IF)).unwrap().markdown;
        let lines =
            hover.lines().filter(|line| ["- ", "**Div", "**`"].iter().any(|start| line.starts_with(start)));
        text_shown += &format!("{at}\n");
        lines.for_each(|line| text_shown += &format!("  {line}\n"));
    }
    expect![[r#"
        if p1
          **Divergence stack**: 2 of 32 entries are used, the innermost first.
          - `if` of line 7; after `endif`: lanes 0-7
          - `loop` of line 5; after `endloop`: lanes 0-7
          - `p1` = true
        break p2
          **Divergence stack**: 2 of 32 entries are used, the innermost first.
          - `if` of line 7; after `endif`: lanes 0-7
          - `loop` of line 5; broke: lanes 0-3; after `endloop`: lanes 0-7
          - `p2` = true in lanes 0-3
        endif
          **Divergence stack**: 1 of 32 entries is used.
          - `loop` of line 5; broke: lanes 0-3; after `endloop`: lanes 0-7
        iadd
          **`r3`** = 4, after this line.
        endloop
    "#]]
    .assert_eq(&text_shown);
}
