//! Tokens of WAVE.

use text_size::TextRange;
use warplens_hir::wave::{Code, Name, Role};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Db, Item, SemanticToken, TokenKind, TokenModifiers};
use warplens_isa::wave as isa;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::token_walk::classified;

pub(super) fn tokens(db: &dyn Db, item: Item<'_>, range: TextRange, tokens: &mut Vec<SemanticToken>) {
    let code = wave_code(db, item);
    classified(db, item, range, tokens, |token| classify(token, &code));
}

fn classify(token: &SyntaxToken, code: &Code) -> Option<(TokenKind, TokenModifiers)> {
    let range = token.text_range();
    let named = code.name_at(range.start()).filter(|found| range.contains_range(found.range));
    if let Some(found) = named {
        return Some((kind(&found.name), modifiers(&found.name, found.role)));
    }
    let kind = match token.kind() {
        SyntaxKind::COMMENT => TokenKind::Comment,
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => TokenKind::Number,
        SyntaxKind::AT | SyntaxKind::BANG => TokenKind::Operator,
        SyntaxKind::DOT_WORD => match token.parent()?.kind() {
            SyntaxKind::INSTRUCTION | SyntaxKind::SCOPE | SyntaxKind::REGISTER => TokenKind::Modifier,
            _ => TokenKind::Keyword,
        },
        SyntaxKind::IDENT if is_mnemonic(token, code) => return Some(mnemonic(token, code)),
        SyntaxKind::IDENT if isa::scope(token.text()).is_some() => TokenKind::Modifier,
        _ => return None,
    };
    Some((kind, TokenModifiers::default()))
}

/// A mnemonic, shown as a keyword if it belongs to a construct.
fn mnemonic(token: &SyntaxToken, code: &Code) -> (TokenKind, TokenModifiers) {
    let index = code.instruction_at(token.text_range().start());
    match index.and_then(|index| code.links[index]) {
        Some(_) => (TokenKind::Keyword, TokenModifiers::CONTROL_FLOW),
        None => (TokenKind::Opcode, TokenModifiers::default()),
    }
}

fn is_mnemonic(token: &SyntaxToken, code: &Code) -> bool {
    let Some(index) = code.instruction_at(token.text_range().start()) else { return false };
    let instruction = &code.instructions[index];
    instruction.entry.is_some() && instruction.mnemonic_range.contains_range(token.text_range())
}

fn kind(name: &Name) -> TokenKind {
    match name {
        Name::Kernel(_) => TokenKind::Function,
        Name::Label(_) => TokenKind::Label,
        Name::Register(_) => TokenKind::Register,
        Name::Predicate(_) => TokenKind::Predicate,
        Name::Special(_) => TokenKind::SpecialRegister,
    }
}

fn modifiers(name: &Name, role: Role) -> TokenModifiers {
    let of_role = match role {
        Role::Declaration => TokenModifiers::DECLARATION,
        Role::Write | Role::ReadWrite => TokenModifiers::MODIFICATION,
        Role::Read | Role::Call | Role::Unknown => TokenModifiers::default(),
    };
    if matches!(name, Name::Special(_)) { of_role.with(TokenModifiers::READONLY) } else { of_role }
}
