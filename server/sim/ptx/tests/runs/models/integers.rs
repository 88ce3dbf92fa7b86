//! Integer arithmetic, checked in 128 bits.

use super::harness::holds;

/// A type: its name, its width, whether it is signed, and the prefix of its registers.
#[derive(Clone, Copy)]
struct Type(&'static str, u32, bool, &'static str);

const TYPES: [Type; 6] = [
    Type("u16", 16, false, "h"),
    Type("s16", 16, true, "h"),
    Type("u32", 32, false, "r"),
    Type("s32", 32, true, "r"),
    Type("u64", 64, false, "rd"),
    Type("s64", 64, true, "rd"),
];

impl Type {
    fn value(self, word: u64) -> i128 {
        let modulus = 1i128 << self.1;
        let low = i128::from(word) & (modulus - 1);
        if self.2 && low >= modulus / 2 { low - modulus } else { low }
    }

    fn wrap(self, value: i128) -> u64 {
        (value & ((1 << self.1) - 1)) as u64
    }

    fn range(self) -> (i128, i128) {
        if self.2 { (-(1 << (self.1 - 1)), (1 << (self.1 - 1)) - 1) } else { (0, (1 << self.1) - 1) }
    }

    fn clamp(self, value: i128) -> u64 {
        self.wrap(value.clamp(self.range().0, self.range().1))
    }

    fn result(self) -> &'static str {
        match self.3 {
            "h" => "%h15",
            "r" => "%r30",
            _ => "%rd15",
        }
    }

    /// Checks `op` on registers 1, 2 and 3 of the type.
    fn check(self, op: &str, operands: usize, model: impl Fn(i128, i128, i128) -> u64) {
        let registers: String = (1..=operands).map(|number| format!(", %{}{number}", self.3)).collect();
        let statement = format!("{op}.{} {}{registers};", self.0, self.result());
        holds(&statement, |i| model(self.value(i[0]), self.value(i[1]), self.value(i[2])));
    }
}

#[test]
fn sums_and_products() {
    for ty in TYPES {
        ty.check("add", 2, |a, b, _| ty.wrap(a + b));
        ty.check("sub", 2, |a, b, _| ty.wrap(a - b));
        ty.check("mul.lo", 2, |a, b, _| ty.wrap(a.wrapping_mul(b)));
        ty.check("mul.hi", 2, |a, b, _| ty.wrap(high(ty, a, b)));
        ty.check("mad.lo", 3, |a, b, c| ty.wrap(a.wrapping_mul(b).wrapping_add(c)));
        ty.check("mad.hi", 3, |a, b, c| ty.wrap(high(ty, a, b) + c));
        ty.check("min", 2, |a, b, _| ty.wrap(a.min(b)));
        ty.check("max", 2, |a, b, _| ty.wrap(a.max(b)));
        ty.check("sad", 3, |a, b, c| ty.wrap((a - b).abs() + c));
        // Division by zero gives all ones; dividing the smallest number by -1 wraps.
        ty.check("div", 2, |a, b, _| ty.wrap(if b == 0 { -1 } else { a / b }));
        ty.check("rem", 2, |a, b, _| ty.wrap(if b == 0 { -1 } else { a % b }));
        if ty.2 {
            ty.check("abs", 1, |a, _, _| ty.wrap(a.abs()));
            ty.check("neg", 1, |a, _, _| ty.wrap(-a));
        }
        if ty.1 < 64 {
            let wide = if ty.1 == 16 { "%r30" } else { "%rd15" };
            let file = if ty.1 == 16 { "r" } else { "rd" };
            let twice = Type("", 2 * ty.1, ty.2, "");
            holds(&format!("mul.wide.{} {wide}, %{1}1, %{1}2;", ty.0, ty.3), |i| {
                twice.wrap(ty.value(i[0]) * ty.value(i[1]))
            });
            holds(&format!("mad.wide.{} {wide}, %{1}1, %{1}2, %{file}3;", ty.0, ty.3), |i| {
                twice.wrap(ty.value(i[0]) * ty.value(i[1]) + twice.value(i[2]))
            });
        }
    }
}

/// The upper half of a product. In 64 bits it is computed from halves, because a signed product does not fit in 128 bits.
fn high(ty: Type, a: i128, b: i128) -> i128 {
    if ty.1 < 64 {
        return (a * b) >> ty.1;
    }
    let (low, upper) = (a & 0xffff_ffff, a >> 32);
    (((low * b) >> 32) + upper * b) >> 32
}

#[test]
fn clamped() {
    let s32 = TYPES[3];
    s32.check("add.sat", 2, |a, b, _| s32.clamp(a + b));
    s32.check("sub.sat", 2, |a, b, _| s32.clamp(a - b));
    s32.check("mad.hi.sat", 3, |a, b, c| s32.clamp(((a * b) >> 32) + c));
    s32.check("min.relu", 2, |a, b, _| s32.wrap(a.min(b).max(0)));
    s32.check("max.relu", 2, |a, b, _| s32.wrap(a.max(b).max(0)));
}

#[test]
fn twenty_four_bits() {
    for ty in [Type("u32", 24, false, "r"), Type("s32", 24, true, "r")] {
        let word = Type("", 32, ty.2, "");
        let product = |i: &[u64; 4]| ty.value(i[0]) * ty.value(i[1]);
        let name = ty.0;
        holds(&format!("mul24.lo.{name} %r30, %r1, %r2;"), |i| word.wrap(product(i)));
        holds(&format!("mul24.hi.{name} %r30, %r1, %r2;"), |i| word.wrap(product(i) >> 16));
        holds(&format!("mad24.lo.{name} %r30, %r1, %r2, %r3;"), |i| word.wrap(product(i) + word.value(i[2])));
        holds(&format!("mad24.hi.{name} %r30, %r1, %r2, %r3;"), |i| {
            word.wrap((product(i) >> 16) + word.value(i[2]))
        });
    }
    let ty = Type("s32", 24, true, "r");
    let word = Type("", 32, true, "");
    holds("mad24.hi.sat.s32 %r30, %r1, %r2, %r3;", |i| {
        word.clamp(((ty.value(i[0]) * ty.value(i[1])) >> 16) + word.value(i[2]))
    });
}

/// A number made of two words of `bits` bits.
fn wide(bits: u32, low: u64, high: u64) -> u128 {
    let mask = u64::MAX >> (64 - bits);
    u128::from(low & mask) | u128::from(high & mask) << bits
}

#[test]
fn carries_join_words() {
    for (bits, file, result) in [(32, "r", "%r30"), (64, "rd", "%rd15")] {
        let ty = format!("u{bits}");
        let cut = |value: u128| (value >> bits) as u64 & (u64::MAX >> (64 - bits));
        let register = |number: u32| format!("%{file}{number}");
        let (a, b, c, d) = (register(1), register(2), register(3), register(4));
        holds(&format!("add.cc.{ty} {a}, {a}, {c}; addc.{ty} {result}, {b}, {d};"), |i| {
            cut(wide(bits, i[0], i[1]).wrapping_add(wide(bits, i[2], i[3])))
        });
        holds(&format!("sub.cc.{ty} {a}, {a}, {c}; subc.{ty} {result}, {b}, {d};"), |i| {
            cut(wide(bits, i[0], i[1]).wrapping_sub(wide(bits, i[2], i[3])))
        });
        // The carry out of the second word, on its own.
        holds(
            &format!("add.cc.{ty} {a}, {a}, {c}; addc.cc.{ty} {b}, {b}, {d}; addc.{ty} {result}, 0, 0;"),
            |i| {
                let (x, y) = (wide(bits, i[0], i[1]), wide(bits, i[2], i[3]));
                if bits == 64 { u64::from(x.checked_add(y).is_none()) } else { ((x + y) >> 64) as u64 }
            },
        );
        // A product of two words, plus a two-word number.
        holds(
            &format!("mad.lo.cc.{ty} %{file}11, {a}, {b}, {c}; madc.hi.{ty} {result}, {a}, {b}, {d};"),
            |i| {
                let mask = u64::MAX >> (64 - bits);
                let product = u128::from(i[0] & mask) * u128::from(i[1] & mask);
                cut(product.wrapping_add(wide(bits, i[2], i[3])))
            },
        );
    }
    // Four 32-bit words are two 64-bit numbers.
    holds(
        "mov.b64 {%r5,%r6}, %rd1; mov.b64 {%r7,%r8}, %rd2; sub.cc.u32 %r5, %r5, %r7; subc.u32 %r6, %r6, %r8; mov.b64 %rd15, {%r5,%r6};",
        |i| i[0].wrapping_sub(i[1]),
    );
}

#[test]
fn packed_parts() {
    for (ty, bits, signed) in
        [("u16x2", 16, false), ("s16x2", 16, true), ("u8x4", 8, false), ("s8x4", 8, true)]
    {
        let part = Type("", bits, signed, "");
        let each = |i: &[u64; 4], f: &dyn Fn(i128, i128) -> i128| {
            (0..32 / bits).fold(0, |word, index| {
                let at = |word: u64| part.value(word >> (bits * index));
                word | part.wrap(f(at(i[0]), at(i[1]))) << (bits * index)
            })
        };
        let clamp = |value: i128| value.clamp(part.range().0, part.range().1);
        holds(&format!("add.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| a + b));
        holds(&format!("add.sat.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| clamp(a + b)));
        holds(&format!("min.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| a.min(b)));
        holds(&format!("max.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| a.max(b)));
        holds(&format!("set.lt.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| -i128::from(a < b)));
        if signed {
            holds(&format!("max.relu.{ty} %r30, %r1, %r2;"), |i| each(i, &|a, b| a.max(b).max(0)));
        }
    }
}

#[test]
fn dot_products() {
    let part = |bits: u32, signed: bool, word: u64, index: u32| {
        Type("", bits, signed, "").value(word >> (bits * index))
    };
    for (a, b) in [("u32", "u32"), ("u32", "s32"), ("s32", "u32"), ("s32", "s32")] {
        let (sa, sb) = (a == "s32", b == "s32");
        let word = Type("", 32, false, "");
        holds(&format!("dp4a.{a}.{b} %r30, %r1, %r2, %r3;"), |i| {
            let products = (0..4).map(|index| part(8, sa, i[0], index) * part(8, sb, i[1], index));
            word.wrap(products.sum::<i128>() + word.value(i[2]))
        });
        for (half, first) in [("lo", 0), ("hi", 2)] {
            holds(&format!("dp2a.{half}.{a}.{b} %r30, %r1, %r2, %r3;"), |i| {
                let products =
                    (0..2).map(|index| part(16, sa, i[0], index) * part(8, sb, i[1], first + index));
                word.wrap(products.sum::<i128>() + word.value(i[2]))
            });
        }
    }
}

#[test]
fn video() {
    let word = |signed: bool| Type("", 32, signed, "");
    let half = Type("", 16, true, "");
    holds("vadd.s32.s32.u32.sat %r30, %r1.h1, %r2.b3;", |i| {
        word(true).clamp(half.value(i[0] >> 16) + i128::from(i[1] >> 24 & 0xff))
    });
    holds("vsub.u32.u32.u32.sat.max %r30, %r1, %r2, %r3;", |i| {
        let unsigned = word(false);
        let difference = unsigned.clamp(unsigned.value(i[0]) - unsigned.value(i[1]));
        difference.max(i[2] & 0xffff_ffff)
    });
    holds("vabsdiff.s32.s32.s32 %r30.b1, %r1.h0, %r2.h1, %r3;", |i| {
        let difference = (half.value(i[0]) - half.value(i[1] >> 16)).abs();
        i[2] & 0xffff_00ff | (difference as u64 & 0xff) << 8
    });
    holds("vmad.s32.s32.s32.sat.shr7 %r30, %r1, -%r2, %r3;", |i| {
        let signed = word(true);
        signed.clamp((-(signed.value(i[0]) * signed.value(i[1])) + signed.value(i[2])) >> 7)
    });
    holds("vadd4.s32.s32.u32.sat %r30.b20, %r1.b7210, %r2.b6543, %r3;", |i| {
        let bytes: Vec<u64> =
            (0..8).map(|n| (if n < 4 { i[0] } else { i[1] }) >> (8 * (n % 4)) & 0xff).collect();
        let (byte, select_a, select_b) = (Type("", 8, true, ""), [0, 1, 2, 7], [3, 4, 5, 6]);
        (0..4).fold(0, |word, lane| {
            let sum = byte.value(bytes[select_a[lane]]) + i128::from(bytes[select_b[lane]]);
            let value = if lane % 2 == 0 { byte.clamp(sum) } else { i[2] >> (8 * lane) & 0xff };
            word | value << (8 * lane)
        })
    });
    holds("vavrg2.s32.s32.s32.add %r30, %r1, %r2, %r3;", |i| {
        let average = |lane: u32| {
            let sum = half.value(i[0] >> (16 * lane)) + half.value(i[1] >> (16 * lane));
            if sum >= 0 { (sum + 1) >> 1 } else { sum >> 1 }
        };
        word(false).wrap(average(0) + average(1) + i128::from(i[2]))
    });
}
