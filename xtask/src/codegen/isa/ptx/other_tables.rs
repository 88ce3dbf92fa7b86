//! Directives, special registers, types, state spaces and targets.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::codegen::isa::data::{sentence, sentences};
use crate::codegen::isa::ptx_data::Data;
use crate::codegen::isa::rust::{Source, names, strings};
use crate::codegen::isa::schema::ptx_form::Requirement;
use crate::codegen::isa::schema::ptx_module::{Type, TypeKind};
use crate::codegen::isa::schema::storage::{Reference, Version, Words};

/// Computes the fields that are not in the data.
pub(super) fn complete(data: &mut Data) -> Result<()> {
    for it in &mut data.directives {
        it.requirement = availability(&it.name, it.gate.as_deref(), it.since, &it.target)?;
    }
    for it in &mut data.pragmas {
        it.requirement = availability(&it.name, it.gate.as_deref(), it.since, &it.target)?;
    }
    for it in &mut data.registers {
        it.requirement = availability(&it.name, it.gate.as_deref(), it.since, &it.target)?;
    }
    let registers: Vec<Vec<String>> = data.types.iter().map(|ty| register_types(ty, &data.types)).collect();
    for (ty, registers) in data.types.iter_mut().zip(registers) {
        ty.registers = Words(registers);
    }
    for space in &mut data.spaces.spaces {
        space.parts = data.spaces.parts.iter().filter(|part| part.of == space.name).cloned().collect();
    }
    for target in &mut data.targets.targets {
        let digits = target.name.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
        let number = digits.and_then(|digits| digits.parse().ok());
        target.number =
            number.with_context(|| format!("ptx/targets.toml: `{}` is not a target", target.name))?;
        let limits = data.targets.limits.iter().position(|limits| limits.chips.contains(&target.number));
        target.limits = limits.map(|index| Reference::new("LIMITS", index));
        let gpu = data.targets.gpus.iter().position(|gpu| gpu.chip == target.number);
        target.gpu = gpu.map(|index| Reference::new("GPUS", index));
    }
    Ok(())
}

/// What the assembler requires of a module with an entry: the documented requirement, unless the data overrides it.
/// If the target is prose, only parts of the entry need it.
fn availability(name: &str, gate: Option<&str>, since: Version, target: &str) -> Result<Requirement> {
    let documented = || match target {
        target if target.starts_with("sm_") && !target.contains(' ') => format!("{since} {target}"),
        _ => since.to_string(),
    };
    Requirement::read(&gate.map_or_else(documented, str::to_owned)).with_context(|| format!("`{name}`"))
}

/// The types of registers that can contain a value of a type, if the data does not list them. This is its storage type, or
/// for a type that can be declared, the types of equal size and of its kind or untyped (`.f16x2` counts as a 32-bit
/// integer).
fn register_types(ty: &Type, types: &[Type]) -> Vec<String> {
    if !ty.registers.is_empty() {
        return ty.registers.to_vec();
    }
    if let Some(storage) = &ty.storage {
        return vec![storage.clone()];
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
    types.iter().filter(fits).map(|ty| ty.name.clone()).collect()
}

pub(super) fn directives(data: &Data, source: &mut Source) -> Result<String> {
    const FILE: &str = "ptx/directives.toml";
    for directive in &data.directives {
        let name = directive.name.as_str();
        sentence(FILE, name, "summary", &directive.summary)?;
        ensure!(!directive.syntax.is_empty(), "{FILE}: `{name}` has no syntax");
        ensure!(!directive.places.is_empty(), "{FILE}: `{name}` has no entry in `places`");
        ensure!(
            directive.example.contains(name) || name == ".sreg",
            "{FILE}: `{name}` is not in its example"
        );
    }
    sentences("ptx/pragmas.toml", "summary", &data.pragmas, |it| (&it.name, &it.summary))?;
    Ok(source.named_table("DIRECTIVES", "Directive", &data.directives, |it| &it.name)?
        + &source.named_table("FEATURES", "Feature", &data.features, |it| &it.name)?
        + &source.named_table("CUDA_NAMES", "CudaName", &data.cuda_names, |it| &it.name)?
        + &source.named_table("PRAGMAS", "Pragma", &data.pragmas, |it| &it.name)?)
}

pub(super) fn registers(data: &Data, source: &mut Source) -> Result<String> {
    const FILE: &str = "ptx/special-registers.toml";
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, register) in data.registers.iter().enumerate() {
        let name = register.name.as_str();
        sentence(FILE, name, "summary", &register.summary)?;
        ensure!(register.example.code.contains(&register.names[0]), "{FILE}: `{name}` is not in its example");
        for name in register.names.iter() {
            let other = by_name.insert(name, index);
            ensure!(other.is_none(), "{FILE}: duplicate name `{name}`");
        }
    }
    let list = strings("SPECIAL_REGISTER_LIST", by_name.keys());
    let by_name: Vec<(&str, usize)> = by_name.into_iter().collect();
    Ok(source.table("SPECIAL_REGISTERS", "SpecialRegister", &data.registers)
        + &list
        + &names("SPECIAL_REGISTER_NAMES", &by_name)?)
}

pub(super) fn types_and_spaces(data: &Data, source: &mut Source) -> Result<String> {
    sentences("ptx/types.toml", "summary", &data.types, |it| (&it.name, &it.summary))?;
    let mut space_names = Vec::new();
    for (index, space) in data.spaces.spaces.iter().enumerate() {
        let parts = space.parts.iter().map(|part| &part.name);
        let named = [&space.name].into_iter().chain(parts);
        space_names.extend(named.map(|name| (name.as_str(), index)));
    }
    Ok(source.named_table("TYPES", "Type", &data.types, |it| &it.name)?
        + &source.table("STATE_SPACES", "StateSpace", &data.spaces.spaces)
        + &names("STATE_SPACE_NAMES", &space_names)?)
}

pub(super) fn targets(data: &Data, source: &mut Source) -> Result<String> {
    let targets = &data.targets;
    let mut aliases = Vec::new();
    for (index, target) in targets.targets.iter().enumerate() {
        for name in [target.name.clone(), target.name.replace("sm_", "compute_")] {
            aliases.push((name, index));
        }
    }
    let aliases: Vec<(&str, usize)> = aliases.iter().map(|(name, index)| (name.as_str(), *index)).collect();
    sentences("ptx/targets.toml", "summary", &targets.options, |it| (&it.name, &it.summary))?;
    Ok(source.table("TARGETS", "Target", &targets.targets)
        + &source.table("LIMITS", "Limits", &targets.limits)
        + &source.table("GPUS", "Gpu", &targets.gpus)
        + &names("TARGET_NAMES", &aliases)?
        + &source.table("TARGET_OPTIONS", "TargetOption", &targets.options)
        + &source.table("VERSIONS", "Release", &data.versions))
}
