//! The fast path for frequent operations gives the same values, findings and totals as the general path. A run that records
//! its registers uses the general path for every instruction.

use proptest::prelude::*;
use warplens_sim_ptx::Model;
use warplens_sim_warp::{Checks, Limits, RunOptions, RunResult};

use crate::common::{kernel, run_with};

/// Operations with `D`, `A`, `B` and `C` for 32-bit registers, `P` for a predicate, and `W` for a wide result.
const OPERATIONS: [&str; 37] = [
    "add.u32 D, A, B;",
    "add.s32 D, A, 77;",
    "sub.s32 D, A, B;",
    "mul.lo.u32 D, A, B;",
    "mad.lo.s32 D, A, B, C;",
    "and.b32 D, A, B;",
    "or.b32 D, A, B;",
    "xor.b32 D, A, B;",
    "mov.b32 D, A;",
    "shl.b32 D, A, 5;",
    "shl.b32 D, A, B;",
    "shr.u32 D, A, 3;",
    "shr.s32 D, A, B;",
    "mul.wide.u32 %rd3, A, B; cvt.u32.u64 D, %rd3;",
    "mul.wide.s32 %rd3, A, B; add.u64 %rd4, %rd3, %rd3; cvt.u32.u64 D, %rd4;",
    "mad.wide.u32 %rd3, A, B, %rd2; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 D, %rd3;",
    "mad.wide.s32 %rd3, A, B, %rd2; mov.b64 %rd4, %rd3; cvt.u32.u64 D, %rd4;",
    "shl.b64 %rd3, %rd2, 7; cvt.u32.u64 D, %rd3;",
    "add.f32 D, A, B;",
    "sub.f32 D, A, B;",
    "mul.f32 D, A, B;",
    "fma.rn.f32 D, A, B, C;",
    "setp.eq.u32 P, A, B;",
    "setp.ne.s32 P, A, B;",
    "setp.lt.u32 P, A, B;",
    "setp.le.s32 P, A, B;",
    "setp.gt.u32 P, A, B;",
    "setp.ge.s32 P, A, B;",
    "setp.gt.s32 P, A, B;",
    "setp.le.u32 P, A, B;",
    "@P add.u32 D, A, B;",
    "@!P xor.b32 D, A, B;",
    "@P ld.shared.u32 D, [%r20];",
    "@!P st.shared.u32 [%r20], A;",
    "bar.sync 0;",
    "ld.shared.u32 D, [%r20 + 4];",
    "st.shared.u32 [%r20], A;",
];

/// The address of the lane's next access: the lane's own word, one word for all lanes, a word of any lane, or, rarely, no
/// word.
const ADDRESSES: [&str; 7] = [
    "shl.b32 %r20, %r1, 2; add.u32 %r20, %r20, %r21;",
    "and.b32 %r20, %r1, 16; add.u32 %r20, %r20, %r21;",
    "mov.u32 %r20, %r21;",
    "and.b32 %r20, A, 124; add.u32 %r20, %r20, %r21;",
    "shr.u32 %r20, %r1, 3; shl.b32 %r20, %r20, 2; add.u32 %r20, %r20, %r21;",
    "and.b32 %r20, A, 1023; add.u32 %r20, %r20, %r21;",
    "and.b32 %r20, A, 126; add.u32 %r20, %r20, %r21;",
];

/// How many of the addresses are words.
const VALID: usize = 5;

#[derive(Clone, Debug)]
struct Step {
    operation: usize,
    address: Option<usize>,
    registers: [u8; 4],
    predicate: u8,
    /// Threads below this one branch over the step, unless it is a barrier.
    skipped: Option<u8>,
    /// The operation that the branching threads execute on their path.
    other: Option<usize>,
}

fn step() -> impl Strategy<Value = Step> {
    let address = prop_oneof![
        6 => Just(None),
        4 => (0..VALID).prop_map(Some),
        1 => (VALID..ADDRESSES.len()).prop_map(Some),
    ];
    let skipped = prop_oneof![3 => Just(None), 1 => (1..48u8).prop_map(Some)];
    let registers = [2..10u8, 2..10u8, 2..10u8, 2..10u8];
    let other = prop::option::of(0..OPERATIONS.len());
    (0..OPERATIONS.len(), address, registers, 1..4u8, skipped, other).prop_map(
        |(operation, address, registers, predicate, skipped, other)| Step {
            operation,
            address,
            registers,
            predicate,
            skipped,
            other,
        },
    )
}

/// A loop of the steps. Everything is defined first, because undefined values would need the general path.
fn text(steps: &[Step], target: &str) -> String {
    let mut body = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
         add.u64 %rd1, %rd1, %rd2;\nmov.u32 %r21, buffer;\nshl.b32 %r20, %r1, 2;\nadd.u32 %r20, %r20, %r21;\n\
         st.shared.u32 [%r20], %r1;\nsetp.lt.u32 %p4, %r1, 16;\n\
         @%p4 st.shared.u32 [%r20 + 192], %r1;\nbar.sync 0;\nmov.u32 %r22, 0;\n"
        .to_owned();
    for register in 2..10 {
        body += &format!("mad.lo.u32 %r{register}, %r1, {}, 0x3f800000;\n", 2_654_435_769_u32 >> register);
    }
    for predicate in 1..4 {
        body += &format!("setp.lt.u32 %p{predicate}, %r1, {};\n", 13 * predicate);
    }
    body += "LOOP:\n";
    for (number, step) in steps.iter().enumerate() {
        body += &instructions(step, number);
    }
    body += "add.u32 %r22, %r22, 1;\nsetp.lt.u32 %p5, %r22, 3;\n@%p5 bra LOOP;\n";
    for register in 3..10 {
        body += &format!("xor.b32 %r2, %r2, %r{register};\n");
    }
    body += "st.global.u32 [%rd1], %r2;\nret;";
    let shared = ".shared .align 4 .b8 buffer[256];\n";
    kernel(&format!("{shared}{body}")).replace("sm_90", target)
}

fn instructions(step: &Step, number: usize) -> String {
    let operation = OPERATIONS[step.operation];
    let address = step.address.map_or("", |address| ADDRESSES[address]);
    let words = format!("{address} {}", with_registers(operation, step));
    let is_barrier = |operation: &str| operation.starts_with("bar");
    let Some(before) = step.skipped.filter(|_| !is_barrier(operation)) else { return format!("{words}\n") };
    let other = step.other.map(|other| OPERATIONS[other]).filter(|other| !is_barrier(other));
    let skip = format!("setp.lt.u32 %p6, %r1, {before};\n@%p6 bra SKIP{number};\n");
    match other {
        Some(other) => {
            let other = with_registers(other, step);
            format!("{skip}{words}\nbra JOIN{number};\nSKIP{number}:\n{other}\nJOIN{number}:\n")
        }
        None => format!("{skip}{words}\nSKIP{number}:\n"),
    }
}

fn with_registers(operation: &str, step: &Step) -> String {
    let [d, a, b, c] = step.registers.map(|register| format!("%r{register}"));
    operation
        .replace("D,", &format!("{d},"))
        .replace(" A", &format!(" {a}"))
        .replace(" B", &format!(" {b}"))
        .replace(" C", &format!(" {c}"))
        .replace(" P,", &format!(" %p{},", step.predicate))
        .replace("@P", &format!("@%p{}", step.predicate))
        .replace("@!P", &format!("@!%p{}", step.predicate))
}

fn run(text: &str, model: Model, options: &RunOptions) -> (RunResult, Vec<u8>) {
    let (_, _, result, bytes) = run_with(text, 48, 192, model, options);
    (result, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn both_ways_agree(
        steps in prop::collection::vec(step(), 1..24),
        lockstep in any::<bool>(),
        model in prop::sample::select(&Model::ALL[..]),
        max_steps in prop_oneof![2 => Just(10_000u64), 1 => 1..600u64],
        max_warps in prop_oneof![Just(1024), Just(0)],
    ) {
        let text = text(&steps, if lockstep { "sm_60" } else { "sm_90" });
        for checks in [Checks::default(), Checks::ALL] {
            let limits = Limits { max_steps, max_warps, ..Limits::default() };
            let options = RunOptions { checks, limits, ..RunOptions::default() };
            let general = RunOptions { registers: true, ..options };
            let ((quick, bytes), (general, others)) = (run(&text, model, &options), run(&text, model, &general));
            prop_assert_eq!(quick.status, general.status);
            prop_assert_eq!(quick.totals, general.totals);
            prop_assert_eq!(&quick.findings, &general.findings);
            prop_assert_eq!(&quick.summed, &general.summed);
            prop_assert_eq!(bytes, others);
            if max_warps == 0 {
                continue;
            }
            for (quick, general) in quick.warps.iter().zip(&general.warps) {
                prop_assert_eq!(&quick.lines, &general.lines);
                prop_assert_eq!(&quick.reconvergences, &general.reconvergences);
            }
        }
    }
}
