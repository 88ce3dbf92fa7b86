//! Compares buffers after the run with the contents that the launch expects.

use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::model::{Expectation, ExpectedFile, Number, Wanted, hex};

/// A failed expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub name: String,
    /// One sentence about the first element that differs.
    pub message: String,
    pub element: u64,
}

/// Compares `bytes`, the contents of the buffer that `expectation` names, with the expected contents.
pub fn verify(expectation: &Expectation, element: ScalarType, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |element: usize, message: String| {
        Err(Failure { name: expectation.name.clone(), message, element: element as u64 })
    };
    let name = &expectation.name;
    match &expectation.wanted {
        Wanted::Bytes(wanted) => match first_difference(wanted, bytes) {
            None => Ok(()),
            Some(at) => fail(
                at / element.bytes(),
                format!(
                    "`{name}` differs from byte {at} on: it holds {}, expected {}",
                    excerpt(bytes, at),
                    excerpt(wanted, at)
                ),
            ),
        },
        Wanted::File(file) => {
            let mut wrong = differing_elements(file, bytes, element, expectation.tolerance);
            let Some((index, wanted, found)) = wrong.next() else { return Ok(()) };
            let (found, wanted) = match (show(element, found), show(element, wanted)) {
                // Two NaNs.
                (shown, other) if shown == other => (format!("0x{found:x}"), format!("0x{wanted:x}")),
                shown => shown,
            };
            let more = more(wrong.count());
            fail(index, format!("`{name}`[{index}] is {found}, but {} has {wanted}{more}", file.path))
        }
        Wanted::Values(wanted) => {
            let found = bytes.chunks_exact(element.bytes()).map(|bytes| element.read(bytes));
            let differs =
                |wanted: &Number, found: u64| !equal(*wanted, found, element, expectation.tolerance);
            let mut wrong =
                wanted.iter().zip(found).enumerate().filter(|(_, (wanted, found))| differs(wanted, *found));
            let Some((index, (wanted, found))) = wrong.next() else { return Ok(()) };
            fail(
                index,
                format!(
                    "`{name}`[{index}] is {}, expected {}{}",
                    show(element, found),
                    show_number(*wanted, element),
                    more(wrong.count())
                ),
            )
        }
    }
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => "; one more element differs".to_owned(),
        others => format!("; {others} more elements differ"),
    }
}

/// The elements that differ from those of a file: the index, the expected bits and the found ones. Without a tolerance, all bits must be
/// equal.
fn differing_elements<'b>(
    file: &'b ExpectedFile,
    bytes: &'b [u8],
    element: ScalarType,
    tolerance: f64,
) -> impl Iterator<Item = (usize, u64, u64)> + 'b {
    // Whole blocks are compared first: a buffer may have a billion elements, and nearly all are equal.
    const BLOCK: usize = 4096;
    let blocks = file.bytes.chunks(BLOCK).zip(bytes.chunks(BLOCK)).enumerate();
    let size = element.bytes();
    let of_block = move |(block, (wanted, found)): (usize, (&'b [u8], &'b [u8]))| {
        let pairs = wanted.chunks_exact(size).zip(found.chunks_exact(size));
        pairs.enumerate().filter_map(move |(index, (wanted, found))| {
            let (wanted, found) = (element.read(wanted), element.read(found));
            let differs = match tolerance > 0.0 {
                true => !same(element, wanted, found, tolerance),
                false => wanted != found,
            };
            differs.then_some((block * (BLOCK / size) + index, wanted, found))
        })
    };
    blocks.filter(|(_, (wanted, found))| wanted != found).flat_map(of_block)
}

/// The indices of elements that differ from the expected ones, with the expected bits if they are known.
pub fn differences(expectation: &Expectation, element: ScalarType, bytes: &[u8]) -> Vec<(u64, Option<u64>)> {
    let found = bytes.chunks_exact(element.bytes());
    match &expectation.wanted {
        Wanted::Bytes(wanted) => {
            let pairs = (0..).zip(wanted.chunks(element.bytes()).zip(found));
            let differing = pairs.filter(|(_, (wanted, found))| !found.starts_with(wanted));
            let bits = |wanted: &[u8]| (wanted.len() == element.bytes()).then(|| element.read(wanted));
            differing.map(|(index, (wanted, _))| (index, bits(wanted))).collect()
        }
        Wanted::File(file) => {
            let differing = differing_elements(file, bytes, element, expectation.tolerance);
            differing.map(|(index, wanted, _)| (index as u64, Some(wanted))).collect()
        }
        Wanted::Values(wanted) => {
            let pairs = (0..).zip(wanted.iter().zip(found.map(|bytes| element.read(bytes))));
            let differing =
                pairs.filter(|(_, (wanted, found))| !equal(**wanted, *found, element, expectation.tolerance));
            differing.map(|(index, (wanted, _))| (index, wanted.bits(element).ok())).collect()
        }
    }
}

/// Checks that `expectation` fits a buffer of `len` bytes.
pub(crate) fn check(expectation: &Expectation, element: ScalarType, len: u64) -> Result<(), String> {
    let name = &expectation.name;
    match &expectation.wanted {
        Wanted::Bytes(wanted) if wanted.len() as u64 > len => {
            Err(format!("`{name}` has {len} bytes, but {} are expected", wanted.len()))
        }
        Wanted::Bytes(_) => Ok(()),
        Wanted::File(file) if file.bytes.len() as u64 != len => Err(format!(
            "`{name}` has {len} bytes, but {} has {}: the file holds the whole buffer",
            file.path,
            file.bytes.len()
        )),
        Wanted::File(_) => Ok(()),
        Wanted::Values(wanted) => {
            let elements = len / element.bytes() as u64;
            if wanted.len() as u64 > elements {
                let plural = if elements == 1 { "" } else { "s" };
                return Err(format!(
                    "`{name}` has {elements} element{plural}, but {} are expected",
                    wanted.len()
                ));
            }
            wanted.iter().try_for_each(|number| number.bits(element).map(drop))
        }
    }
}

fn first_difference(wanted: &[u8], found: &[u8]) -> Option<usize> {
    wanted.iter().enumerate().find(|(at, byte)| found.get(*at) != Some(byte)).map(|(at, _)| at)
}

fn excerpt(bytes: &[u8], at: usize) -> String {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.len() {
        0 => "nothing".to_owned(),
        len if len <= 8 => hex(rest),
        _ => hex(&rest[..8]) + "…",
    }
}

fn equal(wanted: Number, found: u64, element: ScalarType, tolerance: f64) -> bool {
    let Ok(bits) = wanted.bits(element) else { return false };
    match wanted {
        Number::Bits(_) => bits == found,
        _ => same(element, bits, found, tolerance),
    }
}

/// Whether two values of this type are equal. Floats are also equal if they differ by at most `tolerance` or both are
/// NaN.
pub fn same(element: ScalarType, one: u64, other: u64, tolerance: f64) -> bool {
    if one == other || element.class() != Class::Float {
        return one == other;
    }
    let (one, other) = (element.float_of_bits(one), element.float_of_bits(other));
    one == other || one.is_nan() && other.is_nan() || (one - other).abs() <= tolerance
}

/// Formats a value of this type for messages.
pub fn show(element: ScalarType, bits: u64) -> String {
    match element.class() {
        Class::Float if element == ScalarType::F64 => format!("{:?}", element.float_of_bits(bits)),
        Class::Float => format!("{:?}", element.float_of_bits(bits) as f32),
        _ => element.integer_of_bits(bits).to_string(),
    }
}

fn show_number(number: Number, element: ScalarType) -> String {
    match (number, number.bits(element)) {
        (Number::Bits(bits), _) => format!("0x{bits:x}"),
        (_, Ok(bits)) => show(element, bits),
        (Number::Integer(value), _) => value.to_string(),
        (Number::Float(value), _) => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use ScalarType::{F32, S16, U8};

    fn run(element: ScalarType, wanted: Wanted, tolerance: f64, found: &[f64], expect: Expect) {
        let mut bytes = Vec::new();
        for value in found {
            element.write(Number::Float(*value).bits(element).unwrap_or(*value as i64 as u64), &mut bytes);
        }
        let expectation =
            Expectation { name: "y".to_owned(), wanted, tolerance, at: None, values_at: Arc::default() };
        let answer = check(&expectation, element, bytes.len() as u64)
            .and_then(|()| verify(&expectation, element, &bytes).map_err(|failure| failure.message));
        expect.assert_eq(&answer.err().unwrap_or_else(|| "holds".to_owned()));
    }

    fn floats(values: &[f64]) -> Wanted {
        Wanted::Values(values.iter().map(|value| Number::Float(*value)).collect())
    }

    #[test]
    fn floats_within_the_tolerance() {
        run(F32, floats(&[1.0, 2.0]), 0.0, &[1.0, 2.0, 99.0], expect!["holds"]);
        run(F32, floats(&[1.0, f64::NAN, -0.0]), 0.0, &[1.0, f64::NAN, 0.0], expect!["holds"]);
        run(F32, floats(&[0.1]), 0.0, &[0.1], expect!["holds"]);
        run(F32, floats(&[1.0]), 1e-3, &[1.0005], expect!["holds"]);
        run(
            F32,
            floats(&[1.0, 2.0, 3.0]),
            0.0,
            &[1.5, 2.0, 4.0],
            expect!["`y`[0] is 1.5, expected 1.0; one more element differs"],
        );
        run(F32, floats(&[f64::NAN]), 9.0, &[1.5], expect!["`y`[0] is 1.5, expected NaN"]);
    }

    #[test]
    fn integers_and_bytes() {
        run(
            S16,
            Wanted::Values(vec![Number::Integer(-2)]),
            5.0,
            &[-1.0],
            expect!["`y`[0] is -1, expected -2"],
        );
        run(
            U8,
            Wanted::Bytes(vec![1, 2, 3]),
            0.0,
            &[1.0, 9.0, 3.0],
            expect!["`y` differs from byte 1 on: it holds 0903, expected 0203"],
        );
        run(F32, Wanted::Values(vec![Number::Bits(0x3f800000)]), 0.0, &[1.0], expect!["holds"]);
    }

    fn file(element: ScalarType, values: &[u64]) -> Wanted {
        let mut bytes = Vec::new();
        values.iter().for_each(|bits| element.write(*bits, &mut bytes));
        Wanted::File(ExpectedFile { path: "y.bin".to_owned(), bytes: bytes.into() })
    }

    #[test]
    fn files_hold_every_element() {
        let one = 0x3f80_0000;
        run(F32, file(F32, &[one, one]), 0.0, &[1.0, 1.0], expect!["holds"]);
        run(
            F32,
            file(F32, &[one, one, one]),
            0.0,
            &[1.0, 2.0, 3.0],
            expect!["`y`[1] is 2.0, but y.bin has 1.0; one more element differs"],
        );
        // Without a tolerance, all bits must be equal: the payload of a NaN and the sign of a zero count.
        run(F32, file(F32, &[0x8000_0000]), 0.0, &[0.0], expect!["`y`[0] is 0.0, but y.bin has -0.0"]);
        run(F32, file(F32, &[0x8000_0000, 0x7fc0_0001]), 1e-6, &[0.0, f64::NAN], expect!["holds"]);
        run(F32, file(F32, &[one]), 1e-6, &[1.5], expect!["`y`[0] is 1.5, but y.bin has 1.0"]);
        run(
            F32,
            file(F32, &[one]),
            0.0,
            &[1.0, 1.0],
            expect!["`y` has 8 bytes, but y.bin has 4: the file holds the whole buffer"],
        );
    }

    #[test]
    fn far_elements_of_files() {
        let mut found = vec![0.0; 10_000];
        found[9_999] = 7.0;
        run(S16, file(S16, &[0; 10_000]), 0.0, &found, expect!["`y`[9999] is 7, but y.bin has 0"]);
        let expectation = Expectation {
            name: "y".to_owned(),
            wanted: file(S16, &[0, 1, 2]),
            tolerance: 0.0,
            at: None,
            values_at: Arc::default(),
        };
        assert_eq!(differences(&expectation, S16, &[0, 0, 5, 0, 2, 0]), [(1, Some(1))]);
    }

    #[test]
    fn mismatches_are_reported_before_the_run() {
        run(
            U8,
            Wanted::Values(vec![Number::Integer(1); 3]),
            0.0,
            &[1.0],
            expect!["`y` has 1 element, but 3 are expected"],
        );
        run(
            U8,
            Wanted::Values(vec![Number::Integer(256)]),
            0.0,
            &[1.0],
            expect!["256 does not fit u8, whose range is 0 to 255"],
        );
        run(U8, Wanted::Bytes(vec![0; 9]), 0.0, &[1.0], expect!["`y` has 1 bytes, but 9 are expected"]);
    }
}
