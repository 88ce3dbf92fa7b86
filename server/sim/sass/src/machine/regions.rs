//! Tokens on a machine of paths, so that the model `barriers` can run code with tokens.
//!
//! A token is a region: the lanes that pushed it together. Each lane has its own stack of regions. Lanes that
//! pop a region wait in it until all its live lanes have popped it, and then continue as one path. Lanes that
//! leave an outer region also leave the regions inside it. A return does not wait: its lanes continue
//! immediately.

use warplens_sim_cuda::registers::lanes;

use crate::program::Token;

/// Lanes that pushed a token together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Region {
    kind: Token,
    /// Where the lanes resume.
    pc: u32,
    mask: u32,
    /// The groups that wait in the region, with their statements.
    arrived: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Regions {
    regions: Vec<Region>,
    /// The regions of each lane, innermost last.
    stacks: [Vec<u32>; 32],
}

pub(super) type Resumed = Vec<(u32, u32)>;

impl Regions {
    /// Lanes push a token and will resume at `pc`.
    pub(super) fn push(&mut self, kind: Token, pc: u32, mask: u32) {
        while self.regions.pop_if(|region| region.mask == 0).is_some() {}
        let number = self.regions.len() as u32;
        self.regions.push(Region { kind, pc, mask, arrived: Vec::new() });
        lanes(mask).for_each(|lane| self.stacks[lane].push(number));
    }

    /// Lanes pop their innermost token of a kind at a statement; `None` if a lane has no such token.
    pub(super) fn pop(&mut self, kind: Token, mask: u32, at: u32, live: u32) -> Option<Resumed> {
        let is_kind = |number: &u32| self.regions[*number as usize].kind == kind;
        let found: Vec<(usize, usize)> = lanes(mask)
            .map(|lane| Some((lane, self.stacks[lane].iter().rposition(is_kind)?)))
            .collect::<Option<_>>()?;
        let mut touched = Vec::new();
        for (lane, index) in found {
            let left = self.stacks[lane].split_off(index);
            for (depth, &number) in left.iter().enumerate() {
                let region = &mut self.regions[number as usize];
                match (depth, region.arrived.last_mut()) {
                    (0, Some((waiting, statement))) if *statement == at => *waiting |= 1 << lane,
                    (0, _) => region.arrived.push((1 << lane, at)),
                    _ => region.mask &= !(1 << lane),
                }
                touched.push(number);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        Some(touched.into_iter().flat_map(|number| self.resume(number, live)).collect())
    }

    pub(super) fn exit(&mut self, mask: u32, live: u32) -> Resumed {
        self.regions.iter_mut().for_each(|region| region.mask &= !mask);
        (0..self.regions.len() as u32).flat_map(|number| self.resume(number, live)).collect()
    }

    /// The groups that continue, if no lane of the region is missing.
    fn resume(&mut self, number: u32, live: u32) -> Resumed {
        let region = &mut self.regions[number as usize];
        let waiting = region.arrived.iter().fold(0, |all, (lanes, _)| all | lanes);
        let returns = region.kind == Token::Return;
        if waiting == 0 || !returns && region.mask & live & !waiting != 0 {
            return Vec::new();
        }
        region.mask &= !waiting;
        let pc = region.pc;
        region.arrived.drain(..).map(|(lanes, _)| (pc, lanes)).collect()
    }

    /// The waiting lanes: statement, lanes, kind of token.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, u32, Token)> + '_ {
        let of = |region: &Region| {
            let kind = region.kind;
            region.arrived.clone().into_iter().map(move |(lanes, at)| (at, lanes, kind))
        };
        self.regions.iter().flat_map(of)
    }

    /// The maximum number of tokens in any lane.
    pub(super) fn longest(&self) -> usize {
        self.stacks.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The maximum number of tokens of a kind in any lane.
    pub(super) fn depth(&self, kind: Token) -> usize {
        let is_kind = |number: &&u32| self.regions[**number as usize].kind == kind;
        self.stacks.iter().map(|stack| stack.iter().filter(is_kind).count()).max().unwrap_or(0)
    }
}
