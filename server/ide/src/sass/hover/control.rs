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
    let list = |all: Vec<usize>| {
        let shown: Vec<String> = all.iter().take(4).map(|at| opcode_at(function, *at)).collect();
        let mut shown = shown.join(", ");
        if all.len() > 4 {
            shown += &format!(" and {} more", all.len() - 4);
        }
        shown
    };
    let mut parts = Vec::new();
    for scoreboard in control.waits() {
        let by = setters(function, &flow, index, scoreboard);
        parts.push(if by.is_empty() {
            format!("waits for SB{scoreboard}")
        } else {
            format!("waits for SB{scoreboard} (set by {})", list(by))
        });
    }
    let sets = [
        (control.write_scoreboard(), "until its result is written"),
        (control.read_scoreboard(), "until its sources are read"),
    ];
    for (scoreboard, until) in sets {
        let Some(scoreboard) = scoreboard else { continue };
        let after = waiters(function, &flow, index, scoreboard);
        parts.push(if after.is_empty() {
            format!("sets SB{scoreboard} {until}")
        } else {
            format!("sets SB{scoreboard} {until} (awaited by {})", list(after))
        });
    }
    parts.push(format!("stall {}", control.stall()));
    if control.yields() {
        parts.push("yield: another warp is preferred".to_owned());
    }
    parts.join("; ")
}
