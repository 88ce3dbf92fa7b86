//! The pages about PTX.

use std::fmt::Write;

use super::page::{Page, code, code_name, code_names, evidence, list, plain, simulation, table};
use crate::codegen::isa::data::words;
use crate::codegen::isa::ptx_data::Data;
use crate::codegen::isa::schema::ptx::Instruction;
use crate::codegen::isa::schema::ptx_form::OperandKind;
use crate::codegen::isa::schema::ptx_module::{Directive, SpecialRegister};

pub(super) fn pages(data: &Data) -> Vec<Page> {
    let entry = |entry: &Instruction| instruction(entry, data);
    let mut pages: Vec<Page> =
        data.categories.iter().map(|category| Page::of_category("ptx", category, entry)).collect();
    pages.extend([directives(data), registers(data), types(data), modifiers(data), targets(data)]);
    pages
}

fn page(path: &str, title: &str, about: &str, body: String) -> Page {
    Page::new(format!("ptx/{path}"), title, about, body)
}

fn instruction(entry: &Instruction, data: &Data) -> String {
    let mut out = format!("## `{}`\n\n{}\n\n", entry.id, plain(&entry.summary));
    out += &code("text", &entry.syntax.join("\n"));
    let _ = write!(
        out,
        "Since PTX {}{}; {}; {}; {}.\n\n",
        entry.since,
        in_brackets(&entry.since_note),
        plain(&entry.target),
        plain(&simulation(&entry.simulation)),
        evidence(&entry.evidence)
    );
    let optional = |is_optional: bool| if is_optional { " (optional)" } else { "" };
    let classes = entry.modifiers.iter().map(|class| {
        let name = plain(&class.name) + optional(class.optional);
        [name, code_names(words(&class.listed)), summary(&class.name, data)]
    });
    out += &table(["modifier", "one of", "decides"], classes);
    let operands = entry.operands.iter().filter(|operand| !operand.about.is_empty()).map(|operand| {
        let name = code_name(&operand.name) + optional(operand.optional);
        let kinds: Vec<String> = operand.kinds.iter().map(kind_words).collect();
        [name, plain(&kinds.join(", ")), plain(&operand.about)]
    });
    out += &table(["operand", "written as", "what it is"], operands);
    out += &code("text", &entry.semantics.join("\n"));
    out += &list(&entry.notes);
    if !entry.divergence.is_empty() {
        let _ = write!(out, "**Lanes.** {}\n\n", plain(&entry.divergence));
    }
    out + &code("ptx", &entry.example.code)
}

/// `SpecialRegister` as `special register`.
fn kind_words(kind: &OperandKind) -> String {
    if *kind == OperandKind::NotPredicate {
        return "negated predicate".to_owned();
    }
    let mut words = String::new();
    for c in format!("{kind:?}").chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// What a class of modifiers decides.
fn summary(class: &str, data: &Data) -> String {
    let found = data.modifiers.classes.iter().find(|it| it.names.iter().any(|name| name == class));
    found.map(|it| plain(&it.summary)).unwrap_or_default()
}

fn in_brackets(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" ({})", plain(note)) }
}

fn directives(data: &Data) -> Page {
    let mut body: String = data.directives.iter().map(directive_entry).collect();
    body += "## Strings of .pragma\n\n";
    let rows = data
        .pragmas
        .iter()
        .map(|it| [code_name(&it.example), plain(&it.summary), it.places.join(", "), it.since.to_string()]);
    body += &table(["directive", "what it does", "where", "since"], rows);
    let about = "Declarations, kernels and functions, linking, limits and debug data.";
    page("directives", "Directives", about, body)
}

fn directive_entry(directive: &Directive) -> String {
    let mut out = format!("## `{}`\n\n{}\n\n", directive.name, plain(&directive.summary));
    out += &code("text", &directive.syntax.join("\n"));
    let _ = write!(out, "Since PTX {}{}. ", directive.since, in_brackets(&directive.since_note));
    let _ = write!(out, "Allowed in: {}.", plain(&directive.places.join("; ")));
    if !directive.requires.is_empty() {
        let _ = write!(out, " Needs: {}.", plain(&directive.requires.join("; ")));
    }
    if !directive.conflicts.is_empty() {
        let _ = write!(out, " Not with: {}.", plain(&directive.conflicts.join("; ")));
    }
    out += "\n\n";
    out += &list(&directive.notes);
    out + &code("ptx", &directive.example)
}

fn registers(data: &Data) -> Page {
    let rows = data.registers.iter().map(register_row);
    let mut body = table(["register", "type", "what it holds", "values", "since"], rows);
    for register in data.registers.iter().filter(|register| !register.notes.is_empty()) {
        let _ = write!(body, "**`{}`**\n\n{}", register.name, list(&register.notes));
    }
    let about = "Where a thread is, how large the launch is, clocks and counters.";
    page("special-registers", "Special registers", about, body)
}

fn register_row(register: &SpecialRegister) -> [String; 5] {
    let components = &register.components;
    let ty = if components.is_empty() {
        register.ty.clone()
    } else {
        format!("{} each of .{}", register.ty, components.join(" ."))
    };
    let since = format!("{}{}", register.since, in_brackets(&register.since_note));
    [format!("`{}`", register.name), ty, plain(&register.summary), plain(&register.range), since]
}

fn types(data: &Data) -> Page {
    let types = data.types.iter().map(|ty| {
        [
            code_name(&ty.name),
            ty.bits.to_string(),
            code_names(&ty.storage),
            plain(&ty.summary),
            ty.since.to_string(),
        ]
    });
    let spaces = data.spaces.spaces.iter();
    let spaces =
        spaces.map(|it| [code_name(&it.name), plain(&it.summary), it.declared.clone(), it.initial.clone()]);
    let parts = data.spaces.parts.iter().map(|it| [code_name(&it.name), plain(&it.summary)]);
    let body = format!(
        "## Types\n\n{}## State spaces\n\n{}{}",
        table(["type", "bits", "register", "what it is", "since"], types),
        table(["space", "what it is", "declared in", "holds at the start"], spaces),
        table(["part of a space", "what it is"], parts)
    );
    page("types", "Types and state spaces", "What a value is, and where it lives.", body)
}

fn modifiers(data: &Data) -> Page {
    let rows = data.modifiers.modifiers.iter();
    let rows =
        rows.map(|it| [code_names(words(&it.names)), plain(&it.classes.join(", ")), plain(&it.summary)]);
    let body = table(["modifier", "only as", "what it means"], rows);
    page("modifiers", "Modifiers", "The dotted words after an opcode, and what each means.", body)
}

fn targets(data: &Data) -> Page {
    let versions = data.versions.iter().map(|release| {
        let added = data.targets.targets.iter().filter(|target| target.since == release.version);
        let names = code_names(added.map(|target| &target.name));
        [release.version.to_string(), release.toolkit.clone(), names, plain(&release.note)]
    });
    let options = data.targets.options.iter();
    let options = options.map(|it| [code_name(&it.name), plain(&it.summary), it.since.to_string()]);
    let body = format!(
        "{}## Words after the architecture\n\n{}",
        table(["PTX", "toolkit", "targets added", ""], versions),
        table(["word", "what it does", "since"], options)
    );
    page("versions", "Versions and targets", "Which version of PTX brought which architectures.", body)
}
