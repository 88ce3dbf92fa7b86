//! The context of the cursor in a statement.
//!
//! The statement is read token by token, backwards from the cursor, because incomplete code rarely parses. The
//! tree only shows which braces are blocks and whether the position is in a body.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{FilePosition, token_before};
use warplens_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

use crate::completion_context::TypedWord;

/// The statement up to the cursor, without white space and comments.
pub(crate) struct Statement {
    pub(crate) word: TextRange,
    typed: String,
    /// The tokens before the word, in order.
    tokens: Vec<SyntaxToken>,
    /// Whether the word follows the last token without white space.
    is_glued: bool,
    scope: Scope,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Body,
    Parameters,
    Module,
}

/// The syntax that is expected at the cursor.
pub(crate) enum Context<'s> {
    Statement,
    Opcode,
    Guard,
    Modifier {
        opcode: &'s str,
        written: Vec<&'s str>,
    },
    Component {
        register: &'s str,
    },
    Operand(Operand<'s>),
    /// The rest of a declaration, after its state space.
    Declaration,
    BodyDirective,
    Labels,
    /// The functions of a call table.
    Functions,
    /// The strings of a `.pragma`.
    Pragma,
    /// A directive or declaration of the module.
    Module,
    /// The rest of a declaration, after its linkage.
    AfterLinkage,
    Parameter,
    /// A directive between parameters and body.
    AfterParameters,
    Target,
    Version,
    Nothing,
}

pub(crate) struct Operand<'s> {
    pub(crate) opcode: &'s str,
    /// The modifiers, with their dots.
    pub(crate) modifiers: Vec<&'s str>,
    /// Counts the commas outside brackets.
    pub(crate) index: usize,
    /// Whether the cursor is in `[ ]`.
    pub(crate) in_address: bool,
    /// The tokens of the operands up to the cursor.
    pub(crate) tokens: &'s [SyntaxToken],
}

impl Statement {
    pub(crate) fn before(position: &FilePosition<'_>) -> Statement {
        let tree = position.tree();
        let TypedWord { range: word, text: typed, before, is_glued } =
            TypedWord::at(position, &tree, is_word, is_trivia);
        let scope = scope(before.as_ref());
        let tokens = statement_tokens(&tree, before, word.start(), scope);
        Statement { word, typed, tokens, is_glued, scope }
    }

    pub(crate) fn context(&self) -> Context<'_> {
        match self.scope {
            Scope::Body => self.in_body(&self.tokens),
            Scope::Parameters => Context::Parameter,
            Scope::Module => self.in_module(),
        }
    }

    fn in_body<'s>(&'s self, tokens: &'s [SyntaxToken]) -> Context<'s> {
        use SyntaxKind::{AT, BANG, DOT_WORD, IDENT};
        let kinds: Vec<SyntaxKind> = tokens.iter().take(3).map(SyntaxToken::kind).collect();
        match kinds.as_slice() {
            [] if self.typed.starts_with('.') => Context::BodyDirective,
            [] => Context::Statement,
            [AT] | [AT, BANG] => Context::Guard,
            [AT, BANG, IDENT, ..] => self.after_guard(&tokens[3..]),
            [AT, IDENT, ..] => self.after_guard(&tokens[2..]),
            [IDENT, ..] => self.in_instruction(tokens),
            [DOT_WORD, ..] => self.in_directive(tokens),
            _ => Context::Nothing,
        }
    }

    fn after_guard<'s>(&'s self, tokens: &'s [SyntaxToken]) -> Context<'s> {
        if tokens.is_empty() { Context::Opcode } else { self.in_instruction(tokens) }
    }

    fn in_instruction<'s>(&'s self, tokens: &'s [SyntaxToken]) -> Context<'s> {
        let Some((opcode, rest)) = tokens.split_first() else { return Context::Opcode };
        let words = rest.iter().take_while(|token| token.kind() == SyntaxKind::DOT_WORD).count();
        let (modifiers, operands) = rest.split_at(words);
        let modifiers: Vec<&str> = modifiers.iter().map(SyntaxToken::text).collect();
        if self.typed.starts_with('.') {
            return match operands.last() {
                None => Context::Modifier { opcode: opcode.text(), written: modifiers },
                Some(register) if self.is_glued => Context::Component { register: register.text() },
                Some(_) => Context::Nothing,
            };
        }
        if operands.is_empty() && self.is_glued && self.typed.is_empty() {
            return Context::Nothing;
        }
        let (index, in_address) = operand_index(operands);
        Context::Operand(Operand { opcode: opcode.text(), modifiers, index, in_address, tokens: operands })
    }

    fn in_directive<'s>(&'s self, tokens: &'s [SyntaxToken]) -> Context<'s> {
        match tokens[0].text() {
            ".branchtargets" => Context::Labels,
            ".calltargets" => Context::Functions,
            ".pragma" => Context::Pragma,
            ".reg" | ".local" | ".shared" | ".param" | ".global" | ".const"
                if self.typed.starts_with('.') =>
            {
                Context::Declaration
            }
            _ => Context::Nothing,
        }
    }

    fn in_module(&self) -> Context<'_> {
        let is_dotted = self.typed.starts_with('.') || self.typed.is_empty();
        let Some(first) = self.tokens.first() else { return Context::Module };
        let last = self.tokens.last().map(SyntaxToken::kind);
        let has = |word: &str| self.tokens.iter().any(|token| token.text() == word);
        match first.text() {
            ".target" => Context::Target,
            ".version" => Context::Version,
            ".pragma" => Context::Pragma,
            ".extern" | ".visible" | ".weak" | ".common" if self.tokens.len() == 1 => Context::AfterLinkage,
            _ if has(".entry") || has(".func") => match last {
                Some(SyntaxKind::R_PAREN | SyntaxKind::IDENT | SyntaxKind::INT_NUMBER) if is_dotted => {
                    Context::AfterParameters
                }
                _ => Context::Nothing,
            },
            _ if self.typed.starts_with('.') => Context::Declaration,
            _ => Context::Nothing,
        }
    }
}

/// The index of the operand that ends with these tokens, and whether the end is in an address.
fn operand_index(tokens: &[SyntaxToken]) -> (usize, bool) {
    let mut index = 0;
    let mut open = Vec::new();
    for token in tokens {
        match token.kind() {
            kind @ (SyntaxKind::L_PAREN | SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE) => open.push(kind),
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACKET | SyntaxKind::R_BRACE => {
                open.pop();
            }
            SyntaxKind::COMMA if open.is_empty() => index += 1,
            _ => {}
        }
    }
    (index, open.contains(&SyntaxKind::L_BRACKET))
}

fn is_word(kind: SyntaxKind) -> bool {
    use SyntaxKind::{DOT, DOT_WORD, ERROR_TOKEN, FLOAT_NUMBER, IDENT, INT_NUMBER, PERCENT, UNDERSCORE};
    matches!(kind, IDENT | DOT_WORD | DOT | PERCENT | INT_NUMBER | FLOAT_NUMBER | UNDERSCORE | ERROR_TOKEN)
}

fn is_trivia(kind: SyntaxKind) -> bool {
    matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT | SyntaxKind::LINE_MARK)
}

fn scope(before: Option<&SyntaxToken>) -> Scope {
    let Some(before) = before else { return Scope::Module };
    let end = before.text_range().end();
    for node in before.parent_ancestors() {
        match node.kind() {
            // After its closing brace, a position is outside the block.
            SyntaxKind::BLOCK if !is_closed_before(&node, end) => return Scope::Body,
            SyntaxKind::PARAM_LIST | SyntaxKind::RETURN_LIST if !is_closed_before(&node, end) => {
                return Scope::Parameters;
            }
            _ => {}
        }
    }
    Scope::Module
}

fn is_closed_before(node: &SyntaxNode, end: TextSize) -> bool {
    let last = node.last_token();
    let closed = |token: &SyntaxToken| matches!(token.kind(), SyntaxKind::R_BRACE | SyntaxKind::R_PAREN);
    node.text_range().end() <= end && last.as_ref().is_some_and(closed)
}

/// The tokens of the statement that ends with `last`, in order. `end` is the start of the word being typed.
fn statement_tokens(
    tree: &SyntaxNode,
    last: Option<SyntaxToken>,
    end: TextSize,
    scope: Scope,
) -> Vec<SyntaxToken> {
    let mut tokens: Vec<SyntaxToken> = Vec::new();
    let mut token = last;
    while let Some(now) = token {
        token = token_before(tree, &now);
        let is_end = match now.kind() {
            SyntaxKind::WHITESPACE => {
                ends_line(&now, end) && starts_statement(token.as_ref(), tokens.last(), scope)
            }
            _ => ends_statement(&now),
        };
        if is_end {
            break;
        }
        if !is_trivia(now.kind()) {
            tokens.push(now);
        }
    }
    tokens.reverse();
    tokens
}

fn ends_statement(token: &SyntaxToken) -> bool {
    let parent = || token.parent().map(|parent| parent.kind());
    match token.kind() {
        SyntaxKind::SEMICOLON => true,
        SyntaxKind::L_BRACE | SyntaxKind::R_BRACE => {
            !matches!(parent(), Some(SyntaxKind::VECTOR | SyntaxKind::INITIALIZER_LIST))
        }
        SyntaxKind::COLON => parent() == Some(SyntaxKind::LABEL),
        _ => false,
    }
}

/// Whether white space contains a newline before `end`.
fn ends_line(spaces: &SyntaxToken, end: TextSize) -> bool {
    let length = spaces.text_range().end().min(end) - spaces.text_range().start();
    spaces.text()[..usize::from(length)].contains('\n')
}

/// Whether a newline between these tokens separates statements. It does after the directives of a module's
/// prologue, which have no semicolon; in a body the semicolon may be missing.
fn starts_statement(before: Option<&SyntaxToken>, after: Option<&SyntaxToken>, scope: Scope) -> bool {
    use SyntaxKind::{FLOAT_NUMBER, FUNCTION, IDENT, INT_NUMBER, R_BRACKET, R_PAREN};
    let Some(before) = before else { return true };
    match scope {
        Scope::Module => !before.parent_ancestors().any(|node| node.kind() == FUNCTION),
        Scope::Parameters => false,
        Scope::Body => {
            let is_whole = matches!(before.kind(), IDENT | INT_NUMBER | FLOAT_NUMBER | R_PAREN | R_BRACKET);
            let is_start = after
                .is_none_or(|token| matches!(token.kind(), IDENT | SyntaxKind::AT | SyntaxKind::DOT_WORD));
            is_whole && is_start
        }
    }
}
