//! Hints in PTX: the types of registers, the parameters of callees.

use std::sync::Arc;

use text_size::TextRange;
use warplens_hir::ptx::{DeclarationKind, Function, NameRef, Role, Signature, SymbolKind, Type};
use warplens_ide_db::ptx::{module_names, ptx_function, ptx_header};
use warplens_ide_db::{
    Database, File, InlayHint, InlayHintKind, InlayHintKinds, Item, items, token_covering,
};
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

pub(super) fn add(
    db: &Database,
    file: File,
    item: Item<'_>,
    range: TextRange,
    kinds: InlayHintKinds,
    hints: &mut Vec<InlayHint>,
) {
    if let Some(function) = ptx_function(db, item) {
        Hinting { db, file, item, function }.add(range, kinds, hints);
    }
}

struct Hinting<'db> {
    db: &'db Database,
    file: File,
    item: Item<'db>,
    function: Arc<Function>,
}

impl Hinting<'_> {
    fn add(&self, range: TextRange, kinds: InlayHintKinds, hints: &mut Vec<InlayHint>) {
        let is_before = |name: &NameRef<'_>| name.range.end() < range.start();
        let names = self.function.names().skip_while(is_before);
        for name in names.take_while(|name| name.range.start() <= range.end()) {
            match name.role {
                Role::Write | Role::ReadWrite if kinds.register_types => {
                    hints.extend(self.register_type(name))
                }
                Role::Call if kinds.parameter_names => self.parameter_names(name, hints),
                _ => {}
            }
        }
    }

    /// `: .f32` after `%sum`.
    fn register_type(&self, name: NameRef<'_>) -> Option<InlayHint> {
        let symbol = self.function.symbol(name.resolution.symbol()?);
        let (SymbolKind::Register { ty: Some(ty), .. } | SymbolKind::RegisterRange { ty: Some(ty), .. }) =
            symbol.kind
        else {
            return None;
        };
        if shows_type(&symbol.name, ty) {
            return None;
        }
        let label = format!(": .{}", ty.name());
        Some(InlayHint { offset: name.range.end(), label, kind: InlayHintKind::Type })
    }

    /// `a:` before the first argument of a call of `f`.
    fn parameter_names(&self, callee: NameRef<'_>, hints: &mut Vec<InlayHint>) {
        let name = self.function.referent_text(callee.referent);
        let tree = self.item.parse(self.db).syntax();
        let Some(token) = token_covering(&tree, callee.range.start()) else { return };
        let Some(call) = token.parent_ancestors().find_map(ast::Instruction::cast) else { return };
        let Some(signature) = self.signature(&name) else { return };
        for list in call.syntax().children().filter_map(ast::ArgList::cast) {
            let is_return = list.syntax().text_range().start() < callee.range.start();
            let parameters = if is_return { &signature.returns } else { &signature.params };
            for (argument, parameter) in list.operands().zip(parameters) {
                let Some(name) = &parameter.name else { continue };
                let node = argument.syntax();
                if node.text() != name.as_str() {
                    let (offset, label) = (node.text_range().start(), format!("{name}:"));
                    hints.push(InlayHint { offset, label, kind: InlayHintKind::Parameter });
                }
            }
        }
    }

    fn signature(&self, name: &str) -> Option<&Signature> {
        let symbol = module_names(self.db, self.file).definition(name)?;
        let item = items(self.db, self.file)[symbol.item as usize];
        match &ptx_header(self.db, item).declarations[symbol.declaration as usize].kind {
            DeclarationKind::Function { signature, .. } => Some(signature),
            _ => None,
        }
    }
}

/// Whether a register has the prefix that compilers use for its type.
fn shows_type(name: &str, ty: Type) -> bool {
    let prefix = name.trim_start_matches('%').trim_end_matches(|char: char| char.is_ascii_digit());
    let usual: &[&str] = match (ty, ty.bits()) {
        (Type::Pred, _) => &["p"],
        (Type::F32, _) => &["f"],
        (Type::F64, _) => &["fd"],
        (_, 16) => &["rs", "h"],
        (_, 32) => &["r"],
        (_, 64) => &["rd"],
        (_, 128) => &["rq"],
        _ => &[],
    };
    usual.contains(&prefix)
}
