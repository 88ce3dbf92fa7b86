//! The PTX tables, and the checks of the data they come from.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, bail, ensure};

use super::data::{names, sentence, unique, version, words};
use super::ptx_data::{Category, Data, Directive, Instruction, Operand, Register, Role};
use super::{forms, rust};

/// The source of `generated/ptx.rs`.
pub(super) fn tables(data: &Data) -> Result<String> {
    let modifiers = Modifiers::new(data)?;
    let mut out = String::from(
        "use crate::names::Names;\nuse crate::ptx::*;\nuse crate::{Category, Role, Simulation, Version};\n\n",
    );
    out += &instructions(data, &modifiers)?;
    out += &modifiers.tables()?;
    out += &directives(data)?;
    out += &registers(data)?;
    out += &types_and_spaces(data)?;
    out += &targets(data)?;
    Ok(out)
}

/// The entries of `modifiers.toml`, with those of the types and state spaces, which serve as modifiers too.
struct Modifiers<'a> {
    /// Name and summary.
    entries: Vec<(String, &'a str)>,
    /// The entries of a name; those for certain classes first.
    by_name: BTreeMap<String, Vec<(BTreeSet<&'a str>, usize)>>,
    /// What each class decides.
    classes: HashMap<&'a str, &'a str>,
    /// The names of the types.
    types: BTreeSet<&'a str>,
}

impl<'a> Modifiers<'a> {
    fn new(data: &'a Data) -> Result<Self> {
        const FILE: &str = "ptx/modifiers.toml";
        let mut all = Self {
            entries: Vec::new(),
            by_name: BTreeMap::new(),
            classes: HashMap::new(),
            types: data.types.iter().map(|ty| ty.name.as_str()).collect(),
        };
        for modifier in &data.modifiers.modifiers {
            sentence(FILE, &modifier.names, "summary", &modifier.summary)?;
            let classes = words(&modifier.classes);
            for name in names(&modifier.names) {
                all.add(&name, classes.iter().copied().collect(), &modifier.summary);
            }
        }
        for ty in &data.types {
            all.add(&ty.name, BTreeSet::new(), &ty.summary);
        }
        for (name, summary) in (data.spaces.spaces.iter().map(|space| (&space.name, &space.summary)))
            .chain(data.spaces.parts.iter().map(|part| (&part.name, &part.summary)))
        {
            all.add(name, BTreeSet::new(), summary);
        }
        for entries in all.by_name.values_mut() {
            entries.sort_by_key(|(classes, _)| classes.is_empty());
        }
        for class in &data.modifiers.classes {
            sentence(FILE, &class.names, "summary", &class.summary)?;
            for name in words(&class.names) {
                let other = all.classes.insert(name, &class.summary);
                ensure!(other.is_none(), "{FILE}: the class `{name}` comes twice");
            }
        }
        Ok(all)
    }

    fn add(&mut self, name: &str, classes: BTreeSet<&'a str>, summary: &'a str) {
        self.by_name.entry(name.to_owned()).or_default().push((classes, self.entries.len()));
        self.entries.push((name.to_owned(), summary));
    }

    /// What a value means in a class.
    fn resolve(&self, class: &str, value: &str) -> Result<usize> {
        self.by_name
            .get(value)
            .and_then(|entries| {
                entries.iter().find(|(classes, _)| classes.is_empty() || classes.contains(class))
            })
            .map(|&(_, index)| index)
            .with_context(|| {
                format!("`{value}` of the class `{class}` is not explained in ptx/modifiers.toml")
            })
    }

    fn tables(&self) -> Result<String> {
        let entries: Vec<String> = (self.entries.iter())
            .map(|(name, summary)| {
                format!("Modifier {{ name: {}, summary: {} }}", rust::string(name), rust::string(summary))
            })
            .collect();
        let names: Vec<(&str, String)> = (self.by_name.iter())
            .map(|(name, entries)| {
                let meanings = entries.iter().map(|(_, index)| format!("&MODIFIERS[{index}]"));
                (name.as_str(), rust::slice(meanings))
            })
            .collect();
        Ok(rust::table("MODIFIERS", "Modifier", &entries)
            + &rust::names("MODIFIER_NAMES", "&[&Modifier]", &names)?)
    }
}

fn instructions(data: &Data, modifiers: &Modifiers) -> Result<String> {
    let mut categories = Vec::new();
    let mut entries = Vec::new();
    let mut by_id = Vec::new();
    let mut by_opcode: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (number, category) in data.categories.iter().enumerate() {
        categories.push(category_entry(&category.id, &category.title, &category.about));
        for entry in &category.instructions {
            let file = format!("ptx/instructions/{}.toml", category.id);
            let place = format!("&INSTRUCTIONS[{}]", entries.len());
            match instruction(&file, number, entry, modifiers) {
                Ok(source) => entries.push(source),
                Err(why) => mistakes.push(format!("{file}, the entry `{}`: {why}", entry.id)),
            }
            by_id.push((entry.id.as_str(), place.clone()));
            by_opcode.entry(entry.opcode()).or_default().push(place);
        }
    }
    ensure!(mistakes.is_empty(), "mistakes in server/isa/data:\n{}", mistakes.join("\n"));
    unique("ptx/instructions", by_id.iter().map(|(id, _)| *id))?;
    all_classes_used(&data.categories, modifiers)?;
    let opcodes = rust::strings(by_opcode.keys());
    let by_opcode: Vec<(&str, String)> =
        by_opcode.into_iter().map(|(opcode, places)| (opcode, rust::slice(places))).collect();
    Ok(rust::table("CATEGORIES", "Category", &categories)
        + &rust::table("INSTRUCTIONS", "Instruction", &entries)
        + &format!("pub(crate) static OPCODES: &[&str] = {opcodes};\n\n")
        + &rust::names("BY_ID", "&Instruction", &by_id)?
        + &rust::names("BY_OPCODE", "&[&Instruction]", &by_opcode)?)
}

/// A `Category`.
pub(super) fn category_entry(id: &str, title: &str, about: &str) -> String {
    let [id, title, about] = [id, title, about].map(rust::string);
    format!("Category {{ id: {id}, title: {title}, about: {about} }}")
}

fn all_classes_used(categories: &[Category], modifiers: &Modifiers) -> Result<()> {
    let used: BTreeSet<&str> = (categories.iter().flat_map(|category| &category.instructions))
        .flat_map(|entry| entry.modifiers.iter().map(|class| class.class.as_str()))
        .collect();
    for class in modifiers.classes.keys() {
        ensure!(used.contains(class), "ptx/modifiers.toml: no instruction has the class `{class}`");
    }
    Ok(())
}

fn instruction(file: &str, category: usize, entry: &Instruction, modifiers: &Modifiers) -> Result<String> {
    let id = entry.id.as_str();
    sentence(file, id, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, id, "note", note))?;
    ensure!(!entry.syntax.is_empty(), "it has no syntax");
    ensure!(!entry.semantics.trim().is_empty(), "it has no semantics");
    ensure!(!entry.measured.is_empty(), "no statement of its example was measured");
    let shown = if id == "{}" { "{" } else { entry.opcode() };
    ensure!(entry.example.code.contains(shown), "its example does not show it");

    let fixed = fixed_words(entry);
    let vocabulary = vocabulary(entry, &fixed);
    check_forms(entry, &vocabulary)?;
    let classes: Vec<String> = (entry.modifiers.iter())
        .map(|class| {
            let values = (names(&class.values).into_iter())
                .map(|value| Ok(format!("&MODIFIERS[{}]", modifiers.resolve(&class.class, &value)?)))
                .collect::<Result<Vec<_>>>()?;
            let summary = modifiers.classes.get(class.class.as_str()).with_context(|| {
                format!("the class `{}` is not explained in ptx/modifiers.toml", class.class)
            })?;
            Ok(format!(
                "ModifierClass {{ name: {}, summary: {}, values: {}, optional: {} }}",
                rust::string(&class.class),
                rust::string(summary),
                rust::slice(values),
                class.optional
            ))
        })
        .collect::<Result<_>>()?;
    let operands = entry.operands.iter().map(operand).collect::<Result<Vec<_>>>()?;
    let measured = (entry.measured.iter())
        .map(|measured| {
            Ok(format!(
                "Measured {{ code: {}, since: {}, target: {} }}",
                rust::string(&measured.code),
                rust::version(version(file, id, &measured.since)?),
                rust::string(&measured.target)
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(format!(
        "Instruction {{ id: {id}, name: {name}, opcode: {opcode}, words: {words}, category: &CATEGORIES[{category}], \
         section: {section}, syntax: {syntax}, modifiers: {classes}, vocabulary: {vocabulary}, types: {types}, \
         operands: {operands}, since: {since}, since_note: {since_note}, target: {target}, predicable: {predicable}, \
         status: Status::{status:?}, summary: {summary}, semantics: {semantics}, notes: {notes}, \
         divergence: {divergence}, example: {example}, measured: {measured}, simulation: {simulation} }}",
        id = rust::string(id),
        name = rust::string(entry.name()),
        opcode = rust::string(entry.opcode()),
        words = rust::strings(&fixed),
        section = rust::string(&entry.section),
        syntax = rust::strings(&entry.syntax),
        classes = rust::slice(classes),
        vocabulary = rust::strings(&vocabulary),
        types = rust::strings(types(entry, &fixed, modifiers)),
        operands = rust::slice(operands),
        since = rust::version(version(file, id, &entry.since)?),
        since_note = rust::string(&entry.since_note),
        target = rust::string(&entry.target),
        predicable = entry.predicable,
        status = entry.status,
        summary = rust::string(&entry.summary),
        semantics = rust::lines(&entry.semantics),
        notes = rust::strings(&entry.notes),
        divergence = rust::string(entry.divergence.trim()),
        example = example(file, id, &entry.example)?,
        measured = rust::slice(measured),
        simulation = simulation(&entry.simulation)?,
    ))
}

/// The words of the name that follow the opcode, but for those that a required class stands for.
fn fixed_words(entry: &Instruction) -> Vec<String> {
    (entry.name().split('.').skip(1))
        .map(|word| format!(".{word}"))
        .filter(|word| {
            !entry.modifiers.iter().filter(|class| !class.optional).any(|class| {
                names(&class.values)
                    .iter()
                    .all(|value| value == word || value.starts_with(&format!("{word}::")))
            })
        })
        .collect()
}

/// Every single modifier of an entry, sorted.
fn vocabulary(entry: &Instruction, fixed: &[String]) -> BTreeSet<String> {
    let values: Vec<String> = entry.modifiers.iter().flat_map(|class| names(&class.values)).collect();
    (values.iter().flat_map(|value| value.split('.').skip(1)).map(|word| format!(".{word}")))
        .chain(fixed.iter().cloned())
        .collect()
}

/// Checks that forms, modifiers and operands speak of the same things.
fn check_forms(entry: &Instruction, vocabulary: &BTreeSet<String>) -> Result<()> {
    let classes: BTreeSet<String> = entry.modifiers.iter().map(|class| format!(".{}", class.class)).collect();
    let written: BTreeSet<String> = entry.syntax.iter().flat_map(|form| forms::words(form)).collect();
    for word in &written {
        ensure!(
            vocabulary.contains(word) || classes.contains(word),
            "a form has `{word}`, which is neither a modifier nor a class of the entry"
        );
    }
    for class in &entry.modifiers {
        let named = written.contains(&format!(".{}", class.class));
        let spelt = || {
            names(&class.values)
                .iter()
                .any(|value| value.split('.').skip(1).all(|word| written.contains(&format!(".{word}"))))
        };
        ensure!(named || spelt(), "no form shows the class `{}`", class.class);
    }
    for operand in &entry.operands {
        let name = operand.name.as_str();
        let shown = entry.syntax.iter().any(|form| {
            form.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(|word| word == name)
        });
        ensure!(shown, "no form shows the operand `{name}`");
    }
    Ok(())
}

/// The types that an entry works on, without dots, in the order of its modifiers.
fn types(entry: &Instruction, fixed: &[String], modifiers: &Modifiers) -> Vec<String> {
    let of_type =
        |class: &str| class.to_ascii_lowercase().ends_with("type") || matches!(class, "size" | "elemsize");
    let values =
        (entry.modifiers.iter()).filter(|class| of_type(&class.class)).flat_map(|class| names(&class.values));
    let mut found = Vec::new();
    for value in fixed.iter().cloned().chain(values) {
        for word in value.split('.').skip(1) {
            let known = modifiers.types.contains(format!(".{word}").as_str());
            if known && !found.iter().any(|it| it == word) {
                found.push(word.to_owned());
            }
        }
    }
    found
}

fn operand(operand: &Operand) -> Result<String> {
    let kinds = words(&operand.kinds)
        .into_iter()
        .map(|kind| {
            Ok(format!(
                "OperandKind::{}",
                match kind {
                    "reg" => "Register",
                    "pred" => "Predicate",
                    "not-pred" => "NotPredicate",
                    "sreg" => "SpecialRegister",
                    "imm" => "Immediate",
                    "address" => "Address",
                    "tensor-address" => "TensorAddress",
                    "fabric-address" => "FabricAddress",
                    "vector" => "Vector",
                    "sink" => "Sink",
                    "symbol" => "Symbol",
                    "param" => "Parameter",
                    "label" => "Label",
                    "label-address" => "LabelAddress",
                    "texref" => "Texture",
                    "samplerref" => "Sampler",
                    "surfref" => "Surface",
                    other => bail!("`{other}` of the operand `{}` is no kind", operand.name),
                }
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    ensure!(!kinds.is_empty(), "the operand `{}` has no kind", operand.name);
    Ok(format!(
        "Operand {{ name: {}, role: {}, kinds: {}, optional: {}, about: {} }}",
        rust::string(&operand.name),
        role(operand.role),
        rust::slice(kinds),
        operand.optional,
        rust::string(&operand.about)
    ))
}

/// A `Role`.
pub(super) fn role(role: Role) -> String {
    format!("Role::{role:?}")
}

fn example(file: &str, entry: &str, example: &super::ptx_data::Example) -> Result<String> {
    Ok(format!(
        "Example {{ code: {}, target: {}, version: {}, declarations: {} }}",
        rust::string(example.code.trim_end()),
        rust::string(&example.target),
        rust::version(version(file, entry, &example.version)?),
        rust::string(example.declarations.trim_end())
    ))
}

/// A `Simulation`, from `simulated`, `no-op: WHY` or `unsupported: WHY`.
pub(super) fn simulation(text: &str) -> Result<String> {
    Ok(match text.split_once(": ") {
        None if text == "simulated" => "Simulation::Simulated".to_owned(),
        Some(("no-op", why)) => format!("Simulation::NoOp({})", rust::string(why)),
        Some(("unsupported", why)) => format!("Simulation::Unsupported({})", rust::string(why)),
        _ => bail!("`simulation = \"{text}\"`: write simulated, no-op: WHY or unsupported: WHY"),
    })
}

fn directives(data: &Data) -> Result<String> {
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
    Ok(rust::table("DIRECTIVES", "Directive", &entries)
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
         since: {}, since_note: {}, target: {}, status: Status::{:?}, summary: {}, notes: {}, example: {} }}",
        rust::string(name),
        rust::string(&directive.group),
        rust::string(&directive.section),
        rust::strings(&directive.syntax),
        rust::strings(&directive.places),
        rust::strings(&directive.requires),
        rust::strings(&directive.conflicts),
        rust::version(version(file, name, &directive.since)?),
        rust::string(&directive.since_note),
        rust::string(&directive.target),
        directive.status,
        rust::string(&directive.summary),
        rust::strings(&directive.notes),
        rust::string(directive.example.trim_end())
    ))
}

fn registers(data: &Data) -> Result<String> {
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

fn types_and_spaces(data: &Data) -> Result<String> {
    let mut types = Vec::new();
    let mut type_names = Vec::new();
    for ty in &data.types {
        sentence("ptx/types.toml", &ty.name, "summary", &ty.summary)?;
        type_names.push((ty.name.as_str(), format!("&TYPES[{}]", types.len())));
        types.push(format!(
            "Type {{ name: {}, kind: TypeKind::{:?}, bits: {}, elements: {}, storage: {}, since: {}, target: {}, summary: {} }}",
            rust::string(&ty.name),
            ty.kind,
            ty.bits,
            ty.elements,
            ty.storage.as_deref().map_or("None".to_owned(), |name| format!("Some({name:?})")),
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

fn targets(data: &Data) -> Result<String> {
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
            "Target {{ name: {}, number: {number}, since: {}, generation: {}, family: {:?}, note: {} }}",
            rust::string(&target.name),
            rust::version(version(FILE, &target.name, &target.since)?),
            rust::string(&target.generation),
            target.family,
            rust::string(&target.note)
        ));
    }
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
        + &rust::names("TARGET_NAMES", "&Target", &names)?
        + &rust::table("TARGET_OPTIONS", "TargetOption", &options)
        + &rust::table("VERSIONS", "Release", &versions))
}
