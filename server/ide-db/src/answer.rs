//! Results for editors, as plain data.
//!
//! Every range is in bytes of the whole file. The results contain no trees, ids of the database or types of the
//! protocol, so the program can convert them to LSP or JSON in one place, and a test can print them.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::Severity;

/// A file of this session, numbered by the owner of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// How an editor may render the range of a diagnostic in addition to underlining it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    Unnecessary,
    Deprecated,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    pub file: FileId,
    pub range: TextRange,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    #[default]
    Text,
    /// A finding of a simulation.
    Run,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// As small as possible.
    pub range: TextRange,
    pub severity: Severity,
    /// Distinguishes a diagnostic from a finding with the same name.
    pub origin: Origin,
    /// A stable name in kebab case, such as `unknown-instruction`.
    pub code: &'static str,
    /// Says what is wrong and how to fix it.
    pub message: String,
    pub related: Vec<Related>,
    pub tags: Vec<Tag>,
    /// The most likely fix first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    pub fn new(
        range: TextRange,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        let message = message.into();
        let origin = Origin::Text;
        Diagnostic { range, severity, origin, code, message, related: vec![], tags: vec![], fixes: vec![] }
    }

    #[must_use]
    pub fn with_related(mut self, related: Related) -> Diagnostic {
        self.related.push(related);
        self
    }

    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}

/// Edits that fix a diagnostic in the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// An imperative: `Replace with `add``.
    pub title: String,
    /// The edits do not overlap and are applied together.
    pub edits: Vec<TextEdit>,
    /// Whether it is safe to apply without review.
    pub preferred: bool,
}

impl Fix {
    /// The most common fix: replaces the range with another word.
    pub fn replacement(range: TextRange, word: &str) -> Fix {
        let edits = vec![TextEdit { range, insert: word.to_owned() }];
        Fix { title: format!("Replace with `{word}`"), edits, preferred: false }
    }

    /// The text after the fix.
    pub fn applied(&self, text: &str) -> String {
        let mut edits = self.edits.clone();
        edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
        edited(text, &edits)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub range: TextRange,
    pub markdown: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    Opcode,
    /// A part of an opcode after a dot, such as `.rn`.
    Modifier,
    /// Such as `.u32`.
    Type,
    /// A state space, such as `.global`.
    Space,
    /// Such as `.reg`.
    Directive,
    Register,
    /// A predefined register, such as `%tid`.
    SpecialRegister,
    Variable,
    Parameter,
    Label,
    Function,
    /// Any other keyword.
    Constant,
    /// A construct of several lines, such as a loop.
    Snippet,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// Shown, and matched against the typed text.
    pub label: String,
    /// Shown next to the label.
    pub detail: Option<String>,
    pub kind: CompletionKind,
    /// LSP snippet syntax: `$1`, `${1:name}`, `$0`; `\`, `$` and `}` of the text itself are escaped with a
    /// backslash.
    pub snippet: String,
    /// The snippet's text for clients without snippets.
    pub plain: String,
    pub replace: TextRange,
    /// Editors compare it as text.
    pub sort: String,
    /// The name that `warplens_ide::explain` documents. Editors ask for the documentation only when the user
    /// looks at the item.
    pub explain: Option<String>,
    pub deprecated: bool,
    /// Whether the word is incomplete, so that an editor shows suggestions again after inserting it.
    pub continues: bool,
    /// An additional edit of the white space before the item, on the same line.
    pub moves: Option<TextEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub file: FileId,
    pub full: TextRange,
    pub focus: TextRange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Declaration,
    /// The name is read, called or jumped to.
    Read,
    Write,
    /// Not the name itself, but another keyword of the construct that the declaration opens.
    Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    pub range: TextRange,
    pub access: Access,
}

/// The name that a rename at an offset would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTarget {
    pub range: TextRange,
    /// The text that an editor offers for editing.
    pub placeholder: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEdit {
    pub range: TextRange,
    pub insert: String,
}

/// The text after the edits, which must be in text order and not overlap.
pub fn edited(text: &str, edits: &[TextEdit]) -> String {
    let mut edited = String::with_capacity(text.len() + text.len() / 8);
    let mut at = TextSize::new(0);
    for edit in edits {
        edited.push_str(&text[TextRange::new(at, edit.range.start())]);
        edited.push_str(&edit.insert);
        at = edit.range.end();
    }
    edited.push_str(&text[usize::from(at)..]);
    edited
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Kernel,
    Function,
    Parameter,
    Variable,
    Register,
    Label,
    /// A debug section or another named part of a module.
    Section,
    Block,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Such as the type, size or parameters.
    pub detail: Option<String>,
    pub kind: SymbolKind,
    pub range: TextRange,
    pub focus: TextRange,
    pub children: Vec<Symbol>,
}

impl Symbol {
    pub fn leaf(name: impl Into<String>, kind: SymbolKind, range: TextRange) -> Symbol {
        Symbol { name: name.into(), detail: None, kind, range, focus: range, children: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    Comment,
    Code,
    /// A section that is rarely read, such as debug data.
    Region,
}

/// A foldable range: from the end of its first line to the end of its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    pub range: TextRange,
    pub kind: FoldKind,
}

/// In the order of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    Comment,
    Number,
    String,
    Opcode,
    Modifier,
    Type,
    /// A directive, a linkage or a state space.
    Keyword,
    /// A register that the file declares.
    Register,
    Predicate,
    SpecialRegister,
    Variable,
    Parameter,
    Label,
    Function,
    Operator,
}

impl TokenKind {
    /// Every kind with its name in the legend: a standard LSP token type where one fits.
    pub const LEGEND: &'static [(TokenKind, &'static str)] = &[
        (TokenKind::Comment, "comment"),
        (TokenKind::Number, "number"),
        (TokenKind::String, "string"),
        (TokenKind::Opcode, "macro"),
        (TokenKind::Modifier, "modifier"),
        (TokenKind::Type, "type"),
        (TokenKind::Keyword, "keyword"),
        (TokenKind::Register, "variable"),
        (TokenKind::Predicate, "predicate"),
        (TokenKind::SpecialRegister, "enumMember"),
        (TokenKind::Variable, "property"),
        (TokenKind::Parameter, "parameter"),
        (TokenKind::Label, "label"),
        (TokenKind::Function, "function"),
        (TokenKind::Operator, "operator"),
    ];
}

/// A set of the constants below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers(pub u8);

impl TokenModifiers {
    pub const DECLARATION: TokenModifiers = TokenModifiers(1);
    pub const MODIFICATION: TokenModifiers = TokenModifiers(1 << 1);
    pub const READONLY: TokenModifiers = TokenModifiers(1 << 2);
    pub const DEPRECATED: TokenModifiers = TokenModifiers(1 << 3);
    /// At this word lanes may diverge, exit or wait: `if`, `bra`, `ret`, `bar`.
    pub const CONTROL_FLOW: TokenModifiers = TokenModifiers(1 << 4);
    /// The names of the bits, lowest first.
    pub const LEGEND: &'static [&'static str] =
        &["declaration", "modification", "readonly", "deprecated", "controlFlow"];

    #[must_use]
    pub const fn with(self, other: TokenModifiers) -> TokenModifiers {
        TokenModifiers(self.0 | other.0)
    }
}

/// Tokens are in text order, do not overlap, and do not span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: TextRange,
    pub kind: TokenKind,
    pub modifiers: TokenModifiers,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    pub name: String,
    pub kind: SymbolKind,
    pub detail: String,
    /// The definition, or the declaration if there is none.
    pub target: Target,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    pub item: CallItem,
    /// Where the caller names the callee.
    pub places: Vec<TextRange>,
}

/// A link to a position in another file, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    pub range: TextRange,
    /// The path as written.
    pub path: SmolStr,
    /// Set if the link leads to the file that the document was assembled from: the extension of that file,
    /// which is next to the document and has the same name.
    pub origin: Option<&'static str>,
    /// Line and column, counted from 1 as in debug information; 0 if unknown.
    pub place: Option<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InlayHintKinds {
    /// The type of a register where it is written, unless its name shows the type.
    pub register_types: bool,
    /// The callee's parameter names at the arguments of a call.
    pub parameter_names: bool,
    /// The name of a known sequence of instructions, at the first one.
    pub sequences: bool,
    pub live_registers: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    pub offset: TextSize,
    pub label: String,
    pub kind: InlayHintKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InlayHintKind {
    /// The type of the name before the hint.
    Type,
    /// The parameter name of the argument after the hint.
    Parameter,
    LineEnd,
}

/// A name declared for the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub target: Target,
    pub is_definition: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    pub signatures: Vec<Signature>,
    /// The index of the form that matches best.
    pub active: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub label: String,
    /// A summary in markdown.
    pub documentation: String,
    pub parameters: Vec<SignatureParameter>,
    /// The operand being typed; `None` after the last one.
    pub active: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// The operand's range in the label.
    pub range: TextRange,
    /// A description in markdown.
    pub documentation: String,
}
