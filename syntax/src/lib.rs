//! Text to lossless tree: one grammar per language; the grammars contain no instruction names.
//!
//! # Conventions
//!
//! * `ptx.ungram` and `wave.ungram` define the trees; `cargo xtask codegen` generates [`SyntaxKind`], [`T!`]
//!   and the typed trees [`ptx::ast`] and [`wave::ast`] from them. Any accessor may return `None`: the text
//!   may be incomplete.
//! * A tree's text is its input, byte for byte. White space, comments and line marks are tokens too. A node
//!   starts and ends with a token that is not trivia, so its range is the range to show. Only `ITEM`, the
//!   root that [`parse_item`] returns, includes the trivia around its declaration.
//! * [`parse_file`] returns a `SOURCE_FILE` whose children are the `ITEM`s, one for each [`Item`] of the
//!   [`ItemList`], equal to what [`parse_item`] returns for that item's text.
//! * An opcode is the direct `IDENT` token of an `INSTRUCTION`, its modifiers are its direct `DOT_WORD`
//!   tokens (`.s32`, `.shared::cta`), its operands are its child nodes. The use of a name is a `NAME_REF`
//!   with one `IDENT` (`%r1`, `%tid`, `foo`, `$L__BB0_1`); a declaration is a `NAME` with one `IDENT`.
//! * Words such as `.entry` or `.reg` are `DOT_WORD`s too; the grammar distinguishes them by their text.
//! * Each mistake is reported by one [`SyntaxError`]; ranges are relative to the root of the parsed tree.
//! * In bodies over 64 KB the statements are grouped in `CHUNK` nodes.

pub mod ast;
mod chunks;
mod edited_chunk;
mod error;
mod generated;
mod green;
mod invisible;
mod items;
mod language;
mod lexed;
mod node_path;
mod parse;
mod parser;
pub mod ptx;
mod punctuation;
mod reparse;
pub mod sass;
mod scan;
mod syntax_node;
mod tree;
pub mod wave;

pub use chunks::CHUNKED_FROM;
pub use edited_chunk::{EditedChunk, ParseChunk, ParsedChunk};
pub use error::{SyntaxError, SyntaxErrorKind};
pub use generated::kinds::SyntaxKind;
pub use items::{EditSummary, Item, ItemGroup, ItemList};
pub use language::{Language, LanguageInfo};
pub use lexed::Lexed;
pub use node_path::NodePath;
pub use parse::{Parse, parse_file, parse_item, parse_shared_item};
pub use parser::{CompletedMarker, Marker, Parser};
pub use reparse::reparse_item;
pub use rowan::{Direction, GreenNode, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent};
pub use scan::{CommentEnd, ItemKind, Scan, Scanned, Tail};
pub use syntax_node::{SyntaxElement, SyntaxNode, SyntaxNodeChildren, SyntaxToken, WarplensLanguage};
pub use tree::{Elements, Node, Token};
