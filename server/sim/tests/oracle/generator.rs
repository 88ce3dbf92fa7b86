//! Programs in the part of the language in which the oracle is right.
//!
//! `r0` to `r9` hold data, `r10` addresses and lane numbers, `r12` to `r14` count the trips of nested loops, `r20` up hold constants.

use std::fmt::Write;

use proptest::prelude::*;

/// Registers with data.
const DATA: std::ops::Range<u8> = 0..10;
/// Loops inside of each other.
const MAX_LOOPS: usize = 3;

/// A program as a tree.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    seeds: Vec<u32>,
    statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
enum Statement {
    /// Lines that stand together.
    Plain(String),
    If {
        predicate: u8,
        then: Vec<Statement>,
        otherwise: Option<Vec<Statement>>,
    },
    /// As many trips as the low two bits of a register say.
    Loop {
        trips: u8,
        body: Vec<Statement>,
    },
}

impl Program {
    /// The program as `wave-asm` reads it.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from(".kernel k\n.registers 32\n.local_memory 1024\n");
        for (register, seed) in DATA.zip(&self.seeds) {
            line(&mut out, 0, &format!("mov_imm r{register}, {seed}"));
        }
        line(
            &mut out,
            0,
            "mov r1, sr_lane_id\nmov_imm r20, 0\nmov_imm r21, 1\nmov_imm r22, 511\nmov_imm r23, 31\nmov_imm r24, 3\nmov_imm r30, 0xbfffbfff",
        );
        write_all(&mut out, &self.statements, 0);
        // What local memory holds shows in registers in the end.
        line(&mut out, 0, "and r10, r1, r22\nlocal_load_u32 r25, r10\nlocal_load_u64 r26, r22\nhalt\n.end");
        out
    }
}

fn line(out: &mut String, depth: usize, lines: &str) {
    for line in lines.lines() {
        writeln!(out, "{:indent$}{line}", "", indent = 4 * (depth + 1)).expect("a string takes text");
    }
}

fn write_all(out: &mut String, statements: &[Statement], loops: usize) {
    for statement in statements {
        match statement {
            Statement::Plain(lines) => line(out, loops, lines),
            Statement::If { predicate, then, otherwise } => {
                line(out, loops, &format!("if p{predicate}"));
                write_all(out, then, loops);
                if let Some(otherwise) = otherwise {
                    line(out, loops, "else");
                    write_all(out, otherwise, loops);
                }
                line(out, loops, "endif");
            }
            Statement::Loop { body, .. } if loops == MAX_LOOPS => write_all(out, body, loops),
            Statement::Loop { trips, body } => {
                let counter = 12 + loops;
                line(
                    out,
                    loops,
                    &format!("and r{counter}, r{trips}, r24\nloop\nicmp_eq p0, r{counter}, r20\nbreak p0"),
                );
                line(out, loops, &format!("isub r{counter}, r{counter}, r21"));
                write_all(out, body, loops + 1);
                line(out, loops, "endloop");
            }
        }
    }
}

/// Any program.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    let seed = prop_oneof![any::<u32>(), 0u32..40, (-100f32..100.0).prop_map(f32::to_bits), edges()];
    (prop::collection::vec(seed, 10), statements())
        .prop_map(|(seeds, statements)| Program { seeds, statements })
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

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let plain = guarded().prop_map(Statement::Plain);
    let statement = plain.prop_recursive(5, 60, 6, |inner| {
        let block = prop::collection::vec(inner, 0..6);
        prop_oneof![
            (0u8..4, block.clone(), prop::option::of(block.clone()))
                .prop_map(|(predicate, then, otherwise)| Statement::If { predicate, then, otherwise }),
            (DATA, block).prop_map(|(trips, body)| Statement::Loop { trips, body }),
        ]
    });
    prop::collection::vec(statement, 1..16)
}

/// An instruction, at times with a guard on its last line.
fn guarded() -> impl Strategy<Value = String> {
    let guard = prop_oneof![3 => Just(String::new()), 1 => (1u8..4).prop_map(|p| format!("@p{p} ")), 1 => (0u8..4).prop_map(|p| format!("@!p{p} "))];
    (guard, instruction()).prop_map(|(guard, lines)| match lines.rsplit_once('\n') {
        Some((before, last)) => format!("{before}\n{guard}{last}"),
        None => guard + &lines,
    })
}

fn instruction() -> impl Strategy<Value = String> {
    prop_oneof![4 => arithmetic(), 2 => comparison(), 2 => memory(), 1 => lanes(), 1 => moves()]
}

/// A mnemonic, a result, and sources out of the data registers.
fn with(
    mnemonics: &'static [&'static str],
    result: &'static str,
    sources: usize,
) -> impl Strategy<Value = String> {
    let results = if result == "p" { 0..4 } else { DATA };
    (prop::sample::select(mnemonics), results, prop::collection::vec(DATA, sources)).prop_map(
        move |(mnemonic, d, sources)| {
            let sources: String = sources.iter().map(|source| format!(", r{source}")).collect();
            format!("{mnemonic} {result}{d}{sources}")
        },
    )
}

fn arithmetic() -> impl Strategy<Value = String> {
    const ONE: &[&str] = &[
        "iabs",
        "not",
        "bitcount",
        "bitfind",
        "bitrev",
        "fneg",
        "fabs",
        "fsqrt",
        "frsqrt",
        "frcp",
        "cvt_f32_f16",
        "cvt_f16_f32",
        "cvt_f32_f64",
        "cvt_f64_f32",
        "dsqrt",
    ];
    const TWO: &[&str] = &[
        "iadd", "isub", "imul", "imul_hi", "idiv", "imod", "imin", "imax", "and", "or", "xor", "shl", "shr",
        "sar", "fadd", "fsub", "fmul", "hadd", "hsub", "hmul", "hadd2", "hmul2", "dadd", "dsub", "dmul",
        "ddiv",
    ];
    const THREE: &[&str] = &["imad", "bfe"];
    // The crates run these backwards, so the text that they get says the opposite.
    let conversion = with(&["cvt_f32_i32", "cvt_f32_u32", "cvt_i32_f32", "cvt_u32_f32"], "r", 1);
    prop_oneof![2 => with(ONE, "r", 1), 4 => with(TWO, "r", 2), 2 => with(THREE, "r", 3), 1 => with(&["bfi"], "r", 4), 1 => conversion, 2 => without_nan()]
}

/// Operations on sources that are no NaN: whether a rounding makes it quiet, and which of several a fused operation gives, is up
/// to the host.
fn without_nan() -> impl Strategy<Value = String> {
    let narrow = (prop::sample::select(&["fma", "hma", "hma2"][..]), DATA, [DATA, DATA, DATA]).prop_map(
        |(op, d, [a, b, c])| {
            format!("and r15, r{a}, r30\nand r16, r{b}, r30\nand r17, r{c}, r30\n{op} r{d}, r15, r16, r17")
        },
    );
    let double = (0u8..9, [0u8..9, 0u8..9, 0u8..9]).prop_map(|(d, sources)| {
        let mut lines = String::new();
        for (at, source) in [15, 17, 28].into_iter().zip(sources) {
            let lines = &mut lines;
            write!(lines, "mov r{at}, r{source}\nand r{}, r{}, r30\n", at + 1, source + 1)
                .expect("a string takes text");
        }
        format!("{lines}dma r{d}, r15, r17, r28")
    });
    let rounding = prop::sample::select(&["ffloor", "fceil", "fround", "ftrunc", "ffract", "fsat"][..]);
    let rounding =
        (rounding, DATA, DATA).prop_map(|(op, d, a)| format!("and r15, r{a}, r30\n{op} r{d}, r15"));
    prop_oneof![2 => narrow, 1 => double, 2 => rounding]
}

fn comparison() -> impl Strategy<Value = String> {
    const COMPARE: &[&str] = &[
        "icmp_eq",
        "icmp_ne",
        "icmp_lt",
        "icmp_le",
        "icmp_gt",
        "icmp_ge",
        "ucmp_lt",
        "ucmp_le",
        "fcmp_eq",
        "fcmp_ne",
        "fcmp_lt",
        "fcmp_le",
        "fcmp_gt",
        "fcmp_ord",
        "fcmp_unord",
    ];
    let select = (DATA, 0u8..4, DATA, DATA).prop_map(|(d, p, a, b)| format!("select r{d}, p{p}, r{a}, r{b}"));
    prop_oneof![4 => with(COMPARE, "p", 2), 1 => select]
}

fn memory() -> impl Strategy<Value = String> {
    let width = prop::sample::select(&["u8", "u16", "u32", "u64"][..]);
    let space = prop::sample::select(&["local", "device"][..]);
    let op = prop::sample::select(&["add", "sub", "min", "max", "and", "or", "xor", "exchange"][..]);
    let access =
        (space.clone(), width, any::<bool>(), DATA, DATA).prop_map(|(space, width, load, address, data)| {
            let address = format!("and r10, r{address}, r22\n{space}_");
            if load {
                format!("{address}load_{width} r{data}, r10")
            } else {
                format!("{address}store_{width} r10, r{data}")
            }
        });
    let atomic =
        (space, op, prop::option::of(1u8..10), DATA, DATA).prop_map(|(space, op, result, address, data)| {
            let result = result.map(|result| format!("r{result}, ")).unwrap_or_default();
            let (prefix, scope) = if space == "local" { ("local_", "") } else { ("", ", .device") };
            format!("and r10, r{address}, r22\n{prefix}atomic_{op} {result}r10, r{data}{scope}")
        });
    prop_oneof![2 => access, 1 => atomic]
}

fn lanes() -> impl Strategy<Value = String> {
    let shuffle = prop::sample::select(
        &["wave_shuffle", "wave_shuffle_up", "wave_shuffle_down", "wave_shuffle_xor", "wave_broadcast"][..],
    );
    let shuffle = (shuffle, DATA, DATA, DATA)
        .prop_map(|(op, d, a, lane)| format!("and r10, r{lane}, r23\n{op} r{d}, r{a}, r10"));
    let vote = prop::sample::select(&["wave_any", "wave_all"][..]);
    let vote = (vote, 0u8..4, 0u8..4).prop_map(|(op, d, p)| format!("{op} p{d}, p{p}"));
    let ballot = (DATA, 0u8..4).prop_map(|(d, p)| format!("wave_ballot r{d}, p{p}"));
    let reduce = with(&["wave_prefix_sum", "wave_reduce_add", "wave_reduce_min", "wave_reduce_max"], "r", 1);
    prop_oneof![3 => shuffle, 1 => vote, 1 => ballot, 2 => reduce]
}

fn moves() -> impl Strategy<Value = String> {
    let special =
        prop::sample::select(&["sr_lane_id", "sr_thread_id_x", "sr_wave_width", "sr_workgroup_size_x"][..]);
    prop_oneof![
        with(&["mov"], "r", 1),
        (DATA, any::<u32>()).prop_map(|(d, value)| format!("mov_imm r{d}, {value}")),
        (DATA, special).prop_map(|(d, special)| format!("mov_sr r{d}, {special}")),
        Just("nop".to_owned()),
        Just("wait".to_owned()),
    ]
}
