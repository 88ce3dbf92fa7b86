//! The PTX tables, and the checks of their data.

mod form;
mod modifiers;
mod other_tables;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};

use super::data::{names, sentence, unique};
use super::file::File;
use super::forms;
use super::ptx_data::{Category, Data};
use super::rust::{self, Expression, Source};
use super::schema::ptx::Instruction;
use super::schema::storage::Reference;
use modifiers::Modifiers;

/// The types whose equal entries are written once, with the names of their tables. The names are short,
/// because rustfmt puts each item of a list on its own line if one is longer than ten characters.
const INTERNED: [(&str, &str); 7] = [
    ("Availability", "AVAILABLE"),
    ("FormOperand", "ARG"),
    ("Modifier", "MOD"),
    ("ModifierClass", "CLASS"),
    ("Operand", "OPERAND"),
    ("Slot", "SLOT"),
    ("Value", "VAL"),
];

pub(super) fn tables(data: &mut Data) -> Result<Vec<File>> {
    other_tables::complete(data)?;
    let mut categories = std::mem::take(&mut data.categories);
    let modifiers = Modifiers::new(data)?;
    all_classes_used(&categories, &modifiers)?;
    complete(&mut categories, &modifiers)?;
    let others = |source: &mut Source| {
        Ok(vec![
            ("modifiers", modifiers.tables(source)?),
            ("directives", other_tables::directives(data, source)?),
            ("special-registers", other_tables::registers(data, source)?),
            ("types", other_tables::types_and_spaces(data, source)?),
            ("targets", other_tables::targets(data, source)?),
        ])
    };
    File::all("ptx", &categories, Source::new(&INTERNED), others, &lookups(&categories)?)
}

/// The tables that find an instruction by its id or opcode.
fn lookups(categories: &[Category]) -> Result<String> {
    let mut by_id = Vec::new();
    let mut by_opcode: BTreeMap<&str, Vec<Expression>> = BTreeMap::new();
    let entries = categories.iter().flat_map(|category| &category.instructions);
    for (number, entry) in entries.enumerate() {
        by_id.push((entry.id.as_str(), number));
        by_opcode.entry(&entry.opcode).or_default().push(Expression(format!("INSTRUCTIONS[{number}]")));
    }
    unique("ptx/instructions", by_id.iter().map(|(id, _)| *id))?;
    let opcodes: Vec<(&str, usize)> = by_opcode.keys().copied().zip(0..).collect();
    let by_opcode: Vec<Vec<Expression>> = by_opcode.into_values().collect();
    Ok(rust::strings("OPCODES", opcodes.iter().map(|(opcode, _)| opcode))
        + &rust::names("BY_ID", &by_id)?
        + &rust::names("OPCODE_NAMES", &opcodes)?
        + &Source::new(&[]).table("BY_OPCODE", "&[&Instruction]", &by_opcode))
}

fn all_classes_used(categories: &[Category], modifiers: &Modifiers<'_>) -> Result<()> {
    let used: BTreeSet<&str> = (categories.iter().flat_map(|category| &category.instructions))
        .flat_map(|entry| entry.modifiers.iter().map(|class| class.name.as_str()))
        .collect();
    for class in modifiers.classes.keys() {
        ensure!(used.contains(class), "ptx/modifiers.toml: no instruction has the class `{class}`");
    }
    Ok(())
}

/// Checks the instructions, and computes the fields that are not in the data.
fn complete(categories: &mut [Category], modifiers: &Modifiers<'_>) -> Result<()> {
    let mut mistakes = Vec::new();
    for (number, category) in categories.iter_mut().enumerate() {
        let file = format!("ptx/instructions/{}.toml", category.id);
        for entry in &mut category.instructions {
            entry.category = Reference::new("CATEGORIES", number);
            if let Err(why) = complete_instruction(&file, entry, modifiers) {
                mistakes.push(format!("{file}, the entry `{}`: {why:#}", entry.id));
            }
        }
    }
    ensure!(mistakes.is_empty(), "mistakes in server/isa/data:\n{}", mistakes.join("\n"));
    Ok(())
}

fn complete_instruction(file: &str, entry: &mut Instruction, modifiers: &Modifiers<'_>) -> Result<()> {
    check_texts(file, entry)?;
    entry.opcode = entry.opcode().to_owned();
    entry.name = entry.name().to_owned();
    entry.words = fixed_words(entry);
    entry.vocabulary = vocabulary(entry).into_iter().collect();
    check_syntax(entry)?;
    for class in &mut entry.modifiers {
        let name = class.name.as_str();
        let summary = modifiers.classes.get(name);
        class.summary = (*summary
            .with_context(|| format!("the class `{name}` is not explained in ptx/modifiers.toml"))?)
        .to_owned();
        let values = names(&class.listed);
        class.values = values.iter().map(|value| modifiers.resolve(name, value)).collect::<Result<_>>()?;
    }
    for operand in &entry.operands {
        ensure!(!operand.kinds.is_empty(), "the operand `{}` has no kind", operand.name);
    }
    entry.types = types(entry, modifiers);
    entry.forms = form::forms(entry, |word| modifiers.has(word))?;
    Ok(())
}

/// Checks that no text for users is missing.
fn check_texts(file: &str, entry: &Instruction) -> Result<()> {
    let id = entry.id.as_str();
    sentence(file, id, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, id, "note", note))?;
    ensure!(!entry.syntax.is_empty(), "it has no syntax");
    ensure!(!entry.semantics.is_empty(), "it has no semantics");
    ensure!(!entry.measured.is_empty(), "no statement of its example was measured");
    let shown = if id == "{}" { "{" } else { entry.opcode() };
    ensure!(entry.example.code.contains(shown), "its example does not show it");
    Ok(())
}

/// The words of the name after the opcode, except for those that a required class includes.
fn fixed_words(entry: &Instruction) -> Vec<String> {
    (entry.name().split('.').skip(1))
        .map(|word| format!(".{word}"))
        .filter(|word| {
            !entry.modifiers.iter().filter(|class| !class.optional).any(|class| {
                names(&class.listed)
                    .iter()
                    .all(|value| value == word || value.starts_with(&format!("{word}::")))
            })
        })
        .collect()
}

/// Every modifier of an entry, sorted.
fn vocabulary(entry: &Instruction) -> BTreeSet<String> {
    let values: Vec<String> = entry.modifiers.iter().flat_map(|class| names(&class.listed)).collect();
    (values.iter().flat_map(|value| value.split('.').skip(1)).map(|word| format!(".{word}")))
        .chain(entry.words.iter().cloned())
        .collect()
}

/// Checks that the syntax lines, the modifiers and the operands agree.
fn check_syntax(entry: &Instruction) -> Result<()> {
    let classes: BTreeSet<String> = entry.modifiers.iter().map(|class| format!(".{}", class.name)).collect();
    let written: BTreeSet<String> = entry.syntax.iter().flat_map(|form| forms::words(form)).collect();
    for word in &written {
        ensure!(
            entry.vocabulary.contains(word) || classes.contains(word),
            "a form has `{word}`, which is neither a modifier nor a class of the entry"
        );
    }
    for class in &entry.modifiers {
        let named = written.contains(&format!(".{}", class.name));
        let spelled = || {
            names(&class.listed)
                .iter()
                .any(|value| value.split('.').skip(1).all(|word| written.contains(&format!(".{word}"))))
        };
        ensure!(named || spelled(), "no form shows the class `{}`", class.name);
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

/// The operand types of an entry, without dots, in the order of its modifiers.
fn types(entry: &Instruction, modifiers: &Modifiers<'_>) -> Vec<String> {
    let of_type =
        |class: &str| class.to_ascii_lowercase().ends_with("type") || matches!(class, "size" | "elemsize");
    let values =
        (entry.modifiers.iter()).filter(|class| of_type(&class.name)).flat_map(|class| names(&class.listed));
    let mut found = Vec::new();
    for value in entry.words.iter().cloned().chain(values) {
        for word in value.split('.').skip(1) {
            let known = modifiers.types.contains(format!(".{word}").as_str());
            if known && !found.iter().any(|it| it == word) {
                found.push(word.to_owned());
            }
        }
    }
    found
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

    /// The error of the generator after a change to the entry.
    fn mistake(from: &str, to: &str) -> String {
        assert!(ADD.contains(from), "{from}");
        let mut entry: Instruction = match toml::from_str(&ADD.replace(from, to)) {
            Ok(entry) => entry,
            Err(why) => return why.message().to_owned(),
        };
        let data = ptx_data::load().unwrap();
        let modifiers = Modifiers::new(&data).unwrap();
        match complete_instruction("add.toml", &mut entry, &modifiers) {
            Ok(()) => String::new(),
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
        same(
            "simulated",
            "later",
            "`simulation = \"later\"`: expected simulated, partly: BUT, no-op: WHY or unsupported: WHY",
        );
        same("Adds.", "", "add.toml: `add` has no summary");
        same("Adds.", "Adds", "add.toml: the summary of `add` does not end like a sentence: Adds");
        same("\"add.u32 %r1, %r2;\" }\n", "\"sub.u32 %r1, %r2;\" }\n", "its example does not show it");
        same("since = \"1.0\"", "since = \"one\"", "`one` is not a version");
        assert!(
            mistake("reg imm", "rge").starts_with("unknown variant `rge`, expected one of `reg`, `pred`")
        );
        assert!(mistake("section", "sektion").starts_with("unknown field `sektion`"));
    }
}
