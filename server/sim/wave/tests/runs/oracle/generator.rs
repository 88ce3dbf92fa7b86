//! Programs in the part of the language in which the oracle is right, and launches for them.
//!
//! A program is a sequence of *phases* with barriers between them. Within a phase, the order of memory
//! accesses by the waves of a workgroup must not matter, because the two machines schedule waves differently.
//! `r0` to `r9` hold data, `r10` addresses and lane numbers, `r11` to `r14` count iterations, `r15` to `r18`,
//! `r28` and `r29` hold prepared operands of an instruction, and `r26` is the workgroup's number.

use std::fmt::Write;

use proptest::prelude::*;

use super::instructions::{self, Sharing};

pub(crate) const DATA: std::ops::Range<u8> = 0..10;
/// Counters of the nested loops, for the kernel and then for each function.
const COUNTERS: [&[u8]; 1 + FUNCTIONS] = [&[12, 13, 14], &[11], &[], &[]];
/// The number of functions in a program; each may call later ones.
const FUNCTIONS: usize = 3;
/// Bytes of device memory that all threads share, before the 16 bytes of each thread.
const SHARED: u32 = 512;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) grid: [u32; 3],
    pub(crate) workgroup: [u32; 3],
    pub(crate) width: u32,
}

impl Launch {
    pub(crate) fn threads(&self) -> u32 {
        self.workgroup.iter().product()
    }

    pub(crate) fn waves(&self) -> u32 {
        self.threads().div_ceil(self.width)
    }

    pub(crate) fn groups(&self) -> u32 {
        self.grid.iter().product()
    }

    /// The size of local memory: 16 bytes for each thread, and what addresses can reach.
    pub(crate) fn local(&self) -> u32 {
        (self.threads() * 16).max(512)
    }

    /// The size of device memory. At the end, each workgroup's local memory is also written there.
    pub(crate) fn device(&self) -> u32 {
        self.dump() + self.groups() * self.local()
    }

    fn dump(&self) -> u32 {
        SHARED + self.groups() * self.threads() * 16
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) launch: Launch,
    seeds: Vec<u32>,
    phases: Vec<Vec<Statement>>,
    /// Guards of the `halt`s between the last phase and the end.
    halts: Vec<String>,
    functions: Vec<Vec<Statement>>,
}

#[derive(Clone, Debug)]
enum Statement {
    Plain(String),
    If {
        predicate: u8,
        then: Vec<Statement>,
        otherwise: Option<Vec<Statement>>,
    },
    /// The low two bits of a register give the number of iterations.
    Loop {
        iterations: u8,
        body: Vec<Statement>,
    },
    Call(usize),
}

impl Program {
    /// The program as `wave-asm` reads it.
    pub(crate) fn text(&self) -> String {
        let mut writer = Writer { out: String::new(), code: 0, loops: 0, depth: 1 };
        writer.line(&format!(".kernel k\n.registers 32\n.local_memory {}", self.launch.local()));
        self.prologue(&mut writer);
        for (number, phase) in self.phases.iter().enumerate() {
            if number > 0 {
                writer.line("barrier");
            }
            writer.block(phase);
        }
        for halt in &self.halts {
            writer.line(&format!("{halt} halt"));
        }
        writer.line("halt");
        for (number, function) in self.functions.iter().enumerate() {
            writer.line(&format!("f{number}:"));
            (writer.code, writer.loops) = (number + 1, 0);
            writer.block(function);
            writer.line("return");
        }
        writer.line(".end");
        writer.out
    }

    fn prologue(&self, writer: &mut Writer) {
        for (register, seed) in DATA.zip(&self.seeds) {
            writer.line(&format!("mov_imm r{register}, {seed}"));
        }
        let Launch { grid: [gx, gy, _], .. } = self.launch;
        let constants = [
            (20, 0),
            (21, 1),
            (22, 255),
            (23, 63),
            (24, 3),
            (25, SHARED),
            (27, 16),
            // Clears an exponent bit in each half, so that neither the halves nor the whole are NaN.
            (30, 0xbfff_bfff),
            (10, gy),
            (11, gx),
            (15, self.launch.threads()),
        ];
        for (register, value) in constants {
            writer.line(&format!("mov_imm r{register}, {value}"));
        }
        // r1: the lane; r31 and r19: the thread's own 16 bytes of local and device memory.
        writer.line(
            "mov r1, sr_lane_id
            mov r12, sr_wave_id\nmov r13, sr_wave_width\nimad r12, r12, r13, r1\nimul r31, r12, r27
            mov r13, sr_workgroup_id_z\nmov r14, sr_workgroup_id_y\nimad r13, r13, r10, r14
            mov r14, sr_workgroup_id_x\nimad r13, r13, r11, r14
            imad r19, r13, r15, r12\nimad r19, r19, r27, r25",
        );
        writer.line("mov r26, r13");
    }
}

struct Writer {
    out: String,
    /// 0 in the kernel, otherwise the number of the function plus 1.
    code: usize,
    loops: usize,
    depth: usize,
}

impl Writer {
    fn line(&mut self, lines: &str) {
        for line in lines.lines() {
            writeln!(self.out, "{:indent$}{}", "", line.trim(), indent = 4 * self.depth)
                .expect("a string takes text");
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        self.depth += 1;
        statements.iter().for_each(|statement| self.statement(statement));
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(lines) => self.line(lines),
            Statement::If { predicate, then, otherwise } => {
                self.line(&format!("if p{predicate}"));
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.block(otherwise);
                }
                self.line("endif");
            }
            Statement::Loop { iterations, body } => {
                let Some(counter) = COUNTERS[self.code].get(self.loops) else { return self.block(body) };
                self.line(&format!(
                    "and r{counter}, r{iterations}, r24\nloop\nicmp_eq p0, r{counter}, r20\nbreak p0"
                ));
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.line(&format!("isub r{counter}, r{counter}, r21\nendloop"));
            }
            // A function calls only later ones.
            Statement::Call(function) if *function >= self.code => self.line(&format!("call f{function}")),
            Statement::Call(_) => {}
        }
    }
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    prop_oneof![3 => one_wave(), 2 => several_waves()]
}

/// A program of one wave, which may access memory in any order.
fn one_wave() -> impl Strategy<Value = Program> {
    let launch = (1u32..=64, 0u32..8).prop_map(|(width, missing)| Launch {
        grid: [1; 3],
        workgroup: [width.saturating_sub(missing).max(1), 1, 1],
        width,
    });
    let phases = prop::collection::vec(block(Sharing::Alone), 1..3);
    with_launch(launch, phases)
}

fn several_waves() -> impl Strategy<Value = Program> {
    let extents = [1u32..=12, 1u32..=4, 1u32..=3];
    let launch = ([1u32..=3, 1u32..=2, 1u32..=2], extents, 1u32..=64).prop_map(|(grid, workgroup, width)| {
        let threads: u32 = workgroup.iter().product();
        Launch { grid, workgroup, width: width.max(threads.div_ceil(8)) }
    });
    let commuting = prop::sample::select(&["add", "min", "max", "and", "or", "xor"][..]);
    let sharing = prop_oneof![
        2 => Just(Sharing::Own),
        1 => Just(Sharing::Read),
        1 => commuting.prop_map(Sharing::Commuting),
    ];
    let phases = prop::collection::vec(sharing.prop_flat_map(block), 1..5);
    with_launch(launch, phases)
}

fn with_launch(
    launch: impl Strategy<Value = Launch>,
    phases: impl Strategy<Value = Vec<Vec<Statement>>>,
) -> impl Strategy<Value = Program> {
    let seed = prop_oneof![any::<u32>(), 0u32..40, (-100f32..100.0).prop_map(f32::to_bits), edges()];
    let seeds = prop::collection::vec(seed, DATA.len());
    let functions = prop::collection::vec(block(Sharing::Nothing), FUNCTIONS);
    let halts = prop::collection::vec(instructions::guard(), 0..2);
    (launch, seeds, phases, halts, functions).prop_map(|(launch, seeds, mut phases, halts, functions)| {
        phases.push(vec![Statement::Plain(dump(&launch))]);
        Program { launch, seeds, phases, halts, functions }
    })
}

/// Copies local memory to device memory, where it can be compared: eight bytes per thread and iteration.
fn dump(launch: &Launch) -> String {
    format!(
        "mov_imm r13, {}\nmov_imm r14, {}\nmov_imm r15, {}
        imad r14, r26, r13, r14
        shr r10, r31, r21
        loop\nucmp_le p0, r13, r10\nbreak p0
        local_load_u64 r28, r10\niadd r11, r10, r14\ndevice_store_u64 r11, r28
        iadd r10, r10, r15\nendloop",
        launch.local(),
        launch.dump(),
        launch.threads() * 8,
    )
}

fn edges() -> impl Strategy<Value = u32> {
    prop::sample::select(
        &[
            0x8000_0000,
            0x7fff_ffff,
            0xffff_ffff,
            0x7f80_0000,
            0x7fc0_0001,
            0x7f80_0001,
            0x0000_0001,
            0x3c00_fc00,
        ][..],
    )
}

fn block(sharing: Sharing) -> impl Strategy<Value = Vec<Statement>> {
    let plain = instructions::guarded(sharing).prop_map(Statement::Plain);
    let leaf = prop_oneof![20 => plain, 1 => (0..FUNCTIONS).prop_map(Statement::Call)];
    let statement = leaf.prop_recursive(5, 60, 6, |inner| {
        let block = prop::collection::vec(inner, 0..6);
        prop_oneof![
            (0u8..4, block.clone(), prop::option::of(block.clone()))
                .prop_map(|(predicate, then, otherwise)| Statement::If { predicate, then, otherwise }),
            (DATA, block).prop_map(|(iterations, body)| Statement::Loop { iterations, body }),
        ]
    });
    prop::collection::vec(statement, 1..12)
}
