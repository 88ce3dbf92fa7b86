use warplens_sim_cuda::fault::Result;

use super::*;

/// Arguments from a list; the address of a string is 100 plus its index.
struct Given<'g> {
    values: Vec<u64>,
    texts: &'g [&'g str],
}

impl Arguments for Given<'_> {
    fn next(&mut self, bytes: u32) -> Result<u64> {
        let value = if self.values.is_empty() { 0 } else { self.values.remove(0) };
        Ok(if bytes == 4 { value & 0xffff_ffff } else { value })
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>> {
        Ok(self.texts[address as usize - 100].as_bytes().to_vec())
    }

    fn wrote(&mut self, _: usize) -> Result {
        Ok(())
    }

    fn pointer_bytes(&self) -> u32 {
        8
    }
}

fn printed(format: &str, values: &[u64], texts: &[&str]) -> (String, u32) {
    let mut out = Vec::new();
    let mut given = Given { values: values.to_vec(), texts };
    let taken = print(format.as_bytes(), &mut given, &mut out).expect("nothing is refused");
    (String::from_utf8(out).expect("text"), taken)
}

fn check(format: &str, value: u64, expected: &str) {
    assert_eq!(printed(format, &[value], &[]).0, expected, "{format}");
}

fn check_float(format: &str, value: f64, expected: &str) {
    check(format, value.to_bits(), expected);
}

#[test]
fn integers() {
    check("%d", (-7i64) as u64, "-7");
    check("%i|", 42, "42|");
    check("%5d|", 42, "   42|");
    check("%-5d|", 42, "42   |");
    check("%05d", (-42i64) as u64, "-0042");
    check("%+d", 42, "+42");
    check("% d", 42, " 42");
    check("%.5d", 42, "00042");
    check("%08.5d", 42, "   00042");
    check("%.0d", 0, "");
    check("%u", 0xffff_ffff, "4294967295");
    check("%lld", u64::MAX, "-1");
    check("%llu", u64::MAX, "18446744073709551615");
    check("%zu", 1 << 40, "1099511627776");
    check("%hhd", 0x1ff, "-1");
    check("%hu", 0x1_0003, "3");
    check("%x", 0xdead_beef, "deadbeef");
    check("%#X", 0xbeef, "0XBEEF");
    check("%#x", 0, "0");
    check("%#010x", 0xbeef, "0x0000beef");
    check("%#o", 8, "010");
}

#[test]
fn fixed_point() {
    check_float("%f", 1.5, "1.500000");
    check_float("%.0f", 2.5, "2");
    check_float("%#.0f", 2.5, "2.");
    check_float("%8.3f|", -3.1237, "  -3.124|");
    check_float("%08.3f", -3.1237, "-003.124");
    check_float("%f", f64::INFINITY, "inf");
    check_float("%05F", f64::NEG_INFINITY, " -INF");
    check_float("%f", f64::NAN, "nan");
    check_float("%f", -0.0, "-0.000000");
    check_float("%.1f", 1e22, "10000000000000000000000.0");
}

#[test]
fn exponents() {
    check_float("%e", 12345.678, "1.234568e+04");
    check_float("%.2E", 0.00012, "1.20E-04");
    check_float("%e", 0.0, "0.000000e+00");
    check_float("%.0e", 1e100, "1e+100");
}

#[test]
fn the_shorter_form() {
    check_float("%g", 100_000.0, "100000");
    check_float("%g", 1_000_000.0, "1e+06");
    check_float("%g", 0.0001, "0.0001");
    check_float("%g", 0.00001, "1e-05");
    check_float("%g", 0.0, "0");
    check_float("%g", 3.25, "3.25");
    check_float("%#g", 3.25, "3.25000");
    check_float("%.3g", 999.9, "1e+03");
    check_float("%G", 1e-10, "1E-10");
}

#[test]
fn hexadecimal_fractions() {
    check_float("%a", 1.0, "0x1p+0");
    check_float("%a", 0.1, "0x1.999999999999ap-4");
    check_float("%.2a", 0.1, "0x1.9ap-4");
    check_float("%.0a", 1.5, "0x2p+0");
    check_float("%A", -0.0, "-0X0P+0");
    check_float("%a", f64::from_bits(1), "0x0.0000000000001p-1022");
}

#[test]
fn characters_strings_and_pointers() {
    check("%c|", b'x'.into(), "x|");
    check("%3c|", b'x'.into(), "  x|");
    check("%p", 0, "(nil)");
    check("%p", 0x7f00, "0x7f00");
    assert_eq!(printed("%s=%6.2s|", &[100, 101], &["key", "value"]).0, "key=    va|");
    assert_eq!(printed("%s", &[0], &[]).0, "(null)");
}

#[test]
fn used_arguments_and_invalid_conversions() {
    assert_eq!(printed("100%% of %d and %*d", &[3, 5, 7], &[]), ("100% of 3 and     7".to_owned(), 3));
    assert_eq!(printed("%-*d|", &[(-4i64) as u64, 7], &[]), ("7   |".to_owned(), 2));
    assert_eq!(printed("50% y, 3%", &[1], &[]), ("50% y, 3%".to_owned(), 0));
    assert_eq!(printed("%.*f", &[1, 2.25f64.to_bits()], &[]), ("2.2".to_owned(), 2));
    assert_eq!(printed("none", &[], &[]), ("none".to_owned(), 0));
}

#[test]
fn fields_have_a_maximum_width() {
    assert_eq!(printed("%999999999d", &[1], &[]).0.len(), MAX_WIDTH);
    assert_eq!(printed("%.999999999f", &[0], &[]).0.len(), MAX_WIDTH + 2);
}
