//! The pages about WAVE.

use std::fmt::Write;

use super::page::{Page, code, code_name, code_names, list, plain, simulation, table};
use crate::codegen::isa::schema::wave::{Availability, Instruction, Operand};
use crate::codegen::isa::wave_data::Data;

pub(super) fn pages(data: &Data) -> Vec<Page> {
    let mut pages: Vec<Page> =
        data.categories.iter().map(|category| Page::of_category("wave", category, instruction)).collect();
    pages.extend([words_page(data), dialects(data)]);
    pages
}

fn page(path: &str, title: &str, about: &str, body: String) -> Page {
    Page::new(format!("wave/{path}"), title, about, body)
}

fn instruction(entry: &Instruction) -> String {
    let mut out = format!("## `{}`\n\n{}\n\n", entry.mnemonic, plain(&entry.summary));
    let mut forms = vec![form(&entry.mnemonic, &entry.operands)];
    if !entry.predicate_operands.is_empty() {
        forms.push(form(&entry.mnemonic, &entry.predicate_operands));
    }
    if let Some(name) = entry.toolchain.as_ref().filter(|name| **name != entry.mnemonic) {
        forms.push(form(name, &entry.toolchain_operands));
    }
    out += &code("text", &forms.join("\n"));
    let known = match entry.available {
        Availability::Crates => "in all assemblers",
        Availability::Repository => "in the repository's assembler only",
        Availability::Nowhere => "in no assembler",
    };
    let section = if entry.specification.is_empty() {
        plain(&entry.section)
    } else {
        format!("Section {}, since specification {}", plain(&entry.section), entry.specification)
    };
    let _ = write!(out, "{section}; {known}; {}.\n\n", plain(&simulation(&entry.simulation)));
    out += &list(&entry.notes);
    if !entry.divergence.is_empty() {
        let _ = write!(out, "**Lanes.** {}\n\n", plain(&entry.divergence));
    }
    out + &code("wave-asm", &entry.example)
}

/// A mnemonic with its operands. Optional operands are in `{}`.
fn form(mnemonic: &str, operands: &[Operand]) -> String {
    let mut out = mnemonic.to_owned();
    for (at, operand) in operands.iter().enumerate() {
        let comma = if at + 1 < operands.len() { "," } else { "" };
        let _ = match operand.optional {
            true => write!(out, " {{{}{comma}}}", operand.name),
            false => write!(out, " {}{comma}", operand.name),
        };
    }
    out
}

fn words_page(data: &Data) -> Page {
    let directives = data.directives.iter();
    let directives = directives
        .map(|it| [format!("`{} {}`", it.name, it.arguments).replace(" `", "`"), plain(&it.summary)]);
    let special = data.registers.iter().map(|it| [code_name(&it.name), plain(&it.summary)]);
    let classes = data.classes.iter();
    let classes = classes
        .map(|it| [code_name(&it.pattern), format!("`{}` to `{}`", it.first, it.last), plain(&it.summary)]);
    let scopes = data.scopes.iter().map(|it| [code_name(&it.name), plain(&it.summary)]);
    let hints = data.hints.iter().map(|it| [code_name(&it.name), plain(&it.summary)]);
    let body = format!(
        "## Directives\n\n{}## Registers\n\n{}{}## Special registers\n\n{}## Scopes\n\n{}## Cache hints\n\n{}",
        table(["directive", "what it does"], directives),
        table(["written", "which", "what it is"], classes),
        list(data.classes.iter().flat_map(|class| &class.notes)),
        table(["register", "what it holds"], special),
        table(["scope", "threads in it"], scopes),
        table(["hint", "what it asks for"], hints)
    );
    page("words", "Directives, registers and scopes", "Everything except instructions.", body)
}

fn dialects(data: &Data) -> Page {
    let patterns = data.invalid.patterns.iter();
    let patterns = patterns.map(|it| [code_name(&it.written), plain(&it.toolchain), plain(&it.why)]);
    let names = data.invalid.names.iter();
    let names = names.map(|it| [code_names(it.names.iter()), plain(&it.write), plain(&it.why)]);
    let body = format!(
        "## Syntax that differs in the toolchain\n\n{}## Invalid names\n\n{}",
        table(["written", "the toolchain accepts", "why"], patterns),
        table(["name", "write", "why"], names)
    );
    page(
        "dialects",
        "Dialects",
        "The syntax of the guide and of the toolchain, and names that no assembler accepts.",
        body,
    )
}
