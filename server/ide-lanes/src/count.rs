//! Numbers in sentences.

use std::fmt::Display;

/// `1 buffer`, `2 launches`
pub fn count<N: Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    let ending = match what {
        _ if number == N::from(1) => "",
        what if what.ends_with("ch") || what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {what}{ending}")
}
