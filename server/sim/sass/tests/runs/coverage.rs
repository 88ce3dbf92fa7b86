//! The documentation lists the opcodes that stop a run.

use warplens_isa::sass as isa;
use warplens_sim_sass::program::Op;

use crate::machines::listing;

/// Whether an opcode is not simulated, whatever its modifiers and operands are.
fn stops(entry: &isa::Instruction) -> bool {
    let target = match entry.generations.last() {
        Some(isa::Generation::Fermi) => 20,
        Some(isa::Generation::Kepler) => 35,
        Some(isa::Generation::Maxwell) => 52,
        Some(isa::Generation::Volta) => 70,
        Some(isa::Generation::Turing) => 75,
        Some(isa::Generation::Ampere) => 80,
        Some(isa::Generation::Hopper) => 90,
        _ => 100,
    };
    let body = if entry.example.is_empty() { entry.opcode } else { entry.example };
    let program = crate::common::program(&listing(target, body), "k");
    let note = match program.code[0].op {
        Op::Unsupported(note) => program.notes[note].as_str(),
        Op::Unknown(unknown) => program.unknowns[unknown].note.as_str(),
        _ => return false,
    };
    !note.contains(": ")
}

#[test]
fn the_documentation_lists_all_opcodes_that_stop_a_run() {
    let mut all: Vec<&str> = isa::opcodes().filter(|entry| stops(entry)).map(|entry| entry.opcode).collect();
    all.sort_unstable();
    let mut line = String::new();
    let mut text = String::new();
    for (index, opcode) in all.iter().enumerate() {
        let word = format!("`{opcode}`{}", if index + 1 == all.len() { "." } else { "," });
        if line.len() + word.len() >= 149 {
            text += &format!("{}\n", std::mem::take(&mut line));
        }
        line += if line.is_empty() { "" } else { " " };
        line += &word;
    }
    text += &line;
    let page = include_str!("../../../../../docs/sass.md");
    assert!(page.contains(&text), "docs/sass.md should list these opcodes as not covered:\n{text}");
}
