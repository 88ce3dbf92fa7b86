//! The style of PTX: the gap before each token, depending on its node. It follows the output of NVIDIA's compilers;
//! `docs/formatting.md` describes it.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::DeclarationKind;
use warplens_ide_db::ptx::ptx_header;
use warplens_ide_db::{Database, Item};
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{SyntaxKind, SyntaxNode};

use crate::format::layout::{Gap, Indent};
use crate::format::style::Style;

pub(super) fn style(text: &str) -> Box<dyn Style + '_> {
    Box::new(Walk { text, stack: Vec::new(), lead: None, before: None })
}

#[derive(Clone, Copy)]
struct Frame {
    kind: SyntaxKind,
    /// Its meaning depends on the kind: a body instead of a nested block, a section without data, a function instead of a kernel, a
    /// call, or a list of parameters on separate lines.
    special: bool,
    start: TextSize,
}

#[derive(Clone, Copy)]
struct Before {
    kind: SyntaxKind,
    parent: SyntaxKind,
    range: TextRange,
}

struct Walk<'t> {
    text: &'t str,
    stack: Vec<Frame>,
    /// If set, the next token starts a line with this indentation.
    lead: Option<Indent>,
    before: Option<Before>,
}

impl Style for Walk<'_> {
    fn enter(&mut self, node: &SyntaxNode) -> bool {
        let (kind, range) = (node.kind(), node.text_range());
        let parent = self.stack.last().copied();
        let parent_kind = parent.map(|frame| frame.kind);
        let is_separate = matches!(parent_kind, Some(BLOCK | CHUNK | SECTION_DIRECTIVE));
        let special = match kind {
            BLOCK => parent_kind == Some(FUNCTION),
            SECTION_DIRECTIVE => node.children().next().is_none(),
            FUNCTION => node.children_with_tokens().any(|child| self.is(&child, ".func")),
            INSTRUCTION => node.children_with_tokens().any(|child| self.is(&child, "call")),
            PARAM_LIST => {
                parent_kind == Some(FUNCTION)
                    && node.children().next().is_some()
                    && self.text[range].contains(['\n', '\r'])
            }
            _ => false,
        };
        let lead = match (parent_kind, kind) {
            (Some(ITEM), FILE_DIRECTIVE | LOC_DIRECTIVE | SECTION_DIRECTIVE) => Some(Indent::Statement),
            (Some(ITEM), _) => Some(Indent::Flush),
            (Some(BLOCK | CHUNK), CHUNK) => None,
            (Some(BLOCK | CHUNK), LABEL | BRANCH_TARGETS | CALL_TARGETS | DWARF_DIRECTIVE) => {
                Some(Indent::Flush)
            }
            (Some(BLOCK | CHUNK), _) => Some(Indent::Statement),
            (Some(SECTION_DIRECTIVE), LABEL | SECTION_DATA | DWARF_DIRECTIVE) => Some(Indent::Flush),
            (Some(FUNCTION), BLOCK | FUNCTION_DIRECTIVE | PRAGMA_DIRECTIVE) => Some(Indent::Flush),
            (Some(PARAM_LIST), PARAM) if parent.is_some_and(|list| list.special) => Some(Indent::Statement),
            _ => None,
        };
        self.lead = lead.or(self.lead);
        self.stack.push(Frame { kind, special, start: range.start() });
        is_separate
    }

    fn skip(&mut self) -> Indent {
        self.before = None;
        self.lead.take().unwrap_or(Indent::Flush)
    }

    fn leave(&mut self) {
        self.stack.pop();
    }

    fn gap(&mut self, kind: SyntaxKind, range: TextRange) -> Gap {
        let Some(&parent) = self.stack.last() else { return Gap::Line(Indent::Flush) };
        let gap = match (self.lead.take(), self.before) {
            (Some(indent), _) => Gap::Line(indent),
            (None, Some(before)) => self.inside(parent, before, kind, range.start()),
            (None, None) => Gap::Line(if kind == R_BRACE { closing(parent) } else { Indent::Flush }),
        };
        self.before = Some(Before { kind, parent: parent.kind, range });
        gap
    }
}

impl Walk<'_> {
    /// Whether a child is the token with this text.
    fn is(&self, child: &warplens_syntax::SyntaxElement, word: &str) -> bool {
        matches!(child.kind(), IDENT | DOT_WORD) && &self.text[child.text_range()] == word
    }

    fn inside(&self, parent: Frame, before: Before, kind: SyntaxKind, start: TextSize) -> Gap {
        match (parent.kind, kind) {
            (BLOCK, R_BRACE) => return Gap::Line(closing(parent)),
            (SECTION_DIRECTIVE, L_BRACE | R_BRACE) if parent.special => return Gap::Same("\t"),
            (SECTION_DIRECTIVE, L_BRACE | R_BRACE) => return Gap::Line(Indent::Statement),
            (PARAM_LIST, R_PAREN) if parent.special => return Gap::Line(Indent::Flush),
            (PARAM_LIST, L_PAREN) if self.in_function_of(1) => return Gap::Kept("", Indent::Flush),
            (FUNCTION, SEMICOLON) if parent.special => return Gap::Kept("", Indent::Flush),
            _ => {}
        }
        let spaces = self.spaces(parent, before, kind, start);
        let belongs_close = match kind {
            // Compilers start a line with the token before the prototype of a call.
            COMMA => !(parent.kind == INSTRUCTION && parent.special),
            SEMICOLON | COLON => true,
            DOT_WORD | L_ANGLE | R_ANGLE => spaces.is_empty(),
            _ => false,
        };
        match self.continuation() {
            Some(indent) if !belongs_close => Gap::Kept(spaces, indent),
            _ => Gap::Same(spaces),
        }
    }

    /// Whether the ancestor this many levels above the innermost node is a function, not a kernel.
    fn in_function_of(&self, above: usize) -> bool {
        let frame = self.stack.iter().rev().nth(above);
        frame.is_some_and(|frame| frame.kind == FUNCTION && frame.special)
    }

    /// The indentation of a continuation line of the statement; `None` if the statement must stay on one
    /// line.
    fn continuation(&self) -> Option<Indent> {
        let is_in_body = self.stack.iter().any(|frame| frame.kind == BLOCK);
        let statement = self.stack.iter().rev().find_map(|frame| match frame.kind {
            INSTRUCTION if frame.special => Some(Some(Indent::Statement)),
            BRANCH_TARGETS | CALL_TARGETS | RETURN_LIST | PARAM_LIST | SECTION_DATA => {
                Some(Some(Indent::Statement))
            }
            VARIABLE if !is_in_body => Some(Some(Indent::Statement)),
            INSTRUCTION | VARIABLE | CALL_PROTOTYPE | PRAGMA_DIRECTIVE | ALIAS_DIRECTIVE
            | UNKNOWN_DIRECTIVE => Some(Some(Indent::Continuation)),
            FUNCTION | LOC_DIRECTIVE | FILE_DIRECTIVE | LABEL => Some(None),
            _ => None,
        });
        statement.flatten()
    }

    /// The spaces between two tokens of a statement.
    fn spaces(&self, parent: Frame, before: Before, kind: SyntaxKind, start: TextSize) -> &'static str {
        let above = self.stack.iter().rev().nth(1).map(|frame| frame.kind);
        match (before.kind, kind) {
            (_, COMMA | SEMICOLON) => "",
            (COMMA, _) if self.is_inside(SECTION_DATA) => "",
            (COMMA, _) => " ",
            (_, COLON) if parent.kind == LABEL && above == Some(CALL_PROTOTYPE) => " ",
            (_, COLON) if parent.kind == LABEL => "",
            (L_PAREN | L_BRACKET | L_BRACE | AT, _) | (_, R_PAREN | R_BRACKET | R_BRACE) => "",
            (BANG | MINUS | PLUS | TILDE, _) if matches!(before.parent, PREFIX_EXPR | GUARD) => "",
            (_, DOT_WORD) if matches!(parent.kind, INSTRUCTION | MEMBER) => "",
            (_, L_ANGLE | R_ANGLE) if parent.kind == NAME_COUNT => "",
            (L_ANGLE, _) if before.parent == NAME_COUNT => "",
            (_, PIPE) if parent.kind == PAIR => "",
            (PIPE, _) if before.parent == PAIR => "",
            (_, L_PAREN) if matches!(parent.kind, CALL_EXPR | ATTRIBUTE) => "",
            (_, L_PAREN) if parent.kind == PARAM_LIST && above == Some(FUNCTION) => "",
            (_, L_PAREN) if parent.kind == RETURN_LIST && self.in_function_of(1) => "  ",
            (_, L_BRACKET) if matches!(parent.kind, DIMENSION | INDEX_EXPR) => "",
            _ if self.is_tight() && (is_operator(parent, kind) || before.parent == BIN_EXPR) => "",
            _ if matches!(before.parent, LOC_DIRECTIVE | FILE_DIRECTIVE | SECTION_DIRECTIVE)
                && self.starts_with(before) =>
            {
                "\t"
            }
            (IDENT | DOT_WORD, _) if before.parent == INSTRUCTION => {
                let is_call = self.stack.iter().rev().any(|frame| frame.kind == INSTRUCTION && frame.special);
                match &self.text[TextRange::new(before.range.end(), start)] {
                    _ if is_call => " ",
                    // Some compilers write logical operations this way.
                    "  \t" => "  \t",
                    _ => " \t",
                }
            }
            _ if before.parent == TYPE_NAME && self.is_column_of_names(before, start) => " \t",
            _ => " ",
        }
    }

    fn is_inside(&self, kind: SyntaxKind) -> bool {
        self.stack.iter().rev().any(|frame| frame.kind == kind)
    }

    /// Whether operators here have no spaces around them.
    fn is_tight(&self) -> bool {
        let tight = |kind| matches!(kind, ADDRESS | SECTION_DATA | LOC_ATTRIBUTE | INITIALIZER | DIMENSION);
        self.stack.iter().rev().any(|frame| tight(frame.kind))
    }

    /// Whether the previous token is the first token of the innermost directive.
    fn starts_with(&self, before: Before) -> bool {
        self.stack
            .iter()
            .rev()
            .any(|frame| frame.kind == before.parent && frame.start == before.range.start())
    }

    /// Whether the name of a variable in a body has a column of its own. Compilers differ for the parameters of calls, so
    /// these stay in place.
    fn is_column_of_names(&self, before: Before, start: TextSize) -> bool {
        let Some(variable) = self.stack.iter().rposition(|frame| frame.kind == VARIABLE) else {
            return false;
        };
        let is_in_body = self.stack[..variable].iter().any(|frame| frame.kind == BLOCK);
        let declaration = &self.text[TextRange::new(self.stack[variable].start, start)];
        let is_in_column = &self.text[TextRange::new(before.range.end(), start)] == " \t";
        is_in_body && (is_in_column || [".reg", ".local"].iter().any(|space| declaration.starts_with(space)))
    }
}

fn closing(block: Frame) -> Indent {
    if block.special { Indent::Flush } else { Indent::Statement }
}

fn is_operator(parent: Frame, kind: SyntaxKind) -> bool {
    parent.kind == BIN_EXPR && !matches!(kind, IDENT | INT_NUMBER | FLOAT_NUMBER | STRING | L_PAREN | R_PAREN)
}

/// A directive that is not allowed on a function. Its item is not formatted.
pub(super) fn misplaced(db: &Database, item: Item<'_>) -> Option<TextRange> {
    let declarations = &ptx_header(db, item).declarations;
    let signatures = declarations.iter().filter_map(|declaration| match &declaration.kind {
        DeclarationKind::Function { signature, .. } => Some(signature),
        _ => None,
    });
    let mut directives = signatures.flat_map(|signature| &signature.directives);
    let is_out_of_place = |name: &str| {
        let known = warplens_isa::ptx::directive(&format!(".{name}"));
        known.is_none_or(|directive| directive.holders.is_empty())
    };
    directives.find(|directive| is_out_of_place(&directive.name)).map(|directive| directive.range)
}
