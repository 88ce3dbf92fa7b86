//! Unrestricted programs: `continue`, `break` and `halt` anywhere, guards on everything, `@p0`, stray ends,
//! compare-and-swap, misplaced hints, registers that do not exist, calls in later kernels, kernels without an
//! end.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::select;

use super::generator::{DATA, Launch};
use super::instructions::{self, Sharing};

const COUNTERS: [u8; 3] = [12, 13, 14];

/// A file, which of its kernels to run, and how.
#[derive(Clone, Debug)]
pub(crate) struct Wild {
    pub(crate) launch: Launch,
    pub(crate) kernel: usize,
    kernels: Vec<Kernel>,
}

#[derive(Clone, Debug)]
struct Kernel {
    registers: Option<u32>,
    seeds: Vec<u32>,
    body: Vec<Statement>,
    ends: bool,
    function: Vec<Statement>,
}

#[derive(Clone, Debug)]
enum Statement {
    Lines(String),
    If { predicate: u8, guards: [String; 3], then: Vec<Statement>, otherwise: Option<Vec<Statement>> },
    Loop { iterations: u8, guards: [String; 2], body: Vec<Statement> },
    Call { guard: String, kernel: usize },
}

impl Wild {
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (number, kernel) in self.kernels.iter().enumerate() {
            writeln!(out, ".kernel k{number}\n.local_memory {}", self.launch.local()).unwrap();
            if let Some(registers) = kernel.registers {
                writeln!(out, ".registers {registers}").unwrap();
            }
            for (register, seed) in DATA.zip(&kernel.seeds) {
                writeln!(out, "mov_imm r{register}, {seed}").unwrap();
            }
            out += "mov r1, sr_lane_id\nmov_imm r20, 0\nmov_imm r21, 1\nmov_imm r22, 255\nmov_imm r23, 63\nmov_imm r24, 3\nmov_imm r30, 0xbfffbfff\n";
            self.block(&mut out, &kernel.body, 0);
            out += if kernel.ends { "local_load_u64 r28, r20\nhalt\n" } else { "" };
            writeln!(out, "f{number}:").unwrap();
            self.block(&mut out, &kernel.function, COUNTERS.len());
            out += "return\n.end\n";
        }
        out
    }

    fn block(&self, out: &mut String, statements: &[Statement], loops: usize) {
        for statement in statements {
            match statement {
                Statement::Lines(lines) => writeln!(out, "{lines}").unwrap(),
                Statement::If { predicate, guards: [open, middle, close], then, otherwise } => {
                    writeln!(out, "{open} if p{predicate}").unwrap();
                    self.block(out, then, loops);
                    if let Some(otherwise) = otherwise {
                        writeln!(out, "{middle} else").unwrap();
                        self.block(out, otherwise, loops);
                    }
                    writeln!(out, "{close} endif").unwrap();
                }
                Statement::Loop { iterations, guards: [open, close], body } => {
                    let Some(counter) = COUNTERS.get(loops) else { return self.block(out, body, loops) };
                    writeln!(out, "and r{counter}, r{iterations}, r24\n{open} loop").unwrap();
                    writeln!(out, "icmp_eq p0, r{counter}, r20\nbreak p0\nisub r{counter}, r{counter}, r21")
                        .unwrap();
                    self.block(out, body, loops + 1);
                    writeln!(out, "{close} endloop").unwrap();
                }
                Statement::Call { guard, kernel } => {
                    writeln!(out, "{guard} call f{}", kernel % self.kernels.len()).unwrap();
                }
            }
        }
    }
}

pub(crate) fn file() -> impl Strategy<Value = Wild> {
    let launch = ([1u32..=2, 1u32..=2], [1u32..=12, 1u32..=3], 1u32..=64).prop_map(|(grid, block, width)| {
        Launch { grid: [grid[0], grid[1], 1], workgroup: [block[0], block[1], 1], width }
    });
    let kernels = prop_oneof![3 => 1usize..2, 1 => 2usize..4];
    (
        launch,
        kernels.prop_flat_map(|count| prop::collection::vec(kernel(), count)),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(launch, kernels, index)| Wild {
            launch,
            kernel: index.index(kernels.len()),
            kernels,
        })
}

fn kernel() -> impl Strategy<Value = Kernel> {
    let registers = prop_oneof![4 => Just(None), 1 => (4u32..40).prop_map(Some), 1 => Just(Some(0))];
    let seed = prop_oneof![any::<u32>(), 0u32..40, (-100f32..100.0).prop_map(f32::to_bits)];
    let seeds = prop::collection::vec(seed, DATA.len());
    let ends = prop::bool::weighted(0.85);
    (registers, seeds, block(10), ends, block(3)).prop_map(|(registers, seeds, body, ends, function)| {
        Kernel { registers, seeds, body, ends, function }
    })
}

fn block(most: usize) -> impl Strategy<Value = Vec<Statement>> {
    let lines = lines().prop_map(Statement::Lines);
    let call = (guard(), 0usize..3).prop_map(|(guard, kernel)| Statement::Call { guard, kernel });
    let leaf = prop_oneof![24 => lines, 1 => call];
    let statement = leaf.prop_recursive(4, 40, 5, |inner| {
        let block = prop::collection::vec(inner, 0..5);
        let guards = [guard(), guard(), guard()];
        let branch = (0u8..4, guards, block.clone(), prop::option::of(block.clone())).prop_map(
            |(predicate, guards, then, otherwise)| Statement::If { predicate, guards, then, otherwise },
        );
        let iterations = (DATA, [guard(), guard()], block);
        prop_oneof![
            3 => branch,
            2 => iterations.prop_map(|(iterations, guards, body)| Statement::Loop { iterations, guards, body }),
        ]
    });
    prop::collection::vec(statement, 1..most)
}

/// Mostly no guard.
fn guard() -> BoxedStrategy<String> {
    prop_oneof![9 => Just(String::new()), 1 => (any::<bool>(), 0u8..4).prop_map(|(negated, predicate)| {
        format!("@{}p{predicate}", if negated { "!" } else { "" })
    })]
    .boxed()
}

fn lines() -> BoxedStrategy<String> {
    prop_oneof![
        24 => instructions::guarded(Sharing::Alone),
        8 => comparison(),
        3 => instructions::guarded(Sharing::Nothing).prop_map(|lines| on_last(&lines, |line| {
            format!("@p0 {}", line.trim_start_matches(|c| c != ' ').trim_start())
        })),
        4 => leaving(),
        1 => Just("barrier".to_owned()),
        2 => hinted(),
        2 => odd_operand(),
        2 => odd(),
        1 => select(&["@p1 barrier", "@!p2 barrier", "nop", "wait", "endif", "endloop", "else", "loop"][..]).prop_map(str::to_owned),
    ]
    .boxed()
}

/// Comparisons whose result differs between lanes.
fn comparison() -> impl Strategy<Value = String> {
    (0u8..4, DATA, 0u32..40).prop_map(|(p, a, number)| {
        format!("mov_imm r15, {number}\nand r16, r{a}, r23\nucmp_lt p{p}, r16, r15")
    })
}

/// `break`, `continue` and closing keywords at any position.
fn leaving() -> impl Strategy<Value = String> {
    let op = select(&["break", "break", "continue", "halt", "return"][..]);
    let guards = prop_oneof![1 => Just(String::new()), 1 => guard(), 2 => instructions::guard()];
    (guards, op, 0u8..4).prop_map(|(guard, op, predicate)| match op {
        "break" | "continue" => format!("{op} p{predicate}"),
        _ => format!("{guard} {op}"),
    })
}

fn hinted() -> impl Strategy<Value = String> {
    let hint = select(&[".cached", ".uncached", ".streaming"][..]);
    let line = select(
        &[
            "mov@ r1, r2",
            "mov_imm@ r3, 7",
            "mov_sr@ r4, sr_lane_id",
            "if@ p1",
            "endif@",
            "iadd@ r2, r3, r4",
            "halt@",
            "nop@",
            "break@ p2",
            "wait@",
            "@p2 mov@ r5, r6",
        ][..],
    );
    (line, hint).prop_map(|(line, hint)| line.replace('@', hint).replace(&format!("{hint}p2"), "@p2"))
}

/// An instruction with one source that is not a data register.
fn odd_operand() -> impl Strategy<Value = String> {
    let op = select(&["iadd", "xor", "imax", "shl", "and"][..]);
    let odd = prop_oneof![
        select(&["sr_lane_id", "sr_thread_id_x", "sr_num_waves", "sr_grid_size_z"][..])
            .prop_map(str::to_owned),
        (DATA, any::<bool>()).prop_map(|(r, low)| format!("r{r}{}", if low { ".lo" } else { ".hi" })),
        (16u8..32).prop_map(|r| format!("r{r}")),
    ];
    (op, DATA, DATA, odd, any::<bool>()).prop_map(|(op, d, a, odd, result)| match result {
        false => format!("{op} r{d}, {odd}, r{a}"),
        true => format!("{op} {odd}, r{d}, r{a}"),
    })
}

fn odd() -> BoxedStrategy<String> {
    let registers = (0u8..10, 1u8..10, 0u8..10, 0u8..32);
    let scopes = select(&[".device", "wave", "system"][..]);
    let local = registers
        .clone()
        .prop_map(|(d, a, e, w)| format!("and r10, r{a}, r22\nlocal_atomic_cas r{d}, r10, r{e}, r{w}"));
    let device = (registers.clone(), scopes, any::<bool>()).prop_map(|((d, a, e, w), scope, returns)| {
        let d = if returns { format!("r{d}, ") } else { String::new() };
        format!("and r10, r{a}, r22\natomic_cas {d}r10, r{e}, r{w}, {scope}")
    });
    let select =
        (0u8..10, 0u8..4, 0u8..32, 0u8..32).prop_map(|(d, p, a, b)| format!("select r{d}, p{p}, r{a}, r{b}"));
    prop_oneof![
        local,
        device,
        select,
        registers.clone().prop_map(|(d, a, _, w)| format!(
            "and r15, r{a}, r30\nfdiv r{d}, r15, r{}",
            if w < 16 { 20 } else { w }
        )),
        registers.prop_map(|(d, a, b, _)| format!("imin r15, r{a}, r{b}\niclamp r{d}, r{a}, r15, r{b}")),
        (0u8..10, -4f64..4.0).prop_map(|(d, value)| format!("mov_imm r{d}, {value:.3}")),
        (0u8..10, select_conversion()).prop_map(|(d, op)| format!("{op} r{d}, r{d}")),
    ]
    .boxed()
}

fn select_conversion() -> impl Strategy<Value = &'static str> {
    select(&["cvt_f32_i32", "cvt_i32_f32", "cvt_f32_u32", "cvt_u32_f32"][..])
}

fn on_last(lines: &str, change: impl Fn(&str) -> String) -> String {
    match lines.rsplit_once('\n') {
        Some((before, last)) => format!("{before}\n{}", change(last)),
        None => change(lines),
    }
}
