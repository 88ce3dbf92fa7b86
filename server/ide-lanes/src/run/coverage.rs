//! How much of a kernel and of its buffers a run reached.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;
use warplens_sim_launch::body::Part;
use warplens_sim_launch::{Body, Fill, PlacedBuffer, Resolved};
use warplens_sim_warp::accessed_bytes::AccessedBytes;
use warplens_sim_warp::{
    BlockEnd, ControlFlow, Finding, FindingKind, LineTrace, RunResult, StatementId, Status,
};

use super::explored::Explored;
use super::numbers::InexactResults;
use super::prepared::Prepared;

/// How much of a kernel and of its buffers a run reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Statements that a lane executed, and all.
    pub executed: usize,
    pub statements: usize,
    /// The conditional branches and exits, in the order of statements.
    pub branches: Vec<BranchSides>,
    /// The branches with a table of targets.
    pub switches: Vec<SwitchTargets>,
    pub explored: Explored,
    /// The results that are not determined to the bit.
    pub numbers: InexactResults,
    pub blocks: Reached,
    pub warps: Reached,
    /// Empty if the simulator does not record accesses.
    pub buffers: Vec<BufferCoverage>,
}

/// The sides of a conditional branch that lanes took, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchSides {
    pub statement: StatementId,
    pub taken: bool,
    pub not_taken: bool,
}

/// The targets of a branch with a table, and whether a lane took the branch to them, over the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchTargets {
    pub statement: StatementId,
    pub targets: Vec<(StatementId, bool)>,
}

/// Blocks or warps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reached {
    /// Those that executed a statement; `null` if the run stopped and does not list all of them.
    pub ran: Option<u64>,
    pub all: u64,
}

/// The bytes of a buffer that a run read and wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BufferCoverage {
    pub name: String,
    pub bytes: u64,
    pub read: u64,
    pub written: u64,
    /// Elements that the run should have written and has not, or not wholly; 0 if it is no output.
    #[serde(rename = "unwritten")]
    pub missing: u64,
    pub elements: u64,
    /// The first of them.
    #[serde(skip)]
    pub first_missing: u64,
}

/// The buffers of a launch that its kernel may store to, and whose contents the launch does not give.
pub(super) fn outputs(resolved: &Resolved, body: &Body) -> Arc<[SmolStr]> {
    let may_store = |part: &Part| part.access.is_none_or(|access| access.stored);
    let arguments = resolved.launch.args.iter().zip(&body.params);
    let stored = arguments.filter(|(_, parts)| parts.iter().any(may_store));
    let names = stored.filter_map(|(argument, _)| argument.name.as_deref());
    let is_open =
        |name: &&str| resolved.buffer(name).is_some_and(|buffer| buffer.deferred.is_some_and(Fill::is_open));
    names.filter(is_open).map(SmolStr::from).collect()
}

impl Prepared {
    /// How much the run of this reached.
    pub fn coverage(&self, result: &RunResult) -> Coverage {
        let is_executed = |line: &&LineTrace| line.executed != 0;
        let [blocks, warps] = self.reached(result);
        let traces = result.summed.iter().map(|line| (line.statement, line)).collect();
        let flow = self.program.control_flow();
        let (branches, switches) = (branches(&flow, &traces), switches(&flow, &traces));
        Coverage {
            executed: result.summed.iter().filter(is_executed).count(),
            statements: self.statements.len(),
            branches,
            switches,
            explored: Explored::default(),
            numbers: self.inexact_results(result),
            blocks,
            warps,
            buffers: self.buffers(result),
        }
    }

    /// The blocks and the warps of which a lane executed a statement.
    fn reached(&self, result: &RunResult) -> [Reached; 2] {
        let blocks: u64 = self.grid().into_iter().map(u64::from).product();
        let all = [blocks, blocks.saturating_mul(self.warps())];
        let ran = if result.status == Status::Finished {
            all.map(Some)
        } else if result.warps_truncated || self.options.one_warp {
            [None; 2]
        } else {
            let ran = || result.warps.iter().filter(|warp| !warp.lines.is_empty());
            let blocks: BTreeSet<[u32; 3]> = ran().map(|warp| warp.cta).collect();
            [Some(blocks.len() as u64), Some(ran().count() as u64)]
        };
        [0, 1].map(|which| Reached { ran: ran[which], all: all[which] })
    }

    fn buffers(&self, result: &RunResult) -> Vec<BufferCoverage> {
        let Some(accessed) = &result.accessed else { return Vec::new() };
        // A run whose results nobody can see has no outputs yet.
        let is_without_result = !accessed.writes() && result.output.text.is_empty();
        let of = |buffer: &PlacedBuffer| {
            let is_untouched = accessed.read(buffer.address, buffer.len) == 0;
            let is_output = self.is_output(buffer, is_without_result || is_untouched);
            covered(buffer, accessed, is_output)
        };
        self.resolved.buffers.iter().map(of).collect()
    }

    /// Whether the run should have written a buffer. One that it does not read is there for its results.
    fn is_output(&self, buffer: &PlacedBuffer, is_for_results: bool) -> bool {
        let mut expect = self.resolved.launch.expect.iter();
        self.outputs.contains(&buffer.name)
            || buffer.deferred.is_some_and(Fill::is_open)
                && (is_for_results || expect.any(|expected| expected.name == *buffer.name))
    }

    /// Adds a finding for each output of which the run left elements unwritten.
    pub(super) fn note_unwritten(&self, result: &mut RunResult) {
        if result.status != Status::Finished {
            return;
        }
        let buffers = self.buffers(result).into_iter().filter(|buffer| buffer.missing > 0);
        result.findings.extend(buffers.map(|buffer| unwritten(&buffer)));
    }
}

type Traces<'r> = FxHashMap<StatementId, &'r LineTrace>;

/// The sides of branches that lanes took.
fn branches(flow: &ControlFlow, traces: &Traces<'_>) -> Vec<BranchSides> {
    let sides = |statement: StatementId| {
        let trace = traces.get(&statement);
        BranchSides {
            statement,
            taken: trace.is_some_and(|trace| trace.executed_lanes > 0),
            not_taken: trace.is_some_and(|trace| trace.active_lanes > trace.executed_lanes),
        }
    };
    flow.ends.iter().filter(|end| end.has_sides).map(|end| sides(end.statement)).collect()
}

/// The targets of branches with a table that lanes took. A target counts as taken if more lanes arrived there than came by falling
/// through and by direct branches. If several tables share it, it counts for those whose lanes did not all go to other targets.
fn switches(flow: &ControlFlow, traces: &Traces<'_>) -> Vec<SwitchTargets> {
    let executed = |at: StatementId| traces.get(&at).map_or(0, |trace| trace.executed_lanes);
    let active = |at: StatementId| traces.get(&at).map_or(0, |trace| trace.active_lanes);
    let ends: FxHashMap<StatementId, &BlockEnd> = flow.ends.iter().map(|end| (end.statement, end)).collect();
    let mut branched_to: FxHashMap<StatementId, u64> = FxHashMap::default();
    let mut tables_of: FxHashMap<StatementId, usize> = FxHashMap::default();
    let mut switches = Vec::new();
    for end in &flow.ends {
        match end.targets[..] {
            [] => {}
            [target] => *branched_to.entry(target).or_default() += executed(end.statement),
            _ => {
                let targets: BTreeSet<StatementId> = end.targets.iter().copied().collect();
                targets.iter().for_each(|target| *tables_of.entry(*target).or_default() += 1);
                switches.push((end.statement, targets));
            }
        }
    }
    let falls_into = |at: StatementId| {
        let Some(before) = at.0.checked_sub(1).map(StatementId) else { return 0 };
        match ends.get(&before) {
            None => active(before),
            Some(end) if end.continues => active(before) - executed(before),
            Some(_) => 0,
        }
    };
    let from_tables = |at: &StatementId| {
        active(*at).saturating_sub(falls_into(*at) + branched_to.get(at).copied().unwrap_or_default())
    };
    let of = |(statement, targets): (StatementId, BTreeSet<StatementId>)| {
        let own = targets.iter().filter(|target| tables_of[target] == 1);
        let others = executed(statement).saturating_sub(own.map(from_tables).sum());
        let is_reached =
            |target: &StatementId| from_tables(target) > 0 && (tables_of[target] == 1 || others > 0);
        let targets = targets.iter().map(|target| (*target, is_reached(target))).collect();
        SwitchTargets { statement, targets }
    };
    switches.into_iter().map(of).collect()
}

fn covered(buffer: &PlacedBuffer, accessed: &AccessedBytes, is_output: bool) -> BufferCoverage {
    let PlacedBuffer { name, element, address, len, .. } = buffer;
    let size = element.bytes() as u64;
    let (address, len) = (*address, *len);
    let written = accessed.written(address, len);
    let (missing, first_missing) =
        if is_output && written < len { accessed.unwritten_elements(address, len, size) } else { (0, 0) };
    BufferCoverage {
        name: name.to_string(),
        bytes: len,
        read: accessed.read(address, len),
        written,
        missing,
        elements: len / size,
        first_missing,
    }
}

fn unwritten(buffer: &BufferCoverage) -> Finding {
    let BufferCoverage { name, bytes, written, missing, elements, first_missing, .. } = buffer;
    let are_partly_written = bytes - written < missing * (bytes / elements.max(&1));
    let what = if are_partly_written { "not wholly written" } else { "never written" };
    let first =
        if *first_missing == 0 { String::new() } else { format!("; the first is {name}[{first_missing}]") };
    let kind = FindingKind::CheckCoverage;
    let message = kind.with_term(&format!(
        "{name}: {missing} of {elements} elements {what}{first}\nstore to all of them, or give the contents in the launch, such as \
         `fill = \"zero\"`, if the kernel need not write them"
    ));
    Finding::about_launch(kind, message)
}
