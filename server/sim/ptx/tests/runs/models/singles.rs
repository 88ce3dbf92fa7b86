//! Single precision in all rounding modes, checked with exact sums and remainders in doubles.

use super::harness::{agrees, holds};

/// An exact number: the sum of two doubles, the second of which is a small correction of the first.
type Exact = (f64, f64);

fn sum(a: f64, b: f64) -> Exact {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}

/// Compares an exact number with a single.
fn compare(exact: Exact, single: f32) -> std::cmp::Ordering {
    let (difference, rest) = sum(exact.0, -f64::from(single));
    (difference, rest + exact.1)
        .partial_cmp(&(0.0, 0.0))
        .filter(|order| order.is_ne() || exact.1 == 0.0)
        .unwrap_or_else(|| exact.1.partial_cmp(&0.0).expect("ordered"))
}

/// The single next to an exact number in a direction: `m` down, `p` up, `z` toward zero.
fn directed(exact: Exact, mode: &str) -> f32 {
    let nearest = exact.0 as f32;
    let up = match mode {
        "rm" => false,
        "rp" => true,
        _ => exact.0 < 0.0,
    };
    if nearest.is_infinite() {
        let inward = if nearest > 0.0 { !up } else { up };
        return if inward { f32::MAX.copysign(nearest) } else { nearest };
    }
    match (compare(exact, nearest), up) {
        (std::cmp::Ordering::Greater, true) => nearest.next_up(),
        (std::cmp::Ordering::Less, false) => nearest.next_down(),
        _ => nearest,
    }
}

fn inputs(i: &[u64; 4]) -> [f32; 3] {
    [0, 1, 2].map(|n| f32::from_bits(i[n] as u32))
}

/// Compares results with the rounded exact number, if all numbers are finite and not too near the ends of the double range.
fn check(statement: &str, mode: &str, exact: impl Fn([f32; 3]) -> Option<Exact>) {
    agrees(statement, |i, got| {
        let numbers = inputs(i);
        let Some(exact) = exact(numbers).filter(|exact| exact.0.is_finite() && exact.0 != 0.0) else {
            return Ok(());
        };
        let wanted = directed(exact, mode);
        let given = f32::from_bits(got as u32);
        if given == wanted { Ok(()) } else { Err(format!("{given:e}, wanted {wanted:e} of {numbers:?}")) }
    });
}

#[test]
fn directed_roundings() {
    let wide = f64::from;
    let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    for mode in ["rz", "rm", "rp"] {
        check(&format!("add.{mode}.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), mode, |[a, b, _]| {
            finite(&[a, b]).then(|| sum(wide(a), wide(b)))
        });
        check(&format!("sub.{mode}.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), mode, |[a, b, _]| {
            finite(&[a, b]).then(|| sum(wide(a), -wide(b)))
        });
        check(&format!("mul.{mode}.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), mode, |[a, b, _]| {
            finite(&[a, b]).then(|| (wide(a) * wide(b), 0.0))
        });
        check(&format!("fma.{mode}.f32 %f9, %f1, %f2, %f3; mov.b32 %r30, %f9;"), mode, |[a, b, c]| {
            finite(&[a, b, c]).then(|| sum(wide(a) * wide(b), wide(c)))
        });
        // The double is not exact for quotients and roots, but the sign of the remainder is the direction of its error.
        let divided = |a: f32, b: f32| {
            let quotient = wide(a) / wide(b);
            let remainder = (-quotient).mul_add(wide(b), wide(a));
            let side = if b < 0.0 { -remainder } else { remainder };
            (quotient, side.signum() * f64::from(u8::from(side != 0.0)) * quotient.abs() * 1e-20)
        };
        let usual = |number: f32| number.is_normal() && (1e-15..1e15).contains(&number.abs());
        check(&format!("div.{mode}.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), mode, |[a, b, _]| {
            (usual(a) && usual(b)).then(|| divided(a, b))
        });
        check(&format!("rcp.{mode}.f32 %f9, %f1; mov.b32 %r30, %f9;"), mode, |[a, _, _]| {
            usual(a).then(|| divided(1.0, a))
        });
        check(&format!("sqrt.{mode}.f32 %f9, %f1; mov.b32 %r30, %f9;"), mode, |[a, _, _]| {
            (usual(a) && a > 0.0).then(|| {
                let root = wide(a).sqrt();
                let remainder = (-root).mul_add(root, wide(a));
                (root, remainder.signum() * f64::from(u8::from(remainder != 0.0)) * root * 1e-20)
            })
        });
    }
}

fn nan_or(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits().into() }
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

#[test]
fn nearest_pairs_and_finishes() {
    holds("fma.rn.f32 %f9, %f1, %f2, %f3; mov.b32 %r30, %f9;", |i| {
        let [a, b, c] = inputs(i);
        nan_or(a.mul_add(b, c))
    });
    holds("add.ftz.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;", |i| {
        let [a, b, _] = inputs(i);
        nan_or(flush(flush(a) + flush(b)))
    });
    holds("mul.sat.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;", |i| {
        let [a, b, _] = inputs(i);
        let product = a * b;
        if product > 0.0 { product.min(1.0).to_bits().into() } else { 0 }
    });
    let pair = |i: &[u64; 4], f: &dyn Fn(f32, f32, f32) -> f32| {
        let at = |shift: u32| {
            let part = |n: usize| f32::from_bits((i[n] >> shift) as u32);
            nan_or(f(part(0), part(1), part(2)))
        };
        at(0) | at(32) << 32
    };
    holds("add.rn.f32x2 %rd15, %rd1, %rd2;", |i| pair(i, &|a, b, _| a + b));
    holds("mul.ftz.f32x2 %rd15, %rd1, %rd2;", |i| pair(i, &|a, b, _| flush(flush(a) * flush(b))));
    holds("fma.rn.f32x2 %rd15, %rd1, %rd2, %rd3;", |i| pair(i, &|a, b, c| a.mul_add(b, c)));
    holds("add.f32.bf16 %f9, %h1, %f2; mov.b32 %r30, %f9;", |i| {
        nan_or(f32::from_bits((i[0] as u32) << 16) + inputs(i)[1])
    });
    holds("fma.rn.f32.bf16 %f9, %h1, %h2, %f3; mov.b32 %r30, %f9;", |i| {
        let part = |n: usize| f32::from_bits((i[n] as u32) << 16);
        nan_or(part(0).mul_add(part(1), inputs(i)[2]))
    });
}

#[test]
fn extrema() {
    // Orders singles, with the negative zero below the positive one.
    let key = |x: f32| {
        let bits = x.to_bits() as i32;
        if bits < 0 { i32::MIN - bits } else { bits.saturating_add(1) }
    };
    let pick = |numbers: &[f32], less: bool, propagate: bool| {
        if propagate && numbers.iter().any(|x| x.is_nan()) {
            return f32::NAN;
        }
        let ordered = numbers.iter().copied().filter(|x| !x.is_nan());
        let found = if less { ordered.min_by_key(|x| key(*x)) } else { ordered.max_by_key(|x| key(*x)) };
        found.unwrap_or(f32::NAN)
    };
    for (op, less) in [("min", true), ("max", false)] {
        for (nan, propagate) in [("", false), (".NaN", true)] {
            holds(&format!("{op}{nan}.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), |i| {
                nan_or(pick(&inputs(i)[..2], less, propagate))
            });
            holds(&format!("{op}{nan}.f32 %f9, %f1, %f2, %f3; mov.b32 %r30, %f9;"), |i| {
                nan_or(pick(&inputs(i), less, propagate))
            });
            holds(&format!("{op}{nan}.abs.f32 %f9, %f1, %f2, %f3; mov.b32 %r30, %f9;"), |i| {
                nan_or(pick(&inputs(i).map(f32::abs), less, propagate))
            });
            holds(&format!("{op}{nan}.xorsign.abs.f32 %f9, %f1, %f2; mov.b32 %r30, %f9;"), |i| {
                let [a, b, _] = inputs(i);
                let magnitude = pick(&[a.abs(), b.abs()], less, propagate);
                let negative = a.is_sign_negative() != b.is_sign_negative();
                nan_or(if negative { -magnitude } else { magnitude })
            });
        }
    }
}

#[test]
fn approximations_are_within_their_bounds() {
    type Function = fn(f64) -> f64;
    // The largest relative error, and the range of magnitudes for which it is guaranteed.
    let relative: [(&str, Function, f64); 6] = [
        ("rcp.approx", |x| 1.0 / x, 2f64.powi(-23)),
        ("sqrt.approx", f64::sqrt, 2f64.powi(-23)),
        ("rsqrt.approx", |x| 1.0 / x.sqrt(), 2f64.powf(-22.9)),
        ("ex2.approx", f64::exp2, 2f64.powi(-22)),
        ("tanh.approx", f64::tanh, 2f64.powi(-11)),
        ("lg2.approx", f64::log2, 2f64.powi(-22)),
    ];
    for (op, function, bound) in relative {
        agrees(&format!("{op}.f32 %f9, %f1; mov.b32 %r30, %f9;"), |i, got| {
            let (x, given) = (f64::from(inputs(i)[0]), f64::from(f32::from_bits(got as u32)));
            let wanted = function(x);
            if !(x.is_finite() && wanted.abs() > 1e-30 && wanted.abs() < 1e30) {
                return Ok(());
            }
            // Near one, the bound of the logarithm is absolute.
            let bound =
                if op == "lg2.approx" && (0.5..2.0).contains(&x) { bound } else { bound * wanted.abs() };
            if (given - wanted).abs() <= bound { Ok(()) } else { Err(format!("{given}, not {wanted}")) }
        });
    }
    for (op, function) in [("sin", f64::sin as Function), ("cos", f64::cos)] {
        agrees(&format!("{op}.approx.f32 %f9, %f1; mov.b32 %r30, %f9;"), |i, got| {
            let (x, given) = (f64::from(inputs(i)[0]), f64::from(f32::from_bits(got as u32)));
            let bound = if x.abs() < std::f64::consts::TAU { 2f64.powf(-20.5) } else { 2f64.powf(-14.7) };
            let far = x.abs() > 314.0 || !x.is_finite();
            if far || (given - function(x)).abs() <= bound { Ok(()) } else { Err(format!("{given}")) }
        });
    }
}
