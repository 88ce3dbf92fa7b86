//! Which registers may still be read, so that a rewrite must not overwrite them. The analysis is per lane,
//! because each lane has its own registers and path. Registers that another lane may read (shuffles) are
//! always live, and where a function begins or ends every register is.

use super::cells::{Cell, Cells, named};
use super::model::{Code, Link};

/// The live registers at every instruction of a kernel whose constructs match.
pub struct Liveness {
    before: Vec<Cells>,
    after: Vec<Cells>,
}

impl Liveness {
    /// Follows all paths of lanes through a kernel.
    pub fn of(code: &Code) -> Liveness {
        let count = code.instructions.len();
        let shared = shared(code);
        // The live registers before each instruction, and after the last.
        let mut before = vec![shared; count + 1];
        let mut after = vec![shared; count];
        loop {
            let mut changed = false;
            for at in (0..count).rev() {
                let instruction = &code.instructions[at];
                // The reads of callees and of callers are not followed.
                let is_followed = !matches!(instruction.name(), "call" | "return");
                let mut cells = if is_followed { shared } else { Cells::ALL };
                for next in successors(code, at).into_iter().flatten() {
                    cells.add(&before[next]);
                }
                after[at] = cells;
                if instruction.guard.is_none() && instruction.complete {
                    let ended = instruction.writes().filter(|cell| !shared.contains(*cell));
                    ended.for_each(|cell| cells.remove(cell));
                }
                if instruction.complete {
                    instruction.reads().for_each(|cell| cells.insert(cell));
                } else {
                    instruction.operands.iter().flat_map(named).for_each(|cell| cells.insert(cell));
                }
                changed |= before[at].add(&cells);
            }
            if !changed {
                return Liveness { before, after };
            }
        }
    }

    /// Whether the value of a register before an instruction may be read by it or later.
    pub fn before(&self, at: usize, cell: Cell) -> bool {
        self.before.get(at).is_none_or(|live| live.contains(cell))
    }

    /// Whether the value of a register after an instruction may be read later.
    pub fn after(&self, at: usize, cell: Cell) -> bool {
        self.after.get(at).is_none_or(|live| live.contains(cell))
    }
}

/// Registers whose value another lane may read.
fn shared(code: &Code) -> Cells {
    let mut shared = Cells::default();
    for instruction in &code.instructions {
        let name = instruction.name();
        if name.starts_with("wave_shuffle") || name == "wave_broadcast" {
            instruction.reads().for_each(|cell| shared.insert(cell));
        }
    }
    shared
}

/// The instructions at which a lane may continue after an instruction.
fn successors(code: &Code, at: usize) -> [Option<usize>; 2] {
    let next = Some(at + 1);
    let after = |opener: u32| match code.links[opener as usize] {
        Some(Link::Loop { end } | Link::If { end, .. }) => end.map(|end| end as usize),
        _ => None,
    };
    match code.links[at] {
        Some(Link::If { otherwise, end }) => {
            [next, otherwise.map(|other| other + 1).or(end).map(|at| at as usize)]
        }
        Some(Link::Else { end, .. }) => [end.map(|end| end as usize), None],
        Some(Link::EndLoop { open }) => [next, Some(open as usize + 1)],
        Some(Link::Leave { open }) if code.instructions[at].name() == "break" => {
            [next, after(open).map(|end| end + 1)]
        }
        Some(Link::Leave { open }) => [next, Some(open as usize + 1)],
        _ if matches!(code.instructions[at].name(), "halt" | "return")
            && code.instructions[at].guard.is_none() =>
        {
            [None, None]
        }
        _ => [next, None],
    }
}

#[cfg(test)]
mod tests {
    use warplens_syntax::parse_file;

    use super::*;

    /// For each instruction, the predicates that are read at it or later.
    fn live(statements: &str) -> Vec<String> {
        let file = parse_file(warplens_syntax::wave::LANGUAGE, &format!(".kernel k\n{statements}\n.end\n"));
        let item = file.items().next().expect("a kernel");
        let code = super::super::lower(item);
        let live = Liveness::of(&code);
        let at = |at: usize| {
            (0..4).filter(|p| live.before(at, Cell::Predicate(*p))).map(|p| format!("p{p}")).collect()
        };
        (0..code.instructions.len()).map(at).collect()
    }

    #[test]
    fn branches_and_loops() {
        assert_eq!(
            live("loop\nif p0\nicmp.lt p1, r0, r1\nelse\nbreak p2\nendif\nendloop\nif p1\nnop\nendif\nhalt"),
            ["p0p1p2", "p0p1p2", "p0p2", "p0p1p2", "p0p1p2", "p0p1p2", "p0p1p2", "p1", "", "", ""]
        );
    }

    #[test]
    fn guards_keep_what_was_there() {
        assert_eq!(
            live("@p1 icmp.lt p0, r0, r1\nicmp.lt p1, r0, r1\nif p0\nendif\nhalt"),
            ["p0p1", "p0", "p0", "", ""]
        );
    }

    #[test]
    fn callers_and_callees_may_read_all() {
        assert_eq!(
            live("call f\nif p0\nendif\nhalt\nf: nop\nreturn"),
            ["p0p1p2p3", "p0", "", "", "p0p1p2p3", "p0p1p2p3"]
        );
    }
}
