//! What operands mean without a run: descriptors, parts of matrices, and addresses in tensor memory.

use text_size::TextSize;
use warplens_ide_db::{Database, File, Hover, notation};

use crate::launches::kernels_of;
use crate::program::Statement;
use crate::simulator::Simulator;
use crate::view::LaneView;

/// The meaning of the operand at an offset; `word` is the register or the number there.
pub fn operand(
    db: &Database,
    file: File,
    simulator: &dyn Simulator,
    offset: TextSize,
    word: &str,
) -> Option<Hover> {
    let items = file.document(db).items();
    let item = items.get(items.item_at(offset)?)?;
    // Decoding a kernel takes time, and most texts have no such operands.
    if !simulator.words_with_meanings().iter().any(|word| item.text.contains(word)) {
        return None;
    }
    kernels_of(db, file, Some(simulator)).iter().find_map(|kernel| {
        let decoded = simulator.decode(db, file, kernel, simulator.default_model()).ok()?;
        let mut statements = decoded.statements.iter();
        let statement = statements.find(|statement| statement.range.contains_inclusive(offset))?;
        Some(Hover { range: statement.range, markdown: text(statement, word)? })
    })
}

fn text(statement: &Statement, word: &str) -> Option<String> {
    let mut meanings = statement.meanings.iter();
    match notation::parsed(word) {
        Some(bits) => meanings.find_map(|meaning| meaning.constant(bits)),
        None => {
            let named = meanings.find(|meaning| meaning.register() == Some(word))?;
            Some(named.text(0, &|_| None))
        }
    }
}

/// Whether the hover of a run already says what a register at an offset means, with its value.
pub fn is_shown(shown: &LaneView, offset: TextSize, word: &str) -> bool {
    let mut statements = shown.statements();
    let statement = statements.find(|statement| statement.range.contains_inclusive(offset));
    statement.is_some_and(|found| {
        found.seen.is_some()
            && found.statement.meanings.iter().any(|meaning| meaning.register() == Some(word))
    })
}
