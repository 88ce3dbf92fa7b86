use expect_test::{Expect, expect};

use super::*;

const ALL: Mask = 0xffff_ffff;

fn held(bits: u16, known: Mask, value: impl Fn(u64) -> u64) -> TracedRegister {
    let kept = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let low = (0..32).map(|lane| value(lane) & kept).collect();
    TracedRegister { name: "%r1".into(), bits, written: true, known, low, high: Box::default() }
}

/// The text of the hover and of the hint at the end of the line.
fn check(kind: ScalarType, held: &TracedRegister, expect: Expect) {
    let reading = Reading { held, kind, lanes: ALL };
    let sentence = reading.sentence(ALL).unwrap_or_else(|| "a grid".to_owned());
    expect.assert_eq(&format!("{sentence} | {}", reading.words().unwrap_or_default()));
}

#[test]
fn integers() {
    use ScalarType::{B32, B64, S32, U8, U32, U64};
    check(U32, &held(32, ALL, |_| 7), expect!["= 7 | %r1 = 7"]);
    check(S32, &held(32, ALL, |_| u64::MAX), expect!["= -1 | %r1 = -1"]);
    check(B32, &held(32, ALL, |_| 42), expect!["= 0x0000002a | %r1 = 0x0000002a"]);
    check(U32, &held(32, ALL, |lane| lane), expect!["= lane | %r1 = 0..31"]);
    check(U32, &held(32, ALL, |lane| 4 * lane + 100), expect!["= 4*lane + 100 | %r1 = 4*lane+100"]);
    check(
        U32,
        &held(32, ALL, |lane| (4 * lane).wrapping_sub(16)),
        expect!["= 4*lane - 16 | %r1 = 4*lane-16"],
    );
    check(S32, &held(32, ALL, |lane| 100u64.wrapping_sub(lane)), expect!["= -lane + 100 | %r1 = -lane+100"]);
    check(
        B64,
        &held(64, ALL, |lane| 0x7f00_0000_0100 + 4 * lane),
        expect!["= 4*lane + 0x7f0000000100 | %r1 = 4*lane+0x7f0000000100"],
    );
    check(U64, &held(64, ALL, |lane| lane << 60), expect!["a grid | %r1 = 16 values"]);
    check(U8, &held(8, ALL, |lane| 250 + lane), expect!["= lane - 6 | %r1 = lane-6"]);
    check(
        U32,
        &held(32, ALL, |lane| lane / 16),
        expect!["= 0 in lanes 0-15, 1 in lanes 16-31 | %r1 = 0 x16, 1 x16"],
    );
    check(U32, &held(32, ALL, |lane| lane * lane), expect!["a grid | %r1 = 32 values"]);
}

#[test]
fn floats() {
    use ScalarType::{F32, F64};
    let single = |value: f32| u64::from(value.to_bits());
    check(F32, &held(32, ALL, |_| single(0.1)), expect!["= 0.1 | %r1 = 0.1"]);
    check(F32, &held(32, ALL, |_| single(f32::NAN)), expect!["= NaN | %r1 = NaN"]);
    check(F32, &held(32, ALL, |lane| single(lane as f32)), expect!["= lane | %r1 = 0.0..31.0"]);
    check(
        F64,
        &held(64, ALL, |lane| (0.5 * lane as f64 - 2.0).to_bits()),
        expect!["= 0.5*lane - 2.0 | %r1 = 0.5*lane-2.0"],
    );
    check(F32, &held(32, ALL, |lane| single((lane as f32).sqrt())), expect!["a grid | %r1 = 32 values"]);
}

#[test]
fn predicates() {
    use ScalarType::B8;
    check(B8, &held(1, ALL, |_| 1), expect!["= true | %r1 = true"]);
    check(B8, &held(1, ALL, |_| 0), expect!["= false | %r1 = false"]);
    check(B8, &held(1, ALL, |lane| u64::from(lane < 8)), expect!["= true in lanes 0-7 | %r1 = 8 of 32"]);
}

#[test]
fn wide_registers() {
    let held = TracedRegister { high: (0..32).map(|_| 1).collect(), ..held(128, ALL, |_| 2) };
    check(
        ScalarType::B64,
        &held,
        expect!["= 0x00000000000000010000000000000002 | %r1 = 0x00000000000000010000000000000002"],
    );
}

#[test]
fn lanes_that_never_wrote_it_are_listed() {
    check(
        ScalarType::U32,
        &held(32, 0xff, |_| 7),
        expect!["= 7 in lanes 0-7; never written in lanes 8-31 | %r1 = 7"],
    );
    check(
        ScalarType::U32,
        &held(32, 0xff, |lane| lane / 4),
        expect!["= 0 in lanes 0-3, 1 in lanes 4-7; never written in lanes 8-31 | %r1 = 0 x4, 1 x4"],
    );
    check(ScalarType::U32, &held(32, 0, |_| 7), expect!["never written in these lanes | "]);
    check(
        ScalarType::B8,
        &held(1, 0xffff, |lane| lane & 1),
        expect!["= true in lanes 1,3,5,7,9,11,13,15; never written in lanes 16-31 | %r1 = 8 of 16"],
    );
}
