//! Which opcodes compute numbers that are not determined to the bit. Machine code has no documented errors: these are the errors
//! that PTX states for the instruction that is compiled to the opcode. All other opcodes are exact, or rounded as IEEE 754 says.

use crate::promise::Promise::{self, Estimate, Open, Within};

const ANGLE: &str = "as `sin.approx` and `cos.approx` of PTX: absolute error at most 2^-20.5 for angles up to 2*pi and 2^-14.7 up to \
                     100*pi; beyond there is no bound";
const SUM: Promise = Open("the order and the rounding of the sum are not specified");
const ATOMIC: Promise = Open("the order of the threads decides how the sum is rounded");

/// The functions of `MUFU`.
const FUNCTIONS: &[(&str, Promise)] = &[
    ("RCP", Estimate("as `rcp.approx` of PTX: at most 1 ulp off")),
    ("RSQ", Estimate("as `rsqrt.approx` of PTX: relative error at most 2^-22.9")),
    ("RCP64H", Estimate("as `rcp.approx.ftz.f64` of PTX: no bound is stated")),
    ("RSQ64H", Estimate("as `rsqrt.approx.ftz.f64` of PTX: no bound is stated")),
    ("SQRT", Within("as `sqrt.approx` of PTX: relative error at most 2^-23")),
    ("SIN", Within(ANGLE)),
    ("COS", Within(ANGLE)),
    (
        "LG2",
        Within(
            "as `lg2.approx` of PTX: absolute error at most 2^-22 on (0.5, 2), elsewhere relative error at most 2^-22",
        ),
    ),
    ("EX2", Within("as `ex2.approx` of PTX: at most 2 ulp")),
    ("TANH", Within("as `tanh.approx` of PTX: relative error at most 2^-11")),
];

/// How the names of float types start, such as `F16x2.RN` and `BF16_V2`.
const FLOATS: &[&str] = &["F16", "BF16", "F32", "F64"];

/// What is promised about the result of an opcode with these modifiers, written without dots; `None` if it is determined.
pub fn inexact<'m>(opcode: &str, modifiers: impl Iterator<Item = &'m str> + Clone) -> Option<Promise> {
    let has = |wanted: &str| modifiers.clone().any(|modifier| modifier == wanted);
    let is_float = || {
        let starts = |modifier: &str| FLOATS.iter().any(|float| modifier.starts_with(float));
        modifiers.clone().any(starts)
    };
    match opcode {
        // Of half-precision functions, no bound is known.
        "MUFU" if !is_float() => {
            FUNCTIONS.iter().find(|(function, _)| has(function)).map(|(_, promise)| *promise)
        }
        "HMMA" | "QMMA" | "OMMA" | "HGMMA" | "QGMMA" | "UTCHMMA" | "UTCQMMA" | "UTCOMMA" => Some(SUM),
        "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" | "REDS" if has("ADD") && is_float() => Some(ATOMIC),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx;

    #[test]
    fn the_errors_are_those_of_the_instructions_in_ptx() {
        for (function, promise) in FUNCTIONS {
            let (Estimate(text) | Within(text)) = promise else { panic!("{function} is an approximation") };
            let (names, error) = text.split_once(" of PTX: ").expect("it names the instruction");
            let mut words = names.split('`').nth(1).expect("it is quoted").split('.');
            let opcode = words.next().unwrap_or_default();
            let of_ptx = ptx::inexact(opcode, words).map(|row| row.promise);
            let Some(Within(stated)) = of_ptx else { panic!("{names}: {of_ptx:?}") };
            let bounds = |text: &str| -> Vec<String> {
                let words = text.split([' ', ',', ';']).filter(|word| word.starts_with("2^"));
                words.map(str::to_owned).collect()
            };
            assert_eq!(bounds(error), bounds(stated), "{function}");
        }
    }

    #[test]
    fn a_promise_depends_on_the_modifiers() {
        let of = |name: &'static str| {
            let mut words = name.split('.');
            let opcode = words.next().unwrap_or_default();
            inexact(opcode, words)
        };
        assert!(matches!(of("MUFU.RCP"), Some(Estimate(_))));
        assert!(matches!(of("MUFU.EX2"), Some(Within(_))));
        assert_eq!(of("MUFU.EX2.F16"), None);
        assert_eq!(of("HMMA.16816.F32"), Some(SUM));
        assert_eq!(of("IMMA.16832.S8.S8"), None);
        assert_eq!(of("RED.E.ADD.F32.FTZ.RN.STRONG.GPU"), Some(ATOMIC));
        assert_eq!(of("ATOMG.E.ADD.F16x2.RN.STRONG.GPU"), Some(ATOMIC));
        assert_eq!(of("RED.E.ADD.STRONG.GPU"), None);
        assert_eq!(of("ATOMG.E.EXCH.STRONG.GPU"), None);
        assert_eq!(of("FFMA"), None);
    }
}
