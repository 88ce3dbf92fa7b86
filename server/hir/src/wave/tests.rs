//! Source text with the problems that `lower` finds in it.

use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_syntax::parse_file;

use super::{Code, Link, Name, Problem, Value, lower};

fn items(text: &str) -> Vec<(usize, Code)> {
    let file = parse_file(warplens_syntax::wave::LANGUAGE, text);
    assert!(file.errors().is_empty(), "{:?}", file.errors());
    let starts = file.root().nodes().map(|item| usize::from(item.range().start()));
    starts.zip(file.items().map(lower)).collect()
}

fn kernel(statements: &str) -> (String, Code) {
    let text = format!(".kernel k\n{statements}\nhalt\n.end\n");
    let (_, code) = items(&text).swap_remove(0);
    (text, code)
}

fn write_problem(out: &mut String, text: &str, start: usize, problem: &Problem) {
    let range = std::ops::Range::<usize>::from(problem.range);
    let (code, severity) = (problem.code(), problem.severity());
    let place = &text[start + range.start..start + range.end];
    let line = text[..start + range.start].matches('\n').count() + 1;
    writeln!(out, "{line} `{place}` {severity:?} {code}").expect("a string takes text");
}

/// Checks the problems of statements in a kernel, the first of which is in line 2. Unwritten registers and
/// unreachable code are left to other tests, because they are consequences of the other statements.
fn check_problems(statements: &str, expected: Expect) {
    let follows = |problem: &Problem| matches!(problem.code(), "unwritten-register" | "unreachable-code");
    check(statements, |problem| !follows(problem), expected);
}

fn check(statements: &str, wanted: impl Fn(&Problem) -> bool, expected: Expect) {
    let (text, code) = kernel(statements);
    let mut out = String::new();
    for problem in code.problems.iter().filter(|problem| wanted(problem)) {
        write_problem(&mut out, &text, 0, problem);
    }
    expected.assert_eq(&out);
}

#[test]
fn both_names_are_the_same_instruction() {
    let (_, code) =
        kernel("icmp.lt p0, r0, r1\nicmp_lt p0, r0, r1\ndevice_store.u32 r4, r5\ndevice_store_u32 r5, r4");
    let entry = |at: usize| code.instructions[at].entry.expect("known");
    assert_eq!(entry(0), entry(1));
    assert_eq!(entry(2), entry(3));
    let register = |at: usize, name: &str| code.instructions[at].operand(name).map(|operand| operand.value);
    assert_eq!(register(2, "addr"), Some(Value::Register { index: 5, half: None }));
    assert_eq!(register(2, "addr"), register(3, "addr"), "the guide writes the value first");
    assert_eq!(register(2, "rs2"), register(3, "rs2"));
}

#[test]
fn the_guides_forms_fit() {
    check_problems(
        "icmp.ge p0, r0, 100
        ucmp.ge p1, r2, r3
        fcmp.ge p1, r2, 1.5
        and p2, p0, !p1
        not p3, p2
        break_out: loop
        break !p0
        continue p1
        endloop
        device_load.u128.streaming r0, r4
        atomic_add.device r1, r2, r3
        fence_acq_rel.device
        mov_imm r0, 0xffff_ffff
        shl r1, r0, 2
        select r2, p0, r3, 7",
        expect![""],
    );
}

#[test]
fn a_name_that_the_parser_reports_is_reported_once() {
    let file = parse_file(
        warplens_syntax::wave::LANGUAGE,
        ".kernel k\n    icmp.\n    \u{fc}rgh r0\n    halt\n.end\n",
    );
    let reported: Vec<_> = file.errors().iter().map(|error| &*error.message).collect();
    let expected = [
        "missing name after this dot",
        "a name cannot begin with `\u{fc}`: its first letter must be one of ASCII",
    ];
    assert_eq!(reported, expected);
    let problems: Vec<_> = file.items().map(lower).flat_map(|code| code.problems).collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn unknown_words() {
    check_problems(
        "IADD r0, r1, r2
        idd r0, r1, r2
        reduce_add r1, r0
        ucmp_ge p0, r0, r1
        icmp.xx p0, r0, r1
        frobnicate
        .Registers 4
        .align 4
        mov r0, sr_clock
        iadd.lt r0, r1, r2
        iadd.cached r0, r1, r2
        mov r300, r1
        mov r0, p9
        atomic_add.galaxy r0, r1, r2",
        expect![[r#"
            2 `IADD` Error unknown-instruction
            3 `idd` Error unknown-instruction
            4 `reduce_add` Error unknown-instruction
            5 `ucmp_ge` Error unknown-instruction
            6 `icmp.xx` Error unknown-instruction
            7 `frobnicate` Error unknown-instruction
            8 `.Registers` Error unknown-directive
            9 `.align` Error unknown-directive
            10 `sr_clock` Error unknown-special-register
            11 `.lt` Error unknown-modifier
            12 `.cached` Warning unused-cache-hint
            13 `r300` Error register-index
            14 `p9` Error register-index
            15 `.galaxy` Error unknown-modifier
            15 `r0` Warning result-to-r0
        "#]],
    );
}

#[test]
fn operands_that_do_not_fit() {
    check_problems(
        "iadd r0, r1
        iadd r0, p1, r2
        iadd 5, r1, r2
        if r0
        mov_imm r0, r1
        mov_imm r0, 4294967296
        iadd r1, r1, 1.5
        iadd r0, sr_lane_id, r1
        halt r0
        nop again
        nop nop
        select r0, !p1, r1, r2
        atomic_add r0, r1, r2, .device
        atomic_add r3, r1, r2
        atomic_cas r1, r2, r3
        fence_acquire
        barrier .device
        endif",
        expect![[r#"
            2 `iadd` Error operand-count
            3 `p1` Error operand-kind
            4 `5` Error operand-kind
            5 `r0` Error operand-kind
            6 `r1` Error operand-kind
            7 `4294967296` Error immediate-range
            9 `sr_lane_id` Warning special-operand
            10 `r0` Error operand-count
            11 `again` Error operand-count
            12 `nop` Error missing-newline
            13 `!p1` Error operand-kind
            14 `r0` Warning result-to-r0
            15 `atomic_add` Warning missing-scope
            16 `atomic_cas` Warning missing-scope
            17 `fence_acquire` Error missing-scope
            18 `.device` Error operand-count
        "#]],
    );
}

#[test]
fn directives_and_registers() {
    check_problems(
        ".registers 4
        .workgroup_size 1, 2, 3, 4
        .local_memory
        .registers x
        .workgroup_size 64, 2
        mov r4, r5
        iadd r4, r3, r5",
        expect![[r#"
            3 `.workgroup_size` Error directive-arguments
            4 `.local_memory` Error directive-arguments
            5 `.registers` Error directive-arguments
            6 `.workgroup_size` Error directive-arguments
            7 `r4` Warning register-beyond-count
            7 `r5` Warning register-beyond-count
        "#]],
    );
    check_problems(
        "mov r32, r31",
        expect![[r#"
        2 `r32` Warning register-beyond-count
    "#]],
    );
}

#[test]
fn guards() {
    check_problems(
        "@p0 nop\n@!p0 nop\n@p1 nop\nloop\n@p1 break p2\nendloop\n@p1 halt\n@p2 barrier",
        expect![[r#"
            2 `@p0` Warning guard-p0
            6 `@p1` Warning guarded-control
            9 `@p2` Warning guarded-control
        "#]],
    );
}

#[test]
fn structure_problems() {
    check_problems(
        "else\nendif\nendloop\nbreak p0\ncontinue p1",
        expect![[r#"
            2 `else` Error unmatched-structure
            3 `endif` Error unmatched-structure
            4 `endloop` Error unmatched-structure
            5 `break` Error outside-loop
            6 `continue` Error outside-loop
        "#]],
    );
    check_problems(
        "if p0\nelse\nelse\nendif",
        expect![[r#"
            4 `else` Error second-else
        "#]],
    );
    check_problems(
        "if p0\nloop\nbreak p1\nendif\nendloop",
        expect![[r#"
            5 `endif` Error improper-nesting
        "#]],
    );
    check_problems(
        "if p0\nloop\nbreak p1\nendif",
        expect![[r#"
            3 `loop` Error unclosed-structure
        "#]],
    );
    check_problems(
        "loop\nif p0\nendloop",
        expect![[r#"
            2 `loop` Warning endless-loop
            3 `if` Error unclosed-structure
        "#]],
    );
    check_problems(
        "loop\nnop\nendloop",
        expect![[r#"
            2 `loop` Warning endless-loop
        "#]],
    );
    check_problems(
        &("if p0\n".repeat(34) + &"endif\n".repeat(34)),
        expect![[r#"
            34 `if` Error nesting-depth
        "#]],
    );
}

#[test]
fn a_kernel_ends_with_halt() {
    let text = ".kernel a\n@p1 halt\n.end\n.kernel b\nreturn\n.end\n.kernel c\n.end\n.registers 4";
    let mut out = String::new();
    for (start, code) in items(text) {
        for problem in &code.problems {
            write_problem(&mut out, text, start, problem);
        }
    }
    expect![[r#"
        2 `p1` Warning unwritten-register
        3 `.end` Warning missing-halt
        9 `.registers` Warning directive-outside-kernel
    "#]]
    .assert_eq(&out);
}

#[test]
fn links() {
    let (_, code) = kernel("loop\nif p0\nbreak p1\nelse\ncontinue p2\nendif\nendloop");
    expect![[r#"
        [
            Some(
                Loop {
                    end: Some(
                        6,
                    ),
                },
            ),
            Some(
                If {
                    otherwise: Some(
                        3,
                    ),
                    end: Some(
                        5,
                    ),
                },
            ),
            Some(
                Leave {
                    open: 0,
                },
            ),
            Some(
                Else {
                    open: 1,
                    end: Some(
                        5,
                    ),
                },
            ),
            Some(
                Leave {
                    open: 0,
                },
            ),
            Some(
                EndIf {
                    open: 1,
                },
            ),
            Some(
                EndLoop {
                    open: 0,
                },
            ),
            None,
        ]
    "#]]
    .assert_debug_eq(&code.links);
    assert_eq!(code.parents, [None, Some(0), Some(1), Some(0), Some(1), Some(0), None, None]);
    assert_eq!(code.construct(3), [1, 3, 5]);
    assert_eq!(code.construct(4), [0, 2, 4, 6]);
    assert_eq!(code.links[5], Some(Link::EndIf { open: 1 }));
    assert!(code.construct(7).is_empty());
}

#[test]
fn names() {
    let text = ".kernel k\n@!p1 iadd r10.hi, r2, 5\nselect r1, p0, r2, r3\nbreak !p2\ncall k2\nk2: mov r0, sr_lane_id\nmma_load_a r0, r1, r2\nhalt\n.end";
    let (_, code) = items(text).swap_remove(0);
    let mut out = String::new();
    for name in code.names() {
        writeln!(out, "{:?} {:?} {:?}", &text[name.range], name.name, name.role)
            .expect("a string takes text");
    }
    expect![[r#"
        "k" Kernel("k") Declaration
        "p1" Predicate(1) Read
        "r10" Register(10) Write
        "r2" Register(2) Read
        "r1" Register(1) Write
        "p0" Predicate(0) Read
        "r2" Register(2) Read
        "r3" Register(3) Read
        "p2" Predicate(2) Read
        "k2" Label("k2") Call
        "k2" Label("k2") Declaration
        "r0" Register(0) Write
        "sr_lane_id" Special("sr_lane_id") Read
        "r1" Register(1) Read
        "r2" Register(2) Read
    "#]]
    .assert_eq(&out);
    let offset = text.find("k2:").expect("there") as u32;
    let label = code.name_at(offset.into()).expect("a name");
    assert_eq!(code.occurrences(&label.name).count(), 2);
    assert_eq!(label.name, Name::Label("k2".into()));
}

fn check_ways(statements: &str, expected: Expect) {
    check(statements, |_| true, expected);
}

#[test]
fn registers_that_nothing_has_written() {
    check_ways(
        "iadd r5, r0, r2
        if p1
        mov_imm r9, 1
        else
        iadd r5, r9, r0
        endif
        iadd r5, r9, r20
        dadd r6, r6, r5
        loop
        break p2
        iadd r5, r30, r0
        mov_imm r30, 4
        ucmp.lt p2, r5, r30
        endloop",
        expect![[r#"
            3 `p1` Warning unwritten-register
            6 `r9` Warning unwritten-register
            8 `r20` Warning unwritten-register
            9 `r6` Warning unwritten-register
            11 `p2` Warning unwritten-register
            12 `r30` Warning unwritten-register
        "#]],
    );
}

#[test]
fn what_is_called_may_have_written_anything() {
    check_ways(
        "call set
        iadd r20, r21, r22
        @p1 nop
        halt
        set:
        iadd r21, r30, r31
        return",
        expect![[r#"
            9 `halt` Hint unreachable-code
        "#]],
    );
}

#[test]
fn code_after_halt_is_unreachable() {
    check_ways(
        "icmp.lt p1, r0, 4
        if p1
        halt
        mov_imm r1, 1
        mov_imm r1, 2
        else
        mov_imm r1, 3
        endif
        mov_imm r1, 4
        @p1 halt
        if p1
        return
        else
        halt
        endif
        mov_imm r1, 5
        loop
        endloop",
        expect![[r#"
            5 `mov_imm r1, 1
                    mov_imm r1, 2` Hint unreachable-code
            17 `mov_imm r1, 5
                    loop
                    endloop
            halt` Hint unreachable-code
            18 `loop` Warning endless-loop
        "#]],
    );
}

#[test]
fn all_lanes_may_have_ended_before_the_end() {
    let text = ".kernel k\nicmp.lt p1, r0, 4\nif p1\nhalt\nelse\nreturn\nendif\n.end\n";
    let (_, code) = items(text).swap_remove(0);
    assert!(code.problems.is_empty(), "{:?}", code.problems);
}

#[test]
fn barriers_under_divergence() {
    check_ways(
        "mov_sr r1, sr_lane_id
        mov_sr r2, sr_wave_id
        icmp.lt p1, r1, 4
        icmp.lt p2, r2, 4
        if p2
        barrier
        endif
        mov_imm r3, 0
        if p1
        mov_imm r3, 1
        if p2
        barrier
        endif
        endif
        barrier
        icmp.eq p3, r3, 1
        if p3
        barrier
        endif",
        expect![[r#"
            13 `barrier` Warning divergent-barrier
            19 `barrier` Warning divergent-barrier
        "#]],
    );
}

#[test]
fn barriers_of_functions() {
    check_ways(
        "mov_sr r1, sr_lane_id
        icmp.lt p1, r1, 4
        if p1
        call part
        endif
        call whole
        call early
        halt
        part: barrier
        return
        whole: barrier
        return
        early: if p1
        return
        endif
        barrier
        return",
        expect![[r#"
            10 `barrier` Warning divergent-barrier
            17 `barrier` Warning divergent-barrier
            19 `halt` Hint unreachable-code
        "#]],
    );
}

#[test]
fn barriers_in_loops_with_divergent_exits() {
    check_ways(
        "mov_sr r1, sr_lane_id
        mov_imm r2, 0
        loop
        barrier
        iadd r2, r2, 1
        icmp.gt p1, r2, 8
        break p1
        endloop
        loop
        barrier
        iadd r3, r2, 1
        icmp.gt p2, r3, r1
        break p2
        endloop
        icmp.gt p3, r3, 2
        if p3
        barrier
        endif
        wave_any p3, p3
        if p3
        barrier
        endif",
        expect![[r#"
            11 `barrier` Warning divergent-barrier
            18 `barrier` Warning divergent-barrier
        "#]],
    );
}

#[test]
fn functions_that_call_themselves() {
    check_ways(
        "call even
        halt
        even:
        icmp.eq p1, r0, 0
        @p1 return
        isub r0, r0, 1
        call odd
        return
        odd:
        call even
        call leaf
        return
        leaf:
        return",
        expect![[r#"
            6 `@p1` Warning guarded-control
            11 `even` Warning recursion
            16 `halt` Hint unreachable-code
        "#]],
    );
}
