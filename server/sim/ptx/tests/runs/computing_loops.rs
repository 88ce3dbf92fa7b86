//! Loops that only compute: infinite loops are reported, and loops that end do finish, even if they look the same at many
//! branches.

use crate::common::{Source, words};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Checks, Control, Limits, RunOptions, RunResult, Status};

/// Runs a body in kernel `k` with one warp, after a function `count` that contains a loop of 16 iterations. `%rd1` is a
/// buffer of 64 words, `%r1` the thread.
fn launch(body: &str, options: RunOptions) -> (RunResult, Vec<u32>) {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .func count()\n{{\n.reg .pred %p;\n.reg .b32 %f<60>;\nmov.u32 %f59, 16;\nCOUNT:\nsub.u32 %f59, %f59, 1;\n\
         setp.ne.u32 %p, %f59, 0;\n@%p bra COUNT;\n}}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n\
         .shared .align 4 .b32 counter;\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nst.shared.u32 [counter], %r2;\n{body}\n}}\n"
    );
    let program = Source::new(&text).program("k");
    let mut config = launch_config([1; 3], [32, 1, 1]);
    let out = config.memory.allocate("out", 256).expect("space");
    config.params = out.to_le_bytes().to_vec();
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let values = words(result.memory.bytes(out, 256).expect("the buffer"));
    (result, values)
}

/// Options for a plain run, a run with all checks, and one with register values, which does not use the fast loop.
fn each_way() -> [RunOptions; 3] {
    let limits = Limits { max_steps: 400_000, ..Limits::default() };
    let plain = RunOptions { limits, ..RunOptions::default() };
    [plain, RunOptions { checks: Checks::ALL, ..plain }, RunOptions { registers: true, ..plain }]
}

#[test]
fn loops_without_an_end() {
    let bodies = [
        "LOOP:\nadd.u32 %r2, %r2, 1;\nand.b32 %r2, %r2, 7;\nbra LOOP;",
        // The state repeats after 100 iterations.
        "LOOP:\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r2, 100;\nselp.b32 %r2, 0, %r2, %p1;\nbra LOOP;",
        "LOOP:\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r2, 100;\n@%p1 mov.u32 %r2, 0;\nbra LOOP;",
        // A nested loop.
        "LOOP:\nmov.u32 %r3, 16;\nINNER:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra INNER;\nbra LOOP;",
        // Lanes diverge in each iteration.
        "LOOP:\nadd.u32 %r2, %r2, 1;\nand.b32 %r2, %r2, 7;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra SKIP;\nmov.u32 %r4, 1;\n\
         SKIP:\nbra LOOP;",
        // Each iteration of the outer loop reads memory that never changes.
        "LOOP:\nld.volatile.global.u32 %r2, [%rd1];\nmov.u32 %r3, 16;\nINNER:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n\
         @%p1 bra INNER;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra LOOP;\nret;",
    ];
    for body in bodies {
        let runs = each_way().map(|options| launch(body, options).0);
        for run in &runs {
            assert_eq!(run.status, Status::NoProgress, "{body} {:?}", run.findings);
            assert_eq!(run.totals, runs[0].totals, "{body}");
        }
    }
}

/// At each branch of the inner loop, the registers have the values of 17 branches before, but the memory does not.
#[test]
fn loops_that_end() {
    let shared = "ld.shared.u32 %r4, [counter];\nadd.u32 %r4, %r4, 1;\nst.shared.u32 [counter], %r4;\n";
    let global = "atom.global.add.u32 %r4, [%rd1+4], 1;\nshr.u32 %r4, %r4, 5;\nadd.u32 %r4, %r4, 1;\n";
    let inner = "mov.u32 %r3, 16;\nINNER:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra INNER;\n";
    let call = "call count;\n";
    for counts in [shared, global] {
        for inner in [inner, call] {
            let body = format!(
                "LOOP:\n{counts}setp.lt.u32 %p2, %r4, 300;\nst.global.u32 [%rd1], %r4;\nmov.u32 %r4, 0;\n{inner}\
                 @%p2 bra LOOP;\nret;"
            );
            let runs = each_way().map(|options| launch(&body, options));
            for (run, values) in &runs {
                assert_eq!((run.status, values[0]), (Status::Finished, 300), "{body} {:?}", run.findings);
                assert_eq!(run.totals, runs[0].0.totals, "{body}");
            }
        }
    }
}
