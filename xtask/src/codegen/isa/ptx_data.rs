//! The schema of the PTX data.

use anyhow::Result;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::availability::Requirement;
use super::data::{self, Simulation, Version, Words, categories, is_default, lines, read, trimmed};
use super::rust::Expression;

pub(in crate::codegen) type Category = data::Category<Instruction>;

/// All PTX data.
pub(in crate::codegen) struct Data {
    pub(in crate::codegen) categories: Vec<Category>,
    pub(in crate::codegen) directives: Vec<Directive>,
    pub(in crate::codegen) features: Vec<Feature>,
    pub(in crate::codegen) pragmas: Vec<Pragma>,
    pub(in crate::codegen) registers: Vec<SpecialRegister>,
    pub(in crate::codegen) types: Vec<Type>,
    pub(in crate::codegen) spaces: Spaces,
    pub(in crate::codegen) modifiers: Modifiers,
    pub(in crate::codegen) targets: Targets,
    pub(in crate::codegen) versions: Vec<Release>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Instruction {
    pub(in crate::codegen) id: String,
    /// The id, where absent.
    #[serde(default)]
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) section: String,
    pub(in crate::codegen) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) status: Status,
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub(in crate::codegen) predicable: bool,
    pub(in crate::codegen) simulation: Simulation,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) syntax: Vec<String>,
    /// One form a line, as data/README.md says.
    #[serde(default, rename(deserialize = "forms"), skip_serializing)]
    pub(in crate::codegen) form_lines: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) modifiers: Vec<ModifierClass>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) operands: Vec<Operand>,
    #[serde(deserialize_with = "lines")]
    pub(in crate::codegen) semantics: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(in crate::codegen) divergence: String,
    pub(in crate::codegen) measured: Vec<Measured>,
    pub(in crate::codegen) example: Example,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(in crate::codegen) opcode: String,
    /// The words of the name that follow the opcode, except for those that a required class includes.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(in crate::codegen) words: Vec<String>,
    #[serde(skip_deserializing)]
    pub(super) category: Expression,
    #[serde(skip_deserializing)]
    pub(super) forms: Expression,
    /// Every single modifier, sorted.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(in crate::codegen) vocabulary: Vec<String>,
    /// The types that it works on, without dots, in the order of its modifiers.
    #[serde(skip_deserializing, skip_serializing_if = "is_default")]
    pub(in crate::codegen) types: Vec<String>,
}

impl Instruction {
    /// The texts that may be shared.
    fn texts(&mut self) -> Vec<&mut String> {
        self.notes.iter_mut().chain([&mut self.divergence]).collect()
    }

    pub(in crate::codegen) fn name(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    pub(in crate::codegen) fn opcode(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }
}

#[derive(Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct ModifierClass {
    #[serde(rename(serialize = "name"))]
    pub(in crate::codegen) class: String,
    #[serde(rename(deserialize = "values"), skip_serializing)]
    pub(in crate::codegen) listed: String,
    #[serde(default)]
    pub(in crate::codegen) optional: bool,
    /// What each value counts, where that is not the number in it: `4`, or `index+3` where the first is an index.
    #[serde(default, skip_serializing)]
    pub(in crate::codegen) counts: String,
    /// What its values require wherever they are used, if no form says otherwise.
    #[serde(default, skip_serializing)]
    pub(in crate::codegen) needs: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(in crate::codegen) summary: String,
    #[serde(skip_deserializing)]
    pub(in crate::codegen) values: Vec<Meaning>,
}

/// `Modifier` of the tables: a modifier in one meaning.
#[derive(Serialize, Clone, Debug, PartialEq)]
#[serde(rename = "Modifier")]
pub(in crate::codegen) struct Meaning {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Operand {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) role: Role,
    pub(in crate::codegen) kinds: Words<OperandKind>,
    /// Its type and length in forms that do not specify them.
    #[serde(rename(deserialize = "type"), skip_serializing)]
    pub(in crate::codegen) ty: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) optional: bool,
    /// The assembler does not widen a register of 32 bits in this address.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) wide: bool,
    /// It is in the brackets of the operand before it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) inside: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) about: String,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq)]
pub(in crate::codegen) enum OperandKind {
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
pub(in crate::codegen) enum Role {
    Read,
    Write,
    Both,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(in crate::codegen) enum Status {
    #[default]
    Current,
    Deprecated,
    Removed,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Measured {
    pub(in crate::codegen) code: String,
    pub(in crate::codegen) since: Version,
    pub(in crate::codegen) target: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Example {
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) version: Version,
    #[serde(default, deserialize_with = "trimmed", skip_serializing_if = "is_default")]
    pub(in crate::codegen) declarations: String,
    #[serde(deserialize_with = "trimmed")]
    pub(in crate::codegen) code: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Directive {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) group: String,
    pub(in crate::codegen) section: String,
    pub(in crate::codegen) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) status: Status,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) syntax: Vec<String>,
    pub(in crate::codegen) places: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) requires: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) conflicts: Vec<String>,
    /// The effect where a directive that it requires is missing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) missing_requirement: MissingRequirement,
    /// What the assembler requires, where that is not `since` and `target`.
    #[serde(rename(deserialize = "gate"), skip_serializing)]
    pub(in crate::codegen) gate: Option<String>,
    /// The first version without it.
    #[serde(skip_serializing_if = "is_default")]
    pub(in crate::codegen) until: Option<Version>,
    /// Before the bodies of which it may be written: `entry`, `func`, `prototype`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) holders: Words<Holder>,
    /// How many numbers follow it there: `1`, `1..3`; none where it is omitted.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "count")]
    pub(in crate::codegen) values: (u8, u8),
    /// Whether these may be zero.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) zero: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) notes: Vec<String>,
    #[serde(deserialize_with = "trimmed")]
    pub(in crate::codegen) example: String,

    /// Filled in by the generator.
    #[serde(skip_deserializing)]
    pub(super) requirement: Requirement,
}

#[derive(Deserialize, Serialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(in crate::codegen) enum MissingRequirement {
    #[default]
    Rejected,
    Ignored,
}

#[derive(Deserialize, Serialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(in crate::codegen) enum Holder {
    Entry,
    Func,
    Prototype,
}

/// A part of a directive that was added later than the directive.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Feature {
    #[serde(skip_serializing)]
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) what: String,
    #[serde(rename(deserialize = "gate", serialize = "requirement"), deserialize_with = "requirement")]
    pub(super) requirement: Requirement,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Pragma {
    #[serde(rename(deserialize = "string"))]
    pub(in crate::codegen) name: String,
    #[serde(default)]
    pub(in crate::codegen) arguments: String,
    pub(in crate::codegen) since: Version,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) places: Vec<String>,
    pub(in crate::codegen) example: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct SpecialRegister {
    pub(in crate::codegen) name: String,
    /// The name, where absent.
    #[serde(default)]
    pub(in crate::codegen) names: Words,
    pub(in crate::codegen) section: String,
    #[serde(rename(deserialize = "type"))]
    pub(in crate::codegen) ty: String,
    pub(in crate::codegen) bits: u8,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) components: Words,
    pub(in crate::codegen) scope: Scope,
    pub(in crate::codegen) since: Version,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) since_note: String,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) range: String,
    pub(in crate::codegen) simulator: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(in crate::codegen) notes: Vec<String>,
    pub(in crate::codegen) example: Example,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy)]
#[serde(rename_all(deserialize = "lowercase"))]
pub(in crate::codegen) enum Scope {
    Thread,
    Warp,
    Cta,
    Cluster,
    Grid,
    Device,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Type {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) kind: TypeKind,
    pub(in crate::codegen) bits: u8,
    #[serde(default = "one")]
    pub(in crate::codegen) elements: u8,
    pub(in crate::codegen) storage: Option<String>,
    /// The register types that hold a value; by default as `register_types` says.
    #[serde(default)]
    pub(in crate::codegen) registers: Words,
    pub(in crate::codegen) since: Version,
    pub(in crate::codegen) target: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize, Serialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all(deserialize = "lowercase"))]
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
    pub(in crate::codegen) spaces: Vec<StateSpace>,
    #[serde(rename = "part")]
    pub(in crate::codegen) parts: Vec<SpacePart>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct StateSpace {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) summary: String,
    pub(in crate::codegen) declared: String,
    pub(in crate::codegen) initial: String,
    pub(in crate::codegen) addressable: bool,
    pub(in crate::codegen) writable: bool,
    pub(in crate::codegen) initialisers: bool,
    /// Filled in by the generator.
    #[serde(skip_deserializing)]
    pub(in crate::codegen) parts: Vec<SpacePart>,
}

#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct SpacePart {
    pub(in crate::codegen) name: String,
    #[serde(skip_serializing)]
    pub(in crate::codegen) of: String,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Modifiers {
    pub(in crate::codegen) repeatable: Words,
    pub(in crate::codegen) movable: Words,
    #[serde(rename = "class")]
    pub(in crate::codegen) classes: Vec<Class>,
    #[serde(rename = "modifier")]
    pub(in crate::codegen) modifiers: Vec<Modifier>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Class {
    pub(in crate::codegen) names: Words,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Modifier {
    pub(in crate::codegen) names: String,
    /// The classes in which it means this; empty for all that no other entry claims.
    #[serde(default)]
    pub(in crate::codegen) classes: Words,
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

/// The resources of a multiprocessor of some chips.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Limits {
    #[serde(skip_serializing)]
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

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Target {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) since: Version,
    #[serde(default)]
    pub(in crate::codegen) generation: String,
    pub(in crate::codegen) family: Option<u16>,
    #[serde(default)]
    pub(in crate::codegen) note: String,

    // The rest is not in the data: the generator fills it in.
    #[serde(skip_deserializing)]
    pub(in crate::codegen) number: u16,
    #[serde(skip_deserializing)]
    pub(super) limits: Option<Expression>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct TargetOption {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) since: Version,
    pub(in crate::codegen) summary: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(in crate::codegen) struct Release {
    pub(in crate::codegen) version: Version,
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
pub(in crate::codegen) fn load() -> Result<Data> {
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
