//! Soundness of the static uniformity analysis: no run diverges at a uniform branch. Tested with the kernels of the corpora,
//! and with random kernels that have loops, side entries and loops with two entries.

use crate::common::Source;
use proptest::prelude::*;
use warplens_hir::Variance;
use warplens_hir::ptx::{RegisterQuery, Uniformity};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, LaunchConfig, Limits, RunOptions};
use warplens_test_support::corpora;

/// The statements whose guard was wrongly called uniform, as text.
fn contradictions(source: &Source, entry: &str, config: LaunchConfig, model: Model) -> Vec<String> {
    let Ok(program) = source.try_program(entry) else { return Vec::new() };
    let function = source.function(entry);
    let cfg = function.cfg(&|_| false);
    let guarded = function.instructions().filter_map(|instruction| {
        let register = function.name(instruction.guard()?.name).referent;
        Some(RegisterQuery { instruction: instruction.id(), register, after: false })
    });
    let questions: Vec<RegisterQuery> = guarded.collect();
    let analysis = Uniformity::of(&function, &cfg, &questions);
    let limits = Limits { max_steps: 2_000, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let result = run(&program, config, model, &options, Control::none()).expect("not cancelled");
    let mut found = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        if analysis.answer(index) != Variance::Uniform {
            continue;
        }
        for line in result.warps.iter().flat_map(|warp| &warp.lines) {
            let (of, pc) = program.locate(line.statement).expect("a statement of the program");
            let is_it =
                program.functions[of].name.as_str() == entry && pc as usize == question.instruction.index();
            let parts =
                |visit: &warplens_sim_warp::Visit| visit.executed != 0 && visit.executed != visit.active;
            if is_it && line.visits.iter().any(parts) {
                found.push(format!("{entry}: {:?}", function.instruction(question.instruction)));
            }
        }
    }
    found
}

#[test]
fn kernels_of_the_corpora() {
    let folders = ["ptx/generated", "ptx/llc", "ptx/public", "ptx-exec/kernels"];
    let folders = corpora("").into_iter().flat_map(|corpus| folders.map(|folder| corpus.join(folder)));
    for path in folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten()) {
        let path = path.expect("an entry").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|extension| extension != "ptx") || text.len() > 200_000 {
            continue;
        }
        let source = Source::new(&text);
        for entry in source.entries() {
            let Ok(program) = source.try_program(&entry) else { continue };
            for block in [[64, 1, 1], [8, 4, 2]] {
                let mut config = launch_config([2, 1, 1], block);
                let out = config.memory.allocate("buffer", 1 << 16).expect("space");
                config.params =
                    out.to_le_bytes().into_iter().cycle().take(program.params_size as usize).collect();
                config.shared_memory = 49_152;
                let found = contradictions(&source, &entry, config, Model::Stack);
                assert!(found.is_empty(), "{}: {found:?}", path.display());
            }
        }
    }
}

/// One statement of a random block.
fn statement() -> impl Strategy<Value = String> {
    let register = || (0..4usize).prop_map(|index| format!("%r{index}"));
    let predicate = || (0..3usize).prop_map(|index| format!("%p{index}"));
    prop_oneof![
        (register(), 0..3u32).prop_map(|(d, value)| format!("mov.u32 {d}, {value};")),
        (register(), register()).prop_map(|(d, a)| format!("mov.u32 {d}, {a};")),
        (register(), register(), 0..3u32).prop_map(|(d, a, b)| format!("add.u32 {d}, {a}, {b};")),
        (register(), register(), register()).prop_map(|(d, a, b)| format!("sub.u32 {d}, {a}, {b};")),
        register().prop_map(|d| format!("mov.u32 {d}, %tid.x;")),
        register().prop_map(|d| format!("mov.u32 {d}, %ctaid.x;")),
        (predicate(), register(), 0..4u32).prop_map(|(d, a, b)| format!("setp.lt.u32 {d}, {a}, {b};")),
        (predicate(), register(), register()).prop_map(|(d, a, b)| format!("setp.eq.u32 {d}, {a}, {b};")),
        (predicate(), register(), register()).prop_map(|(p, d, a)| format!("@{p} mov.u32 {d}, {a};")),
        (register(), register(), predicate()).prop_map(|(d, a, p)| format!("selp.u32 {d}, {a}, 1, {p};")),
    ]
}

/// The text of a kernel that initializes the registers and contains these blocks.
fn with_registers(blocks: &str) -> String {
    crate::common::kernel(&format!(
        "mov.u32 %r0, 0; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, %tid.x;\n\
         setp.lt.u32 %p0, %r3, 9; setp.lt.u32 %p1, %r0, 1; setp.lt.u32 %p2, %r1, 1;\n\
         {blocks}ret;"
    ))
}

/// A kernel of blocks with arbitrary branches.
fn kernel() -> impl Strategy<Value = String> {
    const BLOCKS: usize = 6;
    let end = prop_oneof![
        4 => (0..3usize, 0..BLOCKS).prop_map(|(p, to)| format!("@%p{p} bra L{to};")),
        1 => (0..BLOCKS).prop_map(|to| format!("bra L{to};")),
        1 => (0..3usize).prop_map(|p| format!("@%p{p} exit;")),
        1 => Just(String::from("exit;")),
        1 => Just(String::new()),
    ];
    let block = (prop::collection::vec(statement(), 0..4), end);
    prop::collection::vec(block, BLOCKS).prop_map(|blocks| {
        let mut text = String::new();
        for (index, (statements, end)) in blocks.iter().enumerate() {
            text.push_str(&format!("L{index}: {} {end}\n", statements.join(" ")));
        }
        with_registers(&text)
    })
}

/// The contradictions of a kernel, under the models without independent scheduling.
fn contradictions_of(text: &str) -> Vec<String> {
    let source = Source::new(text);
    let of_model = |model| {
        let mut config = launch_config([1, 1, 1], [40, 1, 1]);
        config.params = vec![0; 8];
        contradictions(&source, "k", config, model)
    };
    [Model::Stack, Model::Ipdom, Model::Frontier].into_iter().flat_map(of_model).collect()
}

/// Kernels for which the analysis once called a divergent branch uniform.
#[test]
fn fixed_kernels() {
    const BLOCKS: [&str; 7] = [
        // The reconvergence points of `stack` and `ipdom` differ in a loop that only a guarded `exit` leaves.
        "L0: @%p2 exit; @%p0 bra L4; L2: bra L0; L4: setp.lt.u32 %p2, %r0, 1; bra L2;",
        // `frontier` merges lanes before their reconvergence point.
        "L0: @%p0 bra L4; L1: setp.lt.u32 %p1, %r0, 0; @%p1 exit; @%p2 exit; bra L0;
         L4: setp.lt.u32 %p2, %r0, 1; @%p0 bra L1; @%p0 bra L0;",
        // Lanes of different iterations leave a loop for a block that can also be reached past the loop.
        "@%p2 bra L2; L1: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, %r3; @%p0 bra L1;
         L2: setp.lt.u32 %p1, %r0, 7; @%p1 bra L3; mov.u32 %r2, 0; L3:",
        // Lanes leave the loop at two branches, one of which is uniform in each iteration.
        "L0: add.u32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 3; @%p1 bra L1; setp.eq.u32 %p0, %r1, %r3; @%p0 bra L2; bra L0;
         L1: mov.u32 %r0, 1; L2: setp.eq.u32 %p2, %r0, 1; @%p2 bra L3; mov.u32 %r2, 0; L3:",
        // Lanes skip a definition in some iterations and keep an earlier value.
        "L0: @%p0 bra L1; L1: @%p0 bra L2; L2: mov.u32 %r0, %r2; selp.u32 %r3, %r0, 1, %p2; bra L5;
         L3: @%p0 bra L1; L4: @%p0 bra L0; L5: setp.lt.u32 %p2, %r3, 2; @%p2 bra L3;",
        // The skipped definition is a copy of a value that all lanes compute.
        "L0: add.u32 %r0, %r0, 1; setp.eq.u32 %p1, %r0, 1; @%p1 bra L1; @%p0 bra L2; L1: mov.u32 %r3, %r0;
         L2: setp.eq.u32 %p2, %r3, 1; @%p2 bra L3; mov.u32 %r2, 0; L3: setp.lt.u32 %p1, %r0, 4; @%p1 bra L0;",
        // Lanes of different iterations meet at the head of a loop that they re-enter by different branches.
        "L0: setp.eq.u32 %p1, %r0, %r2; @%p1 bra L4; L1: @%p0 bra L0; L2: @%p0 exit; mov.u32 %r2, %ctaid.x; bra L0;
         L4: @%p0 exit; L5: bra L1;",
    ];
    for blocks in BLOCKS {
        let text = with_registers(blocks);
        let found = contradictions_of(&text);
        assert!(found.is_empty(), "{found:?}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_kernels(text in kernel()) {
        let found = contradictions_of(&text);
        prop_assert!(found.is_empty(), "{found:?}\n{text}");
    }
}
