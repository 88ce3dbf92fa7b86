//! The schema of the PTX data.

use anyhow::Result;
use serde::Deserialize;

use super::data::{Common, files, read, share};

/// All PTX data.
pub(in crate::codegen) struct Data {
    pub(in crate::codegen) categories: Vec<Category>,
    pub(in crate::codegen) directives: Vec<Directive>,
    pub(in crate::codegen) features: Vec<Feature>,
    pub(in crate::codegen) pragmas: Vec<Pragma>,
    pub(in crate::codegen) registers: Vec<Register>,
    pub(in crate::codegen) types: Vec<Type>,
    pub(in crate::codegen) spaces: Spaces,
    pub(in crate::codegen) modifiers: Modifiers,
    pub(in crate::codegen) targets: Targets,
    pub(in crate::codegen) versions: Vec<Release>,
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
    pub(in crate::codegen) id: String,
    /// The id, where absent.
    name: Option<String>,
    pub(in crate::codegen) section: String,
    pub(in crate::codegen) since: String,
    #[serde(default)]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    #[serde(default)]
    pub(in crate::codegen) status: Status,
    #[serde(default = "yes")]
    pub(in crate::codegen) predicable: bool,
    pub(in crate::codegen) simulation: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) syntax: Vec<String>,
    /// One form a line, as data/README.md says.
    #[serde(default)]
    pub(in crate::codegen) forms: String,
    #[serde(default)]
    pub(in crate::codegen) modifiers: Vec<ModifierClass>,
    #[serde(default)]
    pub(in crate::codegen) operands: Vec<Operand>,
    pub(in crate::codegen) semantics: String,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(default)]
    pub(in crate::codegen) divergence: String,
    pub(in crate::codegen) measured: Vec<Measured>,
    pub(in crate::codegen) example: Example,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.notes.iter_mut().chain([&mut self.divergence])
    }

    pub(in crate::codegen) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    pub(in crate::codegen) fn opcode(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct ModifierClass {
    pub(in crate::codegen) class: String,
    pub(in crate::codegen) values: String,
    #[serde(default)]
    pub(in crate::codegen) optional: bool,
    /// What each value counts, where that is not the number in it: `4`, or `index+3` where the first is an index.
    #[serde(default)]
    pub(in crate::codegen) counts: String,
    /// What its values need wherever they stand, if no form says otherwise.
    #[serde(default)]
    pub(in crate::codegen) needs: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Operand {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) role: Role,
    pub(in crate::codegen) kinds: String,
    /// Its type and length in forms that do not say them.
    #[serde(rename = "type")]
    pub(in crate::codegen) ty: Option<String>,
    #[serde(default)]
    pub(in crate::codegen) optional: bool,
    /// The assembler does not widen a register of 32 bits in this address.
    #[serde(default)]
    pub(in crate::codegen) wide: bool,
    /// It stands in the brackets of the operand before it.
    #[serde(default)]
    pub(in crate::codegen) inside: bool,
    #[serde(default)]
    pub(in crate::codegen) about: String,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum Role {
    Read,
    Write,
    Both,
}

#[derive(Deserialize, Debug, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum Status {
    #[default]
    Current,
    Deprecated,
    Removed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Measured {
    pub(in crate::codegen) code: String,
    pub(in crate::codegen) since: String,
    pub(in crate::codegen) target: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Example {
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) version: String,
    #[serde(default)]
    pub(in crate::codegen) declarations: String,
    pub(in crate::codegen) code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Directive {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) group: String,
    pub(in crate::codegen) section: String,
    pub(in crate::codegen) since: String,
    #[serde(default)]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    #[serde(default)]
    pub(in crate::codegen) status: Status,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) syntax: Vec<String>,
    pub(in crate::codegen) places: Vec<String>,
    #[serde(default)]
    pub(in crate::codegen) requires: Vec<String>,
    #[serde(default)]
    pub(in crate::codegen) conflicts: Vec<String>,
    /// What becomes of it where something that it requires is not there.
    #[serde(default)]
    pub(in crate::codegen) unmet: Unmet,
    /// What the assembler demands, where that is not `since` and `target`.
    pub(in crate::codegen) gate: Option<String>,
    /// The first version without it.
    pub(in crate::codegen) until: Option<String>,
    /// Before the bodies of which it stands: `entry`, `func`, `prototype`.
    #[serde(default)]
    pub(in crate::codegen) holders: String,
    /// How many numbers follow it there: `1`, `1..3`; none where it is left out.
    #[serde(default)]
    pub(in crate::codegen) values: String,
    /// Whether these may be zero.
    #[serde(default)]
    pub(in crate::codegen) zero: bool,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum Unmet {
    #[default]
    Rejected,
    Ignored,
}

/// A part of a directive that came later than the directive.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Feature {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) what: String,
    pub(in crate::codegen) gate: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Pragma {
    pub(in crate::codegen) string: String,
    #[serde(default)]
    pub(in crate::codegen) arguments: String,
    pub(in crate::codegen) since: String,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) places: Vec<String>,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Register {
    pub(in crate::codegen) name: String,
    /// The name, where absent.
    pub(in crate::codegen) names: Option<String>,
    pub(in crate::codegen) section: String,
    #[serde(rename = "type")]
    pub(in crate::codegen) ty: String,
    pub(in crate::codegen) bits: u8,
    #[serde(default)]
    pub(in crate::codegen) components: String,
    pub(in crate::codegen) scope: Scope,
    pub(in crate::codegen) since: String,
    #[serde(default)]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) range: String,
    pub(in crate::codegen) simulator: String,
    #[serde(default)]
    pub(in crate::codegen) notes: Vec<String>,
    pub(in crate::codegen) example: Example,
}

#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum Scope {
    Thread,
    Warp,
    Cta,
    Cluster,
    Grid,
    Device,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Type {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) kind: TypeKind,
    pub(in crate::codegen) bits: u8,
    #[serde(default = "one")]
    pub(in crate::codegen) elements: u8,
    pub(in crate::codegen) storage: Option<String>,
    /// The register types that hold a value; by default as `register_types` says.
    pub(in crate::codegen) registers: Option<String>,
    pub(in crate::codegen) since: String,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(in crate::codegen) enum TypeKind {
    Unsigned,
    Signed,
    Float,
    Bits,
    Predicate,
    Opaque,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Spaces {
    #[serde(rename = "space")]
    pub(in crate::codegen) spaces: Vec<Space>,
    #[serde(rename = "part")]
    pub(in crate::codegen) parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Space {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) declared: String,
    pub(in crate::codegen) initial: String,
    pub(in crate::codegen) addressable: bool,
    pub(in crate::codegen) writable: bool,
    pub(in crate::codegen) initialisers: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Part {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) of: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Modifiers {
    pub(in crate::codegen) repeatable: String,
    pub(in crate::codegen) movable: String,
    #[serde(rename = "class")]
    pub(in crate::codegen) classes: Vec<Class>,
    #[serde(rename = "modifier")]
    pub(in crate::codegen) modifiers: Vec<Modifier>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Class {
    pub(in crate::codegen) names: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Modifier {
    pub(in crate::codegen) names: String,
    /// The classes in which it means this; empty for all that no other entry claims.
    #[serde(default)]
    pub(in crate::codegen) classes: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Targets {
    #[serde(rename = "target")]
    pub(in crate::codegen) targets: Vec<Target>,
    #[serde(rename = "option")]
    pub(in crate::codegen) options: Vec<TargetOption>,
    pub(in crate::codegen) limits: Vec<Limits>,
}

/// What a multiprocessor of some chips holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Limits {
    pub(in crate::codegen) chips: Vec<u16>,
    pub(in crate::codegen) threads_per_cta: u32,
    pub(in crate::codegen) warps_per_sm: u32,
    pub(in crate::codegen) ctas_per_sm: u32,
    pub(in crate::codegen) registers_per_sm: u32,
    pub(in crate::codegen) registers_per_cta: u32,
    pub(in crate::codegen) registers_per_thread: u32,
    pub(in crate::codegen) register_unit: u32,
    pub(in crate::codegen) shared_per_sm: u32,
    pub(in crate::codegen) shared_per_cta: u32,
    pub(in crate::codegen) shared_reserved: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Target {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) since: String,
    #[serde(default)]
    pub(in crate::codegen) generation: String,
    pub(in crate::codegen) family: Option<u16>,
    #[serde(default)]
    pub(in crate::codegen) note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct TargetOption {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) since: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Release {
    pub(in crate::codegen) version: String,
    #[serde(default)]
    pub(in crate::codegen) toolkit: String,
    #[serde(default)]
    pub(in crate::codegen) note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Directives {
    directive: Vec<Directive>,
    feature: Vec<Feature>,
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
pub(in crate::codegen) fn load() -> Result<Data> {
    let mut categories = Vec::new();
    for id in files("ptx/instructions")? {
        let file = format!("ptx/instructions/{id}.toml");
        let mut category: Category = read(&file)?;
        share(&file, &category.common, category.instructions.iter_mut().flat_map(Instruction::texts))?;
        categories.push(Category { id, ..category });
    }
    categories.sort_by_key(|category| {
        let first = category.instructions.first();
        first.map(|entry| section_key(&entry.section)).unwrap_or_default()
    });
    let directives: Directives = read("ptx/directives.toml")?;
    Ok(Data {
        categories,
        directives: directives.directive,
        features: directives.feature,
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
