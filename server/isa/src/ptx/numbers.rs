//! Which instructions compute numbers that PTX does not determine to the bit: approximations, with their documented error, and results
//! that depend on something that PTX leaves open. All other instructions are exact, or rounded as IEEE 754 says.

use crate::promise::Promise::{self, Open, Within};

/// A result that is not determined to the bit.
#[derive(Debug, PartialEq, Eq)]
pub struct Inexact {
    /// The entry of the instruction, whose section of the PTX ISA says so.
    pub entry: &'static str,
    /// Modifiers that the statement has: of each list, one.
    has: &'static [&'static [&'static str]],
    pub promise: Promise,
}

const FLOATS: &[&str] = &["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];
const TCGEN05_FLOATS: &[&str] =
    &["kind::f16", "kind::tf32", "kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"];
const ANGLE: &str = "the absolute error is at most 2^-20.5 for |a| up to 2*pi and 2^-14.7 up to 100*pi; beyond there is no bound";
const SUM: Promise = Open("the order and the rounding of the sum are not specified");
const ATOMIC: Promise = Open("the order of the threads decides how the sum is rounded");

const fn row(entry: &'static str, has: &'static [&'static [&'static str]], promise: Promise) -> Inexact {
    Inexact { entry, has, promise }
}

/// Of several rows that fit, the first counts.
static ROWS: &[Inexact] = &[
    row("div@fp", &[&["approx"]], Within("at most 2 ulp off for |b| from 2^-126 to 2^126")),
    row("div@fp", &[&["full"]], Within("at most 2 ulp off")),
    row("rcp.approx.ftz.f64", &[&["approx"], &["f64"]], Within("no bound is stated")),
    row("rcp", &[&["approx"]], Within("at most 1 ulp off")),
    row("sqrt", &[&["approx"]], Within("relative error at most 2^-23")),
    row("rsqrt.approx.ftz.f64", &[&["ftz"], &["f64"]], Within("no bound is stated")),
    row("rsqrt", &[&["f64"]], Within("no bound is stated")),
    row("rsqrt", &[], Within("relative error at most 2^-22.9")),
    row("sin", &[], Within(ANGLE)),
    row("cos", &[], Within(ANGLE)),
    row(
        "lg2",
        &[],
        Within("absolute error at most 2^-22 on (0.5, 2), elsewhere relative error at most 2^-22"),
    ),
    row("ex2@half", &[&["f16", "f16x2"]], Within("relative error at most 2^-9.9")),
    row("ex2@half", &[&["bf16", "bf16x2"]], Within("relative error at most 2^-7")),
    row("ex2@fp", &[], Within("at most 2 ulp")),
    row("tanh@half", &[&["f16", "f16x2"]], Within("absolute error at most 2^-10.987")),
    row("tanh@half", &[&["bf16", "bf16x2"]], Within("absolute error at most 2^-8")),
    row("tanh@fp", &[], Within("relative error at most 2^-11")),
    row("mma", &[&["f16", "f32"]], SUM),
    row("wmma.mma", &[&["mma"], &["f16", "f32"]], SUM),
    row("wgmma.mma_async", &[&["mma_async"], &["f16", "f32"]], SUM),
    row("tcgen05.mma", &[&["mma"], TCGEN05_FLOATS], SUM),
    row("atom", &[&["add"], FLOATS], ATOMIC),
    row("red", &[&["add"], FLOATS], ATOMIC),
    row("multimem.red", &[&["red"], &["add"], FLOATS], ATOMIC),
];

/// What PTX promises about the result of an instruction with these modifiers, written without dots; `None` if it is determined.
pub fn inexact<'m>(
    opcode: &str,
    modifiers: impl Iterator<Item = &'m str> + Clone,
) -> Option<&'static Inexact> {
    let has = |words: &&[&str]| modifiers.clone().any(|modifier| words.contains(&modifier));
    ROWS.iter().find(|row| row.opcode() == opcode && row.has.iter().all(has))
}

impl Inexact {
    fn opcode(&self) -> &'static str {
        self.entry.split(['.', '@']).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::instruction;

    #[test]
    fn the_errors_are_those_of_the_entries() {
        for row in ROWS {
            let entry = instruction(row.entry).expect("an entry");
            let text: String = entry.notes.iter().copied().chain([entry.summary]).collect();
            let Within(error) = row.promise else { continue };
            let bounds = error.split([' ', ',', ';']).filter(|word| word.starts_with("2^"));
            bounds.for_each(|bound| assert!(text.contains(bound), "{}: {bound} in {text}", row.entry));
        }
    }

    #[test]
    fn a_promise_depends_on_the_modifiers() {
        let of = |name: &'static str| {
            let mut words = name.split('.');
            let opcode = words.next().unwrap_or_default();
            inexact(opcode, words).map(|row| row.entry)
        };
        assert_eq!(of("div.rn.f32"), None);
        assert_eq!(of("div.u32"), None);
        assert_eq!(of("div.full.f32"), Some("div@fp"));
        assert_eq!(of("rcp.approx.ftz.f64"), Some("rcp.approx.ftz.f64"));
        assert_eq!(of("rcp.rn.f32"), None);
        assert_eq!(of("ex2.approx.ftz.bf16x2"), Some("ex2@half"));
        assert_eq!(of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), Some("mma"));
        assert_eq!(of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"), None);
        assert_eq!(of("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), None);
        assert_eq!(of("wmma.load.a.sync.aligned.row.m16n16k16.f16"), None);
        assert_eq!(of("atom.global.add.f32"), Some("atom"));
        assert_eq!(of("atom.global.add.u32"), None);
        assert_eq!(of("atom.global.max.f32"), None);
    }
}
