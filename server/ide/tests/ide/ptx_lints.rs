//! The rewrites of PTX lints keep the semantics: random kernels, and kernels of the corpora, leave equal memory before and
//! after. The assembler, if installed, still accepts what it accepted before.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use proptest::prelude::*;
use warplens_hir::ptx::{Function, FunctionKind, Header};
use warplens_ide::{AnalysisHost, FileId, Fix};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, Module, decode, run};
use warplens_sim_warp::{Control, Limits, RunOptions, Status};
use warplens_syntax::{ItemList, parse_item};

const LINT: &str = "branch-for-predicate";

fn offers(text: &str) -> Vec<Fix> {
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, text);
    let found = host.snapshot().diagnostics(FileId(0)).expect("not edited");
    found.into_iter().filter(|found| found.code == LINT).flat_map(|found| found.fixes).collect()
}

/// Applies all fixes that are offered, one after another. Returns the text and the number of fixes.
fn rewritten(text: &str) -> (String, usize) {
    let (mut text, mut count) = (text.to_owned(), 0);
    while let Some(fix) = offers(&text).into_iter().next() {
        text = fix.applied(&text);
        count += 1;
        assert!(count < 1_000, "there is no end");
    }
    (text, count)
}

/// The final memory of each kernel of a module, if the kernel finishes.
fn outcomes(text: &str) -> Vec<(String, Option<Vec<u8>>)> {
    let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, text);
    let (mut headers, mut functions) = (Vec::new(), Vec::new());
    for item in items.iter() {
        let parse = parse_item(warplens_syntax::ptx::LANGUAGE, &item.text);
        headers.push(Header::lower(parse.root()));
        let function = Function::lower(parse.root()).filter(|function| function.body.is_some());
        functions.extend(function.map(Arc::new));
    }
    let entries = functions.iter().filter(|function| function.kind == FunctionKind::Entry);
    let named =
        |name: &str| functions.iter().find(|function| function.name.as_deref() == Some(name)).cloned();
    let module = Module::new(&headers, &named);
    entries
        .map(|entry| {
            let name = entry.name.clone().unwrap_or_default();
            let memory = decode(&module, &name).ok().and_then(|program| {
                let mut config = launch_config([2, 1, 1], [40, 1, 1]);
                let out = config.memory.allocate("buffer", 1 << 14).expect("fits");
                config.params =
                    out.to_le_bytes().into_iter().cycle().take(program.params_size as usize).collect();
                config.shared_memory = 49_152;
                let limits = Limits { max_steps: 20_000, ..Limits::default() };
                let options = RunOptions { limits, ..RunOptions::default() };
                let result =
                    run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
                let memory = result.memory.bytes(out, 1 << 14).expect("the buffer").to_vec();
                (result.status == Status::Finished).then_some(memory)
            });
            (name.to_string(), memory)
        })
        .collect()
}

/// A part of a random body.
fn part() -> impl Strategy<Value = String> {
    let r = || (0..5usize).prop_map(|index| format!("%r{index}"));
    let p = || (0..3usize).prop_map(|index| format!("%p{index}"));
    let statement = move || {
        prop_oneof![
            3 => (r(), r(), r()).prop_map(|(d, a, b)| format!("add.u32 {d}, {a}, {b};")),
            2 => (r(), r(), 0..9u32).prop_map(|(d, a, b)| format!("xor.b32 {d}, {a}, {b};")),
            2 => (p(), r(), 0..9u32).prop_map(|(d, a, b)| format!("setp.lt.u32 {d}, {a}, {b};")),
            1 => (r(), p(), r()).prop_map(|(d, p, a)| format!("selp.u32 {d}, {a}, 1, {p};")),
            1 => (p(), r(), r()).prop_map(|(p, d, a)| format!("@{p} mov.u32 {d}, {a};")),
            2 => (r(), 0..4u32).prop_map(|(a, at)| format!("st.global.u32 [%rd2+{}], {a};", 4 * at)),
            1 => (r(), 0..4u32).prop_map(|(d, at)| format!("ld.global.u32 {d}, [%rd2+{}];", 4 * at)),
            1 => r().prop_map(|d| format!("mov.u32 {d}, %laneid;")),
        ]
    };
    let side = move || prop::collection::vec(statement(), 0..9).prop_map(|all| all.join("\n"));
    let guard =
        move || (any::<bool>(), p()).prop_map(|(not, p)| format!("@{}{p}", if not { "!" } else { "" }));
    prop_oneof![
        1 => side(),
        2 => (guard(), side()).prop_map(|(guard, side)| format!("{guard} bra L#;\n{side}\nL#:")),
        2 => (guard(), side(), side()).prop_map(|(guard, one, other)| {
            format!("{guard} bra L#;\n{one}\nbra M#;\nL#:\n{other}\nM#:")
        }),
    ]
}

fn kernel() -> impl Strategy<Value = String> {
    prop::collection::vec(part(), 1..8).prop_map(|parts| {
        let mut text = String::from(
            ".version 8.5\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out) {\n.reg .pred %p<3>;\n.reg .b32 %r<5>;\n\
             .reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 64;\n\
             add.u64 %rd2, %rd2, %rd1;\nmov.u32 %r1, 3;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %laneid;\nmov.u32 %r4, 0;\n\
             setp.lt.u32 %p0, %r0, 9;\nsetp.lt.u32 %p1, %r1, %r0;\nsetp.eq.u32 %p2, %r2, 0;\n",
        );
        for (index, part) in parts.iter().enumerate() {
            text += &part.replace('#', &index.to_string());
            text.push('\n');
        }
        for register in 0..5 {
            text += &format!("st.global.u32 [%rd2+{}], %r{register};\n", 16 + 4 * register);
        }
        text + "ret;\n}\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn kernels_at_random(text in kernel()) {
        let (now, _) = rewritten(&text);
        prop_assert!(outcomes(&now) == outcomes(&text), "{text}\n=>\n{now}");
    }
}

#[test]
fn kernels_of_the_corpora() {
    warplens_test_support::corpora("").iter().for_each(|corpus| check_corpus(corpus));
}

fn check_corpus(corpus: &Path) {
    let folders =
        ["ptx/generated", "ptx/llc", "ptx/public", "ptx-exec/kernels", "ptx-exec/public", "ptx-exec/ops"];
    let ptxas = warplens_test_support::ptxas();
    for path in folders.iter().flat_map(|folder| std::fs::read_dir(corpus.join(folder)).into_iter().flatten())
    {
        let path = path.expect("an entry").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if path.extension().is_none_or(|extension| extension != "ptx") || text.len() > 40_000 {
            continue;
        }
        let (now, count) = rewritten(&text);
        if count == 0 {
            continue;
        }
        assert!(outcomes(&now) == outcomes(&text), "{}", path.display());
        if let Some(ptxas) = &ptxas {
            assert!(!accepts(ptxas, &text) || accepts(ptxas, &now), "{}\n{now}", path.display());
        }
    }
}

fn accepts(ptxas: &Path, text: &str) -> bool {
    let file = std::env::temp_dir().join(format!("warplens-lint-{}.ptx", std::process::id()));
    std::fs::write(&file, text).expect("the folder can be written");
    let target = text.split("sm_").nth(1).and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    let target = target.filter(|target| target.parse().is_ok_and(|number: u32| number > 75)).unwrap_or("75");
    let run = Command::new(ptxas).arg("-arch").arg(format!("compute_{target}")).arg(&file).output();
    std::fs::remove_file(&file).expect("it was written");
    run.expect("it runs").status.success()
}
