//! The page about what the simulator covers.

use super::page::{Page, code_names, plain, table};
use crate::codegen::isa::ptx_data::Data as Ptx;
use crate::codegen::isa::schema::entry::{Evidence, Simulation};
use crate::codegen::isa::wave_data::Data as Wave;

pub(super) fn page(data: &Ptx, wave: &Wave) -> Page {
    let mut body = String::from(
        "A run stops at an instruction that is not simulated, and names it; the trace up to there stays.\n\n",
    );
    let ptx = data.categories.iter().map(|category| {
        let entries = category.instructions.iter();
        (category.title.as_str(), entries.map(|it| (it.id.as_str(), &it.simulation)).collect())
    });
    body += &section("PTX", ptx.collect());
    body += &known(data);
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

/// How the effects of the PTX instructions are known.
fn known(data: &Ptx) -> String {
    let entries = || data.categories.iter().flat_map(|category| &category.instructions);
    let rows = data.categories.iter().map(|category| {
        let names = |wanted| {
            code_names(
                category.instructions.iter().filter(|it| it.evidence == wanted).map(|it| it.id.as_str()),
            )
        };
        let [gpu, assembler, text] = EVIDENCE.map(names);
        [plain(&category.title), gpu, assembler, text]
    });
    let [gpu, assembler, text] = EVIDENCE.map(|wanted| entries().filter(|it| it.evidence == wanted).count());
    format!(
        "### How each instruction is known\n\n{gpu} entries are in kernels that a GPU ran and that leave the same memory in the \
         simulator. {assembler} more are known by machine code: the assembler computes the same from constants, or its machine \
         code leaves the memory that a case expects. {text} are known by the text of the ISA. An entry counts if one of its \
         forms does.\n\n{}",
        table(["", "run on a GPU", "by machine code", "by the ISA text"], rows),
    )
}

/// In the order of the columns.
const EVIDENCE: [Evidence; 3] = [Evidence::Gpu, Evidence::Assembler, Evidence::Text];

/// A category with its entries, and how far the simulator supports each.
type Category<'a> = (&'a str, Vec<(&'a str, &'a Simulation)>);

fn section(language: &str, categories: Vec<Category>) -> String {
    let entries = || categories.iter().flat_map(|(_, entries)| entries);
    let count = |wanted: fn(&Simulation) -> bool| entries().filter(|(_, decision)| wanted(decision)).count();
    let rows = categories.iter().map(|(title, entries)| {
        let names = |wanted: fn(&Simulation) -> bool| {
            code_names(entries.iter().filter(|(_, decision)| wanted(decision)).map(|(name, _)| name))
        };
        let [simulated, partly, no_op, unsupported] = DECISIONS.map(names);
        [plain(title), simulated, partly, no_op, unsupported]
    });
    let unsupported = reasons(entries(), |decision| match decision {
        Simulation::Unsupported(why) => Some(why),
        _ => None,
    });
    let in_part = reasons(entries(), |decision| match decision {
        Simulation::Partly(but) => Some(but),
        _ => None,
    });
    let [simulated, partly, no_op, not_simulated] = DECISIONS.map(count);
    format!(
        "## {language}\n\nOf {} entries {simulated} are simulated, {partly} in part, {no_op} accepted without effect, and {not_simulated} not simulated.\n\n{}{}{}",
        entries().count(),
        table(["", "simulated", "in part", "without effect", "not simulated"], rows),
        reason_table(["Not simulated", "because"], &unsupported),
        reason_table(["In part", "what is missing"], &in_part),
    )
}

/// The decisions about an entry, in the order of the columns.
const DECISIONS: [fn(&Simulation) -> bool; 4] = [
    |decision| matches!(decision, Simulation::Simulated),
    |decision| matches!(decision, Simulation::Partly(_)),
    |decision| matches!(decision, Simulation::NoOp(_)),
    |decision| matches!(decision, Simulation::Unsupported(_)),
];

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
    table(header, groups.iter().map(|(reason, names)| [code_names(names), plain(reason)]))
}
