//! Exits of single lanes, rewritten for toolchain 0.1.2: `continue`, a `break` in an `if`, and a `halt` of some lanes.
//!
//! That toolchain's masks include lanes that have exited again after the next `endif`. So a lane that exits sets a register,
//! its *mark*, and stays active; the code that follows is put under an `if` for lanes without a mark. A loop starts each
//! iteration with a `break` for its marked lanes. A `continue` of the loop's own block needs no mark: the rest of the
//! iteration becomes the other path of an `if`. The semantics of the guide do not change.

use rustc_hash::FxHashSet;
use warplens_hir::wave::{Cell, Code, Link, Spares, Value, resumes};

use crate::wave::dialect::lines::Lines;
use crate::wave::dialect::logic::Literal;
use crate::wave::dialect::registers::{LAST_PREDICATE, REGISTERS, is_closed};

/// The value of a loop's mark: the lane is done with this iteration.
const TRIP: u8 = 1;
/// The value of a loop's mark: the lane is done with the loop.
const LOOP: u8 = 2;

/// The text with all such exits rewritten; `None` if there are none, or if that is not possible.
pub(super) fn rewritten(text: &str, code: &Code) -> Option<String> {
    let marked = marked(code)?;
    let mut writer = Writer::new(text, code, marked)?;
    writer.kernel()?;
    Some(writer.lines.finish())
}

/// The region that lanes can exit: a loop, by its index, or the kernel.
type Region = Option<u32>;

/// How an instruction exits a region for the lanes that execute it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leave {
    Continue,
    Break,
    End,
}

/// The regions that need marks; `None` if nothing needs a rewrite.
fn marked(code: &Code) -> Option<FxHashSet<Region>> {
    let mut marked = FxHashSet::default();
    let mut any = false;
    for at in 0..code.instructions.len() {
        let Some(leave) = leave(code, at) else { continue };
        any = true;
        if bare_end(code, at) {
            continue;
        }
        match (leave, code.links[at]) {
            (Leave::End, _) => {
                marked.insert(None);
                marked.extend(loops_around(code, at).map(Some));
            }
            (_, Some(Link::Leave { open })) if resumes(code, at) => {
                marked.insert(Some(open));
            }
            _ => {}
        }
    }
    any.then_some(marked)
}

/// Whether an instruction must be rewritten.
fn leave(code: &Code, at: usize) -> Option<Leave> {
    let inside = code.parents[at].is_some();
    match code.instructions[at].name() {
        "continue" if code.links[at].is_some() => Some(Leave::Continue),
        "break" if resumes(code, at) => Some(Leave::Break),
        "halt" | "return" if inside => Some(Leave::End),
        _ => None,
    }
}

/// Whether a `halt` is the only instruction in an `if` of the kernel's own block, so that a guard can replace the `if`.
fn bare_end(code: &Code, at: usize) -> bool {
    let Some(open) = code.parents.get(at).copied().flatten() else { return false };
    let alone = open as usize + 1 == at && code.parents[open as usize].is_none();
    let ends = matches!(code.links[open as usize], Some(Link::If { otherwise: None, end: Some(end) }) if end as usize == at + 1);
    alone && ends && code.instructions[at].guard.is_none() && code.instructions[at].name() == "halt"
}

fn loops_around(code: &Code, at: usize) -> impl Iterator<Item = u32> {
    let parents = std::iter::successors(code.parents[at], |parent| code.parents[*parent as usize]);
    parents.filter(|parent| matches!(code.links[*parent as usize], Some(Link::Loop { .. })))
}

struct Writer<'c> {
    code: &'c Code,
    spares: Spares<'c>,
    marked: FxHashSet<Region>,
    loops: Vec<u32>,
    /// Whether the present position is in an inserted `if`.
    is_wrapped: bool,
    /// Unused registers of the kernel: the first for constants, then one for the mark of each nested region.
    pool: Vec<u8>,
    lines: Lines<'c>,
}

impl<'c> Writer<'c> {
    fn new(text: &'c str, code: &'c Code, marked: FxHashSet<Region>) -> Option<Writer<'c>> {
        let guarded = |at: usize| code.links[at].is_some() && code.instructions[at].guard.is_some();
        let understood = code.instructions.iter().all(|it| it.entry.is_some() && it.complete);
        if !is_closed(code) || !understood || (0..code.instructions.len()).any(guarded) {
            return None;
        }
        let spares = Spares::new(code);
        let depth = |region: &Region| region.map_or(0, |open| 1 + loops_around(code, open as usize).count());
        let wanted = marked.iter().map(depth).max().map_or(0, |deepest| deepest + 2);
        let registers = code.resources.registers;
        let most = registers.map_or(code.resources.register_count(), |_| u32::from(REGISTERS));
        let unnamed = |index: &u8| spares.never_named(Cell::General(*index));
        let pool: Vec<u8> = (0..most.min(u32::from(REGISTERS)) as u8).filter(unnamed).take(wanted).collect();
        let mut lines = Lines::new(text, code)?;
        if let (Some(last), Some(registers)) = (pool.last(), registers)
            && u32::from(*last) >= registers.value
        {
            lines.replace(registers.range, &format!(".registers {}", last + 1));
        }
        let enough = pool.len() == wanted;
        enough.then_some(Writer { code, spares, marked, loops: Vec::new(), is_wrapped: false, pool, lines })
    }

    fn kernel(&mut self) -> Option<()> {
        let count = self.code.instructions.len();
        if self.marked.contains(&None) {
            self.lines.until(0);
            self.lines.add(0, &format!("mov_imm r{}, 0", self.mark(None)));
        }
        let mut next = 0;
        while next < count {
            let end = (next..count).find(|at| self.ends_all(*at));
            self.block(next, end.unwrap_or(count))?;
            if let Some(end) = end {
                self.lines.through(end);
            } else {
                self.lines.until(count);
                let like = self.code.parents.iter().position(Option::is_none)?;
                self.lines.add(like, "halt");
            }
            next = end.map_or(count, |end| end + 1);
        }
        Some(())
    }

    /// Whether all active lanes exit at an instruction.
    fn ends_all(&self, at: usize) -> bool {
        let instruction = &self.code.instructions[at];
        let is_own = self.code.parents[at].is_none() && instruction.guard.is_none();
        is_own && matches!(instruction.name(), "halt" | "return")
    }

    /// Whether an instruction must be rewritten while lanes with a mark of the kernel are active.
    fn leave_of(&self, at: usize) -> Option<Leave> {
        let ends = self.is_wrapped && matches!(self.code.instructions[at].name(), "halt" | "return");
        if ends { Some(Leave::End) } else { leave(self.code, at) }
    }

    fn mark(&self, region: Region) -> u8 {
        let depth = self.loops.iter().position(|open| Some(*open) == region).map_or(0, |at| at + 1);
        self.pool[depth + 1]
    }

    fn region(&self) -> Region {
        self.loops.last().copied()
    }

    /// Writes the instructions of a block; returns whether lanes with a mark of the enclosing region reach its end.
    fn block(&mut self, from: usize, to: usize) -> Option<bool> {
        let mut next = from;
        while next < to {
            let at = next;
            if let Some(leave) = self.leave_of(at) {
                return self.leave(leave, at, to);
            }
            let marked = match self.code.links[at] {
                Some(Link::If { end: Some(end), .. }) if !self.is_wrapped && bare_end(self.code, at + 1) => {
                    next = end as usize + 1;
                    self.guarded_end(at)?;
                    false
                }
                Some(Link::If { otherwise, end: Some(end) }) => {
                    next = end as usize + 1;
                    self.branch(at, otherwise, end)?
                }
                Some(Link::Loop { end: Some(end) }) => {
                    next = end as usize + 1;
                    self.loop_body(at, end as usize)?
                }
                _ => {
                    next = at + 1;
                    self.lines.through(at);
                    false
                }
            };
            if marked {
                self.unless_marked(next, to)?;
                return Some(true);
            }
        }
        Some(false)
    }

    fn branch(&mut self, at: usize, otherwise: Option<u32>, end: u32) -> Option<bool> {
        self.lines.through(at);
        let mut marked = self.block(at + 1, otherwise.unwrap_or(end) as usize)?;
        if let Some(otherwise) = otherwise {
            self.lines.through(otherwise as usize);
            marked |= self.block(otherwise as usize + 1, end as usize)?;
        }
        self.lines.through(end as usize);
        Some(marked)
    }

    /// A loop. Lanes that are done with the kernel reach its end with marks of the enclosing regions.
    fn loop_body(&mut self, at: usize, end: usize) -> Option<bool> {
        let leaves = |wanted: Leave| (at..end).any(|at| leave(self.code, at) == Some(wanted));
        let (has_ends, has_breaks) = (leaves(Leave::End), leaves(Leave::Break));
        self.loops.push(at as u32);
        let mark = self.marked.contains(&self.region()).then(|| self.mark(self.region()));
        self.lines.until(at);
        if let Some(mark) = mark.filter(|_| has_ends || has_breaks) {
            let number = self.pool[0];
            let predicate = self.predicate(&[at + 1, end + 1])?;
            self.lines.add(at, &format!("mov_imm r{mark}, 0"));
            self.lines.through(at);
            self.lines.indent();
            self.lines.add(at, &format!("mov_imm r{number}, {LOOP}"));
            self.lines.add(at, &format!("icmp_eq p{predicate}, r{mark}, r{number}"));
            self.lines.add(at, &format!("break p{predicate}"));
            self.lines.dedent();
        }
        self.lines.through(at);
        if let Some(mark) = mark {
            self.lines.indent();
            self.lines.add(at, &format!("mov_imm r{mark}, 0"));
            self.lines.dedent();
        }
        self.block(at + 1, end)?;
        self.lines.through(end);
        self.loops.pop();
        Some(has_ends)
    }

    /// A `halt` that is alone in an `if`, as a guarded `halt`.
    fn guarded_end(&mut self, at: usize) -> Option<()> {
        let literal = predicate_of(self.code, at)?;
        self.lines.skip(at);
        self.lines.add(at, &format!("@{literal} halt"));
        self.lines.skip(at + 1);
        self.lines.skip(at + 2);
        Some(())
    }

    /// An instruction at which lanes exit, and the rest of its block for the others.
    fn leave(&mut self, leave: Leave, at: usize, to: usize) -> Option<bool> {
        let literal = match leave {
            Leave::End => self.code.instructions[at].guard.map(Literal::from),
            Leave::Break | Leave::Continue => Some(predicate_of(self.code, at)?),
        };
        let marks: Vec<(Region, u8)> = match leave {
            Leave::Continue if !resumes(self.code, at) => vec![],
            Leave::Continue => vec![(self.region(), TRIP)],
            Leave::Break => vec![(self.region(), LOOP)],
            Leave::End => self.loops.iter().map(|open| (Some(*open), LOOP)).chain([(None, TRIP)]).collect(),
        };
        self.lines.comment_out(at);
        for (region, value) in &marks {
            let guard = literal.map(|literal| format!("@{literal} ")).unwrap_or_default();
            let line = format!("{guard}mov_imm r{}, {value}", self.mark(*region));
            self.lines.add(at, &line);
        }
        match literal {
            _ if at + 1 == to => {}
            Some(literal) => {
                self.lines.add(at, &format!("if p{}", literal.index));
                if !literal.negated {
                    self.lines.add(at, "else");
                }
                self.rest(at + 1, to)?;
            }
            None => self.unless_marked(at + 1, to)?,
        }
        Some(!marks.is_empty())
    }

    /// The rest of a block, for lanes without a mark of the enclosing region.
    fn unless_marked(&mut self, from: usize, to: usize) -> Option<()> {
        if from == to {
            return Some(());
        }
        let mut places = vec![from];
        if let Some(open) = self.region()
            && let Some(Link::Loop { end: Some(end) }) = self.code.links[open as usize]
        {
            places.extend([open as usize + 1, end as usize + 1]);
        }
        let (number, mark, predicate) = (self.pool[0], self.mark(self.region()), self.predicate(&places)?);
        self.lines.add(from, &format!("mov_imm r{number}, 0"));
        self.lines.add(from, &format!("icmp_eq p{predicate}, r{mark}, r{number}"));
        self.lines.add(from, &format!("if p{predicate}"));
        self.rest(from, to)
    }

    /// The rest of a block, indented by one step, up to the inserted `endif`.
    fn rest(&mut self, from: usize, to: usize) -> Option<()> {
        let was_wrapped = std::mem::replace(&mut self.is_wrapped, true);
        self.lines.indent();
        self.block(from, to)?;
        self.lines.until(to);
        self.lines.dedent();
        self.is_wrapped = was_wrapped;
        self.lines.add(from, "endif");
        Some(())
    }

    /// A predicate register that is not live at any of these instructions.
    fn predicate(&self, places: &[usize]) -> Option<u8> {
        (0..=LAST_PREDICATE).find(|index| self.spares.is_free_at(Cell::Predicate(*index), places))
    }
}

/// The predicate that an `if`, `break` or `continue` reads.
fn predicate_of(code: &Code, at: usize) -> Option<Literal> {
    match code.instructions[at].operands.first()?.value {
        Value::Predicate { index, negated } => Some(Literal { index, negated }),
        _ => None,
    }
}
