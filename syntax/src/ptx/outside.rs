//! The outside of a function item: what the module needs to know about it, found without parsing its body.

use memchr::{memchr, memchr2, memmem};

/// A body declares something for the module only if it contains one of these words.
const BODY_DECLARES: [&str; 2] = [".func", ".alias"];

/// The text of a function item up to and including the brace that opens its body. Parsed as an item, it gives
/// the same declarations as the whole, at the same offsets. It is the whole text if there is no body, or if
/// the body may declare something for the module, which is rare.
pub fn outside(item: &str) -> &str {
    let (opening, body) = item.split_at(head(item));
    // In a malformed item the first brace may belong to something else.
    let opens_body = has(opening, ".entry") || has(opening, ".func");
    let may_declare = || BODY_DECLARES.iter().any(|word| has(body, word));
    if opens_body && !may_declare() { opening } else { item }
}

fn has(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}

/// The length of the text up to and including the brace that opens the body. It is the length of the whole
/// text if the first brace opens an initializer.
fn head(item: &str) -> usize {
    let bytes = item.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        at += match byte {
            b'{' => return at + 1,
            b'=' => return item.len(),
            b'/' if rest.starts_with(b"//") => line(rest),
            b'/' if rest.starts_with(b"/*") => comment(rest),
            b'"' => string(rest),
            _ => 1,
        };
    }
    at.min(item.len())
}

/// The length up to the end of the line.
fn line(text: &[u8]) -> usize {
    memchr(b'\n', text).unwrap_or(text.len())
}

/// The length of a comment. Like the lexer, ends an unclosed comment with its line.
fn comment(text: &[u8]) -> usize {
    memmem::find(&text[2..], b"*/").map_or_else(|| line(text), |end| end + 4)
}

/// The length of a string, which ends with its line at the latest.
fn string(text: &[u8]) -> usize {
    match memchr2(b'"', b'\n', &text[1..]) {
        Some(end) if text[1 + end] == b'"' => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::outside;

    #[test]
    fn ends_at_the_brace_of_the_body() {
        let check = |item: &str, expected: &str| assert_eq!(outside(item), expected);
        check(".entry k() .maxntid 32 { ret; { } }", ".entry k() .maxntid 32 {");
        check(".func f(); // { not yet", ".func f(); // { not yet");
        check(".entry k() // {\n{ ret; }", ".entry k() // {\n{");
        check("/* { */ .entry k() { ret; }", "/* { */ .entry k() {");
        check(".entry k() { .func f(); }", ".entry k() { .func f(); }");
        check(".entry k() { .alias f, g; }", ".entry k() { .alias f, g; }");
        check("/* open\n.entry k() { ret; }", "/* open\n.entry k() {");
        check(".entry k() .pragma \"{\"; { ret; }", ".entry k() .pragma \"{\"; {");
        check(".entry k() .pragma \"{\n { ret; }", ".entry k() .pragma \"{\n {");
    }
}
