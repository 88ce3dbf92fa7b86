//! Loads the shared corpora of executable cases for the tests of every language.

pub mod recording;

pub fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// The size in bytes of a type as the corpus names it (`f32`, `f16x2`).
pub fn element_size(ty: &str) -> u64 {
    let digits: String =
        ty.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let bits: u64 = digits.parse().unwrap_or(32);
    let count = if ty.ends_with("x2") { 2 } else { 1 };
    bits * count / 8
}
