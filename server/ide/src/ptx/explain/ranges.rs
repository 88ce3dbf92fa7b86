//! The value ranges of types.

use warplens_isa::ptx::{Type, TypeKind};

/// The range and other properties of a type's values. For a packed type, they describe one element.
pub(super) fn of(ty: &Type) -> Vec<String> {
    let bits = u32::from(ty.bits) / u32::from(ty.elements.max(1));
    let each = if ty.elements > 1 {
        format!("{} elements of {bits} bits, each ", ty.elements)
    } else {
        String::new()
    };
    match ty.kind {
        TypeKind::Unsigned if bits <= 64 => vec![format!("{each}0 to {}", u64::MAX >> (64 - bits))],
        TypeKind::Signed if bits <= 64 => {
            let largest = i64::MAX >> (64 - bits);
            vec![format!("{each}{} to {largest}", -largest - 1)]
        }
        TypeKind::Float => float(ty.name, &each),
        _ => Vec::new(),
    }
}

fn float(name: &str, each: &str) -> Vec<String> {
    let Some([parts, largest, smallest, step, special]) = format(name.trim_start_matches('.')) else {
        return Vec::new();
    };
    let mut lines = vec![format!("{each}{parts}"), format!("largest {largest}, smallest normal {smallest}")];
    if !step.is_empty() {
        lines.push(format!("the next value after 1 is 1 + {step}"));
    }
    lines.push(special.to_owned());
    lines
}

/// Sign, exponent and mantissa bits, the largest finite value, the smallest normal value, the step above 1, and
/// the special values.
fn format(name: &str) -> Option<[&'static str; 5]> {
    const IEEE: &str = "infinities, NaN, subnormals and signed zeros as in IEEE 754";
    const NO_INFINITY: &str = "no infinities; all ones below the sign is NaN";
    const NEITHER: &str = "neither infinities nor NaN";
    // The name of the element: `e4m3` of `.e4m3x2`.
    let element = name.split_once('x').map_or(name, |(element, _)| element);
    Some(match element {
        "f64" => ["1 sign, 11 exponent, 52 mantissa bits", "1.798e308", "2.225e-308", "2.22e-16", IEEE],
        "f32" => ["1 sign, 8 exponent, 23 mantissa bits", "3.403e38", "1.175e-38", "1.19e-7", IEEE],
        "f16" => ["1 sign, 5 exponent, 10 mantissa bits", "65504", "6.104e-5", "9.77e-4", IEEE],
        "bf16" => ["1 sign, 8 exponent, 7 mantissa bits", "3.390e38", "1.175e-38", "7.81e-3", IEEE],
        "tf32" => [
            "1 sign, 8 exponent, 10 mantissa bits in the upper 19 of 32",
            "3.401e38",
            "1.175e-38",
            "9.77e-4",
            IEEE,
        ],
        "e4m3" => ["1 sign, 4 exponent, 3 mantissa bits", "448", "2^-6", "0.125", NO_INFINITY],
        "ue4m3" => ["4 exponent, 3 mantissa bits, no sign", "448", "2^-6", "0.125", NO_INFINITY],
        "e5m2" => ["1 sign, 5 exponent, 2 mantissa bits", "57344", "2^-14", "0.25", IEEE],
        "e2m3" => ["1 sign, 2 exponent, 3 mantissa bits", "7.5", "1", "0.125", NEITHER],
        "e3m2" => ["1 sign, 3 exponent, 2 mantissa bits", "28", "0.25", "0.25", NEITHER],
        "e2m1" => ["1 sign, 2 exponent, 1 mantissa bit", "6", "1", "0.5", NEITHER],
        "ue8m0" => ["8 exponent bits only: powers of two", "2^127", "2^-127", "", "all ones is NaN"],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats() {
        let of = |name: &str| of(warplens_isa::ptx::type_(name).unwrap()).join("; ");
        assert_eq!(of(".u8"), "0 to 255");
        assert_eq!(of(".s64"), "-9223372036854775808 to 9223372036854775807");
        assert_eq!(of(".u16x2"), "2 elements of 16 bits, each 0 to 65535");
        assert!(
            of(".e4m3x2").starts_with("2 elements of 8 bits, each 1 sign, 4 exponent"),
            "{}",
            of(".e4m3x2")
        );
        assert_eq!(of(".b32"), "");
    }
}
