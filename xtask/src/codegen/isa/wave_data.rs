//! The schema of the WAVE data.

use anyhow::Result;
use serde::Deserialize;

use super::data::{files, read};
use super::ptx_data::Role;

/// All WAVE data.
pub(super) struct Data {
    pub(super) categories: Vec<Category>,
    pub(super) directives: Vec<Directive>,
    pub(super) registers: Vec<Register>,
    pub(super) classes: Vec<RegisterClass>,
    pub(super) scopes: Vec<Word>,
    pub(super) hints: Vec<Word>,
    pub(super) spellings: Spellings,
}

/// One file of instructions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Category {
    #[serde(skip)]
    pub(super) id: String,
    pub(super) title: String,
    pub(super) about: String,
    #[serde(rename = "instruction")]
    pub(super) instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instruction {
    pub(super) mnemonic: String,
    /// The mnemonic, where absent; empty for none.
    toolchain: Option<String>,
    pub(super) section: String,
    #[serde(default)]
    pub(super) specification: String,
    #[serde(default)]
    pub(super) available: Availability,
    #[serde(default)]
    pub(super) opcode: String,
    #[serde(default)]
    pub(super) suffix: Suffix,
    pub(super) simulation: String,
    pub(super) summary: String,
    pub(super) operands: Vec<Operand>,
    /// The operands, where absent.
    pub(super) toolchain_operands: Option<Vec<Operand>>,
    #[serde(default)]
    pub(super) predicate_operands: Vec<Operand>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) divergence: String,
    pub(super) example: String,
    /// The example, where absent.
    pub(super) toolchain_example: Option<String>,
}

impl Instruction {
    /// The toolchain's spelling, if it has the instruction.
    pub(super) fn toolchain(&self) -> Option<&str> {
        match self.toolchain.as_deref() {
            None => Some(&self.mnemonic),
            Some("") => None,
            Some(name) => Some(name),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operand {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kinds: String,
    #[serde(default, rename = "type")]
    pub(super) ty: String,
    #[serde(default)]
    pub(super) optional: bool,
}

#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Availability {
    Crates,
    Repository,
    #[default]
    Nowhere,
}

#[derive(Deserialize, Debug, Clone, Copy, Default)]
pub(super) enum Suffix {
    #[default]
    None,
    #[serde(rename = "cache hint")]
    CacheHint,
    #[serde(rename = "scope")]
    Scope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Directive {
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    pub(super) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Register {
    pub(super) name: String,
    pub(super) index: u8,
    pub(super) available: Availability,
    pub(super) uniform: bool,
    pub(super) summary: String,
    pub(super) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterClass {
    pub(super) name: String,
    pub(super) pattern: String,
    pub(super) bits: u8,
    pub(super) first: String,
    pub(super) last: String,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
}

/// A scope or a cache hint.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Word {
    pub(super) name: String,
    pub(super) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spellings {
    #[serde(rename = "word")]
    pub(super) words: Vec<Spelling>,
    #[serde(rename = "pattern")]
    pub(super) patterns: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spelling {
    pub(super) names: String,
    /// What to write; `*` stands for the name.
    pub(super) write: String,
    pub(super) why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pattern {
    pub(super) written: String,
    pub(super) toolchain: String,
    pub(super) why: String,
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
pub(super) fn load() -> Result<Data> {
    let mut categories = Vec::new();
    for id in files("wave/instructions")? {
        let category: Category = read(&format!("wave/instructions/{id}.toml"))?;
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
