//! The names that a PTX module declares, and those that another file may define.

use warplens_hir::ptx::{DeclarationKind, FunctionKind, Linkage};
use warplens_ide_db::ptx::ptx_header;
use warplens_ide_db::{Database, File, ModuleSymbol, SymbolKind, Target, items};

pub(super) fn declarations(db: &Database, file: File) -> Vec<ModuleSymbol> {
    let list = file.document(db).items();
    let mut found = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let start = list.start_of(index);
        let header = ptx_header(db, *item);
        if header.declarations.is_empty() {
            continue;
        }
        let tree = item.parse(db).syntax();
        for declaration in &header.declarations {
            let Some((kind, is_definition)) = kind(&declaration.kind) else { continue };
            let focus = declaration.name_range;
            let full = warplens_ide_db::ptx::declared::declaration(&tree, focus)
                .map_or(focus, |node| node.text_range());
            let target = Target { file: file.id(db), full: full + start, focus: focus + start };
            found.push(ModuleSymbol { name: declaration.name.to_string(), kind, target, is_definition });
        }
    }
    found
}

/// The kind of a declaration, and whether it is a definition; `None` for names that only debug information uses.
fn kind(kind: &DeclarationKind) -> Option<(SymbolKind, bool)> {
    Some(match kind {
        DeclarationKind::Variable(variable) => {
            (SymbolKind::Variable, variable.linkage != Some(Linkage::Extern))
        }
        DeclarationKind::Function { kind: FunctionKind::Entry, has_body, .. } => {
            (SymbolKind::Kernel, *has_body)
        }
        DeclarationKind::Function { has_body, .. } => (SymbolKind::Function, *has_body),
        DeclarationKind::Alias { .. } => (SymbolKind::Function, true),
        DeclarationKind::SectionLabel => return None,
    })
}
