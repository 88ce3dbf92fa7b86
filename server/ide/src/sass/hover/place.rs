//! Targets, blocks, regions and functions.

use std::ops::Range;

use warplens_hir::sass::{Destination, Function, Operand, barrier, flow, longest_wait_chain};
use warplens_ide_db::FilePosition;
use warplens_ide_db::markdown::{code, code_block};
use warplens_ide_db::sass::{constructs, facts_of, target_of};
use warplens_isa::sass::Flow;

use crate::sass::lens;

/// The maximum number of instructions of a block that a hover shows.
const SHOWN: usize = 8;

pub(super) fn target(
    position: &FilePosition<'_>,
    function: &Function,
    index: usize,
    operand: &Operand,
) -> Option<String> {
    let instruction = &function.instructions[index];
    let last = function.operands(instruction).last()?;
    match instruction.destination {
        Destination::Instruction(target) if last.range == operand.range => {
            block(position, function, target as usize)
        }
        Destination::Symbol if last.range == operand.range => {
            Some("A function of another section, or of the runtime library.".to_owned())
        }
        _ => None,
    }
}

/// The block that starts at an instruction, up to the maximum length.
pub(super) fn block(position: &FilePosition<'_>, function: &Function, start: usize) -> Option<String> {
    let first = function.instructions.get(start)?;
    let ends = |at: usize| {
        let instruction = &function.instructions[at];
        !matches!(
            flow(instruction),
            Flow::Next | Flow::Push | Flow::BarrierSet | Flow::BarrierBreak | Flow::WarpSync
        ) || function.labels_at(at + 1).next().is_some()
    };
    let mut count = 1;
    while start + count < function.instructions.len() && !ends(start + count - 1) {
        count += 1;
    }
    let text = position.text();
    let line = |at: usize| {
        let instruction = &function.instructions[at];
        let words =
            text[instruction.range].split_once("*/").map_or(&text[instruction.range], |(_, rest)| rest);
        format!("{:04x}  {}", instruction.address, words.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let mut lines: Vec<String> = (start..start + count.min(SHOWN)).map(line).collect();
    if count > SHOWN {
        lines.push(format!("… {} more", count - SHOWN));
    }
    let stalls =
        (start..start + count).map(|at| function.instructions[at].control.map(|it| u32::from(it.stall())));
    let mut cost = stalls.sum::<Option<u32>>().map_or_else(String::new, |cycles| {
        format!("\n\nAt least {cycles} issue cycles: the sum of the stalls, a lower bound.")
    });
    cost += &wait_chain(function, start..start + count);
    Some(format!(
        "Block at `0x{:x}`, {}\n\n{}{cost}",
        first.address,
        warplens_ide_db::count(count, "instruction", "instructions"),
        code_block("sass", &lines.join("\n"))
    ))
}

fn wait_chain(function: &Function, block: Range<usize>) -> String {
    let chain = longest_wait_chain(function, block);
    if chain.is_empty() {
        return String::new();
    }
    let named = |at: usize| opcode_at(function, at);
    let shown = chain.iter().take(SHOWN).map(|(set, wait)| format!("{} → {}", named(*set), named(*wait)));
    let mut shown = shown.collect::<Vec<_>>().join("; ");
    if chain.len() > SHOWN {
        shown += &format!("; {} more", chain.len() - SHOWN);
    }
    let waits = warplens_ide_db::count(chain.len(), "wait", "waits");
    format!(
        "\n\nLongest chain of scoreboard waits: {waits}, one after the other ({shown}). Their latencies, which the text does not \
         have, come on top: a lower bound, not a prediction."
    )
}

/// `` `IMAD` at `0x50` ``
pub(super) fn opcode_at(function: &Function, index: usize) -> String {
    let instruction = &function.instructions[index];
    format!("`{}` at `0x{:x}`", instruction.opcode, instruction.address)
}

/// The address of an instruction, in a listing without encodings.
pub(super) fn address(function: &Function, index: usize) -> String {
    let next = function.next_address(index);
    format!(
        "Byte offset in the function. Relative targets of this instruction count from the next one, `0x{next:x}`."
    )
}

pub(super) fn region(function: &Function, index: usize) -> Option<String> {
    let construct = constructs::region(function, index)?;
    let name = barrier(function, &function.instructions[index]);
    let mut lines = construct
        .words
        .iter()
        .filter_map(|word| Some(opcode_at(function, function.instruction_at(word.statement.start())?)));
    let first = lines.next()?;
    let rest: Vec<String> = lines.collect();
    let title = name.map_or_else(String::new, |name| format!("**`{name}`** · convergence barrier. "));
    if rest.is_empty() {
        return Some(format!("{title}Set by {first}."));
    }
    Some(format!("{title}Region: {first}, then {}.", rest.join(", ")))
}

pub(super) fn function(position: &FilePosition<'_>, function: &Function) -> String {
    let facts = facts_of(position.db, position.file, function);
    let kind = if function.is_kernel == Some(false) { "device function" } else { "kernel" };
    let name = function.name.as_ref().map_or("", |name| name.text.as_str());
    let mut parts = vec![format!("**{}** · {kind}", code(name))];
    let target = target_of(position.db, position.item, function);
    parts.push(match &target {
        Some(target) => format!("Target {target} ({:?})", target.generation()),
        None => format!("Target not stated; it looks like {:?}", function.generation),
    });
    parts.push(lens::summary(function, &facts, target.as_ref()).join(", "));
    if !facts.parameters.is_empty() {
        let base = facts.parameter_base.unwrap_or_default();
        let parameters = facts.parameters.iter().map(|parameter| {
            format!(
                "- parameter {}: `c[0x0][0x{:x}]`, {} bytes",
                parameter.ordinal,
                base + parameter.offset,
                parameter.size
            )
        });
        parts.push(parameters.collect::<Vec<_>>().join("\n"));
    }
    parts.join("\n\n")
}
