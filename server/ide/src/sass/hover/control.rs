//! Control information in words, with the instructions that set its scoreboards and wait for them.

use warplens_hir::sass::{FlowGraph, Function, setters, waiters};

use super::place::opcode_at;

pub(super) fn page(function: &Function, index: usize) -> Option<String> {
    let control = function.instructions[index].control?;
    let mut parts = vec![format!("**Control information** `{control}`"), summary(function, index)];
    if control.stall() == 0 {
        parts.push("A stall of 0: it is issued together with the next instruction, or the warp waits until it is drained.".to_owned());
    }
    parts.push(opcode_at(function, index));
    Some(parts.join("\n\n"))
}

/// `waits SB0 (S2R at 0x10); sets SB2 when its result is written (IMAD at 0x50 waits); stall 5; yield`
pub(super) fn summary(function: &Function, index: usize) -> String {
    let Some(control) = function.instructions[index].control else { return String::new() };
    let flow = FlowGraph::new(function);
    let with = |text: String, how: &str, all: Vec<usize>| {
        if all.is_empty() {
            return text;
        }
        let shown = all.iter().take(4).map(|at| opcode_at(function, *at));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = if all.len() > 4 { format!(" and {} more", all.len() - 4) } else { String::new() };
        format!("{text} ({how} by {shown}{more})")
    };
    let waits = control.waits().map(|scoreboard| {
        with(format!("waits for SB{scoreboard}"), "set", setters(function, &flow, index, scoreboard))
    });
    let mut parts: Vec<String> = waits.collect();
    let sets = [
        (control.write_scoreboard(), "until its result is written"),
        (control.read_scoreboard(), "until its sources are read"),
    ];
    for (scoreboard, until) in sets {
        let Some(scoreboard) = scoreboard else { continue };
        let after = waiters(function, &flow, index, scoreboard);
        parts.push(with(format!("sets SB{scoreboard} {until}"), "awaited", after));
    }
    parts.push(format!("stall {}", control.stall()));
    if control.yields() {
        parts.push("yield: another warp is preferred".to_owned());
    }
    parts.join("; ")
}
