//! The comments with which disassemblers name the source of an instruction: `//## File "a.h", line 7 inlined at "a.cu", line 9`.

use std::ops::Range;

/// The file name that disassemblers print for lines of the PTX source.
pub const PTX_TEXT: &str = ".nv_debug_ptx_txt";

/// A line of a source file that a comment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMention<'t> {
    /// From the opening quotation mark to the end of the line number.
    pub range: Range<usize>,
    pub path: &'t str,
    pub line: u32,
}

/// The source lines that a line of a listing names, the innermost first; `None` if it is no such comment.
pub fn source_mentions(text: &str) -> Option<impl Iterator<Item = SourceMention<'_>>> {
    let mention = |(end, between): (usize, &str)| {
        let open = text[..end].rfind('"')?;
        let number = end + between.len();
        let digits = text[number..].split(|char: char| !char.is_ascii_digit()).next()?;
        let range = open..number + digits.len();
        Some(SourceMention { range, path: &text[open + 1..end], line: digits.parse().ok()? })
    };
    let is_comment = text.trim_start().starts_with("//## File \"");
    is_comment.then(|| text.match_indices("\", line ").filter_map(mention))
}
