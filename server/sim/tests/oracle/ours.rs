//! The same program, run here.

use warplens_hir::wave as hir;
use warplens_sim::wave::{LaunchConfig, decode, run as simulate};
use warplens_sim::{Control, RunOptions, Status};
use warplens_syntax::ast::AstNode;
use warplens_syntax::wave::ast;
use warplens_syntax::{Language, parse_file};

use super::emulator::{MEMORY, Outcome, STRUCTURE, same_nan};

/// Runs the only wave of the only workgroup.
pub(crate) fn run(text: &str, width: u32, threads: u32) -> Outcome {
    let file = parse_file(Language::Wave, text);
    let code =
        file.syntax().children().find_map(ast::Item::cast).map(|item| hir::lower(&item)).expect("a kernel");
    let launch = LaunchConfig {
        memory: LaunchConfig::memory(MEMORY as u32),
        ..LaunchConfig::new([1; 3], [threads, 1, 1], width)
    };
    let options = RunOptions { registers: true, ..RunOptions::default() };
    let result = simulate(&decode(&code), launch, &options, Control::none()).expect("nobody cancels");
    assert_eq!(result.status, Status::Finished, "{:?}\n{text}", result.findings);
    let warp = &result.warps[0];
    let mut lanes = vec![Vec::new(); code.instructions.len()];
    for line in &warp.lines {
        if STRUCTURE.contains(&code.instructions[line.statement.index()].mnemonic.as_str()) {
            continue;
        }
        let visits = line.visits.iter().flat_map(|visit| (0..visit.repeat).map(|_| visit.active));
        lanes[line.statement.index()] = visits.collect();
    }
    let values = warp.registers.as_ref().expect("they were asked for");
    let lane = |lane: u32| {
        let value = |register: &warplens_sim::RegisterValues| {
            register.lanes[lane as usize].unwrap_or_default() as u32
        };
        values.iter().map(|register| same_nan(value(register))).collect()
    };
    let memory = result.memory.bytes(0, MEMORY as u64).expect("that much was asked for").to_vec();
    Outcome { lanes, registers: (0..threads).map(lane).collect(), memory }
}
