//! Inlay hints: types and parameter names.

use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{DeclarationKind, Function, NameRef, Role, Signature, SymbolKind, Type};
use warplens_ide_db::db::{Database, File, Item, items, ptx_function, ptx_header};
use warplens_ide_db::module::module_names;
use warplens_ide_db::position::token_covering;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

/// The enabled kinds of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InlayHintKinds {
    /// The type of a register where it is written, unless its name shows the type.
    pub register_types: bool,
    /// The names of the callee's parameters at the arguments of a call.
    pub parameter_names: bool,
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
}

pub(crate) fn inlay_hints(
    db: &Database,
    file: File,
    range: TextRange,
    kinds: InlayHintKinds,
) -> Vec<InlayHint> {
    let list = file.document(db).items();
    let Some(first) = list.item_at(range.start()) else { return Vec::new() };
    let mut hints = Vec::new();
    if kinds == InlayHintKinds::default() {
        return hints;
    }
    for (index, item) in items(db, file).iter().enumerate().skip(first) {
        let Some(wanted) = range.intersect(list.range_of(index)) else { break };
        let Some(function) = ptx_function(db, *item) else { continue };
        let start = list.start_of(index);
        let from = hints.len();
        let hinting = Hinting { db, file, item: *item, function };
        hinting.add(wanted - start, kinds, &mut hints);
        hints[from..].iter_mut().for_each(|hint| hint.offset += start);
    }
    hints
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
        let Some(call) = token_covering(&tree, callee.range.start())
            .and_then(|token| token.parent_ancestors().find_map(ast::Instruction::cast))
        else {
            return;
        };
        self.with_signature(&name, |signature| {
            for list in call.syntax().children().filter_map(ast::ArgList::cast) {
                let is_return = list.syntax().text_range().start() < callee.range.start();
                let parameters = if is_return { &signature.returns } else { &signature.params };
                for (argument, parameter) in list.operands().zip(parameters) {
                    let Some(name) = &parameter.name else { continue };
                    let node = argument.syntax();
                    if node.text() != name.as_str() {
                        let offset = node.text_range().start();
                        let label = format!("{name}:");
                        hints.push(InlayHint { offset, label, kind: InlayHintKind::Parameter });
                    }
                }
            }
        });
    }

    fn with_signature(&self, name: &str, visit: impl FnOnce(&Signature)) {
        let Some(symbol) = module_names(self.db, self.file).definition(name) else { return };
        let item = items(self.db, self.file)[symbol.item as usize];
        let header = ptx_header(self.db, item);
        if let DeclarationKind::Function { signature, .. } =
            &header.declarations[symbol.declaration as usize].kind
        {
            visit(signature);
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

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{FILE, open};

    fn check(source: &str, kinds: InlayHintKinds, expect: Expect) {
        let (fixture, analysis) = open(source);
        let all = TextRange::up_to(TextSize::of(fixture.text.as_str()));
        let range = fixture.ranges.first().copied().unwrap_or(all);
        let mut shown = fixture.text.clone();
        for hint in analysis.inlay_hints(FILE, range, kinds).unwrap().iter().rev() {
            let mut label = String::new();
            write!(label, "«{}»", hint.label).unwrap();
            shown.insert_str(hint.offset.into(), &label);
        }
        expect.assert_eq(&shown);
    }

    const TYPES: InlayHintKinds = InlayHintKinds { register_types: true, parameter_names: false };
    const NAMES: InlayHintKinds = InlayHintKinds { register_types: false, parameter_names: true };

    #[test]
    fn the_type_of_a_register_that_does_not_say_it() {
        check(
            "
.entry k() {
    .reg .f32 sum, %f<4>; .reg .u32 %r<4>; .reg .f32 %x<4>; .reg .pred %p<2>, q;
    mov.f32 sum, %f1;
    add.f32 %f1, sum, %x1;
    mov.f32 %x3, sum;
    setp.gt.u32 %p1|q, %r1, 2;
}
",
            TYPES,
            expect![[r#"

                .entry k() {
                    .reg .f32 sum, %f<4>; .reg .u32 %r<4>; .reg .f32 %x<4>; .reg .pred %p<2>, q;
                    mov.f32 sum«: .f32», %f1;
                    add.f32 %f1, sum, %x1;
                    mov.f32 %x3«: .f32», sum;
                    setp.gt.u32 %p1|q«: .pred», %r1, 2;
                }
            "#]],
        );
    }

    const CALLS: &str = "
.func (.param .b32 r) f(.param .b32 a, .param .b32 b);
.entry k() {
    .param .b32 x; .param .b32 b;
    call (x), f, (x, b);
    call.uni (x), f, (x, 7);
    call (x), g, (x);
}
";

    #[test]
    fn the_parameters_of_a_call_by_name() {
        check(
            CALLS,
            NAMES,
            expect![[r#"

                .func (.param .b32 r) f(.param .b32 a, .param .b32 b);
                .entry k() {
                    .param .b32 x; .param .b32 b;
                    call («r:»x), f, («a:»x, b);
                    call.uni («r:»x), f, («a:»x, «b:»7);
                    call (x), g, (x);
                }
            "#]],
        );
    }

    #[test]
    fn nothing_outside_of_the_range_and_nothing_that_is_not_wanted() {
        let marked = CALLS
            .replace("    call.uni (x), f, (x, 7);\n", "    call.uni (x), f, (x, 7);\n                 ^\n");
        check(
            &marked,
            NAMES,
            expect![[r#"

                .func (.param .b32 r) f(.param .b32 a, .param .b32 b);
                .entry k() {
                    .param .b32 x; .param .b32 b;
                    call (x), f, (x, b);
                    call.uni («r:»x), f, («a:»x, «b:»7);
                    call (x), g, (x);
                }
            "#]],
        );
        let (fixture, analysis) = open(CALLS);
        let all = TextRange::up_to(TextSize::of(fixture.text.as_str()));
        assert_eq!(analysis.inlay_hints(FILE, all, InlayHintKinds::default()).unwrap(), []);
    }
}
