//! Reads the files of the PTX data.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::data::{self, categories, list, read};
use super::schema::entry::Evidence;
use super::schema::ptx::Instruction;
use super::schema::ptx_module::{
    CudaName, Directive, Feature, Gpu, Limits, Pragma, Release, SpacePart, SpecialRegister, StateSpace,
    Target, TargetOption, Type,
};
use super::schema::storage::Words;

pub(crate) type Category = data::Category<Instruction>;

pub(crate) struct Data {
    pub(crate) categories: Vec<Category>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) features: Vec<Feature>,
    pub(crate) cuda_names: Vec<CudaName>,
    pub(crate) pragmas: Vec<Pragma>,
    pub(crate) registers: Vec<SpecialRegister>,
    pub(crate) types: Vec<Type>,
    pub(crate) spaces: Spaces,
    pub(crate) modifiers: Modifiers,
    pub(crate) targets: Targets,
    pub(crate) versions: Vec<Release>,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spaces {
    #[serde(rename = "space")]
    pub(crate) spaces: Vec<StateSpace>,
    #[serde(rename = "part")]
    pub(crate) parts: Vec<SpacePart>,
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
    /// The classes in which it has this meaning. If empty, all classes that no other entry claims.
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
    #[serde(rename = "gpu")]
    pub(crate) gpus: Vec<Gpu>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Directives {
    directive: Vec<Directive>,
    feature: Vec<Feature>,
}

/// How instructions are known, by id. Those in no list are known from the text of the ISA.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    gpu: Vec<String>,
    assembler: Vec<String>,
}

/// Writes down how each instruction is known.
fn known(known: &Known, categories: &mut [Category]) -> Result<()> {
    let lists = [(&known.gpu, Evidence::Gpu), (&known.assembler, Evidence::Assembler)];
    for (id, evidence) in lists.iter().flat_map(|(list, evidence)| list.iter().map(move |id| (id, evidence)))
    {
        let mut entries = categories.iter_mut().flat_map(|category| &mut category.instructions);
        let entry = entries.find(|entry| entry.id == *id);
        entry.with_context(|| format!("ptx/evidence.toml: no instruction has the id `{id}`"))?.evidence =
            evidence.clone();
    }
    Ok(())
}

/// Reads all PTX data. The categories are in the order of NVIDIA's manual.
pub(crate) fn load() -> Result<Data> {
    let mut categories = categories("ptx/instructions", Instruction::texts)?;
    categories.sort_by_key(|category| {
        let first = category.instructions.first();
        first.map(|entry| section_key(&entry.section)).unwrap_or_default()
    });
    known(&read("ptx/evidence.toml")?, &mut categories)?;
    let directives: Directives = read("ptx/directives.toml")?;
    let mut registers: Vec<SpecialRegister> = list("ptx/special-registers.toml", "register")?;
    for register in registers.iter_mut().filter(|register| register.names.is_empty()) {
        register.names = Words(vec![register.name.clone()]);
    }
    Ok(Data {
        categories,
        directives: directives.directive,
        features: directives.feature,
        cuda_names: list("ptx/cuda.toml", "name")?,
        pragmas: list("ptx/pragmas.toml", "pragma")?,
        registers,
        types: list("ptx/types.toml", "type")?,
        spaces: read("ptx/state-spaces.toml")?,
        modifiers: read("ptx/modifiers.toml")?,
        targets: read("ptx/targets.toml")?,
        versions: list("ptx/versions.toml", "version")?,
    })
}

/// A section number as a list of numbers, so that 9.7.2 is before 9.7.10.
fn section_key(section: &str) -> Vec<u32> {
    section.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}
