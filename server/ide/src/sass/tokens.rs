//! Tokens of SASS.

use text_size::TextRange;
use warplens_hir::sass::{Code, Function, Register, destinations, flow};
use warplens_ide_db::sass::sass_code;
use warplens_ide_db::{Db, Item, SemanticToken, TokenKind, TokenModifiers};
use warplens_isa::sass::Flow;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::token_walk::classified;

pub(super) fn tokens(db: &dyn Db, item: Item<'_>, range: TextRange, tokens: &mut Vec<SemanticToken>) {
    let code = sass_code(db, item);
    classified(db, item, range, tokens, |token| classify(token, &code));
}

const NONE: TokenModifiers = TokenModifiers(0);

fn classify(token: &SyntaxToken, code: &Code) -> Option<(TokenKind, TokenModifiers)> {
    use warplens_syntax::SyntaxKind::*;
    let parent = token.parent()?.kind();
    let kind = match token.kind() {
        COMMENT | ADDRESS_COMMENT | ENCODING | NOTE => TokenKind::Comment,
        INT_NUMBER | FLOAT_NUMBER => TokenKind::Number,
        STRING => TokenKind::String,
        AT | BANG if parent == GUARD => TokenKind::Operator,
        HEADER_WORD => TokenKind::Keyword,
        DOT_WORD if matches!(parent, DATA | DIRECTIVE) => TokenKind::Keyword,
        DOT_WORD if is_special(token) => TokenKind::SpecialRegister,
        DOT_WORD => TokenKind::Modifier,
        IDENT => return identifier(token, parent, code),
        _ => return None,
    };
    Some((kind, NONE))
}

/// Whether a word belongs to the name of a special register: `.X` of `SR_TID.X`.
fn is_special(token: &SyntaxToken) -> bool {
    token.prev_token().is_some_and(|before| before.text().starts_with("SR_"))
}

fn identifier(token: &SyntaxToken, parent: SyntaxKind, code: &Code) -> Option<(TokenKind, TokenModifiers)> {
    let text = token.text();
    Some(match parent {
        SyntaxKind::INSTRUCTION => opcode(token, code),
        SyntaxKind::GUARD => (TokenKind::Predicate, NONE),
        SyntaxKind::NAME => (symbol(text, code), TokenModifiers::DECLARATION),
        SyntaxKind::OPERAND => operand(token, code)?,
        SyntaxKind::DIRECTIVE | SyntaxKind::DATA => (symbol(text, code), NONE),
        _ => return None,
    })
}

fn at<'c>(token: &SyntaxToken, code: &'c Code) -> Option<(&'c Function, usize)> {
    let offset = token.text_range().start();
    code.functions.iter().find_map(|function| Some((function, function.instruction_at(offset)?)))
}

/// An opcode, shown as a keyword if it changes control flow.
fn opcode(token: &SyntaxToken, code: &Code) -> (TokenKind, TokenModifiers) {
    let instruction = at(token, code).map(|(function, index)| &function.instructions[index]);
    match instruction.map_or(Flow::Next, flow) {
        Flow::Next => (TokenKind::Opcode, NONE),
        _ => (TokenKind::Keyword, TokenModifiers::CONTROL_FLOW),
    }
}

fn operand(token: &SyntaxToken, code: &Code) -> Option<(TokenKind, TokenModifiers)> {
    let text = token.text();
    if let Some(register) = Register::parse(text) {
        let kind = if register.is_predicate() { TokenKind::Predicate } else { TokenKind::Register };
        let written = at(token, code).is_some_and(|(function, index)| is_written(function, index, token));
        let constant = if register.is_constant() { TokenModifiers::READONLY } else { NONE };
        let modifiers = if written { TokenModifiers::MODIFICATION.with(constant) } else { constant };
        return Some((kind, modifiers));
    }
    Some(match text {
        _ if text.starts_with("SR_") || text == "SRZ" => {
            (TokenKind::SpecialRegister, TokenModifiers::READONLY)
        }
        "c" | "cx" | "desc" | "gdesc" | "idesc" | "tmem" => (TokenKind::Keyword, NONE),
        "PR" | "UPR" | "CC" => (TokenKind::Predicate, NONE),
        "INF" | "QNAN" | "SNAN" => (TokenKind::Number, NONE),
        _ if text.starts_with(['.', '$', '_']) || text.bytes().any(|byte| byte.is_ascii_lowercase()) => {
            (symbol(text, code), NONE)
        }
        _ => (TokenKind::Modifier, NONE),
    })
}

fn is_written(function: &Function, index: usize, token: &SyntaxToken) -> bool {
    let instruction = &function.instructions[index];
    let operands = function.operands(instruction);
    let place = operands.iter().position(|operand| operand.range.contains_range(token.text_range()));
    place.is_some_and(|place| destinations(instruction, operands) >> place & 1 != 0)
}

fn symbol(name: &str, code: &Code) -> TokenKind {
    let is_function = |function: &Function| {
        function.name.as_ref().is_some_and(|known| known.text == name)
            || function.label(name).is_some_and(|label| label.is_function)
    };
    if code.functions.iter().any(is_function) { TokenKind::Function } else { TokenKind::Label }
}
