//! How a statement uses the registers that it reads. Only the sanitizer of undefined values needs it.

/// How a result depends on its sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mixing {
    /// It is defined, whatever the sources are: loads, results of other lanes.
    #[default]
    Defined,
    /// Undefined if any source is.
    Any,
    /// Undefined if all sources are: a selection, a combination of bits.
    All,
}

/// What is done with a register that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// It goes into the result.
    Source,
    /// It is, or is part of, an address.
    Address,
    /// It is stored where others see it.
    Stored,
    /// It chooses a way, or a barrier.
    Choice,
    /// It is the guard, and matters to lanes that do not execute too.
    Guard,
}

/// A register that a statement reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// Its number in `frame.registers`.
    pub register: u32,
    /// What it is read for.
    pub part: Part,
}

/// The reads of all statements of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    pub(crate) reads: Vec<Read>,
    /// Where the reads of each statement begin, and what it makes of them.
    pub(crate) statements: Vec<(u32, Mixing)>,
    /// Registers that may be read before they are written, on some way and in some lane.
    pub suspects: Vec<u32>,
}

impl Flow {
    /// What the instruction at `pc` reads.
    pub fn reads_of(&self, pc: u32) -> &[Read] {
        let start =
            |pc: usize| self.statements.get(pc).map_or(self.reads.len(), |(start, _)| *start as usize);
        &self.reads[start(pc as usize)..start(pc as usize + 1)]
    }

    /// What the instruction at `pc` makes of it.
    pub fn mixing_of(&self, pc: u32) -> Mixing {
        self.statements.get(pc as usize).map_or(Mixing::Defined, |(_, mixing)| *mixing)
    }
}
