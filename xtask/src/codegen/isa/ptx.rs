//! The PTX tables, and the checks of the data they come from.

mod form;
mod modifiers;
mod surroundings;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use super::data::{names, sentence, unique, version, words};
use super::ptx_data::{Category, Data, Instruction, Measured, ModifierClass, Operand, Role};
use super::{forms, rust};
use modifiers::Modifiers;

/// The source of `generated/ptx.rs`.
pub(super) fn tables(data: &Data) -> Result<String> {
    let modifiers = Modifiers::new(data)?;
    let mut out = String::from(
        "use crate::names::Names;\nuse crate::ptx::*;\nuse crate::{Category, Role, Simulation, Version};\n\n",
    );
    out += &instructions(data, &modifiers)?;
    out += &modifiers.tables()?;
    out += &surroundings::directives(data)?;
    out += &surroundings::registers(data)?;
    out += &surroundings::types_and_spaces(data)?;
    out += &surroundings::targets(data)?;
    Ok(out)
}

fn instructions(data: &Data, modifiers: &Modifiers) -> Result<String> {
    let mut categories = Vec::new();
    let mut entries = Vec::new();
    let mut by_id = Vec::new();
    let mut by_opcode: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut mistakes = Vec::new();
    let mut shared = form::Shared::default();
    for (number, category) in data.categories.iter().enumerate() {
        categories.push(category_entry(&category.id, &category.title, &category.about));
        for entry in &category.instructions {
            let file = format!("ptx/instructions/{}.toml", category.id);
            let place = format!("&INSTRUCTIONS[{}]", entries.len());
            match instruction(&file, number, entry, modifiers, &mut shared) {
                Ok(source) => entries.push(source),
                Err(why) => mistakes.push(format!("{file}, the entry `{}`: {why:#}", entry.id)),
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
    Ok(shared.tables()
        + &rust::table("CATEGORIES", "Category", &categories)
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

fn instruction(
    file: &str,
    category: usize,
    entry: &Instruction,
    modifiers: &Modifiers,
    shared: &mut form::Shared,
) -> Result<String> {
    check_texts(file, entry)?;
    let id = entry.id.as_str();
    let fixed = fixed_words(entry);
    let vocabulary = vocabulary(entry, &fixed);
    check_forms(entry, &vocabulary)?;
    let classes =
        entry.modifiers.iter().map(|it| modifier_class(it, modifiers)).collect::<Result<Vec<_>>>()?;
    let operands = entry.operands.iter().map(operand).collect::<Result<Vec<_>>>()?;
    let measured = entry.measured.iter().map(|it| measured(file, id, it)).collect::<Result<Vec<_>>>()?;
    Ok(format!(
        "Instruction {{ id: {id}, name: {name}, opcode: {opcode}, words: {words}, category: &CATEGORIES[{category}], \
         section: {section}, syntax: {syntax}, forms: {forms}, modifiers: {classes}, vocabulary: {vocabulary}, types: {types}, \
         operands: {operands}, since: {since}, since_note: {since_note}, target: {target}, predicable: {predicable}, \
         status: Status::{status:?}, summary: {summary}, semantics: {semantics}, notes: {notes}, \
         divergence: {divergence}, example: {example}, measured: {measured}, simulation: {simulation} }}",
        id = rust::string(id),
        name = rust::string(entry.name()),
        opcode = rust::string(entry.opcode()),
        words = rust::strings(&fixed),
        section = rust::string(&entry.section),
        syntax = rust::strings(&entry.syntax),
        forms = shared.forms(entry, &fixed_name(entry), |word| modifiers.has(word))?,
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

/// Checks that an entry has all that a reader wants.
fn check_texts(file: &str, entry: &Instruction) -> Result<()> {
    let id = entry.id.as_str();
    sentence(file, id, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, id, "note", note))?;
    ensure!(!entry.syntax.is_empty(), "it has no syntax");
    ensure!(!entry.semantics.trim().is_empty(), "it has no semantics");
    ensure!(!entry.measured.is_empty(), "no statement of its example was measured");
    let shown = if id == "{}" { "{" } else { entry.opcode() };
    ensure!(entry.example.code.contains(shown), "its example does not show it");
    Ok(())
}

fn modifier_class(class: &ModifierClass, modifiers: &Modifiers) -> Result<String> {
    let values = (names(&class.values).into_iter())
        .map(|value| Ok(format!("&MODIFIERS[{}]", modifiers.resolve(&class.class, &value)?)))
        .collect::<Result<Vec<_>>>()?;
    let summary = modifiers
        .classes
        .get(class.class.as_str())
        .with_context(|| format!("the class `{}` is not explained in ptx/modifiers.toml", class.class))?;
    Ok(format!(
        "ModifierClass {{ name: {}, summary: {}, values: {}, optional: {} }}",
        rust::string(&class.class),
        rust::string(summary),
        rust::slice(values),
        class.optional
    ))
}

fn measured(file: &str, entry: &str, measured: &Measured) -> Result<String> {
    Ok(format!(
        "Measured {{ code: {}, since: {}, target: {} }}",
        rust::string(&measured.code),
        rust::version(version(file, entry, &measured.since)?),
        rust::string(&measured.target)
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

/// The opcode with its fixed words.
fn fixed_name(entry: &Instruction) -> String {
    entry.opcode().to_owned() + &fixed_words(entry).concat()
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
    let kinds = words(&operand.kinds).into_iter().map(operand_kind).collect::<Result<Vec<_>>>()?;
    ensure!(!kinds.is_empty(), "the operand `{}` has no kind", operand.name);
    Ok(format!(
        "Operand {{ name: {}, role: {}, kinds: {}, optional: {}, wide: {}, inside: {}, about: {} }}",
        rust::string(&operand.name),
        role(operand.role),
        rust::slice(kinds),
        operand.optional,
        operand.wide,
        operand.inside,
        rust::string(&operand.about)
    ))
}

/// An `OperandKind`.
fn operand_kind(kind: &str) -> Result<String> {
    let name = match kind {
        "reg" => "Register",
        "pred" => "Predicate",
        "not-pred" => "NotPredicate",
        "sreg" => "SpecialRegister",
        "imm" => "Immediate",
        "address" => "Address",
        "vector" => "Vector",
        "sink" => "Sink",
        "symbol" => "Symbol",
        "param" => "Parameter",
        "label" => "Label",
        "label-address" => "LabelAddress",
        "texref" => "Texture",
        "samplerref" => "Sampler",
        "surfref" => "Surface",
        other => bail!("`{other}` is no kind of operand"),
    };
    Ok(format!("OperandKind::{name}"))
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

/// A `Simulation`, from `simulated`, `partly: WHY`, `no-op: WHY` or `unsupported: WHY`.
pub(super) fn simulation(text: &str) -> Result<String> {
    Ok(match text.split_once(": ") {
        None if text == "simulated" => "Simulation::Simulated".to_owned(),
        Some(("partly", why)) => format!("Simulation::Partly({})", rust::string(why)),
        Some(("no-op", why)) => format!("Simulation::NoOp({})", rust::string(why)),
        Some(("unsupported", why)) => format!("Simulation::Unsupported({})", rust::string(why)),
        _ => bail!("`simulation = \"{text}\"`: write simulated, partly: WHY, no-op: WHY or unsupported: WHY"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::isa::ptx_data;

    const ADD: &str = r#"
        id = "add"
        section = "1"
        since = "1.0"
        target = "sm_10"
        simulation = "simulated"
        summary = "Adds."
        syntax = ["add{.sat}.type d, a"]
        modifiers = [
            { class = "sat", values = ".sat", optional = true },
            { class = "type", values = ".u32 .s32" },
        ]
        operands = [
            { name = "d", role = "write", kinds = "reg" },
            { name = "a", role = "read", kinds = "reg imm" },
        ]
        semantics = "d = a + a"
        measured = [{ code = "add.u32 %r1, %r2;", since = "2.3", target = "sm_20" }]
        example = { target = "sm_75", version = "6.3", code = "add.u32 %r1, %r2;" }
    "#;

    /// What the generator says of the entry after a change to it.
    fn mistake(from: &str, to: &str) -> String {
        assert!(ADD.contains(from), "{from}");
        let entry: Instruction = match toml::from_str(&ADD.replace(from, to)) {
            Ok(entry) => entry,
            Err(why) => return why.message().to_owned(),
        };
        let data = ptx_data::load().unwrap();
        let modifiers = Modifiers::new(&data).unwrap();
        match instruction("add.toml", 0, &entry, &modifiers, &mut form::Shared::default()) {
            Ok(_) => String::new(),
            Err(why) => why.to_string(),
        }
    }

    #[test]
    fn a_sound_entry_passes() {
        assert_eq!(mistake("Adds.", "Adds two numbers."), "");
    }

    #[test]
    fn every_mistake_is_named() {
        let same = |from, to, message: &str| assert_eq!(mistake(from, to), message);
        same("{.sat}", "{.sta}", "a form has `.sta`, which is neither a modifier nor a class of the entry");
        same("{.sat}", "", "no form shows the class `sat`");
        same("d, a\"", "d\"", "no form shows the operand `a`");
        same(".u32 .s32", ".u32 .s33", "`.s33` of the class `type` is not explained in ptx/modifiers.toml");
        same("reg imm", "rge", "`rge` is no kind of operand");
        same(
            "simulated",
            "later",
            "`simulation = \"later\"`: write simulated, partly: WHY, no-op: WHY or unsupported: WHY",
        );
        same("Adds.", "", "add.toml: `add` has no summary");
        same("Adds.", "Adds", "add.toml: the summary of `add` does not end like a sentence: Adds");
        same("\"add.u32 %r1, %r2;\" }\n", "\"sub.u32 %r1, %r2;\" }\n", "its example does not show it");
        same("since = \"1.0\"", "since = \"one\"", "`one` is neither a version nor a target");
        assert!(mistake("section", "sektion").starts_with("unknown field `sektion`"));
    }
}
