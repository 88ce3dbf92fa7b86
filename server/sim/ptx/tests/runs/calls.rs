//! Calls under every model: divergent returns, recursion, indirect calls, and the order of thread frontiers.

use crate::common::{kernel, run_kernel, words};
use proptest::prelude::*;
use warplens_sim_ptx::Model;
use warplens_sim_warp::{FindingKind, Status};

const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Runs kernel `k` of a text under every model with 64 threads; returns the words, which must agree.
fn run(text: &str) -> Vec<u32> {
    let mut runs = Model::ALL.into_iter().map(|model| {
        let (_, _, result, bytes) = run_kernel(text, 64, 256, model);
        assert_eq!(result.status, Status::Finished, "{}: {:?}", model.name(), result.findings);
        assert!(result.findings.is_empty(), "{}: {:?}", model.name(), result.findings);
        words(&bytes)
    });
    let first = runs.next().expect("a model");
    runs.for_each(|other| assert_eq!(first, other));
    first
}

/// A kernel that stores `%v` after `body`; `%t` is the thread.
fn storing(functions: &str, body: &str) -> String {
    format!(
        "
            {HEAD}{functions}.visible .entry k(.param .u64 out)
            {{
                .reg .pred %p<4>;
                .reg .u32 %t, %v, %w;
                .reg .u64 %a, %o, %f;
                mov.u32 %t, %tid.x;
                {body}
                ld.param.u64 %a, [out];
                mul.wide.u32 %o, %t, 4;
                add.u64 %a, %a, %o;
                st.global.u32 [%a], %v;
                ret;
            }}
        "
    )
}

#[test]
fn recursion_with_a_depth_per_lane() {
    let sum = "
        .func (.reg .u32 r) sum(.reg .u32 n)
        {
            .reg .pred %p;
            .reg .u32 %m;
            setp.ne.u32 %p, n, 0;
            @%p bra MORE;
            mov.u32 r, 0;
            ret;
            MORE:
            sub.u32 %m, n, 1;
            call (r), sum, (%m);
            add.u32 r, r, n;
            ret;
        }
    ";
    let words = run(&storing(sum, "and.b32 %w, %t, 15;\ncall (%v), sum, (%w);"));
    let expected: Vec<u32> = (0..64).map(|lane: u32| (0..=lane % 16).sum()).collect();
    assert_eq!(words, expected);
}

#[test]
fn functions_by_address_with_a_prototype_and_with_a_table() {
    let functions = "
        .func (.reg .u32 r) twice(.reg .u32 n)
        {
            add.u32 r, n, n;
            ret;
        }
        .func (.reg .u32 r) square(.reg .u32 n)
        {
            mul.lo.u32 r, n, n;
            ret;
        }
    ";
    let choose =
        "and.b32 %w, %t, 1;\nsetp.eq.u32 %p0, %w, 0;\nmov.u64 %f, twice;\n@%p0 mov.u64 %f, square;\n";
    let expected: Vec<u32> =
        (0..64).map(|lane: u32| if lane.is_multiple_of(2) { lane * lane } else { 2 * lane }).collect();
    let prototype = "P: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%v), %f, (%t), P;";
    assert_eq!(run(&storing(functions, &format!("{choose}{prototype}"))), expected);
    let table = "T: .calltargets twice, square;\ncall (%v), %f, (%t), T;";
    assert_eq!(run(&storing(functions, &format!("{choose}{table}"))), expected);
}

#[test]
fn returns_from_the_middle_of_a_loop() {
    let steps = "
        .func (.reg .u32 r) steps(.reg .u32 n)
        {
            .reg .pred %p;
            .reg .u32 %b;
            mov.u32 r, 0;
            NEXT:
            setp.le.u32 %p, n, 1;
            @%p ret;
            add.u32 r, r, 1;
            and.b32 %b, n, 1;
            setp.eq.u32 %p, %b, 0;
            @%p bra EVEN;
            mad.lo.u32 n, n, 3, 1;
            bra NEXT;
            EVEN:
            shr.u32 n, n, 1;
            bra NEXT;
        }
    ";
    let words = run(&storing(steps, "add.u32 %w, %t, 1;\ncall (%v), steps, (%w);"));
    let collatz = |mut n: u32| {
        let mut steps = 0;
        while n > 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    assert_eq!(words, (1..=64).map(collatz).collect::<Vec<u32>>());
}

#[test]
fn lanes_that_exit_in_a_function_do_not_block_the_others() {
    let leave = "
        .func leave(.reg .u32 n)
        {
            .reg .pred %p;
            setp.lt.u32 %p, n, 20;
            @%p exit;
            ret;
        }
    ";
    let words = run(&storing(leave, "call leave, (%t);\nadd.u32 %v, %t, 1;"));
    let expected: Vec<u32> = (0..64).map(|lane| if lane < 20 { 0 } else { lane + 1 }).collect();
    assert_eq!(words, expected);
}

/// Blocks with only forward branches, whose targets depend on bits of a per-thread value.
fn forward(targets: &[(usize, usize)]) -> String {
    let count = targets.len();
    let mut body = "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r2, %r1, 2654435769, 12345;\n".to_owned();
    for (index, (near, far)) in targets.iter().enumerate() {
        let to = |step: &usize| (index + 1 + step).min(count);
        body += &format!(
            "
                B{index}:
                bfe.u32 %r4, %r2, {index}, 1;
                setp.ne.u32 %p1, %r4, 0;
                @%p1 bra B{};
                bra B{};
            ",
            to(far),
            to(near)
        );
    }
    kernel(&(body + &format!("B{count}:\nret;")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_frontier_runs_each_block_once_without_back_edges(
        targets in prop::collection::vec((0..6usize, 0..6usize), 2..16),
    ) {
        let (_, _, result, _) = run_kernel(&forward(&targets), 32, 128, Model::Frontier);
        prop_assert_eq!(result.status, Status::Finished);
        for line in &result.warps[0].lines {
            prop_assert_eq!(line.count, 1);
        }
    }

    #[test]
    fn a_frontier_runs_a_loop_s_blocks_once_per_iteration(bits in prop::collection::vec(0..32u32, 1..5), iterations in 1..6u32) {
        // Lanes continue early from several points of the loop, and leave it after different numbers of iterations.
        let mut body = format!(
            "
                mov.u32 %r1, %tid.x;
                mad.lo.u32 %r2, %r1, 2654435769, 12345;
                and.b32 %r3, %r1, 3;
                add.u32 %r3, %r3, {iterations};
                HEAD:
                sub.s32 %r3, %r3, 1;
                setp.lt.s32 %p1, %r3, 0;
                @%p1 bra DONE;
            "
        );
        for bit in &bits {
            body += &format!("bfe.u32 %r4, %r2, {bit}, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra HEAD;\n");
        }
        body += "mad.lo.u32 %r2, %r2, 1664525, 1013904223;\nbra HEAD;\nDONE:\nret;";
        let (_, _, result, _) = run_kernel(&kernel(&body), 32, 128, Model::Frontier);
        prop_assert_eq!(result.status, Status::Finished);
        let head = result.warps[0].lines[4].count;
        for line in &result.warps[0].lines[4..] {
            prop_assert!(line.count <= head);
        }
    }
}

/// The kinds and messages of a text's findings under the model `stack`.
fn findings(text: &str) -> Vec<(FindingKind, String)> {
    let (_, _, result, _) = run_kernel(text, 32, 256, Model::Stack);
    assert_eq!(result.status, Status::Finished, "{:?}", result.findings);
    result.findings.into_iter().map(|finding| (finding.kind, finding.message)).collect()
}

const TWO_FUNCTIONS: &str = "
    .func (.reg .u32 r) twice(.reg .u32 n)
    {
        add.u32 r, n, n;
        ret;
    }
    .func (.reg .u32 r) square(.reg .u32 n)
    {
        mul.lo.u32 r, n, n;
        ret;
    }
";
const CHOOSE: &str =
    "and.b32 %w, %t, 1;\nsetp.eq.u32 %p0, %w, 0;\nmov.u64 %f, twice;\n@%p0 mov.u64 %f, square;\n";

#[test]
fn a_uniform_call_of_two_functions() {
    let body = format!("{CHOOSE}T: .calltargets twice, square;\ncall.uni (%v), %f, (%t), T;");
    let found = findings(&storing(TWO_FUNCTIONS, &body));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, FindingKind::DivergentUniform);
    assert!(found[0].1.contains("even lanes call `square`, odd lanes call `twice`"), "{found:?}");
}

#[test]
fn a_callee_that_the_table_does_not_list() {
    let body = format!("{CHOOSE}T: .calltargets twice;\ncall (%v), %f, (%t), T;");
    let found = findings(&storing(TWO_FUNCTIONS, &body));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, FindingKind::CallTarget);
    assert!(
        found[0].1.starts_with("Invalid call target: `.calltargets` `T` does not list `square`"),
        "{found:?}"
    );
}

#[test]
fn a_callee_with_another_signature() {
    let wide = "
        .func (.reg .u32 r) wide(.reg .u64 n)
        {
            cvt.u32.u64 r, n;
            ret;
        }
    ";
    let call = "mov.u64 %f, wide;\nP: .callprototype (.reg .u32 _) _ (.reg .u32 _);\ncall (%v), %f, (%t), P;";
    let found = findings(&storing(wide, call));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, FindingKind::CallTarget);
    assert!(found[0].1.contains("parameter 1 has 4 bytes instead of 8"), "{found:?}");
    let call = "mov.u64 %f, wide;\nP: .callprototype _ (.reg .u64 _);\ncvt.u64.u32 %o, %t;\ncall %f, (%o), P;\nmov.u32 %v, 0;";
    let found = findings(&storing(wide, call));
    assert!(found[0].1.contains("0 return parameters instead of 1"), "{found:?}");
}

#[test]
fn a_return_from_a_function_that_does_not_return() {
    let functions = "
            .func stop(.reg .u32 n)
            .noreturn
            {
                .reg .pred %p;
                setp.lt.u32 %p, n, 4;
                @%p ret;
                exit;
            }
        ";
    let found = findings(&storing(functions, "call stop, (%t);\nmov.u32 %v, 0;"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, FindingKind::Noreturn);
    assert!(
        found[0].1.starts_with("Unexpected return: `stop` is `.noreturn`, but lanes 0-3 return from it"),
        "{found:?}"
    );
}

#[test]
fn a_function_that_does_not_return_falls_off_its_end() {
    let setp = "setp.lt.u32 %p, n, 4;\n";
    for body in [
        "add.u32 a, n, 1;",
        "setp.lt.u32 %p, n, 4;\n@%p exit;\nadd.u32 a, n, 1;",
        &format!("{setp}@%p exit;"),
        &format!("{setp}{{ @%p exit; }}"),
        "setp.gt.u32 %p, n, 400;\n@%p trap;",
        &format!("{setp}@%p bra E;\nexit;\nE:"),
        &format!("{setp}bra M;\nL: exit;\nM: @%p bra L;"),
        "mov.u32 a, 0;\nts: .branchtargets X, Y;\nbrx.idx a, ts;\nY: exit;\nX:",
        "call inner, (n);",
        "bar.warp.sync -1;",
        "",
    ] {
        let functions = format!(
            ".func inner(.reg .u32 v) {{ ret; }}\n\
             .func stop(.reg .u32 n) .noreturn\n{{\n.reg .pred %p;\n.reg .u32 a;\n{body}\n}}\n"
        );
        let found = findings(&storing(&functions, "call stop, (%t);\nmov.u32 %v, 0;"));
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert_eq!(found[0].0, FindingKind::Noreturn);
    }
    // All lanes exit.
    let functions = ".func stop(.reg .u32 n) .noreturn\n{\n.reg .pred %p;\nsetp.lt.u32 %p, n, 4;\n@%p exit;\n@!%p exit;\n}\n";
    assert_eq!(findings(&storing(functions, "call stop, (%t);\nmov.u32 %v, 0;")), []);
}
