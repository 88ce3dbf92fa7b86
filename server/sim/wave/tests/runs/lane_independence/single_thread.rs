//! A single-thread interpreter of the program tree, without masks, stack and waves. A thread follows its own
//! predicates; threads synchronize only at barriers.

use std::cmp::Ordering;

use super::program::{
    BINARY, CELLS, Condition, ENDS_LOOP, Plain, Program, RELATIONS, Shape, Statement, calls,
};

/// The final state of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// By workgroup, then by thread.
    pub(crate) threads: Vec<Vec<Thread>>,
    /// Word by word.
    pub(crate) device: Vec<u32>,
}

/// The final `r1` to `r4` and predicates of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) data: [u32; 4],
    pub(crate) predicates: [bool; 4],
}

/// Where a thread continues after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    Break,
    Continue,
    Return,
    Halt,
}

/// A running thread.
struct Worker<'p> {
    program: &'p Program,
    thread: Thread,
    /// Its number in the workgroup.
    number: u32,
    local: &'p mut [u32],
    device: &'p mut [u32],
    /// The index of its own word in device memory.
    own: usize,
    /// The index of the first shared word in local memory.
    cells: usize,
    /// How many more statements may run.
    patience: &'p mut u64,
    loops: u8,
    code: usize,
    halts: bool,
}

/// Runs a program, thread by thread; `None` if that takes more than `patience` statements.
pub(crate) fn run(program: &Program, shape: Shape, mut patience: u64) -> Option<Outcome> {
    let threads = shape.threads();
    let mut device = vec![0; shape.device() as usize / 4];
    let mut all = Vec::new();
    for group in 0..shape.groups() {
        let mut local = vec![0; shape.local() as usize / 4];
        let start = |number: u32| Thread {
            data: [number, number.wrapping_mul(7), number ^ 5, 3],
            predicates: [false; 4],
        };
        let mut group_threads: Vec<_> = (0..threads).map(start).collect();
        let mut each = |body: &[Statement], halts, threads: &mut [Thread], local: &mut [u32]| {
            for (number, thread) in (0..).zip(threads) {
                let own = (CELLS + group * shape.threads() + number) as usize;
                let mut worker = Worker {
                    program,
                    thread: *thread,
                    number,
                    local: &mut *local,
                    device: &mut device,
                    own,
                    cells: shape.threads() as usize,
                    patience: &mut patience,
                    loops: 0,
                    code: 0,
                    halts,
                };
                worker.block(body);
                *thread = worker.thread;
            }
        };
        for phase in &program.phases {
            each(&phase.body, false, &mut group_threads, &mut local);
            for (word, thread) in local.iter_mut().zip(&group_threads) {
                *word = thread.data[0];
            }
            for (number, thread) in (0..).zip(&mut group_threads) {
                let other = (number + phase.distance) % threads;
                thread.data[0] = thread.data[0].wrapping_add(local[other as usize]);
                thread.data[1] ^= local[threads as usize];
            }
        }
        each(&program.last, true, &mut group_threads, &mut local);
        all.push(group_threads);
    }
    (patience > 0).then_some(Outcome { threads: all, device })
}

impl Worker<'_> {
    fn holds(&self, condition: Condition) -> bool {
        self.thread.predicates[condition.predicate] != condition.negated
    }

    fn acts(&self, guard: Option<Condition>) -> bool {
        guard.is_none_or(|guard| self.holds(guard))
    }

    fn block(&mut self, statements: &[Statement]) -> Next {
        for statement in statements {
            let next = self.statement(statement);
            if next != Next::On {
                return next;
            }
        }
        Next::On
    }

    fn statement(&mut self, statement: &Statement) -> Next {
        *self.patience = self.patience.saturating_sub(1);
        if *self.patience == 0 {
            return Next::Halt;
        }
        match statement {
            Statement::Plain(guard, plain) => {
                // The operands of a comparison are not guarded, and no other statement reads them.
                if self.acts(*guard) {
                    self.plain(plain);
                }
                Next::On
            }
            Statement::If(condition, then, otherwise) => match (self.holds(*condition), otherwise) {
                (true, _) => self.block(then),
                (false, Some(otherwise)) => self.block(otherwise),
                (false, None) => Next::On,
            },
            Statement::Loop(iterations, body) if self.loops < 3 => self.iterate(*iterations, body),
            Statement::Loop(_, body) => self.block(body),
            Statement::Break(condition) if self.loops > 0 && self.holds(*condition) => Next::Break,
            Statement::Continue(condition) if self.loops > 0 && self.holds(*condition) => Next::Continue,
            Statement::Call(guard, function) if calls(self.code, *function) && self.acts(*guard) => {
                self.call(*function)
            }
            Statement::Return(guard) if self.code > 0 && self.acts(*guard) => Next::Return,
            Statement::Halt(condition) if self.halts && self.holds(*condition) => Next::Halt,
            _ => Next::On,
        }
    }

    fn iterate(&mut self, iterations: u32, body: &[Statement]) -> Next {
        self.loops += 1;
        let mut left = iterations;
        let next = loop {
            self.thread.predicates[ENDS_LOOP] = left == 0;
            if left == 0 {
                break Next::On;
            }
            left -= 1;
            match self.block(body) {
                Next::On | Next::Continue => {}
                Next::Break => break Next::On,
                out => break out,
            }
        };
        self.loops -= 1;
        next
    }

    fn call(&mut self, function: usize) -> Next {
        let caller = (self.code, self.loops, self.halts);
        (self.code, self.loops, self.halts) = (function + 1, 0, false);
        let next = self.block(&self.program.functions[function]);
        (self.code, self.loops, self.halts) = caller;
        if next == Next::Halt { next } else { Next::On }
    }

    fn plain(&mut self, plain: &Plain) {
        let own = self.number as usize;
        let Thread { data, predicates } = self.thread;
        match *plain {
            Plain::Binary { op, d, a, b } => self.thread.data[d] = binary(BINARY[op], data[a], data[b]),
            Plain::MultiplyAdd { d, a, constant } => {
                self.thread.data[d] = data[a].wrapping_mul(data[a]).wrapping_add(constant);
            }
            Plain::Compare { relation, signed, d, a, constant } => {
                let value = ((data[a] ^ self.number) & 7) as i32 - 4;
                let ordered = match signed {
                    true => value.cmp(&constant),
                    false => (value as u32).cmp(&(constant as u32)),
                };
                self.thread.predicates[d] = holds(RELATIONS[relation], ordered);
            }
            Plain::Logic { op, d, a, b } => {
                let (a, b) = (self.holds(a), self.holds(b));
                self.thread.predicates[d] = [a & b, a | b, a ^ b][op];
            }
            Plain::Select { d, predicate, a, b } => {
                self.thread.data[d] = data[if predicates[predicate] { a } else { b }];
            }
            Plain::StoreLocal(value) => self.local[own] = data[value],
            Plain::LoadLocal(d) => self.thread.data[d] = self.local[own],
            Plain::StoreDevice(value) => self.device[self.own] = data[value],
            Plain::LoadDevice(d) => self.thread.data[d] = self.device[self.own],
            Plain::Atomic { local: true, op, value } => {
                atomic(op, &mut self.local[self.cells + op], data[value])
            }
            Plain::Atomic { local: false, op, value } => atomic(op, &mut self.device[op], data[value]),
        }
    }
}

fn binary(name: &str, a: u32, b: u32) -> u32 {
    match name {
        "iadd" => a.wrapping_add(b),
        "isub" => a.wrapping_sub(b),
        "imul" => (u64::from(a) * u64::from(b)) as u32,
        "xor" => a ^ b,
        "and" => a & b,
        "or" => a | b,
        "shl" => a << (b % 32),
        "shr" => a >> (b % 32),
        "sar" => ((a as i32) >> (b % 32)) as u32,
        "imin" => (a as i32).min(b as i32) as u32,
        _ => a.max(b),
    }
}

fn holds(relation: &str, ordered: Ordering) -> bool {
    match relation {
        "eq" => ordered.is_eq(),
        "ne" => ordered.is_ne(),
        "lt" => ordered.is_lt(),
        "le" => ordered.is_le(),
        "gt" => ordered.is_gt(),
        _ => ordered.is_ge(),
    }
}

fn atomic(op: usize, cell: &mut u32, value: u32) {
    *cell = match op {
        0 => cell.wrapping_add(value),
        1 => cell.wrapping_sub(value),
        2 => (*cell).min(value),
        3 => (*cell).max(value),
        4 => *cell & value,
        5 => *cell | value,
        _ => *cell ^ value,
    };
}
