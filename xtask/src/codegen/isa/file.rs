//! The generated files of the tables.

use anyhow::Result;

use super::data::Category;
use super::rust::{Expression, Source};

pub(super) struct File {
    /// Path in the folder of the tables, without `.rs`.
    pub(super) path: String,
    pub(super) source: String,
}

impl File {
    pub(super) fn new(language: &str, name: &str, tables: String) -> Self {
        let path = format!("{language}/{}", module(name));
        Self { path, source: format!("use super::prelude::*;\n\n{tables}") }
    }

    /// The main file of a language: its modules, their imports, and the tables for all categories. `others` are the files
    /// that do not belong to a category.
    pub(super) fn index(language: &str, categories: &[&str], others: &[Self], tables: String) -> Self {
        let categories = categories.iter().map(|id| format!("mod {};\n", module(id)));
        let others = others.iter().filter_map(|file| file.path.split('/').nth(1));
        let others = others.map(|name| format!("mod {name};\npub(crate) use {name}::*;\n"));
        let modules: String = categories.chain(others).collect();
        let source = format!(
            "{modules}use crate::tables::*;\nuse crate::{{Category, {language}::*}};\n\n\
             /// The imports of every module.\n#[allow(unused_imports)]\nmod prelude {{\n\
             pub(super) use super::*;\npub(super) use crate::tables::*;\n\
             pub(super) use crate::{{Role, Simulation, Version, {language}::*}};\n}}\n\n{tables}"
        );
        Self { path: language.to_owned(), source }
    }
}

/// The name of the module for a data file.
fn module(name: &str) -> String {
    match name {
        // `move` is a keyword, `wave` the name of the parent module.
        "move" | "wave" => format!("{name}s"),
        _ => name.replace('-', "_"),
    }
}

/// The tables of the categories and their instructions.
pub(super) fn category_tables<I>(categories: &[Category<I>], source: &mut Source) -> Result<String> {
    let references: Vec<Expression> = (categories.iter())
        .flat_map(|category| (0..category.instructions.len()).map(|number| (&category.id, number)))
        .map(|(id, number)| Expression(format!("&{}::INSTRUCTIONS[{number}]", module(id))))
        .collect();
    Ok(source.table("CATEGORIES", "Category", categories)
        + &source.table("INSTRUCTIONS", "&Instruction", &references))
}
