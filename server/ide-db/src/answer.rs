//! The results of this crate: plain data in the terms of an editor.
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
    /// Faded: it has no effect.
    Unnecessary,
    /// Struck through: it is deprecated.
    Deprecated,
}

/// A related range that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// Its file.
    pub file: FileId,
    /// Its range.
    pub range: TextRange,
    /// The explanation.
    pub message: String,
}

/// The source of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Origin {
    /// The analysis of the text.
    #[default]
    Text,
    /// A simulation: it is a finding.
    Run,
}

/// A problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The range of the mistake, as small as possible.
    pub range: TextRange,
    /// Its severity.
    pub severity: Severity,
    /// Its source. It distinguishes diagnostics and findings with the same name.
    pub origin: Origin,
    /// A stable name in kebab case, such as `unknown-instruction`.
    pub code: &'static str,
    /// The mistake and its fix.
    pub message: String,
    /// Related ranges that explain it.
    pub related: Vec<Related>,
    /// How to render it.
    pub tags: Vec<Tag>,
    /// Its fixes, the most likely first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic without related ranges, tags and fixes.
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

    /// Adds a related range.
    #[must_use]
    pub fn with_related(mut self, related: Related) -> Diagnostic {
        self.related.push(related);
        self
    }

    /// Adds a fix.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }
}

/// A fix of a diagnostic: edits of the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// The title, an imperative: `Replace with `add``.
    pub title: String,
    /// The edits, which do not overlap and are applied together.
    pub edits: Vec<TextEdit>,
    /// Whether it is safe to apply without review.
    pub preferred: bool,
}

impl Fix {
    /// The most common fix: another word in this range.
    pub fn replacement(range: TextRange, word: &str) -> Fix {
        let edits = vec![TextEdit { range, insert: word.to_owned() }];
        Fix { title: format!("Replace with `{word}`"), edits, preferred: false }
    }
}

/// A hover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The range that it explains.
    pub range: TextRange,
    /// The text.
    pub markdown: String,
}

/// The kind of a completion item, which selects an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// An instruction.
    Opcode,
    /// A part of an opcode after a dot, such as `.rn`.
    Modifier,
    /// A type, such as `.u32`.
    Type,
    /// A state space, such as `.global`.
    Space,
    /// A directive, such as `.reg`.
    Directive,
    /// A register.
    Register,
    /// A predefined register, such as `%tid`.
    SpecialRegister,
    /// A variable.
    Variable,
    /// A parameter of a function.
    Parameter,
    /// A label.
    Label,
    /// A function.
    Function,
    /// Any other keyword.
    Constant,
    /// A construct of several lines.
    Snippet,
}

/// A completion item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// The label, which is also matched against the typed text.
    pub label: String,
    /// A short detail next to the label.
    pub detail: Option<String>,
    /// Its kind.
    pub kind: CompletionKind,
    /// The text to insert in LSP snippet syntax: `$1`, `${1:name}`, `$0`; `\`, `$` and `}` of the text itself are
    /// escaped with a backslash.
    pub snippet: String,
    /// The same text for a client without snippets.
    pub plain: String,
    /// The range that the insertion replaces.
    pub replace: TextRange,
    /// The sort key, compared as text.
    pub sort: String,
    /// The name to give `warplens_ide::explain` for the documentation, asked for only when the item is looked at.
    pub explain: Option<String>,
    /// It is deprecated.
    pub deprecated: bool,
    /// Whether it is incomplete: an editor shows suggestions again after it was inserted.
    pub continues: bool,
    /// Additional edits: the white space before it, on the same line.
    pub moves: Option<TextEdit>,
}

/// The target of a navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The whole declaration.
    pub full: TextRange,
    /// The name in the declaration.
    pub focus: TextRange,
}

/// How an occurrence of a name uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It declares it.
    Declaration,
    /// It reads it, jumps to it or calls it.
    Read,
    /// It writes it.
    Write,
    /// It is not a name but another keyword of the construct that the declaration opens.
    Part,
}

/// One occurrence of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Its range.
    pub range: TextRange,
    /// Its use.
    pub access: Access,
}

/// The name that a rename at an offset would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTarget {
    /// The name under the pointer.
    pub range: TextRange,
    /// The text that an editor shows for editing.
    pub placeholder: String,
}

/// Replaces a range of the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// The range to replace.
    pub range: TextRange,
    /// The new text.
    pub insert: String,
}

/// The kind of an outline entry.
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
    /// The range of its name.
    pub name: String,
    /// A short detail: type, size, parameters.
    pub detail: Option<String>,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its whole range.
    pub range: TextRange,
    /// The range of its name.
    pub focus: TextRange,
    /// The nested entries.
    pub children: Vec<Symbol>,
}

/// The kind of a folding range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// A comment.
    Comment,
    /// A body, block or construct.
    Code,
    /// A section that is rarely read, such as debug data.
    Region,
}

/// A range that an editor can fold: from the end of its first line to the end of its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// The range.
    pub range: TextRange,
    /// Its kind.
    pub kind: FoldKind,
}

/// The kind of a token, in the order of the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// A string.
    String,
    /// A known instruction.
    Opcode,
    /// A modifier of an instruction.
    Modifier,
    /// A type.
    Type,
    /// A directive, a linkage or a state space.
    Keyword,
    /// A register that the file declares.
    Register,
    /// A predicate register.
    Predicate,
    /// A predefined register.
    SpecialRegister,
    /// A variable in memory.
    Variable,
    /// A parameter.
    Parameter,
    /// A label.
    Label,
    /// A function or kernel.
    Function,
    /// An operator.
    Operator,
}

impl TokenKind {
    /// Every kind with its name in the legend: a standard LSP token type if one fits.
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

/// The modifiers of a token: a set of the constants below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers(pub u8);

impl TokenModifiers {
    /// The token declares the name.
    pub const DECLARATION: TokenModifiers = TokenModifiers(1);
    /// The token is written.
    pub const MODIFICATION: TokenModifiers = TokenModifiers(1 << 1);
    /// The token names something read-only.
    pub const READONLY: TokenModifiers = TokenModifiers(1 << 2);
    /// The token is deprecated.
    pub const DEPRECATED: TokenModifiers = TokenModifiers(1 << 3);
    /// The token is a word at which lanes may diverge, exit or wait: `if`, `bra`, `ret`, `bar`.
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

/// A semantic token. Tokens are in text order, do not overlap, and do not span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// Its range.
    pub range: TextRange,
    /// Its kind.
    pub kind: TokenKind,
    /// Its modifiers.
    pub modifiers: TokenModifiers,
}

/// A function that calls or is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// The range of its name.
    pub name: String,
    /// A kernel or a function.
    pub kind: SymbolKind,
    /// A short detail.
    pub detail: String,
    /// Its definition, or else its declaration.
    pub target: Target,
}

/// Calls between two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The other function.
    pub item: CallItem,
    /// The ranges of the callee's name in the body of the caller.
    pub places: Vec<TextRange>,
}

/// A link to a position in another file, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    /// The range of the link.
    pub range: TextRange,
    /// The path as written.
    pub path: SmolStr,
    /// The extension of the file that the document was assembled from, if the link leads there: it is beside the document, under the
    /// same name.
    pub origin: Option<&'static str>,
    /// Line and column, from 1 as in debug information; 0 if unknown.
    pub place: Option<(u32, u32)>,
}

/// The enabled kinds of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InlayHintKinds {
    /// The type of a register where it is written, unless its name shows the type.
    pub register_types: bool,
    /// The names of the callee's parameters at the arguments of a call.
    pub parameter_names: bool,
    /// The name of a sequence of instructions at its first one.
    pub sequences: bool,
    /// The number of live registers at each instruction.
    pub live_registers: bool,
}

/// A hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// Its position.
    pub offset: TextSize,
    /// Its text.
    pub label: String,
    /// Its kind.
    pub kind: InlayHintKind,
}

/// The kinds of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InlayHintKind {
    /// The type of the name before it.
    Type,
    /// The parameter name of the argument after it.
    Parameter,
    /// A note at the end of its line.
    LineEnd,
}

/// A name that is declared for the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Where.
    pub target: Target,
    /// Whether this is the definition, rather than a declaration.
    pub is_definition: bool,
}

/// The forms of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The forms.
    pub signatures: Vec<Signature>,
    /// The index of the form that matches best.
    pub active: usize,
}

/// One form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The form as a line.
    pub label: String,
    /// Its summary, in markdown.
    pub documentation: String,
    /// Its operands.
    pub parameters: Vec<SignatureParameter>,
    /// The operand being typed; `None` after the last one.
    pub active: Option<usize>,
}

/// An operand of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Its range in the label.
    pub range: TextRange,
    /// Its description, in markdown.
    pub documentation: String,
}
