//! Compares how many CTAs fit on a multiprocessor with the answers of NVIDIA's occupancy calculator.

use warplens_isa::ptx::{CtaDemand, chip};

/// The output of `resident_ctas.c`: chip, threads, registers, bytes of shared memory, CTAs.
const TABLE: &str = include_str!("residency/resident_ctas.tsv");

#[test]
fn the_occupancy_calculator_counts_as_many_ctas() {
    let rows = TABLE.lines().skip(1);
    let numbers = rows.map(|row| row.split('\t').map(|number| number.parse().expect(row)).collect());
    let wrong: Vec<_> = numbers
        .filter(|row: &Vec<u64>| {
            let &[number, threads, registers, shared, ctas] = row.as_slice() else { panic!("{row:?}") };
            let limits = chip(number as u16).and_then(|target| target.limits).expect("a known chip");
            limits.resident_ctas(CtaDemand { threads, registers: Some(registers), shared }) != ctas
        })
        .collect();
    assert_eq!(wrong, Vec::<Vec<u64>>::new());
}
