//! Describes PTX declarations for hovers.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{
    DeclarationKind, Function, FunctionKind, Initializer, ModuleKind, ModuleSymbol, NameId, NameRef,
    ReferentId, Resolution, Role, SymbolKind, TableKind, Type, Variable,
};
use warplens_syntax::SyntaxKind::{self, *};
use warplens_syntax::SyntaxNode;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::db::{FilePosition, items};
use crate::declared::{count, one_line};
use crate::ptx::lowered::{ptx_function, ptx_header};
use crate::ptx::module::module_names;
use crate::tokens::token_covering;

/// Describes a name declared in the same function: its declaration, its kind, and the number of its uses.
pub fn local(position: &FilePosition<'_>) -> Option<String> {
    let function = ptx_function(position.db, position.item)?;
    let name = function.name_at(position.offset)?;
    let symbol = function.symbol(name.resolution.symbol()?);
    let tree = position.tree();
    let declaration = declaration_text(&tree, symbol.range).unwrap_or_else(|| symbol.name.to_string());
    let what = what(&function, name);
    let contents = match &symbol.kind {
        SymbolKind::Table { kind, targets } => {
            let text = |target: &NameId| function.referent_text(function.name(*target).referent);
            contents(table_words(*kind), targets.iter().map(text))
        }
        SymbolKind::Variable(variable) => functions_in(position, variable),
        _ => String::new(),
    };
    let usage = usage(&function, name.referent);
    Some(format!("```ptx\n{declaration}\n```\n\n{what} · {usage}{contents}"))
}

fn table_words(kind: TableKind) -> &'static str {
    match kind {
        TableKind::Branch => "Labels by index",
        TableKind::Call => "Functions",
    }
}

/// The names in a table, with their indices. Long lists are shortened.
fn contents(title: &str, names: impl ExactSizeIterator<Item = SmolStr>) -> String {
    const MOST: usize = 32;
    let more = names.len().saturating_sub(MOST);
    let mut lines: Vec<String> =
        names.take(MOST).enumerate().map(|(index, name)| format!("- {index}: `{name}`")).collect();
    if lines.is_empty() {
        return String::new();
    }
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    format!("\n\n{title}:\n\n{}", lines.join("\n"))
}

/// The functions whose addresses initialize an array.
fn functions_in(position: &FilePosition<'_>, variable: &Variable) -> String {
    let Some(Initializer::List(values)) = &variable.initializer else { return String::new() };
    let names = module_names(position.db, position.file);
    let function = |value: &Initializer| match value {
        Initializer::Address { symbol, .. } => {
            let is_function = |symbol: &&ModuleSymbol| matches!(symbol.kind, ModuleKind::Function { .. });
            names.kinds(symbol).find(is_function).map(|found| found.name.clone())
        }
        _ => None,
    };
    let functions: Option<Vec<SmolStr>> = values.iter().map(function).collect();
    functions.map_or_else(String::new, |names| contents("Functions by index", names.into_iter()))
}

/// The kind of a local name, in a few words: `register, .b32`.
fn what(function: &Function, name: NameRef<'_>) -> String {
    let text = function.referent_text(name.referent);
    match name.resolution {
        Resolution::Indexed { symbol, .. } => {
            format!("**`{text}`** · {}", kind(function, &function.symbol(symbol).kind))
        }
        Resolution::Symbol(symbol) => match &function.symbol(symbol).kind {
            SymbolKind::RegisterRange { ty, count: 0, .. } => format!("no registers{}", of_type(*ty)),
            SymbolKind::RegisterRange { ty, count, .. } => {
                format!("registers **`{text}0`** to **`{text}{}`**{}", count - 1, of_type(*ty))
            }
            other => format!("**`{text}`** · {}", kind(function, other)),
        },
        Resolution::Special(_) | Resolution::External(_) => format!("**`{text}`**"),
    }
}

pub fn kind(function: &Function, kind: &SymbolKind) -> String {
    match kind {
        SymbolKind::Register { ty: Some(Type::Pred), .. }
        | SymbolKind::RegisterRange { ty: Some(Type::Pred), .. } => "predicate register".into(),
        SymbolKind::Register { ty, vector } | SymbolKind::RegisterRange { ty, vector, .. } => {
            let vector = vector.map_or_else(String::new, |length| format!(" of {} elements", length.count()));
            format!("register{}{vector}", of_type(*ty))
        }
        SymbolKind::Variable(variable) => variable_kind(variable),
        SymbolKind::Param { is_return, index } => {
            let list = if *is_return { &function.signature.returns } else { &function.signature.params };
            let what = if *is_return { "return parameter" } else { "parameter" };
            let Some(param) = list.get(*index as usize) else { return what.into() };
            format!("{what} {index}{}, {}", of_type(param.ty), count(param.bytes() as usize, "byte", "bytes"))
        }
        SymbolKind::Label { .. } => "label".into(),
        SymbolKind::Table { kind: TableKind::Branch, targets } => {
            format!("table of {}", count(targets.len(), "branch target", "branch targets"))
        }
        SymbolKind::Table { kind: TableKind::Call, targets } => {
            format!("table of {}", count(targets.len(), "call target", "call targets"))
        }
        SymbolKind::Prototype(_) => "call prototype".into(),
    }
}

fn variable_kind(variable: &Variable) -> String {
    let size = count(variable.bytes() as usize, "byte", "bytes");
    format!("`.{}` variable{}, {size}", variable.space.name(), of_type(variable.ty))
}

fn of_type(ty: Option<Type>) -> String {
    ty.map_or_else(String::new, |ty| format!(", `.{}`", ty.name()))
}

/// `written 2 times, read 5 times`.
fn usage(function: &Function, referent: ReferentId) -> String {
    let roles: Vec<Role> = function.occurrences(referent).map(|name| name.role).collect();
    let of = |role: Role| roles.iter().filter(|have| **have == role).count();
    let writes = of(Role::Write) + of(Role::ReadWrite);
    let reads = of(Role::Read) + of(Role::ReadWrite);
    let verbs = [(writes, "written"), (reads, "read"), (of(Role::Call), "called")].into_iter();
    let verbs = verbs.filter(|(number, _)| *number > 0);
    let target = Some(of(Role::Target)).filter(|branches| *branches > 0);
    let target = target.map(|branches| format!("target of {}", count(branches, "branch", "branches")));
    let parts: Vec<String> =
        verbs.map(|(number, verb)| format!("{verb} {}", times(number))).chain(target).collect();
    if parts.is_empty() { "not used in this function".into() } else { parts.join(", ") }
}

fn times(number: usize) -> String {
    match number {
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

/// Describes a module name by its declaration as written, whichever item has it.
pub fn of_module(position: &FilePosition<'_>, name: &str) -> Option<String> {
    let symbol = module_names(position.db, position.file).definition(name)?;
    let item = items(position.db, position.file)[symbol.item as usize];
    let declaration = &ptx_header(position.db, item).declarations[symbol.declaration as usize];
    let tree = item.parse(position.db).syntax();
    let text = declaration_text(&tree, declaration.name_range).unwrap_or_else(|| name.to_owned());
    let contents = match &declaration.kind {
        DeclarationKind::Variable(variable) => functions_in(position, variable),
        _ => String::new(),
    };
    Some(format!("```ptx\n{text}\n```\n\n**`{name}`** · {}{contents}", module_kind(&declaration.kind)))
}

pub fn module_kind(kind: &DeclarationKind) -> String {
    match kind {
        DeclarationKind::Variable(variable) => variable_kind(variable),
        DeclarationKind::Function { kind, has_body, signature, .. } => {
            let what = if *kind == FunctionKind::Entry { "kernel" } else { "function" };
            let missing = if *has_body { "" } else { ", declared only" };
            format!("{what} with {}{missing}", count(signature.params.len(), "parameter", "parameters"))
        }
        DeclarationKind::Alias { target } => format!("alias of `{target}`"),
        DeclarationKind::SectionLabel => "label of a section".into(),
    }
}

pub fn declaration_range(tree: &SyntaxNode, name: TextRange) -> TextRange {
    declaration(tree, name).map_or(name, |node| node.text_range())
}

pub fn declaration(tree: &SyntaxNode, name: TextRange) -> Option<SyntaxNode> {
    let token = token_covering(tree, name.start())?;
    let node = token.parent_ancestors().find(|node| is_declaration(node.kind()))?;
    // The label of a prototype names what follows it.
    Some(node.parent().filter(|table| table.kind() == CALL_PROTOTYPE).unwrap_or(node))
}

/// The declaration around a name as one line: a variable up to its initializer, a function up to its body.
fn declaration_text(tree: &SyntaxNode, name: TextRange) -> Option<String> {
    let node = declaration(tree, name)?;
    let start = node.text_range().start();
    let end = body_start(&node).unwrap_or(node.text_range().end());
    let text = node.text().slice(TextRange::new(start, end) - node.text_range().start()).to_string();
    Some(one_line(&text))
}

fn is_declaration(kind: SyntaxKind) -> bool {
    let is_table = matches!(kind, BRANCH_TARGETS | CALL_TARGETS | CALL_PROTOTYPE);
    is_table || matches!(kind, VARIABLE | PARAM | FUNCTION | LABEL | ALIAS_DIRECTIVE)
}

/// Where the part starts that an outline omits.
fn body_start(node: &SyntaxNode) -> Option<TextSize> {
    if let Some(function) = ast::Function::cast(node.clone()) {
        return Some(function.body()?.syntax().text_range().start());
    }
    let variable = ast::Variable::cast(node.clone())?;
    let initializer = variable.declarators().find_map(|declarator| declarator.initializer())?;
    Some(initializer.syntax().text_range().start())
}
