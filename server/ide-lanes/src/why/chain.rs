//! The chain of writes behind a value.
//!
//! It starts at the last write of a register or a byte. Through copies it goes on with the copied value; through arithmetic with one
//! register operand with that operand. It ends at arithmetic with several register operands, and at constants, special registers,
//! parameters and initial contents of memory.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_sim_warp::recording::{Access, CellId, EDIT, Layout, Place, Space, Write, WriteSite};
use warplens_sim_warp::{Cancelled, Control, Mask, StatementId};

use super::instruction::{Instruction, Operand};
use super::meaning::Meaning;
use super::shuffle::source_lane;
use crate::run::Replay;

/// The most links of a chain.
const MAX_LINKS: usize = 10_000;

/// A question about the value that a place has before a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    pub place: Place,
    pub before: u64,
}

/// A write that a value came through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub step: u64,
    pub statement: StatementId,
    pub warp: u32,
    pub lane: u32,
    /// Whether the statement passed on a value unchanged.
    pub is_copy: bool,
    pub value: u128,
    pub bits: u16,
    pub operands: Vec<LinkOperand>,
}

/// A source of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkOperand {
    pub name: SmolStr,
    /// `None` if it is not a register, or has not been written.
    pub value: Option<u128>,
    pub bits: u16,
    /// The register, about which one can ask further.
    pub question: Option<Question>,
}

/// A step with everything that it did.
struct Step {
    site: WriteSite,
    layout: Arc<Layout>,
    active: Mask,
    /// Of registers, whatever the activation.
    writes: Vec<Write>,
    accesses: Vec<Access>,
}

/// Where a chain goes on.
enum Next {
    At(Question),
    /// Memory as the lanes of the same statement that come first left it.
    Within(Step, Place),
    End,
}

/// Where the value of a step comes from.
enum Source {
    /// It is the value that another place had.
    Copied(Next),
    /// Arithmetic with operands.
    Computed,
    /// A constant, a parameter or initial contents of memory.
    Unknown,
}

impl Step {
    /// A value that a register of a lane had before the step.
    fn register(&self, lane: u32, cell: CellId) -> Source {
        Source::Copied(Next::At(self.question(lane, cell)))
    }

    /// What a register of a lane had before the step, in the activation of the step.
    fn question(&self, lane: u32, cell: CellId) -> Question {
        let cell = self.layout.at_depth(cell, self.site.depth);
        Question { place: Place::Register { warp: self.site.warp, lane, cell }, before: self.site.step }
    }

    /// The register that a place is, whatever the activation.
    fn cell(&self, place: Place) -> Option<CellId> {
        match place {
            Place::Register { cell, .. } => Some(self.layout.base(cell)),
            Place::Byte { .. } => None,
        }
    }
}

impl Replay {
    /// The chain behind the value of a place, the newest link first. `text` has the text of each statement.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn why(
        &mut self,
        question: Question,
        with_copies: bool,
        text: &dyn Fn(StatementId) -> String,
        control: Control<'_>,
    ) -> Result<Vec<Link>, Cancelled> {
        let (mut links, mut next) = (Vec::new(), Next::At(question));
        // Loops repeat statements.
        let mut instructions: FxHashMap<StatementId, Instruction> = FxHashMap::default();
        // Copies count too, so that the chain ends even if none is listed.
        for _ in 0..MAX_LINKS {
            let (step, place) = match next {
                Next::End => break,
                Next::Within(step, place) => (step, place),
                Next::At(Question { place, before }) => {
                    let Some(site) = self.last_write(place, before, control)? else { break };
                    if site.statement == EDIT {
                        links.push(self.edited(site, place, control)?);
                        break;
                    }
                    (self.step_at(site, control)?, place)
                }
            };
            let statement = step.site.statement;
            let instruction = instructions
                .entry(statement)
                .or_insert_with(|| Instruction::read(&text(statement), statement, self.layout()));
            let passed = self.passed_from(step.site, place, instruction, control)?;
            let (mut link, mut after) = self.link(step, place, instruction, control)?;
            if let Some(question) = passed {
                // What nobody has written are initial contents of memory.
                let is_written = self.last_write(question.place, question.before, control)?.is_some();
                (link.is_copy, after) = (is_written, if is_written { Next::At(question) } else { Next::End });
            }
            if with_copies || !link.is_copy {
                links.push(link);
            }
            next = after;
        }
        Ok(links)
    }

    /// The value that a write left at a place, and its width in bits.
    ///
    /// # Errors
    /// When the caller cancels the runs that distant steps take.
    pub fn written_value(
        &mut self,
        site: WriteSite,
        place: Place,
        text: &str,
        control: Control<'_>,
    ) -> Result<(u128, u16), Cancelled> {
        if site.statement == EDIT {
            let Link { value, bits, .. } = self.edited(site, place, control)?;
            return Ok((value, bits));
        }
        let step = self.step_at(site, control)?;
        let instruction = Instruction::read(text, site.statement, self.layout());
        self.value_of(&step, place, &instruction, control)
    }

    /// What a call, a return or an asynchronous copy has passed to a place; `None` if something else wrote it, or it was no
    /// register and no memory.
    fn passed_from(
        &mut self,
        site: WriteSite,
        place: Place,
        instruction: &Instruction,
        control: Control<'_>,
    ) -> Result<Option<Question>, Cancelled> {
        let WriteSite { step, statement, warp, lane, depth, visible, is_late, .. } = site;
        let is_call = instruction.is_any(&["call"]);
        if !is_late || !is_call && matches!(place, Place::Register { .. }) {
            return Ok(None);
        }
        let layout = self.shared_layout();
        let register = |cell: CellId, depth: u32, before: u64| {
            let cell = layout.at_depth(cell, depth);
            Question { place: Place::Register { warp, lane, cell }, before }
        };
        let late = self.late(visible, (warp, statement), control)?;
        match place {
            Place::Byte { space, owner, address } => {
                let accesses = late.iter().flat_map(|late| late.accesses.windows(2));
                let mut sources =
                    accesses.filter_map(|pair| copied_from(pair, (space, owner, address), (warp, lane)));
                // A call passes what its arguments hold after the statements before it.
                let before = if is_call { visible } else { step };
                Ok(sources.next().map(|place| Question { place, before }))
            }
            Place::Register { cell, .. }
                if layout.get(cell).function == layout.function(statement)
                    && cell == layout.at_depth(layout.base(cell), depth) =>
            {
                let base = layout.base(cell);
                let Some(number) = instruction.targets.iter().position(|target| *target == base) else {
                    return Ok(None);
                };
                let last = self.backward_of(warp, visible, control, |event| {
                    (event.executed >> lane & 1 == 1).then_some((event.statement, event.depth))
                })?;
                let (callee, inner) = last.map_or((0, 0), |(last, inner)| (layout.function(last), inner));
                let returns = self.prepared.program.returns(callee);
                let name = returns.into_iter().nth(number).flatten();
                let cell = name.and_then(|name| layout.find(callee, &name));
                Ok(cell.map(|cell| register(cell, inner, visible)))
            }
            Place::Register { cell, .. } => {
                let writes = late.iter().flat_map(|late| &late.writes);
                let number = writes.into_iter().position(|write| write.cell == cell);
                // The arguments follow the name of the function.
                let argument = number.and_then(|number| instruction.sources.get(1 + number));
                Ok(argument.and_then(Operand::cell).map(|cell| register(cell, depth, step)))
            }
        }
    }

    /// The link of a change by the user, an origin.
    fn edited(&mut self, site: WriteSite, place: Place, control: Control<'_>) -> Result<Link, Cancelled> {
        let WriteSite { step, statement, warp, lane, visible, value, .. } = site;
        let (value, bits) = match place {
            Place::Register { cell, .. } => (value.unwrap_or(0), self.layout().get(cell).bits),
            Place::Byte { space, owner, address } => {
                let held = self.state(visible, control)?.byte(space, owner, address);
                (held.unwrap_or(0).into(), 8)
            }
        };
        Ok(Link { step, statement, warp, lane, is_copy: false, value, bits, operands: Vec::new() })
    }

    fn step_at(&mut self, site: WriteSite, control: Control<'_>) -> Result<Step, Cancelled> {
        let details =
            self.with_event(site.step, control, |event| (event.active, event.writes(), event.accesses()))?;
        let (active, mut writes, accesses) = details.unwrap_or_default();
        let layout = self.shared_layout();
        writes.iter_mut().for_each(|write| write.cell = layout.base(write.cell));
        Ok(Step { site, layout, active, writes, accesses })
    }

    /// The value that a register, or several, had before a step in its lane.
    fn value_before(
        &mut self,
        (cell, cells): (CellId, u32),
        step: &Step,
        control: Control<'_>,
    ) -> Result<Option<u128>, Cancelled> {
        let mut all = None;
        for word in 0..cells.clamp(1, 4) {
            let Question { place, before } = step.question(step.site.lane, CellId(cell.0 + word));
            let value = self.last_write(place, before, control)?.and_then(|site| site.value);
            if let Some(value) = value {
                all = Some(all.unwrap_or(0) | value << (32 * word));
            }
        }
        Ok(all)
    }

    /// The value that a step left at a place, and its width in bits.
    fn value_of(
        &mut self,
        step: &Step,
        place: Place,
        instruction: &Instruction,
        control: Control<'_>,
    ) -> Result<(u128, u16), Cancelled> {
        match place {
            Place::Register { cell, .. } => {
                let value = match step.site.value {
                    None => self.last_write(place, step.site.visible, control)?.and_then(|site| site.value),
                    value => value,
                };
                Ok((value.unwrap_or(0), self.layout().get(cell).bits))
            }
            Place::Byte { space, owner, address } => {
                let Some((start, bytes, _)) = element(step, place, instruction) else {
                    let state = self.state(step.site.visible, control)?;
                    return Ok((state.byte(space, owner, address).unwrap_or(0).into(), 8));
                };
                if let Some(value) = received_next(step, start, instruction) {
                    return Ok((value, (8 * bytes.min(16)) as u16));
                }
                let state = self.state(step.site.visible, control)?;
                let byte = |at: u64| u128::from(state.byte(space, owner, at).unwrap_or(0));
                let value = (0..bytes.min(16)).fold(0, |all, at| all | byte(start + at) << (8 * at));
                Ok((value, (8 * bytes.min(16)) as u16))
            }
        }
    }

    /// The link of a step that wrote a place, and where the chain goes on.
    fn link(
        &mut self,
        step: Step,
        place: Place,
        instruction: &Instruction,
        control: Control<'_>,
    ) -> Result<(Link, Next), Cancelled> {
        let WriteSite { step: number, statement, warp, lane, .. } = step.site;
        let (value, bits) = self.value_of(&step, place, instruction, control)?;
        let operands = self.operands(instruction, &step, control)?;
        let only = match instruction.registers()[..] {
            [cell] => Next::At(step.question(lane, cell)),
            _ => Next::End,
        };
        let (is_copy, next) = match self.source_of(step, place, instruction, control)? {
            Source::Copied(next) => (true, next),
            Source::Computed => (false, only),
            Source::Unknown => (false, Next::End),
        };
        Ok((Link { step: number, statement, warp, lane, is_copy, value, bits, operands }, next))
    }

    /// Where the value that a step wrote to a place comes from.
    fn source_of(
        &mut self,
        step: Step,
        place: Place,
        instruction: &Instruction,
        control: Control<'_>,
    ) -> Result<Source, Cancelled> {
        let WriteSite { warp, lane, .. } = step.site;
        let meaning = instruction.meaning();
        match (meaning, place) {
            (Meaning::Copy, _) => {
                let word = step.cell(place).map_or(0, |cell| word_of(instruction, cell));
                Ok(match instruction.copied() {
                    Some(Operand::Register { cell, .. }) => step.register(lane, CellId(cell.0 + word)),
                    _ => Source::Unknown,
                })
            }
            (Meaning::Shuffle, _) => {
                let from = self.shuffled_from(instruction, &step, control)?;
                let is_wide = |target: &&CellId| self.layout().get(**target).bits > 1;
                let value = instruction.targets.iter().rfind(is_wide);
                let is_value = value.copied().is_some_and(|value| step.cell(place) == Some(value));
                Ok(match (instruction.sources.first(), from) {
                    (Some(Operand::Register { cell, .. }), Some(from)) if is_value => {
                        step.register(from, *cell)
                    }
                    _ => Source::Computed,
                })
            }
            (Meaning::Load | Meaning::Atomic { .. }, Place::Register { .. }) => {
                self.loaded_from(step, place, instruction, control)
            }
            (Meaning::Store | Meaning::Atomic { exchanges: true }, _) => {
                Ok(self.stored_from(&step, place, instruction))
            }
            (Meaning::MemoryCopy, Place::Byte { address, .. }) => {
                let written = step.accesses.iter().find(|access| access.writes);
                let target = written.and_then(|to| to.address_of(lane));
                let Some(((from, source), target)) = read_by(&step).zip(target) else {
                    return Ok(Source::Unknown);
                };
                let address = source.wrapping_add(address.wrapping_sub(target));
                let place = Place::Byte { space: from.space, owner: from.owner_of(warp, lane), address };
                self.written_memory(&step, place, control)
            }
            (Meaning::MemoryCopy, Place::Register { .. }) => Ok(Source::Unknown),
            _ => Ok(Source::Computed),
        }
    }

    /// The memory that a load or an atomic read into a register.
    fn loaded_from(
        &mut self,
        step: Step,
        place: Place,
        instruction: &Instruction,
        control: Control<'_>,
    ) -> Result<Source, Cancelled> {
        let WriteSite { warp, lane, .. } = step.site;
        let Some((access, address)) = read_by(&step) else { return Ok(Source::Unknown) };
        let each = element_bytes(access, instruction);
        let address =
            address + u64::from(step.cell(place).map_or(0, |cell| position_of(instruction, cell))) * each;
        let place = Place::Byte { space: access.space, owner: access.owner_of(warp, lane), address };
        if matches!(access.space, Space::Param | Space::Const) {
            return Ok(Source::Unknown);
        }
        // An atomic serves its lanes one after the other.
        if matches!(instruction.meaning(), Meaning::Atomic { .. })
            && let Some(earlier) = served_before(&step, address)
        {
            let site = WriteSite { lane: earlier, ..step.site };
            return Ok(Source::Copied(Next::Within(Step { site, ..step }, place)));
        }
        self.written_memory(&step, place, control)
    }

    /// Memory as a step read it. What nobody has written are its initial contents.
    fn written_memory(
        &mut self,
        step: &Step,
        place: Place,
        control: Control<'_>,
    ) -> Result<Source, Cancelled> {
        let before = step.site.step;
        Ok(match self.last_write(place, before, control)? {
            Some(_) => Source::Copied(Next::At(Question { place, before })),
            None => Source::Unknown,
        })
    }

    /// The register that a store or an exchange wrote to memory.
    fn stored_from(&self, step: &Step, place: Place, instruction: &Instruction) -> Source {
        let Some((start, each, index)) = element(step, place, instruction) else { return Source::Unknown };
        let stored = instruction.stored();
        let offset = match place {
            Place::Byte { address, .. } => address - start,
            Place::Register { .. } => 0,
        };
        // A wide value of one operand takes several registers.
        let (operand, word) = match stored.get(index) {
            Some(operand) if stored.len() > 1 => (Some(*operand), offset / 4),
            _ => (stored.first().copied(), (index as u64 * each + offset) / 4),
        };
        match operand {
            Some(Operand::Register { cell, .. }) => {
                let words = u64::from(self.layout().span(step.site.statement, *cell)).max(1);
                step.register(step.site.lane, CellId(cell.0 + word.min(words - 1) as u32))
            }
            _ => Source::Unknown,
        }
    }

    /// The sources of a statement with their values before it.
    fn operands(
        &mut self,
        instruction: &Instruction,
        step: &Step,
        control: Control<'_>,
    ) -> Result<Vec<LinkOperand>, Cancelled> {
        let WriteSite { statement, lane, .. } = step.site;
        let mut operands: Vec<LinkOperand> = Vec::new();
        for source in &instruction.sources {
            let name = source.name().clone();
            if operands.iter().any(|operand| operand.name == name) {
                continue;
            }
            operands.push(match source {
                Operand::Register { cell, .. } => {
                    let cells = self.layout().span(statement, *cell);
                    let bits = if cells > 1 { 32 * cells as u16 } else { self.layout().get(*cell).bits };
                    let value = self.value_before((*cell, cells), step, control)?;
                    LinkOperand { name, value, bits, question: Some(step.question(lane, *cell)) }
                }
                Operand::Constant(text) => {
                    let value = warplens_ide_db::notation::parsed(text).map(|value| value as u128);
                    LinkOperand { name, value, bits: 32, question: None }
                }
                Operand::Special(_) | Operand::Memory(_) => {
                    // What a load or a move of a special register gives is what it wrote.
                    let written = step.writes.iter().find(|write| instruction.targets.contains(&write.cell));
                    let is_only = instruction.sources.len() == 1;
                    let value = written.filter(|_| is_only).and_then(|write| write.of(lane));
                    let bits = written.map_or(32, |write| self.layout().get(write.cell).bits);
                    LinkOperand { name, value, bits, question: None }
                }
            });
        }
        Ok(operands)
    }

    /// The lane from which a shuffle takes its value.
    fn shuffled_from(
        &mut self,
        instruction: &Instruction,
        step: &Step,
        control: Control<'_>,
    ) -> Result<Option<u32>, Cancelled> {
        let lane = step.site.lane;
        let mut values = Vec::new();
        for source in &instruction.sources {
            values.push(match source {
                Operand::Register { cell, .. } => self.value_before((*cell, 1), step, control)?,
                Operand::Constant(text) if text == "RZ" => Some(0),
                source => warplens_ide_db::notation::parsed(source.name()).map(|value| value as u128),
            });
        }
        let value = |at: usize| values.get(at).copied().flatten().map(|value| value as u64);
        let lanes = self.layout().width;
        debug_assert!(step.active >> lane & 1 == 1);
        Ok(source_lane(instruction, lane, lanes, value))
    }
}

/// The access by which a step's lane read, and its address.
fn read_by(step: &Step) -> Option<(&Access, u64)> {
    let mut reads = step.accesses.iter().filter(|access| access.reads);
    reads.find_map(|access| Some((access, access.address_of(step.site.lane)?)))
}

/// Where a byte comes from, if the read and the write of `pair` copied it.
fn copied_from(
    pair: &[Access],
    (space, owner, address): (Space, u64, u64),
    (warp, lane): (u32, u32),
) -> Option<Place> {
    let (from, to) = (&pair[0], &pair[1]);
    if !from.reads || !to.writes || (to.space, to.owner_of(warp, lane)) != (space, owner) {
        return None;
    }
    let offset = address.checked_sub(to.address_of(lane)?)?;
    let address = from.address_of(lane)? + offset;
    let (space, owner) = (from.space, from.owner_of(warp, lane));
    (offset < to.bytes).then_some(Place::Byte { space, owner, address })
}

/// The position of a register among the destinations of its statement, or of its word in a wide one.
fn position_of(instruction: &Instruction, cell: CellId) -> u32 {
    let exact = instruction.targets.iter().position(|target| *target == cell);
    exact.map_or_else(|| word_of(instruction, cell), |at| at as u32)
}

/// Which word of a wide destination a register is.
fn word_of(instruction: &Instruction, cell: CellId) -> u32 {
    let below =
        instruction.targets.iter().filter(|target| target.0 <= cell.0).map(|target| cell.0 - target.0);
    below.min().filter(|word| *word < 4).unwrap_or(0)
}

/// Bytes of each register that a load fills.
fn element_bytes(access: &Access, instruction: &Instruction) -> u64 {
    match instruction.targets.len() as u64 {
        0 | 1 => access.bytes.min(4).max(if access.bytes == 8 { 4 } else { 1 }),
        count => access.bytes / count,
    }
}

/// The element that a step stored over a byte: its address, its bytes, and its position among those of the lane.
fn element(step: &Step, place: Place, instruction: &Instruction) -> Option<(u64, u64, usize)> {
    let Place::Byte { space, address, .. } = place else { return None };
    let mut writes = step.accesses.iter().filter(|access| access.writes && access.space == space);
    let (access, start) = writes.find_map(|access| {
        let start = access.address_of(step.site.lane)?;
        address.checked_sub(start).filter(|offset| *offset < access.bytes).map(|_| (access, start))
    })?;
    let stored = instruction.stored().len().max(1) as u64;
    let each = if access.bytes.is_multiple_of(stored) { access.bytes / stored } else { access.bytes };
    let index = (address - start) / each;
    Some((start + index * each, each, index as usize))
}

/// What an atomic of the step's lane left at an address for the next lane, which received it; `None` for the last lane.
fn received_next(step: &Step, address: u64, instruction: &Instruction) -> Option<u128> {
    if !matches!(instruction.meaning(), Meaning::Atomic { .. }) {
        return None;
    }
    let next = lanes_at(step, address).filter(|lane| *lane > step.site.lane).min()?;
    // A wide value may take several registers.
    let written = instruction.targets.iter().map(|target| {
        let write = step.writes.iter().find(|write| write.cell == *target)?;
        write.of(next)
    });
    let words: Option<Vec<u128>> = written.collect();
    let words = words.filter(|words| !words.is_empty())?;
    Some(words.iter().enumerate().fold(0, |all, (at, word)| all | word << (32 * at)))
}

/// The lane whose atomic at this address came before that of the step's lane.
fn served_before(step: &Step, address: u64) -> Option<u32> {
    lanes_at(step, address).filter(|lane| *lane < step.site.lane).max()
}

/// The lanes whose atomics are at this address.
fn lanes_at(step: &Step, address: u64) -> impl Iterator<Item = u32> {
    let access = step.accesses.iter().find(|access| access.writes);
    let lanes = access.into_iter().flat_map(|access| &access.lanes);
    lanes.filter(move |(_, at)| *at == address).map(|(lane, _)| *lane)
}
