//! Compares two runs of one launch: the buffers at the end, the printed text, and the first step in which a lane differs.
//!
//! The runs are of two kernels, or of one kernel under two models. Their launches have the same arguments, so buffers are matched by
//! their order.

mod draw;
mod equality;
mod usable;

use smol_str::SmolStr;
use warplens_sim_launch::{Element, PlacedBuffer, show};
use warplens_sim_warp::{
    Cancelled, Control, LaneStore, Mask, RunOptions, RunResult, ScalarType, StatementId, Status,
    TracedRegister, TracedVisit, WarpId,
};

use crate::run::Prepared;
use crate::view::values::Reading;

pub use draw::Drawer;
pub use equality::Equality;
pub use usable::{Unusable, unusable};

#[derive(Debug, Clone, Copy)]
pub struct ComparedRun<'r> {
    pub prepared: &'r Prepared,
    pub result: &'r RunResult,
}

/// The differences of two runs. All pairs are in the order of the runs.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Whether each run finished; nothing else is compared unless both did.
    pub finished: [bool; 2],
    /// The buffers that differ, in the order of the arguments.
    pub buffers: Vec<BufferDifference>,
    /// The first line of the printed text that differs.
    pub output: Option<OutputDifference>,
}

/// The first element of a buffer that differs.
#[derive(Debug)]
pub struct BufferDifference {
    pub name: SmolStr,
    pub index: usize,
    pub values: [String; 2],
    /// The values as they are written in a launch.
    pub elements: [Element; 2],
    /// The last stores to the element; `None` if it has its initial value.
    pub stores: [Option<LaneStore>; 2],
    /// The number of elements that differ, and of all.
    pub count: usize,
    pub of: usize,
}

/// A line of the printed text that differs; `None` if the text has no such line.
#[derive(Debug)]
pub struct OutputDifference {
    /// The first is 1.
    pub line: usize,
    pub texts: [Option<String>; 2],
}

/// The first steps of a lane that differ under two models.
#[derive(Debug)]
pub struct LaneDifference {
    pub warp: WarpId,
    pub lane: u32,
    /// `None` where the lane has no further step.
    pub steps: [Option<LaneStep>; 2],
}

/// A visit of a statement by a lane.
#[derive(Debug)]
pub struct LaneStep {
    pub statement: StatementId,
    /// Which visit of the statement by the warp; the first is 1.
    pub visit: u64,
    /// Whether the lane was not predicated off.
    pub executed: bool,
    /// The registers that it wrote: `%r1 = 5`.
    pub written: Vec<String>,
}

impl Comparison {
    pub fn of(
        runs: [ComparedRun<'_>; 2],
        equality: Equality,
        control: Control<'_>,
    ) -> Result<Comparison, Cancelled> {
        let finished = runs.map(|run| run.result.status == Status::Finished);
        if finished != [true; 2] {
            return Ok(Comparison { finished, ..Comparison::default() });
        }
        let [ours, theirs] = runs.map(|run| &run.prepared.resolved.buffers);
        let mut buffers = Vec::new();
        for (index, pair) in ours.iter().zip(theirs).enumerate() {
            if is_alias(ours, index) {
                continue;
            }
            buffers.extend(buffer(runs, [pair.0, pair.1], equality, control)?);
        }
        let output = output(runs.map(|run| run.result.output.text.as_str()));
        Ok(Comparison { finished, buffers, output })
    }

    /// Whether the runs finished with the same results.
    pub fn is_equal(&self) -> bool {
        self.finished == [true; 2] && self.buffers.is_empty() && self.output.is_none()
    }

    /// How many elements of the buffers differ, and whether the printed text does. Quicker than [`Comparison::of`], which runs again
    /// for the stores. `None` if a run did not finish.
    pub fn differing(runs: [ComparedRun<'_>; 2], equality: Equality) -> Option<usize> {
        if runs.iter().any(|run| run.result.status != Status::Finished) {
            return None;
        }
        let [ours, theirs] = runs.map(|run| &run.prepared.resolved.buffers);
        let pairs = ours.iter().zip(theirs).enumerate().filter(|(index, _)| !is_alias(ours, *index));
        let elements: usize =
            pairs.map(|(_, (one, other))| differing(runs, [one, other], equality).count()).sum();
        let output = output(runs.map(|run| run.result.output.text.as_str()));
        Some(elements + usize::from(output.is_some()))
    }

    /// The number of buffers of a launch, and of their elements, without aliases.
    pub fn extent(prepared: &Prepared) -> (usize, usize) {
        let buffers = &prepared.resolved.buffers;
        let own = (0..buffers.len()).filter(|index| !is_alias(buffers, *index));
        own.fold((0, 0), |(count, elements), index| {
            let PlacedBuffer { len, element, .. } = &buffers[index];
            (count + 1, elements + *len as usize / element.bytes())
        })
    }
}

/// Whether a buffer is an earlier buffer under another name.
fn is_alias(buffers: &[PlacedBuffer], index: usize) -> bool {
    let same =
        |other: &PlacedBuffer| (other.address, other.len) == (buffers[index].address, buffers[index].len);
    buffers[..index].iter().any(same)
}

/// The elements of a buffer that differ: their index and both values.
fn differing<'r>(
    runs: [ComparedRun<'r>; 2],
    buffers: [&'r PlacedBuffer; 2],
    equality: Equality,
) -> impl Iterator<Item = (usize, [u64; 2])> {
    let element = buffers[0].element;
    let [ours, theirs] = [0, 1].map(|side| {
        let bytes = buffers[side].bytes(runs[side].result);
        bytes.chunks_exact(element.bytes()).map(move |bytes| element.read(bytes))
    });
    let differs = move |(_, [one, other]): &(usize, [u64; 2])| !equality.holds(element, *one, *other);
    ours.zip(theirs).map(|(one, other)| [one, other]).enumerate().filter(differs)
}

fn buffer(
    runs: [ComparedRun<'_>; 2],
    buffers: [&PlacedBuffer; 2],
    equality: Equality,
    control: Control<'_>,
) -> Result<Option<BufferDifference>, Cancelled> {
    let element = buffers[0].element;
    let of = buffers[0].bytes(runs[0].result).len() / element.bytes();
    let mut differing = differing(runs, buffers, equality);
    let Some((index, [one, other])) = differing.next() else { return Ok(None) };
    let count = 1 + differing.count();
    let offset = (index * element.bytes()) as u64;
    let mut stores = [None; 2];
    for side in 0..2 {
        let options = RunOptions { watch: Some(buffers[side].address + offset), ..RunOptions::default() };
        stores[side] = runs[side].prepared.again(options, control)?.last_store;
    }
    let values = [one, other].map(|value| show(element, value));
    let elements = [one, other].map(|bits| Element(element, bits));
    Ok(Some(BufferDifference { name: buffers[0].name.clone(), index, values, elements, stores, count, of }))
}

fn output(texts: [&str; 2]) -> Option<OutputDifference> {
    let [mut ours, mut theirs] = texts.map(str::lines);
    for line in 1.. {
        let texts = [ours.next(), theirs.next()];
        match texts {
            [None, None] => break,
            [one, other] if one == other => {}
            _ => return Some(OutputDifference { line, texts: texts.map(|text| text.map(str::to_owned)) }),
        }
    }
    None
}

impl LaneDifference {
    /// The first difference of a lane between two runs of one kernel; `None` if `max_bytes` of steps show none. The lane is the one
    /// that stored the first differing element, or that the first failure is about.
    pub fn of(
        runs: [ComparedRun<'_>; 2],
        comparison: &Comparison,
        max_bytes: usize,
        control: Control<'_>,
    ) -> Result<Option<LaneDifference>, Cancelled> {
        let stored = comparison.buffers.first().and_then(|buffer| buffer.stores.into_iter().flatten().next());
        let stored = stored.map(|store| (store.warp, store.lane));
        let Some((warp, lane)) = stored.or_else(|| runs.into_iter().find_map(accused)) else {
            return Ok(None);
        };
        let mut steps = Vec::new();
        for run in runs {
            steps.push(run.prepared.steps(warp, max_bytes, control)?);
        }
        let [Some(ours), Some(theirs)] = &steps[..] else { return Ok(None) };
        let of_lane = |visit: &&TracedVisit| visit.active >> lane & 1 == 1;
        let (mut here, mut there) =
            (ours.visits.iter().filter(of_lane), theirs.visits.iter().filter(of_lane));
        loop {
            let pair = [here.next(), there.next()];
            match pair {
                [None, None] => return Ok(None),
                [Some(one), Some(other)] if same_step(one, other, lane) => {}
                [None, _] if ours.truncated => return Ok(None),
                [_, None] if theirs.truncated => return Ok(None),
                _ => {
                    let kinds = |run: usize, visit| step(runs[run].prepared, visit, lane);
                    let [one, other] = pair;
                    let steps = [one.map(|visit| kinds(0, visit)), other.map(|visit| kinds(1, visit))];
                    return Ok(Some(LaneDifference { warp, lane, steps }));
                }
            }
        }
    }
}

/// The first lane that the failure of a run is about.
fn accused(run: ComparedRun<'_>) -> Option<(WarpId, u32)> {
    let found = run.result.first_failure()?;
    let lane = (found.lanes != 0).then(|| found.lanes.trailing_zeros())?;
    Some((WarpId { cta: found.cta, warp: found.warp }, lane))
}

fn same_step(one: &TracedVisit, other: &TracedVisit, lane: u32) -> bool {
    let executed = |visit: &TracedVisit| visit.executed >> lane & 1;
    let same_value = |(one, other): (&TracedRegister, &TracedRegister)| one.value(lane) == other.value(lane);
    one.statement == other.statement
        && executed(one) == executed(other)
        && (executed(one) == 0 || one.registers.iter().zip(&other.registers).all(same_value))
}

fn step(prepared: &Prepared, visit: &TracedVisit, lane: u32) -> LaneStep {
    let executed = visit.executed >> lane & 1 == 1;
    let statement = prepared.statements.get(visit.statement.index());
    let kind = |held: &TracedRegister| statement.map_or(ScalarType::B64, |found| found.type_of(&held.name));
    let value = |held: &TracedRegister| {
        let reading = Reading { held, kind: kind(held), lanes: (1 as Mask) << lane };
        Some(format!("{} = {}", held.name, reading.in_lane(lane)?))
    };
    let written = visit.registers.iter().filter(|_| executed).filter_map(value).collect();
    LaneStep { statement: visit.statement, visit: visit.visit, executed, written }
}
