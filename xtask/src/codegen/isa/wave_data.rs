//! The schema of the WAVE data.

use anyhow::Result;
use serde::Deserialize;

use super::data::{Common, files, read, share};
use super::ptx_data::Role;

/// All WAVE data.
pub(in crate::codegen) struct Data {
    pub(in crate::codegen) categories: Vec<Category>,
    pub(in crate::codegen) directives: Vec<Directive>,
    pub(in crate::codegen) registers: Vec<Register>,
    pub(in crate::codegen) classes: Vec<RegisterClass>,
    pub(in crate::codegen) scopes: Vec<Word>,
    pub(in crate::codegen) hints: Vec<Word>,
    pub(in crate::codegen) spellings: Spellings,
}

/// One file of instructions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Category {
    #[serde(skip)]
    pub(in crate::codegen) id: String,
    pub(in crate::codegen) title: String,
    pub(in crate::codegen) about: String,
    #[serde(default)]
    common: Common,
    #[serde(rename = "instruction")]
    pub(in crate::codegen) instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Instruction {
    pub(in crate::codegen) mnemonic: String,
    /// The mnemonic, where absent; empty for none.
    toolchain: Option<String>,
    pub(in crate::codegen) section: String,
    #[serde(default)]
    pub(in crate::codegen) specification: String,
    #[serde(default)]
    pub(in crate::codegen) available: Availability,
    #[serde(default)]
    pub(in crate::codegen) opcode: String,
    #[serde(default)]
    pub(in crate::codegen) suffix: Suffix,
    pub(in crate::codegen) simulation: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) operands: Vec<Operand>,
    /// The operands, where absent.
    pub(in crate::codegen) toolchain_operands: Option<Vec<Operand>>,
    #[serde(default)]
    pub(in crate::codegen) predicate_operands: Vec<Operand>,
    /// What does the same in an assembler that has no such instruction.
    #[serde(default)]
    pub(in crate::codegen) stand_in: Vec<String>,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(default)]
    pub(in crate::codegen) divergence: String,
    pub(in crate::codegen) example: String,
    /// The example, where absent.
    pub(in crate::codegen) toolchain_example: Option<String>,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.notes.iter_mut().chain([&mut self.divergence])
    }

    /// The toolchain's spelling, if it has the instruction.
    pub(in crate::codegen) fn toolchain(&self) -> Option<&str> {
        match self.toolchain.as_deref() {
            None => Some(&self.mnemonic),
            Some("") => None,
            Some(name) => Some(name),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Operand {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) role: Role,
    pub(in crate::codegen) kinds: String,
    #[serde(default, rename = "type")]
    pub(in crate::codegen) ty: String,
    #[serde(default)]
    pub(in crate::codegen) optional: bool,
}

#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum Availability {
    Crates,
    Repository,
    #[default]
    Nowhere,
}

#[derive(Deserialize, Debug, Clone, Copy, Default)]
pub(in crate::codegen) enum Suffix {
    #[default]
    None,
    #[serde(rename = "cache hint")]
    CacheHint,
    #[serde(rename = "scope")]
    Scope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Directive {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) arguments: String,
    pub(in crate::codegen) summary: String,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Register {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) index: u8,
    pub(in crate::codegen) available: Availability,
    pub(in crate::codegen) uniform: bool,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct RegisterClass {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) pattern: String,
    pub(in crate::codegen) bits: u8,
    pub(in crate::codegen) first: String,
    pub(in crate::codegen) last: String,
    pub(in crate::codegen) summary: String,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
}

/// A scope or a cache hint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Word {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Spellings {
    #[serde(rename = "word")]
    pub(in crate::codegen) words: Vec<Spelling>,
    #[serde(rename = "pattern")]
    pub(in crate::codegen) patterns: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Spelling {
    pub(in crate::codegen) names: String,
    /// What to write; `*` stands for the name.
    pub(in crate::codegen) write: String,
    pub(in crate::codegen) why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Pattern {
    pub(in crate::codegen) written: String,
    pub(in crate::codegen) toolchain: String,
    pub(in crate::codegen) why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Directives {
    directive: Vec<Directive>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registers {
    register: Vec<Register>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Classes {
    class: Vec<RegisterClass>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scopes {
    scope: Vec<Word>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hints {
    hint: Vec<Word>,
}

/// The order of the categories: what most programs use first.
const ORDER: [&str; 15] = [
    "control", "sync", "move", "integer", "bitwise", "compare", "float32", "convert", "memory", "atomic",
    "wave", "float16", "bfloat16", "float64", "mma",
];

/// Reads all WAVE data.
pub(in crate::codegen) fn load() -> Result<Data> {
    let mut categories = Vec::new();
    for id in files("wave/instructions")? {
        let file = format!("wave/instructions/{id}.toml");
        let mut category: Category = read(&file)?;
        share(&file, &category.common, category.instructions.iter_mut().flat_map(Instruction::texts))?;
        categories.push(Category { id, ..category });
    }
    categories.sort_by_key(|category| ORDER.iter().position(|id| *id == category.id));
    Ok(Data {
        categories,
        directives: read::<Directives>("wave/directives.toml")?.directive,
        registers: read::<Registers>("wave/special-registers.toml")?.register,
        classes: read::<Classes>("wave/registers.toml")?.class,
        scopes: read::<Scopes>("wave/scopes.toml")?.scope,
        hints: read::<Hints>("wave/cache-hints.toml")?.hint,
        spellings: read("wave/spellings.toml")?,
    })
}
