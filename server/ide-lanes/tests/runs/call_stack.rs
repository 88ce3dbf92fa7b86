//! The calls around a statement in a hover.

use std::sync::Arc;

use expect_test::{Expect, expect};
use text_size::TextSize;
use warplens_ide::AnalysisHost;
use warplens_ide_db::FileId;
use warplens_ide_lanes::{LaneView, RunRequest, hover};
use warplens_sim_warp::{Control, RunOptions, TraceRequest, WarpId};

const TEXT: &str = "\
.kernel k
mov r0, sr_lane_id
loop
    icmp.ge p0, r0, 6
    break p0
    iadd r0, r0, 1
    icmp.eq p1, r0, 3
    continue p1
    icmp.lt p2, r0, 5
    if p2
        nop
    else
        call f
    endif
endloop
halt
f: fadd r3, r3, 1.5
return
.end
";

/// What is shown after the `count`th visit of the statement at a place.
fn shown(until: Option<(&str, u64)>) -> LaneView {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::wave::LANGUAGE, TEXT);
    let request = RunRequest { wave_width: Some(8), ..RunRequest::first(RunOptions::default()) };
    let prepared = host.snapshot().prepare_run(FileId(0), &request, None, &|_| Err(String::new().into()));
    let prepared = prepared.unwrap().unwrap();
    let at = |place: &str| TextSize::try_from(TEXT.find(place).unwrap()).unwrap();
    let moment = until.map(|(place, visit)| (prepared.statement_at(at(place)).unwrap(), visit));
    let look = TraceRequest { until: moment, ..TraceRequest::at(WarpId { cta: [0; 3], warp: 0 }) };
    let values = prepared.trace_warp(look, Control::none()).unwrap();
    prepared
        .show(Arc::new(prepared.run(Control::none()).unwrap()), None)
        .with_values(values.map(Arc::new), moment)
}

/// What pointing at the `word` of a line says.
fn check(line: &str, word: &str, expected: Expect) {
    check_at(None, line, word, expected);
}

fn check_at(until: Option<(&str, u64)>, line: &str, word: &str, expected: Expect) {
    let at = TEXT.find(line).unwrap() + line.find(word).unwrap();
    let line_of = |offset: TextSize| TEXT[..usize::from(offset)].matches('\n').count() as u32;
    let answer = hover(&shown(until), TextSize::try_from(at).unwrap(), word, &line_of);
    let markdown = answer.map_or("nothing".to_owned(), |hover| hover.markdown);
    expected.assert_eq(markdown.split("\n\nLaunch").next().unwrap());
}

#[test]
fn words_of_structure_show_the_divergence_stack() {
    check(
        "    if p2",
        "if",
        expect![[r#"
            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 0 to 3 executed per visit, 4 at least once: lanes 0-3. The branch diverged 4 times. The lanes reconverge at line 14.

            **Divergence stack** after visit 6 of 6: 2 of 32 entries are used, the innermost first.

            - `if` of line 10; waiting for `else`: lane 0; after `endif`: lane 0
            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "    else",
        "else",
        expect![[r#"
            **6 visits** by 1 to 2 of 8 lanes, 1.8 on average; 6 executed at least once: lanes 0-5.

            **Divergence stack** after visit 6 of 6: 2 of 32 entries are used, the innermost first.

            - `if` of line 10; after `endif`: lane 0
            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "endif",
        "endif",
        expect![[r#"
            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 6 executed at least once: lanes 0-5. Reconverged here at the first visit: lanes 0-1,3 and lanes 4-5.

            **Divergence stack** after visit 6 of 6: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "break p0",
        "break",
        expect![[r#"
            **7 visits** by 1 to 8 of 8 lanes, 4.1 on average; 1 to 2 executed per visit, 8 at least once. The branch diverged 6 times. The lanes reconverge at line 16.

            **Divergence stack** after visit 7 of 7: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 0-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "continue p1",
        "continue",
        expect![[r#"
            **6 visits** by 1 to 6 of 8 lanes, 3.5 on average; 0 to 1 executed per visit, 3 at least once: lanes 0-2. The branch diverged 3 times. The lanes reconverge at line 3.

            **Divergence stack** after visit 6 of 6: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "endloop",
        "endloop",
        expect![[r#"
            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 6 executed at least once: lanes 0-5.

            **Divergence stack** after visit 6 of 6: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
    check(
        "call f",
        "call",
        expect![[r#"
            **6 visits** by 1 to 2 of 8 lanes, 1.8 on average; 6 executed at least once: lanes 0-5.

            **Divergence stack** after visit 6 of 6: 2 of 32 entries are used, the innermost first.

            - `call` of line 13; after `return`: lane 0
            - `if` of line 10; after `endif`: lane 0
            - `loop` of line 3; broke: lanes 1-7; after `endloop`: lanes 0-7"#]],
    );
}

#[test]
fn registers_show_what_they_held() {
    check(
        "icmp.lt p2, r0, 5",
        "p2",
        expect![[r#"
            **`p2`** = false, after this line, visit 6 of 6.

            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 6 executed at least once: lanes 0-5."#]],
    );
    check(
        "icmp.lt p2, r0, 5",
        "r0",
        expect![[r#"
            **`r0`** = 6 in lane 0, after this line, visit 6 of 6.

            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 6 executed at least once: lanes 0-5."#]],
    );
    check(
        "f: fadd r3, r3, 1.5",
        "r3",
        expect![[r#"
            **`r3`** = 3.0 in lane 0, after this line, visit 6 of 6.

            **6 visits** by 1 to 2 of 8 lanes, 1.8 on average; 6 executed at least once: lanes 0-5."#]],
    );
}

#[test]
fn the_stack_is_that_of_the_visit_that_is_chosen() {
    check_at(
        Some(("if p2", 3)),
        "if p2",
        "if",
        expect![[r#"
            **6 visits** by 1 to 5 of 8 lanes, 3.0 on average; 0 to 3 executed per visit, 4 at least once: lanes 0-3. Visit 3 of 6 is shown: 1 of 8 lanes executed, lane 1. The branch diverged 4 times. The lanes reconverge at line 14.

            **Divergence stack** after visit 3 of 6: 2 of 32 entries are used, the innermost first.

            - `if` of line 10; waiting for `else`: lanes 2-3; after `endif`: lanes 1-3
            - `loop` of line 3; waiting for the next iteration: lane 0; broke: lanes 4-7; after `endloop`: lanes 0-7"#]],
    );
    check_at(
        Some(("if p2", 3)),
        "continue p1",
        "continue",
        expect![[r#"
            **6 visits** by 1 to 6 of 8 lanes, 3.5 on average; 0 to 1 executed per visit, 3 at least once: lanes 0-2. Visit 4 of 6 is shown: no lane executed. The branch diverged 3 times. The lanes reconverge at line 3.

            **Divergence stack** after visit 4 of 6: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 3-7; after `endloop`: lanes 0-7"#]],
    );
    check_at(
        Some(("if p2", 3)),
        "break p0",
        "break",
        expect![[r#"
            **7 visits** by 1 to 8 of 8 lanes, 4.1 on average; 1 to 2 executed per visit, 8 at least once. Visit 4 of 7 is shown: 1 of 8 lanes executed, lane 3. The branch diverged 6 times. The lanes reconverge at line 16.

            **Divergence stack** after visit 4 of 7: 1 of 32 entries is used.

            - `loop` of line 3; broke: lanes 3-7; after `endloop`: lanes 0-7"#]],
    );
}
