//! For each `if`, `break` and `continue` among the statements, whether it is divergent, and why.

use expect_test::{Expect, expect};
use warplens_syntax::parse_file;

use super::super::lower;
use super::*;

fn check(statements: &str, expected: Expect) {
    let text = format!(".kernel k\n{statements}\nhalt\n.end\n");
    let file = parse_file(warplens_syntax::wave::LANGUAGE, &text);
    assert!(file.errors().is_empty(), "{:?}", file.errors());
    let code = lower(file.items().next().expect("a kernel"));
    let analysis = Uniformity::of(&code);
    let mut shown = String::new();
    let words = |at: u32| text[code.instructions[at as usize].range].trim();
    for (at, link) in code.links.iter().enumerate() {
        if !matches!(link, Some(Link::If { .. } | Link::Leave { .. })) {
            continue;
        }
        shown += &format!("{}: {:?}", words(at as u32), analysis.branch(at));
        let cell = code.instructions[at].sources().next().expect("a predicate");
        for reason in analysis.reason(at, cell, false) {
            shown += &format!(" < {:?} `{}`", reason.because, words(reason.instruction));
        }
        shown.push('\n');
    }
    expected.assert_eq(&shown);
}

#[test]
fn data() {
    check(
        "mov_sr r1, sr_lane_id
icmp.lt p0, r1, 8
if p0
endif
icmp.lt p0, r0, 8
if p0
endif
wave_any p1, p0
if !p1
endif
device_load.u32 r2, r0
icmp.eq p2, r2, 0
if p2
endif
local_store.u32 r2, r0
local_load.u32 r2, r0
icmp.eq p2, r2, 0
if p2
endif
xor r1, r1, r1
icmp.eq p2, r1, 0
if p2
endif",
        expect![[r#"
            if p0: Varies < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p0: Uniform
            if !p1: Uniform
            if p2: Uniform
            if p2: Unknown < Made `icmp.eq p2, r2, 0` < Memory `local_load.u32 r2, r0`
            if p2: Uniform
        "#]],
    );
}

#[test]
fn control() {
    check(
        "mov_sr r1, sr_lane_id
icmp.lt p0, r1, 8
mov_imm r2, 0
if p0
mov_imm r2, 1
else
mov_imm r3, 1
endif
icmp.eq p1, r2, 0
if p1
endif
if p0
halt
endif
mov_imm r4, 1
icmp.eq p1, r4, 0
if p1
endif
@p0 mov_imm r4, 2
icmp.eq p1, r4, 0
if p1
endif
call f
icmp.eq p1, r4, 0
if p1
endif
halt
f: return",
        expect![[r#"
            if p0: Varies < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Varies < Made `icmp.eq p1, r2, 0` < Diverged `if p0` < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p0: Varies < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Uniform
            if p1: Varies < Made `icmp.eq p1, r4, 0` < Guarded `@p0 mov_imm r4, 2` < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Varies < Made `icmp.eq p1, r4, 0` < Guarded `@p0 mov_imm r4, 2` < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
        "#]],
    );
}

#[test]
fn loop_facts() {
    check(
        "mov_sr r1, sr_lane_id
mov_imm r2, 0
loop
icmp.ge p0, r2, r0
break p0
iadd r2, r2, 1
endloop
icmp.eq p1, r2, 3
if p1
endif
loop
icmp.ge p0, r2, r1
break p0
iadd r2, r2, 1
endloop
icmp.eq p1, r2, 3
if p1
endif",
        expect![[r#"
            break p0: Uniform
            if p1: Uniform
            break p0: Varies < Made `icmp.ge p0, r2, r1` < Special `mov_sr r1, sr_lane_id`
            if p1: Varies < Made `icmp.eq p1, r2, 3` < Left `break p0` < Made `icmp.ge p0, r2, r1` < Special `mov_sr r1, sr_lane_id`
        "#]],
    );
}

#[test]
fn lanes_that_go_on_early() {
    check(
        "mov_sr r1, sr_lane_id
mov_imm r2, 0
mov_imm r3, 0
loop
icmp.ge p0, r2, 9
break p0
iadd r2, r2, 1
icmp.eq p1, r1, r2
continue p1
icmp.ge p2, r3, 9
break p2
iadd r3, r3, 1
endloop",
        expect![[r#"
            break p0: Uniform
            continue p1: Varies < Made `icmp.eq p1, r1, r2` < Special `mov_sr r1, sr_lane_id`
            break p2: Varies < Made `icmp.ge p2, r3, 9` < Continued `continue p1` < Made `icmp.eq p1, r1, r2` < Special `mov_sr r1, sr_lane_id`
        "#]],
    );
}

#[test]
fn functions() {
    check(
        "mov_sr r1, sr_lane_id
mov_imm r2, 0
call double
icmp.eq p0, r2, 0
if p0
endif
mov r2, r1
call double
icmp.eq p0, r2, 0
if p0
endif
icmp.eq p0, r3, 0
if p0
endif
call lane
icmp.eq p1, r4, 0
if p1
endif
halt
double: iadd r2, r2, r2
icmp.eq p2, r2, 8
if p2
mov_imm r5, 1
endif
return
lane: mov_sr r4, sr_lane_id
return",
        expect![[r#"
            if p0: Varies < Made `icmp.eq p0, r2, 0` < Called `call double` < Made `iadd r2, r2, r2` < Brought `call double` < Made `mov r2, r1` < Special `mov_sr r1, sr_lane_id`
            if p0: Varies < Made `icmp.eq p0, r2, 0` < Called `call double` < Made `iadd r2, r2, r2` < Brought `call double` < Made `mov r2, r1` < Special `mov_sr r1, sr_lane_id`
            if p0: Uniform
            if p1: Varies < Made `icmp.eq p1, r4, 0` < Called `call lane` < Special `mov_sr r4, sr_lane_id`
            if p2: Varies < Made `icmp.eq p2, r2, 8` < Made `iadd r2, r2, r2` < Brought `call double` < Made `mov r2, r1` < Special `mov_sr r1, sr_lane_id`
        "#]],
    );
}

#[test]
fn lanes_that_return_early_or_come_in_part() {
    check(
        "mov_sr r1, sr_lane_id
icmp.lt p0, r1, 8
mov_imm r2, 0
call early
icmp.eq p1, r2, 0
if p1
endif
mov_imm r3, 0
if p0
call counts
endif
icmp.eq p1, r3, 0
if p1
endif
call elsewhere
if p1
endif
halt
early: if p0
return
endif
mov_imm r2, 1
return
counts: iadd r3, r3, 1
return
unused: icmp.eq p1, r3, 0
if p1
endif
return",
        expect![[r#"
            if p1: Unknown < Made `icmp.eq p1, r2, 0` < Returned `return`
            if p0: Varies < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Varies < Made `icmp.eq p1, r3, 0` < Diverged `if p0` < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Unknown < Call `call elsewhere`
            if p0: Varies < Brought `call early` < Made `icmp.lt p0, r1, 8` < Special `mov_sr r1, sr_lane_id`
            if p1: Unknown < Made `icmp.eq p1, r3, 0` < Callers `icmp.eq p1, r3, 0`
        "#]],
    );
}
