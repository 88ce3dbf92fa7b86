//! Opcodes, with their operands to fill in.

use warplens_ide_db::CompletionKind;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Instruction, Operand, OperandKind, Status};

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;

/// All instructions that can start a statement.
pub(super) fn propose(proposals: &mut Proposals) {
    let entries = isa::instructions().filter(|entry| entry.status != Status::Removed);
    let words = entries.filter(|entry| entry.opcode.starts_with(|c: char| c.is_ascii_alphabetic()));
    proposals.extend(words.map(opcode));
}

fn opcode(entry: &'static Instruction) -> Proposal {
    Proposal {
        label: entry.name.to_owned(),
        detail: Some(format!("{} · {}", entry.category.title.to_lowercase(), entry.summary)),
        kind: CompletionKind::Opcode,
        insert: statement(entry),
        rank: if entry.status == Status::Deprecated { 2 } else { 0 },
        explain: Some(entry.id.to_owned()),
        moves: None,
        deprecated: entry.status == Status::Deprecated,
    }
}

/// The statement with its required modifiers and operands.
fn statement(entry: &Instruction) -> Snippet {
    let mut snippet = Snippet::text(entry.name);
    for class in entry.modifiers.iter().filter(|class| !class.optional) {
        let values: Vec<&str> = class.values.iter().map(|value| value.name).collect();
        snippet = snippet.choice(&values);
    }
    let operands: Vec<&Operand> = entry.operands.iter().filter(|operand| !operand.optional).collect();
    for (index, group) in operands.chunk_by(|_, next| next.inside).enumerate() {
        snippet = snippet.then(if index == 0 { " " } else { ", " });
        let first = group[0].kinds.first();
        let is_bracketed = group.len() > 1 || first == Some(&OperandKind::Address);
        snippet = snippet.then(if is_bracketed { "[" } else { "" });
        for (index, operand) in group.iter().enumerate() {
            snippet = snippet.then(if index == 0 { "" } else { ", " });
            snippet = match operand.kinds.first() {
                Some(OperandKind::Vector) => snippet.then("{").placeholder(operand.name).then("}"),
                _ => snippet.placeholder(operand.name),
            };
        }
        snippet = snippet.then(if is_bracketed { "]" } else { "" });
    }
    snippet.then(";")
}
