//! How many instructions, counted per active lane, the interpreter runs in a second with line statistics on.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warplens_hir::ptx::{Function, Header};
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, Module, Program, decode, run};
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::{Control, Limits, RunOptions};
use warplens_syntax::{ItemList, parse_item};

/// A kernel of the examples folder.
fn program(entry: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples").join(format!("{entry}.ptx"));
    let text = std::fs::read_to_string(path).expect("the example is there");
    let items = ItemList::new(warplens_syntax::ptx::LANGUAGE, &text);
    let parses: Vec<_> =
        items.iter().map(|item| parse_item(warplens_syntax::ptx::LANGUAGE, &item.text)).collect();
    let headers: Vec<Header> = parses.iter().map(|parse| Header::lower(parse.root())).collect();
    let functions: Vec<_> = parses.iter().filter_map(|parse| Function::lower(parse.root())).collect();
    let function = |name: &str| {
        let found = functions.iter().find(|function| function.name.as_deref() == Some(name));
        found.map(|function| function.clone().into())
    };
    decode(&Module::new(&headers, &function), entry).expect("the kernel is there")
}

/// A launch of eight warps whose parameters are a buffer and a number.
fn launch(number: u32) -> LaunchConfig {
    let mut config = launch_config([1, 1, 1], [256, 1, 1]);
    let out = config.memory.allocate("out", 1024).expect("it fits");
    config.params = [&out.to_le_bytes()[..], &number.to_le_bytes()].concat();
    config
}

fn speed(c: &mut Criterion) {
    let options =
        RunOptions { limits: Limits { max_steps: u64::MAX, ..Limits::default() }, ..RunOptions::default() };
    let mut group = c.benchmark_group("simulate");
    for (entry, number) in [("alu", 10_000), ("collatz", 1_000_000)] {
        let program = program(entry);
        let once = || {
            run(&program, launch(number), Model::Stack, &options, Control::none()).expect("no cancellation")
        };
        group.throughput(Throughput::Elements(once().totals.thread_instructions));
        group.bench_function(entry, |b| b.iter(|| black_box(once())));
    }
    group.finish();
}

criterion_group!(benches, speed);
criterion_main!(benches);
