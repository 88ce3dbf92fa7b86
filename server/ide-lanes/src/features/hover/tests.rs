use expect_test::{Expect, expect};

use super::*;
use crate::testing::{ALL, TEXT, result, shown, trace};

fn check(result: warplens_sim_warp::RunResult, at: &str, expect: Expect) {
    check_word(result, at, "", expect);
}

/// What pointing at `word` says.
fn check_word(result: warplens_sim_warp::RunResult, at: &str, word: &str, expect: Expect) {
    let offset = TextSize::try_from(TEXT.find(at).unwrap()).unwrap();
    let line_of = |offset: TextSize| TEXT[..usize::from(offset)].matches('\n').count() as u32;
    let answer = hover(&shown(TEXT, result), offset, word, &line_of);
    expect.assert_eq(&answer.map_or("nothing".to_owned(), |hover| hover.markdown));
}

#[test]
fn a_sentence_then_a_grid() {
    check(
        result(),
        "mov",
        expect![[r#"
            **All 32 lanes** reached this line, once.

            Launch *l*, block 0,0,0, warp 0, model `stack`.

            ```text
            %r1
            lane     +0     +1     +2     +3     +4     +5     +6     +7
               0      0     -1      2      3      4      5      6      7
               8      8      9     10     11     12     13     14     15
              16     16     17     18     19     20     21     22     23
              24     24     25     26     27     28     29     30  never
            ```"#]],
    );
    check(
        result(),
        "bra",
        expect![[r#"
            **All 32 lanes** reached this line, once. The branch diverged: taken by lanes 0-7, not taken by lanes 8-31. The lanes reconverge at line 6.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
    check(
        result(),
        "@%p2",
        expect![[r#"
            **24 of 32 lanes** reached this line, once: lanes 8-31; 4 executed, the others were predicated off: lanes 8-11.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
    check(
        result(),
        "st [y]",
        expect![[r#"
            **All 32 lanes** reached this line, once. Reconverged here: lanes 8-31 and lanes 0-7.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
    check(
        result(),
        "\nJOIN",
        expect![[r#"
            **24 of 32 lanes** reached this line, once: lanes 8-31; 4 executed, the others were predicated off: lanes 8-11.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
}

#[test]
fn loops_and_lines_never_run() {
    let mut run = result();
    run.warps[0].lines[2] = trace(2, &[(ALL, ALL, 3), (0xff, 0xf, 1)]);
    check(
        run,
        "add",
        expect![[r#"
            **4 visits** by 8 to 32 of 32 lanes, 26.0 on average; 4 to 32 executed per visit, 32 at least once.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
    let mut run = result();
    run.warps[0].lines.truncate(2);
    check(
        run,
        "add",
        expect![[r#"
            **Not executed**: no lane of this warp reached this line.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
}

#[test]
fn several_visits_with_equal_masks() {
    let mut run = result();
    run.warps[0].lines[2] = trace(2, &[(0x1, 0x0, 3)]);
    check(
        run,
        "add",
        expect![[r#"
            **1 of 32 lanes** reached this line, 3 times: lane 0; all of them were predicated off.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
}

#[test]
fn a_register_says_what_it_holds() {
    check_word(
        result(),
        "mov",
        "%r1",
        expect![[r#"
            **`%r1`** after this line:

            ```text
            lane     +0     +1     +2     +3     +4     +5     +6     +7
               0      0     -1      2      3      4      5      6      7
               8      8      9     10     11     12     13     14     15
              16     16     17     18     19     20     21     22     23
              24     24     25     26     27     28     29     30  never
            ```

            **All 32 lanes** reached this line, once.

            Launch *l*, block 0,0,0, warp 0, model `stack`."#]],
    );
}
