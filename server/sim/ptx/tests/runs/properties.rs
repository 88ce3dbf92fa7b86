//! Properties of every run, tested on random control flow: arbitrary branches, jumps into loops, early exits.

use crate::common::{Source, kernel, run_kernel, run_with};
use proptest::prelude::*;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run as run_program};
use warplens_sim_warp::{Control, Limits, LineTrace, Mask, RunOptions, RunResult, Status, Visit, WarpTrace};

/// A block changes a value, uses fuel, and may branch on a bit of the value.
#[derive(Clone, Debug)]
struct Block {
    factor: u32,
    bit: u32,
    target: usize,
    end: End,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Falls,
    Jumps(usize),
    Exits(u32),
    Calls,
}

fn block() -> impl Strategy<Value = Block> {
    let end = prop_oneof![
        3 => Just(End::Falls),
        2 => (0..8usize).prop_map(End::Jumps),
        1 => (0..32u32).prop_map(End::Exits),
        1 => Just(End::Calls),
    ];
    (any::<u32>(), 0..32u32, 0..8usize, end).prop_map(|(factor, bit, target, end)| Block {
        factor: factor | 1,
        bit,
        target,
        end,
    })
}

/// Every thread runs through the blocks until its fuel is used up, and then stores its value.
fn text(blocks: &[Block]) -> String {
    let mut body =
        "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 2654435769, 12345;\nmov.u32 %r3, 20;\n".to_owned();
    for (index, block) in blocks.iter().enumerate() {
        let Block { factor, bit, target, end } = block;
        let target = target % blocks.len();
        body += &format!(
            "B{index}:\nsub.u32 %r3, %r3, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra DONE;\n\
             mad.lo.u32 %r2, %r2, {factor}, %r1;\nbfe.u32 %r4, %r2, {bit}, 1;\nsetp.ne.u32 %p2, %r4, 0;\n"
        );
        match end {
            End::Falls => {}
            End::Jumps(to) => body += &format!("@!%p2 bra B{};\n", to % blocks.len()),
            End::Exits(lane) => {
                body +=
                    &format!("setp.eq.u32 %p3, %r1, {lane};\n@%p3 st.global.u32 [%rd1], %r2;\n@%p3 exit;\n");
            }
            End::Calls => body += "@%p2 call (%r2), turn, (%r2);\n",
        }
        body += &format!("@%p2 bra B{target};\n");
    }
    // The last instruction is a divergent branch, one path of which runs past the end of the function.
    body += "DONE:\nst.global.u32 [%rd1], %r2;\nbra LAST;\nOVER:\nret;\nLAST:\nsetp.lt.u32 %p1, %r1, 17;\n@%p1 bra OVER;";
    let address = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\n";
    let function = ".func (.reg .u32 r) turn(.reg .u32 n)\n{\n.reg .pred %p;\nsetp.lt.s32 %p, n, 0;\n\
                    @%p bra N;\nadd.u32 r, n, 77;\nret;\nN:\nmul.lo.u32 r, n, 5;\nret;\n}\n.visible .entry";
    kernel(&format!("{address}{body}")).replacen(".visible .entry", function, 1)
}

fn run(text: &str, model: Model) -> (RunResult, Vec<u8>) {
    let (_, _, result, bytes) = run_kernel(text, 40, 160, model);
    (result, bytes)
}

/// The visits of a statement, with repeated visits listed separately.
fn visits(line: &LineTrace) -> Vec<(Mask, Mask)> {
    let repeated = |visit: &Visit| std::iter::repeat_n((visit.active, visit.executed), visit.repeat as usize);
    line.visits.iter().flat_map(repeated).collect()
}

/// Number of lanes that executed each statement, over all warps.
fn executed(result: &RunResult) -> Vec<(u32, u64)> {
    result.summed.iter().map(|line| (line.statement.0, line.executed_lanes)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn models_agree_on_everything_but_order(blocks in prop::collection::vec(block(), 2..8)) {
        let text = text(&blocks);
        let (stack, bytes) = run(&text, Model::Stack);
        prop_assert_eq!(stack.status, Status::Finished);
        for model in Model::ALL {
            let (other, others) = run(&text, model);
            prop_assert_eq!(other.status, Status::Finished, "{}", model.name());
            prop_assert_eq!(&bytes, &others, "{}", model.name());
            // The models move lanes differently, but each lane executes the same statements equally often.
            prop_assert_eq!(executed(&stack), executed(&other), "{}", model.name());
        }
    }

    #[test]
    fn runs_are_deterministic_and_masks_contain_live_lanes(blocks in prop::collection::vec(block(), 2..8)) {
        let text = text(&blocks);
        for model in Model::ALL {
            let (first, bytes) = run(&text, model);
            let (second, again) = run(&text, model);
            prop_assert_eq!(&first.warps, &second.warps);
            prop_assert_eq!(bytes, again);
            for warp in &first.warps {
                for line in &warp.lines {
                    prop_assert!(line.active & !warp.launched == 0 && line.executed & !line.active == 0);
                    let visits: u64 = line.visits.iter().map(|visit| visit.repeat).sum();
                    prop_assert_eq!(visits, line.count);
                    let masks = |visit: &Visit| (visit.active, visit.executed);
                    let folded = line.visits.windows(2).all(|pair| masks(&pair[0]) != masks(&pair[1]));
                    prop_assert!(folded);
                }
            }
        }
    }
}

proptest! {
    // Each case takes many runs, and short programs cover all limits.
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Later blocks do not see the registers and memory of earlier ones, whether their traces are recorded or not.
    #[test]
    fn every_block_starts_clean(blocks in prop::collection::vec(block(), 2..8)) {
        let left = "mov.u32 %r9, %r2;\nst.local.u32 [kept], %r2;\nret;";
        let found = ".local .u32 kept;\nld.local.u32 %r8, [kept];\nadd.u32 %r8, %r8, %r9;\nmov.u32 %r7, %ctaid.x;\n\
                     add.u32 %r2, %r8, %r7;\nmov.u32 %r3, 20;";
        let text = text(&blocks).replace("ret;\nLAST", &format!("{left}\nLAST")).replace("mov.u32 %r3, 20;", found);
        let program = Source::new(&text).program("k");
        for model in Model::ALL {
            let grid = |max_warps| {
                let mut config = launch_config([5, 1, 1], [40, 1, 1]);
                let out = config.memory.allocate("out", 160).expect("space");
                config.params = out.to_le_bytes().to_vec();
                let options = RunOptions { limits: Limits { max_warps, ..Limits::default() }, ..RunOptions::default() };
                let result = run_program(&program, config, model, &options, Control::none()).expect("not cancelled");
                let bytes = result.memory.bytes(out, 160).expect("the buffer").to_vec();
                (result, bytes)
            };
            let ((few, bytes), (all, others)) = (grid(1), grid(10));
            prop_assert_eq!((few.warps.len(), all.warps.len()), (1, 10));
            prop_assert_eq!((few.status, few.totals), (all.status, all.totals), "{}", model.name());
            prop_assert_eq!(&few.summed, &all.summed, "{}", model.name());
            prop_assert_eq!(bytes, others, "{}", model.name());
        }
    }

    /// A limit ends a run between two instructions, even where groups diverge, reconverge and take turns. It does not change
    /// the steps before.
    #[test]
    fn a_limit_only_truncates_a_run(blocks in prop::collection::vec(block(), 2..8), cut in 0.0..1.0f64) {
        let text = text(&blocks);
        for model in Model::ALL {
            let (whole, _) = run(&text, model);
            let steps = (whole.totals.warp_instructions as f64 * cut) as u64;
            let limited = |max_steps| {
                let options = RunOptions { limits: Limits { max_steps, ..Limits::default() }, ..RunOptions::default() };
                run_with(&text, 40, 160, model, &options).2
            };
            let (before, after) = (limited(steps), limited(steps + 1));
            prop_assert_eq!(before.totals.warp_instructions, steps, "{}", model.name());
            prop_assert_eq!(after.totals.warp_instructions, steps + 1, "{}", model.name());
            for warp in &before.warps {
                let same = |other: &&WarpTrace| (other.cta, other.warp) == (warp.cta, warp.warp);
                let full = whole.warps.iter().find(same).expect("the warp ran");
                for line in &warp.lines {
                    let full = full.lines.iter().find(|other| other.statement == line.statement);
                    let full = full.expect("the statement was reached");
                    prop_assert!(visits(full).starts_with(&visits(line)), "{}", model.name());
                }
            }
        }
    }
}
