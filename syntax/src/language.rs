//! A language as a table entry. The entry of each language is in that language's folder; the list of all languages is in the `ide`
//! crate, so a crate that uses this one can define another language.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use crate::edited_chunk::{ParseChunk, ParseRest};
use crate::lexed::Lexed;
use crate::parser::Parser;
use crate::scan::{Rescan, Scan};

/// A language: a handle to its table entry, compared by [`LanguageInfo::id`].
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageInfo);

/// The facts and hooks of a language.
pub struct LanguageInfo {
    /// Its name in settings, in `--language` and in the language protocol: `ptx`.
    pub id: &'static str,
    /// Its name in messages: `PTX`.
    pub title: &'static str,
    /// The extensions of its files, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// The language ids under which other software opens files of these extensions. Where there are any, neither the extension nor
    /// such an id is enough: a line of the text has to [`sniff`](LanguageInfo::sniff) as this language.
    pub shared_ids: &'static [&'static str],
    /// Whether only this language has such a line.
    pub sniff: fn(line: &str) -> bool,
    /// The prefixes of a line comment; the first one is written into new comments.
    pub line_comments: &'static [&'static str],
    /// Whether it has dialects, so that a file can be rewritten in one of them.
    pub has_dialects: bool,
    /// The external assembler that accepts its files: `ptxas`.
    pub assembler: Option<&'static str>,
    /// Finds the end of an item.
    pub scan: Scan,
    /// Scans an item around an edit; `None` for a language whose items are always scanned whole.
    pub rescan: Option<Rescan>,
    /// Cuts an item into tokens.
    pub lex: fn(text: &str) -> Lexed,
    /// The grammar of an item: emits exactly one outermost node, an `ITEM` with all tokens.
    pub parse_item: fn(parser: &mut Parser<'_>),
    /// Parses the chunk of a long body that an edit changed; `None` for a language whose items are always parsed whole.
    pub parse_chunk: Option<ParseChunk>,
    /// Parses a long item from the chunk on that an edit changed; `None` for a language whose items are parsed whole then.
    pub parse_rest: Option<ParseRest>,
}

impl Language {
    /// The handle of a table entry.
    pub const fn new(info: &'static LanguageInfo) -> Language {
        Language(info)
    }

    /// Whether a line of the text shows that it is in this language.
    pub fn sniffs(self, text: &str) -> bool {
        text.lines().any(self.sniff)
    }

    /// Whether other software uses the same extensions.
    pub fn shares_extensions(self) -> bool {
        !self.shared_ids.is_empty()
    }

    /// The prefix of a new line comment.
    pub fn line_comment(self) -> &'static str {
        self.line_comments[0]
    }
}

impl Deref for Language {
    type Target = LanguageInfo;

    fn deref(&self) -> &LanguageInfo {
        self.0
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}
