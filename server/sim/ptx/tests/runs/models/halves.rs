//! Half precision, checked with a table of all numbers of a format and exact sums of multiples of a small unit.

use super::harness::{agrees, holds};

/// A 16-bit format. Only numbers that are multiples of `2^unit` and not too large are tested.
struct Half {
    name: &'static str,
    fraction_bits: i32,
    bias: i32,
    /// The unit of operands. Products and sums have the unit `2^(2 * unit)`.
    unit: i32,
}

const F16: Half = Half { name: "f16", fraction_bits: 10, bias: 15, unit: -24 };
const BF16: Half = Half { name: "bf16", fraction_bits: 7, bias: 127, unit: -27 };

impl Half {
    fn exponent_mask(&self) -> u64 {
        0x7fff >> self.fraction_bits
    }

    fn infinity(&self) -> u64 {
        self.exponent_mask() << self.fraction_bits
    }

    fn is_nan(&self, bits: u64) -> bool {
        bits & 0x7fff > self.infinity()
    }

    /// The number in units of `2^unit`, if it is a multiple and not too large.
    fn value(&self, bits: u64, unit: i32) -> Option<i128> {
        let exponent = (bits >> self.fraction_bits & self.exponent_mask()) as i32;
        let fraction = (bits & ((1 << self.fraction_bits) - 1)) as i128;
        let (digits, exponent) = match exponent {
            0 => (fraction, 1),
            _ => (fraction + (1 << self.fraction_bits), exponent),
        };
        let shift = exponent - self.bias - self.fraction_bits - unit;
        let magnitude = match shift {
            0..=90 => digits << shift,
            -60..0 if digits % (1 << -shift) == 0 => digits >> -shift,
            _ if digits == 0 => 0,
            _ => return None,
        };
        let finite = bits & 0x7fff < self.infinity();
        finite.then_some(if bits & 0x8000 != 0 { -magnitude } else { magnitude })
    }

    fn operand(&self, bits: u64) -> Option<i128> {
        self.value(bits & 0xffff, self.unit).filter(|value| value.abs() < 1 << 45)
    }

    /// All magnitudes in units of products, in ascending order, with their codes.
    fn table(&self) -> Vec<(i128, u64)> {
        let all = (0..self.infinity()).filter_map(|bits| Some((self.value(bits, 2 * self.unit)?, bits)));
        all.collect()
    }

    /// The code of the number nearest to `exact` (in units of products), ties to even. Too large numbers become infinite.
    fn nearest(&self, table: &[(i128, u64)], exact: i128) -> u64 {
        let sign = if exact < 0 { 0x8000 } else { 0 };
        let magnitude = exact.abs();
        let at = table.partition_point(|(value, _)| *value <= magnitude) - 1;
        let (below, code) = table[at];
        if below == magnitude {
            return sign | code;
        }
        // The step beyond the last number would be as large as the one before it.
        let above = table.get(at + 1).map_or_else(|| 2 * below - table[at - 1].0, |(value, _)| *value);
        let up = match (2 * magnitude).cmp(&(below + above)) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Equal => code & 1,
        };
        sign | (code + up)
    }
}

#[test]
fn sums_and_products_round_once() {
    for half in [F16, BF16] {
        let table = half.table();
        let name = half.name;
        let scale = 1i128 << -half.unit;
        type Exact = fn(i128, i128, i128, i128) -> i128;
        let operations: [(&str, usize, Exact); 4] = [
            ("add.rn", 2, |a, b, _, scale| (a + b) * scale),
            ("sub.rn", 2, |a, b, _, scale| (a - b) * scale),
            ("mul.rn", 2, |a, b, _, _| a * b),
            ("fma.rn", 3, |a, b, c, scale| a * b + c * scale),
        ];
        for (op, count, exact) in operations {
            let judge = |parts: [u64; 3], got: u64, finish: &str| {
                let nan = parts[..count].iter().any(|bits| half.is_nan(*bits));
                if nan {
                    let wanted = if finish == ".sat" { 0 } else { 0x7fff };
                    return if got == wanted { Ok(()) } else { Err(format!("of a NaN, not {wanted:#x}")) };
                }
                let values = parts.map(|bits| half.operand(bits));
                let [Some(a), Some(b), Some(c)] = values else { return Ok(()) };
                let exact = exact(a, b, if count == 3 { c } else { 0 }, scale);
                let bits = half.nearest(&table, exact);
                let one = (half.bias as u64) << half.fraction_bits;
                let wanted = match finish {
                    ".sat" if exact <= 0 => 0,
                    ".sat" => bits.min(one),
                    ".relu" if exact <= 0 => 0,
                    _ => bits,
                };
                // The sign of a zero depends on the signs of the terms, and is tested elsewhere.
                let same = got == wanted || exact == 0 && got & 0x7fff == 0;
                if same { Ok(()) } else { Err(format!("wanted {wanted:#x}")) }
            };
            let operands: String = (1..=count).map(|number| format!(", %h{number}")).collect();
            agrees(&format!("{op}.{name} %h15{operands};"), |i, got| {
                judge([0, 1, 2].map(|n| i[n] & 0xffff), got, "")
            });
            let operands: String = (1..=count).map(|number| format!(", %r{number}")).collect();
            let finish = match op {
                "fma.rn" => ".relu",
                _ if name == "f16" => ".sat",
                _ => "",
            };
            agrees(&format!("{op}{finish}.{name}x2 %r30{operands};"), |i, got| {
                judge([0, 1, 2].map(|n| i[n] & 0xffff), got & 0xffff, finish)?;
                judge([0, 1, 2].map(|n| i[n] >> 16 & 0xffff), got >> 16, finish)
            });
        }
    }
}

#[test]
fn order() {
    for half in [F16, BF16] {
        // A key that orders like the numbers. Both zeros have the same key, but the negative zero counts as smaller.
        let key = |bits: u64| if bits & 0x8000 != 0 { -((bits & 0x7fff) as i64) } else { bits as i64 };
        let part = |i: &[u64; 4], n: usize, at: u32| i[n] >> (16 * at) & 0xffff;
        let name = half.name;
        for (op, less) in [("min", true), ("max", false)] {
            let chosen = |a: u64, b: u64, propagate: bool| match (half.is_nan(a), half.is_nan(b)) {
                (true, true) => 0x7fff,
                (true, false) | (false, true) if propagate => 0x7fff,
                (true, false) => b,
                (false, true) => a,
                _ if key(a) == key(b) => {
                    if less {
                        a | b
                    } else {
                        a & b
                    }
                }
                _ => {
                    if (key(a) < key(b)) == less {
                        a
                    } else {
                        b
                    }
                }
            };
            holds(&format!("{op}.{name} %h15, %h1, %h2;"), |i| chosen(part(i, 0, 0), part(i, 1, 0), false));
            holds(&format!("{op}.NaN.{name}x2 %r30, %r1, %r2;"), |i| {
                let each = |at: u32| chosen(part(i, 0, at), part(i, 1, at), true);
                each(0) | each(1) << 16
            });
            holds(&format!("{op}.xorsign.abs.{name} %h15, %h1, %h2;"), |i| {
                let (a, b) = (part(i, 0, 0), part(i, 1, 0));
                let magnitude = chosen(a & 0x7fff, b & 0x7fff, false);
                if half.is_nan(magnitude) { magnitude } else { magnitude | (a ^ b) & 0x8000 }
            });
        }
        let less = |a: u64, b: u64| !half.is_nan(a) && !half.is_nan(b) && key(a) < key(b);
        holds(&format!("setp.lt.and.{name}x2 %p8|%p9, %r1, %r2, %p3;"), |i| {
            u64::from(less(part(i, 0, 1), part(i, 1, 1)) && i[2] & 1 == 1)
        });
        holds(&format!("setp.geu.{name}x2 %p9|%p8, %r1, %r2;"), |i| {
            u64::from(!less(part(i, 0, 0), part(i, 1, 0)))
        });
        holds(&format!("set.lt.or.u32.{name}x2 %r30, %r1, %r2, !%p3;"), |i| {
            let each = |at: u32| {
                let holds = less(part(i, 0, at), part(i, 1, at)) || i[2] & 1 == 0;
                if holds { 0xffff } else { 0 }
            };
            each(0) | each(1) << 16
        });
        let one = (half.bias as u64) << half.fraction_bits;
        holds(&format!("set.num.{name}x2.{name}x2 %r30, %r1, %r2;"), |i| {
            let each = |at: u32| {
                let numbers = !half.is_nan(part(i, 0, at)) && !half.is_nan(part(i, 1, at));
                if numbers { one } else { 0 }
            };
            each(0) | each(1) << 16
        });
        holds(&format!("abs.{name}x2 %r30, %r1;"), |i| i[0] & 0x7fff_7fff);
        holds(&format!("neg.{name} %h15, %h1;"), |i| i[0] & 0xffff ^ 0x8000);
    }
}

#[test]
fn approximations_are_within_their_bounds() {
    let value = |half: &Half, bits: u64| {
        let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
        let exponent = (bits >> half.fraction_bits & half.exponent_mask()) as i32;
        let fraction = (bits & ((1 << half.fraction_bits) - 1)) as f64 / f64::from(1 << half.fraction_bits);
        let (digits, exponent) = if exponent == 0 { (fraction, 1) } else { (1.0 + fraction, exponent) };
        sign * digits * 2f64.powi(exponent - half.bias)
    };
    for (half, tanh, exp2) in
        [(F16, 2f64.powf(-10.987), 2f64.powf(-9.9)), (BF16, 2f64.powi(-8), 2f64.powi(-7))]
    {
        let within = |bound: f64, relative: bool, f: fn(f64) -> f64| {
            let half = &half;
            move |i: &[u64; 4], got: u64| {
                let bits = i[0] & 0xffff;
                if bits & 0x7fff >= half.infinity() || got & 0x7fff >= half.infinity() {
                    return Ok(());
                }
                let (wanted, given) = (f(value(half, bits)), value(half, got));
                // Below the normal range, the bound is one unit in the last place.
                let least = 2f64.powi(1 - half.bias - half.fraction_bits);
                let bound = if relative { (bound * wanted.abs()).max(least) } else { bound };
                let near = (given - wanted).abs() <= bound;
                if near { Ok(()) } else { Err(format!("{given}, not {wanted}")) }
            }
        };
        let name = half.name;
        let ftz = if name == "bf16" { ".ftz" } else { "" };
        agrees(&format!("tanh.approx.{name} %h15, %h1;"), within(tanh, false, f64::tanh));
        agrees(&format!("ex2.approx{ftz}.{name} %h15, %h1;"), within(exp2, true, f64::exp2));
    }
}
