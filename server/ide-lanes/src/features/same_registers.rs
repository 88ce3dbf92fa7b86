//! Which registers of machine code hold the values of which registers of the text that it was assembled from.
//!
//! An instruction names the line of its statement. Two registers correspond if they had the same values in every visit by the warp,
//! lane by lane. That is evidence, not proof: registers may have the same values by chance.

use rustc_hash::{FxHashMap, FxHasher};
use smol_str::SmolStr;
use std::hash::Hasher;

use warplens_sim_warp::{Cancelled, Control, Mask, StatementId, TracedRegister, WarpId};

use super::steps::Steps;
use crate::run::{Outcome, Prepared};

/// The limit of the steps of a warp in bytes, and of the warp instructions of a run that is repeated.
const MAX_BYTES: usize = 32 << 20;
const MAX_INSTRUCTIONS: u64 = 200_000;

#[derive(Clone, Copy)]
pub struct Ran<'r> {
    pub prepared: &'r Prepared,
    pub outcome: &'r Outcome,
}

/// The names of corresponding registers, by instruction and register.
#[derive(Debug, Default)]
pub struct SameRegisters(FxHashMap<(StatementId, SmolStr), String>);

impl SameRegisters {
    /// Compares the registers of a warp in a run of machine code and in a run of its text; `line_of` gives the line of a statement of
    /// the text, from 1. Both run again. Long runs are not compared.
    pub fn of(
        code: Ran<'_>,
        text: Ran<'_>,
        line_of: &dyn Fn(StatementId) -> Option<u64>,
        warp: WarpId,
        control: Control<'_>,
    ) -> Result<SameRegisters, Cancelled> {
        let runs = [code, text];
        if runs.iter().any(|run| run.outcome.result.totals.warp_instructions > MAX_INSTRUCTIONS) {
            return Ok(SameRegisters::default());
        }
        let [code, text] = runs.map(|run| run.outcome.prepared(run.prepared));
        let (Some(code_steps), Some(text_steps)) =
            (code.steps(warp, MAX_BYTES, control)?, text.steps(warp, MAX_BYTES, control)?)
        else {
            return Ok(SameRegisters::default());
        };
        if code_steps.truncated || text_steps.truncated {
            return Ok(SameRegisters::default());
        }
        let mut of_line: FxHashMap<u64, Vec<Held>> = FxHashMap::default();
        for held in held(&text_steps, &text) {
            if let Some(line) = line_of(held.statement) {
                of_line.entry(line).or_default().push(held);
            }
        }
        let named = held(&code_steps, &code).into_iter().filter_map(|held| {
            let source = code.statements.get(held.statement.index())?.source.as_ref()?;
            let name = named(&held, of_line.get(&source.line.line)?)?;
            Some(((held.statement, held.name), name))
        });
        Ok(SameRegisters(named.collect()))
    }

    /// What a register of an instruction holds, as Markdown: `%r2` of the source, its low half.
    pub fn name(&self, statement: StatementId, register: &str) -> Option<&str> {
        self.0.get(&(statement, SmolStr::new(register))).map(String::as_str)
    }
}

/// A register that a statement names, and its values in all visits.
struct Held {
    statement: StatementId,
    name: SmolStr,
    bits: u16,
    written: bool,
    /// The values, and their halves or their complement, which another register may hold.
    whole: LaneHashes,
    low: LaneHashes,
    high: LaneHashes,
    complement: LaneHashes,
}

/// The number and the hash of the values of each lane.
#[derive(Default, PartialEq, Eq)]
struct LaneHashes(Vec<(u32, u64)>);

impl LaneHashes {
    fn add(&mut self, lane: u32, value: u128) {
        let lane = lane as usize;
        if self.0.len() <= lane {
            self.0.resize(lane + 1, (0, 0));
        }
        let (count, hash) = &mut self.0[lane];
        let mut hasher = FxHasher::default();
        hasher.write_u64(*hash);
        hasher.write_u128(value);
        (*count, *hash) = (*count + 1, hasher.finish());
    }
}

/// The registers that the visited statements name. A step has the registers that it writes; the others keep the values of their last
/// write.
fn held(steps: &Steps, prepared: &Prepared) -> Vec<Held> {
    let mut found: FxHashMap<(StatementId, SmolStr), Held> = FxHashMap::default();
    let mut last: FxHashMap<&SmolStr, &TracedRegister> = FxHashMap::default();
    for visit in &steps.visits {
        let mut add = |register: &TracedRegister, is_written: bool| {
            let key = (visit.statement, register.name.clone());
            let held = found.entry(key).or_insert_with(|| Held::new(visit.statement, register, is_written));
            held.add(register, visit.executed);
        };
        let statement = prepared.statements.get(visit.statement.index());
        for (name, _) in statement.into_iter().flat_map(|statement| &statement.registers) {
            if let Some(register) = last.get(name).filter(|_| visit.register(name).is_none()) {
                add(register, false);
            }
        }
        for register in &visit.registers {
            add(register, true);
            last.insert(&register.name, register);
        }
    }
    found.into_values().collect()
}

impl Held {
    fn new(statement: StatementId, register: &TracedRegister, written: bool) -> Held {
        Held {
            statement,
            name: register.name.clone(),
            bits: register.bits,
            written,
            whole: LaneHashes::default(),
            low: LaneHashes::default(),
            high: LaneHashes::default(),
            complement: LaneHashes::default(),
        }
    }

    fn add(&mut self, register: &TracedRegister, executed: Mask) {
        for lane in (0..Mask::BITS).filter(|lane| executed >> lane & 1 == 1) {
            let Some(value) = register.value(lane) else { continue };
            self.whole.add(lane, value);
            match self.bits {
                1 => self.complement.add(lane, value ^ 1),
                64 => {
                    self.low.add(lane, value & 0xffff_ffff);
                    self.high.add(lane, value >> 32);
                }
                _ => {}
            }
        }
    }

    /// Which part of this register `other` holds, if their values agree.
    fn part(&self, other: &Held) -> Option<&'static str> {
        let is = |values: &LaneHashes| *values == other.whole;
        match (self.bits, other.bits) {
            (bits, same) if bits == same && is(&self.whole) => Some(""),
            (1, 1) if is(&self.complement) => Some(", inverted"),
            (64, 32) if is(&self.low) => Some(", its low half"),
            (64, 32) if is(&self.high) => Some(", its high half"),
            _ => None,
        }
    }
}

/// The only register of the statements that agrees with a register of their instruction. Written registers are preferred for a written
/// one.
fn named(held: &Held, candidates: &[Held]) -> Option<String> {
    if held.whole.0.is_empty() {
        return None;
    }
    let agreeing = |is_same: bool| {
        let alike = candidates.iter().filter(move |other| (other.written == held.written) == is_same);
        let mut names: Vec<String> = alike
            .filter_map(|other| Some(format!("`{}` of the source{}", other.name, other.part(held)?)))
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let found = Some(agreeing(true)).filter(|names| !names.is_empty()).unwrap_or_else(|| agreeing(false));
    match &found[..] {
        [name] => Some(name.clone()),
        _ => None,
    }
}
