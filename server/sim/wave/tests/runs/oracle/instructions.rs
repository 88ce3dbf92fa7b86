//! Every instruction of toolchain 0.1.2, as far as the oracle executes it correctly.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use super::generator::DATA;

/// How an instruction may access memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// In any way, because there is only one wave.
    Alone,
    /// In any way, but only the thread's own bytes.
    Own,
    /// Loads from anywhere.
    Read,
    /// This atomic anywhere, if the old value is unused.
    Commuting(&'static str),
    /// Not at all.
    Nothing,
}

type Lines = BoxedStrategy<String>;

/// An instruction, sometimes with a guard on its last line.
pub(crate) fn guarded(sharing: Sharing) -> impl Strategy<Value = String> {
    let guard = prop_oneof![3 => Just(String::new()), 2 => guard()];
    (guard, instruction(sharing)).prop_map(|(guard, lines)| match lines.rsplit_once('\n') {
        Some((before, last)) => format!("{before}\n{guard} {last}"),
        None => format!("{guard} {lines}"),
    })
}

/// A guard that the toolchain obeys: any but `@p0`.
pub(crate) fn guard() -> impl Strategy<Value = String> {
    prop_oneof![(1u8..4).prop_map(|p| format!("@p{p}")), (0u8..4).prop_map(|p| format!("@!p{p}"))]
}

fn instruction(sharing: Sharing) -> Lines {
    let shared = [(3, plain()), (3, prepared()), (3, comparison()), (2, across()), (1, moves())];
    let memory = memory(sharing).into_iter().map(|lines| (3, lines));
    Union::new_weighted(shared.into_iter().chain(memory).collect()).boxed()
}

/// One of the mnemonics with a result and sources in data registers.
fn with(mnemonics: &'static [&'static str], result: &'static str, sources: usize) -> Lines {
    let results = if result == "p" { 0..4 } else { DATA };
    (select(mnemonics), results, prop::collection::vec(DATA, sources))
        .prop_map(move |(mnemonic, d, sources)| {
            let sources: String = sources.iter().map(|source| format!(", r{source}")).collect();
            format!("{mnemonic} {result}{d}{sources}")
        })
        .boxed()
}

/// Arithmetic that accepts any operands.
fn plain() -> Lines {
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
        "fsin",
        "fcos",
        "fexp2",
        "flog2",
        "cvt_f32_f16",
        "cvt_f16_f32",
        "cvt_f32_f64",
        "cvt_f64_f32",
        "dsqrt",
        "cvt_f32_i32",
        "cvt_f32_u32",
        "cvt_i32_f32",
        "cvt_u32_f32",
    ];
    const TWO: &[&str] = &[
        "iadd", "isub", "imul", "imul_hi", "idiv", "imod", "imin", "imax", "and", "or", "xor", "shl", "shr",
        "sar", "fadd", "fsub", "fmul", "hadd", "hsub", "hmul", "hadd2", "hmul2", "dadd", "dsub", "dmul",
        "ddiv",
    ];
    prop_oneof![
        2 => with(ONE, "r", 1),
        4 => with(TWO, "r", 2),
        2 => with(&["imad", "bfe"], "r", 3),
        1 => with(&["bfi"], "r", 4),
    ]
    .boxed()
}

/// Arithmetic that needs certain operands: nonzero divisors, ordered bounds, numbers other than NaN (the host
/// decides whether a rounding makes a NaN quiet, and which of several NaNs a fused operation returns).
fn prepared() -> Lines {
    let one = (select(&["ffloor", "fceil", "fround", "ftrunc", "ffract", "fsat"][..]), DATA, DATA)
        .prop_map(|(op, d, a)| format!("and r15, r{a}, r30\n{op} r{d}, r15"));
    let negate = (DATA, DATA).prop_map(|(d, a)| format!("shr r15, r{a}, r21\nineg r{d}, r15"));
    let least = (select(&["fmin", "fmax"][..]), DATA, DATA, DATA)
        .prop_map(|(op, d, a, b)| format!("and r15, r{a}, r30\n{op} r{d}, r15, r{b}"));
    let divide = (DATA, DATA, DATA).prop_map(|(d, a, b)| format!("or r15, r{b}, r21\nfdiv r{d}, r{a}, r15"));
    let clamp = (DATA, [DATA, DATA, DATA]).prop_map(|(d, [a, b, c])| {
        format!("imin r15, r{b}, r{c}\nimax r16, r{b}, r{c}\niclamp r{d}, r{a}, r15, r16")
    });
    let clamp_float = (DATA, [DATA, DATA, DATA]).prop_map(|(d, [a, b, c])| {
        format!("and r15, r{b}, r30\nand r16, r{c}, r30\nfmin r17, r15, r16\nfmax r16, r15, r16\nfclamp r{d}, r{a}, r17, r16")
    });
    let fused =
        (select(&["fma", "hma", "hma2"][..]), DATA, [DATA, DATA, DATA]).prop_map(|(op, d, [a, b, c])| {
            format!("and r15, r{a}, r30\nand r16, r{b}, r30\nand r17, r{c}, r30\n{op} r{d}, r15, r16, r17")
        });
    let double = (0u8..9, [0u8..9, 0u8..9, 0u8..9]).prop_map(|(d, sources)| {
        let mut lines = String::new();
        for (at, source) in [15, 17, 28].into_iter().zip(sources) {
            write!(lines, "mov r{at}, r{source}\nand r{}, r{}, r30\n", at + 1, source + 1)
                .expect("a string takes text");
        }
        format!("{lines}dma r{d}, r15, r17, r28")
    });
    prop_oneof![2 => one, 1 => negate, 1 => least, 1 => divide, 1 => clamp, 1 => clamp_float, 2 => fused, 1 => double]
        .boxed()
}

fn comparison() -> Lines {
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
    prop_oneof![4 => with(COMPARE, "p", 2), 1 => select].boxed()
}

/// Loads, stores and atomics, as far as they are allowed.
fn memory(sharing: Sharing) -> Option<Lines> {
    Some(match sharing {
        Sharing::Nothing => return None,
        Sharing::Alone => prop_oneof![load(anywhere()), store(anywhere()), atomic(anywhere())].boxed(),
        Sharing::Own => prop_oneof![load(own()), store(own()), atomic(own())].boxed(),
        Sharing::Read => load(anywhere()),
        // Words that do not overlap, because a sum of partial words would depend on the order.
        Sharing::Commuting(op) => (select(&["local", "device"][..]), DATA, DATA, scope())
            .prop_map(move |(space, address, data, scope)| {
                let (prefix, scope) = if space == "local" { ("local_", "") } else { ("", scope) };
                let address = format!("and r10, r{address}, r23\niadd r10, r10, r10\niadd r10, r10, r10");
                format!("{address}\n{prefix}atomic_{op} r10, r{data}{scope}")
            })
            .boxed(),
    })
}

/// A memory, and the line that sets `r10` to an address that several threads may use.
fn anywhere() -> BoxedStrategy<(&'static str, String)> {
    (select(&["local", "device"][..]), DATA)
        .prop_map(|(space, data)| (space, format!("and r10, r{data}, r22")))
        .boxed()
}

/// A memory, and the lines that set `r10` to one of the thread's own addresses.
fn own() -> BoxedStrategy<(&'static str, String)> {
    (select(&[("local", 31), ("device", 19)][..]), DATA)
        .prop_map(|((space, base), data)| (space, format!("and r10, r{data}, r24\niadd r10, r10, r{base}")))
        .boxed()
}

fn load(address: BoxedStrategy<(&'static str, String)>) -> Lines {
    let narrow = (address, width(), hint(), DATA).prop_map(|((space, address), width, hint, data)| {
        format!("{address}\n{space}_load_{width}{hint} r{data}, r10")
    });
    // The thread's own 16 bytes, or for a single wave whatever is there.
    let wide = (0u8..6).prop_map(|data| format!("device_load_u128 r{data}, r19"));
    prop_oneof![6 => narrow, 1 => wide].boxed()
}

fn store(address: BoxedStrategy<(&'static str, String)>) -> Lines {
    let narrow = (address, width(), hint(), DATA).prop_map(|((space, address), width, hint, data)| {
        format!("{address}\n{space}_store_{width}{hint} r10, r{data}")
    });
    let wide = (0u8..6).prop_map(|data| format!("device_store_u128 r19, r{data}"));
    prop_oneof![6 => narrow, 1 => wide].boxed()
}

fn width() -> impl Strategy<Value = &'static str> {
    select(&["u8", "u16", "u32", "u64"][..])
}

fn hint() -> impl Strategy<Value = &'static str> {
    select(&["", ".cached", ".uncached", ".streaming"][..])
}

fn atomic(address: BoxedStrategy<(&'static str, String)>) -> Lines {
    let op = select(&["add", "sub", "min", "max", "and", "or", "xor", "exchange"][..]);
    // r0 as the result register means that the result is unused.
    let result = prop::option::of(1u8..10);
    (address, op, result, DATA, scope())
        .prop_map(|((space, address), op, result, data, scope)| {
            let result = result.map(|result| format!("r{result}, ")).unwrap_or_default();
            let (prefix, scope) = if space == "local" { ("local_", "") } else { ("", scope) };
            format!("{address}\n{prefix}atomic_{op} {result}r10, r{data}{scope}")
        })
        .boxed()
}

fn scope() -> impl Strategy<Value = &'static str> {
    select(&[", .wave", ", .workgroup", ", .device", ", .system"][..])
}

fn across() -> Lines {
    let shuffle = select(
        &["wave_shuffle", "wave_shuffle_up", "wave_shuffle_down", "wave_shuffle_xor", "wave_broadcast"][..],
    );
    let shuffle = (shuffle, DATA, DATA, DATA)
        .prop_map(|(op, d, a, lane)| format!("and r10, r{lane}, r23\n{op} r{d}, r{a}, r10"));
    let vote = (select(&["wave_any", "wave_all"][..]), 0u8..4, 0u8..4)
        .prop_map(|(op, d, p)| format!("{op} p{d}, p{p}"));
    let ballot = (DATA, 0u8..4).prop_map(|(d, p)| format!("wave_ballot r{d}, p{p}"));
    let reduce = with(&["wave_prefix_sum", "wave_reduce_add", "wave_reduce_min", "wave_reduce_max"], "r", 1);
    prop_oneof![3 => shuffle, 1 => vote, 1 => ballot, 2 => reduce].boxed()
}

fn moves() -> Lines {
    const SPECIAL: &[&str] = &[
        "sr_thread_id_x",
        "sr_thread_id_y",
        "sr_thread_id_z",
        "sr_wave_id",
        "sr_lane_id",
        "sr_workgroup_id_x",
        "sr_workgroup_id_y",
        "sr_workgroup_id_z",
        "sr_workgroup_size_x",
        "sr_workgroup_size_y",
        "sr_workgroup_size_z",
        "sr_grid_size_x",
        "sr_grid_size_y",
        "sr_grid_size_z",
        "sr_wave_width",
        "sr_num_waves",
    ];
    let fence = (
        select(&["acquire", "release", "acq_rel"][..]),
        select(&["wave", ".workgroup", ".device", "system"][..]),
    );
    prop_oneof![
        2 => with(&["mov"], "r", 1),
        2 => (DATA, any::<u32>()).prop_map(|(d, value)| format!("mov_imm r{d}, {value}")),
        2 => (select(&["mov", "mov_sr"][..]), DATA, select(SPECIAL)).prop_map(|(op, d, special)| format!("{op} r{d}, {special}")),
        1 => fence.prop_map(|(kind, scope)| format!("fence_{kind} {scope}")),
        1 => select(&["nop", "wait"][..]).prop_map(str::to_owned),
    ]
    .boxed()
}
