//! Reads the files of the WAVE data.

use anyhow::Result;
use serde::Deserialize;

use super::data::{self, categories, list, read};
use super::schema::wave::{
    CacheHint, Directive, Instruction, InvalidName, Mistake, RegisterClass, Scope, SpecialRegister,
};

pub(crate) type Category = data::Category<Instruction>;

pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) classes: Vec<RegisterClass>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) hints: Vec<CacheHint>,
    pub(crate) invalid: InvalidNames,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> Vec<&mut String> {
        self.notes.iter_mut().chain([&mut self.divergence]).collect()
    }

    /// Completes the fields in which the toolchain equals the guide.
    fn complete(&mut self) {
        self.toolchain = match self.toolchain.take() {
            None => Some(self.mnemonic.clone()),
            Some(name) => Some(name).filter(|name| !name.is_empty()),
        };
        if self.toolchain_operands.is_empty() {
            self.toolchain_operands.clone_from(&self.operands);
        }
        if self.toolchain.is_none() {
            self.toolchain_example.clear();
        } else if self.toolchain_example.is_empty() {
            self.toolchain_example.clone_from(&self.example);
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvalidNames {
    #[serde(rename = "word")]
    pub(crate) names: Vec<InvalidName>,
    #[serde(rename = "pattern")]
    pub(crate) patterns: Vec<Mistake>,
}

/// The order of the categories; those that most programs use are first.
const ORDER: [&str; 15] = [
    "control", "sync", "move", "integer", "bitwise", "compare", "float32", "convert", "memory", "atomic",
    "wave", "float16", "bfloat16", "float64", "mma",
];

pub(crate) fn load() -> Result<Data> {
    let mut categories = categories("wave/instructions", Instruction::texts)?;
    categories.iter_mut().flat_map(|category| &mut category.instructions).for_each(Instruction::complete);
    categories.sort_by_key(|category| ORDER.iter().position(|id| *id == category.id));
    Ok(Data {
        categories,
        directives: list("wave/directives.toml", "directive")?,
        registers: list("wave/special-registers.toml", "register")?,
        classes: list("wave/registers.toml", "class")?,
        scopes: list("wave/scopes.toml", "scope")?,
        hints: list("wave/cache-hints.toml", "hint")?,
        invalid: read("wave/invalid-names.toml")?,
    })
}
