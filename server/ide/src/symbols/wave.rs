//! Outlines of WAVE: kernels with their labels.

use warplens_syntax::ast::AstNode;
use warplens_syntax::wave::ast;

use crate::answer::{Symbol, SymbolKind};
use crate::db::{Db, Item, wave_code};

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let code = wave_code(db, item);
    let labels = code.labels.iter().map(|label| Symbol {
        name: label.name.to_string(),
        detail: None,
        kind: SymbolKind::Label,
        range: label.range,
        focus: label.range,
        children: Vec::new(),
    });
    let labels: Vec<Symbol> = labels.collect();
    let Some(kernel) = &code.kernel else { return labels };
    let Some((name, focus)) = &kernel.name else { return labels };
    let tree = item.parse(db).syntax();
    let node = tree.children().find(|node| ast::Kernel::can_cast(node.kind()));
    let workgroup = code.resources.workgroup_size.map(|size| size.value);
    vec![Symbol {
        name: name.to_string(),
        detail: workgroup
            .map(|[x, y, z]| format!("kernel, workgroup {x} x {y} x {z}"))
            .or(Some("kernel".into())),
        kind: SymbolKind::Kernel,
        range: node.map_or(kernel.range, |node| node.text_range()),
        focus: *focus,
        children: labels,
    }]
}
