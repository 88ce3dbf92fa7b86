//! Bit operations, checked bit by bit.

use super::harness::holds;

/// The bits of a word, lowest first.
fn bits(word: u64, count: usize) -> Vec<bool> {
    (0..count).map(|bit| word >> bit & 1 == 1).collect()
}

fn word(bits: &[bool]) -> u64 {
    bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit))
}

#[test]
fn three_inputs() {
    for table in [0x00u32, 0x01, 0x96, 0xca, 0xe8, 0x5a, 0x80, 0xfe, 0xff] {
        let look_up = |i: &[u64; 4]| {
            (0..32).fold(0, |word, bit| {
                let at = |n: usize| (i[n] >> bit & 1) as u32;
                word | u64::from(table >> (at(0) << 2 | at(1) << 1 | at(2)) & 1) << bit
            })
        };
        holds(&format!("lop3.b32 %r30, %r1, %r2, %r3, {table};"), look_up);
        holds(&format!("lop3.or.b32 %r30|%p8, %r1, %r2, %r3, {table}, %p4;"), look_up);
        holds(&format!("lop3.and.b32 %r10|%p9, %r1, %r2, %r3, {table}, !%p4;"), |i| {
            u64::from(look_up(i) != 0 && i[3] & 1 == 0)
        });
    }
}

#[test]
fn counts() {
    for (count, ty, register) in [(32, "32", "%r1"), (64, "64", "%rd1")] {
        let at = |i: &[u64; 4]| bits(i[0], count);
        holds(&format!("popc.b{ty} %r30, {register};"), |i| at(i).iter().filter(|bit| **bit).count() as u64);
        holds(&format!("clz.b{ty} %r30, {register};"), |i| {
            at(i).iter().rev().take_while(|bit| !**bit).count() as u64
        });
        let result = if count == 32 { "%r30" } else { "%rd15" };
        holds(&format!("brev.b{ty} {result}, {register};"), |i| {
            word(&at(i).into_iter().rev().collect::<Vec<_>>())
        });
        let found = move |i: &[u64; 4], other: bool| at(i).iter().rposition(|bit| *bit != other);
        let none = 0xffff_ffff;
        holds(&format!("bfind.u{ty} %r30, {register};"), |i| found(i, false).map_or(none, |at| at as u64));
        holds(&format!("bfind.shiftamt.s{ty} %r30, {register};"), |i| {
            found(i, at(i)[count - 1]).map_or(none, |at| (count - 1 - at) as u64)
        });
    }
}

#[test]
fn fields() {
    for (count, ty, a, b, result) in
        [(32usize, "32", "%r1", "%r2", "%r30"), (64, "64", "%rd1", "%rd2", "%rd15")]
    {
        for signed in [false, true] {
            let name = if signed { "s" } else { "u" };
            holds(&format!("bfe.{name}{ty} {result}, {a}, %r3, %r4;"), |i| {
                let (from, length) = ((i[2] & 0xff) as usize, (i[3] & 0xff) as usize);
                let bits = bits(i[0], count);
                let sign = signed && length > 0 && bits[(from + length - 1).min(count - 1)];
                let inside = |bit: usize| bit < length && from + bit < count;
                word(
                    &(0..count)
                        .map(|bit| if inside(bit) { bits[from + bit] } else { sign })
                        .collect::<Vec<_>>(),
                )
            });
        }
        holds(&format!("bfi.b{ty} {result}, {a}, {b}, %r3, %r4;"), |i| {
            let (to, length) = ((i[2] & 0xff) as usize, (i[3] & 0xff) as usize);
            let (field, mut bits) = (bits(i[0], count), bits(i[1], count));
            for bit in (0..length).filter(|bit| to + bit < count) {
                bits[to + bit] = field[bit];
            }
            word(&bits)
        });
    }
}

#[test]
fn nth_bit_set() {
    holds("and.b32 %r2, %r2, 31; fns.b32 %r30, %r1, %r2, %r3;", |i| {
        let (bits, base, offset) = (bits(i[0], 32), (i[1] & 31) as i64, i64::from(i[2] as i32));
        if offset == 0 {
            return if bits[base as usize] { base as u64 } else { 0xffff_ffff };
        }
        let (mut at, mut left) = (base, offset.abs());
        while (0..32).contains(&at) {
            left -= i64::from(bits[at as usize]);
            if left == 0 {
                return at as u64;
            }
            at += offset.signum();
        }
        0xffff_ffff
    });
}

#[test]
fn masks_and_extensions() {
    for wrap in [false, true] {
        let mode = if wrap { "wrap" } else { "clamp" };
        holds(&format!("bmsk.{mode}.b32 %r30, %r1, %r2;"), |i| {
            let (from, count) = (i[0] & 0xffff_ffff, i[1] & 0xffff_ffff);
            let (from, count) = if wrap { (from % 32, count % 32) } else { (from, count) };
            word(&(0..32).map(|bit| bit >= from && bit - from < count).collect::<Vec<_>>())
        });
        for signed in [false, true] {
            let name = if signed { "s32" } else { "u32" };
            holds(&format!("szext.{mode}.{name} %r30, %r1, %r2;"), |i| {
                let count = i[1] & 0xffff_ffff;
                let count = if wrap { count % 32 } else { count.min(32) } as usize;
                let bits = bits(i[0], 32);
                let sign = signed && count > 0 && bits[count - 1];
                word(&(0..32).map(|bit| if bit < count { bits[bit] } else { sign }).collect::<Vec<_>>())
            });
        }
    }
}

#[test]
fn permutations() {
    let byte = |i: &[u64; 4], at: u64| (if at < 4 { i[0] } else { i[1] }) >> (8 * (at % 4)) & 0xff;
    holds("prmt.b32 %r30, %r1, %r2, %r3;", |i| {
        (0..4).fold(0, |word, to| {
            let selector = i[2] >> (4 * to) & 0xf;
            let value = byte(i, selector & 7);
            let value = if selector < 8 {
                value
            } else if value >= 0x80 {
                0xff
            } else {
                0
            };
            word | value << (8 * to)
        })
    });
    // The bytes selected for each `n`, from the highest to the lowest.
    let modes: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, table) in modes {
        holds(&format!("prmt.b32.{mode} %r30, %r1, %r2, %r3;"), |i| {
            table[(i[2] & 3) as usize].iter().fold(0, |word, at| word << 8 | byte(i, *at))
        });
    }
}

#[test]
fn shifts() {
    for (count, ty, register, result) in
        [(16usize, "16", "%h1", "%h15"), (32, "32", "%r1", "%r30"), (64, "64", "%rd1", "%rd15")]
    {
        let by = |i: &[u64; 4]| (i[1] & 0xffff_ffff) as usize;
        holds(&format!("shl.b{ty} {result}, {register}, %r2;"), |i| {
            let bits = bits(i[0], count);
            word(
                &(0..count)
                    .map(|bit| bit.checked_sub(by(i)).is_some_and(|from| bits[from]))
                    .collect::<Vec<_>>(),
            )
        });
        for signed in [false, true] {
            let name = if signed { "s" } else { "u" };
            holds(&format!("shr.{name}{ty} {result}, {register}, %r2;"), |i| {
                let bits = bits(i[0], count);
                let sign = signed && bits[count - 1];
                word(&(0..count).map(|bit| *bits.get(bit + by(i)).unwrap_or(&sign)).collect::<Vec<_>>())
            });
        }
    }
    for (mode, wrap) in [("clamp", false), ("wrap", true)] {
        let by = move |i: &[u64; 4]| {
            let count = (i[2] & 0xffff_ffff) as usize;
            if wrap { count % 32 } else { count.min(32) }
        };
        let pair = |i: &[u64; 4]| [bits(i[0], 32), bits(i[1], 32)].concat();
        holds(&format!("shf.r.{mode}.b32 %r30, %r1, %r2, %r3;"), |i| word(&pair(i)[by(i)..by(i) + 32]));
        holds(&format!("shf.l.{mode}.b32 %r30, %r1, %r2, %r3;"), |i| word(&pair(i)[32 - by(i)..64 - by(i)]));
    }
}

#[test]
fn products_without_carries() {
    let product = |i: &[u64; 4]| {
        let mut bits = [false; 128];
        for a in 0..64 {
            for b in 0..64 {
                bits[a + b] ^= i[0] >> a & i[1] >> b & 1 == 1;
            }
        }
        bits
    };
    holds("clmad.lo.u64 %rd15, %rd1, %rd2, %rd3;", |i| word(&product(i)[..64]) ^ i[2]);
    holds("clmad.hi.u64 %rd15, %rd1, %rd2, %rd3;", |i| word(&product(i)[64..]) ^ i[2]);
}
