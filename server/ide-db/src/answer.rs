//! The answers of this crate: plain data in an editor's words.
//!
//! Every range is in bytes of the whole file. No answer names a tree, an id of the database or a type of the
//! protocol, so the binary can turn each into LSP or JSON in one place, and a test can print it.

use text_size::TextRange;

/// A file of this session, as the owner of the files numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// How bad a diagnostic is. *Error* if and only if the assembler rejects the file for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The assembler rejects it.
    Error,
    /// It assembles, and is most likely a mistake.
    Warning,
    /// Something to know.
    Information,
    /// Something an editor shows faintly.
    Hint,
}

/// How an editor may draw the range of a diagnostic beside underlining it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Faded: it has no effect.
    Unnecessary,
    /// Struck through: there is a newer way.
    Deprecated,
}

/// A second place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// The file of the place.
    pub file: FileId,
    /// Where.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// Who says a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// The text shows it.
    #[default]
    Text,
    /// A simulation showed it: a finding.
    Run,
}

/// One problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Where: as small as the mistake.
    pub range: TextRange,
    /// How bad.
    pub severity: Severity,
    /// Who says it. Names of text and of runs are told apart by it.
    pub origin: Origin,
    /// A stable name in kebab case, such as `unknown-instruction`.
    pub code: &'static str,
    /// What is wrong, and what would be right.
    pub message: String,
    /// Places that explain it.
    pub related: Vec<Related>,
    /// How to draw it.
    pub tags: Vec<Tag>,
    /// What would fix it, the likeliest first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic that says one thing about one place.
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

    /// The same with a second place that explains it.
    #[must_use]
    pub fn with_related(mut self, related: Related) -> Diagnostic {
        self.related.push(related);
        self
    }

    /// The same with a fix.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}

/// A fix of a diagnostic, in edits of the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as a command: `Replace with `add``.
    pub title: String,
    /// The edits: they do not overlap, and are done at once.
    pub edits: Vec<TextEdit>,
    /// It is the one fix that there is, so it may be done without asking.
    pub preferred: bool,
}

impl Fix {
    /// The commonest fix: another word in this place.
    pub fn replacement(range: TextRange, word: &str) -> Fix {
        let edits = vec![TextEdit { range, insert: word.to_owned() }];
        Fix { title: format!("Replace with `{word}`"), edits, preferred: false }
    }
}

/// Explanation of what is under the pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// What it explains.
    pub range: TextRange,
    /// The text.
    pub markdown: String,
}

/// What a completion item is; an editor picks the icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// An instruction.
    Opcode,
    /// A part of an opcode after a point, such as `.rn`.
    Modifier,
    /// A type, such as `.u32`.
    Type,
    /// A state space, such as `.global`.
    Space,
    /// A directive, such as `.reg`.
    Directive,
    /// A register.
    Register,
    /// A register that the machine defines, such as `%tid`.
    SpecialRegister,
    /// A variable.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// A label.
    Label,
    /// A function.
    Function,
    /// Anything else that is a fixed word.
    Constant,
    /// A whole construct of several lines.
    Snippet,
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// What the list shows, and what is matched against the typed text.
    pub label: String,
    /// A few words beside the label.
    pub detail: Option<String>,
    /// What it is.
    pub kind: CompletionKind,
    /// The text to insert in LSP snippet syntax: `$1`, `${1:name}`, `$0`; `\`, `$` and `}` of the text itself are
    /// escaped with a backslash.
    pub snippet: String,
    /// The same text for a client without snippets.
    pub plain: String,
    /// What the insertion replaces.
    pub replace: TextRange,
    /// Orders the list; compared as text.
    pub sort: String,
    /// The name to give [`warplens_ide::explain`] for the documentation, asked for only when the item is looked at.
    pub explain: Option<String>,
    /// There is a newer way.
    pub deprecated: bool,
    /// What else changes with it: blanks before it, on the same line.
    pub moves: Option<TextEdit>,
}

/// A place to go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The whole declaration.
    pub full: TextRange,
    /// The name in it.
    pub focus: TextRange,
}

/// What an occurrence of a name does with what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It declares it.
    Declaration,
    /// It reads it, jumps to it or calls it.
    Read,
    /// It writes it.
    Write,
    /// It is no name but another word of the construct that the declaration opens.
    Part,
}

/// One occurrence of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Where.
    pub range: TextRange,
    /// What it does there.
    pub access: Access,
}

/// What a rename at a place would rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTarget {
    /// The name under the pointer.
    pub range: TextRange,
    /// The text an editor proposes to change.
    pub placeholder: String,
}

/// Replaces a range of the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// What goes.
    pub range: TextRange,
    /// What comes.
    pub insert: String,
}

/// What an outline entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A kernel.
    Kernel,
    /// A function.
    Function,
    /// A parameter.
    Parameter,
    /// A variable in memory.
    Variable,
    /// Registers.
    Register,
    /// A label.
    Label,
    /// A debug section or another named part of a module.
    Section,
    /// A block inside a body.
    Block,
}

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// A few words: type, size, parameters.
    pub detail: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole of it.
    pub range: TextRange,
    /// Its name.
    pub focus: TextRange,
    /// What is inside.
    pub children: Vec<Symbol>,
}

/// What a fold hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// A comment.
    Comment,
    /// A body, block or construct.
    Code,
    /// A section that one rarely reads, such as debug data.
    Region,
}

/// A range that an editor can fold: from the end of its first line to the end of its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The range.
    pub range: TextRange,
    /// What it hides.
    pub kind: FoldKind,
}

/// What a token is. The order is the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// A string.
    String,
    /// An instruction that exists.
    Opcode,
    /// A modifier of an instruction.
    Modifier,
    /// A type.
    Type,
    /// A directive, a linkage word or a state space.
    Keyword,
    /// A register that the file declares.
    Register,
    /// A predicate register.
    Predicate,
    /// A register that the machine defines.
    SpecialRegister,
    /// A variable in memory.
    Variable,
    /// A parameter.
    Parameter,
    /// A label.
    Label,
    /// A function or kernel.
    Function,
    /// Punctuation that computes or negates.
    Operator,
}

impl TokenKind {
    /// Every kind with the name that the legend gives it: a standard LSP token type where one fits.
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

/// More about a token: a set of the constants below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers(pub u8);

impl TokenModifiers {
    /// The token declares the name.
    pub const DECLARATION: TokenModifiers = TokenModifiers(1);
    /// The token writes what it names.
    pub const MODIFICATION: TokenModifiers = TokenModifiers(1 << 1);
    /// What it names cannot be written.
    pub const READONLY: TokenModifiers = TokenModifiers(1 << 2);
    /// There is a newer way.
    pub const DEPRECATED: TokenModifiers = TokenModifiers(1 << 3);
    /// The token is a word of a construct that parts lanes, such as `if`.
    pub const CONTROL_FLOW: TokenModifiers = TokenModifiers(1 << 4);
    /// The names of the bits in the legend, lowest first.
    pub const LEGEND: &'static [&'static str] =
        &["declaration", "modification", "readonly", "deprecated", "controlFlow"];

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: TokenModifiers) -> TokenModifiers {
        TokenModifiers(self.0 | other.0)
    }
}

/// A coloured token. Tokens come in the order of the text, do not overlap, and do not span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// Where.
    pub range: TextRange,
    /// What it is.
    pub kind: TokenKind,
    /// More about it.
    pub modifiers: TokenModifiers,
}
