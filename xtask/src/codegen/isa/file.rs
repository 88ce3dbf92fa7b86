//! The generated files of the tables.

use anyhow::Result;

use super::data::Category;
use super::rust::{Expression, Literal, Source};

pub(super) struct File {
    /// Path in the folder of the tables, without `.rs`.
    pub(super) path: String,
    pub(super) source: String,
}

impl File {
    fn new(language: &str, name: &str, tables: String) -> Self {
        let path = format!("{language}/{}", module(name));
        Self { path, source: format!("use super::prelude::*;\n\n{tables}") }
    }

    /// All files of a language: those of the categories, those of `others`, and the main file with the tables for all
    /// categories, followed by `lookups`.
    pub(super) fn all<I: Literal>(
        language: &str,
        categories: &[Category<I>],
        mut source: Source,
        others: impl FnOnce(&mut Source) -> Result<Vec<(&'static str, String)>>,
        lookups: &str,
    ) -> Result<Vec<Self>> {
        let instructions = |category: &Category<I>| {
            let table = source.table("INSTRUCTIONS", "Instruction", &category.instructions);
            Self::new(language, &category.id, table)
        };
        let mut files: Vec<Self> = categories.iter().map(instructions).collect();
        let mut others = others(&mut source)?;
        others.push(("shared", source.shared_tables()));
        let others: Vec<Self> =
            others.into_iter().map(|(name, tables)| Self::new(language, name, tables)).collect();
        let index = category_tables(categories, &mut source) + lookups;
        files.push(Self::index(language, categories, &others, &index));
        files.extend(others);
        Ok(files)
    }

    /// The main file of a language: its modules and their imports.
    fn index<I>(language: &str, categories: &[Category<I>], others: &[Self], tables: &str) -> Self {
        let categories = categories.iter().map(|category| format!("mod {};\n", module(&category.id)));
        let others = others.iter().filter_map(|file| file.path.split('/').nth(1));
        let others = others.map(|name| format!("mod {name};\npub(crate) use {name}::*;\n"));
        let modules: String = categories.chain(others).collect();
        let source = format!(
            "{modules}use crate::tables::*;\nuse crate::{{Category, {language}::*}};\n\n\
             /// The imports of every module.\n#[allow(unused_imports)]\nmod prelude {{\n\
             pub(super) use super::*;\npub(super) use crate::tables::*;\n\
             pub(super) use crate::{{Evidence, Role, Simulation, Version, {language}::*}};\n}}\n\n{tables}"
        );
        Self { path: language.to_owned(), source }
    }
}

fn module(name: &str) -> String {
    match name {
        // `move` is a keyword, `wave` the name of the parent module.
        "move" | "wave" => format!("{name}s"),
        _ => name.replace('-', "_"),
    }
}

/// The tables of the categories and their instructions.
fn category_tables<I>(categories: &[Category<I>], source: &mut Source) -> String {
    let references: Vec<Expression> = (categories.iter())
        .flat_map(|category| (0..category.instructions.len()).map(|number| (&category.id, number)))
        .map(|(id, number)| Expression(format!("&{}::INSTRUCTIONS[{number}]", module(id))))
        .collect();
    source.table("CATEGORIES", "Category", categories)
        + &source.table("INSTRUCTIONS", "&Instruction", &references)
}
