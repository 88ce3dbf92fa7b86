//! Random changes of texts.

use std::ops::Range;

use fastrand::Rng;

/// Pieces with a meaning in one of the languages, and pieces that break tokens, lines and encodings.
const PIECES: [&str; 44] = [
    "a",
    "%r1",
    " ",
    "\t",
    "\n",
    "\r\n",
    "{",
    "}",
    "\"",
    "/*",
    "*/",
    "//",
    ";",
    ".",
    ",",
    "[",
    "]",
    "(",
    "-",
    "0x",
    "0xffffffffffffffff",
    "99999999999999999999",
    "1e999",
    "@%p1 ",
    "@!P0 ",
    "bra DONE;\n",
    "add.u32 %r1, %r2, 3;\n",
    "ret;\n",
    ".entry k() {\n",
    "if p0\n",
    "endif\n",
    "loop\n",
    "endloop\n",
    ".kernel k2\n",
    "halt\n",
    "é𝄞",
    "\0",
    "\u{feff}",
    "BSSY B0, 0x40 ;\n",
    "BSYNC B0 ;\n",
    "EXIT ;\n",
    "/*0010*/ ",
    ".L_x_0:\n",
    "// @launch { block = [64] }\n",
];

/// A change of a text: a range, and the text that replaces it.
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) insert: String,
}

/// Inserts a piece, or removes a range, moves it, or replaces it with another part of the text.
pub(crate) fn edit(text: &str, rng: &mut Rng) -> Edit {
    let start = offset(text, rng);
    let end = boundary(text, (start + rng.usize(..40)).min(text.len()));
    match rng.u8(..6) {
        0 | 1 => Edit { range: start..start, insert: PIECES[rng.usize(..PIECES.len())].to_owned() },
        2 => Edit { range: start..end, insert: String::new() },
        3 => Edit { range: start..end, insert: PIECES[rng.usize(..PIECES.len())].to_owned() },
        4 => Edit { range: start..end, insert: part(text, rng).to_owned() },
        _ => Edit { range: start..start, insert: part(text, rng).to_owned() },
    }
}

/// Text that is typed in a body. Most of it does not move the end of the body.
const TYPED: [&str; 15] = [
    "q",
    "%r1",
    " ",
    "\n",
    ".",
    "\"",
    "// x\n",
    "/* x */",
    "add.u32 %r1, %r2, 3;\n",
    "bra DONE;\n",
    "L_1:\n",
    "call f;\n",
    ".reg .b32 %x;\n",
    "// warplens: allow(syntax)\n",
    "{ }",
];

/// Types or removes a few characters. Occasionally makes another change instead.
pub(crate) fn keystroke(text: &str, rng: &mut Rng) -> Edit {
    let start = offset(text, rng);
    let end = boundary(text, (start + rng.usize(1..4)).min(text.len()));
    match rng.u8(..10) {
        0 => edit(text, rng),
        1..4 => Edit { range: start..end, insert: String::new() },
        _ => Edit { range: start..start, insert: TYPED[rng.usize(..TYPED.len())].to_owned() },
    }
}

/// The text after one to `most` changes.
pub(crate) fn mutated(text: &str, most: usize, rng: &mut Rng) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.usize(1..=most) {
        let Edit { range, insert } = edit(&text, rng);
        text.replace_range(range, &insert);
    }
    text
}

/// A random offset between two characters.
pub(crate) fn offset(text: &str, rng: &mut Rng) -> usize {
    boundary(text, rng.usize(..=text.len()))
}

fn part<'t>(text: &'t str, rng: &mut Rng) -> &'t str {
    let start = offset(text, rng);
    &text[start..boundary(text, (start + rng.usize(..120)).min(text.len()))]
}

/// The nearest offset at or before `at` that is between two characters. The protocol has no position inside
/// `\r\n`.
fn boundary(text: &str, at: usize) -> usize {
    let is_in_line_end = |at: usize| text.as_bytes()[..at].ends_with(b"\r") && text[at..].starts_with('\n');
    (0..=at).rev().find(|at| text.is_char_boundary(*at) && !is_in_line_end(*at)).unwrap_or(0)
}
