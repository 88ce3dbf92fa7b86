//! `cvt` to the small formats, checked with tables of their values.

use super::harness::{agrees, holds};

/// The magnitudes of a format in ascending order, indexed by code.
struct Small {
    name: &'static str,
    magnitudes: Vec<f64>,
    nan: u64,
    /// Bits of a code, including its sign.
    bits: u32,
}

fn small(name: &'static str, exponent_bits: u32, fraction_bits: u32, codes: u64, nan: u64) -> Small {
    let bias = (1 << (exponent_bits - 1)) - 1;
    let magnitude = |code: u64| {
        let (exponent, fraction) = ((code >> fraction_bits) as i32, code & ((1 << fraction_bits) - 1));
        let fraction = fraction as f64 / f64::from(1 << fraction_bits);
        match exponent {
            0 => fraction * 2f64.powi(1 - bias),
            _ => (1.0 + fraction) * 2f64.powi(exponent - bias),
        }
    };
    Small {
        name,
        magnitudes: (0..codes).map(magnitude).collect(),
        nan,
        bits: 1 + exponent_bits + fraction_bits,
    }
}

fn formats() -> [Small; 5] {
    [
        small("e4m3", 4, 3, 0x7f, 0x7f),
        small("e5m2", 5, 2, 0x7c, 0x7f),
        small("e2m3", 2, 3, 0x20, 0x1f),
        small("e3m2", 3, 2, 0x20, 0x1f),
        small("e2m1", 2, 1, 0x8, 0x7),
    ]
}

impl Small {
    /// The code of the nearest number (or the next one toward zero), limited to the largest number.
    fn encode(&self, x: f32, toward_zero: bool, relu: bool) -> u64 {
        if x.is_nan() {
            return self.nan;
        }
        let sign = if x.is_sign_negative() { 1 << (self.bits - 1) } else { 0 };
        if relu && sign != 0 {
            return 0;
        }
        let magnitude = f64::from(x.abs());
        let at = self.magnitudes.partition_point(|known| *known <= magnitude) - 1;
        let Some(above) = self.magnitudes.get(at + 1) else { return sign | at as u64 };
        let middle = (self.magnitudes[at] + above) / 2.0;
        let up = !toward_zero && (magnitude > middle || magnitude == middle && at % 2 == 1);
        sign | (at + usize::from(up)) as u64
    }

    fn decode(&self, code: u64) -> Option<f64> {
        let magnitude = *self.magnitudes.get((code & ((1 << (self.bits - 1)) - 1)) as usize)?;
        Some(if code >> (self.bits - 1) & 1 == 1 { -magnitude } else { magnitude })
    }
}

fn single(i: &[u64; 4], n: usize) -> f32 {
    f32::from_bits(i[n] as u32)
}

#[test]
fn to_small_floats() {
    for format in formats() {
        let stride = if format.name == "e2m1" { 4 } else { 8 };
        let (to, result) = if stride == 4 { ("%c1", "cvt.u16.u8 %h15, %c1;") } else { ("%h15", "") };
        for (mode, toward_zero) in [("rn", false), ("rz", true)] {
            for (word, relu) in [("", false), (".relu", true)] {
                let name = format.name;
                holds(&format!("cvt.{mode}{word}.satfinite.{name}x2.f32 {to}, %f1, %f2; {result}"), |i| {
                    let code = |n: usize| format.encode(single(i, n), toward_zero, relu);
                    code(0) << stride | code(1)
                });
            }
        }
    }
}

#[test]
fn from_small_floats() {
    for format in formats() {
        let stride = if format.name == "e2m1" { 4 } else { 8 };
        let (from, make) = if stride == 4 { ("%c1", "cvt.u8.u16 %c1, %h1;") } else { ("%h1", "") };
        for to in ["f16", "bf16"] {
            let name = format.name;
            agrees(&format!("{make} cvt.rn.{to}x2.{name}x2 %r30, {from};"), |i, got| {
                for (at, bits) in [(0, got & 0xffff), (1, got >> 16)] {
                    let code = i[0] >> (stride * at) & ((1 << format.bits) - 1);
                    let given = match to {
                        "bf16" => f64::from(f32::from_bits((bits as u32) << 16)),
                        _ => small("f16", 5, 10, 0x7c00, 0).decode(bits).unwrap_or(f64::NAN),
                    };
                    match format.decode(code) {
                        Some(wanted) if given == wanted => {}
                        None if !given.is_finite() => {}
                        wanted => return Err(format!("half {at}: {given}, wanted {wanted:?}")),
                    }
                }
                Ok(())
            });
        }
    }
}

#[test]
fn to_halves_in_all_roundings() {
    let f16 = small("f16", 5, 10, 0x7c00, 0x7fff);
    for mode in ["rn", "rz", "rm", "rp"] {
        holds(&format!("cvt.{mode}.f16.f32 %h15, %f1;"), |i| {
            let x = single(i, 0);
            if x.is_nan() || x.is_infinite() {
                return if x.is_nan() { 0x7fff } else { 0x7c00 | if x < 0.0 { 0x8000 } else { 0 } };
            }
            let code = f16.encode(x, mode != "rn", false);
            let exact = f16.decode(code) == Some(f64::from(x));
            let away = !exact && (mode == "rp" && x > 0.0 || mode == "rm" && x < 0.0);
            // At half a step or more beyond the largest number, the nearest one is infinity.
            let beyond = mode == "rn" && x.abs() >= 65520.0;
            code + u64::from(away || beyond)
        });
    }
    holds("cvt.rn.bf16x2.f32 %r30, %f1, %f2;", |i| {
        let half = |n: usize| {
            let bits = i[n] & 0xffff_ffff;
            if single(i, n).is_nan() { 0x7fff } else { (bits + 0x7fff + (bits >> 16 & 1)) >> 16 }
        };
        half(0) << 16 | half(1)
    });
    holds("cvt.rz.satfinite.bf16x2.f32 %r30, %f1, %f2;", |i| {
        let half = |n: usize| {
            let (x, bits) = (single(i, n), i[n] >> 16 & 0xffff);
            if x.is_nan() {
                0x7fff
            } else if x.is_infinite() {
                bits - 1
            } else {
                bits
            }
        };
        half(0) << 16 | half(1)
    });
    holds("cvt.rna.tf32.f32 %r30, %f1;", |i| {
        let bits = i[0] & 0xffff_ffff;
        if single(i, 0).is_nan() {
            0x7fff_e000
        } else if single(i, 0).is_infinite() {
            bits
        } else {
            (bits + 0x1000) & !0x1fff
        }
    });
}

#[test]
fn by_random_bits() {
    // A result is rounded up if the sum of the discarded bits and the random bits carries.
    holds("cvt.rs.bf16x2.f32 %r30, %f1, %f2, %r3;", |i| {
        let half = |n: usize, random: u64| {
            let x = single(i, n);
            let bits = i[n] & 0xffff_ffff;
            if x.is_nan() {
                0x7fff
            } else if x.is_infinite() {
                bits >> 16
            } else {
                (bits + random) >> 16
            }
        };
        half(0, i[2] >> 16 & 0xffff) << 16 | half(1, i[2] & 0xffff)
    });
    agrees("cvt.rs.f16x2.f32 %r30, %f1, %f2, %r3;", |i, got| {
        for (n, random, given) in [(0, i[2] >> 16 & 0x1fff, got >> 16), (1, i[2] & 0x1fff, got & 0xffff)] {
            let x = single(i, n);
            // Only results that are normal numbers.
            if !(6.2e-5..65000.0).contains(&x.abs()) {
                continue;
            }
            let bits = ((i[n] & 0x7fff_ffff) + random) >> 13;
            let wanted = (bits - (112 << 10)) | u64::from(x < 0.0) << 15;
            if given != wanted {
                return Err(format!("{given:#x}, wanted {wanted:#x}"));
            }
        }
        Ok(())
    });
}

#[test]
fn integers_and_floats() {
    for (mode, round) in [
        ("rni", f64::round_ties_even as fn(f64) -> f64),
        ("rzi", f64::trunc),
        ("rmi", f64::floor),
        ("rpi", f64::ceil),
    ] {
        holds(&format!("cvt.{mode}.s32.f32 %r30, %f1;"), |i| {
            u64::from(round(single(i, 0).into()) as i32 as u32)
        });
        holds(&format!("cvt.{mode}.u64.f32 %rd15, %f1;"), |i| {
            let x = single(i, 0);
            if x.is_nan() { 1 << 63 } else { round(x.into()) as u64 }
        });
        holds(&format!("cvt.{mode}.u16.f64 %h15, %fd1;"), |i| {
            let x = f64::from_bits(i[0]);
            if x.is_nan() { 1 << 15 } else { u64::from(round(x) as u16) }
        });
        holds(&format!("cvt.{mode}.f32.f32 %f9, %f1; mov.b32 %r30, %f9;"), |i| {
            let x = single(i, 0);
            if x.is_nan() { 0x7fff_ffff } else { u64::from((round(x.into()) as f32).to_bits()) }
        });
    }
    holds("cvt.rn.f32.s64 %f9, %rd1; mov.b32 %r30, %f9;", |i| u64::from((i[0] as i64 as f32).to_bits()));
    holds("cvt.rn.f64.u64 %fd9, %rd1; mov.b64 %rd15, %fd9;", |i| (i[0] as f64).to_bits());
    holds("cvt.sat.s8.s32 %r30, %r1;", |i| u64::from((i[0] as i32).clamp(-128, 127) as u32));
    holds("cvt.sat.u16.s64 %h15, %rd1;", |i| (i[0] as i64).clamp(0, 0xffff) as u64);
    for (bits, signed) in [(16u32, true), (16, false), (8, true), (8, false)] {
        let ty = format!("{}{bits}", if signed { "s" } else { "u" });
        let clamp = move |word: u64| {
            let value = i64::from(word as i32);
            let (least, greatest) =
                if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
            value.clamp(least, greatest) as u64 & ((1 << bits) - 1)
        };
        if bits == 16 {
            holds(&format!("cvt.pack.sat.{ty}.s32 %r30, %r1, %r2;"), |i| clamp(i[0]) << 16 | clamp(i[1]));
        } else {
            holds(&format!("cvt.pack.sat.{ty}.s32.b32 %r30, %r1, %r2, %r3;"), |i| {
                (i[2] << 16 | clamp(i[0]) << 8 | clamp(i[1])) & 0xffff_ffff
            });
        }
    }
}

#[test]
fn powers_of_two_and_fixed_point() {
    for (mode, up) in [("rz", false), ("rp", true)] {
        for (word, finite) in [("", false), (".satfinite", true)] {
            holds(&format!("cvt.{mode}{word}.ue8m0x2.f32 %h15, %f1, %f2;"), |i| {
                let code = |n: usize| {
                    let bits = i[n] & 0x7fff_ffff;
                    // Above 2^-127 (bits 0x40_0000), any fraction rounds up.
                    let more = up && bits & 0x7f_ffff != 0 && bits > 0x40_0000 && bits < 0x7f80_0000;
                    let code = (bits >> 23) + u64::from(more);
                    if finite && code == 0xff && bits <= 0x7f80_0000 { 0xfe } else { code }
                };
                code(0) << 8 | code(1)
            });
        }
    }
    holds("cvt.rn.bf16x2.ue8m0x2 %r30, %h1;", |i| {
        let half = |code: u64| match code {
            0xff => 0x7fff,
            0 => 0x40,
            code => code << 7,
        };
        half(i[0] >> 8 & 0xff) << 16 | half(i[0] & 0xff)
    });
    holds("cvt.rn.satfinite.s2f6x2.f32 %h15, %f1, %f2;", |i| {
        let code = |n: usize| {
            let x = f64::from(single(i, n));
            if x.is_nan() {
                0x7f
            } else {
                (x * 64.0).round_ties_even().clamp(-128.0, 127.0) as i8 as u8 as u64
            }
        };
        code(0) << 8 | code(1)
    });
}
