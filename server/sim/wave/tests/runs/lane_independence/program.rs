//! Programs with every shape of control flow, race-free by construction, as trees and as text.
//!
//! `r0` is the thread in its workgroup, `r1` to `r4` hold data, `r5` and `r6` prepared operands of an
//! instruction, `r7` and `r8` address the thread's own words of local and of device memory, and `r10` and up
//! count iterations. `p3` ends loops.

use std::fmt::Write;

use proptest::prelude::*;

/// The number of functions in a program; each may call later ones.
pub(crate) const FUNCTIONS: usize = 3;
/// The limit of nested loops in a function.
const LOOPS: u8 = 3;
/// Words shared by all threads in device memory, and in each workgroup's local memory: one for each of
/// [`ATOMICS`].
pub(crate) const CELLS: u32 = ATOMICS.len() as u32;
pub(crate) const ENDS_LOOP: usize = 3;

/// Operations whose result does not depend on the order.
pub(crate) const ATOMICS: [&str; 7] = ["add", "sub", "min", "max", "and", "or", "xor"];

/// The three-operand instructions in the programs.
pub(crate) const BINARY: [&str; 11] =
    ["iadd", "isub", "imul", "xor", "and", "or", "shl", "shr", "sar", "imin", "umax"];

pub(crate) const RELATIONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

pub(crate) const LOGIC: [&str; 3] = ["and", "or", "xor"];

/// A predicate, possibly negated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) predicate: usize,
    pub(crate) negated: bool,
}

/// An instruction within a lane. Data registers count from 0, which is `r1`.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    /// An index into [`BINARY`].
    Binary {
        op: usize,
        d: usize,
        a: usize,
        b: usize,
    },
    /// `imad d, a, a, constant`
    MultiplyAdd {
        d: usize,
        a: usize,
        constant: u32,
    },
    /// An index into [`RELATIONS`]. It compares three bits of a register XOR the thread's number, minus 4,
    /// with a constant.
    Compare {
        relation: usize,
        signed: bool,
        d: usize,
        a: usize,
        constant: i32,
    },
    /// An index into [`LOGIC`].
    Logic {
        op: usize,
        d: usize,
        a: Condition,
        b: Condition,
    },
    Select {
        d: usize,
        predicate: usize,
        a: usize,
        b: usize,
    },
    StoreLocal(usize),
    LoadLocal(usize),
    StoreDevice(usize),
    LoadDevice(usize),
    /// An index into [`ATOMICS`].
    Atomic {
        local: bool,
        op: usize,
        value: usize,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Plain(Option<Condition>, Plain),
    If(Condition, Vec<Statement>, Option<Vec<Statement>>),
    Loop(u32, Vec<Statement>),
    Break(Condition),
    Continue(Condition),
    Call(Option<Condition>, usize),
    Return(Option<Condition>),
    Halt(Condition),
}

/// The statements between two barriers, followed by an exchange: each thread reads the word of the thread at
/// this distance.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) body: Vec<Statement>,
    pub(crate) distance: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) phases: Vec<Phase>,
    /// After the last barrier, the only part where lanes may halt.
    pub(crate) last: Vec<Statement>,
    pub(crate) functions: Vec<Vec<Statement>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) workgroup: [u32; 3],
    pub(crate) width: u32,
}

impl Shape {
    pub(crate) fn threads(self) -> u32 {
        self.workgroup.iter().product()
    }

    pub(crate) fn groups(self) -> u32 {
        self.grid.iter().product()
    }

    /// The size of a workgroup's local memory: one word for each thread, and the shared words.
    pub(crate) fn local(self) -> u32 {
        4 * (self.threads() + CELLS)
    }

    /// The size of device memory: the shared words, and one word for each thread.
    pub(crate) fn device(self) -> u32 {
        4 * (CELLS + self.groups() * self.threads())
    }
}

impl Program {
    pub(crate) fn text(&self, shape: Shape) -> String {
        let mut writer = Writer { out: String::new(), shape, loops: 0, code: 0, halts: false };
        let ([gx, gy, _], threads) = (shape.grid, shape.threads());
        writer.line(&format!(
            ".kernel k\n.registers 48\n.local_memory {}
            mov r1, sr_thread_id_x\nmov r2, sr_thread_id_y\nmov r3, sr_thread_id_z
            mov r4, sr_workgroup_size_x\nmov r5, sr_workgroup_size_y\nimad r0, r3, r5, r2\nimad r0, r0, r4, r1
            mov r1, sr_workgroup_id_z\nmov r2, sr_workgroup_id_y\nmov r3, sr_workgroup_id_x
            imad r8, r1, {gy}, r2\nimad r8, r8, {gx}, r3\nimad r1, r8, {threads}, r0\nimad r8, r1, 4, {}\nshl r7, r0, 2
            mov r1, r0\nimul r2, r0, 7\nxor r3, r0, 5\nmov r4, 3",
            shape.local(),
            4 * CELLS,
        ));
        for phase in &self.phases {
            writer.block(&phase.body);
            writer.line(&format!(
                "local_store.u32 r1, r7\nbarrier\niadd r5, r0, {}\nimod r5, r5, {threads}\nshl r5, r5, 2\nlocal_load.u32 r5, r5
                iadd r1, r1, r5\nlocal_load.u32 r5, {}\nxor r2, r2, r5\nbarrier",
                phase.distance,
                4 * threads,
            ));
        }
        writer.halts = true;
        writer.block(&self.last);
        writer.line("halt");
        writer.halts = false;
        for (number, function) in self.functions.iter().enumerate() {
            (writer.code, writer.loops) = (number + 1, 0);
            writer.line(&format!("f{number}: nop"));
            writer.block(function);
            writer.line("return");
        }
        writer.out + ".end\n"
    }
}

struct Writer {
    out: String,
    shape: Shape,
    /// The number of open loops.
    loops: u8,
    /// 0 in the kernel, otherwise the number of the function plus 1.
    code: usize,
    halts: bool,
}

impl Condition {
    fn text(self) -> String {
        format!("{}p{}", if self.negated { "!" } else { "" }, self.predicate)
    }
}

impl Writer {
    fn line(&mut self, line: &str) {
        writeln!(self.out, "{line}").expect("a string takes text");
    }

    fn block(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(guard, plain) => self.plain(*guard, plain),
            Statement::If(condition, then, otherwise) => {
                self.line(&format!("if {}", condition.text()));
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.block(otherwise);
                }
                self.line("endif");
            }
            Statement::Loop(iterations, body) if self.loops < LOOPS => {
                let counter = 10 + LOOPS * self.code as u8 + self.loops;
                self.line(&format!(
                    "mov r{counter}, {iterations}\nloop\nicmp.eq p3, r{counter}, 0\nbreak p3\nisub r{counter}, r{counter}, 1"
                ));
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.line("endloop");
            }
            Statement::Loop(_, body) => self.block(body),
            Statement::Break(condition) if self.loops > 0 => {
                self.line(&format!("break {}", condition.text()));
            }
            Statement::Continue(condition) if self.loops > 0 => {
                self.line(&format!("continue {}", condition.text()));
            }
            Statement::Call(guard, function) if calls(self.code, *function) => {
                self.guarded(*guard, &format!("call f{function}"));
            }
            Statement::Return(guard) if self.code > 0 => self.guarded(*guard, "return"),
            Statement::Halt(guard) if self.halts => self.guarded(Some(*guard), "halt"),
            _ => {}
        }
    }

    fn guarded(&mut self, guard: Option<Condition>, line: &str) {
        match guard {
            Some(guard) => self.line(&format!("@{} {line}", guard.text())),
            None => self.line(line),
        }
    }

    fn plain(&mut self, guard: Option<Condition>, plain: &Plain) {
        let data = |register: &usize| format!("r{}", register + 1);
        let line = match plain {
            Plain::Binary { op, d, a, b } => {
                format!("{} {}, {}, {}", BINARY[*op], data(d), data(a), data(b))
            }
            Plain::MultiplyAdd { d, a, constant } => {
                format!("imad {}, {}, {}, {constant}", data(d), data(a), data(a))
            }
            Plain::Compare { relation, signed, d, a, constant } => {
                self.line(&format!("xor r5, {}, r0\nand r5, r5, 7\nisub r5, r5, 4", data(a)));
                let family = if *signed { "icmp" } else { "ucmp" };
                format!("{family}.{} p{d}, r5, {constant}", RELATIONS[*relation])
            }
            Plain::Logic { op, d, a, b } => {
                format!("{} p{d}, {}, {}", LOGIC[*op], a.text(), b.text())
            }
            Plain::Select { d, predicate, a, b } => {
                format!("select {}, p{predicate}, {}, {}", data(d), data(a), data(b))
            }
            Plain::StoreLocal(value) => format!("local_store.u32 {}, r7", data(value)),
            Plain::LoadLocal(d) => format!("local_load.u32 {}, r7", data(d)),
            Plain::StoreDevice(value) => format!("device_store.u32 {}, r8", data(value)),
            Plain::LoadDevice(d) => format!("device_load.u32 {}, r8", data(d)),
            Plain::Atomic { local: true, op, value } => {
                let cell = 4 * (self.shape.threads() + *op as u32);
                format!("local_atomic_{} {cell}, {}", ATOMICS[*op], data(value))
            }
            Plain::Atomic { local: false, op, value } => {
                format!("atomic_{} {}, {}, .device", ATOMICS[*op], 4 * op, data(value))
            }
        };
        self.guarded(guard, &line);
    }
}

/// Whether the kernel (0) or a function may call another function. No function is recursive, directly or
/// indirectly.
pub(crate) fn calls(code: usize, function: usize) -> bool {
    function >= code
}

fn condition() -> impl Strategy<Value = Condition> {
    (0..4usize, any::<bool>()).prop_map(|(predicate, negated)| Condition { predicate, negated })
}

fn plain() -> impl Strategy<Value = Plain> {
    let data = || 0..4usize;
    prop_oneof![
        4 => (0..BINARY.len(), data(), data(), data()).prop_map(|(op, d, a, b)| Plain::Binary { op, d, a, b }),
        2 => (data(), data(), any::<u8>())
            .prop_map(|(d, a, constant)| Plain::MultiplyAdd { d, a, constant: constant.into() }),
        6 => (0..RELATIONS.len(), any::<bool>(), 0..3usize, data(), -4..4i32).prop_map(
            |(relation, signed, d, a, constant)| Plain::Compare { relation, signed, d, a, constant }
        ),
        2 => (0..LOGIC.len(), 0..3usize, condition(), condition())
            .prop_map(|(op, d, a, b)| Plain::Logic { op, d, a, b }),
        1 => (data(), 0..4usize, data(), data())
            .prop_map(|(d, predicate, a, b)| Plain::Select { d, predicate, a, b }),
        1 => data().prop_map(Plain::StoreLocal),
        1 => data().prop_map(Plain::LoadLocal),
        1 => data().prop_map(Plain::StoreDevice),
        1 => data().prop_map(Plain::LoadDevice),
        2 => (any::<bool>(), 0..ATOMICS.len(), data())
            .prop_map(|(local, op, value)| Plain::Atomic { local, op, value }),
    ]
}

fn block() -> impl Strategy<Value = Vec<Statement>> {
    let guard = || prop::option::weighted(0.3, condition());
    let leaf = prop_oneof![
        10 => (guard(), plain()).prop_map(|(guard, plain)| Statement::Plain(guard, plain)),
        2 => condition().prop_map(Statement::Break),
        2 => condition().prop_map(Statement::Continue),
        1 => (guard(), 0..FUNCTIONS).prop_map(|(guard, function)| Statement::Call(guard, function)),
        1 => guard().prop_map(Statement::Return),
        1 => condition().prop_map(Statement::Halt),
    ];
    let statement = leaf.prop_recursive(6, 60, 5, |inner| {
        let block = prop::collection::vec(inner, 0..5);
        prop_oneof![
            3 => (condition(), block.clone(), prop::option::of(block.clone()))
                .prop_map(|(condition, then, otherwise)| Statement::If(condition, then, otherwise)),
            2 => (0u32..5, block).prop_map(|(iterations, body)| Statement::Loop(iterations, body)),
        ]
    });
    prop::collection::vec(statement, 1..8)
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    let phase = (block(), 0..70u32).prop_map(|(body, distance)| Phase { body, distance });
    let functions = prop::collection::vec(block(), FUNCTIONS);
    (prop::collection::vec(phase, 0..3), block(), functions).prop_map(|(phases, last, functions)| Program {
        phases,
        last,
        functions,
    })
}

pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    let extents = || {
        prop_oneof![
            (1..=70u32).prop_map(|x| [x, 1, 1]),
            (1..=5u32, 1..=4u32, 1..=3u32).prop_map(<[u32; 3]>::from)
        ]
    };
    let grid = (1..=3u32, 1..=2u32, 1..=2u32).prop_map(<[u32; 3]>::from);
    let width = prop_oneof![prop::sample::select(vec![1, 2, 4, 8, 16, 32, 64]), 1..=64u32];
    (grid, extents(), width).prop_map(|(grid, workgroup, width)| Shape { grid, workgroup, width })
}
