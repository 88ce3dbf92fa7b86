//! The WAVE tables, and the checks of the data they come from.

use anyhow::{Context, Result, bail, ensure};

use super::data::{sentence, words};
use super::ptx::{category_entry, role, simulation};
use super::rust;
use super::wave_data::{Availability, Data, Instruction, Operand, Word};

/// The source of `generated/wave.rs`.
pub(super) fn tables(data: &Data) -> Result<String> {
    let mut out = String::from(
        "use crate::names::Names;\nuse crate::wave::*;\nuse crate::{Category, Role, Simulation};\n\n",
    );
    out += &instructions(data)?;
    out += &directives(data)?;
    out += &registers(data)?;
    out += &simple_words("Scope", "SCOPES", "SCOPE_NAMES", "wave/scopes.toml", &data.scopes)?;
    out +=
        &simple_words("CacheHint", "CACHE_HINTS", "CACHE_HINT_NAMES", "wave/cache-hints.toml", &data.hints)?;
    out += &spellings(data)?;
    Ok(out)
}

fn instructions(data: &Data) -> Result<String> {
    let mut categories = Vec::new();
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for (number, category) in data.categories.iter().enumerate() {
        categories.push(category_entry(&category.id, &category.title, &category.about));
        for entry in &category.instructions {
            let file = format!("wave/instructions/{}.toml", category.id);
            let place = format!("&INSTRUCTIONS[{}]", entries.len());
            names.push((entry.mnemonic.as_str(), place.clone()));
            if let Some(name) = entry.toolchain().filter(|name| *name != entry.mnemonic) {
                names.push((name, place));
            }
            entries.push(
                instruction(&file, number, entry)
                    .with_context(|| format!("in server/isa/data/{file}, the entry `{}`", entry.mnemonic))?,
            );
        }
    }
    Ok(rust::table("CATEGORIES", "Category", &categories)
        + &rust::table("INSTRUCTIONS", "Instruction", &entries)
        + &rust::names("MNEMONICS", "&Instruction", &names)?)
}

fn instruction(file: &str, category: usize, entry: &Instruction) -> Result<String> {
    let name = entry.mnemonic.as_str();
    sentence(file, name, "summary", &entry.summary)?;
    entry.notes.iter().try_for_each(|note| sentence(file, name, "note", note))?;
    ensure!(entry.example.contains(name), "its example does not show it");
    ensure!(
        entry.toolchain().is_some() == (entry.available != Availability::Nowhere),
        "it needs a toolchain spelling if and only if it is available"
    );
    let example = entry.example.trim_end();
    let toolchain_example = match entry.toolchain() {
        None => "",
        Some(_) => entry.toolchain_example.as_deref().map_or(example, str::trim_end),
    };
    ensure!(
        toolchain_example.contains(entry.toolchain().unwrap_or_default()),
        "its toolchain_example does not show it"
    );
    let toolchain_operands = entry.toolchain_operands.as_ref().unwrap_or(&entry.operands);
    Ok(format!(
        "Instruction {{ mnemonic: {mnemonic}, toolchain: {toolchain:?}, category: &CATEGORIES[{category}], section: {section}, \
         specification: {specification}, available: Availability::{available:?}, opcode: {opcode}, encoding: {encoding}, suffix: Suffix::{suffix:?}, \
         simulation: {simulation}, summary: {summary}, operands: {operands}, toolchain_operands: {toolchain_operands}, \
         predicate_operands: {predicate_operands}, stand_in: {stand_in}, notes: {notes}, divergence: {divergence}, example: {example}, \
         toolchain_example: {toolchain_example} }}",
        mnemonic = rust::string(name),
        toolchain = entry.toolchain(),
        section = rust::string(&entry.section),
        specification = rust::string(&entry.specification),
        available = entry.available,
        opcode = rust::string(&entry.opcode),
        encoding = encoding(entry)?,
        suffix = entry.suffix,
        simulation = simulation(&entry.simulation)?,
        summary = rust::string(&entry.summary),
        operands = operands(&entry.operands)?,
        toolchain_operands = operands(toolchain_operands)?,
        predicate_operands = operands(&entry.predicate_operands)?,
        stand_in = rust::strings(&entry.stand_in),
        notes = rust::strings(&entry.notes),
        divergence = rust::string(entry.divergence.trim()),
        example = rust::string(example),
        toolchain_example = rust::string(toolchain_example),
    ))
}

/// The numbers that `opcode` names: `0x3F sync 1`, whatever is said of others behind that.
fn encoding(entry: &Instruction) -> Result<String> {
    if entry.available != Availability::Crates {
        return Ok("None".to_owned());
    }
    let mut words = entry.opcode.split_whitespace();
    let opcode = words.next().and_then(|word| u8::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let opcode = opcode.context("its opcode does not begin with a hexadecimal number")?;
    let group = match words.next() {
        Some("sync") => "Sync",
        Some("misc") => "Move",
        Some("mod") | None => "Plain",
        Some(other) if other.starts_with('(') => return Ok(encoding_of(opcode, "Plain", None, entry)),
        Some(other) => bail!("`{other}` of its opcode is no group"),
    };
    let modifier = words.next().map(str::parse::<u8>).transpose().context("the modifier of its opcode")?;
    Ok(encoding_of(opcode, group, modifier, entry))
}

fn encoding_of(opcode: u8, group: &str, modifier: Option<u8>, entry: &Instruction) -> String {
    const SECOND_WORD: [&str; 4] = ["rs3", "desired", "imm", "target"];
    let wide = entry.operands.iter().any(|operand| SECOND_WORD.contains(&operand.name.as_str()));
    format!(
        "Some(Encoding {{ opcode: {opcode:#04x}, group: Group::{group}, modifier: {modifier:?}, wide: {wide} }})"
    )
}

fn operands(list: &[Operand]) -> Result<String> {
    let entries = list.iter().map(operand).collect::<Result<Vec<_>>>()?;
    Ok(rust::slice(entries))
}

fn operand(operand: &Operand) -> Result<String> {
    let kinds = words(&operand.kinds)
        .into_iter()
        .map(|kind| {
            Ok(format!(
                "OperandKind::{}",
                match kind {
                    "gpr" => "General",
                    "predicate" => "Predicate",
                    "not-predicate" => "NotPredicate",
                    "special" => "Special",
                    "immediate" => "Immediate",
                    "label" => "Label",
                    "scope" => "Scope",
                    "fragment" => "Fragment",
                    other => bail!("`{other}` of the operand `{}` is no kind", operand.name),
                }
            ))
        })
        .collect::<Result<Vec<_>>>()?;
    ensure!(!kinds.is_empty(), "the operand `{}` has no kind", operand.name);
    Ok(format!(
        "Operand {{ name: {}, role: {}, kinds: {}, ty: {}, optional: {} }}",
        rust::string(&operand.name),
        role(operand.role),
        rust::slice(kinds),
        rust::string(&operand.ty),
        operand.optional
    ))
}

fn directives(data: &Data) -> Result<String> {
    const FILE: &str = "wave/directives.toml";
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for directive in &data.directives {
        let name = directive.name.as_str();
        sentence(FILE, name, "summary", &directive.summary)?;
        ensure!(directive.example.contains(name), "{FILE}: `{name}` is not in its example");
        names.push((name, format!("&DIRECTIVES[{}]", entries.len())));
        entries.push(format!(
            "Directive {{ name: {}, arguments: {}, summary: {}, notes: {}, example: {} }}",
            rust::string(name),
            rust::string(&directive.arguments),
            rust::string(&directive.summary),
            rust::strings(&directive.notes),
            rust::string(directive.example.trim_end())
        ));
    }
    Ok(rust::table("DIRECTIVES", "Directive", &entries)
        + &rust::names("DIRECTIVE_NAMES", "&Directive", &names)?)
}

fn registers(data: &Data) -> Result<String> {
    const FILE: &str = "wave/special-registers.toml";
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for register in &data.registers {
        let name = register.name.as_str();
        sentence(FILE, name, "summary", &register.summary)?;
        ensure!(usize::from(register.index) == entries.len(), "{FILE}: `{name}` is out of order");
        names.push((name, format!("&SPECIAL_REGISTERS[{}]", entries.len())));
        entries.push(format!(
            "SpecialRegister {{ name: {}, index: {}, available: Availability::{:?}, uniform: {}, summary: {}, example: {} }}",
            rust::string(name),
            register.index,
            register.available,
            register.uniform,
            rust::string(&register.summary),
            rust::string(&register.example)
        ));
    }
    let mut classes = Vec::new();
    for class in &data.classes {
        sentence("wave/registers.toml", &class.name, "summary", &class.summary)?;
        classes.push(format!(
            "RegisterClass {{ name: {}, pattern: {}, bits: {}, first: {}, last: {}, summary: {}, notes: {} }}",
            rust::string(&class.name),
            rust::string(&class.pattern),
            class.bits,
            rust::string(&class.first),
            rust::string(&class.last),
            rust::string(&class.summary),
            rust::strings(&class.notes)
        ));
    }
    Ok(rust::table("SPECIAL_REGISTERS", "SpecialRegister", &entries)
        + &rust::names("SPECIAL_REGISTER_NAMES", "&SpecialRegister", &names)?
        + &rust::table("REGISTER_CLASSES", "RegisterClass", &classes))
}

/// A table of words that have a name and a summary and nothing else.
fn simple_words(ty: &str, table: &str, index: &str, file: &str, list: &[Word]) -> Result<String> {
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for word in list {
        sentence(file, &word.name, "summary", &word.summary)?;
        names.push((word.name.as_str(), format!("&{table}[{}]", entries.len())));
        entries.push(format!(
            "{ty} {{ name: {}, summary: {} }}",
            rust::string(&word.name),
            rust::string(&word.summary)
        ));
    }
    Ok(rust::table(table, ty, &entries) + &rust::names(index, &format!("&{ty}"), &names)?)
}

fn spellings(data: &Data) -> Result<String> {
    const FILE: &str = "wave/spellings.toml";
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for spelling in &data.spellings.words {
        sentence(FILE, &spelling.names, "why", &spelling.why)?;
        for name in words(&spelling.names) {
            names.push((name, format!("&SPELLINGS[{}]", entries.len())));
            entries.push(format!(
                "Spelling {{ name: {}, write: {}, why: {} }}",
                rust::string(name),
                rust::string(&spelling.write.replace('*', name)),
                rust::string(&spelling.why)
            ));
        }
    }
    let mut mistakes = Vec::new();
    for pattern in &data.spellings.patterns {
        sentence(FILE, &pattern.written, "why", &pattern.why)?;
        mistakes.push(format!(
            "Mistake {{ written: {}, toolchain: {}, why: {} }}",
            rust::string(&pattern.written),
            rust::string(&pattern.toolchain),
            rust::string(&pattern.why)
        ));
    }
    Ok(rust::table("SPELLINGS", "Spelling", &entries)
        + &rust::names("SPELLING_NAMES", "&Spelling", &names)?
        + &rust::table("MISTAKES", "Mistake", &mistakes))
}
