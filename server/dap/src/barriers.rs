//! The barriers of a block at the position: who has arrived, and who is missing; and its mbarriers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use serde_json::{Value as Json, json};
use warplens_ide_lanes::Search;
use warplens_sim_cuda::memory::mbarrier_object::Object;
use warplens_sim_warp::recording::{Event, Space, Summary};
use warplens_sim_warp::{Control, Mask, StatementId};

use crate::debuggee::{Debuggee, Facts};
use crate::failure::Failure;
use crate::requested::number;
use crate::variables::{lanes_text, memory_reference};

/// The number of a barrier, or `None` for that of the cluster.
type Number = Option<u64>;

/// A barrier whose phase has begun and is not complete.
struct Open {
    /// The lanes that have arrived, by warp of the block.
    arrived: Vec<Mask>,
    /// The warps that wait.
    waiting: BTreeSet<u32>,
    /// The statement of the last arrival.
    statement: StatementId,
    /// How many threads complete it; `None` for all of the block.
    expected: Option<u64>,
    /// Arrived threads, as the hardware counts them: whole warps.
    threads: u64,
}

/// What a statement does at a barrier.
struct AtBarrier {
    number: Number,
    expected: Option<u64>,
    waits: bool,
}

/// Follows the barriers and mbarriers of a block through its steps.
struct Follower<'f> {
    facts: &'f Facts,
    statements: Vec<StatementId>,
    first: u32,
    live: Vec<Mask>,
    open: BTreeMap<Number, Open>,
    mbarriers: BTreeSet<u64>,
}

impl Facts {
    fn at_barrier(&self, statement: StatementId) -> AtBarrier {
        let text = self.text_of(statement);
        let opcode = self.opcode(statement);
        let upper = opcode.to_ascii_uppercase();
        let waits = !upper.contains("ARRIVE") && !upper.contains(".ARV");
        if upper.contains("CLUSTER") || upper.starts_with("UCGABAR") {
            return AtBarrier { number: None, expected: None, waits };
        }
        let operands = text.split_once(opcode).map_or("", |(_, rest)| rest).trim().trim_end_matches(';');
        let mut numbers = operands.split(',').filter_map(|operand| number(operand.trim()));
        // A reduction has a destination and a condition, which are no numbers.
        let (number, expected) = (numbers.next().unwrap_or(0), numbers.next());
        AtBarrier { number: Some(number), expected, waits }
    }

    fn ends_lanes(&self, statement: StatementId) -> bool {
        let base = self.opcode(statement).split('.').next().unwrap_or_default();
        matches!(base, "exit" | "EXIT" | "halt" | "trap")
            || self.is_return(statement) && self.function_of(statement) == 0
    }
}

impl Open {
    fn is_complete(&self, live: &[Mask]) -> bool {
        match self.expected {
            Some(count) => self.threads >= count,
            None => live.iter().zip(&self.arrived).all(|(live, arrived)| live & !arrived == 0),
        }
    }
}

impl Follower<'_> {
    fn see(&mut self, event: &Event<'_>) {
        let warp = event.warp - self.first;
        let facts = self.facts;
        // A warp that goes on has been released.
        let is_released =
            |open: &Open| open.waiting.contains(&warp) && open.arrived[warp as usize] & event.active != 0;
        self.open.retain(|_, open| !is_released(open));
        if event.executed == 0 {
            return;
        }
        if self.statements.binary_search(&event.statement).is_ok() {
            let AtBarrier { number, expected, waits } = facts.at_barrier(event.statement);
            let open = self.open.entry(number).or_insert_with(|| Open {
                arrived: vec![0; self.live.len()],
                waiting: BTreeSet::new(),
                statement: event.statement,
                expected,
                threads: 0,
            });
            open.arrived[warp as usize] |= event.executed;
            open.threads += u64::from(facts.width());
            (open.statement, open.expected) = (event.statement, expected);
            if waits {
                open.waiting.insert(warp);
            }
        }
        if facts.ends_lanes(event.statement) {
            self.live[warp as usize] &= !event.executed;
        }
        let live = &self.live;
        self.open.retain(|number, open| number.is_none() || !open.is_complete(live));
        let opcode = facts.opcode(event.statement);
        if opcode.starts_with("mbarrier.init") || opcode.starts_with("SYNCS") {
            for access in event.accesses() {
                let is_own = access.space == Space::Shared && access.writes;
                self.mbarriers.extend(access.lanes.iter().filter(|_| is_own).map(|(_, address)| *address));
            }
        }
    }
}

impl Debuggee {
    /// The barriers at which warps of the shown block wait, and its mbarriers.
    pub(crate) fn barriers(&mut self, control: Control<'_>) -> Result<Vec<Json>, Failure> {
        let (warps, position) = (self.warps(), self.position);
        let state = self.state(control)?;
        let Debuggee { replay, facts, .. } = self;
        let mut follower = Follower {
            facts,
            statements: facts.prepared.program.control_flow().barriers,
            first: warps.start,
            live: warps.clone().map(|warp| facts.launched(warp)).collect(),
            open: BTreeMap::new(),
            mbarriers: BTreeSet::new(),
        };
        let may_have = |_: Range<u64>, summary: &Summary| warps.clone().any(|warp| summary.has_warp(warp));
        let search = Search { may_have: &may_have, needs_state: false };
        let _: Option<()> = replay.forward(0, control, search, |event, _| {
            if event.step >= position {
                return ControlFlow::Break(());
            }
            if !event.is_late && warps.contains(&event.warp) {
                follower.see(event);
            }
            ControlFlow::Continue(())
        })?;
        let Follower { live, open, mbarriers, .. } = follower;
        let mut all = Vec::new();
        for (number, open) in open {
            let missing: Vec<(u32, Mask)> = warps
                .clone()
                .zip(live.iter().zip(&open.arrived))
                .map(|(warp, (live, arrived))| (warp, live & !arrived))
                .filter(|(_, lanes)| *lanes != 0)
                .collect();
            let mut texts = Vec::new();
            for (warp, lanes) in missing {
                let next = self.next_of(warp, position, control)?;
                let line = next
                    .map_or_else(String::new, |next| format!(" at line {}", self.line(next.statement) + 1));
                let some = if lanes == self.launched(warp) {
                    String::new()
                } else {
                    format!(" {}", lanes_text(lanes))
                };
                texts.push(format!("w{}{some}{line}", warp - warps.start));
            }
            all.push(self.barrier(number, &open, &texts));
        }
        let owner = self.block_of(self.warp).into();
        for address in mbarriers {
            let byte = |at: u64| Some(u64::from(state.byte(Space::Shared, owner, address + at)?) << (8 * at));
            let Some(object) = (0..8).map(byte).sum::<Option<u64>>().and_then(Object::of_bits) else {
                continue;
            };
            all.push(self.mbarrier(owner, address, object));
        }
        Ok(all)
    }

    fn barrier(&self, number: Number, open: &Open, missing: &[String]) -> Json {
        let arrived = (0..).zip(&open.arrived).filter(|(_, lanes)| **lanes != 0);
        let arrived: Vec<String> = arrived.map(|(warp, _): (u32, _)| format!("w{warp}")).collect();
        let expected = match open.expected {
            Some(count) => format!("{count} threads"),
            None => "all threads".to_owned(),
        };
        let line = self.line(open.statement) + 1;
        let missing = if missing.is_empty() { "none".to_owned() } else { missing.join(", ") };
        json!({
            "name": number.map_or_else(|| "cluster barrier".to_owned(), |number| format!("barrier {number}")),
            "value": format!("line {line}; arrived: {}; expected: {expected}; missing: {missing}", arrived.join(" ")),
            "variablesReference": 0,
        })
    }

    fn mbarrier(&self, owner: u64, address: u64, object: Object) -> Json {
        let Object { expected, pending, bytes, parity, .. } = object;
        let objects = self.shared_objects();
        let holder = objects.iter().find(|(_, start, len)| (*start..start + len).contains(&address));
        let name = match holder {
            Some((name, start, 0..=8)) if *start == address => name.clone(),
            Some((name, start, _)) => format!("{name}+{}", address - start),
            None => format!("{address:#x}"),
        };
        json!({
            "name": format!("mbarrier {name}"),
            "value": format!("phase parity {parity}; pending: {pending} of {expected} arrivals, {bytes} bytes"),
            "variablesReference": 0,
            "memoryReference": memory_reference(Space::Shared, owner, address),
        })
    }
}
