//! Where control continues after an instruction: successors, tokens on the stack, regions of convergence barriers.

use smallvec::SmallVec;
use warplens_isa::sass::{self as isa, Flow};

use super::model::{Destination, Function, Instruction};
use super::operand::Value;
use super::register::{Register, RegisterFile};
use crate::graph::Graph;

/// How an opcode changes where control continues.
#[must_use]
pub fn flow(instruction: &Instruction) -> Flow {
    isa::opcode(&instruction.opcode).map_or(Flow::Next, |entry| entry.flow)
}

/// Whether the last operand of an instruction is a target.
pub(super) fn has_target(function: &Function, instruction: &Instruction) -> bool {
    match flow(instruction) {
        Flow::WarpSync => function.has_modifier(instruction, "COLLECTIVE"),
        flow => flow.has_target(),
    }
}

/// Whether an instruction with the suffix of Fermi and Kepler, `NOP.S`, is also a SYNC.
#[must_use]
pub fn joins(function: &Function, instruction: &Instruction) -> bool {
    use isa::Generation::{Fermi, Kepler};
    let last = function.modifiers(instruction).last();
    matches!(function.generation, Fermi | Kepler) && last.is_some_and(|word| word.text == "S")
}

/// The kind of a token: the opcode that pops it.
#[must_use]
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

/// Whether all lanes take a branch or exit: there is no guard, and no other condition.
#[must_use]
pub fn is_unconditional(function: &Function, instruction: &Instruction) -> bool {
    let guarded = instruction.guard.is_some_and(|guard| !guard.is_always());
    let condition = function.operands(instruction).iter().any(|operand| match &operand.value {
        Value::Register(register) => register.is_predicate() && (!register.is_constant() || operand.not),
        Value::Condition(condition) => condition.name() != "T",
        _ => false,
    });
    let others = ["U", "LMT", "DIV", "CONV", "ANY"];
    let modified = function.modifiers(instruction).iter().any(|word| others.contains(&word.text.as_str()));
    !guarded && !condition && !modified
}

/// The instructions that may be next after each, and what pairs up.
#[derive(Debug)]
pub struct FlowGraph {
    graph: Graph,
    /// For each instruction that pops a token or waits in a barrier: those that pushed or set it.
    pub openers: Vec<SmallVec<[u32; 1]>>,
    /// The instructions that pop a token where the stack has none of the kind.
    pub unbalanced: Vec<u32>,
    /// The instructions after which control runs beyond the end.
    pub ends: Vec<u32>,
}

impl FlowGraph {
    /// The graph of a function.
    #[must_use]
    pub fn new(function: &Function) -> FlowGraph {
        Walk::new(function).run()
    }

    /// The instructions that may be next.
    pub fn successors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.successors(index as u32).iter().map(|next| *next as usize)
    }

    /// The instructions that may be before.
    pub fn predecessors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.graph.predecessors(index as u32).iter().map(|next| *next as usize)
    }
}

/// A stack of tokens, as a list that stacks share: the index of the instruction that pushed the newest, and the rest.
type Stack = Option<u32>;

/// A walk over the paths of a function. Every instruction is visited with one stack: code is structured.
struct Walk<'f> {
    function: &'f Function,
    edges: Vec<(u32, u32)>,
    stacks: Vec<(u32, Stack)>,
    seen: Vec<bool>,
    open: Vec<(u32, Stack)>,
    openers: Vec<SmallVec<[u32; 1]>>,
    unbalanced: Vec<u32>,
    ends: Vec<u32>,
    /// The instructions after calls.
    returns: Vec<u32>,
    returners: Vec<u32>,
    indirect: Vec<u32>,
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
        }
    }

    fn run(mut self) -> FlowGraph {
        if !self.function.instructions.is_empty() {
            self.open.push((0, None));
        }
        self.drain();
        // What is not reached: the targets of tables, and functions whose address is taken.
        for index in 0..self.seen.len() as u32 {
            if !self.seen[index as usize] {
                let sources = self.indirect.clone();
                self.edges.extend(sources.into_iter().map(|from| (from, index)));
                self.open.push((index, None));
                self.drain();
            }
        }
        for from in std::mem::take(&mut self.returners) {
            self.edges.extend(self.returns.iter().map(|to| (from, *to)));
        }
        self.barriers();
        let graph = Graph::new(self.seen.len(), &self.edges);
        FlowGraph { graph, openers: self.openers, unbalanced: self.unbalanced, ends: self.ends }
    }

    fn drain(&mut self) {
        while let Some((index, stack)) = self.open.pop() {
            if !std::mem::replace(&mut self.seen[index as usize], true) {
                self.visit(index, stack);
            }
        }
    }

    fn go(&mut self, from: u32, to: u32, stack: Stack) {
        self.edges.push((from, to));
        self.open.push((to, stack));
    }

    fn next(&mut self, from: u32, stack: Stack) {
        if from as usize + 1 < self.seen.len() {
            self.go(from, from + 1, stack);
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
        let flow = flow(instruction);
        match flow {
            Flow::Branch => {
                if let Some(target) = target {
                    self.go(index, target, stack);
                }
                if !ends {
                    self.next(index, stack);
                }
            }
            Flow::IndirectBranch => self.indirect_branch(index, stack, ends),
            Flow::Call => {
                if let Some(target) = target {
                    self.go(index, target, None);
                }
                if (index as usize) + 1 < self.seen.len() {
                    self.returns.push(index + 1);
                }
                self.next(index, stack);
            }
            Flow::Return => {
                self.returners.push(index);
                if !ends {
                    self.next(index, stack);
                }
            }
            Flow::Push => {
                let stack = target.map_or(stack, |_| self.push(index, stack));
                self.next(index, stack);
            }
            Flow::Pop => self.pop(index, stack, ends),
            Flow::Exit => {
                if !ends {
                    self.next(index, stack);
                }
            }
            _ if joins(self.function, instruction) => self.pop(index, stack, ends),
            _ => self.next(index, stack),
        }
    }

    fn indirect_branch(&mut self, index: u32, stack: Stack, ends: bool) {
        let instruction = &self.function.instructions[index as usize];
        let noted = self.function.noted_targets(instruction);
        if noted.is_empty() {
            self.indirect.push(index);
        }
        for word in noted {
            let label = self.function.label(&word.text).map(|label| label.before);
            if let Some(target) = label.filter(|target| (*target as usize) < self.seen.len()) {
                self.go(index, target, stack);
            }
        }
        if !ends {
            self.next(index, stack);
        }
    }

    fn push(&mut self, index: u32, stack: Stack) -> Stack {
        self.stacks.push((index, stack));
        Some(self.stacks.len() as u32 - 1)
    }

    /// Lanes wait in the newest token of the kind; those that remain there continue at its target.
    fn pop(&mut self, index: u32, stack: Stack, ends: bool) {
        let instruction = &self.function.instructions[index as usize];
        let kind = token(instruction).unwrap_or("SYNC");
        let (mut at, mut found) = (stack, None);
        while let Some(entry) = at {
            let (pushed, rest) = self.stacks[entry as usize];
            let push = &self.function.instructions[pushed as usize];
            if token(push) == Some(kind) {
                found = Some((pushed, rest));
                break;
            }
            at = rest;
        }
        match found {
            Some((pushed, rest)) => {
                self.openers[index as usize].push(pushed);
                if let Destination::Instruction(target) =
                    self.function.instructions[pushed as usize].destination
                {
                    self.go(index, target, rest);
                }
            }
            None => {
                self.unbalanced.push(index);
                let nearest = self.nearest_push(index, kind);
                self.openers[index as usize].extend(nearest);
            }
        }
        if !ends {
            self.next(index, stack);
        }
    }

    /// The push of a kind that is nearest before an instruction in the text, where no path shows one.
    fn nearest_push(&self, index: u32, kind: &str) -> Option<u32> {
        let pushes = |at: &usize| {
            let instruction = &self.function.instructions[*at];
            flow(instruction) == Flow::Push && token(instruction) == Some(kind)
        };
        (0..index as usize).rev().find(pushes).map(|at| at as u32)
    }

    /// Pairs each BSYNC and BREAK with the BSSY of its barrier: the nearest ones on the way back.
    fn barriers(&mut self) {
        let mut sets: Vec<(u32, Register)> = Vec::new();
        for (index, instruction) in self.function.instructions.iter().enumerate() {
            let Some(barrier) = barrier(self.function, instruction) else { continue };
            let index = index as u32;
            match flow(instruction) {
                Flow::BarrierSet => sets.push((index, barrier)),
                Flow::BarrierSync | Flow::BarrierBreak => {
                    // The region of a BSSY ends before its target; a region that contains the instruction is preferred.
                    let is_inside = |set: u32| match self.function.instructions[set as usize].destination {
                        Destination::Instruction(target) => index < target,
                        _ => true,
                    };
                    let same = || sets.iter().rev().filter(|(_, set)| *set == barrier);
                    let inside = same().find(|(set, _)| is_inside(*set));
                    self.openers[index as usize]
                        .extend(inside.or_else(|| same().next()).map(|(set, _)| *set));
                }
                _ => {}
            }
        }
    }
}

/// The barrier register of an instruction.
#[must_use]
pub fn barrier(function: &Function, instruction: &Instruction) -> Option<Register> {
    let registers = function.operands(instruction).iter().filter_map(super::Operand::register);
    registers.into_iter().find(|register| register.file == RegisterFile::Barrier)
}
