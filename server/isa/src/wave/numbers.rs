//! Which instructions compute numbers that WAVE does not determine to the bit. All others are exact, or rounded as IEEE 754 says,
//! `frsqrt` twice.

use crate::promise::Promise;

/// What the guide promises about the result of an instruction, by its mnemonic; `None` if it is determined.
pub fn inexact(mnemonic: &str) -> Option<Promise> {
    let is_approximate = matches!(mnemonic, "fsin" | "fcos" | "fexp2" | "flog2");
    is_approximate.then_some(Promise::Within("at most 2 ulp off"))
}
