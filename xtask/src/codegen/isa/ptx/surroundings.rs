//! Everything that is no instruction: directives, special registers, types, state spaces and targets.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use super::example;
use super::form::need;
use crate::codegen::isa::data::{sentence, version, words};
use crate::codegen::isa::ptx_data::{Data, Directive, Limits, Register, Type, TypeKind};
use crate::codegen::isa::rust;

pub(super) fn directives(data: &Data) -> Result<String> {
    const FILE: &str = "ptx/directives.toml";
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for directive in &data.directives {
        names.push((directive.name.as_str(), format!("&DIRECTIVES[{}]", entries.len())));
        entries.push(directive_entry(FILE, directive)?);
    }
    let mut pragmas = Vec::new();
    let mut pragma_names = Vec::new();
    for pragma in &data.pragmas {
        sentence("ptx/pragmas.toml", &pragma.string, "summary", &pragma.summary)?;
        pragma_names.push((pragma.string.as_str(), format!("&PRAGMAS[{}]", pragmas.len())));
        pragmas.push(format!(
            "Pragma {{ name: {}, arguments: {}, places: {}, since: {}, target: {}, summary: {}, example: {} }}",
            rust::string(&pragma.string),
            rust::string(&pragma.arguments),
            rust::strings(&pragma.places),
            rust::version(version("ptx/pragmas.toml", &pragma.string, &pragma.since)?),
            rust::string(&pragma.target),
            rust::string(&pragma.summary),
            rust::string(&pragma.example)
        ));
    }
    let mut features = Vec::new();
    for feature in &data.features {
        let need = need(&feature.gate).with_context(|| format!("{FILE}: `{}`", feature.name))?;
        let entry = format!("&Feature {{ what: {}, need: {need} }}", rust::string(&feature.what));
        features.push((feature.name.as_str(), entry));
    }
    Ok(rust::table("DIRECTIVES", "Directive", &entries)
        + &rust::names("FEATURE_NAMES", "&Feature", &features)?
        + &rust::names("DIRECTIVE_NAMES", "&Directive", &names)?
        + &rust::table("PRAGMAS", "Pragma", &pragmas)
        + &rust::names("PRAGMA_NAMES", "&Pragma", &pragma_names)?)
}

fn directive_entry(file: &str, directive: &Directive) -> Result<String> {
    let name = directive.name.as_str();
    sentence(file, name, "summary", &directive.summary)?;
    ensure!(!directive.syntax.is_empty(), "{file}: `{name}` has no syntax");
    ensure!(!directive.places.is_empty(), "{file}: `{name}` has no place");
    ensure!(directive.example.contains(name) || name == ".sreg", "{file}: `{name}` is not in its example");
    Ok(format!(
        "Directive {{ name: {}, group: {}, section: {}, syntax: {}, places: {}, requires: {}, conflicts: {}, \
         unmet: Unmet::{:?}, need: {}, until: {}, holders: {}, values: {}, zero: {}, \
         since: {}, since_note: {}, target: {}, status: Status::{:?}, summary: {}, notes: {}, example: {} }}",
        rust::string(name),
        rust::string(&directive.group),
        rust::string(&directive.section),
        rust::strings(&directive.syntax),
        rust::strings(&directive.places),
        rust::strings(&directive.requires),
        rust::strings(&directive.conflicts),
        directive.unmet,
        need(&gate(directive)).with_context(|| format!("{file}: `{name}`"))?,
        match &directive.until {
            Some(until) => format!("Some({})", rust::version(version(file, name, until)?)),
            None => "None".to_owned(),
        },
        holders(file, directive)?,
        values(directive).with_context(|| format!("{file}: `{name}`"))?,
        directive.zero,
        rust::version(version(file, name, &directive.since)?),
        rust::string(&directive.since_note),
        rust::string(&directive.target),
        directive.status,
        rust::string(&directive.summary),
        rust::strings(&directive.notes),
        rust::string(directive.example.trim_end())
    ))
}

/// What the assembler demands of a module with the directive: what is documented, unless the data says otherwise. A target
/// that is prose is one that only parts of the directive need.
fn gate(directive: &Directive) -> String {
    let documented = || match directive.target.as_str() {
        target if target.starts_with("sm_") && !target.contains(' ') => {
            format!("{} {target}", directive.since)
        }
        _ => directive.since.clone(),
    };
    directive.gate.clone().unwrap_or_else(documented)
}

fn holders(file: &str, directive: &Directive) -> Result<String> {
    let mut holders = Vec::new();
    for holder in words(&directive.holders) {
        holders.push(match holder {
            "entry" => "Holder::Entry".to_owned(),
            "func" => "Holder::Func".to_owned(),
            "prototype" => "Holder::Prototype".to_owned(),
            _ => bail!("{file}: `{}` cannot be held by `{holder}`", directive.name),
        });
    }
    Ok(rust::slice(holders))
}

/// `1..3` as a range of numbers.
fn values(directive: &Directive) -> Result<String> {
    let (least, most) = match directive.values.split_once("..") {
        Some(bounds) => bounds,
        None if directive.values.is_empty() => ("0", "0"),
        None => (directive.values.as_str(), directive.values.as_str()),
    };
    let number = |text: &str| text.parse::<u8>().with_context(|| format!("`{text}` is no number of values"));
    Ok(format!("({}, {})", number(least)?, number(most)?))
}

pub(super) fn registers(data: &Data) -> Result<String> {
    const FILE: &str = "ptx/special-registers.toml";
    let mut entries = Vec::new();
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for register in &data.registers {
        let list = words(register.names.as_deref().unwrap_or(&register.name));
        for &name in &list {
            let other = names.insert(name, format!("&SPECIAL_REGISTERS[{}]", entries.len()));
            ensure!(other.is_none(), "{FILE}: `{name}` comes twice");
        }
        entries.push(register_entry(FILE, register, &list)?);
    }
    let list = rust::strings(names.keys());
    let names: Vec<(&str, String)> = names.into_iter().collect();
    Ok(rust::table("SPECIAL_REGISTERS", "SpecialRegister", &entries)
        + &format!("pub(crate) static SPECIAL_REGISTER_LIST: &[&str] = {list};\n\n")
        + &rust::names("SPECIAL_REGISTER_NAMES", "&SpecialRegister", &names)?)
}

fn register_entry(file: &str, register: &Register, names: &[&str]) -> Result<String> {
    let name = register.name.as_str();
    sentence(file, name, "summary", &register.summary)?;
    ensure!(register.example.code.contains(names[0]), "{file}: `{name}` is not in its example");
    Ok(format!(
        "SpecialRegister {{ name: {}, names: {}, section: {}, ty: {}, bits: {}, components: {}, scope: Scope::{:?}, \
         since: {}, since_note: {}, target: {}, summary: {}, range: {}, simulator: {}, notes: {}, example: {} }}",
        rust::string(name),
        rust::strings(names),
        rust::string(&register.section),
        rust::string(&register.ty),
        register.bits,
        rust::strings(words(&register.components)),
        register.scope,
        rust::version(version(file, name, &register.since)?),
        rust::string(&register.since_note),
        rust::string(&register.target),
        rust::string(&register.summary),
        rust::string(&register.range),
        rust::string(&register.simulator),
        rust::strings(&register.notes),
        example(file, name, &register.example)?
    ))
}

/// The types of registers that hold a value of a type. Where the data does not say: its storage, or for a type that can be
/// declared those of its size which are of its kind or have none (`.f16x2` passes for a 32-bit integer).
fn register_types<'a>(ty: &'a Type, types: &'a [Type]) -> Vec<&'a str> {
    if let Some(registers) = &ty.registers {
        return words(registers);
    }
    if let Some(storage) = &ty.storage {
        return vec![storage];
    }
    let fits = |other: &&Type| {
        let integers = [TypeKind::Unsigned, TypeKind::Signed];
        other.storage.is_none()
            && other.bits == ty.bits
            && match ty.kind {
                TypeKind::Bits => other.kind != TypeKind::Opaque,
                TypeKind::Unsigned | TypeKind::Signed => {
                    other.kind == TypeKind::Bits || integers.contains(&other.kind) || other.name == ".f16x2"
                }
                TypeKind::Float => other.kind == TypeKind::Bits || other.name == ty.name,
                TypeKind::Predicate | TypeKind::Opaque => other.name == ty.name,
            }
    };
    types.iter().filter(fits).map(|ty| ty.name.as_str()).collect()
}

pub(super) fn types_and_spaces(data: &Data) -> Result<String> {
    let mut types = Vec::new();
    let mut type_names = Vec::new();
    for ty in &data.types {
        sentence("ptx/types.toml", &ty.name, "summary", &ty.summary)?;
        type_names.push((ty.name.as_str(), format!("&TYPES[{}]", types.len())));
        types.push(format!(
            "Type {{ name: {}, kind: TypeKind::{:?}, bits: {}, elements: {}, storage: {}, registers: {}, since: {}, target: {}, summary: {} }}",
            rust::string(&ty.name),
            ty.kind,
            ty.bits,
            ty.elements,
            ty.storage.as_deref().map_or("None".to_owned(), |name| format!("Some({name:?})")),
            rust::strings(register_types(ty, &data.types)),
            rust::version(version("ptx/types.toml", &ty.name, &ty.since)?),
            rust::string(&ty.target),
            rust::string(&ty.summary)
        ));
    }
    let mut spaces = Vec::new();
    let mut space_names = Vec::new();
    for space in &data.spaces.spaces {
        let place = format!("&STATE_SPACES[{}]", spaces.len());
        space_names.push((space.name.as_str(), place.clone()));
        let mut parts = Vec::new();
        for part in data.spaces.parts.iter().filter(|part| part.of == space.name) {
            space_names.push((part.name.as_str(), place.clone()));
            parts.push(format!(
                "SpacePart {{ name: {}, summary: {} }}",
                rust::string(&part.name),
                rust::string(&part.summary)
            ));
        }
        spaces.push(format!(
            "StateSpace {{ name: {}, summary: {}, declared: {}, initial: {}, addressable: {}, writable: {}, \
             initialisers: {}, parts: {} }}",
            rust::string(&space.name),
            rust::string(&space.summary),
            rust::string(&space.declared),
            rust::string(&space.initial),
            space.addressable,
            space.writable,
            space.initialisers,
            rust::slice(parts)
        ));
    }
    Ok(rust::table("TYPES", "Type", &types)
        + &rust::names("TYPE_NAMES", "&Type", &type_names)?
        + &rust::table("STATE_SPACES", "StateSpace", &spaces)
        + &rust::names("STATE_SPACE_NAMES", "&StateSpace", &space_names)?)
}

pub(super) fn targets(data: &Data) -> Result<String> {
    const FILE: &str = "ptx/targets.toml";
    let mut targets = Vec::new();
    let mut aliases = Vec::new();
    for target in &data.targets.targets {
        let number = target
            .name
            .strip_prefix("sm_")
            .map(|rest| rest.trim_end_matches(['a', 'f']))
            .and_then(|digits| digits.parse::<u16>().ok())
            .with_context(|| format!("{FILE}: `{}` is no target", target.name))?;
        aliases.push((target.name.clone(), targets.len()));
        aliases.push((target.name.replace("sm_", "compute_"), targets.len()));
        targets.push(format!(
            "Target {{ name: {}, number: {number}, since: {}, generation: {}, family: {:?}, note: {}, limits: {} }}",
            rust::string(&target.name),
            rust::version(version(FILE, &target.name, &target.since)?),
            rust::string(&target.generation),
            target.family,
            rust::string(&target.note),
            match data.targets.limits.iter().position(|limits| limits.chips.contains(&number)) {
                Some(index) => format!("Some(&LIMITS[{index}])"),
                None => "None".to_owned(),
            }
        ));
    }
    let limits: Vec<String> = data.targets.limits.iter().map(limits_entry).collect();
    let mut options = Vec::new();
    for option in &data.targets.options {
        sentence(FILE, &option.name, "summary", &option.summary)?;
        options.push(format!(
            "TargetOption {{ name: {}, since: {}, summary: {} }}",
            rust::string(&option.name),
            rust::version(version(FILE, &option.name, &option.since)?),
            rust::string(&option.summary)
        ));
    }
    let mut versions = Vec::new();
    for release in &data.versions {
        versions.push(format!(
            "Release {{ version: {}, toolkit: {}, note: {} }}",
            rust::version(version("ptx/versions.toml", &release.version, &release.version)?),
            rust::string(&release.toolkit),
            rust::string(&release.note)
        ));
    }
    let names: Vec<(&str, String)> =
        (aliases.iter()).map(|(name, index)| (name.as_str(), format!("&TARGETS[{index}]"))).collect();
    Ok(rust::table("TARGETS", "Target", &targets)
        + &rust::table("LIMITS", "Limits", &limits)
        + &rust::names("TARGET_NAMES", "&Target", &names)?
        + &rust::table("TARGET_OPTIONS", "TargetOption", &options)
        + &rust::table("VERSIONS", "Release", &versions))
}

fn limits_entry(limits: &Limits) -> String {
    format!(
        "Limits {{ threads_per_cta: {}, warps_per_sm: {}, ctas_per_sm: {}, registers_per_sm: {}, registers_per_cta: {}, \
         registers_per_thread: {}, register_unit: {}, shared_per_sm: {}, shared_per_cta: {}, shared_reserved: {} }}",
        limits.threads_per_cta,
        limits.warps_per_sm,
        limits.ctas_per_sm,
        limits.registers_per_sm,
        limits.registers_per_cta,
        limits.registers_per_thread,
        limits.register_unit,
        limits.shared_per_sm,
        limits.shared_per_cta,
        limits.shared_reserved
    )
}
