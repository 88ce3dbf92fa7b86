//! A cluster's notes: maps of its tensor memory, the phases of its mbarriers, and its tensor copies.

use std::collections::BTreeSet;

use warplens_sim_cuda::async_ops::copy_log::BoxCopy;
use warplens_sim_cuda::async_ops::phase_log::{PhaseAction, PhaseEntry, Phases};
use warplens_sim_cuda::grid::block::Block;
use warplens_sim_cuda::grid::cluster::Cluster;
use warplens_sim_cuda::memory::local::Local;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::tensor_memory::map_text::CellMap;
use warplens_sim_cuda::tensor_memory::use_log::UseLog;
use warplens_sim_warp::StatementId;
use warplens_sim_warp::note::{Note, NoteLine};
use warplens_sim_warp::objects::bytes;

use super::mbarriers::Mbarriers;
use crate::engine::exec::warp::Warp;
use crate::program::Space;

/// What the listed or traced warps of a cluster did, for hovers.
pub(super) fn notes(cluster: &Cluster<Warp>, spaces: &Spaces) -> Vec<Note> {
    if !cluster.blocks.iter().flat_map(|block| &block.warps).any(is_shown) {
        return Vec::new();
    }
    let notes = ClusterNotes { cluster, spaces };
    let phases = cluster.asynchronous.phases.all();
    let phases = phases.into_iter().flat_map(|(object, phases)| notes.phases(object, phases));
    let copies = cluster.asynchronous.copies.all();
    let copies = copies.into_iter().filter_map(|(statement, count, copy)| notes.copy(statement, count, copy));
    let cells = cluster.blocks.iter().zip(&cluster.asynchronous.cells);
    let maps = cells.flat_map(|(block, log)| maps(block, log));
    maps.chain(phases).chain(copies).collect()
}

struct ClusterNotes<'a> {
    cluster: &'a Cluster<Warp>,
    spaces: &'a Spaces,
}

impl ClusterNotes<'_> {
    fn copy(&self, statement: u32, count: u64, copy: &BoxCopy) -> Option<Note> {
        let warps = &self.cluster.blocks.get(copy.issuer.rank as usize)?.warps;
        let warp = warps.iter().find(|warp| warp.id.warp == copy.issuer.warp && is_shown(warp))?;
        let lane = copy.issuer.lanes.trailing_zeros();
        let which = if count > 1 { format!(", the last of {count} copies") } else { String::new() };
        let tile = self.element(copy.tile, 1);
        Some(Note {
            statements: vec![StatementId(statement)],
            cta: warp.id.cta,
            warp: Some(warp.id.warp),
            title: format!("**Tensor copy** of lane {lane}{which}:"),
            grid: String::new(),
            lines: copy.lines(&tile).into_iter().map(|line| (line, Vec::new())).collect(),
        })
    }

    /// One note for each block with listed warps, because each may use the object.
    fn phases(&self, object: usize, phases: &Phases) -> Vec<Note> {
        let entries = phases.first.iter().flatten().chain(&phases.running);
        let statements: BTreeSet<u32> =
            entries.map(|entry| entry.statement).chain(phases.waits.iter().copied()).collect();
        let mut lines: Vec<_> = (0..).zip(&phases.first).map(|(number, phase)| line(number, phase)).collect();
        let shown = phases.first.len() as u64;
        if phases.completed > shown {
            lines.push((format!("phases {shown} to {}: completed", phases.completed - 1), Vec::new()));
        }
        let (_, running) = line(phases.completed, &phases.running);
        let state = Mbarriers::of(self.cluster).state(object).unwrap_or_else(|| "invalidated".to_owned());
        lines.push((format!("{state}{}", if running.is_empty() { "" } else { "; " }), running));
        if !phases.waits.is_empty() {
            let waits = phases.waits.iter().map(|statement| (StatementId(*statement), "passed".to_owned()));
            lines.push(("waits: ".to_owned(), waits.collect()));
        }
        let name = self.element(object, 8);
        let completed = match phases.completed {
            1 => "1 phase completed".to_owned(),
            count => format!("{count} phases completed"),
        };
        let listed =
            self.cluster.blocks.iter().filter_map(|block| block.warps.iter().find(|warp| is_shown(warp)));
        let note = |cta: [u32; 3]| Note {
            statements: statements.iter().map(|statement| StatementId(*statement)).collect(),
            cta,
            warp: None,
            title: format!("**mbarrier** {name}: {completed}:"),
            grid: String::new(),
            lines: lines.clone(),
        };
        listed.map(|warp| note(warp.id.cta)).collect()
    }

    /// The name of an element in the cluster's shared memory.
    fn element(&self, index: usize, size: u64) -> String {
        let spaces = self.spaces;
        let block = (spaces.window.size as usize).max(1);
        let name = spaces.element(Space::Shared, (index % block) as u64, size, &Local::default());
        if self.cluster.blocks.len() > 1 {
            format!("{name} of block {} of the cluster", index / block)
        } else {
            name
        }
    }
}

fn is_shown(warp: &Warp) -> bool {
    warp.listed || warp.tracer.is_some()
}

/// A map of a block's tensor memory for each warp that is shown.
fn maps(block: &Block<Warp>, log: &UseLog) -> Vec<Note> {
    let statements: Vec<_> = log.statements().into_iter().map(StatementId).collect();
    if statements.is_empty() {
        return Vec::new();
    }
    let map = CellMap::new(log);
    let note = |warp: &Warp| Note {
        statements: statements.clone(),
        cta: warp.id.cta,
        warp: Some(warp.id.warp),
        title: format!("**Tensor memory** ({}):", map.scale()),
        grid: map.grid(warp.id.warp),
        lines: map.lines(warp.id.warp),
    };
    block.warps.iter().filter(|warp| is_shown(warp)).map(note).collect()
}

fn line(number: u64, entries: &[PhaseEntry]) -> NoteLine {
    let part = |entry: &PhaseEntry| {
        let text = match (entry.action, entry.count) {
            (PhaseAction::Initialize, 1) => "needs 1 arrival".to_owned(),
            (PhaseAction::Initialize, count) => format!("needs {count} arrivals"),
            (PhaseAction::Arrive, 1) => "1 arrival".to_owned(),
            (PhaseAction::Arrive, count) => format!("{count} arrivals"),
            (PhaseAction::Expect, count) => format!("{} announced", bytes(count)),
            (PhaseAction::Complete, count) => format!("{} completed", bytes(count)),
        };
        (StatementId(entry.statement), text)
    };
    (format!("phase {number}: "), entries.iter().map(part).collect())
}
