//! The SASS tables, and the checks of their data.

use anyhow::{Result, ensure};

use super::data::{sentence, sentences, unique};
use super::file::File;
use super::rust::{Source, names};
use super::sass_data::Data;
use super::schema::sass::Instruction;
use super::schema::storage::Reference;

pub(super) fn tables(data: &mut Data) -> Result<Vec<File>> {
    for (number, category) in data.categories.iter_mut().enumerate() {
        let file = format!("sass/instructions/{}.toml", category.id);
        for entry in &mut category.instructions {
            entry.category = Reference::new("CATEGORIES", number);
            check(&file, entry)?;
        }
    }
    let words = |source: &mut Source| Ok(vec![("words", words(data, source)?)]);
    let source = Source::new(&[("Modifier", "MODIFIER")]);
    File::all("sass", &data.categories, source, words, &opcodes(data)?)
}

/// The opcodes by name.
fn opcodes(data: &Data) -> Result<String> {
    let entries = data.categories.iter().flat_map(|category| &category.instructions);
    let opcodes: Vec<(&str, usize)> =
        entries.enumerate().map(|(number, entry)| (entry.opcode.as_str(), number)).collect();
    unique("sass/instructions", opcodes.iter().map(|(name, _)| *name))?;
    names("OPCODES", &opcodes)
}

fn check(file: &str, entry: &Instruction) -> Result<()> {
    let name = entry.opcode.as_str();
    sentence(file, name, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, name, "note", note))?;
    unique(file, entry.modifiers.iter().map(|modifier| modifier.name.as_str()))?;
    ensure!(
        entry.example.is_empty() || entry.example.contains(name),
        "{file}: `{name}` is not in its example"
    );
    for modifier in &entry.modifiers {
        ensure!(!modifier.meaning.is_empty(), "{file}: `{name}` does not explain `{}`", modifier.name);
    }
    Ok(())
}

fn words(data: &Data, source: &mut Source) -> Result<String> {
    sentences("sass/special-registers.toml", "summary", &data.registers, |it| (&it.name, &it.summary))?;
    sentences("sass/launch-constants.toml", "summary", &data.constants, |it| (&it.name, &it.summary))?;
    sentences("sass/sequences.toml", "detail", &data.sequences, |it| (&it.name, &it.detail))?;
    ensure!(data.conditions.len() == 32, "sass/conditions.toml does not have the 32 tests");
    Ok(source.named_table("CONDITIONS", "ConditionTest", &data.conditions, |it| &it.name)?
        + &source.named_table("SPECIAL_REGISTERS", "SpecialRegister", &data.registers, |it| &it.name)?
        + &source.named_table("OPERAND_WORDS", "OperandWord", &data.words, |it| &it.name)?
        + &source.table("SEQUENCES", "Sequence", &data.sequences)
        + &source.table("LAUNCH_CONSTANTS", "LaunchConstant", &data.constants))
}
