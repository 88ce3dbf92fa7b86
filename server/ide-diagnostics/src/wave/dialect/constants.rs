//! Constants in free registers: while a register still holds a number, the rewrite does not move the number to it again.

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_hir::wave::{Cell, Code, Instruction};

use crate::wave::dialect::edits::Edits;

/// The numbers that registers hold because the rewrite moved them there, in the lanes that are active.
#[derive(Default)]
pub(super) struct Constants {
    held: FxHashMap<u8, String>,
}

impl Constants {
    /// The edits of an instruction without the moves of numbers that their registers hold. The instructions of a kernel are
    /// given in text order, with or without edits.
    pub(super) fn without_repeated(&mut self, code: &Code, at: usize, edits: Edits) -> Edits {
        let instruction = &code.instructions[at];
        if code.labels.iter().any(|label| label.before as usize == at) {
            self.held.clear();
        }
        let before = TextRange::empty(instruction.range.start());
        let mut is_in_place = true;
        let mut kept = Edits::new();
        for (range, text) in edits {
            let text = if range == before { self.lines(&text) } else { text };
            // Lines after the instruction, or in place of it, may write any register.
            is_in_place &= range == before || range != instruction.range && !text.contains('\n');
            if !range.is_empty() || !text.is_empty() {
                kept.push((range, text));
            }
        }
        if !is_in_place || changes_lanes(instruction) {
            self.held.clear();
        }
        for cell in instruction.writes() {
            if let Cell::General(index) = cell {
                self.held.remove(&index);
            }
        }
        kept
    }

    /// The lines before an instruction, each with its newline and the indentation of the next one.
    fn lines(&mut self, text: &str) -> String {
        let Some((lines, indent)) = text.rsplit_once('\n') else { return text.to_owned() };
        let mut kept = String::new();
        // Each line after the first begins with the indentation, and may have more of its own.
        for line in lines.split('\n').map(|line| line.strip_prefix(indent).unwrap_or(line)) {
            match moved(line) {
                Some((register, number)) if self.held.get(&register).is_some_and(|held| held == number) => {
                    continue;
                }
                Some((register, number)) => {
                    self.held.insert(register, number.to_owned());
                }
                None => self.held.clear(),
            }
            kept += &format!("{line}\n{indent}");
        }
        kept
    }
}

/// The register and the number of `mov_imm r12, 10`.
fn moved(line: &str) -> Option<(u8, &str)> {
    let (register, number) = line.strip_prefix("mov_imm r")?.split_once(", ")?;
    Some((register.parse().ok()?, number))
}

/// Whether other lanes may be active after an instruction, or functions that write registers have run.
fn changes_lanes(instruction: &Instruction) -> bool {
    let Some(entry) = instruction.entry else { return true };
    let entry = entry.0;
    entry.category.id == "control" || matches!(entry.mnemonic, "halt" | "return" | "call" | "barrier")
}
