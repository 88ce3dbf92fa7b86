//! Undefined elements of the factors of `mma`: an element of D depends on a row of A, a column of B, and an element of C.

use warplens_sim_cuda::registers::{PerLane, WIDTH, each};
use warplens_sim_cuda::semantics::fragments::{Matrix, Spot};
use warplens_sim_cuda::semantics::matrix::{Factor, Product};
use warplens_sim_cuda::slot::RegisterSlot;
use warplens_sim_cuda::tensor::fragment;

use super::bit_sources::BitSources;
use super::undefined_use::UndefinedBits;
use crate::program::{FactorSource, MatrixProduct, WarpgroupProduct};
use crate::tensor::warpgroup::undefined_sums;

/// An element of a factor.
#[derive(Clone, Copy)]
struct Element {
    is_undefined: bool,
    is_zero: bool,
}

/// The undefined bits of D; `None` for sparse products, whose results count as defined.
pub(super) fn product(op: &MatrixProduct, sources: &BitSources<'_>) -> Option<Vec<(u32, UndefinedBits)>> {
    if op.sparse.is_some() {
        return None;
    }
    let product = &op.product;
    let [of_a, of_b, of_c, of_d] = product.matrices();
    let [a, b, c, d] = &op.registers;
    let [a, b, c] = [a, b, c].map(|places| registers(places, sources));
    let mut results = vec![[0; 32]; d.len()];
    for tile in 0..product.layout.tiles() {
        let factor = |of: Matrix, registers: &[Register], outer: u32| -> Vec<Element> {
            let at = |inner| product.layout.factor(of, tile, outer, inner);
            (0..product.k).map(|inner| element(at(inner), of.bits, registers)).collect()
        };
        let columns: Vec<Vec<Element>> = (0..product.n).map(|column| factor(of_b, &b, column)).collect();
        let undefined_columns: Vec<bool> = columns.iter().map(|column| has_undefined(column)).collect();
        for row in 0..product.m {
            let of_row = factor(of_a, &a, row);
            let undefined_row = has_undefined(&of_row);
            for (column, of_column) in (0..).zip(&columns) {
                let sum = element(product.layout.sum(of_c, tile, row, column), of_c.bits, &c);
                let mut pairs = of_row.iter().zip(of_column);
                let is_undefined = sum.is_undefined
                    || (undefined_row || undefined_columns[column as usize])
                        && pairs.any(|(a, b)| is_undefined(product, *a, *b));
                if is_undefined {
                    let at = product.layout.sum(of_d, tile, row, column);
                    results[at.register][at.lane] |= ones(of_d.bits) << at.shift;
                }
            }
        }
    }
    let written = d.iter().zip(results).filter_map(|(place, bits)| {
        let bits: PerLane<u64> = bits.map(whole);
        Some((sources.written(*place)?, UndefinedBits { bits, copied: 0 }))
    });
    Some(written.collect())
}

/// The undefined bits of D of `wgmma`, from the registers of A and the sum that it adds to.
pub(super) fn warpgroup_product(
    product: &WarpgroupProduct,
    sources: &BitSources<'_>,
) -> Vec<(u32, UndefinedBits)> {
    let mut rows = 0u32;
    if let FactorSource::Registers(registers) = &product.a {
        let width = product.factors[0].bits();
        for (register, &place) in (0..).zip(registers) {
            for (lane, bits) in (0..).zip(sources.of(place)) {
                let parts = (0..32 / width).filter(|part| bits >> (part * width) & ones(width) != 0);
                rows |=
                    parts.fold(0, |rows, part| rows | 1 << fragment::factor(width, lane, register, part).0);
            }
        }
    }
    let accumulates = product.accumulates.of(&sources.visit.registers.predicates, 1) != 0;
    let of_rows = undefined_sums(product, |row, _| rows >> row & 1 == 1);
    let written = product.d.iter().zip(of_rows).filter_map(|(&place, bits)| {
        let before = if accumulates { sources.of(place) } else { [0; WIDTH] };
        let all = each(|lane| whole(bits[lane] | before[lane]));
        Some((sources.written(place)?, UndefinedBits { bits: all, copied: 0 }))
    });
    written.collect()
}

/// All bits of a word are the whole value.
fn whole(bits: u64) -> u64 {
    if bits == u64::from(u32::MAX) { u64::MAX } else { bits }
}

/// Whether a product of two elements is undefined. An integer times zero is zero; a float may be infinite or not a number.
fn is_undefined(product: &Product, a: Element, b: Element) -> bool {
    let is_integer = matches!(product.a, Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4 | Factor::BitsAnd);
    let absorbs = |other: Element| is_integer && other.is_zero && !other.is_undefined;
    a.is_undefined && !absorbs(b) || b.is_undefined && !absorbs(a)
}

fn has_undefined(elements: &[Element]) -> bool {
    elements.iter().any(|element| element.is_undefined)
}

/// The values of a register, and their undefined bits.
struct Register {
    values: PerLane<u64>,
    undefined: PerLane<u64>,
}

fn registers(places: &[RegisterSlot], sources: &BitSources<'_>) -> Vec<Register> {
    let of = |&place: &RegisterSlot| Register { values: sources.values(place), undefined: sources.of(place) };
    places.iter().map(of).collect()
}

fn element(at: Spot, bits: u32, registers: &[Register]) -> Element {
    let Some(register) = registers.get(at.register) else {
        return Element { is_undefined: false, is_zero: true };
    };
    let of = |words: &PerLane<u64>| words[at.lane] >> at.shift & ones(bits);
    Element { is_undefined: of(&register.undefined) != 0, is_zero: of(&register.values) == 0 }
}

fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
