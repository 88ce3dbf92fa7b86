//! The schema of the PTX data.

use anyhow::Result;
use serde::Deserialize;

use super::data::{files, read};

/// All PTX data.
pub(super) struct Data {
    pub(super) categories: Vec<Category>,
    pub(super) directives: Vec<Directive>,
    pub(super) pragmas: Vec<Pragma>,
    pub(super) registers: Vec<Register>,
    pub(super) types: Vec<Type>,
    pub(super) spaces: Spaces,
    pub(super) modifiers: Modifiers,
    pub(super) targets: Targets,
    pub(super) versions: Vec<Release>,
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
    pub(super) id: String,
    /// The id, where absent.
    name: Option<String>,
    pub(super) section: String,
    pub(super) since: String,
    #[serde(default)]
    pub(super) since_note: String,
    pub(super) target: String,
    #[serde(default)]
    pub(super) status: Status,
    #[serde(default = "yes")]
    pub(super) predicable: bool,
    pub(super) simulation: String,
    pub(super) summary: String,
    pub(super) syntax: Vec<String>,
    #[serde(default)]
    pub(super) modifiers: Vec<ModifierClass>,
    #[serde(default)]
    pub(super) operands: Vec<Operand>,
    pub(super) semantics: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) divergence: String,
    pub(super) measured: Vec<Measured>,
    pub(super) example: Example,
}

impl Instruction {
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    pub(super) fn opcode(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModifierClass {
    pub(super) class: String,
    pub(super) values: String,
    #[serde(default)]
    pub(super) optional: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operand {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) kinds: String,
    #[serde(default)]
    pub(super) optional: bool,
    #[serde(default)]
    pub(super) about: String,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Read,
    Write,
    Both,
}

#[derive(Deserialize, Debug, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    #[default]
    Current,
    Deprecated,
    Removed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measured {
    pub(super) code: String,
    pub(super) since: String,
    pub(super) target: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    pub(super) target: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) declarations: String,
    pub(super) code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Directive {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) section: String,
    pub(super) since: String,
    #[serde(default)]
    pub(super) since_note: String,
    pub(super) target: String,
    #[serde(default)]
    pub(super) status: Status,
    pub(super) summary: String,
    pub(super) syntax: Vec<String>,
    pub(super) places: Vec<String>,
    #[serde(default)]
    pub(super) requires: Vec<String>,
    #[serde(default)]
    pub(super) conflicts: Vec<String>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    pub(super) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pragma {
    pub(super) string: String,
    #[serde(default)]
    pub(super) arguments: String,
    pub(super) since: String,
    pub(super) target: String,
    pub(super) summary: String,
    pub(super) places: Vec<String>,
    pub(super) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Register {
    pub(super) name: String,
    /// The name, where absent.
    pub(super) names: Option<String>,
    pub(super) section: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    pub(super) bits: u8,
    #[serde(default)]
    pub(super) components: String,
    pub(super) scope: Scope,
    pub(super) since: String,
    #[serde(default)]
    pub(super) since_note: String,
    pub(super) target: String,
    pub(super) summary: String,
    pub(super) range: String,
    pub(super) simulator: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    pub(super) example: Example,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scope {
    Thread,
    Warp,
    Cta,
    Cluster,
    Grid,
    Device,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) kind: TypeKind,
    pub(super) bits: u8,
    #[serde(default = "one")]
    pub(super) elements: u8,
    pub(super) storage: Option<String>,
    pub(super) since: String,
    pub(super) target: String,
    pub(super) summary: String,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum TypeKind {
    Unsigned,
    Signed,
    Float,
    Bits,
    Predicate,
    Opaque,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spaces {
    #[serde(rename = "space")]
    pub(super) spaces: Vec<Space>,
    #[serde(rename = "part")]
    pub(super) parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Space {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) declared: String,
    pub(super) initial: String,
    pub(super) addressable: bool,
    pub(super) writable: bool,
    pub(super) initialisers: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) of: String,
    pub(super) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Modifiers {
    #[serde(rename = "class")]
    pub(super) classes: Vec<Class>,
    #[serde(rename = "modifier")]
    pub(super) modifiers: Vec<Modifier>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Class {
    pub(super) names: String,
    pub(super) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Modifier {
    pub(super) names: String,
    /// The classes in which it means this; empty for all that no other entry claims.
    #[serde(default)]
    pub(super) classes: String,
    pub(super) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Targets {
    #[serde(rename = "target")]
    pub(super) targets: Vec<Target>,
    #[serde(rename = "option")]
    pub(super) options: Vec<TargetOption>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) since: String,
    #[serde(default)]
    pub(super) generation: String,
    pub(super) family: Option<u16>,
    #[serde(default)]
    pub(super) note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetOption {
    pub(super) name: String,
    pub(super) since: String,
    pub(super) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Release {
    pub(super) version: String,
    #[serde(default)]
    pub(super) toolkit: String,
    #[serde(default)]
    pub(super) note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Directives {
    directive: Vec<Directive>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pragmas {
    pragma: Vec<Pragma>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registers {
    register: Vec<Register>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Types {
    r#type: Vec<Type>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Releases {
    version: Vec<Release>,
}

fn yes() -> bool {
    true
}

fn one() -> u8 {
    1
}

/// Reads all PTX data; the categories come in the order of the public description.
pub(super) fn load() -> Result<Data> {
    let mut categories = Vec::new();
    for id in files("ptx/instructions")? {
        let category: Category = read(&format!("ptx/instructions/{id}.toml"))?;
        categories.push(Category { id, ..category });
    }
    categories.sort_by_key(|category| {
        let first = category.instructions.first();
        first.map(|entry| section_key(&entry.section)).unwrap_or_default()
    });
    Ok(Data {
        categories,
        directives: read::<Directives>("ptx/directives.toml")?.directive,
        pragmas: read::<Pragmas>("ptx/pragmas.toml")?.pragma,
        registers: read::<Registers>("ptx/special-registers.toml")?.register,
        types: read::<Types>("ptx/types.toml")?.r#type,
        spaces: read("ptx/state-spaces.toml")?,
        modifiers: read("ptx/modifiers.toml")?,
        targets: read("ptx/targets.toml")?,
        versions: read::<Releases>("ptx/versions.toml")?.version,
    })
}

/// A section number as numbers, so that 9.7.2 comes before 9.7.10.
fn section_key(section: &str) -> Vec<u32> {
    section.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}
