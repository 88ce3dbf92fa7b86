//! The schema of the WAVE data.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::data::{self, Simulation, Words, categories, is_default, read, trimmed};
use super::ptx_data::Role;
use super::rust::Expression;

pub(in crate::codegen) type Category = data::Category<Instruction>;

/// All WAVE data.
pub(in crate::codegen) struct Data {
    pub(in crate::codegen) categories: Vec<Category>,
    pub(in crate::codegen) directives: Vec<Directive>,
    pub(in crate::codegen) registers: Vec<SpecialRegister>,
    pub(in crate::codegen) classes: Vec<RegisterClass>,
    pub(in crate::codegen) scopes: Vec<Scope>,
    pub(in crate::codegen) hints: Vec<CacheHint>,
    pub(in crate::codegen) invalid: InvalidNames,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Instruction {
    pub(in crate::codegen) mnemonic: String,
    /// In the data the mnemonic, where absent, and empty for none.
    pub(in crate::codegen) toolchain: Option<String>,
    pub(in crate::codegen) section: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) specification: String,
    #[serde(default)]
    pub(in crate::codegen) available: Availability,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) opcode: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) suffix: Suffix,
    pub(in crate::codegen) simulation: Simulation,
    pub(in crate::codegen) summary: String,
    #[serde(skip_serializing_if = "is_default")]
    pub(in crate::codegen) operands: Vec<Operand>,
    /// The operands, where absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) toolchain_operands: Vec<Operand>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) predicate_operands: Vec<Operand>,
    /// Equivalent instructions for an assembler that does not have this one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) replacement: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(in crate::codegen) divergence: String,
    #[serde(deserialize_with = "trimmed")]
    pub(in crate::codegen) example: String,
    /// The example, where absent.
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(in crate::codegen) toolchain_example: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(super) category: Expression,
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(in crate::codegen) encoding: Option<Encoding>,
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
pub(in crate::codegen) struct Operand {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) role: Role,
    pub(in crate::codegen) kinds: Words<OperandKind>,
    #[serde(default, rename(deserialize = "type"), skip_serializing_if = "is_default")]
    pub(in crate::codegen) ty: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) optional: bool,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq)]
#[serde(rename_all(deserialize = "kebab-case"))]
pub(in crate::codegen) enum OperandKind {
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
pub(in crate::codegen) struct Encoding {
    pub(in crate::codegen) opcode: u8,
    pub(in crate::codegen) group: Group,
    pub(in crate::codegen) modifier: Option<u8>,
    pub(in crate::codegen) wide: bool,
}

#[derive(Serialize, PartialEq)]
pub(in crate::codegen) enum Group {
    Plain,
    Sync,
    Move,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(in crate::codegen) enum Availability {
    Crates,
    Repository,
    #[default]
    Nowhere,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::codegen) enum Suffix {
    #[default]
    None,
    #[serde(rename(deserialize = "cache hint"))]
    CacheHint,
    #[serde(rename(deserialize = "scope"))]
    Scope,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Directive {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) arguments: String,
    pub(in crate::codegen) summary: String,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(deserialize_with = "trimmed")]
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct SpecialRegister {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) index: u8,
    pub(in crate::codegen) available: Availability,
    pub(in crate::codegen) uniform: bool,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize, Serialize)]
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

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Scope {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct CacheHint {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct InvalidNames {
    #[serde(rename = "word")]
    pub(in crate::codegen) names: Vec<InvalidName>,
    #[serde(rename = "pattern")]
    pub(in crate::codegen) patterns: Vec<Mistake>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct InvalidName {
    #[serde(skip_serializing)]
    pub(in crate::codegen) names: Words,
    /// The replacement; `*` stands for the name.
    pub(in crate::codegen) write: String,
    pub(in crate::codegen) why: String,
    /// One of the names, in a table.
    #[serde(skip_deserializing)]
    pub(in crate::codegen) name: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Mistake {
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
pub(in crate::codegen) fn load() -> Result<Data> {
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
