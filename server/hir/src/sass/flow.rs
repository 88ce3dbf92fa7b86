//! Where control continues after an instruction: successors, tokens on the stack, and the regions of
//! convergence barriers.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warplens_isa::sass::{self as isa, Flow};

use super::model::{Destination, Function, Instruction};
use super::operand::Value;
use super::register::{Register, RegisterFile};
use crate::graph::Graph;

pub fn flow(instruction: &Instruction) -> Flow {
    isa::opcode(&instruction.opcode).map_or(Flow::Next, |entry| entry.flow)
}

pub(super) fn has_target(function: &Function, instruction: &Instruction) -> bool {
    match flow(instruction) {
        Flow::WarpSync => function.has_modifier(instruction, "COLLECTIVE"),
        flow => flow.has_target(),
    }
}

/// Whether the instruction also acts as a SYNC because it has the suffix of Fermi and Kepler: `NOP.S`.
pub fn joins(function: &Function, instruction: &Instruction) -> bool {
    use isa::Generation::{Fermi, Kepler};
    let last = function.modifiers(instruction).last();
    matches!(function.generation, Fermi | Kepler) && last.is_some_and(|word| word.text == "S")
}

/// Whether a call of address 0 stands for one whose address the linker fills in, as `cuobjdump` prints it: an absolute address,
/// or that of a kernel, which `exits` and which nothing calls.
pub(super) fn calls_unlinked(function: &Function, instruction: &Instruction, exits: bool) -> bool {
    let is_absolute = || instruction.opcode == "JCAL" || function.has_modifier(instruction, "ABS");
    flow(instruction) == Flow::Call && (exits || is_absolute())
}

/// The kind of token that an instruction pushes or pops, named after the opcode that pops it.
pub fn token(instruction: &Instruction) -> Option<&'static str> {
    Some(match instruction.opcode.as_str() {
        "SSY" | "SYNC" => "SYNC",
        "PBK" | "BRK" => "BRK",
        "PCNT" | "CONT" => "CONT",
        "PRET" | "CAL" | "JCAL" | "RET" => "RET",
        "PLONGJMP" | "LONGJMP" => "LONGJMP",
        "PEXIT" => "EXIT",
        _ => return None,
    })
}

/// Whether all lanes branch or exit: there is neither a guard nor another condition.
pub fn is_unconditional(function: &Function, instruction: &Instruction) -> bool {
    let guarded = instruction.guard.is_some_and(|guard| !guard.is_always());
    let condition = function.operands(instruction).iter().any(|operand| match &operand.value {
        Value::Register(register) => register.is_predicate() && (!register.is_constant() || operand.not),
        Value::Condition(condition) => condition.name() != "T",
        Value::UnknownTest(_) => true,
        _ => false,
    });
    let others = ["U", "LMT", "DIV", "CONV", "ANY"];
    let modified = function.modifiers(instruction).iter().any(|word| others.contains(&word.text.as_str()));
    !guarded && !condition && !modified
}

/// The possible successors of each instruction, and the pairs that belong together. Two extra nodes after the
/// instructions collect the edges of returns and of indirect branches, which would otherwise be the product
/// of both ends.
#[derive(Debug)]
pub struct FlowGraph {
    graph: Graph,
    /// For each instruction that pops a token or waits at a barrier, the instructions that push the token or
    /// set the barrier.
    pub openers: Vec<SmallVec<[u32; 1]>>,
    /// The instructions that pop a token when the stack has none of that kind.
    pub unbalanced: Vec<u32>,
    /// The instructions after which control runs past the end.
    pub ends: Vec<u32>,
}

impl FlowGraph {
    pub fn new(function: &Function) -> FlowGraph {
        Walk::new(function).run()
    }

    /// The number of nodes. The extra nodes after the instructions have no effect of their own.
    pub fn nodes(&self) -> usize {
        self.graph.len()
    }

    pub fn successors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.successors(index as u32).iter().map(|next| *next as usize)
    }

    pub fn predecessors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.predecessors(index as u32).iter().map(|next| *next as usize)
    }

    /// The instructions that `is_found` accepts on the paths from an instruction along `next`, in order. A path
    /// ends where `is_end` says so.
    pub(super) fn search(
        &self,
        from: usize,
        next: fn(&Graph, u32) -> &[u32],
        is_found: impl Fn(usize) -> bool,
        is_end: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        self.search_from(next(&self.graph, from as u32).to_vec(), next, is_found, is_end)
    }

    /// Like [`Self::search`], from several instructions, themselves included.
    pub(super) fn search_from(
        &self,
        mut open: Vec<u32>,
        next: fn(&Graph, u32) -> &[u32],
        is_found: impl Fn(usize) -> bool,
        is_end: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut seen = vec![false; self.nodes()];
        let mut found = Vec::new();
        while let Some(next_at) = open.pop() {
            let at = next_at as usize;
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if is_found(at) {
                found.push(at);
            }
            if !is_end(at) {
                open.extend(next(&self.graph, next_at));
            }
        }
        found.sort_unstable();
        found
    }
}

/// A stack of tokens, as a linked list that stacks share: the index of the entry for the newest token. An
/// entry holds the instruction that pushed the token, and the rest of the stack.
type Stack = Option<u32>;

fn pushes(function: &Function) -> FxHashMap<&'static str, Vec<u32>> {
    let mut pushes: FxHashMap<&'static str, Vec<u32>> = FxHashMap::default();
    for (index, instruction) in function.instructions.iter().enumerate() {
        if let Some(kind) = token(instruction)
            && flow(instruction) == Flow::Push
        {
            pushes.entry(kind).or_default().push(index as u32);
        }
    }
    pushes
}

/// A walk over the paths of a function. Every instruction is visited with a single stack, because code is
/// structured.
struct Walk<'f> {
    function: &'f Function,
    edges: Vec<(u32, u32)>,
    stacks: Vec<(u32, Stack)>,
    seen: Vec<bool>,
    open: Vec<(u32, Stack)>,
    openers: Vec<SmallVec<[u32; 1]>>,
    unbalanced: Vec<u32>,
    ends: Vec<u32>,
    returns: Vec<u32>,
    returners: Vec<u32>,
    indirect: Vec<u32>,
    /// The instructions that push each kind of token, in order.
    pushes: FxHashMap<&'static str, Vec<u32>>,
}

impl<'f> Walk<'f> {
    fn new(function: &'f Function) -> Walk<'f> {
        let count = function.instructions.len();
        Walk {
            function,
            edges: Vec::with_capacity(count * 2),
            stacks: Vec::new(),
            seen: vec![false; count],
            open: Vec::new(),
            openers: vec![SmallVec::new(); count],
            unbalanced: Vec::new(),
            ends: Vec::new(),
            returns: Vec::new(),
            returners: Vec::new(),
            indirect: Vec::new(),
            pushes: pushes(function),
        }
    }

    fn run(mut self) -> FlowGraph {
        if !self.function.instructions.is_empty() {
            self.open.push((0, None));
        }
        self.drain();
        // Instructions not reached yet are targets of tables, or functions whose address is taken.
        for index in 0..self.seen.len() as u32 {
            if !self.seen[index as usize] {
                self.edges.push((self.indirect_node(), index));
                self.open.push((index, None));
                self.drain();
            }
        }
        let (returns, indirect) = (self.return_node(), self.indirect_node());
        self.edges.extend(self.returners.iter().map(|from| (*from, returns)));
        self.edges.extend(self.returns.iter().map(|to| (returns, *to)));
        self.edges.extend(self.indirect.iter().map(|from| (*from, indirect)));
        self.barriers();
        let graph = Graph::new(self.seen.len() + 2, &self.edges);
        FlowGraph { graph, openers: self.openers, unbalanced: self.unbalanced, ends: self.ends }
    }

    fn return_node(&self) -> u32 {
        self.seen.len() as u32
    }

    /// The node between indirect branches and instructions that nothing else reaches.
    fn indirect_node(&self) -> u32 {
        self.seen.len() as u32 + 1
    }

    fn drain(&mut self) {
        while let Some((index, stack)) = self.open.pop() {
            if !std::mem::replace(&mut self.seen[index as usize], true) {
                self.visit(index, stack);
            }
        }
    }

    fn follow(&mut self, from: u32, to: u32, stack: Stack) {
        self.edges.push((from, to));
        self.open.push((to, stack));
    }

    fn fall_through(&mut self, from: u32, stack: Stack) {
        if from as usize + 1 < self.seen.len() {
            self.follow(from, from + 1, stack);
        } else {
            self.ends.push(from);
        }
    }

    fn visit(&mut self, index: u32, stack: Stack) {
        let instruction = &self.function.instructions[index as usize];
        let target = match instruction.destination {
            Destination::Instruction(target) => Some(target),
            _ => None,
        };
        let ends = is_unconditional(self.function, instruction);
        match flow(instruction) {
            Flow::Branch if instruction.destination != Destination::Indirect => {
                target.into_iter().for_each(|target| self.follow(index, target, stack));
            }
            Flow::Branch | Flow::IndirectBranch => self.indirect_branch(index, stack),
            Flow::Call => {
                if let Some(target) = target {
                    self.follow(index, target, None);
                }
                if (index as usize) + 1 < self.seen.len() {
                    self.returns.push(index + 1);
                }
                return self.fall_through(index, stack);
            }
            Flow::Return => self.returners.push(index),
            Flow::Push => {
                let resumes = target.is_some() || instruction.destination == Destination::End;
                let stack = if resumes { self.push(index, stack) } else { stack };
                return self.fall_through(index, stack);
            }
            Flow::Pop => self.pop(index, stack),
            Flow::Exit => {}
            _ if joins(self.function, instruction) => self.pop(index, stack),
            _ => return self.fall_through(index, stack),
        }
        if !ends {
            self.fall_through(index, stack);
        }
    }

    fn indirect_branch(&mut self, index: u32, stack: Stack) {
        let instruction = &self.function.instructions[index as usize];
        let noted = self.function.noted_targets(instruction);
        if noted.is_empty() {
            self.indirect.push(index);
        }
        for word in noted {
            let label = self.function.label(&word.text).map(|label| label.before);
            if let Some(target) = label.filter(|target| (*target as usize) < self.seen.len()) {
                self.follow(index, target, stack);
            }
        }
    }

    fn push(&mut self, index: u32, stack: Stack) -> Stack {
        self.stacks.push((index, stack));
        Some(self.stacks.len() as u32 - 1)
    }

    /// Lanes wait at the newest token of the kind; those that are left in it continue at its target.
    fn pop(&mut self, index: u32, stack: Stack) {
        let instructions = &self.function.instructions;
        let kind = token(&instructions[index as usize]).unwrap_or("SYNC");
        let entry = |entry: u32| self.stacks[entry as usize];
        let mut entries = std::iter::successors(stack.map(entry), |(_, rest)| rest.map(entry));
        match entries.find(|(pushed, _)| token(&instructions[*pushed as usize]) == Some(kind)) {
            Some((pushed, rest)) => {
                self.openers[index as usize].push(pushed);
                if let Destination::Instruction(target) = instructions[pushed as usize].destination {
                    self.follow(index, target, rest);
                }
            }
            None => {
                self.unbalanced.push(index);
                let pushes = self.pushes.get(kind).map_or(&[][..], Vec::as_slice);
                let before = pushes.partition_point(|at| *at < index);
                self.openers[index as usize].extend(pushes[..before].last().copied());
            }
        }
    }

    /// Pairs each BSYNC and BREAK with the BSSY of its barrier: the nearest one before it whose region
    /// contains it, or else the nearest one.
    fn barriers(&mut self) {
        // For each barrier, its open regions and the one that was closed last.
        let mut open: FxHashMap<Register, (Vec<u32>, Option<u32>)> = FxHashMap::default();
        for (index, instruction) in self.function.instructions.iter().enumerate() {
            let Some(barrier) = barrier(self.function, instruction) else { continue };
            let (index, (sets, closed)) = (index as u32, open.entry(barrier).or_default());
            // A region ends before the target of its BSSY.
            while let Some(set) = sets.pop_if(|set| {
                let set = &self.function.instructions[*set as usize];
                matches!(set.destination, Destination::Instruction(target) if target <= index)
            }) {
                *closed = Some(set);
            }
            match flow(instruction) {
                Flow::BarrierSet => sets.push(index),
                Flow::BarrierSync | Flow::BarrierBreak => {
                    self.openers[index as usize].extend(sets.last().copied().or(*closed));
                }
                _ => {}
            }
        }
    }
}

pub fn barrier(function: &Function, instruction: &Instruction) -> Option<Register> {
    let registers = function.operands(instruction).iter().filter_map(super::Operand::register);
    registers.into_iter().find(|register| register.file == RegisterFile::Barrier)
}
