//! The statements of random kernels, as text with marks for their operands.
//!
//! | Mark | Replaced by |
//! |---|---|
//! | `$w`, `$l` | a register of 32, of 64 bits |
//! | `$o`, `$m` | such a register or a constant |
//! | `$5`, `$6` | a number below 32, below 64 |
//! | `$8`, `$x` | a number of 8, of 16 bits |
//! | `$s` | `s` or `u` |
//! | `$c` | a comparison |
//! | `$p` | a predicate, which a statement before sets |

use super::{Body, COMPARISONS};

pub(super) type Group = &'static [&'static str];

/// One statement with a result of 32 bits.
pub(super) const WORD: Group = &[
    "add.s32 $w, $w, $o;",
    "add.u32 $w, $w, $o;",
    "sub.s32 $w, $w, $o;",
    "sub.u32 $w, $w, $w;",
    "mul.lo.s32 $w, $w, $o;",
    "mul.lo.u32 $w, $w, $w;",
    "mul.hi.$s32 $w, $w, $o;",
    "mul24.lo.$s32 $w, $w, $o;",
    "mul24.hi.$s32 $w, $w, $o;",
    "mad24.lo.$s32 $w, $w, $w, $w;",
    "mad24.hi.$s32 $w, $w, $w, $w;",
    "mad.lo.s32 $w, $w, $o, $w;",
    "mad.lo.u32 $w, $w, $o, $o;",
    "mad.hi.$s32 $w, $w, $o, $w;",
    "mad.hi.sat.s32 $w, $w, $o, $w;",
    "add.sat.s32 $w, $w, $o;",
    "sub.sat.s32 $w, $w, $o;",
    "min.$s32 $w, $w, $o;",
    "max.$s32 $w, $w, $o;",
    "abs.s32 $w, $w;",
    "neg.s32 $w, $w;",
    "sad.$s32 $w, $w, $o, $w;",
    "and.b32 $w, $w, $o;",
    "or.b32 $w, $w, $o;",
    "xor.b32 $w, $w, $o;",
    "not.b32 $w, $w;",
    "cnot.b32 $w, $w;",
    "lop3.b32 $w, $w, $o, $w, $8;",
    "lop3.b32 $w, $w, $w, $w, $8;",
    "shl.b32 $w, $w, $o;",
    "shl.b32 $w, $w, $5;",
    "shr.$s32 $w, $w, $o;",
    "shr.$s32 $w, $w, $5;",
    "shf.l.wrap.b32 $w, $w, $w, $o;",
    "shf.l.clamp.b32 $w, $w, $w, $w;",
    "shf.r.wrap.b32 $w, $w, $w, $5;",
    "shf.r.clamp.b32 $w, $w, $w, $o;",
    "prmt.b32 $w, $w, $w, $o;",
    "prmt.b32 $w, $w, $w, $x;",
    "prmt.b32.f4e $w, $w, $w, $w;",
    "prmt.b32.b4e $w, $w, $w, $w;",
    "prmt.b32.rc8 $w, $w, $w, $w;",
    "prmt.b32.ecl $w, $w, $w, $w;",
    "prmt.b32.ecr $w, $w, $w, $w;",
    "prmt.b32.rc16 $w, $w, $w, $w;",
    "bfe.$s32 $w, $w, $5, $5;",
    "bfe.$s32 $w, $w, $w, $w;",
    "bfi.b32 $w, $w, $o, $5, $5;",
    "bfi.b32 $w, $w, $w, $w, $w;",
    "bmsk.clamp.b32 $w, $w, $o;",
    "bmsk.wrap.b32 $w, $w, $w;",
    "szext.clamp.$s32 $w, $w, $5;",
    "popc.b32 $w, $w;",
    "popc.b64 $w, $l;",
    "clz.b32 $w, $w;",
    "clz.b64 $w, $l;",
    "brev.b32 $w, $w;",
    "bfind.$s32 $w, $w;",
    "bfind.shiftamt.$s32 $w, $w;",
    "bfind.$s64 $w, $l;",
    "dp4a.$s32.$s32 $w, $w, $w, $w;",
    "dp2a.lo.$s32.$s32 $w, $w, $w, $w;",
    "dp2a.hi.$s32.$s32 $w, $w, $w, $w;",
    "selp.b32 $w, $w, $o, $p;",
    "slct.s32.s32 $w, $w, $o, $w;",
    "set.$c.u32.$s32 $w, $w, $o;",
    "set.$c.and.s32.$s32 $w, $w, $o, $p;",
    "cvt.u32.u64 $w, $l;",
    "cvt.sat.s32.s64 $w, $l;",
    "cvt.sat.u32.s64 $w, $l;",
    "cvt.s32.s8 $w, $w;",
    "cvt.u32.u8 $w, $w;",
    "cvt.s32.s16 $w, $w;",
    "cvt.sat.s8.s32 $w, $w;",
    "cvt.sat.u8.s32 $w, $w;",
    "cvt.sat.s16.u32 $w, $w;",
    "cvt.sat.u16.s32 $w, $w;",
    "mov.b32 $w, $o;",
    "mov.u32 $w, %tid.x;",
    "mov.u32 $w, %laneid;",
];

/// One statement with a result of 64 bits.
pub(super) const LONG: Group = &[
    "add.s64 $l, $l, $m;",
    "add.u64 $l, $l, $l;",
    "sub.u64 $l, $l, $m;",
    "sub.s64 $l, $l, $l;",
    "mul.lo.s64 $l, $l, $m;",
    "mul.hi.$s64 $l, $l, $l;",
    "mad.lo.u64 $l, $l, $m, $l;",
    "mad.hi.$s64 $l, $l, $l, $l;",
    "mul.wide.$s32 $l, $w, $o;",
    "mad.wide.$s32 $l, $w, $o, $l;",
    "min.$s64 $l, $l, $m;",
    "max.$s64 $l, $l, $m;",
    "abs.s64 $l, $l;",
    "neg.s64 $l, $l;",
    "and.b64 $l, $l, $m;",
    "or.b64 $l, $l, $m;",
    "xor.b64 $l, $l, $m;",
    "not.b64 $l, $l;",
    "cnot.b64 $l, $l;",
    "shl.b64 $l, $l, $o;",
    "shl.b64 $l, $l, $6;",
    "shr.$s64 $l, $l, $o;",
    "shr.$s64 $l, $l, $6;",
    "bfe.$s64 $l, $l, $6, $5;",
    "bfi.b64 $l, $l, $l, $6, $5;",
    "brev.b64 $l, $l;",
    "sad.$s64 $l, $l, $l, $l;",
    "selp.b64 $l, $l, $m, $p;",
    "cvt.s64.s32 $l, $w;",
    "cvt.u64.u32 $l, $w;",
    "cvt.s64.s8 $l, $w;",
    "cvt.sat.s16.s64 $l, $l;",
    "mov.b64 $l, {$w, $w};",
    "mov.b64 $l, $m;",
];

/// Statements that belong together: carries, 16 bits, quotients, what becomes one instruction.
pub(super) const PAIRS: Group = &[
    "add.cc.u32 $w, $w, $o;\n    addc.u32 $w, $w, $o;",
    // ptxas encodes a size that a parameter has wrongly for sm_75 to sm_89: docs/compare.md.
    "add.u32 %t1, $w, %t0;\n    szext.clamp.$s32 $w, $w, %t1;",
    "add.u32 %t1, $w, %t0;\n    szext.wrap.$s32 $w, $w, %t1;",
    "add.cc.s32 $w, $w, $o;\n    addc.cc.s32 $w, $w, $w;\n    addc.u32 $w, $w, 0;",
    "sub.cc.u32 $w, $w, $o;\n    subc.u32 $w, $w, $o;",
    "sub.cc.s32 $w, $w, $w;\n    subc.cc.s32 $w, $w, $w;\n    subc.u32 $w, $w, $o;",
    "mad.lo.cc.u32 $w, $w, $w, $w;\n    madc.hi.u32 $w, $w, $w, $w;",
    "mad.hi.cc.u32 $w, $w, $w, $w;\n    madc.lo.cc.u32 $w, $w, $w, $w;\n    addc.u32 $w, $w, 0;",
    "add.cc.u64 $l, $l, $m;\n    addc.u64 $l, $l, $l;",
    "sub.cc.u64 $l, $l, $l;\n    subc.u64 $l, $l, $m;",
    "add.cc.u32 %t1, $w, $w;\n    addc.u32 %t2, $w, $w;\n    mov.b64 $l, {%t1, %t2};",
    "max.s32 %t1, $w, $o;\n    max.s32 $w, %t1, $w;",
    "min.u32 %t1, $w, $o;\n    min.u32 $w, %t1, $o;",
    "min.s32 %t1, $w, $w;\n    max.s32 $w, %t1, $w;",
    "neg.s32 %t1, $w;\n    max.s32 %t2, $w, %t1;\n    max.s32 $w, %t2, $w;",
    "add.s32 %t1, $w, $o;\n    max.s32 $w, %t1, $w;",
    "add.s32 %t1, $w, $w;\n    min.u32 $w, %t1, $o;",
    "add.s32 %t1, $w, $w;\n    max.s32 %t2, %t1, $w;\n    max.s32 $w, %t2, 0;",
    "shl.b32 %t1, $w, $5;\n    add.s32 $w, %t1, $w;",
    "shl.b64 %u0, $l, $6;\n    add.s64 $l, %u0, $l;",
    "shl.b64 %u0, $l, $6;\n    shr.$s64 %u1, $l, $6;\n    sub.s64 $l, %u0, %u1;",
    "shl.b32 %t1, $w, $5;\n    shr.u32 %t2, $w, $5;\n    or.b32 $w, %t1, %t2;",
    "mul.wide.$s32 %u0, $w, $w;\n    add.s64 $l, %u0, $l;",
    "and.b32 %t1, $w, $w;\n    not.b32 %t2, $w;\n    xor.b32 $w, %t1, %t2;",
    "and.b32 %t1, $w, $o;\n    or.b32 %t2, %t1, $w;\n    xor.b32 $w, %t2, $o;",
    "shr.u32 %t1, $w, $5;\n    and.b32 $w, %t1, $8;",
    "or.b32 %t1, $w, 1;\n    div.u32 $w, $w, %t1;",
    "or.b32 %t1, $w, 1;\n    div.s32 $w, $w, %t1;",
    "or.b32 %t1, $w, 1;\n    rem.$s32 $w, $w, %t1;",
    "div.$s32 $w, $w, 7;",
    "rem.$s32 $w, $w, 1000;",
    "or.b64 %u0, $l, 1;\n    div.$s64 $l, $l, %u0;",
    "or.b64 %u0, $l, 1;\n    rem.$s64 $l, $l, %u0;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    add.s16 %h1, %h1, %h2;\n    cvt.$s32.$s16 $w, %h1;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    mul.lo.s16 %h1, %h1, %h2;\n    cvt.s32.s16 $w, %h1;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    mul.hi.$s16 %h1, %h1, %h2;\n    cvt.s32.s16 $w, %h1;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    mul.wide.$s16 $w, %h1, %h2;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    mad.wide.$s16 $w, %h1, %h2, $w;",
    "cvt.u16.u32 %h1, $w;\n    cvt.u16.u32 %h2, $w;\n    max.$s16 %h1, %h1, %h2;\n    cvt.u32.u16 $w, %h1;",
    // ptxas loses a `cnot` that is the amount of a shift of 16 bits.
    "add.u32 %t1, $w, %t0;\n    cvt.u16.u32 %h1, $w;\n    shr.$s16 %h1, %h1, $5;\n    shl.b16 %h1, %h1, %t1;\n    cvt.u32.u16 $w, %h1;",
    "mov.b32 {%h1, %h2}, $w;\n    mov.b32 $w, {%h2, %h1};",
    "mov.b64 {$w, %t1}, $l;\n    xor.b32 $w, %t1, $w;",
];

/// Statements that all threads of a warp must reach together.
pub(super) const AT_TOP: Group = &[
    "shfl.sync.bfly.b32 $w, $w, $5, 31, -1;",
    "shfl.sync.idx.b32 $w, $w, $w, 31, -1;",
    "shfl.sync.up.b32 $w, $w, $5, 0, -1;",
    "shfl.sync.down.b32 $w, $w, $5, 0x181f, -1;",
    "vote.sync.ballot.b32 $w, $p, -1;",
    "match.any.sync.b32 $w, $w, -1;",
];

/// A statement of a group.
pub(super) fn statement(body: &mut Body<'_>, group: Group) -> String {
    let mut parts = group[body.rng.usize(..group.len())].split('$');
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mark = part.chars().next().unwrap_or_default();
        line += &match mark {
            'w' => body.word(),
            'l' => body.long(),
            'o' => body.operand(),
            'm' => body.long_operand(),
            '5' => body.rng.usize(..32).to_string(),
            '6' => body.rng.usize(..64).to_string(),
            '8' => body.rng.u8(..).to_string(),
            'x' => format!("{:#x}", body.rng.u16(..)),
            's' => (if body.rng.bool() { "s" } else { "u" }).to_owned(),
            'c' => COMPARISONS[body.rng.usize(..COMPARISONS.len())].to_owned(),
            'p' => body.predicate(),
            other => unreachable!("unknown mark ${other}"),
        };
        line += &part[mark.len_utf8()..];
    }
    line
}
