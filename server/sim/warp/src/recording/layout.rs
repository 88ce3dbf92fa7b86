//! The registers of a program, numbered.

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use crate::ids::StatementId;
use crate::traced_value::RegisterInfo;

/// The number of a register in a [`Layout`], or of its copy in an activation of its function: see [`Layout::at_depth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(pub u32);

/// A register of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// The function whose register it is.
    pub function: u32,
}

/// A named register of a statement: one cell, or several where wide values take several registers.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) first: CellId,
    pub(super) cells: u16,
    /// How many of them the statement writes.
    pub(super) written: u16,
}

/// The registers of a program, and which of them each statement names.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    cells: Vec<Cell>,
    numbers: FxHashMap<(u32, SmolStr), CellId>,
    statements: Vec<Vec<Named>>,
    functions: Vec<u32>,
    /// Warps of a block.
    pub warps: u32,
    /// Lanes of a warp.
    pub width: u32,
}

impl Layout {
    /// The layout of a program, for blocks of this many warps of this width.
    pub fn new(
        statements: u32,
        (warps, width): (u32, u32),
        words: bool,
        registers: impl Fn(StatementId) -> Vec<RegisterInfo>,
        written_words: impl Fn(StatementId, usize) -> Option<u16>,
        function: impl Fn(StatementId) -> u32,
    ) -> Layout {
        let mut layout = Layout { warps, width, ..Layout::default() };
        let each = |index: u32| (function(StatementId(index)), registers(StatementId(index)));
        let described: Vec<_> = (0..statements).map(each).collect();
        // Wide values need consecutive numbers, so all words of a register file get theirs first.
        if words {
            layout.number_words(&described);
        }
        for (statement, (function, registers)) in (0..).map(StatementId).zip(described) {
            layout.functions.push(function);
            let named = registers.into_iter().enumerate().map(|(at, info)| {
                let RegisterInfo { name, bits, written: is_written, .. } = info;
                let cells = if words { bits.div_ceil(32) } else { 1 };
                let first = layout.cell(function, name, if cells > 1 { 32 } else { bits });
                let written = written_words(statement, at).map_or(cells, |words| words.min(cells));
                Named { first, cells, written: if is_written { written } else { 0 } }
            });
            let named = named.collect();
            layout.statements.push(named);
        }
        layout
    }

    fn number_words(&mut self, described: &[(u32, Vec<RegisterInfo>)]) {
        let mut ends: Vec<(u32, String, u32)> = Vec::new();
        for (function, registers) in described {
            for RegisterInfo { name, bits, .. } in registers {
                let Some((file, number)) = file_and_number(name).filter(|_| *bits > 1) else { continue };
                let end = number + u32::from(bits.div_ceil(32));
                match ends.iter_mut().find(|(other, known, _)| other == function && known == file) {
                    Some((_, _, known)) => *known = end.max(*known),
                    None => ends.push((*function, file.to_owned(), end)),
                }
            }
        }
        for (function, file, end) in ends {
            (0..end).for_each(|number| {
                self.cell(function, format_smolstr!("{file}{number}"), 32);
            });
        }
    }

    fn cell(&mut self, function: u32, name: SmolStr, bits: u16) -> CellId {
        let next = CellId(self.cells.len() as u32);
        let id = *self.numbers.entry((function, name.clone())).or_insert(next);
        if id == next {
            self.cells.push(Cell { name, bits, function });
        }
        // A register may be named with several widths.
        let cell = &mut self.cells[id.0 as usize];
        cell.bits = cell.bits.max(bits);
        id
    }

    /// The registers that statements name.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &Cell)> {
        (0..).map(CellId).zip(&self.cells)
    }

    pub fn get(&self, id: CellId) -> &Cell {
        &self.cells[self.base(id).0 as usize]
    }

    /// The register in the activation of its function that has `depth` others of that function among its callers. Without
    /// recursion that is the register itself.
    #[must_use]
    pub fn at_depth(&self, id: CellId, depth: u32) -> CellId {
        CellId(id.0 + depth * self.cells.len() as u32)
    }

    /// The register of which this is the copy in an activation.
    #[must_use]
    pub fn base(&self, id: CellId) -> CellId {
        CellId(id.0 % (self.cells.len() as u32).max(1))
    }

    /// The register of a function with this name.
    pub fn find(&self, function: u32, name: &str) -> Option<CellId> {
        self.numbers.get(&(function, name.into())).copied()
    }

    pub fn function(&self, statement: StatementId) -> u32 {
        self.functions.get(statement.index()).copied().unwrap_or(0)
    }

    /// The registers that a statement names, and whether it writes them.
    pub fn registers(&self, statement: StatementId) -> impl Iterator<Item = (CellId, bool)> {
        let named = self.statements.get(statement.index()).into_iter().flatten();
        named.flat_map(|named| {
            (0..u32::from(named.cells))
                .map(|word| (CellId(named.first.0 + word), word < u32::from(named.written)))
        })
    }

    /// How many registers the value takes that a statement names by its first register.
    pub fn span(&self, statement: StatementId, first: CellId) -> u32 {
        let named = self.named(statement).iter().filter(|named| named.first == first);
        named.map(|named| named.cells.into()).max().unwrap_or(1)
    }

    pub(super) fn named(&self, statement: StatementId) -> &[Named] {
        self.statements.get(statement.index()).map_or(&[], Vec::as_slice)
    }

    /// The number of statements of the program.
    pub(super) fn statements(&self) -> u64 {
        self.functions.len() as u64
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The block of a warp, by its number in the launch.
    pub fn block_of(&self, warp: u32) -> u64 {
        u64::from(warp / self.warps.max(1))
    }
}

fn file_and_number(name: &str) -> Option<(&str, u32)> {
    let digits = name.find(|character: char| character.is_ascii_digit())?;
    Some((&name[..digits], name[digits..].parse().ok()?))
}
