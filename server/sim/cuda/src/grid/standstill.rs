//! Proves that warps never end although they change the memory that they poll.
//!
//! Two warps that exchange values through one word, such as a lock that each of them expects in a state that the other never
//! leaves, wake each other forever. The search tries every order of their instructions. It is a proof, because
//!
//! * a single lane of each warp can run, so an instruction accesses memory once, before or after any other;
//! * a single word of memory changes. All threads see the stores to one location in one order, whatever a memory model allows
//!   for several, so every result of a run is the result of one of these orders;
//! * what a warp does next depends on its own state and on that word, because the rest of memory stays as it is.
//!
//! If a warp ends, arrives at a barrier or changes other memory in any of the orders, or if there are too many, nothing is known.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cluster::{Cluster, ClusterReports};
use super::pause::Pause;
use super::warp::GridState;
use crate::memory::spaces::Spaces;
use crate::run_state::RunState;

/// The most states of one warp, and of all warps together.
const MAX_WARP_STATES: usize = 128;
const MAX_STATES: usize = 1 << 15;
/// The most warps, and the most bytes of memory that each step compares.
const MAX_WARPS: usize = 16;
const MAX_BYTES: usize = 1 << 20;

/// A word of memory: the memory of a cluster or the device, and the number of the word there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    memory: Memory,
    index: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Launch,
    Globals,
    Shared(usize),
}

struct Search<'s, 'p, W: ClusterReports> {
    launch: &'s W::Launch<'p>,
    grid: GridState<W>,
    /// Memory and tags at the start of the search.
    start: GridState<W>,
    /// The shared memory of each cluster at the start.
    shared: Vec<&'s [u8]>,
    /// The number of each warp's cluster, and the states of the warp that have been reached.
    warps: Vec<(usize, Vec<W>)>,
    word: Option<Word>,
    /// What a step of a warp in one of its states leads to, for a difference of the word from its value at the start.
    steps: FxHashMap<(usize, u8, u32), (u8, u32)>,
}

/// Whether no order of instructions lets a warp of these clusters end. They are all clusters that have not ended.
pub(super) fn is_certain<W: ClusterReports>(
    launch: &W::Launch<'_>,
    grid: &GridState<W>,
    clusters: &[&Cluster<W>],
) -> bool {
    let mut warps = Vec::new();
    for (number, cluster) in clusters.iter().enumerate() {
        let Some(active) = cluster.lone_warps(launch) else { return false };
        warps.extend(active.into_iter().map(|warp| (number, vec![warp])));
    }
    let shared: Vec<&[u8]> = clusters.iter().map(|cluster| cluster.shared.as_slice()).collect();
    let device = grid.spaces.device_bytes().iter().map(|bytes| bytes.len()).sum::<usize>();
    if !(2..=MAX_WARPS).contains(&warps.len())
        || device + shared.iter().map(|bytes| bytes.len()).sum::<usize>() > MAX_BYTES
    {
        return false;
    }
    let copy = || GridState::<W> {
        spaces: Spaces { write_log: None, access_set: None, ..grid.spaces.clone() },
        state: RunState::new(&launch.options, None),
        extra: grid.extra.clone(),
    };
    let (word, steps) = (None, FxHashMap::default());
    let mut search = Search { launch, grid: copy(), start: copy(), shared, warps, word, steps };
    // Clocks go on.
    search.grid.state.steps = grid.state.steps;
    search.reaches_no_end().is_some()
}

impl<W: ClusterReports> Search<'_, '_, W> {
    /// `None` if a warp may end, or this is not known.
    fn reaches_no_end(&mut self) -> Option<()> {
        let first = (vec![0u8; self.warps.len()], 0);
        let mut seen = FxHashSet::from_iter([first.clone()]);
        let mut work = vec![first];
        while let Some((states, value)) = work.pop() {
            for warp in 0..states.len() {
                let key = (warp, states[warp], value);
                let (state, value) = match self.steps.get(&key) {
                    Some(next) => *next,
                    None => self.step(warp, states[warp], value)?,
                };
                self.steps.insert(key, (state, value));
                let mut next = (states.clone(), value);
                next.0[warp] = state;
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
            if seen.len() > MAX_STATES {
                return None;
            }
        }
        Some(())
    }

    /// Executes one instruction of a warp.
    fn step(&mut self, warp: usize, state: u8, difference: u32) -> Option<(u8, u32)> {
        let (cluster, states) = &self.warps[warp];
        let (cluster, mut running) = (*cluster, states[usize::from(state)].lone_copy(self.launch)?);
        self.grid.spaces.enter_alone(self.shared[cluster]);
        self.set_word(cluster, difference);
        let changes = self.grid.spaces.changes;
        let due = self.grid.state.steps + 1;
        (self.grid.state.pause_at, self.grid.state.limit) = (due, due);
        let pause = running.run(self.launch, &mut self.grid);
        let has_stepped = matches!(pause, Pause::Due | Pause::Yielding) && self.grid.state.steps == due;
        if !has_stepped || self.grid.extra != self.start.extra {
            return None;
        }
        if self.grid.spaces.changes != changes {
            self.find_word(cluster)?;
        }
        let reached = running.lone_copy(self.launch)?;
        let states = &mut self.warps[warp].1;
        let known = states.iter().position(|state| state.is_in_state_of(&reached));
        let number = known.unwrap_or(states.len());
        if known.is_none() {
            states.push(reached);
        }
        let difference = self.word_of(cluster).map_or(difference, |word| self.difference(word));
        (number < MAX_WARP_STATES).then_some((number as u8, difference))
    }

    fn current(&self, memory: Memory) -> &[u8] {
        let [launch, globals] = self.grid.spaces.device_bytes();
        match memory {
            Memory::Launch => launch,
            Memory::Globals => globals,
            Memory::Shared(_) => &self.grid.spaces.shared,
        }
    }

    fn at_start(&self, memory: Memory) -> &[u8] {
        let [launch, globals] = self.start.spaces.device_bytes();
        match memory {
            Memory::Launch => launch,
            Memory::Globals => globals,
            Memory::Shared(cluster) => self.shared[cluster],
        }
    }

    /// Finds the word that changes; `None` if there is more than one.
    fn find_word(&mut self, cluster: usize) -> Option<()> {
        for memory in [Memory::Launch, Memory::Globals, Memory::Shared(cluster)] {
            let (now, start) = (self.current(memory), self.at_start(memory));
            if now.len() != start.len() {
                return None;
            }
            let differ =
                now.chunks(4).zip(start.chunks(4)).enumerate().filter(|(_, (now, start))| now != start);
            let differ: Vec<usize> =
                if now == start { Vec::new() } else { differ.map(|(index, _)| index).take(2).collect() };
            for index in differ {
                let word = Word { memory, index };
                if *self.word.get_or_insert(word) != word {
                    return None;
                }
            }
        }
        Some(())
    }

    /// The word, if the warps of a cluster see it.
    fn word_of(&self, cluster: usize) -> Option<Word> {
        self.word.filter(|word| !matches!(word.memory, Memory::Shared(other) if other != cluster))
    }

    fn difference(&self, Word { memory, index }: Word) -> u32 {
        value_at(self.current(memory), index) ^ value_at(self.at_start(memory), index)
    }

    fn set_word(&mut self, cluster: usize, difference: u32) {
        let Some(Word { memory, index }) = self.word_of(cluster) else { return };
        let value = (value_at(self.at_start(memory), index) ^ difference).to_le_bytes();
        let [launch, globals] = self.grid.spaces.device_bytes_mut();
        let bytes = match memory {
            Memory::Launch => launch,
            Memory::Globals => globals,
            Memory::Shared(_) => &mut self.grid.spaces.shared,
        };
        bytes
            .chunks_mut(4)
            .skip(index)
            .take(1)
            .for_each(|bytes| bytes.copy_from_slice(&value[..bytes.len()]));
    }
}

/// A word of memory; bytes beyond its end are 0.
fn value_at(bytes: &[u8], word: usize) -> u32 {
    let mut value = [0; 4];
    let bytes = bytes.chunks(4).nth(word).unwrap_or_default();
    value[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(value)
}
