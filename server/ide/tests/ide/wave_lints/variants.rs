//! Handwritten patterns: the lint for each, and that its rewrites have equal results for waves of many widths.

use expect_test::expect;

use super::{hold, offers, underscored};

const WIDTHS: [u32; 4] = [1, 8, 33, 64];

/// The code before each pattern. r3 and r5 vary by lane, r4 and r6 do not; lanes diverge at p0 and p1 but not at p2, and
/// p3 is unknown.
const START: &str = "
    mov_sr r3, sr_lane_id
    mov_imm r4, 5
    mov r5, r3
    mov_imm r6, 0x40490fdb
    mov_imm r8, 0
    mov_imm r30, 1
    device_load_u32 r9, r8
    icmp_lt p0, r3, r4
    icmp_ge p1, r3, r30
    icmp_lt p2, r0, r4
    icmp_eq p3, r9, r4
";

/// Names and statements.
const SHAPES: &[(&str, &str)] = &[
    ("two moves", "if p0\nmov r4, r5\nelse\nmov r4, r3\nendif"),
    ("two numbers", "if p0\nmov_imm r4, 1\nelse\nmov_imm r4, 2\nendif"),
    ("two numbers, not", "if !p0\nmov_imm r4, 1\nelse\nmov_imm r4, 2\nendif"),
    ("one move", "if p0\nmov r4, r5\nendif"),
    ("one move to what nothing wrote", "if p0\nmov r7, r5\nendif"),
    ("one computation", "if p0\niadd r4, r4, r5\nendif"),
    ("only the other side", "if p0\nelse\nmov r4, r5\nendif"),
    ("empty", "if p0\nelse\nendif"),
    ("uniform", "if p2\nmov r4, r5\nelse\nmov r4, r3\nendif"),
    ("unknown", "if p3\nmov r4, r5\nelse\nmov r4, r3\nendif"),
    ("floats", "if p0\nfadd r4, r6, r6\nelse\nfmul r4, r6, r6\nendif"),
    ("expensive floats", "if p0\nfdiv r4, r6, r6\nelse\nfsqrt r4, r6\nendif"),
    ("fused", "if p0\nfma r4, r6, r6, r4\nelse\nimad r4, r3, r3, r4\nendif"),
    ("doubles", "if p0\ndadd r4, r6, r6\nelse\ndmul r4, r6, r6\nendif"),
    ("halves of registers", "if p0\nmov r4.lo, r5\nelse\nmov r4.lo, r3\nendif"),
    ("guarded inside", "if p0\n@p1 mov r4, r5\nelse\nmov r4, r3\nendif"),
    ("stores inside", "if p0\ndevice_store_u32 r8, r4\nelse\ndevice_store_u32 r8, r3\nendif"),
    ("loads inside", "if p0\ndevice_load_u32 r4, r8\nelse\nmov r4, r3\nendif"),
    ("atomics inside", "if p0\nlocal_atomic_add r4, r8, r30\nelse\nmov r4, r3\nendif"),
    ("wave operations inside", "if p0\nwave_reduce_add r4, r3\nelse\nmov r4, r3\nendif"),
    ("shuffles inside", "if p0\nwave_shuffle r4, r3, r8\nelse\nmov r4, r3\nendif"),
    (
        "predicates inside",
        "if p0\nicmp_lt p1, r3, r4\nelse\nicmp_gt p1, r3, r4\nendif\nselect r4, p1, r3, r5",
    ),
    ("the lane inside", "if p0\nmov_sr r4, sr_lane_id\nelse\nmov r4, r6\nendif"),
    ("two in a side", "if p0\nmov r4, r5\niadd r4, r4, r4\nelse\nmov r4, r3\nendif"),
    ("two targets", "if p0\nmov r4, r5\nelse\nmov r7, r3\nendif"),
    ("each reads what both write", "if p0\niadd r4, r4, r3\nelse\nisub r4, r4, r3\nendif"),
    ("one reads what both write", "if p0\nmov r4, r5\nelse\nisub r4, r4, r3\nendif"),
    ("itself", "if p0\nmov r4, r4\nelse\nmov r4, r3\nendif"),
    ("on one line", "if p0 mov r4, r5 else\nmov r4, r3 endif"),
    ("comments", "if p0 ; a\n; b\nmov r4, r5 # c\nelse ; d\n# e\nmov r4, r3 ; f\n; g\nendif ; h"),
    ("a select in a select", "if p0\nif p1\nmov r4, r5\nelse\nmov r4, r6\nendif\nelse\nmov r4, r3\nendif"),
    ("ends inside", "if p0\nhalt\nendif"),
    ("ends inside, uniform", "if p2\nmov r4, r5\nhalt\nendif"),
    ("guarded if", "@p1 if p0\nmov r4, r5\nelse\nmov r4, r3\nendif"),
    ("a label inside", "if p0\nhere: mov r4, r5\nelse\nmov r4, r3\nendif"),
    ("a call inside", "if p0\ncall f\nelse\nmov r4, r3\nendif"),
    ("in a function", "call g\nmov r4, r7"),
    ("two ifs", "if p0\nif p1\ndevice_store_u32 r8, r3\nendif\nendif"),
    ("two ifs, not", "if !p0\nif !p1\ndevice_store_u32 r8, r3\nendif\nendif"),
    ("three ifs", "if p0\nif p1\nif p3\ndevice_store_u32 r8, r3\nendif\nendif\nendif"),
    ("two ifs, compared between", "if p0\nicmp_lt p3, r5, r30\nif p3\ndevice_store_u32 r8, r3\nendif\nendif"),
    (
        "two ifs, loaded between",
        "if p0\ndevice_load_u32 r7, r8\nif p1\ndevice_store_u32 r8, r3\nendif\nendif",
    ),
    ("two ifs and more", "if p0\nif p1\ndevice_store_u32 r8, r3\nendif\nmov r7, r3\nendif"),
    ("two ifs, other side", "if p0\nif p1\ndevice_store_u32 r8, r3\nelse\nnop\nendif\nendif"),
    ("two ifs, outer uniform", "if p2\nif p1\ndevice_store_u32 r8, r3\nendif\nendif"),
    (
        "two ifs, read later",
        "if p0\nif p1\ndevice_store_u32 r8, r3\nendif\nendif\nselect r4, p0, r3, r5\nselect r7, p1, r3, r5",
    ),
    (
        "two ifs, all read later",
        "if p0\nif p1\ndevice_store_u32 r8, r3\nendif\nendif\nselect r4, p0, r3, r5\nselect r4, p1, r3, r4\nselect r4, p2, r3, r4\nselect r4, p3, r3, r4",
    ),
    ("break", "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nif p1\nbreak p1\nendif\nendloop"),
    ("break, uniform", "loop\nisub r4, r4, r30\nicmp_lt p1, r4, r8\nif p1\nbreak p1\nendif\nendloop"),
    (
        "break or store",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nif p1\nbreak p1\nelse\ndevice_store_u32 r8, r5\nendif\nendloop",
    ),
    (
        "break by another",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nicmp_lt p0, r5, r30\nif p0\nbreak p1\nendif\nendloop",
    ),
    (
        "break twice",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nif p1\nmov r7, r5\nbreak p1\nendif\nbreak p1\nendloop",
    ),
    (
        "continue",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nicmp_lt p0, r5, r4\nif p0\niadd r7, r5, r7\ndevice_store_u32 r8, r7\nendif\nendloop",
    ),
    (
        "continue, other side",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nicmp_lt p0, r5, r4\nif p0\niadd r7, r5, r7\nnop\nelse\nnop\nendif\nendloop",
    ),
    (
        "continue, more",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nicmp_lt p0, r5, r4\nif p0\niadd r7, r5, r7\nnop\nendif\nnop\nendloop",
    ),
    (
        "continue, uniform",
        "mov r7, r4\nloop\nisub r7, r7, r30\nicmp_lt p1, r7, r8\nbreak p1\nicmp_lt p0, r7, r30\nif p0\niadd r6, r5, r6\nnop\nendif\nendloop",
    ),
    (
        "continue, float",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nfcmp_lt p0, r5, r4\nif p0\niadd r7, r5, r7\nnop\nendif\nendloop",
    ),
    (
        "continue in an if",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nicmp_lt p0, r5, r4\nif p0\nnop\ncontinue p0\nendif\niadd r7, r5, r7\nendloop",
    ),
    (
        "inner loops",
        "loop\nisub r5, r5, r30\nicmp_lt p1, r5, r8\nbreak p1\nmov r7, r5\nicmp_lt p0, r5, r4\nif p0\nloop\nisub r7, r7, r30\nicmp_lt p3, r7, r8\nbreak p3\nendloop\nnop\nendif\nendloop",
    ),
];

/// Functions that the patterns may call.
const FUNCTIONS: [(&str, &str); 2] = [
    ("f", "    mov r4, r5\n"),
    ("g", "    if p0\n        mov r7, r5\n    else\n        mov r7, r6\n    endif\n"),
];

/// A whole kernel with one pattern.
fn kernel(statements: &str) -> String {
    let mut text = format!(".kernel k\n    .registers 32\n{START}");
    let mut depth = 1;
    for line in statements.lines() {
        let word = line.split_whitespace().next().unwrap_or_default();
        depth -= usize::from(matches!(word, "else" | "endif" | "endloop"));
        text += &format!("{}{line}\n", "    ".repeat(depth));
        depth += usize::from(matches!(word, "if" | "else" | "loop") || line.starts_with("@p1 if"));
    }
    text += "    device_store_u32 r8, r4\n    halt\n";
    for (name, body) in FUNCTIONS {
        if statements.contains(&format!("call {name}")) {
            text += &format!("{name}:\n{body}    return\n");
        }
    }
    text + ".end\n"
}

/// The text with the guide's mnemonics.
fn dotted(text: &str) -> String {
    let text = text.replace("cmp_", "cmp.").replace("device_load_u32", "device_load.u32");
    let swapped = text.lines().map(|line| match line.split_once("device_store_u32 ") {
        Some((before, rest)) => {
            let (address, value) = rest.split_once(", ").unwrap_or((rest, ""));
            format!("{before}device_store.u32 {value}, {address}\n")
        }
        None => format!("{line}\n"),
    });
    swapped.collect()
}

/// The lints that are offered for a text, all of whose rewrites are checked.
fn lints(text: &str) -> String {
    let mut found: Vec<&str> = offers(text).into_iter().map(|(lint, _)| lint).collect();
    found.dedup();
    for width in WIDTHS {
        hold(text, width);
    }
    hold(&text.replace('\n', "\r\n"), 5);
    hold(&text.replace("    ", "\t"), 31);
    if found.is_empty() { "-".to_owned() } else { found.join(", ") }
}

#[test]
fn in_both_dialects() {
    let mut shown = String::new();
    for (name, statements) in SHAPES {
        let toolchain = kernel(statements);
        let guide = lints(&dotted(&toolchain));
        let is_guides = statements.contains('!');
        let toolchain = if is_guides { "-".to_owned() } else { lints(&underscored(&toolchain)) };
        shown += &format!("{name}: {guide}");
        shown += &if toolchain == guide || is_guides {
            "\n".to_owned()
        } else {
            format!("; toolchain: {toolchain}\n")
        };
    }
    expect![[r#"
        two moves: branch-for-select
        two numbers: branch-for-select
        two numbers, not: branch-for-select
        one move: branch-for-select
        one move to what nothing wrote: -
        one computation: -
        only the other side: -
        empty: -
        uniform: -
        unknown: branch-for-select
        floats: branch-for-select
        expensive floats: -
        fused: branch-for-select
        doubles: -
        halves of registers: -
        guarded inside: -
        stores inside: -
        loads inside: -
        atomics inside: -
        wave operations inside: -
        shuffles inside: -
        predicates inside: -
        the lane inside: branch-for-select
        two in a side: -
        two targets: -
        each reads what both write: branch-for-select
        one reads what both write: branch-for-select
        itself: -
        on one line: -
        comments: branch-for-select
        a select in a select: branch-for-select
        ends inside: -
        ends inside, uniform: -
        guarded if: -
        a label inside: -
        a call inside: -
        in a function: branch-for-select
        two ifs: nested-branch; toolchain: -
        two ifs, not: nested-branch
        three ifs: nested-branch; toolchain: -
        two ifs, compared between: nested-branch; toolchain: -
        two ifs, loaded between: -
        two ifs and more: -
        two ifs, other side: -
        two ifs, outer uniform: -
        two ifs, read later: nested-branch; toolchain: -
        two ifs, all read later: -
        break: branch-for-break
        break, uniform: -
        break or store: branch-for-break
        break by another: branch-for-break; toolchain: branch-for-continue
        break twice: -
        continue: branch-for-continue
        continue, other side: -
        continue, more: -
        continue, uniform: -
        continue, float: branch-for-continue; toolchain: -
        continue in an if: -
        inner loops: branch-for-continue
    "#]]
    .assert_eq(&shown);
}
