//! The schema of the PTX data.

use anyhow::Result;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::availability::Requirement;
use super::data::{self, Simulation, Version, Words, categories, is_default, lines, read, trimmed};
use super::rust::Expression;

pub(crate) type Category = data::Category<Instruction>;

/// All PTX data.
pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) features: Vec<Feature>,
    pub(crate) pragmas: Vec<Pragma>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) types: Vec<Type>,
    pub(crate) spaces: Spaces,
    pub(crate) modifiers: Modifiers,
    pub(crate) targets: Targets,
    pub(crate) versions: Vec<Release>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instruction {
    pub(crate) id: String,
    /// The id, where absent.
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) section: String,
    pub(crate) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) since_note: String,
    pub(crate) target: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) status: Status,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(crate) predicable: bool,
    pub(crate) simulation: Simulation,
    pub(crate) summary: String,
    pub(crate) syntax: Vec<String>,
    /// One form a line, as data/README.md says.
    #[serde(default, rename(deserialize = "forms"), skip_serializing)]
    pub(crate) form_lines: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) modifiers: Vec<ModifierClass>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) operands: Vec<Operand>,
    #[serde(deserialize_with = "lines")]
    pub(crate) semantics: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) notes: Vec<String>,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(crate) divergence: String,
    pub(crate) measured: Vec<Measured>,
    pub(crate) example: Example,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(crate) opcode: String,
    /// The words of the name that follow the opcode, except for those that a required class includes.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(crate) words: Vec<String>,
    #[serde(skip_deserializing)]
    pub(super) category: Expression,
    #[serde(skip_deserializing)]
    pub(super) forms: Expression,
    /// Every single modifier, sorted.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(crate) vocabulary: Vec<String>,
    /// The types that it works on, without dots, in the order of its modifiers.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(crate) types: Vec<String>,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> Vec<&mut String> {
        self.notes.iter_mut().chain([&mut self.divergence]).collect()
    }

    pub(crate) fn name(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    pub(crate) fn opcode(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }
}

#[derive(Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModifierClass {
    #[serde(rename(serialize = "name"))]
    pub(crate) class: String,
    #[serde(rename(deserialize = "values"), skip_serializing)]
    pub(crate) listed: String,
    #[serde(default)]
    pub(crate) optional: bool,
    /// What each value counts, where that is not the number in it: `4`, or `index+3` where the first is an index.
    #[serde(default, skip_serializing)]
    pub(crate) counts: String,
    /// What its values require wherever they are used, if no form says otherwise.
    #[serde(default, skip_serializing)]
    pub(crate) needs: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(crate) summary: String,
    #[serde(skip_deserializing)]
    pub(crate) values: Vec<Meaning>,
}

/// `Modifier` of the tables: a modifier in one meaning.
#[derive(Serialize, Clone, Debug, PartialEq)]
#[serde(rename = "Modifier")]
pub(crate) struct Meaning {
    pub(crate) name: String,
    pub(crate) summary: String,
}

#[derive(Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kinds: Words<OperandKind>,
    /// Its type and length in forms that do not specify them.
    #[serde(rename(deserialize = "type"), skip_serializing)]
    pub(crate) ty: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) optional: bool,
    /// The assembler does not widen a register of 32 bits in this address.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) wide: bool,
    /// It is in the brackets of the operand before it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) inside: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) negatable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) about: String,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq)]
pub(crate) enum OperandKind {
    #[serde(rename(deserialize = "reg"))]
    Register,
    #[serde(rename(deserialize = "pred"))]
    Predicate,
    #[serde(rename(deserialize = "not-pred"))]
    NotPredicate,
    #[serde(rename(deserialize = "sreg"))]
    SpecialRegister,
    #[serde(rename(deserialize = "imm"))]
    Immediate,
    #[serde(rename(deserialize = "address"))]
    Address,
    #[serde(rename(deserialize = "vector"))]
    Vector,
    #[serde(rename(deserialize = "sink"))]
    Sink,
    #[serde(rename(deserialize = "symbol"))]
    Symbol,
    #[serde(rename(deserialize = "param"))]
    Parameter,
    #[serde(rename(deserialize = "label"))]
    Label,
    #[serde(rename(deserialize = "label-address"))]
    LabelAddress,
    #[serde(rename(deserialize = "texref"))]
    Texture,
    #[serde(rename(deserialize = "samplerref"))]
    Sampler,
    #[serde(rename(deserialize = "surfref"))]
    Surface,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum Role {
    Read,
    Write,
    Both,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum Status {
    #[default]
    Current,
    Deprecated,
    Removed,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    pub(crate) code: String,
    pub(crate) since: Version,
    pub(crate) target: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    pub(crate) target: String,
    pub(crate) version: Version,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(crate) declarations: String,
    #[serde(deserialize_with = "trimmed")]
    pub(crate) code: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Directive {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) section: String,
    pub(crate) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) since_note: String,
    pub(crate) target: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) status: Status,
    pub(crate) summary: String,
    pub(crate) syntax: Vec<String>,
    pub(crate) places: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) requires: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) conflicts: Vec<String>,
    /// The effect where a directive that it requires is missing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) missing_requirement: MissingRequirement,
    /// What the assembler requires, where that is not `since` and `target`.
    #[serde(rename(deserialize = "gate"), skip_serializing)]
    pub(crate) gate: Option<String>,
    /// The first version without it.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) until: Option<Version>,
    /// Before the bodies of which it may be written: `entry`, `func`, `prototype`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) holders: Words<Holder>,
    /// How many numbers follow it there: `1`, `1..3`; none where it is omitted.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "count")]
    pub(crate) values: (u8, u8),
    /// Whether these may be zero.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) zero: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) notes: Vec<String>,
    #[serde(deserialize_with = "trimmed")]
    pub(crate) example: String,

    /// Filled in by the generator.
    #[serde(skip_deserializing)]
    pub(super) requirement: Requirement,
}

#[derive(Deserialize, Serialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum MissingRequirement {
    #[default]
    Rejected,
    Ignored,
}

#[derive(Deserialize, Serialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum Holder {
    Entry,
    Func,
    Prototype,
}

/// A part of a directive that was added later than the directive.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feature {
    #[serde(skip_serializing)]
    pub(crate) name: String,
    pub(crate) what: String,
    #[serde(rename(deserialize = "gate", serialize = "requirement"), deserialize_with = "requirement")]
    pub(super) requirement: Requirement,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pragma {
    #[serde(rename(deserialize = "string"))]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: String,
    pub(crate) since: Version,
    pub(crate) target: String,
    pub(crate) summary: String,
    pub(crate) places: Vec<String>,
    pub(crate) example: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecialRegister {
    pub(crate) name: String,
    /// The name, where absent.
    #[serde(default)]
    pub(crate) names: Words,
    pub(crate) section: String,
    #[serde(rename(deserialize = "type"))]
    pub(crate) ty: String,
    pub(crate) bits: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) components: Words,
    pub(crate) scope: Scope,
    pub(crate) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) since_note: String,
    pub(crate) target: String,
    pub(crate) summary: String,
    pub(crate) range: String,
    pub(crate) simulator: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) notes: Vec<String>,
    pub(crate) example: Example,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum Scope {
    Thread,
    Warp,
    Cta,
    Cluster,
    Grid,
    Device,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) kind: TypeKind,
    pub(crate) bits: u8,
    #[serde(default = "one")]
    pub(crate) elements: u8,
    pub(crate) storage: Option<String>,
    /// The register types that hold a value; by default as `register_types` says.
    #[serde(default)]
    pub(crate) registers: Words,
    pub(crate) since: Version,
    pub(crate) target: String,
    pub(crate) summary: String,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(crate) enum TypeKind {
    Unsigned,
    Signed,
    Float,
    Bits,
    Predicate,
    Opaque,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spaces {
    #[serde(rename = "space")]
    pub(crate) spaces: Vec<StateSpace>,
    #[serde(rename = "part")]
    pub(crate) parts: Vec<SpacePart>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateSpace {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) declared: String,
    pub(crate) initial: String,
    pub(crate) addressable: bool,
    pub(crate) writable: bool,
    pub(crate) initialisers: bool,
    /// Filled in by the generator.
    #[serde(skip_deserializing)]
    pub(crate) parts: Vec<SpacePart>,
}

#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpacePart {
    pub(crate) name: String,
    #[serde(skip_serializing)]
    pub(crate) of: String,
    pub(crate) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modifiers {
    pub(crate) repeatable: Words,
    pub(crate) movable: Words,
    #[serde(rename = "class")]
    pub(crate) classes: Vec<Class>,
    #[serde(rename = "modifier")]
    pub(crate) modifiers: Vec<Modifier>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Class {
    pub(crate) names: Words,
    pub(crate) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modifier {
    pub(crate) names: String,
    /// The classes in which it means this; empty for all that no other entry claims.
    #[serde(default)]
    pub(crate) classes: Words,
    pub(crate) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Targets {
    #[serde(rename = "target")]
    pub(crate) targets: Vec<Target>,
    #[serde(rename = "option")]
    pub(crate) options: Vec<TargetOption>,
    pub(crate) limits: Vec<Limits>,
}

/// The resources of a multiprocessor of some chips.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    #[serde(skip_serializing)]
    pub(crate) chips: Vec<u16>,
    pub(crate) threads_per_cta: u32,
    pub(crate) warps_per_sm: u32,
    pub(crate) ctas_per_sm: u32,
    pub(crate) registers_per_sm: u32,
    pub(crate) registers_per_cta: u32,
    pub(crate) registers_per_thread: u32,
    pub(crate) register_unit: u32,
    pub(crate) shared_per_sm: u32,
    pub(crate) shared_per_cta: u32,
    pub(crate) shared_reserved: u32,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) since: Version,
    #[serde(default)]
    pub(crate) generation: String,
    pub(crate) family: Option<u16>,
    #[serde(default)]
    pub(crate) note: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(crate) number: u16,
    #[serde(skip_deserializing)]
    pub(super) limits: Option<Expression>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetOption {
    pub(crate) name: String,
    pub(crate) since: Version,
    pub(crate) summary: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    pub(crate) version: Version,
    #[serde(default)]
    pub(crate) toolkit: String,
    #[serde(default)]
    pub(crate) note: String,
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
    register: Vec<SpecialRegister>,
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

fn is_yes(value: &bool) -> bool {
    *value
}

/// `1..3`, or `1` for `1..1`.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(u8, u8), D::Error> {
    let text = String::deserialize(deserializer)?;
    let (min, max) = text.split_once("..").unwrap_or((&text, &text));
    let number = |text: &str| {
        text.parse().map_err(|_| D::Error::custom(format!("`{text}` is not a number of values")))
    };
    Ok((number(min)?, number(max)?))
}

fn requirement<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Requirement, D::Error> {
    Requirement::read(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn one() -> u8 {
    1
}

/// Reads all PTX data; the categories are in the order of the public description.
pub(crate) fn load() -> Result<Data> {
    let mut categories = categories("ptx/instructions", Instruction::texts)?;
    categories.sort_by_key(|category| {
        let first = category.instructions.first();
        first.map(|entry| section_key(&entry.section)).unwrap_or_default()
    });
    let directives: Directives = read("ptx/directives.toml")?;
    let mut registers = read::<Registers>("ptx/special-registers.toml")?.register;
    for register in registers.iter_mut().filter(|register| register.names.is_empty()) {
        register.names = Words(vec![register.name.clone()]);
    }
    Ok(Data {
        categories,
        directives: directives.directive,
        features: directives.feature,
        pragmas: read::<Pragmas>("ptx/pragmas.toml")?.pragma,
        registers,
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
