use warplens_sim_warp::soft_float::BF16;

use super::*;

/// A generator of numbers that repeat late and are small enough for every type in these tests.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, least: i64, greatest: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (self.0 >> 33) as i64 % (greatest - least + 1)
    }

    fn matrix(&mut self, rows: u32, columns: u32, least: i64, greatest: i64) -> Vec<Vec<i64>> {
        (0..rows).map(|_| (0..columns).map(|_| self.next(least, greatest)).collect()).collect()
    }
}

/// The bits of a small integer.
fn encode(ty: Factor, value: i64) -> u64 {
    let single = F32.unpack((value as f32).to_bits().into());
    match ty {
        Factor::F16 => F16.pack(single, Rounding::Nearest),
        Factor::Bf16 => BF16.pack(single, Rounding::Nearest),
        Factor::Tf32 => (value as f32).to_bits().into(),
        Factor::F64 => (value as f64).to_bits(),
        Factor::Narrow(format, _, below) => u64::from(format.pack(single, Rounding::Nearest)) << below,
        _ => value as u64 & ((1 << ty.bits()) - 1),
    }
}

fn encode_sum(ty: Sum, value: i64) -> u64 {
    match ty {
        Sum::F16 => encode(Factor::F16, value),
        Sum::F32 => encode(Factor::Tf32, value),
        Sum::F64 => encode(Factor::F64, value),
        Sum::S32 => value as u32 as u64,
    }
}

/// The documented layout of a lane's registers: the row and the column of element `e` of register `r`.
type RegisterLayout = fn(lane: u32, r: u32, e: u32, per: u32) -> (u32, u32);

/// Distributes a matrix over registers in its documented layout.
fn spread(count: u32, bits: u32, layout: RegisterLayout, value: impl Fn(u32, u32) -> u64) -> Words {
    let per = (32 / bits).max(1);
    let word = |r: u32, lane: u32| {
        (0..per).fold(0, |word, e| {
            let (row, column) = layout(lane, r, e, per);
            word | value(row, column) << (e * bits)
        })
    };
    (0..count).map(|r| std::array::from_fn(|lane| word(r, lane as u32))).collect()
}

const A_16: RegisterLayout =
    |lane, r, e, per| (lane / 4 + 8 * (r & 1), (r >> 1) * 4 * per + lane % 4 * per + e);
const A_8: RegisterLayout = |lane, _, e, per| (lane / 4, lane % 4 * per + e);
const B: RegisterLayout = |lane, r, e, per| (r * 4 * per + lane % 4 * per + e, lane / 4);
const C_WIDE: RegisterLayout = |lane, r, _, _| (lane / 4 + 8 * (r >> 1), 2 * (lane % 4) + (r & 1));
const C_HALF: RegisterLayout = |lane, r, e, _| (lane / 4 + 8 * r, 2 * (lane % 4) + e);

fn documented(m: u32, k: u32, a: Factor, b: Factor, sum: Sum) -> Product {
    Product {
        m,
        n: 8,
        k,
        a,
        b,
        c: sum,
        d: sum,
        saturate: false,
        rounding: Rounding::Nearest,
        layout: Layout::Documented,
        scale: None,
    }
}

/// The plain product of integers.
fn plain(a: &[Vec<i64>], b: &[Vec<i64>], c: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let element = |row: usize, column: usize| {
        c[row][column] + (0..b.len()).map(|k| a[row][k] * b[k][column]).sum::<i64>()
    };
    (0..a.len()).map(|row| (0..b[0].len()).map(|column| element(row, column)).collect()).collect()
}

#[test]
fn documented_products_are_those_of_matrices() {
    let mut numbers = Numbers(7);
    let narrow = |name: &str| Factor::in_byte(name).expect("a type");
    let signed = [
        (16, 8, Factor::F16, Factor::F16, Sum::F16),
        (16, 16, Factor::F16, Factor::F16, Sum::F32),
        (16, 8, Factor::Bf16, Factor::Bf16, Sum::F32),
        (16, 16, Factor::Bf16, Factor::Bf16, Sum::F32),
        (16, 4, Factor::Tf32, Factor::Tf32, Sum::F32),
        (16, 8, Factor::Tf32, Factor::Tf32, Sum::F32),
        (8, 4, Factor::F64, Factor::F64, Sum::F64),
        (16, 16, Factor::F64, Factor::F64, Sum::F64),
        (16, 32, narrow("e4m3"), narrow("e5m2"), Sum::F32),
        (16, 16, narrow("e5m2"), narrow("e4m3"), Sum::F16),
        (16, 32, narrow("e2m1"), narrow("e3m2"), Sum::F32),
        (16, 32, narrow("e2m3"), narrow("e2m1"), Sum::F16),
        (16, 64, Factor::PACKED_E2M1, Factor::PACKED_E2M1, Sum::F32),
        (8, 16, Factor::S8, Factor::S8, Sum::S32),
        (16, 32, Factor::S8, Factor::S8, Sum::S32),
        (8, 32, Factor::S4, Factor::S4, Sum::S32),
        (16, 64, Factor::S4, Factor::S4, Sum::S32),
    ];
    let unsigned = [
        (16, 16, Factor::U8, Factor::U8, Sum::S32),
        (16, 32, Factor::U4, Factor::U4, Sum::S32),
        (16, 128, Factor::BitsAnd, Factor::BitsAnd, Sum::S32),
    ];
    let signed = signed.into_iter().map(|shape| (shape, -3));
    for ((m, k, ty_a, ty_b, sum), least) in signed.chain(unsigned.into_iter().map(|shape| (shape, 0))) {
        let greatest = if ty_a == Factor::BitsAnd { 1 } else { 3 };
        let product = documented(m, k, ty_a, ty_b, sum);
        let (a, b) = (numbers.matrix(m, k, least, greatest), numbers.matrix(k, 8, least, greatest));
        let c = numbers.matrix(m, 8, -50, 50);
        let [of_a, of_b, of_c, _] = product.matrices();
        let layout_a = if m == 16 { A_16 } else { A_8 };
        let layout_c = if sum == Sum::F16 { C_HALF } else { C_WIDE };
        let at = |matrix: &[Vec<i64>], row: u32, column: u32| matrix[row as usize][column as usize];
        let registers =
            |count, layout, value: &dyn Fn(u32, u32) -> u64| spread(count, sum.bits(), layout, value);
        let given = product.compute(
            &spread(of_a.registers, ty_a.bits(), layout_a, |row, k| encode(ty_a, at(&a, row, k))),
            &spread(of_b.registers, ty_b.bits(), B, |k, column| encode(ty_b, at(&b, k, column))),
            &registers(of_c.registers, layout_c, &|row, column| encode_sum(sum, at(&c, row, column))),
            None,
        );
        let wanted = plain(&a, &b, &c);
        let wanted =
            registers(of_c.registers, layout_c, &|row, column| encode_sum(sum, at(&wanted, row, column)));
        assert_eq!(given, wanted, "{product:?}");
    }
}

#[test]
fn four_products_of_quads() {
    let mut numbers = Numbers(3);
    for (a_columns, b_rows, sum) in
        [(false, false, Sum::F32), (true, false, Sum::F16), (false, true, Sum::F32), (true, true, Sum::F16)]
    {
        let product = Product {
            m: 8,
            layout: Layout::Quads { a_columns, b_rows },
            ..documented(8, 4, Factor::F16, Factor::F16, sum)
        };
        let tiles: Vec<_> = (0..4)
            .map(|_| {
                (numbers.matrix(8, 4, -4, 4), numbers.matrix(4, 8, -4, 4), numbers.matrix(8, 8, -50, 50))
            })
            .collect();
        let half = |value: i64| encode(Factor::F16, value);
        // As documented, by lane: its quad pair, its position `q` in it, and its half.
        let position = |lane: usize| (lane % 16 / 4, lane % 4, 4 * (lane / 16));
        let a = |lane: usize, i: usize| {
            let (tile, q, hi) = position(lane);
            if a_columns { tiles[tile].0[i + hi][q] } else { tiles[tile].0[q + hi][i] }
        };
        let b = |lane: usize, i: usize| {
            let (tile, q, hi) = position(lane);
            if b_rows { tiles[tile].1[q][i + hi] } else { tiles[tile].1[i][q + hi] }
        };
        let pairs = |value: &dyn Fn(usize, usize) -> i64, count: usize| -> Words {
            let word = |r: usize, lane: usize| half(value(lane, 2 * r)) | half(value(lane, 2 * r + 1)) << 16;
            (0..count).map(|r| std::array::from_fn(|lane| word(r, lane))).collect()
        };
        let sums = |value: &dyn Fn(usize, usize, usize) -> i64| -> Words {
            let of_lane = |lane: usize, i: usize| {
                let (tile, q, hi) = position(lane);
                match sum {
                    Sum::F16 => value(tile, q + hi, i),
                    _ => value(tile, (q & 1) + (i & 2) + hi, (i & 4) + (q & 2) + (i & 1)),
                }
            };
            match sum {
                Sum::F16 => pairs(&of_lane, 4),
                _ => (0..8).map(|r| std::array::from_fn(|lane| encode_sum(sum, of_lane(lane, r)))).collect(),
            }
        };
        let wanted: Vec<_> = tiles.iter().map(|(a, b, c)| plain(a, b, c)).collect();
        let c = sums(&|tile, row, column| tiles[tile].2[row][column]);
        let given = product.compute(&pairs(&a, 2), &pairs(&b, 2), &c, None);
        assert_eq!(given, sums(&|tile, row, column| wanted[tile][row][column]), "{product:?}");
    }
}

#[test]
fn bits_and_saturation() {
    let bits = documented(8, 128, Factor::BitsXor, Factor::BitsXor, Sum::S32);
    let zero = vec![[0; 32]; 2];
    let given = bits.compute(&vec![[0xff; 32]], &vec![[0; 32]], &zero, None);
    assert_eq!(given, vec![[32; 32]; 2]);
    let product = Product { saturate: true, ..documented(8, 16, Factor::S8, Factor::S8, Sum::S32) };
    let most = vec![[i32::MAX as u32 as u64; 32]; 2];
    let ones = vec![[0x0101_0101; 32]];
    assert_eq!(product.compute(&ones, &ones, &most, None), most);
    let wrapped = Product { saturate: false, ..product }.compute(&ones, &ones, &most, None);
    assert_eq!(wrapped[0][0], u64::from(i32::MAX as u32 + 16));
}

#[test]
fn blocks_are_scaled() {
    let factor = Factor::PACKED_E2M1;
    let product = Product {
        scale: Some(BlockScale { blocks: 2, ue4m3: false }),
        ..documented(16, 64, factor, factor, Sum::F32)
    };
    // All elements are 1 (code 2).
    let (a, b, c) = (vec![[0x2222_2222; 32]; 4], vec![[0x2222_2222; 32]; 2], vec![[0; 32]; 4]);
    // The scales of row `g` come from lane 4g of the first pair, those of row `g + 8` from lane 4g + 1: blocks of 2^1
    // and 2^2, of 2^0 twice.
    let scales_a = std::array::from_fn(|lane| match lane % 4 {
        0 => 0x8180_0000,
        1 => 0x7f7f_0000,
        _ => 0xffff_ffff,
    });
    let scales_b = std::array::from_fn(|lane| if lane % 4 == 3 { 0x0000_7f7e } else { 0xffff_ffff });
    let words = ScaleWords { a: scales_a, b: scales_b, select_a: (2, 0), select_b: (0, 3) };
    let given = product.compute(&a, &b, &c, Some(&words));
    let value = |register: usize| f32::from_bits(given[register][5] as u32);
    assert_eq!((value(0), value(2)), (32.0 * (2.0 * 0.5 + 4.0), 32.0 * (0.5 + 1.0)));
}

#[test]
fn doubles_round_as_specified() {
    let at = |rounding| {
        let product = Product { rounding, ..documented(8, 4, Factor::F64, Factor::F64, Sum::F64) };
        let tiny = 2f64.powi(-60).to_bits();
        let one = 1f64.to_bits();
        product.compute(&vec![[tiny; 32]], &vec![[one; 32]], &vec![[one; 32]; 2], None)[0][0]
    };
    assert_eq!(at(Rounding::Nearest), 1f64.to_bits());
    assert_eq!(at(Rounding::Up), 1f64.to_bits() + 4);
    assert_eq!(at(Rounding::Down), 1f64.to_bits());
}
