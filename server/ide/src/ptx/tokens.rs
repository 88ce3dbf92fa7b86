//! Tokens of PTX.

use text_size::TextRange;
use warplens_hir::ptx::{Function, NameRef, Resolution, Role, SymbolKind, Type};
use warplens_ide_db::ptx::ptx_function;
use warplens_ide_db::{Access, Db, Item, ModuleUse, SemanticToken, TokenKind, TokenModifiers, module_uses};
use warplens_isa::ptx as isa;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::token_walk::classified;

pub(super) fn tokens(db: &dyn Db, item: Item<'_>, range: TextRange, tokens: &mut Vec<SemanticToken>) {
    let function = ptx_function(db, item);
    let names = Names { function: function.as_deref(), module: module_uses(db, item) };
    classified(db, item, range, tokens, |token| classify(token, &names));
}

struct Names<'a> {
    function: Option<&'a Function>,
    module: &'a [ModuleUse],
}

fn classify(token: &SyntaxToken, names: &Names<'_>) -> Option<(TokenKind, TokenModifiers)> {
    let kind = match token.kind() {
        SyntaxKind::COMMENT | SyntaxKind::LINE_MARK => TokenKind::Comment,
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => TokenKind::Number,
        SyntaxKind::STRING => TokenKind::String,
        SyntaxKind::DOT_WORD => dot_word(token)?,
        SyntaxKind::IDENT => return ident(token, names),
        SyntaxKind::AT
        | SyntaxKind::BANG
        | SyntaxKind::PIPE
        | SyntaxKind::PLUS
        | SyntaxKind::MINUS
        | SyntaxKind::STAR
        | SyntaxKind::SLASH => TokenKind::Operator,
        _ => return None,
    };
    Some((kind, TokenModifiers::default()))
}

fn dot_word(token: &SyntaxToken) -> Option<TokenKind> {
    let parent = token.parent()?.kind();
    Some(match parent {
        SyntaxKind::INSTRUCTION if isa::type_(token.text()).is_some() => TokenKind::Type,
        SyntaxKind::INSTRUCTION => TokenKind::Modifier,
        SyntaxKind::TYPE_NAME | SyntaxKind::VECTOR_SIZE => TokenKind::Type,
        SyntaxKind::MEMBER => TokenKind::SpecialRegister,
        _ => TokenKind::Keyword,
    })
}

fn ident(token: &SyntaxToken, names: &Names<'_>) -> Option<(TokenKind, TokenModifiers)> {
    let parent = token.parent()?;
    match parent.kind() {
        SyntaxKind::INSTRUCTION => {
            let entries = isa::by_opcode(token.text());
            let is_old = entries.iter().all(|entry| entry.status != isa::Status::Current);
            let mut modifiers = if is_old { TokenModifiers::DEPRECATED } else { TokenModifiers::default() };
            if entries.iter().any(|entry| directs_lanes(entry)) {
                modifiers = modifiers.with(TokenModifiers::CONTROL_FLOW);
            }
            (!entries.is_empty()).then_some((TokenKind::Opcode, modifiers))
        }
        SyntaxKind::NAME | SyntaxKind::NAME_REF => names.classify(token.text_range()),
        _ => None,
    }
}

/// Whether an instruction branches, ends threads, or waits at a barrier.
fn directs_lanes(entry: &isa::Instruction) -> bool {
    entry.category.id == "control-flow" || matches!(entry.opcode, "bar" | "barrier")
}

impl Names<'_> {
    fn classify(&self, range: TextRange) -> Option<(TokenKind, TokenModifiers)> {
        let Some(function) = self.function else { return self.of_module(range) };
        let name = function.name_at(range.start()).filter(|name| name.range == range)?;
        let kind = kind(function, name)?;
        Some((kind, modifiers(function, name)))
    }

    /// Outside functions, only the role of a name is known.
    fn of_module(&self, range: TextRange) -> Option<(TokenKind, TokenModifiers)> {
        let mut places = self.module.iter().flat_map(|name| &name.uses);
        let place = places.find(|place| place.range == range)?;
        let is_declaration = place.access == Access::Declaration;
        let modifiers = if is_declaration { TokenModifiers::DECLARATION } else { TokenModifiers::default() };
        Some((TokenKind::Variable, modifiers))
    }
}

fn kind(function: &Function, name: NameRef<'_>) -> Option<TokenKind> {
    Some(match name.resolution {
        Resolution::Special(_) => TokenKind::SpecialRegister,
        // The kind that the module declares, or else the role.
        Resolution::External(_) => match name.role {
            Role::Declaration | Role::Call => TokenKind::Function,
            Role::Target => return None,
            _ => TokenKind::Variable,
        },
        of_function => match function.symbol_kind(of_function)? {
            SymbolKind::Register { ty: Some(Type::Pred), .. }
            | SymbolKind::RegisterRange { ty: Some(Type::Pred), .. } => TokenKind::Predicate,
            SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => TokenKind::Register,
            SymbolKind::Variable(_) => TokenKind::Variable,
            SymbolKind::Param { .. } => TokenKind::Parameter,
            SymbolKind::Label { .. } | SymbolKind::Table { .. } => TokenKind::Label,
            SymbolKind::Prototype(_) => TokenKind::Function,
        },
    })
}

fn modifiers(function: &Function, name: NameRef<'_>) -> TokenModifiers {
    let of_role = match name.role {
        Role::Declaration => TokenModifiers::DECLARATION,
        Role::Write | Role::ReadWrite => TokenModifiers::MODIFICATION,
        _ => TokenModifiers::default(),
    };
    let is_input =
        matches!(function.symbol_kind(name.resolution), Some(SymbolKind::Param { is_return: false, .. }));
    let is_fixed = is_input || matches!(name.resolution, Resolution::Special(_));
    if is_fixed { of_role.with(TokenModifiers::READONLY) } else { of_role }
}
