//! The names that a PTX module declares, and those that another file may define.

use warplens_hir::ptx::{DeclarationKind, Linkage};
use warplens_ide_db::ptx::{declared, ptx_header};
use warplens_ide_db::{Database, File, ModuleSymbol, Target, placed_items};

use crate::ptx::symbols;

pub(super) fn declarations(db: &Database, file: File) -> Vec<ModuleSymbol> {
    let mut found = Vec::new();
    for (item, start) in placed_items(db, file) {
        let header = ptx_header(db, item);
        if header.declarations.is_empty() {
            continue;
        }
        let tree = item.parse(db).syntax();
        for declaration in &header.declarations {
            let is_definition = match &declaration.kind {
                DeclarationKind::Variable(variable) => variable.linkage != Some(Linkage::Extern),
                DeclarationKind::Function { has_body, .. } => *has_body,
                DeclarationKind::Alias { .. } => true,
                DeclarationKind::SectionLabel => continue,
            };
            let focus = declaration.name_range;
            let full = declared::declaration_range(&tree, focus) + start;
            let target = Target { file: file.id(db), full, focus: focus + start };
            let kind = symbols::kind(&declaration.kind);
            found.push(ModuleSymbol { name: declaration.name.to_string(), kind, target, is_definition });
        }
    }
    found
}
