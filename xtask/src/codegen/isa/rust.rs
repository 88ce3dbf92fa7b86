//! Pieces of Rust source.

use std::fmt::Write;

use anyhow::Result;

use super::perfect_hash;

/// A string literal.
pub(super) fn string(text: &str) -> String {
    format!("{text:?}")
}

/// A slice of string literals.
pub(super) fn strings<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    slice(texts.into_iter().map(|text| string(text.as_ref())))
}

/// The lines of a block of text, as a slice of string literals.
pub(super) fn lines(text: &str) -> String {
    strings(text.trim_matches('\n').lines())
}

/// A slice of expressions.
pub(super) fn slice(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("&[{}]", items.join(", "))
}

/// A version.
pub(super) fn version((major, minor): (u8, u8)) -> String {
    format!("Version::new({major}, {minor})")
}

/// `pub(crate) static NAME: [TYPE; n] = [...];`
pub(super) fn table(name: &str, ty: &str, items: &[String]) -> String {
    let count = items.len();
    format!("pub(crate) static {name}: [{ty}; {count}] = [{}];\n\n", items.join(",\n"))
}

/// `pub(crate) static NAME: Names<TYPE>`, from names to expressions.
pub(super) fn names(name: &str, ty: &str, entries: &[(&str, String)]) -> Result<String> {
    let keys: Vec<&str> = entries.iter().map(|(key, _)| *key).collect();
    let layout = perfect_hash::layout(&keys)?;
    let mut out = format!("pub(crate) static {name}: Names<{ty}> = Names {{ seeds: &[");
    for seed in &layout.seeds {
        write!(out, "{seed}, ")?;
    }
    out.push_str("], slots: &[");
    for &slot in &layout.slots {
        let (key, value) = &entries[slot];
        write!(out, "({}, {value}), ", string(key))?;
    }
    out.push_str("] };\n\n");
    Ok(out)
}
