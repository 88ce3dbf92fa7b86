//! The page about what the simulator covers.

use super::page::{Page, plain, table};
use crate::codegen::isa::ptx_data::Data as Ptx;
use crate::codegen::isa::schema::entry::Simulation;
use crate::codegen::isa::wave_data::Data as Wave;

pub(super) fn page(ptx: &Ptx, wave: &Wave) -> Page {
    let mut body = String::from(
        "A run stops at an instruction that is not simulated, and names it; the trace up to there stays.\n\n",
    );
    let ptx = ptx.categories.iter().map(|category| {
        let entries = category.instructions.iter();
        (category.title.as_str(), entries.map(|it| (it.id.as_str(), &it.simulation)).collect())
    });
    body += &section("PTX", ptx.collect());
    let wave = wave.categories.iter().map(|category| {
        let entries = category.instructions.iter();
        (category.title.as_str(), entries.map(|it| (&*it.mnemonic, &it.simulation)).collect())
    });
    body += &section("WAVE", wave.collect());
    Page {
        path: "coverage".into(),
        title: "What the simulator covers".into(),
        about: "Every instruction with the decision about it.".into(),
        body,
    }
}

/// A category with its entries, and how far the simulator supports each.
type Category<'a> = (&'a str, Vec<(&'a str, &'a Simulation)>);

fn section(language: &str, categories: Vec<Category>) -> String {
    let entries = || categories.iter().flat_map(|(_, entries)| entries);
    let simulated = entries().filter(|(_, decision)| matches!(decision, Simulation::Simulated)).count();
    let partly = entries().filter(|(_, decision)| matches!(decision, Simulation::Partly(_))).count();
    let no_op = entries().filter(|(_, decision)| matches!(decision, Simulation::NoOp(_))).count();
    let rows: Vec<[String; 5]> = (categories.iter())
        .map(|(title, entries)| {
            let names = |wanted: fn(&Simulation) -> bool| {
                let fitting = entries.iter().filter(|(_, decision)| wanted(decision));
                fitting.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" ")
            };
            [
                plain(title),
                names(|decision| matches!(decision, Simulation::Simulated)),
                names(|decision| matches!(decision, Simulation::Partly(_))),
                names(|decision| matches!(decision, Simulation::NoOp(_))),
                names(|decision| matches!(decision, Simulation::Unsupported(_))),
            ]
        })
        .collect();
    let unsupported = reasons(entries(), |decision| match decision {
        Simulation::Unsupported(why) => Some(why),
        _ => None,
    });
    let in_part = reasons(entries(), |decision| match decision {
        Simulation::Partly(but) => Some(but),
        _ => None,
    });
    format!(
        "## {language}\n\nOf {} entries {simulated} are simulated, {partly} in part, {no_op} accepted without effect, and {} not simulated.\n\n{}{}{}",
        entries().count(),
        entries().count() - simulated - partly - no_op,
        table(["", "simulated", "in part", "without effect", "not simulated"], &rows),
        reason_table(["Not simulated", "because"], &unsupported),
        reason_table(["In part", "what is missing"], &in_part),
    )
}

/// Groups entries by reason, in the order of first occurrence.
fn reasons<'a>(
    entries: impl Iterator<Item = &'a (&'a str, &'a Simulation)>,
    reason: impl Fn(&Simulation) -> Option<&String>,
) -> Vec<(String, Vec<&'a str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, decision) in entries {
        let Some(reason) = reason(decision) else { continue };
        match groups.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason.clone(), vec![name])),
        }
    }
    groups
}

fn reason_table(header: [&str; 2], groups: &[(String, Vec<&str>)]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let named =
        |names: &Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
    let rows: Vec<[String; 2]> = groups.iter().map(|(reason, names)| [named(names), plain(reason)]).collect();
    table(header, &rows)
}
