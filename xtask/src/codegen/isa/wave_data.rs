//! The schema of the WAVE data.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::data::{self, Simulation, Words, categories, is_default, read, trimmed};
use super::ptx_data::Role;
use super::rust::Expression;

pub(crate) type Category = data::Category<Instruction>;

/// All WAVE data.
pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) classes: Vec<RegisterClass>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) hints: Vec<CacheHint>,
    pub(crate) invalid: InvalidNames,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instruction {
    pub(crate) mnemonic: String,
    /// In the data the mnemonic, where absent, and empty for none.
    pub(crate) toolchain: Option<String>,
    pub(crate) section: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) specification: String,
    #[serde(default)]
    pub(crate) available: Availability,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) opcode: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) suffix: Suffix,
    pub(crate) simulation: Simulation,
    pub(crate) summary: String,
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) operands: Vec<Operand>,
    /// The operands, where absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) toolchain_operands: Vec<Operand>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) predicate_operands: Vec<Operand>,
    /// Equivalent instructions for an assembler that does not have this one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) replacement: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) notes: Vec<String>,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(crate) divergence: String,
    #[serde(deserialize_with = "trimmed")]
    pub(crate) example: String,
    /// The example, where absent.
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(crate) toolchain_example: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(super) category: Expression,
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(crate) encoding: Option<Encoding>,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> Vec<&mut String> {
        self.notes.iter_mut().chain([&mut self.divergence]).collect()
    }

    /// Fills in what the toolchain has in common with the guide.
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

#[derive(Deserialize, Serialize, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kinds: Words<OperandKind>,
    #[serde(default, rename(deserialize = "type"), skip_serializing_if = "is_default")]
    pub(crate) ty: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) optional: bool,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub(crate) enum OperandKind {
    #[serde(rename(deserialize = "gpr"))]
    General,
    Predicate,
    NotPredicate,
    Special,
    Immediate,
    Label,
    Scope,
    Fragment,
}

/// `Encoding` of the tables.
#[derive(Serialize, PartialEq)]
pub(crate) struct Encoding {
    pub(crate) opcode: u8,
    pub(crate) group: Group,
    pub(crate) modifier: Option<u8>,
    pub(crate) wide: bool,
}

#[derive(Serialize, PartialEq)]
pub(crate) enum Group {
    Plain,
    Sync,
    Move,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum Availability {
    Crates,
    Repository,
    #[default]
    Nowhere,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Suffix {
    #[default]
    None,
    #[serde(rename(deserialize = "cache hint"))]
    CacheHint,
    #[serde(rename(deserialize = "scope"))]
    Scope,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Directive {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    #[serde(deserialize_with = "trimmed")]
    pub(crate) example: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecialRegister {
    pub(crate) name: String,
    pub(crate) index: u8,
    pub(crate) available: Availability,
    pub(crate) uniform: bool,
    pub(crate) summary: String,
    pub(crate) example: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegisterClass {
    pub(crate) name: String,
    pub(crate) pattern: String,
    pub(crate) bits: u8,
    pub(crate) first: String,
    pub(crate) last: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scope {
    pub(crate) name: String,
    pub(crate) summary: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CacheHint {
    pub(crate) name: String,
    pub(crate) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvalidNames {
    #[serde(rename = "word")]
    pub(crate) names: Vec<InvalidName>,
    #[serde(rename = "pattern")]
    pub(crate) patterns: Vec<Mistake>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvalidName {
    #[serde(skip_serializing)]
    pub(crate) names: Words,
    /// The replacement; `*` stands for the name.
    pub(crate) write: String,
    pub(crate) why: String,
    /// One of the names, in a table.
    #[serde(skip_deserializing)]
    pub(crate) name: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mistake {
    pub(crate) written: String,
    pub(crate) toolchain: String,
    pub(crate) why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Directives {
    directive: Vec<Directive>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registers {
    register: Vec<SpecialRegister>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Classes {
    class: Vec<RegisterClass>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scopes {
    scope: Vec<Scope>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hints {
    hint: Vec<CacheHint>,
}

/// The order of the categories: what most programs use first.
const ORDER: [&str; 15] = [
    "control", "sync", "move", "integer", "bitwise", "compare", "float32", "convert", "memory", "atomic",
    "wave", "float16", "bfloat16", "float64", "mma",
];

/// Reads all WAVE data.
pub(crate) fn load() -> Result<Data> {
    let mut categories = categories("wave/instructions", Instruction::texts)?;
    categories.iter_mut().flat_map(|category| &mut category.instructions).for_each(Instruction::complete);
    categories.sort_by_key(|category| ORDER.iter().position(|id| *id == category.id));
    Ok(Data {
        categories,
        directives: read::<Directives>("wave/directives.toml")?.directive,
        registers: read::<Registers>("wave/special-registers.toml")?.register,
        classes: read::<Classes>("wave/registers.toml")?.class,
        scopes: read::<Scopes>("wave/scopes.toml")?.scope,
        hints: read::<Hints>("wave/cache-hints.toml")?.hint,
        invalid: read("wave/invalid-names.toml")?,
    })
}
