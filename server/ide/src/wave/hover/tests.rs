//! Hovers over words of WAVE in their kernels.

use expect_test::expect;

use crate::fixture::{FILE, open};

#[test]
fn words_of_wave_constructs_name_the_lines_of_the_others() {
    let file = ".kernel first
    halt
.end

.kernel k
    loop
        if p1
            break p2
        else
            @p1 continue !p2
        endif
    endloop
    if p3
    endif
    if p1
    halt
.end
";
    let (_, analysis) = open(file);
    let mut shown = String::new();
    for word in ["loop", "if p1", "break", "else", "continue", "endif", "endloop", "if p3", "if p1\n    halt"]
    {
        let offset = file.find(word).unwrap() as u32 + 1;
        let hover = analysis.hover(FILE, offset.into()).unwrap().expect("there is something");
        shown += &format!("{word:?}: {}\n", hover.markdown.lines().next().unwrap_or_default());
    }
    expect![[r#"
        "loop": *ends at* `endloop` in line 12; `break p2` in line 8, `@p1 continue !p2` in line 10
        "if p1": *matches* `else` in line 9 *and* `endif` in line 11
        "break": *in* `loop` in line 6, up to `endloop` in line 12
        "else": *other path of* `if p1` in line 7, up to `endif` in line 11
        "continue": *in* `loop` in line 6, up to `endloop` in line 12
        "endif": *closes* `if p1` in line 7
        "endloop": *closes* `loop` in line 6
        "if p3": *matches* `endif` in line 14
        "if p1\n    halt": It pushes entry 1 of 32 of the divergence stack.
    "#]]
    .assert_eq(&shown);
}

#[test]
fn keywords_of_wave_constructs_show_whether_lanes_diverge() {
    let file = |marked: &str| {
        let text = ".kernel k
mov_sr r1, sr_lane_id
icmp.lt p1, r1, 8
icmp.lt p2, r0, 8
loop
if p1
endif
if p2
endif
break p1
endloop
halt
.end
";
        text.replacen(marked, &format!("{marked}\n|"), 1)
    };
    let hover = |marked: &str| {
        let (fixture, analysis) = open(&file(marked));
        let hover = analysis.hover(FILE, fixture.cursor()).unwrap().expect("a hover");
        let pages = hover.markdown.split("\n\n").skip(1).take_while(|part| !part.starts_with("```"));
        pages.collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        **Lanes diverge here**: `p1` ← `icmp.lt` ← `r1` ← `sr_lane_id`
        - line 3: `p1` is computed here from a value that varies by lane
        - line 2: `r1` is read here from `sr_lane_id`
        It pushes entry 2 of 32 of the divergence stack.
        **`if`** · WAVE · structured control flow · specification §5.1, §6.13
        Continues with the lanes in which ps is true; the others wait for else or endif."#]]
    .assert_eq(&hover("if p1"));
    expect![[r#"
        **Uniform**: active lanes take the same path; a path that no lane takes is skipped at no cost.
        It pushes entry 2 of 32 of the divergence stack.
        **`if`** · WAVE · structured control flow · specification §5.1, §6.13
        Continues with the lanes in which ps is true; the others wait for else or endif."#]]
    .assert_eq(&hover("if p2"));
    expect![[r#"
        **Lanes diverge here**: `p1` ← `icmp.lt` ← `r1` ← `sr_lane_id`
        - line 3: `p1` is computed here from a value that varies by lane
        - line 2: `r1` is read here from `sr_lane_id`
        **`break`** · WAVE · structured control flow · specification §5.1, §6.13
        Takes the lanes in which ps is true out of the innermost loop."#]]
    .assert_eq(&hover("break p1"));
    expect![[r#"
        When no active lane remains in the loop, it pops entry 1 of 32 of the divergence stack.
        **`endloop`** · WAVE · structured control flow · specification §5.1, §6.13
        Starts the next iteration with the lanes that have not broken; when there are none, ends the loop."#]]
    .assert_eq(&hover("endloop"));
}

#[test]
fn numbers_of_wave() {
    let shown = |line: &str, number: &str| {
        let (_, analysis) = open(&format!(".kernel k\n{line}\n.end\n"));
        let offset = 10 + line.find(number).unwrap() as u32;
        analysis.hover(FILE, offset.into()).unwrap().map_or_else(String::new, |hover| hover.markdown)
    };
    expect![[r#"
        `1.5` · as `f32` `0x3FC00000`

        Toolchain 0.1.2 stores `0x00000000`, the low half of its 64 bits: write `0x3FC00000` for it."#]]
    .assert_eq(&shown("mov_imm r1, 1.5", "1.5"));
    expect!["`0.5` · as `f16 (low half)` `0x00003800`"].assert_eq(&shown("hadd r1, r2, 0.5", "0.5"));
    expect!["decimal `1024` · hexadecimal `0x400` · binary `0b10000000000`"]
        .assert_eq(&shown(".local_memory 1_024", "1_024"));
}

/// The hover over the first occurrence of a word in a WAVE file.
fn over(file: &str, word: &str) -> String {
    let (_, analysis) = open(file);
    let offset = file.find(word).expect("it is there") as u32 + word.len() as u32;
    analysis.hover(FILE, offset.into()).unwrap().map_or_else(String::new, |hover| hover.markdown)
}

const CALLING: &str = ".kernel first
.workgroup_size 100
.registers 16
    loop
        call twice
        break p0
    endloop
    barrier
    halt
twice:
    if p1
        call once
    endif
    return
once: device_load.u32 r2, r1
    iadd r4, r2, r9
    return
.end
.kernel second
    call once
    halt
.end
";

#[test]
fn a_kernel_of_wave_says_what_it_asks_for() {
    expect![[r#"
        **`first`** · kernel

        - registers: `r1`, `r2`, `r4`, `r9`, `p0`, `p1` of 16
        - at a time: 8 waves of 32 lanes with 16 registers each in the 16,384 bytes that every machine has
        - workgroup: 100 x 1 x 1: 100 threads, 4 waves of 32 lanes
        - local memory: set by the launch
        - divergence stack: at most 2 of 32 entries, including callees
        - instructions: 13, of which 1 on device memory, 1 at barriers
        - calls: `twice`, `once`"#]]
    .assert_eq(&over(CALLING, ".kernel first"));
    expect![[r#"
        **`second`** · kernel

        - registers: none of 32, the default without `.registers`
        - at a time: 4 waves of 32 lanes with 32 registers each in the 16,384 bytes that every machine has
        - workgroup: set by the launch
        - local memory: set by the launch
        - divergence stack: not used
        - instructions: 2
        - calls: `once`"#]]
    .assert_eq(&over(CALLING, ".kernel second"));
}

#[test]
fn a_function_of_wave_shows_its_callers_and_resources() {
    expect![[r#"
        **`once`** · function of `first`

        - called: 2 times: `twice` in line 12, `second` in line 20
        - reads: `r1`, `r2`, `r9`
        - writes: `r2`, `r4`
        - divergence stack: not used
        - instructions: 3, of which 1 on device memory"#]]
    .assert_eq(&over(CALLING, "call once"));
    expect![[r#"
        **`twice`** · function of `first`

        - called: 1 time: `first` in line 5
        - reads: `p1`
        - writes: no register
        - divergence stack: at most 1 of 32 entries, including callees
        - instructions: 4
        - calls: `once`"#]]
    .assert_eq(&over(CALLING, "twice"));
}

#[test]
fn a_register_of_wave_says_where_it_was_written() {
    let hover = |file: &str, word: &str| {
        let page = over(file, word);
        let writers = page.lines().find(|line| {
            let line = line.to_lowercase();
            line.contains("written by") || line.contains("not written")
        });
        writers.unwrap_or_default().to_owned()
    };
    let file = ".kernel k
mov_imm r1, 1
if p1
mov_imm r1, 2
endif
iadd r3, r1, r7
halt
.end
";
    expect!["Last written by `mov_imm r1, 2` in line 4 or `mov_imm r1, 1` in line 2."]
        .assert_eq(&hover(file, "iadd r3, r1"));
    expect!["Not written before: it is set by the launch, or else 0."]
        .assert_eq(&hover(file, "iadd r3, r1, r7"));
    expect!["Not written before: it is false."].assert_eq(&hover(file, "if p1"));
}

#[test]
fn a_directive_of_wave_says_what_the_kernel_makes_of_it() {
    let last = |word: &str| over(CALLING, word).lines().last().unwrap_or_default().to_owned();
    expect!["**Here.** Uses `r1`, `r2`, `r4`, `r9`, `p0`, `p1` of 16: 8 waves of 32 lanes with 16 registers each in the 16,384 bytes that every machine has."].assert_eq(&last(".registers"));
    expect!["**Here.** 100 x 1 x 1: 100 threads, 4 waves of 32 lanes."].assert_eq(&last(".workgroup_size"));
}
