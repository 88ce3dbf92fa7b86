//! Proves that warps never end although they change the memory that they poll.
//!
//! Two warps that exchange values through one word, such as a lock that each of them expects in a state that the other never
//! leaves, wake each other forever. The search tries every order of the instructions of all lanes. It is a proof, because
//!
//! * each lane runs by itself, so an instruction accesses memory once, before or after any other; an instruction that involves other
//!   lanes ends the search;
//! * a single word of memory changes. All threads see the stores to one location in one order, whatever a memory model allows
//!   for several, so every result of a run is the result of one of these orders;
//! * what a lane does next depends on its own state and on that word alone, because the rest of memory stays as it is.
//!
//! If a lane ends, arrives at a barrier or changes other memory in any of the orders, or if there are too many, nothing is known.
//!
//! The states of all lanes together are tried if there are few. Otherwise, or if these are too many states, every lane is tried with
//! every value that the word can have, whatever the other lanes do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cluster::{Cluster, ClusterReports};
use super::pause::Pause;
use super::warp::GridState;
use crate::memory::spaces::Spaces;
use crate::run_state::RunState;

/// The most states of one lane, and of all lanes together.
const MAX_LANE_STATES: usize = 128;
const MAX_STATES: usize = 1 << 15;
/// The most instructions that are executed.
const MAX_STEPS: usize = 1 << 13;
/// The most lanes, and the most whose states are tried together.
const MAX_LANES: usize = 256;
const MAX_TOGETHER: usize = 8;
/// The most bytes of memory that each step compares.
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
    /// For each lane the number of its cluster, and the states that it has reached, as warps in which it runs alone.
    lanes: Vec<(usize, Vec<W>)>,
    word: Option<Word>,
    /// What a step of a lane in one of its states leads to, for a difference of the word from its value at the start.
    steps: FxHashMap<(usize, u8, u32), (u8, u32)>,
}

/// Whether no order of instructions lets a lane of these clusters end. They are all clusters that have not ended.
pub(super) fn is_certain<W: ClusterReports>(
    launch: &W::Launch<'_>,
    grid: &GridState<W>,
    clusters: &[&Cluster<W>],
) -> bool {
    let activity = clusters.iter().fold((0, 0), |(ready, polling), cluster| {
        let (more, others) = cluster.activity();
        (ready + more, polling + others)
    });
    if activity.0 + activity.1 < 2 {
        return false;
    }
    let mut lanes = Vec::new();
    for (number, cluster) in clusters.iter().enumerate() {
        let Some(active) = cluster.lone_lanes(launch, MAX_LANES - lanes.len()) else { return false };
        lanes.extend(active.into_iter().map(|lane| (number, vec![lane])));
    }
    // Warps of many lanes that compute are no reason to search.
    let polls = activity.0 <= 1 || lanes.len() == activity.0 + activity.1;
    let shared: Vec<&[u8]> = clusters.iter().map(|cluster| cluster.shared.as_slice()).collect();
    let device = grid.spaces.device_bytes().iter().map(|bytes| bytes.len()).sum::<usize>();
    if !polls || device + shared.iter().map(|bytes| bytes.len()).sum::<usize>() > MAX_BYTES {
        return false;
    }
    let copy = || GridState::<W> {
        spaces: Spaces { write_log: None, access_set: None, ..grid.spaces.clone() },
        state: RunState::new(&launch.options, None),
        extra: grid.extra.clone(),
    };
    let (word, steps) = (None, FxHashMap::default());
    let mut search = Search { launch, grid: copy(), start: copy(), shared, lanes, word, steps };
    // Clocks go on.
    search.grid.state.steps = grid.state.steps;
    search.lanes.len() <= MAX_TOGETHER && search.reaches_no_end().is_some() || search.is_closed().is_some()
}

impl<W: ClusterReports> Search<'_, '_, W> {
    /// Tries each state of each lane with each value of the word. `None` if a lane may end, or this is not known.
    fn is_closed(&mut self) -> Option<()> {
        let mut values = vec![0];
        loop {
            let known = self.steps.len();
            for lane in 0..self.lanes.len() {
                let mut tried = (0, 0);
                while tried.0 < self.lanes[lane].1.len() {
                    let key = (lane, tried.0 as u8, *values.get(tried.1)?);
                    let (_, value) = self.next(key)?;
                    if !values.contains(&value) {
                        values.push(value);
                    }
                    tried =
                        if tried.1 + 1 < values.len() { (tried.0, tried.1 + 1) } else { (tried.0 + 1, 0) };
                }
            }
            if self.steps.len() == known {
                return Some(());
            }
        }
    }

    /// Tries the states of all lanes together. `None` if a lane may end, or this is not known.
    fn reaches_no_end(&mut self) -> Option<()> {
        let first = (vec![0u8; self.lanes.len()], 0);
        let mut seen = FxHashSet::from_iter([first.clone()]);
        let mut work = vec![first];
        while let Some((states, value)) = work.pop() {
            for lane in 0..states.len() {
                let (state, value) = self.next((lane, states[lane], value))?;
                let mut next = (states.clone(), value);
                next.0[lane] = state;
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

    fn next(&mut self, key: (usize, u8, u32)) -> Option<(u8, u32)> {
        if let Some(next) = self.steps.get(&key) {
            return Some(*next);
        }
        if self.steps.len() == MAX_STEPS {
            return None;
        }
        let next = self.step(key)?;
        self.steps.insert(key, next);
        Some(next)
    }

    /// Executes one instruction of a lane.
    fn step(&mut self, (lane, state, difference): (usize, u8, u32)) -> Option<(u8, u32)> {
        let (cluster, states) = &self.lanes[lane];
        let (cluster, mut running) = (*cluster, only(states[usize::from(state)].lone_lanes(self.launch)?)?);
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
        let reached = only(running.lone_lanes(self.launch)?)?;
        let states = &mut self.lanes[lane].1;
        let known = states.iter().position(|state| state.is_in_state_of(&reached));
        let number = known.unwrap_or(states.len());
        if known.is_none() {
            states.push(reached);
        }
        let difference = self.word_of(cluster).map_or(difference, |word| self.difference(word));
        (number < MAX_LANE_STATES).then_some((number as u8, difference))
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
            // One comparison of all bytes is much faster than one of each word.
            if now == start {
                continue;
            }
            let differ =
                now.chunks(4).zip(start.chunks(4)).enumerate().filter(|(_, (now, start))| now != start);
            let differ: Vec<usize> = differ.map(|(index, _)| index).take(2).collect();
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
        if let Some(bytes) = bytes.chunks_mut(4).nth(index) {
            bytes.copy_from_slice(&value[..bytes.len()]);
        }
    }
}

fn only<W>(warps: Vec<W>) -> Option<W> {
    let [warp] = <[W; 1]>::try_from(warps).ok()?;
    Some(warp)
}

/// A word of memory; bytes beyond its end are 0.
fn value_at(bytes: &[u8], word: usize) -> u32 {
    let mut value = [0; 4];
    let bytes = bytes.chunks(4).nth(word).unwrap_or_default();
    value[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(value)
}
