mod parts;

use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

/// The diagnostics of a module, with what would fix them.
fn check(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let mut shown = String::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        let place = fixture.show(found.range);
        shown.push_str(&format!("{place} {:?} {}: {}\n", found.severity, found.code, found.message));
        for related in found.related {
            shown.push_str(&format!("    {} {}\n", fixture.show(related.range), related.message));
        }
        for fix in found.fixes {
            shown.push_str(&format!("    fix: {}\n", fix.title));
        }
    }
    expect.assert_eq(&shown);
}

/// A kernel around some statements.
fn check_body(statements: &str, expect: Expect) {
    check(
        &format!(
            "\
.version 8.0
.target sm_90
.address_size 64
.global .b32 table[4];
.shared .b32 tile[4];
.visible .entry k(.param .u64 out) {{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
{statements}
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn modifiers() {
    check_body(
        "mul.s32 %r1, %r2, %r3;",
        expect![[r#"
        8:`mul.s32` Error missing-modifier: `mul.s32` needs `.hi`, `.lo` or `.wide` (which variant of the operation is meant)
            fix: Replace with `mul.hi.s32`
            fix: Replace with `mul.lo.s32`
            fix: Replace with `mul.wide.s32`
    "#]],
    );
    check_body(
        "mul.lo.hi.s32 %r1, %r2, %r3;",
        expect![[r#"
            8:`.lo` Error modifier-not-allowed: `.hi` and `.lo` are mutually exclusive; remove one of them
                fix: Remove `.lo`
        "#]],
    );
    check_body(
        "mul.s32.lo %r1, %r2, %r3;",
        expect![[r#"
            8:`mul.s32.lo` Error invalid-form: these modifiers are in the wrong order; write `mul.lo.s32`
                fix: Replace with `mul.lo.s32`
        "#]],
    );
    check_body(
        "cvt.u32.f32 %r1, %f1;",
        expect![[r#"
        8:`cvt.u32.f32` Error missing-modifier: `cvt.u32.f32` needs `.rni`, `.rzi`, `.rmi` or `.rpi` (how a float becomes an integral value)
            fix: Replace with `cvt.rni.u32.f32`
            fix: Replace with `cvt.rzi.u32.f32`
            fix: Replace with `cvt.rmi.u32.f32`
            fix: Replace with `cvt.rpi.u32.f32`
    "#]],
    );
    check_body(
        "setp.s32 %p1, %r1, %r2;",
        expect![[r#"
        8:`setp.s32` Error missing-modifier: `setp.s32` needs `.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge` (the comparison)
            fix: Replace with `setp.eq.s32`
            fix: Replace with `setp.ne.s32`
            fix: Replace with `setp.lt.s32`
            fix: Replace with `setp.le.s32`
    "#]],
    );
    check_body(
        "setp.s32.lt %p1, %r1, %r2;",
        expect![[r#"
        8:`setp.s32.lt` Hint modifier-order: the documented order of these modifiers is `setp.lt.s32`
            fix: Replace with `setp.lt.s32`
    "#]],
    );
    check_body(
        "setp.lo.s32 %p1, %r1, %r2;",
        expect![[r#"
        8:`.lo` Error modifier-not-allowed: `setp.s32` takes `.eq`, `.ne`, `.lt`, `.le`, `.gt` or `.ge` here, not `.lo` (the comparison)
            fix: Replace with `.eq`
            fix: Replace with `.ne`
            fix: Replace with `.lt`
            fix: Replace with `.le`
    "#]],
    );
    check_body(
        "mad.lo.sat.s32 %r1, %r1, %r2, %r3;",
        expect![[r#"
            8:`.sat` Error modifier-not-allowed: `mad.lo.s32` does not accept `.sat`; it can be combined with `.hi`
                fix: Remove `.sat`
        "#]],
    );
    check_body(
        "mad.hi.sat.u32 %r1, %r1, %r2, %r3;",
        expect![[r#"
            8:`.sat` Error modifier-not-allowed: `mad.hi.u32` does not accept `.sat`; it can be combined with `.s32`
                fix: Remove `.sat`
        "#]],
    );
}

#[test]
fn a_wrong_count_of_threads() {
    check_body(
        "bar.sync 1, 48;",
        expect![[r#"
            8:`48` Error immediate-range: `bar.sync` takes multiples of 32 here
        "#]],
    );
    check_body(
        "bar.red.popc.u32 %r1, 1, 33, %p1;",
        expect![[r#"
            8:`33` Error immediate-range: `bar.red.popc.u32` takes multiples of 32 here
        "#]],
    );
}

#[test]
fn operands() {
    check_body(
        "mul.lo.s64 %r1, %r2, %r3;",
        expect![[r#"
            8:`.s64` Error operand-type: `mul.lo.s64` operates on `.s64`, but all its registers are `.b32`
                7:`%r` declared here
                fix: Replace with `.s32`
        "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, %f1;",
        expect![[r#"
            8:`%f1` Error operand-type: `%f1` is `.f32`; `mul.lo.s32` takes `.u32`, `.s32` or `.b32` here
                7:`%f` declared here
        "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, 1.5;",
        expect![[r#"
        8:`1.5` Error operand-type: `mul.lo.s32` takes an integer here (`.s32`), not a float
    "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2;",
        expect![[r#"
        8:`mul.lo.s32` Error operand-count: `mul.lo.s32` takes 3 operands (`d, a, b`), not 2
    "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, 1, 2, 3;",
        expect![[r#"
        8:`2, 3` Error operand-count: `mul.lo.s32` takes 3 operands (`d, a, b`), not 5
    "#]],
    );
    check_body(
        "mul.lo.s32 4, %r1, %r2;",
        expect![[r#"
            8:`4` Error operand-kind: a constant cannot be a destination; `mul.lo.s32` takes a register here
        "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, table;",
        expect![[r#"
            8:`table` Error operand-kind: `table` is a variable; `mul.lo.s32` takes a register or a constant here; `mov` its address to a register
        "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, %tid.x;",
        expect![[r#"
            8:`%tid.x` Error operand-kind: `mul.lo.s32` cannot read a special register; copy `%tid` to a register with `mov` first
        "#]],
    );
    check_body(
        "mov.f32 %f1, 1;",
        expect![[r#"
            8:`1` Error operand-type: `mov.f32` takes a float here (`.f32`); write `1.0` or `0f3F800000` for 1
                fix: Replace with `1.0`
        "#]],
    );
    check_body(
        "@%r1 mul.lo.s32 %r1, %r2, %r3;",
        expect![[r#"
            8:`%r1` Error operand-type: a guard must be a predicate register; `%r1` is `.b32`
                7:`%r` declared here
        "#]],
    );
    check_body(
        "mul.lo.s32 %r1, %r2, %nowhere;",
        expect![[r#"
            8:`%nowhere` Error unresolved-name: undeclared register `%nowhere`
                fix: Declare `.reg .s32 %nowhere`
        "#]],
    );
}

#[test]
fn memory() {
    check_body(
        "ld.shared.b32 %r1, [table];",
        expect![[r#"
            8:`table` Error state-space: `table` is in `.global`; `ld.shared.b32` accesses `.shared`
        "#]],
    );
    check_body(
        "ld.shared.b32 %r1, tile;",
        expect![[r#"
            8:`tile` Error operand-kind: `tile` is a variable; `ld.shared.b32` takes an address `[…]` here
                fix: Add brackets
        "#]],
    );
    check_body(
        "ld.shared.v2.b32 {%r1, %r2, %r3, %r4}, [tile];",
        expect![[r#"
            8:`{%r1, %r2, %r3, %r4}` Error vector-length: `ld.shared.v2.b32` takes 2 registers in braces here, not 4
        "#]],
    );
    check_body(
        "ld.shared.v2.b32 %r1, [tile];",
        expect![[r#"
            8:`%r1` Error vector-length: `%r1` is a single register; `ld.shared.v2.b32` takes 2 registers in braces here
                7:`%r` declared here
        "#]],
    );
    check_body(
        "st.shared.b32 [%f1], %r1;",
        expect![[r#"
            8:`%f1` Error operand-type: `%f1` is `.f32`; an address must be an integer or bits, at most 64 wide, such as `.u64` or `.b64`
                7:`%f` declared here
        "#]],
    );
    check_body(
        "ld.b32 %r1, [%r2];",
        expect![[r#"
            8:`%r2` Error operand-type: `%r2` is `.b32`; the addresses of `ld.b32` have 64 bits, as set by `.address_size`
                7:`%r` declared here
        "#]],
    );
    check_body(
        "ld.param.b64 %rd1, out;",
        expect![[r#"
            8:`out` Error operand-kind: `out` is a parameter; `ld.param.b64` takes an address `[…]` here
                6:`out` declared here
                fix: Add brackets
        "#]],
    );
    check_body(
        "st.shared.u8 [tile], %f1;",
        expect![[r#"
            8:`%f1` Error operand-type: `%f1` is `.f32`; `st.shared.u8` takes integers or bits, at least 8 wide, here
                7:`%f` declared here
        "#]],
    );
}

/// A kernel for an older version or target.
fn check_for(version: &str, target: &str, statement: &str, expect: Expect) {
    check(
        &format!(
            "\
.version {version}
.target {target}
.visible .entry k() {{
.reg .b32 %r<9>; .reg .pred %p<4>;
{statement}
ret;
}}
"
        ),
        expect,
    );
}

#[test]
fn versions_and_targets() {
    check_for(
        "7.0",
        "sm_90",
        "ld.shared::cluster.b32 %r1, [%r2];",
        expect![[r#"
            2:`sm_90` Error needs-version: sm_90 needs PTX 7.8 or later; this module is written in PTX 7.0
                fix: Raise `.version` to 7.8
            5:`.shared::cluster` Error needs-version: `.shared::cluster` of `ld.shared::cluster.b32` needs PTX 7.8 or later; this module is of PTX 7.0
                fix: Raise to `.version 7.8`
        "#]],
    );
    check_for(
        "7.0",
        "sm_80",
        "ld.shared::cluster.b32 %r1, [%r2];",
        expect![[r#"
        5:`.shared::cluster` Error needs-target: `.shared::cluster` of `ld.shared::cluster.b32` needs PTX 7.8 or later and target `sm_90` or later; this module is of PTX 7.0 for `sm_80`
            fix: Raise to `.version 7.8` and `.target sm_90`
    "#]],
    );
    check_for(
        "7.0",
        "sm_70",
        "redux.sync.add.s32 %r1, %r2, -1;",
        expect![[r#"
        5:`redux.sync.add.s32` Error needs-target: `redux.sync.add.s32` needs target `sm_80` or later; this module is for `sm_70`
            fix: Raise to `.target sm_80`
    "#]],
    );
    check_for(
        "6.4",
        "sm_70",
        "shfl.idx.b32 %r1|%p1, %r2, 0, 31;",
        expect![[r#"
            5:`shfl.idx.b32` Error removed-form: `shfl.idx.b32` was removed in PTX 6.4 on `sm_70` and later; use `shfl.sync` with a mask of the participating lanes
                fix: Replace with `shfl.sync` for all lanes
        "#]],
    );
    check_for(
        "6.3",
        "sm_60",
        "shfl.idx.b32 %r1|%p1, %r2, 0, 31;",
        expect![[r#"
            5:`shfl.idx.b32` Hint deprecated-form: `shfl.idx.b32` is deprecated; use `shfl.sync` with a mask of the participating lanes
                fix: Replace with `shfl.sync` for all lanes
        "#]],
    );
    check_for("8.0", "sm_90", "ld.shared.b32 %r1, [%r2];", expect![[""]]);
}

#[test]
fn tensors_and_matrices() {
    check_body(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [tile];",
        expect![[r#"
        8:`%r1` Error vector-length: `%r1` is a single register; `ldmatrix.sync.aligned.m8n8.x1.shared.b16` takes one register in braces here
            7:`%r` declared here
    "#]],
    );
    check_body(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [tile];",
        expect![[r#"
        8:`{%r1, %r2}` Error vector-length: `ldmatrix.sync.aligned.m8n8.x4.shared.b16` takes 4 registers in braces here, not 2
    "#]],
    );
    check_body(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1}];",
        expect![[r#"
            8:`{%r1}` Error vector-length: `cp.async.bulk.prefetch.tensor.2d.L2.global.tile` takes 2 registers in braces here, not 1
        "#]],
    );
    check_body(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %rd2}];",
        expect![[r#"
            8:`%rd2` Error operand-type: the registers of a vector must have one type; this is `.b64` after `.b32`
        "#]],
    );
}

#[test]
fn brackets_and_bounds() {
    check_body(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}];",
        expect![[r#"
            8:`{%f1}` Error vector-length: `tex.2d.v4.f32.f32` takes at least 2 registers in braces here, not 1
        "#]],
    );
    check_body(
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
        expect![[r#"
            8:`[%rd1]` Error operand-count: `tex.2d.v4.f32.f32` takes 2 to 3 parts in these brackets (`[a, {b}, c]`), not 1
        "#]],
    );
    check_body(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%rd1, {%r1, %r2}];",
        expect![[r#"
            8:`cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint` Error operand-count: `cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint` takes 2 operands (`[tmap, coords], policy`), not 1
        "#]],
    );
    check_body(
        "cvta.global.u64 %rd1, tile;",
        expect![[r#"
            8:`tile` Error state-space: `tile` is in `.shared`; `cvta.global.u64` accesses `.global`
        "#]],
    );
    check_body(
        "createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 8, 4;",
        expect![[r#"
            8:`8` Error immediate-range: this must not be larger than `total-size`
        "#]],
    );
    check_body(
        "ld.shared.b32 %r1, [tile, %r2];",
        expect![[r#"
            8:`[tile, %r2]` Error operand-count: `ld.shared.b32` takes only an address in these brackets
        "#]],
    );
}

/// The statements that the tables show are statements that the tables take.
#[test]
fn examples_have_their_forms() {
    const REGISTERS: &str = "\
.reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<80>; .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<20>;";
    let is_of_module = |line: &&str| line.starts_with(".global") || line.starts_with(".const");
    let mut wrong = String::new();
    for entry in warplens_isa::ptx::instructions() {
        let example = &entry.example;
        if example.declarations.contains(".func") {
            continue;
        }
        let lines = || example.declarations.lines();
        let outside: Vec<&str> = lines().filter(is_of_module).collect();
        let inside: Vec<&str> = lines().filter(|line| !is_of_module(line)).collect();
        let (_, analysis) = open(&format!(
            ".version {}\n.target {}\n.address_size 64\n{}\n.visible .entry k(.param .u64 out)\n{{\n{REGISTERS}\n{}\n{}\nret;\n}}\n",
            example.version,
            example.target,
            outside.join("\n"),
            inside.join("\n"),
            example.code
        ));
        let found = analysis.diagnostics(FILE).unwrap();
        let ours = [
            codes::INVALID_FORM,
            codes::MISSING_MODIFIER,
            codes::MODIFIER_NOT_ALLOWED,
            codes::OPERAND_COUNT,
            codes::OPERAND_KIND,
            codes::OPERAND_TYPE,
            codes::VECTOR_LENGTH,
            codes::STATE_SPACE,
            codes::IMMEDIATE_RANGE,
            codes::NEEDS_VERSION,
            codes::NEEDS_TARGET,
            codes::REMOVED_FORM,
        ];
        for found in found.iter().filter(|found| ours.contains(&found.code)) {
            wrong.push_str(&format!("{}: {}\n", entry.id, found.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[track_caller]
fn check_on(version: &str, target: &str, statement: &str, expect: Expect) {
    let head = format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{\n");
    let registers = ".reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;";
    check(&format!("{head}{registers}\n{statement}\nret;\n}}\n"), expect);
}

#[test]
fn targets_of_the_same_number() {
    let check_target =
        |target: &str, statement: &str, expect: Expect| check_on("8.7", target, statement, expect);
    check_target(
        "sm_120",
        "setmaxnreg.dec.sync.aligned.u32 40;",
        expect![[r#"
        6:`setmaxnreg.dec.sync.aligned.u32` Error needs-target: `setmaxnreg.dec.sync.aligned.u32` needs target `sm_120a` or `sm_120f`; this module is for `sm_120`
            fix: Raise to `.target sm_120a`
    "#]],
    );
    check_target(
        "sm_90",
        "setmaxnreg.dec.sync.aligned.u32 40;",
        expect![[r#"
        6:`setmaxnreg.dec.sync.aligned.u32` Error needs-target: `setmaxnreg.dec.sync.aligned.u32` needs target `sm_90a`; this module is for `sm_90`
            fix: Raise to `.target sm_90a`
    "#]],
    );
    check_target(
        "sm_103",
        "tcgen05.wait::ld.sync.aligned;",
        expect![[r#"
        2:`sm_103` Error needs-version: sm_103 needs PTX 8.8 or later; this module is written in PTX 8.7
            fix: Raise `.version` to 8.8
        6:`tcgen05.wait::ld.sync.aligned` Error needs-target: `tcgen05.wait::ld.sync.aligned` needs PTX 8.8 or later and target `sm_103a` or `sm_103f`; this module is of PTX 8.7 for `sm_103`
            fix: Raise to `.version 8.8` and `.target sm_103a`
    "#]],
    );
    check_target(
        "sm_120",
        "tcgen05.wait::ld.sync.aligned;",
        expect![[r#"
        6:`tcgen05.wait::ld.sync.aligned` Error needs-target: `sm_120` has no `tcgen05.wait::ld.sync.aligned`, which needs target `sm_100f` or a later one of its family with `f` or `a` or target `sm_101f` or a later one of its family with `f` or `a`
    "#]],
    );
    check_target(
        "sm_80",
        "setmaxnreg.dec.sync.aligned.u32 40;",
        expect![[r#"
        6:`setmaxnreg.dec.sync.aligned.u32` Error needs-target: `sm_80` has no `setmaxnreg.dec.sync.aligned.u32`, which needs exactly target `sm_90a`, target `sm_100f` or a later one of its family with `f` or `a`, target `sm_101f` or a later one of its family with `f` or `a` or target `sm_120f` or a later one of its family with `f` or `a`
    "#]],
    );
    check_target(
        "sm_70",
        "cp.async.wait_all;",
        expect![[r#"
        6:`cp.async.wait_all` Error needs-target: `cp.async.wait_all` needs target `sm_80` or later; this module is for `sm_70`
            fix: Raise to `.target sm_80`
    "#]],
    );
}

/// A fix that needs a second one is not offered.
#[test]
fn fixes_that_are_enough() {
    check_on(
        "8.0",
        "sm_100",
        "fence.proxy.tensormap::generic.release.gpu;",
        expect![[r#"
        2:`sm_100` Error needs-version: sm_100 needs PTX 8.6 or later; this module is written in PTX 8.0
            fix: Raise `.version` to 8.6
        6:`fence.proxy.tensormap::generic.release.gpu` Error needs-version: `fence.proxy.tensormap::generic.release.gpu` needs PTX 8.3 or later; this module is of PTX 8.0
            fix: Raise to `.version 8.6`
    "#]],
    );
    check_on(
        "8.8",
        "sm_89",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 \
         [%rd1], [%rd2, {%r1, %r2}], [%rd3];",
        expect![[r#"
            6:`cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2` Error needs-target: `cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2` needs target `sm_90` or later; this module is for `sm_89`
        "#]],
    );
}

#[test]
fn what_replaces_a_removed_form() {
    check_body(
        "div.f32 %f1, %f2, %f3;\nsqrt.f32 %f1, %f2;\nsin.f32 %f1, %f2;",
        expect![[r#"
        8:`div.f32` Error removed-form: `div.f32` was removed in PTX 1.4; write `.approx`, `.full`, `.rm`, `.rn`, `.rp` or `.rz`
            fix: Replace with `div.approx.f32`
            fix: Replace with `div.full.f32`
            fix: Replace with `div.rm.f32`
            fix: Replace with `div.rn.f32`
        9:`sqrt.f32` Error removed-form: `sqrt.f32` was removed in PTX 1.4; write `.approx`, `.rm`, `.rn`, `.rp` or `.rz`
            fix: Replace with `sqrt.approx.f32`
            fix: Replace with `sqrt.rm.f32`
            fix: Replace with `sqrt.rn.f32`
            fix: Replace with `sqrt.rp.f32`
        10:`sin.f32` Error removed-form: `sin.f32` was removed in PTX 1.4; write `.approx`
            fix: Replace with `sin.approx.f32`
    "#]],
    );
}

#[test]
fn integers_for_floats() {
    check_body(
        "setp.eq.f32 %p1, %f1, 0;\nadd.f32 %f1, %f2, -3;\nmov.b64 %rd1, 2;\ncvt.rn.f32.f64 %f1, 0d0000000000000000;\n",
        expect![[r#"
            8:`0` Error operand-type: `setp.eq.f32` takes a float here (`.f32`); write `0.0` or `0f00000000` for 0
                fix: Replace with `0.0`
            9:`-3` Error operand-type: `add.f32` takes a float here (`.f32`); write `-3.0` or `0fC0400000` for -3
                fix: Replace with `-3.0`
        "#]],
    );
}

#[test]
fn integer_types_are_not_floats() {
    check_body(
        "mul.lo.u16x2 %r1, %r2, %r3;\nsub.s16x2 %r1, %r2, %r3;\nmul.f16x3 %r1, %r2, %r3;\nshl.f32 %r1, %r2, 4;",
        expect![[r#"
            8:`.u16x2` Error unknown-modifier: `mul` does not accept `.u16x2`
            9:`.s16x2` Error unknown-modifier: `sub` does not accept `.s16x2`
            10:`.f16x3` Error unknown-modifier: `mul` has no modifier `.f16x3`; did you mean `.f16x2`?
                fix: Replace with `.f16x2`
            11:`.f32` Error unknown-modifier: `shl` does not accept `.f32`; did you mean `.b32`?
                fix: Replace with `.b32`
        "#]],
    );
}

#[test]
fn atomics_of_128_bits() {
    check(
        "\
.version 8.3
.target sm_90
.address_size 64
.visible .entry k() {
.reg .b64 %rd<2>; .reg .b128 %q<4>;
atom.relaxed.sys.global.cas.b128 %q1, [%rd1], %q2, %q3;
atom.relaxed.gpu.global.cas.b128 %q1, [%rd1], %q2, %q3;
atom.sys.global.exch.b128 %q1, [%rd1], %q2;
atom.sys.global.exch.b64 %rd1, [%rd1], 1;
ret;
}
",
        expect![[r#"
            6:`.sys` Error needs-version: `.sys` of `atom.relaxed.sys.global.cas.b128` needs PTX 8.4 or later; this module is of PTX 8.3
                fix: Raise to `.version 8.4`
            8:`.sys` Error needs-version: `.sys` of `atom.sys.global.exch.b128` needs PTX 8.4 or later; this module is of PTX 8.3
                fix: Raise to `.version 8.4`
        "#]],
    );
}

#[test]
fn one_register_in_braces() {
    let scaled = |scales: &str| {
        format!(
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 \
             {{%f1, %f2, %f3, %f4}}, {{%r1, %r1, %r1, %r1}}, {{%r1, %r1}}, {{%f1, %f1, %f1, %f1}}, {scales};"
        )
    };
    let sparse = |variant: &str, metadata: &str| {
        format!(
            "mma.{variant}.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \
             {{%f1, %f2, %f3, %f4}}, {{%r1, %r2}}, {{%r3, %r4}}, {{%f1, %f2, %f3, %f4}}, {metadata}, 0;"
        )
    };
    let statements = [
        scaled("{%r2}, {0, 0}, %r2, {0, 0}"),
        scaled("{%r2, %r2}, {%h1, 0}, {%r2, 0, %r3, %tid.x}, {2, 3}"),
        scaled("%v, {0, 1}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%h1, %h2}"),
        scaled("{%r1, %r2, %r3}, {0, 0}, %r2, {0, 0}"),
        scaled("{0}, {0, 0}, %r2, {0, 0}"),
        scaled("%r1, {1, 0}, %r2, {0, 0}"),
        scaled("%r1, {3, 0}, %r2, {0, 0}"),
        scaled("%r1, {0, 2}, %r2, {0, 0}"),
        scaled("%r1, {0, 0}, %r2, {%h1, 4}"),
        scaled("%r1, {%tid.x, 0}, %r2, {0, -1}"),
        sparse("sp::ordered_metadata", "{%r5, %r6}"),
        sparse("sp", "%r5"),
        sparse("sp", "{%r5}"),
        "add.u32 %r1, {%r2}, %r3;".to_owned(),
    ];
    let head = ".version 8.8\n.target sm_120a\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<3>; .reg .v2 .b32 %v;\n";
    check(
        &format!("{head}{}\nret;\n}}\n", statements.join("\n")),
        expect![[r#"
            7:`%tid.x` Error operand-type: `%tid` and a constant cannot be in the same braces; move one of them to a register first
            9:`{%r1, %r2, %r3}` Error vector-length: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes 1, 2, 4 or 8 registers here, not 3
            10:`0` Error operand-kind: this is a constant; `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes a register here
            11:`1` Error immediate-range: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes multiples of 2 here
            12:`3` Error immediate-range: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes constants from 0 to 2 here
            13:`2` Error immediate-range: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes constants from 0 to 1 here
            14:`4` Error immediate-range: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes constants from 0 to 3 here
            15:`%tid.x` Error operand-kind: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` cannot read a special register; copy `%tid` to a register with `mov` first
            15:`-1` Error immediate-range: `mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0` takes constants from 0 to 3 here
            18:`{%r5}` Error operand-kind: these are registers in braces; `mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` takes a register here
            19:`{%r2}` Error operand-kind: these are registers in braces; `add.u32` takes a register or a constant here
        "#]],
    );
}
