//! Matrices that are spread over the registers of a warp, as text: which lane and register hold each element.

use std::fmt::Write;

use smol_str::SmolStr;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::semantics::fragments::{Layout, Matrix};
use warplens_sim_cuda::semantics::matrix::{Factor, Product, Sum};
use warplens_sim_cuda::tensor::fragment;

use crate::program::{CellAccess, CellShape, MatrixAccess, Rows, WarpgroupProduct};

/// The values of a register by lane, if known.
pub type ValuesOf<'v> = &'v dyn Fn(&str) -> Option<Vec<u64>>;

/// Columns and rows of a grid.
const COLUMNS: u32 = 8;
const ROWS: u32 = 16;

/// A matrix, or the part of it that a warp holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    which: &'static str,
    registers: Vec<SmolStr>,
    layout: Elements,
    number: Number,
    axes: [&'static str; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    /// D of a warpgroup, with elements of 16 bits or more.
    Accumulator { is_half: bool },
    /// A of a warpgroup.
    Factor { bits: u32 },
    /// A or B of a warp's product.
    WarpFactor(Layout, Matrix),
    /// C or D of a warp's product.
    WarpSum(Layout, Matrix),
    /// Matrices of 8 x 8 halves, one below the other.
    Small { transposed: bool },
    /// Cells of tensor memory.
    Cells { shape: CellShape, half: i32, columns: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Factor(Factor),
    Sum(Sum),
    Bits(u32),
}

/// An element: its row and column, the lane, the index of the register, and the lowest bit there.
type ElementPosition = ((u32, u32), u32, u32, u32);

impl Fragment {
    fn new(which: &'static str, layout: Elements, number: Number) -> Fragment {
        Fragment { which, registers: Vec::new(), layout, number, axes: ["row", "column"] }
    }

    pub(super) fn in_registers(&self, registers: Vec<SmolStr>) -> Fragment {
        Fragment { registers, ..self.clone() }
    }

    /// D of a warpgroup's product: the warp's rows.
    pub(super) fn accumulator(product: &WarpgroupProduct) -> Fragment {
        let layout = Elements::Accumulator { is_half: product.sum == Sum::F16 };
        Fragment::new("D, the 16 rows of the warp", layout, Number::Sum(product.sum))
    }

    /// A of a warpgroup's product: the warp's rows.
    pub(super) fn factor(product: &WarpgroupProduct) -> Fragment {
        let factor = product.factors[0];
        let layout = Elements::Factor { bits: factor.bits() };
        Fragment::new("A, the 16 rows of the warp", layout, Number::Factor(factor))
    }

    /// A, B, C and D of a warp's product.
    pub(super) fn of_product(product: &Product, sparse: bool) -> [Fragment; 4] {
        let stored = Product { k: product.k / 2, ..*product };
        let [a, b, c, d] = product.matrices();
        let a = if sparse { stored.matrices()[0] } else { a };
        let factor = |which, matrix: Matrix, factor: Factor| {
            Fragment::new(which, Elements::WarpFactor(product.layout, matrix), Number::Factor(factor))
        };
        let sum = |which, matrix: Matrix, sum: Sum| {
            Fragment::new(which, Elements::WarpSum(product.layout, matrix), Number::Sum(sum))
        };
        [factor("A", a, product.a), factor("B", b, product.b), sum("C", c, product.c), sum("D", d, product.d)]
    }

    /// The matrices of `ldmatrix` and `stmatrix`, if their rows have eight halves.
    pub(super) fn small_matrices(access: &MatrixAccess) -> Option<Fragment> {
        let layout = Elements::Small { transposed: access.transposed };
        let fragment = Fragment::new("8 x 8 matrices, one below the other", layout, Number::Bits(16));
        (access.rows == Rows::Halves).then_some(fragment)
    }

    pub(super) fn cells(access: &CellAccess) -> Fragment {
        let layout = Elements::Cells { shape: access.shape, half: access.half, columns: access.columns() };
        let axes = ["lane", "column"];
        Fragment {
            axes,
            ..Fragment::new("cells of tensor memory from the address", layout, Number::Bits(32))
        }
    }

    fn places(&self) -> Vec<ElementPosition> {
        let count = self.registers.len() as u32;
        let all = |parts: u32| {
            (0..WIDTH as u32).flat_map(move |lane| {
                (0..count).flat_map(move |register| (0..parts).map(move |part| (lane, register, part)))
            })
        };
        match self.layout {
            Elements::Accumulator { is_half } => {
                let at = |(lane, register, part)| {
                    (fragment::accumulator(is_half, lane, register, part), lane, register, 16 * part)
                };
                all(1 + u32::from(is_half)).map(at).collect()
            }
            Elements::Factor { bits } => {
                let at = |(lane, register, part)| {
                    (fragment::factor(bits, lane, register, part), lane, register, bits * part)
                };
                all(32 / bits).map(at).collect()
            }
            Elements::WarpFactor(layout, of) => {
                let at = |outer: u32, inner: u32| {
                    let spot = layout.factor(of, 0, outer, inner);
                    let place = if of.is_b { (inner, outer) } else { (outer, inner) };
                    (place, spot.lane as u32, spot.register as u32, spot.shift)
                };
                (0..of.outer).flat_map(|outer| (0..of.inner).map(move |inner| at(outer, inner))).collect()
            }
            Elements::WarpSum(layout, of) => {
                let at = |row: u32, column: u32| {
                    let spot = layout.sum(of, 0, row, column);
                    ((row, column), spot.lane as u32, spot.register as u32, spot.shift)
                };
                (0..of.outer).flat_map(|row| (0..of.inner).map(move |column| at(row, column))).collect()
            }
            Elements::Small { transposed } => {
                let at = |(lane, register, part): (u32, u32, u32)| {
                    let (major, minor) = (lane / 4, 2 * (lane % 4) + part);
                    let (row, column) = if transposed { (minor, major) } else { (major, minor) };
                    ((8 * register + row, column), lane, register, 16 * part)
                };
                all(2).map(at).collect()
            }
            Elements::Cells { shape, half, columns } => all(1)
                .map(|(lane, register, _)| (shape.cell(lane, register, half, columns), lane, register, 0))
                .collect(),
        }
    }

    /// A grid of the elements around a register's elements, then a grid of their values if known.
    pub(super) fn text(&self, register: &str, values: ValuesOf<'_>) -> String {
        let mut places = self.places();
        places.sort_unstable();
        let number = self.registers.iter().position(|name| name == register).unwrap_or(0) as u32;
        let own = places.iter().find(|place| place.2 == number).map_or((0, 0), |place| place.0);
        let first = (own.0 / ROWS * ROWS, own.1 / COLUMNS * COLUMNS);
        let in_grid = |((row, column), ..): &&ElementPosition| {
            (first.0..first.0 + ROWS).contains(row) && (first.1..first.1 + COLUMNS).contains(column)
        };
        let shown: Vec<&ElementPosition> = places.iter().filter(in_grid).collect();
        let name = |register: u32| self.registers.get(register as usize).map_or("", SmolStr::as_str);
        let holders = self.grid(first, &shown, &|place| format!("{}:{}", place.1, name(place.2)));
        let mut text = format!(
            "**`{register}`** is register {number} of {}. `lane:register` of each element:\n\n```text\n{holders}```",
            self.which
        );
        let loaded: Vec<Option<Vec<u64>>> = self.registers.iter().map(|name| values(name)).collect();
        let value = |place: &ElementPosition| {
            let values = loaded.get(place.2 as usize)?.as_ref()?;
            Some(self.number.text(values.get(place.1 as usize)? >> place.3))
        };
        if shown.iter().any(|place| value(place).is_some()) {
            let grid = self.grid(first, &shown, &|place| value(place).unwrap_or_else(|| "?".to_owned()));
            let late = match self.layout {
                Elements::Accumulator { .. } => " (the product may be in flight until `wgmma.wait_group`)",
                _ => "",
            };
            let _ = write!(text, "\n\nAfter this line{late}:\n\n```text\n{grid}```");
        }
        text
    }

    fn grid(
        &self,
        first: (u32, u32),
        shown: &[&ElementPosition],
        cell: &dyn Fn(&ElementPosition) -> String,
    ) -> String {
        let cells: Vec<((u32, u32), String)> = shown.iter().map(|place| (place.0, cell(place))).collect();
        let widest = cells.iter().map(|(_, text)| text.len()).max().unwrap_or(1).max(2);
        let last = cells.iter().map(|((_, column), _)| *column).max().unwrap_or(first.1);
        let mut text = format!("{:<6}", self.axes[0]);
        for column in first.1..=last {
            let _ = write!(text, " {column:>widest$}");
        }
        let mut row = None;
        for ((at, column), cell) in &cells {
            if row.is_none_or(|(row, _)| row != *at) {
                let _ = write!(text, "\n{at:<6}");
                row = Some((*at, first.1));
            }
            // Elements that are in no register are left blank.
            let from = row.map_or(first.1, |(_, next)| next);
            text += &" ".repeat((column.saturating_sub(from) as usize) * (widest + 1));
            let _ = write!(text, " {cell:>widest$}");
            row = Some((*at, column + 1));
        }
        text + "\n"
    }
}

impl Number {
    /// Formats the element in the low bits.
    fn text(self, bits: u64) -> String {
        let value = match self {
            Number::Bits(width) => return format!("{:x}", bits & (u64::MAX >> (64 - width))),
            Number::Factor(factor) => factor.value(bits & (u64::MAX >> (64 - factor.bits()))),
            Number::Sum(Sum::S32) => f64::from(bits as i32),
            Number::Sum(Sum::F16) => Factor::F16.value(bits & 0xffff),
            Number::Sum(Sum::F32) => f64::from(f32::from_bits(bits as u32)),
            Number::Sum(Sum::F64) => f64::from_bits(bits),
        };
        let plain = format!("{value}");
        if plain.len() <= 8 { plain } else { format!("{value:.3e}") }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(fragment: Fragment, count: usize, register: &str, known: bool, expected: Expect) {
        let registers = (0..count).map(|number| SmolStr::from(format!("%f{number}"))).collect();
        let fragment = Fragment { registers, ..fragment };
        let values = |name: &str| {
            let number: u32 = name.trim_start_matches("%f").parse().ok()?;
            let value = |lane: u32| u64::from(f32::to_bits((lane * 100 + number) as f32));
            known.then(|| (0..32).map(value).collect())
        };
        expected.assert_eq(&fragment.text(register, &values));
    }

    #[test]
    fn accumulator_as_grid() {
        let d = Fragment::new("D", Elements::Accumulator { is_half: false }, Number::Sum(Sum::F32));
        check(
            d,
            32,
            "%f5",
            true,
            expect![[r#"
                **`%f5`** is register 5 of D. `lane:register` of each element:

                ```text
                row         8      9     10     11     12     13     14     15
                0       0:%f4  0:%f5  1:%f4  1:%f5  2:%f4  2:%f5  3:%f4  3:%f5
                1       4:%f4  4:%f5  5:%f4  5:%f5  6:%f4  6:%f5  7:%f4  7:%f5
                2       8:%f4  8:%f5  9:%f4  9:%f5 10:%f4 10:%f5 11:%f4 11:%f5
                3      12:%f4 12:%f5 13:%f4 13:%f5 14:%f4 14:%f5 15:%f4 15:%f5
                4      16:%f4 16:%f5 17:%f4 17:%f5 18:%f4 18:%f5 19:%f4 19:%f5
                5      20:%f4 20:%f5 21:%f4 21:%f5 22:%f4 22:%f5 23:%f4 23:%f5
                6      24:%f4 24:%f5 25:%f4 25:%f5 26:%f4 26:%f5 27:%f4 27:%f5
                7      28:%f4 28:%f5 29:%f4 29:%f5 30:%f4 30:%f5 31:%f4 31:%f5
                8       0:%f6  0:%f7  1:%f6  1:%f7  2:%f6  2:%f7  3:%f6  3:%f7
                9       4:%f6  4:%f7  5:%f6  5:%f7  6:%f6  6:%f7  7:%f6  7:%f7
                10      8:%f6  8:%f7  9:%f6  9:%f7 10:%f6 10:%f7 11:%f6 11:%f7
                11     12:%f6 12:%f7 13:%f6 13:%f7 14:%f6 14:%f7 15:%f6 15:%f7
                12     16:%f6 16:%f7 17:%f6 17:%f7 18:%f6 18:%f7 19:%f6 19:%f7
                13     20:%f6 20:%f7 21:%f6 21:%f7 22:%f6 22:%f7 23:%f6 23:%f7
                14     24:%f6 24:%f7 25:%f6 25:%f7 26:%f6 26:%f7 27:%f6 27:%f7
                15     28:%f6 28:%f7 29:%f6 29:%f7 30:%f6 30:%f7 31:%f6 31:%f7
                ```

                After this line (the product may be in flight until `wgmma.wait_group`):

                ```text
                row       8    9   10   11   12   13   14   15
                0         4    5  104  105  204  205  304  305
                1       404  405  504  505  604  605  704  705
                2       804  805  904  905 1004 1005 1104 1105
                3      1204 1205 1304 1305 1404 1405 1504 1505
                4      1604 1605 1704 1705 1804 1805 1904 1905
                5      2004 2005 2104 2105 2204 2205 2304 2305
                6      2404 2405 2504 2505 2604 2605 2704 2705
                7      2804 2805 2904 2905 3004 3005 3104 3105
                8         6    7  106  107  206  207  306  307
                9       406  407  506  507  606  607  706  707
                10      806  807  906  907 1006 1007 1106 1107
                11     1206 1207 1306 1307 1406 1407 1506 1507
                12     1606 1607 1706 1707 1806 1807 1906 1907
                13     2006 2007 2106 2107 2206 2207 2306 2307
                14     2406 2407 2506 2507 2606 2607 2706 2707
                15     2806 2807 2906 2907 3006 3007 3106 3107
                ```"#]],
        );
    }

    #[test]
    fn factor_as_grid() {
        let a = Fragment::new("A", Elements::Factor { bits: 16 }, Number::Factor(Factor::F16));
        check(
            a,
            4,
            "%f0",
            false,
            expect![[r#"
            **`%f0`** is register 0 of A. `lane:register` of each element:

            ```text
            row         0      1      2      3      4      5      6      7
            0       0:%f0  0:%f0  1:%f0  1:%f0  2:%f0  2:%f0  3:%f0  3:%f0
            1       4:%f0  4:%f0  5:%f0  5:%f0  6:%f0  6:%f0  7:%f0  7:%f0
            2       8:%f0  8:%f0  9:%f0  9:%f0 10:%f0 10:%f0 11:%f0 11:%f0
            3      12:%f0 12:%f0 13:%f0 13:%f0 14:%f0 14:%f0 15:%f0 15:%f0
            4      16:%f0 16:%f0 17:%f0 17:%f0 18:%f0 18:%f0 19:%f0 19:%f0
            5      20:%f0 20:%f0 21:%f0 21:%f0 22:%f0 22:%f0 23:%f0 23:%f0
            6      24:%f0 24:%f0 25:%f0 25:%f0 26:%f0 26:%f0 27:%f0 27:%f0
            7      28:%f0 28:%f0 29:%f0 29:%f0 30:%f0 30:%f0 31:%f0 31:%f0
            8       0:%f1  0:%f1  1:%f1  1:%f1  2:%f1  2:%f1  3:%f1  3:%f1
            9       4:%f1  4:%f1  5:%f1  5:%f1  6:%f1  6:%f1  7:%f1  7:%f1
            10      8:%f1  8:%f1  9:%f1  9:%f1 10:%f1 10:%f1 11:%f1 11:%f1
            11     12:%f1 12:%f1 13:%f1 13:%f1 14:%f1 14:%f1 15:%f1 15:%f1
            12     16:%f1 16:%f1 17:%f1 17:%f1 18:%f1 18:%f1 19:%f1 19:%f1
            13     20:%f1 20:%f1 21:%f1 21:%f1 22:%f1 22:%f1 23:%f1 23:%f1
            14     24:%f1 24:%f1 25:%f1 25:%f1 26:%f1 26:%f1 27:%f1 27:%f1
            15     28:%f1 28:%f1 29:%f1 29:%f1 30:%f1 30:%f1 31:%f1 31:%f1
            ```"#]],
        );
    }

    #[test]
    fn small_matrix_as_grid() {
        let small = Fragment::new("m", Elements::Small { transposed: true }, Number::Bits(16));
        check(
            small,
            4,
            "%f3",
            false,
            expect![[r#"
            **`%f3`** is register 3 of m. `lane:register` of each element:

            ```text
            row         0      1      2      3      4      5      6      7
            16      0:%f2  4:%f2  8:%f2 12:%f2 16:%f2 20:%f2 24:%f2 28:%f2
            17      0:%f2  4:%f2  8:%f2 12:%f2 16:%f2 20:%f2 24:%f2 28:%f2
            18      1:%f2  5:%f2  9:%f2 13:%f2 17:%f2 21:%f2 25:%f2 29:%f2
            19      1:%f2  5:%f2  9:%f2 13:%f2 17:%f2 21:%f2 25:%f2 29:%f2
            20      2:%f2  6:%f2 10:%f2 14:%f2 18:%f2 22:%f2 26:%f2 30:%f2
            21      2:%f2  6:%f2 10:%f2 14:%f2 18:%f2 22:%f2 26:%f2 30:%f2
            22      3:%f2  7:%f2 11:%f2 15:%f2 19:%f2 23:%f2 27:%f2 31:%f2
            23      3:%f2  7:%f2 11:%f2 15:%f2 19:%f2 23:%f2 27:%f2 31:%f2
            24      0:%f3  4:%f3  8:%f3 12:%f3 16:%f3 20:%f3 24:%f3 28:%f3
            25      0:%f3  4:%f3  8:%f3 12:%f3 16:%f3 20:%f3 24:%f3 28:%f3
            26      1:%f3  5:%f3  9:%f3 13:%f3 17:%f3 21:%f3 25:%f3 29:%f3
            27      1:%f3  5:%f3  9:%f3 13:%f3 17:%f3 21:%f3 25:%f3 29:%f3
            28      2:%f3  6:%f3 10:%f3 14:%f3 18:%f3 22:%f3 26:%f3 30:%f3
            29      2:%f3  6:%f3 10:%f3 14:%f3 18:%f3 22:%f3 26:%f3 30:%f3
            30      3:%f3  7:%f3 11:%f3 15:%f3 19:%f3 23:%f3 27:%f3 31:%f3
            31      3:%f3  7:%f3 11:%f3 15:%f3 19:%f3 23:%f3 27:%f3 31:%f3
            ```"#]],
        );
    }

    #[test]
    fn cells_as_grid() {
        let cells = Elements::Cells { shape: CellShape::Lanes16Bits256, half: 0, columns: 1 };
        check(
            Fragment::new("cells", cells, Number::Bits(32)),
            4,
            "%f0",
            false,
            expect![[r#"
            **`%f0`** is register 0 of cells. `lane:register` of each element:

            ```text
            row         0      1      2      3      4      5      6      7
            0       0:%f0  0:%f1  1:%f0  1:%f1  2:%f0  2:%f1  3:%f0  3:%f1
            1       4:%f0  4:%f1  5:%f0  5:%f1  6:%f0  6:%f1  7:%f0  7:%f1
            2       8:%f0  8:%f1  9:%f0  9:%f1 10:%f0 10:%f1 11:%f0 11:%f1
            3      12:%f0 12:%f1 13:%f0 13:%f1 14:%f0 14:%f1 15:%f0 15:%f1
            4      16:%f0 16:%f1 17:%f0 17:%f1 18:%f0 18:%f1 19:%f0 19:%f1
            5      20:%f0 20:%f1 21:%f0 21:%f1 22:%f0 22:%f1 23:%f0 23:%f1
            6      24:%f0 24:%f1 25:%f0 25:%f1 26:%f0 26:%f1 27:%f0 27:%f1
            7      28:%f0 28:%f1 29:%f0 29:%f1 30:%f0 30:%f1 31:%f0 31:%f1
            8       0:%f2  0:%f3  1:%f2  1:%f3  2:%f2  2:%f3  3:%f2  3:%f3
            9       4:%f2  4:%f3  5:%f2  5:%f3  6:%f2  6:%f3  7:%f2  7:%f3
            10      8:%f2  8:%f3  9:%f2  9:%f3 10:%f2 10:%f3 11:%f2 11:%f3
            11     12:%f2 12:%f3 13:%f2 13:%f3 14:%f2 14:%f3 15:%f2 15:%f3
            12     16:%f2 16:%f3 17:%f2 17:%f3 18:%f2 18:%f3 19:%f2 19:%f3
            13     20:%f2 20:%f3 21:%f2 21:%f3 22:%f2 22:%f3 23:%f2 23:%f3
            14     24:%f2 24:%f3 25:%f2 25:%f3 26:%f2 26:%f3 27:%f2 27:%f3
            15     28:%f2 28:%f3 29:%f2 29:%f3 30:%f2 30:%f3 31:%f2 31:%f3
            ```"#]],
        );
    }
}
