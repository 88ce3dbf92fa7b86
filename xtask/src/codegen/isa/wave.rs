//! The WAVE tables, and the checks of their data.

use anyhow::{Context, Result, bail, ensure};

use super::data::{sentence, sentences};
use super::file::File;
use super::rust::{Source, names};
use super::schema::storage::{Reference, Words};
use super::schema::wave::{Availability, Encoding, Group, Instruction, InvalidName};
use super::wave_data::{Category, Data};

pub(super) fn tables(data: &mut Data) -> Result<Vec<File>> {
    complete(&mut data.categories)?;
    let words = |source: &mut Source| {
        let words = directives(data, source)?
            + &registers(data, source)?
            + &simple_words(data, source)?
            + &invalid_names(data, source)?;
        Ok(vec![("words", words)])
    };
    let source = Source::new(&[("Operand", "OPERAND")]);
    File::all("wave", &data.categories, source, words, &mnemonics(&data.categories)?)
}

/// The instructions by mnemonic, in both dialects.
fn mnemonics(categories: &[Category]) -> Result<String> {
    let mut mnemonics = Vec::new();
    let entries = categories.iter().flat_map(|category| &category.instructions);
    for (number, entry) in entries.enumerate() {
        let toolchain = entry.toolchain.as_ref().filter(|name| **name != entry.mnemonic);
        for name in [&entry.mnemonic].into_iter().chain(toolchain) {
            mnemonics.push((name.as_str(), number));
        }
    }
    names("MNEMONICS", &mnemonics)
}

/// Checks the instructions, and computes the fields that are not in the data.
fn complete(categories: &mut [Category]) -> Result<()> {
    for (number, category) in categories.iter_mut().enumerate() {
        let file = format!("wave/instructions/{}.toml", category.id);
        for entry in &mut category.instructions {
            entry.category = Reference::new("CATEGORIES", number);
            complete_instruction(&file, entry)
                .with_context(|| format!("in server/isa/data/{file}, the entry `{}`", entry.mnemonic))?;
        }
    }
    Ok(())
}

fn complete_instruction(file: &str, entry: &mut Instruction) -> Result<()> {
    let name = entry.mnemonic.as_str();
    sentence(file, name, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, name, "note", note))?;
    ensure!(entry.example.contains(name), "its example does not show it");
    ensure!(
        entry.toolchain.is_some() == (entry.available != Availability::Nowhere),
        "it needs a toolchain name if and only if it is available"
    );
    ensure!(
        entry.toolchain_example.contains(entry.toolchain.as_deref().unwrap_or_default()),
        "its toolchain_example does not show it"
    );
    let operands = entry.operands.iter().chain(&entry.toolchain_operands).chain(&entry.predicate_operands);
    for operand in operands {
        ensure!(!operand.kinds.is_empty(), "the operand `{}` has no kind", operand.name);
    }
    entry.encoding = encoding(entry)?;
    Ok(())
}

/// The numbers at the start of `opcode`, such as `0x3F sync 1`.
fn encoding(entry: &Instruction) -> Result<Option<Encoding>> {
    const SECOND_WORD: [&str; 4] = ["rs3", "desired", "imm", "target"];
    if entry.available != Availability::Crates {
        return Ok(None);
    }
    let mut words = entry.opcode.split_whitespace();
    let opcode = words.next().and_then(|word| u8::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let opcode = opcode.context("its opcode does not start with a hexadecimal number")?;
    let (group, has_modifier) = match words.next() {
        Some("sync") => (Group::Sync, true),
        Some("misc") => (Group::Move, true),
        Some("mod") | None => (Group::Plain, true),
        Some(other) if other.starts_with('(') => (Group::Plain, false),
        Some(other) => bail!("`{other}` of its opcode is not a group"),
    };
    let modifier = words.next().filter(|_| has_modifier).map(str::parse::<u8>).transpose();
    let modifier = modifier.context("the modifier of its opcode")?;
    let wide = entry.operands.iter().any(|operand| SECOND_WORD.contains(&operand.name.as_str()));
    Ok(Some(Encoding { opcode, group, modifier, wide }))
}

fn directives(data: &Data, source: &mut Source) -> Result<String> {
    const FILE: &str = "wave/directives.toml";
    for directive in &data.directives {
        let name = directive.name.as_str();
        sentence(FILE, name, "summary", &directive.summary)?;
        ensure!(directive.example.contains(name), "{FILE}: `{name}` is not in its example");
    }
    source.named_table("DIRECTIVES", "Directive", &data.directives, |it| &it.name)
}

fn registers(data: &Data, source: &mut Source) -> Result<String> {
    const FILE: &str = "wave/special-registers.toml";
    for (index, register) in data.registers.iter().enumerate() {
        let name = register.name.as_str();
        sentence(FILE, name, "summary", &register.summary)?;
        ensure!(usize::from(register.index) == index, "{FILE}: `{name}` is out of order");
    }
    sentences("wave/registers.toml", "summary", &data.classes, |it| (&it.name, &it.summary))?;
    Ok(source.named_table("SPECIAL_REGISTERS", "SpecialRegister", &data.registers, |it| &it.name)?
        + &source.table("REGISTER_CLASSES", "RegisterClass", &data.classes))
}

/// The scopes and the cache hints.
fn simple_words(data: &Data, source: &mut Source) -> Result<String> {
    sentences("wave/scopes.toml", "summary", &data.scopes, |it| (&it.name, &it.summary))?;
    sentences("wave/cache-hints.toml", "summary", &data.hints, |it| (&it.name, &it.summary))?;
    Ok(source.named_table("SCOPES", "Scope", &data.scopes, |it| &it.name)?
        + &source.named_table("CACHE_HINTS", "CacheHint", &data.hints, |it| &it.name)?)
}

fn invalid_names(data: &Data, source: &mut Source) -> Result<String> {
    const FILE: &str = "wave/invalid-names.toml";
    let mut names = Vec::new();
    for invalid in &data.invalid.names {
        for name in invalid.names.iter() {
            sentence(FILE, name, "why", &invalid.why)?;
            let (write, why) = (invalid.write.replace('*', name), invalid.why.clone());
            names.push(InvalidName { name: name.clone(), write, why, names: Words::default() });
        }
    }
    sentences(FILE, "why", &data.invalid.patterns, |it| (&it.written, &it.why))?;
    let mistakes = source.table("MISTAKES", "Mistake", &data.invalid.patterns);
    Ok(source.named_table("INVALID_NAMES", "InvalidName", &names, |it| &it.name)? + &mistakes)
}
