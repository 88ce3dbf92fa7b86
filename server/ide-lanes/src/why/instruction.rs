//! The opcode and the operands of a statement, as far as chains of values need them.

use smol_str::SmolStr;
use warplens_sim_warp::StatementId;
use warplens_sim_warp::recording::{CellId, Layout};

/// An operand, without signs and modifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand {
    Register {
        name: SmolStr,
        cell: CellId,
    },
    /// A constant, the address of a variable, a label, or a register that holds a constant.
    Constant(SmolStr),
    Special(SmolStr),
    /// In brackets.
    Memory(SmolStr),
}

impl Operand {
    pub(super) fn cell(&self) -> Option<CellId> {
        match self {
            Operand::Register { cell, .. } => Some(*cell),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> &SmolStr {
        match self {
            Operand::Register { name, .. }
            | Operand::Constant(name)
            | Operand::Special(name)
            | Operand::Memory(name) => name,
        }
    }
}

#[derive(Debug)]
pub(super) struct Instruction {
    /// With its modifiers.
    pub(super) opcode: SmolStr,
    pub(super) targets: Vec<CellId>,
    pub(super) sources: Vec<Operand>,
}

/// Names of registers that hold a constant.
const CONSTANT_REGISTERS: [&str; 6] = ["RZ", "URZ", "PT", "UPT", "SRZ", "_"];

impl Instruction {
    pub(super) fn read(text: &str, statement: StatementId, layout: &Layout) -> Instruction {
        let text = without_comment(text).trim_end_matches(';').trim_end();
        let text = match text.strip_prefix('@') {
            Some(guarded) => {
                guarded.trim_start_matches('!').split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
            }
            None => text,
        };
        let text = text.trim_start();
        let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let function = layout.function(statement);
        let mut operands = Vec::new();
        // A scope, such as `.device` of WAVE, is no operand.
        for piece in pieces(rest).into_iter().filter(|piece| !piece.starts_with('.')) {
            operands.push(operand(piece, function, layout));
        }
        // Destinations come first; a register that is named again is a source.
        let mut written: Vec<CellId> =
            layout.registers(statement).filter(|(_, written)| *written).map(|(cell, _)| cell).collect();
        let mut targets = Vec::new();
        let mut count = 0;
        for operand in &operands {
            match operand.cell() {
                Some(cell) if written.contains(&cell) => {
                    written.retain(|other| *other != cell);
                    targets.push(cell);
                }
                None if CONSTANT_REGISTERS.contains(&operand.name().as_str()) && !written.is_empty() => {}
                _ => break,
            }
            count += 1;
        }
        Instruction { opcode: opcode.into(), targets, sources: operands.split_off(count) }
    }

    /// Whether the opcode, up to its first dot or the whole, is one of these.
    pub(super) fn is_any(&self, opcodes: &[&str]) -> bool {
        let base = self.opcode.split('.').next().unwrap_or_default();
        opcodes.iter().any(|opcode| *opcode == base || *opcode == self.opcode)
    }

    pub(super) fn has(&self, modifier: &str) -> bool {
        self.opcode.split(['.', '_']).any(|part| part == modifier)
    }

    /// The register sources, each once, without addresses.
    pub(super) fn registers(&self) -> Vec<CellId> {
        let mut found: Vec<CellId> = Vec::new();
        for cell in self.sources[usize::from(self.starts_with_address())..].iter().filter_map(Operand::cell) {
            if !found.contains(&cell) {
                found.push(cell);
            }
        }
        found
    }
}

/// A statement without the comment before it, the address in a listing.
pub fn without_comment(text: &str) -> &str {
    let text = text.trim();
    let rest = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
    rest.map_or(text, |(_, rest)| rest.trim_start())
}

/// The operands of a list: separated by commas, by the bars of pairs of destinations, or in braces.
fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' | '{' | '}' if depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            // `%p|%q`, but not `|R4|`.
            '|' if depth == 0 && text[start..at].trim().starts_with('%') => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            '/' if text[at..].starts_with("//") || text[at..].starts_with("/*") => {
                pieces.push(&text[start..at]);
                start = text.len();
                break;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

fn operand(text: &str, function: u32, layout: &Layout) -> Operand {
    if text.starts_with('[') || text.starts_with("desc[") {
        return Operand::Memory(text.into());
    }
    let bare = text.trim_start_matches(['-', '~', '!', '|', '+', '(']).trim_end_matches(['|', ')']);
    let find =
        |name: &str| layout.find(function, name).map(|cell| Operand::Register { name: name.into(), cell });
    let short = bare.split(['.', '|']).next().unwrap_or_default();
    if let Some(register) = find(bare).or_else(|| find(short)) {
        return register;
    }
    match bare {
        _ if bare.starts_with('%') || bare.starts_with("SR_") || bare.starts_with("sr_") => {
            Operand::Special(bare.into())
        }
        _ => Operand::Constant(if CONSTANT_REGISTERS.contains(&short) { short.into() } else { text.into() }),
    }
}
