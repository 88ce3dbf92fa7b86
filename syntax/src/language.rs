//! A language as a table entry. Each language's entry is in the folder of that language; the list of all
//! languages is in the `ide` crate, so a user of this crate can define another language.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::edited_chunk::ParseChunk;
use crate::lexed::Lexed;
use crate::parser::Parser;
use crate::scan::Scan;

/// A language: a reference to its table entry.
pub type Language = &'static LanguageInfo;

/// The facts and hooks of a language. Entries are compared by [`LanguageInfo::id`].
pub struct LanguageInfo {
    /// The name in settings, in `--language` and in the language protocol: `ptx`.
    pub id: &'static str,
    /// The name in messages: `PTX`.
    pub title: &'static str,
    /// The file extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// The language ids under which other software opens files with these extensions. If there are any,
    /// neither the extension nor such an id is enough: a line of the text must also
    /// [`sniff`](LanguageInfo::sniff) as this language.
    pub shared_ids: &'static [&'static str],
    /// Whether a line can only be in this language.
    pub sniff: fn(line: &str) -> bool,
    /// The prefixes of line comments; new comments are written with the first one.
    pub line_comments: &'static [&'static str],
    /// Whether the language has dialects, so that a file can be rewritten in another one.
    pub has_dialects: bool,
    /// The external assembler for the files: `ptxas`.
    pub assembler: Option<&'static str>,
    pub scan: Scan,
    /// Cuts an item into tokens.
    pub lex: fn(text: &str) -> Lexed,
    /// The grammar of an item. It emits exactly one outermost node, an `ITEM` with all tokens.
    pub parse_item: fn(parser: &mut Parser<'_>),
    /// Parses the edited chunk of a long body; `None` for a language whose items are always parsed whole.
    pub parse_chunk: Option<ParseChunk>,
}

impl LanguageInfo {
    pub fn sniffs(&self, text: &str) -> bool {
        text.lines().any(self.sniff)
    }

    pub fn shares_extensions(&self) -> bool {
        !self.shared_ids.is_empty()
    }

    pub fn line_comment(&self) -> &'static str {
        self.line_comments[0]
    }
}

impl PartialEq for LanguageInfo {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for LanguageInfo {}

impl Hash for LanguageInfo {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for LanguageInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
