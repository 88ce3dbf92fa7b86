//! Instructions that belong together: the one that pushes a token or sets a barrier, and the ones that pop or
//! wait; a call and the returns of its callee; the instruction that sets a scoreboard, and the ones that wait
//! for it.

use std::collections::BTreeSet;

use text_size::TextRange;
use warplens_hir::sass::{self, Destination, FlowGraph, Function, setters, waiters};
use warplens_isa::sass::Flow;

use crate::construct::{Construct, Word};
use crate::db::FilePosition;
use crate::sass::lowered::sass_code;

/// The instructions that belong together with the one at a position: its region if the position is at the
/// opcode or barrier, its scoreboards if it is at the encoding.
pub fn at(position: &FilePosition<'_>) -> Option<Construct> {
    let range = position.token()?.text_range();
    let code = sass_code(position.db, position.item);
    for function in &code.functions {
        if let Some(index) = of_encoding(function, range) {
            return scoreboards(function, index);
        }
        let Some(index) = function.instruction_at(range.start()) else { continue };
        let instruction = &function.instructions[index];
        let at_barrier = sass::barrier(function, instruction).is_some_and(|_| {
            let operands = function.operands(instruction).iter();
            operands.into_iter().any(|operand| {
                operand.range.contains_range(range)
                    && operand.register().is_some_and(|it| it.file == sass::RegisterFile::Barrier)
            })
        });
        if instruction.opcode_range.contains_range(range) || at_barrier {
            return region(function, index);
        }
    }
    None
}

/// The instruction whose encoding contains a range.
pub fn of_encoding(function: &Function, range: TextRange) -> Option<usize> {
    function.instructions.iter().position(|instruction| {
        instruction.encoding.is_some_and(|encoding| {
            encoding.range.contains_range(range)
                || encoding.high.is_some_and(|(_, high)| high.contains_range(range))
        })
    })
}

/// The instructions of a region, with the opening one first.
pub fn region(function: &Function, index: usize) -> Option<Construct> {
    let instruction = &function.instructions[index];
    let members = match sass::flow(instruction) {
        Flow::Call => call(function, index),
        Flow::Return if sass::token(instruction).is_none() || function.step() == 16 => {
            returns(function, index)
        }
        kind if sass::joins(function, instruction)
            || matches!(
                kind,
                Flow::Push
                    | Flow::BarrierSet
                    | Flow::Pop
                    | Flow::Return
                    | Flow::BarrierSync
                    | Flow::BarrierBreak
            ) =>
        {
            let flow = FlowGraph::new(function);
            let opener = flow.openers[index].first().map_or(index, |opener| *opener as usize);
            let closes = |at: &usize| flow.openers[*at].contains(&(opener as u32));
            let mut members = vec![opener];
            members.extend((0..function.instructions.len()).filter(closes));
            if members.len() == 1 && sass::flow(instruction) == Flow::Return {
                returns(function, index)
            } else {
                members
            }
        }
        _ => return None,
    };
    construct(function, members, index)
}

fn call(function: &Function, index: usize) -> Vec<usize> {
    let mut members = vec![index];
    if let Destination::Instruction(callee) = function.instructions[index].destination {
        let last = extent(function, callee as usize);
        let is_return = |at: &usize| sass::flow(&function.instructions[*at]) == Flow::Return;
        members.extend((callee as usize..last).filter(is_return));
    }
    members
}

fn returns(function: &Function, index: usize) -> Vec<usize> {
    let calls = |at: &usize| match function.instructions[*at].destination {
        Destination::Instruction(callee) => {
            let callee = callee as usize;
            sass::flow(&function.instructions[*at]) == Flow::Call
                && (callee..extent(function, callee)).contains(&index)
        }
        _ => false,
    };
    let mut members: Vec<usize> = (0..function.instructions.len()).filter(calls).collect();
    members.push(index);
    members
}

/// The end of the function that begins at `callee`: the next label that is called.
fn extent(function: &Function, callee: usize) -> usize {
    let called = |at: usize| {
        function.instructions.iter().any(|instruction| {
            sass::flow(instruction) == Flow::Call
                && instruction.destination == Destination::Instruction(at as u32)
        })
    };
    let starts = function.labels.iter().filter(|label| label.is_function).map(|label| label.before as usize);
    let starts = starts.filter(|start| *start > callee).min();
    let next_called = (callee + 1..function.instructions.len()).find(|at| called(*at));
    let count = function.instructions.len();
    starts.unwrap_or(count).min(next_called.unwrap_or(count))
}

/// The instructions that set the scoreboards that this instruction waits for, the instruction itself, and the
/// ones that wait for it.
fn scoreboards(function: &Function, index: usize) -> Option<Construct> {
    let control = function.instructions[index].control?;
    let flow = FlowGraph::new(function);
    let before = control.waits().flat_map(|scoreboard| setters(function, &flow, index, scoreboard));
    let before: BTreeSet<usize> = before.filter(|at| *at != index).collect();
    let sets = [control.write_scoreboard(), control.read_scoreboard()];
    let after = sets.into_iter().flatten().flat_map(|scoreboard| waiters(function, &flow, index, scoreboard));
    let after: BTreeSet<usize> = after.collect();
    construct(function, before.into_iter().chain([index]).chain(after).collect(), index)
}

fn construct(function: &Function, members: Vec<usize>, index: usize) -> Option<Construct> {
    let at = members.iter().position(|member| *member == index)?;
    let word = |member: usize| {
        let instruction = &function.instructions[member];
        Word { focus: instruction.opcode_range, statement: instruction.range }
    };
    let words = members.into_iter().map(word).collect();
    Some(Construct { words, at })
}
