use std::fmt::Write;

use expect_test::{Expect, expect};
use warplens_isa::Version;
use warplens_isa::ptx as isa;

use super::*;
use crate::ptx::{AddressSize, Function};

/// Checks how each statement matches, in a kernel with some registers and variables.
fn check(statements: &str, expect: Expect) {
    let text = format!(
        ".entry k(.param .u64 out) {{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %fd<4>; .reg .v4 .f32 %v;
.shared .b32 tile[4]; .local .b32 own[4];
{statements}
}}"
    );
    let parse = warplens_syntax::parse_item(warplens_syntax::ptx::LANGUAGE, &text);
    let function = Function::lower(parse.root()).unwrap();
    let checker = Checker { function: &function, externals: &[], address_size: Some(AddressSize::Bits64) };
    let mut out = String::new();
    for instruction in function.instructions() {
        let answer = match instruction.mnemonic().forms() {
            MnemonicForms::Unjudged => "unjudged".to_owned(),
            MnemonicForms::NoMatch(near) => {
                near.first().map_or_else(String::new, |near| show_near(instruction, near))
            }
            MnemonicForms::Known(found) => {
                let operands = instruction.operands();
                match found.iter().find(|form| checker.fits(form, operands)) {
                    Some(form) if form.order == Order::Free => "fits, in another order".to_owned(),
                    Some(_) => "fits".to_owned(),
                    None => {
                        let mismatches = found.iter().map(|form| checker.mismatches(form, operands));
                        show_mismatches(&mismatches.min_by_key(Vec::len).unwrap_or_default())
                    }
                }
            }
        };
        writeln!(out, "{answer}").unwrap();
    }
    expect.assert_eq(&out);
}

fn show_near(instruction: crate::ptx::Instruction<'_>, near: &Near) -> String {
    let extra: Vec<_> = near.extra.iter().map(|at| &*instruction.modifiers()[*at]).collect();
    let missing: Vec<_> = near.missing.iter().map(|slot| near.form.slots[*slot].class).collect();
    format!("near {}: extra {extra:?}, missing {missing:?}", near.entry.id)
}

fn show_mismatches(mismatches: &[Mismatch]) -> String {
    let show = |mismatch: &Mismatch| {
        let OperandPosition { operand, part, element } = mismatch.place;
        let wrong = format!("{:?}", mismatch.error);
        let word = wrong.split([' ', '{']).next().unwrap_or_default().to_owned();
        let inside = |index: Option<usize>, mark| index.map_or_else(String::new, |at| format!("{mark}{at}"));
        format!("operand {operand}{}{}: {word}", inside(part, "["), inside(element, "."))
    };
    mismatches.iter().map(show).collect::<Vec<_>>().join("; ")
}

#[test]
fn modifiers_in_any_order_but_where_it_matters() {
    check(
        "\
setp.lt.s32 %p1, %r1, %r2;
setp.s32.lt %p1, %r1, %r2;
mul.lo.u32 %r1, %r2, %r3;
mul.u32.lo %r1, %r2, %r3;
setp.s32 %p1, %r1, %r2;
setp.lt.and.s32 %p1, %r1, %r2, !%p2;
mul.lo.hi.u32 %r1, %r2, %r3;
redux.add.sync.s32 %r1, %r2, -1;
",
        expect![[r#"
            fits
            fits, in another order
            fits
            near mul@int: extra [], missing []
            near setp: extra [], missing ["CmpOp"]
            fits
            near mul@int: extra ["lo"], missing []
            fits, in another order
        "#]],
    );
}

#[test]
fn operands() {
    check(
        "\
mul.lo.u32 %r1, %r2, %f3;
mul.lo.u32 %r1, 5, 1.5;
mul.lo.u32 5, %r1, %r2;
mul.lo.u32 %r1, %r2;
mul.lo.u32 %r1, %r2, %r3, %r4;
mul.lo.u32 %r1, %r2, tile;
mul.lo.u32 %r1, %r2, tile+4;
mul.lo.u32 %r1, %r2, %tid.x;
mul.lo.u32 %r1, [%r2], {%r3, %r4};
mul.lo.u32 %r1, %r2, %nowhere;
mul.wide.u32 %rd1, %r2, %r3;
mul.wide.u32 %fd1, %r2, %r3;
setp.lt.s32 %r1, %r1, %r2;
setp.lt.s32 %p1|%p2, %r1, %r2;
setp.lt.s32 _|_, %r1, %r2;
mov.u32 %r1, %tid;
mov.u32 %r1, %tid.x;
mov.u64 %rd1, %tid.x;
mov.b64 {%r1, %r2}, %rd1;
mov.b64 {%r1, %h2}, %rd1;
",
        expect![[r#"
            operand 2: RegisterType
            operand 2: FloatConstant(U32)
            operand 0: Kind(Constant)
            operand 2: Count
            operand 3: Count
            operand 2: Kind(Variable(NameId(25)))
            fits
            operand 2: Kind(Special(NameId(31)))
            operand 1: Kind(Address); operand 2: Kind(Vector)
            fits
            fits
            operand 0: RegisterType
            operand 0: RegisterType
            fits
            operand 0: OnlySinks
            operand 1: SpecialVector(NameId(55))
            fits
            operand 1: SpecialSize
            fits
            operand 0: Kind(Vector)
        "#]],
    );
}

#[test]
fn addresses() {
    check(
        "\
ld.shared.b32 %r1, [tile];
ld.shared.b32 %r1, tile;
ld.shared.b32 %r1, [own+4];
ld.shared.b32 %r1, [%r2+4];
ld.shared.b32 %r1, [%f2];
ld.b32 %r1, [%r2];
ld.b32 %r1, [%rd2];
ld.b32 %r1, [out];
ld.param.b64 %rd1, [out];
ld.shared.v4.f32 %v, [tile];
ld.shared.v4.f32 {%f1, %f2, %f3}, [tile];
ld.shared.v2.b32 {_, %r1}, [tile];
ld.shared.v2.b32 {_, _}, [tile];
ld.local.b32 %r1, [64];
ld.shared.b32 %r1, [64];
.reg .b128 %q;
ld.shared.b32 %r1, [%q];
",
        expect![[r#"
            fits
            operand 1: Kind(Variable(NameId(14)))
            operand 1: AddressSpace
            fits
            operand 1: AddressRegister(NameId(20),
            operand 1: AddressWidth(NameId(22),
            fits
            operand 1: AddressSpace
            fits
            fits
            operand 0: Length
            fits
            operand 0: OnlySinks
            fits
            operand 1: AbsoluteAddress
            operand 1: AddressRegister(NameId(42),
        "#]],
    );
}

#[test]
fn vectors() {
    check(
        "\
ld.shared.v2.u32 {%r1, %f1}, [tile];
ld.shared.v2.u32 {%f1, %f2}, [tile];
ld.shared.v2.b32 {%r1, %rd1}, [tile];
st.shared.v2.f32 [tile], {1, %r1};
st.shared.v2.f32 [tile], {1, %f1};
st.shared.v2.f32 [tile], {1.0, %f1};
mov.b64 %rd1, {%h1, %h2};
mov.b64 %rd1, {%r1, 5};
mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;
mov.u32 %r1, (7);
mov.u32 %r1, (7.5);
",
        expect![[r#"
            fits
            operand 0.0: RegisterType
            operand 0.1: Mixed
            fits
            operand 1.0: IntegerConstant(F32)
            fits
            operand 1: Kind(Vector)
            fits
            fits
            fits
            operand 1: FloatConstant(U32)
        "#]],
    );
}

/// The requirement that a module for this version and target does not satisfy.
fn unmet_requirement(mnemonic: &str, version: (u8, u8), target: &str) -> Option<UnmetRequirement> {
    let mut words = mnemonic.split('.');
    let opcode = words.next().unwrap_or_default().into();
    let mnemonic = Mnemonic { opcode, modifiers: words.map(Into::into).collect() };
    let MnemonicForms::Known(found) = mnemonic.forms() else { panic!("{mnemonic:?} has no form") };
    let platform =
        Platform { version: Some(Version::new(version.0, version.1)), target: isa::target(target) };
    found.iter().map(|form| platform.unmet_requirement(form)).min_by_key(Option::is_some).flatten()
}

#[test]
fn versions_and_targets() {
    assert_eq!(unmet_requirement("shl.b32", (1, 0), "sm_10"), None);
    assert!(matches!(
        unmet_requirement("redux.sync.add.s32", (6, 5), "sm_80"),
        Some(UnmetRequirement::Needs(_, None))
    ));
    assert!(matches!(
        unmet_requirement("redux.sync.add.s32", (7, 0), "sm_75"),
        Some(UnmetRequirement::Needs(_, None))
    ));
    assert_eq!(unmet_requirement("redux.sync.add.s32", (7, 0), "sm_80"), None);
    assert!(matches!(
        unmet_requirement("ld.shared::cluster.b32", (7, 7), "sm_90"),
        Some(UnmetRequirement::Needs(_, Some(_)))
    ));
    assert_eq!(unmet_requirement("ld.shared::cluster.b32", (7, 8), "sm_90"), None);
}

#[test]
fn letters_of_targets() {
    let satisfies = |target: &str, need: isa::TargetRequirement| {
        let platform = Platform { version: None, target: isa::target(target) };
        platform.satisfies(isa::Requirement { since: Version::new(1, 0), target: need })
    };
    use isa::TargetRequirement::{AtLeast, Exactly, Family};
    assert!(
        satisfies("sm_90a", AtLeast(90))
            && satisfies("sm_100", AtLeast(90))
            && !satisfies("sm_89", AtLeast(90))
    );
    assert!(
        satisfies("sm_90a", Exactly(90))
            && !satisfies("sm_90", Exactly(90))
            && !satisfies("sm_100a", Exactly(90))
    );
    assert!(
        satisfies("sm_100f", Family(100))
            && satisfies("sm_103a", Family(100))
            && satisfies("sm_103f", Family(100))
    );
    assert!(
        !satisfies("sm_103", Family(100))
            && !satisfies("sm_120f", Family(100))
            && !satisfies("sm_100f", Family(103))
    );
}

#[test]
fn brackets() {
    check(
        "\
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}];
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1}];
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %f1}];
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1];
cp.async.bulk.prefetch.tensor.2d.L2.global %rd1;
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, %rd2, {%r1, %r2}];
cp.async.bulk.prefetch.tensor.2d.L2.global.override::global_address [%rd1, %rd2, {%r1, %r2}];
cp.async.bulk.prefetch.tensor.2d.L2.global.override::global_address [%rd1, %r3, {%r1, %r2}];
cp.async.bulk.prefetch.tensor.3d.L2.global.override::global_address.override::global_dim_stride [%rd1, %rd2, {%h1, %h1, %h1}, {%r1, %r2}, %h2, {%r1, %r2, 0}];
cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%rd1, {%r1, %r2}], %rd2;
cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%rd1, {%r1, %r2}];
cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}], %rd2;
ld.shared.b32 %r1, [tile, %r2];
",
        expect![[r#"
            fits
            operand 0[1: Length
            fits
            operand 0: Inside
            operand 0: Kind(Register(NameId(20)))
            operand 0: Inside
            fits
            operand 0[1: RegisterType
            fits
            fits
            operand 1: Count
            operand 1: Count
            operand 1: Inside
        "#]],
    );
}

#[test]
fn coordinates() {
    check(
        "\
tex.2d.v4.f32.f32 %v, [%rd1, {%f1, %f2}];
tex.2d.v4.f32.f32 %v, [%rd1, {%f1, %f2, %f3, %f4}];
tex.2d.v4.f32.f32 %v, [%rd1, %f1];
tex.2d.v4.f32.f32 %v, [%rd1, {%f1}];
tex.a2d.v4.f32.f32 %v, [%rd1, {%r1, %f2, %f3, %f4}];
tex.a2d.v4.f32.f32 %v, [%rd1, {%f1, %f2, %f3, %f4}];
tex.a2d.v4.f32.f32 %v, [%rd1, {%r1, %f2}];
tex.2d.v4.f32.f32 %v, [%r1, {%f1, %f2}];
tex.2d.v4.f32.f32 %v, %rd1, {%f1, %f2};
tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}];
suld.b.3d.b32.trap %r1, [%rd1, {%r1, %r2}];
",
        expect![[r#"
            fits
            fits
            fits
            operand 1[1: Length
            fits
            operand 1[1.0: RegisterType
            operand 1[1: Length
            operand 1[0: RegisterType
            operand 1: Kind(Register(NameId(48))); operand 2.0: RegisterType
            fits
            operand 1[1: Length
        "#]],
    );
}

#[test]
fn addresses_and_symbols() {
    check(
        "\
tcgen05.cp.cta_group::1.128x256b [%r1+4], %rd1;
tcgen05.cp.cta_group::1.128x256b [%rd1], %rd1;
tcgen05.cp.cta_group::1.128x256b [tile], %rd1;
cvta.shared.u64 %rd1, tile;
cvta.global.u64 %rd1, tile;
cvta.global.u64 %rd1, tile+4;
mapa.u64 %rd1, own, %r1;
",
        expect![[r#"
            fits
            operand 0: RegisterType
            operand 0: NoRegister(NameId(15))
            fits
            operand 1: AddressSpace
            operand 1: AddressSpace
            operand 1: AddressSpace
        "#]],
    );
}

#[test]
fn constants_between_bounds() {
    check(
        "\
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 64;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 96;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 1024;
createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 4, 8;
createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 8, 4;
createpolicy.range.L2::evict_last.b64 %rd1, [%rd2], 8, %r1;
",
        expect![[r#"
            fits
            operand 1: NoPower
            operand 1: Range(32,
            fits
            operand 2: Above(4)
            fits
        "#]],
    );
}

#[test]
fn lengths_from_several_modifiers() {
    check(
        "\
spdecompress.b8.b2.sp::2:4.x4 {%r1, %r2, %r3, %r4}, {%r5}, {%r6, %r7};
spdecompress.b8.b2.sp::2:4.x4 {%r1, %r2}, {%r5}, {%r6, %r7};
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;
",
        expect![[r#"
            fits
            operand 0: Length
            fits
            operand 0: Length
        "#]],
    );
}
